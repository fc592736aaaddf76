// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// RowsInMemory: a matrix in a team's scratch, in a thread's buffer or in a workspace, of an extent
/// known at run time, whose rows are dealt out to the lanes of an item, as an elimination changes
/// it; and the solution of systems with its factors.
#ifndef BATCHWORK_ROWSINMEMORY_HPP
#define BATCHWORK_ROWSINMEMORY_HPP

#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"

namespace Batchwork::Impl {

/// What lanes of an item tell each other in a search: numbers for two turns.
constexpr int numbers_to_combine(int count) {
  return 2 * (Vendor::has_shuffles ? (count + lanes_of_warp - 1) / lanes_of_warp : count);
}
/// What the lanes give, combined two by two in any order; what they wrote before is seen by all
/// behind it. Behind a call with as even or odd a turn they wait first. `Lanes` is a SystemLanes or
/// the LoneLane of a host's thread.
/// \param found  numbers_to_combine(lanes.count) that all see; null for a lone lane
template <class Lanes, class Combine>
BATCHWORK_INLINE std::int64_t combine_over_lanes([[maybe_unused]] Lanes const& lanes,
                                                 [[maybe_unused]] std::int64_t* found,
                                                 std::int64_t x, [[maybe_unused]] int turn,
                                                 [[maybe_unused]] Combine const& combine) {
  if constexpr (!std::is_base_of_v<LoneLane, Lanes>) {
    int const count = lanes.count;
    if constexpr (Vendor::has_shuffles) {
      for (int step = 1; step < count && step < lanes_of_warp; step *= 2)
        x = combine(x, Vendor::shuffle_xor(x, step));
      if (count <= lanes_of_warp) {
        lanes.sync();
        return x;
      }
    }
    int const parts = numbers_to_combine(count) / 2;
    std::int64_t* const shared = found + turn % 2 * parts;
    if constexpr (Vendor::has_shuffles) {
      if (lanes.rank % lanes_of_warp == 0) shared[lanes.rank / lanes_of_warp] = x;
    } else {
      shared[lanes.rank] = x;
    }
    lanes.sync();
    x = shared[0];
    for (int q = 1; q < parts; ++q) x = combine(x, shared[q]);
  }
  return x;
}

/// See EliminatedRows. Rows stay where they are: row i goes to place[i], and row order[k] is in
/// place k. `Lanes` is a SystemLanes or the LoneLane of a host's thread. `ByColumns`: the numbers
/// of a column are neighbours in memory, so that lanes read contiguous numbers.
template <class T, class Lanes, bool ByColumns = false>
struct RowsInMemory {
  using value_type = T;
  static constexpr bool alone = std::is_base_of_v<LoneLane, Lanes>;

  Lanes const& lanes;
  int n, leading;
  T* a;  ///< entry (i, j) at [i * leading + j], or by columns at [j * leading + i]
  std::int16_t *place, *order;  ///< n each
  std::int64_t* found;          ///< found_numbers(lanes.count); null for a lone lane
  int row = 0;                  ///< that of the pivot
  PivotReciprocal<T> divisor{};

  static constexpr int found_numbers(int count) { return numbers_to_combine(count); }
  BATCHWORK_INLINE int extent() const { return n; }
  BATCHWORK_INLINE T& entry(int i, int j) const {
    return a[ByColumns ? j * leading + i : i * leading + j];
  }

  BATCHWORK_INLINE void begin() const {
    lanes.for_each(n, [&](int i) { place[i] = -1; });
  }

  BATCHWORK_INLINE void choose_pivot(int k) {
    std::int64_t best = -1;
    if constexpr (alone) {
      for (int i = 0; i < n; ++i) {
        std::int64_t const mine = place[i] >= 0 ? -1 : std::int64_t(size_key(entry(i, k)));
        if (mine > best) best = mine, row = i;
      }
    } else {
      lanes.for_each(n, [&](int i) {
        if (place[i] >= 0) return;
        // Of equal ones the first.
        std::int64_t const mine = std::int64_t(pivot_key(entry(i, k))) << 32 | std::int64_t(n - i);
        best = mine > best ? mine : best;
      });
      row = n - int(largest(best, k) & 0xffffffff);
    }
    lanes.for_each(n, [&](int i) {
      if (i == row) place[i] = std::int16_t(k);
    });
    if (lanes.rank == 0) order[k] = std::int16_t(row);
    divisor = pivot_divisor(entry(row, k));
  }

  BATCHWORK_INLINE void subtract(int k) const {
    T const* const pivot = a + row * (ByColumns ? 1 : leading);
    lanes.for_each(n, [&](int i) {
      if (place[i] >= 0) return;
      T* const mine = a + i * (ByColumns ? 1 : leading);
      T const l = divisor * entry(i, k);
      entry(i, k) = l;
      if constexpr (ByColumns) {
        // Memory is far away: some columns are asked for at once.
        constexpr int some = 8;
        int j = k + 1;
        for (; j + some <= n; j += some) {
          T x[some];
          BATCHWORK_UNROLL_ON_DEVICE
          for (int q = 0; q < some; ++q)
            x[q] = mine[(j + q) * leading] - l * pivot[(j + q) * leading];
          BATCHWORK_UNROLL_ON_DEVICE
          for (int q = 0; q < some; ++q) mine[(j + q) * leading] = x[q];
        }
        for (; j < n; ++j) mine[j * leading] -= l * pivot[j * leading];
      } else {
        for (int j = k + 1; j < n; ++j) mine[j] -= l * pivot[j];
      }
    });
  }
  BATCHWORK_INLINE void finish() const { lanes.sync(); }

  BATCHWORK_INLINE std::int32_t status() const {
    std::int64_t first = 0;
    lanes.for_each(n, [&](int k) {
      std::int32_t const code = pivot_status(entry(order[k], k), k);
      std::int64_t const mine = code == 0 ? 0 : std::int64_t(n - k) << 32 | std::int64_t(code);
      first = mine > first ? mine : first;
    });
    return std::int32_t(largest(first, n) & 0xffffffff);
  }

  /// L U x = P b for some columns: b(i, c) is at x[i * columns + c]. Afterwards x(k, c) is
  /// solution(x, columns, k, c).
  BATCHWORK_INLINE void substitute(T* x, int columns) const {
    // L y = P b
    for (int k = 0; k + 1 < n; ++k) {
      lanes.sync();
      T const* const known = x + order[k] * columns;
      lanes.for_each(n, [&](int i) {
        if (place[i] <= k) return;
        T const l = entry(i, k);
        for (int c = 0; c < columns; ++c) x[i * columns + c] -= l * known[c];
      });
    }
    // U x = y
    for (int k = n - 1; k > 0; --k) {
      lanes.sync();
      T const* const known = x + order[k] * columns;
      PivotReciprocal<T> const inverse(entry(order[k], k));
      lanes.for_each(n, [&](int i) {
        if (place[i] >= k) return;
        T const u = entry(i, k);
        for (int c = 0; c < columns; ++c) x[i * columns + c] -= u * (inverse * known[c]);
      });
    }
    lanes.sync();
  }
  BATCHWORK_INLINE T solution(T const* x, int columns, int k, int c) const {
    return PivotReciprocal<T>(entry(order[k], k)) * x[order[k] * columns + c];
  }

  /// All lanes find it.
  BATCHWORK_INLINE ScaledProduct<T> determinant() const {
    // The order is odd if the number of pairs in another order than their rows is odd.
    std::int64_t inversions = 0;
    lanes.for_each(n, [&](int k) {
      for (int j = 0; j < k; ++j) inversions += order[j] > order[k] ? 1 : 0;
    });
    bool const odd = (combined(inversions, n + 1, [](auto x, auto y) { return x ^ y; }) & 1) != 0;
    ScaledProduct<T> r(T(odd ? -1 : 1));
    for (int k = 0; k < n; ++k) {
      r.multiply(entry(order[k], k));
      if (k % r.between == r.between - 1) r.normalise();
    }
    return r;
  }

  /// Whether x holds in all lanes.
  BATCHWORK_INLINE bool holds_for_all(bool x) const { return largest(x ? 0 : 1, n + 1) == 0; }
  /// The largest of what the lanes give. Behind a call with as even or odd a turn they wait first.
  BATCHWORK_INLINE std::int64_t largest(std::int64_t x, int turn) const {
    return combined(x, turn, [](auto y, auto z) { return z > y ? z : y; });
  }

 private:
  template <class Combine>
  BATCHWORK_INLINE std::int64_t combined(std::int64_t x, int turn, Combine const& combine) const {
    return combine_over_lanes(lanes, found, x, turn, combine);
  }
};

}  // namespace Batchwork::Impl

#endif
