// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of verbs for items so small that a lane holds one, with constant extents; and the
/// choice among them at run time.
#ifndef BATCHWORK_LANELAUNCH_HPP
#define BATCHWORK_LANELAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_ItemsOfLanes.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// The function that these kernels run: f(of), where `of` is an ItemsOfWarp or ItemsOfPack of
/// numbers of type `number`. carried_bytes() is the team scratch of a warp for the items it moves,
/// `words` the number of 32-bit registers for the numbers of an item.
template <class F>
concept ItemOfLane = requires(F const f) {
  typename F::number;
  { F::words } -> std::convertible_to<int>;
  { f.items() } -> std::convertible_to<std::int64_t>;
  { f.carried_bytes() } -> std::convertible_to<std::size_t>;
};

/// On a device.
template <ItemOfLane F>
struct LaneTeams {
  using T = typename F::number;
  // As many lanes as hide the latency of memory, if an item leaves registers for them.
  static constexpr int largest_team = 128, wanted_teams = F::words <= 9    ? 8
                                                          : F::words <= 18 ? 6
                                                          : F::words <= 36 ? 4
                                                                           : 1;

  F f;
  std::size_t of_warp;
  int lanes = largest_team;

  LaneTeams(F const& of, DeviceLimits const& limits) : f(of), of_warp(of.carried_bytes()) {
    // Until a multiprocessor has scratch for the requested teams.
    while (lanes > lanes_of_warp &&
           (bytes() > std::min(scratch_of_a_team, limits.scratch(wanted_teams, lanes)) ||
            lanes / 2 >= f.items()))
      lanes /= 2;
  }
  int team() const { return lanes; }
  std::size_t bytes() const {
    return of_warp > 0 ? of_warp * std::size_t(lanes / lanes_of_warp) + 16 : 0;
  }
  std::int64_t teams() const { return (f.items() + lanes - 1) / lanes; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const warp = Vendor::lane_rank(member) / lanes_of_warp;
    char* buffer = nullptr;
    if (of_warp > 0) {
      std::size_t const all = of_warp * std::size_t(lanes / lanes_of_warp);
      buffer = static_cast<char*>(member.team_scratch(0).get_shmem_aligned(all, 16)) +
               of_warp * std::size_t(warp);
    }
    std::int64_t const first =
        std::int64_t(member.league_rank()) * lanes + std::int64_t(warp) * lanes_of_warp;
    f(ItemsOfWarp<T, Member>(member, buffer, first, f.items()));
  }
};

/// On a host.
template <ItemOfLane F>
struct LanePacks {
  using S = Pack<typename F::number, native_width<typename F::number>>;
  F f;
  std::int64_t per_chunk;

  void operator()(std::int64_t chunk) const {
    constexpr int W = S::width;
    std::int64_t const end = std::min(f.items(), (chunk + 1) * per_chunk * W);
    for (std::int64_t begin = chunk * per_chunk * W; begin < end; begin += W)
      f(ItemsOfPack<S>{begin, end - begin < W ? int(end - begin) : W});
  }
};

template <class Exec, ItemOfLane F>
void launch_lanes(Exec const& exec, Call const& call, F const& f) {
  std::string const label = kernel_label(call.verb, call.label);
  if constexpr (runs_on_device<Exec>) {
    using Kernel = LaneTeams<F>;
    Kernel const kernel(f, Vendor::device_limits(exec));
    launch_kernel(exec, label, kernel, [&] {
      return LaunchWords{call.verb, "the matrices of " + call.parts[0].name(), "use fewer items"};
    });
  } else {
    std::int64_t const packs = (f.items() + LanePacks<F>::S::width - 1) / LanePacks<F>::S::width;
    // Chunks large enough to be worth starting, small enough to keep all threads busy.
    std::int64_t const per_chunk = std::clamp(packs / (32 * std::int64_t(exec.concurrency())),
                                              std::int64_t(16), std::int64_t(128));
    launch_range(exec, label, (packs + per_chunk - 1) / per_chunk, LanePacks<F>{f, per_chunk});
  }
}

/// Calls f(KnownExtent<N>()) for the N in 1 .. Most that equals n. \returns whether there is one
template <int Most, class F>
bool with_known_extent(std::int64_t n, F const& f) {
  return [&]<int... K>(std::integer_sequence<int, K...>) {
    return ((n == K + 1 && (f(KnownExtent<K + 1>()), true)) || ...);
  }(std::make_integer_sequence<int, Most>());
}

}  // namespace Batchwork::Impl

#endif
