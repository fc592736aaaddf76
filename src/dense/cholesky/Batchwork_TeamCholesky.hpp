// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_cholesky and team_solve_cholesky: cholesky and solve_cholesky that are prepared on the host
/// and called for one item inside the user's own TeamPolicy kernel.
#ifndef BATCHWORK_TEAMCHOLESKY_HPP
#define BATCHWORK_TEAMCHOLESKY_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/cholesky/Batchwork_CholeskyVerbs.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleHost.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleOfTeam.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleTeams.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_TeamItem.hpp"

namespace Batchwork {
namespace Impl {

/// \param p  of matrices with so many rows
template <bool ByLanes, class Exec, class Name, class T>
auto triangle_team_item(Call const& call, TriangleProblem<T> p, std::int64_t rows,
                        std::int64_t columns) {
  if constexpr (ByLanes) call.check_size(0, rows, 4096, "indices of 32 bits");
  else call.check_size(0, rows, triangle_rows_on_host, "a host's buffers");
  call.check_columns(columns, most_triangle_sides);
  p.n = int(rows);
  p.columns = int(columns);
  p.items = call.parts[0].d.items;
  p.factors = true;
  std::size_t const scratch = scratch_of_user_team<ByLanes, Exec>();
  using Teams = TriangleTeams<T, triangle_in_scratch>;
  TriangleOfTeam<Name, T> const work{Teams::of_one_item(p, scratch)};
  return p.n == 0 ? empty_team_item<ByLanes>(work, p.status) : team_item<ByLanes, Exec>(call, work);
}

/// ByLanes: as on devices, also on hosts for tests.
template <bool ByLanes>
struct TeamCholesky {
  static constexpr char const* name = "team_cholesky";
  template <class Exec, class A, class L, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, L const& l, S const& end) {
    Call call{name, {}};
    auto const p = cholesky_problem<Exec>(call, a, l, end);
    return triangle_team_item<ByLanes, Exec, TeamCholesky>(call, p, stored(a).rows, 0);
  }
};
template <bool ByLanes>
using TeamCholeskyForms = TeamForms<TeamCholesky<ByLanes>, Form<Kinds<Kind::in, Kind::out>, 0, 1>,
                                    Form<Kinds<Kind::inout>, 0, 0>>;

template <bool ByLanes>
struct TeamSolveCholesky {
  static constexpr char const* name = "team_solve_cholesky";
  template <class Exec, class A, class B, class X, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, B const& b, X const& x, S const& end) {
    Call call{name, {}};
    auto const p = solve_triangle_problem<SolvedBy::cholesky, Exec>(call, a, b, x, end);
    return triangle_team_item<ByLanes, Exec, TeamSolveCholesky>(call, p, stored(b).rows,
                                                                stored(b).cols);
  }
};
template <bool ByLanes>
using TeamSolveCholeskyForms =
    TeamForms<TeamSolveCholesky<ByLanes>, Form<Kinds<Kind::in, Kind::in, Kind::out>, 0, 1, 2>,
              Form<Kinds<Kind::in, Kind::inout>, 0, 1, 1>>;

}  // namespace Impl

/// Prepares cholesky for a kernel on Exec. It is checked and bound to its Views on the host, passed
/// to the kernel by value, and called there by all threads of a team for one item.
/// ```cpp
/// auto const factor = team_cholesky<Exec>(in(A), out(L), status(codes));
/// policy.set_scratch_size(0, Kokkos::PerTeam(factor.scratch_size(team_size)));
/// factor(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results, status and accuracy are those of the verb cholesky.
///
/// Limits: an item has to fit into team scratch beside the kernel's own, some N^2 / 2 + 5 N
/// numbers. On devices team size times vector length is a multiple of 32. On hosts N is at most
/// 256.
///
/// Cost: N^3 / 3 operations by all lanes of the team, and two waits for every four columns. On
/// hosts one thread of the team computes.
///
/// Source: as cholesky beyond 64 rows.
///
/// \tparam Exec     the execution space of the kernel
/// \param operands  in(A), out(L) [, status(codes)], or inout(A) [, status(codes)]
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as cholesky does
template <class Exec, class... O>
auto team_cholesky(O const&... operands) {
  using Forms = Impl::TeamCholeskyForms<Impl::runs_on_device<Exec>>;
  static_assert(
      Forms::template take<O...>,
      "Batchwork::team_cholesky: the operands are in(A), out(L) [, status(codes)] in this "
      "order, or inout(A) instead of both");
  return Forms::template make<Exec>(operands...);
}

/// Prepares solve_cholesky for a kernel on Exec, as team_cholesky does for cholesky.
/// ```cpp
/// auto const solve = team_solve_cholesky<Exec>(in(A), in(b), out(x), status(codes));
/// solve(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results and status are those of the verb solve_cholesky, without common(...).
///
/// Limits: as for team_cholesky. An item also needs 2 N numbers of team scratch for each right-hand
/// side, or for 8 of them at a time, and with little scratch for 4, 2 or 1.
///
/// Cost: N^3 / 3 + 2 N^2 K operations for K right-hand sides.
///
/// \tparam Exec     the execution space of the kernel
/// \param operands  in(A), in(B), out(X) [, status(codes)], or in(A), inout(B) [, status(codes)]
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as solve_cholesky does
template <class Exec, class... O>
auto team_solve_cholesky(O const&... operands) {
  using Forms = Impl::TeamSolveCholeskyForms<Impl::runs_on_device<Exec>>;
  static_assert(Forms::template take<O...>,
                "Batchwork::team_solve_cholesky: the operands are in(A), in(B), out(X) "
                "[, status(codes)] in this order, or inout(B) instead of the last two");
  return Forms::template make<Exec>(operands...);
}

}  // namespace Batchwork

#endif
