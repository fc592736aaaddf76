// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of complex numbers: sums, products, lu, cholesky and qr of extents from 1 to 8, in every arrangement.
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
  // No item, one, a pack but one, a pack, and one more.
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

/// Parts, structures and the like of whole numbers, exactly.
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
  // Powers of i, and of two: divisions are exact.
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

}  // namespace
}  // namespace Batchwork::Test
