// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of complex numbers: sums, products, lu, cholesky and qr of extents from 1 to 8, in every arrangement.
#include "ComplexCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](auto const&... arguments) { map(arguments...); };

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
                     ComplexShape<float, 3, 3, CompactBy<8>>, ComplexShape<float, 5, 5>,
                     ComplexShape<float, 4, 7, Right>>;
TYPED_TEST_SUITE(ComplexTile, Shapes);

TYPED_TEST(ComplexTile, Products) {
  using S = TypeParam;
  // No item, one, a pack but one, a pack, and one more.
  for (int n : {0, 1, Impl::native_width<typename S::T> - 1, Impl::native_width<typename S::T>,
                Impl::native_width<typename S::T> + 1, 29})
    expect_complex_products<typename S::T, typename S::Layout, S::M, S::N>(n, by_map);
}
TYPED_TEST(ComplexTile, Lu) {
  using S = TypeParam;
  expect_complex_lu<typename S::T, typename S::Layout, S::N, S::M>(69, by_map);
}
TYPED_TEST(ComplexTile, Cholesky) {
  using S = TypeParam;
  expect_complex_cholesky<typename S::T, typename S::Layout, S::N, S::M>(31, by_map);
}
TYPED_TEST(ComplexTile, Qr) {
  using S = TypeParam;
  expect_complex_qr<typename S::T, typename S::Layout, S::M, S::N, 2>(69, by_map);
}

}  // namespace
}  // namespace Batchwork::Test
