// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LeastSquaresByPanels: the kernel of least_squares on devices for matrices of more than 32 rows.
#ifndef BATCHWORK_LEASTSQUARESBYPANELS_HPP
#define BATCHWORK_LEASTSQUARESBYPANELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/decompositions/detail/Batchwork_ItemInPanels.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"

namespace Batchwork::Impl {

/// Right-hand sides are blocks behind the matrix, one by a warp each.
template <class T, bool InScratch>
struct LeastSquaresByPanels : ItemInPanels<T, InScratch> {
  using Item = ItemInPanels<T, InScratch>;
  using Item::width, Item::none, Item::panels, Item::blocks_of_a, Item::blocks;
  using typename Item::Panels, typename Item::Here;
  /// Blocks of right-hand sides in memory at once.
  static constexpr int most_blocks = 2;

  LeastSquaresOfItems<T> p;

  LeastSquaresByPanels(LeastSquaresOfItems<T> const& of, DeviceLimits const& limits)
      : Item(of.items, of.m, of.n,
             Item::blocks_for(of.n) + std::min(most_blocks, Item::blocks_for(of.columns)), limits),
        p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    this->for_items(member, [&](Panels const& at, int* found, std::int64_t item) {
      run(member, at, found, item);
    });
  }

 private:
  /// found: the first column of R that is not finite, the first zero of its diagonal, and whether a
  /// result is not finite.
  template <class Member>
  BATCHWORK_INLINE void run(Member const& member, Panels const& at, int* found,
                            std::int64_t item) const {
    Here const here(member);
    T const* const unscale = this->unscale_of(at);
    this->load(member, here, at, found, p.a, item);
    BATCHWORK_KEEP_LOOP
    for (int g = -1; g + 1 < panels; ++g) {
      if (g >= 0) at.apply(here, g, g + 1, blocks_of_a, true, this->busy_warps(here, at));
      this->factor(member, here, at, g + 1);
      member.team_barrier();
    }
    for (int j = here.warp; j < p.n; j += here.warps)
      for (int i = here.in_warp; i <= j; i += lanes_of_warp) {
        T const x = at.of_r(i, j, panels) * unscale[j];
        if (!(x * T(0) == T(0))) Kokkos::atomic_min(found, j);
        if (i == j && x == T(0)) Kokkos::atomic_min(found + 1, j);
      }
    int const at_once = (blocks - blocks_of_a) * width;
    int const of_b = p.shortest ? p.n : p.m, of_x = p.shortest ? p.m : p.n;
    bool failed = false;
    BATCHWORK_KEEP_LOOP
    for (int c0 = 0; c0 < p.columns; c0 += at_once) {
      int const some = p.columns - c0 < at_once ? p.columns - c0 : at_once;
      // R z = Q' b with columns of R scaled, and x is z scaled.
      this->load_columns(here, at, columns_from(p.b, c0), item, of_b, some, blocks - blocks_of_a,
                         blocks_of_a, [&](int i) { return p.shortest ? T(1) / unscale[i] : T(1); });
      member.team_barrier();
      failed = found[0] != none || found[1] != none;
      BATCHWORK_KEEP_LOOP
      for (int k = blocks_of_a + here.warp; k < blocks && !failed; k += here.warps) {
        if (p.shortest) at.template substitute<true>(here, k, p.n);
        BATCHWORK_KEEP_LOOP
        for (int g = 0; g < panels; ++g)
          at.apply_to_block(here, p.shortest ? panels - 1 - g : g, k, !p.shortest);
        if (!p.shortest) at.template substitute<false>(here, k, p.n);
      }
      member.team_barrier();
      auto const x = columns_from(p.x, c0);
      T* const to = item_of(x.storage, item);
      Item::for_numbers(here, x, of_x, some, [&](int i, int j) {
        T const by = failed       ? std::numeric_limits<T>::quiet_NaN()
                     : p.shortest ? T(1)
                                  : T(1) / unscale[i];
        T const number = at.at(i, width * blocks_of_a + j) * by;
        if (!(number * T(0) == T(0))) Kokkos::atomic_min(found + 2, 0);
        to[i * x.storage.row + j * x.storage.col] = number;
      });
      member.team_barrier();
    }
    if (!p.status.wanted() || here.lane != 0) return;
    p.status.put(item, found[0] != none   ? Status::code(Reason::not_finite, found[0] + 1)
                       : found[1] != none ? Status::code(Reason::singular, found[1] + 1)
                       // Where only a result is not finite. A number of b may be what is not.
                       : found[2] != none ? Status::code(Reason::not_finite, 0)
                                          : 0);
  }
};

}  // namespace Batchwork::Impl

#endif
