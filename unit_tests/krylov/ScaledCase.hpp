// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Scaled and weighted solves, compared with residuals without rounding errors, in the norm of the
/// stopping test and in the other norm.
#ifndef BATCHWORK_TEST_SCALED_CASE_HPP
#define BATCHWORK_TEST_SCALED_CASE_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "krylov/ExactResidual.hpp"

namespace Batchwork::Test {

template <class T>
SolveLog<T> whole_log(std::int64_t items) {
  auto log = SolveLog<T>::allocated(items);
  log.scaled_residual = Kokkos::View<T*>("scaled residual", std::size_t(items));
  return log;
}

/// The factors of rows: the powers of two nearest to the inverses of the largest magnitudes; for
/// conjugate gradients, nearest to the inverse roots of the diagonal.
template <class T>
struct RowFactors {
  ArrangedBatch<T> left;
  RowFactors(ArrangedBatch<T> const& a, Scaling scaling, bool symmetric = false)
      : left(a.items, a.rows, 1, Arranged::item_contiguous) {
    for (std::int64_t n = 0; n < a.items; ++n)
      for (int i = 0; i < a.rows; ++i) {
        T largest = a.at(n, i, i);
        for (int j = 0; !symmetric && j < a.rows; ++j)
          largest = std::max(largest, std::fabs(a.at(n, i, j)));
        int e;
        T const m = std::frexp(largest, &e);
        if (m < T(0.75)) --e;  // between 3/4 and 3/2
        left.at(n, i, 0) =
            scaling == Scaling::columns ? T(1) : std::ldexp(T(1), symmetric ? -(e / 2) : -e);
      }
  }
};

struct Tally {
  int converged = 0, all = 0;
  int at_rounding = 0;  ///< number of items that ended there
};

/// The log must be correct in both norms, and no x may be worse than its initial guess in the norm
/// of the stopping test.
/// \param factor factor(item, row): the factor of a row in the other norm
template <class T, class Solver, class FencedWorkspace, class M, class A, class Factor>
Tally expect_true(Solver const& solver, FencedWorkspace const& memory, M const& m, A const& A_of,
                  ArrangedBatch<T> const& a, ArrangedBatch<T> const& b, bool tests_unscaled,
                  Factor const& factor, T start, std::string const& what) {
  SCOPED_TRACE(what);
  ArrangedBatch<T> const x(a.items, a.rows, 1, Arranged::strided),
      x0(a.items, a.rows, 1, Arranged::item_contiguous);
  x.fill(start);
  x0.fill(start);
  auto const outside = x.poisoned();
  auto const log = whole_log<T>(a.items);
  solve(solver, m, A_of, vectors(b), vectors(x), log, memory());
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
      // All items end because of their numbers, none because of the number of iterations.
      EXPECT_NE(outcome.reason(), Reason::not_finite) << "item " << n;
    }
    EXPECT_LE(tested.residual, before.residual * (1 + 4 * epsilon<T>))
        << "item " << n << ": " << outcome.text();
    // With twice the precision, the logged norms are accurate to their last digits, or to the last
    // digits of the products' squares.
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
    // Only rounding errors remain.
    if (!converged && plain.residual <= 8 * rounded.rounding) ++tally.at_rounding;
    ++tally.all;
  }
  return tally;
}

template <class T>
struct Systems {
  ArrangedBatch<T> a, b;
  Systems(std::int64_t items, int rows, double rows_by, double columns_by, Random& random)
      : a(items, rows, rows, Arranged::item_contiguous),
        b(items, rows, 1, Arranged::item_contiguous) {
    put_badly_scaled(a, b, random, rows_by, columns_by);
  }
};

/// y = A x with the same matrices, as a functor.
template <class T>
struct Applied {
  decltype(std::declval<ArrangedBatch<T>>().batch()) a;
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

}  // namespace Batchwork::Test

#endif
