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

  /// Entry k of a row.
  struct Entry {
    int k, column;
    int before;  ///< column of entry k - 1, or -1
    T number;
  };
  /// Runs begin() for each row that is dealt to the lane, then entry(row, its entries, Entry) for the lane's entries of it, and end(row,
  /// number of entries): all lanes as often, of rows beyond the last one with no entries. On devices what some entries ask of memory is
  /// asked at once, and of the next row ahead. Numbers, Before: whether those are wanted.
  template <bool Numbers, bool Before, class Begin, class Body, class End>
  BATCHWORK_INLINE void for_rows(Begin const& begin, Body const& entry, End const& end) const {
    constexpr int at_once = Vendor::has_shuffles ? 8 : 1;
    int const own = rank % row_lanes, step = count / row_lanes;
    auto const row_of = [&](int i) { return i < n ? a.row(numbers, i) : AnyRow<T>(); };
    AnyRow<T> next = row_of(rank / row_lanes);
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < n; i0 += step) {
      int const i = i0 + rank / row_lanes;
      AnyRow<T> const row = next;
      next = row_of(i + step);
      begin();
      BATCHWORK_KEEP_LOOP
      for (int k0 = own; k0 < row.count; k0 += at_once * row_lanes) {
        Entry some[at_once];
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q) {
          int const k = k0 + q * row_lanes;
          bool const there = k < row.count;
          some[q] = {k, there ? row.column(k) : -1,
                     Before && there && k > 0 ? row.column(k - 1) : -1,
                     Numbers && there ? row.number(k) : T(0)};
        }
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q)
          if (some[q].k < row.count) entry(i, row, some[q]);
      }
      end(i, row.count);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
