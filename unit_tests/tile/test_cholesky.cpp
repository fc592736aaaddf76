// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cholesky: the factor, its solves, its determinant, and info as in potrf of LAPACK.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, int C_>
struct CaseOfCholesky {
  using T = T_;
  static constexpr int N = N_, C = C_;
};
template <class C>
class CholeskyOf : public ::testing::Test {};
using CasesOfCholesky = ::testing::Types<
    CaseOfCholesky<double, 1, 1>, CaseOfCholesky<double, 3, 2>, CaseOfCholesky<double, 6, 3>,
    CaseOfCholesky<double, 9, 9>, CaseOfCholesky<double, 12, 2>, CaseOfCholesky<float, 2, 5>,
    CaseOfCholesky<float, 5, 3>, CaseOfCholesky<float, 8, 4>, CaseOfCholesky<float, 12, 1>>;
TYPED_TEST_SUITE(CholeskyOf, CasesOfCholesky);

struct FactorAndSolve {
  template <class L, class G, class X, class Y, class F, class B, class W, class D, class A,
            class R, class V>
  KOKKOS_FUNCTION void operator()(L& l, G& general, X& x, Y& y, F& forward, B& backward,
                                  W& of_temporary, D& log_of_det, A const& a, R const& r,
                                  V const& v) const {
    auto const c = cholesky(a);
    l = c.lower();
    general = c.lower();
    x = solve(c, r);
    y = c.solve(v);
    forward = solve(c.lower(), r);
    backward = solve(transpose(c.lower()), r);
    of_temporary = solve(cholesky(a).lower(), v);
    log_of_det = log_det(c);
  }
};

TYPED_TEST(CholeskyOf, AgreesWithLapackAndLongDouble) {
  using T = typename TypeParam::T;
  constexpr int N = TypeParam::N, C = TypeParam::C;
  constexpr std::int64_t n = 67;
  Random random(51);
  BatchIn<T, Left, N, N> a(n), l(n), general(n);
  BatchIn<T, Left, N, C> r(n), x(n), forward(n), backward(n);
  BatchIn<T, Left, N> v(n), y(n), w(n);
  BatchIn<T, Left> d(n);
  BatchIn<int, Left> st(n);
  // Every third item has a clearly negative pivot, at each place. All entries above the diagonal
  // are poisoned.
  a.fill([&](std::int64_t k) {
    Dense m = random_spd<T>(random, N);
    if (k % 3 == 1) {
      int const bad = int(k / 3) % N;
      m(bad, bad) = k % 2 ? -3.0L : -1000.0L;
    }
    return make_dense(N, N, [&](int i, int j) {
      return j <= i ? m(i, j) : static_cast<long double>(poison<T>());
    });
  });
  r.randomise(random), v.randomise(random);

  map(FactorAndSolve{}, out(lower(l.view())), out(general.view()), out(x.view()), out(y.view()),
      out(forward.view()), out(backward.view()), out(w.view()), out(d.view()),
      in(symmetric(a.view())), in(r.view()), in(v.view()), status(st.view()));
  l.download(), general.download(), x.download(), y.download(), forward.download(),
      backward.download();
  w.download(), d.download(), st.download();

  int failed = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ak = mirrored(a.dense(k));
    int const info = potrf_info<T>(ak);
    EXPECT_EQ(Status::info(st.at(k)), info) << k;
    EXPECT_EQ(Status::reason(st.at(k)), info ? Reason::not_positive_definite : Reason::success)
        << k;
    if (info) {
      ++failed;
      // Columns before the failed pivot have values. From the failed pivot on all entries are NaN.
      for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j)
          EXPECT_EQ(std::isfinite(l.at(k, i, j)), j + 1 < info) << i << j;
      EXPECT_TRUE(std::isnan(d.at(k))) << k;
      EXPECT_FALSE(std::isfinite(y.at(k, N - 1))) << k;
      continue;
    }
    Dense const lk = cholesky(ak), rk = r.dense(k), vk = v.dense(k);
    long double const cond = condition_spd(ak), cond_l = condition_lower(lk);
    EXPECT_TRUE(near(l.dense(k), lk, tolerance<T>(N, norm1(lk), cond))) << k;
    EXPECT_TRUE(equal(general.dense(k), l.dense(k))) << k;
    Dense const xk = solve_spd(ak, rk), yk = solve_spd(ak, vk);
    EXPECT_TRUE(near(x.dense(k), xk, tolerance<T>(N, norm1(xk), cond))) << k;
    EXPECT_TRUE(near(y.dense(k), yk, tolerance<T>(N, norm1(yk), cond))) << k;
    // The error of the factor is amplified by cond(a), and the error of the substitution by
    // cond(l).
    Dense const fk = solve_lower(lk, rk), bk = solve_lower_transposed(lk, rk),
                wk = solve_lower(lk, vk);
    EXPECT_TRUE(near(forward.dense(k), fk, tolerance<T>(N, norm1(fk), cond * cond_l))) << k;
    EXPECT_TRUE(near(backward.dense(k), bk, tolerance<T>(N, norm1(bk), cond * cond_l))) << k;
    EXPECT_TRUE(near(w.dense(k), wk, tolerance<T>(N, norm1(wk), cond * cond_l))) << k;
    long double log_of_det = 0;
    for (int i = 0; i < N; ++i) log_of_det += 2 * std::log(lk(i, i));
    EXPECT_NEAR(double(d.at(k)), double(log_of_det),
                double(tolerance<T>(N, 1 + std::fabs(log_of_det), cond)))
        << k;
#if defined(BATCHWORK_HAVE_LAPACK)
    int lapack_info = 0;
    Dense const by_lapack = Lapack::potrf<T>(ak, &lapack_info);
    EXPECT_TRUE(near(l.dense(k), by_lapack, tolerance<T>(N, norm1(lk), cond))) << k;
    EXPECT_TRUE(near(forward.dense(k), Lapack::trtrs<T>(lk, rk, false),
                     tolerance<T>(N, norm1(fk), cond * cond_l)))
        << k;
#endif
  }
  EXPECT_EQ(failed, 22);
}

/// Pivots at the limit of numbers with a reciprocal: the smallest normal number is accepted, the
/// number below it is not.
struct Factor {
  template <class L, class A>
  KOKKOS_FUNCTION void operator()(L& l, A const& a) const {
    l = cholesky(a).lower();
  }
};
template <class T>
void smallest_pivots() {
  constexpr int N = 3;
  constexpr std::int64_t n = 6;
  T const least = std::numeric_limits<T>::min();
  BatchIn<T, Left, N, N> a(n), l(n);
  BatchIn<int, Left> st(n);
  a.fill([&](std::int64_t k) {
    return make_dense(N, N, [&](int i, int j) {
      if (i != j) return T(0);
      return i == int(k % N) ? (k < N ? least : least / 2) : T(1);
    });
  });
  map(Factor{}, out(lower(l.view())), in(symmetric(a.view())), status(st.view()));
  l.download(), st.download();
  for (std::int64_t k = 0; k < n; ++k) {
    int const i = int(k % N);
    EXPECT_EQ(Status::reason(st.at(k)), k < N ? Reason::success : Reason::not_positive_definite);
    EXPECT_EQ(Status::info(st.at(k)), k < N ? 0 : i + 1);
    if (k < N) {
      EXPECT_NEAR(double(l.at(k, i, i) / std::sqrt(least)), 1, double(tolerance<T>(N, 1)));
    }
  }
}
TEST(CholeskyOf, SmallestPivots) {
  smallest_pivots<float>();
  smallest_pivots<double>();
}

/// A hard case: the Hilbert matrix, with a condition number near 1e7 for 6 rows, and a singular
/// matrix.
TEST(CholeskyOf, HilbertAndSingularMatrices) {
  constexpr int N = 6;
  constexpr std::int64_t n = 2;
  using T = double;
  BatchIn<T, Left, N, N> a(n), l(n), general(n);
  BatchIn<T, Left, N, 1> r(n), x(n), forward(n), backward(n);
  BatchIn<T, Left, N> v(n), y(n), w(n);
  BatchIn<T, Left> d(n);
  BatchIn<int, Left> st(n);
  a.fill([](std::int64_t k) {
    return make_dense(N, N, [&](int i, int j) { return k == 0 ? T(1) / T(i + j + 1) : T(1); });
  });
  r.fill([](std::int64_t) { return Dense(N, 1, 1); });
  v.fill([](std::int64_t) { return Dense(N, 1, 1); });
  map(FactorAndSolve{}, out(lower(l.view())), out(general.view()), out(x.view()), out(y.view()),
      out(forward.view()), out(backward.view()), out(w.view()), out(d.view()),
      in(symmetric(a.view())), in(r.view()), in(v.view()), status(st.view()));
  x.download(), st.download(), d.download();
  Dense const h = a.dense(0), want = solve_spd(h, r.dense(0));
  EXPECT_EQ(st.at(0), 0);
  EXPECT_TRUE(near(x.dense(0), want, tolerance<T>(N, norm1(want), condition_spd(h))));
  EXPECT_EQ(Status::reason(st.at(1)), Reason::not_positive_definite);
  EXPECT_EQ(Status::info(st.at(1)), 2);
}

// ---- triangular solves --------------------------------------------------------------------------

template <class C>
class TriangularSolve : public ::testing::Test {};
using TriangularCases = ::testing::Types<CaseOfCholesky<double, 1, 3>, CaseOfCholesky<double, 5, 9>,
                                         CaseOfCholesky<double, 12, 4>, CaseOfCholesky<float, 3, 1>,
                                         CaseOfCholesky<float, 8, 11>>;
TYPED_TEST_SUITE(TriangularSolve, TriangularCases);

struct TriangularSolves {
  template <class O0, class O1, class O2, class O3, class O4, class Y, class L, class D, class B,
            class V, class CL>
  KOKKOS_FUNCTION void operator()(O0& forward, O1& backward, O2& by_common,
                                  O3& by_common_transposed, O4& by_diagonal, Y& y, L const& l,
                                  D const& d, B const& b, V const& v, CL const& cl) const {
    forward = solve(l, b);
    backward = solve(transpose(l), b);
    by_common = solve(cl, b);
    by_common_transposed = solve(transpose(cl), b);
    by_diagonal = solve(d, b);
    y = solve(transpose(l), solve(l, v));
  }
};

TYPED_TEST(TriangularSolve, LowerUpperDiagonalPerItemAndCommon) {
  using T = typename TypeParam::T;
  constexpr int N = TypeParam::N, C = TypeParam::C;
  constexpr std::int64_t n = 23;
  Random random(57);
  BatchIn<T, Left, N, N> l(n);
  BatchIn<T, Left, N, C> b(n), o0(n), o1(n), o2(n), o3(n), o4(n);
  BatchIn<T, Left, N> d(n), v(n), y(n);
  l.fill([&](std::int64_t) { return random_lower<T>(random, N); });
  b.randomise(random), v.randomise(random), d.randomise(random, 0.5, 3);
  Common<T, N, N> const cl(random_lower<T>(random, N));
  map(TriangularSolves{}, out(o0.view()), out(o1.view()), out(o2.view()), out(o3.view()),
      out(o4.view()), out(y.view()), in(lower(l.view())), in(diagonal(d.view())), in(b.view()),
      in(v.view()), common(lower(cl.view)));
  o0.download(), o1.download(), o2.download(), o3.download(), o4.download(), y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const lk = l.dense(k), bk = b.dense(k), vk = v.dense(k);
    auto const check = [&](auto const& got, Dense const& want, long double cond, char const* what) {
      EXPECT_TRUE(near(got.dense(k), want, tolerance<T>(N, norm1(want), cond)))
          << what << ", item " << k;
    };
    long double const cond = condition_lower(lk), cond_c = condition_lower(cl.dense());
    check(o0, solve_lower(lk, bk), cond, "lower");
    check(o1, solve_lower_transposed(lk, bk), cond, "upper");
    check(o2, solve_lower(cl.dense(), bk), cond_c, "common lower");
    check(o3, solve_lower_transposed(cl.dense(), bk), cond_c, "common upper");
    check(o4, make_dense(N, C, [&](int i, int j) { return bk(i, j) / d.dense(k)(i); }), 1,
          "diagonal");
    check(y, solve_lower_transposed(lk, solve_lower(lk, vk)), cond * cond, "both");
  }
}

}  // namespace
}  // namespace Batchwork::Test
