// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/HostTeam.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace Batchwork::Test {

void Place::leave_for(Place& other) {
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
void Place::begin_at(void (*f)(), char* stack, std::size_t bytes) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, f, 0);
  is_new_ = true;
}

HostLane this_lane;

HostTeam::HostTeam(int n, std::size_t bytes)
    : size(n),
      scratch(guard + bytes + guard, poison),
      given(std::size_t(n)),
      groups_(3 * std::size_t(n)),
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
void HostTeam::meet(int rank, int together) {
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
void HostTeam::exchange(int rank, void* number, int bytes, int from, int together) {
  std::memcpy(given[std::size_t(rank)].data(), number, std::size_t(bytes));
  meet(rank, together);
  if (from < size) std::memcpy(number, given[std::size_t(from)].data(), std::size_t(bytes));
  meet(rank, together);
}
void HostTeam::begin() {
  auto const [team, rank] = this_lane;
  (*team->body_)(rank);
  Lane& own = team->lanes_[std::size_t(rank)];
  own.has_ended = true;
  own.place.leave_for(team->caller_);
}
void HostTeam::begin_or_continue(Lane& lane) {
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

}  // namespace Batchwork::Test
