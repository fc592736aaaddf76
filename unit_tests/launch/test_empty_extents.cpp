// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Empty extents: every verb on matrices and bands, and every extent that can be 0. Outputs are
// poisoned before the call. Verbs must write the result that LAPACK or NumPy give, and always the
// status.
#include <utility>

#include "launch/EmptyCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct EmptyExtents : ::testing::Test {
  Numbers1<int> codes;

  /// Calls run(status) for several numbers of items, with and without a status. The status of each
  /// item must be want(item).
  template <class Run, class Want>
  void check_codes(int items, std::string const& what, Run const& run, Want const& want) {
    codes = numbers<int>(items);
    run(status(codes));
    expect_all(codes, [&](int n, int, int) { return want(n); }, what + ", status");
  }
  template <class Run>
  void check_success(int items, std::string const& what, Run const& run) {
    check_codes(items, what, run, [](int) { return 0; });
    run();
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EmptyExtents, Types);

std::string shape(int m, int n) { return std::to_string(m) + "x" + std::to_string(n); }

/// For n = 0, LAPACK's potrf, posv, trtrs, getrf, gesv, getri, syev and gtsv return info = 0
/// without further work.
TYPED_TEST(EmptyExtents, NoRows) {
  using T = TypeParam;
  for (int items : items_of_empties) {
    auto const a = matrices<T>(items, 0, 0), x = matrices<T>(items, 0, 0);
    auto const values = vectors<T>(items, 0), v = vectors<T>(items, 0), w = vectors<T>(items, 0);
    auto const order = vectors<int>(items, 0);
    auto const check = [&](std::string const& what, auto const& run) {
      this->check_success(items, what, run);
    };
    check("cholesky", [&](auto... s) { Batchwork::cholesky(in(a), out(x), s...); });
    check("cholesky in place", [&](auto... s) { Batchwork::cholesky(inout(a), s...); });
    check("lu", [&](auto... s) { lu(in(a), out(x), out(order), s...); });
    check("lu in place", [&](auto... s) { lu(inout(a), out(order), s...); });
    check("inverse", [&](auto... s) { Batchwork::inverse(in(a), out(x), s...); });
    check("inverse in place", [&](auto... s) { Batchwork::inverse(inout(a), s...); });
    check("eigh, values", [&](auto... s) { eigh(in(a), out(values), s...); });
    check("eigh", [&](auto... s) { eigh(in(a), out(values), out(x), s...); });
    check("eigh in place", [&](auto... s) { eigh(inout(a), out(values), s...); });
    check("solve_tridiagonal", [&](auto... s) { solve_tridiagonal(v, v, v, v, w, s...); });
    check("solve_tridiagonal with pivoting",
          [&](auto... s) { solve_tridiagonal(v, v, v, v, w, partial_pivoting(), s...); });
    auto const solves = [&](auto const& b, auto const& y, std::string const& what) {
      check("solve_cholesky" + what,
            [&](auto... s) { solve_cholesky(in(a), in(b), out(y), s...); });
      check("solve_lower" + what,
            [&](auto... s) { Batchwork::solve_lower(in(a), in(b), out(y), s...); });
      check("solve_upper" + what,
            [&](auto... s) { Batchwork::solve_upper(in(a), in(b), out(y), s...); });
      check("solve_lu" + what, [&](auto... s) { solve_lu(in(a), in(b), out(y), s...); });
      check("solve_lu in place" + what, [&](auto... s) { solve_lu(in(a), inout(y), s...); });
    };
    solves(v, w, " of a vector");
    for (int columns : {0, 3})
      solves(matrices<T>(items, 0, columns), matrices<T>(items, 0, columns),
             " of " + std::to_string(columns) + " columns");
  }
}

/// numpy.linalg.det of a 0 x 0 matrix is 1 and slogdet is (1, 0), the empty product.
TYPED_TEST(EmptyExtents, Determinants) {
  using T = TypeParam;
  for (int items : items_of_empties) {
    auto const a = matrices<T>(items, 0, 0);
    auto const d = numbers<T>(items), logs = numbers<T>(items), signs = numbers<T>(items);
    this->check_success(items, "determinant", [&](auto... s) {
      determinant(in(a), out(poisoned(d)), s...);
      expect_number(d, 1, "determinant");
    });
    this->check_success(items, "log_abs_determinant", [&](auto... s) {
      log_abs_determinant(in(a), out(poisoned(logs)), out(poisoned(signs)), s...);
      expect_number(logs, 0, "logarithm");
      expect_number(signs, 1, "sign");
    });
    // In groups. Lanes without an item must not change.
    std::size_t const groups = std::size_t((items + 7) / 8);
    Kokkos::View<T**, Kokkos::LayoutRight, Space> const in_groups("d", groups, 8);
    determinant(in(a), out(compact(poisoned(in_groups), items)));
    expect_all(
        in_groups, [&](int g, int l, int) { return 8 * g + l < items ? T(1) : poison<T>(); },
        "determinants in groups");
  }
}

/// Matrices for all values of the status: by item regular, with a zero on the diagonal, and with a
/// NaN on the diagonal.
template <class T>
Matrices3<T> good_zero_and_nan(int items, int n, int place) {
  auto const a = matrices<T>(items, n, n);
  auto const host = Kokkos::create_mirror_view(a);
  for (std::size_t k = 0; k < host.extent(0); ++k)
    for (std::size_t i = 0; i < host.extent(1); ++i)
      for (std::size_t j = 0; j < host.extent(2); ++j) {
        bool const there = int(i) == place && i == j;
        host(k, i, j) = there && k % 3 == 1   ? T(0)
                        : there && k % 3 == 2 ? std::numeric_limits<T>::quiet_NaN()
                        : i == j              ? T(2)
                                              : T(0);
      }
  Kokkos::deep_copy(a, host);
  return a;
}

/// Without right-hand sides the matrices are still checked: LAPACK's posv and gesv factorise, and
/// trtrs checks the diagonal.
TYPED_TEST(EmptyExtents, NoRightHandSides) {
  using T = TypeParam;
  for (int items : items_of_empties)
    for (int n : {1, 2, 5, 8, 9, 16, 17, 33, 64, 65, 130}) {
      int const place = n / 2;
      auto const a = good_zero_and_nan<T>(items, n, place);
      auto const none = matrices<T>(items, n, 0), x = matrices<T>(items, n, 0);
      auto const check = [&](std::string const& what, Reason zero, auto const& run) {
        this->check_codes(items, what + " of " + std::to_string(n) + " rows", run, [&](int k) {
          return k % 3 == 0 ? 0 : Status::code(k % 3 == 1 ? zero : Reason::not_finite, place + 1);
        });
        run();
      };
      check("solve_cholesky", Reason::not_positive_definite,
            [&](auto... s) { solve_cholesky(in(a), in(none), out(x), s...); });
      check("solve_lower", Reason::breakdown,
            [&](auto... s) { Batchwork::solve_lower(in(a), in(none), out(x), s...); });
      check("solve_lower of a transpose", Reason::breakdown,
            [&](auto... s) { Batchwork::solve_lower(in(transposed(a)), in(none), out(x), s...); });
      check("solve_upper", Reason::breakdown,
            [&](auto... s) { Batchwork::solve_upper(in(a), in(none), out(x), s...); });
      check("solve_lu", Reason::singular,
            [&](auto... s) { solve_lu(in(a), in(none), out(x), s...); });
      check("solve_lu in place", Reason::singular,
            [&](auto... s) { solve_lu(in(a), inout(x), s...); });
    }
}
TYPED_TEST(EmptyExtents, NoRightHandSidesInAWorkspace) {
  using T = TypeParam;
  if (Impl::runs_on_device<Space>) GTEST_SKIP() << "how many rows do not fit depends on the device";
  int const n = 260;
  auto const a = good_zero_and_nan<T>(3, n, 200), none = matrices<T>(3, n, 0),
             x = matrices<T>(3, n, 0);
  Kokkos::View<T*, Space> const memory(
      "memory", std::size_t(workspace_numbers<Verb::solve_lu>(in(a), in(none), out(x))));
  EXPECT_GT(memory.extent(0), 0u);
  this->check_codes(
      3, "solve_lu in a workspace",
      [&](auto... s) { solve_lu(in(a), in(none), out(x), s..., workspace(memory)); },
      [](int k) {
        return k == 0 ? 0 : Status::code(k == 1 ? Reason::singular : Reason::not_finite, 201);
      });
  EXPECT_NO_THROW(solve_lu(in(a), in(none), out(x)));  // no output is requested
}

/// As geqrf with orgqr in LAPACK, and numpy.linalg.qr: Q of an empty matrix is the identity, and
/// info = 0.
TYPED_TEST(EmptyExtents, Qr) {
  using T = TypeParam;
  for (int items : items_of_empties)
    for (auto [m, n] : {std::pair{0, 0}, {3, 0}, {70, 0}, {0, 3}}) {
      std::string const what = "qr of " + shape(m, n);
      auto const a = matrices<T>(items, m, n), r = matrices<T>(items, 0, n);
      auto const thin = matrices<T>(items, m, 0), whole = matrices<T>(items, m, m);
      this->check_success(items, what, [&](auto... s) { qr(in(a), out(r), s...); });
      this->check_success(items, what + ", thin",
                          [&](auto... s) { qr(in(a), out(thin), out(r), s...); });
      if (m >= n)
        this->check_success(items, what + " in place",
                            [&](auto... s) { qr(inout(a), out(r), s...); });
      this->check_success(items, what + ", all of Q", [&](auto... s) {
        qr(in(a), out(transposed(poisoned(whole))), out(r), s...);
        expect_all(whole, [](int, int i, int j) { return T(i == j); }, what);
      });
    }
}

/// As gels in LAPACK with min(m, n, nrhs) = 0: X is zero, and info = 0. numpy.linalg.lstsq returns
/// the same X.
TYPED_TEST(EmptyExtents, LeastSquares) {
  using T = TypeParam;
  for (int items : items_of_empties)
    for (int m : {0, 3, 40})
      for (int n : {0, 3, 40})
        for (int columns : {0, 1, 9}) {
          if (m > 0 && n > 0 && columns > 0) continue;
          std::string const what =
              "least_squares of " + shape(m, n) + ", " + std::to_string(columns) + " columns";
          auto const a = matrices<T>(items, m, n), b = matrices<T>(items, m, columns),
                     x = matrices<T>(items, n, columns);
          this->check_success(items, what, [&](auto... s) {
            least_squares(in(a), in(b), out(poisoned(x)), s...);
            expect_number(x, 0, what);
          });
          if (columns != 1) continue;
          auto const of = vectors<T>(items, m), y = vectors<T>(items, n);
          this->check_success(items, what, [&](auto... s) {
            least_squares(in(a), in(of), out(poisoned(y)), s...);
            expect_number(y, 0, what);
          });
        }
}

/// As gesvd in LAPACK with min(m, n) = 0, and numpy.linalg.svd: no values, info = 0. U and V have
/// no columns.
TYPED_TEST(EmptyExtents, Svd) {
  using T = TypeParam;
  for (int items : items_of_empties)
    for (auto [m, n] : {std::pair{0, 0}, {3, 0}, {0, 3}, {70, 0}}) {
      auto const a = matrices<T>(items, m, n), u = matrices<T>(items, m, 0),
                 v = matrices<T>(items, n, 0);
      auto const values = vectors<T>(items, 0);
      this->check_success(items, "svd of " + shape(m, n) + ", values",
                          [&](auto... s) { svd(in(a), out(values), s...); });
      this->check_success(items, "svd of " + shape(m, n),
                          [&](auto... s) { svd(in(a), out(u), out(values), out(v), s...); });
    }
}

/// gemm of the BLAS with k = 0 is C = beta C. With beta = 0, C is not read.
TYPED_TEST(EmptyExtents, Gemm) {
  using T = TypeParam;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  for (int items : items_of_empties)
    for (int m : {0, 1, 3, 16, 40, 70})
      for (int n : {0, 1, 3, 16, 40, 70})
        for (int k : {0, 5}) {
          if (m > 0 && n > 0 && k > 0) continue;
          auto const a = matrices<T>(items, m, k), b = matrices<T>(items, k, n),
                     c = matrices<T>(items, m, n);
          Kokkos::View<T**, Space> const common_a("a", std::size_t(m), std::size_t(k));
          std::string const what = "gemm of " + shape(m, k) + " and " + shape(k, n) + ", " +
                                   std::to_string(items) + " items";
          for (double alpha : {0., 2.})
            for (double beta : {0., 1., 0.25}) {
              Kokkos::deep_copy(c, beta == 0 ? nan : T(3));
              gemm(alpha, in(a), in(b), beta, inout(c));
              expect_number(c, 3 * beta, what);
              Kokkos::deep_copy(c, beta == 0 ? nan : T(3));
              gemm(alpha, common(common_a), in(b), beta, inout(c));
              expect_number(c, 3 * beta, what + ", A common");
            }
          auto const turned = matrices<T>(items, n, m);
          Kokkos::deep_copy(turned, nan);
          gemm(2, in(a), in(b), 0, out(transposed(turned)));
          expect_number(turned, 0, what + ", C out and transposed");
        }
}

/// A copy of nothing writes nothing, also not in the last group.
TYPED_TEST(EmptyExtents, Copies) {
  using T = TypeParam;
  for (int items : items_of_empties)
    for (auto [m, n] : {std::pair{0, 0}, {3, 0}, {0, 3}, {3, 2}}) {
      if (m * n > 0 && items > 0) continue;
      auto const from = matrices<T>(items, m, n), to = matrices<T>(items, m, n),
                 turned = matrices<T>(items, n, m);
      Kokkos::View<T****, Kokkos::LayoutRight, Space> const groups(
          "g", std::size_t(items + 7) / 8, std::size_t(m), std::size_t(n), 8);
      EXPECT_NO_THROW(copy(to, from));
      EXPECT_NO_THROW(copy(to, transposed(turned)));
      EXPECT_NO_THROW(pack(compact(groups, items), from));
      EXPECT_NO_THROW(unpack(to, compact(groups, items)));
    }
}

/// Calls that need a workspace must launch nothing and need no memory.
TYPED_TEST(EmptyExtents, WorkspaceNumbers) {
  using T = TypeParam;
  auto const a = matrices<T>(3, 0, 0);
  auto const d = numbers<T>(3);
  auto const codes = numbers<int>(3);
  auto const tall = matrices<T>(3, 5, 0), whole = matrices<T>(3, 5, 5), r = matrices<T>(3, 0, 0);
  EXPECT_EQ(workspace_numbers<Verb::determinant>(in(a), out(d), status(codes)), 0);
  EXPECT_EQ((workspace_numbers<Verb::qr>(in(tall), out(whole), out(r), status(codes))), 0);
  EXPECT_EQ(workspace_numbers<Verb::eigh>(in(a), out(vectors<T>(3, 0)), status(codes)), 0);
  EXPECT_EQ(workspace_numbers<Verb::svd>(in(tall), out(vectors<T>(3, 0)), status(codes)), 0);
  EXPECT_EQ(workspace_numbers<Verb::least_squares>(in(tall), in(vectors<T>(3, 5)),
                                                   out(vectors<T>(3, 0)), status(codes)),
            0);
  expect_number(d, double(poison<T>()), "determinant");
  expect_number(whole, double(poison<T>()), "Q");
  expect_number(codes, double(poison<int>()), "status");
}

}  // namespace
}  // namespace Batchwork::Test
