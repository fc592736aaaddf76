// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LogSum: sums of many logarithms at the cost of one multiplication each, against sums in long
// double.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

struct Accumulate {
  template <class Log, class X>
  KOKKOS_FUNCTION void operator()(Log& log_sum, X const& x) const {
    log_sum.add_log(x);
    log_sum += 0.5;
    log_sum -= 0.25;
  }
};

template <class T>
class LogSumOf : public ::testing::Test {
 public:
  /// weight * sum log x + steps / 4 + start for each series, by scan, against long double.
  template <class F>
  void check(int steps, double weight, F const& f, bool finite = true) {
    constexpr std::int64_t n = 19;
    SeriesIn<T, Left> x(n, steps);
    BatchIn<T, Left> start(n), end(n);
    Random random(91);
    start.fill_exactly(random);  // so that the plain part of the sum is exact
    for (std::int64_t k = 0; k < n; ++k)
      for (int t = 0; t < steps; ++t) x.at_time(k, t) = static_cast<T>(f(k, t));
    x.upload();
    scan(steps, Accumulate{}, carry(start.view(), log_sum(end.view(), weight)), each(x.view()));
    end.download();
    for (std::int64_t k = 0; k < n; ++k) {
      long double logs = 0, size = 1;
      for (int t = 0; t < steps; ++t) {
        logs += std::log(static_cast<long double>(x.at_time(k, t)));
        size = std::max(size, std::fabs(logs));
      }
      long double const want = start.at(k) + weight * logs + 0.25L * steps;
      if (finite) {
        // n roundings of the product, and the rounding of the last sum.
        long double const tol = epsilon<T> * (steps * std::fabs(weight) +
                                              4 * (std::fabs(weight) * size + std::fabs(want)));
        EXPECT_LE(std::fabs(end.at(k) - want), tol)
            << k << ": " << end.at(k) << " for " << double(want);
      } else {
        EXPECT_TRUE(std::isnan(end.at(k))) << k << ": " << end.at(k);
      }
    }
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LogSumOf, Scalars);

TYPED_TEST(LogSumOf, AHundredThousandTerms) {
  Random random(5);
  this->check(100000, -0.5, [&](std::int64_t, int) { return std::exp(random(-3, 3)); });
}

TYPED_TEST(LogSumOf, NoTermsAndOneTerm) {
  Random random(6);
  this->check(0, -0.5, [](std::int64_t, int) { return 1; });
  this->check(1, 1, [&](std::int64_t, int) { return random(0.1, 10); });
}

/// The largest and smallest normal numbers, separately, in runs and alternating.
TYPED_TEST(LogSumOf, ExtremeExponents) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  T const large = Limits::max(), small = 2 * Limits::min();
  this->check(50, 1, [&](std::int64_t k, int t) {
    switch (k % 6) {
      case 0: return large;
      case 1: return small;
      case 2: return t % 2 ? large : small;
      case 3: return t % 2 ? T(1.99) : large;
      case 4: return t % 2 ? T(1.01) * small : T(0.75);
      default:
        return std::ldexp(T(1) + T(t) / 64,
                          (t * 37) % (2 * Limits::max_exponent - 5) + Limits::min_exponent + 1);
    }
  });
}

/// Terms that are not positive normal numbers give NaN, for any terms before and after: also two
/// negative terms.
TYPED_TEST(LogSumOf, ZeroNegativeSubnormalInfiniteAndNaNTerms) {
  using T = TypeParam;
  T const bad[] = {T(0),
                   T(-1),
                   std::numeric_limits<T>::quiet_NaN(),
                   std::numeric_limits<T>::infinity(),
                   -std::numeric_limits<T>::infinity(),
                   std::numeric_limits<T>::denorm_min()};
  for (T const x : bad) {
    for (int const count : {1, 2, 3, 4}) {
      this->check(
          12, 1,
          [&](std::int64_t k, int t) {
            return t >= int(k) % 8 && t < int(k) % 8 + count ? x : T(1.5);
          },
          false);
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
