// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// IndexedLocation: the memory of an operand whose items are picked from a View by indices.
#ifndef BATCHWORK_INDEXED_LOCATION_HPP
#define BATCHWORK_INDEXED_LOCATION_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/Batchwork_Complex.hpp"
#include "core/detail/Batchwork_IndexRange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "view/detail/layout/Batchwork_Location.hpp"

namespace Batchwork::Impl {

/// The indices of an entry are those of the index View, then those of the View. P and Q: the shapes
/// that both have behind the item.
template <class P, class Q>
struct IndexedShape {
  using type = P;  // one index for each item
};
template <class P, class Q>
  requires(Q::rank == 1 && P::rank == 0)
struct IndexedShape<P, Q> {
  using type = Shape<Q::rows, 1, Structure::general, 1>;
};
template <class P, class Q>
  requires(Q::rank == 1 && P::rank == 1)
struct IndexedShape<P, Q> {
  using type = Shape<Q::rows, P::rows, Structure::general, 2>;
};
template <class P, class Q>
  requires(Q::rank == 2)
struct IndexedShape<P, Q> {
  using type = Shape<Q::rows, Q::cols, Structure::general, 2>;
};

/// ViewLoc: where the View's own items are. IndexLoc: where the indices of each item are. Adds:
/// whether numbers are added to the View when they are stored.
template <class ViewLoc, class IndexLoc, bool Adds>
struct IndexedLocation {
  using value_type = typename ViewLoc::value_type;
  using number = std::remove_const_t<value_type>;
  using shape = typename IndexedShape<typename ViewLoc::shape, typename IndexLoc::shape>::type;
  static constexpr bool lanes_are_neighbours = false;
  static constexpr bool adds = Adds;
  /// The indices behind the item that the index View has: 0 for one index for each item, 1 for one
  /// for each row, 2 for one for each entry.
  static constexpr int index_rank = IndexLoc::shape::rank;
  ViewLoc view;
  IndexLoc index;
  std::int64_t extent;  ///< indices are 0 .. extent - 1
  bool wide;            ///< rows may be read and written 16 bytes at a time
  bool alone = false;   ///< one thread of a host runs all items, so that additions need no atomics

  /// The item of the View that has entry (i, j), or -1 for an index out of range.
  BATCHWORK_INLINE std::int64_t place(std::int64_t item, int i, int j) const {
    return index_or_none(index.at(item, 0)[index.offset(i, j)], extent);
  }
  /// The position of entry (i, j) behind the start of its item of the View.
  BATCHWORK_INLINE std::int64_t offset_in_view(int i, int j) const {
    if constexpr (index_rank == 0) return view.offset(i, j);
    else if constexpr (index_rank == 1) return view.offset(j, 0);
    else return 0;
  }
  /// Where entry (i, j) of an item is, or nullptr for an index out of range.
  BATCHWORK_INLINE value_type* address(std::int64_t item, int i, int j) const {
    std::int64_t const p = place(item, i, j);
    return p < 0 ? nullptr : view.at(p, 0) + offset_in_view(i, j);
  }
};

template <class Loc>
inline constexpr bool is_indexed = false;
template <class V, class I, bool A>
inline constexpr bool is_indexed<IndexedLocation<V, I, A>> = true;
/// Whether indices pick the items of an operand, and whether it adds its tile to a View.
template <class B>
constexpr bool is_of_indices() {
  if constexpr (requires { B::loc; }) return is_indexed<decltype(B::loc)>;
  else return false;
}
template <class B>
constexpr bool adds_to_view() {
  if constexpr (requires { decltype(B::loc)::adds; }) return decltype(B::loc)::adds;
  else return false;
}

/// What is read instead of a number that is not there.
template <class T>
BATCHWORK_INLINE constexpr T missing_number() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else if constexpr (is_kokkos_complex<T>) {
    using R = typename T::value_type;
    return T(missing_number<R>(), missing_number<R>());
  } else {
    return T(0);
  }
}

}  // namespace Batchwork::Impl

#endif
