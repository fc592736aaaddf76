// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Teams of host threads that run a device's kernel, so that it is tested where there is no device, with the sanitizers'
/// help.
#ifndef BATCHWORK_TEST_HOST_TEAMS_HPP
#define BATCHWORK_TEST_HOST_TEAMS_HPP

#include <barrier>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace Batchwork::Test {

/// What a kernel asks of Kokkos' team members.
struct HostTeam {
  int size;
  std::vector<char> scratch;
  std::barrier<> barrier;
  HostTeam(int n, std::size_t bytes) : size(n), scratch(bytes, char(0xff)), barrier(n) {}  // NaN
};
struct HostScratch {
  HostTeam* team;
  void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
    void* p = team->scratch.data();
    std::size_t space = team->scratch.size();
    return std::align(alignment, bytes, p, space);
  }
};
struct HostMember {
  HostTeam* team;
  int rank, league;
  int team_rank() const { return rank; }
  int team_size() const { return team->size; }
  int league_rank() const { return league; }
  void team_barrier() const { team->barrier.arrive_and_wait(); }
  HostScratch team_scratch(int) const { return {team}; }
};

template <class Kernel>
void run_teams(Kernel const& kernel, int teams, int size, std::size_t scratch) {
  for (int league = 0; league < teams; ++league) {
    HostTeam team(size, scratch);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] { kernel(HostMember{&team, rank, league}); });
    for (auto& t : threads) t.join();
  }
}

}  // namespace Batchwork::Test

#endif
