// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectTeamSolver: a direct solve inside a user's own kernel, a system for each team. Its factors
/// stay for further calls.
#ifndef BATCHWORK_DIRECTTEAMSOLVER_HPP
#define BATCHWORK_DIRECTTEAMSOLVER_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_DirectRows.hpp"
#include "krylov/formats/Batchwork_LocalSystems.hpp"

namespace Batchwork::Impl {

/// Memory of a host's thread, aligned as packs are, for its next call, too. It grows.
inline char* direct_memory_of_thread(std::size_t bytes) {
  struct alignas(64) Line {
    char bytes[64];
  };
  thread_local std::vector<Line> lines;
  std::size_t const wanted = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (lines.size() < wanted) lines.resize(wanted);
  return lines.data()->bytes;
}

/// The result of team_solve with direct_lu, passed to the kernel by value. ByLanes: as on devices.
template <class T, class F, bool ByLanes, int NumbersRank>
struct DirectTeamSolver {
  using value_type = T;
  static constexpr int numbers_rank = NumbersRank;  ///< indices of an item's own numbers

  DirectProblem<T> problem;
  int width;                 ///< numbers of a line that a pointer gives
  int factored_refinements;  ///< of solve_factored

  /// The number of threads that teams should have: one for each row, in whole warps, to 256. On
  /// devices any other multiple of 32 to 256 works, on hosts any number. Results depend on it in
  /// their last bits.
  int team_size() const {
    constexpr int warp = lanes_of_warp;
    return ByLanes ? std::clamp((problem.n + warp - 1) / warp * warp, warp, largest_team) : 1;
  }
  /// Bytes of level-0 team scratch to request with Kokkos::PerTeam(...), in addition to the
  /// kernel's own.
  /// \param team_size  threads of a team
  /// \throws std::invalid_argument  if teams of that size cannot solve the systems
  std::size_t scratch_size(int team_size) const {
    if (team_size < 1 || (ByLanes && !fits(team_size)))
      SystemCall{"team_solve"}.fail("teams of " + std::to_string(team_size) + " threads for " +
                                    "direct_lu of systems of " + std::to_string(problem.n) +
                                    " rows; give a multiple of " + std::to_string(lanes_of_warp) +
                                    " to " + std::to_string(largest_team) + ", or team_size()");
    return ByLanes ? bytes(team_size) + 16 : 0;
  }
  std::size_t scratch_size() const { return scratch_size(team_size()); }

  /// Solves A x = b for one system, the team's. Called by all threads of the team, outside nested
  /// ranges, with the same arguments. Waits for the team at the beginning and at the end, so it
  /// sees what the team wrote, and the team sees x.
  /// \param member  the team
  /// \param of      the number of an item of A; or the matrix of this team: a View without an item
  ///                index or a pointer, in team scratch for instance
  /// \param b       anything with b(i), or a pointer
  /// \param x       anything with an assignable x(i), or a pointer; may be b. On devices thread r
  ///                of a team of L accesses the rows r, r + L, ... of b and x, and no other thread
  ///                does
  /// \returns       the result, the same in all threads
  template <class Member, class Of, class B, class X>
  KOKKOS_FUNCTION SolveResult<T> solve(Member const& member, Of const& of, B const& b,
                                       X const& x) const {
    return run<true>(member, of, b, x, problem.refinements);
  }
  /// The same with the factors of the last solve. The residual is computed with the matrix given
  /// here: the same, or one near to it.
  template <class Member, class Of, class B, class X>
  KOKKOS_FUNCTION SolveResult<T> solve_factored(Member const& member, Of const& of, B const& b,
                                                X const& x) const {
    return run<false>(member, of, b, x, factored_refinements);
  }

  // ---- the rest is not for users ----

  using Teams = DirectTeams<T, F>;
  using Room = DirectRoom<T, F>;
  static constexpr int largest_team = Teams::largest_team;

  static constexpr BATCHWORK_INLINE bool fits(int team) {
    return team > 0 && team % lanes_of_warp == 0 && team <= largest_team;
  }
  BATCHWORK_INLINE std::size_t bytes(int team) const {
    return Teams::to_room(team) + Teams::room_of(problem.n).kept_bytes();
  }

  template <bool Eliminates, class Member, class Of, class B, class X>
  BATCHWORK_INLINE SolveResult<T> run(Member const& member, Of const& of, B const& b, X const& x,
                                      int refinements) const {
    require_memory_of_team<Of, X>();
    SolveResult<T> result;
    if constexpr (!std::is_array_v<Of> && !std::is_array_v<X>) {
      member.team_barrier();
      DirectProblem<T> p = problem;
      p.refinements = refinements;
      std::int64_t item = 0;
      if constexpr (std::is_integral_v<Of>) item = std::int64_t(of);
      else p.a = with_numbers<NumbersRank>(problem.a, width, of);
      if constexpr (ByLanes) {
        result = by_lanes<Eliminates>(member, p, item, b, x);
      } else {
        KOKKOS_IF_ON_HOST((result = by_thread<Eliminates>(member, p, item, b, x);))
      }
      member.team_barrier();
    }
    return result;
  }

  template <bool Eliminates, class Member, class B, class X>
  BATCHWORK_INLINE SolveResult<T> by_lanes(Member const& member, DirectProblem<T> const& p,
                                           std::int64_t item, B const& b, X const& x) const {
    int const count = member.team_size();
    if (!fits(count) || Vendor::lane_count(member) != count)
      Kokkos::abort(
          "Batchwork::team_solve: a team of another size than scratch_size takes, or a "
          "vector length above 1");
    auto const at_hand = member.team_scratch(0);
    char* const scratch = static_cast<char*>(at_hand.get_shmem_aligned(bytes(count), 16));
    if (scratch == nullptr)
      Kokkos::abort(
          "Batchwork::team_solve: too little team scratch; ask for scratch_size(team_size) "
          "bytes beside the kernel's own");
    auto* const found = reinterpret_cast<std::int64_t*>(scratch);
    auto lanes =
        SummingLanes<T, Member>::of(SystemLanes<Member>{member, Vendor::lane_rank(member), count},
                                    reinterpret_cast<T*>(found + Teams::found_numbers(count)), 2);
    return solve_item<Eliminates>(p, lanes, Teams::room_of(p.n), scratch + Teams::to_room(count),
                                  found, item, b, x);
  }

  /// One thread of the team solves; the others wait for it.
  template <bool Eliminates, class Member, class B, class X>
  SolveResult<T> by_thread(Member const& member, DirectProblem<T> const& p, std::int64_t item,
                           B const& b, X const& x) const {
    SolveResult<T> result;
    if (member.team_rank() == 0) {
      auto const room = room_of_thread(p.n);
      LoneSums lanes;
      result = solve_item<Eliminates>(p, lanes, room, direct_memory_of_thread(room.kept_bytes()),
                                      nullptr, item, b, x);
    }
    if (member.team_size() > 1) member.team_broadcast(result, 0);
    return result;
  }

  template <bool Eliminates, class Lanes, class B, class X>
  static BATCHWORK_INLINE SolveResult<T> solve_item(DirectProblem<T> const& p, Lanes& lanes,
                                                    Room const& room, char* memory,
                                                    std::int64_t* found, std::int64_t item,
                                                    B const& b, X const& x) {
    DirectRows<T, F, Lanes, false> at(p, lanes, room, memory, found, item);
    at.for_each([&](int i) { at.b[i] = T(number_of(b, i)); });
    std::int32_t* const kept_code = reinterpret_cast<std::int32_t*>(memory + room.bytes());
    std::int32_t code;
    if constexpr (Eliminates) {
      F largest;
      code = at.factorise(largest);
      if (lanes.rank == 0) *kept_code = code;
    } else {
      lanes.sync();
      code = *kept_code;
    }
    SolveResult<T> result;
    if (code != 0) result = no_result<T>(code);
    else solve_column(at, p, item, true, true, true, 0, result, code);
    if (code != 0) fail_columns(at, p, item, true, true);
    at.for_each([&](int i) { number_of(x, i) = at.x[i]; });
    return result;
  }

 private:
  /// Rows that fill whole vectors of the processor.
  static Room room_of_thread(int n) { return {n, (n + 7) / 8 * 8}; }
};

}  // namespace Batchwork::Impl

#endif
