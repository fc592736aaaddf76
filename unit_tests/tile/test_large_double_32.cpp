// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles up to 32 x 32 in double, on devices.
#include "tile/Large.hpp"

namespace Batchwork::Test {
namespace {

using Cases = ::testing::Types<LargeCase<double, 17, 5, Strided>, LargeCase<double, 24, 9, Right>,
                               LargeCase<double, 31, 2, Left>, LargeCase<double, 32, 15, Left>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Double32, LargeTile, Cases);

}  // namespace
}  // namespace Batchwork::Test
