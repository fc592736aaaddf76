// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels of gemm with matrix instructions of warps, run with host threads as lanes.
#include "dense/gemm/GemmOnTeams.hpp"
#include "support/Batchwork_Devices.hpp"

namespace Batchwork::Test {
namespace {

static_assert(Impl::Vendor::multiplies_by_warps<double>);

/// Every kind of block. Rows of C are aligned or begin at any alignment, or columns are contiguous.
TEST(GemmWarps, Blocks) {
  using enum Impl::GemmBlockKind;
  Random random(1);
  for (auto kind : {of_32x32, of_64x64, of_128x64})
    for (auto shared : {Shared::none, Shared::a})
      for (int odd : {0, 1})
        for (auto how : {Arranged::item_contiguous, Arranged::by_columns}) {
          GemmCase g;
          g.items = kind == of_32x32 ? 2 : 1;
          g.m = 34 + odd;
          g.n = 36 - odd;
          g.k = random.integer(1, 17);
          g.shared = shared;
          g.arranged = {how, how, how};
          g.alpha = 0.5;
          g.reads_c = random.integer(0, 1);
          g.beta = g.reads_c ? 2 : 0;
          GemmData<double> const d(g, random);
          check_problem(d, [&](auto const& p) { run_blocks(p, kind, 2 + g.k % 3); });
        }
}

/// As many slabs as fit on a device together with the other teams of a multiprocessor.
TEST(GemmWarps, SlabsOnTheirWay) {
  using enum Impl::GemmBlockKind;
  Impl::GemmProblem<double> p;
  p.m = p.n = p.k = 64;
  for (auto kind : {of_32x32, of_64x64, of_128x64})
    Impl::with_gemm_blocks(p, kind, [&]<class Kernel>(Kernel kernel) {
      using Block = typename Kernel::block_type;
      for (auto const& device : devices()) {
        kernel.use_scratch(device.limits);
        EXPECT_TRUE(kernel.stages == 2 ||
                    device.limits.holds(Block::teams, Block::team, kernel.bytes()))
            << device.name;
      }
      kernel.use_scratch(h200_with_kokkos_4());
      EXPECT_GE(kernel.stages, 2);
      kernel.use_scratch(h200_with_kokkos_5());
      EXPECT_EQ(kernel.stages, kind == of_32x32 ? 3 : 4);
    });
}

TEST(GemmWarps, Runs) {
  Random random(2);
  test_warps<double>(random, 31, 31, 31, 1);
  test_warps<double>(random, 19, 26, 3, 3);
}
/// Item-contiguous items: full teams and a few more, an odd number, blocks of one tile and of
/// several, with and without partial blocks.
template <class Kernel>
void test_sectors(int items, int m, int n, int k, int down, int across) {
  Random random(4);
  GemmCase g;
  g.items = items;
  g.m = m;
  g.n = n;
  g.k = k;
  g.turn_a = down > 1;
  g.turn_c = across > 1;
  g.arranged = {Arranged::interleaved, Arranged::interleaved, Arranged::interleaved};
  g.alpha = -0.5;
  g.reads_c = items != Kernel::items;
  g.beta = items > Kernel::items + 1 ? 0.75 : 0;
  GemmData<double> const d(g, random);
  d.check([&] {
    Kernel kernel(problem_of(d), 1000, h200_with_kokkos_5());
    EXPECT_GT(kernel.cost, 0);
    EXPECT_LE(kernel.bytes(), h200_with_kokkos_5().scratch_of_team);
    kernel.set_block(down, across);
    kernel.rounds = items % 4 ? 2 : 1;
    run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
  });
}
TEST(GemmWarps, SectorsOfEight) {
  using Kernel = Impl::GemmSectorsByMatrices<double, 8, 3>;
  test_sectors<Kernel>(8, 32, 16, 24, 1, 1);
  test_sectors<Kernel>(11, 33, 18, 17, 2, 1);
  test_sectors<Kernel>(9, 31, 30, 9, 1, 2);
}
TEST(GemmWarps, SectorsOfSixteen) {
  using Kernel = Impl::GemmSectorsByMatrices<double, 16, 3>;
  test_sectors<Kernel>(16, 32, 16, 16, 1, 1);
  test_sectors<Kernel>(19, 31, 17, 23, 1, 1);
}
TEST(GemmWarps, RunsWithoutInstructions) {
  Random random(3);
  test_warps<float>(random, 27, 29, 31);
}

}  // namespace
}  // namespace Batchwork::Test
