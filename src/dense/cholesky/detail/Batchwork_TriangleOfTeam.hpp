// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TriangleOfTeam: the Cholesky factor of one item, or solutions with it, by all lanes of a user's
/// team.
#ifndef BATCHWORK_TRIANGLEOFTEAM_HPP
#define BATCHWORK_TRIANGLEOFTEAM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleHost.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleTeams.hpp"

namespace Batchwork::Impl {

/// Work of a TeamItem. Name::name is that of the function. On hosts for triangle_rows_on_host.
template <class Name, class Number>
struct TriangleOfTeam {
  using T = Number;
  static constexpr char const* name = Name::name;
  // A warp has the rows of a tile.
  static constexpr int team_lanes = 0, lanes_unit = lanes_of_warp;

  TriangleTeams<T, triangle_in_scratch> teams;

  /// Each lane leaves a number at the end.
  BATCHWORK_INLINE std::size_t bytes(int lanes) const {
    return std::size_t(teams.item_numbers > lanes ? teams.item_numbers : lanes) * sizeof(T);
  }
  template <class Member>
  BATCHWORK_INLINE void by_lanes(Member const& member, int lanes, std::int64_t item,
                                 char* scratch) const {
    teams.run_one(member, lanes, item, reinterpret_cast<T*>(scratch));
  }
  void by_thread(std::int64_t item) const {
    if (teams.p.n <= 64) compute<64>(item);
    else compute<triangle_rows_on_host>(item);
  }

 private:
  template <int Rows>
  void compute(std::int64_t item) const {
    using Host = TriangleHost<T, Rows>;
    auto const numbers = std::make_unique_for_overwrite<typename Host::Numbers>();
    Host{teams.p, 1}.compute(*numbers, item);
  }
};

}  // namespace Batchwork::Impl

#endif
