// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_cholesky, team_solve_cholesky, team_eigh, team_svd, team_qr, team_least_squares, team_lu and
// team_solve_lu as devices run them,
// by teams of threads. Compiled with and without warps of 32 lanes.
#include "TeamItemCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

/// Fewer teams than items; the last round has not an item for each team.
struct OnThreads {
  int size;
  template <class Item>
  void operator()(Item const& item, std::int64_t items) const {
    run_teams(KernelOfUser<Item>{item, items}, int(items > 2 ? items * 2 / 3 : items), size,
              item.scratch_size(size));
  }
};
template <class T>
void check_all(int n, int size) {
  SCOPED_TRACE("teams of " + std::to_string(size));
  Random random(n);
  OnThreads const run{size};
  TeamItems<true, T, OnThreads> const check{run};
  check.all(n, 7, n % 2 == 0 ? Arranged::item_contiguous : Arranged::interleaved, random);
}

TEST(TeamItemsOfLanes, SmallSizes) {
  for (int n : {1, 2, 3, 5, 8, 9}) check_all<float>(n, 32), check_all<double>(n, 64);
}
TEST(TeamItemsOfLanes, TeamSizes) {
  if constexpr (Impl::Vendor::has_shuffles) {
    for (int size : {32, 96, 256}) check_all<float>(13, size), check_all<double>(18, size);
  } else {
    // cholesky needs warps.
    for (int size : {1, 3, 32}) {
      Random random(size);
      OnThreads const run{size};
      TeamItems<true, double, OnThreads> const check{run};
      check.eigh(13, 7, Arranged::item_contiguous, random);
      check.lu(13, 2, 7, Arranged::interleaved, random);
      check.svd(13, 9, 7, Arranged::interleaved, random);
      check.qr(13, 9, 9, 7, Arranged::interleaved, random);
      check.least_squares(13, 9, 2, 7, Arranged::interleaved, random);
    }
  }
}
/// Divide and conquer, for which the size of the team is known at compile time, and what it leaves
/// to rotations.
template <class T, int TeamSize>
void check_known_size(std::initializer_list<int> sizes) {
  Random random(TeamSize);
  OnThreads const run{TeamSize};
  TeamItems<true, T, OnThreads> const check{run};
  for (int n : sizes)
    check.template eigh<TeamSize>(
        n, 4, n % 2 == 0 ? Arranged::item_contiguous : Arranged::interleaved, random);
}
TEST(TeamItemsOfLanes, KnownTeamSize) {
  check_known_size<float, 128>({5, 32, 33, 65});
  check_known_size<double, 128>({33, 49, 97});
  check_known_size<double, 256>({40, 66});
}
TEST(TeamItemsOfLanes, LargeSizes) { check_all<float>(36, 64), check_all<double>(33, 128); }

}  // namespace
}  // namespace Batchwork::Test
