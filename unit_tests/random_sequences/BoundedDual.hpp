// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Derivatives in the interpreter of sequences: numbers and tiles with a derivative for each
/// direction, computed by the rules of calculus with the arithmetic of Bounded.hpp. Also the
/// functions that sequences call by the same name for tiles of the library and of the interpreter.
#ifndef BATCHWORK_TEST_BOUNDED_DUAL_HPP
#define BATCHWORK_TEST_BOUNDED_DUAL_HPP

#include "BoundedLanguage.hpp"

namespace Batchwork::RandomSequences {

/// A number with its derivatives. A constant has none.
struct BoundedDual {
  BoundedScalar value;
  std::vector<BoundedScalar> d;
  BoundedDual() = default;
  BoundedDual(BoundedScalar const& v) : value(v) {}
  BoundedDual(BoundedScalar const& v, std::vector<BoundedScalar> const& derivatives)
      : value(v), d(derivatives) {}
  template <class U>
    requires std::is_arithmetic_v<U>
  BoundedDual(U u) : value(u) {}
};
BoundedDual operator-(BoundedDual const& a);
BoundedDual operator+(BoundedDual const& a, BoundedDual const& b);
BoundedDual operator-(BoundedDual const& a, BoundedDual const& b);
BoundedDual operator*(BoundedDual const& a, BoundedDual const& b);
BoundedDual operator/(BoundedDual const& a, BoundedDual const& b);
BoundedDual sin(BoundedDual const& x);
BoundedDual cos(BoundedDual const& x);
BoundedDual atan(BoundedDual const& x);
BoundedDual tanh(BoundedDual const& x);
BoundedDual sqrt(BoundedDual const& x);
BoundedDual exp(BoundedDual const& x);

struct BoundedDualTile {
  BoundedTile value;
  std::vector<BoundedTile> d;
  BoundedDualTile() = default;
  BoundedDualTile(BoundedTile const& v) { value.become(v); }
  BoundedDual operator()(int i, int j = 0) const;
};
BoundedDualTile operator+(BoundedDualTile const& a, BoundedDualTile const& b);
BoundedDualTile operator-(BoundedDualTile const& a, BoundedDualTile const& b);
BoundedDualTile operator*(BoundedDualTile const& a, BoundedDualTile const& b);
BoundedDualTile operator*(BoundedDual const& a, BoundedDualTile const& b);
BoundedDual dot(BoundedDualTile const& a, BoundedDualTile const& b);
struct BoundedDualLu {
  BoundedDualTile a;
  BoundedDualTile solve(BoundedDualTile const& b) const;
};
BoundedDualLu lu(BoundedDualTile const& a);
BoundedDualTile bounded_dual_entries(int m, int n, std::function<BoundedDual(int, int)> const& f);

// ---- derivatives of functions -------------------------------------------------------------------

BoundedDualTile bounded_variables(BoundedTile const& x);
BoundedTile bounded_derivatives(BoundedDual const& y, bool as_column);
BoundedTile bounded_derivatives(BoundedDualTile const& y, bool);

struct BoundedValueAndJacobian {
  BoundedTile value, jacobian;
};
struct BoundedValueAndGradient {
  BoundedScalar value;
  BoundedTile gradient;
};
struct BoundedValueAndDerivative {
  BoundedScalar value, derivative;
};
template <class F>
BoundedTile jacobian(F const& f, BoundedTile const& x) {
  return bounded_derivatives(f(bounded_variables(x)), false);
}
template <class F>
BoundedTile gradient(F const& f, BoundedTile const& x) {
  return bounded_derivatives(f(bounded_variables(x)), true);
}
template <class F>
BoundedValueAndJacobian value_and_jacobian(F const& f, BoundedTile const& x) {
  auto const y = f(bounded_variables(x));
  return {y.value, bounded_derivatives(y, false)};
}
template <class F>
BoundedValueAndGradient value_and_gradient(F const& f, BoundedTile const& x) {
  auto const y = f(bounded_variables(x));
  return {y.value, bounded_derivatives(y, true)};
}
template <class F>
BoundedScalar derivative(F const& f, BoundedScalar const& x) {
  return f(BoundedDual(x, {BoundedScalar(1)})).d[0];
}
template <class F>
BoundedValueAndDerivative value_and_derivative(F const& f, BoundedScalar const& x) {
  auto const y = f(BoundedDual(x, {BoundedScalar(1)}));
  return {y.value, y.d[0]};
}

// ---- what sequences call under the same name for the library's tiles ----------------------------

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// generate<M, N>(f), for either.
template <int M, int N, class F>
KOKKOS_FUNCTION auto entries(F const& f) {
  using X = std::remove_cvref_t<decltype(f(0, 0))>;
  if constexpr (std::is_base_of_v<BoundedScalar, X>) return bounded_entries(M, N, f);
  else if constexpr (std::is_same_v<X, BoundedDual>) return bounded_dual_entries(M, N, f);
  else return Batchwork::generate<M, N>(f);
}
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <int N, class F>
KOKKOS_FUNCTION auto entries(F const& f) {
  using X = std::remove_cvref_t<decltype(f(0))>;
  auto const of_two = [&](int i, int) { return f(i); };
  if constexpr (std::is_base_of_v<BoundedScalar, X>) return bounded_entries(N, 1, of_two);
  else if constexpr (std::is_same_v<X, BoundedDual>) return bounded_dual_entries(N, 1, of_two);
  else return Batchwork::generate<N>(f);
}
BoundedTile bounded_triangle(int n, Structure st, std::function<BoundedScalar(int, int)> const& f);
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// generate_symmetric<N>(f) and generate_lower<N>(f), for either.
template <int N, class F>
KOKKOS_FUNCTION auto symmetric_entries(F const& f) {
  using X = std::remove_cvref_t<decltype(f(0, 0))>;
  if constexpr (std::is_base_of_v<BoundedScalar, X>)
    return bounded_triangle(N, Structure::symmetric, f);
  else return Batchwork::generate_symmetric<N>(f);
}
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <int N, class F>
KOKKOS_FUNCTION auto lower_entries(F const& f) {
  using X = std::remove_cvref_t<decltype(f(0, 0))>;
  if constexpr (std::is_base_of_v<BoundedScalar, X>)
    return bounded_triangle(N, Structure::lower, f);
  else return Batchwork::generate_lower<N>(f);
}

/// A copy of a tile, which has this structure.
template <Structure St>
BoundedTile held(BoundedTile const& x) {
  BoundedTile r(x.rows, x.cols, St);
  r = x;
  return r;
}
template <Structure St, Batchwork::Tile X>
KOKKOS_FORCEINLINE_FUNCTION auto held(X const& x) {
  static_assert(X::structure == St);
  return x;
}

}  // namespace Batchwork::RandomSequences

#endif
