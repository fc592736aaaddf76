// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Direct solves of items with matrices in memory by rows: the scratch of a team of a
/// device, the stack of a host's thread, or a slot of a workspace.
#ifndef BATCHWORK_DIRECTROWS_HPP
#define BATCHWORK_DIRECTROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/lu/detail/Batchwork_RowsInMemory.hpp"
#include "krylov/detail/backend/Batchwork_SystemSum.hpp"
#include "krylov/direct/detail/Batchwork_DirectCondition.hpp"
#include "krylov/direct/detail/Batchwork_DirectExpand.hpp"
#include "krylov/direct/detail/Batchwork_DirectItem.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_DirectSteps.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// The layout of an item in memory: six vectors, the matrix, one vector for substitution, and
/// places and order of the rows.
template <class T, class F>
struct DirectRoom {
  static constexpr int vectors = 6;
  int n = 0, leading = 0;

  constexpr BATCHWORK_INLINE std::int64_t factors() const { return std::int64_t(n) * leading; }
  constexpr BATCHWORK_INLINE std::size_t to_factors() const {
    return std::size_t(n) * vectors * sizeof(T);
  }
  constexpr BATCHWORK_INLINE std::size_t to_indices() const {
    return to_factors() + std::size_t(factors() + n) * sizeof(F);
  }
  constexpr BATCHWORK_INLINE std::size_t bytes() const {
    return (to_indices() + std::size_t(n) * 4 + 15) / 16 * 16;
  }
  /// Of factors that are kept, which have the status of the elimination behind them.
  constexpr BATCHWORK_INLINE std::size_t kept_bytes() const { return bytes() + 16; }
};

/// A multiple of 16 bytes, by all lanes, neighbouring ones neighbouring words; both begin at such a
/// multiple.
template <class Lanes>
BATCHWORK_INLINE void copy_words(Lanes const& lanes, char const* from, char* to,
                                 std::size_t bytes) {
  struct alignas(16) Word {
    std::int64_t halves[2];
  };
  for (std::size_t k = std::size_t(lanes.rank); k < bytes / 16; k += std::size_t(lanes.count))
    reinterpret_cast<Word*>(to)[k] = reinterpret_cast<Word const*>(from)[k];
}

/// One item, as DirectSteps has it. `Lanes` is SummingLanes or LoneSums. By columns where lanes
/// share memory that is far away.
template <class T, class F, class Lanes, bool ByColumns>
struct DirectRows : DirectItem<T, Lanes> {
  using Item = DirectItem<T, Lanes>;
  using Rows = RowsInMemory<F, Lanes, ByColumns>;
  using Item::alone, Item::p, Item::lanes, Item::numbers, Item::l, Item::c;
  using Item::for_each, Item::any, Item::largest_of, Item::largest_number, Item::entries;

  DirectRoom<T, F> const& room;
  F* y;
  Rows rows;

  BATCHWORK_INLINE DirectRows(DirectProblem<T> const& problem, Lanes& of_item,
                              DirectRoom<T, F> const& in, char* memory, std::int64_t* found,
                              std::int64_t item)
      : Item(Item::of(problem, of_item, found, item, reinterpret_cast<T*>(memory))),
        room(in),
        y(reinterpret_cast<F*>(memory + room.to_factors()) + room.factors()),
        rows{of_item,
             p.n,
             room.leading,
             reinterpret_cast<F*>(memory + room.to_factors()),
             reinterpret_cast<std::int16_t*>(memory + room.to_indices()),
             reinterpret_cast<std::int16_t*>(memory + room.to_indices()) + p.n,
             found} {}

  BATCHWORK_INLINE F factor(int i, int j) const { return rows.entry(i, j); }
  BATCHWORK_INLINE int row_in_place(int k) const { return rows.order[k]; }
  BATCHWORK_INLINE void solve_plain(T* v) const {
    for_each([&](int i) { y[i] = F(v[i]); });
    rows.substitute(y, 1);
    for_each([&](int k) { v[k] = T(rows.solution(y, 1, k, 0)); });
    lanes.sync();
  }
  BATCHWORK_INLINE void solve(bool, T const* from, T* to) const {
    lanes.sync();
    T unit = T(1);
    if constexpr (!std::is_same_v<T, F>) {
      // The range of F is smaller.
      std::int32_t key = 0;
      for_each([&](int i) {
        std::int32_t const mine = pivot_key(from[i] * l[i]);
        key = mine > key ? mine : key;
      });
      unit = scale_to_one<T>(this->largest(key));
    }
    for_each([&](int i) { y[i] = F(from[i] * l[i] * unit); });
    rows.substitute(y, 1);
    for_each([&](int k) {
      T const v = T(rows.solution(y, 1, k, 0)) * c[k];
      to[k] = std::is_same_v<T, F> ? v : v / unit;
    });
    lanes.sync();
  }

  /// The matrix, scaled, as rows have it. \returns whether its columns are in range
  BATCHWORK_INLINE bool expand() const {
    std::int64_t const all = room.factors();
    for (std::int64_t k = lanes.rank; k < all; k += lanes.count) rows.a[k] = F(0);
    lanes.sync();
    if constexpr (alone || !std::is_same_v<T, F>) {
      bool const inside = expand_scaled(p, static_cast<Lanes const&>(lanes), numbers, l, c,
                                        reinterpret_cast<std::int32_t*>(y),
                                        [&](int i, int j) -> F& { return rows.entry(i, j); });
      return !any(!inside);
    } else {
      bool unsorted = false, outside = false;
      entries().template for_rows<true, true>([] {},
                                              [&](int i, auto const& e) {
                                                if (!e.there) return;
                                                int const j = e.column;
                                                unsorted = unsorted || e.before >= j;
                                                if (unsigned(j) < unsigned(p.n))
                                                  rows.entry(i, j) = e.number;
                                                else outside = true;
                                              },
                                              [](int, int) {});
      auto const flaws = largest_of((unsorted ? 1 : 0) + (outside ? 2 : 0));
      if (flaws >= 2) return false;
      if (flaws == 1) add_up();
      scale();
      return true;
    }
  }
  /// Eliminates the matrix. Its largest number goes to `largest` if the growth is wanted.
  /// \returns the status
  BATCHWORK_INLINE std::int32_t factorise(F& largest) {
    bool const inside = expand();
    rows.begin();
    largest = p.growth != nullptr ? largest_of_matrix(false) : F(0);
    lanes.sync();
    std::int32_t const found_code = eliminate(rows);
    return inside ? found_code : Status::code(Reason::invalid_pattern, 0);
  }
  /// The largest number of the matrix, or of U.
  BATCHWORK_INLINE F largest_of_matrix(bool of_u) const {
    F most = F(0);
    for_each([&](int i) {
      for (int j = of_u ? rows.place[i] : 0; j < p.n; ++j)
        most = larger_size(most, F(abs(rows.entry(i, j))));
    });
    return largest_number(most);
  }

 private:
  /// Once more, where a column may be in a row twice: lanes have rows.
  BATCHWORK_INLINE void add_up() const {
    for_each([&](int i) {
      for (int j = 0; j < p.n; ++j) rows.entry(i, j) = F(0);
      auto const row = p.a.row(numbers, i);
      for (int k = 0; k < row.count; ++k) rows.entry(i, row.column(k)) += row.number(k);
    });
    lanes.sync();
  }
  BATCHWORK_INLINE void scale() const {
    auto const scaled = [&](auto const& at) {
      std::int32_t most = 0;
      for (int k = 0; k < p.n; ++k) {
        std::int32_t const key = pivot_key(at(k));
        most = key > most ? key : most;
      }
      F const factor = p.equilibrates ? scale_to_one<F>(most) : F(1);
      if (factor != F(1))
        for (int k = 0; k < p.n; ++k) at(k) *= factor;
      return factor;
    };
    for_each([&](int i) { l[i] = scaled([&](int j) -> F& { return rows.entry(i, j); }); });
    lanes.sync();
    for_each([&](int j) { c[j] = scaled([&](int i) -> F& { return rows.entry(i, j); }); });
    lanes.sync();
  }
};

/// One item, by a team or a thread. Its factors are in memory before, or stay there, if that is the
/// task.
template <bool ByColumns, DirectTask Task, class T, class F, class Lanes>
BATCHWORK_INLINE void run_direct_of_item(DirectProblem<T> const& p, Lanes& lanes,
                                         DirectRoom<T, F> const& room, char* memory,
                                         std::int64_t* found, std::int64_t item) {
  DirectRows<T, F, Lanes, ByColumns> at(p, lanes, room, memory, found, item);
  if constexpr (Task != DirectTask::factorise) {
    T const* const from = item_of(p.b, item);
    at.for_each([&](int i) { at.b[i] = from[i * p.b.row]; });
  }
  std::int32_t* const kept_code = reinterpret_cast<std::int32_t*>(memory + room.bytes());
  std::int32_t code;
  F largest = F(0);
  if constexpr (Task != DirectTask::substitute) {
    code = at.factorise(largest);
    if constexpr (Task == DirectTask::factorise)
      if (lanes.rank == 0) *kept_code = code;
  } else {
    lanes.sync();
    code = *kept_code;
  }
  SolveResult<T> result;
  if constexpr (Task == DirectTask::factorise) {
    if (code != 0) result = no_result<T>(code);
  } else {
    result = solve_columns(at, p, item, true, code, false, true);
  }
  F const of_u = p.growth != nullptr ? at.largest_of_matrix(true) : F(1);
  if (lanes.rank == 0) {
    p.log.write(item, result);
    if (p.growth != nullptr) p.growth[item] = T(largest) / T(of_u);
  }
  if (p.condition != nullptr) {
    // Factors of rows and columns are lost to it.
    if constexpr (Task == DirectTask::factorise)
      at.for_each([&](int i) { at.r[i] = at.l[i], at.t[i] = at.c[i]; });
    T const condition = has_solution(result) ? reciprocal_condition<T>(at, p.n) : T(0);
    if (lanes.rank == 0) p.condition[item] = condition;
    if constexpr (Task == DirectTask::factorise) {
      lanes.sync();
      at.for_each([&](int i) { at.l[i] = at.r[i], at.c[i] = at.t[i]; });
    }
  }
}

/// On devices: a team has an item in its scratch.
template <class T, class F, DirectTask Task = DirectTask::whole>
struct DirectTeams {
  static constexpr int largest_team = 256, wanted_teams = 2;

  DirectProblem<T> p;
  DirectRoom<T, F> room;

  explicit DirectTeams(DirectProblem<T> const& problem) : p(problem) {
    // Odd: lanes that read the same column of their rows find different banks.
    room = room_of(p.n);
  }
  static constexpr BATCHWORK_INLINE DirectRoom<T, F> room_of(int n) { return {n, n | 1}; }
  int team() const {
    return std::min(largest_team, (p.n + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp);
  }
  static constexpr int found_numbers(int lanes = largest_team) {
    return RowsInMemory<F, LoneLane>::found_numbers(lanes);
  }
  static constexpr std::size_t to_room(int lanes = largest_team) {
    return std::size_t(found_numbers(lanes)) * 8 + (sum_scratch<T>(lanes, 2) + 15) / 16 * 16;
  }
  std::size_t bytes() const { return to_room() + room.kept_bytes() + 16; }
  std::int64_t teams() const { return p.items; }

  /// The most rows of an item that fits into so many bytes of scratch.
  static int most_rows(std::size_t scratch) {
    int n = 1;
    while (to_room() + DirectRoom<T, F>{n, n | 1}.kept_bytes() + 16 <= scratch) ++n;
    return n - 1;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(to_room() + room.kept_bytes(), 16));
    auto* const found = reinterpret_cast<std::int64_t*>(scratch);
    auto lanes = SummingLanes<T, Member>::of(
        SystemLanes<Member>{member, Vendor::lane_rank(member), team_in_kernel()},
        reinterpret_cast<T*>(found + found_numbers()), 2);
    std::int64_t const item = member.league_rank();
    char* const memory = scratch + to_room();
    if constexpr (Task == DirectTask::substitute)
      copy_words(lanes, p.kept.slot(item), memory, room.kept_bytes());
    run_direct_of_item<false, Task>(p, lanes, room, memory, found, item);
    if constexpr (Task == DirectTask::factorise) {
      lanes.sync();
      copy_words(lanes, memory, p.kept.slot(item), room.kept_bytes());
    }
  }

 private:
  BATCHWORK_INLINE int team_in_kernel() const {
    int const whole = (p.n + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp;
    return whole < largest_team ? whole : largest_team;
  }
};

/// On devices: items of a workspace, which a team takes one after the other; or what is kept of
/// each.
template <class T, class F, DirectTask Task = DirectTask::whole>
struct DirectTeamsInWorkspace {
  static constexpr int largest_team = 256, wanted_teams = 1;

  DirectProblem<T> p;
  WorkspaceSlots<T> slots;
  DirectRoom<T, F> room;

  DirectTeamsInWorkspace(DirectProblem<T> const& problem, WorkspaceSlots<T> const& memory)
      : p(problem), slots(memory), room(room_of(problem.n)) {}
  static DirectRoom<T, F> room_of(int n) {
    int const unit = 64 / int(sizeof(F));
    int leading = (n + unit - 1) / unit * unit;
    // Numbers of the same column in neighbouring lines fall into different sets of a cache.
    if (leading * int(sizeof(F)) % 1024 == 0) leading += unit;
    return {n, leading};
  }
  static constexpr int found_numbers() { return DirectTeams<T, F>::found_numbers(); }
  static constexpr int team() { return largest_team; }
  static constexpr std::size_t bytes() { return DirectTeams<T, F>::to_room() + 16; }
  std::int64_t teams() const { return std::min(slots.count, p.items); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const found = static_cast<std::int64_t*>(
        member.team_scratch(0).get_shmem_aligned(DirectTeams<T, F>::to_room(), 16));
    auto lanes = SummingLanes<T, Member>::of(
        SystemLanes<Member>{member, Vendor::lane_rank(member), largest_team},
        reinterpret_cast<T*>(found + found_numbers()), 2);
    std::int64_t const own = member.league_rank(), step = member.league_size();
    for (std::int64_t item = own; item < p.items; item += step) {
      if (p.only_marked) {
        // All lanes have looked before the first of them stores.
        bool const takes = p.takes(item);
        lanes.sync();
        if (!takes) continue;
      }
      run_direct_of_item<true, Task>(
          p, lanes, room, slots.slot(Task == DirectTask::whole ? own : item), found, item);
      // The next item takes the place of this one.
      lanes.sync();
    }
  }
};

/// Rows of the largest item that a host's thread has on its stack, in half a megabyte.
inline constexpr int direct_rows_on_host = 256;

/// On hosts: a thread has an item on its stack.
template <class T, class F>
struct DirectHost {
  DirectProblem<T> p;
  std::int64_t per_chunk;

  void operator()(std::int64_t chunk) const {
    constexpr int Rows = direct_rows_on_host;
    // Rows that fill whole vectors of the processor.
    DirectRoom<T, F> const room{p.n, (p.n + 7) / 8 * 8};
    alignas(64) char memory[DirectRoom<T, F>{Rows, Rows}.kept_bytes()];
    LoneSums lanes;
    std::int64_t const begin = chunk * per_chunk,
                       end = begin + per_chunk < p.items ? begin + per_chunk : p.items;
    for (std::int64_t item = begin; item < end; ++item)
      if (p.takes(item))
        run_direct_of_item<false, DirectTask::whole>(p, lanes, room, memory, nullptr, item);
  }
};

/// On hosts, in a workspace, or where factors are kept.
template <class T, class F, DirectTask Task = DirectTask::whole>
struct DirectHostInWorkspace {
  DirectProblem<T> p;
  WorkspaceSlots<T> slots;

  void operator()(std::int64_t own) const {
    auto const room = DirectTeamsInWorkspace<T, F>::room_of(p.n);
    LoneSums lanes;
    for (std::int64_t item = own; item < p.items; item += slots.count)
      if (p.takes(item))
        run_direct_of_item<false, Task>(p, lanes, room, slots.slot(own), nullptr, item);
  }
};

}  // namespace Batchwork::Impl

#endif
