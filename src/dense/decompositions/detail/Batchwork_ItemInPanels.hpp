// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ItemInPanels: the memory of a matrix that a team factors by ReflectionPanels, and how the
/// kernels of qr and least_squares for large items are launched.
#ifndef BATCHWORK_ITEMINPANELS_HPP
#define BATCHWORK_ITEMINPANELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_ReflectionPanels.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// A team has an item: in scratch; or as many of its last columns, which are used most, as there is
/// room for, and the others in a slot of the workspace. Where has_shuffles.
template <class T, bool InScratch>
struct ItemInPanels {
  using Panels = ReflectionPanels<T, InScratch>;
  using Here = typename Panels::Here;
  static constexpr int width = Panels::width;
  static constexpr int largest_team = Panels::most_warps * lanes_of_warp, wanted_teams = 1;
  static constexpr int none = std::numeric_limits<int>::max();

  std::int64_t items;
  WorkspaceSlots<T> slots{};
  int m, n;           ///< rows and columns of the matrix
  int rows, leading;  ///< rows in memory, and the distance of columns
  int panels, blocks_of_a, blocks, first_near = 0;
  int lanes = largest_team, panel_warps = 1;

  static constexpr BATCHWORK_INLINE int blocks_for(int columns) {
    return (columns + width - 1) / width;
  }
  /// Of m x n matrices in memory of so many blocks.
  ItemInPanels(std::int64_t items_there, int m_there, int n_there, int blocks_there,
               DeviceLimits const& limits)
      : items(items_there),
        m(m_there),
        n(n_there),
        rows(blocks_for(m) * width),
        leading(Panels::good_leading(rows)),
        panels(blocks_for(std::min(m, n))),
        blocks_of_a(blocks_for(n)),
        blocks(blocks_there) {
    // One warp finds reflections where two or more other teams of a multiprocessor do so as well;
    // two beside one other team, else four, and more where lanes could not have all rows in
    // registers. (Four, two and one warp, H200, 2026-11-27, ns: 100 rows in double, two teams, 574,
    // 558 and 579; 152 rows in double, one team, 1644, 1689 and 1984; in float, two, 1109 and
    // 1060.)
    int const held = lanes_of_warp * Panels::held, least = (rows + held - 1) / held;
    auto const take = [&](int teams) {
      lanes = largest_team / teams / lanes_of_warp * lanes_of_warp;
      panel_warps = std::min(lanes / lanes_of_warp, teams > 2 ? 1 : std::max(4 / teams, least));
    };
    take(1);
    if constexpr (InScratch) {
      // As many teams as a multiprocessor has scratch for, and registers: while one finds
      // reflections, which is a chain of waits, others apply theirs.
      auto const teams = [&] {
        int some = 4;
        for (take(some); some > 1 && !limits.holds(some, lanes, bytes()); take(some)) --some;
        return bytes() <= limits.scratch_of_team ? some : 0;
      };
      int const good = leading, there = (leading = rows, teams());
      leading = good;
      if (teams() < there) leading = rows, teams();
    } else {
      std::size_t const of_block = std::size_t(width) * leading * sizeof(T);
      first_near = blocks;
      std::size_t const beside = bytes(), most = limits.scratch_of_team;
      if (most > beside)
        first_near -= int(std::min(std::size_t(blocks), (most - beside) / of_block));
    }
  }
  /// In scratch: blocks, what warps show each other, and what lanes have found. And what there is
  /// of R: sides of panels, and powers of two.
  BATCHWORK_INLINE std::size_t near_numbers() const {
    return std::size_t(blocks - first_near) * width * leading;
  }
  BATCHWORK_INLINE std::size_t beside_numbers() const {
    return std::size_t(panels) * Panels::side_numbers + std::size_t(blocks_of_a) * width;
  }
  BATCHWORK_INLINE std::size_t bytes_in_kernel() const {
    Panels at;
    at.panel_warps = panel_warps;
    return (near_numbers() + at.shown_numbers() + (InScratch ? beside_numbers() : 0)) * sizeof(T) +
           16;
  }
  std::size_t bytes() const { return bytes_in_kernel() + 16; }
  /// Of a slot.
  std::size_t bytes_of_item() const {
    return (std::size_t(first_near) * width * leading + beside_numbers()) * sizeof(T);
  }
  int team() const { return lanes; }
  std::int64_t teams() const { return InScratch ? items : std::min(slots.count, items); }
  bool fits(DeviceLimits const& limits) const { return limits.holds(1, team(), bytes()); }

 protected:
  /// body(panels, found, item) for the items of a team; `found` are four whole numbers.
  template <class Member, class Body>
  BATCHWORK_INLINE void for_items(Member const& member, Body const& body) const {
    T* const scratch =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes_in_kernel(), 16));
    Panels at;
    at.near = scratch, at.first_near = first_near, at.leading = leading, at.rows = rows;
    at.panel_warps = panel_warps;
    at.shown = scratch + near_numbers();
    int* const found = reinterpret_cast<int*>(at.shown + at.shown_numbers());
    std::int64_t const own = member.league_rank();
    if constexpr (InScratch) {
      at.sides = reinterpret_cast<T*>(found + 4);
      body(at, found, own);
    } else {
      at.far = reinterpret_cast<T*>(slots.slot(own));
      at.sides = at.far + std::size_t(first_near) * width * leading;
      std::int64_t const step = member.league_size();
      for (std::int64_t item = own; item < items; item += step) {
        body(at, found, item);
        // The next item takes the place of this one.
        member.team_barrier();
      }
    }
  }
  BATCHWORK_INLINE T* unscale_of(Panels const& at) const {
    return at.sides + panels * Panels::side_numbers;
  }
  /// The matrix, with columns times powers of two, seen by all; and `none` where found.
  template <class Member>
  BATCHWORK_INLINE void load(Member const& member, Here const& here, Panels const& at, int* found,
                             StoredItems<T const> const& of, std::int64_t item) const {
    load_columns(here, at, of, item, m, n, blocks_of_a, 0, [](int) { return T(1); });
    if (here.lane < 4) found[here.lane] = none;
    for (int k = here.lane; k < at.shown_numbers(); k += here.warps * lanes_of_warp)
      at.shown[k] = T(0);
    Vendor::copy_async_wait();
    member.team_barrier();
    at.scale(here, blocks_of_a, unscale_of(at));
    member.team_barrier();
  }
  /// Rows and columns of an operand to so many blocks from `first` on, and zeros beyond. by(i) is a
  /// factor of row i where it is not 1.
  template <class By>
  BATCHWORK_INLINE void load_columns(Here const& here, Panels const& at,
                                     StoredItems<T const> const& of, std::int64_t item, int of_rows,
                                     int of_cols, int some, int first, By const& by) const {
    T const* const from = item_of(of.storage, item);
    for_numbers(here, of, rows, width * some, [&](int i, int j) {
      T* const to = &at.at(i, width * first + j);
      T const* const number = from + i * of.storage.row + j * of.storage.col;
      if (i >= of_rows || j >= of_cols) *to = T(0);
      else if (!InScratch || first > 0) *to = *number * by(i);
      else fetch_together<1>(to, number);
    });
  }
  /// The reflections of panel g, by the warps that have it, after what the first of them has done
  /// for it. All have to wait then.
  template <class Member>
  BATCHWORK_INLINE void factor(Member const& member, Here const& here, Panels const& at,
                               int g) const {
    auto const wait = [&] {
      if (at.panel_warps == 1) Vendor::warp_sync();
      else if constexpr (Vendor::items_wait_alone)
        Vendor::first_lanes_barrier(member, at.panel_warps * lanes_of_warp);
      else member.team_barrier();
    };
    bool const all_wait = !Vendor::items_wait_alone && at.panel_warps > 1;
    if (all_wait || here.warp < at.panel_warps) wait(), at.factor(here, g, wait);
  }
  /// Warps that go on with the next panel instead of further blocks.
  BATCHWORK_INLINE int busy_warps(Here const& here, Panels const& at) const {
    return here.warps > at.panel_warps ? at.panel_warps : 0;
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

/// Launches the kernel of `f`, or answers how large a workspace it can use. On devices whose lanes
/// have shuffles, for more than 32 rows or columns: in scratch, or in the workspace of the call.
/// Else, and without a workspace where scratch only holds the columns, one reflection after the
/// other.
template <template <class, bool> class Kernel, class Exec, class F>
void launch_by_panels(Exec const& exec, Call const& call,
                      GivenWorkspace<typename F::number> const& workspace, F f) {
  using T = typename F::number;
  if constexpr (runs_on_device<Exec> && Vendor::has_shuffles) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    auto const launch = [&](auto const& kernel) {
      launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                    [&] { return matrices_do_not_fit(call, "use smaller matrices"); });
    };
    bool const small = std::max(f.rows(), f.cols()) <= columns_of_warp,
               any = call.kernel == KernelKind::fastest;
    auto const wants = [&](KernelKind kind) { return any || call.kernel == kind; };
    Kernel<T, true> const in_scratch(f, limits);
    if (small || (wants(KernelKind::by_panels) && in_scratch.fits(limits))) {
      if (workspace.asks()) return;
      if (small) launch_decomposition(exec, call, f);
      else launch(in_scratch);
      return;
    }
    using Slots = WorkspaceSlots<T>;
    Kernel<T, false> in_slots(f, limits);
    std::size_t const bytes = in_slots.bytes_of_item(), most = limits.scratch_of_team;
    std::int64_t const at_once = slots_at_once(exec, f.items, in_slots.team());
    f.leading = f.rows();
    std::size_t const chip = DecompositionTeams<F, true>(f, limits).bytes();
    if (chip <= most && wants(KernelKind::in_scratch)) {
      if (workspace.asks()) {
        if (any) *workspace.answer = {Slots::numbers(at_once, bytes), 0};
        return;
      }
      if (!any || Slots::of(workspace.numbers, workspace.count, bytes, at_once).count == 0)
        return launch_decomposition(exec, call, f);
    }
    expect_workspace_wanted(call, [&] { return matrices_of(f.rows(), f.cols()); });
    auto const why = any ? item_needs_more(call, chip, most)
                         : "an item of " + call.parts[0].name() + " in " + name_of(call.kernel) +
                               " needs " + std::to_string(bytes) + " bytes";
    launch_in_workspace<T>(call, workspace, {why, bytes, at_once}, [&](Slots const& slots) {
      in_slots.slots = slots;
      launch(in_slots);
    });
  } else {
    launch_decomposition_anywhere(exec, call, workspace, f);
  }
}

}  // namespace Batchwork::Impl

#endif
