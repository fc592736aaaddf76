// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of gemm, run on the host by teams of threads. They are thus tested without a
// device, and with sanitizers. Also the choice of tiles.
#include <algorithm>

#include "dense/gemm/GemmOnTeams.hpp"
#include "support/Batchwork_Devices.hpp"

namespace Batchwork::Test {
namespace {

/// The tiled kernel for a case, with a number of tiles for each team.
template <class T, Impl::GemmTileKind Kind, class Left>
void run_kind(Impl::GemmProblem<T> const& p, Impl::GemmTilesPlan<T> const& plan, int rounds,
              Left const& left) {
  Impl::GemmTiles<T, Impl::GemmTileOf<Kind>, Left> kernel(p, left, plan.how, plan.a, plan.b);
  kernel.rounds = rounds;
  EXPECT_LE(kernel.scratch_bytes(), Impl::scratch_of_a_team);
  run_teams(kernel, int((kernel.tiles + rounds - 1) / rounds), plan.how.team,
            kernel.scratch_bytes());
}
template <class T>
void run_tiles(Impl::GemmProblem<T> const& p, int rounds) {
  using enum Impl::GemmTileKind;
  if (Impl::gemm_suits_blocks(p)) {
    run_blocks(p, Impl::choose_gemm_block(p, 1000, h200_with_kokkos_4()), 2 + rounds % 3);
    return;
  }
  Impl::GemmTilesPlan<T> const plan(p, h200_with_kokkos_4());
  Impl::GemmViewed const left{};
  if (plan.how.kind == tiny) run_kind<T, tiny>(p, plan, rounds, left);
  else run_kind<T, small>(p, plan, rounds, left);
}

template <class T>
struct GemmTilesTest : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GemmTilesTest, Numbers);

TYPED_TEST(GemmTilesTest, Tiles) {
  using T = TypeParam;
  Random random(1);
  for (int n : gemm_sizes)
    for (int repeat = 0; repeat < 4; ++repeat) {
      auto g = some_case(random, n > 32 ? 2 : random.integer(1, 50), n, n, n);
      if (repeat > 0) g.m = random.integer(1, 40);
      if (repeat > 1) g.n = random.integer(1, 70);
      if (repeat > 2) g.k = random.integer(0, 50);
      GemmData<T> const d(g, random);
      check_problem(d, [&](auto const& p) { run_tiles(p, random.integer(1, 4)); });
    }
}

/// Sizes with aligned runs of 16 bytes, in the arrangements that can be copied and stored by such
/// runs.
TYPED_TEST(GemmTilesTest, WideAccesses) {
  using T = TypeParam;
  Random random(2);
  for (int n : {4, 16, 24, 32, 96})
    for (auto shared : {Shared::none, Shared::a, Shared::b})
      for (auto how : {Arranged::item_contiguous, Arranged::by_columns, Arranged::interleaved}) {
        GemmCase g;
        g.items = n > 32 ? 2 : 24;
        g.m = n;
        g.n = n + 4;
        g.k = n + 8;
        g.shared = shared;
        g.arranged = {how, how, how};
        g.turn_a = random.integer(0, 1);
        g.turn_b = random.integer(0, 1);
        g.reads_c = random.integer(0, 1);
        g.beta = g.reads_c ? 0.5 : 0;
        GemmData<T> const d(g, random);
        check_problem(d, [&](auto const& p) { run_tiles(p, 2); });
      }
}

/// Every kind of block, with and without partial blocks.
TYPED_TEST(GemmTilesTest, Blocks) {
  using T = TypeParam;
  using enum Impl::GemmBlockKind;
  Random random(5);
  for (auto kind : {of_32x32, of_32x128, of_48x48, of_64x64, of_128x64, of_128x128}) {
    if (sizeof(T) == 8 ? kind == of_32x128 || kind == of_48x48 || kind == of_128x128
                       : kind == of_128x64)
      continue;
    for (int repeat = 0; repeat < 24; ++repeat) {
      auto const size = [&] {
        return random.integer(0, 2) ? 4 * random.integer(1, 34) : random.integer(1, 140);
      };
      auto const g = some_case(random, random.integer(1, 6), size(), size(), random.integer(0, 40));
      GemmData<T> const d(g, random);
      check_problem(d, [&](auto const& p) { run_blocks(p, kind, random.integer(2, 4)); });
    }
  }
}

TYPED_TEST(GemmTilesTest, FixedOperand) {
  using T = TypeParam;
  Random random(3);
  for (int n : {3, 6, 15}) {
    GemmCase g;
    g.items = 15;
    g.m = n;
    g.n = n == 3 ? 5 : 50;
    g.k = n - 1;
    g.shared = Shared::a;
    GemmData<T> const d(g, random);
    auto const p = problem_of(d);
    Impl::GemmFixed<T> fixed{};
    for (int i = 0; i < g.m * g.k; ++i) fixed.values[i] = d.a.host(std::size_t(i));
    d.check([&] {
      Impl::GemmTilesPlan<T> const plan(p, h200_with_kokkos_4());
      if (n == 3) run_kind<T, Impl::GemmTileKind::tiny>(p, plan, 2, fixed);
      else run_kind<T, Impl::GemmTileKind::small>(p, plan, 2, fixed);
    });
  }
}

TYPED_TEST(GemmTilesTest, LanesOfInterleaved) {
  using T = TypeParam;
  Random random(4);
  for (int n : {1, 3, 4, 5, 9, 20})
    for (std::int64_t items : {2, 128, 300}) {
      auto g = some_case(random, items, n, n + 1, n + 2);
      g.shared = Shared::none;
      g.arranged = {Arranged::interleaved, Arranged::interleaved, Arranged::interleaved};
      GemmData<T> const d(g, random);
      d.check([&] {
        auto const compute = [&](auto const& kernel) {
          HostTeam team(kernel.threads, 0);
          for (int league = 0; league < int(kernel.teams()); ++league)
            for (int rank = 0; rank < kernel.threads; ++rank)
              kernel(HostMember{&team, rank, league});
        };
        for (std::int64_t concurrency : {1, 1000}) {
          if (concurrency > 1 && g.beta != 0) continue;
          auto const p = problem_of(d);
          if (n < 9) compute(Impl::GemmLanes<T, 4>(p, concurrency));
          else compute(Impl::GemmLanes<T, 8>(p, concurrency));
        }
      });
    }
}

/// The choice of a block for a limit of scratch memory and for a device.
template <class T, class Kernel>
void check_sectors() {
  Random random(6);
  int const items = Kernel::items;
  for (int repeat = 0; repeat < 25; ++repeat) {
    int const sizes[] = {8, 9, 16, 17, 24, 31, 40, 67};
    auto const size = [&] { return sizes[random.integer(0, 7)]; };
    // Whole teams, or a few more items, with and without aligned runs of 16 bytes.
    std::int64_t const count =
        items * random.integer(1, 3) + (repeat % 2 ? random.integer(0, items - 1) : 0);
    auto g = some_case(random, count, size(), size(), random.integer(0, 40));
    g.shared = Shared::none;
    g.arranged = {Arranged::interleaved, Arranged::interleaved, Arranged::interleaved};
    GemmData<T> const d(g, random);
    d.check([&] {
      Kernel kernel(problem_of(d), 1000, h200_with_kokkos_4());
      EXPECT_EQ(kernel.copies_wide, count % Kernel::wide == 0);
      EXPECT_LE(kernel.bytes(), h200_with_kokkos_4().scratch_of_team);
      if (repeat % 3) kernel.set_block(random.integer(1, 3), random.integer(1, 3));
      kernel.rounds = random.integer(1, 3);
      run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
    });
  }
}
TYPED_TEST(GemmTilesTest, SectorsOfInterleaved) {
  using T = TypeParam;
  check_sectors<T, Impl::GemmSectors<T>>();
  check_sectors<T, Impl::GemmSectors<T, 64 / int(sizeof(T)), 3>>();
}

TYPED_TEST(GemmTilesTest, WarpsOfRuns) {
  Random random(7);
  test_warps<TypeParam>(random, 31, 31, 31);
  test_warps<TypeParam>(random, 17, 5, 23);
}

// ---- choices ------------------------------------------------------------------------------------

TEST(GemmChoice, TilesAndBlocksFitEveryDevice) {
  using Tile = Impl::GemmTileOf<Impl::GemmTileKind::small>;
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    std::size_t const bytes = Impl::gemm_small_scratch(device.limits);
    EXPECT_TRUE(launches(device, Tile::teams, Tile::threads, bytes + 16));
    // Three devices and similar ones have enough memory for the measured choice.
    bool const measured = device.limits.scratch_of_multiprocessor >= 160000 &&
                          device.limits.scratch_of_team >= Impl::scratch_with_kokkos_4;
    if (measured) {
      EXPECT_EQ(bytes, 34000u);
    }
    auto const check = [&]<class T>(T) {
      for (int m = 17; m < 300; m += 5)
        for (int items : {1, 100, 100000}) {
          Impl::GemmProblem<T> p;
          p.items = items;
          p.m = p.n = p.k = m;
          auto const kind = Impl::choose_gemm_block(p, 270336, device.limits);
          if (measured) {
            ASSERT_EQ(kind, Impl::choose_gemm_block(p, 270336, h200_with_kokkos_4())) << m;
          }
          Impl::with_gemm_block<T>(kind, [&]<Impl::GemmBlockKind Kind>() {
            using Block = typename Impl::GemmBlockOf<T, Kind>::type;
            Impl::GemmBlocks<T, Block> kernel(p);
            kernel.use_scratch(device.limits);
            ASSERT_TRUE(launches(device, Block::teams, Block::team, kernel.bytes())) << m;
          });
        }
    };
    check(1.0f);
    check(1.0);
  }
}

TEST(GemmChoice, SectorsAndWarpsFitEveryDevice) {
  for (auto const& device : devices()) {
    SCOPED_TRACE(device.name);
    auto const check = [&]<class T>(T) {
      for (int m = 8; m < 300; m += m < 40 ? 1 : 13)
        for (int items : {8, 100, 100000}) {
          Impl::GemmProblem<T> p;
          p.items = items;
          p.m = p.n = p.k = m;
          p.a = p.b = {nullptr, m * m, m, 1};
          p.c = {nullptr, m * m, m, 1};
          auto const fits = [&]<class Sectors>(Sectors const& kernel) {
            ASSERT_TRUE(launches(device, 1, kernel.team(), kernel.bytes())) << m;
            ASSERT_LE(kernel.team(), Sectors::largest_team);
            ASSERT_GE(kernel.teams() * kernel.rounds, kernel.blocks);
          };
          fits(Impl::GemmSectors<T>(p, 270336, device.limits));
          Impl::GemmSectors<T, 64 / int(sizeof(T))> const wider(p, 270336, device.limits);
          if (wider.cost > 0) fits(wider);
          if constexpr (sizeof(T) == 8) {
            Impl::GemmSectorsByMatrices<T, 8, 3> const eight(p, 270336, device.limits);
            if (eight.cost > 0) fits(eight);
            Impl::GemmSectorsByMatrices<T, 16, 3> const sixteen(p, 270336, device.limits);
            if (sixteen.cost > 0) fits(sixteen);
          }
          if (!Impl::gemm_suits_warps(p)) continue;
          Impl::GemmWarps<T> const warps(p, 270336);
          ASSERT_TRUE(launches(device, 1, warps.team(), warps.bytes())) << m;
        }
    };
    check(1.0f);
    check(1.0);
  }
}

TEST(GemmChoice, BlocksOfEverySizeFit) {
  std::vector<std::size_t> scratch;
  for (auto const& device : devices())
    if (device.counts_teams) scratch.push_back(Impl::gemm_small_scratch(device.limits));
  std::sort(scratch.rbegin(), scratch.rend());
  scratch.erase(std::unique(scratch.begin(), scratch.end()), scratch.end());
  auto const check = [&]<class T>(T) {
    for (int m = 1; m < 300; m += m < 40 ? 1 : 13)
      for (int n = 1; n < 300; n += n < 40 ? 1 : 17)
        for (int k : {1, 2, 5, 8, 16, 31, 32, 33, 64, 256})
          for (int which = 0; which < 8; ++which) {
            Impl::GemmProblem<T> p;
            p.shared_a = which & 1;
            if (!p.shared_a && std::max(m, n) > 16) continue;  // these are computed by blocks
            p.items = 1000;
            p.m = m;
            p.n = n;
            p.k = k;
            using Tile = Impl::GemmTileOf<Impl::GemmTileKind::small>;
            int slab = 1 << 20;
            // From much scratch memory to little.
            for (std::size_t bytes : scratch) {
              auto const b = Impl::choose_gemm_blocking(p, which & 2, which & 4, bytes);
              ASSERT_LE(std::size_t(b.numbers()) * sizeof(T), bytes) << m << " " << n << " " << k;
              ASSERT_LE(b.team, Tile::threads);
              ASSERT_EQ(b.team % Impl::lanes_of_warp, 0);
              ASSERT_LE(b.threads, b.team);
              ASSERT_GE(b.threads, 1);
              ASSERT_GE(b.slab, 1);
              ASSERT_LE(b.slab, slab);
              ASSERT_TRUE(b.slots == 1 || (b.rows >= m && b.cols >= n));
              slab = b.slab;
            }
          }
  };
  check(1.0f);
  check(1.0);
}

TEST(GemmChoice, QuickDivisor) {
  for (int d : {1, 2, 3, 7, 31, 32, 33, 1000, 32767, 32768}) {
    Impl::QuickDivisor const by(d);
    for (int n : {0, 1, d - 1, d, d + 1, 2 * d - 1, 2 * d, d + 1024})
      EXPECT_EQ(by.quotient(n), n / d) << n << " by " << d;
  }
}

}  // namespace
}  // namespace Batchwork::Test
