// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve for definite matrices with given condition numbers, from small ones to matrices that are
// singular to working precision. Solutions are compared with LAPACK's. If solve reports success,
// the true residual must confirm it.
#include "krylov/PreconditionersCase.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" void dgesv_(int const*, int const*, double*, int const*, int*, double*, int const*,
                       int*);
#endif

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveConditions : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveConditions, Numbers);

/// Q D Q', where Q is a reflection and D decreases from 1 to 1 / condition.
template <class T>
void put_conditioned(Matrices<T> const& a, std::int64_t n, double condition, Random& random) {
  int const rows = a.pattern.rows;
  std::vector<double> v, d;
  double norm = 0;
  for (int i = 0; i < rows; ++i) {
    v.push_back(random());
    d.push_back(std::pow(condition, -double(i) / (rows - 1)));
    norm += v.back() * v.back();
  }
  auto const q = [&](int i, int k) {
    return (i == k ? 1 : 0) - 2 / norm * v[std::size_t(i)] * v[std::size_t(k)];
  };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < rows; ++k) sum += q(i, k) * d[std::size_t(k)] * q(j, k);
      a.put(n, i, j, T(sum));
      a.put(n, j, i, T(sum));
    }
}

/// The solution from LAPACK, if LAPACK was found.
template <class T>
std::vector<long double> reference(ArrangedBatch<T> const& full, std::int64_t n,
                                   ArrangedBatch<T> const& b) {
  int const rows = full.rows;
#if defined(BATCHWORK_HAVE_LAPACK)
  std::vector<double> a, x;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < rows; ++i) a.push_back(double(full.at(n, i, j)));
    x.push_back(double(b.at(n, j, 0)));
  }
  std::vector<int> pivots(x.size());
  int const one = 1;
  int info = -1;
  dgesv_(&rows, &one, a.data(), &rows, pivots.data(), x.data(), &rows, &info);
  EXPECT_EQ(info, 0);
  return {x.begin(), x.end()};
#else
  std::vector<std::vector<long double>> a(static_cast<std::size_t>(rows));
  std::vector<long double> right;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) a[std::size_t(i)].push_back(full.at(n, i, j));
    right.push_back(b.at(n, i, 0));
  }
  return dense_solution(a, right);
#endif
}

TYPED_TEST(SolveConditions, FromGoodToSingular) {
  using T = TypeParam;
  Random random(1);
  std::int64_t const items = 5;
  double const tolerance = usual_tolerance<T>;
  for (int rows : {6, 22, 40})
    for (double condition : {1e2, 1e4, 1e6, 1e8, 1e12, 1e16}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, condition " + std::to_string(condition));
      Matrices<T> const a(full_pattern(rows), items, Arranged::item_contiguous);
      ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
          x(items, rows, 1, Arranged::item_contiguous);
      for (std::int64_t n = 0; n < items; ++n) put_conditioned(a, n, condition, random);
      a.upload();
      b.randomise(random);
      auto const look = [&](char const* what, auto const& solver) {
        SCOPED_TRACE(what);
        x.fill(T(0));
        auto const log = SolveLog<T>::allocated(items);
        solve(solver, no_preconditioner(), a.dense(), vectors(b), vectors(x), log);
        x.download();
        HostLog<T> const said(log);
        for (std::int64_t n = 0; n < items; ++n) {
          auto const t = residual_truth(a.full, n, x, b);
          // If x grows without bounds, squares overflow before the numbers do.
          if (said.reason(n) == Reason::not_finite) {
            EXPECT_FALSE(std::isfinite(said.residual(n)));
            EXPECT_GT(t.norm, t.right_side);
          } else {
            expect_honest(said, n, t, tolerance);
          }
          // Rounding in A x does not prevent the residual from meeting the tolerance.
          bool const reachable = 10 * epsilon<T> * condition < tolerance;
          if (reachable) {
            EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
          }
          // The numbers of the matrix are rounded, which changes the matrix if they have few
          // digits.
          if (epsilon<T> * condition * rows > 0.1) continue;
          EXPECT_NE(said.reason(n), Reason::indefinite);
          auto const z = reference(a.full, n, b);
          long double error = 0, size = 0;
          for (int i = 0; i < rows; ++i) {
            long double const e = x.at(n, i, 0) - z[std::size_t(i)];
            error += e * e;
            size += z[std::size_t(i)] * z[std::size_t(i)];
          }
          // |A^-1| is nearly the condition number, because |A| is 1.
          EXPECT_LE(std::sqrt(error),
                    2 * condition * (t.norm + 10 * rows * epsilon<double> * std::sqrt(size)))
              << "item " << n;
        }
      };
      look("conjugate gradients", conjugate_gradients(relative(tolerance, 400)));
      look("bicgstab", bicgstab(relative(tolerance, 400)));
    }
}

}  // namespace
}  // namespace Batchwork::Test
