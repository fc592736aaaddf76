// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ColumnsSplit: whole rows on the chip, the first columns in registers and the others in team scratch, so that a multiprocessor
/// has registers for more systems.
#ifndef BATCHWORK_COLUMNSSPLIT_HPP
#define BATCHWORK_COLUMNSSPLIT_HPP

#include <cstdint>

#include "krylov/Batchwork_HeldMatrix.hpp"
#include "krylov/Batchwork_ProductSums.hpp"
#include "krylov/Batchwork_SolveBudget.hpp"
#include "krylov/Batchwork_SystemTeam.hpp"

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
                             RowNumbers<T, R>& diagonal, RestOfRows const&, char* room) {
    columns = of.rows;
    others = reinterpret_cast<Unit<T>*>(room);
    of.visit(of_item, [&](auto const& rows) {
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        int const i = at.row_of(r);
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
        if (i < of.rows) {
          BATCHWORK_UNROLL_SOME
          for (int q = 0; q < SplitColumns::in_scratch(columns) / wide; ++q)
            others[q * columns + i] = Unit<T>{};
          int last = K - 1;
          BATCHWORK_UNROLL_SOME
          for (; k < row.count; ++k) {
            int const j = row.column(k);
            T const v = row.number(k);
            bool const rises = j > last && j < of.rows;
            valid = valid && rises;
            if (!rises) continue;
            last = j;
            others[(j - K) / wide * columns + i].v[(j - K) % wide] = v;
            d = j == i ? v : d;
          }
        }
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
    sum_rows<CompensatedSum<T>>(
        at, x, [&](int r, CompensatedSum<T>& sum) { put(r, sum, columns + parts); });
  }
  /// Several sums of a row at once, so that additions do not wait for each other.
  static constexpr int parts = 2;
  template <class Sum, class At, class Put>
  BATCHWORK_INLINE void sum_rows(At& at, RowNumbers<T, R> const& x, Put const& put) const {
    T const* const box = at.publish(x);
    Sum sums[R][parts];
    BATCHWORK_UNROLL
    for (int j = 0; j < K; j += wide) {
      auto const w = *reinterpret_cast<Unit<T> const*>(box + j);
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
        auto const w = *reinterpret_cast<Unit<T> const*>(box + j0 + j);
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
