// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Group: a sequence and its operands, ready to run on some items inside a kernel. The verbs launch
/// one; a user's own TeamPolicy kernel can call one.
#ifndef BATCHWORK_GROUP_HPP
#define BATCHWORK_GROUP_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/detail/Batchwork_CopyGroup.hpp"
#include "core/detail/Batchwork_LaneGrid.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_ListedItems.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_Tuple.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaneSync.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "fused/detail/Batchwork_GroupDivision.hpp"
#include "fused/detail/Batchwork_Operands.hpp"
#include "fused/detail/Batchwork_Sequence.hpp"

namespace Batchwork::Impl {

/// The common part of map and scan: how a group runs on a device team and on a host thread. Derived
/// provides run_items(items, stage, indices).
template <class Derived, class LanesT, class... B>
struct GroupBase {
  using lanes = LanesT;
  using Ops = Operands<LanesT, B...>;
  static constexpr bool on_device = on_device_lanes<LanesT>;
  Ops operands;

  /// Bytes of team scratch; hosts stage on the stack.
  static constexpr std::size_t scratch_size(int team) {
    return (on_device ? Ops::stage::bytes : 0) + exchange_bytes(team);
  }

  // ---- lanes that share items ----
  static constexpr int lanes_per_item = LanesT::lanes_per_item;
  static constexpr std::size_t item_bytes = exchange_bytes_of_item<LanesT, B...>;
  static constexpr int copy_group_items = LanesT::copy_group_lanes / lanes_per_item;
  /// The number of grids of lanes, including those of the last copy group and the remaining lanes.
  static constexpr int grids_of(int team) {
    return (team + LanesT::copy_group_lanes - 1) / LanesT::copy_group_lanes * copy_group_items;
  }
  /// The grids that compute. An incomplete last warp does not, because it could not give the same
  /// bits as the others.
  static constexpr KOKKOS_FUNCTION int grids_in(int team) {
    return (team > lanes_of_warp ? team / lanes_of_warp * lanes_of_warp : team) / lanes_per_item;
  }
  static constexpr std::size_t exchange_bytes(int team) {
    return lanes_per_item == 1
               ? 0
               : (item_bytes * std::size_t(copy_group_items) + Derived::fetched_by_copy_group()) *
                     std::size_t(grids_of(team) / copy_group_items);
  }
  /// The first item from `at` on that takes part, or -1 if none before `end` does.
  BATCHWORK_INLINE std::int64_t first_taken(std::int64_t at, std::int64_t end) const {
    for (; at < end; ++at)
      if (operands.takes(at)) return at;
    return -1;
  }
  /// As many items as the team has grids, from `first` on, repeated every `step` items.
  template <class Member>
  BATCHWORK_INLINE void run_grids(Member const& member, std::int64_t first, std::int64_t last,
                                  std::int64_t step) const {
    char* base = nullptr;
    if constexpr (Ops::stage::bytes > 0) base = operands.stage_by_team(member);
    constexpr int L = lanes_per_item, together = copy_group_items;
    int const rank = Vendor::lane_rank(member), team = Vendor::lane_count(member);
    int const mine = rank / L, grids = grids_in(team);
    if (grids == 0)
      Kokkos::abort("Batchwork: a team has fewer lanes than share an item; make the team larger");
    if (last <= first) return;
    auto scratch = member.team_scratch(0);
    // After the stage, which the call has taken from its own copy of the scratch handle.
    std::size_t const bytes = Ops::stage::bytes + exchange_bytes(team);
    char* const exchange =
        static_cast<char*>(scratch.get_shmem_aligned(bytes, int(Ops::stage::align))) +
        Ops::stage::bytes;
    // The exchanges of a copy group's items, followed by the buffers into which all copy groups
    // fetch ahead.
    int const copy_group = mine / together, head = copy_group * together;
    GridItem<LanesT::copy_group_lanes> item;
    item.exchange = exchange + item_bytes * std::size_t(head);
    item.item_bytes = int(item_bytes);
    item.place = mine - head;
    item.grid =
        LaneGrid{exchange + item_bytes * std::size_t(mine), rank % L, Vendor::LaneSync::of(member)};
    item.ahead.buffer = exchange + item_bytes * std::size_t(grids_of(team)) +
                        Derived::fetched_by_copy_group() * std::size_t(copy_group);
    // Remaining lanes repeat the work of another grid, because they must not diverge.
    bool const whole = mine < grids, all_there = head + together <= grids;
    auto const copy_group_at = [&](std::int64_t at) {
      if (all_there && at + head + together <= last)
        return CopyGroup{rank - head * L, together, 0, at + head};
      return CopyGroup{rank % L, 1, item.place, whole && at + mine < last ? at + mine : last - 1};
    };
    self().fetch_first(item, copy_group_at(first));
    for (std::int64_t at = first; at < last; at += step) {
      bool present = whole && at + mine < last;
      item.first = present ? at + mine : last - 1;
      if constexpr (Ops::has_mask) {
        present = present && operands.takes(item.first);
        // All lanes of the team look for the same item, and take the same branch.
        if (!present) item.first = first_taken(at, at + grids < last ? at + grids : last);
        if (item.first < 0) continue;
      }
      item.count = present ? 1 : 0;
      // Otherwise the places of all numbers of an item stay in registers from one item to the next.
      item.grid.lane = Vendor::renewed(rank % L);
      item.copy_group =
          Ops::has_mask ? CopyGroup{rank % L, 1, item.place, item.first} : copy_group_at(at);
      item.ahead.more = at + step < last;
      item.ahead.next = copy_group_at(at + step);
      self().run_items(item, base, typename Ops::indices{});
    }
  }

  BATCHWORK_INLINE Derived const& self() const { return static_cast<Derived const&>(*this); }

  template <std::size_t I>
  static BATCHWORK_INLINE auto& argument(typename Ops::arguments& args) {
    if constexpr (is_read_only(Ops::template bound<I>::kind)) return std::as_const(get<I>(args));
    else return get<I>(args);
  }
  template <std::size_t P>
  using parameter = Parameter<
      Ops::template bound<Ops::parameters::template position<P>()>::kind,
      typename Argument<typename Ops::template bound<Ops::parameters::template position<P>()>,
                        lanes_of_operand<LanesT, Ops::parameters::template position<P>()>>::type>;
  template <class Sequence, std::size_t... P>
  static BATCHWORK_INLINE void call(Sequence const& sequence, typename Ops::arguments& args,
                                    std::index_sequence<P...>) {
    if constexpr (is_callable<Sequence, parameter<P>...>)
      sequence(argument<Ops::parameters::template position<P>()>(args)...);
  }
  template <class Sequence, std::size_t... P>
  static constexpr bool require_sequence_of(std::index_sequence<P...>) {
    return require_sequence<Sequence, parameter<P>...>();
  }
  /// True; otherwise a compile-time error says what is wrong with the sequence.
  template <class Sequence>
  static constexpr bool fits() {
    return require_sequence_of<Sequence>(std::make_index_sequence<Ops::parameters::count>{});
  }
  /// One parameter per operand, status excepted.
  template <class Sequence>
  static BATCHWORK_INLINE void call(Sequence const& sequence, typename Ops::arguments& args) {
    call(sequence, args, std::make_index_sequence<Ops::parameters::count>{});
  }

  /// All lanes of a device team call it; it stages first. It ends without synchronisation.
  template <class Member>
  BATCHWORK_INLINE void run(Member const& member, std::int64_t first, std::int64_t last) const {
    if constexpr (lanes_per_item > 1) {
      run_grids(member, first, last, grids_in(Vendor::lane_count(member)));
    } else {
      char* base = nullptr;
      if constexpr (Ops::stage::bytes > 0) base = operands.stage_by_team(member);
      Vendor::for_each_lane(member, int(last - first), [&](int k) {
        if (!operands.takes(first + k)) return;
        // Otherwise so many numbers would be read once, before the loop, and spilled.
        if constexpr (LanesT::stages_fixed) Vendor::compiler_barrier();
        self().run_items(Items{first + k, 1}, base, typename Ops::indices{});
      });
    }
  }

  /// The bytes that a copy group fetches ahead, and the first fetch: none by default.
  static constexpr std::size_t fetched_by_copy_group() { return 0; }
  BATCHWORK_INLINE void fetch_first(auto const&, CopyGroup const&) const {}

  /// The additional team scratch, in bytes per lane, of the verb's own kernel.
  static constexpr std::size_t fetch_bytes = 0;
  /// As run, in the verb's own kernel.
  template <class Member>
  BATCHWORK_INLINE void run_alone(Member const& member, std::int64_t first,
                                  std::int64_t last) const {
    run(member, first, last);
  }

  /// One host thread: packs, with the common operands on its stack.
  BATCHWORK_INLINE void run_chunk(std::int64_t first, std::int64_t last) const {
    constexpr int W = LanesT::width;
    alignas(64) char base[Ops::stage::bytes + 1];
    operands.stage_by_thread(base);
    if constexpr (Ops::has_mask) {
      // Full packs of the items that take part.
      ListedItems<W> items{0, 0, {}};
      for (std::int64_t item = first; item < last; ++item) {
        if (operands.takes(item)) items.item[items.count++] = item;
        if (items.count < W && (item + 1 < last || items.count == 0)) continue;
        items.first = items.item[0];
        self().run_items(items, base, typename Ops::indices{});
        items.count = 0;
      }
    } else {
      for (std::int64_t item = first; item < last; item += W) {
        int const count = last - item < W ? int(last - item) : W;
        self().run_items(Items{item, count}, base, typename Ops::indices{});
      }
    }
  }
};

/// A group as a user's kernel calls it.
template <class Group>
struct TeamGroup {
  Group group;

  /// The level-0 team scratch to request with Kokkos::PerTeam(...), in addition to the kernel's
  /// own. With a vector length above 1, `lanes` is team size times vector length.
  static constexpr std::size_t scratch_size(int lanes) {
    return Group::scratch_size(lanes) > 0 ? Group::scratch_size(lanes) + Group::Ops::stage::align
                                          : 0;
  }

  /// Runs on the items first .. last - 1. All threads of the team must call it, outside nested
  /// ranges, with the same arguments. It sees what the team wrote before, and the team sees
  /// afterwards what it wrote. Lanes are the linear ranks over team size times vector length; on
  /// hosts each thread takes one pack at a time.
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, std::int64_t first,
                                  std::int64_t last) const {
    member.team_barrier();
    if constexpr (Group::on_device) {
      group.run(member, first, last);
    } else {
      constexpr int W = Group::lanes::width;
      std::int64_t const packs = (last - first + W - 1) / W;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, packs), [&](std::int64_t k) {
        std::int64_t const item = first + k * W;
        group.run_chunk(item, item + W < last ? item + W : last);
      });
    }
    member.team_barrier();
  }
};

}  // namespace Batchwork::Impl

#endif
