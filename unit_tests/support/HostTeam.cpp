// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/HostTeam.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace Batchwork::Test {

#if defined(__SANITIZE_ADDRESS__)
namespace {
Place* left = nullptr;  // the place that the running thread came from
}  // namespace
#endif

void Place::leave_for(Place& other) {
#if defined(__SANITIZE_ADDRESS__)
  void* frames = nullptr;
  left = this;
  // The sanitizer frees what it keeps for a thread that does not come back.
  __sanitizer_start_switch_fiber(ends_ ? nullptr : &frames, other.stack_, other.stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__) || defined(_FORTIFY_SOURCE)
  swapcontext(&context_, &other.context_);
#else
  if (_setjmp(jump_) == 0) {
    if (other.is_new_) {
      other.is_new_ = false;
      setcontext(&other.context_);
    }
    _longjmp(other.jump_, 1);
  }
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
}
void Place::begin_at(void (*f)(), char* stack, std::size_t bytes) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, f, 0);
  is_new_ = true;
  ends_ = false;
  stack_ = stack;
  stack_bytes_ = bytes;
#if defined(__SANITIZE_ADDRESS__)
  // Marks of the frames of an earlier thread, which did not return.
  __asan_unpoison_memory_region(stack, bytes);
#endif
}
void Place::begun() {
#if defined(__SANITIZE_ADDRESS__)
  // Only the sanitizer knows the stack of the system's thread.
  __sanitizer_finish_switch_fiber(nullptr, &left->stack_, &left->stack_bytes_);
#endif
}

HostLane this_lane;

HostTeam::HostTeam(int n, std::size_t bytes)
    : size(n),
      scratch(guard + bytes + guard, poison),
      groups_(4 * std::size_t(n)),
      given_(4 * std::size_t(n)),
      lanes_(std::size_t(n)) {}
bool HostTeam::wrote_outside() const {
  auto const is_touched = [](char c) { return c != poison; };
  auto const inside = scratch.begin() + std::ptrdiff_t(guard),
             end = scratch.end() - std::ptrdiff_t(guard);
  return std::any_of(scratch.begin(), inside, is_touched) ||
         std::any_of(end, scratch.end(), is_touched);
}
bool HostTeam::run(std::function<void(int)> const& lane) {
  body_ = &lane;
  left_ = size;
  at_ = 0;
  forward_ = true;
  goes_on_ = false;
  pass_on(caller_);
  return left_ == 0;
}
/// The next lane that can continue, if there is one.
HostTeam::Lane* HostTeam::next() {
  for (;;) {
    while (at_ < size) {
      Lane& lane = lanes_[std::size_t(forward_ ? at_ : size - 1 - at_)];
      ++at_;
      if (lane.has_ended || (lane.group != nullptr && lane.group->turn == lane.turn)) continue;
      goes_on_ = true;
      return &lane;
    }
    if (!goes_on_) return nullptr;
    at_ = 0;
    forward_ = !forward_;
    goes_on_ = false;
  }
}
/// Switches from the caller at `from` to the next lane, or back to run().
void HostTeam::pass_on(Place& from) {
  static std::vector<std::unique_ptr<char[]>> stacks;
  Lane* const lane = next();
  if (lane == nullptr) {
    if (&from != &caller_) from.leave_for(caller_);
    return;
  }
  int const rank = int(lane - lanes_.data());
  this_lane = {this, rank};
  if (!lane->has_begun) {
    lane->has_begun = true;
    while (stacks.size() <= std::size_t(rank))
      stacks.push_back(std::make_unique_for_overwrite<char[]>(stack_bytes));
    lane->place.begin_at(begin, stacks[std::size_t(rank)].get(), stack_bytes);
  }
  from.leave_for(lane->place);
}
int HostTeam::kind_of(int together) const {
  if (together == 32 || together == 64) return together / 32 * size;
  return together < size ? 3 * size : 0;
}
HostTeam::Group& HostTeam::group_of(int rank, int together) {
  bool const is_warp = together == 32 || together == 64;
  return groups_[std::size_t(kind_of(together) + (is_warp ? rank / together * together : 0))];
}
void HostTeam::meet(int rank, int together) {
  if (rank == 0 && together == size) ++waits;
  bool const is_warp = together == 32 || together == 64;
  int const first = is_warp ? rank / together * together : 0;
  Group& group = group_of(rank, together);
  if (++group.arrived == std::min(together, size - first)) {
    group.arrived = 0;
    ++group.turn;
    return;
  }
  Lane& own = lanes_[std::size_t(rank)];
  own.group = &group;
  own.turn = group.turn;
  pass_on(own.place);
  own.group = nullptr;
}
void HostTeam::exchange(int rank, void* number, int bytes, int from, int together) {
  auto const turn = std::size_t(group_of(rank, together).turn % 2);
  auto const given = given_.begin() + kind_of(together);
  std::memcpy(given[rank][turn].data(), number, std::size_t(bytes));
  meet(rank, together);
  if (from < size) std::memcpy(number, given[from][turn].data(), std::size_t(bytes));
}
void HostTeam::begin() {
  Place::begun();
  auto const [team, rank] = this_lane;
  (*team->body_)(rank);
  Lane& own = team->lanes_[std::size_t(rank)];
  own.has_ended = true;
  --team->left_;
  own.place.end();
  team->pass_on(own.place);
}

}  // namespace Batchwork::Test
