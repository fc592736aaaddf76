// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Tiles with derivatives in two directions, for test_dual.cpp and, in device kernels,
/// test_dual_lanes.cpp. The reference: the rules of calculus in long double, d(A B) = dA B + A
/// dB, d(A^-1) = -A^-1 dA A^-1, and so on.
#ifndef BATCHWORK_TEST_DUALCASE_HPP
#define BATCHWORK_TEST_DUALCASE_HPP

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// a + t_0 da_0 + t_1 da_1 at t = 0.
template <class A>
KOKKOS_INLINE_FUNCTION auto with_derivatives(A const& a, A const& da0, A const& da1) {
  using T = scalar_t<value_t<A>>;
  return a + variable<2>(T(0), 0) * da0 + variable<2>(T(0), 1) * da1;
}

/// An operation Op on a and b with derivatives: its value and both derivatives.
template <class Op>
struct Differentiated {
  template <class Y, class Z, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, Z& dy0, Z& dy1, A const& a, A const& da0, A const& da1,
                                  B const& b, B const& db0, B const& db1) const {
    auto const r = Op{}(with_derivatives(a, da0, da1), with_derivatives(b, db0, db1));
    y = value_of(r);
    dy0 = derivative_of(r, 0);
    dy1 = derivative_of(r, 1);
  }
};

// ---- in long double -----------------------------------------------------------------------------

inline Dense solve_dense(Dense const& a, Dense const& b) {
  Dense x(b.rows, b.cols);
  for (int j = 0; j < b.cols; ++j) {
    std::vector<std::vector<long double>> m;
    std::vector<long double> r;
    for (int i = 0; i < a.rows; ++i) {
      m.emplace_back();
      for (int k = 0; k < a.cols; ++k) m.back().push_back(a(i, k));
      r.push_back(b(i, j));
    }
    auto const s = dense_solution(m, r);
    for (int i = 0; i < a.rows; ++i) x(i, j) = s[std::size_t(i)];
  }
  return x;
}
/// The correct value, and the size of its terms.
struct Derivative {
  Dense value, moved, size;
};

// ---- operations, with their truth
// ---------------------------------------------------------------------------------- a is symmetric
// positive definite, and so are its derivatives symmetric.

struct ProductOf {
  static constexpr bool exact_scales = true;
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    return a * transpose(b) - 2 * b;
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
    return {a * transpose(b) - 2 * b, da * transpose(b) + a * transpose(db) - 2 * db,
            abs(da) * transpose(abs(b)) + abs(a) * transpose(abs(db)) + 2 * abs(db)};
  }
};
struct CongruenceOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    auto const s = symmetric(a);
    return congruence(b, s, s) + gram(b) - downdate(s, b) + symmetric_product(b, transpose(b));
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
    Dense const bt = transpose(b), dbt = transpose(db);
    return {b * a * bt + 2 * (bt * b) + b * bt,
            db * a * bt + b * da * bt + b * a * dbt + 2 * (dbt * b + bt * db) + db * bt + b * dbt,
            4 * (abs(db) * abs(a) * abs(bt) + abs(b) * abs(da) * abs(bt) +
                 abs(b) * abs(a) * abs(dbt) + abs(dbt) * abs(b) + abs(bt) * abs(db) +
                 abs(db) * abs(bt) + abs(b) * abs(dbt) + abs(da))};
  }
};
/// x with a x = b, and its size computed from the inverse of a.
inline Derivative solution(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
  Dense const x = solve_dense(a, b), inverse = abs(solve_dense(a, eye(a.rows)));
  return {x, solve_dense(a, db - da * x),
          condition_of(a) * (inverse * (abs(db) + abs(da) * abs(x)))};
}
struct LuSolutionOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    return solve(a, b);
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
    return solution(a, da, b, db);
  }
};
struct CholeskySolutionOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    return solve(cholesky(symmetric(a)), b);
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
    return solution(a, da, b, db);
  }
};
struct QrSolutionOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    return qr(a).solve(b);
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
    auto r = solution(a, da, b, db);
    r.size = condition_of(a) * r.size;
    return r;
  }
};
struct InverseOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const&) const {
    return inverse(a);
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const&, Dense const&) {
    return solution(a, da, eye(a.rows), 0 * a);
  }
};
/// dL = L times the lower triangle of L^-1 dA L^-T, half of its diagonal. (Giles, Collected matrix
/// derivative results for forward and reverse mode algorithmic differentiation, 2008.)
struct CholeskyOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const&) const {
    return cholesky(symmetric(a)).lower() * identity<A::rows>(a);
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const&, Dense const&) {
    Dense const l = cholesky(a);
    Dense p = solve_lower(l, transpose(solve_lower(l, da)));
    p = lower_triangle(p) - 0.5L * diagonal_part(p);
    return {l, l * p, condition_of(a) * (abs(l) * (abs(p) + eye(a.rows)))};
  }
};
struct TriangularSolutionOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    Lower<value_t<A>, A::rows> const l(a);
    return solve(transpose(l), solve(l, b));
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
    Dense const l = lower_triangle(a), dl = lower_triangle(da);
    return solution(l * transpose(l), dl * transpose(l) + l * transpose(dl), b, db);
  }
};
/// Scalars, each in an entry of a matrix.
struct ScalarsOf {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(A const& a, B const& b) const {
    auto const det = determinant(a), log = log_det(cholesky(symmetric(a))), norm = norm2(b),
               product = dot(a, b), tr = trace(a) / (1 + max_abs(a));
    return generate<A::rows, A::cols>([&](int i, int j) {
      return i > 0 ? tr * (i + j) : j == 0 ? det : j == 1 ? log + norm : product;
    });
  }
  static Derivative truth(Dense const& a, Dense const& da, Dense const& b, Dense const& db) {
    int const n = a.rows;
    Dense const l = cholesky(a);
    long double det = 1, largest = 0, moves = 0;
    for (int i = 0; i < n; ++i) det *= l(i, i) * l(i, i);
    long double const dlog = trace(solve_dense(a, da)), norm = std::sqrt(dot(b, b));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (std::fabs(a(i, j)) > largest)
          largest = std::fabs(a(i, j)), moves = a(i, j) < 0 ? -da(i, j) : da(i, j);
    long double const tr = trace(a) / (1 + largest);
    long double const dtr = (trace(da) - tr * moves) / (1 + largest);
    auto const at = [&](int i, int j, long double x, long double y, long double z, long double t) {
      return i > 0 ? t * (i + j) : j == 0 ? x : j == 1 ? y : z;
    };
    long double const size = condition_of(a) * trace(abs(solve_dense(a, eye(n))) * abs(da));
    return {
        make_dense(
            n, n, [&](int i, int j) { return at(i, j, det, std::log(det) + norm, dot(a, b), tr); }),
        make_dense(n, n,
                   [&](int i, int j) {
                     return at(i, j, det * dlog, dlog + dot(b, db) / norm, dot(da, b) + dot(a, db),
                               dtr);
                   }),
        make_dense(n, n, [&](int i, int j) {
          return at(i, j, det * size, size + dot(abs(b), abs(db)) / norm + 2 * n,
                    dot(abs(da), abs(b)) + dot(abs(a), abs(db)), std::fabs(tr) + trace(abs(da)));
        })};
  }
};

// ---- the cases ----------------------------------------------------------------------------------

template <class T>
Dense random_symmetric(Random& random, int n) {
  Dense const x = random_dense<T>(random, n, n);
  return mirrored(x);
}
/// Positive definite and far from singular, so that the choice of pivots is clear and bounds are
/// narrow.
template <class T>
Dense random_dominant(Random& random, int n) {
  Dense const x = random_symmetric<T>(random, n);
  return mirrored(make_dense(
      n, n, [&](int i, int j) { return static_cast<T>(i == j ? n + x(i, j) : x(i, j)); }));
}

template <class T, class Layout, int N, int C>
struct DualBatch {
  BatchIn<T, Layout, N, N> a, da0, da1;
  BatchIn<T, Layout, N, C> b, db0, db1;

  DualBatch(std::int64_t n, Random& random) : a(n), da0(n), da1(n), b(n), db0(n), db1(n) {
    a.fill([&](std::int64_t) { return random_dominant<T>(random, N); });
    da0.fill([&](std::int64_t) { return random_symmetric<T>(random, N); });
    da1.fill([&](std::int64_t) { return random_symmetric<T>(random, N); });
    b.randomise(random), db0.randomise(random), db1.randomise(random);
  }
};

/// run(sequence, operands...) is map or behaves like it.
template <class Op, class T, class Layout, int N, int C, class Run>
void expect_derivatives(std::int64_t n, Run const& run) {
  Random random(71);
  DualBatch<T, Layout, N, C> in_(n, random);
  BatchIn<T, Layout, N, C> y(n), dy0(n), dy1(n);
  run(Differentiated<Op>{}, out(y.view()), out(dy0.view()), out(dy1.view()), in(in_.a.const_view()),
      in(in_.da0.const_view()), in(in_.da1.const_view()), in(in_.b.const_view()),
      in(in_.db0.const_view()), in(in_.db1.const_view()));
  y.download(), dy0.download(), dy1.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    for (int d = 0; d < 2; ++d) {
      Derivative const want = Op::truth(in_.a.dense(k), (d == 0 ? in_.da0 : in_.da1).dense(k),
                                        in_.b.dense(k), (d == 0 ? in_.db0 : in_.db1).dense(k));
      Dense const size = want.size + abs(want.value) + abs(want.moved);
      Dense const tol = tolerance<T>(2 * N, 1) * size;
      EXPECT_TRUE(near(y.dense(k), want.value, tol));
      EXPECT_TRUE(near((d == 0 ? dy0 : dy1).dense(k), want.moved, tol)) << "direction " << d;
    }
  }
  EXPECT_EQ(y.poisoned(), y.outside());
}

}  // namespace Batchwork::Test

#endif
