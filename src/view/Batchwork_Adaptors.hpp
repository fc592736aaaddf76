// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What can be said about a View before it becomes an operand: run-time extents, compact storage,
/// structure; and values that are fixed at launch.
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

/// A View with what the user said about it. E are the tile's extents where the View's type does not
/// give them.
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
                "Batchwork: an operand is made of a Kokkos::View, or of one adapted by "
                "extents, compact, symmetric, lower or diagonal, or of fixed(value)");
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
  static_assert(St == Structure::general, "Batchwork: a View is given one structure only");
  return Adapted<V, New, P, E...>{a.view, a.compact_items, a.reversed};
}

template <int... New, class V, Structure St, bool P, int... E>
auto with_extents(Adapted<V, St, P, E...> const& a) {
  static_assert(sizeof...(E) == 0, "Batchwork: extents<...>(view) is given once");
  return Adapted<V, St, P, New...>{a.view, a.compact_items, a.reversed};
}

template <class V, Structure St, bool P, int... E>
auto as_compact(Adapted<V, St, P, E...> const& a, std::int64_t n) {
  return Adapted<V, St, true, E...>{a.view, n, a.reversed};
}

}  // namespace Impl

/// extents<M, N>(view), extents<N>(view): the tile's extents for a View that has them at run time;
/// checked when a verb is called. The item and time extents are not given.
template <int... E, Impl::Viewish V>
auto extents(V const& view) {
  static_assert(sizeof...(E) == 1 || sizeof...(E) == 2,
                "Batchwork::extents: one extent for vectors, two for matrices");
  return Impl::with_extents<E...>(Impl::adapted(view));
}

/// compact(view, n): n items stored in groups of W, the item within the group last:
/// View<T*[M][N][W], LayoutRight> is (group, row, column, lane) and has ceil(n / W) groups.
template <Impl::Viewish V>
auto compact(V const& view, std::int64_t n) {
  return Impl::as_compact(Impl::adapted(view), n);
}

/// The View's time runs from its last step to its first: step t is v(item, steps of the View - 1 -
/// t, ...). For each, emit and common(each(v)); where all operands run backwards,
/// scan(backward(steps), ...) does without.
template <Impl::Viewish V>
auto reversed(V const& view) {
  auto a = Impl::adapted(view);
  a.reversed = !a.reversed;
  return a;
}

/// The View holds symmetric matrices: the lower triangle is read, both are written.
template <Impl::Viewish V>
auto symmetric(V const& view) {
  return Impl::restructured<Structure::symmetric>(Impl::adapted(view));
}
/// The View holds lower triangular matrices: the lower triangle is read; zeros are written above
/// it.
template <Impl::Viewish V>
auto lower(V const& view) {
  return Impl::restructured<Structure::lower>(Impl::adapted(view));
}
/// The View holds the diagonals of diagonal matrices, as vectors.
template <Impl::Viewish V>
auto diagonal(V const& view) {
  return Impl::restructured<Structure::diagonal>(Impl::adapted(view));
}

namespace Impl {

/// A value that travels with the launch.
template <class T, class Sh>
struct Fixed {
  using shape = Sh;
  using value_type = T;
  static constexpr int size = Sh::structure == Structure::diagonal ? Sh::rows : Sh::rows * Sh::cols;
  /// Rows of whole units are read by 16 bytes.
  alignas(size * sizeof(T) % 16 == 0 ? 16 : alignof(T)) T values[size];
};

template <class T>
concept NumberToFix = std::floating_point<T> || is_kokkos_complex<T>;

/// Of so many numbers f(i) or f(i, j).
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

/// fixed(x): a tile, a scalar or a number as an operand common to all items, copied into the
/// launch's arguments: the fastest source on devices to 2 KB in all. A launch has room for 2 KB,
/// with Kokkos 5.2 for 30 KB; there more than 2 are staged in team scratch.
template <Tile X>
auto fixed(X const& x) {
  using T = value_t<X>;
  static_assert(std::is_arithmetic_v<real_t<T>>,
                "Batchwork::fixed: the tile must hold numbers, or complex ones, not packs of them");
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
template <std::floating_point T>
auto fixed(T x) {
  return Impl::Fixed<T, Impl::Shape<1, 1, Structure::general, 0>>{{x}};
}
/// Integers as std::int32_t or std::int64_t, by their size; a bool as it is.
template <std::integral T>
auto fixed(T x) {
  static_assert(std::is_same_v<T, bool> || std::is_signed_v<T>,
                "Batchwork::fixed: integers have signs; write fixed(std::int32_t(k)) or "
                "fixed(std::int64_t(k))");
  using I = std::conditional_t<std::is_same_v<T, bool>, bool,
                               std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>;
  return Impl::Fixed<I, Impl::Shape<1, 1, Structure::general, 0>>{{static_cast<I>(x)}};
}
template <std::floating_point T>
auto fixed(Kokkos::complex<T> const& x) {
  return Impl::Fixed<Complex<T>, Impl::Shape<1, 1, Structure::general, 0>>{{x}};
}
/// An array: N numbers are a vector, M x N numbers, row by row, a matrix.
template <Impl::NumberToFix T, std::size_t N>
auto fixed(T const (&x)[N]) {
  return Impl::fixed_numbers<T, N>([&](std::size_t i) { return x[i]; });
}
template <Impl::NumberToFix T, std::size_t M, std::size_t N>
auto fixed(T const (&x)[M][N]) {
  return Impl::fixed_numbers<T, M, N>([&](std::size_t i, std::size_t j) { return x[i][j]; });
}
template <Impl::NumberToFix T, std::size_t N>
auto fixed(std::array<T, N> const& x) {
  return Impl::fixed_numbers<T, N>([&](std::size_t i) { return x[i]; });
}
template <Impl::NumberToFix T, std::size_t M, std::size_t N>
auto fixed(std::array<std::array<T, N>, M> const& x) {
  return Impl::fixed_numbers<T, M, N>([&](std::size_t i, std::size_t j) { return x[i][j]; });
}
template <class S>
auto fixed(Scalar<S> const& x) {
  if constexpr (Impl::is_complex<S>) return fixed(Kokkos::complex<scalar_t<S>>(x.value));
  else return fixed(x.value);
}

/// symmetric(fixed(x)), lower(fixed(x)), diagonal(fixed(v)): with structure. Of a matrix the lower
/// triangle counts.
template <class T, class Sh>
auto symmetric(Impl::Fixed<T, Sh> const& x) {
  using New = typename Impl::Restructured<Sh, Structure::symmetric>::type;
  Impl::Fixed<T, New> r;
  for (int i = 0; i < Sh::rows; ++i)
    for (int j = 0; j < Sh::cols; ++j)
      r.values[i * Sh::cols + j] = x.values[i < j ? j * Sh::cols + i : i * Sh::cols + j];
  return r;
}
template <class T, class Sh>
auto lower(Impl::Fixed<T, Sh> const& x) {
  using New = typename Impl::Restructured<Sh, Structure::lower>::type;
  Impl::Fixed<T, New> r;
  for (int i = 0; i < Sh::rows; ++i)
    for (int j = 0; j < Sh::cols; ++j)
      r.values[i * Sh::cols + j] = j > i ? T(0) : x.values[i * Sh::cols + j];
  return r;
}
template <class T, class Sh>
auto diagonal(Impl::Fixed<T, Sh> const& x) {
  using New = typename Impl::Restructured<Sh, Structure::diagonal>::type;
  Impl::Fixed<T, New> r;
  for (int i = 0; i < Sh::rows; ++i) r.values[i] = x.values[i];
  return r;
}

}  // namespace Batchwork

#endif
