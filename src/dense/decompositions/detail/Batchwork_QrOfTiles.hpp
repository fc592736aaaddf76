// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrOfTiles: the kernel of qr on devices for matrices of 33 to 96 rows and columns, which the
/// lanes of some warps hold in registers.
#ifndef BATCHWORK_QROFTILES_HPP
#define BATCHWORK_QROFTILES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_QrChoice.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_ReflectionTiles.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "team/detail/Batchwork_ItemTravel.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// For matrices of up to 8 Tiles rows and columns, of any shape: zeros beyond change nothing of the
/// factors. Where has_shuffles.
template <class T, int Tiles>
struct QrOfTiles : ReflectionTiles<T, Tiles, warps_of_qr<T>(Tiles)>,
                   TeamKernel<QrOfTiles<T, Tiles>> {
  using Shell = TeamKernel<QrOfTiles>;
  using Shell::items_per_team;
  using Core = ReflectionTiles<T, Tiles, warps_of_qr<T>(Tiles)>;
  using Core::to_unscale, Core::to_flag, Core::panels;
  using Core::warps, Core::count, Core::rows, Core::item_numbers, Core::item_bytes,
      Core::group_numbers;
  using typename Core::Here, typename Core::Numbers;

  /// Items of a team that carries neighbouring ones together: half a sector of 32 bytes, if there
  /// are not too many lanes.
  static constexpr int most_items = warps <= 2 ? 16 / int(sizeof(T)) : 1;
  static constexpr int largest_team = count * most_items;
  /// Teams for which the registers of a multiprocessor suffice, counting the tiles and the other
  /// registers that were measured.
  static constexpr int registers_of_lane =
      Tiles * Core::across * 2 * int(sizeof(T)) / 4 + (sizeof(T) == 4 ? 56 : 60);
  static constexpr int wanted_teams =
      std::max(1, registers_of_multiprocessor / largest_team / registers_of_lane);

  QrOfItems<T> p;
  MatrixTravel of_a, of_q, of_r;

  QrOfTiles(QrOfItems<T> const& of, DeviceLimits const& limits) : p(of) {
    this->set_extents(p.m, p.n);
    of_a = MatrixTravel::of(p.a.storage, p.m, p.n, true, true);
    of_r = MatrixTravel::of(p.r.storage, std::min(p.m, p.n), p.n, true, true);
    if (p.columns_of_q > 0) of_q = MatrixTravel::of(p.q.storage, p.m, p.columns_of_q, true, true);
    if (!(of_a.by_items || of_r.by_items || of_q.by_items)) return;
    double_items(items_per_team, most_items, p.items, [&] { return fits(limits); });
  }
  static constexpr BATCHWORK_INLINE std::size_t bytes_of_item() { return item_bytes; }
  bool fits(DeviceLimits const& limits) const {
    return limits.holds(1, this->team(), this->bytes());
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    T* const scratch = this->template scratch_in<T>(member);
    auto const numbers_of = [&](int item) { return scratch + item * item_numbers; };
    Here here = this->lane_of(member, items_per_team, p.items, numbers_of);
    bool const together = of_a.by_items || of_q.by_items || of_r.by_items;
    auto const meet = [&] {
      if (together || warps > 1) member.team_barrier();
      else Vendor::warp_sync(member);
      // Found anew, rather than kept while registers are scarce.
      here = this->lane_of(member, items_per_team, p.items, numbers_of);
    };
    auto const place = [](int i, int j) { return j / 4 * group_numbers + 4 * i + j % 4; };
    int const own_a = here.item_of_share(of_a);
    fetch_matrix(here, of_a, p.a.storage, here.first + own_a, numbers_of(own_a), place);
    this->begin(here);
    Vendor::copy_async_wait();
    meet();

    Numbers x;
    this->read(here, x);
    this->scale(here, x);
    Vendor::warp_sync(member);
    // One text for R, of panel after panel, and Q, backwards (LAPACK's org2r): all code is to stay
    // in the instruction cache.
    int const turns = p.columns_of_q > 0 ? 2 * panels : panels;
    BATCHWORK_KEEP_LOOP
    for (int turn = 0;; ++turn) {
      if (turn == panels) {
        this->write_rest(here, x);
        meet();
        store_r(here, numbers_of);
        this->set_identity(here, x);
      }
      if (turn == turns) break;
      bool const forward = turn < panels;
      int const g = forward ? turn : turns - 1 - turn;
      if (forward) this->reflect(member, here, x, g);
      this->apply(here, x, g, forward, forward ? (g + 1) / 2 : g / 2,
                  !forward           ? (p.columns_of_q + 7) / 8
                  : 4 * g + 4 >= p.n ? 0
                                     : this->tiles_of_cols);
    }
    meet();
    bool const is_there = here.item < here.there;
    std::int32_t code = 0;
    if (here.numbers[to_flag] != T(0)) {
      code = status(here);
      if (is_there) store_nan(here);
    }
    if (p.status.wanted() && here.lane == 0 && is_there) p.status.put(here.first + here.item, code);
    if (p.columns_of_q > 0) {
      if constexpr (warps > 1) meet();
      this->write(here, x, (p.columns_of_q + 7) / 8, T(1) + here.numbers[to_flag]);
      meet();
      int const which = here.item_of_share(of_q);
      store_matrix(here, of_q, p.q.storage, here.first + which, numbers_of(which), place,
                   [](int i) { return i; });
    }
  }

 private:
  /// Where row i of R has four columns of group g.
  BATCHWORK_INLINE T const* row_of_r(T const* numbers, int i, int g) const {
    int const above = g - i / 4;
    T const* const side = numbers + Core::to_sides + 32 * g + 4 * (i % 4);
    if (above == 0) return side;
    if (above == 1 && g % 2 != 0 && g < panels) return side + 16;
    return numbers + g * group_numbers + 4 * i;
  }
  /// R, which is correct unless it is not finite: then the item has its flag.
  template <class NumbersOf>
  BATCHWORK_INLINE void store_r(Here const& here, NumbersOf const& numbers_of) const {
    int const which = here.item_of_share(of_r);
    T* const numbers = numbers_of(which);
    T* const to = item_of(p.r.storage, here.first + which);
    T zero = T(0);  // or NaN
    here.walk(of_r, [&](int, int i, int j) {
      T const* const from = row_of_r(numbers, i, j / 4) + j % 4;
      T* const there = to + (i * p.r.storage.row + j * p.r.storage.col);
      T const* const by = numbers + to_unscale + j;
      if (of_r.shift == 2) zero += put_r<16 / int(sizeof(T))>(there, from, by, i - j);
      else if (of_r.shift == 1) zero += put_r<2>(there, from, by, i - j);
      else zero += put_r<1>(there, from, by, i - j);
    });
    if (zero != T(0)) numbers[to_flag] = std::numeric_limits<T>::quiet_NaN();
  }
  /// Numbers of a row, with so many left of the diagonal. \returns zero, or NaN
  template <int Numbers>
  static BATCHWORK_INLINE T put_r(T* to, T const* from, T const* by, int left) {
    T x[Numbers], scale[Numbers], zero = T(0);
    read_together(x, from), read_together(scale, by);
    BATCHWORK_UNROLL
    for (int k = 0; k < Numbers; ++k) {
      x[k] = k < left ? T(0) : x[k] * scale[k];
      zero += x[k] * T(0);
    }
    Vendor::store_vector(to, x);
    return zero;
  }
  /// Of the first column of R that is not finite, by each warp of the item.
  BATCHWORK_INLINE std::int32_t status(Here const& here) const {
    int most = 0;
    BATCHWORK_KEEP_LOOP
    for (int j = here.in_warp; j < p.n; j += lanes_of_warp) {
      T zero = T(0);
      BATCHWORK_KEEP_LOOP
      for (int i = 0; i <= j && i < p.m; ++i)
        zero += row_of_r(here.numbers, i, j / 4)[j % 4] * here.numbers[to_unscale + j] * T(0);
      if (zero != T(0) && most == 0) most = rows - j;
    }
    most = Vendor::reduce_max<lanes_of_warp>(most);
    return Status::code(Reason::not_finite, rows - most + 1);
  }
  BATCHWORK_INLINE void store_nan(Here const& here) const {
    T* const to = item_of(p.r.storage, here.first + here.item);
    int const least = p.m < p.n ? p.m : p.n;
    BATCHWORK_KEEP_LOOP
    for (int k = here.lane; k < least * p.n; k += count)
      to[k / p.n * p.r.storage.row + k % p.n * p.r.storage.col] =
          std::numeric_limits<T>::quiet_NaN();
  }
};

/// Launches the kernel of this extent. \returns whether a device has room for it
template <class Exec, class T>
bool launch_qr_of_tiles(Exec const& exec, Call const& call, QrOfItems<T> const& f, int extent) {
  if constexpr (Vendor::has_shuffles)
    return with_extent<48, 64, 80, 96>(extent, [&]<int N>(KnownExtent<N>) {
      if constexpr (qr_extent_of_tiles<T>(N) != N) {
        return false;
      } else {
        DeviceLimits const limits = Vendor::device_limits(exec);
        QrOfTiles<T, N / 8> const kernel(f, limits);
        if (!kernel.fits(limits)) return false;
        // With the bounds for fewer teams where a multiprocessor has too little scratch for all:
        // Kokkos would refuse the launch.
        launch_kernel_that_fits(exec, kernel_label(call.verb, call.label), kernel,
                                [&] { return matrices_do_not_fit(call, "use fewer items"); });
        return true;
      }
    });
  else return false;
}

}  // namespace Batchwork::Impl

#endif
