// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TeamItem: a verb on whole matrices that is prepared on the host and called for one item inside
/// the user's own TeamPolicy kernel.
#ifndef BATCHWORK_TEAMITEM_HPP
#define BATCHWORK_TEAMITEM_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_CallChecks.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"

namespace Batchwork::Impl {

/// Of most works: shuffles need whole warps.
inline constexpr int warps_or_lanes = Vendor::has_shuffles ? lanes_of_warp : 1;
/// Lanes of the largest team of a device, which needs the most scratch.
inline constexpr int most_lanes_of_team = 1024;

/// What the user's kernel gets. A Work has
/// - T, the type of its numbers, and name, of the function for messages;
/// - lanes_unit, of which the lanes of a device's team are a multiple, and team_lanes, the only
///   number that they may have, or 0;
/// - bytes(lanes): scratch for an item that so many lanes share;
/// - by_lanes(member, lanes, item, scratch), which all lanes of the team call;
/// - by_thread(item) for hosts, in memory that it allocates: Kokkos gives their teams 32 KB of
///   scratch.
/// ByLanes: as on devices.
template <bool ByLanes, class Work>
struct TeamItem {
  Work work;
  /// Instead of the work where items have no rows.
  EmptyItems<typename Work::T> empty{};
  bool is_empty = false;

  /// The level-0 team scratch, in bytes, to request with Kokkos::PerTeam(...), in addition to the
  /// kernel's own. With a vector length above 1 on a GPU, `lanes` is team size times vector length.
  /// \throws std::invalid_argument  if such a team cannot share an item
  std::size_t scratch_size(int lanes) const {
    if (!takes(lanes)) {
      constexpr int exact = ByLanes ? Work::team_lanes : 0, unit = ByLanes ? Work::lanes_unit : 1;
      refuse_call(Work::name, "teams of " + std::to_string(lanes) + " lanes; give teams of " +
                                  (exact > 0  ? std::to_string(exact) + " threads"
                                   : unit > 1 ? "a multiple of " + std::to_string(unit) + " threads"
                                              : "at least one thread"));
    }
    if constexpr (ByLanes) return is_empty ? 0 : work.bytes(lanes) + 16;
    else return 0;
  }

  /// Computes one item. All threads of the team must call it, outside nested ranges, with the same
  /// item. It sees what the team wrote before, and the team sees afterwards what it wrote. On hosts
  /// one thread of the team computes, in memory that it allocates.
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, std::int64_t item) const {
    member.team_barrier();
    if (is_empty) {
      if (Vendor::lane_rank(member) == 0) empty(item);
    } else if constexpr (ByLanes) {
      int const lanes = Vendor::lane_count(member);
      if (!takes(lanes))
        Kokkos::abort(
            "Batchwork: a team_... decomposition needs teams of a multiple of 32 threads, or of as "
            "many as it was made for");
      // The scratch of a copy is released at the end of the call.
      auto const scratch = member.team_scratch(0);
      char* const memory = static_cast<char*>(scratch.get_shmem_aligned(work.bytes(lanes), 16));
      if (memory == nullptr)
        Kokkos::abort(
            "Batchwork: too little team scratch for a team_... decomposition; ask for "
            "scratch_size(team_size) bytes beside the kernel's own");
      work.by_lanes(member, lanes, item, memory);
    } else {
      if (member.team_rank() == 0) {
        KOKKOS_IF_ON_HOST((work.by_thread(item);))
      }
    }
    member.team_barrier();
  }

 private:
  static BATCHWORK_INLINE bool takes(int lanes) {
    if (!ByLanes) return lanes > 0;
    return Work::team_lanes > 0 ? lanes == Work::team_lanes
                                : lanes > 0 && lanes % Work::lanes_unit == 0;
  }
};

/// The scratch of a team in bytes; hosts compute in memory that they allocate.
template <bool ByLanes, class Exec>
std::size_t scratch_of_user_team() {
  if constexpr (ByLanes && runs_on_device<Exec>)
    return Vendor::device_limits(Exec()).scratch_of_team;
  else return std::numeric_limits<std::size_t>::max();
}

/// \param work  for items with rows; parts[0] of the call are the matrices
/// \throws std::invalid_argument  if the scratch of a team cannot hold an item
template <bool ByLanes, class Exec, class Work>
TeamItem<ByLanes, Work> team_item([[maybe_unused]] Call const& call, Work const& work) {
  if constexpr (ByLanes && runs_on_device<Exec>) {
    constexpr int lanes = Work::team_lanes > 0 ? Work::team_lanes : most_lanes_of_team;
    std::size_t const needed = work.bytes(lanes) + 16,
                      there = scratch_of_user_team<ByLanes, Exec>();
    if (needed > there)
      call.fail(
          "an item of " + call.parts[0].name() + " needs " + std::to_string(needed) +
          " bytes, more than the " + std::to_string(there) +
          " of the device's team scratch; use smaller matrices, or outside your kernel a verb "
          "that takes workspace(view)");
  }
  return {work};
}
/// For items without rows.
template <bool ByLanes, class Work>
TeamItem<ByLanes, Work> empty_team_item(Work const& work, StatusTarget const& status,
                                        KnownNumbers<typename Work::T> const& known = {}) {
  return {work, {status, known, {}}, true};
}

/// A function on operands in one of these forms: Maker::run(Exec, Launch<>, parameters..., end of
/// call) returns the TeamItem.
template <class Maker, class F, class... More>
struct TeamForms {
  template <class... X>
  static constexpr bool take =
      F::template fits<Last::status, X...>() || (More::template fits<Last::status, X...>() || ...);

  template <class Exec, class... X>
  static auto make(X const&... operands) {
    if constexpr (F::template fits<Last::status, X...>())
      return F::template run<Maker>(Exec(), Launch<>(), operands...);
    else if constexpr (sizeof...(More) > 0)
      return TeamForms<Maker, More...>::template make<Exec>(operands...);
  }
};

}  // namespace Batchwork::Impl

#endif
