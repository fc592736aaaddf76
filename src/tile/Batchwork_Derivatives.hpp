// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// jacobian, gradient, derivative: derivatives of functions of scalars and tiles by forward mode;
/// and the parts they are made from: variable, variables, value_of, derivatives_of.
#ifndef BATCHWORK_DERIVATIVES_HPP
#define BATCHWORK_DERIVATIVES_HPP

#include <type_traits>

#include "tile/Batchwork_Generate.hpp"

namespace Batchwork {

namespace Impl {

/// Two scalars, one with derivatives and one without.
template <class A, class B>
concept DualBesideConstant = is_dual<scalar_pair_t<A, B>> &&
                             (!is_dual<typename ScalarOf<std::remove_cvref_t<A>, double>::type> ||
                              !is_dual<typename ScalarOf<std::remove_cvref_t<B>, double>::type>);

/// The number of a scalar or of a plain number.
template <class S, class X>
BATCHWORK_INLINE auto number_behind(X const& x) {
  if constexpr (!is_scalar_tile<X>) return static_cast<scalar_t<S>>(x);
  else if constexpr (holds_integers<typename X::value_type>)
    return to_value<with_number_t<typename X::value_type, scalar_t<S>>>(x.value);
  else return x.value;
}
template <class S, class X>
BATCHWORK_INLINE info_t<S> info_behind([[maybe_unused]] X const& x) {
  if constexpr (is_scalar_tile<X>) return info_in_lanes_of<S>(x.info);
  else return info_t<S>(0);
}
template <class S, class A, class B>
BATCHWORK_INLINE Scalar<S> scalar_of_pair(S const& value, A const& a, B const& b) {
  return {value, first_failure(info_behind<S>(a), info_behind<S>(b))};
}

}  // namespace Impl

// With a constant there are no derivatives to add or multiply.
/// The sum of a scalar with derivatives and one without.
template <class A, class B>
  requires(ScalarOperands<A, B> && Impl::DualBesideConstant<A, B>)
BATCHWORK_INLINE auto operator+(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  return Impl::scalar_of_pair<S>(Impl::number_behind<S>(a) + Impl::number_behind<S>(b), a, b);
}
/// The difference of a scalar with derivatives and one without.
template <class A, class B>
  requires(ScalarOperands<A, B> && Impl::DualBesideConstant<A, B>)
BATCHWORK_INLINE auto operator-(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  return Impl::scalar_of_pair<S>(Impl::number_behind<S>(a) - Impl::number_behind<S>(b), a, b);
}
/// The product of a scalar with derivatives and one without.
template <class A, class B>
  requires(ScalarOperands<A, B> && Impl::DualBesideConstant<A, B>)
BATCHWORK_INLINE auto operator*(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  return Impl::scalar_of_pair<S>(Impl::number_behind<S>(a) * Impl::number_behind<S>(b), a, b);
}
/// The quotient of a scalar with derivatives and one without.
template <class A, class B>
  requires(ScalarOperands<A, B> && Impl::DualBesideConstant<A, B>)
BATCHWORK_INLINE auto operator/(A const& a, B const& b) {
  using S = Impl::scalar_pair_t<A, B>;
  return Impl::scalar_of_pair<S>(Impl::number_behind<S>(a) / Impl::number_behind<S>(b), a, b);
}

namespace Impl {

/// Sets the entries of a tile R to the numbers f(i, j) of type S; `grid` describes lanes that share
/// an item.
template <class R, class F>
BATCHWORK_INLINE void set_numbers(R& r, [[maybe_unused]] LaneGrid const& grid, F const& f) {
  if constexpr (has_grid<R>) r.grid = grid;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < R::rows; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < R::cols; ++j) {
      if (structurally_zero(R::structure, i, j)) continue;
      if (R::structure == Structure::symmetric && j > i) continue;
      constexpr bool is_line = has_grid<R> && R::structure == Structure::diagonal;
      r.set(i, is_line ? 0 : j, f(i, j));
    }
  }
}

/// The lane grid of numbers with derivatives, if lanes share their item.
template <class D>
BATCHWORK_INLINE LaneGrid grid_of_number([[maybe_unused]] D const& x) {
  LaneGrid grid{};
  if constexpr (is_distributed<constant_t<D>>) {
    grid = constant_of(x).grid;
    if constexpr (is_dual<D>) {
      BATCHWORK_UNROLL
      for (int k = 0; k < D::directions; ++k) grid = merge_grids(grid, x.d[k].grid);
    }
  }
  return grid;
}
template <class X>
BATCHWORK_INLINE LaneGrid grid_of_numbers([[maybe_unused]] X const& x) {
  if constexpr (is_distributed_tile<X>) {
    return grid_of(x);
  } else {
    LaneGrid grid{};
    if constexpr (is_distributed<constant_t<value_t<X>>>) {
      BATCHWORK_UNROLL
      for (int i = 0; i < X::rows; ++i) {
        BATCHWORK_UNROLL
        for (int j = 0; j < X::cols; ++j) grid = merge_grids(grid, grid_of_number(x.entry(i, j)));
      }
    }
    return grid;
  }
}

/// f(entry) for every entry of a tile, as a tile with the same structure.
template <class X, class F>
BATCHWORK_INLINE auto numbers_of_entries(X const& x, F const& f) {
  using S = constant_t<value_t<X>>;
  tile_of_t<S, X::rows, X::cols, X::structure, X::is_vector> r;
  set_numbers(r, grid_of_numbers(x), [&](int i, int j) { return S(f(x.entry(i, j))); });
  r.info = info_in_lanes_of<S>(x.info);
  return r;
}
/// The derivative of a number in direction k; zero for a constant.
template <class D>
BATCHWORK_INLINE auto derivative_of_number(D const& x, [[maybe_unused]] int k) {
  if constexpr (is_dual<D>) return x.d[k];
  else return D(scalar_t<D>(0));
}

template <class S>
constexpr bool require_constant() {
  constexpr bool constant = !is_dual<S> && !is_complex<S>;
  static_assert(constant,
                "Batchwork: derivatives are taken with respect to real numbers that have no "
                "derivatives yet; second derivatives are not supported");
  return constant;
}
template <class S, int N>
BATCHWORK_INLINE Dual<S, N> seeded(S const& x, int i) {
  using T = scalar_t<S>;
  return make_dual<S, N>(x, [&](int k) { return S(with_lanes_of(x, T(k == i ? 1 : 0))); });
}

}  // namespace Impl

/// Makes a scalar or number the independent variable number i of N: its derivative is 1 in
/// direction i, else 0. Numbers without derivatives are constants.
/// \tparam N  the number of directions
/// \param x  a scalar or a number without derivatives
/// \param i  the direction of this variable
/// \returns a scalar with derivatives
template <int N, class X>
  requires Impl::ScalarLike<X>
BATCHWORK_INLINE auto variable(X const& x, int i = 0) {
  using S = typename Impl::ValueOfEntry<X>::type;
  [[maybe_unused]] constexpr bool constant = Impl::require_constant<S>();
  Scalar<S> const y(x);
  return Scalar<Dual<S, N>>(Impl::seeded<S, N>(y.value, i), y.info);
}
/// Makes the entries of a vector the independent variables number first, first + 1, ... of N.
/// ```cpp
/// auto const v = variables(x);
/// auto const y = f(v);  // value_of(y), derivatives_of(y)
/// ```
/// \tparam N  the number of directions; by default the number of entries
/// \param x      a vector without derivatives
/// \param first  the direction of the first entry
/// \returns a vector with derivatives
template <int N = 0, Tile X>
BATCHWORK_INLINE auto variables(X const& x, int first = 0) {
  static_assert(X::cols == 1, "Batchwork::variables(x): x must be a vector");
  using S = value_t<X>;
  [[maybe_unused]] constexpr bool constant = Impl::require_constant<S>();
  constexpr int directions = N > 0 ? N : X::rows;
  Vector<Dual<S, directions>, X::rows> r;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < X::rows; ++i)
    r.set(i, 0, Impl::seeded<S, directions>(x.entry(i, 0), first + i));
  r.info = x.info;
  return r;
}

/// A tile without its derivatives.
template <Tile X>
BATCHWORK_INLINE auto value_of(X const& x) {
  if constexpr (Impl::is_dual<value_t<X>>)
    return Impl::numbers_of_entries(x, [](auto const& e) { return e.value; });
  else return x;
}
/// A scalar without its derivatives.
template <class S>
BATCHWORK_INLINE auto value_of(Scalar<S> const& x) {
  return Scalar<Impl::constant_t<S>>(Impl::constant_of(x.value), x.info);
}
/// The derivative of a tile in direction k, with the same structure; zero for constants.
/// \param x  a tile
/// \param k  the direction; on devices a constant once loops are unrolled
template <Tile X>
BATCHWORK_INLINE auto derivative_of(X const& x, int k) {
  return Impl::numbers_of_entries(x,
                                  [k](auto const& e) { return Impl::derivative_of_number(e, k); });
}
/// The derivative of a scalar in direction k; zero for constants.
template <class S>
BATCHWORK_INLINE auto derivative_of(Scalar<S> const& x, int k) {
  return Scalar<Impl::constant_t<S>>(Impl::derivative_of_number(x.value, k), x.info);
}
/// All derivatives of a vector: a matrix whose row i contains the derivatives of entry i.
/// \param x  a vector with derivatives
template <Tile X>
  requires(Impl::is_dual<value_t<X>>)
BATCHWORK_INLINE auto derivatives_of(X const& x) {
  static_assert(X::cols == 1,
                "Batchwork::derivatives_of(x): x must be a scalar or a vector; for a matrix write "
                "derivative_of(x, k) for each direction k");
  using D = value_t<X>;
  using S = typename D::constant;
  Matrix<S, X::rows, D::directions> r;
  Impl::set_numbers(r, Impl::grid_of_numbers(x), [&](int i, int k) { return x.entry(i, 0).d[k]; });
  r.info = x.info;
  return r;
}
/// All derivatives of a scalar, as a vector.
template <class S, int N>
BATCHWORK_INLINE auto derivatives_of(Scalar<Dual<S, N>> const& x) {
  Vector<S, N> r;
  Impl::set_numbers(r, Impl::grid_of_number(x.value), [&](int k, int) { return x.value.d[k]; });
  r.info = x.info;
  return r;
}

/// The result of value_and_jacobian, for a structured binding: f(x) and its Jacobian.
template <class Y, class J>
struct ValueAndJacobian {
  Y value;     ///< f(x)
  J jacobian;  ///< M x N
};
/// The result of value_and_gradient, for a structured binding: f(x) and its gradient.
template <class Y, class G>
struct ValueAndGradient {
  Y value;     ///< f(x), a scalar
  G gradient;  ///< a vector with as many entries as x
};
/// The result of value_and_derivative, for a structured binding: f(x) and its derivative.
template <class Y, class D>
struct ValueAndDerivative {
  Y value;       ///< f(x)
  D derivative;  ///< with the extents of f(x)
};

namespace Impl {

/// The number of directions at once: at most 8, so that results stay in registers, in calls of
/// about equal size.
constexpr int directions_at_once(int n) {
  constexpr int most = 8;
  int const chunks = (n + most - 1) / most;
  return (n + chunks - 1) / chunks;
}

/// Row i of the value of a function; a scalar has one row.
template <class Y>
BATCHWORK_INLINE auto row_of_value(Y const& y, [[maybe_unused]] int i) {
  if constexpr (is_scalar_tile<Y>) return y.value;
  else return y.entry(i, 0);
}
template <class Y>
constexpr int rows_of_value() {
  constexpr bool is_row = is_scalar_tile<Y> || Tile<Y>;
  static_assert(is_row, "Batchwork::jacobian(f, x): f(x) must be a scalar or a vector");
  if constexpr (is_scalar_tile<Y>) {
    return 1;
  } else {
    static_assert(Y::cols == 1,
                  "Batchwork::jacobian(f, x): f(x) must be a scalar or a vector; for a matrix "
                  "write derivative_of(f(variables(x)), k) for each direction k");
    return Y::rows;
  }
}

/// Merges the status of x, which f may have ignored, into y, if y has a status for each item of x.
template <class Y, class X>
BATCHWORK_INLINE void inherit_status([[maybe_unused]] Y& y, [[maybe_unused]] X const& x) {
  using S = typename Y::value_type;
  if constexpr (std::is_same_v<promote_t<S, typename X::value_type>, S>)
    y.info = merge_info<S>(y.info, x.info);
}

/// f(x) and its derivatives with respect to the entries of x, AtOnce directions at a time, which
/// are passed to `set(j, i, number)`.
template <int AtOnce, class F, class X, class Begin, class Set>
BATCHWORK_INLINE auto differentiate(F const& f, X const& x, Begin const& begin, Set const& set) {
  using Y = std::remove_cvref_t<decltype(f(variables<AtOnce>(x, 0)))>;
  constexpr int M = rows_of_value<Y>();
  decltype(value_of(f(variables<AtOnce>(x, 0)))) value;
  BATCHWORK_LOOP_ON_HOST
  for (int first = 0; first < X::rows; first += AtOnce) {
    auto const y = f(variables<AtOnce>(x, -first));
    if (first == 0) begin(y);
    BATCHWORK_UNROLL
    for (int k = 0; k < AtOnce; ++k) {
      if (first + k >= X::rows) continue;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) set(i, first + k, derivative_of_number(row_of_value(y, i), k));
    }
    value = value_of(y);
  }
  inherit_status(value, x);
  return value;
}

}  // namespace Impl

/// f(x) and its Jacobian: entry (i, j) is the derivative of entry i of f(x) with respect to entry j
/// of x. f is called with a vector of numbers with derivatives. Data that f uses besides its
/// argument are constant. The result has the first failure of f(x) and x as its status.
/// ```cpp
/// auto const [y, j] = value_and_jacobian([&](auto const& v) { return rhs(v, k); }, x);
/// ```
/// Cost: forward mode calls f once for each group of up to `AtOnce` directions. A call takes about
/// (1 + 2 AtOnce) times the operations of f.
/// \tparam AtOnce  the directions of a call; by default at most 8, in calls of about equal size
/// \param f  a function of a vector that returns a vector with M entries, or a scalar (M = 1)
/// \param x  a vector with N entries
/// \returns the value and the M x N Jacobian, for a structured binding
template <int AtOnce = 0, class F, Tile X>
BATCHWORK_INLINE auto value_and_jacobian(F const& f, X const& x) {
  static_assert(X::cols == 1, "Batchwork::jacobian(f, x): x must be a vector");
  constexpr int directions = AtOnce > 0 ? AtOnce : Impl::directions_at_once(X::rows);
  using Y = std::remove_cvref_t<decltype(f(variables<directions>(x, 0)))>;
  using S = Impl::constant_t<typename Y::value_type>;
  Matrix<S, Impl::rows_of_value<Y>(), X::rows> r;
  auto const begin = [&](Y const& y) {
    if constexpr (Impl::has_grid<decltype(r)>) r.grid = Impl::grid_of_numbers(x);
    r.info = Impl::info_in_lanes_of<S>(y.info);
    Impl::inherit_status(r, x);
  };
  auto const value = Impl::differentiate<directions>(
      f, x, begin, [&](int i, int j, auto const& d) { r.set(i, j, S(d)); });
  return ValueAndJacobian<std::remove_cvref_t<decltype(value)>, decltype(r)>{value, r};
}
/// The Jacobian of f at x; see value_and_jacobian.
template <int AtOnce = 0, class F, Tile X>
BATCHWORK_INLINE auto jacobian(F const& f, X const& x) {
  return value_and_jacobian<AtOnce>(f, x).jacobian;
}
/// f(x) and its gradient, a vector with as many entries as x; see value_and_jacobian.
/// \param f  a function of a vector that returns a scalar
/// \param x  a vector
/// \returns the value and the gradient, for a structured binding
template <int AtOnce = 0, class F, Tile X>
BATCHWORK_INLINE auto value_and_gradient(F const& f, X const& x) {
  static_assert(X::cols == 1, "Batchwork::gradient(f, x): x must be a vector");
  constexpr int directions = AtOnce > 0 ? AtOnce : Impl::directions_at_once(X::rows);
  using Y = std::remove_cvref_t<decltype(f(variables<directions>(x, 0)))>;
  static_assert(
      Impl::is_scalar_tile<Y>,
      "Batchwork::gradient(f, x): f(x) must be a scalar; for a vector write jacobian(f, x)");
  using S = Impl::constant_t<typename Y::value_type>;
  Vector<S, X::rows> r;
  auto const begin = [&](Y const& y) {
    if constexpr (Impl::has_grid<decltype(r)>) r.grid = Impl::grid_of_numbers(x);
    r.info = Impl::info_in_lanes_of<S>(y.info);
    Impl::inherit_status(r, x);
  };
  auto const value = Impl::differentiate<directions>(
      f, x, begin, [&](int, int j, auto const& d) { r.set(j, 0, S(d)); });
  return ValueAndGradient<std::remove_cvref_t<decltype(value)>, decltype(r)>{value, r};
}
/// The gradient of f at x; see value_and_gradient.
template <int AtOnce = 0, class F, Tile X>
BATCHWORK_INLINE auto gradient(F const& f, X const& x) {
  return value_and_gradient<AtOnce>(f, x).gradient;
}
/// f(x) and its derivative with respect to the scalar x.
/// \param f  a function of a scalar that returns a scalar or a tile
/// \param x  a scalar or a number
/// \returns the value and the derivative, for a structured binding
template <class F, class X>
  requires Impl::ScalarLike<X>
BATCHWORK_INLINE auto value_and_derivative(F const& f, X const& x) {
  auto const y = f(variable<1>(x));
  auto const value = value_of(y);
  auto const derivative = derivative_of(y, 0);
  return ValueAndDerivative<std::remove_cvref_t<decltype(value)>,
                            std::remove_cvref_t<decltype(derivative)>>{value, derivative};
}
/// The derivative of f at the scalar x; see value_and_derivative.
template <class F, class X>
  requires Impl::ScalarLike<X>
BATCHWORK_INLINE auto derivative(F const& f, X const& x) {
  return derivative_of(f(variable<1>(x)), 0);
}

}  // namespace Batchwork

#endif
