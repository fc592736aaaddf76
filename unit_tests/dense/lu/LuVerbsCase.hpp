// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// lu and solve_lu on matrices known at run time, judged by what comes out: by the verbs, and by the device's kernel on threads of
/// a host.
#ifndef BATCHWORK_TEST_LU_VERBS_CASE_HPP
#define BATCHWORK_TEST_LU_VERBS_CASE_HPP

#include "dense/cholesky/TriangleCase.hpp"
#include "tile/LuCase.hpp"

namespace Batchwork::Test {

template <class T>
void expect_only_items(ArrangedBatch<T> const& m) {
  EXPECT_EQ(m.poisoned(),
            m.host.extent(0) - std::size_t(m.items) * std::size_t(m.rows) * std::size_t(m.cols));
}

/// factor(a, lu, rows, codes) and solve(a, b, x, codes) run a call. Errors are bounded as in expect_lu.
template <class T, class Factor, class Solve>
void check_lu(int n, int columns, std::int64_t items, Arranged how, Random& random,
              Factor const& factor, Solve const& solve) {
  SCOPED_TRACE(std::to_string(items) + " items of " + std::to_string(n) + " rows, arranged " +
               std::to_string(int(how)));
  ArrangedBatch<T> const a(items, n, n, how), lu(items, n, n, how), b(items, n, columns, how),
      x(items, n, columns, how);
  ArrangedBatch<int> const rows(items, n, 1, Arranged::item_contiguous),
      codes(items, 1, 1, Arranged::item_contiguous), codes_of_x(items, 1, 1, Arranged::interleaved);
  for (std::int64_t k = 0; k < items; ++k) put(a, k, lu_matrix<T>(random, n, k));
  a.upload();
  for (std::int64_t k = 0; k < items; ++k)
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < columns; ++c)
        b.at(k, i, c) =
            T(random()) * (lu_kind(k) == LuKind::tiny ? std::numeric_limits<T>::min() : T(1));
  b.upload();
  factor(a, lu, rows, codes);
  solve(a, b, x, codes_of_x);
  lu.download(), rows.download(), codes.download(), x.download(), codes_of_x.download();
  expect_only_items(lu), expect_only_items(x);
  for (std::int64_t k = 0; k < items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    auto const code = codes.at(k, 0, 0);
    Dense const ak = item(a, k), f = item(lu, k);
    LuKind const kind = lu_kind(k);
    int const zero = kind == LuKind::zero_column ? int(k / 6) % n + 1 : 0;
    if (kind == LuKind::not_a_number) {
      ASSERT_EQ(Status::reason(code), Reason::not_finite);
      ASSERT_GE(Status::info(code), 1);
    } else {
      ASSERT_EQ(code, zero > 0 ? Status::code(Reason::singular, zero) : 0);
    }
    ASSERT_EQ(codes_of_x.at(k, 0, 0), code);
    if (code != 0) {
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < columns; ++c) ASSERT_TRUE(std::isnan(x.at(k, i, c)));
    }
    if (kind == LuKind::not_a_number) continue;
    std::vector<bool> there(std::size_t(n), false);
    for (int i = 0; i < n; ++i) {
      int const r = rows.at(k, i, 0);
      ASSERT_TRUE(r >= 0 && r < n && !there[std::size_t(r)]) << "place " << i;
      there[std::size_t(r)] = true;
    }
    auto const in_order = [&](Dense const& z) {
      return make_dense(n, z.cols, [&](int i, int j) { return z(rows.at(k, i, 0), j); });
    };
    Dense const l = make_dense(n, n, [&](int i, int j) {
      return j < i ? f(i, j) : i == j ? 1.0L : 0.0L;
    });
    Dense const u = make_dense(n, n, [&](int i, int j) { return j >= i ? f(i, j) : 0.0L; });
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        ASSERT_LE(std::fabs(l(i, j)), 1 + std::max(4 * epsilon<T>, std::ldexp(1.0L, -19)));
    long double const step = std::numeric_limits<T>::denorm_min();
    Dense const size = abs(l) * abs(u), pa = in_order(ak);
    ASSERT_TRUE(near(l * u, pa, tolerance<T>(n, 1) * size + Dense(n, n, 4 * n * step)));
    if (code != 0) continue;
    Dense const xk = item(x, k);
    Dense const allowed = tolerance<T>(3 * n, 1) * (size * abs(xk)) +
                          4 * n * step * (Dense(n, n, 1) * abs(xk) + Dense(n, columns, 1));
    ASSERT_TRUE(near(pa * xk, in_order(item(b, k)), allowed));
  }
}

}  // namespace Batchwork::Test

#endif
