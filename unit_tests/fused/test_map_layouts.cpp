// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// map over every layout: results must be correct, and memory outside the batch must not change. The
// data are small whole numbers, so that every result is exact.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

/// Matrices, vectors and scalars, read, written and updated.
struct Mixed {
  template <class Y, class C, class D, class U, class A, class X, class B>
  KOKKOS_FUNCTION void operator()(Y& y, C& c, D& d, U& u, A const& a, X const& x,
                                  B const& b) const {
    y = a * x + u;
    c = b * a;
    d = dot(x, x) - b;
    u = u - y;
  }
};

template <class T>
class MapLayouts : public ::testing::Test {};

template <class T_, class Layout_>
struct Param {
  using T = T_;
  using Layout = Layout_;
};
using Params =
    ::testing::Types<Param<double, Left>, Param<double, Right>, Param<double, CompactBy<4>>,
                     Param<double, CompactBy<8>>, Param<double, CompactBy<32>>,
                     Param<double, LeftPart>, Param<double, RightPart>, Param<double, Strided>,
                     Param<float, Left>, Param<float, CompactBy<8>>, Param<float, RightPart>>;
TYPED_TEST_SUITE(MapLayouts, Params);

TYPED_TEST(MapLayouts, ReadsWritesAndUpdatesEveryRank) {
  using T = typename TypeParam::T;
  using L = typename TypeParam::Layout;
  Random random(11);
  constexpr std::int64_t native = Impl::native_width<T>;
  for (std::int64_t n : {std::int64_t(0), std::int64_t(1), native - 1, native, native + 1,
                         std::int64_t(33), std::int64_t(beyond_a_grid)}) {
    BatchIn<T, L, 3, 4> a(n), c(n);
    BatchIn<T, L, 4> x(n);
    BatchIn<T, L, 3> y(n), u(n);
    BatchIn<T, L> b(n), d(n);
    a.fill_exactly(random), x.fill_exactly(random), u.fill_exactly(random), b.fill_exactly(random);
    std::vector<Dense> u0;
    for (std::int64_t k = 0; k < n; ++k) u0.push_back(u.dense(k));

    map(Mixed{}, out(y.view()), out(c.view()), out(d.view()), inout(u.view()), in(a.const_view()),
        in(x.const_view()), in(b.view()));

    y.download(), c.download(), d.download(), u.download(), a.download();
    int failures = 0;
    // Of a large batch the two ends, and every seventh item between.
    for (std::int64_t k = 0; k < n && failures < 3; k += k < 100 || k > n - 100 ? 1 : 7) {
      Dense const want_y = a.dense(k) * x.dense(k) + u0[std::size_t(k)];
      bool const good = equal(y.dense(k), want_y) && equal(c.dense(k), b.at(k) * a.dense(k)) &&
                        equal(u.dense(k), u0[std::size_t(k)] - want_y) &&
                        d.at(k) == T(dot(x.dense(k), x.dense(k)) - b.at(k));
      EXPECT_TRUE(good) << "item " << k << " of " << n << ": "
                        << equal(y.dense(k), want_y).message();
      failures += !good;
    }
    EXPECT_EQ(y.poisoned(), y.outside()) << n;
    EXPECT_EQ(c.poisoned(), c.outside()) << n;
    EXPECT_EQ(d.poisoned(), d.outside()) << n;
    EXPECT_EQ(u.poisoned(), u.outside()) << n;
    EXPECT_EQ(a.poisoned(), a.outside()) << n;
  }
}

}  // namespace
}  // namespace Batchwork::Test
