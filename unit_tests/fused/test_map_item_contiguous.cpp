// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// map over item-contiguous matrices of many sizes: multiples of 16 bytes, odd numbers of entries,
// and others; in place or not, together with interleaved matrices, aligned or not, in whole and
// partial warps. The data are small whole numbers, so that every result is exact.
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
void update_item_contiguous(std::initializer_list<std::int64_t> numbers) {
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

TEST(MapItemContiguous, WholeUnits) {
  update_item_contiguous<float, Right, 3, 4, 4>({1, 31, 33, 5000});
  update_item_contiguous<double, Right, 2, 3, 6>({7, 32, 129});
}
TEST(MapItemContiguous, OddNumbers) {
  update_item_contiguous<float, Right, 3, 3, 5>({1, 64, 65, 4097});
  update_item_contiguous<double, Right, 1, 7, 3>({31, 1000});
}
TEST(MapItemContiguous, Neither) { update_item_contiguous<float, Right, 2, 5, 3>({2, 32, 333}); }
TEST(MapItemContiguous, Unaligned) {
  update_item_contiguous<float, RightPart, 4, 4, 3>({33, 700});
  update_item_contiguous<double, RightPart, 2, 4, 5>({40});
}

/// A base address that is aligned to its type only, and several rounds of a warp on devices.
struct Twice {
  template <class Y, class A>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a) const {
    y = a + a;
  }
};
template <class T, int M, int N>
void double_item_contiguous(std::int64_t n, int shift) {
  using Numbers = Kokkos::View<T*, Space::memory_space>;
  using Rows = Kokkos::View<T* [M][N], Kokkos::LayoutRight, Space::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::size_t const all = std::size_t(n) * M * N, room = all + 8;
  Numbers const from("from", room), to("to", room);
  auto const host = Kokkos::create_mirror_view(from);
  for (std::size_t k = 0; k < room; ++k) host(k) = T(k % 8191);
  Kokkos::deep_copy(from, host);
  Kokkos::deep_copy(to, T(-7));
  map(Twice{}, out(Rows(to.data() + shift, n)), in(Rows(from.data() + shift, n)));
  auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  std::size_t const first = std::size_t(shift);
  for (std::size_t k = 0; k < room; ++k)
    ASSERT_EQ(got(k), k < first || k >= first + all ? T(-7) : T(2) * T(k % 8191)) << k;
}
TEST(MapItemContiguous, AnyBase) {
  for (int shift : {0, 1, 2, 3}) {
    double_item_contiguous<float, 4, 4>(333, shift);
    double_item_contiguous<float, 3, 3>(333, shift);
    double_item_contiguous<double, 2, 3>(333, shift % 2);
  }
}
TEST(MapItemContiguous, RoundAfterRound) {
  // On a device a warp takes several turns from some million items on.
  std::int64_t const n = Impl::runs_on_device<Space> ? 2200001 : 20001;
  double_item_contiguous<float, 3, 3>(n, 0);
  double_item_contiguous<float, 8, 8>(n / 4, 0);
  double_item_contiguous<double, 6, 6>(n / 4, 1);
}

/// A NaN affects only its item, and the status reports it.
TEST(MapItemContiguous, NaNStaysInItsItem) {
  constexpr std::int64_t n = 100;
  Random random(19);
  BatchIn<double, Right, 3, 4> a(n), y(n);
  BatchIn<int, Left> st(n);
  a.fill_exactly(random);
  a.at(33, 1, 2) = std::numeric_limits<double>::quiet_NaN();
  a.upload();
  map(Twice{}, out(y.view()), in(a.view()), status(st.view()));
  y.download(), st.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(Status::reason(st.at(k)), k == 33 ? Reason::not_finite : Reason::success) << k;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) {
        if (k == 33 && i == 1 && j == 2) EXPECT_TRUE(std::isnan(y.at(k, i, j)));
        else EXPECT_EQ(y.at(k, i, j), 2 * a.at(k, i, j)) << k;
      }
  }
}
/// Many teams at the same time on item-contiguous batches, whose buffers need scratch memory. Teams
/// become smaller if the memory is too small.
TEST(MapItemContiguous, ManyTeams) {
  constexpr std::int64_t n = 1000;
  Random random(23);
  BatchIn<float, Right, 6, 6> a(n), y(n);
  a.fill_exactly(random);
  map(launch(teams<8>), Twice{}, out(y.view()), in(a.view()));
  y.download();
  for (std::int64_t k = 0; k < n; ++k) ASSERT_TRUE(equal(y.dense(k), 2 * a.dense(k))) << k;
}

}  // namespace
}  // namespace Batchwork::Test
