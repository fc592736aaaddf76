// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DirectTiles: the kernel of direct solves on devices for systems of up to 144 rows, which the
/// lanes of some warps hold in registers, or share in scratch.
#ifndef BATCHWORK_DIRECTTILES_HPP
#define BATCHWORK_DIRECTTILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "dense/lu/detail/Batchwork_FactoredMatrix.hpp"
#include "krylov/direct/detail/Batchwork_DirectChoice.hpp"
#include "krylov/direct/detail/Batchwork_DirectCondition.hpp"
#include "krylov/direct/detail/Batchwork_DirectExpand.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_DirectScaling.hpp"
#include "krylov/direct/detail/Batchwork_DirectSteps.hpp"
#include "krylov/direct/detail/Batchwork_ListedPattern.hpp"
#include "team/detail/Batchwork_ItemTravel.hpp"
#include "team/detail/Batchwork_TeamKernel.hpp"

namespace Batchwork::Impl {

/// Calls f with the number of tile rows of the kernel for so many rows, an integral constant.
template <class Run>
auto with_direct_tiles(int rows, Run const& f) {
  switch (direct_tiles(rows)) {
    case 2: return f(std::integral_constant<int, 2>());
    case 3: return f(std::integral_constant<int, 3>());
    case 4: return f(std::integral_constant<int, 4>());
    case 5: return f(std::integral_constant<int, 5>());
    case 6: return f(std::integral_constant<int, 6>());
    case 7: return f(std::integral_constant<int, 7>());
    case 8: return f(std::integral_constant<int, 8>());
    case 10: return f(std::integral_constant<int, 10>());
    case 12: return f(std::integral_constant<int, 12>());
    case 15: return f(std::integral_constant<int, 15>());
    default: return f(std::integral_constant<int, 18>());
  }
}

/// Whether there is a kernel with a list of the pattern, see ListedPattern.
template <int Tiles, DirectTask Task>
inline constexpr bool direct_may_list = Tiles <= 8 && Task == DirectTask::whole;

/// The pattern is expanded in scratch: Listed, by a list of the places of its entries, which a team
/// makes once for the items that it has one after the other; else by lanes that have rows together.
/// Rows and columns are scaled as they come to registers. The elimination leaves L and U in
/// scratch, for as many substitutions as are wanted, by the item's first warp. The residual, by all
/// of them, reads the matrix a second time. Where has_shuffles.
template <class T, int Tiles, DirectTask Task = DirectTask::whole, bool Listed = false>
struct DirectTiles : TeamKernel<DirectTiles<T, Tiles, Task, Listed>> {
  using Shell = TeamKernel<DirectTiles>;
  using Shell::items_per_team, Shell::team, Shell::all_groups;
  using Core = LuCore<T, Tiles, true, true>;
  using Here = typename Core::Here;
  static_assert(FactoredMatrix<Core, T>);
  static constexpr bool by_rows = Core::by_rows;
  static constexpr int matrix_numbers = Core::matrix_numbers, to_before = Core::to_before,
                       to_after = Core::to_after, warps = Core::warps, count = Core::count,
                       rows = Core::rows;

  /// What is known of an item.
  struct alignas(16) Notes {
    std::int32_t unsorted, out_of_range;  ///< columns of a row
    T largest[warps];                     ///< number of the scaled matrix, for each warp
  };
  // Behind the scratch of the elimination, whose vectors become the residual and another solution:
  // the right-hand side, the solution, factors of rows and columns; and the notes.
  static constexpr std::size_t to_vectors = Core::item_bytes,
                               to_notes = to_vectors + 4 * rows * sizeof(T),
                               distance = to_notes + sizeof(Notes);
  static_assert(distance % 16 == 0);
  static constexpr BATCHWORK_INLINE std::size_t bytes_of_item() { return distance; }
  /// Of factors that are kept: those parts of an item's scratch that outlive the elimination, one
  /// after the other.
  static constexpr std::size_t kept_bytes = (matrix_numbers + 2 * rows) * sizeof(T) +
                                            (Core::item_bytes - Core::to_reciprocals * sizeof(T)) +
                                            sizeof(Notes);

  /// Items of a team: of two warps two, if those can wait alone.
  static constexpr int most_items = std::min(Core::most_items, warps == 1                 ? 4
                                                               : Vendor::items_wait_alone ? 2
                                                                                          : 1);
  /// Lanes that a multiprocessor is to hold, as many warps for each of its four schedulers as have
  /// registers for the data they hold and for the others that were measured to be enough. Kernels
  /// that are slower because they wait need as many warps as possible.
  static constexpr int lanes_wanted = std::max(
      lanes_with_registers(Core::registers_held + (by_rows ? 40 : 56), 640), count* most_items);
  static constexpr int largest_team = Core::in_scratch ? Core::largest_team : lanes_wanted;
  static constexpr int wanted_teams = Core::in_scratch ? Core::wanted_teams : 1,
                       teams_needed = Core::in_scratch ? 1 : wanted_teams;

  static_assert(!Listed || direct_may_list<Tiles, Task>);
  /// Groups of items that a team with a list has one after the other, at most, and teams that are
  /// left to share the work evenly.
  static constexpr std::int64_t most_groups = 8, enough_teams = 2048;
  /// The same where a team looks for items that are marked.
  static constexpr std::int64_t most_groups_of_marked = 64;

  Core core;
  DirectProblem<T> p;
  bool by_items = false;  ///< lanes read entries of each other's items
  int groups = 1;         ///< of items, which a team has one after the other
  MatrixTravel of_b, of_x;

  DirectTiles(DirectProblem<T> const& problem, DeviceLimits const& limits) : p(problem) {
    core.n = p.n;
    if (by_rows) p.row_lanes = p.row_lanes_of_warp;
    // More rows of the pattern are then read at once (measured on an H100).
    if (Core::in_scratch) p.row_lanes = std::min(p.row_lanes, 4);
    by_items = Task != DirectTask::substitute && p.numbers_are_near();
    if (Task != DirectTask::factorise) {
      of_b = MatrixTravel::of(p.b, p.n, 1, true, false);
      of_x = MatrixTravel::of(p.x, p.n, 1, true, false);
    }
    // Items that are marked are each a group.
    int const most = p.only_marked ? 1 : by_items ? most_items : Core::usual_items;
    this->add_items(most, std::max(2, wanted_teams), limits);
    if (Listed || p.only_marked)
      groups = int(std::clamp<std::int64_t>(all_groups() / enough_teams, 1,
                                            p.only_marked ? most_groups_of_marked : most_groups));
  }
  BATCHWORK_INLINE std::size_t bytes() const {
    return to_list() + (Listed ? ListedPattern::bytes(p.n, int(p.compressed_entries)) : 0) + 16;
  }
  std::int64_t teams() const { return (all_groups() + groups - 1) / groups; }
  bool fits(DeviceLimits const& limits) const {
    return limits.holds(teams_needed, team(), bytes());
  }
  /// Whether this kernel, with a list, is to be taken for one without: a multiprocessor is to hold
  /// no fewer items for it.
  template <class Without>
  bool is_worth_it(Without const& other, DeviceLimits const& limits) const {
    if (p.compressed_entries <= 0 || p.compressed_entries > rows * rows) return false;
    // Items side by side share sectors in the first cache, and a large list leaves too little of it
    // (H100, CUDA 13).
    if (by_items && rows > 48) return false;
    // A large list is made for several groups; with few rows it saves registers for any number
    // of groups (H100, CUDA 13).
    if (rows > 32 && groups < 4) return false;
    int at_once = std::max(1, largest_team / other.team());
    while (at_once > 1 && !limits.holds(at_once, other.team(), other.bytes())) --at_once;
    return team() >= other.team() && limits.holds(at_once, team(), bytes());
  }
  /// Whether one item fits, whatever the number of items.
  static bool item_fits(DeviceLimits const& limits) {
    return limits.holds(teams_needed, count, distance + 16);
  }

  BATCHWORK_INLINE std::size_t to_list() const { return this->bytes_of_items(); }

  /// Where an item of the team is in scratch.
  struct Memory {
    char* scratch;
    BATCHWORK_INLINE T* numbers(int item) const {
      return reinterpret_cast<T*>(scratch + std::size_t(item) * distance);
    }
    BATCHWORK_INLINE std::int16_t* indices(int item) const {
      return reinterpret_cast<std::int16_t*>(numbers(item) + Core::item_numbers);
    }
    BATCHWORK_INLINE T* vectors(int item) const {
      return reinterpret_cast<T*>(scratch + std::size_t(item) * distance + to_vectors);
    }
    BATCHWORK_INLINE Notes& notes(int item) const {
      return *reinterpret_cast<Notes*>(scratch + std::size_t(item) * distance + to_notes);
    }
  };

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    Memory const memory{
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(bytes() - 16, 16))};
    std::int64_t const first = std::int64_t(member.league_rank()) * groups, end = first + groups;
    if constexpr (Listed) put_list(member, memory);
    BATCHWORK_KEEP_LOOP
    for (std::int64_t group = first; group < end && group * items_per_team < p.items; ++group) {
      if (!p.takes(group * items_per_team)) continue;
      // Scratch is free again.
      if (group > first) wait_for_lanes(member);
      run_group(member, memory, group, group == first, group + 1 < end);
    }
  }

 private:
  /// The list, by all lanes of the team.
  template <class Member>
  BATCHWORK_INLINE void put_list(Member const& member, Memory const& memory) const {
    list_in(memory).list(member, p.compressed_rows(), p.n, int(p.compressed_entries), team(),
                         [](int i, int j) { return Core::place_of(i, j); });
  }
  BATCHWORK_INLINE ListedPattern list_in(Memory const& memory) const {
    return ListedPattern::at(memory.scratch + to_list(), p.n, int(p.compressed_entries));
  }
  /// That have to do with the item of the calling one.
  template <class Member>
  BATCHWORK_INLINE void wait_for_lanes(Member const& member) const {
    if (by_items || of_b.by_items || of_x.by_items || warps > 1) member.team_barrier();
    else Vendor::warp_sync(member);
  }
  template <class Member>
  BATCHWORK_INLINE void run_group(Member const& member, Memory const& memory, std::int64_t group,
                                  [[maybe_unused]] bool is_first,
                                  [[maybe_unused]] bool has_next) const {
    Here here = lane_in(member, memory, group);
    auto const meet = [&] { wait_for_lanes(member); };
    if constexpr (Task == DirectTask::substitute) {
      move_kept<false>(here, memory);
      bring_right_side(here, memory);
      Vendor::copy_async_wait();
      meet();
    } else {
      OwnItem const own(*this, here, memory);
      auto const ask_for = [&](T const* numbers) { p.prefetch(numbers, here.lane, count); };
      if (!Listed || is_first) ask_for(own.numbers);
      if (Listed && has_next)
        ask_for(p.a.numbers(p.some_item(here.first + items_per_team + here.item)));
      clear(here);
      for (int i = here.lane; i < rows; i += count) {
        here.place[i] = -1;
        here.order[i] = std::int16_t(i);
      }
      if (here.lane == 0) own.notes() = {0, 0, {}};
      if constexpr (Task == DirectTask::factorise) {
        for (int i = here.lane; i < p.n; i += count) own.b[i] = T(0);
        meet();
      } else {
        meet();
        bring_right_side(here, memory);
      }
      expand(here, memory);
      Vendor::copy_async_wait();
      meet();
      if (own.notes().unsorted != 0) add_up(here, own, meet);
      auto const sync = [&] {
        if constexpr (warps > 1) member.team_barrier();
        else Vendor::warp_sync(member);
      };
      auto const begin_solution = [&] {
        sync();
        own.begin_vector(own.b);
        sync();
      };
      if constexpr (Core::in_scratch) {
        scale_in_scratch(here, own, sync);
        begin_solution();
        core.factorise_in_scratch(member, here);
      } else if constexpr (by_rows) {
        find_scales(here, own);
        begin_solution();
        T most = T(0);
        core.factorise(member, here, [&](auto& some, int first) {
          scale_rows(here, own, some, first);
          if (p.growth == nullptr) return;
          for_numbers(here, some, first,
                      [&](T const& number) { most = larger_size(most, abs(number)); });
        });
        if (p.growth != nullptr) note_largest(here, own, most);
      } else {
        core.factorise(member, here, [&](auto& rest) {
          scale_tiles(member, here, own, rest);
          if (p.growth != nullptr) {
            T most = T(0);
            for_numbers(here, rest, 0,
                        [&](T const& number) { most = larger_size(most, abs(number)); });
            note_largest(here, own, most);
          }
          begin_solution();
        });
      }
    }
    // Found anew, rather than kept while registers are scarce.
    here = lane_in(member, memory, group);
    if constexpr (Task == DirectTask::factorise) {
      meet();
      move_kept<true>(here, memory);
      // Factors of rows and columns are lost to an estimate of the condition.
      if (p.condition != nullptr) meet();
    }
    ItemOfWarps<Member> own(*this, here, memory, member);
    std::int32_t const code = own.notes().out_of_range != 0
                                  ? Status::code(Reason::invalid_pattern, 0)
                                  : core.status(here);
    std::int64_t const item = p.some_item(here.first + here.item);
    bool const is_there = here.item < here.there;
    SolveResult<T> result;
    if constexpr (Task != DirectTask::factorise)
      result =
          solve_columns(own, p, item, is_there, code, p.columns == 1, Task == DirectTask::whole);
    else if (code != 0) result = no_result<T>(code);
    if (here.warp == 0) {
      bool const writes = here.in_warp == 0 && is_there;
      if (writes) p.log.write(item, result);
      OwnItem& of_warp = own;
      if (p.growth != nullptr) {
        T const growth = growth_of(here, of_warp);
        if (writes) p.growth[item] = growth;
      }
      if (p.condition != nullptr) {
        T const condition = has_solution(result) ? reciprocal_condition<T>(of_warp, p.n) : T(0);
        if (writes) p.condition[item] = condition;
      }
    }
    if (Task == DirectTask::factorise || p.columns != 1) return;
    meet();
    int const which = here.item_of_share(of_x);
    store_vector(here, of_x, p.x, p.some_item(here.first + which), memory.vectors(which) + rows);
  }

  /// b, by lanes that may have another item's; to be waited for.
  BATCHWORK_INLINE void bring_right_side(Here const& here, Memory const& memory) const {
    int const which = here.item_of_share(of_b);
    fetch_vector(here, of_b, p.b, p.some_item(here.first + which), memory.vectors(which));
  }
  /// What is kept of the calling lane's item, out of scratch or into it, by whole words in the
  /// order in which they stand.
  template <bool Out>
  BATCHWORK_INLINE void move_kept(Here const& here, Memory const& memory) const {
    if (Out && here.item >= here.there) return;
    char* scratch = memory.scratch + std::size_t(here.item) * distance;
    char* kept = p.kept.slot(p.some_item(here.first + here.item));
    struct alignas(16) Word {
      std::int64_t halves[2];
    };
    auto const move = [&](std::size_t begin, std::size_t end) {
      Word* const here_it_is = reinterpret_cast<Word*>(scratch + begin);
      Word* const there_it_is = reinterpret_cast<Word*>(kept);
      for (int k = here.lane; k < int((end - begin) / 16); k += count) {
        if (Out) there_it_is[k] = here_it_is[k];
        else here_it_is[k] = there_it_is[k];
      }
      kept += end - begin;
    };
    move(0, matrix_numbers * sizeof(T));
    move(Core::to_reciprocals * sizeof(T), Core::item_bytes);
    move(to_vectors + 2 * rows * sizeof(T), to_vectors + 4 * rows * sizeof(T));
    move(to_notes, distance);
  }
  template <class Member>
  BATCHWORK_INLINE Here lane_in(Member const& member, Memory const& memory,
                                std::int64_t group) const {
    return core.lane_of(
        member, group, items_per_team, p.items, [&](int item) { return memory.numbers(item); },
        [&](int item) { return memory.indices(item); });
  }
  static BATCHWORK_INLINE T* entry(T* numbers, int i, int j) {
    return numbers + Core::place_of(i, j);
  }

  /// EntriesOfLanes, by the list where there is one.
  struct Entries : EntriesOfLanes<T> {
    DirectTiles const& of;
    Memory const& memory;
    BATCHWORK_INLINE Entries(DirectTiles const& kernel, Memory const& m, T const* numbers, int rank,
                             int lanes)
        : EntriesOfLanes<T>{kernel.p.a, numbers, kernel.p.n, rank, lanes, kernel.p.row_lanes},
          of(kernel),
          memory(m) {
      if (Listed) this->row_lanes = ListedPattern::row_lanes;
    }
    template <bool Numbers, bool Before, class Begin, class Body, class End>
    BATCHWORK_INLINE void for_rows(Begin const& begin, Body const& entry, End const& end) const {
      if constexpr (Listed)
        of.list_in(memory).template for_rows<rows <= 32 ? 8 : 16>(
            of.p.compressed_numbers(this->numbers), this->a.values.row, this->n, this->rank,
            this->count, begin, entry, end);
      else EntriesOfLanes<T>::template for_rows<Numbers, Before>(begin, entry, end);
    }
  };

  /// The calling lane's item, as DirectSteps has it: what a warp of the item does.
  struct OwnItem {
    DirectTiles const& of;
    Here const& here;
    Memory const& memory;
    T const* numbers;
    T *b, *x, *l, *c, *r, *t;

    BATCHWORK_INLINE OwnItem(DirectTiles const& kernel, Here const& lane, Memory const& m)
        : of(kernel), here(lane), memory(m) {
      numbers = of.p.a.numbers(of.p.some_item(here.first + here.item));
      b = memory.vectors(here.item);
      x = b + rows, l = x + rows, c = l + rows;
      r = here.numbers + to_before, t = here.numbers + to_after;
    }
    BATCHWORK_INLINE Notes& notes() const { return memory.notes(here.item); }
    BATCHWORK_INLINE Entries entries() const {
      return {of, memory, numbers, here.in_warp, lanes_of_warp};
    }
    template <class Body>
    BATCHWORK_INLINE void for_each(Body const& body) const {
      for (int i = here.in_warp; i < of.p.n; i += lanes_of_warp) body(i);
    }
    static BATCHWORK_INLINE void sync() { Vendor::warp_sync(); }
    static BATCHWORK_INLINE std::int32_t largest(std::int32_t key) {
      return Vendor::reduce_max<lanes_of_warp>(key);
    }
    template <int N>
    static BATCHWORK_INLINE void sum(T (&numbers)[N]) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int step = 1; step < lanes_of_warp; step *= 2) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int q = 0; q < N; ++q) numbers[q] += Vendor::shuffle_xor(numbers[q], step);
      }
    }
    static BATCHWORK_INLINE bool any(bool x) { return Vendor::any_of_warp(x); }
    static BATCHWORK_INLINE T largest_number(T x) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int step = 1; step < lanes_of_warp; step *= 2)
        x = larger_size(x, Vendor::shuffle_xor(x, step));
      return x;
    }
    BATCHWORK_INLINE T factor(int i, int j) const { return Core::factor(here, i, j); }
    BATCHWORK_INLINE int row_in_place(int k) const { return here.order[k]; }
    BATCHWORK_INLINE void solve_plain(T* v) const {
      T *const before = here.numbers + to_before, *const after = here.numbers + to_after;
      for (int i = here.in_warp; i < rows; i += lanes_of_warp) before[i] = i < of.p.n ? v[i] : T(0);
      sync();
      of.core.forward(here);
      of.core.backward(here);
      for_each([&](int i) { v[i] = after[i]; });
      sync();
    }
    /// The scaled vector where it is substituted.
    BATCHWORK_INLINE void begin_vector(T const* from) const {
      T* const before = here.numbers + to_before;
      for (int i = here.in_warp; i < rows; i += lanes_of_warp)
        before[i] = i < of.p.n ? from[i] * l[i] : T(0);
    }
    BATCHWORK_INLINE void solve(bool first, T const* from, T* to) const {
      sync();
      if (!first) {
        begin_vector(from);
        sync();
        of.core.forward(here);
      }
      of.core.backward(here);
      T const* const after = here.numbers + to_after;
      for_each([&](int i) { to[i] = after[i] * c[i]; });
      sync();
    }
  };

  /// The same by all warps of the item: what there is to do for rows is shared by them, and
  /// substitution is the first one's. What warps tell each other is where the multipliers were.
  template <class Member>
  struct ItemOfWarps : OwnItem {
    using OwnItem::here, OwnItem::of;
    Member const& member;
    int turn = 0;  ///< of two places for it, so that one wait is enough

    BATCHWORK_INLINE ItemOfWarps(DirectTiles const& kernel, Here const& lane, Memory const& m,
                                 Member const& of_team)
        : OwnItem(kernel, lane, m), member(of_team) {}
    BATCHWORK_INLINE Entries entries() const {
      return {of, this->memory, this->numbers, here.lane, count};
    }
    template <class Body>
    BATCHWORK_INLINE void for_each(Body const& body) const {
      for (int i = here.lane; i < of.p.n; i += count) body(i);
    }
    BATCHWORK_INLINE void sync() const {
      Vendor::item_barrier<count>(member, here.item, here.items);
    }
    BATCHWORK_INLINE std::int32_t largest(std::int32_t key) {
      std::int32_t mine[1] = {OwnItem::largest(key)};
      join(mine, [](std::int32_t a, std::int32_t b) { return a > b ? a : b; });
      return mine[0];
    }
    template <int N>
    BATCHWORK_INLINE void sum(T (&sums)[N]) {
      OwnItem::sum(sums);
      join(sums, [](T a, T b) { return a + b; });
    }
    BATCHWORK_INLINE bool any(bool x) { return largest(x ? 1 : 0) != 0; }
    BATCHWORK_INLINE void solve(bool first, T const* from, T* to) const {
      if (warps > 1) sync();
      if (here.warp == 0) OwnItem::solve(first, from, to);
      if (warps > 1) sync();
    }

   private:
    /// What each warp has, joined in the order of the warps.
    template <class Number, int N, class Op>
    BATCHWORK_INLINE void join([[maybe_unused]] Number (&x)[N], [[maybe_unused]] Op const& op) {
      if constexpr (warps > 1) {
        static_assert(Core::turns == 2 && warps * N * sizeof(Number) <= 4 * rows * sizeof(T));
        Number* const all =
            reinterpret_cast<Number*>(here.numbers + Core::to_multipliers + turn * 4 * rows);
        turn = 1 - turn;
        if (here.in_warp == 0) {
          BATCHWORK_UNROLL
          for (int q = 0; q < N; ++q) all[here.warp * N + q] = x[q];
        }
        sync();
        BATCHWORK_UNROLL
        for (int q = 0; q < N; ++q) {
          x[q] = all[q];
          BATCHWORK_UNROLL
          for (int w = 1; w < warps; ++w) x[q] = op(x[q], all[w * N + q]);
        }
      }
    }
  };

  /// Zeros, for the entries of a pattern.
  BATCHWORK_INLINE void clear(Here const& here) const {
    T const zeros[4] = {T(0), T(0), T(0), T(0)};
    BATCHWORK_KEEP_LOOP
    for (int k = 4 * here.lane; k < matrix_numbers; k += 4 * count)
      write_together(here.numbers + k, zeros);
  }
  /// Writes the ones of the identity beyond the rows.
  BATCHWORK_INLINE void put_ones(Here const& here) const {
    for (int i = p.n + here.lane; i < rows; i += count) *entry(here.numbers, i, i) = T(1);
  }

  /// The entries of the lane's share, of whichever item of the team, to their places in scratch.
  BATCHWORK_INLINE void expand(Here const& here, Memory const& memory) const {
    int const which = by_items ? here.rank & (here.items - 1) : here.item,
              rank = by_items ? here.rank / here.items : here.lane;
    T const* const numbers = p.a.numbers(p.some_item(here.first + which));
    expand_item(
        EntriesOfLanes<T>{p.a, numbers, p.n, rank, count, p.row_lanes}, p, memory.numbers(which),
        memory.notes(which), Listed, [&] { return list_in(memory); },
        [](int i, int j) { return Core::place_of(i, j); });
    put_ones(here);
  }
  /// Once more, where a column may be in a row twice: lanes have rows. The pattern is the same for
  /// all items.
  template <class Meet>
  BATCHWORK_INLINE void add_up(Here const& here, OwnItem const& own, Meet const& meet) const {
    clear(here);
    meet();
    auto const for_each = [&](auto const& body) {
      for (int i = here.lane; i < p.n; i += count) body(i);
    };
    add_up_entries(p, own.numbers, for_each,
                   [&](int i, int j) -> T& { return *entry(here.numbers, i, j); });
    put_ones(here);
    meet();
  }

  /// The factor of a row or a column with this pivot_key of its largest number.
  BATCHWORK_INLINE T factor_of(std::int32_t key) const {
    return p.equilibrates ? scale_to_one<T>(key) : T(1);
  }
  /// Powers of two for the rows, then for the columns, of the tiles, which are multiplied by them
  /// (LAPACK's geequb).
  template <class Member, class Rest>
  BATCHWORK_INLINE void scale_tiles([[maybe_unused]] Member const& member, Here const& here,
                                    OwnItem const& own, Rest& rest) const {
    auto const larger = [](std::int32_t a, std::int32_t b) { return a > b ? a : b; };
    std::int32_t* const keys = reinterpret_cast<std::int32_t*>(here.numbers + Core::to_multipliers);
    std::int32_t key[Tiles];
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      key[i] = 0;
      BATCHWORK_UNROLL
      for (int k = 0; k < Core::across; ++k)
        if (Core::tile(here, k) < Tiles)
          key[i] = larger(key[i], larger(pivot_key(rest[i][k][0]), pivot_key(rest[i][k][1])));
      key[i] = larger(key[i], Vendor::shuffle_xor(key[i], 1));
      key[i] = larger(key[i], Vendor::shuffle_xor(key[i], 2));
      if (warps > 1 && here.c == 0) keys[here.warp * rows + 8 * i + here.r] = key[i];
    }
    if constexpr (warps > 1) member.team_barrier();
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      int const row = 8 * i + here.r;
      if constexpr (warps > 1) {
        key[i] = 0;
        for (int w = 0; w < warps; ++w) key[i] = larger(key[i], keys[w * rows + row]);
      }
      T const factor = factor_of(key[i]);
      if (here.warp == 0 && here.c == 0) own.l[row] = factor;
      BATCHWORK_UNROLL
      for (int k = 0; k < Core::across; ++k) rest[i][k][0] *= factor, rest[i][k][1] *= factor;
    }
    BATCHWORK_UNROLL
    for (int k = 0; k < Core::across; ++k) {
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        std::int32_t most = 0;
        BATCHWORK_UNROLL
        for (int i = 0; i < Tiles; ++i) most = larger(most, pivot_key(rest[i][k][e]));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int step = 4; step < lanes_of_warp; step *= 2)
          most = larger(most, Vendor::shuffle_xor(most, step));
        if (Core::tile(here, k) >= Tiles) continue;
        T const factor = factor_of(most);
        if (here.r == 0) own.c[8 * Core::tile(here, k) + 2 * here.c + e] = factor;
        BATCHWORK_UNROLL
        for (int i = 0; i < Tiles; ++i) rest[i][k][e] *= factor;
      }
    }
  }
  /// The same factors where lanes have whole rows: of these, and then of two columns each.
  BATCHWORK_INLINE void find_scales(Here const& here, OwnItem const& own) const {
    constexpr int together = Core::together;
    BATCHWORK_UNROLL
    for (int s = 0; s < Core::of_lane; ++s) {
      int const row = Core::row_of(here, s);
      if (row >= p.n) continue;
      std::int32_t most = 0;
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j < p.n; j += 2 * together) {
        T some[2 * together];
        read_together(some, entry(here.numbers, row, j));
        BATCHWORK_UNROLL
        for (int e = 0; e < 2 * together; ++e) {
          std::int32_t const key = pivot_key(some[e]);
          most = key > most ? key : most;
        }
      }
      own.l[row] = factor_of(most);
    }
    Vendor::warp_sync();
    std::int32_t most[2] = {0, 0};
    int const j0 = 2 * here.in_warp < rows ? 2 * here.in_warp : 0;
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < p.n; ++i) {
      T some[2];
      read_together(some, entry(here.numbers, i, j0));
      T const of_row = own.l[i];
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        std::int32_t const key = pivot_key(some[e] * of_row);
        most[e] = key > most[e] ? key : most[e];
      }
    }
    T const c[2] = {factor_of(most[0]), factor_of(most[1])};
    if (2 * here.in_warp < rows) write_together(own.c + j0, c);
    Vendor::warp_sync();
  }
  /// Some columns of the lane's rows times them.
  template <int Width>
  BATCHWORK_INLINE void scale_rows(Here const& here, OwnItem const& own,
                                   T (&some)[Core::of_lane][Width], int first) const {
    constexpr int together = Core::together;
    T l[Core::of_lane];
    BATCHWORK_UNROLL
    for (int s = 0; s < Core::of_lane; ++s) {
      int const row = Core::row_of(here, s);
      l[s] = row < p.n ? own.l[row] : T(1);
    }
    BATCHWORK_UNROLL
    for (int j = 0; j < Width; j += together) {
      T of_columns[together];
      read_together(of_columns, own.c + first + j);
      BATCHWORK_UNROLL
      for (int e = 0; e < together; ++e) {
        BATCHWORK_UNROLL
        for (int s = 0; s < Core::of_lane; ++s) {
          // One after the other: both together may overflow.
          some[s][j + e] *= l[s];
          some[s][j + e] *= of_columns[e];
        }
      }
    }
  }
  /// The same where the matrix is in scratch: two lanes have a row, and then a column.
  template <class Sync>
  BATCHWORK_INLINE void scale_in_scratch(Here const& here, OwnItem const& own,
                                         Sync const& sync) const {
    constexpr int pairs = count / 2;
    int const half = here.lane % 2;
    auto const larger_key = [](std::int32_t most, T x) {
      std::int32_t const key = pivot_key(x);
      return key > most ? key : most;
    };
    // All lanes of a warp have as many turns.
    auto const find = [&](T* factors, auto const& largest_of_half) {
      BATCHWORK_KEEP_LOOP
      for (int first = 0; first < rows; first += pairs) {
        int const k = first + here.lane / 2;
        std::int32_t const most = k < rows ? largest_of_half(k) : 0,
                           other = Vendor::shuffle_xor(most, 1);
        if (k < rows && half == 0) factors[k] = factor_of(other > most ? other : most);
      }
      sync();
    };
    find(own.l, [&](int i) {
      std::int32_t most = 0;
      BATCHWORK_KEEP_LOOP
      for (int j = 4 * half; j < p.n; j += 8) {
        T some[4];
        read_together(some, entry(here.numbers, i, j));
        BATCHWORK_UNROLL
        for (int q = 0; q < 4; ++q) most = larger_key(most, some[q]);
      }
      return most;
    });
    find(own.c, [&](int j) {
      std::int32_t most = 0;
      BATCHWORK_KEEP_LOOP
      for (int i0 = half * (rows / 2); i0 < (half + 1) * (rows / 2); i0 += 4) {
        BATCHWORK_UNROLL
        for (int q = 0; q < 4; ++q)
          most = larger_key(most, *entry(here.numbers, i0 + q, j) * own.l[i0 + q]);
      }
      return most;
    });
    T largest = T(0);
    BATCHWORK_KEEP_LOOP
    for (int i = here.lane / 2; i < p.n; i += pairs) {
      T const of_row = own.l[i];
      BATCHWORK_KEEP_LOOP
      for (int j = 4 * half; j < p.n; j += 8) {
        T some[4], of_columns[4];
        T* const to = entry(here.numbers, i, j);
        read_together(some, to);
        read_together(of_columns, own.c + j);
        BATCHWORK_UNROLL
        for (int q = 0; q < 4; ++q) {
          // One after the other: both together may overflow.
          some[q] *= of_row;
          some[q] *= of_columns[q];
          if (p.growth != nullptr && j + q < p.n) largest = larger_size(largest, abs(some[q]));
        }
        write_together(to, some);
      }
    }
    note_largest(here, own, largest);
  }
  /// Of the scaled numbers that the lane has.
  BATCHWORK_INLINE void note_largest(Here const& here, OwnItem const& own, T most) const {
    most = larger_of_warp(most);
    if (here.in_warp == 0) own.notes().largest[here.warp] = most;
  }
  static BATCHWORK_INLINE T larger_of_warp(T x) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < lanes_of_warp; step *= 2)
      x = larger_size(x, Vendor::shuffle_xor(x, step));
    return x;
  }
  /// The numbers of the item that the lane has in registers.
  template <class Rest, class Body>
  BATCHWORK_INLINE void for_numbers(Here const& here, Rest const& rest, int first,
                                    Body const& body) const {
    if constexpr (by_rows) {
      BATCHWORK_UNROLL
      for (int s = 0; s < Core::of_lane; ++s) {
        BATCHWORK_UNROLL
        for (int j = 0; j < int(std::extent_v<Rest, 1>); ++j)
          if (Core::row_of(here, s) < p.n && first + j < p.n) body(rest[s][j]);
      }
    } else {
      BATCHWORK_UNROLL
      for (int k = 0; k < Core::across; ++k) {
        BATCHWORK_UNROLL
        for (int i = 0; i < Tiles; ++i) {
          BATCHWORK_UNROLL
          for (int e = 0; e < 2; ++e)
            if (8 * i + here.r < p.n && Core::tile(here, k) < Tiles &&
                8 * Core::tile(here, k) + 2 * here.c + e < p.n)
              body(rest[i][k][e]);
        }
      }
    }
  }
  /// The largest number of the scaled matrix over the largest of U.
  BATCHWORK_INLINE T growth_of(Here const& here, OwnItem const& own) const {
    T most = T(0);
    for (int i = here.in_warp; i < p.n; i += lanes_of_warp)
      for (int j = here.place[i]; j < p.n; ++j)
        most = larger_size(most, abs(Core::factor(here, i, j)));
    most = larger_of_warp(most);
    T largest = T(0);
    for (T const& of_warp : own.notes().largest) largest = larger_size(largest, of_warp);
    return largest / most;
  }
};

}  // namespace Batchwork::Impl

#endif
