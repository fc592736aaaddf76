// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighOfTeams: eigh of matrices in a device's team scratch or in a workspace, a team of warps
/// an item.
#ifndef BATCHWORK_EIGHOFTEAMS_HPP
#define BATCHWORK_EIGHOFTEAMS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// On a device, for matrices of up to `Tiles` tiles of eight rows.
template <class T, int Tiles, int Lanes>
struct EighOfTeam {
  EighOfItems<T> f;
  EigenpairShape<T> shape;

  explicit EighOfTeam(EighOfItems<T> const& of) : f(of), shape(of.n) {}
  bool fits() const { return EigenpairsOfTeam<T, Tiles, Lanes, int>::fits(shape); }
  BATCHWORK_INLINE std::size_t bytes_of_matrix() const {
    return ItemMemory{shape.matrix_numbers(), 0}.template bytes<T>(0);
  }
  BATCHWORK_INLINE std::size_t bytes_beside() const {
    return shape.memory().template bytes<T>(ColumnLanes<int>::found_numbers(Lanes));
  }

  /// All lanes of a team call it for an item.
  template <class Member>
  KOKKOS_FUNCTION void solve(Member const& member, std::int64_t item, T* matrix,
                             char* beside) const {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    ItemsOfTeam<T, Member> const of{
        member, beside, bytes_beside(), shape.memory(), item, f.items, 1, Lanes, 1};
    int const n = f.n, apart = shape.leading();
    of.load(f.a, n, n, [&](int, int i, int j, T const& x) {
      if (i < j) return;
      matrix[j * apart + i] = x;
      matrix[i * apart + j] = x;
    });
    auto const lanes = of.lanes();
    for (int j = lanes.rank; j < n; j += Lanes)
      for (int i = n; i < apart; ++i) matrix[j * apart + i] = T(0);
    of.meet();
    T size(0);
    for (int i = lanes.rank; i < n * apart; i += Lanes) size = larger_size(size, abs(matrix[i]));
    size = lanes.largest(size);
    UnitScale<T> const scale(size);
    for (int i = lanes.rank; i < n * apart; i += Lanes)
      matrix[i] = matrix[i] * scale.first * scale.second;
    of.meet();
    EigenpairsOfTeam<T, Tiles, Lanes, Member> const pairs(member, shape, matrix, of.numbers(0),
                                                          of.indices(0));
    bool const ends = !is_finite(size) || pairs.find();
    std::int32_t code = rotation_status(size, !ends, T(0));
    auto const value = [&](T const& x) { return x * scale.second_back * scale.first_back; };
    if (code == 0) {
      T extreme(0);
      pairs.values([&](int, T const& x) { extreme = larger_size(extreme, abs(value(x))); });
      if (!is_finite(lanes.largest(extreme))) code = Status::code(Reason::not_finite, 0);
    }
    if (code != 0) {
      of.store(f.values, n, 1, [&](int, int, int) { return nan; });
      if (f.stores_vectors) of.store(f.vectors, n, n, [&](int, int, int) { return nan; });
    } else {
      auto const& to = f.values.storage;
      pairs.values(
          [&](int k, T const& x) { item_of(to, item)[std::int64_t(k) * to.row] = value(x); });
      if (f.stores_vectors) {
        auto const& v = f.vectors.storage;
        T* const first = item_of(v, item);
        pairs.vectors([&](int k, int i, T const& x) {
          first[std::int64_t(i) * v.row + std::int64_t(k) * v.col] = x;
        });
      }
    }
    of.put_status(f.status, code);
  }
};

/// In team scratch.
template <class T, int Tiles, int Lanes, int Teams>
struct EighOfTeams : EighOfTeam<T, Tiles, Lanes> {
  static constexpr int largest_team = Lanes, wanted_teams = Teams;
  using EighOfTeam<T, Tiles, Lanes>::EighOfTeam;

  bool fits(DeviceLimits const& limits) const {
    return EighOfTeam<T, Tiles, Lanes>::fits() && limits.holds(Teams, Lanes, bytes());
  }
  std::size_t bytes() const { return this->bytes_of_matrix() + this->bytes_beside() + 16; }
  int team() const { return Lanes; }
  std::int64_t teams() const { return this->f.items; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::size_t const first = this->bytes_of_matrix();
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(first + this->bytes_beside(), 16));
    this->solve(member, member.league_rank(), reinterpret_cast<T*>(scratch), scratch + first);
  }
};

/// With the matrix in a workspace: a team owns a slot and takes one item after the other.
template <class T, int Tiles, int Lanes, int Teams>
struct EighOfTeamsInWorkspace : EighOfTeam<T, Tiles, Lanes> {
  static constexpr int largest_team = Lanes, wanted_teams = Teams;
  using EighOfTeam<T, Tiles, Lanes>::EighOfTeam;

  WorkspaceSlots<T> slots{};

  std::size_t bytes() const { return this->bytes_beside() + 16; }
  int team() const { return Lanes; }
  std::int64_t teams() const { return std::min(slots.count, this->f.items); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(this->bytes_beside(), 16));
    std::int64_t const own = member.league_rank(), step = member.league_size();
    for (std::int64_t item = own; item < this->f.items; item += step) {
      this->solve(member, item, reinterpret_cast<T*>(slots.slot(own)), scratch);
      // The next item overwrites this one.
      member.team_barrier();
    }
  }
};

/// Calls launch(kernel) with the kernel for matrices of this size in team scratch, if there is one.
/// \returns whether there is. Measured on one H200, 2026-11-27, batches of 1000 to 20000.
template <class T, class Launch>
bool with_eigh_of_teams(EighOfItems<T> const& f, DeviceLimits const& limits, Launch const& launch) {
  auto const fits = [&]<int Tiles, int Lanes, int Teams>(EighOfTeams<T, Tiles, Lanes, Teams> k) {
    if (!k.fits(limits)) return false;
    launch(k);
    return true;
  };
  if constexpr (sizeof(T) == 8)
    return fits(EighOfTeams<T, 8, 128, 4>(f)) || fits(EighOfTeams<T, 12, 128, 4>(f)) ||
           fits(EighOfTeams<T, 12, 128, 3>(f)) || fits(EighOfTeams<T, 16, 256, 2>(f)) ||
           fits(EighOfTeams<T, 20, 256, 1>(f));
  else
    return fits(EighOfTeams<T, 12, 128, 5>(f)) || fits(EighOfTeams<T, 16, 128, 4>(f)) ||
           fits(EighOfTeams<T, 16, 256, 2>(f)) || fits(EighOfTeams<T, 20, 256, 2>(f)) ||
           fits(EighOfTeams<T, 28, 256, 1>(f));
}
/// \returns whether a kernel in scratch is launched
template <class T, class Exec>
bool launch_eigh_of_teams(Exec const& exec, Call const& call, EighOfItems<T> const& f) {
  return with_eigh_of_teams(f, Vendor::device_limits(exec), [&](auto const& kernel) {
    launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                  [&] { return matrices_do_not_fit(call, "use fewer items"); });
  });
}
/// Launches the kernel in the workspace, or answers how large that is, if matrices of this size do
/// not fit into team scratch. Rotations need less scratch; where they fit, a call without a
/// workspace is left to them. \returns whether the call is done
template <class T, class Exec>
bool launch_eigh_of_teams_in_workspace(Exec const& exec, Call const& call, EighOfItems<T> f,
                                       GivenWorkspace<T> const& workspace) {
  using Kernel = EighOfTeamsInWorkspace<T, 28, 256, 1>;
  Kernel kernel(f);
  DeviceLimits const limits = Vendor::device_limits(exec);
  if (f.n <= 64 || !kernel.fits() || kernel.bytes() > limits.scratch_of_team ||
      with_eigh_of_teams(f, limits, [](auto const&) {}))
    return false;
  f.leading = f.n;
  DecompositionTeams<EighOfItems<T>, true> const rotations(f, limits);
  bool const is_needed = !rotations.fits(limits);
  std::size_t const bytes = kernel.bytes_of_matrix();
  std::int64_t const at_once = slots_at_once(exec, f.items, kernel.team());
  if (!is_needed && !workspace.asks() &&
      WorkspaceSlots<T>::of(workspace.numbers, workspace.count, bytes, at_once).count == 0)
    return false;
  launch_in_workspace<T>(
      call, workspace,
      {item_needs_more(call, rotations.bytes(), limits.scratch_of_team), bytes, at_once},
      [&](WorkspaceSlots<T> const& slots) {
        kernel.slots = slots;
        launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                      [&] { return matrices_do_not_fit(call, "use smaller matrices"); });
      });
  if (workspace.asks() && !is_needed) workspace.answer->least = 0;
  return true;
}

}  // namespace Batchwork::Impl

#endif
