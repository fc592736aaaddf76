// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles up to 16 x 16 in float.
#include "tile/Large.hpp"

namespace Batchwork::Test {
namespace {

using CasesOfLargeFloat = std::conditional_t<
    Impl::runs_on_device<Space>,
    ::testing::Types<LargeCase<float, 11, 1, Left>, LargeCase<float, 12, 12, Right>,
                     LargeCase<float, 13, 4, Left>, LargeCase<float, 15, 15, Strided>,
                     LargeCase<float, 16, 7, CompactBy<8>>>,
    ::testing::Types<LargeCase<float, 17, 7, CompactBy<8>>, LargeCase<float, 32, 32, Left>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Float, LargeTile, CasesOfLargeFloat);

}  // namespace
}  // namespace Batchwork::Test
