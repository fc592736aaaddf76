// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles up to 32 x 32 in float, on devices.
#include "tile/Large.hpp"

namespace Batchwork::Test {
namespace {

using Cases = ::testing::Types<LargeCase<float, 17, 17, Left>, LargeCase<float, 24, 24, Left>,
                               LargeCase<float, 31, 13, Right>, LargeCase<float, 32, 32, Left>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Float32, LargeTile, Cases);

}  // namespace
}  // namespace Batchwork::Test
