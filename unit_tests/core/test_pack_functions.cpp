// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of packs against long double, in units in the last place, for widths of a part of a
// register, one register and several. The value of one lane must not change the results of others.
// With BATCHWORK_PRINT_ULPS in the environment, the test prints the measured errors for
// docs/reference/functions.md.
#include <cstdio>
#include <cstdlib>

#include "core/detail/Batchwork_Functions.hpp"
#include "support/Batchwork_TestSupport.hpp"
#include "support/Ulps.hpp"

namespace Batchwork::Test {
namespace {

/// The bound of libmvec is 4 ulp, which some functions of the C library also exceed, plus one for
/// the operations of this library.
constexpr double most_ulps = 5;

template <class T_, int W_>
struct Case {
  using T = T_;
  static constexpr int W = W_;
};
template <class C>
class FunctionsOfPacks : public ::testing::Test {};
using Cases = ::testing::Types<Case<float, 1>, Case<float, 2>, Case<float, 8>, Case<float, 16>,
                               Case<double, 1>, Case<double, 4>, Case<double, 8>>;
TYPED_TEST_SUITE(FunctionsOfPacks, Cases);

/// A function of one argument, tested from `low` to `high`. Out of line, so that there is one copy
/// for each width.
template <class P>
struct OneArgument {
  char const* name;
  P (*of_pack)(P const&);
  long double (*truth)(long double);
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double most = most_ulps;
};
template <class P>
struct TwoArguments {
  char const* name;
  P (*of_packs)(P const&, P const&);
  long double (*truth)(long double, long double);
  double most = most_ulps;
};

template <class F, class P>
P one(P const& x) {
  return F{}(x);
}
template <class F, class P>
P two(P const& x, P const& y) {
  return F{}(x, y);
}
long double sign_of(long double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
long double square_of(long double x) { return x * x; }

template <class T, int W>
Pack<T, W> pack_at(std::vector<T> const& x, std::size_t first) {
  Pack<T, W> p;
  for (int l = 0; l < W; ++l) p.set_lane(l, x[(first + std::size_t(l)) % x.size()]);
  return p;
}
void say(char const* type, char const* name, double worst, double at) {
  if (std::getenv("BATCHWORK_PRINT_ULPS") != nullptr)
    std::printf("ulps %s %s %.2f at %.9g\n", type, name, worst, at);
}

TYPED_TEST(FunctionsOfPacks, OfOneArgument) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  using P = Pack<T, W>;
  using L = long double;
  using namespace Impl;
  constexpr double all = std::numeric_limits<double>::infinity();
  // Near the zeros of the logarithm of the gamma function digits cancel, also in the C library.
  OneArgument<P> const functions[] = {
      {"exp", one<Exp, P>, [](L x) { return std::exp(x); }},
      {"exp2", one<Exp2, P>, [](L x) { return std::exp2(x); }},
      {"expm1", one<Expm1, P>, [](L x) { return std::expm1(x); }},
      {"log", one<Log, P>, [](L x) { return std::log(x); }},
      {"log2", one<Log2, P>, [](L x) { return std::log2(x); }},
      {"log10", one<Log10, P>, [](L x) { return std::log10(x); }},
      {"log1p", one<Log1p, P>, [](L x) { return std::log1p(x); }},
      {"sin", one<Sin, P>, [](L x) { return std::sin(x); }},
      {"cos", one<Cos, P>, [](L x) { return std::cos(x); }},
      {"tan", one<Tan, P>, [](L x) { return std::tan(x); }},
      {"asin", one<Asin, P>, [](L x) { return std::asin(x); }},
      {"acos", one<Acos, P>, [](L x) { return std::acos(x); }},
      {"atan", one<Atan, P>, [](L x) { return std::atan(x); }},
      {"sinh", one<Sinh, P>, [](L x) { return std::sinh(x); }},
      {"cosh", one<Cosh, P>, [](L x) { return std::cosh(x); }},
      {"tanh", one<Tanh, P>, [](L x) { return std::tanh(x); }},
      {"asinh", one<Asinh, P>, [](L x) { return std::asinh(x); }},
      {"acosh", one<Acosh, P>, [](L x) { return std::acosh(x); }},
      {"atanh", one<Atanh, P>, [](L x) { return std::atanh(x); }},
      {"cbrt", one<Cbrt, P>, [](L x) { return std::cbrt(x); }},
      {"erf", one<Erf, P>, [](L x) { return std::erf(x); }},
      {"erfc", one<Erfc, P>, [](L x) { return std::erfc(x); }},
      {"tgamma", one<Tgamma, P>, [](L x) { return std::tgamma(x); }, -150, 180},
      {"lgamma", one<Lgamma, P>, [](L x) { return std::lgamma(x); }, 0, all},
      {"sqrt", one<Sqrt, P>, [](L x) { return std::sqrt(x); }, -all, all, 0.51},
      {"square", one<Square, P>, square_of, -all, all, 0.51},
      {"floor", one<Floor, P>, [](L x) { return std::floor(x); }, -all, all, 0},
      {"ceil", one<Ceil, P>, [](L x) { return std::ceil(x); }, -all, all, 0},
      {"trunc", one<Trunc, P>, [](L x) { return std::trunc(x); }, -all, all, 0},
      {"round", one<Round, P>, [](L x) { return std::round(x); }, -all, all, 0},
      {"abs", one<Abs, P>, [](L x) { return std::fabs(x); }, -all, all, 0},
      {"sign", one<Sign, P>, sign_of, -all, all, 0},
  };
  Random random(301);
  for (auto const& f : functions) {
    auto const x = arguments_of<T>(random, f.low, f.high, 2000);
    double worst = 0, at = 0;
    for (std::size_t k = 0; k < x.size(); k += std::size_t(W)) {
      P const p = pack_at<T, W>(x, k), y = f.of_pack(p);
      for (int l = 0; l < W; ++l) {
        double const u = ulps(y.lane(l), f.truth(p.lane(l)));
        if (u > worst) worst = u, at = double(p.lane(l));
      }
    }
    EXPECT_LE(worst, f.most) << f.name << " at " << at;
    say(sizeof(T) == 4 ? "float" : "double", f.name, worst, at);
    // The sign of a zero.
    for (T const zero : {T(0), -T(0)}) {
      T const y = f.of_pack(P(zero)).lane(W - 1);
      if (y == 0) {
        EXPECT_EQ(std::signbit(y), std::signbit(f.truth(zero))) << f.name;
      }
    }
    // The bits of a lane do not depend on the others.
    P const alike = f.of_pack(P(x[7])), beside = f.of_pack(pack_at<T, W>(x, 7));
    EXPECT_TRUE(same_bits(alike.lane(0), beside.lane(0))) << f.name;
  }
}

TYPED_TEST(FunctionsOfPacks, OfTwoArguments) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  using P = Pack<T, W>;
  using L = long double;
  using namespace Impl;
  TwoArguments<P> const functions[] = {
      {"atan2", two<Atan2, P>, [](L y, L x) { return std::atan2(y, x); }},
      {"pow", two<Pow, P>, [](L x, L y) { return std::pow(x, y); }},
      {"hypot", two<Hypot, P>, [](L x, L y) { return std::hypot(x, y); }},
      {"fmod", two<Fmod, P>, [](L x, L y) { return std::fmod(x, y); }, 0},
      {"copysign", two<Copysign, P>, [](L x, L y) { return std::copysign(x, y); }, 0},
  };
  Random random(303);
  constexpr double all = std::numeric_limits<double>::infinity();
  auto const a = arguments_of<T>(random, -all, all, 2000), hard = hard_arguments<T>();
  for (auto const& f : functions) {
    double worst = 0, at = 0;
    auto const ask = [&](P const& p, P const& q) {
      P const y = f.of_packs(p, q);
      for (int l = 0; l < W; ++l) {
        double const u = ulps(y.lane(l), f.truth(p.lane(l), q.lane(l)));
        if (u > worst) worst = u, at = double(p.lane(l));
        EXPECT_LE(u, f.most) << f.name << "(" << p.lane(l) << ", " << q.lane(l)
                             << ") = " << y.lane(l);
      }
    };
    for (std::size_t k = 0; k < a.size(); k += std::size_t(W))
      ask(pack_at<T, W>(a, k), pack_at<T, W>(a, 3 * k + 100));
    // Moderate numbers, with finite powers.
    for (int k = 0; k < 1000; ++k) {
      P p, q;
      for (int l = 0; l < W; ++l)
        p.set_lane(l, static_cast<T>(random(0, 10))), q.set_lane(l, static_cast<T>(random(-9, 9)));
      ask(p, q);
    }
    for (std::size_t k = 0; k < hard.size(); ++k)
      for (std::size_t m = 0; m < hard.size(); m += std::size_t(W))
        ask(P(hard[k]), pack_at<T, W>(hard, m));
    say(sizeof(T) == 4 ? "float" : "double", f.name, worst, at);
  }
}

TYPED_TEST(FunctionsOfPacks, OfArithmetic) {
  using T = typename TypeParam::T;
  constexpr int W = TypeParam::W;
  using P = Pack<T, W>;
  Random random(305);
  T const nan = std::numeric_limits<T>::quiet_NaN();
  for (int k = 0; k < 300; ++k) {
    P x, a, b;
    for (int l = 0; l < W; ++l) {
      x.set_lane(l, k % 50 == l ? nan : static_cast<T>(random(-3, 3)));
      a.set_lane(l, static_cast<T>(random(-2, 0))), b.set_lane(l, static_cast<T>(random(0, 2)));
    }
    P const clamped = Impl::clamp(x, a, b), t0 = Impl::lerp(a, b, P(T(0))),
            t1 = Impl::lerp(a, b, P(T(1))), half = Impl::lerp(a, b, P(T(0.5)));
    for (int l = 0; l < W; ++l) {
      if (std::isnan(x.lane(l))) EXPECT_TRUE(std::isnan(clamped.lane(l)));
      else EXPECT_EQ(clamped.lane(l), std::clamp(x.lane(l), a.lane(l), b.lane(l)));
      EXPECT_EQ(t0.lane(l), a.lane(l));
      EXPECT_EQ(t1.lane(l), b.lane(l));
      EXPECT_LE(std::fabs(half.lane(l) - (a.lane(l) + b.lane(l)) / 2),
                2 * std::numeric_limits<T>::epsilon());
    }
    // The same number of roundings. One unit in the last place is up to twice the rounding error.
    for (int n = -8; n <= 8; ++n) {
      P const y = Impl::power(x, n);
      for (int l = 0; l < W; ++l) {
        long double const truth = std::pow(static_cast<long double>(x.lane(l)), n);
        EXPECT_LE(ulps(y.lane(l), truth), std::abs(n)) << x.lane(l) << "^" << n;
      }
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
