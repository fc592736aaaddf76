// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expm: the exponential of square tiles.
#include "ExpmCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int N_, class Layout_ = Left>
struct CaseOfExpm {
  using T = T_;
  using Layout = Layout_;
  static constexpr int N = N_;
};
template <class C>
class ExpmOf : public ::testing::Test {};
using CasesOfExpm =
    ::testing::Types<CaseOfExpm<double, 1>, CaseOfExpm<double, 2>, CaseOfExpm<double, 3, Right>,
                     CaseOfExpm<double, 6>, CaseOfExpm<double, 9, Right>, CaseOfExpm<float, 3>,
                     CaseOfExpm<float, 4, Right>, CaseOfExpm<float, 7>>;
TYPED_TEST_SUITE(ExpmOf, CasesOfExpm);
TYPED_TEST(ExpmOf, AsItsSeries) {
  expect_expm<typename TypeParam::T, typename TypeParam::Layout, TypeParam::N>(
      105, [](auto const&... arguments) { map(arguments...); });
}

/// A triangle, and a matrix common to all items together with per-item ones.
struct ExpmOfOthers {
  template <class X, class Y, class L, class C>
  KOKKOS_FUNCTION void operator()(X& of_lower, Y& of_common, L const& l, C const& c) const {
    of_lower = expm(l);
    of_common = expm(c) * expm(-c);
  }
};
TEST(Expm, LowerAndCommonTiles) {
  constexpr std::int64_t n = 19;
  Random random(137);
  BatchIn<double, Left, 5, 5> l(n), x(n), y(n);
  l.randomise(random);
  Common<double, 5, 5> const common_c(random_dense<double>(random, 5, 5));
  map(ExpmOfOthers{}, out(x.view()), out(y.view()), in(lower(l.view())), common(common_c.view));
  x.download(), y.download();
  long double const condition =
      norm1(exponential(common_c.dense())) * norm1(exponential(-1.0L * common_c.dense()));
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const lk = lower_triangle(l.dense(k)), truth = exponential(lk);
    EXPECT_TRUE(near(x.dense(k), truth, 50 * epsilon<double> * (1 + norm1(lk)) * norm1(truth)));
    EXPECT_TRUE(near(y.dense(k), eye(5), tolerance<double>(50, condition)));
  }
}

/// Far from normal: [x c; 0 y], whose powers do not grow with c, next to items that need as many
/// squarings as their norm says. Also as part of a larger matrix. (Al-Mohy and Higham, A new
/// scaling and squaring algorithm for the matrix exponential, 2009, section 1.)
template <class T, int N>
void far_from_normal() {
  constexpr int most = sizeof(T) == 4 ? 24 : 48;
  constexpr std::int64_t n = 3 * (most + 1);
  BatchIn<T, Left, N, N> a(n), x(n);
  BatchIn<int, Left> codes(n);
  auto const entry = [](std::int64_t k) { return std::ldexp(1.5L, int(k / 3)); };
  a.fill([&](std::int64_t k) {
    Dense m(N, N);
    for (int i = 0; i < N; ++i) m(i, i) = k % 3 == 2 ? 50 : 0.25L * i;
    m(0, 0) = k % 3 == 2 ? 60 : 1, m(N - 1, N - 1) = k % 3 == 1 ? 1 : -1;
    m(0, N - 1) = entry(k);
    return m;
  });
  map(Exponential{}, out(x.view()), in(a.const_view()), status(codes.view()));
  x.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k) + " of " + std::to_string(N) + " rows");
    EXPECT_EQ(codes.at(k), 0);
    Dense const ak = a.dense(k);
    long double const first = ak(0, 0), last = ak(N - 1, N - 1),
                      slope = k % 3 == 1 ? std::exp(first)
                                         : (std::exp(first) - std::exp(last)) / (first - last);
    // Relative to each entry: 20 n eps times the eigenvalue, and 16 times as much if the roots of
    // powers still grow with c, which are matrices with equal or close eigenvalues.
    long double const few = 20 * N * epsilon<T> * (k % 3 == 2 ? 16 * 60 : k % 3 == 1 ? 16 : 1);
    EXPECT_NEAR(double(x.at(k, 0, N - 1) / (slope * entry(k))), 1, double(few));
    if (k % 3 == 2) continue;
    for (int i = 0; i < N; ++i)
      EXPECT_NEAR(double(x.at(k, i, i) / std::exp(ak(i, i))), 1, double(few));
  }
}
TEST(Expm, FarFromNormal) {
  far_from_normal<double, 2>();
  far_from_normal<double, 5>();
  far_from_normal<float, 2>();
  far_from_normal<float, 4>();
}

}  // namespace
}  // namespace Batchwork::Test
