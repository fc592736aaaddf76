// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The square-root filter: predict and update with a factor L of the covariance, P = L L', which is
/// never formed. Kailath, Sayed and Hassibi, Linear Estimation (2000), chapter 12.
#ifndef BATCHWORK_SQUAREROOT_HPP
#define BATCHWORK_SQUAREROOT_HPP

#include "kalman/Batchwork_Diffuse.hpp"
#include "kalman/detail/Batchwork_SemidefiniteFactor.hpp"

namespace Batchwork {

namespace Impl {

/// A rotation that maps (head, below) to (length, 0).
template <class S>
struct RowRotation {
  S cosine, sine;
  BATCHWORK_INLINE RowRotation(S& head, S const& below) {
    using T = scalar_t<S>;
    S const square = head * head + below * below, one(T(1)), zero(T(0));
    // Zero beside zero stays, and so does what is too small to be squared.
    auto const rotates = square >= S(least_square<T>);
    S const length = sqrt(square), inverse = one / select(rotates, length, one);
    cosine = select(rotates, S(head * inverse), one);
    sine = select(rotates, S(below * inverse), zero);
    head = select(square < S(least_square<T>), head, length);
  }
  BATCHWORK_INLINE void apply(S& head, S& below) const {
    S const x = head;
    head = cosine * x + sine * below;
    below = cosine * below - sine * x;
  }
};

/// The lower triangular factor of a a' + g g', by one reflection for each column of [a'; g']. If g
/// is lower triangular, reflection k meets k + 1 rows of g' only. Columns are not scaled: what
/// overflows here does so in the covariance as well. Where lanes share an item, by stacked_r.
template <class A, class G>
BATCHWORK_INLINE auto lower_factor(A const& a, G const& g) {
  using S = promote_t<value_t<A>, value_t<G>>;
  using T = scalar_t<S>;
  constexpr int N = A::rows, K = G::cols;
  constexpr bool lower = G::structure == Structure::lower || G::structure == Structure::diagonal;
  if constexpr (is_distributed<S>) {
    return transpose(stacked_r(transpose(a), transpose(g)));
  } else {
    auto above = columns_of<S, A::cols, N>(transpose(a), {});
    auto below = columns_of<S, K, N>(transpose(g), {});
    S const zero(T(0)), one(T(1));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) {
      int const end = lower ? k + 1 : K;
      S const head = above.at(k, k);
      S rest = zero;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = k + 1; i < A::cols; ++i) rest += above.at(k, i) * above.at(k, i);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < end; ++i) rest += below.at(k, i) * below.at(k, i);
      S const square = head * head + rest, norm = sqrt(square);
      auto const flat = rest == zero || square < S(least_square<T>);
      S const alpha = select(flat, head, select(head < zero, norm, S(-norm))), top = head - alpha,
              tau = select(flat, zero, one / select(flat, one, S(norm * (norm + abs(head)))));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = k + 1; m < N; ++m) {
        S w = top * above.at(m, k);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = k + 1; i < A::cols; ++i) w += above.at(k, i) * above.at(m, i);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < end; ++i) w += below.at(k, i) * below.at(m, i);
        w = w * tau;
        above.at(m, k) -= w * top;
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = k + 1; i < A::cols; ++i) above.at(m, i) -= w * above.at(k, i);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < end; ++i) below.at(m, i) -= w * below.at(k, i);
      }
      above.at(k, k) = alpha;
    }
    tile_of_t<S, N, N, Structure::lower> l;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k <= i; ++k) l.set(i, k, above.at(i, k));
    }
    l.info = merge_info<S>(a.info, g.info);
    return l;
  }
}

/// What an observation says about a state.
template <class Gain, class S, int M>
struct FactorGain {
  Gain gain;     ///< K, M x N
  S squares[M];  ///< squares of the diagonal entries of E
  S constant;    ///< m log 2 pi for m entries observed
};

/// The array [G' 0; L' H' L'] with R = G G', rotated into [E K; 0 L'], E upper triangular: E' E is
/// the covariance of the innovations and K' E^-T the gain. Rotations by rows, the last row of L'
/// first, keep L' triangular. Reflections would lose what a small R says beside a large L, because
/// its rows are above.
///
/// \param v  M rows each, replaced by E^-T v: the innovation, and others; rows of missing entries
///   become zero
template <Kalman::Data D, class L, class Z, class H, class R, class... V>
BATCHWORK_INLINE auto observe_factor(L& l, Z const& z, H const& h, R const& r, V&... v) {
  using S = value_t<L>;
  using T = scalar_t<S>;
  constexpr int N = L::rows, M = Z::rows;
  S const zero(T(0));
  auto const w = h * l;
  S constant(T(0));
  auto const missing = [&] {
    if constexpr (D == Kalman::Data::complete) {
      constant = S(T(M) * log_two_pi<T>);
      ((v = fail_where(any_missing(z), Reason::incomplete_data, v)), ...);
      Missing<mask_t<S>, M> none;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) none.entry[i] = mask_t<S>(false);
      return none;
    } else {
      auto const which = missing_entries<S>(z);
      (skip_missing_rows(v, which), ...);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) constant += select(which.entry[i], zero, S(log_two_pi<T>));
      return which;
    }
  }();
  auto const noise = unit_factor<S, M>(r, [&](int i) { return missing.entry[i]; });
  info_t<S> info = noise.info;

  auto const grid = grid_of(l, v...);
  auto root = columns_of<S, N, N>(transpose(l), grid);
  auto gain = zero_columns<S, M, N>(grid);
  using C = typename decltype(root)::value_type;
  C seen[M * N];  // column i of L' H'
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < M; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j)
      seen[i * N + j] = value_of(S(select(missing.entry[i], zero, S(w.entry(i, j)))));
  }
  S squares[M];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < M; ++i) {
    C row[M];  // row i of E
    row[i] = value_of(S(sqrt(noise.d[i])));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = i + 1; k < M; ++k)
      row[k] = value_of(noise.l[UnitFactor<S, M>::index(k, i)]) * row[i];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int n = 0; n < N; ++n) {
      int const j = N - 1 - n;
      RowRotation<C> const rotation(row[i], seen[i * N + j]);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = i + 1; k < M; ++k) rotation.apply(row[k], seen[k * N + j]);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = decltype(root)::round_of(j); m < decltype(root)::mine; ++m)
        rotation.apply(gain.at(m, i), root.at(m, j));
    }
    S const length = value_of_lane<S>(row[i], grid);
    squares[i] = length * length;
    auto const good = check_pivot(squares[i], i, info);
    S const inverse = select(good, S(T(1)), S(std::numeric_limits<T>::quiet_NaN())) /
                      select(good, length, S(T(1)));
    // E^-T v, one row after the other.
    auto const eliminate = [&](auto& x) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int c = 0; c < std::remove_cvref_t<decltype(x)>::cols; ++c) {
        S const xi = S(x.entry(i, c)) * inverse;
        x.set(i, c, xi);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int k = i + 1; k < M; ++k)
          x.set(k, c, S(S(x.entry(k, c)) - value_of_lane<S>(row[k], grid) * xi));
      }
    };
    (eliminate(v), ...);
  }
  info_t<S> all = info;
  ((v.info = first_failure(v.info, info), all = first_failure(v.info, all)), ...);
  l = transpose(tile_of_columns(root, first_failure(info_in_lanes_of<S>(l.info), all)));
  auto const k = tile_of_columns(gain, all);
  FactorGain<std::remove_const_t<decltype(k)>, S, M> said{k, {}, constant};
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < M; ++i) said.squares[i] = squares[i];
  return said;
}

/// The update of a mean and a factor by an observation.
template <Kalman::Data D, class X, class L, class Ll, class Z, class H, class R>
BATCHWORK_INLINE void update_factor(X& x, L& l, Ll& loglik, Z const& z, H const& h, R const& r) {
  using S = value_t<L>;
  constexpr int N = L::rows, M = Z::rows;
  static_assert(X::rows == N && H::cols == N && H::rows == M && R::rows == M && R::cols == M,
                "Batchwork::Kalman::square_root_update: the extents do not fit; give x N entries, "
                "l N x N, z M entries, h M x N and r M x M");
  Vector<S, M> u = z - h * x;
  auto const k = observe_factor<D>(l, z, h, r, u);
  x = x + transpose(k.gain) * u;
  add_normal<M>(loglik, k.constant, u, [&](int i) { return k.squares[i]; });
}

/// Stores the covariance L L', unless P is nothing().
template <class P, class L>
BATCHWORK_INLINE void put_covariance(P& p, L const& l) {
  if constexpr (!is_nothing<P>) {
    auto const& lm = as_matrix(l);
    put(p, gram(transpose(lm)));
  }
}

}  // namespace Impl

namespace Kalman {

/// The lower triangular L with L L' = p. p may be singular, such as the Q of a track. The method is
/// Cholesky with complete pivoting of the correlations, so units do not matter. Entry (i, j)
/// of L L' - p is within a few N eps of sqrt(p(i, i) p(j, j)).
///
/// ```cpp
/// auto const g = Kalman::covariance_factor(q);  // for square_root_predict
/// ```
///
/// Cost: about 4 N^3 operations, N square roots for a Diagonal p, and one for N = 1. Failures:
/// not_positive_definite if p has an eigenvalue below -64 N eps (of the correlations), not_finite;
/// both with a 1-based row. Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd
/// edition, section 10.3.
///
/// \param p covariance, N x N, or scalar; of a general tile the lower triangle is read
/// \returns a Lower tile; a Diagonal one for a Diagonal p
template <class P>
BATCHWORK_INLINE auto covariance_factor(P const& p) {
  return Impl::semidefinite_factor(Impl::as_matrix(p));
}

/// Moves a state one time step on: x = F x, and L L' becomes F L L' F' + G G'. The new L' is the R
/// of the QR factors of [L' F'; G']. About 3 N^3 operations and N square roots.
/// (Kailath, Sayed and Hassibi 2000, chapter 12.)
///
/// ```cpp
/// Kalman::square_root_predict(x, l, f, Kalman::covariance_factor(q));
/// ```
///
/// \param x mean, a mutable vector of N, or scalar
/// \param l factor of the covariance, a mutable Lower tile N x N, or scalar
/// \param f transition, N x N, or scalar
/// \param g factor of the noise, Q = G G', N x K, or scalar; a Lower one is cheapest
template <class X, class L, class F, class G>
BATCHWORK_INLINE void square_root_predict(X& x, L& l, F const& f, G const& g) {
  Impl::with_state(x, l, [&](auto& xs, auto& ls) {
    auto const& fm = Impl::as_matrix(f);
    auto const& gm = Impl::as_matrix(g);
    xs = fm * xs;
    auto const moved = fm * ls;
    ls = Impl::lower_factor(moved, gm);
  });
}

/// Lets the observation z = H x + noise enter the state, and adds to the log-likelihood: `update`
/// with a factor of the covariance. About 3 M N^2 + 3 M^2 N operations, M N of them with a square
/// root and a quotient.
///
/// ```cpp
/// Kalman::square_root_update(x, l, loglik, z, h, r);  // in a sequence of map or scan
/// ```
///
/// A NaN entry of z is missing, as in `update`. No difference of covariances is formed: no variance
/// becomes negative, and Reason::inaccurate does not occur. Failures: not_positive_definite and
/// not_finite with the 1-based entry of z, if R or the covariance of the innovations is not a
/// covariance; incomplete_data as in `update`. R may be singular; it is factored without pivoting,
/// and covariances beside a pivot of zero are ignored. (Kailath, Sayed and Hassibi 2000,
/// chapter 12; Anderson and Moore, Optimal Filtering, 1979, section 6.5.)
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param l factor of the covariance, a mutable Lower tile N x N, or scalar
/// \param loglik log-likelihood, a mutable scalar or a LogSum of weight -1/2
/// \param z observation, a vector of M, or scalar
/// \param h observation matrix, M x N, or a vector of N if M is 1
/// \param r covariance of the noise, M x M; only the lower triangle is read
template <Data D = Data::may_be_missing, class X, class L, class Ll, class Z, class H, class R>
BATCHWORK_INLINE void square_root_update(X& x, L& l, Ll& loglik, Z const& z, H const& h,
                                         R const& r) {
  Impl::with_state(x, l, [&](auto& xs, auto& ls) {
    constexpr int N = std::remove_cvref_t<decltype(ls)>::rows;
    auto const& hm = Impl::as_observation_matrix<N>(h);
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    Impl::update_factor<D>(xs, ls, loglik, zv, hm, rm);
  });
}
/// The same without the log-likelihood.
///
/// \tparam D whether observations may be missing
/// \param x mean, a mutable vector of N, or scalar
/// \param l factor of the covariance, a mutable Lower tile N x N, or scalar
/// \param z observation, a vector of M, or scalar
/// \param h observation matrix, M x N, or a vector of N if M is 1
/// \param r covariance of the noise, M x M; only the lower triangle is read
template <Data D = Data::may_be_missing, class X, class L, class Z, class H, class R>
BATCHWORK_INLINE void square_root_update(X& x, L& l, Z const& z, H const& h, R const& r) {
  Impl::Nothing none;
  square_root_update<D>(x, l, none, z, h, r);
}

/// One step of the square-root filter, a sequence for scan that Kalman::filter runs with the
/// argument square_root(). The carry holds the covariance before the first step and after the last,
/// and its factor L in between.
///
/// \tparam O whether a step predicts or updates first
/// \tparam D whether observations may be missing
/// \tparam QIsCarry whether q is a carry, which holds its factor after the first step
template <Order O, Data D, bool QIsCarry>
struct SquareRootStep {
  std::int64_t steps;  ///< the number of steps

  /// One step, called by scan.
  /// \param x  mean, a vector of N
  /// \param l  covariance or its factor, a Lower tile N x N
  /// \param loglik  log-likelihood, a scalar or a LogSum of weight -1/2, or nothing()
  /// \param q  covariance of the transition's noise: a carry, or an operand of each time
  /// \param t  step_index()
  /// \param z  observation, a vector of M
  /// \param f,h,r  the other matrices of the model, see Kalman::model
  /// \param predicted_mean,predicted_covariance  the state before the observation, or nothing()
  /// \param filtered_mean,filtered_covariance  the state after the observation, or nothing()
  /// \param filtered_factor  L of filtered_covariance, or nothing()
  template <class X, class L, class Ll, class Q, class I, class Z, class F, class H, class R,
            class PM, class PC, class FM, class FC, class FF>
  KOKKOS_FUNCTION void operator()(X& x, L& l, Ll& loglik, Q& q, I const& t, Z const& z, F const& f,
                                  H const& h, R const& r, PM& predicted_mean,
                                  PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance, FF& filtered_factor) const {
    if (t.value == 0) {
      Impl::put(l, covariance_factor(l));
      if constexpr (QIsCarry) Impl::put(q, covariance_factor(q));
    }
    auto const predict = [&] {
      if constexpr (QIsCarry) square_root_predict(x, l, f, q);
      else square_root_predict(x, l, f, covariance_factor(q));
    };
    if constexpr (O == Order::predict_first) predict();
    Impl::put(predicted_mean, x);
    Impl::put_covariance(predicted_covariance, l);
    square_root_update<D>(x, l, loglik, z, h, r);
    Impl::put(filtered_mean, x);
    Impl::put_covariance(filtered_covariance, l);
    Impl::put(filtered_factor, l);
    if constexpr (O == Order::update_first) predict();
    if (t.value + 1 == steps) Impl::put_covariance(l, l);
  }
  /// One step without filtered_factor.
  template <class X, class L, class Ll, class Q, class I, class Z, class F, class H, class R,
            class PM, class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, L& l, Ll& loglik, Q& q, I const& t, Z const& z, F const& f,
                                  H const& h, R const& r, PM& predicted_mean,
                                  PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    Impl::Nothing none;
    (*this)(x, l, loglik, q, t, z, f, h, r, predicted_mean, predicted_covariance, filtered_mean,
            filtered_covariance, none);
  }
};

}  // namespace Kalman
}  // namespace Batchwork

#endif
