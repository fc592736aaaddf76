// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalars, masks, select, any, all, generate, element, dot, norm2, trace: sequences use these
// instead of indices and branches.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
class ScalarOps : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScalarOps, Scalars);

struct Arithmetic {
  template <class O0, class O1, class O2, class O3, class O4, class O5, class O6, class O7, class A,
            class B, class C>
  KOKKOS_FUNCTION void operator()(O0& rational, O1& root, O2& logarithm, O3& exponential,
                                  O4& magnitude, O5& smaller, O6& larger, O7& updated, A const& a,
                                  B const& b, C const& c) const {
    rational = (a + 2 * b - 1) / (c + 3) - (-a) * c;
    root = sqrt(abs(a));
    logarithm = log(abs(a) + 1);
    exponential = exp(a);
    magnitude = abs(a);
    smaller = min(a, b);
    larger = max(a, 0.25);
    updated = a;
    updated += b;
    updated *= 2;
    updated -= c;
    updated /= 4;
  }
};

TYPED_TEST(ScalarOps, ArithmeticAndFunctions) {
  using T = TypeParam;
  constexpr std::int64_t n = 53;
  Random random(71);
  BatchIn<T, Left> a(n), b(n);
  BatchIn<T, Left> o0(n), o1(n), o2(n), o3(n), o4(n), o5(n), o6(n), o7(n);
  a.randomise(random, -3, 3), b.randomise(random, -3, 3);
  Common<T> const c(Dense(1, 1, 0.75L));
  map(Arithmetic{}, out(o0.view()), out(o1.view()), out(o2.view()), out(o3.view()), out(o4.view()),
      out(o5.view()), out(o6.view()), out(o7.view()), in(a.view()), in(b.view()), common(c.view));
  for (auto const* o : {&o0, &o1, &o2, &o3, &o4, &o5, &o6, &o7}) o->download();
  for (std::int64_t k = 0; k < n; ++k) {
    long double const x = a.at(k), y = b.at(k), z = 0.75L;
    auto const check = [&](auto const& got, long double want, long double size) {
      EXPECT_LE(std::fabs(got.at(k) - want), tolerance<T>(2, size)) << k;
    };
    check(o0, (x + 2 * y - 1) / (z + 3) + x * z,
          (std::fabs(x) + 2 * std::fabs(y) + 1) / 3 + std::fabs(x));
    check(o1, std::sqrt(std::fabs(x)), 2);
    check(o2, std::log(std::fabs(x) + 1), 2);
    check(o3, std::exp(x), std::exp(x));
    EXPECT_EQ(o4.at(k), std::fabs(a.at(k)));
    EXPECT_EQ(o5.at(k), std::min(a.at(k), b.at(k)));
    EXPECT_EQ(o6.at(k), std::max(a.at(k), T(0.25)));
    check(o7, ((x + y) * 2 - z) / 4, std::fabs(x) + std::fabs(y) + 1);
  }
}

/// Every comparison and every connective, as bits of one number.
struct Masks {
  template <class O0, class O1, class O2, class O3, class O4, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(O0& compared, O1& connected, O2& special, O3& some, O4& every,
                                  A const& a, B const& b, C const& c) const {
    auto const less = a < b;
    auto const at_most = a <= b;
    auto const more = a > b;
    auto const at_least = a >= b;
    compared = select(less, 1, 0 * a) + select(at_most, 2, 0 * a) + select(more, 4, 0 * a) +
               select(at_least, 8, 0 * a) + select(a == b, 16, 0 * a) + select(a != b, 32, 0 * a) +
               select(1 == a, 64, 0 * a) + select(b != 1.0, 128, 0 * a);
    connected = select(less && (c < 0.5), 1, 0 * a) + select(less || (a < c), 2, 0 * a) +
                select(!less, 4, 0 * a) + select((c > 0.5) || less, 8, 0 * a) +
                select((c < 0.5) && (a < b), 16, 0 * a) + select(less || (c < 0.5), 32, 0 * a);
    special = select(isnan(b), 1, 0 * a) + select(isfinite(b), 2, 0 * a);
    // Qualified, because on a device a mask is a plain bool.
    some = 0 * a;
    if (Batchwork::any(more)) some = some + 1;
    every = 0 * a;
    if (Batchwork::all(more)) every = every + 1;
  }
};

TYPED_TEST(ScalarOps, ComparisonsMasksAnyAndAll) {
  using T = TypeParam;
  constexpr std::int64_t n = 100;
  Random random(73);
  T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  Common<T> const c(Dense(1, 1, 0.25L));
  for (int kind = 0; kind < 3; ++kind) {  // mixed; a > b nowhere; a > b everywhere
    BatchIn<T, Left> a(n), b(n), o0(n), o1(n), o2(n), o3(n), o4(n);
    for (std::int64_t k = 0; k < n; ++k) {
      a.at(k) = T(random.integer(-2, 2));
      b.at(k) = kind == 1 ? a.at(k) + T(k % 2) : kind == 2 ? a.at(k) - 1 : T(random.integer(-2, 2));
      if (kind == 0 && k % 7 == 0) b.at(k) = k % 3 == 0 ? nan : k % 3 == 1 ? inf : -inf;
    }
    a.upload(), b.upload();
    map(Masks{}, out(o0.view()), out(o1.view()), out(o2.view()), out(o3.view()), out(o4.view()),
        in(a.view()), in(b.view()), common(c.view));
    for (auto const* o : {&o0, &o1, &o2, &o3, &o4}) o->download();
    bool any_some = false, any_every = false;
    for (std::int64_t k = 0; k < n; ++k) {
      T const x = a.at(k), y = b.at(k), z = T(0.25);
      EXPECT_EQ(o0.at(k), T((x < y) + 2 * (x <= y) + 4 * (x > y) + 8 * (x >= y) + 16 * (x == y) +
                            32 * (x != y) + 64 * (x == 1) + 128 * (y != 1)))
          << x << " and " << y;
      EXPECT_EQ(o1.at(k),
                T((x < y) + 2 * (x < y || x < z) + 4 * !(x < y) + 8 * (x < y) + 16 * (x < y) + 32))
          << x << " and " << y;
      EXPECT_EQ(o2.at(k), T(std::isnan(y) + 2 * std::isfinite(y))) << y;
      // For any items in the lanes of a pack: one true value makes `any` true, and one false value
      // makes `all` false.
      if (x > y) EXPECT_EQ(o3.at(k), T(1)) << k;
      else EXPECT_EQ(o4.at(k), T(0)) << k;
      any_some = any_some || o3.at(k) != 0;
      any_every = any_every || o4.at(k) != 0;
      if (kind == 2) {
        EXPECT_EQ(o4.at(k), T(1)) << k;
      }
    }
    if (kind == 1) {
      EXPECT_FALSE(any_some);
      EXPECT_FALSE(any_every);
    }
  }
}

template <class T_, int M_, int N_>
struct CaseOfScalar {
  using T = T_;
  static constexpr int M = M_, N = N_;
};
template <class C>
class Entries : public ::testing::Test {};
using CasesOfScalar = ::testing::Types<CaseOfScalar<double, 3, 5>, CaseOfScalar<double, 4, 4>,
                                       CaseOfScalar<float, 2, 3>, CaseOfScalar<float, 9, 9>>;
TYPED_TEST_SUITE(Entries, CasesOfScalar);

template <class X>
struct Reversed {
  X const& x;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int i, int j) const {
    return element(x, X::rows - 1 - i, X::cols - 1 - j) * (1 + i);
  }
};
template <class X>
struct Places {
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int i, int j) const {
    return static_cast<scalar_t<value_t<X>>>(10 * i + j);
  }
};
template <class V>
struct Differences {
  V const& v;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int i) const {
    return element(v, i) - element(v, V::rows - 1 - i);
  }
};

struct MakesTiles {
  template <class O0, class O1, class O2, class O3, class O4, class O5, class O6, class O7,
            class O8, class A, class B, class V, class S>
  KOKKOS_FUNCTION void operator()(O0& reversed, O1& places, O2& differences, O3& chosen,
                                  O4& chosen_vector, O5& product, O6& norm, O7& vector_norm,
                                  O8& traces, A const& a, B const& b, V const& v,
                                  S const& s) const {
    constexpr int M = A::rows, N = A::cols;
    reversed = generate<M, N>(Reversed<A>{a});
    places = generate<M, N>(Places<A>{}) + a;
    differences = generate<N>(Differences<V>{v});
    auto const mask = s < 0;
    chosen = select(mask, a, b);
    chosen_vector = select(s > element(a, M - 1, N - 1), v, -v);
    product = dot(a, b);
    norm = norm2(a);
    vector_norm = norm2(v);
    traces = trace(a * transpose(b)) + trace(gram(a));
  }
};

TYPED_TEST(Entries, GenerateElementSelectDotNormTrace) {
  using T = typename TypeParam::T;
  constexpr int M = TypeParam::M, N = TypeParam::N;
  constexpr std::int64_t n = 41;
  Random random(79);
  BatchIn<T, Left, M, N> a(n), b(n), o0(n), o1(n), o3(n);
  BatchIn<T, Left, N> v(n), o2(n), o4(n);
  BatchIn<T, Left> s(n), o5(n), o6(n), o7(n), o8(n);
  a.randomise(random), b.randomise(random), v.randomise(random), s.randomise(random);
  map(MakesTiles{}, out(o0.view()), out(o1.view()), out(o2.view()), out(o3.view()), out(o4.view()),
      out(o5.view()), out(o6.view()), out(o7.view()), out(o8.view()), in(a.view()), in(b.view()),
      in(v.view()), in(s.view()));
  o0.download(), o1.download(), o2.download(), o3.download(), o4.download(), o5.download(),
      o6.download();
  o7.download(), o8.download();
  constexpr long double eps = epsilon<T>;
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const x = a.dense(k), y = b.dense(k), u = v.dense(k);
    Dense const back =
        make_dense(M, N, [&](int i, int j) { return x(M - 1 - i, N - 1 - j) * (1 + i); });
    EXPECT_TRUE(near(o0.dense(k), back, eps * abs(back))) << k;
    Dense const placed = make_dense(M, N, [&](int i, int j) { return x(i, j) + 10 * i + j; });
    EXPECT_TRUE(near(o1.dense(k), placed, eps * abs(placed))) << k;
    EXPECT_TRUE(near(o2.dense(k), make_dense(N, 1, [&](int i, int) { return u(i) - u(N - 1 - i); }),
                     2 * eps))
        << k;
    EXPECT_TRUE(equal(o3.dense(k), s.at(k) < 0 ? x : y)) << k;
    EXPECT_TRUE(equal(o4.dense(k), s.at(k) > x(M - 1, N - 1) ? u : -1 * u)) << k;
    EXPECT_LE(std::fabs(o5.at(k) - dot(x, y)), tolerance<T>(M * N, dot(abs(x), abs(y)))) << k;
    EXPECT_LE(std::fabs(o6.at(k) - std::sqrt(dot(x, x))), tolerance<T>(M * N, std::sqrt(dot(x, x))))
        << k;
    EXPECT_LE(std::fabs(o7.at(k) - std::sqrt(dot(u, u))), tolerance<T>(N, std::sqrt(dot(u, u))))
        << k;
    EXPECT_LE(std::fabs(o8.at(k) - dot(x, y) - dot(x, x)),
              tolerance<T>(M * N, dot(abs(x), abs(y)) + dot(x, x)))
        << k;
  }
}

/// Reductions and selections that use the zeros of a structure. Entries that must not be read are
/// poisoned.
struct OfStructures {
  template <class O0, class O1, class O2, class O3, class O4, class S, class L, class D, class C>
  KOKKOS_FUNCTION void operator()(O0& products, O1& norms, O2& traces, O3& chosen, O4& chosen_lower,
                                  S const& s, L const& l, D const& d, C const& c) const {
    products = dot(s, l) + dot(l, transpose(l)) + dot(d, s) + dot(d, l);
    norms = norm2(s) + norm2(l) + norm2(d);
    traces = trace(s) + trace(l) + trace(d) + trace(identity<S::rows>(s));
    chosen = select(c > 0, s, d);
    chosen_lower = select(c > 0, l, identity<S::rows>(s));
  }
};

TYPED_TEST(ScalarOps, ReductionsAndSelectionsOfStructuredTiles) {
  using T = TypeParam;
  constexpr int N = 4;
  constexpr std::int64_t n = 17;
  Random random(83);
  BatchIn<T, Left, N, N> s(n), l(n), chosen(n), chosen_lower(n);
  BatchIn<T, Left, N> d(n);
  BatchIn<T, Left> c(n), products(n), norms(n), traces(n);
  auto const triangle = [&](std::int64_t) {
    return make_dense(
        N, N, [&](int i, int j) { return j <= i ? static_cast<T>(random()) : poison<T>(); });
  };
  s.fill(triangle), l.fill(triangle), d.randomise(random), c.randomise(random);
  map(OfStructures{}, out(products.view()), out(norms.view()), out(traces.view()),
      out(symmetric(chosen.view())), out(lower(chosen_lower.view())), in(symmetric(s.view())),
      in(lower(l.view())), in(diagonal(d.view())), in(c.view()));
  products.download(), norms.download(), traces.download(), chosen.download(),
      chosen_lower.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const sk = mirrored(s.dense(k)), lk = lower_triangle(l.dense(k)), v = d.dense(k);
    Dense const dk = make_dense(N, N, [&](int i, int j) { return i == j ? v(i) : 0.0L; });
    long double const size = N * N * 4;
    EXPECT_LE(std::fabs(products.at(k) - dot(sk, lk) - dot(lk, transpose(lk)) - dot(dk, sk) -
                        dot(dk, lk)),
              tolerance<T>(1, size));
    EXPECT_LE(std::fabs(norms.at(k) - std::sqrt(dot(sk, sk)) - std::sqrt(dot(lk, lk)) -
                        std::sqrt(dot(dk, dk))),
              tolerance<T>(1, size));
    EXPECT_LE(std::fabs(traces.at(k) - trace(sk) - trace(lk) - trace(dk) - N),
              tolerance<T>(1, size));
    EXPECT_TRUE(equal(chosen.dense(k), c.at(k) > 0 ? sk : dk)) << k;
    EXPECT_TRUE(equal(chosen_lower.dense(k), c.at(k) > 0 ? lk : eye(N))) << k;
  }
}

/// Fails for negative x. The marked tile is common to all items, or consists of integers.
struct Marks {
  template <class O0, class O1, class O2, class O3, class O4, class X, class C, class M, class S>
  KOKKOS_FUNCTION void operator()(O0& scalar, O1& matrix, O2& structured, O3& of_item, O4& integers,
                                  X const& x, C const& c, M const& m, S const& s) const {
    auto const mask = x < 0.0;
    scalar = fail_where(mask, Reason::breakdown, c);
    matrix = fail_where(mask, Reason::breakdown, transpose(m)) * x;
    structured = fail_where(mask, Reason::breakdown, s);
    of_item = fail_where(mask, Reason::breakdown, 2 * x);
    integers = x * (generate<3, 3>([](int i, int j) { return 3 * i - j; }) +
                    generate<3>([](int i) { return i; }) *
                        transpose(generate<3>([](int i) { return 1 - i; })));
  }
};

TEST(CommonTiles, AreMarkedItemByItem) {
  using T = double;
  constexpr std::int64_t n = 37;
  Random random(89);
  BatchIn<T, Left> x(n), o0(n), o3(n);
  BatchIn<T, Left, 3, 3> o1(n), o2(n), o4(n);
  x.randomise(random);
  Common<T> const c(Dense(1, 1, 0.625L));
  Common<T, 3, 3> const m(random_dense<T>(random, 3, 3)), s(random_dense<T>(random, 3, 3));
  // The status of each output separately, then of all outputs.
  BatchIn<int, Left> codes(n);
  map(Marks{}, out(o0.view()), out(o1.view()), out(symmetric(o2.view())), out(o3.view()),
      out(o4.view()), in(x.view()), common(c.view), common(m.view), common(symmetric(s.view)),
      status(codes.view()));
  codes.download(), o0.download(), o1.download(), o2.download(), o3.download(), o4.download();
  Dense const integers = make_dense(3, 3, [](int i, int j) { return 3 * i - j + i * (1 - j); });
  for (std::int64_t k = 0; k < n; ++k) {
    long double const xk = x.at(k);
    EXPECT_EQ(codes.at(k), xk < 0 ? Status::code(Reason::breakdown, 0) : 0) << k;
    EXPECT_EQ(o0.at(k), 0.625) << k;
    EXPECT_TRUE(near(o1.dense(k), xk * transpose(m.dense()), epsilon<T>)) << k;
    EXPECT_TRUE(equal(o2.dense(k), mirrored(s.dense()))) << k;
    EXPECT_EQ(o3.at(k), 2 * x.at(k)) << k;
    EXPECT_TRUE(near(o4.dense(k), xk * integers, epsilon<T> * abs(xk * integers))) << k;
  }
  auto const one = [&](auto const& which) {
    BatchIn<int, Left> code(n);
    which(code);
    code.download();
    for (std::int64_t k = 0; k < n; ++k)
      EXPECT_EQ(code.at(k), x.at(k) < 0 ? Status::code(Reason::breakdown, 0) : 0) << k;
  };
  one([&](auto const& code) {
    map(Marks{}, out(o0.view()), nothing(), nothing(), nothing(), nothing(), in(x.view()),
        common(c.view), common(m.view), common(symmetric(s.view)), status(code.view()));
  });
  one([&](auto const& code) {
    map(Marks{}, nothing(), out(o1.view()), nothing(), nothing(), nothing(), in(x.view()),
        common(c.view), common(m.view), common(symmetric(s.view)), status(code.view()));
  });
  one([&](auto const& code) {
    map(Marks{}, nothing(), nothing(), out(symmetric(o2.view())), nothing(), nothing(),
        in(x.view()), common(c.view), common(m.view), common(symmetric(s.view)),
        status(code.view()));
  });
}

}  // namespace
}  // namespace Batchwork::Test
