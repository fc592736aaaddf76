// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectItem: the interface of an item for DirectSteps. Its lanes are the lanes of a team, or a
/// host's thread alone, wherever its factors are.
#ifndef BATCHWORK_DIRECTITEM_HPP
#define BATCHWORK_DIRECTITEM_HPP

#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "dense/lu/detail/Batchwork_RowsInMemory.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"

namespace Batchwork::Impl {

/// `Lanes` is SummingLanes or LoneSums.
template <class T, class Lanes>
struct DirectItem {
  static constexpr bool alone = std::is_base_of_v<LoneLane, Lanes>;

  DirectProblem<T> const& p;
  Lanes& lanes;
  std::int64_t* found;  ///< see RowsInMemory; null for a lone lane
  T const* numbers;     ///< of the matrix
  T *b, *x, *r, *t;     ///< see DirectSteps
  T *l, *c;             ///< factors of rows and of columns

  /// With its vectors one after the other.
  static BATCHWORK_INLINE DirectItem of(DirectProblem<T> const& p, Lanes& lanes,
                                        std::int64_t* found, std::int64_t item, T* first) {
    int const n = p.n;
    return {p,         lanes,         found,         p.a.numbers(item), first,
            first + n, first + 2 * n, first + 3 * n, first + 4 * n,     first + 5 * n};
  }

  BATCHWORK_INLINE EntriesOfLanes<T> entries() const {
    return {p.a, numbers, p.n, lanes.rank, lanes.count, alone ? 1 : p.row_lanes};
  }
  template <class Body>
  BATCHWORK_INLINE void for_each(Body const& body) const {
    lanes.for_each(p.n, body);
  }
  BATCHWORK_INLINE void sync() const { lanes.sync(); }
  BATCHWORK_INLINE std::int64_t largest_of(std::int64_t key) const {
    lanes.sync();
    std::int64_t const most =
        combine_over_lanes(lanes, found, key, 0, [](auto y, auto z) { return z > y ? z : y; });
    lanes.sync();
    return most;
  }
  BATCHWORK_INLINE std::int32_t largest(std::int32_t key) const {
    return std::int32_t(largest_of(key));
  }
  template <int N>
  BATCHWORK_INLINE void sum(T (&sums)[N]) const {
    lanes.sum(sums);
  }
  BATCHWORK_INLINE bool any(bool holds) const { return largest_of(holds ? 1 : 0) != 0; }
  template <class Number>
  BATCHWORK_INLINE Number largest_number(Number mine) const {
    return from_bits<Number>(integer_of_t<Number>(largest_of(size_key(mine))));
  }
};

}  // namespace Batchwork::Impl

#endif
