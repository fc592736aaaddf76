// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// WorkDivision: overrides how a device divides a solve.
#ifndef BATCHWORK_WORKDIVISION_HPP
#define BATCHWORK_WORKDIVISION_HPP

#include <cstdint>
#include <string>

#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/detail/backend/Batchwork_SolveBudget.hpp"

namespace Batchwork {

/// Where a solve on a device holds the matrices.
enum class Placement {
  automatic,  ///< chosen by rows, entries and scratch
  entries,    ///< entries with their columns in registers: to 512 rows with 7 entries each, 256
              ///< with any number, with bicgstab 1024 with 3
  columns,    ///< whole rows, with their zeros, in registers, to 56 rows; beyond 24 rows with up to
              ///< 32 lanes a part of them in scratch
  in_place,   ///< read from memory in each product
};

/// How a device divides a solve: an argument of solve before the solver. Zero and automatic mean
/// chosen by rows, entries and scratch. Results differ in their last bits. Validated but ignored on
/// hosts.
///
/// ```cpp
/// // 64 lanes for each system, the matrix read in place
/// solve(exec, WorkDivision{Placement::in_place, 64, 1}, bicgstab(), jacobi(), A, b, x);
/// ```
///
/// A division that no kernel supports throws std::invalid_argument with the range.
struct WorkDivision {
  Placement matrix = Placement::automatic;  ///< where the matrices are held; default automatic
  /// Lanes of a system; 0, the default, means chosen:
  /// - entries in registers: a power of two to 32, or 64, 96, 128, with up to 4 rows each; with 3
  ///   entries a row up to the solver's short_rows (4 of conjugate_gradients, 8 of bicgstab).
  ///   Longer rows: 64 to 256, one row each
  /// - whole rows: 8, 16 or 32 to 24 rows; beyond, 16 or 32 with two rows each, a part of them
  ///   in scratch, or 64
  /// - in place: a multiple of 32 from 64 to 256, with up to 8 rows each. With functors, ilu, isai
  ///   and block_jacobi a power of two to 256: from 64 with functors, from 8 with ilu and isai,
  ///   from 8 and at least the rows of a block with block_jacobi
  int lanes = 0;
  /// Systems of a team; 0, the default, means chosen. Only if they have up to 32 lanes. Their lanes
  /// together are a multiple of 32, at most 128, with whole rows 64.
  int systems = 0;
};

namespace Impl {

/// Most lanes of a team.
constexpr int most_lanes(SolveVariant variant) {
  switch (variant) {
    case SolveVariant::entries_3:
    case SolveVariant::entries_7: return 128;
    case SolveVariant::columns_24:
    case SolveVariant::columns_56: return 64;
    case SolveVariant::columns_split: return lanes_of_small_solves;
    default: return largest_team_of_a_system;
  }
}
/// Fewest lanes of a system. Lanes of a warp exchange numbers in another way than lanes of a team,
/// and whole rows are read by eight numbers.
constexpr int least_lanes(SolveVariant variant, int in_place) {
  switch (variant) {
    case SolveVariant::entries_3:
    case SolveVariant::entries_7: return 1;
    case SolveVariant::columns_24: return 8;
    case SolveVariant::columns_split: return 16;
    case SolveVariant::in_place: return in_place;
    default: return 64;
  }
}

/// The choice that was made for such systems, or the caller's, which is checked.
/// \param in_place_only  nothing else is there: preconditioners that take the matrix, and functors
/// \param least_in_place  lanes of a system at least where its matrix is read in place
inline SolveChoice divided(SystemCall const& call, SolveChoice choice, WorkDivision const& how,
                           std::int64_t rows, std::int64_t width, int short_rows, bool shuffles,
                           bool in_place_only, int least_in_place = 2 * lanes_of_warp) {
  auto const refuse = [&](std::string const& what, std::string const& remedy) {
    call.fail("division: " + what + " for systems of " + std::to_string(rows) + " rows" + remedy);
  };
  if (in_place_only && how.matrix != Placement::automatic && how.matrix != Placement::in_place)
    refuse("a matrix in registers", " with such a preconditioner or functor; give in_place");
  switch (how.matrix) {
    case Placement::automatic: break;
    case Placement::entries:
      choice = entries_in_registers(rows, width, short_rows);
      if (rows > std::int64_t(most_lanes(choice.variant)) * choice.rows)
        refuse("entries in registers", " of " + std::to_string(width) + " entries; give in_place");
      break;
    case Placement::columns:
      if (rows > 56) refuse("whole rows in registers", ", 56 being the most; give entries");
      choice = columns_in_registers(rows);
      if (choice.variant == SolveVariant::columns_56 && how.lanes > 0 && how.lanes <= lanes_of_warp)
        choice = split_columns(rows);
      break;
    case Placement::in_place:
      if (!choice.skips_rows()) choice = matrix_in_place(rows, width, shuffles);
      break;
  }
  int const least = least_lanes(choice.variant, least_in_place);
  if (how.lanes != 0) {
    bool const has_one_warp =
        choice.variant == SolveVariant::columns_24 || choice.variant == SolveVariant::columns_split;
    int const most = has_one_warp ? lanes_of_warp : most_lanes(choice.variant);
    int const lanes = how.lanes;
    bool const power = lanes > 0 && (lanes & (lanes - 1)) == 0;
    bool const shaped =
        lanes <= lanes_of_warp || in_place_only ? power : lanes % lanes_of_warp == 0;
    int const rows_of_a_lane = choice.skips_rows() ? 8 : choice.rows;
    if (!shaped || lanes < least || lanes > most || std::int64_t(lanes) * rows_of_a_lane < rows)
      refuse(std::to_string(lanes) + " lanes",
             ", which have at most " + std::to_string(rows_of_a_lane) + " rows each; give " +
                 (in_place_only ? "a power of two" : "a power of two to 32, or a multiple of 32,") +
                 " from " + std::to_string(least) + " to " + std::to_string(most) +
                 ", enough for all rows");
    choice.lanes = lanes;
    if (in_place_only && choice.variant == SolveVariant::in_place)
      choice.rows = rows_of_preconditioned(rows, lanes);
    if (choice.variant == SolveVariant::in_place)
      choice.sharing = lanes_of_a_row(width, shuffles, lanes);
  }
  if (how.systems != 0) {
    int const most = most_lanes(choice.variant);
    std::int64_t const team = std::int64_t(how.systems) * choice.lanes;
    if (choice.lanes > lanes_of_warp ? how.systems != 1
                                     : how.systems < 1 || team % lanes_of_warp != 0 || team > most)
      refuse(std::to_string(how.systems) + " a team, of " + std::to_string(choice.lanes) + " lanes",
             choice.lanes > lanes_of_warp
                 ? "; give 1"
                 : "; give as many as make a multiple of 32 lanes, to " + std::to_string(most));
    if (choice.lanes <= lanes_of_warp) choice.small_team = int(team);
  }
  return choice;
}

}  // namespace Impl
}  // namespace Batchwork

#endif
