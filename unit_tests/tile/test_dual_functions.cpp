// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives of functions of scalars, against their closed forms in long double.
#include <tuple>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

/// The exact values of sin(x) and other functions.
template <class F>
struct FunctionOf {
  template <class... X>
  KOKKOS_FUNCTION auto operator()(X const&... x) const {
    return Impl::real_function_of<F>(x...);
  }
};
struct Root {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return sqrt(x);
  }
};
struct InverseRoot {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    using S = typename X::value_type;
    return Scalar<S>(Impl::rsqrt(x.value));
  }
};
struct Logarithm {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return log(x);
  }
};
struct Exponential {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return exp(x);
  }
};
struct Size {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return abs(x);
  }
};
struct Reciprocal {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return 1 / x;
  }
};
/// Functions composed of sums and products.
struct Cube {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return pow(x, 3);
  }
};
struct InverseSquare {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return pow(x, -2);
  }
};
struct Clamped {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return clamp(square(x), 0.25f, 0.5f + 0.5f * x);
  }
};
struct Mixed {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return lerp(2 * x, 3, x) + sign(x) * square(x) + fabs(x);
  }
};

struct OneArgument {
  char const* name;
  double first, last;  ///< interval of the arguments
  long double (*slope)(long double);
  /// The error of the derivative in epsilons, relative to it.
  double (*bound)(double) = [](double) { return 12.0; };
};
double of_square(double x) { return 12 + 2 * x * x; }

/// In the order of the exact values.
using Functions = std::tuple<
    Root, InverseRoot, Logarithm, Exponential, Size, Reciprocal, Cube, InverseSquare, Clamped,
    Mixed, FunctionOf<Impl::Exp2>, FunctionOf<Impl::Expm1>, FunctionOf<Impl::Log2>,
    FunctionOf<Impl::Log10>, FunctionOf<Impl::Log1p>, FunctionOf<Impl::Sin>, FunctionOf<Impl::Cos>,
    FunctionOf<Impl::Tan>, FunctionOf<Impl::Asin>, FunctionOf<Impl::Acos>, FunctionOf<Impl::Atan>,
    FunctionOf<Impl::Sinh>, FunctionOf<Impl::Cosh>, FunctionOf<Impl::Tanh>, FunctionOf<Impl::Asinh>,
    FunctionOf<Impl::Acosh>, FunctionOf<Impl::Atanh>, FunctionOf<Impl::Cbrt>, FunctionOf<Impl::Erf>,
    FunctionOf<Impl::Erfc>, FunctionOf<Impl::Floor>, FunctionOf<Impl::Round>>;
constexpr int functions = int(std::tuple_size_v<Functions>);
using L = long double;
OneArgument const truths[functions] = {
    {"sqrt", 1e-30, 9, [](L x) { return 0.5L / std::sqrt(x); }},
    {"rsqrt", 1e-10, 9, [](L x) { return -0.5L / (x * std::sqrt(x)); }},
    {"log", 1e-30, 9, [](L x) { return 1 / x; }},
    {"exp", -30, 30, [](L x) { return std::exp(x); }},
    {"abs", -2, 2, [](L x) { return x < 0   ? -1.0L
                                    : x > 0 ? 1.0L
                                            : 0.0L; }},
    {"1 / x", -9, -0.1, [](L x) { return -1 / (x * x); }},
    {"cube", -3, 3, [](L x) { return 3 * x * x; }},
    {"inverse square", 0.1, 3, [](L x) { return -2 / (x * x * x); }},
    {"clamp", 0.1, 2, [](L x) { return x * x < 0.25L ? 0.0L
                                       : x < 1       ? 2 * x
                                                     : 0.5L; }},
    {"mixed", 0.5, 3, [](L x) { return 2 * (1 - x) - 2 * x + 3 + 2 * x + 1; },
     [](double x) { return 40 * (1 + x); }},
    {"exp2", -30, 30, [](L x) { return std::exp2(x) * std::log(2.0L); }},
    {"expm1", -20, 20, [](L x) { return std::exp(x); }},
    {"log2", 1e-20, 9, [](L x) { return 1 / (x * std::log(2.0L)); }},
    {"log10", 1e-20, 9, [](L x) { return 1 / (x * std::log(10.0L)); }},
    {"log1p", -0.9, 9, [](L x) { return 1 / (1 + x); }, [](double x) { return 12 / (1 + x); }},
    {"sin", -9, 9, [](L x) { return std::cos(x); }},
    {"cos", -9, 9, [](L x) { return -std::sin(x); }},
    {"tan", -1.5, 1.5, [](L x) { return 1 / (std::cos(x) * std::cos(x)); }},
    {"asin", -0.999, 0.999, [](L x) { return 1 / std::sqrt(1 - x * x); },
     [](double x) { return 12 / (1 - std::fabs(x)); }},
    {"acos", -0.999, 0.999, [](L x) { return -1 / std::sqrt(1 - x * x); },
     [](double x) { return 12 / (1 - std::fabs(x)); }},
    {"atan", -20, 20, [](L x) { return 1 / (1 + x * x); }},
    {"sinh", -9, 9, [](L x) { return std::cosh(x); }},
    {"cosh", -9, 9, [](L x) { return std::sinh(x); }},
    {"tanh", -20, 20, [](L x) { return 1 / (std::cosh(x) * std::cosh(x)); },
     [](double x) { return 16 + 4 * std::fabs(x); }},
    {"asinh", -20, 20, [](L x) { return 1 / std::sqrt(1 + x * x); }},
    {"acosh", 1.001, 20, [](L x) { return 1 / std::sqrt(x * x - 1); },
     [](double x) { return 12 + 12 / (x - 1); }},
    {"atanh", -0.99, 0.99, [](L x) { return 1 / (1 - x * x); },
     [](double x) { return 12 / (1 - std::fabs(x)); }},
    {"cbrt", -9, 9, [](L x) { return 1 / (3 * std::cbrt(x) * std::cbrt(x)); }},
    {"erf", -5, 5, [](L x) { return 2 / std::sqrt(std::acos(-1.0L)) * std::exp(-x * x); },
     of_square},
    {"erfc", -5, 5, [](L x) { return -2 / std::sqrt(std::acos(-1.0L)) * std::exp(-x * x); },
     of_square},
    {"floor", -5, 5, [](L) { return 0.0L; }},
    {"round", -5, 5, [](L) { return 0.0L; }}};

/// Entry f of x is the argument of function f.
struct SlopesOfAll {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& slopes, X const& x) const {
    using S = value_t<X>;
    slopes = of_all(x, std::make_integer_sequence<int, functions>(), Vector<S, functions>());
  }
  template <class X, int... F, class Y>
  KOKKOS_FUNCTION static Y of_all(X const& x, std::integer_sequence<int, F...>, Y) {
    using S = value_t<X>;
    Scalar<S> const all[functions] = {
        derivative(std::tuple_element_t<F, Functions>{}, element(x, F))...};
    return generate<functions>([&](int f) { return all[f]; });
  }
};

template <class T>
void expect_slopes() {
  std::int64_t const n = 203;
  Random random(5);
  BatchIn<T, Left, functions> x(n), y(n);
  for (std::int64_t k = 0; k < n; ++k)
    for (int f = 0; f < functions; ++f) {
      double const a = truths[f].first, b = truths[f].last;
      // Uniform if the interval contains both signs, otherwise over all magnitudes.
      double const at = a < 0 ? random(a, b) : a * std::pow(b / a, random(0, 1));
      x.at(k, f) = k == 0 ? T(a) : k == 1 ? T(b) : k == 2 && a < 0 && b > 0 ? T(0) : T(at);
    }
  x.upload();
  map(SlopesOfAll{}, out(y.view()), in(x.view()));
  y.download();
  for (std::int64_t k = 0; k < n; ++k)
    for (int f = 0; f < functions; ++f) {
      T const at = x.at(k, f);
      long double const want = truths[f].slope(at);
      long double const bound = static_cast<long double>(truths[f].bound(double(at))) *
                                (epsilon<T> * std::fabs(want) + std::numeric_limits<T>::min());
      if (std::isinf(want)) {
        EXPECT_EQ(y.at(k, f), std::numeric_limits<T>::infinity()) << truths[f].name << " " << at;
        continue;
      }
      EXPECT_LE(std::fabs(y.at(k, f) - want), bound)
          << truths[f].name << " at " << at << ": " << y.at(k, f) << ", should be " << want;
    }
}
TEST(DualFunctions, Slopes) {
  expect_slopes<double>();
  expect_slopes<float>();
}

// ---- the gamma function -------------------------------------------------------------------------

/// The logarithmic derivative of the gamma function at quarters, from Gauss's values between 0 and
/// 1 and psi(x + 1) = psi(x) + 1 / x.
L digamma_of_quarters(int quarters) {
  L const gamma = 0.577215664901532860606512090082402431L, pi = std::acos(-1.0L);
  int const part = ((quarters % 4) + 4) % 4;
  L x = part == 0 ? 1.0L : part / 4.0L;
  L psi = -gamma - (part == 0   ? 0.0L
                    : part == 2 ? 2 * std::log(2.0L)
                    : part == 1 ? pi / 2 + 3 * std::log(2.0L)
                                : 3 * std::log(2.0L) - pi / 2);
  L const to = quarters / 4.0L;
  for (; x < to; x += 1) psi += 1 / x;
  for (; x > to; x -= 1) psi -= 1 / (x - 1);
  return psi;
}
struct GammaSlopes {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    auto const a = derivative(FunctionOf<Impl::Lgamma>{}, x);
    auto const [value, slope] = value_and_derivative(FunctionOf<Impl::Tgamma>{}, x);
    y = generate<2>([&](int i) { return i == 0 ? a : slope / value; });
  }
};
template <class T>
void expect_slopes_of_gamma() {
  std::vector<int> quarters;
  for (int q = -41; q < 100; ++q)
    if (q > 0 || q % 4 != 0) quarters.push_back(q);
  std::int64_t const n = std::int64_t(quarters.size());
  BatchIn<T, Left> x(n);
  BatchIn<T, Left, 2> y(n);
  for (std::int64_t k = 0; k < n; ++k) x.at(k) = T(quarters[std::size_t(k)]) / 4;
  x.upload();
  map(GammaSlopes{}, out(y.view()), in(x.view()));
  y.download();
  for (std::int64_t k = 0; k < n; ++k) {
    L const want = digamma_of_quarters(quarters[std::size_t(k)]);
    L const bound = 16 * epsilon<T> * (4 + std::fabs(want));
    EXPECT_LE(std::fabs(y.at(k, 0) - want), bound) << x.at(k);
    if (sizeof(T) == 4 && x.at(k) < T(-4)) continue;  // gamma is subnormal, or nearly so
    EXPECT_LE(std::fabs(y.at(k, 1) - want), bound + 8 * epsilon<T> * std::fabs(want)) << x.at(k);
  }
}
TEST(DualFunctions, Gamma) {
  expect_slopes_of_gamma<double>();
  expect_slopes_of_gamma<float>();
}

// ---- of two arguments ---------------------------------------------------------------------------

template <class F>
struct OfBoth {
  template <class V>
  KOKKOS_FUNCTION auto operator()(V const& v) const {
    return FunctionOf<F>{}(element(v, 0), element(v, 1));
  }
};
/// Row f of g is the gradient of function f.
struct Gradients {
  template <class G, class X>
  KOKKOS_FUNCTION void operator()(G& g, X const& x) const {
    auto const a = gradient(OfBoth<Impl::Atan2>{}, x), h = gradient(OfBoth<Impl::Hypot>{}, x),
               p = gradient(OfBoth<Impl::Pow>{}, x), m = gradient(OfBoth<Impl::Fmod>{}, x),
               c = gradient(OfBoth<Impl::Copysign>{}, x);
    g = generate<5, 2>([&](int f, int j) {
      return element(f == 0 ? a : f == 1 ? h : f == 2 ? p : f == 3 ? m : c, j);
    });
  }
};
template <class T>
void expect_gradients() {
  std::int64_t const n = 99;
  Random random(6);
  BatchIn<T, Right, 2> x(n);
  BatchIn<T, Right, 5, 2> g(n);
  x.randomise(random, -3, 3);
  T const far = sizeof(T) == 4 ? T(1e30) : T(1e200);
  T const some[][2] = {{0, 1},       {2, 0}, {0, -1}, {-2, 0}, {far, far}, {1 / far, 1 / far},
                       {1 / far, 2}, {3, 3}};
  for (std::size_t k = 0; k < std::size(some); ++k)
    for (int i = 0; i < 2; ++i) x.at(std::int64_t(k), i) = some[k][i];
  x.upload();
  map(Gradients{}, out(g.view()), in(x.view()));
  g.download();
  for (std::int64_t k = 0; k < n; ++k) {
    L const u = x.at(k, 0), v = x.at(k, 1), square = u * u + v * v;
    SCOPED_TRACE("(" + std::to_string(double(u)) + ", " + std::to_string(double(v)) + ")");
    auto const close = [&](int f, int j, L want, L factor = 16) {
      L const bound = factor * (epsilon<T> * std::fabs(want) + std::numeric_limits<T>::min());
      EXPECT_LE(std::fabs(g.at(k, f, j) - want), bound) << f << " " << j;
    };
    close(0, 0, v / square);
    close(0, 1, -u / square);
    close(1, 0, u / std::sqrt(square));
    close(1, 1, v / std::sqrt(square));
    if (u > 0 && v < 10) {
      close(2, 0, v * std::pow(u, v - 1), 16 + 4 * std::fabs(v * std::log(u)));
      close(2, 1, std::pow(u, v) * std::log(u), 16 + 4 * std::fabs(v * std::log(u)));
    }
    if (v != 0) {
      close(3, 0, 1);
      if (std::fabs(u) < 1e10L) close(3, 1, -std::trunc(u / v));
    }
    if (u != 0) close(4, 0, (u < 0) == std::signbit(double(v)) ? 1 : -1);
    close(4, 1, 0);
  }
}
TEST(DualFunctions, OfTwoArguments) {
  expect_gradients<double>();
  expect_gradients<float>();
}

/// Arguments without a derivative or with an infinite one. v has derivatives, c has none.
struct AtTheEdge {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& zero) const {
    auto const v = variable<2>(zero, 0);
    auto const c = variable<2>(zero, 0) * 0;
    auto const one = c + 1;
    auto const of = [](auto f, auto const&... a) {
      return derivative_of(FunctionOf<decltype(f)>{}(a...), 0);
    };
    Scalar<typename X::value_type> const all[] = {
        derivative_of(sqrt(v), 0),
        derivative_of(sqrt(c), 0),
        derivative_of(abs(v), 0),
        of(Impl::Hypot{}, v, c),
        of(Impl::Pow{}, v, one * 2),
        of(Impl::Pow{}, v, one),
        of(Impl::Pow{}, v, one / 2),
        of(Impl::Pow{}, c, one / 2),
        of(Impl::Pow{}, v, c),
        of(Impl::Cbrt{}, v),
        of(Impl::Cbrt{}, c),
        of(Impl::Asin{}, v + 1),
        of(Impl::Asin{}, one),
        of(Impl::Pow{}, v - 2, one * 3),
        of(Impl::Atan2{}, c, c),
        derivative_of(log(c), 0),
        derivative_of(norm2(generate<2>([&](int i) { return i * v; })), 0),
        derivative_of(v * v, 1)};
    constexpr int count = int(sizeof(all) / sizeof(all[0]));
    y = generate<18>([&](int i) { return all[i < count ? i : 0]; });
  }
};
TEST(DualFunctions, AtTheEdge) {
  double const inf = std::numeric_limits<double>::infinity();
  double const want[18] = {inf, 0, 0, 0, 0, 1, inf, 0, 0, inf, 0, inf, 0, 12, 0, 0, 0, 0};
  BatchIn<double, Left> zero(3);
  BatchIn<double, Left, 18> y(3);
  zero.fill([](std::int64_t) { return Dense(1, 1); });
  map(AtTheEdge{}, out(y.view()), in(zero.view()));
  y.download();
  for (int i = 0; i < 18; ++i) EXPECT_EQ(y.at(2, i), want[i]) << i;
}

}  // namespace
}  // namespace Batchwork::Test
