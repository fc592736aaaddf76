// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// scaled and weighted solvers, against residuals without any rounding, in the norm of the test and in the other one.

#include <Kokkos_Core.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "krylov/ExactResidual.hpp"
#if defined(BATCHWORK_DRM19_DIR)
#include "krylov/Batchwork_ReadSystems.hpp"
#endif

namespace Batchwork::Test {
namespace {

template <class T>
SolveLog<T> whole_log(std::int64_t items) {
  auto log = SolveLog<T>::allocated(items);
  log.scaled_residual = Kokkos::View<T*>("scaled residual", std::size_t(items));
  return log;
}

/// The factors of rows: powers of two next to the inverses of the largest magnitudes; for conjugate gradients next to those of
/// the roots of the diagonal.
template <class T>
struct RowFactors {
  GemmMatrices<T> left;
  RowFactors(GemmMatrices<T> const& a, Scaling scaling, bool symmetric = false)
      : left(a.items, a.rows, 1, Arranged::rows) {
    for (std::int64_t n = 0; n < a.items; ++n)
      for (int i = 0; i < a.rows; ++i) {
        T largest = a.at(n, i, i);
        for (int j = 0; !symmetric && j < a.rows; ++j)
          largest = std::max(largest, std::fabs(a.at(n, i, j)));
        int e;
        T const m = std::frexp(largest, &e);
        if (m < T(0.75)) --e;  // within 3/4 and 3/2
        left.at(n, i, 0) =
            scaling == Scaling::columns ? T(1) : std::ldexp(T(1), symmetric ? -(e / 2) : -e);
      }
  }
};

struct Tally {
  int converged = 0, all = 0;
  int at_rounding = 0;  ///< those that ended there
};

/// What the log says is true in both norms; no x is worse than its start in the norm of the test.
/// \param factor  factor(item, row): that of a row in the other norm
template <class T, class Solver, class Room, class M, class A, class Factor>
Tally expect_true(Solver const& solver, Room const& room, M const& m, A const& A_of,
                  GemmMatrices<T> const& a, GemmMatrices<T> const& b, bool tests_unscaled,
                  Factor const& factor, T start, std::string const& what) {
  SCOPED_TRACE(what);
  GemmMatrices<T> const x(a.items, a.rows, 1, Arranged::strided),
      x0(a.items, a.rows, 1, Arranged::rows);
  x.fill(start);
  x0.fill(start);
  auto const outside = x.poisoned();
  auto const log = whole_log<T>(a.items);
  solve(solver, m, A_of, vectors(b), vectors(x), log, room());
  x.download();
  EXPECT_EQ(x.poisoned(), outside);
  auto const second = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), log.scaled_residual);
  Tally tally;
  for (auto const& outcome : outcomes(log)) {
    std::int64_t const n = tally.all;
    auto const weights = [&](int i) { return factor(n, i); };
    ExactNorms const plain = exact_norms(a, b, x, n), other = exact_norms(a, b, x, n, weights);
    ExactNorms const tested = tests_unscaled ? plain : other,
                     before = tests_unscaled ? exact_norms(a, b, x0, n)
                                             : exact_norms(a, b, x0, n, weights);
    long double const reference =
        solver.stop.relative_to == RelativeTo::right_side ? tested.right_side : before.residual;
    bool const converged = outcome.converged();
    if (converged) {
      ++tally.converged;
      EXPECT_LE(tested.residual, solver.stop.tolerance * reference) << "item " << n;
    } else {
      // All are stopped by what they are, none by the number of iterations.
      EXPECT_NE(outcome.reason(), Reason::not_finite) << "item " << n;
    }
    EXPECT_LE(tested.residual, before.residual * (1 + 4 * epsilon<T>))
        << "item " << n << ": " << outcome.text();
    // In twice the precision the logged norms are right to their last digits, or to those of the products' squares.
    long double const digits = (a.rows + 16) * epsilon<T>;
    ResidualTruth const rounded = residual_truth(a, n, x, b);
    EXPECT_NEAR(double(outcome.residual), double(plain.residual),
                double(digits * (plain.residual + rounded.rounding)))
        << "item " << n;
    if (plain.residual > rounded.rounding) {
      EXPECT_NEAR(double(second(std::size_t(n))), double(other.residual),
                  double(digits * other.residual))
          << "item " << n;
    }
    // What is left is what rounding leaves.
    if (!converged && plain.residual <= 8 * rounded.rounding) ++tally.at_rounding;
    ++tally.all;
  }
  return tally;
}

template <class T>
struct Systems {
  GemmMatrices<T> a, b;
  Systems(std::int64_t items, int rows, double rows_by, double columns_by, Random& random)
      : a(items, rows, rows, Arranged::rows), b(items, rows, 1, Arranged::rows) {
    put_badly_scaled(a, b, random, rows_by, columns_by);
  }
};

template <class T>
struct SolveScaled : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveScaled, Numbers);

TYPED_TEST(SolveScaled, EveryScalingInBothNorms) {
  using T = TypeParam;
  Random random(11);
  bool const single = sizeof(T) == 4;
  auto const stop = relative(single ? 1e-4 : 1e-9, 200);
  double const orders = single ? 8 : 12;
  Tally in_scaled, in_unscaled;
  for (int const rows : {1, 5, 21})
    for (double const share : {0.0, 0.5, 1.0}) {
      Systems<T> const s(19, rows, share * orders, (1 - share) * orders, random);
      for (auto const scaling : {Scaling::both, Scaling::rows, Scaling::columns}) {
        RowFactors<T> const factors(s.a, scaling);
        auto const factor = [&](std::int64_t n, int i) { return factors.left.at(n, i, 0); };
        for (auto const norm : {TestNorm::unscaled, TestNorm::scaled}) {
          bool const unscaled = norm == TestNorm::unscaled;
          auto const with = [&](auto const& solver, auto const& m, T start, char const* name) {
            auto const how = scaled(solver, scaling, norm);
            auto const A = dense(s.a.batch());
            Room<T> const room(workspace_numbers(Space(), how, m, A, s.a.items));
            Tally const t = expect_true(how, room, m, A, s.a, s.b, unscaled, factor, start,
                                        std::string(name) + ", " + std::to_string(rows) +
                                            " rows, " + std::to_string(share) + ", scaling " +
                                            std::to_string(int(scaling)));
            if (scaling != Scaling::both) return;
            Tally& sum = unscaled ? in_unscaled : in_scaled;
            sum.converged += t.converged;
            sum.all += t.all;
            sum.at_rounding += t.at_rounding;
          };
          with(bicgstab(stop), no_preconditioner(), T(0), "bicgstab");
          with(bicgstab(stop), jacobi(), T(1), "bicgstab, jacobi");
          with(gmres(20, stop), no_preconditioner(), T(1), "gmres");
          with(gmres(20, stop), ilu(), T(0), "gmres, ilu");
        }
      }
    }
  // Well scaled they are well conditioned: all converge. In the user's norm the others are beyond rounding.
  EXPECT_EQ(in_scaled.converged, in_scaled.all);
  EXPECT_GE(in_unscaled.converged, in_unscaled.all * 3 / 4);
  EXPECT_EQ(in_unscaled.converged + in_unscaled.at_rounding, in_unscaled.all);
}

/// Rows and columns of a symmetric matrix by the same factors.
TYPED_TEST(SolveScaled, ConjugateGradients) {
  using T = TypeParam;
  Random random(12);
  bool const single = sizeof(T) == 4;
  int const rows = 18;
  std::int64_t const items = 21;
  GemmMatrices<T> const a(items, rows, rows, Arranged::rows), b(items, rows, 1, Arranged::rows);
  a.fill(T(0));
  for (std::int64_t n = 0; n < items; ++n) {
    std::vector<double> size(rows);
    for (double& x : size) x = std::pow(10.0, (single ? 4 : 8) * random(-0.5, 0.5));
    for (int i = 0; i < rows; ++i) {
      a.at(n, i, i) = T(2.5 * size[std::size_t(i)] * size[std::size_t(i)]);
      if (i > 0)
        a.at(n, i, i - 1) = a.at(n, i - 1, i) =
            T(random(-1, 1) * size[std::size_t(i)] * size[std::size_t(i - 1)]);
      b.at(n, i, 0) = T(random() * size[std::size_t(i)]);
    }
  }
  a.upload();
  b.upload();
  RowFactors<T> const factors(a, Scaling::both, true);
  auto const stop = relative(single ? 1e-4 : 1e-9, 200);
  auto const A = dense(a.batch());
  Room<T> const room(0);
  for (auto const norm : {TestNorm::unscaled, TestNorm::scaled}) {
    auto const factor = [&](std::int64_t n, int i) { return factors.left.at(n, i, 0); };
    auto const solver = scaled(conjugate_gradients(stop), Scaling::both, norm);
    for (T const start : {T(0), T(1)}) {
      Tally const t = expect_true(solver, room, no_preconditioner(), A, a, b,
                                  norm == TestNorm::unscaled, factor, start, "alone");
      EXPECT_EQ(t.converged, t.all);
      EXPECT_EQ(expect_true(solver, room, jacobi(), A, a, b, norm == TestNorm::unscaled, factor,
                            start, "jacobi")
                    .converged,
                int(items));
    }
  }
  EXPECT_THROW(
      solve(scaled(conjugate_gradients(stop), Scaling::rows), jacobi(), A, vectors(b), vectors(b)),
      std::invalid_argument);
}

/// y = A x of the same matrices, as a functor.
template <class T>
struct Applied {
  decltype(std::declval<GemmMatrices<T>>().batch()) a;
  int rows;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t n, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = 0;
      for (int j = 0; j < rows; ++j) sum += a(n, i, j) * x(j);
      y(i) = sum;
    });
  }
};

TYPED_TEST(SolveScaled, WeightedNorms) {
  using T = TypeParam;
  Random random(13);
  bool const single = sizeof(T) == 4;
  int const rows = 14;
  std::int64_t const items = 23;
  // As an integrator has them: A couples unknowns of many sizes, weights are their inverses.
  GemmMatrices<T> const a(items, rows, rows, Arranged::rows), b(items, rows, 1, Arranged::rows),
      w(items, rows, 1, Arranged::strided);
  Kokkos::View<T*> const one("weights", std::size_t(rows));
  auto const one_on_host = Kokkos::create_mirror_view(one);
  for (std::int64_t n = 0; n < items; ++n) {
    std::vector<double> size(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) {
      size[std::size_t(i)] = std::pow(10.0, (single ? 6 : 10) * (i % 5 - 2) / 4.0);
      w.at(n, i, 0) = T(random(0.5, 3.0) / size[std::size_t(i)]);
      if (n == 0) one_on_host(std::size_t(i)) = w.at(0, i, 0);
      b.at(n, i, 0) = T(random() * size[std::size_t(i)]);
    }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        a.at(n, i, j) =
            T((i == j ? 0.8 * rows : random()) * size[std::size_t(i)] / size[std::size_t(j)]);
  }
  w.at(1, 3, 0) = T(0);  // a row that does not count
  w.at(2, 4, 0) = -w.at(2, 4, 0);
  a.upload();
  b.upload();
  w.upload();
  Kokkos::deep_copy(one, one_on_host);
  auto const A = dense(a.batch());
  auto const stop = relative(single ? 1e-4 : 1e-9, 100);
  auto const with = [&](auto const& solver, auto const& m, auto const& A_of, auto const& weights,
                        auto const& factor, char const* what) {
    auto const how = weighted(solver, weights);
    Room<T> const room(workspace_numbers<T>(Space(), how, m, A_of, items));
    for (T const start : {T(0), T(1e-3)}) {
      Tally const t = expect_true(how, room, m, A_of, a, b, false, factor, start, what);
      EXPECT_EQ(t.converged, t.all) << what;
    }
  };
  auto const of_item = [&](std::int64_t n, int i) { return w.at(n, i, 0); };
  auto const of_all = [&](std::int64_t, int i) { return one_on_host(std::size_t(i)); };
  with(bicgstab(stop), jacobi(), A, vectors(w), of_item, "bicgstab");
  with(bicgstab(stop), no_preconditioner(), A, common(one), of_all, "bicgstab, common");
  with(gmres(14, stop), block_jacobi(7), A, vectors(w), of_item, "gmres");
  with(gmres(14, relative_to_start(single ? 1e-3 : 1e-8, 100)), no_preconditioner(), A, common(one),
       of_all, "gmres, to start");
  with(scaled(bicgstab(stop)), jacobi(), A, vectors(w), of_item, "scaled, weighted");

  // What the functor's own rounding leaves is not known: no claim to the last digit.
  GemmMatrices<T> const x(items, rows, 1, Arranged::rows);
  x.fill(T(0));
  auto const log = whole_log<T>(items);
  solve(weighted(bicgstab(stop), vectors(w)), no_preconditioner(),
        matrix_free(rows, Applied<T>{a.batch(), rows}), vectors(b), vectors(x), log);
  x.download();
  std::int64_t n = 0;
  for (auto const& outcome : outcomes(log)) {
    EXPECT_TRUE(outcome.converged()) << outcome.text();
    auto const t = exact_norms(a, b, x, n, [&](int i) { return of_item(n, i); });
    EXPECT_LE(t.residual, 1.01 * stop.tolerance * t.right_side);
    ++n;
  }
}

/// Jacobians of a flame with the weights that an integrator has for them: a textbook's BiCGSTAB of the weighted systems takes
/// 13 iterations to 1e-6 (median), 7 with Jacobi.
TEST(SolveScaled, Chemistry) {
#if defined(BATCHWORK_DRM19_DIR)
  std::string const folder = BATCHWORK_DRM19_DIR;
  auto const s = read_systems(folder);
  auto const items = std::int64_t(s.values.extent(0));
  int const rows = int(s.rows());
  GemmMatrices<double> const a(items, rows, rows, Arranged::rows),
      b(items, rows, 1, Arranged::rows), w(items, rows, 1, Arranged::rows),
      ones(items, rows, 1, Arranged::rows);
  auto const fill = [&](GemmMatrices<double> const& to, char const* file) {
    auto const from = read_vectors(folder + file, s.rows());
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) to.at(n, i, 0) = from(std::size_t(n), std::size_t(i));
    to.upload();
  };
  fill(b, "/rhs.f64");
  fill(w, "/weights.f64");
  fill(ones, "/rhs_ones.f64");
  a.fill(0);
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (auto k = s.row_offsets(std::size_t(i)); k < s.row_offsets(std::size_t(i) + 1); ++k)
        a.at(n, i, s.columns(std::size_t(k))) = s.values(std::size_t(n), std::size_t(k));
  a.upload();
  auto const A = dense(a.batch());
  auto const stop = relative(1e-6, 500);
  auto const weight = [&](std::int64_t n, int i) { return w.at(n, i, 0); };
  auto const iterations = [&](auto const& m) {
    GemmMatrices<double> const x(items, rows, 1, Arranged::rows);
    x.fill(0);
    auto const log = whole_log<double>(items);
    solve(weighted(bicgstab(stop), vectors(w)), m, A, vectors(b), vectors(x), log);
    double sum = 0;
    for (auto const& outcome : outcomes(log)) sum += outcome.iterations;
    return sum / double(items);
  };
  EXPECT_LE(iterations(no_preconditioner()), 15);
  EXPECT_LE(iterations(jacobi()), 9);
  Room<double> const none(0);
  EXPECT_EQ(expect_true(weighted(bicgstab(stop), vectors(w)), none, jacobi(), A, a, b, false,
                        weight, 0.0, "weighted")
                .converged,
            int(items));
  RowFactors<double> const factors(a, Scaling::both);
  auto const factor = [&](std::int64_t n, int i) { return factors.left.at(n, i, 0); };
  for (double const tolerance : {1e-6, 1e-10})
    for (auto const norm : {TestNorm::scaled, TestNorm::unscaled}) {
      bool const unscaled = norm == TestNorm::unscaled;
      auto const solver = scaled(bicgstab(relative(tolerance, 500)), Scaling::both, norm);
      Tally const t =
          expect_true(solver, none, jacobi(), A, a, ones, unscaled, factor, 0.0, "ones");
      if (unscaled) {
        EXPECT_EQ(t.converged + t.at_rounding, t.all);
      } else {
        EXPECT_EQ(t.converged, t.all);
      }
    }
#else
  GTEST_SKIP() << "Batchwork_DRM19_DIR is not given to CMake";
#endif
}

/// Absolute tolerances, no iterations, zero right-hand sides, numbers that are not finite: each item by itself.
TEST(SolveScaled, Ends) {
  int const rows = 3;
  std::int64_t const items = 6;
  GemmMatrices<double> const a(items, rows, rows, Arranged::rows),
      b(items, rows, 1, Arranged::rows), w(items, rows, 1, Arranged::rows);
  Random random(4);
  put_badly_scaled(a, b, random, 6, 6);
  for (int i = 0; i < rows; ++i) b.at(1, i, 0) = 0;
  a.at(2, 1, 1) = std::nan("");
  b.at(3, 0, 0) = INFINITY;
  w.fill(1);
  w.at(4, 2, 0) = std::nan("");
  a.upload();
  b.upload();
  w.upload();
  auto const reasons = [&](auto const& solver, double start) {
    GemmMatrices<double> const x(items, rows, 1, Arranged::rows);
    x.fill(start);
    auto const log = whole_log<double>(items);
    solve(solver, no_preconditioner(), dense(a.batch()), vectors(b), vectors(x), log);
    x.download();
    std::vector<Reason> all;
    for (auto const& outcome : outcomes(log)) {
      std::size_t const n = all.size();
      all.push_back(outcome.reason());
      for (int i = 0; i < rows; ++i) {
        EXPECT_TRUE(std::isfinite(x.at(std::int64_t(n), i, 0)));
        if (!outcome.converged() && outcome.iterations == 0) {
          EXPECT_EQ(x.at(std::int64_t(n), i, 0), start);
        }
      }
    }
    for (int i = 0; i < rows; ++i) {
      EXPECT_EQ(x.at(1, i, 0), 0);
    }
    return all;
  };
  using enum Reason;
  auto const both = scaled(bicgstab(relative(1e-8, 50)), Scaling::both, TestNorm::scaled);
  EXPECT_EQ(reasons(both, 0.5),
            (std::vector{success, success, not_finite, not_finite, success, success}));
  EXPECT_EQ(reasons(weighted(bicgstab(relative(1e-3, 50)), vectors(w)), 0.5),
            (std::vector{success, success, not_finite, not_finite, not_finite, success}));
  EXPECT_EQ(reasons(scaled(bicgstab(relative(1e-8, 0))), 0.5),
            (std::vector{iteration_limit, success, not_finite, not_finite, iteration_limit,
                         iteration_limit}));
  // Everything meets it, without an iteration.
  GemmMatrices<double> const x(items, rows, 1, Arranged::rows);
  x.fill(0);
  auto const log = whole_log<double>(items);
  solve(scaled(bicgstab(absolute(1e9, 50))), no_preconditioner(), dense(a.batch()), vectors(b),
        vectors(x), log);
  auto const said = outcomes(log);
  EXPECT_TRUE(said[0].converged() && said[0].iterations == 0);
  EXPECT_FALSE(said[2].converged() || said[3].converged());
}

/// A start that meets the tolerance stays as it is, also where it is no multiple of the columns' factors in range.
TEST(SolveScaled, StartsThatDo) {
  GemmMatrices<float> const a(1, 2, 2, Arranged::rows), b(1, 2, 1, Arranged::rows),
      x(1, 2, 1, Arranged::rows);
  a.at(0, 0, 0) = 1e-30F;
  a.at(0, 0, 1) = 0;
  a.at(0, 1, 0) = 0;
  a.at(0, 1, 1) = 1;
  b.at(0, 0, 0) = 0;
  b.at(0, 1, 0) = 1;
  x.at(0, 0, 0) = 1e-20F;
  x.at(0, 1, 0) = 1;
  a.upload();
  b.upload();
  x.upload();
  auto const log = whole_log<float>(1);
  solve(scaled(bicgstab(relative(1e-3, 5))), no_preconditioner(), dense(a.batch()), vectors(b),
        vectors(x), log);
  x.download();
  EXPECT_TRUE(outcomes(log)[0].converged());
  EXPECT_EQ(x.at(0, 0, 0), 1e-20F);
  EXPECT_EQ(x.at(0, 1, 0), 1);
}

TEST(SolveScaled, Misuse) {
  Kokkos::View<double**> const x("x", 4, 3), b("b", 4, 3), w("w", 4, 2), few("few", 3, 3);
  Kokkos::View<double***> const a("a", 4, 3, 3);
  Kokkos::View<double*> const one("one", 2);
  auto const message = [&](auto const& solver) -> std::string {
    try {
      solve(solver, no_preconditioner(), dense(a), b, x);
    } catch (std::invalid_argument const& e) {
      return e.what();
    }
    return "";
  };
  auto const expect = [](std::string const& said, std::string const& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect(message(weighted(bicgstab(), w)), "operand 1, weights(\"w\")");
  expect(message(weighted(bicgstab(), few)), "has 3 items, but operand 5");
  expect(message(weighted(bicgstab(), common(one))), "holds 2 numbers an item");
  expect(message(weighted(bicgstab(), x)), "shares elements with");
  expect(message(scaled(bicgstab(), Scaling(7))), "give rows, columns or both");
  expect(message(scaled(bicgstab(), Scaling::both, TestNorm(7))), "give unscaled or scaled");
  expect(message(scaled(conjugate_gradients(), Scaling::columns)), "give Scaling::both");
  expect(message(scaled(bicgstab(absolute(-1)))), "a tolerance of -1");
  SolveLog<double> log;
  log.scaled_residual = Kokkos::View<double*>("short", 2);
  EXPECT_THROW(solve(scaled(bicgstab()), no_preconditioner(), dense(a), b, x, log),
               std::invalid_argument);
  EXPECT_THROW(
      solve(scaled(bicgstab()), no_preconditioner(), matrix_free(3, Applied<double>{{}, 3}), b, x),
      std::invalid_argument);
}

}  // namespace
}  // namespace Batchwork::Test
