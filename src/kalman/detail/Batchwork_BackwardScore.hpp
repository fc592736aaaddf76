// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The backward pass of Kalman::score: derivatives of the log-likelihood in the matrices of the
/// model, from the last step to the first.
///
/// r and n are derivatives of the log-likelihood of later observations in the mean: the first one,
/// and minus the second one. The derivative in the covariance is (r r' - n) / 2. So r and n move by
/// the equations of a smoother (de Jong, Journal of the American Statistical Association 84, 1989).
/// Here the entries of an observation come one by one (Durbin and Koopman 2012, section 6.4). The
/// equations need no inverse. Koopman and Shephard (Biometrika 79, 1992) get the score from them.
#ifndef BATCHWORK_BACKWARDSCORE_HPP
#define BATCHWORK_BACKWARDSCORE_HPP

#include "kalman/detail/Batchwork_ScoreStep.hpp"

namespace Batchwork::Impl {

/// What a functor returns for a vector of P parameters with D directions of derivatives.
template <class Model, class S, int P, int D>
using matrices_in_t = decltype(with_numbers<scalar_t<S>>(
    std::declval<Model const&>()(std::declval<Vector<with_directions_t<S, D>, P> const&>())));

/// How many directions the functor gets at once, so that the derivatives of its matrices take at
/// most 256 numbers.
template <int N>
constexpr int directions_of_backward_pass(int parameters) {
  constexpr int most = N * N > 128 ? 1 : (N * N > 32 ? 256 / (N * N) : 8);
  int const groups = (parameters + most - 1) / most;
  return (parameters + groups - 1) / groups;
}

/// Whether the backward pass needs the states before the updates, besides their gains.
template <class Ma>
inline constexpr bool needs_states = directions_depend<Ma>;

template <class X>
inline constexpr bool is_diagonal_tile = [] {
  if constexpr (is_scalar_tile<X> || is_nothing<X>) return false;
  else return X::structure == Structure::diagonal;
}();
/// The derivatives in a covariance X of N rows, where X depends on the parameters.
template <class X, class S, int N>
using covariance_adjoint_t =
    std::conditional_t<!has_derivatives<X>, Nothing,
                       std::conditional_t<is_diagonal_tile<X>, Diagonal<S, N>, Symmetric<S, N>>>;

/// Sets every stored entry of a tile with the extents M x N to zero.
template <int M, int N, class X>
BATCHWORK_INLINE void set_zero(X& x) {
  using S = value_t<X>;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < M; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) {
      if (X::structure == Structure::diagonal && i != j) continue;
      if (X::structure == Structure::symmetric && j > i) continue;
      x.set(i, j, S(scalar_t<S>(0)));
    }
  }
  x.info = info_t<S>(0);
}
/// x(i, j) += f(i, j) for the stored entries of a symmetric or diagonal tile.
template <class X, class F>
BATCHWORK_INLINE void add_covariance(X& x, F const& f) {
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < X::rows; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j) {
      if (X::structure == Structure::diagonal && i != j) continue;
      x.set(i, j, x.entry(i, j) + f(i, j));
    }
  }
}
/// The sum of adjoint(i, j) times the derivative of a(i, j) in direction k. Of a covariance the
/// lower triangle counts twice.
template <bool IsCovariance, class Adjoint, class A>
BATCHWORK_INLINE auto contracted(Adjoint const& adjoint, A const& a, int k) {
  using S = value_t<Adjoint>;
  S sum(scalar_t<S>(0)), twice = sum;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < A::rows; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < A::cols; ++j) {
      if (A::structure == Structure::diagonal && j != i) continue;
      if (IsCovariance && j > i) continue;
      S const term = adjoint.entry(i, j) * derivative_of_number(a.entry(i, j), k);
      if (IsCovariance && j < i) twice += term;
      else sum += term;
    }
  }
  return S(sum + (twice + twice));
}

/// What the backward pass keeps from step to step. Ma are the matrices without and Md those with
/// derivatives.
template <class S, class Ma, class Md, int N, int M>
struct BackwardState {
  static constexpr bool f_depends = has_derivatives<decltype(Md::f)>,
                        q_depends = has_derivatives<decltype(Md::q)>,
                        h_depends = has_derivatives<decltype(Md::h)>,
                        r_depends = has_derivatives<decltype(Md::r)>,
                        correlated = mixes_entries<decltype(Ma::r)>;

  Ma matrices;
  Vector<S, N> r;
  Symmetric<S, N> n;
  std::conditional_t<f_depends, Matrix<S, N, N>, Nothing> in_f;
  covariance_adjoint_t<decltype(Md::q), S, N> in_q;
  std::conditional_t<h_depends, Matrix<S, M, N>, Nothing> in_h;
  covariance_adjoint_t<decltype(Md::r), S, M> in_r;
  info_t<S> info;  ///< no failure: those of the filter are recorded already

  template <class Theta>
  static BATCHWORK_INLINE auto plain(Theta const& theta) {
    auto const& given = as_vector(theta);
    constexpr int count = std::remove_cvref_t<decltype(given)>::rows;
    Vector<S, count> v;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < count; ++k) v.set(k, 0, S(given.entry(k, 0)));
    v.info = info_in_lanes_of<S>(given.info);
    return v;
  }

  /// Behind the last step.
  template <class Model, class Theta>
  BATCHWORK_INLINE void begin(Model const& model, Theta const& theta) {
    matrices = with_numbers<scalar_t<S>>(model(plain(theta)));
    info = info_t<S>(0);
    set_zero<N, 1>(r);
    set_zero<N, N>(n);
    if constexpr (f_depends) set_zero<N, N>(in_f);
    if constexpr (q_depends) set_zero<N, N>(in_q);
    if constexpr (h_depends) set_zero<M, N>(in_h);
    if constexpr (r_depends) set_zero<M, M>(in_r);
  }

  /// The derivative in a covariance whose mean has the derivative r.
  BATCHWORK_INLINE S in_covariance(int i, int j) const {
    return S(scalar_t<S>(0.5)) * (r.entry(i, 0) * r.entry(j, 0) - n.entry(i, j));
  }

  /// From behind a prediction of the state (x, p) to before it.
  template <class X, class P>
  BATCHWORK_INLINE void leave_prediction([[maybe_unused]] X const& x, [[maybe_unused]] P const& p) {
    auto const& f = as_matrix(matrices.f);
    if constexpr (q_depends)
      add_covariance(in_q, [&](int i, int j) { return in_covariance(i, j); });
    Vector<S, N> const before = transpose(f) * r;
    if constexpr (f_depends) {
      Vector<S, N> const smoothed = x + p * before;
      Matrix<S, N, N> const spread = n * (f * p);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < N; ++j)
          in_f.set(i, j,
                   in_f.entry(i, j) + r.entry(i, 0) * smoothed.entry(j, 0) - spread.entry(i, j));
      }
    }
    n = congruence(transpose(f), n);
    r = before;
  }

  /// From behind the update of the state (x, p) by z to before it. A unit triangular matrix as a
  /// factor of z, H and R does not change the likelihood of z. So these are the derivatives of
  /// independent entries, times the inverse of R's factor.
  ///
  /// Entry i has the gain k and adds -d to the second derivative in itself and u to the first one.
  /// b_i is the derivative of r in entry i.
  template <class Z, class G, class X, class P>
  BATCHWORK_INLINE void leave_update(Z const& z, G const& gains, [[maybe_unused]] X const& x,
                                     [[maybe_unused]] P const& p) {
    using T = scalar_t<S>;
    constexpr bool crossed = correlated && r_depends, chained = M > 1 && (crossed || h_depends);
    S const zero(T(0)), half(T(0.5));
    auto const& zv = as_vector(z);
    auto const& h = as_observation_matrix<N>(matrices.h);
    auto const missing = [&](int i) {
      return is_nan(value_t<std::remove_cvref_t<decltype(zv)>>(zv.entry(i, 0)));
    };
    S rows[M * N], l[M * (M - 1) / 2 + 1];
    using Factor = UnitFactor<S, M>;
    if constexpr (correlated) {
      auto const factor = unit_factor<S, M>(as_matrix(matrices.r), missing);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < M * (M - 1) / 2; ++k) l[k] = factor.l[k];
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) {
        S row = select(missing(i), zero, S(h.entry(i, k)));
        if constexpr (correlated) {
          BATCHWORK_UNROLL_ON_DEVICE
          for (int j = 0; j < i; ++j) row -= l[Factor::index(i, j)] * rows[j * N + k];
        }
        rows[i * N + k] = row;
      }
    }
    S u[M], b[M * N];
    [[maybe_unused]] S in_entries[crossed ? M * (M + 1) / 2 : 1];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 0; step < M; ++step) {
      int const i = M - 1 - step;
      S const* const row = rows + i * N;
      S* const bi = b + i * N;
      S nk[N], d = gains.entry(i, N + 1);
      u[i] = gains.entry(i, N);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int a = 0; a < N; ++a) {
        nk[a] = zero;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int c = 0; c < N; ++c) nk[a] += n.entry(a, c) * gains.entry(i, c);
        d += gains.entry(i, a) * nk[a];
        u[i] -= gains.entry(i, a) * r.entry(a, 0);
      }
      S const own = half * (u[i] * u[i] - d);
      if constexpr (crossed) in_entries[triangle_index(i, i)] = own;
      else if constexpr (r_depends) in_r.set(i, i, in_r.entry(i, i) + own);
      if constexpr (chained) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = i + 1; j < M; ++j) {
          S through = zero;
          BATCHWORK_UNROLL_ON_DEVICE
          for (int a = 0; a < N; ++a) through += gains.entry(i, a) * b[j * N + a];
          if constexpr (crossed) in_entries[triangle_index(j, i)] = half * (u[i] * u[j] + through);
          BATCHWORK_UNROLL_ON_DEVICE
          for (int a = 0; a < N; ++a) b[j * N + a] -= row[a] * through;
        }
      }
      BATCHWORK_UNROLL_ON_DEVICE
      for (int a = 0; a < N; ++a) bi[a] = row[a] * d - nk[a];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int a = 0; a < N; ++a) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int c = 0; c <= a; ++c) n.set(a, c, n.entry(a, c) + (bi[a] * row[c] - row[a] * nk[c]));
        r.set(a, 0, r.entry(a, 0) + row[a] * u[i]);
      }
    }
    if constexpr (h_depends) {
      Vector<S, N> const smoothed = x + p * r;
      S in_rows[M * N];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int step = 0; step < M; ++step) {
        int const i = M - 1 - step;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int k = 0; k < N; ++k) {
          S sum = u[i] * smoothed.entry(k, 0);
          BATCHWORK_UNROLL_ON_DEVICE
          for (int a = 0; a < N; ++a) sum -= p.entry(k, a) * b[i * N + a];
          if constexpr (correlated) {
            BATCHWORK_UNROLL_ON_DEVICE
            for (int j = i + 1; j < M; ++j) sum -= l[Factor::index(j, i)] * in_rows[j * N + k];
          }
          in_rows[i * N + k] = sum;
          in_h.set(i, k, in_h.entry(i, k) + sum);
        }
      }
    }
    if constexpr (crossed) {
      S left[M * M], both[M * M];  // L^-T times in_entries, and that times L^-1
      BATCHWORK_UNROLL_ON_DEVICE
      for (int step = 0; step < M; ++step) {
        int const i = M - 1 - step;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < M; ++j) {
          S sum = in_entries[i < j ? triangle_index(j, i) : triangle_index(i, j)];
          BATCHWORK_UNROLL_ON_DEVICE
          for (int k = i + 1; k < M; ++k) sum -= l[Factor::index(k, i)] * left[k * M + j];
          left[i * M + j] = sum;
        }
        BATCHWORK_UNROLL_ON_DEVICE
        for (int back = 0; back < M; ++back) {
          int const j = M - 1 - back;
          S sum = left[i * M + j];
          BATCHWORK_UNROLL_ON_DEVICE
          for (int k = j + 1; k < M; ++k) sum -= both[i * M + k] * l[Factor::index(k, j)];
          both[i * M + j] = sum;
        }
      }
      add_covariance(in_r, [&](int i, int j) { return both[i * M + j]; });
    }
  }

  /// The step of one time: from before the next prediction's end to before the update by z.
  template <class Z, class G, class St>
  BATCHWORK_INLINE void step(Z const& z, G const& gains, St const& states) {
    if constexpr (is_nothing<St>) {
      leave_prediction(Nothing(), Nothing());
      leave_update(z, gains, Nothing(), Nothing());
    } else {
      using T = scalar_t<S>;
      Vector<S, N> x;
      Symmetric<S, N> p;
      unpack_state(states, x, p);
      if constexpr (f_depends) {
        auto after = x;
        auto left = p;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < M; ++i) {
          S const weight(gains.entry(i, N + 1));
          auto const used = weight > S(T(0));
          S const variance = select(used, S(S(T(1)) / select(used, weight, S(T(1)))), S(T(0)));
          S const error = variance * gains.entry(i, N);
          BATCHWORK_UNROLL_ON_DEVICE
          for (int a = 0; a < N; ++a) {
            S const change = gains.entry(i, a) * variance;
            after.set(a, 0, after.entry(a, 0) + gains.entry(i, a) * error);
            BATCHWORK_UNROLL_ON_DEVICE
            for (int c = 0; c <= a; ++c)
              left.set(a, c, left.entry(a, c) - change * gains.entry(i, c));
          }
        }
        leave_prediction(after, left);
      } else {
        leave_prediction(Nothing(), Nothing());
      }
      leave_update(z, gains, x, p);
    }
  }

  /// Before the first step: from the derivatives in the matrices to those in the parameters.
  template <class Model, class Theta, class G>
  BATCHWORK_INLINE void finish(Model const& model, Theta const& theta, G& gradient) const {
    auto const v = plain(theta);
    constexpr int P = decltype(v)::rows, D = directions_of_backward_pass<N>(P);
    Vector<S, P> score;
    score.info = info_t<S>(0);
    // NaN after a failure, also of the only step.
    S nothing_yet(scalar_t<S>(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) nothing_yet += r.entry(i, 0) * S(scalar_t<S>(0));
    constexpr bool start_depends = has_derivatives<decltype(Md::covariance)>;
    std::conditional_t<start_depends, Symmetric<S, N>, Nothing> in_p{};
    if constexpr (start_depends) {
      set_zero<N, N>(in_p);
      add_covariance(in_p, [&](int i, int j) { return in_covariance(i, j); });
    }
    BATCHWORK_KEEP_LOOP
    for (int first = 0; first < P; first += D) {
      Md const m = with_numbers<scalar_t<S>>(model(variables<D>(v, -first)));
      BATCHWORK_UNROLL
      for (int k = 0; k < D; ++k) {
        if (first + k >= P) continue;
        S sum = nothing_yet;
        if constexpr (f_depends) sum += contracted<false>(in_f, as_matrix(m.f), k);
        if constexpr (q_depends) sum += contracted<true>(in_q, as_matrix(m.q), k);
        if constexpr (h_depends) sum += contracted<false>(in_h, as_observation_matrix<N>(m.h), k);
        if constexpr (r_depends) sum += contracted<true>(in_r, as_matrix(m.r), k);
        if constexpr (has_derivatives<decltype(Md::mean)>)
          sum += contracted<false>(r, as_vector(m.mean), k);
        if constexpr (start_depends) sum += contracted<true>(in_p, as_matrix(m.covariance), k);
        score.set(first + k, 0, sum);
      }
    }
    put(gradient, score);
  }
};

/// The state as the type of a local operand.
template <class Model, int N, int M, int P>
struct BackwardShape {
  static constexpr int rows = 1, cols = 1, rank = 0;
  static constexpr Structure structure = Structure::general;
  template <class S>
  using tile = BackwardState<S, matrices_in_t<Model, S, P, 0>,
                             matrices_in_t<Model, S, P, directions_of_backward_pass<N>(P)>, N, M>;
};

/// A step of the backward pass, a sequence for a backward scan over all times.
template <class Model, Kalman::Order O>
struct BackwardScoreStep {
  Model model;
  std::int64_t steps;

  template <class State, class Index, class Theta, class Z, class G, class St, class X, class P,
            class Sc>
  KOKKOS_FUNCTION void operator()(State& state, Index const& t, Theta const& theta, Z const& z,
                                  G const& gains, St const& states, X const& x1, P const& p1,
                                  Sc& score) const {
    if (t.value + 1 == steps) state.begin(model, theta);
    state.step(z, gains, states);
    if (t.value == 0) {
      if constexpr (O == Kalman::Order::predict_first) {
        if constexpr (is_nothing<X>)
          state.leave_prediction(as_vector(state.matrices.mean),
                                 symmetric(as_matrix(state.matrices.covariance)));
        else state.leave_prediction(as_vector(x1), symmetric(as_matrix(p1)));
      }
      state.finish(model, theta, score);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
