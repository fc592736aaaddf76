// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_map: a map that is prepared on the host and called inside the user's own TeamPolicy kernel.
/// The verb map launches one.
#ifndef BATCHWORK_TEAM_MAP_HPP
#define BATCHWORK_TEAM_MAP_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/detail/Batchwork_CopyGroup.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_Tuple.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "fused/detail/Batchwork_Group.hpp"
#include "fused/detail/Batchwork_GroupDivision.hpp"
#include "fused/detail/loaders/Batchwork_ChooseLoader.hpp"
#include "fused/detail/loaders/Batchwork_Loader.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/detail/Batchwork_Bound.hpp"

namespace Batchwork {

namespace Impl {

/// Loads the tile of each operand, calls the sequence, and stores the results.
template <class Sequence, class LanesT, class... B>
struct MapGroup : GroupBase<MapGroup<Sequence, LanesT, B...>, LanesT, B...> {
  using sequence_type = Sequence;
  using Base = GroupBase<MapGroup<Sequence, LanesT, B...>, LanesT, B...>;
  using Ops = typename Base::Ops;
  using arguments = typename Ops::arguments;
  using status_code = typename Ops::status_code;

  Sequence sequence;

  using Loader = loader_of<LanesT, B...>;

  template <std::size_t... I>
  BATCHWORK_INLINE void run_items(auto const& items, char const* base,
                                  std::index_sequence<I...> indices) const {
    if constexpr (is_by_copy_group<Loader>) {
      // The buffer is read before the next item is fetched into it.
      constexpr int copy_group = LanesT::copy_group_lanes;
      Vendor::copy_async_wait();
      items.grid.lanes.template sync_all<copy_group>();
      typename Loader::Place const place{items.ahead.buffer, base};
      arguments args{{Loader::template finish<I>(this->operands, items, place)}...};
      items.grid.lanes.template sync_all<copy_group>();
      if (items.ahead.more)
        (Loader::template start<I>(this->operands, items.ahead.next, place), ...);
      finish(items, args, indices);
    } else {
      using Directly = LoadedDirectly<LanesT, B...>;
      arguments args{{Directly::template finish<I>(this->operands, items, {base})}...};
      finish(items, args, indices);
    }
  }
  /// Calls the sequence and stores the results.
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

  static constexpr std::size_t fetched_by_copy_group() {
    return is_by_copy_group<Loader> ? Loader::bytes : 0;
  }
  template <std::size_t... I>
  BATCHWORK_INLINE void fetch_first([[maybe_unused]] auto const& item,
                                    [[maybe_unused]] CopyGroup const& copy_group,
                                    std::index_sequence<I...>) const {
    if constexpr (is_by_copy_group<Loader>)
      (Loader::template start<I>(this->operands, copy_group, {item.ahead.buffer}), ...);
  }
  BATCHWORK_INLINE void fetch_first(auto const& item, CopyGroup const& copy_group) const {
    fetch_first(item, copy_group, typename Ops::indices{});
  }

  /// Scratch per lane of the verb's own kernel.
  static constexpr std::size_t fetch_bytes = Loader::bytes_of_lane;
  /// As run, in the verb's own kernel, which has fetch_bytes of scratch per lane.
  template <class Member>
  BATCHWORK_INLINE void run_alone(Member const& member, std::int64_t first,
                                  std::int64_t last) const {
    if constexpr (fetch_bytes > 0) {
      static_assert(Ops::stage::bytes == 0, "a map that stages operands fetches none");
      int const lanes = Vendor::lane_count(member);
      auto const scratch = member.team_scratch(0);
      auto* buffer =
          static_cast<char*>(scratch.get_shmem_aligned(fetch_bytes * std::size_t(lanes), 16));
      Loader::run(*this, member, first, int(last - first), buffer, typename Ops::indices{});
    } else {
      this->run(member, first, last);
    }
  }
};

template <class Exec, class How, class Sequence, class... O>
auto make_map_group(Sequence const& sequence, O const&... operands) {
  static_assert((!is_of_scan(O::kind) && ...),
                "Batchwork::map: each, emit and carry belong to scan, and so does step_index; map "
                "takes in, out, inout, common, "
                "table, item_index, random, local and status");
  require_one_launch<Exec, O...>();
  [[maybe_unused]] constexpr bool whole =
      require_whole_items<runs_on_device<Exec>, How, bound_t<O>...>() &&
      require_lanes_for_large<runs_on_device<Exec>, How, bound_t<O>...>();
  using L = lanes_of<Exec, How, OneLane, bound_t<O>...>;
  using Group = MapGroup<Sequence, L, bound_t<O>...>;
  [[maybe_unused]] constexpr bool fits = Group::template fits<Sequence>();
  return Group{{typename Group::Ops{{{bind(operands)}...}}}, sequence};
}

}  // namespace Impl

/// Prepares a map for a kernel on Exec. It is checked and bound to its Views on the host, passed to
/// the kernel by value, and called there as update(member, first, last) by all threads of a team.
/// ```cpp
/// auto const update = team_map<Exec>(Predict{}, inout(x), in(f));
/// // in the kernel, for the items first .. last - 1:
/// update(member, first, last);
/// ```
/// \tparam Exec  the execution space of the kernel
/// \param sequence  the user's functor over tiles
/// \param operands  as for map
/// \returns an object to be copied into the kernel. Its scratch_size(team_size) is the level-0 team
///   scratch, in bytes, that the kernel must request for it.
/// \throws std::invalid_argument as map does
template <class Exec, class Sequence, class... O>
auto team_map(Sequence const& sequence, O const&... operands) {
  Impl::check("team_map", 0, Impl::resolve(operands)...);
  auto group = Impl::make_map_group<Exec, Impl::DefaultHow>(sequence, Impl::resolve(operands)...);
  return Impl::TeamGroup<decltype(group)>{group};
}

/// The level-0 team scratch, in bytes, that a team_map with these operands needs on Exec.
/// \tparam Exec      the execution space of the kernel
/// \tparam Sequence  the type of the sequence
/// \tparam O         the types of the operands
/// \param team_size  the lanes of a team: team size times vector length
/// \returns the number of bytes
template <class Exec, class Sequence, class... O>
constexpr std::size_t scratch_size(int team_size) {
  using Group =
      decltype(team_map<Exec>(std::declval<Sequence const&>(), std::declval<O const&>()...));
  return Group::scratch_size(team_size);
}

}  // namespace Batchwork

#endif
