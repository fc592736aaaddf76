// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_svd: svd that is prepared on the host and called for one item inside the user's own
/// TeamPolicy kernel.
#ifndef BATCHWORK_TEAMSVD_HPP
#define BATCHWORK_TEAMSVD_HPP

#include <type_traits>

#include "core/detail/Batchwork_Lanes.hpp"
#include "dense/decompositions/Batchwork_SvdVerb.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfThreads.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_TeamItem.hpp"

namespace Batchwork {
namespace Impl {

/// ByLanes: as on devices, also on hosts for tests.
template <bool ByLanes>
struct TeamSvd {
  static constexpr char const* name = "team_svd";
  template <class Exec, class A, class U, class W, class V, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, U const& u, W const& w, V const& v,
                  S const& end) {
    Call call{name, {}};
    auto const p = svd_problem<Exec>(call, a, u, w, v, end);
    using T = typename decltype(p)::number;
    auto const item = [&](auto const& f) {
      DecompositionOfTeam<ByLanes, TeamSvd, std::remove_cvref_t<decltype(f)>> const work(f);
      return p.n == 0 ? empty_team_item<ByLanes>(work, p.status)
                      : team_item<ByLanes, Exec>(call, work);
    };
    SvdOfItems<T> const f{p};
    if constexpr (ByLanes) return item(f);
    else return item(SvdOfThreads<T>(f, large_host_buffer));
  }
};
template <bool ByLanes>
using TeamSvdForms = TeamForms<TeamSvd<ByLanes>, Form<Kinds<Kind::in, Kind::out>, 0, 0, 1, 0>,
                               Form<Kinds<Kind::in, Kind::out, Kind::out, Kind::out>, 0, 1, 2, 3>>;

}  // namespace Impl

/// Prepares svd for a kernel on Exec, as team_eigh does for eigh.
/// ```cpp
/// auto const triplets = team_svd<Exec>(in(A), out(U), out(values), out(V), status(codes));
/// triplets(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results, status and accuracy are those of the verb svd.
///
/// Limits: as for team_eigh. For M >= N an item needs M N + 4 N numbers of team scratch, and with
/// vectors another M N; for M < N the same with M and N exchanged.
///
/// Cost: on devices some (7 M + 4 N) N^2 / 2 operations for each of about seven sweeps of
/// rotations, by all lanes of the team. On hosts as svd, by one thread of the team.
///
/// Source: one-sided Jacobi rotations, as svd.
///
/// \tparam Exec     the execution space of the kernel
/// \param operands  in(A), out(U), out(values), out(V) [, status(codes)], or in(A), out(values)
///                  [, status(codes)] for the values alone
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as svd does
template <class Exec, class... O>
auto team_svd(O const&... operands) {
  using Forms = Impl::TeamSvdForms<Impl::runs_on_device<Exec>>;
  static_assert(Forms::template take<O...>,
                "Batchwork::team_svd: the operands are in(A), out(U), out(values), out(V) "
                "[, status(codes)] in this order, or in(A), out(values) [, status(codes)]");
  return Forms::template make<Exec>(operands...);
}

}  // namespace Batchwork

#endif
