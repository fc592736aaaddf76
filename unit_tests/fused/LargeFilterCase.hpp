// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Filters of the Lorenz 1996 model with 40 variables, every second one observed. map computes an
/// analysis from an ensemble, and scan computes cycles of forecast and analysis. Tests run them on
/// hosts, and with device kernels on light threads of a host.
#ifndef BATCHWORK_TEST_LARGE_FILTER_CASE_HPP
#define BATCHWORK_TEST_LARGE_FILTER_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

inline constexpr int variables = 40, seen = 20, members = 24;

/// H observes every second variable, plus half of its neighbours.
inline Dense observation_of_40() {
  return make_dense(seen, variables, [](int i, int j) {
    return j == 2 * i ? 1.0 : j == 2 * i + 1 ? 0.5 : 0.0;
  });
}
/// The tangent of a step of the model at x: x_j' = (x_j+1 - x_j-2) x_j-1 - x_j + F.
inline Dense tangent_of_40(Dense const& x, long double step) {
  Dense m = eye(variables);
  auto const at = [](int j) { return (j + variables) % variables; };
  for (int j = 0; j < variables; ++j) {
    m(j, at(j + 1)) += step * x(at(j - 1), 0);
    m(j, at(j - 2)) -= step * x(at(j - 1), 0);
    m(j, at(j - 1)) += step * (x(at(j + 1), 0) - x(at(j - 2), 0));
    m(j, j) -= step;
  }
  return m;
}

/// Mean and covariance from anomalies (one row for each member) and observations.
struct EnsembleAnalysis {
  template <class X, class P, class E, class XB, class Y, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p_new, E const& e, XB const& before, Y const& y,
                                  H const& h, R const& r) const {
    using T = scalar_t<value_t<E>>;
    auto const p = gram(e) / T(E::rows - 1);
    auto const factor = cholesky(congruence(h, p, r));
    auto const hp = h * p;
    x = before + transpose(hp) * solve(factor, y - h * before);
    p_new = downdate(p, solve(factor.lower(), hp));
  }
};
/// The same from a covariance. All matrices of items are symmetric.
struct Analysis {
  template <class X, class PN, class P, class XB, class Y, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, PN& p_new, P const& p, XB const& before, Y const& y,
                                  H const& h, R const& r) const {
    auto const hp = h * p;
    auto const factor = cholesky(symmetric_product(hp, transpose(h), r));
    x = before + transpose(hp) * solve(factor, y - h * before);
    p_new = downdate(p, solve(factor.lower(), hp));
  }
};

template <class T, class Layout, class Run>
void expect_analysis(std::int64_t n, Run const& run) {
  Random random(41);
  BatchIn<T, Layout, members, variables> e(n);
  BatchIn<T, Layout, variables, variables> p_new(n), p(n), again(n);
  BatchIn<T, Layout, variables> x(n), x_again(n), before(n);
  BatchIn<T, Right, seen> y(n);
  BatchIn<int, Left> codes(n), codes_again(n);
  // An item that fails: a NaN among its anomalies, and a matrix that is not a covariance.
  std::int64_t const bad = n / 2;
  e.randomise(random), before.randomise(random, -5, 8), y.randomise(random, -5, 8);
  e.at(bad, 3, 5) = std::numeric_limits<T>::quiet_NaN();
  e.upload();
  auto const covariance = [&](std::int64_t k) {
    return (1.0L / (members - 1)) * (transpose(e.dense(k)) * e.dense(k));
  };
  // Entries above the diagonal are not read.
  p.fill([&](std::int64_t k) {
    Dense const c = k == bad ? -9.0L * eye(variables) : covariance(k);
    return make_dense(variables, variables, [&](int i, int j) {
      return j <= i ? c(i, j) : static_cast<long double>(poison<T>());
    });
  });
  Dense const h = observation_of_40(), r = 0.5L * eye(seen);
  Common<T, seen, variables> const common_h(h);
  Common<T, seen, seen> const common_r(r);
  run(EnsembleAnalysis{}, out(x.view()), out(symmetric(p_new.view())), in(e.const_view()),
      in(before.const_view()), in(y.const_view()), common(common_h.view),
      common(symmetric(common_r.view)), status(codes.view()));
  run(Analysis{}, out(x_again.view()), out(symmetric(again.view())), in(symmetric(p.const_view())),
      in(before.const_view()), in(y.const_view()), common(common_h.view),
      common(symmetric(common_r.view)), status(codes_again.view()));
  x.download(), p_new.download(), codes.download();
  x_again.download(), again.download(), codes_again.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    if (k == bad) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::reason(codes_again.at(k)), Reason::not_positive_definite);
      EXPECT_EQ(Status::info(codes_again.at(k)), 1);
      continue;
    }
    EXPECT_EQ(codes.at(k), 0);
    EXPECT_EQ(codes_again.at(k), 0);
    auto const judge = [&](Dense const& pk, Dense const& got_x, Dense const& got_p) {
      Dense const hp = h * pk, s = hp * transpose(h) + r, b = before.dense(k);
      Dense const right = y.dense(k) - h * b;
      long double const cond = condition_spd(s);
      EXPECT_TRUE(near(got_p, pk - transpose(hp) * solve_spd(s, hp),
                       tolerance<T>(4 * variables, norm1(pk) * cond)));
      EXPECT_TRUE(near(got_x, b + transpose(hp) * solve_spd(s, right),
                       tolerance<T>(4 * variables, norm1(b) + norm1(pk) * norm1(right) * cond)));
    };
    judge(covariance(k), x.dense(k), p_new.dense(k));
    judge(mirrored(p.dense(k)), x_again.dense(k), again.dense(k));
    EXPECT_TRUE(equal(p_new.dense(k), transpose(p_new.dense(k))));
    EXPECT_TRUE(equal(again.dense(k), transpose(again.dense(k))));
  }
  EXPECT_EQ(p_new.poisoned(), p_new.outside());
  EXPECT_EQ(again.poisoned(), again.outside());
  // Neighbours of the failed item must be bitwise the same as without the failure.
  p.put(bad, eye(variables));
  p.upload();
  BatchIn<T, Layout, variables, variables> clean(n);
  run(Analysis{}, out(x_again.view()), out(symmetric(clean.view())), in(symmetric(p.const_view())),
      in(before.const_view()), in(y.const_view()), common(common_h.view),
      common(symmetric(common_r.view)), status(codes_again.view()));
  clean.download(), codes_again.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes_again.at(k), 0) << k;
    for (int q = 0; k != bad && q < variables * variables; ++q)
      EXPECT_TRUE(same_bits(clean.at(k, q / variables, q % variables),
                            again.at(k, q / variables, q % variables)))
          << k;
  }
}

/// A step of an extended filter: forecast by the tangent of the model, and an analysis.
struct Cycle {
  template <class X, class P, class M, class F, class Y, class Q, class H, class R, class Trace>
  KOKKOS_FUNCTION void operator()(X& x, P& p, M const& m, F const& force, Y const& y, Q const& q,
                                  H const& h, R const& r, Trace& spread) const {
    auto const forecast = m * x + force;
    auto const prior = congruence(m, p, q);
    auto const hp = h * prior;
    auto const factor = cholesky(symmetric_product(hp, transpose(h), r));
    x = forecast + transpose(hp) * solve(factor, y - h * forecast);
    p = downdate(prior, solve(factor.lower(), hp));
    spread = trace(p);
  }
};

template <class T, class Layout, class Run>
void expect_cycles(std::int64_t n, Run const& run) {
  constexpr int steps = 3;
  Random random(43);
  BatchIn<T, Layout, variables> x0(n), x1(n), force(n);
  BatchIn<T, Layout, variables, variables> p0(n), p1(n);
  SeriesIn<T, Layout, variables, variables> m(n, steps);
  SeriesIn<T, Layout, seen> y(n, steps);
  SeriesIn<T, Layout> spread(n, steps);
  x0.randomise(random, -5, 8), force.randomise(random, 0, 1), y.randomise(random, -5, 8);
  p0.fill([&](std::int64_t) { return random_spd<T>(random, variables); });
  for (std::int64_t k = 0; k < n; ++k)
    for (int t = 0; t < steps; ++t)
      m.put(k, tangent_of_40(random_dense<T>(random, variables, 1), 0.05L), t);
  m.upload();
  Dense const h = observation_of_40(), r = 0.5L * eye(seen), q = 0.1L * eye(variables);
  Common<T, seen, variables> const common_h(h);
  Common<T, seen, seen> const common_r(r);
  Common<T, variables, variables> const common_q(q);
  run(steps, Cycle{}, carry(x0.view(), x1.view()),
      carry(symmetric(p0.view()), symmetric(p1.view())), each(m.const_view()),
      in(force.const_view()), each(y.const_view()), common(symmetric(common_q.view)),
      common(common_h.view), common(symmetric(common_r.view)), emit(spread.view()));
  x1.download(), p1.download(), spread.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    Dense x = x0.dense(k), p = mirrored(p0.dense(k)), rounded = common_q.dense();
    long double size = 0;
    for (int t = 0; t < steps; ++t) {
      Dense const mk = m.dense(k, t), forecast = mk * x + force.dense(k);
      Dense const prior = mk * p * transpose(mk) + rounded, hp = h * prior;
      Dense const s = hp * transpose(h) + common_r.dense();
      Dense const right = y.dense(k, t) - h * forecast;
      size = std::max(size, (norm1(forecast) + norm1(prior) * norm1(right)) * condition_spd(s));
      x = forecast + transpose(hp) * solve_spd(s, right);
      p = prior - transpose(hp) * solve_spd(s, hp);
      EXPECT_NEAR(double(spread.at_time(k, t)), double(trace(p)),
                  double(tolerance<T>(4 * variables, size)));
    }
    EXPECT_TRUE(near(x1.dense(k), x, tolerance<T>(4 * variables, size)));
    EXPECT_TRUE(near(p1.dense(k), p, tolerance<T>(4 * variables, size)));
  }
}

}  // namespace Batchwork::Test

#endif
