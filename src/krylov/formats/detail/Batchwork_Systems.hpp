// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The matrices of a batch as kernels see them: pointers and strides to the one pattern and to the numbers of all items;
/// and one item of them. Formats.hpp makes them from Views.
#ifndef BATCHWORK_SYSTEMS_HPP
#define BATCHWORK_SYSTEMS_HPP

#include <cstdint>
#include <utility>

#include "core/Batchwork_SystemLanes.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Row offsets of 32 or 64 bits. Which is the same for all lanes, so that no kernel is made twice for it.
struct RowOffsets {
  void const* data = nullptr;
  bool wide = false;

  BATCHWORK_INLINE std::int64_t operator()(std::int64_t row) const {
    return wide ? static_cast<std::int64_t const*>(data)[row]
                : std::int64_t(static_cast<std::int32_t const*>(data)[row]);
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

/// Compressed rows: entry k of an item is numbers[k * values.row], in the column columns[k].
template <class T>
struct CsrSystems {
  using value_type = T;
  static constexpr bool has_pattern = true;
  RowOffsets offsets{};
  std::int32_t const* columns = nullptr;
  Storage<T const> values{};
  int rows = 0;

  /// Runs f(column, place of the number from where the item begins) for the entries of a row, in order.
  template <class F>
  BATCHWORK_INLINE void for_each_place(int row, F const& f) const {
    std::int64_t const end = offsets(row + 1);
    for (std::int64_t k = offsets(row); k < end; ++k) f(columns[k], k * values.row);
  }
  BATCHWORK_INLINE PatternItem<CsrSystems> item(std::int64_t n) const {
    return {*this, item_of(values, n)};
  }
};

/// As many entries in every row, of which some have the column -1 and are not there: the last ones of the row.
template <class T>
struct EllSystems {
  using value_type = T;
  static constexpr bool has_pattern = true;
  std::int32_t const* columns = nullptr;
  std::int64_t column_row = 0, column_entry = 0;  ///< strides of the column indices
  Storage<T const> values{};
  int rows = 0, width = 0;

  template <class F>
  BATCHWORK_INLINE void for_each_place(int row, F const& f) const {
    std::int32_t const* const c = columns + row * column_row;
    for (int k = 0; k < width; ++k) {
      std::int32_t const column = c[k * column_entry];
      if (column < 0) break;
      f(column, row * values.row + k * values.col);
    }
  }
  BATCHWORK_INLINE PatternItem<EllSystems> item(std::int64_t n) const {
    return {*this, item_of(values, n)};
  }
};

template <class T>
struct DenseSystems {
  using value_type = T;
  static constexpr bool has_pattern = true;
  Storage<T const> values{};
  int rows = 0;

  template <class F>
  BATCHWORK_INLINE void for_each_place(int row, F const& f) const {
    for (int j = 0; j < rows; ++j) f(j, row * values.row + j * values.col);
  }
  BATCHWORK_INLINE PatternItem<DenseSystems> item(std::int64_t n) const {
    return {*this, item_of(values, n)};
  }
};

/// A multiple of the identity, of which nothing is stored.
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

/// The number on the diagonal, or zero where the pattern has none: for all formats alike.
template <class Item>
BATCHWORK_INLINE auto diagonal_number(Item const& item, int row) {
  using T = typename Item::value_type;
  T d = T(0);
  item.for_each_entry(row, [&](int column, T const& value) {
    if (column == row) d = value;
  });
  return d;
}

/// y(i) = (A x)(i) for the rows of an item, by its lanes. x(j) reads; y(i) is assigned to, once for every row. What x reads
/// must be there before, and the lanes wait for each other before any reads what another has written.
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

/// The result alpha v + beta y of an item: what is assigned to entry i is v. Nothing is written of an item that is not there.
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
