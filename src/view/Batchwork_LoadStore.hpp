// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// load, store: tiles in a kernel that is not the library's, where one thread has a whole item.
#ifndef BATCHWORK_LOADSTORE_HPP
#define BATCHWORK_LOADSTORE_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "core/Batchwork_Complex.hpp"
#include "tile/types/Batchwork_Matrix.hpp"
#include "tile/types/Batchwork_Scalar.hpp"
#include "tile/types/Batchwork_Structured.hpp"

namespace Batchwork {

namespace Impl {

/// Numbers at a pointer: entry (i, j) is p[i row + j col].
template <class T>
struct NumbersAt {
  T* p;
  std::ptrdiff_t row, col;
  BATCHWORK_INLINE T& operator()(int i, int j) const { return p[i * row + j * col]; }
  BATCHWORK_INLINE T& operator()(int i) const { return p[i * row]; }
};

/// A tile of the numbers at(i, j), or at(i) for vectors.
template <class R, class At>
BATCHWORK_INLINE R loaded(At const& at) {
  using S = typename R::value_type;
  static_assert(one_item_per_lane<S> && !is_distributed<S>,
                "Batchwork::load: the tile holds plain numbers, as Symmetric<double, 3>");
  R r{};
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < R::rows; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < R::cols; ++j) {
      if constexpr (R::is_vector) r.set(i, j, S(at(i)));
      else if (!R::skips(i, j)) r.set(i, j, S(at(i, j)));
    }
  }
  return r;
}
template <class X, class At>
BATCHWORK_INLINE void stored_at(X const& x, At const& at) {
  static_assert(one_item_per_lane<value_t<X>> && !is_distributed<value_t<X>>,
                "Batchwork::store: in a sequence assign to an operand, y = x; store is for your "
                "own kernels");
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < X::rows; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < X::cols; ++j) {
      auto const y = x.entry(i, j);
      if constexpr (X::is_vector) {
        using T = std::remove_reference_t<decltype(at(i))>;
        at(i) = static_cast<T>(y);
      } else {
        using T = std::remove_reference_t<decltype(at(i, j))>;
        at(i, j) = static_cast<T>(y);
      }
    }
  }
}

/// A View, or another object that v(n..., i, j) indexes.
template <class V>
concept IndexedNumbers = requires { typename V::value_type; };

template <class V>
using number_in_t = number_of_t<std::remove_const_t<typename V::value_type>>;

}  // namespace Impl

/// The tile of one item, in a kernel of your own whose threads have one item each: a functor of a
/// RangePolicy, or a lambda. Every operation on tiles takes it. The status of the item is its
/// member `info`: 0, or a code as in Status.
/// ```cpp
/// auto const a = load<Symmetric<double, 3>>(A, n);  // the lower triangle of A(n, ., .)
/// auto const b = load<3>(B, n);                     // B(n, .)
/// auto const x = cholesky(a).solve(b);
/// store(x, X, n);
/// ```
/// The extents are those of load<M, N>, a Matrix, or load<N>, a Vector; or the type of the tile is
/// given, for a structure.
/// \tparam E  the extents, one or two
/// \param v  a View, or an object with v(n..., i, j) and a value_type; a subview too
/// \param n  the indices before those of the tile
/// \returns a Matrix or a Vector
template <int... E, class V, std::integral... N>
  requires(sizeof...(E) > 0 && Impl::IndexedNumbers<V>)
BATCHWORK_INLINE auto load(V const& v, N... n) {
  static_assert(sizeof...(E) <= 2, "Batchwork::load: a tile has one or two extents");
  using S = Impl::number_in_t<V>;
  if constexpr (sizeof...(E) == 1)
    return Impl::loaded<Vector<S, E...>>([&](int i) -> decltype(auto) { return v(n..., i); });
  else
    return Impl::loaded<Matrix<S, E...>>(
        [&](int i, int j) -> decltype(auto) { return v(n..., i, j); });
}
/// The same as a tile of type R.
/// \tparam R  a tile of plain numbers, such as Symmetric<double, 3> or Lower<float, 4>
template <Tile R, class V, std::integral... N>
  requires Impl::IndexedNumbers<V>
BATCHWORK_INLINE R load(V const& v, N... n) {
  if constexpr (R::is_vector)
    return Impl::loaded<R>([&](int i) -> decltype(auto) { return v(n..., i); });
  else return Impl::loaded<R>([&](int i, int j) -> decltype(auto) { return v(n..., i, j); });
}
/// The same from memory with strides.
/// \param p    the first number
/// \param row  the distance between rows, in numbers
/// \param col  the distance between columns, in numbers; not used for a vector
template <int... E, class T>
  requires(sizeof...(E) > 0 && sizeof...(E) <= 2)
BATCHWORK_INLINE auto load(T const* p, std::ptrdiff_t row, std::ptrdiff_t col) {
  using S = Impl::number_of_t<T>;
  Impl::NumbersAt<T const> const at{p, row, col};
  if constexpr (sizeof...(E) == 1) return Impl::loaded<Vector<S, E...>>(at);
  else return Impl::loaded<Matrix<S, E...>>(at);
}
/// The same from memory: rows one after the other.
/// \param p  the first number
template <int... E, class T>
  requires(sizeof...(E) > 0 && sizeof...(E) <= 2)
BATCHWORK_INLINE auto load(T const* p) {
  constexpr int extents[] = {E...};
  return load<E...>(p, sizeof...(E) == 2 ? extents[sizeof...(E) - 1] : 1, 1);
}
/// The same from an array of rows, or a vector from an array of numbers.
/// \param a  the array
template <class T, std::size_t M, std::size_t N>
BATCHWORK_INLINE auto load(T const (&a)[M][N]) {
  return load<int(M), int(N)>(&a[0][0]);
}
template <class T, std::size_t N>
  requires(!std::is_array_v<T>)
BATCHWORK_INLINE auto load(T const (&a)[N]) {
  return load<int(N)>(&a[0], 1, 1);
}

/// Writes the tile of one item, in a kernel of your own: see load. All entries are written, those
/// of a symmetric tile in both triangles, and zeros of a structure.
/// ```cpp
/// store(x, X, n);  // X(n, i) = x(i)
/// ```
/// \param x  a tile
/// \param v  a View that is not const, or an object as for load
/// \param n  the indices before those of the tile
template <Tile X, class V, std::integral... N>
  requires Impl::IndexedNumbers<V>
BATCHWORK_INLINE void store(X const& x, V const& v, N... n) {
  if constexpr (X::is_vector)
    Impl::stored_at(x, [&](int i) -> decltype(auto) { return v(n..., i); });
  else Impl::stored_at(x, [&](int i, int j) -> decltype(auto) { return v(n..., i, j); });
}
/// The same to memory: rows one after the other.
/// \param p  the place of the first number
template <Tile X, class T>
  requires(!std::is_array_v<T>)
BATCHWORK_INLINE void store(X const& x, T* p) {
  Impl::stored_at(x, Impl::NumbersAt<T>{p, X::is_vector ? 1 : X::cols, 1});
}
/// The same to memory with strides.
/// \param row  the distance between rows, in numbers
/// \param col  the distance between columns, in numbers; not used for a vector
template <Tile X, class T>
  requires(!std::is_array_v<T>)
BATCHWORK_INLINE void store(X const& x, T* p, std::ptrdiff_t row, std::ptrdiff_t col) {
  Impl::stored_at(x, Impl::NumbersAt<T>{p, row, col});
}
/// The same to an array of rows.
/// \param a  the array, with the extents of the tile
template <Tile X, class T, std::size_t M, std::size_t N>
BATCHWORK_INLINE void store(X const& x, T (&a)[M][N]) {
  static_assert(X::rows == int(M) && X::cols == int(N),
                "Batchwork::store: the array has other extents than the tile");
  store(x, &a[0][0]);
}

}  // namespace Batchwork

#endif
