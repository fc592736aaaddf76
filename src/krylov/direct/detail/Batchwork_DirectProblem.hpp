// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectProblem: what a direct solve has to compute, as pointers and strides; and how lanes walk
/// over the entries of an item.
#ifndef BATCHWORK_DIRECTPROBLEM_HPP
#define BATCHWORK_DIRECTPROBLEM_HPP

#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "krylov/base/Batchwork_SolveLog.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/formats/detail/Batchwork_Systems.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// What a kernel of direct solves does: eliminate and solve, or eliminate and keep the factors, or
/// solve with factors that were kept.
enum class DirectTask { whole, factorise, substitute };

/// x, rows x columns, with a x = b for every item.
template <class T>
struct DirectProblem {
  AnySystems<T> a{};
  Storage<T const> b{};
  Storage<T> x{};
  LogPointers<T> log{};
  T *growth = nullptr, *condition = nullptr;  ///< reciprocals of each item, if wanted
  WorkspaceSlots<T>
      kept{};  ///< factors that are kept, a slot for each item, or for each pack of items
  std::int64_t items = 0;
  int n = 0, columns = 0;
  int contiguous_numbers = 0;           ///< of a matrix, where they stand side by side, else 0
  std::int64_t compressed_entries = 0;  ///< entries of the pattern of compressed rows, else 0
  int row_lanes_of_warp = 1;            ///< row_lanes where a warp has an item
  int row_lanes = 1;  ///< lanes that have a row of the pattern together, a power of two
  T tolerance = T(0);
  RelativeTo relative_to = RelativeTo::right_side;
  int refinements = 0;
  bool equilibrates = true;
  bool only_marked = false;  ///< items that an elimination by pattern has left

  /// The compressed rows of the pattern, or none.
  BATCHWORK_INLINE CsrLayout compressed_rows() const {
    CsrLayout found;
    a.with_format([&]<class Format>(Format const& of) {
      if constexpr (std::is_same_v<Format, CsrLayout>) found = of;
    });
    return found;
  }
  /// Of an item, the numbers of that pattern: its offsets need not begin at zero.
  BATCHWORK_INLINE T const* compressed_numbers(T const* numbers) const {
    return numbers + compressed_rows().offsets(0) * a.values.row;
  }
  /// Asks memory for the numbers of an item ahead, by `count` lanes, if they stand side by side.
  BATCHWORK_INLINE void prefetch(T const* numbers, int rank, int count) const {
    constexpr int of_line = 128 / int(sizeof(T));
    for (int k = of_line * rank; k < contiguous_numbers; k += of_line * count)
      Vendor::prefetch(numbers + k);
  }
  /// Whether the same number of neighbouring items is nearer in memory than the next one of an
  /// item.
  bool numbers_are_near() const {
    return a.values.data != nullptr && items_are_near(a.values, n, a.values.col == 0 ? 1 : n);
  }
  /// Items behind the last one compute what that does, and store nothing.
  BATCHWORK_INLINE std::int64_t some_item(std::int64_t item) const {
    return item < items ? item : items - 1;
  }
  /// An item that is left to another kernel has this NaN, which nothing computes, as the first
  /// number of x.
  BATCHWORK_INLINE void mark(std::int64_t item) const { *item_of(x, item) = mark_of_item(); }
  BATCHWORK_INLINE bool takes(std::int64_t item) const {
    return !only_marked || bits(*item_of(x, item)) == bits(mark_of_item());
  }
  /// Lanes of a device for a row: with the fewest steps for all rows, counting the steps of sums,
  /// and that memory serves the rows of a warp one by one.
  static int lanes_of_a_row(std::int64_t rows, std::int64_t nonzeros) {
    return cheapest_lanes(rows, nonzeros,
                          [](std::int64_t width, std::int64_t lanes, std::int64_t rounds) {
                            std::int64_t const rows_at_once = lanes_of_warp / lanes;
                            return (3 + rows_at_once) * ((width + lanes - 1) / lanes) + 4 * rounds;
                          });
  }
  /// The same for a warp alone, where the instructions are what costs: of eight entries that a lane
  /// asks for at once, there or not, and of a row (counted on an H100).
  static int lanes_of_a_row_of_warp(std::int64_t rows, std::int64_t nonzeros) {
    return cheapest_lanes(rows, nonzeros,
                          [](std::int64_t width, std::int64_t lanes, std::int64_t rounds) {
                            return (width + 8 * lanes - 1) / (8 * lanes) * 144 + 60 + 6 * rounds;
                          });
  }

 private:
  /// cost(width of a row, lanes, rounds of adding up) of as many rows as a warp has at once.
  template <class Cost>
  static int cheapest_lanes(std::int64_t rows, std::int64_t nonzeros, Cost const& cost) {
    if (!Vendor::has_shuffles) return 1;
    std::int64_t const width = rows == 0 ? 1 : (nonzeros + rows - 1) / rows;
    int best = 1;
    std::int64_t least = 0;
    for (int lanes = 2, rounds = 1; lanes <= lanes_of_warp; lanes *= 2, ++rounds) {
      std::int64_t const at_once = lanes_of_warp / lanes;
      std::int64_t const all = (rows + at_once - 1) / at_once * cost(width, lanes, rounds);
      if (best == 1 || all < least) best = lanes, least = all;
    }
    return best;
  }
  static BATCHWORK_INLINE T mark_of_item() {
    return from_bits<T>(sizeof(T) == 8 ? integer_of_t<T>(0x7ff8ba7c00000001)
                                       : integer_of_t<T>(0x7fc0ba7c));
  }
};

/// The entries of an item by `count` lanes; row_lanes neighbours share a row.
template <class T>
struct EntriesOfLanes {
  AnySystems<T> const& a;
  T const* numbers;  ///< of the item
  int n, rank, count, row_lanes;

  /// An entry of a row; if none is there, column and number of another one.
  struct Entry {
    bool there;
    int column;
    int before;  ///< column of the entry before, or -1
    T number;

    /// 0 for a column beyond the rows.
    BATCHWORK_INLINE int column_below(int rows) const {
      return unsigned(column) < unsigned(rows) ? column : 0;
    }
  };
  /// Runs begin() for each row that is dealt to the lane, then entry(row, Entry) for the lane's
  /// entries of it, and end(row, number of entries): all lanes as often, of rows beyond the last
  /// one with no entries. On devices what some entries ask of memory is asked at once, and of the
  /// next row ahead. Numbers, Before: whether those are wanted.
  template <bool Numbers, bool Before, class Begin, class Body, class End>
  BATCHWORK_INLINE void for_rows(Begin const& begin, Body const& entry, End const& end) const {
    if constexpr (Vendor::has_shuffles) {
      bool done = false;
      a.with_format([&]<class Format>(Format const& of) {
        if constexpr (std::is_same_v<Format, CsrLayout>) {
          done = a.values.row == 1;
          if (done) for_rows_side_by_side<Numbers, Before>(of, begin, entry, end);
        }
      });
      if (done) return;
    }
    int const own = rank % row_lanes, step = count / row_lanes;
    auto const row_of = [&](int i) { return i < n ? a.row(numbers, i) : AnyRow<T>(); };
    AnyRow<T> next = row_of(rank / row_lanes);
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < n; i0 += step) {
      int const i = i0 + rank / row_lanes;
      AnyRow<T> const row = next;
      next = row_of(i + step);
      begin();
      if (row.is_scaled_unit) {
        if (own == 0 && row.count > 0) entry(i, Entry{true, row.first, -1, row.scale});
      } else if (row.columns == nullptr) {
        for_entries<Numbers, false, false>(row, own, [&](Entry const& e) { entry(i, e); });
      } else {
        for_entries<Numbers, Before, true>(row, own, [&](Entry const& e) { entry(i, e); });
      }
      end(i, row.count);
    }
  }

 private:
  static constexpr int at_once = Vendor::has_shuffles ? 8 : 1;

  /// The same for compressed rows with numbers side by side: the bounds of the next row are
  /// asked for behind the entries of one, and waited for with them.
  template <bool Numbers, bool Before, class Begin, class Body, class End>
  BATCHWORK_INLINE void for_rows_side_by_side(CsrLayout const& of, Begin const& begin,
                                              Body const& entry, End const& end) const {
    // Of a power of two. Renewed, so that nothing of it is kept while registers are scarce.
    int const lanes = Vendor::renewed(row_lanes), shift = Vendor::countr_zero(unsigned(lanes));
    int const own = rank & (lanes - 1), step = count >> shift;
    std::int32_t next[2];
    auto const ask = [&](int i) {
      int const some = i < n ? i : n - 1;
      next[0] = Vendor::load_ahead(of.offsets.lower(some));
      next[1] = Vendor::load_ahead(of.offsets.lower(some + 1));
    };
    ask(rank >> shift);
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < n; i0 += step) {
      int const i = i0 + (rank >> shift), first = next[0], entries = i < n ? next[1] - next[0] : 0;
      begin();
      int k = own;
      BATCHWORK_KEEP_LOOP
      for (bool is_first = true;; is_first = false) {
        Entry some[at_once] = {};
        if (k < entries) {
          // What is not there is the last one once more: no branch stands between two loads.
          BATCHWORK_UNROLL
          for (int q = 0; q < at_once; ++q) {
            Entry& e = some[q];
            int const at = k + q * lanes, last = entries - 1,
                      index = first + (at < last ? at : last);
            e.there = at <= last;
            e.column = Vendor::load_ahead(of.columns + index);
            if constexpr (Before)
              e.before = Vendor::load_ahead(of.columns + (index > 0 ? index - 1 : 0));
            e.number = Numbers ? Vendor::load_ahead(numbers + index) : T(0);
          }
          if (Before && k == 0) some[0].before = -1;
        }
        if (is_first) ask(i + step);
        if (k >= entries) break;
        Vendor::begin_waiting();
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q) entry(i, some[q]);
        k += at_once * lanes;
      }
      end(i, entries);
    }
  }
  template <bool Numbers, bool Before, bool Columns, class Body>
  BATCHWORK_INLINE void for_entries(AnyRow<T> const& row, int own, Body const& body) const {
    BATCHWORK_KEEP_LOOP
    for (int k = own; k < row.count; k += at_once * row_lanes) {
      Entry some[at_once];
      load<Numbers, Before, Columns>(row, k, some);
      Vendor::begin_waiting();
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q) body(some[q]);
    }
  }
  /// Entries k0, k0 + row_lanes, and so on: all are asked for before one is waited for. What is not
  /// there is read elsewhere rather than not at all: no branch stands between two loads.
  template <bool Numbers, bool Before, bool Columns>
  BATCHWORK_INLINE void load(AnyRow<T> const& row, int k0, Entry (&some)[at_once]) const {
    BATCHWORK_UNROLL
    for (int q = 0; q < at_once; ++q) {
      Entry& e = some[q];
      int const k = k0 + q * row_lanes;
      e.there = k < row.count;
      int const at = e.there ? k : k0;
      e.before = -1;
      e.column = at;
      if constexpr (Columns) {
        std::int32_t const* const column = row.columns + at * row.column_step;
        e.column = row.first + Vendor::load_ahead(column);
        if constexpr (Before) {
          e.before = row.first + Vendor::load_ahead(at == 0 ? column : column - row.column_step);
          e.before = at == 0 ? -1 : e.before;
        }
      }
      e.number = Numbers ? Vendor::load_ahead(row.numbers + at * row.step) : T(0);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
