// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fill_random in Views of every layout and rank: the numbers of the documented address, and no
// others are written.
#include "dense/random/detail/Batchwork_FillKernels.hpp"
#include "support/Batchwork_TestSupport.hpp"
#include "support/RandomReference.hpp"

namespace Batchwork::Test {
namespace {

constexpr std::uint64_t seed = 0x123456789abcdef0;
constexpr std::uint32_t stream = 77;

/// Number (i, place) of a View with in_item numbers for each i.
template <class T>
T uniform_at(std::int64_t i, std::int64_t in_item, std::int64_t place, std::int64_t first = 0) {
  constexpr int per = Expected::per<T>;
  return Expected{seed, stream, std::uint64_t(first + i / per * in_item + place)}.uniform<T>(
      0, int(i % per));
}

template <class T, class Layout, int... E>
void expect_filled(std::int64_t n) {
  SCOPED_TRACE(std::to_string(n) + " items of numbers of " + std::to_string(sizeof(T)) + " bytes");
  BatchIn<T, Layout, E...> x(n);
  auto const adapted = Impl::adapted(x.view());
  fill_random(Space(), random(seed, stream), uniform(0, 1), adapted.view);
  x.download();
  constexpr int rows = BatchIn<T, Layout, E...>::rows, cols = BatchIn<T, Layout, E...>::cols;
  for (std::int64_t item = 0; item < n; ++item)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        ASSERT_EQ(x.at(item, i, j), uniform_at<T>(item, rows * cols, i * cols + j))
            << item << " " << i << " " << j;
  EXPECT_EQ(x.poisoned(), x.outside());
}

TEST(FillRandom, Layouts) {
  for (std::int64_t n : {0, 1, 3, 4, 163}) {
    expect_filled<float, Left>(n);
    expect_filled<float, Right, 3, 2>(n);
  }
  for (std::int64_t n : {1, 37}) {
    expect_filled<double, Left, 3, 2>(n);
    expect_filled<double, Strided, 3>(n);
    expect_filled<float, LeftPart, 5>(n);
    expect_filled<float, RightPart, 5>(n);
  }
}

/// Numbers of complex Views are pairs; and of Views of any rank.
TEST(FillRandom, ComplexNumbersAndRanks) {
  using Complex = Kokkos::complex<double>;
  Kokkos::View<Complex**, Kokkos::LayoutLeft, Space> z("z", 9, 2);
  fill_random(random(seed, stream), uniform(0, 1), z);
  auto const of_z = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 2; ++j) {
      EXPECT_EQ(of_z(i, j).real(), uniform_at<double>(i, 4, 2 * j));
      EXPECT_EQ(of_z(i, j).imag(), uniform_at<double>(i, 4, 2 * j + 1));
    }
  Kokkos::View<float, Space> one("one");
  Kokkos::View<float****, Kokkos::LayoutLeft, Space> four("four", 6, 2, 3, 2);
  Kokkos::View<float***, Space> none("none", 6, 2, 0);
  fill_random(random(seed, stream), uniform(0, 1), one);
  fill_random(launch("four"), random(seed, stream, 50), uniform(0, 1), four);
  fill_random(random(seed, stream), uniform(0, 1), none);
  auto const of_one = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), one);
  auto const of_four = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), four);
  EXPECT_EQ(of_one(), uniform_at<float>(0, 1, 0));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 2; ++l)
          EXPECT_EQ(of_four(i, j, k, l), uniform_at<float>(i, 12, (j * 3 + k) * 2 + l, 50));
}

TEST(FillRandom, Distributions) {
  constexpr int n = 1003;
  Kokkos::View<float*, Space> u("u", n);
  Kokkos::View<double*, Space> z("z", n);
  fill_random(random(seed, stream), uniform(-3, 5), u);
  fill_random(random(seed, stream), normal(10, 0.5), z);
  auto const of_u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  auto const of_z = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
  for (int i = 0; i < n; ++i) {
    EXPECT_LE(std::abs(of_u(i) - (-3 + 8 * (long double)(uniform_at<float>(i, 1, 0)))),
              5 * epsilon<float>);
    auto const e = Expected{seed, stream, std::uint64_t(i / 2)}.normal<double>(0, i % 2);
    EXPECT_LE(std::abs(of_z(i) - (10 + 0.5L * e.value)), (10 + 8 * e.radius) * epsilon<double>);
  }
}

/// The numbers are those of the operand in a sequence.
struct FourNumbers {
  template <class X, class R>
  KOKKOS_FUNCTION void operator()(X& x, R& r) const {
    x = uniform<4>(r);
  }
};
TEST(FillRandom, NumbersOfSequences) {
  constexpr int items = 21;
  Kokkos::View<float* [4], Kokkos::LayoutRight, Space> x("x", items);
  Kokkos::View<float*, Space> y("y", 4 * items);
  map(FourNumbers{}, out(x), random<float>(seed, stream));
  fill_random(random(seed, stream), uniform(0, 1), y);
  auto const of_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const of_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (int k = 0; k < 4 * items; ++k) EXPECT_EQ(of_y(k), of_x(k / 4, k % 4)) << k;
}

TEST(FillRandom, Misuse) {
  Kokkos::View<double*, Kokkos::LayoutRight, Space> const x(static_cast<double*>(nullptr), 3);
  EXPECT_THROW(fill_random(random(1), uniform(0, 1), x), std::invalid_argument);
  EXPECT_THROW(fill_random(random(1), uniform(0, 1), Kokkos::View<float**, Space>()),
               std::invalid_argument);
  EXPECT_THROW(uniform(0, std::numeric_limits<double>::infinity()), std::invalid_argument);
  EXPECT_THROW(normal(std::nan(""), 1), std::invalid_argument);
}

/// Divisions by multiplication are exact for all dividends below 2^31.
TEST(FillRandom, Divisors) {
  std::int64_t const most = (std::int64_t(1) << 31) - 1;
  for (std::int64_t d : {1l, 2l, 3l, 5l, 7l, 64l, 641l, 65537l, (1l << 30) - 1, 1l << 30, most}) {
    Impl::FillDivisor const divisor(d, most + 1), wide(d, most + 2);
    for (std::int64_t k = 0; k < 200; ++k)
      for (std::int64_t n : {k, most - k, (most / d - k % 7) * d - 1, (most / d - k % 7) * d}) {
        if (n < 0) continue;
        ASSERT_EQ(divisor.quotient(n), n / d) << n << " / " << d;
        ASSERT_EQ(wide.quotient(n), n / d) << n << " / " << d;
      }
  }
}

}  // namespace
}  // namespace Batchwork::Test
