// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a solver's kernel holds a system: which variant, how many lanes, how much scratch. A pure function of sizes.
#ifndef BATCHWORK_SOLVEBUDGET_HPP
#define BATCHWORK_SOLVEBUDGET_HPP

#include <algorithm>
#include <cstdint>

#include "krylov/Batchwork_SystemTeam.hpp"
#include "machine/Batchwork_DeviceLimits.hpp"
#include "machine/Batchwork_Lanes.hpp"

namespace Batchwork::Impl {

/// Where the matrix is and how many rows a lane has; see HeldMatrix.hpp.
enum class SolveVariant {
  entries_3,   ///< 4 or 8 rows of 3 entries in registers
  entries_7,   ///< 4 rows of 7 entries
  entries_64,  ///< a row of 64 entries
  columns_24,  ///< 3 rows of 24 columns
  columns_56,  ///< a row of 56 columns
  in_place,    ///< up to 8 rows, read where they are
  functor,     ///< up to 8 rows, applied by a functor
};

/// Rows of a system on devices and hosts.
inline constexpr int most_rows_of_a_solve = 2048;
/// Teams that a multiprocessor holds at most of kernels with a solver's room or factors in scratch.
inline constexpr int most_teams_with_room = 4;
/// Bytes of team scratch that a solve with room or factors takes at most, so that those teams fit. More than what it was
/// measured with leaves fewer of them.
constexpr std::int64_t scratch_of_a_solve(DeviceLimits const& limits) {
  return std::int64_t(std::min(limits.scratch(most_teams_with_room, largest_team_of_a_system),
                               scratch_with_kokkos_4));
}
/// Lanes of a team whose systems have a warp at most.
inline constexpr int lanes_of_small_solves = 2 * lanes_of_warp;

struct SolveChoice {
  SolveVariant variant = SolveVariant::in_place;
  int lanes = 1;    ///< of a system: a power of two to a warp, or whole warps
  int rows = 1;     ///< of a lane, at most
  int sharing = 1;  ///< lanes of a row, where the matrix is read in place
  int small_team = lanes_of_small_solves;  ///< lanes of a team of several systems

  /// Lanes of a team: several systems, or one that has more than a warp.
  constexpr int team() const { return lanes <= lanes_of_warp ? small_team : lanes; }
  constexpr int systems() const { return team() / lanes; }
  constexpr bool skips_rows() const {
    return variant == SolveVariant::in_place || variant == SolveVariant::functor;
  }
  /// Vectors of a solver's basis that lanes have in registers, as the matrices say, see HeldMatrix.hpp.
  constexpr int directions() const {
    bool const small =
        (variant == SolveVariant::entries_3 && rows <= 4) || variant == SolveVariant::columns_56;
    return small ? directions_in_registers : 0;
  }
  /// Places of a vector in memory, for so many rows of a system.
  constexpr std::int64_t places(std::int64_t of_system) const {
    return skips_rows() ? (of_system + lanes - 1) / lanes * lanes : std::int64_t(lanes) * rows;
  }
  /// The scratch of systems of so many rows; `size` is that of a number. Factors of scaled systems are found in two boxes.
  constexpr SystemScratch scratch(std::int64_t of_system, int size, bool scaled) const {
    return {lanes, int(places(of_system)), systems(), 16 / size, skips_rows() || scaled ? 2 : 1};
  }
};

/// As few as have so many rows each: a power of two to a warp, whole warps beyond.
constexpr int lanes_of_solve(std::int64_t rows, int rows_of_a_lane) {
  int lanes = 1;
  while (lanes < largest_team_of_a_system && rows > std::int64_t(lanes) * rows_of_a_lane)
    lanes += lanes < lanes_of_warp ? lanes : lanes_of_warp;
  return lanes;
}
/// Of systems that have a team for themselves whatever their size.
constexpr int team_of_solve(std::int64_t rows, int rows_of_a_lane) {
  int const lanes = lanes_of_solve(rows, rows_of_a_lane);
  return lanes < 2 * lanes_of_warp ? 2 * lanes_of_warp : lanes;
}

/// The same as a power of two, `least` at least.
constexpr int power_of_two_team(std::int64_t rows, int rows_of_a_lane, int least) {
  int lanes = least;
  while (lanes < largest_team_of_a_system && rows > std::int64_t(lanes) * rows_of_a_lane)
    lanes *= 2;
  return lanes;
}
/// Lanes that share a row of so many entries where a matrix is read in place, of `lanes` of a system.
constexpr int lanes_of_a_row(std::int64_t width, bool shuffles, int lanes = lanes_of_warp) {
  int const most = lanes < lanes_of_warp ? lanes : lanes_of_warp;
  int sharing = 1;
  while (shuffles && sharing < most && 8 * sharing <= width) sharing *= 2;
  return sharing;
}

/// Entries in registers, of rows of so many; for up to 512 rows of at most 3 or 7, else to 256.
constexpr SolveChoice entries_in_registers(std::int64_t rows, std::int64_t width, int short_rows) {
  if (width <= 3 && rows <= 128 * short_rows)
    return {SolveVariant::entries_3, lanes_of_solve(rows, short_rows), short_rows};
  if (width <= 7 && rows <= 512) return {SolveVariant::entries_7, lanes_of_solve(rows, 4), 4};
  return {SolveVariant::entries_64, team_of_solve(rows, 1), 1};
}
/// Whole rows in registers, of up to 56 columns.
constexpr SolveChoice columns_in_registers(std::int64_t rows) {
  if (rows <= 24) return {SolveVariant::columns_24, 8, 3};
  return {SolveVariant::columns_56, 64, 1};
}
/// The rows of a lane, at most, for which there are kernels with preconditioners that take the matrix.
constexpr int rows_of_preconditioned(std::int64_t rows, int lanes) {
  return rows <= 2 * lanes ? 2 : 8;
}
constexpr SolveChoice matrix_in_place(std::int64_t rows, std::int64_t width, bool shuffles) {
  return {SolveVariant::in_place, team_of_solve(rows, 2), 8, lanes_of_a_row(width, shuffles)};
}

/// \param width  entries of a row: the widest where that is known (exact), else the mean, rounded up
/// \param short_rows  rows of a lane, 4 or 8, where they have 3 entries at most: what the solver's vectors leave room for
constexpr SolveChoice choose_solve(std::int64_t rows, std::int64_t width, bool exact,
                                   int short_rows, bool shuffles) {
  auto const by_entries = entries_in_registers(rows, width, short_rows);
  if (by_entries.variant != SolveVariant::entries_64) return by_entries;
  if (rows <= 56) return columns_in_registers(rows);
  // Rows that are somewhat longer than the mean fit, too.
  if (rows <= 256 && width <= (exact ? 64 : 52)) return by_entries;
  return matrix_in_place(rows, width, shuffles);
}
/// Whether a host's threads take packs of systems with so many entries. The matrices of a pack are copied: beyond this many
/// bytes of them caches overflow, and one system after the other is faster.
template <class T>
constexpr bool solves_by_packs(std::int64_t nonzeros) {
  return nonzeros * std::int64_t(sizeof(T)) * native_width<T> <= 8 * 1024 * 1024;
}

/// Functors are promised a power of two.
constexpr SolveChoice choose_functor_solve(std::int64_t rows) {
  return {SolveVariant::functor, power_of_two_team(rows, 2, 64), 8, 1};
}

}  // namespace Batchwork::Impl

#endif
