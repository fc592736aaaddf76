// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One step of the filter whose numbers have derivatives in the parameters of the model: the
/// sequence of Kalman::score.
#ifndef BATCHWORK_SCORESTEP_HPP
#define BATCHWORK_SCORESTEP_HPP

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kalman/Batchwork_Diffuse.hpp"
#include "kalman/Batchwork_Matrices.hpp"
#include "tile/Batchwork_Derivatives.hpp"
#include "tile/Batchwork_Integers.hpp"

namespace Batchwork::Impl {

template <class X>
inline constexpr bool is_matrices = false;
template <class... X>
inline constexpr bool is_matrices<Kalman::Matrices<X...>> = true;

/// S with derivatives in D directions; without directions S itself.
template <class S, int D>
struct WithDirections {
  using type = Dual<S, D>;
};
template <class S>
struct WithDirections<S, 0> {
  using type = S;
};
template <class S, int D>
using with_directions_t = typename WithDirections<S, D>::type;

/// The argument of a functor of P parameters: with derivatives in all of them, or without.
template <class S, int P, bool Derivatives>
using parameters_t = Vector<with_directions_t<S, Derivatives ? P : 0>, P>;

/// A matrix that a functor has returned, with numbers of type T.
template <class T, class X>
BATCHWORK_INLINE auto of_numbers(X const& x) {
  if constexpr (std::is_arithmetic_v<X>) return Scalar<T>(T(x));
  else if constexpr (is_nothing<X>) return x;
  else if constexpr (std::is_same_v<scalar_t<typename X::value_type>, T>) return x;
  else return as<T>(x);
}
template <class T, class F, class Q, class H, class R, class X, class P>
BATCHWORK_INLINE auto with_numbers(Kalman::Matrices<F, Q, H, R, X, P> const& m) {
  return Kalman::Matrices<decltype(of_numbers<T>(m.f)), decltype(of_numbers<T>(m.q)),
                          decltype(of_numbers<T>(m.h)), decltype(of_numbers<T>(m.r)),
                          decltype(of_numbers<T>(m.mean)), decltype(of_numbers<T>(m.covariance))>{
      of_numbers<T>(m.f), of_numbers<T>(m.q),    of_numbers<T>(m.h),
      of_numbers<T>(m.r), of_numbers<T>(m.mean), of_numbers<T>(m.covariance)};
}
/// What the model returns for P parameters with values of type S.
template <class Model, class S, int P, bool Derivatives>
using matrices_t = decltype(with_numbers<scalar_t<S>>(
    std::declval<Model const&>()(std::declval<parameters_t<S, P, Derivatives> const&>())));

template <class X>
inline constexpr bool has_derivatives = false;
template <class X>
  requires requires { typename X::value_type; }
inline constexpr bool has_derivatives<X> = is_dual<typename X::value_type>;

/// Whether the diffuse directions have derivatives: F moves them, and the rows of H turn them. A
/// full R mixes the rows of H.
template <class M>
inline constexpr bool directions_depend =
    has_derivatives<decltype(M::f)> || has_derivatives<decltype(M::h)>;
template <class R>
inline constexpr bool mixes_entries = [] {
  if constexpr (is_scalar_tile<R>) return false;
  else return R::rows > 1 && R::structure != Structure::diagonal;
}();

/// A covariance and its derivatives in D directions, each a tile of its own: the products of plain
/// tiles are faster than those of numbers with derivatives. The functions of an update see a
/// symmetric tile of numbers with derivatives.
template <class S0, int D, int N>
struct CovarianceOfScore {
  using value_type = Dual<S0, D>;
  static constexpr int rows = N, cols = N;
  static constexpr Structure structure = Structure::symmetric;
  static constexpr bool is_vector = false;
  Symmetric<S0, N> value;
  Symmetric<S0, N> d[D];
  info_t<S0> info;

  BATCHWORK_INLINE value_type entry(int i, int j) const {
    return make_dual<S0, D>(value.entry(i, j), [&](int k) { return S0(d[k].entry(i, j)); });
  }
  BATCHWORK_INLINE void set(int i, int j, value_type const& x) {
    value.set(i, j, x.value);
    BATCHWORK_UNROLL
    for (int k = 0; k < D; ++k) d[k].set(i, j, x.d[k]);
  }
  template <class X>
  BATCHWORK_INLINE void start(X const& x) {
    value = value_of(x);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < D; ++k) d[k] = derivative_of(x, k);
    info = info_in_lanes_of<S0>(x.info);
  }
  /// p = f p f' + q.
  template <class F, class Q>
  BATCHWORK_INLINE void predict(F const& f, Q const& q) {
    auto const f0 = value_of(f);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < D; ++k) {
      if constexpr (has_derivatives<Q>) d[k] = congruence(f0, d[k], derivative_of(q, k));
      else d[k] = congruence(f0, d[k]);
      if constexpr (has_derivatives<F>) {
        Matrix<S0, N, N> const turned = derivative_of(f, k) * value * transpose(f0);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < N; ++i) {
          BATCHWORK_UNROLL_ON_DEVICE
          for (int j = 0; j <= i; ++j)
            d[k].set(i, j, d[k].entry(i, j) + (turned.entry(i, j) + turned.entry(j, i)));
        }
      }
    }
    value = congruence(f0, value, value_of(q));
    info = first_failure(info, value.info);
  }
};
template <class S0, int N>
struct CovarianceOfScore<S0, 0, N> : Symmetric<S0, N> {
  template <class X>
  BATCHWORK_INLINE void start(X const& x) {
    static_cast<Symmetric<S0, N>&>(*this) = x;
  }
  template <class F, class Q>
  BATCHWORK_INLINE void predict(F const& f, Q const& q) {
    static_cast<Symmetric<S0, N>&>(*this) =
        congruence(f, static_cast<Symmetric<S0, N> const&>(*this), q);
  }
};

/// Keeps a state for the backward pass of a score: mean, then the lower triangle of the covariance,
/// row by row in a tile of N x (N / 2 + 2).
template <class St, class X, class P>
BATCHWORK_INLINE void pack_state(St& states, X const& x, P const& p) {
  using S = value_t<St>;
  constexpr int N = X::rows, C = St::cols;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int n = 0; n < N * C; ++n) states.set(n / C, n % C, S(scalar_t<S>(0)));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    states.set(i / C, i % C, S(x.entry(i, 0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) {
      int const n = N + triangle_index(i, j);
      states.set(n / C, n % C, S(p.entry(i, j)));
    }
  }
}
template <class St, class X, class P>
BATCHWORK_INLINE void unpack_state(St const& states, X& x, P& p) {
  using S = value_t<X>;
  constexpr int N = X::rows, C = St::cols;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    x.set(i, 0, S(states.entry(i / C, i % C)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) {
      int const n = N + triangle_index(i, j);
      p.set(i, j, S(states.entry(n / C, n % C)));
    }
  }
  x.info = p.info = info_t<S>(0);
}

/// What a score keeps from step to step. D is the number of derivatives, C that of the diffuse
/// columns; `Information` says whether the information matrix is added up.
template <class S0, class Ma, int N, int D, int C, bool Information>
struct ScoreState {
  using S = with_directions_t<S0, D>;
  static constexpr bool factor_depends =
      D > 0 && (directions_depend<Ma> ||
                (mixes_entries<decltype(Ma::r)> && has_derivatives<decltype(Ma::r)>));
  using SA = with_directions_t<S0, factor_depends ? D : 0>;

  Ma matrices;
  Vector<S, N> x;
  CovarianceOfScore<S0, D, N> p;
  std::conditional_t<(C > 0), Matrix<SA, N, (C > 0 ? C : 1)>, Nothing> a;
  std::conditional_t<(C > 0), Scalar<S0>, Nothing> left;
  LogSum<S0> value;
  S0 score[D > 0 ? D : 1];
  S0 information[Information ? D * (D + 1) / 2 : 1];
  info_t<S0> info;  ///< the status after the last update

  /// The start of a series.
  template <class M, class Theta, class X, class P, class A>
  BATCHWORK_INLINE void begin(M const& model, Theta const& theta, X const& x1, P const& p1,
                              A const& a1) {
    using T = scalar_t<S0>;
    auto const& given = as_vector(theta);
    constexpr int count = std::remove_cvref_t<decltype(given)>::rows;
    Vector<S, count> v;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < count; ++k) {
      if constexpr (D > 0) v.set(k, 0, seeded<S0, D>(S0(given.entry(k, 0)), k));
      else v.set(k, 0, S0(given.entry(k, 0)));
    }
    v.info = info_in_lanes_of<S0>(given.info);
    matrices = with_numbers<T>(model(v));
    if constexpr (is_nothing<X>) {
      x = as_vector(matrices.mean);
      p.start(as_matrix(matrices.covariance));
    } else {
      x = as_vector(x1);
      p.start(as_matrix(p1));
    }
    if constexpr (C > 0) {
      a = as_matrix(a1);
      left = Scalar<S0>(S0(T(C)));
    }
    value = LogSum<S0>(Scalar<S0>(S0(T(0))), T(-0.5));
    BATCHWORK_UNROLL
    for (S0& s : score) s = S0(T(0));
    BATCHWORK_UNROLL
    for (S0& s : information) s = S0(T(0));
  }

  BATCHWORK_INLINE void predict() {
    auto const& f = as_matrix(matrices.f);
    x = f * x;
    p.predict(f, as_matrix(matrices.q));
    if constexpr (C > 0) predict_diffuse(a, left, f);
  }

  /// An entry with the innovation e and its variance f adds -1/2 (log f + e^2 / f) to the
  /// log-likelihood, its derivatives to the score, and d_i f d_j f / (2 f^2) + d_i e d_j e / f to
  /// the information matrix.
  template <class G>
  BATCHWORK_INLINE void add(S const& e, G const& g) {
    using T = scalar_t<S0>;
    S0 const half(T(0.5)), one(T(1));
    S0 const error(constant_of(e)), weight(constant_of(g.weight)), f(constant_of(g.variance));
    S0 const scaled = error * weight;
    value.add_log(Scalar<S0>(f));
    value -= Scalar<S0>(half * (error * scaled + S0(constant_of(g.log_two_pi))));
    if constexpr (D > 0) {
      S0 const inverse = one / f, excess = half * (one - error * scaled);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < D; ++k)
        score[k] -= excess * (g.variance.d[k] * inverse) + scaled * e.d[k];
      if constexpr (Information) {
        int n = 0;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < D; ++i) {
          S0 const by_variance = half * g.variance.d[i] * weight * weight,
                   by_error = e.d[i] * weight;
          BATCHWORK_UNROLL_ON_DEVICE
          for (int j = 0; j <= i; ++j)
            information[n++] += by_variance * g.variance.d[j] + by_error * e.d[j];
        }
      }
    }
  }
  /// For the backward pass `states` receives the state before the update, and row i of `gains` the
  /// gain of entry i, its innovation divided by its variance, and 1 / variance.
  template <class Z, class K, class St>
  BATCHWORK_INLINE void update(Z const& z, Kalman::DiffuseEntries counted,
                               [[maybe_unused]] K& gains, [[maybe_unused]] St& states) {
    if constexpr (!is_nothing<St>) pack_state(states, x, p);
    [[maybe_unused]] int i = 0;
    info = update_one_by_one<Kalman::Data::may_be_missing>(
        x, p, a, left, counted, as_vector(z), as_observation_matrix<N>(matrices.h),
        as_matrix(matrices.r), [&](S const& e, auto const& g) {
          add(e, g);
          if constexpr (!is_nothing<K>) {
            BATCHWORK_UNROLL_ON_DEVICE
            for (int k = 0; k < N; ++k) gains.set(i, k, g.gain[k]);
            gains.set(i, N, e * g.weight);
            gains.set(i, N + 1, g.weight);
            ++i;
          }
        });
  }

  template <class L, class G, class I>
  BATCHWORK_INLINE void finish(L& loglik, G& gradient, I& matrix) const {
    info_t<S0> const status = first_failure(info, value.info);
    if constexpr (!is_nothing<L>) loglik = Scalar<S0>(value.value().value, status);
    if constexpr (!is_nothing<G>) {
      Vector<S0, D> v;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < D; ++k) v.set(k, 0, score[k]);
      v.info = status;
      put(gradient, v);
    }
    if constexpr (Information) {
      Symmetric<S0, D> m;
      int n = 0;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < D; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j <= i; ++j) m.set(i, j, information[n++]);
      }
      m.info = status;
      put(matrix, m);
    }
  }
};

/// The state as the type of a local operand.
template <class Model, int N, int P, int C, bool Derivatives, bool Information>
struct ScoreShape {
  static constexpr int rows = 1, cols = 1, rank = 0;
  static constexpr Structure structure = Structure::general;
  template <class S>
  using tile =
      ScoreState<S, matrices_t<Model, S, P, Derivatives>, N, Derivatives ? P : 0, C, Information>;
};

/// A step of Kalman::score. The state is a local operand, which a scan keeps for all steps of an
/// item: the first step sets it, the last one writes the results.
template <class Model, Kalman::Order O>
struct ScoreStep {
  Model model;
  std::int64_t steps;
  Kalman::DiffuseEntries counted;

  template <class State, class Index, class Theta, class Z, class X, class P, class A, class L,
            class G, class I, class K, class St>
  KOKKOS_FUNCTION void operator()(State& state, Index const& t, Theta const& theta, Z const& z,
                                  X const& x1, P const& p1, A const& a1, L& loglik, G& score,
                                  I& information, K& gains, St& states) const {
    if (t.value == 0) state.begin(model, theta, x1, p1, a1);
    if constexpr (O == Kalman::Order::predict_first) state.predict();
    state.update(z, counted, gains, states);
    if constexpr (O == Kalman::Order::update_first) state.predict();
    if (t.value + 1 == steps) state.finish(loglik, score, information);
  }
};

}  // namespace Batchwork::Impl

#endif
