// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with CGS: every way to store a system, every format and arrangement, against the residual
// in long double; its residuals against the recurrence in long double; systems with a breakdown, or
// nearly one. CGS need not converge. For these systems it does, and the log must be correct.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "krylov/SolveCase.hpp"
#if defined(BATCHWORK_DRM19_DIR)
#include "krylov/formats/Batchwork_ReadSystems.hpp"
#endif

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveByCgs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveByCgs, Numbers);

TYPED_TEST(SolveByCgs, Converges) {
  solve_every_way<TypeParam>(cgs(relative(usual_tolerance<TypeParam>, 200)));
}

TYPED_TEST(SolveByCgs, ItemsDependOnNoOthers) {
  solve_alone_and_together<TypeParam>([](StoppingCriteria const& stop) { return cgs(stop); });
}

/// The norms of the residuals of CGS (Saad, algorithm 7.6, without a preconditioner), from x = 0.
template <class T>
std::vector<long double> cgs_residuals(ArrangedBatch<T> const& full, std::int64_t n,
                                       ArrangedBatch<T> const& b, int iterations) {
  using Entries = std::vector<long double>;
  auto const rows = std::size_t(full.rows);
  auto const times_a = [&](Entries const& x) {
    Entries y(rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j) y[i] += full.at(n, int(i), int(j)) * x[j];
    return y;
  };
  auto const dot = [](Entries const& x, Entries const& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0L);
  };
  Entries r(rows), p(rows), q(rows), u(rows), norms;
  for (std::size_t i = 0; i < rows; ++i) r[i] = b.at(n, int(i), 0);
  Entries const shadow = r;
  long double rho = dot(shadow, r), beta = 0;
  for (int k = 0; k < iterations; ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      u[i] = r[i] + beta * q[i];
      p[i] = u[i] + beta * (q[i] + beta * p[i]);
    }
    Entries const v = times_a(p);
    long double const alpha = rho / dot(shadow, v);
    for (std::size_t i = 0; i < rows; ++i) {
      q[i] = u[i] - alpha * v[i];
      u[i] += q[i];
    }
    Entries const step = times_a(u);
    for (std::size_t i = 0; i < rows; ++i) r[i] -= alpha * step[i];
    long double const next = dot(shadow, r);
    beta = next / rho;
    rho = next;
    norms.push_back(std::sqrt(dot(r, r)));
  }
  return norms;
}

TYPED_TEST(SolveByCgs, ResidualsAreThoseOfTheRecurrence) {
  using T = TypeParam;
  Random random(3);
  int const rows = 12, iterations = 3;
  std::int64_t const items = 9;
  Matrices<T> const a(solvable_pattern(random, rows, 0.5, false), items, Arranged::item_contiguous);
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
  a.upload();
  b.randomise(random);
  x.fill(T(0));
  auto log = SolveLog<T>::allocated(items);
  log.history = Kokkos::View<T**, Space::memory_space>("history", std::size_t(items), iterations);
  solve(cgs(absolute(0, iterations)), no_preconditioner(), a.dense(), vectors(b), vectors(x), log);
  HostLog<T> const said(log);
  for (std::int64_t n = 0; n < items; ++n) {
    auto const truth = cgs_residuals(a.full, n, b, iterations);
    // Products with r_hat keep half of their digits, otherwise the system would have been
    // restarted. Coefficients with this relative error change a residual by the same fraction of
    // the largest earlier residual.
    long double largest = residual_truth(a.full, n, x, b).right_side;
    for (int k = 0; k < iterations; ++k) {
      largest = std::max(largest, truth[std::size_t(k)]);
      ASSERT_NEAR(double(said.log.history(std::size_t(n), std::size_t(k))),
                  double(truth[std::size_t(k)]),
                  double((k + 1) * std::sqrt((long double)(rows * epsilon<T>)) * largest))
          << "item " << n << ", iteration " << k + 1;
    }
  }
}

/// Without restarts some of these would end far from the solution in float. A small r_hat' v makes
/// the residual 10^4 times as large for one iteration, which loses digits, or a small rho loses all
/// digits of beta.
TEST(SolveByCgsInFloat, NearBreakdownsBeginAnew) {
  Random random(1);
  std::int64_t const items = 2000;
  for (int rows : {16, 22, 33}) {
    SCOPED_TRACE(rows);
    auto const how = Arranged::item_contiguous;
    Matrices<float> const a(solvable_pattern(random, rows, 0.9, false), items, how);
    ArrangedBatch<float> const b(items, rows, 1, how);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false, 2.5);
    a.upload();
    b.randomise(random);
    run_solve(cgs(relative(1e-4, 30)), jacobi(), a.dense(), a.full, b, how, random, "dense");
  }
}

/// Residuals that grow by more than a factor of 10^7 before they decrease. A textbook CGS has no
/// limit either.
TEST(SolveByCgsInDouble, LargeResidualsOnTheWay) {
  std::int64_t const items = 100;
  int const rows = 22, most = 200;
  LargeLastRow<double> const s(items, rows, 1e9);
  auto log = SolveLog<double>::allocated(items);
  log.history = Kokkos::View<double**, Space::memory_space>("history", std::size_t(items), most);
  auto solver = cgs(relative(1e-6, most));
  solve(solver, jacobi(), s.a.csr(), vectors(s.b), vectors(s.x), log);
  s.x.download();
  HostLog<double> const said(log);
  double largest = 0;
  for (std::int64_t n = 0; n < items; ++n) {
    EXPECT_EQ(said.reason(n), Reason::success) << n << ' ' << to_string(said.reason(n));
    auto const t = residual_truth(s.a.full, n, s.x, s.b);
    EXPECT_LE(t.norm, 1e-6L * t.right_side);
    for (int k = 0; k < said.iterations(n); ++k)
      largest = std::max(largest, said.log.history(std::size_t(n), std::size_t(k)));
  }
  EXPECT_GT(largest, 1e7 * std::sqrt(double(rows)));
  // A given limit is respected.
  solver.stop.divergence_limit = 1e5;
  s.x.fill(0);
  solve(solver, jacobi(), s.a.csr(), vectors(s.b), vectors(s.x), log);
  HostLog<double> const limited(log);
  int diverged = 0;
  for (std::int64_t n = 0; n < items; ++n) diverged += limited.reason(n) == Reason::diverged;
  EXPECT_GT(diverged, int(items) / 2);
}

TEST(SolveByCgsInDouble, Flame) {
#if defined(BATCHWORK_DRM19_DIR)
  auto const s = read_systems(BATCHWORK_DRM19_DIR);
  auto const there = s.template in<Space::memory_space>();
  ArrangedBatch<double> const b(s.items(), int(s.rows()), 1, Arranged::item_contiguous),
      x(s.items(), int(s.rows()), 1, Arranged::item_contiguous);
  b.fill(1);
  x.fill(0);
  auto const log = SolveLog<double>::allocated(s.items());
  solve(cgs(relative(1e-6, 500)), jacobi(), there.csr(), vectors(b), vectors(x), log);
  for (auto const& outcome : outcomes(log)) EXPECT_TRUE(outcome.converged()) << outcome.text();
#else
  GTEST_SKIP() << "the matrices are not there; configure with Batchwork_DRM19_DIR";
#endif
}

TYPED_TEST(SolveByCgs, BreakdownsAreSaid) {
  using T = TypeParam;
  auto const solver = cgs(relative(usual_tolerance<T>, 50));
  // r' A r = 0 at the start.
  plant<T>({{0, 1, 0, -1, 0, 0, 0, 0, 1}, {1, 1, 0}}, solver, Reason::breakdown, Breakdown::pivot);
  // A = I + N, where N shifts: the residual becomes N^2 b, which is orthogonal to b and shorter.
  // From there one step is enough.
  plant<T>({{1, 0, 0, 0.5, 1, 0, 0, 0.5, 1}, {1, 0, 0}}, solver, Reason::success, 0);
  // Also a breakdown, but the shift doubles, so a restart is not possible.
  plant<T>({{1, 0, 0, 2, 1, 0, 0, 2, 1}, {1, 0, 0}}, solver, Reason::breakdown, Breakdown::rho);
}

}  // namespace
}  // namespace Batchwork::Test
