// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stacked_r of two tiles, and of the array of a square-root filter.
#include "StackedQrCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, int M_, int N_, int C_, class Layout_ = Left>
struct CaseOfStackedQr {
  using T = T_;
  using Layout = Layout_;
  static constexpr int M = M_, N = N_, C = C_;
};
auto const stacked_qr_by_map = [](auto const&... arguments) { map(arguments...); };

template <class C>
class StackedQrOf : public ::testing::Test {};
using CasesOfStackedQr =
    ::testing::Types<CaseOfStackedQr<double, 1, 1, 1>, CaseOfStackedQr<double, 2, 3, 1, Right>,
                     CaseOfStackedQr<double, 5, 3, 2>, CaseOfStackedQr<double, 4, 4, 6, Right>,
                     CaseOfStackedQr<float, 3, 5, 4>, CaseOfStackedQr<float, 7, 6, 6, Right>>;
TYPED_TEST_SUITE(StackedQrOf, CasesOfStackedQr);
TYPED_TEST(StackedQrOf, HasTheProductsOfBoth) {
  using P = TypeParam;
  expect_stacked_r<typename P::T, typename P::Layout, P::M, P::N, P::C>(83, stacked_qr_by_map);
}
TEST(StackedQr, Arrays) {
  expect_stacked_array<double, Left, 1, 1, 1, 1>(43, stacked_qr_by_map);
  expect_stacked_array<double, Right, 2, 2, 4, 4>(43, stacked_qr_by_map);
  expect_stacked_array<float, Left, 5, 3, 2, 6>(43, stacked_qr_by_map);
  expect_stacked_array<double, Left, 1, 2, 5, 3>(43, stacked_qr_by_map);
}

}  // namespace
}  // namespace Batchwork::Test
