// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Light threads that take turns on one thread of the system. HostTeam.cpp is compiled once and
/// optimised, because the threads switch at each point where lanes wait for each other.
#ifndef BATCHWORK_TEST_HOST_TEAM_HPP
#define BATCHWORK_TEST_HOST_TEAM_HPP

#include <setjmp.h>
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace Batchwork::Test {

/// Where a light thread goes on. To go from one to another by swapcontext asks the system for its
/// signals each time; a jump does not, once there is something to jump to. Sanitizers and checked
/// jumps know of swapcontext alone.
class Place {
 public:
  /// The caller goes on at `other`, until somebody comes here.
  void leave_for(Place& other);
  /// Here f() begins, which never returns.
  void begin_at(void (*f)(), char* stack, std::size_t bytes);

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

  HostTeam(int n, std::size_t bytes);
  bool wrote_outside() const;
  /// Runs lane(rank) for every lane, in turn until each waits or ends: from the first on, then from
  /// the last, so that who does not wait for a lane before or behind sees what it has not written.
  /// \returns whether all have ended
  bool run(std::function<void(int)> const& lane);
  /// The calling lane waits for its neighbours: all of the team, a warp of so many, or that many
  /// first lanes of the team.
  void meet(int rank, int together);
  /// It gives a number, and gets that of another lane; of one that is not there anything.
  void exchange(int rank, void* number, int bytes, int from, int together);

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
  int left_ = 0;  ///< lanes that have not ended
  // Where the turn is, and whether somebody had one in it.
  int at_ = 0;
  bool forward_ = true, goes_on_ = false;

  Lane* next();
  void pass_on(Place& from);
  static void begin();
};
/// The team and rank of the lane that runs.
struct HostLane {
  HostTeam* team = nullptr;
  int rank = 0;
};
extern HostLane this_lane;

}  // namespace Batchwork::Test

#endif
