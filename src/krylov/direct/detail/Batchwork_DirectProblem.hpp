// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectProblem: what a direct solve has to compute, as pointers and strides; and how lanes walk over the entries of an item.
#ifndef BATCHWORK_DIRECTPROBLEM_HPP
#define BATCHWORK_DIRECTPROBLEM_HPP

#include <cstdint>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"
#include "krylov/Batchwork_SolveLog.hpp"
#include "krylov/Batchwork_Stopping.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// x, rows x columns, with a x = b for every item.
template <class T>
struct DirectProblem {
  AnySystems<T> a{};
  Storage<T const> b{};
  Storage<T> x{};
  LogPointers<T> log{};
  T *growth = nullptr, *condition = nullptr;  ///< reciprocals of each item, if wanted
  std::int64_t items = 0;
  int n = 0, columns = 0;
  int row_lanes = 1;  ///< lanes that have a row of the pattern together, a power of two
  T tolerance = T(0);
  RelativeTo relative_to = RelativeTo::right_side;
  int refinements = 0;
  bool equilibrates = true;

  /// Items behind the last one compute what that does, and store nothing.
  BATCHWORK_INLINE std::int64_t some_item(std::int64_t item) const {
    return item < items ? item : items - 1;
  }
  /// Of a device's lanes: those that walk over the rows in the fewest steps, counting what it takes them to add up.
  static int lanes_of_a_row(std::int64_t rows, std::int64_t nonzeros) {
    if (!Vendor::has_shuffles) return 1;
    std::int64_t const width = rows == 0 ? 1 : (nonzeros + rows - 1) / rows;
    int best = 1;
    std::int64_t least = 0;
    for (int lanes = 2, rounds = 1; lanes <= lanes_of_warp; lanes *= 2, ++rounds) {
      std::int64_t const at_once = lanes_of_warp / lanes;
      std::int64_t const cost = (rows + at_once - 1) / at_once *
                                (3 * ((width + lanes - 1) / lanes) + 4 * std::int64_t(rounds));
      if (best == 1 || cost < least) best = lanes, least = cost;
    }
    return best;
  }
};

/// The entries of an item by `count` lanes, of which row_lanes neighbours have a row together.
template <class T>
struct EntriesOfLanes {
  AnySystems<T> const& a;
  T const* numbers;  ///< of the item
  int n, rank, count, row_lanes;

  /// Runs begin() for each row that is dealt to the lane, then entry(row, column, k) for the lane's entries k of it, and end(row, number
  /// of entries): all lanes as often, of rows beyond the last one with no entries.
  template <class Begin, class Entry, class End>
  BATCHWORK_INLINE void for_rows(Begin const& begin, Entry const& entry, End const& end) const {
    int const own = rank % row_lanes, step = count / row_lanes;
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < n; i0 += step) {
      int const i = i0 + rank / row_lanes;
      AnyRow<T> row;
      if (i < n) row = a.row(numbers, i);
      begin();
      BATCHWORK_UNROLL_SOME
      for (int k = own; k < row.count; k += row_lanes) entry(i, row, k);
      end(i, row.count);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
