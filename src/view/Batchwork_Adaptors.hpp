// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Adaptors describe a View before it becomes an operand: extents known at run time, compact
/// storage, matrix structure. fixed(value) is used instead of a View.
#ifndef BATCHWORK_ADAPTORS_HPP
#define BATCHWORK_ADAPTORS_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "view/detail/layout/Batchwork_Shape.hpp"

namespace Batchwork {

namespace Impl {

/// A View with the properties that the user gave it. E are the tile's extents where the View's type
/// does not contain them.
template <class V, Structure St, bool IsCompact, int... E>
struct Adapted {
  using view_type = V;
  V view;
  std::int64_t compact_items = 0;
  bool reversed = false;  ///< its last step is step 0
};

template <class V>
struct AsAdapted {
  static_assert(Kokkos::is_view_v<V>,
                "Batchwork: an operand is made from a Kokkos::View, from a View adapted by "
                "extents, compact, symmetric, lower or diagonal, or from fixed(value)");
  using type = Adapted<V, Structure::general, false>;
};
template <class V, Structure St, bool P, int... E>
struct AsAdapted<Adapted<V, St, P, E...>> {
  using type = Adapted<V, St, P, E...>;
};

template <class X>
inline constexpr bool is_adapted = false;
template <class V, Structure St, bool P, int... E>
inline constexpr bool is_adapted<Adapted<V, St, P, E...>> = true;

template <class X>
concept Viewish = Kokkos::is_view_v<X> || is_adapted<X>;

template <Viewish X>
auto adapted(X const& x) {
  if constexpr (is_adapted<X>) {
    return x;
  } else {
    return typename AsAdapted<X>::type{x};
  }
}

template <Structure New, class V, Structure St, bool P, int... E>
auto restructured(Adapted<V, St, P, E...> const& a) {
  static_assert(
      St == Structure::general,
      "Batchwork: a View can have only one of the structures symmetric, lower and diagonal");
  return Adapted<V, New, P, E...>{a.view, a.compact_items, a.reversed};
}

template <int... New, class V, Structure St, bool P, int... E>
auto with_extents(Adapted<V, St, P, E...> const& a) {
  static_assert(sizeof...(E) == 0, "Batchwork: extents<...>(view) can be given only once");
  return Adapted<V, St, P, New...>{a.view, a.compact_items, a.reversed};
}

template <class V, Structure St, bool P, int... E>
auto as_compact(Adapted<V, St, P, E...> const& a, std::int64_t n) {
  return Adapted<V, St, true, E...>{a.view, n, a.reversed};
}

}  // namespace Impl

/// Gives the extents of the tile for a View whose tile extents are known at run time. The item and
/// time extents are not given. A verb checks the extents when it is called.
/// ```cpp
/// Kokkos::View<double***> a("a", items, 3, 3);
/// auto const operand = in(extents<3, 3>(a));  // a vector: extents<3>(x)
/// ```
/// \tparam E  one extent for a vector, two (rows, columns) for a matrix
/// \param view  a View, or an adapted one
/// \returns the adapted View
template <int... E, Impl::Viewish V>
auto extents(V const& view) {
  static_assert(sizeof...(E) == 1 || sizeof...(E) == 2,
                "Batchwork::extents: give one extent for vectors, two for matrices");
  return Impl::with_extents<E...>(Impl::adapted(view));
}

/// Describes a View that stores n items in groups of W, with the item within its group as the last
/// index: `View<T*[M][N][W], LayoutRight>` is indexed (group, row, column, lane) and has ceil(n /
/// W) groups.
/// ```cpp
/// Kokkos::View<float*[3][3][8], Kokkos::LayoutRight> a("a", (n + 7) / 8);
/// auto const operand = in(compact(a, n));
/// ```
/// \param view  a View, or an adapted one
/// \param n     the number of items
/// \returns the adapted View
template <Impl::Viewish V>
auto compact(V const& view, std::int64_t n) {
  return Impl::as_compact(Impl::adapted(view), n);
}

/// Reverses the time of a View: step t is v(item, steps of the View - 1 - t, ...). For `each`,
/// `emit` and `common(each(v))`. If all operands run backwards, use scan(backward(steps), ...)
/// instead.
/// ```cpp
/// auto const operand = each(reversed(v));
/// ```
/// \param view  a View, or an adapted one
/// \returns the adapted View
template <Impl::Viewish V>
auto reversed(V const& view) {
  auto a = Impl::adapted(view);
  a.reversed = !a.reversed;
  return a;
}

/// Declares that the View holds symmetric matrices of real numbers. Only the lower triangle is
/// read; both triangles are written.
/// ```cpp
/// auto const operand = inout(symmetric(p));
/// ```
/// \param view  a View, or an adapted one
/// \returns the adapted View
template <Impl::Viewish V>
auto symmetric(V const& view) {
  return Impl::restructured<Structure::symmetric>(Impl::adapted(view));
}
/// Declares that the View holds lower triangular matrices. Only the lower triangle is read; zeros
/// are written above it.
/// \param view  a View, or an adapted one
/// \returns the adapted View
template <Impl::Viewish V>
auto lower(V const& view) {
  return Impl::restructured<Structure::lower>(Impl::adapted(view));
}
/// Declares that the View holds the diagonals of diagonal matrices, each as a vector.
/// \param view  a View, or an adapted one
/// \returns the adapted View
template <Impl::Viewish V>
auto diagonal(V const& view) {
  return Impl::restructured<Structure::diagonal>(Impl::adapted(view));
}

namespace Impl {

/// A value that is copied into the arguments of the launch.
template <class T, class Sh>
struct Fixed {
  using shape = Sh;
  using value_type = T;
  static constexpr int size = Sh::structure == Structure::diagonal ? Sh::rows : Sh::rows * Sh::cols;
  /// Aligned so that rows whose size is a multiple of 16 bytes can be read 16 bytes at a time.
  alignas(size * sizeof(T) % 16 == 0 ? 16 : alignof(T)) T values[size];
};

template <class T>
concept NumberToFix = std::floating_point<T> || is_kokkos_complex<T>;

/// A fixed vector of the numbers f(i), or a fixed matrix of the numbers f(i, j).
template <class T, std::size_t... E, class F>
auto fixed_numbers(F const& f) {
  constexpr int extents[] = {int(E)...}, rank = int(sizeof...(E)), rows = extents[0],
                cols = rank == 2 ? extents[rank - 1] : 1;
  Fixed<number_of_t<T>, Shape<rows, cols, Structure::general, rank>> r;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      if constexpr (rank == 2) r.values[i * cols + j] = f(std::size_t(i), std::size_t(j));
      else r.values[i] = f(std::size_t(i));
    }
  return r;
}

template <class X>
inline constexpr bool is_fixed = false;
template <class T, class Sh>
inline constexpr bool is_fixed<Fixed<T, Sh>> = true;

}  // namespace Impl

/// Makes a value for common(...) from a tile: common(fixed(x)). It is copied into the arguments of
/// the launch. Up to 2 KB in total this is the fastest way to pass a common value on a device. A
/// launch takes at most 2 KB of fixed values; on hosts, and on CUDA with Kokkos 5.2 or newer, 30
/// KB. Beyond 2 KB devices stage them in team scratch.
/// ```cpp
/// double const f[2][2] = {{1, 0.1}, {0, 1}};
/// map(Predict{}, inout(x), common(fixed(f)));
/// ```
/// \param x  a tile of numbers (not of packs), made on the host
/// \returns a value for common(...)
template <Tile X>
auto fixed(X const& x) {
  using T = value_t<X>;
  static_assert(std::is_arithmetic_v<real_t<T>>,
                "Batchwork::fixed: the tile must hold real or complex numbers, not packs");
  constexpr int rank = X::structure == Structure::diagonal || X::is_vector ? 1 : 2;
  using Sh = Impl::Shape<X::rows, X::cols, X::structure, rank>;
  Impl::Fixed<T, Sh> f;
  if constexpr (X::structure == Structure::diagonal) {
    for (int i = 0; i < X::rows; ++i) f.values[i] = x.entry(i, i);
  } else {
    for (int i = 0; i < X::rows; ++i)
      for (int j = 0; j < X::cols; ++j) f.values[i * X::cols + j] = x.entry(i, j);
  }
  return f;
}
/// The same for a single real number.
template <std::floating_point T>
auto fixed(T x) {
  return Impl::Fixed<T, Impl::Shape<1, 1, Structure::general, 0>>{{x}};
}
/// The same for an integer or a bool. Integers are passed as std::int32_t or std::int64_t, by their
/// size; unsigned ones are refused.
template <std::integral T>
auto fixed(T x) {
  static_assert(std::is_same_v<T, bool> || std::is_signed_v<T>,
                "Batchwork::fixed: integers must be signed; write fixed(std::int32_t(k)) or "
                "fixed(std::int64_t(k))");
  using I = std::conditional_t<std::is_same_v<T, bool>, bool,
                               std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>;
  return Impl::Fixed<I, Impl::Shape<1, 1, Structure::general, 0>>{{static_cast<I>(x)}};
}
/// The same for a complex number.
template <std::floating_point T>
auto fixed(Kokkos::complex<T> const& x) {
  return Impl::Fixed<Complex<T>, Impl::Shape<1, 1, Structure::general, 0>>{{x}};
}
/// The same for an array of N numbers, which becomes a vector.
template <Impl::NumberToFix T, std::size_t N>
auto fixed(T const (&x)[N]) {
  return Impl::fixed_numbers<T, N>([&](std::size_t i) { return x[i]; });
}
/// The same for an array of M x N numbers, row by row, which becomes a matrix.
template <Impl::NumberToFix T, std::size_t M, std::size_t N>
auto fixed(T const (&x)[M][N]) {
  return Impl::fixed_numbers<T, M, N>([&](std::size_t i, std::size_t j) { return x[i][j]; });
}
/// The same for a std::array, which becomes a vector.
template <Impl::NumberToFix T, std::size_t N>
auto fixed(std::array<T, N> const& x) {
  return Impl::fixed_numbers<T, N>([&](std::size_t i) { return x[i]; });
}
/// The same for a std::array of rows, which becomes a matrix.
template <Impl::NumberToFix T, std::size_t M, std::size_t N>
auto fixed(std::array<std::array<T, N>, M> const& x) {
  return Impl::fixed_numbers<T, M, N>([&](std::size_t i, std::size_t j) { return x[i][j]; });
}
/// The same for a Scalar.
template <class S>
auto fixed(Scalar<S> const& x) {
  if constexpr (Impl::is_complex<S>) return fixed(Kokkos::complex<scalar_t<S>>(x.value));
  else return fixed(x.value);
}

/// Declares that a fixed matrix is symmetric; its lower triangle is used.
/// \param x  fixed(matrix)
template <class T, class Sh>
auto symmetric(Impl::Fixed<T, Sh> const& x) {
  using New = typename Impl::Restructured<Sh, Structure::symmetric>::type;
  Impl::Fixed<T, New> r;
  for (int i = 0; i < Sh::rows; ++i)
    for (int j = 0; j < Sh::cols; ++j)
      r.values[i * Sh::cols + j] = x.values[i < j ? j * Sh::cols + i : i * Sh::cols + j];
  return r;
}
/// Declares that a fixed matrix is lower triangular; numbers above the diagonal are ignored.
/// \param x  fixed(matrix)
template <class T, class Sh>
auto lower(Impl::Fixed<T, Sh> const& x) {
  using New = typename Impl::Restructured<Sh, Structure::lower>::type;
  Impl::Fixed<T, New> r;
  for (int i = 0; i < Sh::rows; ++i)
    for (int j = 0; j < Sh::cols; ++j)
      r.values[i * Sh::cols + j] = j > i ? T(0) : x.values[i * Sh::cols + j];
  return r;
}
/// Makes a fixed diagonal matrix from a fixed vector.
/// \param x  fixed(vector)
template <class T, class Sh>
auto diagonal(Impl::Fixed<T, Sh> const& x) {
  using New = typename Impl::Restructured<Sh, Structure::diagonal>::type;
  Impl::Fixed<T, New> r;
  for (int i = 0; i < Sh::rows; ++i) r.values[i] = x.values[i];
  return r;
}

}  // namespace Batchwork

#endif
