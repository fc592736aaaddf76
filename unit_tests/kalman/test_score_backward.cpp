// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kalman::score with backward_pass against differences of textbook filters in long double, a closed
// form, and the forward form.
#include "ScoreCase.hpp"
#include "ScoreModels.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
class KalmanBackwardScoreIn : public ::testing::Test {};
using NumbersOfBackwardScores = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KalmanBackwardScoreIn, NumbersOfBackwardScores);

/// A batch with the workspace of the backward pass for N states.
template <class T, int N, int M, int P>
struct BackwardBatch : ScoreBatch<T, M, P> {
  Kokkos::View<T** [M][N + 2], Space> gains;
  Kokkos::View<T** [N][N / 2 + 2], Space> states;

  BackwardBatch(int n, int count, std::vector<std::pair<double, double>> const& ranges, bool gaps)
      : ScoreBatch<T, M, P>(n, count, ranges, gaps),
        gains("gains", this->items, this->steps),
        states("states", this->items, this->steps) {
    poisoned(gains);
    poisoned(states);
  }
  auto outputs() const {
    return Kalman::results().log_likelihood(this->ll).score(this->score).status(this->st);
  }
  template <class Model, class Start>
  void run(Model const& model, Start const& start) {
    this->poison_results();
    Kalman::score(int(this->steps), model, this->theta, start, this->z, outputs(),
                  Kalman::backward_pass(gains, states));
  }
  /// Compares with the forward form, whose results are in this batch afterwards.
  template <class Model, class Start>
  void expect_forward(Model const& model, Start const& start, long double scale) {
    auto const ll = on_host(this->ll);
    auto const score = on_host(this->score);
    this->poison_results();
    Kalman::score(int(this->steps), model, this->theta, start, this->z, outputs());
    auto const tol = double(tolerance<T>(40, scale * static_cast<long double>(this->steps)));
    for (std::size_t k = 0; k < this->items; ++k) {
      EXPECT_NEAR(double(on_host(this->ll)(k)), double(ll(k)), tol) << k;
      for (std::size_t i = 0; i < P; ++i)
        EXPECT_NEAR(double(on_host(this->score)(k, i)), double(score(k, i)), tol) << k << " " << i;
    }
  }
};

TYPED_TEST(KalmanBackwardScoreIn, EveryMatrixDependsOnTheParameters) {
  using T = TypeParam;
  for (bool gaps : {false, true}) {
    BackwardBatch<T, 2, 2, 3> b(13, 20, {{-1, 1}, {-1, 1}, {-1, 1}}, gaps);
    Dense x(2, 1, 0.5L), p = 2.0L * eye(2);
    p(1, 0) = p(0, 1) = 0.5L;
    auto const X = filled(Kokkos::View<T[2], Space>("x"), x);
    auto const P = filled(Kokkos::View<T[2][2], Space>("P"), p);
    auto const against = [&](auto const& start) {
      b.run(Rotation{}, start);
      b.expect(
          [&](std::size_t k, Parameters const& theta) {
            return true_filter(start.order, rotation(theta).of_time(), x, p, b.series[k])
                .log_likelihood;
          },
          20);
      b.expect_forward(Rotation{}, start, 20);
    };
    against(Kalman::start(common(X), common(P)));
    against(Kalman::predicted(common(X), common(P)));
  }
}

/// F, or H, alone depends on the parameters, and a start returned by the model.
template <bool InF>
struct MovingPair {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = [](int i, int j) { return i == j ? 0.7 : 0.2; };
    auto const h = [](int i, int j) { return i == j ? 1.0 : -0.4; };
    auto p = zero<2, 2>(theta);
    p(0, 0) = p(1, 1) = exp(theta(0));
    p(1, 0) = 0.3 * exp(theta(0));
    p(0, 1) = 9.0 + 0 * theta(0);  // the lower triangle is read
    auto x = zero<2>(theta);
    x(0) = theta(1);
    auto const r = generate<2, 2>([](int i, int j) { return i == j ? 1.0 : 0.4; });
    auto const q = generate<2, 2>([](int i, int j) { return i == j ? 0.5 : 0.1; });
    if constexpr (InF)
      return Kalman::matrices(generate<2, 2>([&](int i, int j) { return f(i, j) * theta(0); }), q,
                              generate<2, 2>(h), r, x, p);
    else
      return Kalman::matrices(generate<2, 2>(f), q,
                              generate<2, 2>([&](int i, int j) { return h(i, j) * theta(1); }), r,
                              x, p);
  }
};
TYPED_TEST(KalmanBackwardScoreIn, TheStartDependsOnTheParameters) {
  using T = TypeParam;
  BackwardBatch<T, 2, 2, 2> b(11, 20, {{0.4, 0.9}, {0.5, 1}}, true);
  auto const against = [&](auto const& model, auto const& start, bool in_f) {
    b.run(model, start);
    b.expect(
        [&](std::size_t k, Parameters const& theta) {
          auto const pair = [](long double diagonal, long double other) {
            return make_dense(2, 2, [=](int i, int j) { return i == j ? diagonal : other; });
          };
          Dense x(2, 1);
          x(0) = theta[1];
          return true_filter(
                     start.order,
                     constant_model((in_f ? theta[0] : 1.0L) * pair(0.7L, 0.2L), pair(0.5L, 0.1L),
                                    (in_f ? 1.0L : theta[1]) * pair(1, -0.4L), pair(1, 0.4L)),
                     x, std::exp(theta[0]) * pair(1, 0.3L), b.series[k])
              .log_likelihood;
        },
        20);
  };
  against(MovingPair<true>{}, Kalman::start(), true);
  against(MovingPair<true>{}, Kalman::predicted(), true);
  against(MovingPair<false>{}, Kalman::start(), false);
  against(MovingPair<false>{}, Kalman::predicted(), false);
}

/// One of two states is diffuse; the covariance of the other, and of the noise of two correlated
/// observations, depends on the parameters.
struct DiffuseLevel {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto q = zero<2>(theta), p = zero<2>(theta), x = zero<2>(theta);
    q(0) = exp(theta(0));
    q(1) = 0.5 * exp(theta(0));
    p(1) = exp(theta(2));
    x(1) = theta(1);
    auto r = zero<2, 2>(theta);
    r(0, 0) = 1.0 + square(theta(1));
    r(1, 0) = theta(1) * exp(0.5 * theta(2));
    r(1, 1) = exp(theta(2));
    auto const f = generate<2, 2>([](int i, int j) { return i == j ? 1.0 : i < j ? 0.5 : 0.0; });
    auto const h = generate<2, 2>([](int i, int j) { return i == 0 ? 1.0 : j == 0 ? 2.0 : 0.5; });
    return Kalman::matrices(f, as_diagonal(q), h, r, x, as_diagonal(p));
  }
};
TYPED_TEST(KalmanBackwardScoreIn, DiffuseStartAndCorrelatedNoise) {
  using T = TypeParam;
  for (bool gaps : {false, true}) {
    BackwardBatch<T, 2, 2, 3> b(13, 20, {{-1, 1}, {-0.8, 0.8}, {-1, 1}}, gaps);
    auto const A = filled(Kokkos::View<T[2][1], Space>("A"),
                          make_dense(2, 1, [](int i, int) { return i == 0; }));
    auto const start = Kalman::diffuse(common(A));
    b.run(DiffuseLevel{}, start);
    b.expect(
        [&](std::size_t k, Parameters const& theta) {
          Dense f = eye(2), q(2, 2), h(2, 2), r(2, 2), x(2, 1), p(2, 2), column(2, 1);
          f(0, 1) = 0.5L;
          q(0, 0) = std::exp(theta[0]);
          q(1, 1) = 0.5L * std::exp(theta[0]);
          h(0, 0) = h(0, 1) = 1;
          h(1, 0) = 2;
          h(1, 1) = 0.5L;
          r(0, 0) = 1 + theta[1] * theta[1];
          r(0, 1) = r(1, 0) = theta[1] * std::exp(theta[2] / 2);
          r(1, 1) = std::exp(theta[2]);
          x(1) = theta[1];
          p(1, 1) = std::exp(theta[2]);
          column(0) = 1;
          return least_squares(constant_model(f, q, h, r), x, p, column, b.series[k])
              .log_likelihood;
        },
        100);
    b.expect_forward(DiffuseLevel{}, start, 100);
  }
}

/// F is a diagonal tile and H a vector, both of the parameters.
struct Cycles {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return Kalman::matrices(as_diagonal(generate<2>([&](int i) { return theta(i); })),
                            generate<2, 2>([](int i, int j) { return i == j ? 1.0 : 0.5; }),
                            generate<2>([&](int i) { return 1.0 + i * theta(2); }), 1.0);
  }
};
TYPED_TEST(KalmanBackwardScoreIn, DiagonalTransitionAndVectorOfObservation) {
  using T = TypeParam;
  BackwardBatch<T, 2, 1, 3> b(9, 15, {{0.2, 0.8}, {-0.5, 0.5}, {-1, 1}}, true);
  Dense const x(2, 1, 0.25L), p = 2.0L * eye(2);
  auto const X = filled(Kokkos::View<T[2], Space>("x"), x);
  auto const P = filled(Kokkos::View<T[2][2], Space>("P"), p);
  auto const start = Kalman::start(common(X), common(P));
  b.run(Cycles{}, start);
  b.expect(
      [&](std::size_t k, Parameters const& theta) {
        auto const f =
            make_dense(2, 2, [&](int i, int j) { return i == j ? theta[std::size_t(i)] : 0.0L; });
        auto const q = make_dense(2, 2, [](int i, int j) { return i == j ? 1.0L : 0.5L; });
        auto const h = make_dense(
            1, 2, [&](int, int j) { return 1 + static_cast<long double>(j) * theta[2]; });
        return true_filter(start.order, constant_model(f, q, h, eye(1)), x, p, b.series[k])
            .log_likelihood;
      },
      20);
}

/// N states and M observations, ten parameters. Some states have no noise of their own.
template <int N, int M, bool Moves>
struct Many {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto q = zero<N>(theta);
    for (int i = 0; i < N; ++i)
      if (i % 4 != 3) q(i) = exp(theta(i % 6));
    auto r = zero<M>(theta);
    for (int i = 0; i < M; ++i) r(i) = exp(theta(6 + i % 4)) + 0.1 * square(theta(9));
    auto const f = [](int i, int j) {
      return i == j ? 0.6 : (j == i + 1 ? 0.3 : (i == j + 2 ? -0.2 : 0.0));
    };
    auto const h = [](int i, int j) { return 1.0 + 0.3 * ((2 * i + 3 * j) % 5) - 0.2 * j; };
    if constexpr (Moves) {
      auto const in_f = 1.0 + 0.1 * theta(7), in_h = 1.0 + 0.1 * theta(8);
      return Kalman::matrices(
          generate<N, N>([&](int i, int j) { return f(i, j) * in_f; }), as_diagonal(q),
          generate<M, N>([&](int i, int j) { return h(i, j) * in_h; }), as_diagonal(r));
    } else {
      return Kalman::matrices(generate<N, N>(f), as_diagonal(q), generate<M, N>(h), as_diagonal(r));
    }
  }
};
template <int N, int M>
DenseModel many(Parameters const& theta, bool moves) {
  DenseModel m{Dense(N, N), Dense(N, N), Dense(M, N), Dense(M, M)};
  for (int i = 0; i < N; ++i) {
    if (i % 4 != 3) m.q(i, i) = std::exp(theta[std::size_t(i % 6)]);
    for (int j = 0; j < N; ++j)
      m.f(i, j) = (i == j ? 0.6L : (j == i + 1 ? 0.3L : (i == j + 2 ? -0.2L : 0.0L))) *
                  (moves ? 1 + 0.1L * theta[7] : 1);
    for (int k = 0; k < M; ++k)
      m.h(k, i) = (1 + 0.3L * ((2 * k + 3 * i) % 5) - 0.2L * i) * (moves ? 1 + 0.1L * theta[8] : 1);
  }
  for (int i = 0; i < M; ++i)
    m.r(i, i) = std::exp(theta[std::size_t(6 + i % 4)]) + 0.1L * theta[9] * theta[9];
  return m;
}
template <class T, int N, int M, bool Moves>
void many_parameters() {
  std::vector<std::pair<double, double>> const ranges(10, {-1, 1});
  BackwardBatch<T, N, M, 10> b(5, 12, ranges, true);
  Dense const x(N, 1, 0.25L), p = 2.0L * eye(N);
  auto const X = filled(Kokkos::View<T[N], Space>("x"), x);
  auto const P = filled(Kokkos::View<T[N][N], Space>("P"), p);
  auto const start = Kalman::start(common(X), common(P));
  b.run(Many<N, M, Moves>{}, start);
  b.expect(
      [&](std::size_t k, Parameters const& theta) {
        return true_filter(start.order, many<N, M>(theta, Moves).of_time(), x, p, b.series[k])
            .log_likelihood;
      },
      100);
}
TEST(KalmanBackwardScore, TenParametersOfOneToThirteenStates) {
  many_parameters<double, 1, 1, true>();
  many_parameters<double, 2, 1, false>();
  many_parameters<double, 4, 1, true>();
  many_parameters<double, 5, 3, false>();
  many_parameters<double, 6, 2, true>();
  many_parameters<double, 13, 1, false>();
  many_parameters<float, 3, 2, true>();
  many_parameters<float, 13, 2, true>();
}

TYPED_TEST(KalmanBackwardScoreIn, StructuralModelOfThirteenDiffuseStates) {
  using T = TypeParam;
  BackwardBatch<T, 13, 1, 4> b(5, 30, {{-2, 0}, {-4, -2}, {-2, 0}, {-1, 0}}, false);
  b.run(Structural{}, Kalman::diffuse());
  b.expect([&](std::size_t k,
               Parameters const& theta) { return structural_log_likelihood(theta, b.series[k]); },
           1000);
}

TYPED_TEST(KalmanBackwardScoreIn, AutoregressionInClosedForm) {
  using T = TypeParam;
  BackwardBatch<T, 1, 1, 2> b(7, 50, {{-0.8, 0.8}, {0.5, 3}}, false);
  b.run(Autoregression{}, Kalman::predicted());
  for (std::size_t k = 0; k < b.items; ++k) {
    AutoregressionTruth const truth(b.parameters[k], b.series[k]);
    double const tol = double(tolerance<T>(20, double(b.steps) * 10));
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(double(on_host(b.score)(k, i)), double(truth.score[i]), tol);
    EXPECT_EQ(on_host(b.st)(k), 0);
  }
}

/// Series times 2^k and variances times 4^k scale the score exactly.
TYPED_TEST(KalmanBackwardScoreIn, PowersOfTwoScaleExactly) {
  using T = TypeParam;
  BackwardBatch<T, 1, 1, 2> b(9, 20, {{0.5, 2}, {0.5, 2}}, true);
  b.run(LocalLevelOfVariances{}, Kalman::diffuse());
  for (int power : {-6, 5}) {
    T const scale = std::ldexp(T(1), power);
    BackwardBatch<T, 1, 1, 2> c(9, 20, {{0.5, 2}, {0.5, 2}}, true);
    fill(c.z, [&](auto const& h) {
      for (std::size_t k = 0; k < c.items; ++k)
        for (std::size_t t = 0; t < c.steps; ++t) h(k, t, 0) = scale * T(c.series[k][t](0));
    });
    fill(c.theta, [&](auto const& h) {
      for (std::size_t k = 0; k < c.items; ++k)
        for (std::size_t i = 0; i < 2; ++i) h(k, i) = scale * scale * T(c.parameters[k][i]);
    });
    c.run(LocalLevelOfVariances{}, Kalman::diffuse());
    for (std::size_t k = 0; k < c.items; ++k)
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(same_bits(T(on_host(c.score)(k, i) * scale * scale), on_host(b.score)(k, i)))
            << k;
  }
}

/// Items that fail at the first, middle and last place.
TYPED_TEST(KalmanBackwardScoreIn, FailuresStayInTheirItems) {
  using T = TypeParam;
  BackwardBatch<T, 1, 1, 2> b(27, 15, {{0.5, 2}, {0.5, 2}}, true);
  b.run(LocalLevelOfVariances{}, Kalman::diffuse());
  auto const score = on_host(b.score);
  auto const ll = on_host(b.ll);
  auto const with = [&](T bad, Reason reason) {
    fill(b.theta, [&](auto const& h) {
      for (std::size_t k = 0; k < b.items; ++k) {
        h(k, 0) = T(b.parameters[k][0]);
        h(k, 1) = k % 13 == 0 ? bad : T(b.parameters[k][1]);
      }
    });
    b.run(LocalLevelOfVariances{}, Kalman::diffuse());
    for (std::size_t k = 0; k < b.items; ++k) {
      if (k % 13 == 0) {
        EXPECT_EQ(Status::reason(on_host(b.st)(k)), reason) << k;
        EXPECT_FALSE(std::isfinite(on_host(b.ll)(k))) << k;
        EXPECT_FALSE(std::isfinite(on_host(b.score)(k, 0))) << k;
        EXPECT_FALSE(std::isfinite(on_host(b.score)(k, 1))) << k;
        continue;
      }
      EXPECT_EQ(on_host(b.st)(k), 0) << k;
      EXPECT_TRUE(same_bits(on_host(b.ll)(k), ll(k))) << k;
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(same_bits(on_host(b.score)(k, i), score(k, i))) << k;
    }
  };
  with(T(-1000), Reason::not_positive_definite);
  with(std::numeric_limits<T>::quiet_NaN(), Reason::not_finite);
  // The only step fails: Q has had no effect yet, but its score is no number either.
  fill(b.theta, [&](auto const& h) { h(2, 1) = T(-1000); });
  Kokkos::View<T, Space> X("x");
  Kokkos::View<T[1][1], Space> P("P");
  b.poison_results();
  Kalman::score(1, LocalLevelOfVariances{}, b.theta, Kalman::predicted(common(X), common(P)), b.z,
                b.outputs(), Kalman::backward_pass(b.gains));
  EXPECT_EQ(Status::reason(on_host(b.st)(2)), Reason::not_positive_definite);
  EXPECT_TRUE(std::isnan(on_host(b.score)(2, 0)));
  EXPECT_EQ(on_host(b.st)(6), 0);
  EXPECT_EQ(on_host(b.score)(6, 0), 0);
}

struct RatioOfVariances {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return Kalman::matrices(1.0, theta(0), 1.0, 1.0);
  }
};
TEST(KalmanBackwardScore, OneParameterCommonToAllSeries) {
  ScoreBatch<double, 1, 1> b(6, 20, {{0.5, 0.5}}, true);
  Kokkos::View<double** [1][3], Space> gains("gains", 6, 20);
  Kokkos::View<double*, Space> forwards("forwards", 6), backwards("backwards", 6);
  auto const theta = common(fixed(std::array{0.5}));
  Kalman::score(20, RatioOfVariances{}, theta, Kalman::diffuse(), b.z,
                Kalman::results().score(forwards));
  Kalman::score(20, RatioOfVariances{}, theta, Kalman::diffuse(), b.z,
                Kalman::results().score(backwards), Kalman::backward_pass(gains));
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(on_host(backwards)(k), on_host(forwards)(k), 1e-12) << k;
  // Without the score there is no backward pass.
  Kalman::score(20, RatioOfVariances{}, theta, Kalman::diffuse(), b.z,
                Kalman::results().log_likelihood(b.ll), Kalman::backward_pass(poisoned(gains)));
  EXPECT_EQ(on_host(gains)(0, 0, 0, 0), poison<double>());
}

TEST(KalmanBackwardScore, NoItemsAndNoSteps) {
  BackwardBatch<double, 1, 1, 2> none(0, 5, {{0, 1}, {0, 1}}, false);
  none.run(LocalLevelOfVariances{}, Kalman::diffuse());
  BackwardBatch<double, 1, 1, 2> b(3, 5, {{0, 1}, {0, 1}}, false);
  Kalman::score(0, LocalLevelOfVariances{}, b.theta, Kalman::diffuse(), b.z, b.outputs(),
                Kalman::backward_pass(b.gains));
  for (std::size_t k = 0; k < b.items; ++k) {
    EXPECT_EQ(on_host(b.ll)(k), 0);
    EXPECT_EQ(on_host(b.score)(k, 1), 0);
    EXPECT_EQ(on_host(b.st)(k), 0);
  }
}

TEST(KalmanBackwardScore, ViewsThatDoNotFitAreRefused) {
  BackwardBatch<double, 1, 1, 2> b(3, 10, {{0, 1}, {0, 1}}, false);
  Kokkos::View<double** [1][3], Space> fewer("fewer", 2, 10), shorter("shorter", 3, 9);
  auto const call = [&](int steps, auto const& gains) {
    Kalman::score(steps, LocalLevelOfVariances{}, b.theta, Kalman::diffuse(), b.z, b.outputs(),
                  Kalman::backward_pass(gains));
  };
  EXPECT_THROW(call(11, b.gains), std::invalid_argument);
  EXPECT_THROW(call(10, fewer), std::invalid_argument);
  EXPECT_THROW(call(10, shorter), std::invalid_argument);
  EXPECT_EQ(on_host(b.ll)(0), poison<double>());
  EXPECT_EQ(on_host(b.gains)(0, 0, 0, 0), poison<double>());
}

}  // namespace
}  // namespace Batchwork::Test
