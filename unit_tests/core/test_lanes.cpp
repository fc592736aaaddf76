// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choice of how many lanes of a device share an item.
#include <gtest/gtest.h>

#include "core/detail/Batchwork_Lanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
class LanesPerItem : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LanesPerItem, Reals);

// Measured choices by extent, from 1 on. Another number means another kernel for every sequence of
// that extent.
constexpr int in_float[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  2,  2,  4,  4,  4,  4,
                              4, 4, 8, 8, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16};
constexpr int in_double[32] = {1,  1,  1,  1,  1,  1,  1,  2,  2,  2,  4,  4,  8,  8,  8,  8,
                               16, 16, 16, 16, 16, 16, 16, 16, 32, 32, 32, 32, 32, 32, 32, 32};

TYPED_TEST(LanesPerItem, AreTheMeasuredOnes) {
  for (int n = 1; n <= 32; ++n)
    EXPECT_EQ(Impl::lanes_per_item<TypeParam>(n),
              (sizeof(TypeParam) == 4 ? in_float : in_double)[n - 1])
        << n;
}

template <class T, int E>
void expect_room_for_a_warp() {
  constexpr int lanes = Impl::lanes_per_item<T>(E);
  if (lanes == 1) return;  // has no lanes to share an item
  EXPECT_LE((Impl::Exchange<T, lanes, E>::bytes * (32 / lanes)), Impl::scratch_of_a_team) << E;
}
TYPED_TEST(LanesPerItem, LeaveRoomForTheExchangeOfAWarp) {
  [&]<int... E>(std::integer_sequence<int, E...>) {
    (expect_room_for_a_warp<TypeParam, E + 1>(), ...);
  }(std::make_integer_sequence<int, 32>{});
}

}  // namespace
}  // namespace Batchwork::Test
