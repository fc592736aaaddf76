// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ColumnsSplit: whole rows on the chip, the first columns in registers and the others in team scratch, so that a multiprocessor
/// has registers for more systems.
#ifndef BATCHWORK_COLUMNSSPLIT_HPP
#define BATCHWORK_COLUMNSSPLIT_HPP

#include <cstdint>

#include "krylov/detail/Batchwork_SolveBudget.hpp"
#include "krylov/detail/backend/Batchwork_MatrixPlacement.hpp"
#include "krylov/detail/backend/Batchwork_SystemTeam.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"

namespace Batchwork::Impl {

/// R rows of which K columns are in registers. The others are in scratch, 16 bytes of a row beside those of the next one: lanes
/// read neighbours, and only what they have written themselves, so that nobody waits.
template <class T, int R, int K>
struct ColumnsSplit {
  static constexpr bool has_entries = true;
  static constexpr bool skips_rows = false;
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr int registers = R * K * int(sizeof(T)) / 4;
  static constexpr int largest_team = lanes_of_small_solves;
  static constexpr int most_teams = teams_of_split_columns;
  static constexpr int directions = 0;
  static_assert(K == SplitColumns::in_registers && K % wide == 0 &&
                SplitColumns::together % wide == 0);
  T a[R][K];
  Unit<T>* others =
      nullptr;  ///< of the system: unit (j - K) / wide * columns + i is of row i and column j
  int columns = 0;
  bool valid = true;

  static constexpr std::int64_t bytes_in_scratch(int rows, int, RestOfRows const&) {
    return SplitColumns::bytes(rows, int(sizeof(T)));
  }
  /// Lanes without such a row read that of another.
  BATCHWORK_INLINE int place_of(int row) const { return row < columns ? row : columns - 1; }

  /// Takes the rows of the item whose numbers these are, and the diagonal. Columns rise, see check; where they do not, the
  /// matrix is not valid.
  template <class At>
  BATCHWORK_INLINE void take(At& at, AnySystems<T> const& of, T const* of_item,
                             RowNumbers<T, R>& diagonal, RestOfRows const&, char* memory) {
    columns = of.rows;
    others = reinterpret_cast<Unit<T>*>(memory);
    of.visit(of_item, [&](auto const& rows) {
      if (of.lanes_take_own_rows()) take_own_rows(at, rows, diagonal);
      else take_rows_together(at, rows, diagonal);
    });
  }
  template <class At, class Rows>
  BATCHWORK_INLINE void take_own_rows(At const& at, Rows const& rows, RowNumbers<T, R>& diagonal) {
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      int const i = at.row_of(r);
      auto const row = rows(i);
      T d = T(0);
      int k = 0;
      BATCHWORK_UNROLL
      for (int j = 0; j < K; ++j) {
        bool const has = k < row.count && j < columns && row.column(k) == j;
        T const v = has ? row.number(k) : T(0);
        a[r][j] = v;
        d = j == i ? v : d;
        k += has ? 1 : 0;
      }
      if (i < columns) {
        put_zeros(i, SplitColumns::in_scratch(columns));
        int last = K - 1;
        BATCHWORK_UNROLL_SOME
        for (; k < row.count; ++k) {
          int const j = row.column(k);
          T const v = row.number(k);
          bool const rises = j > last && j < columns;
          valid = valid && rises;
          if (!rises) continue;
          last = j;
          other(i, j - K) = v;
          d = j == i ? v : d;
        }
      }
      diagonal.data[r] = d;
    }
  }
  /// Lanes read neighbouring entries: if each read its own row, every number would come from another line of the cache. The
  /// columns for registers pass through the scratch of the others.
  template <class At, class Rows>
  BATCHWORK_INLINE void take_rows_together(At const& at, Rows const& rows,
                                           RowNumbers<T, R>& diagonal) {
    constexpr int some = SplitColumns::at_least, at_once = 4;
    static_assert(K % some == 0);
    diagonal = {};
    BATCHWORK_UNROLL
    for (int first = 0; first < K; first += some) {
      put_zeros(at, some);
      at.sync();
      // Columns rise: those below first + some are among as many entries.
      BATCHWORK_KEEP_LOOP
      for (int e = at.rank; e < columns * some; e += at.lanes) {
        int const i = e / some;
        auto const row = rows(i);
        BATCHWORK_UNROLL
        for (int before = 0; before <= first; before += some) {
          int const k = before + e % some, j = k < row.count ? row.column(k) : -1;
          if (j >= first && j < first + some) other(i, j - first) = row.number(k);
        }
      }
      at.sync();
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        int const i = at.row_of(r), place = place_of(i);
        BATCHWORK_UNROLL
        for (int j = 0; j < some; ++j) {
          T const v = i < columns ? other(place, j) : T(0);
          a[r][first + j] = v;
          if (first + j == i) diagonal.data[r] = v;
        }
      }
    }
    put_zeros(at, SplitColumns::in_scratch(columns));
    at.sync();
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < columns; i0 += at_once) {
      BATCHWORK_KEEP_LOOP
      for (int k = at.rank; k < columns; k += at.lanes) {
        // All of them are on their way before the first is put down.
        int j[at_once];
        T v[at_once];
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q) {
          auto const row = rows(i0 + q);
          bool const has = k < row.count;
          j[q] = has ? row.column(k) : -1;
          int const before = has && k > 0 ? row.column(k - 1) : -1;
          v[q] = has && j[q] >= K ? row.number(k) : T(0);
          valid = valid && row.count <= columns && (!has || (j[q] > before && j[q] < columns));
        }
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q)
          if (j[q] >= K && j[q] < columns) other(i0 + q, j[q] - K) = v[q];
      }
    }
    at.sync();
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      int const i = at.row_of(r);
      if (i >= K && i < columns) diagonal.data[r] = other(i, i - K);
    }
  }
  /// Number j of those of row i in scratch.
  BATCHWORK_INLINE T& other(int i, int j) const {
    return others[j / wide * columns + i].v[j % wide];
  }
  BATCHWORK_INLINE void put_zeros(int i, int so_many) const {
    BATCHWORK_UNROLL_SOME
    for (int q = 0; q < so_many / wide; ++q) others[q * columns + i] = Unit<T>{};
  }
  template <class At>
  BATCHWORK_INLINE void put_zeros(At const& at, int so_many) const {
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r)
      if (at.row_of(r) < columns) put_zeros(at.row_of(r), so_many);
  }
  template <class Sum, class At>
  BATCHWORK_INLINE T product(At& at, RowNumbers<T, R>& y, RowNumbers<T, R> const& x) const {
    return product_of_rows<Sum>(*this, at, y, x);
  }
  template <class At, class Put>
  BATCHWORK_INLINE void compensated_product(At& at, RowNumbers<T, R> const& x,
                                            Put const& put) const {
    sum_rows<CompensatedSum<T>>(
        at, x, [&](int r, CompensatedSum<T>& sum) { put(r, sum, columns + parts); });
  }
  /// Several sums of a row at once, so that additions do not wait for each other.
  static constexpr int parts = 2;
  template <class Sum, class At, class Put>
  BATCHWORK_INLINE void sum_rows(At& at, RowNumbers<T, R> const& x, Put const& put) const {
    T const* const published = at.publish(x);
    Sum sums[R][parts];
    BATCHWORK_UNROLL
    for (int j = 0; j < K; j += wide) {
      auto const w = *reinterpret_cast<Unit<T> const*>(published + j);
      BATCHWORK_UNROLL
      for (int c = 0; c < wide; ++c) {
        BATCHWORK_UNROLL
        for (int r = 0; r < R; ++r) sums[r][c % parts].add(a[r][j + c], w.v[c]);
      }
    }
    Unit<T> const* from[R];
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) from[r] = others + place_of(at.row_of(r));
    BATCHWORK_KEEP_LOOP
    for (int j0 = K; j0 < columns; j0 += SplitColumns::together) {
      BATCHWORK_UNROLL
      for (int j = 0; j < SplitColumns::together; j += wide) {
        auto const w = *reinterpret_cast<Unit<T> const*>(published + j0 + j);
        BATCHWORK_UNROLL
        for (int r = 0; r < R; ++r) {
          Unit<T> const a_r = *from[r];
          from[r] += columns;
          BATCHWORK_UNROLL
          for (int c = 0; c < wide; ++c) sums[r][c % parts].add(a_r.v[c], w.v[c]);
        }
      }
    }
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      BATCHWORK_UNROLL
      for (int q = 1; q < parts; ++q) sums[r][0].add(sums[r][q]);
      if (at.row_of(r) >= columns) sums[r][0] = Sum();
      put(r, sums[r][0]);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
