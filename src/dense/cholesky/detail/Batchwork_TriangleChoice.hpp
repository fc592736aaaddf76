// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Which kernel runs cholesky, solve_cholesky, solve_lower and solve_upper on a device, and how
/// many lanes share an item.
#ifndef BATCHWORK_TRIANGLECHOICE_HPP
#define BATCHWORK_TRIANGLECHOICE_HPP

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"

namespace Batchwork::Impl {

/// What is asked for: cholesky; solve_cholesky; solve_lower or solve_upper.
enum class TriangleWork { factor, solve_by_factor, solve };

/// What a choice depends on besides the size.
struct TriangleArrangement {
  /// The same numbers of neighbouring items of b and x are near each other in memory.
  bool items_near = false;
  /// They are, or neighbouring columns are near each other, or there is one column.
  bool sides_near = true;
  /// Items of a are copied by 16 bytes, or neighbouring ones together.
  bool wide = true;
};

// ---- by_lane: CholeskyOfLane, TriangleOfLane ----

/// Right-hand sides to which triangular systems are solved so (H100 and H200, CUDA 13). More have
/// lanes of their own. With a factor that is not known yet there is no such kernel: then all are.
template <class T>
constexpr int sides_of_lane(int n, bool items_near) {
  if (items_near) return 32;
  return sizeof(T) == 8 && n > 6 ? 4 : 8;
}

// ---- by_panels: CholeskyPanels, TriangleColumns ----

inline constexpr int triangle_rows_of_panels = 64;
/// Whether CholeskyPanels is faster than TriangleTeams. Large items of float that are copied number
/// by number are not (H100).
template <class T>
constexpr bool factors_by_panels(int n, bool wide) {
  return n <= (sizeof(T) == 8 || wide ? triangle_rows_of_panels : 48);
}
/// CholeskyPanels of n rows: lanes, and extents of two or four rows a lane, as an H100 is fastest
/// with. The second one is for less scratch.
template <class T>
constexpr Candidates<> choose_cholesky_panels(int n) {
  using enum KernelKind;
  Candidates<> c;
  if (n <= 16) c.add({by_panels, 16, 8});
  else if (n <= (sizeof(T) == 8 ? 24 : 32)) c.add({by_panels, 32, 16});
  else {
    if (sizeof(T) == 8) c.add({by_panels, 64, 16});
    c.add({by_panels, 64, 32});
  }
  return c;
}
/// TriangleColumns: a lane has a right-hand side. For one right-hand side it is as fast as
/// TriangleTeams at 64 rows and faster below.
inline constexpr int triangle_extents_of_columns[] = {8, 16, 32, 48, 64};
constexpr KernelChoice choose_triangle_columns(int n) {
  return {KernelKind::by_panels, extent_from(triangle_extents_of_columns, n), 1};
}

// ---- by_warps, in_scratch: TriangleTeams ----

/// The tiles down of a triangle of n rows that a warp holds in registers, or 0 if n is too large
/// for that: few cases, so that there are few kernels.
constexpr int tiles_in_registers(int n) {
  return n <= 16 ? 2 : n <= 32 ? 4 : n <= 64 ? (n + 7) / 8 : 0;
}
inline constexpr int lanes_of_large_triangle = 128;
/// With a factorisation, if a warp can hold the triangle in registers.
constexpr KernelChoice choose_triangle_warps(int n) {
  return {KernelKind::by_warps, 8 * tiles_in_registers(n), lanes_of_warp};
}
/// With a factorisation in scratch, of which each lane needs a number: more than 8 rows.
inline constexpr KernelChoice triangle_teams{KernelKind::in_scratch, 0, lanes_of_large_triangle};
/// Without one.
inline constexpr KernelChoice triangle_substitution{KernelKind::by_warps, 0, lanes_of_warp};

// ---- the choice ----

/// The kernels for matrices of n rows, 1 or more, that fit into scratch: the fastest first. All run
/// on any device.
/// \param columns  right-hand sides
template <class T>
constexpr Candidates<> choose_triangle(TriangleWork work, int n, int columns,
                                       TriangleArrangement const& arranged) {
  Candidates<> c;
  auto const add_if = [&](bool condition, KernelChoice const& choice) {
    if (condition) c.add(choice);
  };
  KernelChoice const lane{KernelKind::by_lane, n, 1};
  bool const small = n <= extent_of_lane;
  if (work == TriangleWork::solve) {
    bool const few = columns <= sides_of_lane<T>(n, arranged.items_near),
               by_columns = columns > 0 && n <= triangle_rows_of_panels;
    add_if(small && few, lane);
    add_if(by_columns && arranged.sides_near, choose_triangle_columns(n));
    c.add(triangle_substitution);
    add_if(by_columns && !arranged.sides_near, choose_triangle_columns(n));
    add_if(small && !few, lane);
    return c;
  }
  add_if(small, lane);
  bool const panels = work == TriangleWork::factor && n <= triangle_rows_of_panels,
             first = panels && factors_by_panels<T>(n, arranged.wide),
             warps = tiles_in_registers(n) > 0;
  add_if(warps && !first, choose_triangle_warps(n));
  if (panels)
    for (KernelChoice const& choice : choose_cholesky_panels<T>(n)) c.add(choice);
  add_if(warps && first, choose_triangle_warps(n));
  add_if(!small, triangle_teams);
  return c;
}

}  // namespace Batchwork::Impl

#endif
