// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrByPanels: the kernel of qr on devices for matrices of more than 96 rows or columns.
#ifndef BATCHWORK_QRBYPANELS_HPP
#define BATCHWORK_QRBYPANELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"
#include "dense/decompositions/detail/Batchwork_ReflectionPanels.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// A team has an item: in scratch; or as many of its last columns, which are used most, as there is
/// room for, and the others in a slot of the workspace. Where has_shuffles.
template <class T, bool InScratch>
struct QrByPanels {
  using Panels = ReflectionPanels<T, InScratch>;
  using Here = typename Panels::Here;
  static constexpr int width = Panels::width;
  static constexpr int largest_team = 512, wanted_teams = 1;

  QrOfItems<T> p;
  WorkspaceSlots<T> slots{};
  int rows, leading;                  ///< of the columns in memory
  int panels, blocks_of_r, blocks_of_q, blocks, first_near = 0;
  int lanes = largest_team, panel_warps = 1;

  QrByPanels(QrOfItems<T> const& of, DeviceLimits const& limits) : p(of) {
    auto const blocks_for = [](int columns) { return (columns + width - 1) / width; };
    rows = blocks_for(p.m) * width;
    panels = blocks_for(std::min(p.m, p.n));
    blocks_of_r = blocks_for(p.n), blocks_of_q = blocks_for(p.columns_of_q);
    blocks = std::max(blocks_of_r, blocks_of_q);
    leading = Panels::good_leading(rows);
    if constexpr (InScratch) {
      // As many teams as a multiprocessor has scratch for, and registers: while one finds
      // reflections, which is a chain of waits, others apply theirs.
      auto const teams = [&] {
        int some = 4;
        auto const of_some = [&] { return largest_team / some / lanes_of_warp * lanes_of_warp; };
        while (some > 1 && !limits.holds(some, of_some(), bytes())) --some;
        lanes = of_some();
        return bytes() <= limits.scratch_of_team ? some : 0;
      };
      int const good = leading, there = (leading = rows, teams());
      leading = good;
      if (teams() < there) leading = rows, teams();
    } else {
      std::size_t const of_block = std::size_t(width) * leading * sizeof(T);
      first_near = blocks;
      first_near -= int(std::min(std::size_t(blocks), (limits.scratch_of_team - bytes()) / of_block));
    }
    int const held = lanes_of_warp * Panels::held;  // rows of a panel, by a warp
    panel_warps = std::min(lanes / lanes_of_warp, (rows + held - 1) / held);
  }
  /// In scratch: blocks, what warps show each other, and the first column that is not finite. And
  /// what there is of R: sides of panels, and powers of two.
  BATCHWORK_INLINE std::size_t near_numbers() const {
    return std::size_t(blocks - first_near) * width * leading;
  }
  BATCHWORK_INLINE std::size_t beside_numbers() const {
    return std::size_t(panels) * Panels::side_numbers + std::size_t(blocks_of_r) * width;
  }
  BATCHWORK_INLINE std::size_t bytes_in_kernel() const {
    return (near_numbers() + Panels::shown_numbers + (InScratch ? beside_numbers() : 0)) *
               sizeof(T) + 16;
  }
  std::size_t bytes() const { return bytes_in_kernel() + 16; }
  /// Of a slot.
  std::size_t bytes_of_item() const {
    return (std::size_t(first_near) * width * leading + beside_numbers()) * sizeof(T);
  }
  int team() const { return lanes; }
  std::int64_t teams() const { return InScratch ? p.items : std::min(slots.count, p.items); }
  bool fits(DeviceLimits const& limits) const { return limits.holds(1, team(), bytes()); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    T* const scratch = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(bytes_in_kernel(), 16));
    Panels at;
    at.near = scratch, at.first_near = first_near, at.leading = leading, at.rows = rows;
    at.shown = scratch + near_numbers();
    at.panel_warps = panel_warps;
    int* const first_bad = reinterpret_cast<int*>(at.shown + Panels::shown_numbers);
    std::int64_t const own = member.league_rank();
    if constexpr (InScratch) {
      at.sides = reinterpret_cast<T*>(first_bad + 4);
      run(member, at, first_bad, own);
    } else {
      at.far = reinterpret_cast<T*>(slots.slot(own));
      at.sides = at.far + std::size_t(first_near) * width * leading;
      std::int64_t const step = member.league_size();
      for (std::int64_t item = own; item < p.items; item += step) {
        run(member, at, first_bad, item);
        // The next item takes the place of this one.
        member.team_barrier();
      }
    }
  }

 private:
  template <class Member>
  BATCHWORK_INLINE void run(Member const& member, Panels const& at, int* first_bad,
                            std::int64_t item) const {
    Here const here(member);
    T* const unscale = at.sides + panels * Panels::side_numbers;
    int const least = p.m < p.n ? p.m : p.n, none = std::numeric_limits<int>::max();
    T const nan = std::numeric_limits<T>::quiet_NaN();

    T const* const a = item_of(p.a.storage, item);
    for_numbers(here, p.a, rows, width * blocks_of_r, [&](int i, int j) {
      T* const to = &at.at(i, j);
      bool const there = i < p.m && j < p.n;
      T const* const from = a + (there ? i * p.a.storage.row + j * p.a.storage.col : 0);
      if constexpr (InScratch) {
        if (there) fetch_together<1>(to, from);
        else *to = T(0);
      } else {
        *to = there ? *from : T(0);
      }
    });
    if (here.lane == 0) *first_bad = none;
    Vendor::copy_async_wait();
    member.team_barrier();
    at.scale(here, blocks_of_r, unscale);
    member.team_barrier();

    // One text for R, of panel after panel, and Q, backwards: a panel is applied to what is right
    // of it, and the next one is factored, or becomes columns of Q.
    int const turns = 2 * (panels + 1);
    bool failed = false;
    BATCHWORK_KEEP_LOOP
    for (int turn = 0; turn < turns; ++turn) {
      bool const forward = turn <= panels;
      int const g = forward ? turn - 1 : 2 * panels - turn;
      if (turn == panels + 1) {
        T* const r = item_of(p.r.storage, item);
        for_numbers(here, p.r, least, p.n, [&](int i, int j) {
          T const x = i > j ? T(0) : at.of_r(i, j, panels) * unscale[j];
          r[i * p.r.storage.row + j * p.r.storage.col] = x;
          if (!(x * T(0) == T(0))) Kokkos::atomic_min(first_bad, j);
        });
        member.team_barrier();
        failed = *first_bad != none;
        if (failed || p.columns_of_q == 0) break;
        for (int j = width * panels + here.warp; j < width * blocks_of_q; j += here.warps)
          for (int i = here.in_warp; i < rows; i += lanes_of_warp) at.at(i, j) = T(i == j ? 1 : 0);
        member.team_barrier();
      }
      bool const factors = forward && g + 1 < panels;
      if (!forward && here.warp == 0 && g + 1 < panels) at.make_unit(here, g + 1);
      if (g >= 0)
        at.apply(here, g, g + 1, forward ? blocks_of_r : blocks_of_q, forward,
                 factors && here.warps > at.panel_warps ? at.panel_warps : 0);
      if (factors) {
        auto const wait = [&] {
          if (at.panel_warps == 1) Vendor::warp_sync();
          else if constexpr (Vendor::items_wait_alone)
            Vendor::first_lanes_barrier(member, at.panel_warps * lanes_of_warp);
          else member.team_barrier();
        };
        bool const all_wait = !Vendor::items_wait_alone && at.panel_warps > 1;
        if (all_wait || here.warp < at.panel_warps) wait(), at.factor(here, g + 1, wait);
      }
      member.team_barrier();
    }
    if (failed) {
      T* const r = item_of(p.r.storage, item);
      for_numbers(here, p.r, least, p.n,
                  [&](int i, int j) { r[i * p.r.storage.row + j * p.r.storage.col] = nan; });
    }
    if (p.columns_of_q > 0) {
      T* const q = item_of(p.q.storage, item);
      for_numbers(here, p.q, p.m, p.columns_of_q, [&](int i, int j) {
        q[i * p.q.storage.row + j * p.q.storage.col] = failed ? nan : at.at(i, j);
      });
    }
    if (p.status.wanted() && here.lane == 0)
      p.status.put(item, failed ? Status::code(Reason::not_finite, *first_bad + 1) : 0);
  }
  /// body(i, j) for the numbers of a rows x cols operand: a warp has a sector of 32 bytes of some
  /// rows, or columns.
  template <class U, class Body>
  static BATCHWORK_INLINE void for_numbers(Here const& here, StoredItems<U> const& of, int rows,
                                           int cols, Body const& body) {
    constexpr int along = 32 / int(sizeof(T)), across = lanes_of_warp / along;
    int const fast = of.rows_near ? rows : cols, slow = of.rows_near ? cols : rows;
    int const f = here.in_warp % along;
    for (int s = across * here.warp + here.in_warp / along; s < slow; s += across * here.warps)
      for (int k = f; k < fast; k += along) body(of.rows_near ? k : s, of.rows_near ? s : k);
  }
};

/// Launches it in scratch, or in the workspace of the call, or answers how large one can be used.
/// \returns whether it does: on devices whose lanes have shuffles, and not without a workspace where
/// only one column after the other fits into scratch.
template <class Exec, class T>
bool launch_qr_by_panels(Exec const& exec, Call const& call, GivenWorkspace<T> const& workspace,
                         QrOfItems<T> const& f) {
  if constexpr (runs_on_device<Exec> && Vendor::has_shuffles) {
    if (std::max({f.m, f.n, f.columns_of_q}) <= columns_of_warp) return false;
    DeviceLimits const limits = Vendor::device_limits(exec);
    auto const words = [&] { return matrices_do_not_fit(call, "use smaller matrices"); };
    auto const launch = [&](auto const& kernel) {
      using Kernel = std::remove_cvref_t<decltype(kernel)>;
      launch_teams<Kernel::largest_team, Kernel::wanted_teams>(
          exec, kernel_label(call.verb, call.label), kernel,
          TeamShape{kernel.teams(), kernel.team(), kernel.bytes()}, words);
    };
    QrByPanels<T, true> const kernel(f, limits);
    if (kernel.fits(limits)) {
      if (!workspace.asks()) launch(kernel);
      return true;
    }
    QrByPanels<T, false> in_slots(f, limits);
    using Slots = WorkspaceSlots<T>;
    std::size_t const bytes = in_slots.bytes_of_item(), most = limits.scratch_of_team;
    std::int64_t const at_once = slots_at_once(exec, f.items, in_slots.team());
    QrOfItems<T> by_columns = f;
    by_columns.leading = f.rows();
    std::size_t const chip = DecompositionTeams<QrOfItems<T>, true>(by_columns, limits).bytes();
    bool const must = chip > most;
    if (!must && workspace.asks()) *workspace.answer = {Slots::numbers(at_once, bytes), 0};
    if (!must && Slots::of(workspace.numbers, workspace.count, bytes, at_once).count == 0)
      return workspace.asks();
    auto const why = "an item of " + call.parts[0].name() + " needs " + std::to_string(chip) +
                     " bytes, more than the " + std::to_string(most) +
                     " of the device's team scratch";
    launch_in_workspace<T>(call, workspace, {why, bytes, at_once}, [&](Slots const& slots) {
      in_slots.slots = slots;
      launch(in_slots);
    });
    return true;
  }
  return false;
}

}  // namespace Batchwork::Impl

#endif
