// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Square tiles with extents that other files do not test, on devices.
#include "tile/Large.hpp"

namespace Batchwork::Test {
namespace {

using Cases = ::testing::Types<LargeCase<double, 9, 9, Left>, LargeCase<double, 11, 11, Right>,
                               LargeCase<double, 12, 12, Left>, LargeCase<double, 15, 15, Strided>,
                               LargeCase<float, 9, 9, Right>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Square, LargeTile, Cases);

}  // namespace
}  // namespace Batchwork::Test
