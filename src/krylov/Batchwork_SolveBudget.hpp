// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a solver's kernel holds a system: which variant, how many lanes, how much scratch. A pure function of sizes.
#ifndef BATCHWORK_SOLVEBUDGET_HPP
#define BATCHWORK_SOLVEBUDGET_HPP

#include <cstdint>

#include "krylov/Batchwork_SystemTeam.hpp"

namespace Batchwork::Impl {

/// Where the matrix is and how many rows a lane has; see HeldMatrix.hpp.
enum class SolveVariant {
  entries_4,   ///< 4 rows of 4 entries in registers
  entries_8,   ///< 4 rows of 8 entries
  columns_24,  ///< 3 rows of 24 columns
  columns_56,  ///< a row of 56 columns
  in_place,    ///< up to 8 rows, read where they are
  functor,     ///< up to 8 rows, applied by a functor
};

/// Rows of a system on devices and hosts.
inline constexpr int most_rows_of_a_solve = 2048;
/// Lanes of a team whose systems have a warp at most.
inline constexpr int lanes_of_small_solves = 64;

struct SolveChoice {
  SolveVariant variant = SolveVariant::in_place;
  int lanes = 1;    ///< of a system, a power of two
  int rows = 1;     ///< of a lane, at most
  int sharing = 1;  ///< lanes of a row, where the matrix is read in place

  /// Lanes of a team: several systems, or one that has more than a warp.
  constexpr int team() const { return lanes <= 32 ? lanes_of_small_solves : lanes; }
  constexpr int systems() const { return team() / lanes; }
  /// Places of a vector in memory, for so many rows of a system.
  constexpr std::int64_t places(std::int64_t of_system) const {
    bool const skips_rows = variant == SolveVariant::in_place || variant == SolveVariant::functor;
    return skips_rows ? (of_system + lanes - 1) / lanes * lanes : std::int64_t(lanes) * rows;
  }
};

constexpr int lanes_of_solve(std::int64_t rows, int rows_of_a_lane, int least = 1) {
  int lanes = least;
  while (lanes < largest_team_of_a_system && rows > std::int64_t(lanes) * rows_of_a_lane) lanes *= 2;
  return lanes;
}

/// \param width  entries of a row: the widest where that is known, else the mean, rounded up
constexpr SolveChoice choose_solve(std::int64_t rows, std::int64_t width, bool shuffles) {
  if (width <= 8 && rows <= 512)
    return {width <= 4 ? SolveVariant::entries_4 : SolveVariant::entries_8, lanes_of_solve(rows, 4), 4, 1};
  if (rows <= 24) return {SolveVariant::columns_24, 8, 3, 1};
  if (rows <= 56) return {SolveVariant::columns_56, 64, 1, 1};
  SolveChoice c{SolveVariant::in_place, lanes_of_solve(rows, 2, 64), 8, 1};
  while (shuffles && c.sharing < 32 && 8 * c.sharing <= width) c.sharing *= 2;
  return c;
}
constexpr SolveChoice choose_functor_solve(std::int64_t rows) {
  return {SolveVariant::functor, lanes_of_solve(rows, 2, 64), 8, 1};
}

}  // namespace Batchwork::Impl

#endif
