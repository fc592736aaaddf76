// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal on devices where an item's numbers are side by side in memory: teams copy their items to
/// scratch in the order of memory, lanes eliminate their parts there, in place, and x is copied out from there.
#ifndef BATCHWORK_TRIDIAGONALSTAGED_HPP
#define BATCHWORK_TRIDIAGONALSTAGED_HPP

#include <cstddef>
#include <cstdint>

#include "banded/Batchwork_TridiagonalParts.hpp"
#include "krylov/Batchwork_SystemLanes.hpp"
#include "machine/Batchwork_QuickDivisor.hpp"
#include "machine/Batchwork_Vendor.hpp"

namespace Batchwork::Impl {

/// How the numbers of an operand travel between memory and scratch.
struct TridiagonalTravel {
  bool items_first = false;  ///< neighbouring lanes have neighbouring items; else neighbouring rows
  int shift = 0;             ///< 1 << shift rows at once, 16 bytes at most
  int units = 1;             ///< of so many rows in an item
  QuickDivisor by_units;
};

/// The four vectors of an item's system are in scratch one after the other, each for all items of the team. Every part has an
/// odd number of places there, and items follow each other as their parts do, so that lanes, which are all at the same row
/// of their parts, find different banks.
template <class T>
struct TridiagonalStaged {
  static constexpr int largest_team = 128, wanted_teams = 6;
  static constexpr int wide = 16 / int(sizeof(T));

  TridiagonalProblem<T> p;
  int parts = 1;                      ///< lanes of an item, a power of two
  int rows = 1;                       ///< of a part, an odd number; the last ones may have fewer
  int items_per_team = largest_team;  ///< a power of two
  TridiagonalTravel of_lower, of_diagonal, of_upper, of_b, of_x;

  TridiagonalStaged(TridiagonalProblem<T> const& problem, int parts_, int rows_, int items)
      : p(problem), parts(parts_), rows(rows_), items_per_team(items) {
    of_lower = travel(p.lower);
    of_diagonal = travel(p.diagonal);
    of_upper = travel(p.upper);
    of_b = travel(p.b);
    of_x = travel(p.x);
  }

  int team() const { return parts * items_per_team; }
  std::int64_t teams() const { return (p.items + items_per_team - 1) / items_per_team; }
  BATCHWORK_INLINE int item_numbers() const { return parts * rows; }
  BATCHWORK_INLINE int vector_numbers() const { return items_per_team * parts * rows; }
  /// Of a team's scratch, and what aligning it may take.
  BATCHWORK_INLINE std::size_t used_bytes() const {
    return 4 * std::size_t(vector_numbers()) * sizeof(T);
  }
  std::size_t bytes() const { return used_bytes() + 16; }

  template <class U>
  TridiagonalTravel travel(Storage<U> const& s) const {
    TridiagonalTravel t;
    t.items_first = items_are_near(s, p.n, 1);
    if (!t.items_first && s.width == 1 && s.row == 1) {
      auto const fits = [&](int shift) {
        auto const whole = [&](std::int64_t stride) { return stride % (1 << shift) == 0; };
        return whole(p.n) && whole(s.group) && whole(item_numbers()) &&
               reinterpret_cast<std::uintptr_t>(s.data) % (sizeof(T) << shift) == 0;
      };
      while ((2 << t.shift) <= wide && fits(t.shift + 1)) ++t.shift;
    }
    t.units = p.n >> t.shift;
    t.by_units = QuickDivisor(t.units);
    return t;
  }

  /// Runs move(slot of the item, row) for what the lane moves of an operand, the first of some rows.
  template <class Move>
  BATCHWORK_INLINE void walk(TridiagonalTravel const& t, int rank, int team_, int there,
                             Move const& move) const {
    if (t.items_first) {
      int const slot = rank & (items_per_team - 1);
      if (slot >= there) return;
      BATCHWORK_UNROLL_SOME
      for (int row = rank / items_per_team; row < p.n; row += parts) move(slot, row);
    } else {
      BATCHWORK_UNROLL_SOME
      for (int k = rank; k < there * t.units; k += team_) {
        int const slot = t.by_units.quotient(k);
        move(slot, (k - slot * t.units) << t.shift);
      }
    }
  }

  template <int Numbers>
  static BATCHWORK_INLINE void fetch(T* to, T const* from) {
    if constexpr (Vendor::copies_asynchronously) {
      Vendor::copy_async<Numbers* int(sizeof(T))>(to, from);
    } else {
      for (int k = 0; k < Numbers; ++k) to[k] = from[k];
    }
  }
  /// The first and the last item may have a number that does not belong to the matrix: it is read and not used.
  BATCHWORK_INLINE void load(T* vector, Storage<T const> const& s, TridiagonalTravel const& t,
                             int rank, int team_, std::int64_t first, int there) const {
    walk(t, rank, team_, there, [&](int slot, int row) {
      T const* const from = item_of(s, first + slot) + row * s.row;
      T* const to = vector + slot * item_numbers() + row;
      if (t.shift == 2) fetch<wide>(to, from);
      else if (t.shift == 1) fetch<2>(to, from);
      else fetch<1>(to, from);
    });
  }
  template <int Numbers>
  static BATCHWORK_INLINE void store_some(T* to, T const* from) {
    T x[Numbers];
    BATCHWORK_UNROLL
    for (int k = 0; k < Numbers; ++k) x[k] = from[k];
    Vendor::store_together(to, x);
  }
  BATCHWORK_INLINE void store(T const* vector, int rank, int team_, std::int64_t first,
                              int there) const {
    walk(of_x, rank, team_, there, [&](int slot, int row) {
      T* const to = item_of(p.x, first + slot) + row * p.x.row;
      T const* const from = vector + slot * item_numbers() + row;
      if (of_x.shift == 2) store_some<wide>(to, from);
      else if (of_x.shift == 1) store_some<2>(to, from);
      else *to = *from;
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    T* const scratch =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(int(used_bytes()), 16));
    int const rank = member.team_rank(), team_ = member.team_size(), vector = vector_numbers();
    std::int64_t const first_item = std::int64_t(member.league_rank()) * items_per_team;
    int const there =
        p.items - first_item < items_per_team ? int(p.items - first_item) : items_per_team;
    load(scratch, p.lower, of_lower, rank, team_, first_item, there);
    load(scratch + vector, p.diagonal, of_diagonal, rank, team_, first_item, there);
    load(scratch + 2 * vector, p.upper, of_upper, rank, team_, first_item, there);
    load(scratch + 3 * vector, p.b, of_b, rank, team_, first_item, there);
    Vendor::wait_for_copies();
    member.team_barrier();

    int const slot = rank / parts, part = rank - slot * parts, first = part * rows;
    int const mine = slot >= there || first >= p.n ? 0 : p.n - first < rows ? p.n - first : rows;
    SystemLanes<Member> const lanes{member, part, parts};
    auto const wait = [&] { lanes.sync(); };

    // A row that is eliminated leaves a, c and d in the places of lower, upper and b.
    T* const lower = scratch + slot * item_numbers() + first;
    T *const diagonal = lower + vector, *const upper = diagonal + vector, *const b = upper + vector;
    TridiagonalFailure failure;
    PartElimination<T> so_far;
    LastRow<T> last;
    if (mine > 0) {
      // The next row is read before this one is written, so that nothing waits for it.
      T l = first > 0 ? lower[0] : T(0), m = diagonal[0], u = upper[0], y = b[0];
      BATCHWORK_KEEP_LOOP
      for (int i = 0; i < mine - 1; ++i) {
        T const next_l = lower[i + 1], next_m = diagonal[i + 1], next_u = upper[i + 1],
                next_y = b[i + 1];
        so_far.add(l, m, u, y, first + i, failure);
        lower[i] = so_far.a;
        upper[i] = so_far.c;
        b[i] = so_far.d;
        l = next_l;
        m = next_m;
        u = next_u;
        y = next_y;
      }
      if (first + mine == p.n) u = T(0);
      last = LastRow<T>::of(l, m, u, y, so_far);
    }
    T x, before = T(0);
    PartBoxes<T> boxes{};
    int const row = mine > 0 ? first + mine - 1 : p.n - 1;
    if (parts == 1) {
      x = last.b * pivot_reciprocal(last.diagonal, 0, row, failure);
    } else {
      // The diagonal has had its day.
      boxes = {diagonal, 1, rows, part};
      auto const found = solve_last_rows(last, so_far, part, parts, row, failure, boxes, wait);
      x = found.mine;
      before = found.before;
    }
    bool finite = true;
    if (mine > 0) {
      b[mine - 1] = x;
      finite = is_finite(x);
      BATCHWORK_UNROLL_SOME
      for (int i = mine - 2; i >= 0; --i) {
        x = b[i] - upper[i] * x - lower[i] * before;
        b[i] = x;
        finite = finite && is_finite(x);
      }
    }
    member.team_barrier();
    store(scratch + 3 * vector, rank, team_, first_item, there);

    if (!p.status.wanted()) return;
    if (!finite) failure.add(TridiagonalFailure::of_result);
    failure = failure_of_item<T>(failure, part, parts, boxes, wait);
    if (slot < there && part == 0) p.status.put(first_item + slot, failure.code());
  }
};

}  // namespace Batchwork::Impl

#endif
