// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrByPanels: the kernel of qr on devices for matrices of more than 96 rows or columns.
#ifndef BATCHWORK_QRBYPANELS_HPP
#define BATCHWORK_QRBYPANELS_HPP

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

template <class T, bool InScratch>
struct QrByPanels : ItemInPanels<T, InScratch> {
  using Item = ItemInPanels<T, InScratch>;
  using Item::width, Item::none, Item::panels, Item::blocks_of_a, Item::rows;
  using typename Item::Panels, typename Item::Here;

  QrOfItems<T> p;

  QrByPanels(QrOfItems<T> const& of, DeviceLimits const& limits)
      : Item(of.items, of.m, of.n, Item::blocks_for(of.cols()), limits), p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    this->for_items(member, [&](Panels const& at, int* found, std::int64_t item) {
      run(member, at, found, item);
    });
  }

 private:
  template <class Member>
  BATCHWORK_INLINE void run(Member const& member, Panels const& at, int* first_bad,
                            std::int64_t item) const {
    Here const here(member);
    T const* const unscale = this->unscale_of(at);
    int const least = p.m < p.n ? p.m : p.n, blocks_of_q = Item::blocks_for(p.columns_of_q);
    T const nan = std::numeric_limits<T>::quiet_NaN();
    T* const r = item_of(p.r.storage, item);
    this->load(member, here, at, first_bad, p.a, item);
    // One text for R, of panel after panel, and Q, backwards: a panel is applied to what is right
    // of it, and the next one is factored, or becomes columns of Q.
    int const turns = 2 * (panels + 1);
    bool failed = false;
    BATCHWORK_KEEP_LOOP
    for (int turn = 0; turn < turns; ++turn) {
      bool const forward = turn <= panels;
      int const g = forward ? turn - 1 : 2 * panels - turn;
      if (turn == panels + 1) {
        Item::for_numbers(here, p.r, least, p.n, [&](int i, int j) {
          T const x = i > j ? T(0) : at.of_r(i, j, panels) * unscale[j];
          r[i * p.r.storage.row + j * p.r.storage.col] = x;
          if (!(x * T(0) == T(0))) Kokkos::atomic_min(first_bad, j);
        });
        member.team_barrier();
        failed = *first_bad != none;
        if (failed || p.columns_of_q == 0) break;
        for (int j = width * panels + here.warp; j < width * blocks_of_q; j += here.warps)
          for (int i = here.in_warp; i < rows; i += lanes_of_warp) at.at(i, j) = T(i == j ? 1 : 0);
        member.team_barrier();
      }
      bool const is_panel = g + 1 < panels;
      if (!forward && here.warp == 0 && is_panel) at.make_unit(here, g + 1);
      if (g >= 0)
        at.apply(here, g, g + 1, forward ? blocks_of_a : blocks_of_q, forward,
                 forward && is_panel ? this->busy_warps(here, at) : 0);
      if (forward && is_panel) this->factor(member, here, at, g + 1);
      member.team_barrier();
    }
    if (failed)
      Item::for_numbers(here, p.r, least, p.n,
                        [&](int i, int j) { r[i * p.r.storage.row + j * p.r.storage.col] = nan; });
    if (p.columns_of_q > 0) {
      T* const q = item_of(p.q.storage, item);
      Item::for_numbers(here, p.q, p.m, p.columns_of_q, [&](int i, int j) {
        q[i * p.q.storage.row + j * p.q.storage.col] = failed ? nan : at.at(i, j);
      });
    }
    if (p.status.wanted() && here.lane == 0)
      p.status.put(item, failed ? Status::code(Reason::not_finite, *first_bad + 1) : 0);
  }
};

}  // namespace Batchwork::Impl

#endif
