// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// map over rows of matrices of every kind of size: of whole units of 16 bytes, of an odd number of numbers, of neither; in
// place and not, beside planes, aligned and not, for whole and partial warps. The data are small whole numbers, so that
// every result is exact.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

/// s is square; the others have any shape.
struct Update {
  template <class Y, class U, class Z, class A, class S, class G>
  KOKKOS_FUNCTION void operator()(Y& y, U& u, Z& z, A const& a, S& s, G const& g) const {
    y = a + u + u;
    z = a - u;
    u = u - a;
    s = s + g;
  }
};

template <class T, class L, int M, int N, int K>
void update_rows(std::initializer_list<std::int64_t> numbers) {
  Random random(17);
  for (std::int64_t n : numbers) {
    BatchIn<T, L, M, N> a(n), y(n), u(n);
    BatchIn<T, Left, M, N> z(n);
    BatchIn<T, L, K, K> s(n), g(n);
    BatchIn<int, Left> st(n);
    a.fill_exactly(random), u.fill_exactly(random), s.fill_exactly(random), g.fill_exactly(random);
    std::vector<Dense> u0, s0;
    for (std::int64_t k = 0; k < n; ++k) u0.push_back(u.dense(k)), s0.push_back(s.dense(k));
    map(Update{}, out(y.view()), inout(u.view()), out(z.view()), in(a.const_view()),
        inout(symmetric(s.view())), in(symmetric(g.const_view())), status(st.view()));
    y.download(), u.download(), z.download(), s.download(), st.download();
    for (std::int64_t k = 0; k < n; ++k) {
      Dense const ak = a.dense(k), uk = u0[std::size_t(k)];
      ASSERT_TRUE(equal(y.dense(k), ak + uk + uk)) << k << " of " << n;
      ASSERT_TRUE(equal(z.dense(k), ak - uk)) << k << " of " << n;
      ASSERT_TRUE(equal(u.dense(k), uk - ak)) << k << " of " << n;
      ASSERT_TRUE(equal(s.dense(k), mirrored(s0[std::size_t(k)]) + mirrored(g.dense(k))))
          << k << " of " << n;
      ASSERT_EQ(st.at(k), 0) << k << " of " << n;
    }
    EXPECT_EQ(y.poisoned(), y.outside()) << n;
    EXPECT_EQ(u.poisoned(), u.outside()) << n;
    EXPECT_EQ(z.poisoned(), z.outside()) << n;
    EXPECT_EQ(s.poisoned(), s.outside()) << n;
  }
}

TEST(MapRows, WholeUnits) {
  update_rows<float, Right, 3, 4, 4>({1, 31, 33, 5000});
  update_rows<double, Right, 2, 3, 6>({7, 32, 129});
}
TEST(MapRows, OddNumbers) {
  update_rows<float, Right, 3, 3, 5>({1, 64, 65, 4097});
  update_rows<double, Right, 1, 7, 3>({31, 1000});
}
TEST(MapRows, Neither) { update_rows<float, Right, 2, 5, 3>({2, 32, 333}); }
TEST(MapRows, Unaligned) {
  update_rows<float, RightPart, 4, 4, 3>({33, 700});
  update_rows<double, RightPart, 2, 4, 5>({40});
}

}  // namespace
}  // namespace Batchwork::Test
