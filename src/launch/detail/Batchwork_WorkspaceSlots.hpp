// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The last arguments of a verb whose items may be too large for on-chip memory, status(codes) and
/// workspace(view); and the division of the workspace into slots, one for each team or thread.
#ifndef BATCHWORK_WORKSPACESLOTS_HPP
#define BATCHWORK_WORKSPACESLOTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "launch/Batchwork_Workspace.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"

namespace Batchwork::Impl {

/// The workspace elements that a call can use, and the smallest number it accepts; 0 if it needs
/// none.
struct WorkspaceWanted {
  std::int64_t full = 0, least = 0;
};
/// Used instead of workspace(view) to ask for its size. Nothing is launched.
struct WorkspaceQuestion {
  WorkspaceWanted* answer;
};
template <>
inline constexpr bool is_workspace<WorkspaceQuestion> = true;

/// The optional last arguments of a call.
template <class Status, class Memory>
struct CallEnd {
  static constexpr bool asks = std::is_same_v<Memory, WorkspaceQuestion>,
                        gives = !asks && is_workspace<Memory>;
  Status status;
  Memory workspace;
};
inline CallEnd<NoStatus, NoWorkspace> end_of_call() { return {}; }
template <class X>
auto end_of_call(X const& x) {
  if constexpr (is_workspace<X>) return CallEnd<NoStatus, X>{{}, x};
  else return CallEnd<X, NoWorkspace>{x, {}};
}
template <class S, class W>
CallEnd<S, W> end_of_call(S const& codes, W const& memory) {
  return {codes, memory};
}

/// The workspace of a call, or the question for its size, without the type of its View.
template <class T>
struct GivenWorkspace {
  T* numbers = nullptr;
  std::int64_t count = 0;
  bool is_given = false;
  WorkspaceWanted* answer = nullptr;  ///< where the size goes, if the call only asks for it

  bool asks() const { return answer != nullptr; }
};
template <class T, class Memory>
GivenWorkspace<T> given_workspace([[maybe_unused]] Memory const& memory) {
  GivenWorkspace<T> given;
  if constexpr (std::is_same_v<Memory, WorkspaceQuestion>) {
    given.answer = memory.answer;
  } else if constexpr (is_workspace<Memory>) {
    given.numbers = memory.view.data();
    given.count = std::int64_t(memory.view.extent(0));
    given.is_given = true;
  }
  return given;
}

/// Adds both to the Views of a call on numbers of type T. \returns where the codes go
template <class Exec, class T, class Status, class Memory>
StatusTarget status_and_workspace(Call& call, CallEnd<Status, Memory> const& end) {
  StatusTarget const codes = status_target<Exec>(call, end.status);
  if constexpr (CallEnd<Status, Memory>::gives) {
    using View = decltype(end.workspace.view);
    static_assert(std::is_same_v<T, typename View::value_type>,
                  "Batchwork: the workspace of a call must hold the number type of its matrices, "
                  "float or double");
    require_reachable<(
        Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible)>();
    call.parts.push_back(
        {int(call.parts.size()) + 1, "workspace", true, describe_view(end.workspace.view)});
    if (!call.parts.back().d.contiguous)
      call.fail(call.parts.back().name() + " has gaps; give a contiguous View");
  }
  return codes;
}

/// Slots of a workspace.
template <class T>
struct WorkspaceSlots {
  /// The alignment of slots in bytes: for packs, and for lanes that read several numbers at once.
  static constexpr std::size_t aligned = 64;

  T* first = nullptr;
  std::int64_t apart = 0;  ///< the distance between slots, in numbers
  std::int64_t count = 0;

  BATCHWORK_INLINE char* slot(std::int64_t k) const {
    return reinterpret_cast<char*>(first + k * apart);
  }
  static constexpr std::int64_t numbers_apart(std::size_t bytes) {
    return std::int64_t((bytes + aligned - 1) / aligned * aligned / sizeof(T));
  }
  /// The number of elements of a workspace for `count` slots of so many bytes, wherever it begins.
  static constexpr std::int64_t numbers(std::int64_t count, std::size_t bytes) {
    return count == 0 ? 0 : count * numbers_apart(bytes) + std::int64_t(aligned / sizeof(T)) - 1;
  }
  /// As many slots as there is room for, but no more than `most`.
  static WorkspaceSlots of(T* memory, std::int64_t numbers_there, std::size_t bytes,
                           std::int64_t most) {
    WorkspaceSlots s;
    auto const beyond = reinterpret_cast<std::uintptr_t>(memory) % aligned;
    std::int64_t const skipped = beyond == 0 ? 0 : std::int64_t((aligned - beyond) / sizeof(T));
    s.first = memory + (numbers_there > 0 ? skipped : 0);
    s.apart = numbers_apart(bytes);
    s.count = std::clamp((numbers_there - skipped) / s.apart, std::int64_t(0), most);
    return s;
  }
};

/// The workspace that a call needs for items that do not fit into on-chip memory.
struct SlotsWanted {
  std::string why;       ///< the item and the limit, for messages
  std::size_t bytes;     ///< the size of a slot
  std::int64_t at_once;  ///< the slots for full speed
};

/// Launches by launch(slots); or answers the size of the workspace; or throws if there is none or
/// it is too small for a slot.
template <class T, class Launch>
void launch_in_workspace(Call const& call, GivenWorkspace<T> const& given,
                         SlotsWanted const& wanted, Launch const& launch) {
  using Slots = WorkspaceSlots<T>;
  std::int64_t const full = Slots::numbers(wanted.at_once, wanted.bytes),
                     least = Slots::numbers(1, wanted.bytes);
  if (given.asks()) {
    *given.answer = {full, least};
    return;
  }
  std::string too_small;
  if (given.is_given) {
    Slots const slots = Slots::of(given.numbers, given.count, wanted.bytes, wanted.at_once);
    if (slots.count > 0) {
      launch(slots);
      return;
    }
    too_small = ", and " + call.parts.back().name() + " has room for none";
  }
  call.fail(wanted.why + too_small + "; give workspace(view) of " + std::to_string(full) +
            " numbers, at least " + std::to_string(least) + ", or use smaller matrices");
}

/// The number of teams of so many lanes that get a slot each: a quarter of the lanes that the
/// device can hold, as the registers of a lane allow. On hosts, with one lane for each team, one
/// for each thread.
template <class Exec>
std::int64_t slots_at_once(Exec const& exec, std::int64_t items, int lanes) {
  std::int64_t const all = exec.concurrency(), some = runs_on_device<Exec> ? all / 4 / lanes : all;
  return std::min(items, std::max(some, std::int64_t(1)));
}

/// A host's kernel with an index for each slot.
template <class Exec, class Kernel>
void launch_slots_on_host(Exec const& exec, Call const& call, std::int64_t slots,
                          Kernel const& kernel) {
  launch_range(exec, kernel_label(call.verb, call.label), slots, kernel);
}

}  // namespace Batchwork::Impl

#endif
