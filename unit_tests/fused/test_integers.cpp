// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integers, bools and tables as operands of map, in every arrangement and with packs of several
// widths.
#include "fused/IntegersCase.hpp"

namespace Batchwork::Test {
namespace {

auto const by_map = [](std::int64_t, auto const&... arguments) { map(arguments...); };
template <int W>
auto const by_width =
    [](std::int64_t, auto const&... arguments) { map(launch(width<W>), arguments...); };

TEST(Integers, Arithmetic) {
  expect_arithmetic<std::int32_t, Left>(103, by_map);
  expect_arithmetic<std::int64_t, Right>(103, by_map);
  expect_arithmetic<std::int32_t, CompactBy<4>>(5, by_map);
  expect_arithmetic<std::int64_t, Strided>(11, by_width<2>);
  expect_arithmetic<std::int32_t, LeftPart>(101, by_width<1>);
}
TEST(Integers, BesideRealNumbers) {
  expect_mixed<double, Left>(39, by_map);
  expect_mixed<float, Right>(37, by_map);
  // The number of items in a pack of another type, so that masks of two sizes are combined.
  expect_mixed<float, CompactBy<8>>(19, by_width<2>);
  expect_mixed<double, Left>(39, by_width<16>);
}
TEST(Integers, Conversions) {
  expect_conversions<double, Left>(by_map);
  expect_conversions<float, Strided>(by_map);
  expect_conversions<double, Right>(by_width<1>);
}
TEST(Integers, Tiles) {
  expect_corners<std::int32_t, Left>(21, by_map);
  expect_corners<std::int64_t, Right>(21, by_map);
  expect_corners<std::int32_t, CompactBy<4>>(9, by_map);
  expect_corners<std::int32_t, Strided>(9, by_map);
}
TEST(Integers, Tables) {
  for (std::int64_t n : {0, 1, 39}) expect_look_ups<double, std::int32_t, Left>(n, by_map);
  expect_look_ups<float, std::int64_t, Right>(27, by_map);
  expect_look_ups<double, std::int32_t, Strided>(21, by_width<1>);
  expect_whole_look_ups<std::int32_t>(14, by_map);
  expect_whole_look_ups<std::int64_t>(14, by_map);
}

}  // namespace
}  // namespace Batchwork::Test
