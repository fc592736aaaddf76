// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Functions of scalars and of tiles, apply and print in sequences, checked entry by entry. Tests
/// run map, or device kernels on threads of a host.
#ifndef BATCHWORK_TEST_FUNCTIONS_CASE_HPP
#define BATCHWORK_TEST_FUNCTIONS_CASE_HPP

#include "support/Batchwork_TestSupport.hpp"
#include "support/Ulps.hpp"

namespace Batchwork::Test {

/// y = f(x) and z = f(a) for one of the functions, with a tile x and a scalar a.
struct FunctionOfOne {
  int which;
  template <class Y, class Z, class X, class A>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, X const& x, A const& a) const {
    auto const give = [&](auto const& f) {
      y = f(x);
      z = f(a);
    };
    switch (which) {
      case 0: return give([](auto const& v) { return sin(v); });
      case 1: return give([](auto const& v) { return cos(v); });
      case 2: return give([](auto const& v) { return tan(v); });
      case 3: return give([](auto const& v) { return asin(v); });
      case 4: return give([](auto const& v) { return acos(v); });
      case 5: return give([](auto const& v) { return atan(v); });
      case 6: return give([](auto const& v) { return sinh(v); });
      case 7: return give([](auto const& v) { return cosh(v); });
      case 8: return give([](auto const& v) { return tanh(v); });
      case 9: return give([](auto const& v) { return asinh(v); });
      case 10: return give([](auto const& v) { return acosh(v); });
      case 11: return give([](auto const& v) { return atanh(v); });
      case 12: return give([](auto const& v) { return cbrt(v); });
      case 13: return give([](auto const& v) { return fabs(v); });
      case 14: return give([](auto const& v) { return floor(v); });
      case 15: return give([](auto const& v) { return ceil(v); });
      case 16: return give([](auto const& v) { return round(v); });
      case 17: return give([](auto const& v) { return trunc(v); });
      case 18: return give([](auto const& v) { return exp2(v); });
      case 19: return give([](auto const& v) { return expm1(v); });
      case 20: return give([](auto const& v) { return log2(v); });
      case 21: return give([](auto const& v) { return log10(v); });
      case 22: return give([](auto const& v) { return log1p(v); });
      case 23: return give([](auto const& v) { return erf(v); });
      case 24: return give([](auto const& v) { return erfc(v); });
      case 25: return give([](auto const& v) { return tgamma(v); });
      case 26: return give([](auto const& v) { return lgamma(v); });
      case 27: return give([](auto const& v) { return square(v); });
      case 28: return give([](auto const& v) { return sign(v); });
      case 29: return give([](auto const& v) { return sqrt(v); });
      case 30: return give([](auto const& v) { return exp(v); });
      case 31: return give([](auto const& v) { return log(v); });
      case 32: return give([](auto const& v) { return abs(v); });
      case 33: return give([](auto const& v) { return pow(v, 3); });
      case 34: return give([](auto const& v) { return pow(v, -2); });
      case 35: return give([](auto const& v) { return pow(v, 11); });
      case 36: return give([](auto const& v) { return clamp(v, -0.5, 1); });
    }
  }
};
inline constexpr int functions_of_one = 37;
inline long double truth_of_one(int which, long double x) {
  switch (which) {
    case 0: return std::sin(x);
    case 1: return std::cos(x);
    case 2: return std::tan(x);
    case 3: return std::asin(x);
    case 4: return std::acos(x);
    case 5: return std::atan(x);
    case 6: return std::sinh(x);
    case 7: return std::cosh(x);
    case 8: return std::tanh(x);
    case 9: return std::asinh(x);
    case 10: return std::acosh(x);
    case 11: return std::atanh(x);
    case 12: return std::cbrt(x);
    case 13: return std::fabs(x);
    case 14: return std::floor(x);
    case 15: return std::ceil(x);
    case 16: return std::round(x);
    case 17: return std::trunc(x);
    case 18: return std::exp2(x);
    case 19: return std::expm1(x);
    case 20: return std::log2(x);
    case 21: return std::log10(x);
    case 22: return std::log1p(x);
    case 23: return std::erf(x);
    case 24: return std::erfc(x);
    case 25: return std::tgamma(x);
    case 26: return std::lgamma(x);
    case 27: return x * x;
    case 28: return x > 0 ? 1 : x < 0 ? -1 : x;
    case 29: return std::sqrt(x);
    case 30: return std::exp(x);
    case 31: return std::log(x);
    case 32: return std::fabs(x);
    case 33: return x * x * x;
    case 34: return 1 / (x * x);
    case 35: return std::pow(x, 11);
    case 36: return x < -0.5L ? -0.5L : x > 1 ? 1 : x;
  }
  return 0;
}
/// The bound of the host's vector library is 4 ulp. CUDA has 5 for erfc and 10 for the gamma
/// function. One more is added for the operations of this library.
inline double ulps_of_one(int which) {
  return !Impl::runs_on_device<Space> ? 5 : which == 25 || which == 26 ? 11 : 6;
}

/// y = f(x, w) entry by entry, and z = f(x, a), where one argument is a tile.
struct FunctionOfTwo {
  int which;
  template <class Y, class Z, class X, class A>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, X const& x, X const& w, A const& a) const {
    auto const give = [&](auto const& f) {
      y = f(x, w);
      z = f(a, x);
    };
    switch (which) {
      case 0: return give([](auto const& u, auto const& v) { return atan2(u, v); });
      case 1: return give([](auto const& u, auto const& v) { return pow(abs(u), v); });
      case 2: return give([](auto const& u, auto const& v) { return hypot(u, v); });
      case 3: return give([](auto const& u, auto const& v) { return fmod(u, v); });
      case 4: return give([](auto const& u, auto const& v) { return copysign(u, v); });
      case 5:
        return give(
            [](auto const& u, auto const& v) { return clamp(atan2(u, 1.0), -2, 2 * cosh(v)); });
      case 6: return give([](auto const& u, auto const& v) { return lerp(u, v, 0.25); });
      case 7: return give([](auto const& u, auto const& v) { return clamp(0.5, -abs(u), abs(v)); });
    }
  }
};
inline constexpr int functions_of_two = 8;
inline long double truth_of_two(int which, long double x, long double y) {
  switch (which) {
    case 0: return std::atan2(x, y);
    case 1: return std::pow(std::fabs(x), y);
    case 2: return std::hypot(x, y);
    case 3: return std::fmod(x, y);
    case 4: return std::copysign(x, y);
    case 5: return std::atan2(x, 1.0L);
    case 6: return 0.75L * x + 0.25L * y;
    case 7: return std::min(0.5L, std::fabs(y));
  }
  return 0;
}

/// run(sequence, operands...) is a call of map.
template <class T, class Layout, int M, int N, class Run>
void expect_functions(std::int64_t n, Run const& run) {
  Random random(311);
  BatchIn<T, Layout, M, N> x(n), w(n), y(n);
  BatchIn<T, Layout> a(n), z(n);
  x.randomise(random, -3, 3), w.randomise(random, -3, 3), a.randomise(random, -3, 3);
  auto const expect_near = [](T got, long double want, double most, long double size) {
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got));
      return;
    }
    EXPECT_LE(std::fabs(got - want), most * epsilon<T> * std::max(std::fabs(want), size));
  };
  for (int f = 0; f < functions_of_one; ++f) {
    SCOPED_TRACE("function " + std::to_string(f));
    run(FunctionOfOne{f}, out(y.view()), out(z.view()), in(x.view()), in(a.view()));
    y.download(), z.download();
    double const most = f == 35 ? 11 : ulps_of_one(f);
    // lgamma has zeros at 1 and 2, near which digits are lost.
    long double const size = f == 26 ? 1 : 0;
    for (std::int64_t k = 0; k < n; ++k) {
      expect_near(z.at(k), truth_of_one(f, a.at(k)), most, size);
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
          expect_near(y.at(k, i, j), truth_of_one(f, x.at(k, i, j)), most, size);
    }
    EXPECT_EQ(y.poisoned(), y.outside());
  }
  BatchIn<T, Layout, M, N> q(n);
  for (int f = 0; f < functions_of_two; ++f) {
    SCOPED_TRACE("function of two " + std::to_string(f));
    run(FunctionOfTwo{f}, out(y.view()), out(q.view()), in(x.view()), in(w.view()), in(a.view()));
    y.download(), q.download();
    for (std::int64_t k = 0; k < n; ++k)
      for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
          long double const u = x.at(k, i, j);
          expect_near(y.at(k, i, j), truth_of_two(f, u, w.at(k, i, j)), 5, f == 6 ? 3 : 0);
          expect_near(q.at(k, i, j), truth_of_two(f, a.at(k), u), 5, f == 6 ? 3 : 0);
        }
  }
}

/// Structures, tiles common to all items, and the status.
struct FunctionsOfStructures {
  template <class Y0, class Y1, class Y2, class Y3, class Y4, class X, class C>
  KOKKOS_FUNCTION void operator()(Y0& sine, Y1& cosine, Y2& lower, Y3& diagonal, Y4& of_common,
                                  X const& x, C const& c) const {
    constexpr int N = X::rows;
    auto const s = symmetric(x);
    Lower<value_t<X>, N> const l(x);
    auto const d = as_diagonal(diagonal_of(x));
    auto const sin_s = sin(s), pow_s = pow(abs(s), d);
    auto const sin_l = sin(l);
    auto const atan_d = atan(d);
    auto const cos_l = cos(l);
    auto const exp_d = exp(d);
    static_assert(decltype(sin_s)::structure == Structure::symmetric);
    static_assert(decltype(pow_s)::structure == Structure::symmetric);
    static_assert(decltype(sin_l)::structure == Structure::lower);
    static_assert(decltype(atan_d)::structure == Structure::diagonal);
    static_assert(decltype(cos_l)::structure == Structure::general);
    static_assert(decltype(exp_d)::structure == Structure::symmetric);
    sine = sin_s + 0 * pow_s;
    cosine = cos_l + sin(transpose(x)) + 0 * exp_d;
    lower = sin_l;
    diagonal = atan_d;
    auto const failed = fail_where(element(x, 0, 0) > 0, Reason::singular, element(x, 0, 0));
    of_common = atan2(c, failed) + hypot(c, transpose(c));
  }
};
template <class T, class Layout, int N, class Run>
void expect_structures(std::int64_t n, Run const& run) {
  Random random(313);
  BatchIn<T, Layout, N, N> x(n), sine(n), cosine(n), lower_of(n), diagonal_of_x(n), of_common(n);
  BatchIn<int, Left> codes(n);
  x.fill([&](std::int64_t) {
    return make_dense(N, N, [&](int, int) { return static_cast<T>(random(0.1, 3)); });
  });
  for (std::int64_t k = 0; k < n; k += 3) x.at(k, 0, 0) = -x.at(k, 0, 0);
  x.upload();
  Common<T, N, N> const c(random_dense<T>(random, N, N));
  run(FunctionsOfStructures{}, out(sine.view()), out(cosine.view()), out(lower(lower_of.view())),
      out(diagonal_of_x.view()), out(of_common.view()), in(x.view()), common(c.view),
      status(codes.view()));
  for (auto const* b : {&sine, &cosine, &lower_of, &diagonal_of_x, &of_common}) b->download();
  codes.download();
  long double const tol = tolerance<T>(8, 4);
  for (std::int64_t k = 0; k < n; ++k) {
    auto const at = [&](int i, int j) { return static_cast<long double>(x.at(k, i, j)); };
    bool const fails = at(0, 0) > 0;
    EXPECT_EQ(codes.at(k), fails ? Status::code(Reason::singular, 0) : 0) << k;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        long double const low = at(std::max(i, j), std::min(i, j)), of_l = j <= i ? at(i, j) : 0;
        EXPECT_NEAR(double(sine.at(k, i, j)), double(std::sin(low)), double(tol));
        EXPECT_NEAR(double(cosine.at(k, i, j)), double(std::cos(of_l) + std::sin(at(j, i))),
                    double(tol));
        EXPECT_NEAR(j <= i ? double(lower_of.at(k, i, j)) : 0, double(std::sin(of_l)), double(tol));
        EXPECT_NEAR(double(diagonal_of_x.at(k, i, j)), i == j ? double(std::atan(at(i, i))) : 0,
                    double(tol));
        long double const cij = c.at(i, j), cji = c.at(j, i);
        EXPECT_NEAR(double(of_common.at(k, i, j)),
                    double(std::atan2(cij, at(0, 0)) + std::hypot(cij, cji)), double(tol));
      }
  }
}

// ---- apply --------------------------------------------------------------------------------------

struct SineAndCosine {
  double sine, cosine;
};
struct SinCos {
  KOKKOS_FUNCTION SineAndCosine operator()(double x) const {
    return {Kokkos::sin(x), Kokkos::cos(x)};
  }
};
/// The table has values only for arguments between 0 and 1. Values in lanes after the last item
/// must not be looked up.
struct LookUp {
  int const* table;
  KOKKOS_FUNCTION double operator()(double x, double scale, int add) const {
    int const k = int(x * 8);
    if (k < 0 || k >= 8) Kokkos::abort("apply: a number that no entry has");
    return table[k] * scale + add;
  }
};
struct IsAbove {
  KOKKOS_FUNCTION bool operator()(double x, double y) const { return x > y; }
};
struct Apply {
  int const* table;
  template <class Y0, class Y1, class Y2, class Y3, class X, class A>
  KOKKOS_FUNCTION void operator()(Y0& sum, Y1& looked_up, Y2& turned, Y3& chosen, X const& x,
                                  A const& a) const {
    auto const [s, c] = apply(SinCos{}, x);
    sum = s + 2 * c;
    looked_up = apply(LookUp{table}, x, 2 * a, 3);
    auto const [sa, ca] = apply(SinCos{}, a);
    auto const of_symmetric = apply(SinCos{}, symmetric(x * transpose(x)));
    static_assert(std::remove_cvref_t<decltype(of_symmetric.values[0])>::structure ==
                  Structure::symmetric);
    turned = (sa * sa + ca * ca) * transpose(of_symmetric.values[1]);
    auto const above = apply(IsAbove{}, a, 0.5);
    chosen = select(above, a, -a);
  }
};
template <class T, class Layout, int M, int N, class Run>
void expect_applied(std::int64_t n, Run const& run) {
  Random random(317);
  BatchIn<T, Layout, M, N> x(n), sum(n), looked_up(n);
  BatchIn<T, Layout, M, M> turned(n);
  BatchIn<T, Layout> a(n), chosen(n);
  x.randomise(random, 0, 0.999), a.randomise(random, 0, 0.999);
  Kokkos::View<int*, Space> table("table", 8);
  auto const mirror = Kokkos::create_mirror_view(table);
  for (int k = 0; k < 8; ++k) mirror(k) = 3 * k * k - 7;
  Kokkos::deep_copy(table, mirror);
  run(Apply{table.data()}, out(sum.view()), out(looked_up.view()), out(turned.view()),
      out(chosen.view()), in(x.view()), in(a.view()));
  sum.download(), looked_up.download(), turned.download(), chosen.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(chosen.at(k), a.at(k) > T(0.5) ? a.at(k) : -a.at(k));
    Dense const product = times_transpose(x.dense(k));
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) {
        double const u = double(x.at(k, i, j));
        EXPECT_NEAR(double(sum.at(k, i, j)), std::sin(u) + 2 * std::cos(u),
                    double(tolerance<T>(2, 3)));
        // The result of two operations in double, which a compiler can contract.
        double const expected = mirror(int(u * 8)) * double(2 * a.at(k)) + 3;
        EXPECT_NEAR(double(looked_up.at(k, i, j)), expected,
                    std::numeric_limits<T>::epsilon() * (std::abs(expected) + 3));
      }
      for (int j = 0; j < M; ++j)
        EXPECT_NEAR(double(turned.at(k, i, j)), double(std::cos(product(i, j))),
                    double(tolerance<T>(N + 4, N)));
    }
  }
}

}  // namespace Batchwork::Test

#endif
