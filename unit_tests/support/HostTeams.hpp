// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Teams of host threads that run a device's kernel, so that it is tested where there is no device, with the sanitizers'
/// help. They go the portable path; in a program with BATCHWORK_THREADS_AS_LANES of 32 or 64 they are lanes of such warps, and
/// go that of a vendor's device.
#ifndef BATCHWORK_TEST_HOST_TEAMS_HPP
#define BATCHWORK_TEST_HOST_TEAMS_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "core/detail/backend/Batchwork_Vendor.hpp"

namespace Batchwork::Test {

/// What a kernel asks of Kokkos' team members.
struct HostTeam {
  /// Bytes on either side of the scratch that no kernel may touch.
  static constexpr std::size_t guard = 4096;
  static constexpr char poison = char(0xff);  // NaN

  int size;
  std::vector<char> scratch;
  std::barrier<> barrier;
  /// Of neighbouring threads: what a warp's lanes meet at, and the numbers that they give each other.
  struct Neighbours {
    std::barrier<> barrier;
    explicit Neighbours(int n) : barrier(n) {}
  };
  std::vector<std::unique_ptr<Neighbours>> groups_of_32, groups_of_64;
  std::vector<std::array<char, 16>> given;
  int waits = 0;  ///< of the first lane, for all of the team

  HostTeam(int n, std::size_t bytes)
      : size(n), scratch(guard + bytes + guard, poison), barrier(n), given(std::size_t(n)) {
    for (int first = 0; first < n; first += 32)
      groups_of_32.push_back(std::make_unique<Neighbours>(std::min(32, n - first)));
    for (int first = 0; first < n; first += 64)
      groups_of_64.push_back(std::make_unique<Neighbours>(std::min(64, n - first)));
  }
  bool wrote_outside() const {
    auto const is_touched = [](char c) { return c != poison; };
    auto const inside = scratch.begin() + std::ptrdiff_t(guard),
               end = scratch.end() - std::ptrdiff_t(guard);
    return std::any_of(scratch.begin(), inside, is_touched) ||
           std::any_of(end, scratch.end(), is_touched);
  }
  void meet(int rank, int together) {
    if (rank == 0 && together == size) ++waits;
    if (together == 32) groups_of_32[std::size_t(rank / 32)]->barrier.arrive_and_wait();
    else if (together == 64) groups_of_64[std::size_t(rank / 64)]->barrier.arrive_and_wait();
    else barrier.arrive_and_wait();
  }
};
/// The team and rank of the calling thread.
struct HostLane {
  HostTeam* team = nullptr;
  int rank = 0;
};
inline thread_local HostLane this_lane;
struct HostScratch {
  HostTeam* team;
  void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
    void* p = team->scratch.data() + HostTeam::guard;
    std::size_t space = team->scratch.size() - 2 * HostTeam::guard;
    return std::align(alignment, bytes, p, space);
  }
};
struct HostMember {
  HostTeam* team;
  int rank, league, teams = 1;
  int team_rank() const { return rank; }
  int team_size() const { return team->size; }
  int league_rank() const { return league; }
  int league_size() const { return teams; }
  void team_barrier() const { team->meet(rank, team->size); }
  HostScratch team_scratch(int) const { return {team}; }
};

/// Gives how often the last team has waited.
template <class Kernel>
int run_teams(Kernel const& kernel, int teams, int size, std::size_t scratch) {
  int waits = 0;
  for (int league = 0; league < teams; ++league) {
    HostTeam team(size, scratch);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        this_lane = {&team, rank};
        kernel(HostMember{&team, rank, league, teams});
      });
    for (auto& t : threads) t.join();
    EXPECT_FALSE(team.wrote_outside()) << "team " << league << " wrote beside its scratch";
    waits = team.waits;
  }
  return waits;
}

}  // namespace Batchwork::Test

#if defined(BATCHWORK_THREADS_AS_LANES)
namespace Batchwork::Impl::Vendor {

inline int ThreadAsLane::rank() { return Test::this_lane.rank; }
inline int ThreadAsLane::count() { return Test::this_lane.team->size; }
inline void ThreadAsLane::meet(int together) {
  Test::this_lane.team->meet(Test::this_lane.rank, together);
}
inline void ThreadAsLane::exchange(void* number, int bytes, int from, int together) {
  auto const [team, rank] = Test::this_lane;
  std::memcpy(team->given[std::size_t(rank)].data(), number, std::size_t(bytes));
  team->meet(rank, together);
  // A lane that is not there gives anything.
  if (from < team->size)
    std::memcpy(number, team->given[std::size_t(from)].data(), std::size_t(bytes));
  team->meet(rank, together);
}

}  // namespace Batchwork::Impl::Vendor
#endif

#endif
