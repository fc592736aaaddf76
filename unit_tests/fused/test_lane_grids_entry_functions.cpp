// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sin, atan2 and other functions, apply and print: of tiles that lanes share, and with one item for
// each lane.
#include "fused/MapByLanes.hpp"
#include "tile/FunctionsCase.hpp"

namespace Batchwork::Test {
namespace {

template <int L, class How = Division<>>
auto entry_functions_by(int team, std::int64_t n) {
  return [=](auto const& sequence, auto const&... operands) {
    map_by_lanes<L, How>(team, n, sequence, Impl::resolve(operands)...);
  };
}

TEST(LaneGrids, FunctionsOfEntries) {
  expect_functions<double, Left, 5, 3>(9, entry_functions_by<8>(32, 9));
  expect_functions<float, Right, 3, 2>(5, entry_functions_by<1>(4, 5));
}
TEST(LaneGrids, FunctionsOfStructures) {
  expect_structures<double, Right, 5>(9, entry_functions_by<8>(32, 9));
  expect_structures<float, Left, 6>(5, entry_functions_by<32>(64, 5));
  expect_structures<double, Left, 3>(5, entry_functions_by<2>(32, 5));
}
/// Lanes that have no line, or no entries right of the diagonal, do not call the function.
TEST(LaneGrids, FunctionsOfPlainNumbers) {
  expect_applied<double, Left, 5, 3>(9, entry_functions_by<8>(32, 9));
  expect_applied<float, Right, 6, 6>(5, entry_functions_by<32>(64, 5));
  expect_applied<float, Left, 3, 2>(7, entry_functions_by<1>(4, 7));
}

struct PrintShared {
  template <class Y, class A, class S>
  void operator()(Y& y, A const& a, S const& s) const {
    print(s == 2, "a", a);
    print(s == 1, "s", s);
    y = s;
  }
};
TEST(LaneGrids, PrintedByOneLane) {
  BatchIn<float, Left, 3, 2> a(4);
  BatchIn<float, Left> s(4), y(4);
  for (int k = 0; k < 4; ++k) {
    s.at(k) = float(k);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j) a.at(k, i, j) = float(100 * k + 10 * i + j);
  }
  a.upload(), s.upload();
  ::testing::internal::CaptureStdout();
  map_by_lanes<8>(32, 4, PrintShared{}, Impl::resolve(out(y.view())), Impl::resolve(in(a.view())),
                  Impl::resolve(in(s.view())));
  std::fflush(stdout);
  std::string const said = ::testing::internal::GetCapturedStdout();
  // Items in any order.
  std::string const of_a = "a(0, :) = 200 201\na(1, :) = 210 211\na(2, :) = 220 221\n",
                    of_s = "s = 1\n";
  EXPECT_TRUE(said == of_a + of_s || said == of_s + of_a) << said;
}

}  // namespace
}  // namespace Batchwork::Test
