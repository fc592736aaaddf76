// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Teams that run a device kernel on a host, so that it is tested without a device, and with
/// sanitizers. Lanes are light threads that share one thread of the system: waiting costs little,
/// and a deadlock is found. They run the portable code. In a program with
/// BATCHWORK_THREADS_AS_LANES of 32 or 64 they are the lanes of a warp of this size, and run the
/// code for the GPUs of a vendor.
#ifndef BATCHWORK_TEST_HOST_TEAMS_HPP
#define BATCHWORK_TEST_HOST_TEAMS_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "support/HostTeam.hpp"

namespace Batchwork::Test {

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

/// \returns how often the last team waited
template <class Kernel>
int run_teams(Kernel const& kernel, int teams, int size, std::size_t scratch) {
  int waits = 0;
  for (int league = 0; league < teams; ++league) {
    HostTeam team(size, scratch);
    EXPECT_TRUE(team.run([&](int rank) { kernel(HostMember{&team, rank, league, teams}); }))
        << "lanes of team " << league << " wait for others that do not come";
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
  Test::this_lane.team->exchange(Test::this_lane.rank, number, bytes, from, together);
}

}  // namespace Batchwork::Impl::Vendor
#endif

#endif
