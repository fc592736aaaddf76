// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pack<T, W>, lane by lane, for every width: bitwise the same as operations on plain numbers. Only
// hosts have packs.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int W_>
struct Case {
  using T = T_;
  static constexpr int W = W_;
};
template <class C>
class PackOf : public ::testing::Test {};
using Cases = ::testing::Types<Case<float, 1>, Case<float, 2>, Case<float, 4>, Case<float, 8>,
                               Case<float, 16>, Case<double, 1>, Case<double, 2>, Case<double, 4>,
                               Case<double, 8>, Case<double, 16>>;
TYPED_TEST_SUITE(PackOf, Cases);

/// Ordinary numbers, zeros of both signs, subnormals, infinities, NaN.
template <class T>
std::vector<T> numbers(Random& random, int n) {
  using Limits = std::numeric_limits<T>;
  T const special[] = {T(0),
                       -T(0),
                       Limits::denorm_min(),
                       Limits::min(),
                       Limits::max(),
                       -Limits::max(),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       T(1),
                       T(-1)};
  std::vector<T> r;
  for (int k = 0; k < n; ++k)
    r.push_back(k % 3 == 0 ? special[random.integer(0, 10)] : static_cast<T>(random(-10, 10)));
  return r;
}
/// Equal as numbers; NaN is equal to NaN.
template <class T>
bool same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

TYPED_TEST(PackOf, ArithmeticComparisonsAndSelect) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  using P = Pack<T, W>;
  static_assert(P::width == W && sizeof(P) == sizeof(T) * W);
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    // From an odd address: loads and stores need no alignment.
    std::vector<T> const x = numbers<T>(random, W + 1), y = numbers<T>(random, W + 1);
    P const a = P::load(x.data() + 1), b = P::load(y.data() + 1);
    std::vector<T> stored(std::size_t(W) + 2, poison<T>());
    (a + b).store(stored.data() + 1);
    EXPECT_EQ(stored.front(), poison<T>());
    EXPECT_EQ(stored.back(), poison<T>());
    P updated = a;
    updated += b;
    updated *= b;
    updated -= a;
    auto const less = a < b, equal_to = a == b;
    bool any_less = false, all_less = true;
    for (int l = 0; l < W; ++l) {
      T const u = x[std::size_t(l) + 1], v = y[std::size_t(l) + 1];
      EXPECT_TRUE(same(stored[std::size_t(l) + 1], u + v));
      EXPECT_TRUE(same((a + b).lane(l), u + v));
      EXPECT_TRUE(same((a - b).lane(l), u - v));
      EXPECT_TRUE(same((a * b).lane(l), u * v));
      EXPECT_TRUE(same((a / b).lane(l), u / v));
      EXPECT_TRUE(same((-a).lane(l), -u));
      EXPECT_TRUE(same((a * T(3)).lane(l), u * T(3)));
      EXPECT_EQ(less.lane(l), u < v);
      EXPECT_EQ((a <= b).lane(l), u <= v);
      EXPECT_EQ((a > b).lane(l), u > v);
      EXPECT_EQ((a >= b).lane(l), u >= v);
      EXPECT_EQ(equal_to.lane(l), u == v);
      EXPECT_EQ((a != b).lane(l), u != v);
      EXPECT_EQ((less && equal_to).lane(l), false);
      EXPECT_EQ((less || equal_to).lane(l), u <= v);
      EXPECT_EQ((!less).lane(l), !(u < v));
      EXPECT_TRUE(same(Impl::select(less, a, b).lane(l), u < v ? u : v));
      EXPECT_EQ(Impl::is_nan(a).lane(l), std::isnan(u));
      EXPECT_EQ(Impl::is_finite(a).lane(l), std::isfinite(u));
      EXPECT_TRUE(same(Impl::abs(a).lane(l), std::fabs(u)));
      any_less = any_less || u < v;
      all_less = all_less && u < v;
    }
    EXPECT_EQ(any(less), any_less);
    EXPECT_EQ(all(less), all_less);
    // The compiler can contract an update to a multiply-add, so ordinary numbers are only close.
    for (int l = 0; l < W; ++l) {
      long double const u = x[std::size_t(l) + 1], v = y[std::size_t(l) + 1],
                        want = (u + v) * v - u;
      if (std::fabs(u) < 11 && std::fabs(v) < 11) {
        EXPECT_LE(std::fabs(updated.lane(l) - want), tolerance<T>(3, 300));
      }
    }
  }
}

TYPED_TEST(PackOf, FunctionsAndBits) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  using P = Pack<T, W>;
  using I = Impl::integer_of_t<T>;
  static_assert(sizeof(I) == sizeof(T));
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<T> const x = numbers<T>(random, W);
    P a;
    for (int l = 0; l < W; ++l) a.set_lane(l, x[std::size_t(l)]);
    auto const pattern = Impl::bits(a);
    P const back = Impl::template from_bits<T>(pattern);
    for (int l = 0; l < W; ++l) {
      T const u = x[std::size_t(l)];
      EXPECT_TRUE(same(Impl::sqrt(a).lane(l),
                       std::sqrt(u)));  // correctly rounded, also with SIMD instructions
      long double const inverse = 1 / std::sqrt(static_cast<long double>(u));
      if (u > 0 && std::isfinite(u)) {
        EXPECT_LE(std::fabs(Impl::rsqrt(a).lane(l) - inverse), tolerance<T>(1, inverse));
      }
      I bits;
      std::memcpy(&bits, &u, sizeof(T));
      EXPECT_EQ(pattern.lane(l), bits);
      EXPECT_TRUE(same_bits(back.lane(l), u));
      EXPECT_EQ(Impl::bit_and(pattern, I(0x7ff0)).lane(l), bits & I(0x7ff0));
      EXPECT_EQ(Impl::bit_or(pattern, I(0x1234)).lane(l), bits | I(0x1234));
      EXPECT_EQ(Impl::shift_right(pattern, 23).lane(l), bits >> 23);
      EXPECT_EQ(Impl::template to_number<T>(Impl::shift_right(pattern, 8)).lane(l),
                static_cast<T>(bits >> 8));
    }
  }
}

TYPED_TEST(PackOf, OneNumberInEveryLaneAndSingleLanes) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  using P = Pack<T, W>;
  P a(T(2.5));
  typename P::mask none(false), every(true), one(false);
  one.set_lane(W - 1, true);
  EXPECT_FALSE(any(none));
  EXPECT_TRUE(all(every));
  EXPECT_TRUE(any(one));
  EXPECT_EQ(all(one), W == 1);
  a.set_lane(W - 1, T(-1));
  for (int l = 0; l < W; ++l) {
    EXPECT_EQ(a.lane(l), l == W - 1 ? T(-1) : T(2.5));
    EXPECT_EQ(one.lane(l), l == W - 1);
  }
}

/// The type of a pack and a number common to its lanes is a pack, also at width 1.
TYPED_TEST(PackOf, PromotionAndStatusLanes) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  using P = Pack<T, W>;
  static_assert(std::is_same_v<promote_t<P, P>, P>);
  static_assert(std::is_same_v<promote_t<P, T>, P>);
  static_assert(std::is_same_v<promote_t<T, P>, P>);
  static_assert(std::is_same_v<promote_t<T, T>, T>);
  static_assert(std::is_same_v<scalar_t<P>, T> && std::is_same_v<scalar_t<T>, T>);

  // The earlier of two failures is kept, lane by lane.
  info_t<P> first(0), second(Status::code(Reason::not_finite, 7));
  first.set_lane(W - 1, Impl::integer_of_t<T>(Status::code(Reason::not_positive_definite, 3)));
  auto const merged = Impl::merge_info<P>(first, second);
  for (int l = 0; l < W; ++l) {
    EXPECT_EQ(Status::reason(merged.lane(l)),
              l == W - 1 ? Reason::not_positive_definite : Reason::not_finite);
    EXPECT_EQ(Status::info(merged.lane(l)), l == W - 1 ? 3 : 7);
  }
  auto const spread = Impl::merge_info<P>(std::int32_t(Status::code(Reason::not_finite, 2)), first);
  for (int l = 0; l < W; ++l) EXPECT_EQ(Status::info(spread.lane(l)), 2);
}

}  // namespace
}  // namespace Batchwork::Test
