// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The matrices of a batch as kernels see them: pointers and strides to the one pattern and to the
/// numbers of all items; and one item of them. Formats.hpp makes them from Views.
#ifndef BATCHWORK_SYSTEMS_HPP
#define BATCHWORK_SYSTEMS_HPP

#include <cstdint>
#include <utility>

#include "core/Batchwork_SystemLanes.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Row offsets of 32 or 64 bits. Which is the same for all lanes, so that no kernel is made twice
/// for it.
struct RowOffsets {
  void const* data = nullptr;
  bool wide = false;

  BATCHWORK_INLINE std::int64_t operator()(std::int64_t row) const {
    return wide ? static_cast<std::int64_t const*>(data)[row]
                : std::int64_t(static_cast<std::int32_t const*>(data)[row]);
  }
  /// Where its lower half stands, on devices: one load whatever they are.
  BATCHWORK_INLINE std::int32_t const* lower(int row) const {
    return static_cast<std::int32_t const*>(data) + (wide ? 2 * row : row);
  }
};

/// The entries of a row of any format: a branch for every entry, where that does not matter. Entry
/// k has the number numbers[k * step] and the column first + columns[k * column_step], or k without
/// columns; or there is one entry, `scale` in column first.
template <class T>
struct AnyRow {
  T const* numbers = nullptr;
  std::int64_t step = 0;
  std::int32_t const* columns = nullptr;
  std::int64_t column_step = 0;
  int first = 0, count = 0;
  bool is_scaled_unit = false;
  T scale = T(0);

  BATCHWORK_INLINE int column(int k) const {
    return is_scaled_unit ? first : columns == nullptr ? k : first + columns[k * column_step];
  }
  BATCHWORK_INLINE T const* place(int k) const { return numbers + k * step; }
  BATCHWORK_INLINE T number(int k) const { return is_scaled_unit ? scale : *place(k); }
};

/// Of compressed rows: entry k has the number numbers[k * step] and the column columns[k].
template <class T>
struct CsrRow {
  T const* numbers = nullptr;
  std::int64_t step = 0;
  std::int32_t const* columns = nullptr;
  int count = 0;

  BATCHWORK_INLINE int column(int k) const { return columns[k]; }
  BATCHWORK_INLINE T number(int k) const { return numbers[k * step]; }
  BATCHWORK_INLINE AnyRow<T> any() const { return {numbers, step, columns, 1, 0, count}; }
};
/// Of rows with as many places each: entry k has the number numbers[k * step] and the column first
/// + columns[k * column_step].
template <class T>
struct EllRow {
  T const* numbers = nullptr;
  std::int64_t step = 0;
  std::int32_t const* columns = nullptr;
  std::int64_t column_step = 0;
  int count = 0, first = 0;

  BATCHWORK_INLINE int column(int k) const { return first + columns[k * column_step]; }
  BATCHWORK_INLINE T number(int k) const { return numbers[k * step]; }
  BATCHWORK_INLINE AnyRow<T> any() const {
    return {numbers, step, columns, column_step, first, count};
  }
};
/// A row of a dense matrix, without column indices.
template <class T>
struct DenseRow {
  T const* numbers = nullptr;
  std::int64_t step = 0;
  int count = 0;

  static BATCHWORK_INLINE int column(int k) { return k; }
  BATCHWORK_INLINE T number(int k) const { return numbers[k * step]; }
  BATCHWORK_INLINE AnyRow<T> any() const { return {numbers, step, nullptr, 0, 0, count}; }
};

/// Of a multiple of the identity.
template <class T>
struct ScaledUnitRow {
  T value = T(0);
  int row = 0, count = 0;

  BATCHWORK_INLINE int column(int) const { return row; }
  BATCHWORK_INLINE T number(int) const { return value; }
  BATCHWORK_INLINE AnyRow<T> any() const {
    return {nullptr, 0, nullptr, 0, row, count, true, value};
  }
};

/// One item of a format that has a pattern.
template <class Of>
struct PatternItem {
  using value_type = typename Of::value_type;
  static constexpr bool has_entries = true;
  Of const& of;
  value_type const* numbers;

  BATCHWORK_INLINE int rows() const { return of.rows; }
  /// Runs f(column, value) for the entries of a row, in order.
  template <class F>
  BATCHWORK_INLINE void for_each_entry(int row, F const& f) const {
    of.for_each_place(row, [&](int column, std::int64_t place) { f(column, numbers[place]); });
  }
};

/// The matrices of a format that has a pattern: where entries are, a Format, and the numbers of all
/// items.
template <class T, class Layout>
struct PatternSystems {
  using value_type = T;
  using format = Layout;
  static constexpr bool has_pattern = true;
  Layout layout{};
  Storage<T const> values{};
  int rows = 0;

  /// Runs f(column, place of the number from where the item begins) for the entries of a row, in
  /// order.
  template <class F>
  BATCHWORK_INLINE void for_each_place(int row, F const& f) const {
    layout.for_each_place(values, rows, row, f);
  }
  BATCHWORK_INLINE PatternItem<PatternSystems> item(std::int64_t n) const {
    return {*this, item_of(values, n)};
  }
};

/// Compressed rows, a Format: entry k of an item is numbers[k * values.row], in the column
/// columns[k].
struct CsrLayout {
  static constexpr int rank = 1;
  static constexpr bool has_numbers = true, knows_widest_row = false;
  std::int32_t const* columns = nullptr;
  RowOffsets offsets{};

  static int leading(int) { return 1; }
  template <class T, class F>
  BATCHWORK_INLINE void for_each_place(Storage<T const> const& values, int, int row,
                                       F const& f) const {
    std::int64_t const end = offsets(row + 1);
    for (std::int64_t k = offsets(row); k < end; ++k) f(columns[k], k * values.row);
  }
  template <class T>
  BATCHWORK_INLINE CsrRow<T> row(Storage<T const> const& values, T const* numbers, int rows,
                                 int i) const {
    if (i >= rows) return {};
    std::int64_t const first = offsets(i);
    return {numbers + first * values.row, values.row, columns + first, int(offsets(i + 1) - first)};
  }
  BATCHWORK_INLINE int column(int, int i, int k) const { return columns[offsets(i) + k]; }
  template <class T>
  BATCHWORK_INLINE T number(Storage<T const> const& values, T const* numbers, int, int i,
                            int k) const {
    return numbers[(offsets(i) + k) * values.row];
  }
  BATCHWORK_INLINE int first_place(int, int i) const { return int(offsets(i)); }
  /// Calls f(column, number): functions that give the column and the number of entry k of row i.
  /// `first` is the first place less the first place of row 0. The pattern stays in the cache; the
  /// numbers of each system pass it by.
  template <class T, class F>
  BATCHWORK_INLINE void with_entries(Storage<T const> const& values, T const* numbers,
                                     F const& f) const {
    std::int64_t const begin = offsets(0), apart = values.row;
    T const* const from = numbers + begin * apart;
    std::int32_t const* const columns_of = columns + begin;
    auto const column = [&](int, int first, int k) { return columns_of[first + k]; };
    if (apart == 1)
      f(column, [&](int, int first, int k) { return Vendor::load_once(from + (first + k)); });
    else
      f(column,
        [&](int, int first, int k) { return Vendor::load_once(from + (first + k) * apart); });
  }
  template <class Lanes, class T>
  BATCHWORK_INLINE void copy_numbers(Lanes const& lanes, Storage<T const> const& values,
                                     T const* numbers, int rows, std::uint16_t const*,
                                     T* to) const {
    std::int64_t const apart = values.row;
    lanes.for_each(int(offsets(rows)), [&](int e) { to[e] = numbers[e * apart]; });
  }
};
template <class T>
using CsrSystems = PatternSystems<T, CsrLayout>;

/// The same number of places in every row; unused ones have the column -1 and are the last of the
/// row. A Format.
struct EllLayout {
  static constexpr int rank = 2;
  static constexpr bool has_numbers = true, knows_widest_row = true;
  std::int32_t const* columns = nullptr;
  std::int64_t column_row = 0, column_entry = 0;  ///< strides of the column indices
  int width = 0;

  int leading(int) const { return width; }
  template <class T, class F>
  BATCHWORK_INLINE void for_each_place(Storage<T const> const& values, int, int row,
                                       F const& f) const {
    std::int32_t const* const c = columns + row * column_row;
    for (int k = 0; k < width; ++k) {
      std::int32_t const column = c[k * column_entry];
      if (column < 0) break;
      f(column, row * values.row + k * values.col);
    }
  }
  template <class T>
  BATCHWORK_INLINE EllRow<T> row(Storage<T const> const& values, T const* numbers, int rows,
                                 int i) const {
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
    return {numbers + i * values.row, values.col, c, column_entry, n, 0};
  }
  BATCHWORK_INLINE int column(int, int i, int k) const {
    return columns[i * column_row + k * column_entry];
  }
  template <class T>
  BATCHWORK_INLINE T number(Storage<T const> const& values, T const* numbers, int, int i,
                            int k) const {
    return numbers[i * values.row + k * values.col];
  }
  BATCHWORK_INLINE int first_place(int, int i) const { return i * width; }
  template <class Lanes, class T>
  BATCHWORK_INLINE void copy_numbers(Lanes const& lanes, Storage<T const> const& values,
                                     T const* numbers, int rows, std::uint16_t const* ends,
                                     T* to) const {
    copy_equal_rows(lanes, values, numbers, rows, width, ends, to);
  }
  /// Of rows with as many places each.
  template <class Lanes, class T>
  static BATCHWORK_INLINE void copy_equal_rows(Lanes const& lanes, Storage<T const> const& values,
                                               T const* numbers, int rows, int width,
                                               std::uint16_t const* ends, T* to) {
    std::int64_t const row = values.row, col = values.col;
    lanes.for_each(rows * width, [&](int e) {
      int const i = e / width, k = e % width;
      if (k < ends[i]) to[e] = numbers[i * row + k * col];
    });
  }
};
template <class T>
using EllSystems = PatternSystems<T, EllLayout>;

/// All places, a Format.
struct DenseLayout {
  static constexpr int rank = 2;
  static constexpr bool has_numbers = true, knows_widest_row = true;

  static int leading(int rows) { return rows; }
  template <class T, class F>
  static BATCHWORK_INLINE void for_each_place(Storage<T const> const& values, int rows, int row,
                                              F const& f) {
    for (int j = 0; j < rows; ++j) f(j, row * values.row + j * values.col);
  }
  template <class T>
  static BATCHWORK_INLINE std::int64_t diagonal_place(Storage<T const> const& values, int row) {
    return row * (values.row + values.col);
  }
  template <class T>
  static BATCHWORK_INLINE DenseRow<T> row(Storage<T const> const& values, T const* numbers,
                                          int rows, int i) {
    return {numbers + i * values.row, values.col, i < rows ? rows : 0};
  }
  static BATCHWORK_INLINE int column(int, int, int k) { return k; }
  template <class T>
  static BATCHWORK_INLINE T number(Storage<T const> const& values, T const* numbers, int, int i,
                                   int k) {
    return numbers[i * values.row + k * values.col];
  }
  static BATCHWORK_INLINE int first_place(int rows, int i) { return i * rows; }
  template <class Lanes, class T>
  static BATCHWORK_INLINE void copy_numbers(Lanes const& lanes, Storage<T const> const& values,
                                            T const* numbers, int rows, std::uint16_t const* ends,
                                            T* to) {
    EllLayout::copy_equal_rows(lanes, values, numbers, rows, rows, ends, to);
  }
};
template <class T>
using DenseSystems = PatternSystems<T, DenseLayout>;

/// A multiple of the identity. Nothing is stored.
template <class T>
struct ScaledIdentitySystems {
  using value_type = T;
  static constexpr bool has_pattern = false;
  static constexpr bool has_entries = true;
  int rows = 0;
  T scale = T(1);

  BATCHWORK_INLINE ScaledIdentitySystems const& item(std::int64_t) const { return *this; }
  template <class F>
  BATCHWORK_INLINE void for_each_entry(int row, F const& f) const {
    f(row, scale);
  }
};

/// The same as a Format without stored numbers.
template <class Number>
struct ScaledIdentityLayout {
  static constexpr int rank = 0;
  static constexpr bool has_numbers = false, knows_widest_row = true;
  Number scale = Number(0);

  BATCHWORK_INLINE ScaledIdentitySystems<Number> item(int rows) const { return {rows, scale}; }
  template <class T>
  BATCHWORK_INLINE ScaledUnitRow<T> row(Storage<T const> const&, T const*, int rows, int i) const {
    return {scale, i, i < rows ? 1 : 0};
  }
  static BATCHWORK_INLINE int column(int, int i, int) { return i; }
  template <class T>
  BATCHWORK_INLINE T number(Storage<T const> const&, T const*, int, int, int) const {
    return scale;
  }
  static BATCHWORK_INLINE int first_place(int, int i) { return i; }
  template <class Lanes, class T>
  BATCHWORK_INLINE void copy_numbers(Lanes const& lanes, Storage<T const> const&, T const*,
                                     int rows, std::uint16_t const*, T* to) const {
    lanes.for_each(rows, [&](int i) { to[i] = scale; });
  }
};

/// What a functor computes.
template <class F>
struct MatrixFreeSystems {
  static constexpr bool has_pattern = false;
  int rows = 0;
  F functor;

  struct Item {
    static constexpr bool has_entries = false;
    F const& functor;
    std::int64_t number;
  };
  BATCHWORK_INLINE Item item(std::int64_t n) const { return {functor, n}; }
};

/// Runs f(item), with the item in its own format.
template <class Item, class F>
BATCHWORK_INLINE void visit_item(Item const& item, F const& f) {
  if constexpr (requires { item.visit(f); }) item.visit(f);
  else f(item);
}

/// The sum of value times x(column) over a row, as Sum<T> adds it up.
template <template <class> class Sum, class Item, class X>
BATCHWORK_INLINE auto row_sum(Item const& item, int row, X const& x) {
  using T = typename Item::value_type;
  Sum<T> sum;
  item.for_each_entry(row, [&](int column, T const& value) { sum.add(value, x(column)); });
  return sum;
}
template <class Item, class X>
BATCHWORK_INLINE auto row_product(Item const& item, int row, X const& x) {
  return row_sum<PlainSum>(item, row, x).sum;
}

/// The number on the diagonal, of several their sum, or zero where the pattern has none: for all
/// formats alike.
template <class Item>
BATCHWORK_INLINE auto diagonal_number(Item const& item, int row) {
  using T = typename Item::value_type;
  T d = T(0);
  item.for_each_entry(row, [&](int column, T const& value) {
    if (column == row) d += value;
  });
  return d;
}

/// y(i) = (A x)(i) for the rows of an item, by its lanes. x(j) reads; y(i) is assigned to, once for
/// every row. What x reads must be there before, and the lanes wait for each other before any reads
/// what another has written.
template <class Lanes, class Item, class X, class Y>
BATCHWORK_INLINE void apply(Lanes const& lanes, Item const& item, int rows, X const& x,
                            Y const& y) {
  if constexpr (Item::has_entries)
    lanes.for_each(rows, [&](int i) { y(i) = row_product(item, i, x); });
  else item.functor(lanes, item.number, x, y);
}

/// A vector of an item, read.
template <class T>
struct VectorRead {
  T const* data;
  std::int64_t step;
  BATCHWORK_INLINE T operator()(int i) const { return data[i * step]; }
};

/// The result alpha v + beta y of an item: what is assigned to entry i is v. Nothing is written of
/// an item that is not there.
template <class T>
struct VectorUpdate {
  T* data;
  std::int64_t step;
  T alpha, beta;
  bool there;

  struct Entry {
    VectorUpdate const& of;
    int i;
    BATCHWORK_INLINE void operator=(T v) const {
      if (!of.there) return;
      T& y = of.data[i * of.step];
      // Of y nothing is read where beta is zero: it may hold anything.
      if (of.beta == T(0)) y = of.alpha * v;
      else y = of.alpha * v + of.beta * y;
    }
  };
  BATCHWORK_INLINE Entry operator()(int i) const { return {*this, i}; }
};

}  // namespace Batchwork::Impl

#endif
