// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The exact diffuse filter in square-root form: a factor L of the covariance, a factor A of its
/// diffuse part, and the mean in the coordinates of L. No covariance is formed.
#ifndef BATCHWORK_DIFFUSESQUAREROOT_HPP
#define BATCHWORK_DIFFUSESQUAREROOT_HPP

#include "kalman/Batchwork_SquareRoot.hpp"
#include "tile/Batchwork_Constant.hpp"

namespace Batchwork {

namespace Impl {

/// Makes the first N columns of N + 1 rows upper triangular, by rotations. A rotation keeps the
/// digits of a small row beside a large one. Column N follows.
template <int N, class V>
BATCHWORK_OUT_OF_LINE void rotate_to_triangle(V* rows) {
  constexpr int C = N + 1;
  BATCHWORK_KEEP_LOOP
  for (int k = 0; k < N; ++k) {
    BATCHWORK_KEEP_LOOP
    for (int i = k + 1; i < C; ++i) {
      RowRotation<V> const rotation(rows[k * C + k], rows[i * C + k]);
      BATCHWORK_KEEP_LOOP
      for (int m = k + 1; m < C; ++m) rotation.apply(rows[k * C + m], rows[i * C + m]);
    }
  }
}

/// The mean x = origin + l y of a state. All that observations with noise say about it is in y,
/// whose entries are about one, also where a variance is large. So no digits are lost when a state
/// with a large variance becomes known.
template <class X, class L, class Y>
BATCHWORK_INLINE auto mean_of(X const& origin, L const& l, Y const& y) {
  auto const moved = l * y;
  return origin + moved;
}

/// The effect of one observation on the log-likelihood.
template <class S>
struct ScalarLikelihood {
  S variance;  ///< whose logarithm enters the likelihood: 1 if skipped
  S sum;       ///< log 2 pi and the square of the normalised innovation
  info_t<S> info;
};

/// Lets one observation z = h x + noise of variance r enter where `use` holds. Rotations from the
/// last row of L' upwards keep it triangular, as in update_factor.
template <class X, class L, class Y, class HS, class S>
BATCHWORK_INLINE auto observe_factor(X& origin, L& l, Y& y, HS const* h, S const& r, S const& z,
                                     mask_t<S> const& use, int entry) {
  using T = scalar_t<S>;
  constexpr int N = L::rows;
  S const zero(T(0)), one(T(1));
  auto const grid = grid_of(l);
  auto root = columns_of<S, N, N>(transpose(l), grid);
  auto gain = zero_columns<S, 1, N>(grid);
  using V = typename decltype(root)::value_type;
  V seen[N], turned[N];
  S e = z;  // the innovation of the origin
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < N; ++j) {
    S sum = zero;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = j; k < N; ++k) sum += S(l.entry(k, j)) * S(h[k]);
    seen[j] = value_of(S(select(use, sum, zero)));
    turned[j] = value_of(S(y.entry(j, 0)));
    e -= S(h[j]) * S(origin.entry(j, 0));
  }
  S const deviation = sqrt(S(select(use, r, one)));
  auto const noisy = deviation > zero;
  e = select(use, e, zero);
  V head = value_of(deviation),
    above = value_of(S(select(noisy, -e / select(noisy, deviation, one), zero)));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int n = 0; n < N; ++n) {
    int const j = N - 1 - n;
    RowRotation<V> const rotation(head, seen[j]);
    rotation.apply(above, turned[j]);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = decltype(root)::round_of(j); m < decltype(root)::mine; ++m)
      rotation.apply(gain.at(m, 0), root.at(m, j));
  }
  ScalarLikelihood<S> result;
  result.info = info_t<S>(0);
  S const length = value_of_lane<S>(head, grid);
  result.variance = length * length;
  auto const good = check_pivot(result.variance, entry, result.info);
  S const inverse =
      select(good, one, S(std::numeric_limits<T>::quiet_NaN())) / select(good, length, one);
  // Without noise y cannot hold the observation, and the origin moves.
  S const exact = select(noisy, zero, S(e * inverse)), u = exact - value_of_lane<S>(above, grid);
  result.sum = u * u + select(use, S(log_two_pi<T>), zero);
  auto const k = tile_of_columns(gain, 0);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < N; ++j) {
    S const step = S(k.entry(0, j)) * exact;
    origin.set(j, 0, S(origin.entry(j, 0)) + select(noisy, zero, step));
    y.set(j, 0, value_of_lane<S>(turned[j], grid));
  }
  l = transpose(tile_of_columns(root, l.info));
  return result;
}

/// The observation of a diffuse direction, where `use` holds: k = A w' / |w|^2, and l becomes the
/// factor of [(I - k h) L, k sqrt(r)]. `in` is the diffuse_innovation of h.
template <class X, class L, class Y, class A, class Left, class In, class HS, class S>
BATCHWORK_INLINE void observe_diffuse_factor(X& origin, L& l, Y& y, A& a, Left& left, In const& in,
                                             HS const* h, S const& r, S const& z,
                                             mask_t<S> const& use) {
  using T = scalar_t<S>;
  constexpr int N = L::rows, C = N + 1;
  S const zero(T(0)), one(T(1));
  auto const grid = grid_of(l);
  S const inverse = one / select(use, in.variance, one), deviation = sqrt(S(select(use, r, one)));
  auto const noisy = deviation > zero;
  using V = decltype(value_of(S(T(0))));
  V rows[C * C];
  S k[N], e = z;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    k[i] = in.covariance[i] * inverse;
    e -= S(h[i]) * S(origin.entry(i, 0));
    rows[N * C + i] = value_of(S(k[i] * deviation));
  }
  rows[N * C + N] = value_of(S(select(noisy, e / select(noisy, deviation, one), zero)));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < N; ++j) {
    S seen = zero;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = j; i < N; ++i) seen += S(l.entry(i, j)) * S(h[i]);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i)
      rows[j * C + i] = value_of(S((i < j ? zero : S(l.entry(i, j))) - k[i] * seen));
    rows[j * C + N] = value_of(S(y.entry(j, 0)));
  }
  rotate_to_triangle<N>(rows);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < N; ++i) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j <= i; ++j)
      l.set(i, j, select(use, value_of_lane<S>(rows[j * C + i], grid), S(l.entry(i, j))));
    y.set(i, 0, select(use, value_of_lane<S>(rows[i * C + N], grid), S(y.entry(i, 0))));
    origin.set(i, 0, S(origin.entry(i, 0)) + select(use && !noisy, S(k[i] * e), zero));
  }
  remove_direction(a, left, in, use);
}

/// Lets the entries of an observation enter one by one, made independent by r = L D L'.
template <Kalman::Data D, class X, class L, class Y, class A, class Left, class Ll, class Z,
          class H, class R>
BATCHWORK_INLINE void diffuse_update_factor(X& origin, L& l, Y& y, A& a, Left& left, Ll& loglik,
                                            Kalman::DiffuseEntries counted, Z const& z, H const& h,
                                            R const& r) {
  using S = value_t<L>;
  using T = scalar_t<S>;
  constexpr int N = L::rows, M = Z::rows;
  static_assert(X::rows == N && H::cols == N && H::rows == M && R::rows == M && R::cols == M,
                "Batchwork::Kalman::DiffuseSquareRootStep: the extents do not fit; give x N "
                "entries, l N x N, a N rows, z M entries, h M x N and r M x M");
  S const zero(T(0)), one(T(1));
  auto const missing = [&](int i) {
    if constexpr (D == Kalman::Data::may_be_missing)
      return mask_t<S>(is_nan(value_t<Z>(z.entry(i, 0))));
    else return mask_t<S>(false);
  };
  auto info = merge_info<S>(merge_info<S>(origin.info, l.info), a.info);
  info = merge_info<S>(info, merge_info<S>(merge_info<S>(z.info, h.info), r.info));
  if constexpr (D == Kalman::Data::complete)
    info = first_failure(
        info, select(any_missing(z), make_info<S>(Reason::incomplete_data, 0), info_t<S>(0)));
  auto const factor = unit_factor<S, M>(r, missing);
  info = first_failure(info, factor.info);
  S rows[M * N], zs[M], sum = zero;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < M; ++i) {
    S const* unit = factor.l + UnitFactor<S, M>::index(i, 0);
    S* row = rows + i * N;
    zs[i] = select(missing(i), zero, S(z.entry(i, 0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) row[k] = select(missing(i), zero, S(h.entry(i, k)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < i; ++j) {
      zs[i] -= unit[j] * zs[j];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int k = 0; k < N; ++k) row[k] -= unit[j] * rows[j * N + k];
    }
    auto const use = mask_t<S>(!missing(i));
    S const noise = factor.d[i];
    mask_t<S> is_diffuse(false);
    S f_inf = one;
    if (any_diffuse(left)) {
      auto const in = diffuse_innovation(a, left, row);
      is_diffuse = use && in.is_diffuse;
      f_inf = in.variance;
      observe_diffuse_factor(origin, l, y, a, left, in, row, noise, zs[i], is_diffuse);
      info = first_failure(info, select(is_diffuse && !is_finite(f_inf),
                                        make_info<S>(Reason::not_finite, i + 1), info_t<S>(0)));
    }
    auto const known =
        observe_factor(origin, l, y, row, noise, zs[i], mask_t<S>(use && !is_diffuse), i);
    info = first_failure(info, known.info);
    sum += known.sum;
    if (counted == Kalman::DiffuseEntries::with_log_two_pi)
      sum += select(is_diffuse, S(log_two_pi<T>), zero);
    if constexpr (!is_nothing<Ll>)
      subtract_half_log(loglik, S(select(is_diffuse, f_inf, known.variance)));
  }
  origin.info = info;
  l.info = info;
  if constexpr (!is_nothing<Ll>) loglik += Scalar<S>(S(T(-0.5)) * sum, info);
}

/// Moves a state with the mean origin + l y on: the reflections of square_root_predict, applied to
/// y as well. y' is a row below [F L, G], or, where lanes share an item, a column beside L' F'.
template <class X, class L, class Y, class F, class G>
BATCHWORK_INLINE void predict_factor_and_mean(X& origin, L& l, Y& y, F const& f, G const& g) {
  using S = value_t<L>;
  constexpr int N = L::rows;
  origin = f * origin;
  auto const moved = f * l;
  if constexpr (is_distributed<S>) {
    auto const grid = grid_of(l);
    auto const factors = qr(transpose(moved));
    auto const turned = factors.apply_qt(y);
    auto root = columns_of<S, N, N>(factors.r(), grid);
    auto below = columns_of<S, N, N>(transpose(g), grid);
    auto right = columns_of<S, N, 1>(turned, grid);
    auto corner = zero_columns<S, N, 1>(grid);
    StackedColumns beside(right, corner);
    triangularise_stacked<DiagonalSigns::as_reflected, true>(root, below, beside);
    beside.unscale_all();
    l = transpose(tile_of_columns(root, merge_info<S>(moved.info, g.info)));
    y = column(tile_of_columns(right, y.info), 0);
  } else {
    auto const a = stack(beside(moved, zero<N, 1>(l)), beside(transpose(y), zero<1, 1>(l)));
    Lower<S, N + 1> b;
    b = zero<N + 1, N + 1>(l);
    b.info = g.info;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = G::structure == Structure::diagonal ? i : 0; j <= i; ++j)
        b.set(i, j, S(g.entry(i, j)));
    }
    auto const r = lower_factor(a, b);
    l = block<N, N>(r, 0, 0);
    y = column(transpose(block<1, N>(r, N, 0)), 0);
  }
}

}  // namespace Impl

namespace Kalman {

/// One step of the exact diffuse filter in square-root form, a sequence for scan: updates, then
/// predicts. Kalman::filter runs it after diffuse(...) with the form square_root().
///
/// The state has the mean x + l y and the covariance l l' + kappa A A' in the limit of kappa
/// towards infinity. An entry of an observation that meets a diffuse direction, w = h A, has the
/// gain k = A w' / |w|^2 and leads to the factor of [(I - k h) l, k sqrt(r)]. Any other entry is an
/// update by rotations. The carries of x and l hold mean and covariance before the first step and
/// after the last.
///
/// Cost of a step: about 3 N^3 + 3 M N^2 operations. Sources: Durbin and Koopman 2012, sections 5.2
/// and 6.4; Kailath, Sayed and Hassibi 2000, section 12.3, for y.
///
/// \tparam D whether observations may be missing
/// \tparam QIsCarry whether q is a carry, which holds its factor after the first step
template <Data D, bool QIsCarry>
struct DiffuseSquareRootStep {
  std::int64_t steps;  ///< the number of steps
  /// Whether entries that meet a diffuse direction add -1/2 log 2 pi to the log-likelihood.
  DiffuseEntries counted = DiffuseEntries::without_log_two_pi;

  /// One step, called by scan.
  /// \param x  mean, a vector of N
  /// \param l  covariance or its factor, a Lower tile N x N
  /// \param y  a vector of N that starts as zero: what the observations add to the mean
  /// \param a,left  factor of the diffuse covariance and number of its columns, see DiffuseStep
  /// \param loglik  log-likelihood, a scalar or a LogSum of weight -1/2, or nothing()
  /// \param q  covariance of the transition's noise: a carry, or an operand of each time
  /// \param t  step_index()
  /// \param z  observation, a vector of M
  /// \param f,h,r  the other matrices of the model, see Kalman::model
  /// \param predicted_mean,predicted_covariance  the state before the observation, or nothing()
  /// \param filtered_mean,filtered_covariance  the state after the observation, or nothing()
  /// \param filtered_factor  l of filtered_covariance, or nothing()
  /// \param diffuse_factor,diffuse_columns  a and left after the observation, or nothing()
  template <class X, class L, class Y, class A, class Left, class Ll, class Q, class I, class Z,
            class F, class H, class R, class PM, class PC, class FM, class FC, class FF, class FA,
            class FL>
  KOKKOS_FUNCTION void operator()(X& x, L& l, Y& y, A& a, Left& left, Ll& loglik, Q& q, I const& t,
                                  Z const& z, F const& f, H const& h, R const& r,
                                  PM& predicted_mean, PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance, FF& filtered_factor, FA& diffuse_factor,
                                  FL& diffuse_columns) const {
    if (t.value == 0) {
      Impl::put(l, covariance_factor(l));
      if constexpr (QIsCarry) Impl::put(q, covariance_factor(q));
    }
    auto const& zv = Impl::as_vector(z);
    auto const& rm = Impl::as_matrix(r);
    auto const& fm = Impl::as_matrix(f);
    auto xs = Impl::as_vector(x);
    auto ls = Impl::as_matrix(l);
    auto ys = Impl::as_vector(y);
    auto as = Impl::as_matrix(a);
    constexpr int N = decltype(ls)::rows;
    auto const& hm = Impl::as_observation_matrix<N>(h);
    auto const put_state = [&](auto& mean, auto& covariance) {
      if constexpr (!Impl::is_nothing<decltype(mean)>) Impl::put(mean, Impl::mean_of(xs, ls, ys));
      Impl::put_covariance(covariance, ls);
    };
    put_state(predicted_mean, predicted_covariance);
    Impl::diffuse_update_factor<D>(xs, ls, ys, as, left, loglik, counted, zv, hm, rm);
    put_state(filtered_mean, filtered_covariance);
    Impl::put(filtered_factor, ls);
    Impl::put(diffuse_factor, as);
    Impl::put(diffuse_columns, left);
    if constexpr (QIsCarry) Impl::predict_factor_and_mean(xs, ls, ys, fm, Impl::as_matrix(q));
    else Impl::predict_factor_and_mean(xs, ls, ys, fm, covariance_factor(q));
    Impl::predict_diffuse(as, left, fm);
    Impl::put(a, as);
    if (t.value + 1 == steps) {
      put_state(x, l);
    } else {
      Impl::put(x, xs);
      Impl::put(l, ls);
      Impl::put(y, ys);
    }
  }
  /// One step without filtered_factor, diffuse_factor and diffuse_columns.
  template <class X, class L, class Y, class A, class Left, class Ll, class Q, class I, class Z,
            class F, class H, class R, class PM, class PC, class FM, class FC>
  KOKKOS_FUNCTION void operator()(X& x, L& l, Y& y, A& a, Left& left, Ll& loglik, Q& q, I const& t,
                                  Z const& z, F const& f, H const& h, R const& r,
                                  PM& predicted_mean, PC& predicted_covariance, FM& filtered_mean,
                                  FC& filtered_covariance) const {
    Impl::Nothing none;
    (*this)(x, l, y, a, left, loglik, q, t, z, f, h, r, predicted_mean, predicted_covariance,
            filtered_mean, filtered_covariance, none, none, none);
  }
};

}  // namespace Kalman
}  // namespace Batchwork

#endif
