// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sequences composed of several, which pass tiles from one to the next, compared with long double.
#ifndef BATCHWORK_TEST_THENCASE_HPP
#define BATCHWORK_TEST_THENCASE_HPP

#include <vector>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

struct Predict {
  template <class P, class F, class Q>
  KOKKOS_FUNCTION void operator()(P& p, F const& f, Q const& q) const {
    p = congruence(f, p, q);
  }
};
/// The variance of the innovation, and the gain.
struct Innovate {
  template <class P, class H, class R, class S, class K>
  KOKKOS_FUNCTION void operator()(P const& p, H const& h, R const& r, S& s, K& gain) const {
    s = congruence(h, p, r);
    gain = transpose(solve(cholesky(s), h * p));
  }
};
struct Correct {
  template <class P, class K, class S>
  KOKKOS_FUNCTION void operator()(P& p, K const& gain, S const& s) const {
    p = p - congruence(gain, s);
  }
};

/// A step of a Kalman filter's covariance in three sequences of three to five tiles each.
/// \param run  what runs it: run(sequence, operands...)
template <class T, class L, int N, int M, class Run>
void check_covariances(std::int64_t n, Run const& run) {
  Random random(307);
  BatchIn<T, L, N, N> p(n);
  BatchIn<std::int32_t, Left> codes(n);
  p.fill([&](std::int64_t) { return random_spd<T>(random, N); });
  Dense const failing = -100.0L * eye(N);
  p.put(n / 2, failing), p.upload();
  Common<T, N, N> const f(random_dense<T>(random, N, N)), q(random_spd<T>(random, N));
  Common<T, M, N> const h(random_dense<T>(random, M, N));
  Common<T, M, M> const r(0.001L * eye(M));
  std::vector<Dense> before;
  for (std::int64_t k = 0; k < n; ++k) before.push_back(p.dense(k));

  run(then(on<0, 1, 2>(Predict{}), then(on<0, 3, 4, 5, 6>(Innovate{}), on<0, 6, 5>(Correct{}))),
      inout(symmetric(p.view())), common(f.view), common(symmetric(q.view)), common(h.view),
      common(symmetric(r.view)), symmetric(local<T, M, M>()), local<T, N, M>(),
      status(codes.view()));

  p.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const a = f.dense() * before[std::size_t(k)] * transpose(f.dense()) + q.dense();
    Dense const s = h.dense() * a * transpose(h.dense()) + r.dense();
    int info = 0;
    Dense const l = Test::cholesky(s, &info);
    if (k == n / 2) {
      ASSERT_GT(info, 0);
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_positive_definite) << k;
      EXPECT_EQ(Status::info(codes.at(k)), info) << k;
      continue;
    }
    Dense const y = solve_lower(l, h.dense() * a);
    ASSERT_TRUE(near(p.dense(k), a - transpose(y) * y, tolerance<T>(8 * N, 40 * N))) << k;
    EXPECT_EQ(codes.at(k), 0) << k;
  }
  EXPECT_EQ(p.poisoned(), p.outside());
}

struct Take {
  template <class Y, class X, class C, class V, class D, class L, class G>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, C const& number, V const& vector,
                                  D const& diagonal, L const& lower, G const& general) const {
    y = number * vector + diagonal * x + lower * x + general * x;
  }
};
/// Tiles of every structure, handed over.
template <class T>
struct Hand {
  template <class X, class C, class V, class D, class L, class G>
  KOKKOS_FUNCTION void operator()(X const& x, C& number, V& vector, D& diagonal, L& lower,
                                  G& general) const {
    number = dot(x, x);
    vector = T(2) * x;
    diagonal = as_diagonal(x);
    lower = number * outer(x, x);
    general = outer(vector, x);
  }
};

/// \param run  what runs it: run(sequence, operands...)
template <class T, class L, int N, class Run>
void check_tiles_handed_over(std::int64_t n, Run const& run) {
  Random random(311);
  BatchIn<T, L, N> x(n), y(n);
  x.fill_exactly(random, 3);
  run(then(on<1, 2, 3, 4, 5, 6>(Hand<T>{}), Take{}), out(y.view()), in(x.const_view()), local<T>(),
      local<T, N>(), diagonal(local<T, N>()), lower(local<T, N, N>()), local<T, N, N>());
  y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const v = x.dense(k);
    long double const square = dot(v, v);
    Dense const want = 2 * square * v + make_dense(N, 1, [&](int i, int) { return v(i) * v(i); }) +
                       square * (lower_triangle(v * transpose(v)) * v) + 2 * square * v;
    ASSERT_TRUE(equal(y.dense(k), want)) << k;
  }
  EXPECT_EQ(y.poisoned(), y.outside());
}

}  // namespace Batchwork::Test

#endif
