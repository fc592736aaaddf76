// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// team_eigh: eigh that is prepared on the host and called for one item inside the user's own
/// TeamPolicy kernel.
#ifndef BATCHWORK_TEAMEIGH_HPP
#define BATCHWORK_TEAMEIGH_HPP

#include <type_traits>

#include "core/detail/Batchwork_Lanes.hpp"
#include "dense/decompositions/Batchwork_EighVerb.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfThreads.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfUserTeam.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_OperandForms.hpp"
#include "launch/detail/Batchwork_TeamItem.hpp"

namespace Batchwork {
namespace Impl {

/// ByLanes: as on devices, also on hosts for tests. TeamSize: 0, or of all teams on devices.
template <bool ByLanes, int TeamSize = 0>
struct TeamEigh {
  static constexpr char const* name = "team_eigh";
  template <class Exec, class A, class W, class V, class S>
  static auto run(Exec const&, Launch<> const&, A const& a, W const& w, V const& v, S const& end) {
    Call call{name, {}};
    auto const p = eigh_problem<Exec>(call, a, w, v, end);
    using T = typename decltype(p)::number;
    using F = std::conditional_t<ByLanes, EighOfItems<T>, EighOfThreads<T>>;
    using Any = DecompositionOfTeam<ByLanes, TeamEigh, F>;
    using Work =
        typename std::conditional_t<ByLanes && TeamSize != 0,
                                    std::type_identity<EighOfUserTeam<TeamEigh, T, TeamSize>>,
                                    std::type_identity<Any>>::type;
    Work const work(F(EighOfItems<T>{p}));
    return p.n == 0 ? empty_team_item<ByLanes>(work, p.status)
                    : team_item<ByLanes, Exec>(call, work);
  }
};
template <bool ByLanes, int TeamSize = 0>
using TeamEighForms =
    TeamForms<TeamEigh<ByLanes, TeamSize>, Form<Kinds<Kind::in, Kind::out>, 0, 1, 0>,
              Form<Kinds<Kind::in, Kind::out, Kind::out>, 0, 1, 2>,
              Form<Kinds<Kind::inout, Kind::out>, 0, 1, 0>>;

}  // namespace Impl

/// Prepares eigh for a kernel on Exec. It is checked and bound to its Views on the host, passed to
/// the kernel by value, and called there by all threads of a team for one item.
/// ```cpp
/// auto const pairs = team_eigh<Exec>(in(A), out(values), out(V), status(codes));
/// policy.set_scratch_size(0, Kokkos::PerTeam(pairs.scratch_size(team_size)));
/// pairs(member, item);  // in the kernel, by all threads of the team
/// ```
/// Operands, shapes, results, status and accuracy are those of the verb eigh.
///
/// Limits: an item has to fit into team scratch beside the kernel's own, N^2 + 2 N numbers and a
/// little more for alignment; with TeamSize some N^2 + 12 N. On GPUs team size times vector length
/// is a multiple of 32, or TeamSize. There is no form with a workspace.
///
/// Cost: on devices some 3 N^3 operations for each of about seven sweeps of rotations, by all lanes
/// of the team; with TeamSize some 9 N^3 operations for more than 32 rows. On hosts one thread of
/// the team takes some 9 N^3 operations.
///
/// Source: on devices one-sided Jacobi rotations, or with TeamSize reflections to tridiagonal form
/// and divide and conquer; on hosts reflections and implicit QL iterations, as eigh.
///
/// \tparam Exec     the execution space of the kernel
/// \tparam TeamSize  128 or 256: GPUs divide and conquer matrices of more than 32 rows, to 96 in
///                  double and 128 in float, or with 256 to 160 and 224. All teams then have so
///                  many threads, times vector length. 0: teams of any size, rotations. Ignored on
///                  hosts
/// \param operands  in(A), out(values) [, out(V)] [, status(codes)], or inout(A), out(values)
///                  [, status(codes)] for vectors that overwrite A
/// \returns an object to be copied into the kernel
/// \throws std::invalid_argument as eigh does
template <class Exec, int TeamSize = 0, class... O>
auto team_eigh(O const&... operands) {
  static_assert(TeamSize == 0 || TeamSize == 128 || TeamSize == 256,
                "Batchwork::team_eigh: TeamSize is 128, 256, or 0 for teams of any size");
  using Forms = Impl::TeamEighForms<Impl::runs_on_device<Exec>, TeamSize>;
  static_assert(Forms::template take<O...>,
                "Batchwork::team_eigh: the operands are in(A), out(values) [, out(vectors)] "
                "[, status(codes)] in this order, or inout(A), out(values) [, status(codes)]");
  return Forms::template make<Exec>(operands...);
}

}  // namespace Batchwork

#endif
