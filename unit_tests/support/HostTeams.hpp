// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Teams that run a device's kernel on a host, so that it is tested where there is no device, with the sanitizers' help. Lanes are
/// light threads, of one thread of the system: what they wait for each other costs little, and that they wait for ever is found. They
/// go the portable path; in a program with BATCHWORK_THREADS_AS_LANES of 32 or 64 they are lanes of such warps, and go that of a
/// vendor's device.
#ifndef BATCHWORK_TEST_HOST_TEAMS_HPP
#define BATCHWORK_TEST_HOST_TEAMS_HPP

#include <gtest/gtest.h>
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/detail/backend/Batchwork_Vendor.hpp"

namespace Batchwork::Test {

/// Where a light thread goes on. To go from one to another by swapcontext asks the system for its signals each time; a jump does not, once
/// there is something to jump to. Sanitizers and checked jumps know of swapcontext alone.
class Place {
 public:
  /// The caller goes on at `other`, until somebody comes here.
  void leave_for(Place& other) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(_FORTIFY_SOURCE)
    swapcontext(&context_, &other.context_);
#else
    if (_setjmp(jump_) != 0) return;
    if (other.is_new_) {
      other.is_new_ = false;
      setcontext(&other.context_);
    }
    _longjmp(other.jump_, 1);
#endif
  }
  /// Here f() begins, which never returns.
  void begin_at(void (*f)(), char* stack, std::size_t bytes) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, f, 0);
    is_new_ = true;
  }

 private:
  ucontext_t context_;
  jmp_buf jump_;
  bool is_new_ = false;
};

/// What a kernel asks of Kokkos' team members.
struct HostTeam {
  /// Bytes on either side of the scratch that no kernel may touch.
  static constexpr std::size_t guard = 4096;
  static constexpr char poison = char(0xff);  // NaN

  int size;
  std::vector<char> scratch;
  std::vector<std::array<char, 16>> given;  ///< numbers that lanes give each other
  int waits = 0;                            ///< of the first lane, for all of the team

  HostTeam(int n, std::size_t bytes)
      : size(n),
        scratch(guard + bytes + guard, poison),
        given(std::size_t(n)),
        groups_(3 * std::size_t(n)),
        lanes_(std::size_t(n)) {}
  bool wrote_outside() const {
    auto const is_touched = [](char c) { return c != poison; };
    auto const inside = scratch.begin() + std::ptrdiff_t(guard),
               end = scratch.end() - std::ptrdiff_t(guard);
    return std::any_of(scratch.begin(), inside, is_touched) ||
           std::any_of(end, scratch.end(), is_touched);
  }

  /// Runs lane(rank) for every lane, in turn until each waits or ends: from the first on, then from the last, so that who does not wait
  /// for a lane before or behind sees what it has not written. \returns whether all have ended
  bool run(std::function<void(int)> const& lane) {
    body_ = &lane;
    int left = size;
    for (bool forward = true, goes_on = true; left > 0 && goes_on; forward = !forward) {
      goes_on = false;
      for (int n = 0; n < size; ++n) {
        Lane& next = lanes_[std::size_t(forward ? n : size - 1 - n)];
        if (next.has_ended || (next.group != nullptr && next.group->turn == next.turn)) continue;
        goes_on = true;
        running_ = int(&next - lanes_.data());
        begin_or_continue(next);
        if (next.has_ended) --left;
      }
    }
    return left == 0;
  }
  /// The calling lane waits for its neighbours: all of the team, or a warp of so many.
  void meet(int rank, int together) {
    if (rank == 0 && together == size) ++waits;
    bool const some = together == 32 || together == 64;
    int const kind = !some ? 0 : together / 32, first = some ? rank / together * together : 0;
    Group& group = groups_[std::size_t(kind * size + first)];
    if (++group.arrived == (some ? std::min(together, size - first) : size)) {
      group.arrived = 0;
      ++group.turn;
      return;
    }
    Lane& own = lanes_[std::size_t(rank)];
    own.group = &group;
    own.turn = group.turn;
    own.place.leave_for(caller_);
    own.group = nullptr;
  }

 private:
  struct Group {
    int arrived = 0, turn = 0;
  };
  struct Lane {
    Place place;
    bool has_begun = false, has_ended = false;
    Group const* group = nullptr;  ///< that it waits for, while the turn is the same
    int turn = 0;
  };
  // The pages of a stack that are not used are not there.
  static constexpr std::size_t stack_bytes = std::size_t(1) << 20;
  std::vector<Group> groups_;
  std::vector<Lane> lanes_;
  Place caller_;
  std::function<void(int)> const* body_ = nullptr;
  int running_ = 0;

  void begin_or_continue(Lane& lane);
  static void begin();
};
/// The team and rank of the lane that runs.
struct HostLane {
  HostTeam* team = nullptr;
  int rank = 0;
};
inline HostLane this_lane;

inline void HostTeam::begin() {
  auto const [team, rank] = this_lane;
  (*team->body_)(rank);
  Lane& own = team->lanes_[std::size_t(rank)];
  own.has_ended = true;
  own.place.leave_for(team->caller_);
}
inline void HostTeam::begin_or_continue(Lane& lane) {
  static std::vector<std::unique_ptr<char[]>> stacks;
  this_lane = {this, running_};
  if (!lane.has_begun) {
    lane.has_begun = true;
    while (stacks.size() <= std::size_t(running_))
      stacks.push_back(std::make_unique_for_overwrite<char[]>(stack_bytes));
    lane.place.begin_at(begin, stacks[std::size_t(running_)].get(), stack_bytes);
  }
  caller_.leave_for(lane.place);
}

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
