// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kalman::score against differences of textbook filters in long double, closed forms of the AR(1)
// process, and published values for the Nile.
#include "ScoreCase.hpp"
#include "ScoreModels.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
class KalmanScoreIn : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KalmanScoreIn, Numbers);

TYPED_TEST(KalmanScoreIn, EveryMatrixDependsOnTheParameters) {
  using T = TypeParam;
  for (bool gaps : {false, true}) {
    ScoreBatch<T, 2, 3> b(13, 20, {{-1, 1}, {-1, 1}, {-1, 1}}, gaps);
    Dense x(2, 1, 0.5L), p = 2.0L * eye(2);
    p(1, 0) = p(0, 1) = 0.5L;
    auto const X = filled(Kokkos::View<T[2], Space>("x"), x);
    auto const P = filled(Kokkos::View<T[2][2], Space>("P"), p);
    auto const against = [&](Kalman::Order order) {
      b.expect(
          [&](std::size_t k, Parameters const& theta) {
            return true_filter(order, rotation(theta).of_time(), x, p, b.series[k]).log_likelihood;
          },
          20);
      b.poison_results();
    };
    int const steps = int(b.steps);
    Kalman::score(steps, Rotation{}, b.theta, Kalman::start(common(X), common(P)), b.z,
                  b.results());
    against(Kalman::Order::predict_first);
    Kalman::score(Space(), launch("score"), steps, Rotation{}, b.theta,
                  Kalman::predicted(common(X), common(P)), b.z, b.results());
    against(Kalman::Order::update_first);
    Kalman::score(steps, Rotation{}, b.theta, Kalman::diffuse(), b.z, b.results());
    b.expect(
        [&](std::size_t k, Parameters const& theta) {
          return least_squares(rotation(theta).of_time(), Dense(2, 1), Dense(2, 2), eye(2),
                               b.series[k])
              .log_likelihood;
        },
        400);
  }
}

/// One of two states is diffuse, and the start of the other depends on the parameters: a level, and
/// an AR(1) process in its stationary distribution.
struct LevelAndCycle {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto f = zero<2>(theta), q = zero<2>(theta), p = zero<2>(theta);
    f(0) = 1.0 + 0 * theta(0);
    f(1) = theta(0);
    q(0) = exp(theta(1));
    q(1) = exp(theta(2));
    p(1) = q(1) / (1 - square(theta(0)));
    return Kalman::matrices(as_diagonal(f), as_diagonal(q), generate<2>([](int) { return 1.0; }),
                            0.5, zero<2>(theta), as_diagonal(p));
  }
};
TYPED_TEST(KalmanScoreIn, TheStartDependsOnTheParameters) {
  using T = TypeParam;
  for (bool gaps : {false, true}) {
    ScoreBatch<T, 1, 3> b(9, 25, {{0.1, 0.8}, {-2, 0}, {-1, 1}}, gaps);
    auto const A = filled(Kokkos::View<T[2][1], Space>("A"),
                          make_dense(2, 1, [](int i, int) { return i == 0; }));
    Kalman::score(int(b.steps), LevelAndCycle{}, b.theta, Kalman::diffuse(common(A)), b.z,
                  b.results());
    b.expect(
        [&](std::size_t k, Parameters const& theta) {
          Dense f = eye(2), q(2, 2), p(2, 2), column(2, 1);
          f(1, 1) = theta[0];
          q(0, 0) = std::exp(theta[1]);
          q(1, 1) = std::exp(theta[2]);
          p(1, 1) = q(1, 1) / (1 - theta[0] * theta[0]);
          column(0) = 1;
          return least_squares(constant_model(f, q, Dense(1, 2, 1), Dense(1, 1, 0.5L)), Dense(2, 1),
                               p, column, b.series[k])
              .log_likelihood;
        },
        100);
  }
}

template <class T>
void structural() {
  ScoreBatch<T, 1, 4> b(5, 30, {{-2, 0}, {-4, -2}, {-2, 0}, {-1, 0}}, false);
  Kalman::score(int(b.steps), Structural{}, b.theta, Kalman::diffuse(), b.z, b.results());
  b.expect([&](std::size_t k,
               Parameters const& theta) { return structural_log_likelihood(theta, b.series[k]); },
           1000);
}
/// 13 observations determine the 13 states: the log-likelihood is -log |det O| of the matrix O that
/// leads from the states to the observations, for any variances.
TEST(KalmanScore, AsManyObservationsAsDiffuseStates) {
  ScoreBatch<double, 1, 4> b(5, 13, {{-2, 0}, {-4, -2}, {-2, 0}, {-1, 0}}, false);
  Kalman::score(13, Structural{}, b.theta, Kalman::diffuse(), b.z, b.results());
  for (std::size_t k = 0; k < b.items; ++k) {
    EXPECT_NEAR(on_host(b.ll)(k), -std::log(144), 1e-12);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(on_host(b.score)(k, i), 0);
      for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(on_host(b.information)(k, i, j), 0);
    }
    EXPECT_EQ(on_host(b.st)(k), 0);
  }
}
TEST(KalmanScore, StructuralModelOfThirteenStatesInDouble) { structural<double>(); }
TEST(KalmanScore, StructuralModelOfThirteenStatesInFloat) { structural<float>(); }

TYPED_TEST(KalmanScoreIn, AutoregressionInClosedForm) {
  using T = TypeParam;
  ScoreBatch<T, 1, 2> b(7, 50, {{-0.8, 0.8}, {0.5, 3}}, false);
  Kalman::score(int(b.steps), Autoregression{}, b.theta, Kalman::predicted(), b.z, b.results());
  auto const score = on_host(b.score);
  auto const information = on_host(b.information);
  auto const ll = on_host(b.ll);
  for (std::size_t k = 0; k < b.items; ++k) {
    AutoregressionTruth const truth(b.parameters[k], b.series[k]);
    double const tol = double(tolerance<T>(20, double(b.steps) * 10));
    EXPECT_NEAR(double(ll(k)), double(truth.log_likelihood), tol);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(double(score(k, i)), double(truth.score[i]), tol);
      for (int j = 0; j <= i; ++j)
        EXPECT_NEAR(double(information(k, i, j)), double(truth.information[i][j]), tol);
    }
    EXPECT_TRUE(same_bits(information(k, 1, 0), information(k, 0, 1)));
    EXPECT_EQ(on_host(b.st)(k), 0);
  }
}

struct LocalLevel {  // logarithms of the variances of level and noise
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return Kalman::matrices(1.0, exp(theta(0)), 1.0, exp(theta(1)));
  }
};
/// The exact diffuse local level filter, as its innovations and their variances from the second
/// observation on.
struct Innovations {
  std::vector<long double> e, f;
};
Innovations innovations(std::vector<Dense> const& z, long double q, long double r) {
  Innovations i;
  long double x = z[0](0), p = r;
  for (std::size_t t = 1; t < z.size(); ++t) {
    p += q;
    long double const e = z[t](0) - x, f = p + r;
    i.e.push_back(e);
    i.f.push_back(f);
    x += p / f * e;
    p -= p * p / f;
  }
  return i;
}

/// Annual flow of the Nile at Aswan, 1871 to 1970, in 10^8 m^3 (Cobb 1978).
constexpr double nile[] = {
    1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
    960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
    874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
    1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
    781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
    1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
    1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};

TEST(KalmanScore, TheScoreOfTheNileVanishesAtThePublishedMaximum) {
  Kokkos::View<double*, Space> y("y", 100), ll("ll", 1);
  Kokkos::View<double* [2], Space> theta("theta", 1), score("score", 1);
  Kokkos::View<double* [2][2], Space> information("information", 1);
  std::vector<Dense> z;
  for (double flow : nile) z.push_back(Dense(1, 1, flow));
  fill(y, [](auto const& h) {
    for (std::size_t t = 0; t < 100; ++t) h(t) = nile[t];
  });
  fill(theta, [](auto const& h) {
    h(0, 0) = std::log(1469.1);
    h(0, 1) = std::log(15099.0);
  });
  Kalman::score(100, LocalLevel{}, theta, Kalman::diffuse(), common(each(y)),
                Kalman::results().log_likelihood(ll).score(score).information(information));
  Kokkos::fence();
  EXPECT_NEAR(on_host(ll)(0), -632.5456, 5e-5);
  // The published variances are rounded: the second derivatives are about -4 and -40.
  EXPECT_NEAR(on_host(score)(0, 0), 0, 4 * 5e-2 / 1469.1 + 4 * 0.5 / 15099);
  EXPECT_NEAR(on_host(score)(0, 1), 0, 4 * 5e-2 / 1469.1 + 40 * 0.5 / 15099);
  // The information matrix from derivatives of the innovations.
  Parameters const at = {std::log(1469.1L), std::log(15099.0L)};
  auto const i = innovations(z, 1469.1L, 15099.0L);
  std::vector<Parameters> de, df;
  for (std::size_t t = 0; t < i.e.size(); ++t) {
    auto const of = [&](Parameters const& p) {
      return innovations(z, std::exp(p[0]), std::exp(p[1]));
    };
    de.push_back(differences([&](Parameters const& p) { return of(p).e[t]; }, at));
    df.push_back(differences([&](Parameters const& p) { return of(p).f[t]; }, at));
  }
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t b = 0; b < 2; ++b) {
      long double want = 0;
      for (std::size_t t = 0; t < i.e.size(); ++t)
        want += df[t][a] * df[t][b] / (2 * i.f[t] * i.f[t]) + de[t][a] * de[t][b] / i.f[t];
      EXPECT_NEAR(on_host(information)(0, a, b), double(want), 1e-9 * std::fabs(double(want)));
    }
}

/// One parameter, the ratio of both variances, as a scalar of each item.
struct Ratio {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return Kalman::matrices(1.0, theta(0), 1.0, 1.0);
  }
};
TYPED_TEST(KalmanScoreIn, OneParameterIsAScalar) {
  using T = TypeParam;
  ScoreBatch<T, 1, 1> b(11, 20, {{0.2, 2}}, false);
  Kokkos::View<T*, Space> theta("theta", b.items), score("score", b.items);
  fill(theta, [&](auto const& h) {
    for (std::size_t k = 0; k < b.items; ++k) h(k) = static_cast<T>(b.parameters[k][0]);
  });
  auto const of = [&](auto const& results) {
    Kalman::score(int(b.steps), Ratio{}, theta, Kalman::diffuse(), b.z, results);
  };
  of(Kalman::results().log_likelihood(b.ll).score(poisoned(score)).status(b.st));
  Kokkos::deep_copy(Kokkos::subview(b.score, Kokkos::ALL, 0), score);
  b.expect(
      [&](std::size_t k, Parameters const& at) {
        auto const i = innovations(b.series[k], at[0], 1);
        long double sum = 0;
        for (std::size_t t = 0; t < i.e.size(); ++t)
          sum += true_log_two_pi + std::log(i.f[t]) + i.e[t] * i.e[t] / i.f[t];
        return -sum / 2;
      },
      20);
  // Without the score the filter runs without derivatives.
  auto const before = on_host(b.ll);
  Kokkos::View<T*, Space> alone("alone", b.items);
  of(Kalman::results().log_likelihood(poisoned(alone)));
  for (std::size_t k = 0; k < b.items; ++k)
    EXPECT_NEAR(double(on_host(alone)(k)), double(before(k)),
                double(tolerance<T>(20, 20.0L * static_cast<long double>(b.steps))));
}

TYPED_TEST(KalmanScoreIn, CommonParametersOfSeveralSeries) {
  using T = TypeParam;
  ScoreBatch<T, 1, 2> b(11, 20, {{-1, -1}, {0.5, 0.5}}, true);
  Kalman::score(int(b.steps), LocalLevel{}, b.theta, Kalman::diffuse(), b.z, b.results());
  auto const ll = on_host(b.ll);
  auto const score = on_host(b.score);
  b.poison_results();
  auto const one = Kokkos::subview(b.theta, 0, Kokkos::ALL);
  Kokkos::View<T[2], Space> shared("shared");
  Kokkos::deep_copy(shared, one);
  Kalman::score(int(b.steps), LocalLevel{}, common(shared), Kalman::diffuse(), b.z, b.results());
  auto const same = [&] {
    for (std::size_t k = 0; k < b.items; ++k) {
      EXPECT_TRUE(same_bits(on_host(b.ll)(k), ll(k)));
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(same_bits(on_host(b.score)(k, i), score(k, i))) << k;
    }
  };
  same();
  b.poison_results();
  Kalman::score(int(b.steps), LocalLevel{}, common(fixed(std::array{T(-1), T(0.5)})),
                Kalman::diffuse(), b.z, b.results());
  same();
  // The information matrix alone, and nothing at all.
  auto const information = on_host(b.information);
  poisoned(b.information);
  Kalman::score(int(b.steps), LocalLevel{}, b.theta, Kalman::diffuse(), b.z,
                Kalman::results().information(b.information));
  for (std::size_t k = 0; k < b.items; ++k)
    EXPECT_TRUE(same_bits(on_host(b.information)(k, 1, 0), information(k, 1, 0))) << k;
  Kalman::score(int(b.steps), LocalLevel{}, b.theta, Kalman::diffuse(), b.z, Kalman::results());
}

/// Series times 2^k and variances times 4^k scale the score exactly.
TYPED_TEST(KalmanScoreIn, PowersOfTwoScaleExactly) {
  using T = TypeParam;
  ScoreBatch<T, 1, 2> b(9, 20, {{0.5, 2}, {0.5, 2}}, true);
  auto const run = [&] {
    Kalman::score(int(b.steps), LocalLevelOfVariances{}, b.theta, Kalman::diffuse(), b.z,
                  b.results());
  };
  run();
  auto const score = on_host(b.score);
  auto const information = on_host(b.information);
  for (int power : {-6, 5}) {
    T const scale = std::ldexp(T(1), power);
    ScoreBatch<T, 1, 2> c(9, 20, {{0.5, 2}, {0.5, 2}}, true);
    fill(c.z, [&](auto const& h) {
      for (std::size_t k = 0; k < c.items; ++k)
        for (std::size_t t = 0; t < c.steps; ++t) h(k, t, 0) = scale * T(c.series[k][t](0));
    });
    fill(c.theta, [&](auto const& h) {
      for (std::size_t k = 0; k < c.items; ++k)
        for (std::size_t i = 0; i < 2; ++i) h(k, i) = scale * scale * T(c.parameters[k][i]);
    });
    Kalman::score(int(c.steps), LocalLevelOfVariances{}, c.theta, Kalman::diffuse(), c.z,
                  c.results());
    for (std::size_t k = 0; k < c.items; ++k)
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(same_bits(T(on_host(c.score)(k, i) * scale * scale), score(k, i))) << k;
        for (std::size_t j = 0; j < 2; ++j)
          EXPECT_TRUE(same_bits(T(on_host(c.information)(k, i, j) * scale * scale * scale * scale),
                                information(k, i, j)))
              << k;
      }
  }
}

/// Items that fail at the first, middle and last place.
template <class T>
void failures(T bad, Reason reason) {
  ScoreBatch<T, 1, 2> b(27, 15, {{0.5, 2}, {0.5, 2}}, true);
  auto const run = [&] {
    b.poison_results();
    Kalman::score(int(b.steps), LocalLevelOfVariances{}, b.theta, Kalman::diffuse(), b.z,
                  b.results());
    Kokkos::fence();
  };
  run();
  auto const score = on_host(b.score);
  auto const information = on_host(b.information);
  auto const ll = on_host(b.ll);
  fill(b.theta, [&](auto const& h) {
    for (std::size_t k = 0; k < b.items; ++k)
      for (std::size_t i = 0; i < 2; ++i)
        h(k, i) = i == 1 && k % 13 == 0 ? bad : T(b.parameters[k][i]);
  });
  run();
  for (std::size_t k = 0; k < b.items; ++k) {
    if (k % 13 == 0) {
      EXPECT_EQ(Status::reason(on_host(b.st)(k)), reason) << k;
      EXPECT_FALSE(std::isfinite(on_host(b.ll)(k))) << k;
      EXPECT_FALSE(std::isfinite(on_host(b.score)(k, 0))) << k;
      continue;
    }
    EXPECT_EQ(on_host(b.st)(k), 0) << k;
    EXPECT_TRUE(same_bits(on_host(b.ll)(k), ll(k))) << k;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(same_bits(on_host(b.score)(k, i), score(k, i))) << k;
      EXPECT_TRUE(same_bits(on_host(b.information)(k, i, 0), information(k, i, 0))) << k;
    }
  }
}
TYPED_TEST(KalmanScoreIn, FailuresStayInTheirItems) {
  using T = TypeParam;
  failures<T>(T(-1000), Reason::not_positive_definite);
  failures<T>(std::numeric_limits<T>::quiet_NaN(), Reason::not_finite);
}

TEST(KalmanScore, NoItemsAndNoSteps) {
  ScoreBatch<double, 1, 2> none(0, 5, {{0, 1}, {0, 1}}, false);
  Kalman::score(5, LocalLevel{}, none.theta, Kalman::diffuse(), none.z, none.results());
  ScoreBatch<double, 1, 2> b(3, 5, {{0, 1}, {0, 1}}, false);
  Kalman::score(0, LocalLevel{}, b.theta, Kalman::diffuse(), b.z, b.results());
  for (std::size_t k = 0; k < b.items; ++k) {
    EXPECT_EQ(on_host(b.ll)(k), 0);
    EXPECT_EQ(on_host(b.score)(k, 1), 0);
    EXPECT_EQ(on_host(b.information)(k, 1, 1), 0);
    EXPECT_EQ(on_host(b.st)(k), 0);
  }
}

TEST(KalmanScore, DiffuseEntriesCountLogTwoPi) {
  ScoreBatch<double, 1, 2> b(3, 10, {{0, 1}, {0, 1}}, false);
  Kokkos::View<double*, Space> with("with", 3);
  Kalman::score(10, LocalLevel{}, b.theta, Kalman::diffuse(), b.z, b.results());
  Kalman::score(10, LocalLevel{}, b.theta, Kalman::diffuse(), b.z,
                Kalman::results()
                    .log_likelihood(with, Kalman::DiffuseEntries::with_log_two_pi)
                    .score(b.score));
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(on_host(with)(k), on_host(b.ll)(k) - 0.5 * double(true_log_two_pi), 1e-12);
}

TEST(KalmanScore, ViewsThatDoNotFitAreRefused) {
  ScoreBatch<double, 1, 2> b(3, 10, {{0, 1}, {0, 1}}, false);
  Kokkos::View<double* [2], Space> four("four", 4);
  auto const call = [&](int steps, auto const& theta) {
    Kalman::score(steps, LocalLevel{}, theta, Kalman::diffuse(), b.z, b.results());
  };
  EXPECT_THROW(call(11, b.theta), std::invalid_argument);
  EXPECT_THROW(call(10, four), std::invalid_argument);
  EXPECT_EQ(on_host(b.ll)(0), poison<double>());
}

}  // namespace
}  // namespace Batchwork::Test
