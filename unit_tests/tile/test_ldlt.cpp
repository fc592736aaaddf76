// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ldlt: the factors of symmetric indefinite tiles, their solves, determinant and inertia, and info
// as in sytrf of LAPACK.
#include "LdltCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, int C_, class Layout_ = Left>
struct CaseOfLdlt {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_, C = C_;
};
template <class C>
class LdltOf : public ::testing::Test {};
using CasesOfLdlt = ::testing::Types<CaseOfLdlt<double, 1, 1>, CaseOfLdlt<double, 2, 3>,
                                     CaseOfLdlt<double, 3, 2, Right>, CaseOfLdlt<double, 6, 3>,
                                     CaseOfLdlt<double, 9, 4>, CaseOfLdlt<double, 12, 2, Right>,
                                     CaseOfLdlt<float, 3, 1>, CaseOfLdlt<float, 5, 5, Right>,
                                     CaseOfLdlt<float, 8, 4>, CaseOfLdlt<float, 11, 9>>;
TYPED_TEST_SUITE(LdltOf, CasesOfLdlt);

TYPED_TEST(LdltOf, FactorsSolveAsTheirResidualsSay) {
  expect_ldlt<typename TypeParam::T, typename TypeParam::Layout, TypeParam::N, TypeParam::C>(
      121, [](auto const&... arguments) { map(arguments...); });
}

/// A matrix common to all items, with per-item right-hand sides, and the lower triangle of a
/// general tile.
struct SolveOthers {
  template <class X, class Y, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, A const& a, B const& b, C const& c) const {
    x = solve(ldlt(c), b);
    y = solve(ldlt(a), b);
  }
};
template <class T, int N, int C>
void solve_others() {
  constexpr std::int64_t n = 37;
  Random random(157);
  BatchIn<T, Left, N, N> a(n);
  BatchIn<T, Left, N, C> b(n), x(n), y(n);
  a.randomise(random), b.randomise(random);
  Dense c = mirrored(random_dense<T>(random, N, N));
  for (int i = 0; i < N; ++i) c(i, i) = 0;
  Common<T, N, N> const common_c(c);
  map(SolveOthers{}, out(x.view()), out(y.view()), in(a.view()), in(b.view()),
      common(symmetric(common_c.view)));
  x.download(), y.download();
  // |L| |D| |L'| is at most 36 n times the growth, which is small for a random matrix.
  auto const solves = [&](Dense const& matrix, Dense const& z, Dense const& right) {
    return near(matrix * z, right, tolerance<T>(6 * N, 1) * (36 * N * Dense(N, N, 1) * abs(z)));
  };
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_TRUE(solves(c, x.dense(k), b.dense(k))) << k;
    EXPECT_TRUE(solves(mirrored(a.dense(k)), y.dense(k), b.dense(k))) << k;
  }
}
TEST(Ldlt, CommonAndGeneralTiles) {
  solve_others<double, 4, 3>();
  solve_others<float, 10, 2>();
}

}  // namespace
}  // namespace Batchwork::Test
