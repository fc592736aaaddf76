// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Where a lane has its rows of a matrix while it solves: in registers, by columns or by entries;
/// or where the matrix is.
#ifndef BATCHWORK_MATRIXPLACEMENT_HPP
#define BATCHWORK_MATRIXPLACEMENT_HPP

#include <cstdint>
#include <type_traits>

#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "krylov/detail/backend/Batchwork_SystemTeam.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"

namespace Batchwork::Impl {

/// Each has product<Sum>(at, y, x), which sets y = A x, adding up the rows by Sum, and gives the
/// sum of the squares of the sizes of the rows that this lane has added up; zero for PlainSum.
/// compensated_product(at, x, put) runs put(r, sum, products) for the rows of the lane. Both are
/// called by all lanes of the system.

/// The product of a matrix that has sum_rows<Sum>(at, x, put), which runs put(r, sum) for the rows
/// of the lane.
template <class Sum, class Matrix, class At, class T, int R>
BATCHWORK_INLINE T product_of_rows(Matrix const& matrix, At& at, RowNumbers<T, R>& y,
                                   RowNumbers<T, R> const& x) {
  T sizes = T(0);
  matrix.template sum_rows<Sum>(at, x, [&](int r, Sum const& sum) {
    y.data[r] = sum.sum;
    sizes += sum.size_squared();
  });
  return sizes;
}

/// R full rows of K columns: nothing is indexed, and a number read from the exchange serves R rows.
template <class T, int R, int K>
struct ColumnsInRegisters {
  static constexpr bool has_entries = true;
  static constexpr bool skips_rows = false;
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr int registers = R * K * int(sizeof(T)) / 4;
  static constexpr int largest_team = 64;
  static constexpr int directions = R == 1 ? directions_in_registers : 0;
  static_assert(K % 8 == 0);
  T a[R][K];
  int columns = 0;
  bool valid = true;

  /// Takes the rows of the item with these numbers, and the diagonal. Columns must rise, see check;
  /// otherwise the matrix is not valid.
  BATCHWORK_INLINE void take(AnySystems<T> const& of, T const* numbers, int rank, int lanes,
                             RowNumbers<T, R>& diagonal) {
    columns = of.rows;
    of.visit(numbers, [&](auto const& rows) {
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        int const i = r * lanes + rank;
        auto const row = rows(i);
        T d = T(0);
        int k = 0;
        BATCHWORK_UNROLL
        for (int j = 0; j < K; ++j) {
          bool const has = k < row.count && j < of.rows && row.column(k) == j;
          T const v = has ? row.number(k) : T(0);
          a[r][j] = v;
          d = j == i ? v : d;
          k += has ? 1 : 0;
        }
        valid = valid && k == row.count;
        diagonal.data[r] = d;
      }
    });
  }
  template <class Sum, class At>
  BATCHWORK_INLINE T product(At& at, RowNumbers<T, R>& y, RowNumbers<T, R> const& x) const {
    return product_of_rows<Sum>(*this, at, y, x);
  }
  template <class At, class Put>
  BATCHWORK_INLINE void compensated_product(At& at, RowNumbers<T, R> const& x,
                                            Put const& put) const {
    sum_rows<CompensatedSum<T>>(at, x,
                                [&](int r, CompensatedSum<T>& sum) { put(r, sum, columns); });
  }
  template <class Sum, class At, class Put>
  BATCHWORK_INLINE void sum_rows(At& at, RowNumbers<T, R> const& x, Put const& put) const {
    T const* const published = at.publish(x);
    // Few rows: several sums at once, so that additions do not wait for each other.
    constexpr int parts = R >= 3 ? 1 : 2;
    Sum sums[R][parts];
    BATCHWORK_UNROLL
    for (int j0 = 0; j0 < K; j0 += 8) {
      if (j0 > 0 && j0 >= columns) continue;
      BATCHWORK_UNROLL
      for (int j = j0; j < j0 + 8; j += wide) {
        auto const w = *reinterpret_cast<Unit<T> const*>(published + j);
        BATCHWORK_UNROLL
        for (int c = 0; c < wide; ++c) {
          BATCHWORK_UNROLL
          for (int r = 0; r < R; ++r) sums[r][c % parts].add(a[r][j + c], w.v[c]);
        }
      }
    }
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      BATCHWORK_UNROLL
      for (int q = 1; q < parts; ++q) sums[r][0].add(sums[r][q]);
      put(r, sums[r][0]);
    }
  }
};

/// R rows of up to K entries with their columns; what is beyond them is read where it is. For rows
/// of many entries see LongRows.hpp.
template <class T, int R, int K>
struct EntriesInRegisters {
  static constexpr bool has_entries = true;
  static constexpr bool skips_rows = false;
  static constexpr int registers = R * K * int(sizeof(T)) / 4 + R * K;
  static constexpr int largest_team = 128;
  static constexpr int directions = K == 3 && R <= 4 ? directions_in_registers : 0;
  T a[R][K];
  unsigned places[R][K];  ///< of the columns in the exchange, in bytes
  AnySystems<T> const* of = nullptr;
  int width = 0;  ///< of the widest row
  bool valid = true;

  BATCHWORK_INLINE T read(T const* published, int r, int k) const {
    return *reinterpret_cast<T const*>(reinterpret_cast<char const*>(published) + places[r][k]);
  }
  /// Takes the rows of the item with these numbers, and the diagonal. All rows are read together:
  /// where they begin, then their columns, then their numbers.
  BATCHWORK_INLINE void take(AnySystems<T> const& from, T const* of_item, int rank, int lanes,
                             RowNumbers<T, R>& diagonal) {
    of = &from;
    from.visit(of_item, [&](auto const& rows) {
      decltype(rows(0)) row[R];
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        row[r] = rows(r * lanes + rank);
        width = row[r].count > width ? row[r].count : width;
        diagonal.data[r] = T(0);
      }
      int column[R][K];
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        int const i = r * lanes + rank;
        BATCHWORK_UNROLL
        for (int k = 0; k < K; ++k)
          // An empty slot is a zero times the row's own number.
          column[r][k] = k < row[r].count ? row[r].column(k) : i < from.rows ? i : 0;
      }
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        BATCHWORK_UNROLL
        for (int k = 0; k < K; ++k) a[r][k] = k < row[r].count ? row[r].number(k) : T(0);
      }
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        BATCHWORK_UNROLL
        for (int k = 0; k < K; ++k) {
          int const j = column[r][k];
          bool const inside = unsigned(j) < unsigned(from.rows);
          valid = valid && inside;
          if (k < row[r].count && j == r * lanes + rank) diagonal.data[r] += a[r][k];
          places[r][k] = inside ? unsigned(j) * unsigned(sizeof(T)) : 0u;
        }
      }
      if (width <= K) return;
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        BATCHWORK_KEEP_LOOP
        for (int k = K; k < row[r].count; ++k) {
          int const j = row[r].column(k);
          if (unsigned(j) >= unsigned(from.rows)) valid = false;
          else if (j == r * lanes + rank) diagonal.data[r] += row[r].number(k);
        }
      }
    });
  }
  template <class Sum, class At>
  BATCHWORK_INLINE T product(At& at, RowNumbers<T, R>& y, RowNumbers<T, R> const& x) const {
    return product_of_rows<Sum>(*this, at, y, x);
  }
  template <class At, class Put>
  BATCHWORK_INLINE void compensated_product(At& at, RowNumbers<T, R> const& x,
                                            Put const& put) const {
    sum_rows<CompensatedSum<T>>(
        at, x, [&](int r, CompensatedSum<T>& sum) { put(r, sum, width > K ? width : K); });
  }
  template <class Sum, class At, class Put>
  BATCHWORK_INLINE void sum_rows(At& at, RowNumbers<T, R> const& x, Put const& put) const {
    T const* const published = at.publish(x);
    Sum totals[R];
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      BATCHWORK_UNROLL
      for (int k = 0; k < K; ++k) totals[r].add(a[r][k], read(published, r, k));
    }
    if (width > K) {
      of->visit(of->numbers(Vendor::renewed(at.item.number)), [&](auto const& rows) {
        BATCHWORK_KEEP_LOOP
        for (int r = 0; r < R; ++r) {
          auto const row = rows(Vendor::renewed(at.row_of(r)));
          Sum sum;
          BATCHWORK_KEEP_LOOP
          for (int k = K; k < row.count; ++k) sum.add(row.number(k), published[row.column(k)]);
          BATCHWORK_UNROLL
          for (int q = 0; q < R; ++q)
            if (q == r) totals[q].add(sum);
        }
      });
    }
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) put(r, totals[r]);
  }
};

/// Rows of any length, read where they are, which is the cache once they have been read; up to R of
/// them a lane. Some neighbouring lanes share a row, so that they read neighbouring numbers.
/// AnyLanes: see takes_any_lanes.
template <class T, int R, bool AnyLanes = false>
struct ReadInPlace {
  static constexpr bool any_lanes = AnyLanes;
  static constexpr bool has_entries = true;
  static constexpr bool skips_rows = true;
  static constexpr int registers = 24;  ///< for addresses
  static constexpr int largest_team = largest_team_of_a_system;
  static constexpr int directions = 0;
  AnySystems<T> const* of = nullptr;
  T const* numbers = nullptr;
  int sharing = 1;  ///< lanes of a row, a power of two
  bool valid = true;

  BATCHWORK_INLINE void take(AnySystems<T> const& from, T const* of_item, int rank, int lanes,
                             RowNumbers<T, R>& diagonal) {
    of = &from;
    numbers = of_item;
    from.visit(of_item, [&](auto const& rows) {
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        int const i = r * lanes + rank;
        auto const row = rows(i);
        T d = T(0);
        BATCHWORK_UNROLL_SOME
        for (int k = 0; k < row.count; ++k) {
          int const j = row.column(k);
          if (unsigned(j) >= unsigned(from.rows)) valid = false;
          else if (j == i) d += row.number(k);
        }
        diagonal.data[r] = d;
      }
    });
  }
  template <class Sum, class At>
  BATCHWORK_INLINE T product(At& at, RowNumbers<T, R>& y, RowNumbers<T, R> const& x) const {
    T const* const published = at.publish(x);
    T* const results = at.second_exchange();
    int const at_once = at.lanes / sharing, first = at.rank / sharing, mine = at.rank % sharing;
    // Several rows at once: their numbers are loaded together.
    constexpr int together = 4;
    T sizes = T(0);
    of->visit(numbers, [&](auto const& rows) {
      // All lanes take as many turns, since they add up together.
      for (int i0 = 0; i0 < at.rows; i0 += together * at_once) {
        decltype(rows(0)) some[together];
        Sum sums[together];
        int longest = 0;
        BATCHWORK_UNROLL
        for (int q = 0; q < together; ++q) {
          some[q] = rows(i0 + q * at_once + first);
          longest = some[q].count > longest ? some[q].count : longest;
        }
        BATCHWORK_KEEP_LOOP
        for (int k = mine; k < longest; k += sharing) {
          BATCHWORK_UNROLL
          for (int q = 0; q < together; ++q)
            if (k < some[q].count) sums[q].add(some[q].number(k), published[some[q].column(k)]);
        }
        T s[together];
        BATCHWORK_UNROLL
        for (int q = 0; q < together; ++q) s[q] = sums[q].sum;
        if constexpr (Sum::has_bound) {
          // In a tree of five additions at most.
          T size[together];
          BATCHWORK_UNROLL
          for (int q = 0; q < together; ++q) size[q] = sums[q].size + 5 * Kokkos::abs(s[q]);
          if (sharing > 1) Vendor::reduce_sum(size, sharing);
          BATCHWORK_UNROLL
          for (int q = 0; q < together; ++q) sizes += mine == 0 ? size[q] * size[q] : T(0);
        }
        if (sharing > 1) Vendor::reduce_sum(s, sharing);
        BATCHWORK_UNROLL
        for (int q = 0; q < together; ++q) {
          int const i = i0 + q * at_once + first;
          if (mine == 0 && i < at.rows) results[i] = s[q];
        }
      }
    });
    at.sync();
    at.for_each([&](int r) {
      int const i = at.row_of(r);
      y.data[r] = i < at.rows ? results[i] : T(0);
    });
    return sizes;
  }
  /// A lane has its own rows here, one after the other: this is seldom done.
  template <class At, class Put>
  BATCHWORK_INLINE void compensated_product(At& at, RowNumbers<T, R> const& x,
                                            Put const& put) const {
    T const* const published = at.publish(x);
    of->visit(numbers, [&](auto const& rows) {
      BATCHWORK_KEEP_LOOP
      for (int k = 0; k < R; ++k) {
        auto const row = rows(Vendor::renewed(at.row_of(k)));
        CompensatedSum<T> sum;
        BATCHWORK_KEEP_LOOP
        for (int e = 0; e < row.count; ++e) sum.add(row.number(e), published[row.column(e)]);
        BATCHWORK_UNROLL
        for (int q = 0; q < R; ++q)
          if (q == k) put(q, sum, row.count);
      }
    });
  }
};

/// What a functor of matrix_free computes.
template <class T, int R, class F>
struct AppliedByFunctor {
  static constexpr bool has_entries = false;
  static constexpr bool skips_rows = true;
  static constexpr int registers = 24;  ///< for addresses
  static constexpr int largest_team = largest_team_of_a_system;
  static constexpr int directions = 0;
  F const* functor = nullptr;
  bool valid = true;

  template <class Sum, class At>
  BATCHWORK_INLINE T product(At& at, RowNumbers<T, R>& y, RowNumbers<T, R> const& x) const {
    static_assert(!Sum::has_bound, "of a functor's rounding nothing is known");
    T const* const published = at.publish(x);
    T* const results = at.second_exchange();
    (*functor)(
        SystemLanes<std::remove_cvref_t<decltype(at.member)>>{at.member, at.rank, at.lanes},
        at.item.number, [published](int j) { return published[j]; },
        [results](int i) -> T& { return results[i]; });
    at.sync();
    at.for_each([&](int r) {
      int const i = at.row_of(r);
      y.data[r] = i < at.rows ? results[i] : T(0);
    });
    return T(0);
  }
};

}  // namespace Batchwork::Impl

#endif
