// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The storage of a solver that keeps more of a system than some vectors, and of a preconditioner
/// with factors: in team scratch, on a thread's stack, or in a workspace of the caller's.
#ifndef BATCHWORK_SOLVESTORAGE_HPP
#define BATCHWORK_SOLVESTORAGE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"
#include "krylov/detail/backend/Batchwork_SolveBudget.hpp"
#include "krylov/detail/backend/Batchwork_SystemTeam.hpp"
#include "krylov/detail/backend/Batchwork_SystemThread.hpp"
#include "launch/Batchwork_Workspace.hpp"

namespace Batchwork {
namespace Impl {

/// How the vectors of a storage lie.
struct StorageShape {
  std::int64_t places = 0;  ///< of a vector
  int in_registers = 0;     ///< vectors that lanes have in registers instead
  int warps = 0;            ///< of a system with a team barrier for its lanes; else 0
  int apart = 0;  ///< numbers by which the storages of systems begin in other banks of scratch

  /// Numbers of a storage that needs so many: whole rows of the banks, and from system to system
  /// the next ones.
  constexpr std::int64_t padded(std::int64_t numbers) const {
    return (numbers + 31) / 32 * 32 + apart;
  }
};

/// Vectors of a storage that lanes have in registers; see MatrixPlacement.hpp.
template <class At>
inline constexpr int directions_of = 0;
template <class At>
  requires(At::directions > 0)
inline constexpr int directions_of<At> = At::directions;

/// Warps that bring parts of sums together.
constexpr int warps_of_storage(int lanes) {
  return Vendor::has_shuffles && lanes > 32 ? lanes / 32 : 0;
}
/// The storage of a system of so many rows on a device, with numbers of `size` bytes.
constexpr StorageShape storage_shape(SolveChoice const& how, std::int64_t rows, int size) {
  return {how.places(rows), how.directions(), warps_of_storage(how.lanes),
          how.lanes < 128 / size ? how.lanes : 0};
}

/// Specialised for solvers that need storage: numbers(solver, shape) of T a system, of
/// fitted(solver, rows), the solver with parameters clamped to the system size; and
/// basis_that_fits(solver, rows, fits), where that is left to choose.
template <class Solver>
struct StorageOf;
template <class Solver>
concept NeedsStorage = requires(Solver const& s) { StorageOf<Solver>::numbers(s, StorageShape()); };

/// Where the storage of the systems is.
struct StoragePlan {
  std::int64_t of_system = 0;  ///< numbers
  std::int64_t systems = 1;    ///< of a team; a thread has one at a time
  std::int64_t at_once =
      0;  ///< teams or threads with storage in the workspace; 0: it is on the chip or stack

  constexpr std::int64_t numbers() const { return at_once * systems * of_system; }
};

struct WorkspacePlan {
  StoragePlan solver, preconditioner;

  constexpr std::int64_t numbers() const { return solver.numbers() + preconditioner.numbers(); }
};

/// Teams of so many lanes that share the scratch of a multiprocessor where solvers have their
/// storage in it: eight warps. Fewer do not hide what each of them waits for; more would leave room
/// for less of a basis.
constexpr int teams_that_share_scratch(int team) { return team < 256 ? 256 / team : 1; }
/// Bytes of scratch that a team of so many lanes has, if it shares a device's with as many.
constexpr std::int64_t scratch_of_storage(DeviceLimits const& limits, int team) {
  return std::int64_t(limits.scratch(teams_that_share_scratch(team), team));
}
/// The bytes of these that a basis is chosen for. Where rows have three entries at most a product
/// is cheap beside a long basis, and what half as many teams more would leave is faster (H200,
/// GMRES, 16 to 512 rows); of teams so large that one or two share a multiprocessor what five would
/// leave.
constexpr std::int64_t scratch_of_basis(DeviceLimits const& limits, int team, bool short_rows) {
  int const teams = teams_that_share_scratch(team);
  std::int64_t const bytes =
      std::int64_t(limits.scratch(short_rows ? teams + teams / 2 : teams, team));
  if (!short_rows || teams > 2) return bytes;
  return std::min(
      bytes, std::max(std::int64_t(limits.scratch(5, team)), std::int64_t(scratch_with_kokkos_4)));
}

/// Bytes of a host thread's stack that a solver's storage may take.
inline constexpr int storage_on_stack = 32768;

/// Teams that have storage in the workspace, of at_once that the device might work on.
constexpr std::int64_t teams_at_once(std::int64_t items, std::int64_t systems,
                                     std::int64_t at_once) {
  return std::min((items + systems - 1) / systems, std::max<std::int64_t>(at_once, 1));
}

/// \param bytes_beside  of a team, that are on the chip anyway
/// \param most_bytes    of a team
/// \param at_once       teams or threads that there shall be room for
constexpr StoragePlan plan_storage(std::int64_t of_system, std::int64_t systems,
                                   std::int64_t size_of_number, std::int64_t bytes_beside,
                                   std::int64_t most_bytes, std::int64_t items,
                                   std::int64_t at_once) {
  bool const fits = systems * of_system * size_of_number + bytes_beside <= most_bytes;
  return {of_system, systems, fits ? 0 : teams_at_once(items, systems, at_once)};
}

/// A solver as kernels have it, with its storage.
template <class Solver, class T>
struct WithStorage {
  using has_storage = void;
  static constexpr int vectors = Solver::vectors, own_vectors = Solver::own_vectors,
                       short_rows = Solver::short_rows;
  Solver solver;
  StoppingCriteria stop;
  T* workspace;  ///< null: the storage is on the chip or stack
  std::int64_t of_system;
  std::int64_t at_once;
};
template <class Solver>
concept SolverWithStorage = requires { typename Solver::has_storage; };

/// Where preconditioners that do not fit team scratch are.
template <class T>
struct PreconditionerStorage {
  T* numbers = nullptr;  ///< null: in team scratch, or a thread has it
  std::int64_t of_system = 0;
  std::int64_t at_once = 0;
};

/// The storage of one system.
template <class T>
struct SystemStorage {
  T* numbers = nullptr;
  std::int64_t apart = 0;  ///< distance to the storage of the team's next system
  bool in_scratch = false;
};

/// Where sums over the rows stand for all lanes of a system to read: places of some of them, in
/// whole groups of 8.
template <class T>
struct SharedSums {
  T* sums;   ///< of the calling lane's warp, or of the system
  T* parts;  ///< of the first warp, where a system has several
  int size;  ///< numbers of each
};

/// Puts N sums over the rows into the shared ones, at `first` and behind; they are there after
/// meet_in_shared. All lanes that go through the same turns call it.
template <class At, class V, class T, int N>
BATCHWORK_INLINE void sum_into_shared(At& at, V const (&mine)[N], SharedSums<T> const& shared,
                                      int first, [[maybe_unused]] std::int64_t apart) {
  if constexpr (!requires { at.member; }) {
    T x[N];
    at.sum(mine, x);
    for (int n = 0; n < N; ++n) shared.sums[first + n] = x[n];
  } else if constexpr (Vendor::has_shuffles) {
    T x[N];
    BATCHWORK_UNROLL
    for (int n = 0; n < N; ++n) x[n] = mine[n];
    T* const to = (at.is_large() ? shared.parts + at.rank / 32 * shared.size : shared.sums) + first;
    Vendor::reduce_scatter(x, at.is_large() ? 32 : at.lanes,
                           [&](int away, int n, T sum) { to[away * apart + n] = sum; });
  } else {
    at.template combine<true>(mine, [&](int n, T sum) { shared.sums[first + n] = sum; });
  }
}
/// Waits for so many sums.
template <class At, class T>
BATCHWORK_INLINE void meet_in_shared(At& at, [[maybe_unused]] SharedSums<T> const& shared,
                                     [[maybe_unused]] int count) {
  if constexpr (requires { at.member; }) {
    at.sync();
    if (Vendor::has_shuffles && at.is_large()) {
      int const warps = warps_of_storage(at.lanes);
      // Each warp adds up the parts of all for itself: lane n the sum n.
      BATCHWORK_KEEP_LOOP
      for (int n = at.rank % 32; n < count; n += 32) {
        T sum = shared.parts[n];
        for (int w = 1; w < warps; ++w) sum += shared.parts[w * shared.size + n];
        shared.sums[n] = sum;
      }
      Vendor::warp_sync(at.member);
    }
  }
}

/// Numbers of a vector of the storage, `places_of(at)` long, in which a lane has the same rows as
/// in its other vectors. Their places are computed anew: in registers they would displace the
/// matrix.
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

/// Runs body(q, i, number) for the lane's rows i of the first `count` of N vectors of the storage,
/// one behind the other.
template <int N, class T, int R, bool Large, class Matrix, class Member, class Body>
BATCHWORK_INLINE void for_each_number(SystemTeam<T, R, Large, Matrix, Member> const& at,
                                      T const* vectors, [[maybe_unused]] bool in_scratch, int count,
                                      Body const& body) {
  if constexpr (R > 1 && R <= 4) {
    auto const run = [&](T const* from) {
      int const apart = at.layout.rows, lanes = at.lanes;
      BATCHWORK_UNROLL
      for (int q = 0; q < N; ++q) {
        if (q >= count) continue;
        at.for_each([&](int r) { body(q, r, from[q * apart + r * lanes]); });
      }
    };
    // Two loops: see in_scratch.
    if (in_scratch) run(Vendor::in_scratch(vectors) + at.rank);
    else run(vectors + at.rank);
  } else {
    // Of more rows that takes more registers than there are; beside a single one the matrix has
    // most of them.
    int const apart = Vendor::renewed(at.layout.rows);
    at.for_each([&](int r) {
      BATCHWORK_UNROLL
      for (int q = 0; q < N; ++q)
        if (q < count) body(q, r, number_of(at, vectors + q * apart, r));
    });
  }
}
template <int N, class T, class Item, int Own, class Body>
BATCHWORK_INLINE void for_each_number(SystemThread<T, Item, Own> const& at, T const* vectors, bool,
                                      int count, Body const& body) {
  int const apart = places_of(at);
  at.for_each([&](int i) {
    for (int q = 0; q < N; ++q)
      if (q < count) body(q, i, number_of(at, vectors + q * apart, i));
  });
}

/// The method of a solver, which gets the storage if it needs one.
template <class At, class Solver, class T>
BATCHWORK_INLINE auto method_with_storage(At& at, Solver const& solver,
                                          [[maybe_unused]] SystemStorage<T> const& storage) {
  if constexpr (SolverWithStorage<Solver>) return method_of(at, solver.solver, storage);
  else return method_of(at, solver);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
