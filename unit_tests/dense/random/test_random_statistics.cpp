// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The distributions of random numbers. Seeds are fixed, so a test always has the same result. Each
// bound is exceeded by truly random numbers with a probability of at most 2 exp(-20) = 4e-9.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

constexpr double x20 = 20;  ///< exp(-x20) bounds each tail

/// Laurent and Massart, "Adaptive estimation of a quadratic functional by model selection" (2000),
/// lemma 1: the tails of chi-square with k degrees of freedom.
void expect_chi_square(double chi, double k) {
  EXPECT_LE(chi, k + 2 * std::sqrt(k * x20) + 2 * x20);
  EXPECT_GE(chi, k - 2 * std::sqrt(k * x20));
}
/// Of counts that have the same expectation.
void expect_equal_counts(std::vector<double> const& counts, double numbers) {
  double const expected = numbers / double(counts.size());
  double chi = 0;
  for (double const c : counts) chi += (c - expected) * (c - expected) / expected;
  expect_chi_square(chi, double(counts.size()) - 1);
}
/// Kolmogorov and Smirnov, with the bound of Massart (1990): P(sup |F_n - F| > e) <= 2 exp(-2 n
/// e^2).
template <class F>
void expect_distribution(std::vector<double> numbers, F const& cdf) {
  std::sort(numbers.begin(), numbers.end());
  double const n = double(numbers.size());
  double largest = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    double const f = cdf(numbers[k]);
    largest = std::max({largest, f - double(k) / n, double(k + 1) / n - f});
  }
  EXPECT_LE(largest, std::sqrt(x20 / (2 * n)));
}
/// A mean of n numbers with this standard deviation: by the central limit theorem within 6.2
/// deviations.
void expect_mean(double mean, double expected, double deviation, double n) {
  EXPECT_LE(std::abs(mean - expected), 6.2 * deviation / std::sqrt(n));
}

template <class T>
std::vector<double> filled(int n, std::uint64_t of_seed, std::int64_t of_stream,
                           Impl::Distribution const& distribution) {
  Kokkos::View<T*, Space> x("x", std::size_t(n));
  fill_random(random(of_seed, of_stream), distribution, x);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  return std::vector<double>(host.data(), host.data() + n);
}

template <class T>
void expect_uniform() {
  constexpr int n = 1 << 18, bins = 256;
  auto const u = filled<T>(n, 1, 0, uniform(0, 1));
  std::vector<double> counts(bins), pairs(bins), low(bins);
  for (int k = 0; k < n; ++k) {
    double const x = u[std::size_t(k)];
    ASSERT_TRUE(0 <= x && x < 1);
    counts[std::size_t(x * bins)] += 1;
    // The least significant bits.
    double const scaled = std::ldexp(x, sizeof(T) == 4 ? 16 : 45);
    low[std::size_t((scaled - std::floor(scaled)) * bins)] += 1;
    // Neighbours together.
    if (k % 2 == 1) pairs[std::size_t(u[std::size_t(k - 1)] * 16) * 16 + std::size_t(x * 16)] += 1;
  }
  expect_equal_counts(counts, n);
  expect_equal_counts(low, n);
  expect_equal_counts(pairs, n / 2);
  expect_distribution(u, [](double x) { return x; });
}
TEST(RandomStatistics, Uniform) {
  expect_uniform<float>();
  expect_uniform<double>();
}

template <class T>
void expect_normal() {
  constexpr int n = 1 << 18;
  auto const z = filled<T>(n, 2, 5, normal(0, 1));
  expect_distribution(z, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); });
  double moment[9] = {}, product = 0, of_squares = 0;
  int beyond3 = 0, beyond4 = 0;
  for (int k = 0; k < n; ++k) {
    double const x = z[std::size_t(k)];
    double power = 1;
    for (double& m : moment) m += power / n, power *= x;
    beyond3 += std::abs(x) > 3, beyond4 += std::abs(x) > 4;
    if (k % 2 == 1) {
      double const y = z[std::size_t(k - 1)];
      product += x * y, of_squares += (x * x - 1) * (y * y - 1);
    }
  }
  // The variances of x, x^2, ... are 1, 2, 15, 96, 945, 10170, 135135, 2016000.
  double const expected[] = {1, 0, 1, 0, 3, 0, 15, 0, 105},
               variance[] = {0, 1, 2, 15, 96, 945, 10170, 135135, 2016000};
  for (int k = 1; k <= 8; ++k) expect_mean(moment[k], expected[k], std::sqrt(variance[k]), n);
  // Radius and angle of a pair are independent: so are its two numbers, and their squares.
  expect_mean(product / (n / 2), 0, 1, n / 2);
  expect_mean(of_squares / (n / 2), 0, 2, n / 2);
  for (auto const [beyond, at] : {std::pair(beyond3, 3.0), std::pair(beyond4, 4.0)}) {
    double const p = std::erfc(at / std::sqrt(2.0));
    // Bernstein's inequality.
    EXPECT_LE(std::abs(beyond - n * p), std::sqrt(2 * x20 * n * p * (1 - p)) + 2 * x20 / 3);
  }
}
TEST(RandomStatistics, Normal) {
  expect_normal<float>();
  expect_normal<double>();
}

/// Uniform numbers of two seeds, of two streams, and shifted by one, two and four.
TEST(RandomStatistics, StreamsAreUncorrelated) {
  constexpr int n = 1 << 18;
  auto const u = filled<float>(n, 1, 0, uniform(-1, 1));
  auto const correlation = [&](std::vector<double> const& v, std::size_t shift) {
    double sum = 0;
    for (std::size_t k = 0; k + shift < std::size_t(n); ++k) sum += u[k] * v[k + shift];
    expect_mean(sum / n, 0, 1.0 / 3, n);
  };
  correlation(filled<float>(n, 1, 1, uniform(-1, 1)), 0);
  correlation(filled<float>(n, 2, 0, uniform(-1, 1)), 0);
  correlation(filled<float>(n, 1ull << 32, 0, uniform(-1, 1)), 0);
  correlation(filled<float>(n, 1, 1ll << 31, uniform(-1, 1)), 0);
  for (std::size_t const shift : {1, 2, 4}) correlation(u, shift);
}

/// Integers below a number that all items share.
template <class I>
struct Integers {
  I range;
  template <class K, class R>
  KOKKOS_FUNCTION void operator()(K& k, R& r) const {
    k = integers<4>(r, range);
  }
};
/// n 3 2^(bits - 3) with n = 1: without rejection the numbers with remainder 2 modulo 3 would have
/// the probability 1/4.
template <class I>
void expect_integers(I range, I classes, bool by_remainder) {
  constexpr int items = 1 << 16;
  Kokkos::View<I* [4], Kokkos::LayoutRight, Space> k("k", items);
  map(Integers<I>{range}, out(k), random<float>(3, 1));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), k);
  std::vector<double> counts(static_cast<std::size_t>(classes));
  for (int item = 0; item < items; ++item)
    for (int j = 0; j < 4; ++j) {
      I const x = host(item, j);
      ASSERT_TRUE(0 <= x && x < range);
      counts[std::size_t(by_remainder ? x % classes : x / (range / classes))] += 1;
    }
  expect_equal_counts(counts, 4.0 * items);
}
TEST(RandomStatistics, IntegersAreUnbiased) {
  expect_integers<std::int32_t>(3 << 29, 3, true);
  expect_integers<std::int32_t>(3 << 29, 96, false);
  expect_integers<std::int32_t>(6, 6, true);
  expect_integers<std::int32_t>(1000, 1000, true);
  expect_integers<std::int64_t>(std::int64_t(3) << 61, 3, true);
  expect_integers<std::int64_t>(std::int64_t(7) << 35, 7 * 16, false);
}

}  // namespace
}  // namespace Batchwork::Test
