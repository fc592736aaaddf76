// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// AnySystems: the matrices of a batch in a format known at run time, so that a solver's kernel is not made for each.
#ifndef BATCHWORK_ANYSYSTEMS_HPP
#define BATCHWORK_ANYSYSTEMS_HPP

#include <cstdint>

#include "krylov/formats/detail/Batchwork_Systems.hpp"

namespace Batchwork::Impl {

/// The entries of a row: entry k has the number numbers[k * step] and the column columns[k * column_step].
template <class T>
struct SparseRow {
  T const* numbers = nullptr;
  std::int64_t step = 0;
  std::int32_t const* columns = nullptr;
  std::int64_t column_step = 0;
  int count = 0;

  BATCHWORK_INLINE int column(int k) const { return columns[k * column_step]; }
  BATCHWORK_INLINE T number(int k) const { return numbers[k * step]; }
};
/// Of a dense matrix, whose columns need no indices.
template <class T>
struct DenseRow {
  T const* numbers = nullptr;
  std::int64_t step = 0;
  int count = 0;

  static BATCHWORK_INLINE int column(int k) { return k; }
  BATCHWORK_INLINE T number(int k) const { return numbers[k * step]; }
};
/// Of a multiple of the identity.
template <class T>
struct DiagonalRow {
  T value = T(0);
  int row = 0, count = 0;

  BATCHWORK_INLINE int column(int) const { return row; }
  BATCHWORK_INLINE T number(int) const { return value; }
};

/// Of any format: what is a branch for every entry, where that does not matter.
template <class T>
struct AnyRow {
  T const* numbers = nullptr;
  std::int64_t step = 0;
  std::int32_t const* columns = nullptr;
  std::int64_t column_step = 0;
  int count = 0;
  int only = -1;
  T scale = T(0);  ///< the number where there is only one

  BATCHWORK_INLINE int column(int k) const {
    return only >= 0 ? only : columns == nullptr ? k : columns[k * column_step];
  }
  BATCHWORK_INLINE T number(int k) const { return only >= 0 ? scale : numbers[k * step]; }
};

template <class T>
struct AnySystems {
  using value_type = T;
  enum class Kind { csr, ell, dense, scaled_identity, functor };
  Kind kind = Kind::functor;
  int rows = 0, width = 0;
  RowOffsets offsets{};
  std::int32_t const* columns = nullptr;
  std::int64_t column_row = 0, column_entry = 0;
  Storage<T const> values{};
  T scale = T(0);

  AnySystems() = default;
  AnySystems(CsrSystems<T> const& a)
      : kind(Kind::csr), rows(a.rows), offsets(a.offsets), columns(a.columns), values(a.values) {}
  AnySystems(EllSystems<T> const& a)
      : kind(Kind::ell),
        rows(a.rows),
        width(a.width),
        columns(a.columns),
        column_row(a.column_row),
        column_entry(a.column_entry),
        values(a.values) {}
  AnySystems(DenseSystems<T> const& a)
      : kind(Kind::dense), rows(a.rows), width(a.rows), values(a.values) {}
  AnySystems(ScaledIdentitySystems<T> const& a)
      : kind(Kind::scaled_identity), rows(a.rows), scale(a.scale) {}
  template <class F>
  AnySystems(MatrixFreeSystems<F> const& a) : rows(a.rows) {}

  BATCHWORK_INLINE T const* numbers(std::int64_t item) const {
    return kind == Kind::scaled_identity || kind == Kind::functor ? nullptr : item_of(values, item);
  }
  /// The entries of a row of the item whose numbers these are.
  BATCHWORK_INLINE AnyRow<T> row(T const* of_item, int i) const {
    AnyRow<T> r;
    visit(of_item, [&](auto const& row_of) {
      auto const of = row_of(i);
      r.count = of.count;
      if constexpr (requires { of.value; }) {
        r.only = of.row;
        r.scale = of.value;
      } else {
        r.numbers = of.numbers;
        r.step = of.step;
        if constexpr (requires { of.columns; }) {
          r.columns = of.columns;
          r.column_step = of.column_step;
        }
      }
    });
    return r;
  }
  /// Entry k of row i, of those that it has: its column, and its number of the item whose numbers these are.
  BATCHWORK_INLINE int column(int i, int k) const {
    switch (kind) {
      case Kind::csr: return columns[offsets(i) + k];
      case Kind::ell: return columns[i * column_row + k * column_entry];
      case Kind::dense: return k;
      default: return i;
    }
  }
  BATCHWORK_INLINE T number(T const* of_item, int i, int k) const {
    switch (kind) {
      case Kind::csr: return of_item[(offsets(i) + k) * values.row];
      case Kind::scaled_identity: return scale;
      default: return of_item[i * values.row + k * values.col];
    }
  }
  /// Runs f(rows), where rows(i) gives the entries of row i of the item whose numbers these are, none beyond the last row. Of
  /// ell, places that are there.
  template <class F>
  BATCHWORK_INLINE void visit(T const* of_item, F const& f) const {
    switch (kind) {
      case Kind::csr:
        return f([&](int i) -> SparseRow<T> {
          if (i >= rows) return {};
          std::int64_t const first = offsets(i);
          return {of_item + first * values.row, values.row, columns + first, 1,
                  int(offsets(i + 1) - first)};
        });
      case Kind::ell:
        return f([&](int i) -> SparseRow<T> {
          if (i >= rows) return {};
          std::int32_t const* const c = columns + i * column_row;
          int n = 0;
          // Four at a time, which are on their way together.
          BATCHWORK_KEEP_LOOP
          for (int k = 0; k < width && n == k; k += 4) {
            bool there[4];
            for (int q = 0; q < 4; ++q) there[q] = k + q < width && c[(k + q) * column_entry] >= 0;
            for (int q = 0; q < 4; ++q) n += n == k + q && there[q] ? 1 : 0;
          }
          return {of_item + i * values.row, values.col, c, column_entry, n};
        });
      case Kind::dense:
        return f([&](int i) -> DenseRow<T> {
          return {of_item + i * values.row, values.col, i < rows ? rows : 0};
        });
      case Kind::scaled_identity:
        return f([&](int i) -> DiagonalRow<T> { return {scale, i, i < rows ? 1 : 0}; });
      case Kind::functor: return;
    }
  }
};

}  // namespace Batchwork::Impl

#endif
