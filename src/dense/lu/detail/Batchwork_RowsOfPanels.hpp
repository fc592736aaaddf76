// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// RowsOfPanels: RowsInMemory by EliminationPanels.
#ifndef BATCHWORK_ROWSOFPANELS_HPP
#define BATCHWORK_ROWSOFPANELS_HPP

#include <cstdint>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/lu/detail/Batchwork_EliminationPanels.hpp"
#include "dense/lu/detail/Batchwork_LuSolutions.hpp"
#include "dense/lu/detail/Batchwork_RowsInMemory.hpp"

namespace Batchwork::Impl {

/// `leading` is a multiple of four. Substitution takes eight pivots between two waits: a warp
/// solves for them, a lane has a right-hand side, and then lanes have rows.
template <class T, class Lanes>
struct RowsOfPanels : RowsInMemory<T, Lanes> {
  using Base = RowsInMemory<T, Lanes>;
  using Base::lanes, Base::n, Base::leading, Base::a, Base::place, Base::order, Base::entry;
  using Panels = EliminationPanels<T, false>;
  static constexpr int width = Panels::width;
  static_assert(most_lu_columns <= lanes_of_warp);

  /// \param shown  Panels::bytes_to_show
  BATCHWORK_INLINE std::int32_t eliminate(char* shown) const {
    Panels{a, leading, 4, n, nullptr, nullptr, place, order, shown}.eliminate(
        lanes.member, lanes.rank, lanes.count);
    lanes.sync();
    return this->status();
  }

  /// See RowsInMemory::substitute.
  BATCHWORK_INLINE void substitute(T* x, int columns) const {
    auto const eight = [&]<bool Lower>(std::bool_constant<Lower>, int k0) {
      lanes.sync();
      if (lanes.rank < lanes_of_warp) solve<Lower>(x, columns, k0);
      lanes.sync();
      lanes.for_each(n, [&](int i) {
        if (Lower ? place[i] >= k0 + width : place[i] < k0) take_off(x, columns, k0, i);
      });
    };
    BATCHWORK_KEEP_LOOP
    for (int k0 = 0; k0 < n; k0 += width) eight(std::true_type(), k0);
    BATCHWORK_KEEP_LOOP
    for (int k0 = (n - 1) / width * width; k0 >= 0; k0 -= width) eight(std::false_type(), k0);
    lanes.sync();
  }
  BATCHWORK_INLINE T solution(T const* x, int columns, int k, int c) const {
    return x[order[k] * columns + c];
  }

 private:
  template <bool Lower>
  BATCHWORK_INLINE void solve(T* x, int columns, int k0) const {
    PivotReciprocal<T> mine{};
    if constexpr (!Lower) {
      int const k = k0 + lanes.rank % width;
      if (k < n) mine = PivotReciprocal<T>(entry(order[k], k));
    }
    int const c = lanes.rank < columns ? lanes.rank : 0;
    T y[width];
    BATCHWORK_UNROLL
    for (int m = 0; m < width; ++m) y[m] = k0 + m < n ? x[order[k0 + m] * columns + c] : T(0);
    BATCHWORK_UNROLL
    for (int step = 0; step < width; ++step) {
      int const m = Lower ? step : width - 1 - step;
      if constexpr (!Lower) {
        PivotReciprocal<T> r;
        r.scale = Vendor::shuffle<lanes_of_warp>(mine.scale, m);
        r.inverse = Vendor::shuffle<lanes_of_warp>(mine.inverse, m);
        y[m] = r * y[m];
      }
      if (k0 + m >= n) continue;
      BATCHWORK_UNROLL
      for (int q = 0; q < width; ++q)
        if ((Lower ? q > m : q < m) && k0 + q < n) y[q] -= entry(order[k0 + q], k0 + m) * y[m];
    }
    // All have read what is written.
    Vendor::warp_sync();
    if (lanes.rank >= columns) return;
    BATCHWORK_UNROLL
    for (int m = 0; m < width; ++m)
      if (k0 + m < n) x[order[k0 + m] * columns + c] = y[m];
  }
  /// What eight pivots are responsible for, off row i.
  BATCHWORK_INLINE void take_off(T* x, int columns, int k0, int i) const {
    T l[width];
    BATCHWORK_UNROLL
    for (int q = 0; q < width; ++q) l[q] = k0 + q < n ? entry(i, k0 + q) : T(0);
    for (int c = 0; c < columns; ++c) {
      T y = x[i * columns + c];
      BATCHWORK_UNROLL
      for (int q = 0; q < width; ++q)
        if (k0 + q < n) y -= l[q] * x[order[k0 + q] * columns + c];
      x[i * columns + c] = y;
    }
  }
};

}  // namespace Batchwork::Impl

#endif
