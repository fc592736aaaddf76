// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymbolicTeams: the kernel of direct solves by a pattern on devices. A team has an item in its
/// scratch.
#ifndef BATCHWORK_SYMBOLICTEAMS_HPP
#define BATCHWORK_SYMBOLICTEAMS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "krylov/detail/backend/Batchwork_SystemSum.hpp"
#include "krylov/direct/detail/Batchwork_DirectCondition.hpp"
#include "krylov/direct/detail/Batchwork_DirectItem.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_DirectScaling.hpp"
#include "krylov/direct/detail/Batchwork_DirectSteps.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicProblem.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicSteps.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// An item's numbers in scratch, then its vectors; as DirectSteps has it.
template <class T, class Lanes>
struct SymbolicItem : DirectItem<T, Lanes> {
  using Item = DirectItem<T, Lanes>;
  using Item::for_each, Item::sync, Item::largest_of, Item::largest_number;
  using Item::p, Item::lanes, Item::numbers, Item::b, Item::l, Item::c;
  static constexpr int vectors = 6;
  static constexpr bool checks_error = true;

  SymbolicProblem<T> const& problem;
  SymbolicLists const& lists;
  T* v;
  bool is_accurate = true;

  static constexpr BATCHWORK_INLINE std::size_t bytes(PlacesOfItem const& places) {
    return (std::size_t(places.count()) + std::size_t(vectors * places.n)) * sizeof(T);
  }
  BATCHWORK_INLINE SymbolicItem(SymbolicProblem<T> const& of, Lanes& of_item, T* memory,
                                std::int64_t* found, std::int64_t item)
      : Item(Item::of(of.of, of_item, found, item, memory + of.lists.places.count())),
        problem(of),
        lists(of.lists),
        v(memory) {}

  BATCHWORK_INLINE T* vector() const { return v + lists.places.vector(0); }
  BATCHWORK_INLINE void substitute(ListSteps const& steps) const {
    substitute_by_lists(lists, steps, lanes, v);
  }
  BATCHWORK_INLINE void solve_plain(T* to) const {
    for_each([&](int i) { vector()[i] = to[i]; });
    substitute(lists.forward);
    substitute(lists.backward);
    for_each([&](int i) { to[i] = vector()[i]; });
    sync();
  }
  BATCHWORK_INLINE void solve_transposed(T* to) const {
    for_each([&](int i) { vector()[i] = to[i]; });
    substitute(lists.forward_transposed);
    substitute(lists.backward_transposed);
    for_each([&](int i) { to[i] = vector()[i]; });
    sync();
  }
  BATCHWORK_INLINE void solve(bool first, T const* from, T* to) const {
    if (!first) {
      sync();
      for_each([&](int i) { vector()[i] = from[i] * l[i]; });
      substitute(lists.forward);
    }
    substitute(lists.backward);
    for_each([&](int i) { to[i] = vector()[i] * c[i]; });
    sync();
  }

  /// Writes the entries of the matrix to their places, and zeros to the fill-in.
  BATCHWORK_INLINE void expand() const {
    int const filled = lists.places.entries;
    lanes.for_each(filled + 1, [&](int k) { v[k < filled ? k : lists.places.zero()] = T(0); });
    sync();
    int const sharing = lists.has_repeated ? 1 : p.row_lanes, own = lanes.rank % sharing;
    BATCHWORK_KEEP_LOOP
    for (int i = lanes.rank / sharing; i < p.n; i += lanes.count / sharing) {
      AnyRow<T> const row = p.a.row(numbers, i);
      int const begin = lists.given_begin[i], there = lists.given_begin[i + 1] - begin,
                count = row.count < there ? row.count : there;
      std::uint16_t const* const to = lists.given + begin;
      if (lists.has_repeated || row.is_scaled_unit)
        for (int k = own; k < count; k += sharing) v[to[k]] += row.number(k);
      else
        for (int k = own; k < count; k += sharing) fetch_together<1>(v + to[k], row.place(k));
    }
    Vendor::copy_async_wait();
    sync();
  }
  /// Rows, then columns, times powers of two (LAPACK's geequb).
  BATCHWORK_INLINE void scale() const {
    auto const scaled = [&](int const* begin, std::uint16_t const* place, int i) {
      std::int32_t most = 0;
      for (int k = begin[i]; k < begin[i + 1]; ++k) {
        std::int32_t const key = pivot_key(v[place[k]]);
        most = key > most ? key : most;
      }
      T const factor = scale_to_one<T>(most);
      if (factor != T(1))
        for (int k = begin[i]; k < begin[i + 1]; ++k) v[place[k]] *= factor;
      return factor;
    };
    if (!p.equilibrates) {
      for_each([&](int i) { l[i] = c[i] = T(1); });
    } else {
      for_each([&](int i) { l[i] = scaled(lists.row_begin, lists.of_row, i); });
      sync();
      for_each([&](int j) { c[j] = scaled(lists.column_begin, lists.of_column, j); });
    }
    sync();
  }
  /// The largest number of the matrix, or of U.
  BATCHWORK_INLINE T largest_of_entries(int count) const {
    T most = T(0);
    lanes.for_each(count, [&](int k) { most = larger_size(most, T(abs(v[k]))); });
    return largest_number(most);
  }
  /// Eliminates, with the right-hand side. \returns 0, or the status of a row with too small a
  /// pivot
  BATCHWORK_INLINE std::int32_t eliminate() const {
    for_each([&](int i) { vector()[i] = b[i] * l[i]; });
    int worst = 0;
    eliminate_by_lists(lists, lanes, v, problem.limit, [&](int k, bool fails) {
      if (fails && p.n - k > worst) worst = p.n - k;
    });
    int const found = int(largest_of(worst));
    return found == 0 ? 0 : Status::code(Reason::small_pivot, p.n - found + 1);
  }
};

/// One item, from its entries to its log.
template <class T, class Lanes>
BATCHWORK_INLINE void run_symbolic_item(SymbolicProblem<T> const& problem, Lanes& lanes, T* memory,
                                        std::int64_t* found, std::int64_t item) {
  SymbolicItem<T, Lanes> at(problem, lanes, memory, found, item);
  DirectProblem<T> const& p = problem.of;
  T const* const from = item_of(p.b, item);
  at.for_each([&](int i) { at.b[i] = from[i * p.b.row]; });
  at.expand();
  at.scale();
  T const largest =
      p.growth != nullptr ? at.largest_of_entries(problem.lists.places.entries) : T(0);
  std::int32_t const code = at.eliminate();
  bool is_left = code != 0 && problem.leaves_items;
  SolveResult<T> result;
  if (!is_left) {
    result = solve_columns(at, p, item, true, code, false, true);
    is_left = problem.leaves_items && !at.is_accurate;
    if (p.growth != nullptr) {
      T const of_u = at.largest_of_entries(problem.lists.of_upper);
      if (lanes.rank == 0) p.growth[item] = largest / of_u;
    }
  }
  // After x, as this lane writes its first number.
  if (lanes.rank == 0) problem.note(item, is_left);
  if (is_left) return;
  if (lanes.rank == 0) p.log.write(item, result);
  if (p.condition != nullptr) {
    T const condition = has_solution(result) ? reciprocal_condition<T>(at, p.n) : T(0);
    if (lanes.rank == 0) p.condition[item] = condition;
  }
}

template <class T>
struct SymbolicTeams {
  static constexpr int largest_team = 256, wanted_teams = 2;

  SymbolicProblem<T> p;
  int lanes;  ///< of a team

  SymbolicTeams(SymbolicProblem<T> const& problem, int lanes_of_team)
      : p(problem), lanes(lanes_of_team) {}
  static constexpr int found_numbers() { return numbers_to_combine(largest_team); }
  static constexpr std::size_t to_numbers() {
    return std::size_t(found_numbers()) * 8 + (sum_scratch<T>(largest_team, 2) + 15) / 16 * 16;
  }
  static constexpr std::size_t bytes(PlacesOfItem const& places) {
    return to_numbers() + SymbolicItem<T, LoneSums>::bytes(places) + 16;
  }
  std::size_t bytes() const { return bytes(p.lists.places); }
  int team() const { return lanes; }
  std::int64_t teams() const { return p.of.items; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch = static_cast<char*>(member.team_scratch(0).get_shmem_aligned(
        to_numbers() + SymbolicItem<T, LoneSums>::bytes(p.lists.places), 16));
    auto* const found = reinterpret_cast<std::int64_t*>(scratch);
    auto of_item =
        SummingLanes<T, Member>::of(SystemLanes<Member>{member, Vendor::lane_rank(member), lanes},
                                    reinterpret_cast<T*>(found + found_numbers()), 2);
    run_symbolic_item(p, of_item, reinterpret_cast<T*>(scratch + to_numbers()), found,
                      member.league_rank());
  }
};

}  // namespace Batchwork::Impl

#endif
