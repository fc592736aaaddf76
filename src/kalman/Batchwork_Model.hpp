// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The arguments of Kalman::filter: model, start, results and promises.
#ifndef BATCHWORK_MODEL_HPP
#define BATCHWORK_MODEL_HPP

#include "fused/Batchwork_Scan.hpp"
#include "kalman/Batchwork_Gains.hpp"

namespace Batchwork {

namespace Impl {

/// Marks a matrix operand as symmetric. Other operands are unchanged.
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

/// A covariance that is carried from step to step. A diagonal value becomes a full matrix, because
/// later covariances are not diagonal.
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

/// A covariance that is replaced by its factor, carried as a lower triangle. Diagonal ones stay.
template <class O>
auto as_lower_triangle(O const& o) {
  return o;
}
template <Kind K, class V, Structure St, bool IsCompact, int... E, BatchIndices L>
  requires(St != Structure::diagonal)
auto as_lower_triangle(Operand<K, Source<Adapted<V, St, IsCompact, E...>, L>> const& o) {
  if constexpr (Source<Adapted<V, St, IsCompact, E...>, L>::tile_rank == 2) {
    using A = Adapted<V, Structure::lower, IsCompact, E...>;
    return Operand<K, Source<A, L>>{Source<A, L>(o.source)};
  } else {
    return o;
  }
}
template <class T, int N, Structure St>
auto as_lower_triangle(Operand<Kind::fixed, Fixed<T, Shape<N, N, St, 2>>> const& o) {
  Fixed<T, Shape<N, N, Structure::lower, 2>> f;
  for (int k = 0; k < N * N; ++k) f.values[k] = o.source.values[k];
  return Operand<Kind::fixed, decltype(f)>{f};
}

/// A factor of the diffuse covariance, carried as a general matrix.
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

/// An argument of a start. A View has one value per item.
template <class X>
auto start_operand(X const& x) {
  if constexpr (Viewish<X>) {
    return in(x);
  } else {
    static_assert(is_operand<X>,
                  "Batchwork::Kalman: an argument of the start is neither a View nor an operand; "
                  "give a View with one value per item, or common(...)");
    static_assert(X::kind == Kind::in || X::kind == Kind::common || X::kind == Kind::fixed,
                  "Batchwork::Kalman: an argument of the start is an operand of another kind; give "
                  "a View with one value per item, in(view), or common(...)");
    return x;
  }
}

/// A matrix of a model, which must be an operand that is read.
template <class X>
auto model_operand(X const& x) {
  static_assert(is_operand<X>,
                "Batchwork::Kalman::model: F, Q, H or R is not an operand; give common(F), "
                "in(F), each(F), common(each(F)) or common(fixed(value))");
  auto o = resolve(x);
  using O = decltype(o);
  static_assert(!holds_complex_numbers<O>(),
                "Batchwork::Kalman::model: F, Q, H or R holds complex numbers; filters take "
                "float or double");
  static_assert(O::kind == Kind::in || O::kind == Kind::common || O::kind == Kind::fixed ||
                    O::kind == Kind::each || O::kind == Kind::common_each,
                "Batchwork::Kalman::model: F, Q, H or R is an operand of another kind; give "
                "common(F), in(F), each(F), common(each(F)) or common(fixed(value))");
  return o;
}

/// The outputs of a diffuse filter and of a smoother.
///
/// \tparam A,C,SM,SC,L,FF operands of the six outputs, or nothing()
template <class A, class C, class SM, class SC, class L, class FF>
struct MoreResults {
  A diffuse_factor;
  C diffuse_columns;
  SM smoothed_mean;
  SC smoothed_covariance;
  L lag_one;
  FF filtered_factor;  ///< factors of the filtered covariances, from a square-root filter

  template <class NewA, class NewC>
  auto with_diffuse(NewA const& a, NewC const& c) const {
    return MoreResults<NewA, NewC, SM, SC, L, FF>{
        a, c, smoothed_mean, smoothed_covariance, lag_one, filtered_factor};
  }
  template <class NewSM, class NewSC, class NewL>
  auto with_smoothed(NewSM const& mean, NewSC const& covariance, NewL const& lag) const {
    return MoreResults<A, C, NewSM, NewSC, NewL, FF>{
        diffuse_factor, diffuse_columns, mean, covariance, lag, filtered_factor};
  }
  /// What a filter computes for a smoother: no smoothed results, but factors.
  template <class NewFF>
  auto of_filter(NewFF const& factor) const {
    using None = Operand<Kind::nothing>;
    return MoreResults<A, C, None, None, None, NewFF>{diffuse_factor, diffuse_columns, {}, {}, {},
                                                      factor};
  }
};

}  // namespace Impl

namespace Kalman {

/// A linear Gaussian model, made by model(F, Q, H, R).
///
/// \tparam F,Q,H,R operands of the four matrices
template <class F, class Q, class H, class R>
struct Model {
  F f;  ///< operand of the transition, N x N
  Q q;  ///< operand of the covariance of the transition's noise, N x N
  H h;  ///< operand of the observation matrix, M x N
  R r;  ///< operand of the covariance of the observation's noise, M x M
};

/// The model x(t+1) = F x(t) + w(t), w ~ N(0, Q), z(t) = H x(t) + e(t), e ~ N(0, R), with N states
/// and M entries of an observation.
///
/// ```cpp
/// auto const model = Kalman::model(common(F), common(Q), common(H), in(R));  // R differs by item
/// ```
///
/// Each matrix is an operand of its own:
///
/// | operand | View | the matrix is |
/// | --- | --- | --- |
/// | common(fixed(value)) | none | the same for all items and times |
/// | common(F) | (i, j) | the same for all items and times |
/// | in(F) | (item, i, j) | one per item |
/// | common(each(F)) | (time, i, j) | one per time |
/// | each(F) | (item, time, i, j) | one per item and time |
///
/// \param f N x N, the transition; a scalar if N is 1
/// \param q N x N, the covariance of w; only the lower triangle is read; diagonal(view) and, if N
///   is 1, a scalar are accepted
/// \param h M x N, the observation; a vector of N if M is 1
/// \param r M x M, the covariance of e; only the lower triangle is read; diagonal(view) and, if M
///   is 1, a scalar are accepted
/// \returns the argument `model` of Kalman::filter
template <class F, class Q, class H, class R>
auto model(F const& f, Q const& q, H const& h, R const& r) {
  auto fo = Impl::model_operand(f);
  auto qo = Impl::as_covariance(Impl::model_operand(q));
  auto ho = Impl::model_operand(h);
  auto ro = Impl::as_covariance(Impl::model_operand(r));
  return Model<decltype(fo), decltype(qo), decltype(ho), decltype(ro)>{fo, qo, ho, ro};
}

/// The start of a filter, made by start, predicted or diffuse.
///
/// \tparam O the order of predicting and updating
/// \tparam X,P operands of mean and covariance
/// \tparam A operand of the factor of the diffuse covariance; nothing() unless the start is diffuse
template <Order O, class X, class P, class A>
struct Start {
  static constexpr Order order = O;  ///< whether a step predicts or updates first
  X mean;                            ///< operand of the mean, N
  P covariance;                      ///< operand of the covariance, N x N
  A diffuse;  ///< operand of the factor A of the diffuse covariance, N x d; else nothing()
};
/// The start diffuse(), with all states diffuse. Kalman::filter makes a Start of it once the number
/// of states is known.
struct AllDiffuse {};

/// Starts from the filtered state one time before the first observation. Every step predicts, then
/// updates. F and Q of a step lead to its time.
///
/// ```cpp
/// Kalman::start(x0, common(P0))  // a mean per item, one covariance for all
/// ```
///
/// \param x0 mean, a View (item, N) or common(...)
/// \param p0 covariance, a View (item, N, N) or common(...); full matrices; only the lower triangle
///   is read
/// \returns the argument `start` of Kalman::filter
template <class X, class P>
auto start(X const& x0, P const& p0) {
  auto x = Impl::start_operand(x0);
  auto p = Impl::as_full_covariance(Impl::start_operand(p0));
  return Start<Order::predict_first, decltype(x), decltype(p), decltype(nothing())>{x, p, {}};
}
/// Starts from the state at the time of the first observation, before that observation is known.
/// Every step updates, then predicts. F and Q of a step lead from its time to the next (Durbin and
/// Koopman 2012).
///
/// \param x1 mean, a View (item, N) or common(...)
/// \param p1 covariance, a View (item, N, N) or common(...); full matrices; only the lower triangle
///   is read
/// \returns the argument `start` of Kalman::filter
template <class X, class P>
auto predicted(X const& x1, P const& p1) {
  auto x = Impl::start_operand(x1);
  auto p = Impl::as_full_covariance(Impl::start_operand(p1));
  return Start<Order::update_first, decltype(x), decltype(p), decltype(nothing())>{x, p, {}};
}
/// Starts as predicted(x1, p1) does, with the covariance p1 + kappa A A' in the limit of kappa
/// towards infinity: exact diffuse initialisation (Durbin and Koopman 2012, section 5.2).
///
/// ```cpp
/// auto const A = generate<3, 1>([](int i, int) { return i == 0 ? 1.0 : 0.0; });
/// Kalman::diffuse(x1, P1, common(fixed(A)))  // nothing is known about the first of three states
/// ```
///
/// \param x1 mean, a View (item, N) or common(...)
/// \param p1 covariance of what is known, a View (item, N, N) or common(...); zero in the rows and
///   columns of diffuse states
/// \param a N x d with a column for each diffuse direction, d at most N, a View (item, N, d) or
///   common(...). Also accepted: the N x N matrix with ones on the diagonal at the diffuse states,
///   which is P_inf of Durbin and Koopman.
/// \returns the argument `start` of Kalman::filter
template <class X, class P, class A>
auto diffuse(X const& x1, P const& p1, A const& a) {
  auto x = Impl::start_operand(x1);
  auto p = Impl::as_full_covariance(Impl::start_operand(p1));
  auto d = Impl::as_full_factor(Impl::start_operand(a));
  return Start<Order::update_first, decltype(x), decltype(p), decltype(d)>{x, p, d};
}
/// Starts with all states diffuse: zero mean, p1 = 0, A the identity. Use diffuse(x1, p1, A) in
/// float if the units of the states differ by more than a factor of 1000.
inline AllDiffuse diffuse() { return {}; }

/// A start whose mean and covariance the functor of Kalman::score returns, made by start(),
/// predicted() or diffuse(A).
///
/// \tparam O the order of predicting and updating
/// \tparam A operand of the factor of the diffuse covariance, or nothing()
template <Order O, class A>
struct StartOfModel {
  static constexpr Order order = O;  ///< whether a step predicts or updates first
  A diffuse;                         ///< operand of the factor A, N x d; else nothing()
};
/// As start(x0, p0), with the x0 and p0 that the functor of Kalman::score returns.
inline auto start() { return StartOfModel<Order::predict_first, decltype(nothing())>{}; }
/// As predicted(x1, p1), with the x1 and p1 that the functor of Kalman::score returns.
inline auto predicted() { return StartOfModel<Order::update_first, decltype(nothing())>{}; }
/// As diffuse(x1, p1, a), with the x1 and p1 that the functor of Kalman::score returns.
///
/// \param a N x d, a View (item, N, d) or common(...)
template <class A>
auto diffuse(A const& a) {
  auto d = Impl::as_full_factor(Impl::start_operand(a));
  return StartOfModel<Order::update_first, decltype(d)>{d};
}

/// The outputs of Kalman::score, made by results() with score(...).
///
/// \tparam LL,SC,FI,ST operands of the four outputs, or nothing()
template <class LL, class SC, class FI, class ST>
struct ScoreResults {
  LL log_likelihood_;
  SC score_;
  FI information_;
  ST status_;
  DiffuseEntries diffuse_entries_ = DiffuseEntries::without_log_two_pi;

  // The same with other operands.
  template <class... New>
  auto make(DiffuseEntries counted, New const&... n) const {
    return ScoreResults<New...>{n..., counted};
  }

  /// Adds the log-likelihood, see Results.
  ///
  /// \param v View (item)
  /// \param counted whether entries that meet a diffuse direction also add -1/2 log 2 pi
  template <class V>
  auto log_likelihood(V const& v,
                      DiffuseEntries counted = DiffuseEntries::without_log_two_pi) const {
    return make(counted, out(v), score_, information_, status_);
  }
  /// Adds the score, the derivatives of the log-likelihood.
  ///
  /// \param v View (item, p) for p parameters; (item) if p is 1
  template <class V>
  auto score(V const& v) const {
    return make(diffuse_entries_, log_likelihood_, out(v), information_, status_);
  }
  /// Adds the information matrix: the sum over entries of d_i f d_j f / (2 f^2) + d_i e d_j e / f,
  /// with the innovation e and its variance f. Its expectation is Fisher's information matrix
  /// (Harvey 1989, section 3.4).
  ///
  /// \param v View (item, p, p)
  template <class V>
  auto information(V const& v) const {
    return make(diffuse_entries_, log_likelihood_, score_, Impl::as_covariance(out(v)), status_);
  }
  /// Adds the first failure of each series, see Results.
  ///
  /// \param v View (item) of integers
  template <class V>
  auto status(V const& v) const {
    return make(diffuse_entries_, log_likelihood_, score_, information_, Batchwork::status(v));
  }
};

/// The outputs of Kalman::filter. results() requests no output; chain its functions to add outputs.
/// Outputs that are not requested cost nothing.
///
/// ```cpp
/// Kalman::results().filtered_mean(mean).log_likelihood(ll).status(codes)
/// ```
///
/// All Views hold numbers of the model's type, the status holds integers. N is the number of
/// states. If N is 1, the extents N may be left out.
///
/// \tparam PM,PC,FM,FC,LM,LC,LL,ST operands of eight outputs, or nothing()
/// \tparam More the other outputs, MoreResults
template <class PM, class PC, class FM, class FC, class LM, class LC, class LL, class ST,
          class More>
struct Results {
  PM predicted_mean_;
  PC predicted_covariance_;
  FM filtered_mean_;
  FC filtered_covariance_;
  LM last_mean_;
  LC last_covariance_;
  LL log_likelihood_;
  ST status_;
  More more_;
  DiffuseEntries diffuse_entries_ = DiffuseEntries::without_log_two_pi;

  // The same with other operands.
  template <class... New>
  auto make(New const&... n) const {
    return Results<New..., More>{n..., more_, diffuse_entries_};
  }
  template <class... New>
  auto make_more(Impl::MoreResults<New...> const& n) const {
    return Results<PM, PC, FM, FC, LM, LC, LL, ST, Impl::MoreResults<New...>>{predicted_mean_,
                                                                              predicted_covariance_,
                                                                              filtered_mean_,
                                                                              filtered_covariance_,
                                                                              last_mean_,
                                                                              last_covariance_,
                                                                              log_likelihood_,
                                                                              status_,
                                                                              n,
                                                                              diffuse_entries_};
  }

  /// Adds the mean before the observation of each time.
  ///
  /// \param v View (item, time, N)
  template <class V>
  auto predicted_mean(V const& v) const {
    return make(emit(v), predicted_covariance_, filtered_mean_, filtered_covariance_, last_mean_,
                last_covariance_, log_likelihood_, status_);
  }
  /// Adds the covariance before the observation of each time; for diffuse states the part without
  /// kappa.
  ///
  /// \param v View (item, time, N, N)
  template <class V>
  auto predicted_covariance(V const& v) const {
    return make(predicted_mean_, Impl::as_covariance(emit(v)), filtered_mean_, filtered_covariance_,
                last_mean_, last_covariance_, log_likelihood_, status_);
  }
  /// Adds the mean after the observation of each time.
  ///
  /// \param v View (item, time, N)
  template <class V>
  auto filtered_mean(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, emit(v), filtered_covariance_, last_mean_,
                last_covariance_, log_likelihood_, status_);
  }
  /// Adds the covariance after the observation of each time; for diffuse states the part without
  /// kappa.
  ///
  /// \param v View (item, time, N, N)
  template <class V>
  auto filtered_covariance(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_,
                Impl::as_covariance(emit(v)), last_mean_, last_covariance_, log_likelihood_,
                status_);
  }
  /// Adds the mean from which a call with the rest of the series starts. After start(...) it is the
  /// filtered mean of the last time, for another start(...). After predicted(...) and diffuse(...)
  /// it is the prediction beyond the last time, for predicted(...).
  ///
  /// \param v View (item, N); may be the View of the start
  template <class V>
  auto last_mean(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                out(v), last_covariance_, log_likelihood_, status_);
  }
  /// Adds the covariance that belongs to last_mean.
  ///
  /// \param v View (item, N, N); may be the View of the start
  template <class V>
  auto last_covariance(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                last_mean_, Impl::as_covariance(out(v)), log_likelihood_, status_);
  }
  /// Adds the log-likelihood: the sum over time of -1/2 (m log 2 pi + log det S + v' S^-1 v), with
  /// m entries observed, innovation v and its covariance S. An entry that meets a diffuse direction
  /// adds -1/2 log F_inf instead.
  ///
  /// \param v View (item)
  /// \param counted whether entries that meet a diffuse direction also add -1/2 log 2 pi
  template <class V>
  auto log_likelihood(V const& v,
                      DiffuseEntries counted = DiffuseEntries::without_log_two_pi) const {
    auto r = make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                  last_mean_, last_covariance_, out(v), status_);
    r.diffuse_entries_ = counted;
    return r;
  }
  /// Adds the first failure of each series: not_positive_definite, inaccurate, not_finite or
  /// incomplete_data. 0 means success.
  ///
  /// \param v View (item) of integers
  template <class V>
  auto status(V const& v) const {
    return make(predicted_mean_, predicted_covariance_, filtered_mean_, filtered_covariance_,
                last_mean_, last_covariance_, log_likelihood_, Batchwork::status(v));
  }
  /// Adds the factor A of the diffuse covariance kappa A A' after the observation of each time. Its
  /// first columns count, as many as diffuse_columns says. Of a diffuse start.
  ///
  /// \param v View (item, time, N, d) for a start with d diffuse columns, N for diffuse()
  template <class V>
  auto diffuse_factor(V const& v) const {
    return make_more(more_.with_diffuse(emit(v), more_.diffuse_columns));
  }
  /// Adds the number of diffuse columns after the observation of each time. All states are known
  /// from the first time at which it is zero. Of a diffuse start.
  ///
  /// \param v View (item, time) of numbers of the model's type
  template <class V>
  auto diffuse_columns(V const& v) const {
    return make_more(more_.with_diffuse(more_.diffuse_factor, emit(v)));
  }
  /// Adds the mean given all observations, of Kalman::smooth.
  ///
  /// \param v View (item, time, N)
  template <class V>
  auto smoothed_mean(V const& v) const {
    return make_more(more_.with_smoothed(emit(v), more_.smoothed_covariance, more_.lag_one));
  }
  /// Adds the covariance given all observations, of Kalman::smooth.
  ///
  /// \param v View (item, time, N, N)
  template <class V>
  auto smoothed_covariance(V const& v) const {
    return make_more(
        more_.with_smoothed(more_.smoothed_mean, Impl::as_covariance(emit(v)), more_.lag_one));
  }
  /// Adds the covariance of the states at times t + 1 and t given all observations, of
  /// Kalman::smooth: row i belongs to time t + 1, column j to time t. Zero at the last time.
  ///
  /// \param v View (item, time, N, N)
  template <class V>
  auto lag_one_covariance(V const& v) const {
    return make_more(more_.with_smoothed(more_.smoothed_mean, more_.smoothed_covariance, emit(v)));
  }

  /// The outputs of Kalman::score among these.
  auto of_score() const {
    using None = decltype(nothing());
    constexpr bool only =
        std::is_same_v<Results, Results<None, None, None, None, None, None, LL, ST,
                                        Impl::MoreResults<None, None, None, None, None, None>>>;
    static_assert(only,
                  "Batchwork::Kalman::score: results() has an output that only Kalman::filter "
                  "computes; request log_likelihood, score, information and status, and call "
                  "filter for the others");
    return ScoreResults<LL, None, None, ST>{log_likelihood_, {}, {}, status_, diffuse_entries_};
  }
  /// Adds the score, for Kalman::score: the derivatives of the log-likelihood.
  ///
  /// \param v View (item, p) for p parameters; (item) if p is 1
  template <class V>
  auto score(V const& v) const {
    return of_score().score(v);
  }
  /// Adds the information matrix, for Kalman::score; see ScoreResults.
  ///
  /// \param v View (item, p, p)
  template <class V>
  auto information(V const& v) const {
    return of_score().information(v);
  }
};

/// No outputs yet.
///
/// \returns a Results, to which outputs are added by chained calls
inline auto results() {
  using None = decltype(nothing());
  return Results<None, None, None, None, None, None, None, None,
                 Impl::MoreResults<None, None, None, None, None, None>>{};
}

/// The default promise: none. A NaN is a missing observation.
struct MayBeMissing {
  static constexpr Data data = Data::may_be_missing;  ///< the kind of promise
};
/// The promise that no observation is missing, made by complete().
struct Complete {
  static constexpr Data data = Data::complete;  ///< the kind of promise
};
/// The promise that no observation is missing, with a workspace for common gains, made by
/// complete(gains).
///
/// \tparam G a Gains
template <class G>
struct CompleteWith {
  static constexpr Data data = Data::complete;  ///< the kind of promise
  G gains;                                      ///< the workspace; shares its Views
};

/// What a filter carries, and the equations of its step.
enum class Form {
  covariance,   ///< P, with P - y' y
  square_root,  ///< a factor of P
  sequential,   ///< P, with P - m k' for each entry of an observation
  joseph,       ///< P, with (I - K H) P (I - K H)' + K R K'
  information,  ///< Y = P^-1
  steady,       ///< P until it no longer changes, then the gain
};

/// The form of the filter that carries covariances, made by covariance().
struct CovarianceForm {
  static constexpr Form form = Form::covariance;  ///< what a filter carries
};
/// The form of the filter that carries factors of covariances, made by square_root().
struct SquareRootForm {
  static constexpr Form form = Form::square_root;  ///< what a filter carries
};
/// The form of the filter that takes entries one by one, made by sequential().
struct SequentialForm {
  static constexpr Form form = Form::sequential;  ///< what a filter carries
};
/// The form of the filter with Joseph's covariance, made by joseph().
struct JosephForm {
  static constexpr Form form = Form::joseph;  ///< what a filter carries
};
/// The form of the filter that carries the information Y = P^-1, made by information().
struct InformationForm {
  static constexpr Form form = Form::information;  ///< what a filter carries
};
/// The form of the filter that stops at a steady covariance, made by steady(tolerance).
struct SteadyForm {
  static constexpr Form form = Form::steady;  ///< what a filter carries
  double tolerance;  ///< relative change of a covariance in a step that counts as none
};
/// The covariance form of Kalman::filter, the default: P = F P F' + Q, P = P - y' y.
inline CovarianceForm covariance() { return {}; }
/// The square-root form of Kalman::filter: it carries L with P = L L' and forms P only where it is
/// stored. It keeps its digits where variances exceed the noise by many powers of ten. P, Q and R
/// may be singular.
///
/// ```cpp
/// Kalman::filter(steps, model, Kalman::start(x0, P0), z, results, Kalman::square_root());
/// ```
inline SquareRootForm square_root() { return {}; }
/// The covariance form of Kalman::filter, with the entries of an observation one by one. It needs
/// no factors of M x M matrices if R is a diagonal(view), and is faster for many entries.
///
/// ```cpp
/// auto const model = Kalman::model(common(F), common(Q), common(H), common(diagonal(R)));
/// Kalman::filter(steps, model, Kalman::start(x0, P0), z, results, Kalman::sequential());
/// ```
inline SequentialForm sequential() { return {}; }
/// Joseph's form of Kalman::filter: P = (I - K H) P (I - K H)' + K R K'. It keeps the digits of
/// states that are observed directly with a small noise. Where a state follows from others that are
/// observed, only square_root() keeps them.
///
/// ```cpp
/// Kalman::filter(steps, model, Kalman::start(x0, P0), z, results, Kalman::joseph());
/// ```
inline JosephForm joseph() { return {}; }
/// The information form of Kalman::filter: it carries Y = P^-1. An update adds H' R^-1 H. The start
/// diffuse() is Y = 0. F and R must be invertible, and P0 as well.
///
/// ```cpp
/// Kalman::filter(steps, model, Kalman::diffuse(), z, results, Kalman::information());
/// ```
inline InformationForm information() { return {}; }
/// The covariance form of Kalman::filter for a model that does not vary with time, until a step
/// changes no entry P(i, j) by more than tolerance * sqrt(P(i, i) P(j, j)). From then on the gain
/// stays and steps compute means only. A missing entry leads back to full steps.
///
/// ```cpp
/// Kalman::filter(steps, model, Kalman::start(x0, P0), z, results, Kalman::steady(1e-12));
/// ```
///
/// \param tolerance at least some N eps, with eps the machine epsilon of the model's type; below
///   that, rounding errors look like changes. If changes fall by a factor d in each step, P still
///   differs from its limit by about tolerance d / (1 - d).
inline SteadyForm steady(double tolerance) { return {tolerance}; }

/// Promises that no observation is missing. The kernel then computes no masks, and an item with a
/// NaN fails with Reason::incomplete_data.
inline Complete complete() { return {}; }
/// Promises that no observation is missing, for a model and a start that are common to all items.
/// Covariances and gains are computed once, by a first kernel over one item, and the batch computes
/// means only.
///
/// ```cpp
/// Kalman::Gains<double, 4, 2> gains(steps);
/// Kalman::filter(steps, model, Kalman::start(common(x0), common(P0)), z, results,
///                Kalman::complete(gains));
/// ```
///
/// \param gains workspace, which must live until both kernels have ended
/// \returns the argument `promise` of Kalman::filter
template <class T, int N, int M, class Space>
auto complete(Gains<T, N, M, Space> const& gains) {
  return CompleteWith<Gains<T, N, M, Space>>{gains};
}

}  // namespace Kalman
}  // namespace Batchwork

#endif
