// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_qr and team_least_squares: qr and least_squares that are prepared on the host and called
/// for one item inside the user's own TeamPolicy kernel.
#ifndef BATCHWORK_TEAMQR_HPP
#define BATCHWORK_TEAMQR_HPP

#include <algorithm>

#include "core/detail/Batchwork_Lanes.hpp"
#include "dense/decompositions/Batchwork_QrVerbs.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_TeamItem.hpp"

namespace Batchwork {
namespace Impl {

/// ByLanes: as on devices, also on hosts for tests.
template <bool ByLanes>
struct TeamQr {
  static constexpr char const* name = "team_qr";
  template <class Exec, class A, class Q, class R, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, Q const& q, R const& r, S const& end) {
    Call call{name, {}};
    auto const p = qr_problem<Exec>(call, a, q, r, end);
    using T = typename decltype(p)::number;
    DecompositionOfTeam<ByLanes, TeamQr, QrOfItems<T>> const work(QrOfItems<T>{p});
    if (std::min(p.m, p.n) > 0) return team_item<ByLanes, Exec>(call, work);
    KnownNumbers<T> all_of_q;
    if (p.columns_of_q > 0) all_of_q = {p.q.storage, p.m, p.columns_of_q, T(1)};
    return empty_team_item<ByLanes>(work, p.status, all_of_q);
  }
};
template <bool ByLanes>
using TeamQrForms = TeamForms<TeamQr<ByLanes>, Form<Kinds<Kind::in, Kind::out>, 0, 0, 1>,
                              Form<Kinds<Kind::in, Kind::out, Kind::out>, 0, 1, 2>,
                              Form<Kinds<Kind::inout, Kind::out>, 0, 0, 1>>;

template <bool ByLanes>
struct TeamLeastSquares {
  static constexpr char const* name = "team_least_squares";
  template <class Exec, class A, class B, class X, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, B const& b, X const& x, S const& end) {
    Call call{name, {}};
    auto const p = least_squares_problem<Exec>(call, a, b, x, end);
    using T = typename decltype(p)::number;
    using F = LeastSquaresOfItems<T>;
    DecompositionOfTeam<ByLanes, TeamLeastSquares, F> const work(F{p});
    if (p.n > 0 && p.columns > 0) return team_item<ByLanes, Exec>(call, work);
    return empty_team_item<ByLanes>(work, p.status,
                                    {p.x.storage, p.shortest ? p.m : p.n, p.columns, T(0)});
  }
};
template <bool ByLanes>
using TeamLeastSquaresForms =
    TeamForms<TeamLeastSquares<ByLanes>, Form<Kinds<Kind::in, Kind::in, Kind::out>, 0, 1, 2>>;

}  // namespace Impl

/// Prepares qr for a kernel on Exec, as team_eigh does for eigh.
/// ```cpp
/// auto const factors = team_qr<Exec>(in(A), out(Q), out(R), status(codes));
/// factors(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results and status are those of the verb qr.
///
/// Limits: as for team_eigh. An item needs (M + 2) C numbers of team scratch, C being the larger
/// one of N and the columns of Q.
///
/// Cost: 2 N^2 (M - N / 3) operations for M >= N, and as many again for Q, by all lanes of the
/// team; on hosts by one thread of it.
///
/// Source: Householder reflections one after the other, as qr.
///
/// \tparam Exec     the execution space of the kernel
/// \param operands  in(A), out(Q), out(R) [, status(codes)]; in(A), out(R) [, status(codes)]; or
///                  inout(A), out(R) [, status(codes)] for Q in A
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as qr does
template <class Exec, class... O>
auto team_qr(O const&... operands) {
  using Forms = Impl::TeamQrForms<Impl::runs_on_device<Exec>>;
  static_assert(Forms::template take<O...>,
                "Batchwork::team_qr: the operands are in(A), out(Q), out(R) [, status(codes)] in "
                "this order, or in(A), out(R), or inout(A), out(R) to store Q in A");
  return Forms::template make<Exec>(operands...);
}

/// Prepares least_squares for a kernel on Exec, as team_eigh does for eigh.
/// ```cpp
/// auto const fit = team_least_squares<Exec>(in(A), in(b), out(x), status(codes));
/// fit(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results and status are those of the verb least_squares.
///
/// Limits: as for team_eigh. An item needs M (N + C) + 2 N numbers of team scratch, C being the
/// number of right-hand sides or 8 of them; for M < N the same with M and N exchanged.
///
/// Cost: as team_qr without Q, and 4 M N + N^2 operations for each right-hand side.
///
/// \tparam Exec     the execution space of the kernel
/// \param operands  in(A), in(b), out(x) [, status(codes)]
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as least_squares does
template <class Exec, class... O>
auto team_least_squares(O const&... operands) {
  using Forms = Impl::TeamLeastSquaresForms<Impl::runs_on_device<Exec>>;
  static_assert(Forms::template take<O...>,
                "Batchwork::team_least_squares: the operands are in(A), in(B), out(X) "
                "[, status(codes)] in this order");
  return Forms::template make<Exec>(operands...);
}

}  // namespace Batchwork

#endif
