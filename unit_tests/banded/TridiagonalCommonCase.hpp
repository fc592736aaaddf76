// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One tridiagonal matrix with the right-hand sides of all items, in any arrangement: residuals in
/// long double, and failures that touch nothing else.
#ifndef BATCHWORK_TEST_TRIDIAGONAL_COMMON_CASE_HPP
#define BATCHWORK_TEST_TRIDIAGONAL_COMMON_CASE_HPP

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "banded/detail/Batchwork_TridiagonalCommonProblem.hpp"
#include "dense/gemm/GemmCase.hpp"

namespace Batchwork::Test {

template <class T>
struct TridiagonalCommonData {
  int n;
  std::int64_t items;
  ArrangedBatch<T> lower, diagonal, upper, b, x;
  ArrangedBatch<int> codes;

  TridiagonalCommonData(int rows, std::int64_t many, Arranged how, Arranged how_x)
      : n(rows),
        items(many),
        lower(1, rows, 1, how),
        diagonal(1, rows, 1, Arranged::item_contiguous),
        upper(1, rows, 1, how),
        b(many, rows, 1, how),
        x(many, rows, 1, how_x),
        codes(many, 1, 1, Arranged::item_contiguous) {}

  /// Diagonally dominant by `more` times a number around one, in rows of very different units.
  void randomise(Random& random, double more) const {
    for (int i = 0; i < n; ++i) {
      double const l = random(), u = random();
      double const unit = std::ldexp(1.0, random.integer(-20, 20));
      double const d = std::fabs(l) + std::fabs(u) + more * random(0.5, 1.5);
      bool const first = i == 0, last = i == n - 1;
      lower.at(0, i, 0) = first ? std::numeric_limits<T>::quiet_NaN() : T(l * unit);
      upper.at(0, i, 0) = last ? std::numeric_limits<T>::quiet_NaN() : T(u * unit);
      diagonal.at(0, i, 0) = T(d * unit * (random.integer(0, 1) != 0 ? 1 : -1));
    }
    lower.upload(), upper.upload(), diagonal.upload();
    b.randomise(random);
  }
  Impl::TridiagonalCommonProblem<T> problem(bool in_place) const {
    Impl::TridiagonalCommonProblem<T> p;
    p.lower = {lower.data(), lower.row};
    p.diagonal = {diagonal.data(), diagonal.row};
    p.upper = {upper.data(), upper.row};
    p.b = {b.data(), 1, b.item, 0, b.row, 0};
    auto const& to = in_place ? b : x;
    p.x = {to.data(), 1, to.item, 0, to.row, 0};
    p.status.narrow = codes.data();
    p.status.group = codes.item;
    p.items = items, p.n = n;
    return p;
  }
  /// |b - A x| <= 128 eps times the sum of |A| |x| in each row, what solve_tridiagonal promises.
  void expect_solutions(ArrangedBatch<T> const& result, ArrangedBatch<T> const& sides) const {
    for (std::int64_t q = 0; q < items; ++q)
      for (int i = 0; i < n; ++i) {
        long double r = (long double)(sides.at(q, i, 0)), size = std::fabs(r);
        auto const take = [&](T a, int j) {
          long double const y = (long double)(a) * (long double)(result.at(q, j, 0));
          r -= y, size += std::fabs(y);
        };
        if (i > 0) take(lower.at(0, i, 0), i - 1);
        take(diagonal.at(0, i, 0), i);
        if (i + 1 < n) take(upper.at(0, i, 0), i + 1);
        // Not so for NaN.
        ASSERT_TRUE(std::fabs(r) <= 128 * (long double)(std::numeric_limits<T>::epsilon()) * size)
            << "item " << q << ", row " << i << ": " << double(r) << " of " << double(size);
      }
  }
  void expect_codes(int wanted, std::int64_t bad_item = -1, int bad_code = 0) const {
    codes.download();
    for (std::int64_t q = 0; q < items; ++q)
      ASSERT_EQ(codes.at(q, 0, 0), q == bad_item ? bad_code : wanted) << "item " << q;
  }
};

template <class T, class Solve>
void check_common_tridiagonal(int n, std::int64_t items, Arranged how, Arranged how_x,
                              Random& random, Solve const& solve) {
  SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(items) + " items, " +
               std::to_string(int(how)) + " to " + std::to_string(int(how_x)));
  TridiagonalCommonData<T> const d(n, items, how, how_x);
  for (double more : {1.0, 1e-3}) {
    d.randomise(random, more);
    solve(d, false);
    d.x.download();
    d.expect_solutions(d.x, d.b);
    d.expect_codes(0);
    if (::testing::Test::HasFatalFailure()) return;
  }
  std::vector<T> const good(d.x.numbers, d.x.numbers + d.x.host.extent(0));
  // A number that is not finite: nothing else moves.
  for (std::int64_t bad : {std::int64_t(0), items / 2, items - 1}) {
    T const old = d.b.at(bad, n / 2, 0);
    d.b.at(bad, n / 2, 0) = std::numeric_limits<T>::infinity();
    d.b.upload();
    solve(d, false);
    d.x.download();
    for (std::int64_t q = 0; q < items; ++q)
      for (int i = 0; i < n && q != bad; ++i) {
        T const& now = d.x.at(q, i, 0);
        ASSERT_EQ(std::memcmp(&now, &good[std::size_t(&now - d.x.numbers)], sizeof(T)), 0);
      }
    EXPECT_FALSE(std::isfinite(d.x.at(bad, n / 2, 0)));
    d.expect_codes(0, bad, Status::code(Reason::not_finite, 0));
    d.b.at(bad, n / 2, 0) = old;
    d.b.upload();
  }
  solve(d, true);
  d.b.download();
  for (std::int64_t q = 0; q < items; ++q)
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(d.b.at(q, i, 0), good[std::size_t(&d.x.at(q, i, 0) - d.x.numbers)]) << "in place";

  // A pivot of zero, and one that is not finite, in the first, a middle and the last row.
  for (int row : {0, n / 2, n - 1})
    for (bool is_nan : {false, true}) {
      d.randomise(random, 1);
      // The row before has no part in this pivot.
      d.lower.at(0, row, 0) = 0, d.lower.upload();
      d.diagonal.at(0, row, 0) = is_nan ? std::numeric_limits<T>::quiet_NaN() : T(0);
      d.diagonal.upload();
      solve(d, false);
      d.x.download();
      d.expect_codes(Status::code(is_nan ? Reason::not_finite : Reason::breakdown, row + 1));
      for (int i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(d.x.at(items - 1, i, 0)));
    }
}

}  // namespace Batchwork::Test

#endif
