// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Decompositions of items in a workspace. A team of a device, or a thread of a host, owns a slot
/// and takes one item after the other.
#ifndef BATCHWORK_DECOMPOSITIONINWORKSPACE_HPP
#define BATCHWORK_DECOMPOSITIONINWORKSPACE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// ItemsOfTeam of one item. Its lanes exchange numbers through team scratch.
template <class T, class Member>
struct ItemOfTeamInWorkspace : ItemsOfTeam<T, Member> {
  using Lanes = typename ItemsOfTeam<T, Member>::Lanes;
  std::int64_t* found;

  BATCHWORK_INLINE Lanes lanes() const {
    return Lanes(this->member, this->count, this->width, Vendor::lane_rank(this->member), found);
  }
};

/// On a device.
template <DecompositionOfItems F>
struct DecompositionTeamsInWorkspace {
  using T = typename F::number;
  static constexpr int largest_team = 256, wanted_teams = 2;

  F f;
  WorkspaceSlots<T> slots{};
  int count, width;

  /// As large teams have it. Where lanes can, a warp has a column, so that they read side by side.
  DecompositionTeamsInWorkspace(F const& of, DeviceLimits const& limits)
      : f(of),
        count(DecompositionTeams<F, true>(of, limits).count),
        width(Vendor::has_shuffles ? lanes_of_warp : 1) {
    int const unit = 16 / int(sizeof(T));
    f.leading = (f.rows() + unit - 1) / unit * unit;
  }
  std::size_t bytes_of_item() const { return f.memory().template bytes<T>(0); }
  BATCHWORK_INLINE std::size_t bytes_of_found() const {
    return std::size_t(ColumnLanes<int>::found_numbers(count)) * 8;
  }
  std::size_t bytes() const { return bytes_of_found() + 16; }
  int team() const { return count; }
  std::int64_t teams() const { return std::min(slots.count, f.items); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const found =
        static_cast<std::int64_t*>(member.team_scratch(0).get_shmem_aligned(bytes_of_found(), 16));
    std::int64_t const own = member.league_rank(), step = member.league_size();
    for (std::int64_t item = own; item < f.items; item += step) {
      f(ItemOfTeamInWorkspace<T, Member>{
          {member, slots.slot(own), 0, f.memory(), item, f.items, 1, count, width}, found});
      // The next item overwrites this one.
      member.team_barrier();
    }
  }
};

/// On a host.
template <DecompositionOfItems F>
struct DecompositionHostInWorkspace {
  using T = typename F::number;

  F f;
  WorkspaceSlots<T> slots;

  void operator()(std::int64_t own) const {
    for (std::int64_t item = own; item < f.items; item += slots.count)
      f(ItemsOfThread<T>{slots.slot(own), f.memory(), item, f.items});
  }
};

/// launch_decomposition; or, where items do not fit on the chip, the same in the workspace of the
/// call.
template <class Exec, class F>
void launch_decomposition_anywhere(Exec const& exec, Call const& call,
                                   GivenWorkspace<typename F::number> const& workspace, F f) {
  using T = typename F::number;
  std::size_t bytes = 0, chip = 0, most = 0;
  int team = 1;
  std::string of = "a host thread's buffer";
  f.leading = leading_at_first<Exec>(f.rows());
  if constexpr (runs_on_device<Exec>) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    chip = DecompositionTeams<F, true>(f, limits).bytes();
    most = limits.scratch_of_team;
    of = "the device's team scratch";
    // An item of a warp fits everywhere.
    if (std::max(f.rows(), f.cols()) <= columns_of_warp) chip = 0;
    DecompositionTeamsInWorkspace<F> const kernel(f, limits);
    bytes = kernel.bytes_of_item(), team = kernel.team();
  } else {
    bytes = chip = f.memory().template bytes<T>(0);
    most = large_host_buffer;
  }
  bool const wanted_there = runs_on_device<Exec> && call.kernel == KernelKind::in_workspace;
  if (chip <= most && !wanted_there) {
    if (!workspace.asks()) launch_decomposition(exec, call, f);
    return;
  }
  if (runs_on_device<Exec>)
    expect_workspace_wanted(call, [&] { return matrices_of(f.rows(), f.cols()); });
  auto const why = wanted_there
                       ? "an item of " + call.parts[0].name() + " in " + name_of(call.kernel) +
                             " needs " + std::to_string(bytes) + " bytes"
                       : item_needs_more(call, chip, most, of);
  // Numbers are counted in 32 bits.
  if (bytes / sizeof(T) > std::size_t(std::numeric_limits<int>::max()))
    call.fail(why + " and more than a workspace may hold; use smaller matrices");
  launch_in_workspace<T>(
      call, workspace, {why, bytes, slots_at_once(exec, f.items, team)},
      [&](WorkspaceSlots<T> const& slots) {
        if constexpr (runs_on_device<Exec>) {
          using Kernel = DecompositionTeamsInWorkspace<F>;
          Kernel kernel(f, Vendor::device_limits(exec));
          kernel.slots = slots;
          launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                        [&] { return matrices_do_not_fit(call, "use smaller matrices"); });
        } else {
          launch_slots_on_host(exec, call, slots.count, DecompositionHostInWorkspace<F>{f, slots});
        }
      });
}

}  // namespace Batchwork::Impl

#endif
