// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Why the iteration of an item ends. Each reason is provoked in the first, a middle and the last
// item, and the neighbours must be bitwise unchanged. Also hard cases of initial guesses,
// right-hand sides and stopping criteria.
#include "krylov/SolveCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveReasons : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveReasons, Numbers);

inline constexpr std::int64_t items = 21;

TYPED_TEST(SolveReasons, Planted) {
  using T = TypeParam;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinite = std::numeric_limits<double>::infinity();
  double const tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;
  auto const stop = relative(tolerance, 50);
  {
    SCOPED_TRACE("NaN and infinity");
    Three t = ordinary;
    t.a[4] = nan;
    plant<T>(t, bicgstab(stop), Reason::not_finite, 0);
    plant<T>(t, conjugate_gradients(stop), Reason::not_finite, 0);
    plant<T>(t, richardson(stop, 0.1), Reason::not_finite, 0);
    t = ordinary;
    t.b[0] = infinite;
    plant<T>(t, bicgstab(stop), Reason::not_finite, 0);
    t = ordinary;
    t.b[2] = nan;
    plant<T>(t, conjugate_gradients(stop), Reason::not_finite, 0);
    t = ordinary;
    t.a[8] = infinite;
    plant<T>(t, bicgstab(stop), Reason::not_finite, 0);
    plant<T>(t, conjugate_gradients(stop), Reason::not_finite, 0);
  }
  {
    SCOPED_TRACE("indefinite");
    Three t = ordinary;
    for (double& v : t.a) v = -v;
    plant<T>(t, conjugate_gradients(stop), Reason::indefinite, 0);
    // p' A p = 0.
    plant<T>({{0, 1, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0}}, conjugate_gradients(stop),
             Reason::indefinite, 0);
  }
  {
    SCOPED_TRACE("breakdown");
    // b' A b = 0.
    plant<T>({{0, 1, 0, -1, 0, 0, 0, 0, 1}, {1, 0, 0}}, bicgstab(stop), Reason::breakdown,
             Breakdown::pivot);
    // s = (0, -1, 0) and A s = (1, 0, 0) are orthogonal.
    plant<T>({{1, -1, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0}}, bicgstab(stop), Reason::breakdown,
             Breakdown::omega);
    // The residual after one iteration, (0, -1/2, 1/2), is orthogonal to b, and more than half as
    // large.
    plant<T>({{1, 0, 0, 1, 1, 0, 0, 1, 1}, {1, 0, 0}}, bicgstab(stop), Reason::breakdown,
             Breakdown::rho);
    // The same with a quarter of the residual: the solver restarts from there, unless restarts are
    // disabled.
    Three const halved{{1, 0, 0, 0.25, 1, 0, 0, 1, 1}, {1, 0, 0}};
    plant<T>(halved, bicgstab(stop), Reason::success, 0);
    auto at_once = stop;
    at_once.most_restarts = 0;
    plant<T>(halved, bicgstab(at_once), Reason::breakdown, Breakdown::rho);
    // r' D^-1 r = 0, with p' A p > 0.
    plant<T>({{1, -0.25, 0, -0.25, -1, 0, 0, 0, 1}, {1, 1, 0}}, conjugate_gradients(stop),
             Reason::breakdown, Breakdown::rho, PlainSolve{}, jacobi());
  }
  {
    SCOPED_TRACE("stagnated");
    // Nearly singular, so that x is large and the rounding error of A x exceeds the tolerance. The
    // other items meet it.
    double const d = sizeof(T) == 4 ? 1e-5 : 1e-10;
    Three const large{{1 + d, 1, 0, 1, 1 + d, 0, 0, 0, 1}, {1, -0.7, 0.5}};
    auto const absolutely = absolute(sizeof(T) == 4 ? 1e-5 : 1e-13, 200);
    plant<T>(large, conjugate_gradients(absolutely), Reason::stagnated, 0);
    plant<T>(large, bicgstab(absolutely), Reason::stagnated, 0);
  }
  {
    SCOPED_TRACE("diverged, or the iteration limit where that is allowed");
    Three t = ordinary;
    for (double& v : t.a) v *= 3;
    auto criteria = relative(sizeof(T) == 4 ? 1e-4 : 1e-6, 60);
    plant<T>(t, richardson(criteria, 0.15), Reason::diverged, 0);
    criteria.divergence_limit = infinite;
    plant<T>(t, richardson(criteria, 0.15), Reason::iteration_limit, 0);
  }
}

/// A tolerance that the true residual cannot meet because of rounding, although the recurrence
/// does.
TYPED_TEST(SolveReasons, Stagnated) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {10, 40}) {
    Matrices<T> const a(solvable_pattern(random, rows, 1, true), items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
    a.upload();
    b.randomise(random);
    x.fill(T(0));
    auto const log = SolveLog<T>::allocated(items);
    solve(conjugate_gradients(relative(sizeof(T) == 4 ? 1e-11 : 1e-22, 500)), no_preconditioner(),
          a.dense(), vectors(b), vectors(x), log);
    x.download();
    HostLog<T> const said(log);
    int stagnated = 0;
    for (std::int64_t n = 0; n < items; ++n) {
      // Rounding can give a residual of exactly zero.
      if (said.residual(n) == T(0)) {
        EXPECT_EQ(said.reason(n), Reason::success);
        continue;
      }
      ++stagnated;
      EXPECT_EQ(said.reason(n), Reason::stagnated) << to_string(said.reason(n));
      EXPECT_LT(said.recurrence(n), said.residual(n));
      auto const t = residual_truth(a.full, n, x, b);
      expect_honest(said, n, t, 1);
      // The iteration stagnates at rounding errors.
      EXPECT_LE(t.norm, 50 * t.rounding);
    }
    EXPECT_GT(stagnated, items / 2);
  }
}

/// An item must end as soon as the tolerance is met: I x = b with omega = 1/2 halves the residual
/// in each iteration without rounding.
TYPED_TEST(SolveReasons, EndsWithTheFirstResidualThatMeetsTheTolerance) {
  using T = TypeParam;
  int const rows = 8;
  Matrices<T> const a(full_pattern(rows), items, Arranged::item_contiguous);
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) a.put(n, i, j, T(i == j ? 1 : 0));
  a.upload();
  b.fill(T(1));
  auto const log = SolveLog<T>::allocated(items);
  for (int const halvings : {1, 5, 12})
    for (auto const& criteria : {relative(1.5 * std::ldexp(1.0, -halvings), 50),
                                 relative_to_start(1.5 * std::ldexp(1.0, -halvings), 50)}) {
      SCOPED_TRACE(halvings);
      x.fill(T(0));
      solve(richardson(criteria, 0.5), no_preconditioner(), a.csr(), vectors(b), vectors(x), log);
      HostLog<T> const said(log);
      for (std::int64_t n = 0; n < items; ++n) {
        ASSERT_EQ(said.reason(n), Reason::success);
        ASSERT_EQ(said.iterations(n), halvings);
      }
    }
}

TYPED_TEST(SolveReasons, StartsAndCriteria) {
  using T = TypeParam;
  Random random(2);
  for (int rows : {3, 22, 70, 150}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Matrices<T> const a(solvable_pattern(random, rows, 0.3, false), items,
                        Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous),
        zeros(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    zeros.fill(T(0));
    auto const log = SolveLog<T>::allocated(items);
    double const tolerance = usual_tolerance<T>;

    // b = 0: x = 0 without iterations, for any initial guess including zero.
    for (bool const from_zero : {false, true}) {
      if (from_zero) x.fill(T(0));
      else x.randomise(random);
      solve(bicgstab(relative(tolerance, 9)), jacobi(), a.csr(), vectors(zeros), vectors(x), log);
      x.download();
      HostLog<T> const said(log);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(said.reason(n), Reason::success);
        EXPECT_EQ(said.iterations(n), 0);
        EXPECT_EQ(said.residual(n), T(0));
        for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), T(0));
      }
    }
    // b = 0 with an absolute tolerance: the iteration goes towards 0.
    x.randomise(random);
    solve(bicgstab(absolute(tolerance, 100)), jacobi(), a.csr(), vectors(zeros), vectors(x), log);
    x.download();
    {
      HostLog<T> const said(log);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
        EXPECT_GT(said.iterations(n), 0);
        EXPECT_LE(said.residual(n), T(tolerance));
      }
    }
    // No iterations are allowed, so the initial guess does not change.
    x.randomise(random);
    std::vector<T> start;
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) start.push_back(x.at(n, i, 0));
    auto const unchanged = [&] {
      std::size_t k = 0;
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < rows; ++i)
          if (x.at(n, i, 0) != start[k++]) return false;
      return true;
    };
    solve(bicgstab(relative(tolerance, 0)), jacobi(), a.csr(), vectors(b), vectors(x), log);
    x.download();
    EXPECT_TRUE(unchanged());
    {
      HostLog<T> const said(log);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(said.reason(n), Reason::iteration_limit);
        EXPECT_EQ(said.iterations(n), 0);
        expect_honest(said, n, residual_truth(a.full, n, x, b), tolerance);
      }
    }
    // An initial guess that meets the tolerance does not change either: with an absolute tolerance,
    // and with b = A times the guess.
    solve(bicgstab(absolute(1e6, 100)), jacobi(), a.csr(), vectors(b), vectors(x), log);
    x.download();
    EXPECT_TRUE(unchanged());
    EXPECT_EQ(HostLog<T>(log).iterations(items - 1), 0);
    multiply(a.csr(), vectors(x), vectors(zeros));
    solve(bicgstab(relative(tolerance, 100)), jacobi(), a.csr(), vectors(zeros), vectors(x), log);
    x.download();
    EXPECT_TRUE(unchanged());
    EXPECT_EQ(HostLog<T>(log).reason(0), Reason::success);
    // Relative to the initial residual: a tenth of it.
    solve(bicgstab(relative_to_start(0.1, 100)), jacobi(), a.csr(), vectors(b), vectors(x), log);
    ArrangedBatch<T> const first(items, rows, 1, Arranged::item_contiguous);
    std::size_t k = 0;
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) first.at(n, i, 0) = start[k++];
    x.download();
    {
      HostLog<T> const said(log);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(said.reason(n), Reason::success);
        auto const was = residual_truth(a.full, n, first, b), is = residual_truth(a.full, n, x, b);
        EXPECT_LE(is.norm, 0.1L * was.norm * (1 + 200 * epsilon<T>)+is.rounding + was.rounding);
      }
    }
    // With a tolerance of zero the iteration continues as far as possible, and meets it only by
    // chance.
    x.fill(T(0));
    solve(bicgstab(relative(0, 300)), jacobi(), a.csr(), vectors(b), vectors(x), log);
    x.download();
    {
      HostLog<T> const said(log);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_NE(said.reason(n), Reason::not_finite);
        auto const t = residual_truth(a.full, n, x, b);
        if (said.reason(n) != Reason::success) {
          EXPECT_GT(said.residual(n), T(0));
        }
        EXPECT_LE(t.norm, 1e3 * t.rounding);
      }
    }
  }
}

/// Right-hand sides whose squares underflow or overflow must be solved. p' A p that underflows must
/// not make a definite matrix indefinite.
TYPED_TEST(SolveReasons, EndsOfTheRange) {
  using T = TypeParam;
  int const rows = 4;
  ArrangedBatch<T> const full(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), x(items, rows, 1, Arranged::item_contiguous);
  full.fill(T(0));
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i) {
      full.at(n, i, i) = T(0.25) * T(i + 1);
      if (i > 0) full.at(n, i, i - 1) = full.at(n, i - 1, i) = T(0.0625);
    }
  full.upload();
  auto const log = SolveLog<T>::allocated(items);
  T const tiny = std::numeric_limits<T>::min(), huge = std::numeric_limits<T>::max() / 16;
  for (T size : {tiny, huge}) {
    b.fill(size);
    x.fill(T(0));
    solve(bicgstab(relative(1e-3, 9)), jacobi(), dense(full.batch()), vectors(b), vectors(x), log);
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) EXPECT_EQ(said.reason(n), Reason::success);
  }
  // The iteration continues as far as possible, and must never report an indefinite matrix.
  for (T size : {T(1), std::sqrt(tiny) * T(64)}) {
    b.fill(size);
    x.fill(T(0));
    solve(conjugate_gradients(relative(0, 400)), jacobi(), dense(full.batch()), vectors(b),
          vectors(x), log);
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_NE(said.reason(n), Reason::indefinite);
      EXPECT_NE(said.reason(n), Reason::not_finite);
    }
  }
}

/// The history contains the norms after each iteration, which agree with the true residual up to
/// rounding. Later entries are not written.
TYPED_TEST(SolveReasons, History) {
  using T = TypeParam;
  Random random(3);
  int const rows = 12;
  Matrices<T> const a(solvable_pattern(random, rows, 0.4, true), items, Arranged::item_contiguous);
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true, n % 2 == 0 ? 1.2 : 15);
  a.upload();
  b.randomise(random);
  // |b - A x| if at most k iterations are allowed.
  int const some = 5;
  std::vector<std::vector<ResidualTruth>> truth(some + 1);
  for (int k = 1; k <= some; ++k) {
    x.fill(T(0));
    solve(conjugate_gradients(relative(usual_tolerance<T>, k)), jacobi(), a.csr(), vectors(b),
          vectors(x));
    x.download();
    for (std::int64_t n = 0; n < items; ++n)
      truth[std::size_t(k)].push_back(residual_truth(a.full, n, x, b));
  }
  for (std::size_t length : {std::size_t(4), std::size_t(100)}) {
    auto log = SolveLog<T>::allocated(items);
    log.history = Kokkos::View<T**, Space::memory_space>("history", std::size_t(items), length);
    Kokkos::deep_copy(log.history, poison<T>());
    x.fill(T(0));
    solve(conjugate_gradients(relative(usual_tolerance<T>, 100)), jacobi(), a.csr(), vectors(b),
          vectors(x), log);
    Kokkos::fence();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      int const last = said.iterations(n);
      for (int k = 1; k <= int(length); ++k) {
        T const v = said.log.history(std::size_t(n), std::size_t(k - 1));
        if (k > last) {
          EXPECT_EQ(v, poison<T>());
        } else if (k <= some) {
          auto const& t = truth[std::size_t(k)][std::size_t(n)];
          EXPECT_NEAR(double(v), double(t.norm), double(0.001L * t.norm + 10 * t.rounding))
              << "item " << n << ", iteration " << k;
        } else {
          EXPECT_GE(v, T(0));
          EXPECT_LT(v, T(100));
        }
        if (k == last) {
          EXPECT_EQ(v, said.recurrence(n));
        }
      }
    }
  }
}

TEST(SolveMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 7, 4), b("b", 7, 4), b8("b8", 8, 4), b5("b5", 7, 5), values("values", 7, 9);
  Kokkos::View<int*, Space> const offsets("offsets", 5), columns("columns", 9);
  auto const a = csr(offsets, columns, values);
  auto const s = bicgstab(relative(1e-8, 100));
  Kokkos::deep_copy(x, 7.25);
  expect_says(message_of([&] { solve(s, jacobi(), a, b8, x); }),
              {"Batchwork::solve: operand 4, b(\"b8\") [View (8, 4)] has 8 items",
               "operand 5, x(\"x\") [View (7, 4)] has 7", "; give"});
  expect_says(message_of([&] { solve(s, jacobi(), a, b5, x); }),
              {"operand 4, b(\"b5\") [View (7, 5)] holds 5 numbers an item", "have 4 rows"});
  expect_says(message_of([&] { solve(s, jacobi(), a, x, x); }),
              {"operand 5, x(\"x\")", "is written and shares elements with operand 4, b(\"x\")"});
  expect_says(message_of([&] { solve(bicgstab(relative(-1, 100)), jacobi(), a, b, x); }),
              {"a tolerance of -1", "; give zero or more"});
  expect_says(message_of([&] { solve(bicgstab(relative(1, -3)), jacobi(), a, b, x); }),
              {"at most -3 iterations", "; give zero or more"});
  auto criteria = relative(1e-8, 100);
  criteria.divergence_limit = 0.5;
  expect_says(message_of([&] { solve(bicgstab(criteria), jacobi(), a, b, x); }),
              {"a divergence limit of 0.5", "; give one or more, or infinity"});
  criteria = relative(1e-8, 100);
  criteria.relative_to = RelativeTo(7);
  expect_says(message_of([&] { solve(bicgstab(criteria), jacobi(), a, b, x); }),
              {"number 7 of RelativeTo", "; give right_side, start or nothing"});
  for (double const omega : {std::nan(""), std::numeric_limits<double>::infinity()})
    expect_says(
        message_of([&] { solve(richardson(relative(1e-8, 100), omega), jacobi(), a, b, x); }),
        {"richardson with an omega of ", "; give a finite number"});
  SolveLog<double> log;
  log.iterations = Kokkos::View<int*, Space::memory_space>("short", 6);
  expect_says(
      message_of([&] { solve(s, jacobi(), a, b, x, log); }),
      {"operand 6, log iterations(\"short\") [View (6)] has 6 items", "operand 5, x(\"x\")"});
  Vectors const large("large", 2, 3000), y("y", 2, 3000);
  for (int k = 0; k < 10; ++k)
    expect_says(message_of([&] { solve(s, no_preconditioner(), scaled_identity(3000), large, y); }),
                {"systems of 3000 rows, more than the limit of 2048", "; use"});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host(n, i), 7.25);
}

}  // namespace
}  // namespace Batchwork::Test
