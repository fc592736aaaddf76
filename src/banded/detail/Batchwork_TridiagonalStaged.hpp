// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal on devices for items with contiguous numbers. Teams copy their
/// items to scratch in the order of memory. Lanes eliminate their parts there, in place, and x is
/// copied out.
#ifndef BATCHWORK_TRIDIAGONALSTAGED_HPP
#define BATCHWORK_TRIDIAGONALSTAGED_HPP

#include <cstddef>
#include <cstdint>

#include "banded/detail/Batchwork_TridiagonalChoice.hpp"
#include "banded/detail/Batchwork_TridiagonalParts.hpp"
#include "core/Batchwork_SystemLanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"

namespace Batchwork::Impl {

/// The four vectors of an item's system are in scratch one after the other, each for all items of
/// the team. Every part has an odd number of places there, and items follow each other as their
/// parts do, so that lanes, which are all at the same row of their parts, find different banks.
template <class T>
struct TridiagonalStaged {
  /// A multiprocessor is to hold so many teams, or what it can where it has too little scratch for
  /// them.
  static constexpr int largest_team = 128, wanted_teams = 6;
  static constexpr bool may_want_too_many = true;
  static constexpr int wide = 16 / int(sizeof(T));

  TridiagonalProblem<T> p;
  int parts = 1;                      ///< lanes of an item, a power of two
  int rows = 1;                       ///< of a part, an odd number; the last ones may have fewer
  int items_per_team = largest_team;  ///< a power of two
  bool alike = false;     ///< all operands have the same strides, an item's numbers nearest
  int shift = 0;          ///< then 1 << shift rows are copied at once, 16 bytes at most
  QuickDivisor by_units;  ///< of so many rows in an item

  TridiagonalStaged(TridiagonalProblem<T> const& problem, TridiagonalChoice const& how)
      : p(problem), parts(how.parts), rows(how.rows), items_per_team(how.items_per_team) {
    auto const like_b = [&](auto const& s) {
      return s.width == p.b.width && s.group == p.b.group && s.lane == p.b.lane && s.row == p.b.row;
    };
    alike = !items_are_near(p.b, p.n, 1) && like_b(p.lower) && like_b(p.diagonal) &&
            like_b(p.upper) && like_b(p.x);
    if (alike && p.b.width == 1 && p.b.row == 1) {
      auto const fits = [&](int s) {
        auto const whole = [&](std::int64_t stride) { return stride % (1 << s) == 0; };
        auto const aligned = [&](T const* data) {
          return reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) << s) == 0;
        };
        return whole(p.n) && whole(p.b.group) && whole(item_numbers()) && aligned(p.lower.data) &&
               aligned(p.diagonal.data) && aligned(p.upper.data) && aligned(p.b.data) &&
               aligned(p.x.data);
      };
      while ((2 << shift) <= wide && fits(shift + 1)) ++shift;
    }
    by_units = QuickDivisor(p.n >> shift);
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

  /// The items of the calling lane's team.
  struct TeamItems {
    int rank, team;
    std::int64_t first;  ///< item of the team
    int there;           ///< items that it has
    T* scratch;
  };

  /// Runs move(place in a vector, distance from the operands' first number) for the numbers that
  /// the lane moves, the first of 1 << Shift: neighbouring lanes take neighbouring rows.
  template <int Shift, class Move>
  BATCHWORK_INLINE void walk_alike(TeamItems const& here, Move const& move) const {
    int const units = p.n >> Shift;
    BATCHWORK_UNROLL_SOME
    for (int k = here.rank; k < here.there * units; k += here.team) {
      int const slot = by_units.quotient(k), row = (k - slot * units) << Shift;
      move(slot * item_numbers() + row, item_of(p.b, here.first + slot) - p.b.data + row * p.b.row);
    }
  }
  /// The same for one operand of any kind; move(place in a vector, where in memory). By
  /// neighbouring items where those are nearer.
  template <class U, class Move>
  BATCHWORK_INLINE void walk_one(Storage<U> const& s, TeamItems const& here,
                                 Move const& move) const {
    bool const items_first = s.width == 1 ? s.group < s.row : s.lane < s.row;
    BATCHWORK_KEEP_LOOP
    for (int k = here.rank; k < items_per_team * p.n; k += here.team) {
      // Not by_units, which may be of several rows.
      int const slot = items_first ? k & (items_per_team - 1) : k / p.n;
      int const row = items_first ? k / items_per_team : k - slot * p.n;
      if (slot < here.there)
        move(slot * item_numbers() + row, item_of(s, here.first + slot) + row * s.row);
    }
  }

  template <int Numbers>
  static BATCHWORK_INLINE void fetch(T* to, T const* from) {
    if constexpr (Vendor::has_async_copies) {
      Vendor::copy_async<Numbers* int(sizeof(T))>(to, from);
    } else {
      for (int k = 0; k < Numbers; ++k) to[k] = from[k];
    }
  }
  template <int Shift>
  BATCHWORK_INLINE void load_alike(TeamItems const& here) const {
    T *const lower = here.scratch, *const diagonal = lower + vector_numbers(),
             *const upper = diagonal + vector_numbers(), *const b = upper + vector_numbers();
    walk_alike<Shift>(here, [&](int place, std::int64_t distance) {
      fetch<1 << Shift>(lower + place, p.lower.data + distance);
      fetch<1 << Shift>(diagonal + place, p.diagonal.data + distance);
      fetch<1 << Shift>(upper + place, p.upper.data + distance);
      fetch<1 << Shift>(b + place, p.b.data + distance);
    });
  }
  BATCHWORK_INLINE void load_one(T* vector, Storage<T const> const& s,
                                 TeamItems const& here) const {
    walk_one(s, here, [&](int place, T const* from) { fetch<1>(vector + place, from); });
  }
  /// The numbers of lower and upper that do not belong to the matrix are copied as well, and not
  /// used.
  BATCHWORK_INLINE void load(TeamItems const& here) const {
    if (!alike) {
      load_one(here.scratch, p.lower, here);
      load_one(here.scratch + vector_numbers(), p.diagonal, here);
      load_one(here.scratch + 2 * vector_numbers(), p.upper, here);
      load_one(here.scratch + 3 * vector_numbers(), p.b, here);
    } else if (shift == 0) {
      load_alike<0>(here);
    } else if (shift == 1) {
      load_alike<1>(here);
    } else if constexpr (wide > 2) {
      load_alike<2>(here);
    }
  }

  template <int Shift>
  BATCHWORK_INLINE void store_alike(T const* vector, TeamItems const& here) const {
    walk_alike<Shift>(here, [&](int place, std::int64_t distance) {
      T x[1 << Shift];
      BATCHWORK_UNROLL
      for (int k = 0; k < 1 << Shift; ++k) x[k] = vector[place + k];
      Vendor::store_vector(p.x.data + distance, x);
    });
  }
  /// x is where b was.
  BATCHWORK_INLINE void store(TeamItems const& here) const {
    T const* const vector = here.scratch + 3 * vector_numbers();
    if (!alike) {
      walk_one(p.x, here, [&](int place, T* to) { *to = vector[place]; });
    } else if (shift == 0) {
      store_alike<0>(vector, here);
    } else if (shift == 1) {
      store_alike<1>(vector, here);
    } else if constexpr (wide > 2) {
      store_alike<2>(vector, here);
    }
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    TeamItems here;
    here.rank = member.team_rank();
    here.team = member.team_size();
    here.first = std::int64_t(member.league_rank()) * items_per_team;
    here.there = p.items - here.first < items_per_team ? int(p.items - here.first) : items_per_team;
    here.scratch = static_cast<T*>(member.team_scratch(0).get_shmem_aligned(int(used_bytes()), 16));
    load(here);
    Vendor::copy_async_wait();
    member.team_barrier();

    int const slot = here.rank / parts, part = here.rank - slot * parts, first = part * rows;
    int const vector = vector_numbers();
    int const mine = slot >= here.there || first >= p.n ? 0
                     : p.n - first < rows               ? p.n - first
                                                        : rows;
    SystemLanes<Member> const lanes{member, part, parts};
    auto const wait = [&] { lanes.sync(); };

    // A row that is eliminated leaves a, c and d in the places of lower, upper and b.
    T* const lower = here.scratch + slot * item_numbers() + first;
    T *const diagonal = lower + vector, *const upper = diagonal + vector, *const b = upper + vector;
    TridiagonalFailure failure;
    TridiagonalGrowth<T> growth;
    PartElimination<T> so_far;
    GivenRow<T> given;
    LastRow<T> last;
    if (mine > 0) {
      // The next row is read before this one is written, so that nothing waits for it.
      T l = first > 0 ? lower[0] : T(0), m = diagonal[0], u = upper[0], y = b[0];
      BATCHWORK_KEEP_LOOP
      for (int i = 0; i < mine - 1; ++i) {
        T const next_l = lower[i + 1], next_m = diagonal[i + 1], next_u = upper[i + 1],
                next_y = b[i + 1];
        so_far.add(l, m, u, y, first + i, failure, growth);
        lower[i] = so_far.a;
        upper[i] = so_far.c;
        b[i] = so_far.d;
        l = next_l;
        m = next_m;
        u = next_u;
        y = next_y;
      }
      if (first + mine == p.n) u = T(0);
      given = {l, m, u, y};
      last = LastRow<T>::of(given, so_far);
    }
    T x, before = T(0);
    PartsExchange<T> exchange{};
    int const row = mine > 0 ? first + mine - 1 : p.n - 1;
    if (parts == 1) {
      x = last.b * pivot_reciprocal(last.diagonal, 0, row, failure);
    } else {
      // The diagonal is not needed any more; a part has five rows at least.
      exchange = {diagonal, 1, rows, part};
      auto const found = solve_last_rows(last, so_far, part, parts, row, failure, exchange, wait);
      x = found.mine;
      before = found.before;
    }
    T const last_x = x;
    T last_but_one = before;
    if (mine > 0) {
      b[mine - 1] = x;
      growth.add_x(x);
      if (mine > 1) last_but_one = b[mine - 2] - upper[mine - 2] * x - lower[mine - 2] * before;
      BATCHWORK_UNROLL_SOME
      for (int i = mine - 2; i >= 0; --i) {
        x = b[i] - upper[i] * x - lower[i] * before;
        b[i] = x;
        growth.add_x(x);
      }
    }
    member.team_barrier();
    store(here);

    if (!p.status.wanted()) return;
    check_last_row(given, x, last_but_one, last_x, part, parts, row, growth, exchange, wait);
    failure = failure_of_item<T>(failure, growth, part, parts, exchange, wait);
    if (slot < here.there && part == 0) p.status.put(here.first + slot, failure.code());
  }
};

}  // namespace Batchwork::Impl

#endif
