// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_lu and team_solve_lu: lu and solve_lu that are prepared on the host and called for one item
/// inside the user's own TeamPolicy kernel.
#ifndef BATCHWORK_TEAMLU_HPP
#define BATCHWORK_TEAMLU_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/lu/Batchwork_LuVerbs.hpp"
#include "dense/lu/detail/Batchwork_LuOfTeam.hpp"
#include "dense/lu/detail/Batchwork_LuTeams.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_TeamItem.hpp"

namespace Batchwork {
namespace Impl {

/// \param p  of matrices with so many rows
template <bool ByLanes, class Exec, class Name, class T>
auto lu_team_item(Call const& call, LuProblem<T> p, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t most_numbered = 32767;
  call.check_size(0, rows, most_numbered, "indices of 16 bits");
  call.check_columns(columns, most_lu_sides);
  p.n = int(rows);
  p.columns = int(columns);
  p.items = call.parts[0].d.items;
  std::size_t const scratch = scratch_of_user_team<ByLanes, Exec>();
  LuOfTeam<Name, T> const work{LuTeams<T, false>::of_one_item(p, most_lanes_of_team, scratch)};
  return p.n == 0 ? empty_team_item<ByLanes>(work, p.status) : team_item<ByLanes, Exec>(call, work);
}

/// ByLanes: as on devices, also on hosts for tests.
template <bool ByLanes>
struct TeamLu {
  static constexpr char const* name = "team_lu";
  template <class Exec, class A, class L, class P, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, L const& lu, P const& order,
                  S const& end) {
    Call call{name, {}};
    auto const p = lu_problem<Exec>(call, a, lu, order, end);
    return lu_team_item<ByLanes, Exec, TeamLu>(call, p, stored(a).rows, 0);
  }
};
template <bool ByLanes>
using TeamLuForms = TeamForms<TeamLu<ByLanes>, Form<Kinds<Kind::in, Kind::out, Kind::out>, 0, 1, 2>,
                              Form<Kinds<Kind::inout, Kind::out>, 0, 0, 1>>;

template <bool ByLanes>
struct TeamSolveLu {
  static constexpr char const* name = "team_solve_lu";
  template <class Exec, class A, class B, class X, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, B const& b, X const& x, S const& end) {
    Call call{name, {}};
    auto const p = solve_lu_problem<Exec>(call, a, b, x, end);
    return lu_team_item<ByLanes, Exec, TeamSolveLu>(call, p, stored(a).rows, stored(b).cols);
  }
};
template <bool ByLanes>
using TeamSolveLuForms =
    TeamForms<TeamSolveLu<ByLanes>, Form<Kinds<Kind::in, Kind::in, Kind::out>, 0, 1, 2>,
              Form<Kinds<Kind::in, Kind::inout>, 0, 1, 1>>;

}  // namespace Impl

/// Prepares lu for a kernel on Exec. It is checked and bound to its Views on the host, passed to
/// the kernel by value, and called there by all threads of a team for one item.
/// ```cpp
/// auto const factors = team_lu<Exec>(in(A), out(LU), out(rows), status(codes));
/// policy.set_scratch_size(0, Kokkos::PerTeam(factors.scratch_size(team_size)));
/// factors(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results, status and accuracy are those of the verb lu.
///
/// Limits: an item has to fit into team scratch beside the kernel's own, N (N + 1) numbers and 4 N
/// bytes. On GPUs team size times vector length is a multiple of 32. There is no form with a
/// workspace.
///
/// Cost: 2 N^3 / 3 operations by all lanes of the team, and one or two waits for each of the N
/// pivots. On hosts one thread of the team computes.
///
/// Source: elimination with partial pivoting, one pivot after the other, as lu.
///
/// \tparam Exec     the execution space of the kernel
/// \param operands  in(A), out(LU), out(rows) [, status(codes)], or inout(A), out(rows)
///                  [, status(codes)] for factors that overwrite A
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as lu does
template <class Exec, class... O>
auto team_lu(O const&... operands) {
  using Forms = Impl::TeamLuForms<Impl::runs_on_device<Exec>>;
  static_assert(Forms::template take<O...>,
                "Batchwork::team_lu: the operands are in(A), out(LU), out(rows) [, status(codes)] "
                "in this order, or inout(A) instead of the first two");
  return Forms::template make<Exec>(operands...);
}

/// Prepares solve_lu for a kernel on Exec, as team_lu does for lu.
/// ```cpp
/// auto const solve = team_solve_lu<Exec>(in(A), in(b), out(x), status(codes));
/// solve(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results and status are those of the verb solve_lu, without common(...).
///
/// Limits: as for team_lu. An item also needs N numbers of team scratch for each right-hand side,
/// or for 8 of them at a time, and with little scratch for 4, 2 or 1.
///
/// Cost: 2 N^3 / 3 + 2 N^2 K operations for K right-hand sides by all lanes of the team; on hosts
/// by one thread of it.
///
/// \tparam Exec     the execution space of the kernel
/// \param operands  in(A), in(B), out(X) [, status(codes)], or in(A), inout(B) [, status(codes)]
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as solve_lu does
template <class Exec, class... O>
auto team_solve_lu(O const&... operands) {
  using Forms = Impl::TeamSolveLuForms<Impl::runs_on_device<Exec>>;
  static_assert(Forms::template take<O...>,
                "Batchwork::team_solve_lu: the operands are in(A), in(B), out(X) "
                "[, status(codes)] in this order, or inout(B) instead of the last two");
  return Forms::template make<Exec>(operands...);
}

}  // namespace Batchwork

#endif
