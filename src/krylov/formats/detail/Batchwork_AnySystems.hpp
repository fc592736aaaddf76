// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// AnySystems: the matrices of a batch in a format known at run time, so that a solver's kernel is
/// not made for each.
#ifndef BATCHWORK_ANYSYSTEMS_HPP
#define BATCHWORK_ANYSYSTEMS_HPP

#include <concepts>
#include <cstdint>
#include <utility>

#include "krylov/formats/detail/Batchwork_FormatList.hpp"
#include "krylov/formats/detail/Batchwork_Systems.hpp"

namespace Batchwork::Impl {

/// The layouts of all formats; AnySystems knows which one is used. No union: compilers see through
/// a struct.
template <class... F>
struct Layouts {};
template <class F, class... Rest>
struct Layouts<F, Rest...> {
  F first{};
  Layouts<Rest...> rest{};
};

/// What a format gives for a row.
template <class F, class T>
using row_of_format = decltype(std::declval<F const&>().row(std::declval<Storage<T const> const&>(),
                                                            std::declval<T const*>(), 0, 0));

/// The rows of an item in one of the formats that give such rows: rows(i) gives the entries of row
/// i, none beyond the last row.
template <class Row, class Systems>
struct RowsOfItem {
  Systems const& of;
  typename Systems::value_type const* numbers;

  BATCHWORK_INLINE Row operator()(int i) const {
    Row row;
    of.with_format([&]<class F>(F const& layout) {
      if constexpr (std::same_as<Row, row_of_format<F, typename Systems::value_type>>)
        row = layout.row(of.values, numbers, of.rows, i);
    });
    return row;
  }
};

template <class T, class List>
struct AnySystemsOf;

/// Where the entries are, in one of the formats of a list (each a Format), and the numbers of all
/// items; neither for a functor. Code for rows is compiled once for each type of row, not for each
/// format: compilers do not inline kernels that grow, and then copy their arguments.
template <class T, class... Formats>
struct AnySystemsOf<T, FormatList<Formats...>> {
  using value_type = T;
  static constexpr int by_functor = -1;
  static_assert((Format<Formats, T> && ...),
                "Batchwork: a type in the list of formats is no Format; see "
                "krylov/base/Batchwork_Concepts.hpp");
  int format = by_functor;  ///< its place in the list
  int rows = 0;
  Storage<T const> values{};
  Layouts<Formats...> layouts{};

  AnySystemsOf() = default;
  template <class F>
  AnySystemsOf(PatternSystems<T, F> const& a) : rows(a.rows), values(a.values) {
    set(layouts, a.layout);
  }
  AnySystemsOf(ScaledIdentitySystems<T> const& a) : rows(a.rows) {
    set(layouts, ScaledIdentityLayout<T>{a.scale});
  }
  template <class F>
  AnySystemsOf(MatrixFreeSystems<F> const& a) : rows(a.rows) {}

  /// Calls f(layout) with the layout of the format; not for a functor.
  template <class F>
  BATCHWORK_INLINE void with_format(F const& f) const {
    run<0>(layouts, f);
  }
  bool knows_widest_row() const {
    bool known = false;
    with_format([&]<class F>(F const&) { known = F::knows_widest_row; });
    return known;
  }
  BATCHWORK_INLINE T const* numbers(std::int64_t item) const {
    bool stored = false;
    with_format([&]<class F>(F const&) { stored = F::has_numbers; });
    return stored ? item_of(values, item) : nullptr;
  }
  /// Calls f(rows) with the rows of the item with these numbers, see RowsOfItem. For ell, without
  /// unused places.
  template <class F>
  BATCHWORK_INLINE void visit(T const* of_item, F const& f) const {
    visit_rows<0, Formats...>(of_item, f);
  }
  /// The entries of row i of the item with these numbers.
  BATCHWORK_INLINE AnyRow<T> row(T const* of_item, int i) const {
    AnyRow<T> r;
    with_format([&](auto const& of) { r = of.row(values, of_item, rows, i).any(); });
    return r;
  }
  /// Entry k of row i: its column, and its number in the item with these numbers.
  BATCHWORK_INLINE int column(int i, int k) const {
    int c = i;
    with_format([&](auto const& of) { c = of.column(rows, i, k); });
    return c;
  }
  BATCHWORK_INLINE T number(T const* of_item, int i, int k) const {
    T x = T(0);
    with_format([&](auto const& of) { x = of.number(values, of_item, rows, i, k); });
    return x;
  }
  /// The place of the first entry of row i among the `nonzeros` places of a system.
  BATCHWORK_INLINE int first_place(int i) const {
    int place = i;
    with_format([&](auto const& of) { place = of.first_place(rows, i); });
    return place;
  }
  /// Copies the numbers of an item to their places by its lanes, neighbouring ones neighbouring
  /// numbers, of rows of ends[i] entries.
  template <class Lanes>
  BATCHWORK_INLINE void copy_numbers(Lanes const& lanes, T const* of_item,
                                     std::uint16_t const* ends, T* to) const {
    with_format([&](auto const& of) { of.copy_numbers(lanes, values, of_item, rows, ends, to); });
  }

 private:
  /// Whether the format gives such rows; and the place in the list of the first that does.
  template <class Row>
  BATCHWORK_INLINE bool gives() const {
    int place = 0;
    bool found = false;
    ((found = found || (std::same_as<Row, row_of_format<Formats, T>> && format == place), ++place),
     ...);
    return found;
  }
  template <class Row>
  static constexpr int first_that_gives() {
    int place = 0, first = -1;
    ((first = first < 0 && std::same_as<Row, row_of_format<Formats, T>> ? place : first, ++place),
     ...);
    return first;
  }
  template <int I, class First, class... Rest, class F>
  BATCHWORK_INLINE void visit_rows(T const* of_item, F const& f) const {
    using Row = row_of_format<First, T>;
    if constexpr (first_that_gives<Row>() == I) {
      if (gives<Row>()) return f(RowsOfItem<Row, AnySystemsOf>{*this, of_item});
    }
    if constexpr (sizeof...(Rest) > 0) visit_rows<I + 1, Rest...>(of_item, f);
  }
  template <class F, class First, class... Rest>
  void set(Layouts<First, Rest...>& one, F const& of) {
    if constexpr (std::same_as<F, First>) {
      one.first = of;
      format = int(sizeof...(Formats) - 1 - sizeof...(Rest));
    } else {
      static_assert(sizeof...(Rest) > 0,
                    "Batchwork: such matrices are not in the list of formats, "
                    "krylov/formats/detail/Batchwork_FormatList.hpp");
      if constexpr (sizeof...(Rest) > 0) set(one.rest, of);
    }
  }
  template <int I, class F, class First, class... Rest>
  BATCHWORK_INLINE void run(Layouts<First, Rest...> const& one, F const& f) const {
    if (format == I) return f(one.first);
    if constexpr (sizeof...(Rest) > 0) run<I + 1>(one.rest, f);
  }
};

template <class T>
using AnySystems = AnySystemsOf<T, FormatsOf<T>>;

/// Whether what a pattern says is in memory: offsets that do not fall, to so many entries at most,
/// and columns of the matrix. For hosts, once for some items; devices take offsets for granted, and
/// look at columns where lanes take their rows.
template <class F>
bool is_in_range(F const&, int, std::int64_t) {
  return true;
}
inline bool is_in_range(CsrLayout const& of, int rows, std::int64_t entries) {
  std::int64_t const first = of.offsets(0), end = of.offsets(rows);
  bool inside = first >= 0 && end <= entries;
  for (int i = 0; i < rows; ++i) inside = inside && of.offsets(i) <= of.offsets(i + 1);
  for (std::int64_t k = first; inside && k < end; ++k)
    inside = unsigned(of.columns[k]) < unsigned(rows);
  return inside;
}
inline bool is_in_range(EllLayout const& of, int rows, std::int64_t) {
  bool inside = true;
  for (int i = 0; i < rows; ++i)
    of.for_each_place(Storage<float const>(), rows, i,
                      [&](int column, std::int64_t) { inside = inside && column < rows; });
  return inside;
}
template <class Systems>
bool pattern_is_in_range([[maybe_unused]] Systems const& a, [[maybe_unused]] std::int64_t entries) {
  bool inside = true;
  auto const look = [&](auto const& of) { inside = is_in_range(of, a.rows, entries); };
  if constexpr (requires { a.with_format(look); }) a.with_format(look);
  else if constexpr (requires { a.layout; }) look(a.layout);
  return inside;
}

/// Whether the widest row of such systems is known, from their number of entries; of compressed
/// rows only the mean is.
template <class Systems>
bool knows_widest_row([[maybe_unused]] Systems const& a) {
  if constexpr (requires { a.knows_widest_row(); }) return a.knows_widest_row();
  else if constexpr (requires { a.layout; }) return Systems::format::knows_widest_row;
  else return true;
}

}  // namespace Batchwork::Impl

#endif
