// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choice of how many lanes of a device share an item.
#include <gtest/gtest.h>

#include "machine/Batchwork_Lanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
class LanesPerItem : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LanesPerItem, Reals);

TYPED_TEST(LanesPerItem, ArePartOfAWarpAndGrowWithTheItem) {
  using T = TypeParam;
  int before = 1;
  for (int n = 1; n <= 32; ++n) {
    int const lanes = Impl::lanes_per_item<T>(n);
    EXPECT_GE(lanes, before) << n;
    EXPECT_EQ(32 % lanes, 0) << n;
    before = lanes;
  }
  EXPECT_EQ(Impl::lanes_per_item<T>(sizeof(T) == 4 ? 10 : 7), 1);
}

template <class T, int E>
void expect_room_for_a_warp() {
  constexpr int lanes = Impl::lanes_per_item<T>(E);
  if (lanes == 1) return;  // has none
  EXPECT_LE((Impl::Exchange<T, lanes, E>::bytes * (32 / lanes)), Impl::scratch_of_a_team) << E;
}
TYPED_TEST(LanesPerItem, LeaveRoomForTheExchangeOfAWarp) {
  [&]<int... E>(std::integer_sequence<int, E...>) {
    (expect_room_for_a_warp<TypeParam, E + 1>(), ...);
  }(std::make_integer_sequence<int, 32>{});
}

}  // namespace
}  // namespace Batchwork::Test
