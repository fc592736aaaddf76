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

/// The place where a light thread continues. swapcontext makes a system call for the signal mask
/// each time. A jump does not, so it is used after the first switch. The thread sanitizer and
/// checked jumps support only swapcontext. The address sanitizer is told which stack is used.
class Place {
 public:
  /// Continues at `other`; returns when a thread switches back to this place.
  void leave_for(Place& other);
  /// Makes this the start of f(), which calls begun() first and must not return.
  void begin_at(void (*f)(), char* stack, std::size_t bytes);
  static void begun();
  /// The next switch from here is the last one.
  void end() { ends_ = true; }

 private:
  ucontext_t context_;
  jmp_buf jump_;
  bool is_new_ = false, ends_ = false;
  void const* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
};

/// The features of Kokkos' team members that kernels use.
struct HostTeam {
  /// Bytes on either side of the scratch memory that no kernel may change.
  static constexpr std::size_t guard = 4096;
  static constexpr char poison = char(0xff);  // NaN

  int size;
  std::vector<char> scratch;
  int waits = 0;  ///< how often the first lane waited for the whole team

  HostTeam(int n, std::size_t bytes);
  bool wrote_outside() const;
  /// Runs lane(rank) for every lane, one after the other, each until it waits or ends. The order is
  /// first to last, then last to first, so that a missing wait makes a lane read old values.
  ///
  /// \returns whether all lanes ended; false after a deadlock
  bool run(std::function<void(int)> const& lane);
  /// The calling lane waits for its group of `together` lanes: the whole team, a warp, or the first
  /// lanes of the team.
  void meet(int rank, int together);
  /// The calling lane gives its value and gets the value of lane `from`. If that lane does not
  /// exist, it gets an arbitrary value.
  void exchange(int rank, void* number, int bytes, int from, int together);

 private:
  struct Group {
    int arrived = 0, turn = 0;
  };
  /// Values that a lane gives to a group, one at even turns and one at odd turns. So a lane can
  /// give its next value before the others have read this one.
  using Given = std::array<std::array<char, 16>, 2>;
  struct Lane {
    Place place;
    bool has_begun = false, has_ended = false;
    Group const* group = nullptr;  ///< the group that it waits for, until the group's turn changes
    int turn = 0;
  };
  // The system provides only the pages of a stack that are used.
  static constexpr std::size_t stack_bytes = std::size_t(1) << 20;
  std::vector<Group> groups_;
  std::vector<Given> given_;
  std::vector<Lane> lanes_;
  Place caller_;
  std::function<void(int)> const* body_ = nullptr;
  int left_ = 0;  ///< number of lanes that have not ended
  // The lane that runs now, and whether a lane ran in this pass.
  int at_ = 0;
  bool forward_ = true, goes_on_ = false;

  /// The first of the `size` places of such groups in groups_ and given_.
  int kind_of(int together) const;
  Group& group_of(int rank, int together);
  Lane* next();
  void pass_on(Place& from);
  static void begin();
};
/// The team and rank of the lane that runs now.
struct HostLane {
  HostTeam* team = nullptr;
  int rank = 0;
};
extern HostLane this_lane;

}  // namespace Batchwork::Test

#endif
