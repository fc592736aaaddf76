// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal with partial pivoting on devices. A lane has a part of an item
/// in registers and eliminates all numbers of x in it except the first and the last one. That
/// leaves two equations in these two numbers and the nearest ones of the neighbours. Then parts are
/// joined in pairs until two equations are left; each joint eliminates two numbers of x. The
/// substitution goes back in the other order.
///
/// Eliminated numbers occur in rows of the part alone, so a regular matrix always has a pivot for
/// them: nested dissection of the graph, which is a line (George, SIAM J. Numer. Anal. 10, 1973),
/// with exchanges of rows inside each part. The largest of three pivots is taken in a part, of four
/// in a joint; since the growth of numbers is not bounded as gtsv's is, x is put into the
/// equations.
#ifndef BATCHWORK_TRIDIAGONALPIVOTED_HPP
#define BATCHWORK_TRIDIAGONALPIVOTED_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "banded/detail/Batchwork_TridiagonalInRegisters.hpp"

namespace Batchwork::Impl {

/// Coefficients of the numbers of x that an equation of a part has, from the last one of the part
/// before to the first one of the part after. `here` is the number of x that is eliminated next, in
/// the end the part's last one.
template <class T>
struct PartEquation {
  T before = T(0), first = T(0), here = T(0), next = T(0), b = T(0);
};
/// Whether a row with the number a is taken before one with b. A NaN is, so that it is reported as
/// what it is.
template <class T>
BATCHWORK_INLINE bool is_better_pivot(T a, T b) {
  return Kokkos::abs(a) > Kokkos::abs(b) || a != a;
}

/// x = b - next x(next) - second x(the one after that) - first x(first) - before x(before).
template <class T>
struct PartPivot {
  T next, second, first, before, b;
};

/// The two equations of a part.
template <class T>
struct PartEquations {
  PartEquation<T> one, two;

  /// Of a part without rows: x = 0.
  static BATCHWORK_INLINE PartEquations none() {
    PartEquations r;
    r.one.first = r.two.here = T(1);
    return r;
  }

  /// Eliminates the number of x before the row's own. invert(pivot) gives 1 / pivot.
  template <class Invert>
  BATCHWORK_INLINE PartPivot<T> add(T lower, T diagonal, T upper, T b, Invert const& invert) {
    if (is_better_pivot(two.here, one.here)) {
      PartEquation<T> const other = one;
      one = two;
      two = other;
    }
    bool const exchange = is_better_pivot(lower, one.here);
    T const r = invert(exchange ? lower : one.here);
    PartPivot<T> pivot;
    pivot.next = (exchange ? diagonal : one.next) * r;
    pivot.second = (exchange ? upper : T(0)) * r;
    pivot.first = (exchange ? T(0) : one.first) * r;
    pivot.before = (exchange ? T(0) : one.before) * r;
    pivot.b = (exchange ? b : one.b) * r;
    T const f = exchange ? one.here : lower, g = two.here;
    one.before = (exchange ? one.before : T(0)) - f * pivot.before;
    one.first = (exchange ? one.first : T(0)) - f * pivot.first;
    one.here = (exchange ? one.next : diagonal) - f * pivot.next;
    one.next = (exchange ? T(0) : upper) - f * pivot.second;
    one.b = (exchange ? one.b : b) - f * pivot.b;
    two.before -= g * pivot.before;
    two.first -= g * pivot.first;
    two.here = two.next - g * pivot.next;
    two.next = -g * pivot.second;
    two.b -= g * pivot.b;
    return pivot;
  }
};

/// Where two parts meet: coefficients of the last number of x in the left one, the first one in the
/// right one, then those that stay: before both, the first one of the left, the last one of the
/// right, after both.
template <class T>
struct JointEquation {
  T x[6];
  T b;
};
/// Takes equation K of four as the one for number K of x, and eliminates that from those after it.
template <int K, class T, class Invert>
BATCHWORK_INLINE void eliminate_at_joint(JointEquation<T> (&rows)[4], Invert const& invert) {
  BATCHWORK_UNROLL
  for (int i = K + 1; i < 4; ++i)
    if (is_better_pivot(rows[i].x[K], rows[K].x[K])) {
      JointEquation<T> const other = rows[K];
      rows[K] = rows[i];
      rows[i] = other;
    }
  T const r = invert(rows[K].x[K]);
  BATCHWORK_UNROLL
  for (int j = K + 1; j < 6; ++j) rows[K].x[j] *= r;
  rows[K].b *= r;
  BATCHWORK_UNROLL
  for (int i = K + 1; i < 4; ++i) {
    T const f = rows[i].x[K];
    BATCHWORK_UNROLL
    for (int j = K + 1; j < 6; ++j) rows[i].x[j] -= f * rows[K].x[j];
    rows[i].b -= f * rows[K].b;
  }
}

/// The numbers of x that a part's equations have.
template <class T>
struct PartEnds {
  T before, first, last, after;
};
/// Numbers that a lane leaves for the others of its item.
inline constexpr int joint_numbers = 11;

/// Solves the equations of all parts for the ends of the calling lane's. All lanes of all items of
/// a team call it; exchange as in solve_last_rows, joint_numbers of them. `rows` is the number of
/// rows of a part, n of the item.
template <class T, class Exchanges, class Wait>
BATCHWORK_INLINE PartEnds<T> solve_joints(PartEquations<T> mine, int part, int parts, int rows,
                                          int n, TridiagonalFailure& failure,
                                          Exchanges const& exchange, Wait const& wait) {
  int stage = 1;
  BATCHWORK_KEEP_LOOP
  for (int s = 1; s < parts; s *= 2) {
    int const place = part & (2 * s - 1), other = part + s;
    if (place == s) {
      exchange.put(0, mine.one.before);
      exchange.put(1, mine.one.first);
      exchange.put(2, mine.one.here);
      exchange.put(3, mine.one.next);
      exchange.put(4, mine.one.b);
      exchange.put(5, mine.two.before);
      exchange.put(6, mine.two.first);
      exchange.put(7, mine.two.here);
      exchange.put(8, mine.two.next);
      exchange.put(9, mine.two.b);
    }
    wait();
    if (place == 0) {
      auto const left = [](PartEquation<T> const& e) {
        return JointEquation<T>{{e.here, e.next, e.before, e.first, T(0), T(0)}, e.b};
      };
      auto const right = [&](int k) {
        return JointEquation<T>{{exchange.get(k, other), exchange.get(k + 1, other), T(0), T(0),
                                 exchange.get(k + 2, other), exchange.get(k + 3, other)},
                                exchange.get(k + 4, other)};
      };
      JointEquation<T> e[4] = {left(mine.one), left(mine.two), right(0), right(5)};
      int const row = other * rows < n ? other * rows : n - 1;
      eliminate_at_joint<0>(e, [&](T pivot) {
        return pivot_reciprocal(pivot, stage, row > 0 ? row - 1 : 0, failure);
      });
      eliminate_at_joint<1>(e,
                            [&](T pivot) { return pivot_reciprocal(pivot, stage, row, failure); });
      BATCHWORK_UNROLL
      for (int j = 1; j < 6; ++j) exchange.put_at(j - 1, other, e[0].x[j]);
      exchange.put_at(5, other, e[0].b);
      BATCHWORK_UNROLL
      for (int j = 2; j < 6; ++j) exchange.put_at(j + 4, other, e[1].x[j]);
      exchange.put_at(10, other, e[1].b);
      mine.one = {e[2].x[2], e[2].x[3], e[2].x[4], e[2].x[5], e[2].b};
      mine.two = {e[3].x[2], e[3].x[3], e[3].x[4], e[3].x[5], e[3].b};
    }
    ++stage;
  }
  PartEnds<T> ends{T(0), T(0), T(0), T(0)};
  if (part == 0) {
    // Two equations in the first and the last number of x.
    if (is_better_pivot(mine.two.first, mine.one.first)) {
      PartEquation<T> const other = mine.one;
      mine.one = mine.two;
      mine.two = other;
    }
    T const r = pivot_reciprocal(mine.one.first, stage, 0, failure);
    T const here = mine.one.here * r, b = mine.one.b * r;
    ends.last = (mine.two.b - mine.two.first * b) *
                pivot_reciprocal(mine.two.here - mine.two.first * here, stage, n - 1, failure);
    ends.first = b - here * ends.last;
  }
  BATCHWORK_KEEP_LOOP
  for (int s = parts / 2; s > 0; s /= 2) {
    int const place = part & (2 * s - 1), other = part + s;
    if (place == 0) {
      auto const e = [&](int k) { return exchange.get(k, other); };
      T const first =
          e(10) - e(6) * ends.before - e(7) * ends.first - e(8) * ends.last - e(9) * ends.after;
      T const last = e(5) - e(0) * first - e(1) * ends.before - e(2) * ends.first -
                     e(3) * ends.last - e(4) * ends.after;
      exchange.put_at(0, other, last);
      exchange.put_at(1, other, first);
      exchange.put_at(2, other, ends.last);
      exchange.put_at(3, other, ends.after);
      ends.last = last;
      ends.after = first;
    }
    wait();
    if (place == s)
      ends = {exchange.get(0, part), exchange.get(1, part), exchange.get(2, part),
              exchange.get(3, part)};
  }
  return ends;
}

/// Lanes and rows as TridiagonalInRegisters has them.
template <class T>
struct TridiagonalPivoted : TridiagonalInRegisters<T, most_rows_in_registers<T>, false> {
  using Base = TridiagonalInRegisters<T, most_rows_in_registers<T>, false>;
  using Base::Base, Base::p, Base::parts, Base::items_per_team, Base::rows, Base::items_first,
      Base::some;
  using typename Base::LanePart, typename Base::Reader, typename Base::Rows;
  static constexpr int R = most_rows_in_registers<T>;
  static constexpr int wanted_teams = 1;

  BATCHWORK_INLINE std::size_t used_bytes() const {
    return std::size_t(parts * items_per_team) * joint_numbers * sizeof(T);
  }
  std::size_t bytes() const { return used_bytes() + 16; }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    LanePart const here = Base::lane_part(member);
    T* const numbers =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(int(used_bytes()), 16)) +
        here.rank;
    PartsExchange<T> const exchange{numbers, member.team_size(), items_first ? items_per_team : 1,
                                    here.part};
    auto const wait = [&] { member.team_barrier(); };

    // Forward. What was eliminated of slot s is in place s - 1.
    TridiagonalFailure failure;
    auto mine = PartEquations<T>::none();
    PartPivot<T> pivots[R - 2];
    {
      Rows now, next;
      Reader at = Base::reader(here);
      Base::read(next, at, 0, here);
      BATCHWORK_UNROLL
      for (int slot = 0; slot < R; slot += some) {
        now = next;
        if (slot + some < R) Base::read(next, at, slot + some, here);
        BATCHWORK_UNROLL
        for (int k = 0; k < some; ++k) {
          int const s = slot + k;
          if (s < here.empty) continue;
          if (s == here.empty) {
            mine.one = {now.lower[k], now.diagonal[k], now.upper[k], T(0), now.b[k]};
            // The only row: its number of x is the first and the last one.
            if (s == R - 1) {
              mine.one.here = T(0);
              mine.one.next = now.upper[k];
              mine.two = {T(0), T(1), T(-1), T(0), T(0)};
            }
          } else if (s == here.empty + 1) {
            mine.two = {T(0), now.lower[k], now.diagonal[k], now.upper[k], now.b[k]};
          } else if (s > 1) {
            int const row = here.base + s - 1;
            pivots[s - 2] =
                mine.add(now.lower[k], now.diagonal[k], now.upper[k], now.b[k],
                         [&](T pivot) { return pivot_reciprocal(pivot, 0, row, failure); });
          }
        }
      }
    }

    auto const ends = solve_joints(mine, here.part, parts, rows, p.n, failure, exchange, wait);

    // Backward; x takes the place of b.
    {
      T x = ends.last, after = ends.after;
      BATCHWORK_UNROLL
      for (int s = R - 2; s > 0; --s) {
        if (s <= here.empty) continue;
        PartPivot<T> const& e = pivots[s - 1];
        T const next = x;
        x = e.b - e.next * x - e.second * after - e.first * ends.first - e.before * ends.before;
        after = next;
        pivots[s - 1].b = x;
      }
    }

    // x, where it goes; before b is gone it is put into the equations.
    TridiagonalGrowth<T> growth;
    if (here.has_rows()) {
      Reader at = Base::reader(here);
      T* to = item_of(p.x, here.item) + (here.base + here.empty) * p.x.row;
      T before = ends.before;
      BATCHWORK_UNROLL
      for (int s = 0; s < R; ++s) {
        if (s < here.empty) continue;
        T const inside = s == 0       ? ends.first
                         : s == R - 1 ? ends.last
                                      : pivots[s > 0 && s < R - 1 ? s - 1 : 0].b;
        T const x = s == here.empty ? ends.first : inside;
        if (p.status.wanted()) {
          int const row = here.base + s;
          GivenRow<T> given{row > 0 ? *at.lower : T(0), *at.diagonal,
                            row + 1 < p.n ? *at.upper : T(0), *at.b};
          T const after = s == R - 1   ? ends.after
                          : s == R - 2 ? ends.last
                                       : pivots[s < R - 2 ? s : 0].b;
          growth.add_matrix(given.lower, given.diagonal, given.upper);
          growth.add_left(given.left(before, x, after), row);
          growth.add_x(x);
          at.lower += p.lower.row;
          at.diagonal += p.diagonal.row;
          at.upper += p.upper.row;
          at.b += p.b.row;
          before = x;
        }
        *to = x;
        to += p.x.row;
      }
    }
    if (!p.status.wanted()) return;
    failure = failure_of_item<T>(failure, growth, here.part, parts, exchange, wait);
    if (here.there && here.part == 0) p.status.put(here.item, failure.code());
  }
};

}  // namespace Batchwork::Impl

#endif
