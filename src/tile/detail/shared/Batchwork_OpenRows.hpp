// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// OpenRows: a matrix whose rows are distributed over the lanes that share an item and are not
/// moved while pivots are chosen among the open rows.
#ifndef BATCHWORK_OPENROWS_HPP
#define BATCHWORK_OPENROWS_HPP

#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_LaneGrid.hpp"

namespace Batchwork::Impl {

/// N rows of N numbers; row m of a lane is row m L + lane. Lanes see the row of a pivot through an
/// exchange `Ex`, in which they need four lines.
template <class T, int L, int N, class Ex>
struct OpenRows {
  static constexpr int mine = (N + L - 1) / L, deep = Ex::per_unit;
  static_assert(N >= 4 && Ex::lines >= 4);

  LaneGrid grid;
  T own[mine][N];
  /// The place of the pivot of a row; for an open row the mask of the bits of its size. So a row
  /// with a place, or outside the matrix, compares as smaller than any open row in one instruction.
  std::int32_t place[mine];
  std::int32_t failure;

  /// For a matrix of the first n rows and columns. The other rows are never chosen, and their
  /// contents are not used.
  BATCHWORK_INLINE OpenRows(LaneGrid const& of, int n) : grid(of) { open_rows(n); }
  BATCHWORK_INLINE void open_rows(int n) {
    failure = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) place[m] = row(m) < n ? open : taken(row(m));
  }
  BATCHWORK_INLINE int row(int m) const { return m * L + grid.lane; }
  BATCHWORK_INLINE bool is_open(int m) const { return place[m] >= 0; }
  BATCHWORK_INLINE bool is_in_place(int m, int k) const { return place[m] == taken(k); }
  BATCHWORK_INLINE int place_of(int m) const { return place[m] & open; }

  BATCHWORK_INLINE T* line(int i) const { return grid.template numbers<T>() + i * Ex::leading; }
  /// The place where the row of pivot k is shown; two are used alternately: one wait for each step.
  BATCHWORK_INLINE T* shown(int k) const { return line(k % 2); }
  /// The divisor by pivot k, kept to the end.
  BATCHWORK_INLINE T* divisor_place(int k) const {
    // Pairs, in two lines whether N is even or odd.
    constexpr int of_line = (N + 1) / 2 * 2;
    static_assert(of_line <= Ex::leading);
    return line(2 + 2 * k / of_line) + 2 * k % of_line;
  }
  BATCHWORK_INLINE PivotReciprocal<T> divisor(int k) const {
    T both[2];
    read_together(both, divisor_place(k));
    PivotReciprocal<T> d;
    d.scale = both[0], d.inverse = both[1];
    return d;
  }

  /// Chooses the largest number of column k in the open rows as the pivot (to 2^-15: sizes have 20
  /// bits, see pivot_key, and lane numbers take up to five of them). The row of the pivot is shown
  /// from column `first` on and is no longer open. Afterwards show(m, its place in the exchange) is
  /// called for row m of its lane.
  template <class Show>
  BATCHWORK_INLINE void choose_pivot(int k, int first, Show const& show) {
    std::int32_t largest = key(0, k);
    int which = 0;
    T pivot = own[0][k];
    BATCHWORK_UNROLL
    for (int m = 1; m < mine; ++m) {
      std::int32_t const other = key(m, k);
      bool const larger = other > largest;
      largest = larger ? other : largest;
      which = larger ? m : which;
      pivot = larger ? own[m][k] : pivot;
    }
    // Every lane divides by its own pivot, without waiting for the search.
    PivotReciprocal<T> const d = pivot_divisor(pivot, largest);
    std::int32_t const of_lane = key_of_lane(largest);
    if (grid.template largest<L>(of_lane) == of_lane) {
      bool const infinite = largest >= pivot_key(std::numeric_limits<T>::infinity());
      if ((largest == 0 || infinite) && failure == 0) failure = (N - k) * 2 + (infinite ? 0 : 1);
      T const both[2] = {d.scale, d.inverse};
      write_together(divisor_place(k), both);
      T* const to = shown(k);
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        if (m != which) continue;
        place[m] = taken(k);
        BATCHWORK_UNROLL
        for (int j0 = 0; j0 < N; j0 += deep) {
          if (j0 + deep <= first) continue;
          Unit<T> u;
          BATCHWORK_UNROLL
          for (int e = 0; e < deep; ++e) u.v[e] = j0 + e < N ? own[m][j0 + e] : T(0);
          *reinterpret_cast<Unit<T>*>(to + j0) = u;
        }
        show(m, to);
      }
    }
    grid.sync();
  }
  /// Subtracts multiple[m] of the shown row from row m, from column `first` on, except for column
  /// k.
  BATCHWORK_INLINE void subtract(int k, int first, T const (&multiple)[mine]) {
    T const* const from = shown(k);
    BATCHWORK_UNROLL
    for (int j0 = 0; j0 < N; j0 += deep) {
      if (j0 + deep <= first) continue;
      Unit<T> const u = *reinterpret_cast<Unit<T> const*>(from + j0);
      BATCHWORK_UNROLL
      for (int e = 0; e < deep; ++e) {
        if (j0 + e < first || j0 + e == k || j0 + e >= N) continue;
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) own[m][j0 + e] -= multiple[m] * u.v[e];
      }
    }
  }
  /// 0, or the status of the first pivot that is zero or not finite.
  BATCHWORK_INLINE std::int32_t status() const {
    std::int32_t const first = grid.template largest<L>(failure);
    return first == 0 ? 0
                      : Status::code(first % 2 == 1 ? Reason::singular : Reason::not_finite,
                                     N - first / 2 + 1);
  }

 private:
  static constexpr std::int32_t open = std::numeric_limits<std::int32_t>::max();
  static BATCHWORK_INLINE std::int32_t taken(int k) { return k | ~open; }
  BATCHWORK_INLINE std::int32_t key(int m, int k) const {
    return (pivot_key(own[m][k]) & place[m] & open) | (place[m] & ~open);
  }
  /// Puts the lane number into the last bits: one search finds a size and its lane. A nonzero
  /// number stays larger than zero.
  BATCHWORK_INLINE std::int32_t key_of_lane(std::int32_t key) const {
    std::int32_t const most = open - (L - 1);
    return (((key < most ? key : most) + (L - 1)) & ~(L - 1)) | (L - 1 - grid.lane);
  }
};

}  // namespace Batchwork::Impl

#endif
