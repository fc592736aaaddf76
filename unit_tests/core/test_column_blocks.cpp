// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorting columns by value, with a different order for each item of a pack.
#include <gtest/gtest.h>

#include <limits>

#include "core/detail/Batchwork_ColumnBlocks.hpp"

namespace Batchwork::Test {
namespace {

using Four = Pack<double, 4>;

Four pack_of(double a, double b, double c, double d) {
  Four x;
  x.set_lane(0, a), x.set_lane(1, b), x.set_lane(2, c), x.set_lane(3, d);
  return x;
}

/// Items in order, in reverse order, with equal values, and with a NaN. The columns of the last one
/// must not be moved.
TEST(ColumnBlocks, OrderOfEachItem) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  Four const values[] = {pack_of(1, 3, 2, 0), pack_of(2, 2, 1, nan), pack_of(3, 1, 1, 1)};
  Four places[3], work[3];
  Impl::find_order(values, 3, places, work);
  double const expected[4][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 1, 2}};
  for (int l = 0; l < 4; ++l)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(places[k].lane(l), expected[l][k]) << l << ' ' << k;

  // Two rows. Each entry encodes its column and row.
  Four a[3 * 2], row[3];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 2; ++i) a[j * 2 + i] = Four(10 * i + j);
  Impl::permute_columns(a, 2, 2, 3, places, row);
  for (int l = 0; l < 4; ++l)
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 2; ++i) EXPECT_EQ(a[k * 2 + i].lane(l), 10 * i + expected[l][k]);
}

}  // namespace
}  // namespace Batchwork::Test
