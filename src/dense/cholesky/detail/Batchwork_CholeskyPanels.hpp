// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CholeskyPanels: the kernel of cholesky on devices for matrices of up to 64 rows.
#ifndef BATCHWORK_CHOLESKYPANELS_HPP
#define BATCHWORK_CHOLESKYPANELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/cholesky/detail/Batchwork_PanelScratch.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleProblem.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// The left-looking factorisation by panels of eight columns (Golub and Van Loan, Matrix
/// Computations, 4th edition, section 4.2). The triangle is in scratch. For each panel, each of the
/// `Lanes` of an item has up to `Slots` rows of the panel in registers. It subtracts the products
/// of the panels before, and factorises the 8 x 8 corner on the diagonal itself, as all lanes of
/// the item do. That takes two waits for eight columns. An item has few lanes, so that a warp
/// factorises the corners of several items at once.
template <class T, int Lanes, int Slots>
struct CholeskyPanels : TeamKernel<CholeskyPanels<T, Lanes, Slots>> {
  using Shell = TeamKernel<CholeskyPanels>;
  using Shell::items_per_team, Shell::bytes, Shell::team;
  static constexpr bool always_fits = false;
  static constexpr int count = Lanes;
  static constexpr int most_rows = Lanes * Slots;
  static constexpr int largest_team = std::max(128, Lanes * 32 / int(sizeof(T)));
  /// Lanes of a team where lanes copy their own items, and need not wait for the team.
  static constexpr int team_of_rows = 128;
  /// Registers of 32 bits, as were seen to suffice.
  static constexpr int registers = sizeof(T) == 4 ? Slots > 2 ? 128 : 96 : Slots > 2 ? 200 : 128;
  static constexpr int wanted_teams =
      std::max(1, registers_of_multiprocessor / (largest_team * registers));
  static_assert(Lanes % 8 == 0 && lanes_of_warp % Lanes == 0);

  TriangleProblem<T> p;
  PanelScratch<T> at;
  PanelTravel of_a, of_l;

  CholeskyPanels(TriangleProblem<T> const& problem, DeviceLimits const& limits)
      : p(problem), at{(p.n + 7) / 8} {
    items_per_team = lanes_of_warp / Lanes;
    of_a = PanelTravel::of(p.a, p.n, false);
    of_l = PanelTravel::of(p.l, p.n, true);
    int const most = (together() ? largest_team : team_of_rows) / Lanes;
    // Neighbouring items fill a sector of 32 bytes at least.
    int const least = together() ? 32 / int(sizeof(T)) : 1;
    while (2 * items_per_team <= most && items_per_team < p.items) {
      items_per_team *= 2;
      auto const share = limits.scratch(wanted_teams * largest_team / team(), team());
      if (bytes() <= (items_per_team <= least ? limits.scratch_of_team : share)) continue;
      items_per_team /= 2;
      break;
    }
  }
  bool together() const { return of_a.by.by_items || of_l.by.by_items; }
  BATCHWORK_INLINE std::size_t bytes_of_item() const {
    return std::size_t(at.item_numbers()) * sizeof(T);
  }
  /// Of the least team, for n rows.
  static std::size_t bytes_of_warp(int n) {
    return std::size_t(lanes_of_warp / Lanes) *
               std::size_t(PanelScratch<T>{(n + 7) / 8}.item_numbers()) * sizeof(T) +
           16;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = std::int64_t(member.league_rank()) * items_per_team;
    LaneOfItems here;
    here.template take_place<Lanes>(member, items_per_team, p.items - first);
    int const item_numbers = at.numbers() + PanelScratch<T>::wide;
    T* const scratch = this->template scratch_in<T>(member);
    auto const numbers_of = [&](int item) { return scratch + item * item_numbers; };
    auto const meet = [&](PanelTravel const& t) {
      if (t.by.by_items) member.team_barrier();
      else Vendor::warp_sync(member);
    };

    fetch_panels(of_a, here, p.a, p.n, at, numbers_of,
                 [&](int item) { return item_of(p.a, first + item); });
    Vendor::copy_async_wait();
    meet(of_a);
    std::int32_t code = 0;
    T* const numbers = numbers_of(here.item);
    BATCHWORK_KEEP_LOOP
    for (int j = 0; j < at.tiles; ++j)
      with_slots<Slots>((at.rows() - 8 * j + Lanes - 1) / Lanes, [&]<int Some>() {
        factor_panel<Some>(member, here.lane, numbers, j, code);
      });
    // Operands that are one are read before they are written.
    if (of_a.by.by_items && !of_l.by.by_items) member.team_barrier();
    meet(of_l);
    store_panels(of_l, here, p.l, p.n, at, numbers_of,
                 [&](int item) { return item_of(p.l, first + item); });
    if (p.status.wanted() && here.lane == 0 && here.item < here.there)
      p.status.put(first + here.item, code);
  }

 private:
  template <int Most, class F>
  static BATCHWORK_INLINE void with_slots(int some, F const& f) {
    if constexpr (Most > 1) {
      if (some < Most) {
        with_slots<Most - 1>(some, f);
        return;
      }
    }
    f.template operator()<Most>();
  }

  template <int Some, class Member>
  BATCHWORK_INLINE void factor_panel(Member const& member, int lane, T* numbers, int j,
                                     std::int32_t& code) const {
    constexpr int wide = PanelScratch<T>::wide, units = PanelScratch<T>::units;
    // Lanes without a row do what those with the first rows do.
    int row[Some];
    BATCHWORK_UNROLL
    for (int s = 0; s < Some; ++s) {
      int const i = 8 * j + lane + Lanes * s;
      row[s] = 8 * (i < at.rows() ? i : 8 * j + lane % 8);
    }
    T* const panel = numbers + at.panel(j);
    T x[Some][8];
    BATCHWORK_UNROLL
    for (int s = 0; s < Some; ++s) {
      BATCHWORK_UNROLL
      for (int v = 0; v < units; ++v) read_unit(x[s], v, panel + row[s] + at.unit(lane, v));
    }
    T const* before = numbers;
    int step = at.step(0);
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < j; ++k) {
      BATCHWORK_UNROLL
      for (int v = 0; v < units; ++v) {
        T a[Some][wide];
        BATCHWORK_UNROLL
        for (int s = 0; s < Some; ++s) read_together(a[s], before + row[s] + at.unit(lane, v));
        BATCHWORK_UNROLL
        for (int q = 0; q < 8; ++q) {
          T b[wide];
          read_together(b, before + 8 * (8 * j + q) + at.unit(q, v));
          BATCHWORK_UNROLL
          for (int s = 0; s < Some; ++s) {
            BATCHWORK_UNROLL
            for (int m = 0; m < wide; ++m) x[s][q] -= a[s][m] * b[m];
          }
        }
      }
      before += step, step -= 64;
    }
    if (j > 0) {
      // Lanes without a row have read one of these.
      if constexpr (Lanes > 8) Vendor::warp_sync(member);
      if (lane < 8) write_row(panel + row[0], lane, x[0]);
      Vendor::warp_sync(member);
    }
    T d[8][8];
    BATCHWORK_UNROLL
    for (int q = 0; q < 8; ++q) {
      BATCHWORK_UNROLL
      for (int v = 0; v <= q / wide; ++v)
        read_unit(d[q], v, panel + 8 * (8 * j + q) + at.unit(q, v));
    }
    // Before rows are written in its place.
    Vendor::warp_sync(member);
    unsigned bad = 0;
    BATCHWORK_UNROLL
    for (int k = 0; k < 8; ++k) {
      T const pivot = d[k][k];
      bool const good = Vendor::is_positive_and_normal(pivot);
      if (!good) bad |= 1u << k;
      T const root = good ? Vendor::rsqrt(pivot) : std::numeric_limits<T>::quiet_NaN();
      BATCHWORK_UNROLL
      for (int q = k + 1; q < 8; ++q) d[q][k] *= root;
      BATCHWORK_UNROLL
      for (int m = k + 1; m < 8; ++m) {
        BATCHWORK_UNROLL
        for (int q = k + 1; q <= m; ++q) d[m][q] -= d[m][k] * d[q][k];
      }
      BATCHWORK_UNROLL
      for (int s = 0; s < Some; ++s) {
        x[s][k] *= root;
        BATCHWORK_UNROLL
        for (int q = k + 1; q < 8; ++q) x[s][q] -= x[s][k] * d[q][k];
      }
    }
    // Above the diagonal.
    BATCHWORK_UNROLL
    for (int q = 1; q < 8; ++q) x[0][q] = lane < q ? T(0) : x[0][q];
    BATCHWORK_UNROLL
    for (int s = 0; s < Some; ++s)
      if (8 * j + lane + Lanes * s < at.rows()) write_row(panel + row[s], lane, x[s]);
    Vendor::warp_sync(member);
    if (code != 0 || bad == 0) return;
    // Columns beyond the item's extent may hold anything.
    BATCHWORK_UNROLL
    for (int k = 7; k >= 0; --k)
      if ((bad >> k & 1) != 0 && 8 * j + k < p.n) code = pivot_code(d[k][k], 8 * j + k);
  }
  static BATCHWORK_INLINE void read_unit(T (&x)[8], int v, T const* from) {
    constexpr int wide = PanelScratch<T>::wide;
    T u[wide];
    read_together(u, from);
    BATCHWORK_UNROLL
    for (int m = 0; m < wide; ++m) x[v * wide + m] = u[m];
  }
  static BATCHWORK_INLINE void write_row(T* to, int lane, T const (&x)[8]) {
    constexpr int wide = PanelScratch<T>::wide;
    BATCHWORK_UNROLL
    for (int v = 0; v < PanelScratch<T>::units; ++v) {
      T u[wide];
      BATCHWORK_UNROLL
      for (int m = 0; m < wide; ++m) u[m] = x[v * wide + m];
      write_together(to + PanelScratch<T>::unit(lane, v), u);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
