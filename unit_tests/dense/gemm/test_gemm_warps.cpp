// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels of gemm whose warps multiply matrices by instructions, with threads for lanes.
#include "dense/gemm/GemmOnTeams.hpp"

namespace Batchwork::Test {
namespace {

static_assert(Impl::Vendor::multiplies_by_warps<double>);

/// Every kind of block, of which rows of C are aligned, begin anywhere, or columns stand side by side.
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
          d.check([&] { run_blocks(problem_of(d), kind); });
        }
}

TEST(GemmWarps, Runs) {
  Random random(2);
  test_warps<double>(random, 31, 31, 31, 1);
  test_warps<double>(random, 19, 26, 3, 3);
}
TEST(GemmWarps, RunsWithoutInstructions) {
  Random random(3);
  test_warps<float>(random, 27, 29, 31);
}

}  // namespace
}  // namespace Batchwork::Test
