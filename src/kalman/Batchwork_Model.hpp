// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What Kalman::filter is told: the model, the start, the results wanted.
#ifndef BATCHWORK_MODEL_HPP
#define BATCHWORK_MODEL_HPP

#include "fused/Batchwork_Scan.hpp"
#include "kalman/Batchwork_Gains.hpp"

namespace Batchwork {

namespace Impl {

/// A covariance is symmetric, whether the caller said so or not.
template <class O>
auto as_covariance(O const& o) {
  return o;
}
template <Kind K, class V, bool IsCompact, int... E, BatchIndices L>
auto as_covariance(
    Operand<K, Source<Adapted<V, Structure::general, IsCompact, E...>, L>> const& o) {
  if constexpr (Source<Adapted<V, Structure::general, IsCompact, E...>, L>::tile_rank == 2) {
    using A = Adapted<V, Structure::symmetric, IsCompact, E...>;
    return Operand<K, Source<A, L>>{Source<A, L>(o.source)};
  } else {
    return o;
  }
}
template <class T, int N, Structure St, int Rank>
  requires(Rank == 2 && (St == Structure::general || St == Structure::lower))
auto as_covariance(Operand<Kind::fixed, Fixed<T, Shape<N, N, St, Rank>>> const& o) {
  Fixed<T, Shape<N, N, Structure::symmetric, 2>> f;
  for (int k = 0; k < N * N; ++k) f.values[k] = o.source.values[k];
  return Operand<Kind::fixed, decltype(f)>{f};
}

/// A covariance that changes from step to step: its zeros do not stay zeros.
template <class O>
auto as_full_covariance(O const& o) {
  return as_covariance(o);
}
template <class T, int N>
auto as_full_covariance(
    Operand<Kind::fixed, Fixed<T, Shape<N, N, Structure::diagonal, 1>>> const& o) {
  Fixed<T, Shape<N, N, Structure::symmetric, 2>> f;
  for (int k = 0; k < N * N; ++k) f.values[k] = k / N == k % N ? o.source.values[k / N] : T(0);
  return Operand<Kind::fixed, decltype(f)>{f};
}

/// A factor of the diffuse covariance: no structure that a step would not keep.
template <class O>
auto as_full_factor(O const& o) {
  return o;
}
template <class T, int N, Structure St, int Rank>
  requires(St != Structure::general)
auto as_full_factor(Operand<Kind::fixed, Fixed<T, Shape<N, N, St, Rank>>> const& o) {
  Fixed<T, Shape<N, N, Structure::general, 2>> f;
  for (int k = 0; k < N * N; ++k) {
    if constexpr (Rank == 2) f.values[k] = o.source.values[k];
    else f.values[k] = k / N == k % N ? o.source.values[k / N] : T(0);
  }
  return Operand<Kind::fixed, decltype(f)>{f};
}

/// A View stands for one value per item.
template <class X>
auto start_operand(X const& x) {
  if constexpr (Viewish<X>) {
    return in(x);
  } else {
    static_assert(is_operand<X>,
                  "Batchwork::Kalman: a start is a View over the items, or common(...)");
    static_assert(X::kind == Kind::in || X::kind == Kind::common || X::kind == Kind::fixed,
                  "Batchwork::Kalman: a start is a View over the items, or common(...)");
    return x;
  }
}

template <class X>
auto model_operand(X const& x) {
  static_assert(is_operand<X>,
                "Batchwork::Kalman::model: the matrices are operands: common(F), in(F), each(F), "
                "common(each(F)), common(fixed(value))");
  auto o = resolve(x);
  using O = decltype(o);
  static_assert(!holds_complex_numbers<O>(),
                "Batchwork::Kalman: filters are of real numbers; these are complex");
  static_assert(O::kind == Kind::in || O::kind == Kind::common || O::kind == Kind::fixed ||
                    O::kind == Kind::each || O::kind == Kind::common_each,
                "Batchwork::Kalman::model: the matrices are read: common(F), in(F), each(F), "
                "common(each(F)), "
                "common(fixed(value))");
  return o;
}

}  // namespace Impl

namespace Kalman {

template <class F, class Q, class H, class R>
struct Model {
  F f;
  Q q;
  H h;
  R r;
};

/// The model x(t+1) = F x(t) + w, w ~ N(0, Q), z(t) = H x(t) + e, e ~ N(0, R), with N states and M
/// observations: F and Q are N x N, H is M x N, R is M x M. Each is an operand of its own: the same
/// for all items and times, common(F) or common(fixed(value)); per item, in(F); per time,
/// common(each(F)); per item and time, each(F). Of Q and R the lower triangle is read;
/// diagonal(view) is welcome. Scalars do for 1 x 1, a vector for an H with one row.
template <class F, class Q, class H, class R>
auto model(F const& f, Q const& q, H const& h, R const& r) {
  auto fo = Impl::model_operand(f);
  auto qo = Impl::as_covariance(Impl::model_operand(q));
  auto ho = Impl::model_operand(h);
  auto ro = Impl::as_covariance(Impl::model_operand(r));
  return Model<decltype(fo), decltype(qo), decltype(ho), decltype(ro)>{fo, qo, ho, ro};
}

/// Where a filter starts; made by start, predicted or diffuse. A is nothing() unless the start is
/// diffuse.
template <Order O, class X, class P, class A>
struct Start {
  static constexpr Order order = O;
  X mean;
  P covariance;
  A diffuse;
};
/// Every state diffuse; made into a Start when the model is known.
struct AllDiffuse {};

/// The filtered state one time before the first observation: every step predicts, then updates. F
/// and Q of a step are those that lead to its time. Views over the items, or common(...).
template <class X, class P>
auto start(X const& x0, P const& p0) {
  auto x = Impl::start_operand(x0);
  auto p = Impl::as_full_covariance(Impl::start_operand(p0));
  return Start<Order::predict_first, decltype(x), decltype(p), decltype(nothing())>{x, p, {}};
}
/// The state at the first observation, before that is known: every step updates, then predicts. F
/// and Q of a step are those that lead from its time to the next, as in Durbin and Koopman. Views
/// over the items, or common(...).
template <class X, class P>
auto predicted(X const& x1, P const& p1) {
  auto x = Impl::start_operand(x1);
  auto p = Impl::as_full_covariance(Impl::start_operand(p1));
  return Start<Order::update_first, decltype(x), decltype(p), decltype(nothing())>{x, p, {}};
}
/// As predicted(x1, p1), of covariance p1 + kappa A A' with kappa towards infinity: exact diffuse
/// initialisation. A is N x d and has a column for each diffuse direction: columns of the identity
/// for states that are diffuse themselves, of which p1 has zero rows and columns. An N x N matrix
/// with ones on the diagonal for these states, zeros elsewhere, does as well: it is A A' itself,
/// the P_inf of Durbin and Koopman.
template <class X, class P, class A>
auto diffuse(X const& x1, P const& p1, A const& a) {
  auto x = Impl::start_operand(x1);
  auto p = Impl::as_full_covariance(Impl::start_operand(p1));
  auto d = Impl::as_full_factor(Impl::start_operand(a));
  return Start<Order::update_first, decltype(x), decltype(p), decltype(d)>{x, p, d};
}
/// Every state diffuse: zero mean, p1 = 0, A the identity.
inline AllDiffuse diffuse() { return {}; }

/// The results wanted, each a View; what is not asked for costs nothing. Made by results(), as in
/// results().filtered_mean(m).log_likelihood(ll).status(s). Means are (item, time, N), covariances
/// (item, time, N, N), last ones (item, N) and (item, N, N), the log-likelihood and the status
/// (item).
template <class PM, class PC, class FM, class FC, class LM, class LC, class LL, class ST>
struct Results {
  PM predicted_mean_;
  PC predicted_covariance_;
  FM filtered_mean_;
  FC filtered_covariance_;
  LM last_mean_;
  LC last_covariance_;
  LL log_likelihood_;
  ST status_;
  DiffuseEntries diffuse_entries_ = DiffuseEntries::without_log_two_pi;

  template <class... New>
  auto make(New const&... n) const {
    return Results<New...>{n..., diffuse_entries_};
  }

  /// The state before the observation of each time.
  template <class V>
  auto predicted_mean(V const& v) const {
    return make(emit(v), predicted_covariance_, filtered_mean_, filtered_covariance_, last_mean_,
                last_covariance_, log_likelihood_, status_);
  }
  /// Its covariance; of a diffuse state the part without kappa.
  template <class V>
  auto predicted_covariance(V const& v) const {
    return make(predicted_mean_, Impl::as_covariance(emit(v)), filtered_mean_, filtered_covariance_,
                last_mean_, last_covariance_, log_likelihood_, status_);
  }
  /// The state after the observation of each time.
  template <class V>
  auto filtered_mean(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, emit(v), filtered_covariance_, last_mean_,
                last_covariance_, log_likelihood_, status_);
  }
  template <class V>
  auto filtered_covariance(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_,
                Impl::as_covariance(emit(v)), last_mean_, last_covariance_, log_likelihood_,
                status_);
  }
  /// The state that a call with the rest of the series starts from: after start(...) the filtered
  /// one of the last time, for another start(...); after predicted(...) and diffuse(...) the
  /// prediction beyond it, for predicted(...).
  template <class V>
  auto last_mean(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                out(v), last_covariance_, log_likelihood_, status_);
  }
  template <class V>
  auto last_covariance(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                last_mean_, Impl::as_covariance(out(v)), log_likelihood_, status_);
  }
  /// The sum over time of -1/2 (m log 2 pi + log det S + v' S^-1 v), m entries observed, v the
  /// innovation and S its covariance; where the state is diffuse, of -1/2 log F_inf, with or
  /// without log 2 pi (see DiffuseStep).
  template <class V>
  auto log_likelihood(V const& v,
                      DiffuseEntries counted = DiffuseEntries::without_log_two_pi) const {
    auto r = make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                  last_mean_, last_covariance_, out(v), status_);
    r.diffuse_entries_ = counted;
    return r;
  }
  /// The first failure of each series: Reason::not_positive_definite, not_finite or
  /// incomplete_data.
  template <class V>
  auto status(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                last_mean_, last_covariance_, log_likelihood_, Batchwork::status(v));
  }
};

inline auto results() {
  using None = decltype(nothing());
  return Results<None, None, None, None, None, None, None, None>{};
}

/// Nothing is promised: a NaN is a missing observation.
struct MayBeMissing {
  static constexpr Data data = Data::may_be_missing;
};
/// The promise that no observation is missing, made by complete().
struct Complete {
  static constexpr Data data = Data::complete;
};
template <class G>
struct CompleteWith {
  static constexpr Data data = Data::complete;
  G gains;
};

/// The promise that no observation is missing; a NaN gives Reason::incomplete_data.
inline Complete complete() { return {}; }
/// Likewise, for a model and a start common to all items: what does not depend on the data is
/// computed for one item, into the workspace `gains`, and the batch computes means only.
template <class T, int N, int M, class Space>
auto complete(Gains<T, N, M, Space> const& gains) {
  return CompleteWith<Gains<T, N, M, Space>>{gains};
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
