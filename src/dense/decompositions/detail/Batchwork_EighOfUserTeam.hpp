// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighOfUserTeam: eigh of one item by a user's team of a size that is known at compile time.
#ifndef BATCHWORK_EIGHOFUSERTEAM_HPP
#define BATCHWORK_EIGHOFUSERTEAM_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfTeams.hpp"

namespace Batchwork::Impl {

/// Work of a TeamItem on devices: EighOfTeam for more than 32 rows, as many as its registers hold,
/// else rotations.
template <class Name, class Number, int Lanes>
struct EighOfUserTeam : DecompositionOfTeam<true, Name, EighOfItems<Number>> {
  using T = Number;
  using Rotations = DecompositionOfTeam<true, Name, EighOfItems<T>>;
  static constexpr int team_lanes = Lanes;
  /// As EighOfTeams has them.
  static constexpr int tiles = Lanes > 128 ? (sizeof(T) == 8 ? 20 : 28) : sizeof(T) == 8 ? 12 : 16;

  EighOfTeam<T, tiles, Lanes> team;
  bool divides;

  explicit EighOfUserTeam(EighOfItems<T> const& of)
      : Rotations(of), team(of), divides(Vendor::has_shuffles && of.n > 32 && team.fits()) {}

  BATCHWORK_INLINE std::size_t bytes(int lanes) const {
    return divides ? team.bytes_of_matrix() + team.bytes_beside() : Rotations::bytes(lanes);
  }
  template <class Member>
  BATCHWORK_INLINE void by_lanes(Member const& member, int lanes, std::int64_t item,
                                 char* scratch) const {
    if (divides)
      team.solve(member, item, reinterpret_cast<T*>(scratch), scratch + team.bytes_of_matrix());
    else Rotations::by_lanes(member, lanes, item, scratch);
  }
};

}  // namespace Batchwork::Impl

#endif
