// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a solver's kernel holds a system: which variant, how many lanes, how much scratch. A pure
/// function of sizes.
#ifndef BATCHWORK_SOLVEBUDGET_HPP
#define BATCHWORK_SOLVEBUDGET_HPP

#include <algorithm>
#include <cstdint>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "krylov/detail/backend/Batchwork_RestOfRows.hpp"
#include "krylov/detail/backend/Batchwork_SystemTeam.hpp"

namespace Batchwork::Impl {

/// Where the matrix is and how many rows a lane has; see MatrixPlacement.hpp.
enum class SolveVariant {
  entries_3,      ///< 4 or 8 rows of 3 entries in registers
  entries_7,      ///< 4 rows of 7 entries
  entries_64,     ///< a row of 64 entries, 48 in double, and what it has beyond them shared by all
                  ///< lanes; see LongRows.hpp
  columns_24,     ///< 3 rows of 24 columns
  columns_56,     ///< a row of 56 columns
  columns_split,  ///< 2 rows, 16 columns of them in registers and the others in scratch; see
                  ///< ColumnsSplit.hpp
  in_place,       ///< up to 8 rows, read where they are
  functor,        ///< up to 8 rows, applied by a functor
};

/// Rows of a system on devices and hosts.
inline constexpr int most_rows_of_a_solve = 2048;
/// Teams that a multiprocessor holds at most of kernels with a solver's storage or factors in
/// scratch.
inline constexpr int most_teams_with_storage = 4;
/// Bytes of team scratch that a solve with storage or factors takes at most, so that those teams
/// fit. More than what it was measured with leaves fewer of them.
constexpr std::int64_t scratch_of_a_solve(DeviceLimits const& limits) {
  return std::int64_t(std::min(limits.scratch(most_teams_with_storage, largest_team_of_a_system),
                               scratch_with_kokkos_4));
}
/// Lanes of a team with systems of at most a warp. Without shuffles systems wait for their whole
/// team: for a warp.
inline constexpr int lanes_of_small_solves =
    Vendor::has_shuffles ? 2 * lanes_of_warp : Vendor::warp_lanes;

/// Columns that are in registers and in scratch where whole rows are split; see ColumnsSplit.hpp.
struct SplitColumns {
  static constexpr int in_registers = 16;
  static constexpr int together = 4;  ///< of those in scratch

  static constexpr int at_least = in_registers;  ///< which those for registers pass through
  /// Columns in scratch, with some of zeros.
  static constexpr int in_scratch(int rows) {
    int const others = (rows - in_registers + together - 1) / together * together;
    return others > at_least ? others : at_least;
  }
  /// Bytes of a system's.
  static constexpr std::int64_t bytes(int rows, int size) {
    return (std::int64_t(in_scratch(rows)) * rows * size + 15) / 16 * 16;
  }
};
/// Teams that a multiprocessor is to hold of them: what they have in registers leaves room for as
/// many.
inline constexpr int teams_of_split_columns = 6 * 2 * lanes_of_warp / lanes_of_small_solves;

struct SolveChoice {
  SolveVariant variant = SolveVariant::in_place;
  int lanes = 1;    ///< of a system: a power of two to a warp, or whole warps
  int rows = 1;     ///< of a lane, at most
  int sharing = 1;  ///< lanes of a row, where the matrix is read in place
  int small_team = lanes_of_small_solves;  ///< lanes of a team of several systems
  RestOfRows rest{};                       ///< of entries_64

  /// Lanes of a team: several systems, or one that has more than a warp.
  constexpr int team() const { return lanes <= lanes_of_warp ? small_team : lanes; }
  constexpr int systems() const { return team() / lanes; }
  constexpr bool skips_rows() const {
    return variant == SolveVariant::in_place || variant == SolveVariant::functor;
  }
  /// Vectors of a solver's basis that lanes have in registers, as the matrices say, see
  /// MatrixPlacement.hpp.
  constexpr int directions() const {
    bool const small =
        (variant == SolveVariant::entries_3 && rows <= 4) || variant == SolveVariant::columns_56;
    return small ? directions_in_registers : 0;
  }
  /// Places of a vector in memory, for so many rows of a system.
  constexpr std::int64_t places(std::int64_t of_system) const {
    return skips_rows() ? (of_system + lanes - 1) / lanes * lanes : std::int64_t(lanes) * rows;
  }
  /// The scratch of systems with so many rows of numbers of `size` bytes. Factors of scaled systems
  /// are found in two exchanges.
  constexpr SystemScratch scratch(std::int64_t of_system, int size, bool scaled) const {
    return {lanes, int(places(of_system)), systems(), 16 / size, skips_rows() || scaled ? 2 : 1};
  }
  /// Bytes of the matrices of a team in scratch, besides that.
  constexpr std::int64_t bytes_of_matrices(std::int64_t of_system, int size) const {
    switch (variant) {
      case SolveVariant::entries_64: return rest.bytes(lanes, size);
      case SolveVariant::columns_split:
        return systems() * SplitColumns::bytes(int(of_system), size);
      default: return 0;
    }
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
/// Lanes that share a row of so many entries where a matrix is read in place, of `lanes` of a
/// system.
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
/// Whole rows, partly in scratch, of up to 56 columns.
constexpr SolveChoice split_columns(std::int64_t rows) {
  return {SolveVariant::columns_split, rows <= lanes_of_warp ? lanes_of_warp / 2 : lanes_of_warp,
          2};
}
/// The rows of a lane, at most, for which there are kernels with preconditioners that take the
/// matrix.
constexpr int rows_of_preconditioned(std::int64_t rows, int lanes) {
  return rows <= 2 * lanes ? 2 : 8;
}
constexpr SolveChoice matrix_in_place(std::int64_t rows, std::int64_t width, bool shuffles) {
  return {SolveVariant::in_place, team_of_solve(rows, 2), 8, lanes_of_a_row(width, shuffles)};
}

/// \param width  entries of a row: the widest where that is known (exact), else the mean, rounded
/// up
/// \param short_rows  rows of a lane, 4 or 8, where they have 3 entries at most: what the solver's
/// vectors leave room for
constexpr SolveChoice choose_solve(std::int64_t rows, std::int64_t width, bool exact,
                                   int short_rows, bool shuffles) {
  auto const by_entries = entries_in_registers(rows, width, short_rows);
  if (by_entries.variant != SolveVariant::entries_64) return by_entries;
  if (rows <= 56) return columns_in_registers(rows);
  // Rows that are somewhat longer than the mean fit, too.
  if (rows <= 256 && width <= (exact ? 64 : 52)) return by_entries;
  return matrix_in_place(rows, width, shuffles);
}
/// What is known of systems where a device's scratch is divided.
struct SystemSizes {
  std::int64_t rows = 0, nonzeros = 0;
  std::int64_t widest =
      0;         ///< entries of the widest row; of compressed rows only the number of rows is known
  int size = 8;  ///< bytes of a number
  bool has_storage = false;  ///< whether the solver has storage in scratch, too
};
/// A choice with as much scratch for the rest of long rows as leaves a multiprocessor the teams
/// that it has registers for.
constexpr SolveChoice with_rest(SolveChoice how, SystemSizes const& of, DeviceLimits const& limits,
                                bool shuffles) {
  if (how.variant != SolveVariant::entries_64) return how;
  std::int64_t const exchange_bytes =
      16 + of.size * std::int64_t(how.scratch(of.rows, of.size, true).numbers(shuffles));
  how.rest =
      rest_of_rows(of.rows, of.nonzeros, of.widest, how.lanes, of.size,
                   scratch_of_rest(limits, how.lanes, of.size, exchange_bytes, of.has_storage));
  return how;
}
/// Systems that would be read where they are have their long rows on the chip instead, where all of
/// them fits; whole rows are split where scratch has room for more of them than registers have.
constexpr SolveChoice on_chip_if_it_fits(SolveChoice how, SystemSizes const& of,
                                         DeviceLimits const& limits, bool shuffles) {
  if (how.variant == SolveVariant::columns_56 && !of.has_storage) {
    auto const split = split_columns(of.rows);
    std::int64_t const bytes =
        16 + split.bytes_of_matrices(of.rows, of.size) +
        of.size * std::int64_t(split.scratch(of.rows, of.size, true).numbers(shuffles));
    return limits.holds(teams_of_split_columns, split.team(), std::size_t(bytes)) ? split : how;
  }
  if (how.variant != SolveVariant::in_place || of.rows > largest_team_of_a_system) return how;
  // What two teams have no room for one may have, which then has more lanes.
  for (int lanes : {team_of_solve(of.rows, 1), RestOfRows::lanes_of_two + lanes_of_warp}) {
    if (lanes < of.rows) continue;
    auto const in_registers = with_rest({SolveVariant::entries_64, lanes, 1}, of, limits, shuffles);
    if (in_registers.rest.kept == in_registers.rest.pieces) return in_registers;
  }
  return how;
}
/// Whether a host's threads take packs of systems with so many entries. The matrices of a pack are
/// copied: beyond this many bytes of them caches overflow, and one system after the other is
/// faster.
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
