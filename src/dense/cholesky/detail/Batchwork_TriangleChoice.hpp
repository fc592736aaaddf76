// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Chooses the kernel of cholesky, solve_lower and solve_upper on devices for matrices of n rows
/// that TriangleLanes does not serve.
#ifndef BATCHWORK_TRIANGLECHOICE_HPP
#define BATCHWORK_TRIANGLECHOICE_HPP

#include "dense/cholesky/detail/Batchwork_CholeskyPanels.hpp"
#include "dense/cholesky/detail/Batchwork_PanelScratch.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleColumns.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleProblem.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleScratch.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleTeams.hpp"

namespace Batchwork::Impl {

/// Whether factors that are stored come by CholeskyPanels. Large items of float that are copied
/// number by number are faster otherwise.
template <class T>
bool factors_by_panels(TriangleProblem<T> const& p) {
  if (sizeof(T) == 8 || p.n <= 48) return p.n <= 64;
  PanelTravel const travel = PanelTravel::of(p.a, p.n, false);
  return p.n <= 64 && (travel.by.by_items || travel.wide);
}
/// Whether triangular systems are solved by TriangleColumns, which for one right-hand side are as
/// fast as TriangleTeams at 64 rows and faster below.
template <class T>
constexpr bool solves_by_columns(int n) {
  return n <= 64;
}

/// Runs f.template operator()<Kernel>() for CholeskyPanels of n rows; lanes and slots as an H100 is
/// fastest with.
template <class T, class F>
void with_panels(int n, DeviceLimits const& limits, F const& f) {
  if (n <= 16) f.template operator()<CholeskyPanels<T, 8, 2>>();
  else if (n <= (sizeof(T) == 8 ? 24 : 32)) f.template operator()<CholeskyPanels<T, 16, 2>>();
  else if (sizeof(T) == 8 && CholeskyPanels<T, 16, 4>::bytes_of_warp(n) <= limits.scratch_of_team)
    f.template operator()<CholeskyPanels<T, 16, 4>>();
  else f.template operator()<CholeskyPanels<T, 32, 2>>();
}
/// For TriangleColumns of n rows.
template <class T, class F>
void with_columns(int n, F const& f) {
  if (n <= 8) f.template operator()<TriangleColumns<T, 1>>();
  else if (n <= 16) f.template operator()<TriangleColumns<T, 2>>();
  else if (n <= 32) f.template operator()<TriangleColumns<T, 4>>();
  else if (n <= 48) f.template operator()<TriangleColumns<T, 6>>();
  else f.template operator()<TriangleColumns<T, 8>>();
}
/// For TriangleTeams.
template <class T, class F>
void with_teams(int n, bool factors, F const& f) {
  if (!factors) {
    f.template operator()<TriangleTeams<T, triangle_of_solve>>();
    return;
  }
  switch (tiles_in_registers(n)) {
    case 2: f.template operator()<TriangleTeams<T, 2>>(); break;
    case 4: f.template operator()<TriangleTeams<T, 4>>(); break;
    case 5: f.template operator()<TriangleTeams<T, 5>>(); break;
    case 6: f.template operator()<TriangleTeams<T, 6>>(); break;
    case 7: f.template operator()<TriangleTeams<T, 7>>(); break;
    case 8: f.template operator()<TriangleTeams<T, 8>>(); break;
    default: f.template operator()<TriangleTeams<T, triangle_in_scratch>>(); break;
  }
}
/// For the kernel that a problem is solved by.
template <bool Factors, class T, class F>
void with_kernel(TriangleProblem<T> const& p, DeviceLimits const& limits, F const& f) {
  if constexpr (Factors) {
    if (p.stores_factor && factors_by_panels(p)) with_panels<T>(p.n, limits, f);
    else with_teams<T>(p.n, true, f);
  } else {
    // Lanes side by side have columns: these are to be neighbours, or items are.
    auto const fits = [&](auto const& s) {
      return p.columns == 1 || items_are_near(s, p.n, p.columns) ||
             !rows_are_near(s, p.n, p.columns);
    };
    if (p.columns > 0 && solves_by_columns<T>(p.n) && fits(p.b) && fits(p.x))
      with_columns<T>(p.n, f);
    else f.template operator()<TriangleTeams<T, triangle_of_solve>>();
  }
}

}  // namespace Batchwork::Impl

#endif
