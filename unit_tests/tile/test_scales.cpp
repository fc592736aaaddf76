// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every operation on tiles in every unit.
#include "ScalesCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](auto const&... arguments) { map(arguments...); };

TEST(Scales, Double3) { everything_at_scales<double, 3>(by_map); }
TEST(Scales, Float3) { everything_at_scales<float, 3>(by_map); }

}  // namespace
}  // namespace Batchwork::Test
