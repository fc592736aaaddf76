// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve by CGS: every way of holding a system, format and arrangement, against the residual in long double; its residuals against
// the recurrence in long double; what becomes of systems that break down, or nearly. CGS promises no convergence: the log is true,
// and these systems converge.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveByCgs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveByCgs, Numbers);

TYPED_TEST(SolveByCgs, Converges) {
  auto solver = cgs(relative(usual_tolerance<TypeParam>, 200));
  // Residuals of CGS may grow far before they fall.
  solver.stop.divergence_limit = std::numeric_limits<double>::infinity();
  solve_every_way<TypeParam>(solver);
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
    // Products of r_hat keep half of their digits, or the system would have begun anew; coefficients that are off by so much
    // change a residual by that part of the largest before it.
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

/// Without beginning anew some of these end far from the solution in float: a small r_hat' v makes the residual 10^4 times as large
/// for one iteration, which takes its digits, or a small rho all those of beta.
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

TYPED_TEST(SolveByCgs, BreakdownsAreSaid) {
  using T = TypeParam;
  auto const solver = cgs(relative(usual_tolerance<T>, 50));
  // r' A r = 0 at the start.
  plant<T>({{0, 1, 0, -1, 0, 0, 0, 0, 1}, {1, 1, 0}}, solver, Reason::breakdown, Breakdown::pivot);
  // A = I + N, where N shifts: the residual becomes N^2 b, which is orthogonal to b and shorter. From there one step does.
  plant<T>({{1, 0, 0, 0.5, 1, 0, 0, 0.5, 1}, {1, 0, 0}}, solver, Reason::success, 0);
  // Likewise, but the shift doubles: there is nothing to begin anew from.
  plant<T>({{1, 0, 0, 2, 1, 0, 0, 2, 1}, {1, 0, 0}}, solver, Reason::breakdown, Breakdown::rho);
}

}  // namespace
}  // namespace Batchwork::Test
