// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of multiply on devices: lanes of a team share an item, each computing whole rows. No
/// scratch and no reduction; what several rows read of the vector comes from the cache.
#ifndef BATCHWORK_MULTIPLYTEAMS_HPP
#define BATCHWORK_MULTIPLYTEAMS_HPP

#include <cstdint>

#include "krylov/formats/detail/Batchwork_Systems.hpp"

namespace Batchwork::Impl {

/// y = alpha A x + beta y for every item.
template <class T, class Systems>
struct MultiplyProblem {
  Systems a;
  Storage<T const> x;
  Storage<T> y;
  T alpha, beta;
  std::int64_t items;

  BATCHWORK_INLINE VectorRead<T> read(std::int64_t item) const { return {item_of(x, item), x.row}; }
  BATCHWORK_INLINE VectorUpdate<T> update(std::int64_t item, bool there) const {
    return {item_of(y, item), y.row, alpha, beta, there};
  }
};

/// Whether the same number of neighbouring items is nearer in memory than the next number of an
/// item: neighbouring lanes then have neighbouring items, one each.
template <class T>
bool has_items_side_by_side(Storage<T> const& s) {
  return s.width == 1 ? s.group == 1 : s.lane == 1;
}

/// Lanes of an item: one where items are side by side in memory, since it reads what its neighbours
/// read as well.
template <class Systems>
int multiply_lanes(Systems const& a, std::int64_t nonzeros) {
  if constexpr (Systems::has_pattern) {
    if (has_items_side_by_side(a.values)) return 1;
  }
  return lanes_per_system(a.rows, nonzeros);
}

template <class T, class Systems>
struct MultiplyTeams {
  static constexpr int largest_team = 128;

  MultiplyProblem<T, Systems> p;
  int lanes = 1;  ///< of an item, a power of two

  std::int64_t teams() const {
    std::int64_t const per_team = largest_team / lanes;
    return (p.items + per_team - 1) / per_team;
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    int const rank = member.team_rank(), slot = rank / lanes;
    std::int64_t const wanted =
        std::int64_t(member.league_rank()) * (member.team_size() / lanes) + slot;
    // Lanes without an item repeat the last one, so that all of them may wait for each other, and
    // store nothing.
    bool const there = wanted < p.items;
    std::int64_t const item = there ? wanted : p.items - 1;
    SystemLanes<Member> const mine{member, rank - slot * lanes, lanes};
    auto const of = p.a.item(item);
    apply(mine, of, p.a.rows, p.read(item), p.update(item, there));
  }
};

}  // namespace Batchwork::Impl

#endif
