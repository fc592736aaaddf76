// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One tridiagonal matrix with the right-hand sides of all items on devices. Lanes have parts of
/// items in registers. Each team factorises the matrix for itself, and stays for many items.
#ifndef BATCHWORK_TRIDIAGONALCOMMONTEAMS_HPP
#define BATCHWORK_TRIDIAGONALCOMMONTEAMS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "banded/detail/Batchwork_TridiagonalCommonProblem.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"

namespace Batchwork::Impl {

/// How a team divides items. Where rows of an item are contiguous, its numbers travel through
/// scratch, and a part has an odd number of rows, which avoids bank conflicts.
struct TridiagonalCommonDivision {
  bool by_rows = false;  ///< rows are contiguous
  int parts = 1, rows = 1, items = 32;

  BATCHWORK_INLINE int team() const { return parts * items; }
  BATCHWORK_INLINE int padded() const { return parts * rows; }
  BATCHWORK_INLINE int levels() const {
    int k = 0;
    while (1 << k < parts) ++k;
    return k;
  }
};
/// \param most  rows of a part at most
template <class T>
constexpr TridiagonalCommonDivision divide_common_tridiagonal(bool by_rows, int n, int most) {
  TridiagonalCommonDivision d;
  d.by_rows = by_rows;
  while (d.parts * most < n) d.parts *= 2;
  d.rows = (n + d.parts - 1) / d.parts;
  if (by_rows) d.rows |= 1;
  // Two teams of a multiprocessor work while the other one waits. Items of a team fill sectors of
  // 32 bytes where neighbours are items.
  int const lanes = 256 / d.parts, least = by_rows ? 1 : 32 / int(sizeof(T)),
            largest = 512 / d.parts;
  d.items = lanes < least ? (least < largest ? least : largest) : lanes > 128 ? 128 : lanes;
  return d;
}

/// Rows of a part at most.
template <class T, int Rows>
struct TridiagonalCommonTeams {
  static constexpr int largest_team = 512, wanted_teams = 1;

  TridiagonalCommonProblem<T> p;
  TridiagonalCommonDivision d;
  QuickDivisor over_rows;
  std::int64_t groups = 0, all_teams = 1;

  TridiagonalCommonTeams(TridiagonalCommonProblem<T> const& problem, bool rows_near,
                         std::int64_t multiprocessors)
      : p(problem),
        d(divide_common_tridiagonal<T>(rows_near, problem.n, Rows)),
        over_rows(problem.n) {
    groups = (p.items + d.items - 1) / d.items;
    // As many teams as a multiprocessor has registers and scratch for.
    std::int64_t const of_each =
        std::min<std::int64_t>((Rows > 17 ? 512 : 768) / d.team(), 200000 / std::int64_t(bytes()));
    all_teams = std::max<std::int64_t>(
        1, std::min(groups, std::max<std::int64_t>(1, of_each) * multiprocessors));
  }
  std::int64_t teams() const { return all_teams; }
  int team() const { return d.team(); }
  /// Numbers of the factors; then what the factorisation needs, or items on their way.
  BATCHWORK_INLINE std::size_t first_bytes() const {
    std::size_t const factors = 3 * std::size_t(d.padded()),
                      products = 2 * std::size_t(d.levels()) * std::size_t(d.parts),
                      ends = 2 * std::size_t(d.team());
    return (factors + products + ends) * sizeof(T) + std::size_t(d.items + 2) * 4;
  }
  BATCHWORK_INLINE std::size_t bytes() const {
    std::size_t const pivots = sizeof(T) == 8 ? 0 : 2 * std::size_t(d.padded()) * sizeof(double),
                      travel = d.by_rows
                                   ? std::size_t(d.items) * std::size_t(d.padded()) * sizeof(T)
                                   : 0;
    return first_bytes() + 32 + std::max(pivots, travel);
  }

  struct Scratch {
    T *m, *r, *c;       ///< see TridiagonalCommonProblem
    T *down, *up;       ///< products of -m, and -c, of 1, 2, 4, ... parts that end, or begin, here
    T* ends;            ///< of lanes, twice
    std::int32_t* bad;  ///< of items
    std::uint32_t* failure;
    double *pivot, *before;
    T* travel;
  };

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    Scratch const s = divide_scratch(member);
    int const lane = Vendor::lane_rank(member);
    factorise(member, s, lane);
    int const item = d.by_rows ? lane / d.parts : lane % d.items,
              part = d.by_rows ? lane % d.parts : lane / d.items;
    TridiagonalFailure failure;
    failure.first = *s.failure;
    std::int32_t const code = failure.code();
    bool const failed = code != 0 && Status::reason(code) != Reason::inaccurate;
    BATCHWORK_KEEP_LOOP
    for (std::int64_t g = member.league_rank(); g < groups; g += all_teams) {
      std::int64_t const first = g * d.items;
      bool const there = first + item < p.items;
      T y[Rows];
      load(member, s, lane, first, item, part, there, y);
      solve(member, s, item, part, y);
      bool finite = true;
      BATCHWORK_UNROLL
      for (int k = 0; k < Rows; ++k) {
        if (failed) y[k] = std::numeric_limits<T>::quiet_NaN();
        if (k < d.rows && part * d.rows + k < p.n) finite = finite && is_finite(y[k]);
      }
      if (p.status.wanted() && !finite && !failed) s.bad[item] = 1;
      store(member, s, lane, first, item, part, there, y);
      if (!p.status.wanted()) continue;
      member.team_barrier();
      if (part == 0 && there)
        p.status.put(first + item, s.bad[item] != 0 ? Status::code(Reason::not_finite, 0) : code);
      if (part == 0) s.bad[item] = 0;
      member.team_barrier();
    }
  }

 private:
  template <class Member>
  BATCHWORK_INLINE Scratch divide_scratch(Member const& member) const {
    Scratch s;
    s.m = Vendor::in_scratch(
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(int(bytes() - 16), 16)));
    s.r = s.m + d.padded();
    s.c = s.r + d.padded();
    s.down = s.c + d.padded();
    s.up = s.down + d.levels() * d.parts;
    s.ends = s.up + d.levels() * d.parts;
    s.bad = reinterpret_cast<std::int32_t*>(s.ends + 2 * d.team());
    s.failure = reinterpret_cast<std::uint32_t*>(s.bad + d.items);
    // Where the next 16 bytes begin.
    char* const rest = reinterpret_cast<char*>(s.m) + (first_bytes() + 15) / 16 * 16;
    // In double the factors take the places of what they are made from.
    if constexpr (sizeof(T) == 8) {
      s.pivot = s.c, s.before = s.m;
    } else {
      s.pivot = reinterpret_cast<double*>(rest);
      s.before = s.pivot + d.padded();
    }
    s.travel = reinterpret_cast<T*>(rest);
    return s;
  }

  /// A power of two that makes the largest of the numbers of a row about one. Rows may be
  /// multiplied by them: pivots are, too.
  BATCHWORK_INLINE double scale_of_row(int i) const {
    double const l = Kokkos::abs(double(p.below(i))), a = Kokkos::abs(double(p.diagonal(i))),
                 u = Kokkos::abs(double(p.above(i)));
    double const most = l > a ? (l > u ? l : u) : (a > u ? a : u);
    if (!(most > 0) || !is_finite(most)) return 1;
    // The exponent alone, within what has a reciprocal.
    std::uint64_t const e = Kokkos::bit_cast<std::uint64_t>(most) >> 52;
    std::uint64_t const turned = e > 2045 ? 1 : e < 1 ? 2045 : 2046 - e;
    return Kokkos::bit_cast<double>(turned << 52);
  }
  /// Pivots are quotients of the leading minors. These have a recurrence without divisions, which
  /// a lane follows quickly; as for the pivots themselves, rounding changes the numbers of the
  /// matrix by some eps.
  BATCHWORK_INLINE void find_minors(Scratch const& s) const {
    double minor = 1, last = 0;
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < p.n; i += 8) {
      double a[8], w[8];
      BATCHWORK_UNROLL
      for (int k = 0; k < 8; ++k) {
        bool const is = i + k < p.n;
        a[k] = is ? s.pivot[i + k] : 1, w[k] = is ? s.before[i + k] : 0;
      }
      BATCHWORK_UNROLL
      for (int k = 0; k < 8; ++k) {
        double const next = a[k] * minor - w[k] * last;
        last = minor, minor = next;
        if (i + k < p.n) s.pivot[i + k] = minor, s.before[i + k] = last;
      }
      double const size =
          Kokkos::abs(minor) > Kokkos::abs(last) ? Kokkos::abs(minor) : Kokkos::abs(last);
      double const by = size > 0x1p300 ? 0x1p-400 : size < 0x1p-300 ? 0x1p400 : 1;
      minor *= by, last *= by;
    }
  }
  template <class Member>
  BATCHWORK_INLINE void factorise(Member const& member, Scratch const& s, int lane) const {
    int const lanes = d.team();
    BATCHWORK_KEEP_LOOP
    for (int i = lane; i < p.n; i += lanes) {
      double const scale = scale_of_row(i), before = i > 0 ? scale_of_row(i - 1) : 1;
      s.pivot[i] = double(p.diagonal(i)) * scale;
      s.before[i] = i > 0 ? double(p.below(i)) * scale * (double(p.above(i - 1)) * before) : 0;
    }
    if (lane < d.items) s.bad[lane] = 0;
    if (lane == 0) *s.failure = TridiagonalFailure::none;
    member.team_barrier();
    if (lane == 0) find_minors(s);
    member.team_barrier();
    BATCHWORK_KEEP_LOOP
    for (int i = lane; i < d.padded(); i += lanes) {
      T r = T(0), c = T(0);
      if (i < p.n) {
        TridiagonalFailure failure;
        T const l = p.below(i), a = p.diagonal(i), u = p.above(i);
        T const pivot = T(s.pivot[i] / s.before[i] / scale_of_row(i));
        r = pivot_reciprocal(pivot, largest_pivot(l, a, u), i, failure);
        c = u * r;
        if (failure.first != TridiagonalFailure::none) Kokkos::atomic_min(s.failure, failure.first);
      }
      s.r[i] = r, s.c[i] = c;
    }
    member.team_barrier();
    BATCHWORK_KEEP_LOOP
    for (int i = lane; i < d.padded(); i += lanes)
      s.m[i] = i > 0 && i < p.n ? p.lower(i) * s.r[i - 1] : T(0);
    member.team_barrier();
    if (d.parts == 1) return;
    // Products over a part, then over twice as many parts at each level.
    if (lane < d.parts) {
      T down = T(1), up = T(1);
      for (int k = 0; k < d.rows; ++k) {
        down *= -s.m[lane * d.rows + k];
        up *= -s.c[lane * d.rows + k];
      }
      s.down[lane] = down, s.up[lane] = up;
    }
    member.team_barrier();
    BATCHWORK_KEEP_LOOP
    for (int level = 1; level < d.levels(); ++level) {
      int const step = 1 << (level - 1);
      if (lane < d.parts) {
        T const *const down = s.down + (level - 1) * d.parts, *const up =
                                                                  s.up + (level - 1) * d.parts;
        s.down[level * d.parts + lane] = lane >= step ? down[lane] * down[lane - step] : T(0);
        s.up[level * d.parts + lane] = lane + step < d.parts ? up[lane] * up[lane + step] : T(0);
      }
      member.team_barrier();
    }
  }

  /// move(item of the team, row) for the numbers that the lane moves: neighbours move neighbours.
  template <class Move>
  BATCHWORK_INLINE void walk(std::int64_t first, int lane, Move const& move) const {
    int const there = p.items - first < d.items ? int(p.items - first) : d.items;
    BATCHWORK_UNROLL_SOME
    for (int k = lane; k < there * p.n; k += d.team()) {
      int const q = over_rows.quotient(k);
      move(q, k - q * p.n);
    }
  }
  /// A lane's rows of its item.
  template <class Member>
  BATCHWORK_INLINE void load(Member const& member, Scratch const& s, int lane, std::int64_t first,
                             int item, int part, bool there, T (&y)[Rows]) const {
    if (!d.by_rows) {
      T const* const from = there ? item_of(p.b, first + item) : nullptr;
      BATCHWORK_UNROLL
      for (int k = 0; k < Rows; ++k) {
        int const row = part * d.rows + k;
        y[k] = there && k < d.rows && row < p.n ? from[row * p.b.row] : T(0);
      }
      return;
    }
    walk(first, lane, [&](int q, int row) {
      Vendor::copy_async<int(sizeof(T))>(s.travel + q * d.padded() + row,
                                         item_of(p.b, first + q) + row * p.b.row);
    });
    Vendor::copy_async_wait();
    member.team_barrier();
    BATCHWORK_UNROLL
    for (int k = 0; k < Rows; ++k) {
      int const row = part * d.rows + k;
      y[k] = there && k < d.rows && row < p.n ? s.travel[item * d.padded() + row] : T(0);
    }
  }
  template <class Member>
  BATCHWORK_INLINE void store(Member const& member, Scratch const& s, int lane, std::int64_t first,
                              int item, int part, bool there, T const (&y)[Rows]) const {
    if (!d.by_rows) {
      T* const to = there ? item_of(p.x, first + item) : nullptr;
      BATCHWORK_UNROLL
      for (int k = 0; k < Rows; ++k) {
        int const row = part * d.rows + k;
        if (there && k < d.rows && row < p.n) to[row * p.x.row] = y[k];
      }
      return;
    }
    BATCHWORK_UNROLL
    for (int k = 0; k < Rows; ++k) {
      int const row = part * d.rows + k;
      if (there && k < d.rows && row < p.n) s.travel[item * d.padded() + row] = y[k];
    }
    member.team_barrier();
    walk(first, lane, [&](int q, int row) {
      item_of(p.x, first + q)[row * p.x.row] = s.travel[q * d.padded() + row];
    });
    member.team_barrier();
  }

  /// The sum over parts before, or behind, of what their ends contribute to this one: a scan by
  /// steps of 1, 2, 4, ... parts.
  template <bool Down, class Member>
  BATCHWORK_INLINE T carried(Member const& member, Scratch const& s, int item, int part,
                             T end) const {
    T* ends = s.ends;
    T* others = s.ends + d.team();
    int const place = part * d.items + item, last = d.parts - 1;
    ends[place] = end;
    member.team_barrier();
    BATCHWORK_KEEP_LOOP
    for (int level = 0; level < d.levels(); ++level) {
      int const step = 1 << level;
      bool const more = Down ? part >= step : part + step <= last;
      if (more) {
        T const factor = (Down ? s.down : s.up)[level * d.parts + part];
        end += factor * ends[Down ? place - step * d.items : place + step * d.items];
      }
      others[place] = end;
      member.team_barrier();
      T* const x = ends;
      ends = others, others = x;
    }
    bool const has = Down ? part > 0 : part < last;
    T const result = has ? ends[Down ? place - d.items : place + d.items] : T(0);
    member.team_barrier();
    return result;
  }
  template <class Member>
  BATCHWORK_INLINE void solve(Member const& member, Scratch const& s, int item, int part,
                              T (&y)[Rows]) const {
    T const* const m = s.m + part * d.rows;
    T const* const r = s.r + part * d.rows;
    T const* const c = s.c + part * d.rows;
    T at = T(0);
    if (d.parts > 1) {
      // The part's end if nothing came from the part before.
      BATCHWORK_UNROLL
      for (int k = 0; k < Rows; ++k)
        if (k < d.rows) at = y[k] - m[k] * at;
      at = carried<true>(member, s, item, part, at);
    }
    BATCHWORK_UNROLL
    for (int k = 0; k < Rows; ++k)
      if (k < d.rows) {
        at = y[k] - m[k] * at;
        y[k] = at * r[k];
      }
    at = T(0);
    if (d.parts > 1) {
      BATCHWORK_UNROLL
      for (int k = Rows - 1; k >= 0; --k)
        if (k < d.rows) at = y[k] - c[k] * at;
      at = carried<false>(member, s, item, part, at);
    }
    BATCHWORK_UNROLL
    for (int k = Rows - 1; k >= 0; --k)
      if (k < d.rows) y[k] = at = y[k] - c[k] * at;
  }
};

}  // namespace Batchwork::Impl

#endif
