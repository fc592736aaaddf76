// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectOfSharedLanes: the kernel of direct solves on devices for one right-hand side and up to 32
/// rows, some lanes of a warp an item.
#ifndef BATCHWORK_DIRECTOFSHAREDLANES_HPP
#define BATCHWORK_DIRECTOFSHAREDLANES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_LaneGrid.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_LaneSync.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "krylov/direct/detail/Batchwork_DirectChoice.hpp"
#include "krylov/direct/detail/Batchwork_DirectExpand.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_DirectScaling.hpp"
#include "krylov/direct/detail/Batchwork_DirectSteps.hpp"
#include "krylov/direct/detail/Batchwork_ListedPattern.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"
#include "tile/detail/shared/Batchwork_SolutionOfLanes.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// Teams of a multiprocessor with registers for the rows: the fastest choice (H100, CUDA 13).
template <class T, int N>
inline constexpr int teams_of_direct = N <= 8                      ? 4
                                       : N <= 16 || sizeof(T) == 4 ? 3
                                                                   : 2;

/// The pattern is expanded in scratch, where the matrix stays as it was given, and lanes take their
/// rows from there, scaled: see SolutionOfLanes. The residual uses the matrix in scratch, so
/// an item is read from memory once; a step of refinement eliminates it again, so nothing of L is
/// kept. Where has_shuffles.
template <class T, int N>
struct DirectOfSharedLanes : TeamKernel<DirectOfSharedLanes<T, N>> {
  using Shell = TeamKernel<DirectOfSharedLanes>;
  using Shell::items_per_team, Shell::team, Shell::all_groups, Shell::fits;
  static constexpr int L = lanes_of_direct<T>(N), mine = N / L, count = L;
  static_assert(N % L == 0, "each lane has whole rows");
  static constexpr int largest_team = 128, wanted_teams = teams_of_direct<T, N>;
  static constexpr int most_items = largest_team / L;
  /// Groups of items that a team with a list has one after the other, at most, and teams for each
  /// that a device holds at once.
  static constexpr std::int64_t most_groups = 16, rounds = 2;

  /// The lines through which lanes see each other's numbers: as Exchange has them, of N numbers.
  struct Lines {
    static constexpr int per_unit = 16 / int(sizeof(T)), lines = 4;
    static constexpr int leading = [] {
      constexpr int step = L >= 8 ? 1 : 8 / L;
      int units = (N + per_unit - 1) / per_unit;
      while (units % step != 0 || units / step % 2 == 0) ++units;
      return units * per_unit;
    }();
  };
  static constexpr int per_unit = Lines::per_unit, leading = Lines::leading;
  using Rows = SolutionOfLanes<T, L, N, Lines>;

  /// What is known of the columns of an item.
  struct alignas(16) Notes {
    std::int32_t unsorted, out_of_range;
  };
  // Of an item in scratch, in numbers: the lines, the matrix, right-hand side, solution, factors of
  // rows and columns; then its notes.
  static constexpr int to_matrix = Lines::lines * leading, to_b = to_matrix + N * leading,
                       to_x = to_b + leading, to_l = to_x + leading, to_c = to_l + leading,
                       to_notes = to_c + leading;
  static constexpr int item_numbers = [] {
    constexpr int step = L <= 4 ? 1 : L / 4;
    int units = to_notes / per_unit + int(sizeof(Notes)) / 16;
    while (units % step != 0 || units / step % 2 == 0) ++units;
    return units * per_unit;
  }();

  static constexpr BATCHWORK_INLINE std::size_t bytes_of_item() { return item_numbers * sizeof(T); }

  DirectProblem<T> p;
  bool by_items = false;   ///< lanes read entries of each other's items
  bool is_listed = false;  ///< see ListedPattern
  int groups = 1;          ///< of items, which a team has one after the other

  DirectOfSharedLanes(DirectProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    items_per_team = most_items;
    p.row_lanes = std::min(p.row_lanes, L);
    by_items = p.numbers_are_near();
    is_listed = p.compressed_entries > 0 && p.compressed_entries <= N * N;
    std::int64_t const at_once = wanted_teams * limits.multiprocessors,
                       teams_wanted = rounds * at_once;
    // Smaller teams, too, where else some multiprocessors would have none.
    while (team() > lanes_of_warp && (!fits(limits) || all_groups() < at_once)) items_per_team /= 2;
    if (is_listed) {
      groups = int(std::clamp<std::int64_t>((all_groups() + teams_wanted - 1) / teams_wanted, 1,
                                            most_groups));
    }
  }
  std::int64_t teams() const { return (all_groups() + groups - 1) / groups; }
  BATCHWORK_INLINE std::size_t to_list() const { return this->bytes_of_items(); }
  BATCHWORK_INLINE std::size_t bytes() const {
    return to_list() + (is_listed ? ListedPattern::bytes(p.n, int(p.compressed_entries)) : 0) + 16;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    T* const scratch = static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes() - 16, 16));
    if (is_listed)
      list_in(scratch).list(member, p.compressed_rows(), p.n, int(p.compressed_entries), team(),
                            [](int i, int j) { return place_of(i, j); });
    std::int64_t const first = std::int64_t(member.league_rank()) * groups, end = first + groups;
    BATCHWORK_KEEP_LOOP
    for (std::int64_t group = first; group < end && group * items_per_team < p.items; ++group) {
      // Scratch is free again.
      if (group > first) meet(member);
      run_group(member, scratch, group * items_per_team, group == first, group + 1 < end);
    }
  }

 private:
  static constexpr BATCHWORK_INLINE int place_of(int i, int j) { return i * leading + j; }
  BATCHWORK_INLINE ListedPattern list_in(T* scratch) const {
    return ListedPattern::at(reinterpret_cast<char*>(scratch) + to_list(), p.n,
                             int(p.compressed_entries));
  }
  /// Waits for the lanes that bring an item's numbers.
  template <class Member>
  BATCHWORK_INLINE void meet(Member const& member) const {
    if (by_items) member.team_barrier();
    else Vendor::warp_sync(member);
  }

  /// The calling lane's item, as DirectSteps has it.
  struct OwnItem {
    static constexpr bool shares_a_warp = true;

    DirectProblem<T> const& p;
    Rows& rows;
    T const* numbers;  ///< of the matrix, in memory
    bool unsorted;
    T *a, *b, *x, *l, *c, *r, *t;
    std::int32_t code = 0;  ///< of the elimination

    BATCHWORK_INLINE OwnItem(DirectProblem<T> const& problem, Rows& of_lanes, T const* of_item)
        : p(problem), rows(of_lanes), numbers(of_item) {
      T* const first = rows.line(0);
      a = first + to_matrix, b = first + to_b, x = first + to_x, l = first + to_l, c = first + to_c;
      // Where the elimination is done with them.
      t = rows.line(0), r = rows.line(1);
      unsorted = notes().unsorted != 0;
    }
    BATCHWORK_INLINE Notes& notes() const {
      return *reinterpret_cast<Notes*>(rows.line(0) + to_notes);
    }
    template <class Body>
    BATCHWORK_INLINE void for_each(Body const& body) const {
      for (int i = rows.grid.lane; i < p.n; i += L) body(i);
    }
    BATCHWORK_INLINE void sync() const { rows.grid.sync(); }
    BATCHWORK_INLINE std::int32_t largest(std::int32_t key) const {
      return rows.grid.template largest<L>(key);
    }
    template <int Count>
    static BATCHWORK_INLINE void sum(T (&sums)[Count]) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int step = 1; step < L; step *= 2) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int q = 0; q < Count; ++q) sums[q] += Vendor::shuffle_xor(sums[q], step);
      }
    }
    BATCHWORK_INLINE bool any(bool holds) const { return largest(holds ? 1 : 0) != 0; }
    static BATCHWORK_INLINE bool any_beside(bool holds) { return Vendor::any_of_warp(holds); }

    BATCHWORK_INLINE bool has_failed() const { return code != 0 || notes().out_of_range != 0; }

    template <class Sum, class Finish>
    BATCHWORK_INLINE void add_rows(T const* y, Finish const& finish) const {
      if (unsorted) return add_rows_in_memory<Sum>(y, finish);
      Sum sums[mine];
      int first[mine];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        sums[m] = Sum();
        first[m] = (rows.row(m) < p.n ? rows.row(m) : 0) * leading;
      }
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j < p.n; j += per_unit) {
        T of_y[per_unit];
        read_together(of_y, y + j);
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) {
          T of_row[per_unit];
          read_together(of_row, a + first[m] + j);
          BATCHWORK_UNROLL
          for (int e = 0; e < per_unit; ++e)
            if (e == 0 || j + e < p.n) sums[m].add(of_row[e], of_y[e]);
        }
      }
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m)
        if (rows.row(m) < p.n) finish(sums[m], rows.row(m), p.n);
    }
    /// Where a column is in a row twice: what was added up in scratch is rounded.
    template <class Sum, class Finish>
    BATCHWORK_INLINE void add_rows_in_memory(T const* y, Finish const& finish) const {
      for_each([&](int i) {
        Sum s;
        auto const row = p.a.row(numbers, i);
        for (int k = 0; k < row.count; ++k) {
          int const j = row.column(k);
          if (unsigned(j) < unsigned(p.n)) s.add(row.number(k), y[j]);
        }
        finish(s, i, row.count);
      });
    }

    /// The lane's rows of the matrix as it was given.
    BATCHWORK_INLINE void read_rows() const {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) read_together(rows.own[m], a + rows.row(m) * leading);
    }
    /// Powers of two for the rows, then for the columns, of what the lane has read, which is
    /// multiplied by them (LAPACK's geequb).
    BATCHWORK_INLINE void find_scales() const {
      LargestExponent<T> of_columns[N];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        int const row = rows.row(m);
        LargestExponent<T> of_row;
        BATCHWORK_UNROLL
        for (int j = 0; j < N; ++j) of_row.add(rows.own[m][j]);
        T const factor = factor_of(of_row.key());
        l[row] = factor;
        BATCHWORK_UNROLL
        for (int j = 0; j < N; ++j) {
          rows.own[m][j] *= factor;
          of_columns[j].add(rows.own[m][j]);
        }
      }
      std::int32_t key[N];
      BATCHWORK_UNROLL
      for (int j = 0; j < N; ++j) key[j] = of_columns[j].key();
      scatter_largest<N, L / 2>(key, 0, true);
      sync();
      scale_columns();
    }
    /// The same by factors that are known.
    BATCHWORK_INLINE void scale() const {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        T const factor = l[rows.row(m)];
        BATCHWORK_UNROLL
        for (int j = 0; j < N; ++j) rows.own[m][j] *= factor;
      }
      scale_columns();
    }
    BATCHWORK_INLINE void solve(bool first, T const* from, T* to) {
      if (!first) {
        sync();
        rows.open_rows(p.n);
        read_rows();
        scale();
      }
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        int const row = rows.row(m);
        rows.rest[m] = row < p.n ? from[row] * l[row] : T(0);
      }
      std::int32_t const found = rows.eliminate(p.n);
      if (first) code = found;
      rows.substitute(p.n);
      sync();
      for_each([&](int i) { to[i] = rows.solution(i) * c[i]; });
      sync();
    }

   private:
    static BATCHWORK_INLINE std::int32_t larger(std::int32_t x, std::int32_t y) {
      return x > y ? x : y;
    }
    BATCHWORK_INLINE T factor_of(std::int32_t key) const {
      return p.equilibrates ? scale_to_one<T>(key) : T(1);
    }
    BATCHWORK_INLINE void scale_columns() const {
      BATCHWORK_UNROLL
      for (int j = 0; j < N; j += per_unit) {
        T factors[per_unit];
        read_together(factors, c + j);
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) {
          BATCHWORK_UNROLL
          for (int e = 0; e < per_unit; ++e)
            if (j + e < N) rows.own[m][j + e] *= factors[e];
        }
      }
    }
    /// The largest keys of Count columns from `first` on, over the lanes: each step leaves half of
    /// the columns to a lane, while there are halves. Their factors go to c.
    /// \param writes  whether the lane is the first of the lanes with the same remaining columns
    template <int Count, int Step, int All>
    BATCHWORK_INLINE void scatter_largest(std::int32_t (&key)[All], int first, bool writes) const {
      int const lane = rows.grid.lane;
      if constexpr (Step == 0) {
        BATCHWORK_UNROLL
        for (int j = 0; j < Count; ++j)
          if (writes) c[first + j] = factor_of(key[j]);
      } else if constexpr (Count % 2 == 0) {
        constexpr int half = Count / 2;
        bool const upper = (lane & Step) != 0;
        BATCHWORK_UNROLL
        for (int j = 0; j < half; ++j) {
          std::int32_t const low = key[j], high = key[j + half];
          key[j] = larger(upper ? high : low, Vendor::shuffle_xor(upper ? low : high, Step));
        }
        scatter_largest<half, Step / 2>(key, first + (upper ? half : 0), writes);
      } else {
        BATCHWORK_UNROLL
        for (int j = 0; j < Count; ++j) key[j] = larger(key[j], Vendor::shuffle_xor(key[j], Step));
        scatter_largest<Count, Step / 2>(key, first, writes && (lane & Step) == 0);
      }
    }
  };

  template <class Member>
  BATCHWORK_INLINE void run_group(Member const& member, T* scratch, std::int64_t first,
                                  bool is_first, bool has_next) const {
    int const rank = Vendor::renewed(Vendor::lane_rank(member)), own = rank / L, lane = rank % L;
    T* const here = scratch + own * item_numbers;
    std::int64_t const item = p.some_item(first + own);
    bool const is_there = first + own < p.items;
    auto const ask_for = [&](T const* numbers) { p.prefetch(numbers, lane, L); };
    if (is_first) ask_for(p.a.numbers(item));
    if (has_next) ask_for(p.a.numbers(p.some_item(first + items_per_team + own)));
    clear(here, lane);
    *reinterpret_cast<Notes*>(here + to_notes) = {0, 0};
    meet(member);
    T const* const right = item_of(p.b, item);
    for (int i = lane; i < p.n; i += L) fetch_together<1>(here + to_b + i, right + i * p.b.row);
    expand(scratch, first, rank);
    Vendor::copy_async_wait();
    meet(member);

    LaneGrid const grid{reinterpret_cast<char*>(here), lane, Vendor::LaneSync::of(member)};
    Rows rows(grid, p.n);
    OwnItem at(p, rows, p.a.numbers(item));
    if (at.unsorted) add_up(at, here, lane);
    at.read_rows();
    at.find_scales();
    SolveResult<T> result = DirectSteps<T, OwnItem>{at, p}.run(true);
    bool finite = true;
    at.for_each([&](int i) { finite = finite && is_finite(at.x[i]); });
    bool const failed = at.any(!finite) || Status::reason(result.code) == Reason::not_finite;
    std::int32_t const code = at.notes().out_of_range != 0
                                  ? Status::code(Reason::invalid_pattern, 0)
                              : at.code != 0 ? at.code
                              : failed       ? Status::code(Reason::not_finite, 0)
                                             : 0;
    if (code != 0) result = no_result<T>(code);
    if (!is_there) return;
    T const nan = Kokkos::Experimental::quiet_NaN_v<T>;
    T* const to = item_of(p.x, item);
    at.for_each([&](int i) { to[i * p.x.row] = code != 0 ? nan : at.x[i]; });
    if (lane == 0) p.log.write(item, result);
  }

  static BATCHWORK_INLINE void clear(T* here, int lane) {
    T const zeros[per_unit] = {};
    constexpr int units = N * leading / per_unit;
    T* const to = here + to_matrix + per_unit * lane;
    BATCHWORK_UNROLL
    for (int k = 0; k < units; k += L)
      if (k + L <= units || k + lane < units) write_together(to + per_unit * k, zeros);
  }
  /// The entries of the lane's share, of whichever item of the team, to their places in scratch.
  BATCHWORK_INLINE void expand(T* scratch, std::int64_t first, int rank) const {
    int const which = by_items ? rank % items_per_team : rank / L,
              lane = by_items ? rank / items_per_team : rank % L;
    T* const here = scratch + which * item_numbers;
    T const* const numbers = p.a.numbers(p.some_item(first + which));
    expand_item(
        EntriesOfLanes<T>{p.a, numbers, p.n, lane, L, p.row_lanes}, p, here + to_matrix,
        *reinterpret_cast<Notes*>(here + to_notes), is_listed, [&] { return list_in(scratch); },
        [](int i, int j) { return place_of(i, j); });
  }
  /// Once more, where a column may be in a row twice: lanes have rows. The pattern is the same for
  /// all items.
  BATCHWORK_INLINE void add_up(OwnItem const& at, T* here, int lane) const {
    clear(here, lane);
    at.sync();
    add_up_entries(
        p, at.numbers, [&](auto const& body) { at.for_each(body); },
        [&](int i, int j) -> T& { return at.a[place_of(i, j)]; });
    at.sync();
  }
};

}  // namespace Batchwork::Impl

#endif
