// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// launch_group: the kernels of map, scan and the Kalman filter, which run a group on all items.
#ifndef BATCHWORK_GROUPLAUNCH_HPP
#define BATCHWORK_GROUPLAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// Stands for the member of any team in the concept below.
struct SomeTeamMember {};

/// A sequence with its operands that a kernel can run on items: MapGroup and ScanGroup.
/// - lanes: the lane policy; see OneLane
/// - sequence_type: the sequence, which names the kernel in profiles
/// - Ops::arguments: the tiles of an item, or of a pack
/// - lanes_per_item: how many lanes of a device share an item
/// - scratch_size(lanes): the bytes of scratch of a team with so many lanes
/// - fetch_bytes: the bytes of scratch that run_alone needs in addition, for each lane
/// - run_alone(member, first, last): a team runs the items first .. last - 1, one item a lane
/// - run_grids(member, first, last, step): a team whose lanes share items runs as many items as fit
///   at once, from `first` on and again every `step` items, as far as last - 1
/// - run_chunk(first, last): a thread of a host runs the items first .. last - 1 in packs
template <class G>
concept LaunchableGroup =
    requires(G const& group, SomeTeamMember const& member, std::int64_t item) {
      typename G::sequence_type;
      typename G::Ops::arguments;
      { G::lanes::width } -> std::convertible_to<int>;
      { G::lanes::copy_group_lanes } -> std::convertible_to<int>;
      { G::lanes::available } -> std::convertible_to<std::size_t>;
      { G::lanes_per_item } -> std::convertible_to<int>;
      { G::fetch_bytes } -> std::convertible_to<std::size_t>;
      { G::scratch_size(lanes_of_warp) } -> std::convertible_to<std::size_t>;
      group.run_alone(member, item, item);
      group.run_grids(member, item, item, item);
      group.run_chunk(item, item);
    };

/// The kernel of a verb on a device: one team per group of items.
template <LaunchableGroup Group>
struct DeviceKernel {
  using name_in_regions = typename Group::sequence_type;

  Group group;
  std::int64_t items;
  int per_team;

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    std::int64_t const first = std::int64_t(member.league_rank()) * per_team;
    if constexpr (Group::lanes_per_item > 1) {
      // Neighbouring teams work on neighbouring items in every round. Several teams that use parts
      // of the same memory sector then find it in the cache.
      group.run_grids(member, first, items, std::int64_t(member.league_size()) * per_team);
    } else {
      std::int64_t const last = first + per_team < items ? first + per_team : items;
      group.run_alone(member, first, last);
    }
  }
};

/// The kernel of a verb on a host: each index is a chunk of several packs. It uses a range policy,
/// because a team of one thread costs several times more to start and has no advantage here.
template <LaunchableGroup Group>
struct HostKernel {
  using name_in_regions = typename Group::sequence_type;

  Group group;
  std::int64_t items;
  int per_chunk;

  /// Flattened, so that the sequence is inlined even if several kernels use it.
  BATCHWORK_FLATTEN KOKKOS_FUNCTION void operator()(std::int64_t chunk) const {
    std::int64_t const first = chunk * per_chunk;
    std::int64_t const last = first + per_chunk < items ? first + per_chunk : items;
    group.run_chunk(first, last);
  }
};

/// Lanes of a team where lanes share items, unless a copy group has more: 64, so that the scratch
/// of more teams fits. Without shuffles lanes wait for their whole team, so the team is one warp.
inline constexpr int lanes_of_grids = Vendor::has_shuffles ? 64 : Vendor::warp_lanes;

/// The largest team of a kernel, and how many teams should run at once. The parameter Teams counts
/// teams of 128 lanes.
template <class Lanes, int Teams>
struct LaunchBoundsOf {
  static constexpr int lanes = 128, teams = Teams > 0 ? Teams : 1;
};
template <class Lanes, int Teams>
  requires(Lanes::lanes_per_item > 1)
struct LaunchBoundsOf<Lanes, Teams> {
  static constexpr int lanes = Lanes::copy_group_lanes > lanes_of_grids ? Lanes::copy_group_lanes
                                                                        : lanes_of_grids,
                       wanted = Teams > 0 ? Teams : Lanes::teams,
                       teams = wanted > 0 ? 128 * wanted / lanes : 1;
};

/// Launches a group on an execution space instance. Asynchronous; it neither allocates memory nor
/// fences.
template <class Exec, int W, int Teams, int L, class D, LaunchableGroup Group>
void launch_group(Exec const& exec, Launch<W, Teams, L, D> const& how, std::string const& verb,
                  Group const& group, std::int64_t items) {
  refuse_kernel(how.kernel, how.label);
  if (items == 0) return;
  std::string const label = kernel_label(verb, how.label);
  if constexpr (runs_on_device<Exec>) {
    using Bounds = LaunchBoundsOf<typename Group::lanes, Teams>;
    int lanes = how.lanes_per_team;
    // Fewer lanes a team if the exchange of more copy groups does not fit into scratch.
    if constexpr (Group::lanes_per_item > 1) {
      if (lanes > Bounds::lanes) lanes = Bounds::lanes;
      if (Group::scratch_size(lanes) > Group::lanes::available &&
          Group::scratch_size(lanes_of_warp) < Group::scratch_size(lanes))
        lanes = lanes_of_warp;
    }
    // And fewer if the buffers of more warps do not fit.
    if constexpr (Group::fetch_bytes > 0)
      while (lanes > lanes_of_warp && Group::fetch_bytes * std::size_t(lanes) > scratch_of_a_team)
        lanes = lanes > 2 * lanes_of_warp ? 2 * lanes_of_warp : lanes_of_warp;
    // A lane that fetches ahead, or whose warp carries, takes several items one after the other if
    // enough teams remain to fill the device. Otherwise one team per group is faster, because the
    // device balances the load. Teams of lanes that share items also stage the common operands, and
    // take more items.
    constexpr bool shared = Group::lanes_per_item > 1;
    std::int64_t const full =
        items * Group::lanes_per_item / (2 * std::int64_t(exec.concurrency()));
    std::int64_t const most = shared ? 16 : Group::fetch_bytes > 0 ? 4 : 1;
    std::int64_t const rounds = full < 1 ? 1 : full < most ? full : most;
    int const at_once = lanes / Group::lanes_per_item;
    int const per_team = shared ? at_once : at_once * int(rounds);
    TeamShape const shape{(items + at_once * rounds - 1) / (at_once * rounds), lanes,
                          Group::scratch_size(lanes) + Group::fetch_bytes * std::size_t(lanes)};
    DeviceKernel<Group> const kernel{group, items, per_team};
    if constexpr (Bounds::teams > 1 && Group::fetch_bytes > 0) {
      if (lanes > lanes_of_warp &&
          !launches_teams<Bounds::lanes, Bounds::teams>(exec, kernel, shape)) {
        auto smaller = how;
        smaller.lanes_per_team = lanes > 2 * lanes_of_warp ? 2 * lanes_of_warp : lanes_of_warp;
        launch_group(exec, smaller, verb, group, items);
        return;
      }
    }
    launch_teams<Bounds::lanes, Bounds::teams>(exec, label, kernel, shape, [&] {
      bool const too_many_teams =
          Bounds::teams > 1 && shape.bytes <= Vendor::device_limits(exec).scratch_of_team;
      return LaunchWords{verb,
                         shared
                             ? "the common operands and the exchange of the lanes that share items"
                             : "the common operands",
                         too_many_teams ? "ask for fewer: launch(teams<n>)"
                         : shared       ? "let more lanes share an item: launch(lanes<n>)"
                                        : "pass some as in(view)"};
    });
  } else {
    // Each chunk stages the common operands once. So chunks are large, as long as every thread gets
    // several. For the largest items one or two packs are enough work for a chunk.
    int const width = Group::lanes::width;
    constexpr std::int64_t packs = 131072 / std::int64_t(sizeof(typename Group::Ops::arguments));
    int const least = packs > 16 || exec.concurrency() == 1 ? 16 : packs < 1 ? 1 : int(packs);
    std::int64_t const share = items / (32 * std::int64_t(exec.concurrency()) * width);
    int const per_chunk = width * int(share < least ? least : share > 128 ? 128 : share);
    std::int64_t const chunks = (items + per_chunk - 1) / per_chunk;
    HostKernel<Group> kernel{group, items, per_chunk};
    if constexpr (Group::Ops::has_sums) {
      // Instances that share the threads of a process may add to one View at the same time.
      bool const alone = exec.concurrency() == 1 && Exec().concurrency() == 1;
      kernel.group.operands.set_alone(alone, typename Group::Ops::indices{});
    }
    launch_range(exec, label, chunks, kernel);
  }
}

}  // namespace Batchwork::Impl

#endif
