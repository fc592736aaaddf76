// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuOfTeam: the factors of one item, or solutions with them, by all lanes of a user's team.
#ifndef BATCHWORK_LUOFTEAM_HPP
#define BATCHWORK_LUOFTEAM_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "dense/lu/detail/Batchwork_LuHost.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_LuTeams.hpp"

namespace Batchwork::Impl {

/// Work of a TeamItem. Name::name is that of the function. Both ways lay out scratch as LuTeams.
template <class Name, class Number>
struct LuOfTeam {
  using T = Number;
  static constexpr char const* name = Name::name;
  static constexpr int team_lanes = 0;

  LuTeams<T, false> teams;

  BATCHWORK_INLINE std::size_t bytes(int lanes) const { return teams.bytes_of_item(lanes); }
  template <class Member>
  BATCHWORK_INLINE void by_lanes(Member const& member, int lanes, std::int64_t item,
                                 char* scratch) const {
    teams.run(member, lanes, item, scratch);
  }
  void by_thread(std::int64_t item, char* scratch) const {
    auto const& p = teams.p;
    T* const numbers = reinterpret_cast<T*>(scratch);
    auto* const place = reinterpret_cast<std::int16_t*>(scratch + teams.of_numbers());
    lu_by_thread(p, item, teams.leading, numbers, numbers + std::size_t(p.n) * teams.leading,
                 teams.chunk, place, place + p.n);
  }
};

}  // namespace Batchwork::Impl

#endif
