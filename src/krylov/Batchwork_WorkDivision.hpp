// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// WorkDivision: how a device divides a solve, where a caller knows better than the choice by
/// sizes.
#ifndef BATCHWORK_WORKDIVISION_HPP
#define BATCHWORK_WORKDIVISION_HPP

#include <cstdint>
#include <string>

#include "krylov/detail/Batchwork_SolveBudget.hpp"
#include "krylov/detail/Batchwork_SystemCall.hpp"

namespace Batchwork {

/// Where a solve on a device has the matrices.
enum class Placement {
  automatic,
  entries,   ///< entries with their columns in registers: to 512 rows of 7 entries, 256 of any
             ///< number; with bicgstab 1024 of 3
  columns,   ///< whole rows in registers or, beyond 24 rows with up to 32 lanes, a part of them in
             ///< scratch, with their zeros: to 56
  in_place,  ///< read where they are in each product
};

/// How a device divides a solve, beside what it solves: an operand of solve before the solver. What
/// is zero or automatic is chosen by rows, entries and scratch. Results differ in their last bits.
/// Hosts look whether it could be done, and do as ever.
struct WorkDivision {
  Placement matrix = Placement::automatic;
  /// Lanes of a system. Where entries are in registers: a power of two to 32, or 64, 96, 128; they
  /// have up to 4 rows each, or the solver's number of rows of 3 entries (4 of conjugate_gradients,
  /// 8 of bicgstab, see docs/reference/krylov). Of longer rows one each: 64 to 256. Whole rows: 8,
  /// 16 or 32 to 24 rows; beyond 16 or 32 with two rows each, a part of them in scratch, or
  /// 64. In place: a multiple of 32 from 64 to 256, with up to 8 rows each; a power of two for
  /// functors, from 8 to 256 for ilu, and for block_jacobi from as many as a block has rows.
  int lanes = 0;
  /// Systems of a team, where they have up to 32 lanes: their lanes are a multiple of 32, 128 at
  /// most, or 64 of whole rows.
  int systems = 0;
};

namespace Impl {

/// Lanes of a team at most.
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
/// Lanes of a system at least: those of a warp meet otherwise than those of a team, and whole rows
/// are read by eight numbers.
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
             ", which have " + std::to_string(rows_of_a_lane) + " rows each; give " +
                 (in_place_only ? "a power of two" : "a power of two to 32, or a multiple of 32,") +
                 " from " + std::to_string(least) + " to " + std::to_string(most) +
                 " that is enough");
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
