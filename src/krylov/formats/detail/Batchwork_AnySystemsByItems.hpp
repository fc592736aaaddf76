// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// AnySystemsByItems: AnySystems with items, for hosts.
#ifndef BATCHWORK_ANYSYSTEMSBYITEMS_HPP
#define BATCHWORK_ANYSYSTEMSBYITEMS_HPP

#include <cstdint>
#include <type_traits>

#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyHost.hpp"

namespace Batchwork::Impl {

template <class T>
struct AnySystemsByItems;

/// Systems in a format of the list.
template <class T, class Layout>
struct OwnSystems {
  PatternSystems<T, Layout> systems{};
};

/// One item of a format known at run time.
template <class T>
struct AnyItem {
  using value_type = T;
  static constexpr bool has_entries = true;
  AnySystemsByItems<T> const& of;
  T const* numbers;

  /// Runs f(item), the item in its own format.
  template <class F>
  BATCHWORK_INLINE void visit(F const& f) const {
    of.with_format([&]<class Layout>(Layout const& layout) {
      if constexpr (Layout::has_numbers) {
        using Own = PatternSystems<T, Layout>;
        f(PatternItem<Own>{of.template in_format<Layout>(), numbers});
      } else {
        f(layout.item(of.rows));
      }
    });
  }
  template <class F>
  BATCHWORK_INLINE void for_each_entry(int row, F const& f) const {
    visit([&](auto const& item) { item.for_each_entry(row, f); });
  }
};

template <class T, class List>
struct OwnSystemsOf;
template <class T, class... Formats>
struct OwnSystemsOf<T, FormatList<Formats...>> : OwnSystems<T, Formats>... {};

/// AnySystems by items, as verbs take the systems of other formats.
template <class T>
struct AnySystemsByItems : AnySystems<T> {
  static constexpr bool has_pattern = false;  // none that packs of items know at compile time
  OwnSystemsOf<T, FormatsOf<T>> own{};        ///< in their own format; others are unused

  AnySystemsByItems() = default;
  explicit AnySystemsByItems(AnySystems<T> const& a) : AnySystems<T>(a) {
    this->with_format([&]<class Layout>(Layout const& layout) {
      static_cast<OwnSystems<T, Layout>&>(own).systems = {layout, this->values, this->rows};
    });
  }
  template <class Layout>
  bool has_format() const {
    bool same = false;
    this->with_format([&]<class F>(F const&) { same = std::is_same_v<F, Layout>; });
    return same;
  }
  /// If has_format.
  template <class Layout>
  BATCHWORK_INLINE PatternSystems<T, Layout> const& in_format() const {
    return static_cast<OwnSystems<T, Layout> const&>(own).systems;
  }
  BATCHWORK_INLINE AnyItem<T> item(std::int64_t n) const { return {*this, this->numbers(n)}; }
};

/// The systems of matrices in a form that does not depend on their format, if they have entries.
template <class A>
auto systems_by_items(A const& a) {
  using T = typename A::value_type;
  if constexpr (std::is_void_v<T>) return a.systems();
  else return AnySystemsByItems<T>(AnySystems<T>(a.systems()));
}

/// On hosts as in the item's own format, so that packs are used as there.
template <template <class> class Sum, class T, class X, class Put>
void sum_rows_on_host(AnyItem<T> const& item, int rows, X const& x, Put const& put) {
  item.visit([&](auto const& own) { sum_rows_on_host<Sum>(own, rows, x, put); });
}

}  // namespace Batchwork::Impl

#endif
