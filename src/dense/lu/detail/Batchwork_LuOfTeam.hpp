// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LuOfTeam: the factors of one item, or solutions with them, by all lanes of a user's team.
#ifndef BATCHWORK_LUOFTEAM_HPP
#define BATCHWORK_LUOFTEAM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/detail/Batchwork_Macros.hpp"
#include "dense/lu/detail/Batchwork_LuHost.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "dense/lu/detail/Batchwork_LuTeams.hpp"
#include "launch/detail/Batchwork_TeamItem.hpp"

namespace Batchwork::Impl {

/// Work of a TeamItem. Name::name is that of the function.
template <class Name, class Number>
struct LuOfTeam {
  using T = Number;
  static constexpr char const* name = Name::name;
  static constexpr int team_lanes = 0, lanes_unit = warps_or_lanes;

  LuTeams<T, false> teams;

  BATCHWORK_INLINE std::size_t bytes(int lanes) const { return teams.bytes_of_item(lanes); }
  template <class Member>
  BATCHWORK_INLINE void by_lanes(Member const& member, int lanes, std::int64_t item,
                                 char* scratch) const {
    teams.run(member, lanes, item, scratch);
  }
  void by_thread(std::int64_t item) const {
    auto const& p = teams.p;
    std::size_t const n = std::size_t(p.n), of_matrix = n * std::size_t(teams.leading);
    auto const numbers =
        std::make_unique_for_overwrite<T[]>(of_matrix + n * std::size_t(teams.chunk));
    auto const places = std::make_unique_for_overwrite<std::int16_t[]>(2 * n);
    lu_by_thread(p, item, teams.leading, numbers.get(), numbers.get() + of_matrix, teams.chunk,
                 places.get(), places.get() + n);
  }
};

}  // namespace Batchwork::Impl

#endif
