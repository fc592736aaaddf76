// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ColumnsSplit: whole rows on the chip, the first columns in registers and the others in team
/// scratch, so that a multiprocessor has registers for more systems.
#ifndef BATCHWORK_COLUMNSSPLIT_HPP
#define BATCHWORK_COLUMNSSPLIT_HPP

#include <cstdint>

#include "krylov/detail/backend/Batchwork_MatrixPlacement.hpp"
#include "krylov/detail/backend/Batchwork_SolveBudget.hpp"
#include "krylov/detail/backend/Batchwork_SystemTeam.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"

namespace Batchwork::Impl {

/// R rows with K columns in registers. The others are in scratch, 16 bytes of a row next to the
/// same columns of the next row. Lanes read neighbouring units, which they have written themselves,
/// so nobody waits.
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
      nullptr;  ///< of the system: row i, column j is in unit (j - K) / wide * columns + i
  int columns = 0;
  bool valid = true;

  static constexpr std::int64_t bytes_in_scratch(int rows, int, RestOfRows const&) {
    return SplitColumns::bytes(rows, int(sizeof(T)));
  }
  /// Lanes without such a row read another row.
  BATCHWORK_INLINE int place_of(int row) const { return row < columns ? row : columns - 1; }

  /// Takes the rows of the item with these numbers, and the diagonal. Columns must rise, see check;
  /// otherwise the matrix is not valid. Lanes read neighbouring entries: if each read its own row,
  /// every number would come from another line of the cache. The columns for registers pass through
  /// the scratch of the others.
  template <class At>
  BATCHWORK_INLINE void take(At& at, AnySystems<T> const& of, T const* of_item,
                             RowNumbers<T, R>& diagonal, RestOfRows const&, char* memory) {
    columns = of.rows;
    others = reinterpret_cast<Unit<T>*>(memory);
    // In the exchange, which nothing else needs yet.
    auto* const spans = reinterpret_cast<Span*>(at.exchange);
    find_spans(at, of, of_item, spans);
    visit(of, of_item, [&](auto const& column, auto const& number) {
      take_first(at, spans, column, number, diagonal);
    });
    put_zeros(at, SplitColumns::in_scratch(columns));
    at.sync();
    visit(of, of_item,
          [&](auto const& column, auto const& number) { take_others(at, spans, column, number); });
    at.sync();
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      int const i = at.row_of(r);
      if (i >= K && i < columns) diagonal.data[r] = other(i, i - K);
    }
  }
  /// Where a row begins among the entries of csr, relative to the first row, and how many entries
  /// it has.
  struct Span {
    std::uint16_t first, count;
  };
  static_assert(sizeof(Span) <= sizeof(T));
  template <class At>
  BATCHWORK_INLINE void find_spans(At const& at, AnySystems<T> const& of, T const* of_item,
                                   Span* spans) const {
    BATCHWORK_KEEP_LOOP
    for (int i = at.rank; i < columns; i += at.lanes) {
      // A row with more entries than columns is none: it is cut, and found to be.
      int const count = of.row(of_item, i).count;
      spans[i] = {std::uint16_t(of.first_place(i) - of.first_place(0)),
                  std::uint16_t(count >= 0 && count <= columns ? count : columns + 1)};
    }
  }
  /// Calls f(column, number): functions that give the column and the number of entry k of row i.
  /// `first` belongs to the span.
  template <class F>
  static BATCHWORK_INLINE void visit(AnySystems<T> const& of, T const* of_item, F const& f) {
    of.with_format([&]<class Layout>(Layout const& layout) {
      if constexpr (requires { layout.with_entries(of.values, of_item, f); })
        layout.with_entries(of.values, of_item, f);
      else
        f([&](int i, int, int k) { return layout.column(of.rows, i, k); },
          [&](int i, int, int k) { return layout.number(of.values, of_item, of.rows, i, k); });
    });
  }
  /// The first K columns. They rise, so that these are among the first K entries of a row.
  template <class At, class Column, class Number>
  BATCHWORK_INLINE void take_first(At const& at, Span const* spans, Column const& column,
                                   Number const& number, RowNumbers<T, R>& diagonal) {
    constexpr int at_once = 4;
    put_zeros(at, K);
    at.sync();
    BATCHWORK_KEEP_LOOP
    for (int e0 = at.rank; e0 < columns * K; e0 += at_once * at.lanes) {
      // Without branches, so that all are on their way before the first is put down.
      int j[at_once];
      T v[at_once];
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q) {
        int const e = e0 + q * at.lanes, i = e < columns * K ? e / K : 0, k = e % K;
        Span const row = spans[i];
        bool const has = (e < columns * K) & (k < row.count) & (row.count <= columns);
        j[q] = has ? column(i, row.first, k) : K;
        v[q] = has ? number(i, row.first, k) : T(0);
      }
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q)
        if (j[q] >= 0 && j[q] < K) other((e0 + q * at.lanes) / K, j[q]) = v[q];
    }
    at.sync();
    BATCHWORK_UNROLL
    for (int r = 0; r < R; ++r) {
      int const i = at.row_of(r), place = place_of(i);
      diagonal.data[r] = T(0);
      BATCHWORK_UNROLL
      for (int j = 0; j < K; j += wide) {
        Unit<T> const u = others[j / wide * columns + place];
        BATCHWORK_UNROLL
        for (int c = 0; c < wide; ++c) {
          a[r][j + c] = i < columns ? u.v[c] : T(0);
          if (j + c == i) diagonal.data[r] = u.v[c];
        }
      }
    }
    at.sync();
  }
  /// The other ones, and whether columns rise. The entries of several rows are on their way at
  /// once.
  template <class At, class Column, class Number>
  BATCHWORK_INLINE void take_others(At const& at, Span const* spans, Column const& column,
                                    Number const& number) {
    constexpr int at_once = 6;
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < columns; i0 += at_once) {
      Span row[at_once];
      int longest = 0;
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q) {
        row[q] = i0 + q < columns ? spans[i0 + q] : Span{0, 0};
        longest = row[q].count > longest ? row[q].count : longest;
      }
      // Nothing is read of what cannot be there.
      valid = valid && longest <= columns;
      if (longest > columns) continue;
      BATCHWORK_KEEP_LOOP
      for (int k = at.rank; k < longest; k += at.lanes) {
        int j[at_once], before[at_once];
        T v[at_once];
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q) {
          bool const has = k < row[q].count;
          int const i = i0 + q, first = row[q].first;
          j[q] = has ? column(i, first, k) : columns - 1;
          before[q] = (has & (k > 0)) ? column(i, first, k - 1) : -1;
          v[q] = has ? number(i, first, k) : T(0);
        }
        BATCHWORK_UNROLL
        for (int q = 0; q < at_once; ++q) {
          valid = valid & (j[q] > before[q]) & (j[q] < columns);
          if (k < row[q].count && j[q] >= K && j[q] < columns) other(i0 + q, j[q] - K) = v[q];
        }
      }
    }
  }
  /// Number j of row i in scratch.
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
