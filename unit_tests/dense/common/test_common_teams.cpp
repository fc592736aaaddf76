// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels for one matrix and many right-hand sides, run on the host by teams of threads.
// Compiled a second time with warps of 32 lanes.
#include <cstdint>
#include <vector>

#include "CommonCase.hpp"
#include "dense/ChoiceTable.hpp"
#include "dense/common/detail/Batchwork_CommonKernels.hpp"
#include "dense/common/detail/Batchwork_CommonLanes.hpp"
#include "dense/common/detail/Batchwork_CommonTiles.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

using enum CommonMatrix;

/// Two teams of two warps. Right-hand sides may be gathered: then they are anywhere.
template <template <class, int> class Kernel, int Tiles>
struct ByTeams {
  bool gathered = false;

  template <class T>
  void operator()(CommonData<T> const& d, bool in_place) const {
    auto p = d.problem(in_place);
    std::vector<std::int64_t> begins;
    for (std::int64_t q = 0; q < p.items; ++q) begins.push_back(q * p.b.group);
    if (gathered) p.b = Impl::items_anywhere(p.b.data, begins.data(), p.b.row, p.b.col);
    Kernel<T, Tiles> const kernel(p, 2, 64);
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
  }
};

template <template <class, int> class Kernel, class T, int Tiles>
void check_tiles(Random& random) {
  int turn = Tiles;
  for (CommonMatrix kind : {general, symmetric, lower, upper}) {
    for (int n : {8 * Tiles - 7, 8 * Tiles - 2, 8 * Tiles}) {
      Arranged const how = all_arranged[turn % 4], how_x = all_arranged[turn / 4 % 4];
      ByTeams<Kernel, Tiles> const solve{turn % 3 == 1};
      ++turn;
      check_common<T>(kind, n, turn % 2 == 0 ? 150 / Tiles : 40 / Tiles + 1, turn % 3 == 0 ? 3 : 1,
                      how, how_x, 10, random, solve);
    }
    check_common<T>(kind, 8 * Tiles, 131 / Tiles, 2, Arranged::item_contiguous,
                    Arranged::item_contiguous, sizeof(T) == 4 ? 100 : 1e10, random,
                    ByTeams<Kernel, Tiles>());
  }
  check_common_failures<T>(8 * Tiles - 1, 70 / Tiles, random, ByTeams<Kernel, Tiles>());
}

TEST(CommonTeams, LanesSolve) {
  Random random(1);
  check_tiles<Impl::CommonLanes, double, 1>(random);
  check_tiles<Impl::CommonLanes, float, 3>(random);
}
TEST(CommonTeams, WarpsSolve) {
  if (!Impl::Vendor::chains_matrices<double>) return;
  Random random(2);
  check_tiles<Impl::CommonTiles, double, 1>(random);
  check_tiles<Impl::CommonTiles, float, 2>(random);
  check_tiles<Impl::CommonTiles, double, 4>(random);
}
/// Items of a unit: many columns of an item stay with one warp, which then writes its status.
TEST(CommonTeams, ColumnsOfAnItemStayTogether) {
  if (!Impl::Vendor::chains_matrices<double>) return;
  Random random(3);
  check_common<double>(general, 5, 3, 150, Arranged::by_columns, Arranged::item_contiguous, 10,
                       random, ByTeams<Impl::CommonTiles, 1>());
  check_common<double>(general, 5, 3, 150, Arranged::by_columns, Arranged::item_contiguous, 10,
                       random, ByTeams<Impl::CommonTiles, 1>{true});
  Impl::CommonProblem<double> p;
  p.items = 3, p.columns = 150, p.n = 5;
  p.divide(64, 2);
  EXPECT_EQ(p.units, 8);  // nobody asks for a status
  int code = 0;
  p.status.narrow = &code;
  p.divide(64, 2);
  EXPECT_EQ(p.units, 3);
}
/// Which kernel runs first: by the layout of the right-hand sides, and with matrix instructions.
TEST(CommonTeams, Choice) {
  using enum KernelKind;
  if constexpr (Impl::common_by_warps) {
    auto const near = [](int n) { return Impl::choose_common<float>(n, true); };
    auto const far = [](int n) { return Impl::choose_common<float>(n, false); };
    auto const near_double = [](int n) { return Impl::choose_common<double>(n, true); };
    auto const far_double = [](int n) { return Impl::choose_common<double>(n, false); };
    expect_chosen(near, {{24, by_lane, 24, 1}, {25, by_warps, 32, 32}, {65, by_warps, 96, 32}});
    expect_chosen(far, {{6, by_lane, 8, 1}, {7, by_warps, 8, 32}});
    expect_chosen(near_double, {{8, by_lane, 8, 1}, {9, by_warps, 16, 32}});
    expect_chosen(far_double, {{3, by_lane, 8, 1}, {4, by_warps, 8, 32}});
    expect_kinds(near_double(17), {by_warps});
  } else {
    expect_kinds(Impl::choose_common<double>(64, false), {by_lane});
    expect_kinds(Impl::choose_common<double>(65, true), {});
  }
}
TEST(CommonTeams, FactorsFitIntoScratch) {
  EXPECT_LE((Impl::CommonTiles<double, 6>::bytes()), h200_with_kokkos_4().scratch_of_team);
  EXPECT_LE((Impl::CommonTiles<double, 16>::bytes()), h200_with_kokkos_5().scratch_of_team);
  EXPECT_LE((Impl::CommonLanes<float, 8>::bytes()), h200_with_kokkos_5().scratch_of_team);
}

}  // namespace
}  // namespace Batchwork::Test
