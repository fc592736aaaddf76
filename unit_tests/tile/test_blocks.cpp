// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of tiles, tiles composed of parts, and norms.
#include "BlocksCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(Blocks, OfWholeNumbers) {
  auto const run = [](auto const&... arguments) { map(arguments...); };
  expect_blocks<double, Left>(71, run);
  expect_blocks<float, Right>(71, run);
}

/// A NaN counts as the largest entry, also in norms.
struct Norms {
  template <class A, class B, class C, class X>
  KOKKOS_FUNCTION void operator()(A& a, B& b, C& c, X const& x) const {
    a = norm1(x);
    b = norm_inf(x);
    c = max_abs(x);
  }
};
TEST(Blocks, NormsOfWhatIsNotANumber) {
  BatchIn<double, Left, 3, 2> x(5);
  BatchIn<double, Left> a(5), b(5), c(5);
  x.fill([](std::int64_t k) {
    return make_dense(3, 2, [&](int i, int j) {
      return k == 2 && i == 1 && j == 0 ? std::numeric_limits<double>::quiet_NaN() : i - 2.0 * j;
    });
  });
  map(Norms{}, out(a.view()), out(b.view()), out(c.view()), in(x.view()));
  a.download(), b.download(), c.download();
  for (std::int64_t k = 0; k < 5; ++k) {
    EXPECT_EQ(std::isnan(a.at(k)), k == 2);
    EXPECT_EQ(std::isnan(b.at(k)), k == 2);
    EXPECT_EQ(std::isnan(c.at(k)), k == 2);
    if (k == 2) continue;
    EXPECT_EQ(a.at(k), 3.0);
    EXPECT_EQ(b.at(k), 2.0);
    EXPECT_EQ(c.at(k), 2.0);
  }
}

}  // namespace
}  // namespace Batchwork::Test
