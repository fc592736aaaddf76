// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every operation on tiles, with inputs multiplied by powers of two.
#include "ScalesCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](std::int64_t, auto const&... arguments) { map(arguments...); };

TEST(Scales, Double) {
  everything_at_scales<double, 3>(by_map);
  everything_at_scales<double, 12>(by_map);
}
TEST(Scales, Float) {
  everything_at_scales<float, 2>(by_map);
  everything_at_scales<float, 6>(by_map);
}
TEST(Scales, Complex) {
  eliminations_at_scales<Kokkos::complex<double>, 3>(by_map);
  eliminations_at_scales<Kokkos::complex<float>, 5>(by_map);
}

#if !defined(BATCHWORK_TEST_LANES)
template <class T, int N, int W>
void at_width() {
  auto const run = [](std::int64_t, auto const&... arguments) {
    map(launch(width<W>), arguments...);
  };
  cholesky_at_scales<T, N>(run);
  lu_at_scales<T, N>(run);
  norms_at_scales<T, N>(run);
}
TEST(Scales, PacksOfEveryWidth) {
  at_width<double, 3, 1>();
  at_width<double, 3, 2>();
  at_width<float, 3, 4>();
  at_width<double, 2, 16>();
  at_width<float, 6, 16>();
}
#endif

// ---- closed forms -------------------------------------------------------------------------------

struct FactorOnly {
  template <class L, class A>
  KOKKOS_FUNCTION void operator()(L& l, A const& a) const {
    l = cholesky(a).lower();
  }
};
/// [2 1; 1 2] s and a third row [0 0 1] s, up to the largest numbers: l(1, 1) is sqrt(1.5 s). For
/// the largest s the reciprocal of a pivot is not a normal number.
template <class T, int N>
void factors_to_the_largest_number() {
  constexpr int from = least_exponent<T>, to = largest_exponent<T> - 1;
  BatchIn<T, Left, N, N> a(to - from + 1), l(to - from + 1);
  BatchIn<int, Left> codes(to - from + 1);
  a.fill([&](std::int64_t k) {
    return make_dense(N, N, [&](int i, int j) {
      long double const s = std::ldexp(1.0L, from + int(k));
      return i > 1 || j > 1 ? (i == j ? s : 0) : (i == j ? 2 * s : s);
    });
  });
  map(FactorOnly{}, out(lower(l.view())), in(symmetric(a.const_view())), status(codes.view()));
  l.download(), codes.download();
  for (int e = from; e <= to; ++e) {
    long double const s = std::ldexp(1.0L, e), few = 8 * epsilon<T>;
    EXPECT_EQ(codes.at(e - from), 0) << e;
    EXPECT_NEAR(double(l.at(e - from, 0, 0) / std::sqrt(2 * s)), 1, double(few)) << e;
    EXPECT_NEAR(double(l.at(e - from, 1, 0) / std::sqrt(s / 2)), 1, double(few)) << e;
    EXPECT_NEAR(double(l.at(e - from, 1, 1) / std::sqrt(1.5L * s)), 1, double(few)) << e;
    if (N > 2) {
      EXPECT_NEAR(double(l.at(e - from, N - 1, N - 1) / std::sqrt(s)), 1, double(few)) << e;
    }
  }
}
TEST(Scales, FactorsToTheLargestNumber) {
  factors_to_the_largest_number<double, 2>();
  factors_to_the_largest_number<float, 2>();
  factors_to_the_largest_number<float, 5>();
  factors_to_the_largest_number<double, 12>();
}

struct Lengths {
  template <class Y, class Z, class V>
  KOKKOS_FUNCTION void operator()(Y& of_vector, Z& of_matrix, V const& v) const {
    of_vector = norm2(v);
    of_matrix = norm_frobenius(outer(v, identity<V::rows>(v) * v * (1 / max_abs(v))));
  }
};
/// (3, 4) s, next to vectors of zeros and vectors that are not finite.
template <class T>
void lengths() {
  constexpr int from = least_exponent<T>, to = largest_exponent<T> - 3;
  constexpr std::int64_t n = to - from + 4;
  BatchIn<T, Left, 2> v(n);
  BatchIn<T, Left> of_vector(n), of_matrix(n);
  v.fill([&](std::int64_t k) {
    Dense x(2, 1);
    long double const s = std::ldexp(1.0L, from + int(k) - 3);
    x(0) = 3 * s, x(1) = -4 * s;
    if (k == 0) x(0) = x(1) = 0;
    if (k == 1) x(0) = std::numeric_limits<long double>::infinity();
    if (k == 2) x(1) = std::numeric_limits<long double>::quiet_NaN();
    return x;
  });
  map(Lengths{}, out(of_vector.view()), out(of_matrix.view()), in(v.const_view()));
  of_vector.download(), of_matrix.download();
  EXPECT_EQ(of_vector.at(0), T(0));
  EXPECT_EQ(of_vector.at(1), std::numeric_limits<T>::infinity());
  EXPECT_TRUE(std::isnan(of_vector.at(2)));
  for (std::int64_t k = 3; k < n; ++k) {
    EXPECT_EQ(of_vector.at(k), T(std::ldexp(T(5), from + int(k) - 3))) << k;
    EXPECT_NEAR(double(of_matrix.at(k) / std::ldexp(6.25L, from + int(k) - 3)), 1,
                double(16 * epsilon<T>))
        << k;
  }
}
TEST(Scales, Lengths) {
  lengths<double>();
  lengths<float>();
}

}  // namespace
}  // namespace Batchwork::Test
