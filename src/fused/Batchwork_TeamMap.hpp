// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_map: a map prepared on the host and called inside a user's own TeamPolicy kernel; the verb map is a launch of it.
#ifndef BATCHWORK_TEAM_MAP_HPP
#define BATCHWORK_TEAM_MAP_HPP

#include "fused/detail/Batchwork_Group.hpp"
#include "view/detail/loaders/Batchwork_Fetch.hpp"
#include "view/detail/loaders/Batchwork_WarpTransfer.hpp"

namespace Batchwork {

namespace Impl {

/// Loads each operand's tile, calls the sequence, stores what it wrote.
template <class Sequence, class LanesT, class... B>
struct MapGroup : GroupBase<MapGroup<Sequence, LanesT, B...>, LanesT, B...> {
  using Base = GroupBase<MapGroup<Sequence, LanesT, B...>, LanesT, B...>;
  using Ops = typename Base::Ops;
  using arguments = typename Ops::arguments;
  using status_code = typename Ops::status_code;

  Sequence sequence;

  template <std::size_t... I>
  BATCHWORK_INLINE void run_items(auto const& items, char const* base,
                                  std::index_sequence<I...> indices) const {
    if constexpr (Base::lanes_per_item > 1) {
      // What was fetched ahead is read before the next item is fetched to the same place.
      constexpr int copy_group = LanesT::copy_group_lanes;
      if constexpr (copy_groups_fetch) {
        Vendor::wait_for_copies();
        items.grid.lanes.template sync_all<copy_group>();
      }
      arguments args{{argument_of_grid<I>(items, base)}...};
      if constexpr (copy_groups_fetch) {
        items.grid.lanes.template sync_all<copy_group>();
        if (items.ahead.more) (fetch_for_copy_group<I>(items, items.ahead.next), ...);
      }
      finish(items, args, indices);
    } else {
      arguments args{{this->operands.template load<I>(items, 0, base)}...};
      finish(items, args, indices);
    }
  }
  /// The sequence, and the stores.
  template <std::size_t... I>
  BATCHWORK_INLINE void finish(auto const& items, arguments& args,
                               std::index_sequence<I...>) const {
    this->call(sequence, args);
    status_code code(0), bad(0);
    (store<I>(items, args, code, bad), ...);
    if constexpr (Ops::has_status)
      (this->operands.template store_status<I>(items, first_failure(code, bad)), ...);
  }
  template <std::size_t I>
  BATCHWORK_INLINE void store(auto const& items, arguments& args, status_code& code,
                              status_code& bad) const {
    constexpr Kind k = Ops::template bound<I>::kind;
    if constexpr (k == Kind::out || k == Kind::inout)
      this->operands.template store_one<I>(items, 0, get<I>(args), code, bad);
  }

  // ---- fetching ahead ----
  // While a lane computes one item, the operands of its next one are copied to team scratch.

  template <std::size_t I>
  static constexpr std::size_t fetched_numbers() {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (Bnd::kind == Kind::in || Bnd::kind == Kind::inout)
      return Fetch<decltype(Bnd::loc)>::possible ? Fetch<decltype(Bnd::loc)>::numbers : 0;
    else return 0;
  }
  template <std::size_t I>
  static constexpr std::size_t fetch_bytes_of() {
    if constexpr (fetched_numbers<I>() > 0)
      return fetched_numbers<I>() * sizeof(typename Ops::template bound<I>::scalar);
    else return 0;
  }
  template <std::size_t... I>
  static constexpr std::size_t all_numbers(std::index_sequence<I...>) {
    return (std::size_t(0) + ... + fetched_numbers<I>());
  }
  template <std::size_t... I>
  static constexpr std::size_t all_bytes(std::index_sequence<I...>) {
    return (std::size_t(0) + ... + fetch_bytes_of<I>());
  }
  template <std::size_t I>
  static constexpr std::size_t fetch_offset = all_bytes(std::make_index_sequence<I>{});

  // The same for the copy groups of lanes that share items.
  template <std::size_t I>
  static constexpr std::size_t copy_group_bytes_of() {
    return ahead_bytes_of<Base::lanes_per_item, LanesT::copy_group_lanes,
                          typename Ops::template bound<I>>();
  }
  template <std::size_t... I>
  static constexpr std::size_t all_copy_group_bytes(std::index_sequence<I...>) {
    return (std::size_t(0) + ... + copy_group_bytes_of<I>());
  }
  /// As long as it stays small beside the exchange, and a copy group has room for both.
  static constexpr bool copy_groups_fetch = [] {
    constexpr std::size_t bytes = all_copy_group_bytes(typename Ops::indices{}),
                          exchange = Base::item_bytes * Base::copy_group_items;
    return bytes > 0 && bytes <= exchange &&
           Ops::stage::bytes + exchange + bytes <= LanesT::available;
  }();
  static constexpr std::size_t fetched_by_copy_group() {
    return copy_groups_fetch ? all_copy_group_bytes(typename Ops::indices{}) : 0;
  }
  template <std::size_t I>
  static BATCHWORK_INLINE char* copy_group_buffer(Ahead const& ahead) {
    return ahead.buffer + all_copy_group_bytes(std::make_index_sequence<I>{});
  }
  template <std::size_t I>
  BATCHWORK_INLINE void fetch_for_copy_group(auto const& item, CopyGroup const& copy_group) const {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (copy_groups_fetch && copy_group_bytes_of<I>() > 0)
      GridTransfer<decltype(Bnd::loc), Base::lanes_per_item, LanesT::copy_group_lanes>::start(
          get<I>(this->operands.bounds).loc, 0, copy_group, copy_group_buffer<I>(item.ahead));
  }
  template <std::size_t I>
  BATCHWORK_INLINE auto argument_of_grid(auto const& item, char const* base) const {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (copy_groups_fetch && copy_group_bytes_of<I>() > 0) {
      typename Argument<Bnd, LanesT>::type x;
      GridTransfer<decltype(Bnd::loc), Base::lanes_per_item, LanesT::copy_group_lanes>::finish(
          x, item.grid, item.place, copy_group_buffer<I>(item.ahead));
      return x;
    } else {
      return this->operands.template load<I>(item, 0, base);
    }
  }
  template <std::size_t... I>
  BATCHWORK_INLINE void fetch_first(auto const& item, CopyGroup const& copy_group,
                                    std::index_sequence<I...>) const {
    (fetch_for_copy_group<I>(item, copy_group), ...);
  }
  BATCHWORK_INLINE void fetch_first(auto const& item, CopyGroup const& copy_group) const {
    fetch_first(item, copy_group, typename Ops::indices{});
  }

  /// Bytes of scratch per lane for that, at most 256; 0 where it does not pay. Of small items enough are on their
  /// way without it, large ones leave too few lanes (measured on an H200: it pays from 4x4 to 6x6).
  static constexpr std::size_t fetched_bytes = [] {
    constexpr std::size_t numbers = all_numbers(typename Ops::indices{});
    return Base::on_device && Base::lanes_per_item == 1 && Ops::stage::bytes == 0 &&
                   Vendor::copies_asynchronously && numbers >= 10 && numbers <= 32
               ? all_bytes(typename Ops::indices{})
               : 0;
  }();

  // ---- item-contiguous batches, copied by warps ----

  /// Bytes of a warp's buffer for operand I, if it is read, or written.
  template <std::size_t I>
  static constexpr std::size_t buffer_bytes_of(bool reads) {
    using Bnd = typename Ops::template bound<I>;
    constexpr Kind k = Bnd::kind;
    if constexpr (k == Kind::in || k == Kind::inout || k == Kind::out) {
      if (reads ? k == Kind::out : k == Kind::in) return 0;
      using Loc = decltype(Bnd::loc);
      if constexpr (WarpTransfer<Loc>::possible) return WarpTransfer<Loc>::bytes;
    }
    return 0;
  }
  template <std::size_t... I>
  static constexpr std::size_t all_buffer_bytes([[maybe_unused]] bool reads,
                                                std::index_sequence<I...>) {
    return (std::size_t(0) + ... + buffer_bytes_of<I>(reads));
  }
  template <std::size_t I>
  static constexpr std::size_t buffer_offset(bool reads) {
    return all_buffer_bytes(reads, std::make_index_sequence<I>{});
  }
  static constexpr std::size_t bytes_in = all_buffer_bytes(true, typename Ops::indices{}),
                               bytes_out = all_buffer_bytes(false, typename Ops::indices{});
  static constexpr bool warps_copy =
      Base::on_device && Base::lanes_per_item == 1 && Ops::stage::bytes == 0 &&
      Vendor::copies_asynchronously && fetched_bytes == 0 && bytes_in + bytes_out > 0 &&
      (bytes_in <= scratch_of_a_team) && (bytes_out <= scratch_of_a_team);
  /// The next items are fetched while these are computed, if a team of 128 lanes has room for both.
  static constexpr bool copies_ahead =
      warps_copy && bytes_in > 0 && 4 * (bytes_in + bytes_out) <= scratch_of_a_team;
  static constexpr std::size_t buffer_of_warp = !warps_copy            ? 0
                                                : copies_ahead         ? bytes_in + bytes_out
                                                : bytes_in > bytes_out ? bytes_in
                                                                       : bytes_out;

  /// Scratch per lane of the verb's own kernel.
  static constexpr std::size_t fetch_bytes =
      warps_copy ? buffer_of_warp / lanes_of_warp : fetched_bytes;

  template <std::size_t I>
  BATCHWORK_INLINE void start_copy_in(std::int64_t first, int count, int lane, char* buffer) const {
    if constexpr (buffer_bytes_of<I>(true) > 0) {
      auto const& loc = get<I>(this->operands.bounds).loc;
      WarpTransfer<std::remove_cvref_t<decltype(loc)>>::start(loc, first, count, lane,
                                                              buffer + buffer_offset<I>(true));
    }
  }
  template <std::size_t I>
  BATCHWORK_INLINE auto from_buffer(Items const& items, int lane, char* buffer) const {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (buffer_bytes_of<I>(true) > 0) {
      typename Argument<Bnd, LanesT>::type x;
      WarpTransfer<decltype(Bnd::loc)>::take(x, lane, buffer + buffer_offset<I>(true));
      return x;
    } else {
      return this->operands.template load<I>(items, 0, nullptr);
    }
  }
  template <std::size_t I>
  BATCHWORK_INLINE void store_to_buffer(Items const& items, int lane, char* buffer, arguments& args,
                                        status_code& code, status_code& bad) const {
    if constexpr (buffer_bytes_of<I>(false) > 0)
      this->operands.template store_one<I>(
          WarpItem{items.first, lane, buffer + buffer_offset<I>(false)}, 0, get<I>(args), code,
          bad);
    else if (items.count > 0) store<I>(items, args, code, bad);
  }
  template <std::size_t I>
  BATCHWORK_INLINE void finish_copy_out(std::int64_t first, int count, int lane,
                                        char const* buffer) const {
    if constexpr (buffer_bytes_of<I>(false) > 0) {
      auto const& loc = get<I>(this->operands.bounds).loc;
      WarpTransfer<std::remove_cvref_t<decltype(loc)>>::finish(loc, first, count, lane,
                                                               buffer + buffer_offset<I>(false));
    }
  }
  /// All lanes of a warp stay together; those beyond the last item repeat it.
  template <class Member, std::size_t... I>
  BATCHWORK_INLINE void run_by_warps(Member const& member, std::int64_t first, int n, char* scratch,
                                     std::index_sequence<I...>) const {
    constexpr int warp = lanes_of_warp;
    int const rank = Vendor::lane_rank(member), lanes = Vendor::lane_count(member);
    int const lane = rank % warp;
    char* const in = scratch + buffer_of_warp * std::size_t(rank / warp);
    char* const out = in + (copies_ahead ? bytes_in : 0);
    auto const count_at = [&](int k) { return n - k < warp ? n - k : warp; };
    auto const start = [&](int k) { (start_copy_in<I>(first + k, count_at(k), lane, in), ...); };
    if (copies_ahead && rank - lane < n) start(rank - lane);
    for (int k = rank - lane; k < n; k += lanes) {
      int const count = count_at(k);
      Items const items{first + k + (lane < count ? lane : count - 1), lane < count ? 1 : 0};
      if (!copies_ahead) start(k);
      Vendor::wait_for_copies();
      Vendor::wait_for_warp(member);
      arguments args{{from_buffer<I>(items, lane < count ? lane : count - 1, in)}...};
      // All have read theirs before the buffer is written again.
      Vendor::wait_for_warp(member);
      if (copies_ahead && k + lanes < n) start(k + lanes);
      this->call(sequence, args);
      status_code code(0), bad(0);
      (store_to_buffer<I>(items, lane, out, args, code, bad), ...);
      if constexpr (Ops::has_status)
        if (items.count > 0)
          (this->operands.template store_status<I>(items, first_failure(code, bad)), ...);
      Vendor::wait_for_warp(member);
      (finish_copy_out<I>(first + k, count, lane, out), ...);
      if (!copies_ahead) Vendor::wait_for_warp(member);
    }
  }

  template <std::size_t I>
  BATCHWORK_INLINE void fetch(std::int64_t item, char* buffer, int lane, int lanes) const {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (fetch_bytes_of<I>() > 0)
      Fetch<decltype(Bnd::loc)>::start(get<I>(this->operands.bounds).loc, item,
                                       buffer + fetch_offset<I> * lanes, lane, lanes);
  }
  template <std::size_t I>
  BATCHWORK_INLINE auto fetched(Items items, char* buffer, int lane, int lanes) const {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (fetch_bytes_of<I>() > 0) {
      typename Argument<Bnd, LanesT>::type x;
      Fetch<decltype(Bnd::loc)>::finish(x, buffer + fetch_offset<I> * lanes, lane, lanes);
      return x;
    } else {
      return this->operands.template load<I>(items, 0, nullptr);
    }
  }
  template <std::size_t... I>
  BATCHWORK_INLINE void run_fetching(std::int64_t first, int n, int lane, int lanes, char* buffer,
                                     std::index_sequence<I...> indices) const {
    if (lane < n) (fetch<I>(first + lane, buffer, lane, lanes), ...);
    for (int k = lane; k < n; k += lanes) {
      Items const items{first + k, 1};
      Vendor::wait_for_copies();
      arguments args{{fetched<I>(items, buffer, lane, lanes)}...};
      if (k + lanes < n) (fetch<I>(first + k + lanes, buffer, lane, lanes), ...);
      finish(items, args, indices);
    }
  }

  /// As run, for the verb's own kernel, which has fetch_bytes of scratch per lane.
  template <class Member>
  BATCHWORK_INLINE void run_alone(Member const& member, std::int64_t first,
                                  std::int64_t last) const {
    if constexpr (fetch_bytes > 0) {
      static_assert(Ops::stage::bytes == 0, "a map that stages operands fetches none");
      int const lane = Vendor::lane_rank(member), lanes = Vendor::lane_count(member);
      auto const scratch = member.team_scratch(0);
      auto* buffer =
          static_cast<char*>(scratch.get_shmem_aligned(fetch_bytes * std::size_t(lanes), 16));
      if constexpr (warps_copy)
        run_by_warps(member, first, int(last - first), buffer, typename Ops::indices{});
      else run_fetching(first, int(last - first), lane, lanes, buffer, typename Ops::indices{});
    } else {
      this->run(member, first, last);
    }
  }
};

template <class Exec, class How, class Sequence, class... O>
auto make_map_group(Sequence const& sequence, O const&... operands) {
  static_assert(
      ((O::kind != Kind::each && O::kind != Kind::emit && O::kind != Kind::carry &&
        O::kind != Kind::common_each) &&
       ...),
      "Batchwork::map: each, emit and carry belong to scan; map takes in, out, inout, common and status");
  require_one_launch<Exec, O...>();
  using L = lanes_of<Exec, How, OneLane, bound_t<O>...>;
  using Group = MapGroup<Sequence, L, bound_t<O>...>;
  [[maybe_unused]] constexpr bool fits = Group::template fits<Sequence>();
  return Group{{typename Group::Ops{{{bind(operands)}...}}}, sequence};
}

}  // namespace Impl

/// A map to be called inside a kernel on Exec: checked and bound on the host, then passed to the kernel by value and
/// called as update(member, first, last). Operands as for map.
template <class Exec, class Sequence, class... O>
auto team_map(Sequence const& sequence, O const&... operands) {
  Impl::check("team_map", 0, Impl::resolve(operands)...);
  auto group = Impl::make_map_group<Exec, Impl::DefaultHow>(sequence, Impl::resolve(operands)...);
  return Impl::TeamGroup<decltype(group)>{group};
}

/// Bytes of level-0 team scratch that a team_map of these operands needs on Exec.
template <class Exec, class Sequence, class... O>
constexpr std::size_t scratch_size(int team_size) {
  using Group =
      decltype(team_map<Exec>(std::declval<Sequence const&>(), std::declval<O const&>()...));
  return Group::scratch_size(team_size);
}

}  // namespace Batchwork

#endif
