// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The order in which lanes solve a sparse triangle: rows by levels (Y. Saad, Iterative Methods for
/// Sparse Linear Systems, 2nd edition, section 11.6.3), and levels by stages. A stage is a level of
/// more rows than a warp has lanes, or as many levels, one after the other, as a warp has lanes
/// for.
#ifndef BATCHWORK_ROWSTAGES_HPP
#define BATCHWORK_ROWSTAGES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork::Impl {

/// Rows that one lane each of a warp takes through the levels of a stage. Portably there are no
/// such stages.
BATCHWORK_INLINE constexpr int rows_of_a_stage(int lanes) {
  return !Vendor::has_shuffles ? 1 : lanes < lanes_of_warp ? lanes : lanes_of_warp;
}
/// Lanes of a system that has stages, at least.
inline constexpr int least_lanes_of_stages = 8;
/// Two stages that follow each other have more rows than a warp has lanes, else they were one.
BATCHWORK_INLINE constexpr int most_stages(int rows) {
  return Vendor::has_shuffles ? 2 * rows / least_lanes_of_stages + 2 : rows;
}

struct RowStages {
  /// Bits of what a place holds beside its row, and a stage beside its end.
  static constexpr int begins_level = 0x8000, row_bits = 0x7fff;
  static constexpr int
      by_warp = 0x8000,  ///< the first warp does it alone: few rows with few terms of stages before
      has_levels = 0x4000,  ///< several: some rows need others of the stage
      is_forest = 0x2000,   ///< in which each row needs one other at most, see IluTeam
      end_bits = 0x1fff;
  static constexpr int few_terms = 8;

  std::uint16_t *order,  ///< (place): the row
      *place,            ///< (row)
      *lead,    ///< (row): of its terms, how many come before the first that its own stage finds
      *stages;  ///< (stage): where it ends

  static constexpr BATCHWORK_INLINE int size(int rows) { return 3 * rows + most_stages(rows); }
  static BATCHWORK_INLINE RowStages at(std::uint16_t* memory, int rows) {
    return {memory, memory + rows, memory + 2 * rows, memory + 3 * rows};
  }

  /// Of places, which hold levels, makes the order, and puts the places into `lead`. For one row.
  BATCHWORK_INLINE void find_place(int rows, int i) const {
    int const level = place[i];
    int before = 0, alike = 0;
    BATCHWORK_UNROLL_SOME
    for (int j = 0; j < rows; ++j) {
      int const other = place[j];
      before += other < level ? 1 : 0;
      alike += other == level && j < i ? 1 : 0;
    }
    order[before + alike] = std::uint16_t(i | (alike == 0 ? begins_level : 0));
    lead[i] = std::uint16_t(before + alike);
  }
  /// By one lane. How many there are, of `most` rows, or of one level.
  BATCHWORK_INLINE int find_stages(int rows, int most) const {
    int begin = 0, level = 0, count = 0;
    for (int p = 1; p <= rows; ++p) {
      if (p < rows && (order[p] & begins_level) == 0) continue;
      // Another level ends here.
      if (level > begin && p - begin > most) {
        stages[count++] = std::uint16_t(level);
        begin = level;
      }
      level = p;
    }
    stages[count++] = std::uint16_t(rows);
    return count;
  }
};

/// The row that a lane of the first warp has in a stage of no more rows than that has lanes, and
/// where its levels begin.
struct StageLane {
  int begin, end, place;
  int row = 0;
  bool mine;        ///< whether there is one
  int base;         ///< the rank in its warp of the lane that has the stage's first row
  unsigned starts;  ///< bit l: a level begins at begin + l

  /// Called by all lanes of the warp.
  template <class Lanes>
  BATCHWORK_INLINE StageLane(Lanes const& lanes, RowStages const& of, int first, int last)
      : begin(first), end(last), place(first + lanes.rank), mine(place < last) {
    int const word = mine ? of.order[place] : 0;
    row = word & RowStages::row_bits;
    base = (lanes.member.team_rank() - lanes.rank) % lanes_of_warp;
    starts = Vendor::ballot(mine && (word & RowStages::begins_level) != 0) >> base;
    if (lanes.count < lanes_of_warp) starts &= (1u << lanes.count) - 1u;
  }
  /// Where the level ends that begins at this place.
  BATCHWORK_INLINE int end_of_level(int at) const {
    unsigned const behind = at + 1 < end ? starts >> (at + 1 - begin) : 0u;
    return behind == 0 ? end : at + 1 + Kokkos::Experimental::countr_zero_builtin(behind);
  }
};

/// Logarithm of the lanes, of a warp at most, that share a row where there are so many rows.
BATCHWORK_INLINE int shift_of_sharing(int lanes, int rows) {
  int shift = 0;
  if (Vendor::has_shuffles)
    while ((rows << (shift + 1)) <= lanes && (2 << shift) <= lanes_of_warp) ++shift;
  return shift;
}

}  // namespace Batchwork::Impl

#endif
