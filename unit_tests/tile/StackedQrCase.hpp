// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// stacked_r in a sequence, and checks of its results item by item. Tests run map, or device
/// kernels on threads of a host.
#ifndef BATCHWORK_TEST_STACKEDQR_CASE_HPP
#define BATCHWORK_TEST_STACKEDQR_CASE_HPP

#include "tile/QrCase.hpp"

namespace Batchwork::Test {

/// a is general, l and g are lower triangles.
struct Stack {
  template <class R, class Q, class U, class A, class B, class L, class G>
  KOKKOS_FUNCTION void operator()(R& general, Q& triangle, U& triangles, A const& a, B const& b,
                                  L const& l, G const& g) const {
    general = stacked_r(a, b);
    triangle = stacked_r(transpose(l), b);
    triangles = stacked_r(transpose(l), transpose(g));
  }
};
struct StackArray {
  template <class R, class Q, class A, class B, class C, class L>
  KOKKOS_FUNCTION void operator()(R& general, Q& triangle, A const& a, B const& b, C const& c,
                                  L const& l) const {
    general = stacked_r(a, b, c);
    triangle = stacked_r(transpose(l), b, c);
  }
};

/// x above y.
inline Dense above(Dense const& x, Dense const& y) {
  return make_dense(x.rows + y.rows, x.cols,
                    [&](int i, int j) { return i < x.rows ? x(i, j) : y(i - x.rows, j); });
}

/// R is a triangle. Its products must be those of the stacked matrices, to rounding relative to the
/// lengths of columns.
template <class T>
void expect_triangle_of(Dense const& r, Dense const& stack) {
  int const n = stack.cols, m = stack.rows;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) ASSERT_EQ(r(i, j), 0) << i << ", " << j;
  // Scaled, so that no product overflows here.
  auto const scaled = [&](Dense const& x) {
    return make_dense(x.rows, n, [&](int i, int j) {
      long double const size = column_norm(stack, j);
      return size == 0 ? x(i, j) : x(i, j) / size;
    });
  };
  Dense const rs = scaled(r), ss = scaled(stack);
  Dense allowed(n, n, 10 * (m + n) * epsilon<T>);
  // For columns of a few multiples of the smallest denormal number, these multiples count.
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k : {i, j})
        if (column_norm(stack, k) > 0)
          allowed(i, j) += 4 * (m + n) *
                           static_cast<long double>(std::numeric_limits<T>::denorm_min()) /
                           column_norm(stack, k);
  EXPECT_TRUE(near(transpose(rs) * rs, transpose(ss) * ss, allowed));
}

/// run(sequence, operands...) is a call of map; a is M x N, b C x N.
template <class T, class Layout, int M, int N, int C, class Run>
void expect_stacked_r(std::int64_t n, Run const& run) {
  Random random(401);
  BatchIn<T, Layout, M, N> a(n);
  BatchIn<T, Layout, C, N> b(n);
  BatchIn<T, Layout, N, N> l(n), g(n), general(n), triangle(n), triangles(n), clean(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t k) { return qr_matrix<T>(random, M, N, k); });
  b.fill([&](std::int64_t k) {
    return qr_kind(k) == QrKind::not_a_number ? random_dense<T>(random, C, N)
                                              : qr_matrix<T>(random, C, N, k);
  });
  l.fill([&](std::int64_t k) { return lower_triangle(transpose(qr_matrix<T>(random, N, N, k))); });
  g.fill(
      [&](std::int64_t k) { return lower_triangle(transpose(qr_matrix<T>(random, N, N, k + 1))); });
  auto const stack = [&](auto& first) {
    run(Stack{}, out(first.view()), out(triangle.view()), out(triangles.view()), in(a.const_view()),
        in(b.const_view()), in(lower(l.const_view())), in(lower(g.const_view())),
        status(codes.view()));
    first.download(), triangle.download(), triangles.download(), codes.download();
  };
  stack(general);
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(M) + " and " +
                 std::to_string(C) + " x " + std::to_string(N));
    QrKind const kind = qr_kind(k);
    auto const finite = [](Dense const& x) {
      return std::none_of(x.a.begin(), x.a.end(), [](long double y) { return std::isnan(y); });
    };
    Dense const lk = transpose(lower_triangle(l.dense(k))),
                gk = transpose(lower_triangle(g.dense(k)));
    if (kind == QrKind::not_a_number) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), int(k / 10) % N + 1);
      continue;
    }
    if (finite(gk)) {
      ASSERT_EQ(codes.at(k), 0);
      expect_triangle_of<T>(triangles.dense(k), above(lk, gk));
    }
    expect_triangle_of<T>(general.dense(k), above(a.dense(k), b.dense(k)));
    expect_triangle_of<T>(triangle.dense(k), above(lk, b.dense(k)));
    // Signs: opposite to the first entry, unless all entries below are zero.
    Dense const bk = b.dense(k), rk = triangle.dense(k);
    bool const alone = column_norm(bk, 0) == 0;
    if (alone) {
      EXPECT_EQ(rk(0, 0), lk(0, 0));
    } else if (lk(0, 0) != 0) {
      EXPECT_EQ(rk(0, 0) < 0, lk(0, 0) > 0);
    }
#if defined(BATCHWORK_HAVE_LAPACK)
    if (kind == QrKind::random) {
      Dense const truth = Lapack::tpqrt(lk, bk);
      EXPECT_TRUE(near(
          rk, truth,
          tolerance<T>(N + C, norm1(truth), std::sqrt(condition_spd(transpose(truth) * truth)))));
    }
#endif
  }
  EXPECT_EQ(general.poisoned(), general.outside());

  // Neighbours are bitwise the same.
  auto const changed = [](std::int64_t k) { return qr_kind(k) == QrKind::not_a_number; };
  for (std::int64_t k = 0; k < n; ++k)
    if (changed(k)) a.put(k, random_dense<T>(random, M, N));
  a.upload();
  stack(clean);
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < N && !changed(k); ++i)
      for (int j = 0; j < N; ++j)
        EXPECT_TRUE(same_bits(clean.at(k, i, j), general.at(k, i, j))) << k;
}

/// a is M x N1, b C x N1, c C x N2.
template <class T, class Layout, int M, int N1, int N2, int C, class Run>
void expect_stacked_array(std::int64_t n, Run const& run) {
  constexpr int N = N1 + N2;
  Random random(409);
  BatchIn<T, Layout, M, N1> a(n);
  BatchIn<T, Layout, C, N1> b(n);
  BatchIn<T, Layout, C, N2> c(n);
  BatchIn<T, Layout, N1, N1> l(n);
  BatchIn<T, Layout, N, N> general(n), triangle(n);
  BatchIn<int, Left> codes(n);
  auto const numbers = [](QrKind kind) { return kind != QrKind::not_a_number; };
  a.fill([&](std::int64_t k) {
    return numbers(qr_kind(k)) ? qr_matrix<T>(random, M, N1, k) : random_dense<T>(random, M, N1);
  });
  b.fill([&](std::int64_t k) {
    return numbers(qr_kind(k)) ? qr_matrix<T>(random, C, N1, k) : random_dense<T>(random, C, N1);
  });
  c.fill([&](std::int64_t k) { return qr_matrix<T>(random, C, N2, k); });
  l.fill([&](std::int64_t) { return random_lower<T>(random, N1); });
  run(StackArray{}, out(general.view()), out(triangle.view()), in(a.const_view()),
      in(b.const_view()), in(c.const_view()), in(lower(l.const_view())), status(codes.view()));
  general.download(), triangle.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    if (!numbers(qr_kind(k))) {
      EXPECT_EQ(Status::reason(codes.at(k)), Reason::not_finite);
      EXPECT_EQ(Status::info(codes.at(k)), N1 + int(k / 10) % N2 + 1);
      continue;
    }
    ASSERT_EQ(codes.at(k), 0);
    auto const array = [&](Dense const& first) {
      Dense const bk = b.dense(k), ck = c.dense(k);
      return make_dense(first.rows + C, N, [&](int i, int j) {
        if (i < first.rows) return j < N1 ? first(i, j) : 0.0L;
        return j < N1 ? bk(i - first.rows, j) : ck(i - first.rows, j - N1);
      });
    };
    expect_triangle_of<T>(general.dense(k), array(a.dense(k)));
    expect_triangle_of<T>(triangle.dense(k), array(transpose(lower_triangle(l.dense(k)))));
  }
  EXPECT_EQ(general.poisoned(), general.outside());
}

}  // namespace Batchwork::Test

#endif
