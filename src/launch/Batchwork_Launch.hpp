// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// launch(...): the label of a kernel, and its launch parameters where the defaults are not wanted.
#ifndef BATCHWORK_LAUNCH_HPP
#define BATCHWORK_LAUNCH_HPP

#include <stdexcept>
#include <string>

#include "core/detail/Batchwork_Lanes.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork {

namespace Impl {

enum class LaunchWord { width, teams, lanes };
/// An argument of launch(...) that carries a number.
template <LaunchWord What, int N>
struct LaunchNumber {};

template <class X>
inline constexpr bool is_launch_word = false;
template <LaunchWord What, int N>
inline constexpr bool is_launch_word<LaunchNumber<What, N>> = true;
template <bool Whole, std::size_t Scratch>
inline constexpr bool is_launch_word<Division<Whole, Scratch>> = true;

/// The number that an argument sets, or 0.
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
                "Batchwork::launch: give each of width, teams and lanes at most once");
  return (number_in<Of, Words> + ... + 0);
}

/// The Division among the arguments.
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

/// An argument of launch(...): the number of items in a pack on hosts, a power of two. By default
/// the SIMD width that the compiler was told to use. For map, scan and Kalman::filter.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::width, N> width{};
/// An argument of launch(...): asks for N teams of 128 lanes at the same time on each
/// multiprocessor of a GPU. The compiler then limits a lane to 65536 / (128 N) registers: 168 for N
/// = 3, 128 for N = 4. This hides memory latency better if the sequence fits into these registers,
/// and spills if it does not. By default a lane may use all 255 registers.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::teams, N> teams{};
/// An argument of launch(...): the number of GPU lanes that share an item, 1, 2, 4, 8, 16 or 32. By
/// default it is chosen from the largest extent. Beyond 32 rows or columns only 32 is allowed.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::lanes, N> lanes{};

/// The launch parameters of a verb, as made by launch(...). 0 means the default.
template <int Width = 0, int Teams = 0, int Lanes = 0, class How = Division<>>
struct Launch {
  using division = How;
  static constexpr int width = Width;       ///< items in a pack on hosts, see width<N>
  static constexpr int teams = Teams;       ///< teams at the same time, see teams<N>
  static constexpr int lanes = Lanes;       ///< lanes that share an item on devices, see lanes<N>
  static constexpr int largest_team = 128;  ///< the largest argument of team_size
  std::string label;                        ///< the label of the kernel; empty by default
  int lanes_per_team = 128;                 ///< lanes of a team on devices, see team_size

  /// Sets the number of lanes per team on devices. If lanes share items, at most 64 are used, or
  /// 128 if 32 lanes share an item.
  /// ```cpp
  /// map(launch("ratios").team_size(64), Ratio{}, out(y), in(a), in(b));
  /// ```
  /// \param n  a multiple of 32, from 32 to 128 (the default)
  /// \returns the launch parameters with this team size
  /// \throws std::invalid_argument for any other n
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

/// Sets the label of a kernel and its launch parameters. The arguments after the label are
/// lanes<N>, teams<N>, width<N> and a Division, in any order; all are optional. The label goes into
/// the name of the kernel, "Batchwork::map(label)", which Kokkos Tools show.
/// ```cpp
/// map(exec, launch("predict", lanes<8>, teams<3>), Predict{}, inout(x), in(f));
/// ```
/// \param label  the label of the kernel
/// \returns the launch parameters, to be passed to a verb before its sequence
template <class... Words>
  requires(Impl::is_launch_word<Words> && ...)
Impl::LaunchOf<Words...> launch(std::string const& label, Words const&...) {
  return {label};
}
/// The same without a label.
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
template <class Group>
struct HostKernel {
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
template <class Exec, int W, int Teams, int L, class D, class Group>
void launch_group(Exec const& exec, Launch<W, Teams, L, D> const& how, std::string const& verb,
                  Group const& group, std::int64_t items) {
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
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, chunks),
        HostKernel<Group>{group, items, per_chunk});
  }
}

}  // namespace Impl
}  // namespace Batchwork

#endif
