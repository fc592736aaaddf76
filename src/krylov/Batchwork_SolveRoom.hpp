// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The room of a solver that keeps more of a system than some vectors, and of a preconditioner with factors: in team scratch,
/// on a thread's stack, or in a workspace of the caller's.
#ifndef BATCHWORK_SOLVEROOM_HPP
#define BATCHWORK_SOLVEROOM_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "krylov/Batchwork_Stopping.hpp"
#include "krylov/Batchwork_SystemTeam.hpp"
#include "krylov/Batchwork_SystemThread.hpp"

namespace Batchwork {
namespace Impl {

/// What workspace(view) gives.
template <class View>
struct Workspace {
  View view;
};
struct NoWorkspace {};

}  // namespace Impl

/// Memory for solvers and preconditioners that need some, of workspace_numbers(...) numbers: the last operand of solve. What it
/// holds before and after a call means nothing. Calls that may run at the same time need one each.
/// \param view  View<T*>, contiguous, T being the type of the numbers
template <class View>
  requires Kokkos::is_view_v<View>
auto workspace(View const& view) {
  static_assert(View::rank() == 1, "Batchwork::workspace: the View has one index");
  static_assert(!std::is_const_v<typename View::value_type>,
                "Batchwork: a const View cannot be written");
  return Impl::Workspace<View>{view};
}

namespace Impl {

/// Specialised for solvers that need room: numbers(solver, rows, places) of T a system, places being those of a vector, and
/// fitted(solver, rows), the solver with what such systems leave of its parameters.
template <class Solver>
struct RoomOf;
template <class Solver>
concept NeedsRoom =
    requires(Solver const& s) { RoomOf<Solver>::numbers(s, std::int64_t(1), std::int64_t(1)); };

/// Where the room of the systems is.
struct RoomPlan {
  std::int64_t of_system = 0;  ///< numbers
  std::int64_t systems = 1;    ///< of a team; a thread has one at a time
  std::int64_t at_once =
      0;  ///< teams or threads with room in the workspace; 0: it is on the chip or stack

  constexpr std::int64_t numbers() const { return at_once * systems * of_system; }
};

struct WorkspacePlan {
  RoomPlan solver, preconditioner;

  constexpr std::int64_t numbers() const { return solver.numbers() + preconditioner.numbers(); }
};

/// Bytes of a host thread's stack that a solver's room may take.
inline constexpr int room_on_stack = 32768;

/// Teams that have room in the workspace, of at_once that the device might work on.
constexpr std::int64_t teams_at_once(std::int64_t items, std::int64_t systems,
                                     std::int64_t at_once) {
  return std::min((items + systems - 1) / systems, std::max<std::int64_t>(at_once, 1));
}

/// \param bytes_beside  of a team, that are on the chip anyway
/// \param most_bytes    of a team
/// \param at_once       teams or threads that there shall be room for
constexpr RoomPlan plan_room(std::int64_t of_system, std::int64_t systems,
                             std::int64_t size_of_number, std::int64_t bytes_beside,
                             std::int64_t most_bytes, std::int64_t items, std::int64_t at_once) {
  bool const fits = systems * of_system * size_of_number + bytes_beside <= most_bytes;
  return {of_system, systems, fits ? 0 : teams_at_once(items, systems, at_once)};
}

/// A solver as kernels have it, with its room.
template <class Solver, class T>
struct InRoom {
  using has_room = void;
  static constexpr int vectors = Solver::vectors, own_vectors = Solver::own_vectors,
                       short_rows = Solver::short_rows;
  Solver solver;
  StoppingCriteria stop;
  T* workspace;  ///< null: the room is on the chip or stack
  std::int64_t of_system;
  std::int64_t at_once;
};
template <class Solver>
concept SolverInRoom = requires { typename Solver::has_room; };

/// Where preconditioners that do not fit team scratch are.
template <class T>
struct PreconditionerRoom {
  T* numbers = nullptr;  ///< null: in team scratch, or a thread has it
  std::int64_t of_system = 0;
  std::int64_t at_once = 0;
};

/// The room of one system.
template <class T>
struct SystemRoom {
  T* numbers = nullptr;
  T* sums = nullptr;  ///< of the team, where its lanes meet in sum_many
};

/// Sums at once; more than 4 take registers that lanes do not have. Portably as many as SystemTeam::sum takes.
template <class At>
inline constexpr int sums_at_once = !requires(At const& at) { at.member; } ? 8
                                    : Vendor::has_shuffles                 ? 4
                                                           : SystemScratch::most_sums;

/// Numbers of scratch where the lanes of a team meet in sum_many: two sets in turn, as in SystemTeam.
constexpr int numbers_of_many_sums(int lanes) {
  return Vendor::has_shuffles && lanes > lanes_of_warp ? 2 * 4 * Vendor::places_to_combine(lanes)
                                                       : 0;
}

/// Sums over the rows, the same bits in each lane. All lanes that go through the same turns call it.
template <class At, class V, class T, int N>
BATCHWORK_INLINE void sum_many(At& at, V const (&mine)[N], T (&x)[N],
                               [[maybe_unused]] SystemRoom<T> const& room,
                               [[maybe_unused]] int& turn) {
  if constexpr (Vendor::has_shuffles && requires { at.member; }) {
    BATCHWORK_UNROLL
    for (int n = 0; n < N; ++n) x[n] = mine[n];
    turn ^= 1;
    Vendor::combine_lanes(
        at.member, x, at.lanes, [](T a, T b) { return a + b; },
        room.sums + (turn != 0 ? numbers_of_many_sums(at.lanes) / 2 : 0));
  } else {
    at.sum(mine, x);
  }
}

/// Numbers of a vector of the room, `places_of(at)` long, where the rows of a lane are those of its other vectors.
/// Their places are found anew: kept in registers, they would take those that the matrix has.
template <class T, int R, bool Large, class Matrix, class Member>
BATCHWORK_INLINE T number_of(SystemTeam<T, R, Large, Matrix, Member> const& at, T const* vector,
                             int r) {
  return vector[Vendor::renewed(at.row_of(r))];
}
template <class T, int R, bool Large, class Matrix, class Member>
BATCHWORK_INLINE void put_number(SystemTeam<T, R, Large, Matrix, Member> const& at, T* vector,
                                 int r, T x) {
  vector[Vendor::renewed(at.row_of(r))] = x;
}
template <class T, int R, bool Large, class Matrix, class Member>
BATCHWORK_INLINE int places_of(SystemTeam<T, R, Large, Matrix, Member> const& at) {
  return at.layout.rows;
}
template <class T, class Item, int Own>
BATCHWORK_INLINE auto number_of(SystemThread<T, Item, Own> const&, T const* vector, int r) {
  using At = SystemThread<T, Item, Own>;
  return At::Value::load(vector + r * At::W);
}
template <class T, class Item, int Own>
BATCHWORK_INLINE void put_number(SystemThread<T, Item, Own> const&, T* vector, int r,
                                 typename SystemThread<T, Item, Own>::Value const& x) {
  x.store(vector + r * SystemThread<T, Item, Own>::W);
}
template <class T, class Item, int Own>
BATCHWORK_INLINE int places_of(SystemThread<T, Item, Own> const& at) {
  return at.padded(at.rows);
}

/// The method of a solver, which gets the room if it needs one.
template <class At, class Solver, class T>
BATCHWORK_INLINE auto method_in_room(At& at, Solver const& solver,
                                     [[maybe_unused]] SystemRoom<T> const& room) {
  if constexpr (SolverInRoom<Solver>) return method_of(at, solver.solver, room);
  else return method_of(at, solver);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
