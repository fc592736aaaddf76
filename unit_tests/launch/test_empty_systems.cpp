// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Empty extents of verbs on sparse systems: no rows, no entries, no right-hand sides, no items.
#include "launch/EmptyCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct EmptySystems : ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EmptySystems, Types);

/// A log with all of its Views, poisoned.
template <class T>
SolveLog<T> poisoned_log(int items) {
  SolveLog<T> log;
  log.iterations = numbers<int>(items), log.reason = numbers<int>(items);
  log.recurrence = numbers<T>(items), log.residual = numbers<T>(items);
  log.history = vectors<T>(items, 3), log.scaled_residual = numbers<T>(items);
  log.reciprocal_growth = numbers<T>(items), log.reciprocal_condition = numbers<T>(items);
  log.dense_form = numbers<int>(items);
  return log;
}
/// The outputs that such a solve must write. The other outputs must not change.
struct Wanted {
  bool scaled = false, of_matrix = false, dense_form = false;
};
/// Empty systems have converged, with a residual of zero and no iterations.
template <class T>
void expect_converged(SolveLog<T> const& log, Wanted const& wanted, std::string const& what) {
  double const left = double(poison<T>());
  expect_number(log.reason, 0, what + ", reason");
  expect_number(log.iterations, 0, what + ", iterations");
  expect_number(log.recurrence, 0, what + ", recurrence");
  expect_number(log.residual, 0, what + ", residual");
  expect_number(log.history, left, what + ", history");
  expect_number(log.scaled_residual, wanted.scaled ? 0 : left, what + ", scaled residual");
  // gecon and gesvx of LAPACK: rcond and rpvgrw of n = 0 are 1.
  expect_number(log.reciprocal_growth, wanted.of_matrix ? 1 : left, what + ", growth");
  expect_number(log.reciprocal_condition, wanted.of_matrix ? 1 : left, what + ", condition");
  expect_number(log.dense_form, wanted.dense_form ? 0 : poison<int>(), what + ", dense form");
}

/// Compressed rows of a diagonal matrix or of an empty one.
template <class T>
auto diagonal_csr(int items, int rows, bool has_entries) {
  int const nonzeros = has_entries ? rows : 0;
  Kokkos::View<int*, Space> const offsets("offsets", std::size_t(rows) + 1),
      columns("columns", std::size_t(nonzeros));
  auto const o = Kokkos::create_mirror_view(offsets);
  auto const c = Kokkos::create_mirror_view(columns);
  for (int i = 0; i <= rows; ++i) o(std::size_t(i)) = has_entries ? i : 0;
  for (int i = 0; i < nonzeros; ++i) c(std::size_t(i)) = i;
  Kokkos::deep_copy(offsets, o), Kokkos::deep_copy(columns, c);
  auto const values = vectors<T>(items, nonzeros);
  Kokkos::deep_copy(values, T(2));
  return csr(offsets, columns, values);
}

TYPED_TEST(EmptySystems, NoRows) {
  using T = TypeParam;
  for (int items : items_of_empties) {
    auto const a = diagonal_csr<T>(items, 0, false);
    auto const full = dense(matrices<T>(items, 0, 0));
    auto const b = vectors<T>(items, 0), x = vectors<T>(items, 0);
    auto const check = [&](std::string const& what, Wanted const& wanted, auto const& run) {
      auto const log = poisoned_log<T>(items);
      run(log);
      expect_converged(log, wanted, what);
    };
    auto const iterate = [&](std::string const& what, auto const& solver, bool is_scaled) {
      check(what, {is_scaled},
            [&](auto const& l) { solve(solver, no_preconditioner(), a, b, x, l); });
      check(what + ", jacobi", {is_scaled},
            [&](auto const& l) { solve(solver, jacobi(), full, b, x, l); });
    };
    auto const stop = relative(1e-6, 10);
    iterate("bicgstab", bicgstab(stop), false);
    iterate("conjugate_gradients", conjugate_gradients(stop), false);
    iterate("gmres", gmres(5, stop), false);
    iterate("scaled", scaled(bicgstab(stop)), true);
    auto const directly = [&](std::string const& what, auto const& right, auto const& to) {
      check("direct_lu" + what, {false, true},
            [&](auto const& l) { solve(direct_lu(), a, right, to, l); });
      check("direct_lu by pattern" + what, {false, true, true},
            [&](auto const& l) { solve(direct_lu(symbolic_lu(a)), a, right, to, l); });
      auto const log = poisoned_log<T>(items);
      auto const f = factorize(direct_lu(), a, Numbers1<T>("factors", 0), log);
      expect_converged(log, {false, true}, "factorize");
      check("factors" + what, {}, [&](auto const& l) { solve(f, right, to, l); });
    };
    directly(", a vector", b, x);
    directly(", no columns", matrices<T>(items, 0, 0), matrices<T>(items, 0, 0));
    directly(", two columns", matrices<T>(items, 0, 2), matrices<T>(items, 0, 2));
    EXPECT_EQ(factors_numbers(direct_lu(), a, items), 0);

    auto const codes = numbers<int>(items);
    solve_triangular(Triangle::lower, a, b, x, status(codes));
    expect_number(codes, 0, "solve_triangular, status");
    solve_triangular(Triangle::lower, a, b, x);
    EXPECT_NO_THROW(multiply(a, b, x));
    EXPECT_NO_THROW(equilibrate(a, b, x));
    EXPECT_NO_THROW(scale(b, a, x));
    EXPECT_NO_THROW(add_scaled_identity(2, a));
    // dot and nrm2 of the BLAS with n = 0 are 0.
    auto const sums = numbers<T>(items);
    Batchwork::dot(b, x, sums);
    expect_number(sums, 0, "dot");
    Batchwork::norm(b, poisoned(sums));
    expect_number(sums, 0, "norm");
  }
}

/// Rows without entries are rows of zeros.
TYPED_TEST(EmptySystems, NoEntries) {
  using T = TypeParam;
  for (int items : items_of_empties)
    for (int rows : {1, 5, 40}) {
      auto const a = diagonal_csr<T>(items, rows, false);
      auto const x = vectors<T>(items, rows), y = vectors<T>(items, rows),
                 z = vectors<T>(items, rows);
      multiply(a, x, y);
      expect_number(y, 0, "multiply");
      Kokkos::deep_copy(y, T(3));
      multiply(2, a, x, 0.5, y);
      expect_number(y, 1.5, "multiply and add");
      equilibrate(a, poisoned(y), z);
      expect_number(y, 1, "equilibrate, rows");
      expect_number(z, 1, "equilibrate, columns");
      auto const codes = numbers<int>(items);
      solve_triangular(Triangle::lower, a, x, y, status(codes));
      expect_number(codes, Status::code(Reason::breakdown, 1), "solve_triangular");
      Kokkos::deep_copy(x, T(3));
      solve_triangular(Triangle::unit_upper, a, x, y, status(codes));
      expect_number(codes, 0, "solve_triangular, unit");
      expect_number(y, 3, "solve_triangular, unit");
    }
}

/// Without right-hand sides all systems are solved. The matrices are not read, and the reported
/// reciprocals of growth and condition are NaN.
TYPED_TEST(EmptySystems, NoRightHandSides) {
  using T = TypeParam;
  for (int items : items_of_empties)
    for (int rows : {1, 5, 40, 300}) {
      auto const a = diagonal_csr<T>(items, rows, true);
      auto const b = matrices<T>(items, rows, 0), x = matrices<T>(items, rows, 0);
      auto const check = [&](std::string const& what, bool by_pattern, auto const& run) {
        auto log = poisoned_log<T>(items);
        run(log);
        for (auto const& of : {log.reciprocal_growth, log.reciprocal_condition}) {
          auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of);
          for (std::size_t n = 0; n < host.extent(0); ++n) ASSERT_TRUE(std::isnan(host(n))) << what;
          poisoned(of);
        }
        expect_converged(log, {false, false, by_pattern}, what);
      };
      check("direct_lu", false, [&](auto const& l) { solve(direct_lu(), a, b, x, l); });
      check("direct_lu by pattern", true,
            [&](auto const& l) { solve(direct_lu(symbolic_lu(a)), a, b, x, l); });
      EXPECT_NO_THROW(solve(direct_lu(), a, b, x));
      auto const f =
          factorize(direct_lu(), a,
                    Numbers1<T>("factors", std::size_t(factors_numbers(direct_lu(), a, items))));
      auto const log = poisoned_log<T>(items);
      solve(f, b, x, log);
      expect_converged(log, {}, "factors");
    }
}

}  // namespace
}  // namespace Batchwork::Test
