// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of complex numbers: sums, products, lu, cholesky and qr of extents from 1 to 8, in every
// arrangement.
#include "ComplexCase.hpp"

namespace Batchwork::Test {
namespace {

auto const complex_by_map = [](auto const&... arguments) { map(arguments...); };

template <class T_, int M_, int N_, class Layout_ = Left>
struct ComplexShape {
  using T = T_;
  using Layout = Layout_;
  static constexpr int M = M_, N = N_;
};
template <class C>
class ComplexTile : public ::testing::Test {};
using Shapes =
    ::testing::Types<ComplexShape<double, 1, 1, Right>, ComplexShape<double, 2, 2>,
                     ComplexShape<double, 3, 2, Strided>, ComplexShape<double, 4, 4, CompactBy<4>>,
                     ComplexShape<double, 6, 5, RightPart>, ComplexShape<double, 8, 8, LeftPart>,
                     ComplexShape<float, 3, 3, CompactBy<8>>, ComplexShape<float, 5, 7, Right>>;
TYPED_TEST_SUITE(ComplexTile, Shapes);

TYPED_TEST(ComplexTile, Products) {
  using S = TypeParam;
  // No item, one, one less than a pack, a pack, and one more.
  for (int n : {0, 1, Impl::native_width<typename S::T> - 1, Impl::native_width<typename S::T>,
                Impl::native_width<typename S::T> + 1, 29})
    expect_complex_products<typename S::T, typename S::Layout, S::M, S::N>(n, complex_by_map);
}
TYPED_TEST(ComplexTile, Lu) {
  using S = TypeParam;
  expect_complex_lu<typename S::T, typename S::Layout, S::N, S::M>(69, complex_by_map);
}
TYPED_TEST(ComplexTile, Cholesky) {
  using S = TypeParam;
  expect_complex_cholesky<typename S::T, typename S::Layout, S::N, S::M>(31, complex_by_map);
}
TYPED_TEST(ComplexTile, Qr) {
  using S = TypeParam;
  expect_complex_qr<typename S::T, typename S::Layout, S::M, S::N, 2>(69, complex_by_map);
}

/// Parts, structures and similar operations with whole numbers, exactly.
struct Parts {
  template <class Y, class Z, class A, class D, class V>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, A const& a, D const& d, V const& v) const {
    auto const w = column(a, 1);
    auto assigned = a;
    assign_block(assigned, 1, 0, block<2, 2>(a, 0, 1));
    y = outer(v, w) + assigned + hadamard(a, a) - d * a + as_diagonal(v) + kron(v, row(a, 2)) +
        conjugate_transpose(d) - transpose(a) * identity<3>(a);
    z = generate<4>([&](int k) {
      return k == 0   ? trace(a)
             : k == 1 ? determinant(d)
             : k == 2 ? dot(diagonal_of(a), v)
                      : element(solve(d, d * v), 0);
    });
  }
};
TEST(ComplexParts, AreExact) {
  using C = Kokkos::complex<double>;
  constexpr int N = 3;
  std::int64_t const n = 13;
  Random random(19);
  ComplexBatchIn<double, Right, N, N> a(n), y(n);
  ComplexBatchIn<double, Left, N> d(n), v(n);
  ComplexBatchIn<double, Left, 4> z(n);
  auto const whole = [&](int m, int k) {
    return make_complex(m, k, [&](int, int) {
      double const re = double(random.integer(-4, 4)), im = double(random.integer(-4, 4));
      return LongComplex(re, im);
    });
  };
  fill_complex(a, [&](std::int64_t) { return whole(N, N); });
  fill_complex(v, [&](std::int64_t) { return whole(N, 1); });
  // Powers of i and of two, so that divisions are exact.
  fill_complex(d, [&](std::int64_t k) {
    return make_complex(N, 1, [&](int i, int) {
      return (i + k) % 2 ? LongComplex(0, i % 2 ? 2 : -4) : LongComplex(i % 2 ? -1 : 8, 0);
    });
  });
  map(Parts{}, out(y.view()), out(z.view()), in(a.view()), in(diagonal(d.view())), in(v.view()));
  y.download(), z.download();
  for (std::int64_t k = 0; k < n; ++k) {
    ComplexDense const x = complex_dense(a, k), vk = complex_dense(v, k), dk = complex_dense(d, k);
    LongComplex trace = 0, dot = 0;
    for (int i = 0; i < N; ++i) trace += x(i, i), dot += std::conj(x(i, i)) * vk(i);
    ComplexDense const want = make_complex(N, N, [&](int i, int j) {
      LongComplex const assigned = i > 0 && j < 2 ? x(i - 1, j + 1) : x(i, j);
      LongComplex r = vk(i) * x(j, 1) + assigned + x(i, j) * x(i, j) - dk(i) * x(i, j) +
                      vk(i) * x(2, j) - x(j, i);
      if (i == j) r += vk(i) + std::conj(dk(i));
      return r;
    });
    EXPECT_TRUE(near(complex_dense(y, k), want, 0.0L)) << "item " << k;
    EXPECT_EQ(z.at(k, 0), C(double(trace.real()), double(trace.imag())));
    LongComplex const det = dk(0) * dk(1) * dk(2);
    EXPECT_EQ(z.at(k, 1), C(double(det.real()), double(det.imag())));
    EXPECT_EQ(z.at(k, 2), C(double(dot.real()), double(dot.imag())));
    EXPECT_EQ(z.at(k, 3), v.at(k, 0));
  }
}

struct ComplexInverse {
  template <class X, class Y, class A>
  KOKKOS_FUNCTION void operator()(X& x, Y& by_lu, A const& a) const {
    x = inverse(a);
    by_lu = inverse(lu(a));
  }
};
struct ComplexInverseAlone {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = inverse(a);
  }
};
struct ComplexInverseByLu {
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = inverse(lu(a));
  }
};

/// Two rows: matrices for the closed form, and matrices for which elimination is used.
enum class TwoRows {
  random,
  real,
  graded,
  near_singular,
  singular,
  huge,
  tiny,
  no_column,
  not_a_number,
  infinite,
  count
};
constexpr TwoRows two_rows(std::int64_t k) { return TwoRows(k % int(TwoRows::count)); }

template <class T>
ComplexDense complex_two_rows(Random& random, std::int64_t k) {
  ComplexDense a = random_complex<T>(random, 2, 2);
  int const big = sizeof(T) == 4 ? 100 : 900, at = int(k / int(TwoRows::count)) % 2;
  auto const scaled = [&](int i, int j, int exponent) { a(i, j) *= std::ldexp(1.0L, exponent); };
  switch (two_rows(k)) {
    case TwoRows::real:
      return make_complex(2, 2, [&](int i, int j) { return LongComplex(a(i, j).real()); });
    case TwoRows::graded:
      for (int j = 0; j < 2; ++j) scaled(at, j, -40);
      for (int i = 0; i < 2; ++i) scaled(i, at, 30);
      break;
    case TwoRows::near_singular:
      // Multiplied by i, and changed by a few epsilons.
      for (int j = 0; j < 2; ++j) {
        LongComplex const near =
            a(0, j) * LongComplex(0, 1) *
            (1 + static_cast<long double>(random()) * std::ldexp(epsilon<T>, int(k % 5)));
        a(1, j) = {static_cast<T>(near.real()), static_cast<T>(near.imag())};
      }
      break;
    case TwoRows::singular:
      for (int j = 0; j < 2; ++j) a(1, j) = a(0, j) * LongComplex(0, 1);
      break;
    case TwoRows::huge:
    case TwoRows::tiny:
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) scaled(i, j, two_rows(k) == TwoRows::huge ? big : -big);
      break;
    case TwoRows::no_column:
      for (int i = 0; i < 2; ++i) a(i, at) = 0;
      break;
    case TwoRows::not_a_number: a(at, 1 - at) = {1, std::numeric_limits<T>::quiet_NaN()}; break;
    case TwoRows::infinite: a(1 - at, 1 - at) = {std::numeric_limits<T>::infinity(), 1}; break;
    default: break;
  }
  return a;
}

template <class T, class Layout>
void complex_inverse_of_two() {
  constexpr std::int64_t n = 10 * int(TwoRows::count) + 5;
  Random random(97);
  ComplexBatchIn<T, Layout, 2, 2> a(n), x(n), by_lu(n), alone(n), unused(n);
  BatchIn<int, Left> codes(n), of_lu(n);
  fill_complex(a, [&](std::int64_t k) { return complex_two_rows<T>(random, k); });
  map(ComplexInverse{}, out(x.view()), out(by_lu.view()), in(a.const_view()));
  map(ComplexInverseAlone{}, out(alone.view()), in(a.const_view()), status(codes.view()));
  map(ComplexInverseByLu{}, out(unused.view()), in(a.const_view()), status(of_lu.view()));
  x.download(), by_lu.download(), alone.download(), codes.download(), of_lu.download();
  int closed = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    TwoRows const kind = two_rows(k);
    ComplexDense const ak = complex_dense(a, k), xk = complex_dense(x, k);
    // The item has the status that elimination gives.
    EXPECT_EQ(codes.at(k), of_lu.at(k));
    EXPECT_TRUE(same_item(alone, x, k));
    closed += !same_item(x, by_lu, k);
    if (codes.at(k) != 0) {
      EXPECT_TRUE(kind == TwoRows::singular || kind == TwoRows::near_singular ||
                  kind >= TwoRows::no_column);
      EXPECT_TRUE(same_item(x, by_lu, k));
      continue;
    }
    EXPECT_LT(int(kind), int(TwoRows::no_column));
    Dense const sa = sizes(ak), sx = sizes(xk);
    if (kind > TwoRows::graded) {
      Dense const size = Dense(2, 2, 8 * norm1(sa));
      EXPECT_TRUE(near(ak * xk, complex_eye(2), tolerance<T>(6, 1) * (size * sx)));
    } else {
      EXPECT_TRUE(near(ak * xk, complex_eye(2), 6 * epsilon<T> * (sa * sx)));
      EXPECT_TRUE(near(xk * ak, complex_eye(2), 6 * epsilon<T> * (sx * sa)));
    }
  }
  EXPECT_GT(closed, n / 10);

  // Neighbours of items that use elimination must be bitwise the same as without these items.
  for (std::int64_t k = 0; k < n; ++k)
    if (two_rows(k) > TwoRows::graded) put_complex(a, k, complex_eye(2));
  a.upload();
  map(ComplexInverseAlone{}, out(alone.view()), in(a.const_view()), status(codes.view()));
  alone.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(codes.at(k), 0);
    EXPECT_TRUE(two_rows(k) > TwoRows::graded || same_item(alone, x, k));
  }
}
TEST(ComplexInverse, OfTwoRows) {
  complex_inverse_of_two<double, Left>();
  complex_inverse_of_two<float, Right>();
}
/// [1 i; i 1] has the inverse [1 -i; -i 1] / 2, also multiplied by 2^k, without rounding.
TEST(ComplexInverse, ClosedForm) {
  using C = Kokkos::complex<double>;
  int const exponents[] = {0, 1, -1, 100, -100, 499, -499, 505, -505, 1020, -1020};
  std::int64_t const n = std::size(exponents);
  ComplexBatchIn<double, Left, 2, 2> a(n), x(n);
  BatchIn<int, Left> codes(n);
  for (std::int64_t k = 0; k < n; ++k)
    put_complex(a, k, make_complex(2, 2, [&](int i, int j) {
                  long double const s = std::ldexp(1.0L, exponents[k]);
                  return i == j ? LongComplex(s, 0) : LongComplex(0, s);
                }));
  a.upload();
  map(ComplexInverseAlone{}, out(x.view()), in(a.const_view()), status(codes.view()));
  x.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    double const half = std::ldexp(1.0, -exponents[k] - 1);
    EXPECT_EQ(codes.at(k), 0) << exponents[k];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        EXPECT_EQ(x.at(k, i, j), i == j ? C(half, 0) : C(0, -half)) << exponents[k];
  }
}

}  // namespace
}  // namespace Batchwork::Test
