// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// launch(...): the label and the sizes of a call, where the defaults are not wanted.
#ifndef BATCHWORK_LAUNCH_HPP
#define BATCHWORK_LAUNCH_HPP

#include <stdexcept>
#include <string>

#include "core/detail/Batchwork_Lanes.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork {

namespace Impl {

enum class LaunchWord { width, teams, lanes };
/// A word of launch(...) with its number.
template <LaunchWord What, int N>
struct LaunchNumber {};

template <class X>
inline constexpr bool is_launch_word = false;
template <LaunchWord What, int N>
inline constexpr bool is_launch_word<LaunchNumber<What, N>> = true;
template <bool Whole, std::size_t Scratch>
inline constexpr bool is_launch_word<Division<Whole, Scratch>> = true;

/// What a word says of one of the numbers, or 0.
template <LaunchWord Of, class Word>
inline constexpr int number_in = 0;
template <LaunchWord Of, int N>
inline constexpr int number_in<Of, LaunchNumber<Of, N>> = N;
template <LaunchWord Of, class Word>
inline constexpr bool speaks_of = false;
template <LaunchWord Of, int N>
inline constexpr bool speaks_of<Of, LaunchNumber<Of, N>> = true;

template <LaunchWord Of, class... Words>
constexpr int number_among() {
  static_assert((int(speaks_of<Of, Words>) + ... + 0) <= 1,
                "Batchwork::launch: width, teams and lanes are given once each at most");
  return (number_in<Of, Words> + ... + 0);
}

/// The Division among the words.
template <class... Words>
struct DivisionAmong {
  using type = Division<>;
};
template <bool Whole, std::size_t Scratch, class... Rest>
struct DivisionAmong<Division<Whole, Scratch>, Rest...> {
  using type = Division<Whole, Scratch>;
};
template <class First, class... Rest>
struct DivisionAmong<First, Rest...> : DivisionAmong<Rest...> {};

}  // namespace Impl

/// Words of launch(...). width<N>: items in a host pack, a power of two; by default the SIMD width
/// that the compiler was told of.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::width, N> width{};
/// teams<N>: asks for that many teams of 128 lanes at once on a multiprocessor of a GPU: the
/// compiler then gives a lane at most 65536 / (128 N) registers (4: 128, 3: 168), which hides
/// memory latency better where a sequence can do with them, and spills where it cannot. By default
/// a lane may use all 255.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::teams, N> teams{};
/// lanes<N>: the number of lanes of a GPU that share an item: 1, 2, 4, 8, 16 or 32; by default a
/// function of the largest extent.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::lanes, N> lanes{};

/// How a verb is launched: what launch(...) makes of its words; 0 where nothing is said.
template <int Width = 0, int Teams = 0, int Lanes = 0, class How = Division<>>
struct Launch {
  using division = How;
  static constexpr int width = Width;
  static constexpr int teams = Teams;
  static constexpr int lanes = Lanes;
  static constexpr int largest_team = 128;
  std::string label;
  int lanes_per_team = 128;

  /// Lanes per team on devices: a multiple of 32 up to 128; where lanes share items 64 at most, or
  /// 128 if 32 do.
  Launch team_size(int n) const {
    if (n < Impl::lanes_of_warp || n > largest_team || n % Impl::lanes_of_warp != 0)
      throw std::invalid_argument("Batchwork::launch: team_size(" + std::to_string(n) +
                                  ") must be a multiple of " + std::to_string(Impl::lanes_of_warp) +
                                  " from " + std::to_string(Impl::lanes_of_warp) + " to " +
                                  std::to_string(largest_team));
    Launch r = *this;
    r.lanes_per_team = n;
    return r;
  }
};

namespace Impl {
template <class... Words>
using LaunchOf =
    Launch<number_among<LaunchWord::width, Words...>(), number_among<LaunchWord::teams, Words...>(),
           number_among<LaunchWord::lanes, Words...>(), typename DivisionAmong<Words...>::type>;
}  // namespace Impl

/// How a verb is launched, where the defaults are not wanted: launch("label", lanes<8>, teams<3>,
/// width<4>), in any order, all of it optional. Kernels are then labelled "Batchwork::map(label)".
/// A Division is a word, too: how lanes that share items go about it.
template <class... Words>
  requires(Impl::is_launch_word<Words> && ...)
Impl::LaunchOf<Words...> launch(std::string const& label, Words const&...) {
  return {label};
}
template <class... Words>
  requires(Impl::is_launch_word<Words> && ...)
Impl::LaunchOf<Words...> launch(Words const&...) {
  return {};
}

namespace Impl {

template <class X>
inline constexpr bool is_launch = false;
template <int W, int Teams, int L, class D>
inline constexpr bool is_launch<Launch<W, Teams, L, D>> = true;

inline std::string kernel_label(std::string const& verb, std::string const& label) {
  return label.empty() ? "Batchwork::" + verb : "Batchwork::" + verb + "(" + label + ")";
}

/// The kernel of a verb on a device: one team per group of items.
template <class Group>
struct DeviceKernel {
  Group group;
  std::int64_t items;
  int per_team;

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    std::int64_t const first = std::int64_t(member.league_rank()) * per_team;
    if constexpr (Group::lanes_per_item > 1) {
      // Neighbouring teams keep to neighbouring items, round after round: the parts of a sector
      // that belong to several teams then meet in the cache.
      group.run_grids(member, first, items, std::int64_t(member.league_size()) * per_team);
    } else {
      std::int64_t const last = first + per_team < items ? first + per_team : items;
      group.run_alone(member, first, last);
    }
  }
};

/// The kernel of a verb on a host: one index per some packs. A range policy, because a team of one
/// thread costs several times more to start and gains nothing here.
template <class Group>
struct HostKernel {
  Group group;
  std::int64_t items;
  int per_chunk;

  /// Flattened: the sequence is inlined, however many kernels share it.
  BATCHWORK_FLATTEN KOKKOS_FUNCTION void operator()(std::int64_t chunk) const {
    std::int64_t const first = chunk * per_chunk;
    std::int64_t const last = first + per_chunk < items ? first + per_chunk : items;
    group.run_chunk(first, last);
  }
};

/// Lanes of a team where lanes share items, if a copy group has no more: 64, so that the scratch of
/// more teams fits. Without shuffles they wait for their whole team: for a warp.
inline constexpr int lanes_of_grids = Vendor::has_shuffles ? 64 : Vendor::warp_lanes;

/// The largest team of a kernel and how many of them are wanted at once. Teams still counts lanes
/// by 128.
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

/// Launches a group on an execution space instance. Asynchronous; allocates nothing, fences
/// nothing.
template <class Exec, int W, int Teams, int L, class D, class Group>
void launch_group(Exec const& exec, Launch<W, Teams, L, D> const& how, std::string const& verb,
                  Group const& group, std::int64_t items) {
  if (items == 0) return;
  std::string const label = kernel_label(verb, how.label);
  if constexpr (runs_on_device<Exec>) {
    using Bounds = LaunchBoundsOf<typename Group::lanes, Teams>;
    int lanes = how.lanes_per_team;
    // Fewer lanes a team where the exchange of more copy groups would not fit.
    if constexpr (Group::lanes_per_item > 1) {
      if (lanes > Bounds::lanes) lanes = Bounds::lanes;
      if (Group::scratch_size(lanes) > Group::lanes::available &&
          Group::scratch_size(lanes_of_warp) < Group::scratch_size(lanes))
        lanes = lanes_of_warp;
    }
    // And fewer where the buffers of more warps would not.
    if constexpr (Group::fetch_bytes > 0)
      while (lanes > lanes_of_warp && Group::fetch_bytes * std::size_t(lanes) > scratch_of_a_team)
        lanes = lanes > 2 * lanes_of_warp ? 2 * lanes_of_warp : lanes_of_warp;
    // A lane that fetches ahead, or whose warp carries, takes a few items one after the other, as
    // long as there are enough teams to fill the device; otherwise a team per group is faster, the
    // device balances them. Teams of lanes that share items stage the common operands besides, and
    // take more.
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
    // Each chunk stages the common operands once: large ones, as long as there are some for every
    // thread. One or two packs of the largest items are work enough for a chunk.
    int const width = Group::lanes::width;
    constexpr std::int64_t packs = 131072 / std::int64_t(sizeof(typename Group::Ops::arguments));
    int const least = packs > 16 || exec.concurrency() == 1 ? 16 : packs < 1 ? 1 : int(packs);
    std::int64_t const share = items / (32 * std::int64_t(exec.concurrency()) * width);
    int const per_chunk = width * int(share < least ? least : share > 128 ? 128 : share);
    std::int64_t const chunks = (items + per_chunk - 1) / per_chunk;
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, chunks),
        HostKernel<Group>{group, items, per_chunk});
  }
}

}  // namespace Impl
}  // namespace Batchwork

#endif
