// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_map: a map prepared on the host and called inside a user's own TeamPolicy kernel; the verb map is a launch of it.
#ifndef BATCHWORK_TEAM_MAP_HPP
#define BATCHWORK_TEAM_MAP_HPP

#include "verbs/Batchwork_Group.hpp"

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
  BATCHWORK_INLINE void run_items(Items items, char const* base, std::index_sequence<I...>) const {
    arguments args{{this->operands.template load<I>(items, 0, base)}...};
    this->call(sequence, args);
    status_code code(0), bad(0);
    (store<I>(items, args, code, bad), ...);
    if constexpr (Ops::has_status)
      (this->operands.template store_status<I>(items, first_failure(code, bad)), ...);
  }
  template <std::size_t I>
  BATCHWORK_INLINE void store(Items items, arguments& args, status_code& code,
                              status_code& bad) const {
    constexpr Kind k = Ops::template bound<I>::kind;
    if constexpr (k == Kind::out || k == Kind::inout)
      this->operands.template store_one<I>(items, 0, get<I>(args), code, bad);
  }
};

template <class Exec, int W, class Sequence, class... O>
auto make_map_group(Sequence const& sequence, O const&... operands) {
  static_assert(
      ((O::kind != Kind::each && O::kind != Kind::emit && O::kind != Kind::carry &&
        O::kind != Kind::common_each) &&
       ...),
      "Batchwork::map: each, emit and carry belong to scan; map takes in, out, inout, common and status");
  require_one_launch<Exec, O...>();
  using L = lanes_of<Exec, W, OneLane, bound_t<O>...>;
  using Group = MapGroup<Sequence, L, bound_t<O>...>;
  return Group{{typename Group::Ops{{{bind(operands)}...}}}, sequence};
}

}  // namespace Impl

/// A map to be called inside a kernel on Exec: checked and bound on the host, then passed to the kernel by value and
/// called as update(member, first, last). Operands as for map.
template <class Exec, class Sequence, class... O>
auto team_map(Sequence const& sequence, O const&... operands) {
  Impl::check("team_map", 0, Impl::resolve(operands)...);
  auto group = Impl::make_map_group<Exec, 0>(sequence, Impl::resolve(operands)...);
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
