// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The partition method for tridiagonal systems. Every lane eliminates the rows of its part of an
/// item except the last one. The last rows of the parts form a tridiagonal system with one row a
/// lane, which cyclic reduction solves. Then every lane substitutes back in its part. H. H. Wang, A
/// parallel method for tridiagonal equations, ACM Trans. Math. Softw. 7 (1981), 170-183; E. Laszlo,
/// M. Giles, J. Appleyard, Manycore algorithms for batch scalar and block tridiagonal solvers, ACM
/// Trans. Math. Softw. 42 (2016), 31:1-31:36; R. W. Hockney, C. R. Jesshope, Parallel Computers
/// (1981), for the cyclic reduction. It is elimination without pivoting of the matrix with its rows
/// and columns in another order, and as stable: for diagonally dominant and for symmetric positive
/// definite matrices among others.
///
/// Parallel cyclic reduction has as many barriers, but solves for every row by an elimination of
/// its own. If the system of the last rows is badly conditioned, its results do not fit each other.
/// Of positive definite matrices residuals of more than 100 eps |A| |x| were seen.
#ifndef BATCHWORK_TRIDIAGONALPARTS_HPP
#define BATCHWORK_TRIDIAGONALPARTS_HPP

#include <cstdint>
#include <cstring>

#include "banded/detail/Batchwork_TridiagonalGrowth.hpp"
#include "banded/detail/Batchwork_TridiagonalProblem.hpp"

namespace Batchwork::Impl {

/// The elimination of a part, from its first row on, without its last one. `before` is the last
/// number of x in the part before, `next` the one after the current row.
template <class T>
struct PartElimination {
  T a = T(-1), c = T(0),
    d = T(0);  ///< the row at hand: x = d - a before - c next; at first x = before
  T h = T(0), g = T(0), w = T(1);  ///< x of the part's first row = h - g before + w next

  BATCHWORK_INLINE void add(T lower, T diagonal, T upper, T b, int row, TridiagonalFailure& failure,
                            TridiagonalGrowth<T>& growth) {
    T const pivot = diagonal - lower * c, filled = lower * a;
    growth.add_matrix(lower, diagonal, upper);
    growth.add_grown(pivot, row);
    growth.add_grown(filled, row);
    T const r = pivot_reciprocal(pivot, 0, row, failure);
    d = (b - lower * d) * r;
    a = -filled * r;
    c = upper * r;
    h += w * d;
    g += w * a;
    w *= -c;
  }
  /// The same where there are no other parts.
  BATCHWORK_INLINE void add_alone(T lower, T diagonal, T upper, T b, int row,
                                  TridiagonalFailure& failure) {
    T const r =
        pivot_reciprocal(diagonal - lower * c, largest_pivot(lower, diagonal, upper), row, failure);
    d = (b - lower * d) * r;
    c = upper * r;
  }
};

/// A row of the given system; for a part without rows, an equation that x = 0 satisfies.
template <class T>
struct GivenRow {
  T lower = T(0), diagonal = T(0), upper = T(0), b = T(0);

  /// b - A x.
  BATCHWORK_INLINE T left(T before, T x, T after) const {
    return b - lower * before - diagonal * x - upper * after;
  }
};
/// The last row of a part: below x(part - 1) + diagonal x(part) + above x(next row) = b, x(part)
/// being the last number of x in a part.
template <class T>
struct LastRow {
  T below = T(0), diagonal = T(1), above = T(0), b = T(0);  ///< of a part without rows

  /// The last row, after the rows of its part before it were eliminated.
  static BATCHWORK_INLINE LastRow of(GivenRow<T> const& row, PartElimination<T> const& part) {
    return {-row.lower * part.a, row.diagonal - row.lower * part.c, row.upper,
            row.b - row.lower * part.d};
  }
};

/// The last numbers of x in the part of the calling lane, and in the part before (0 where there is
/// none). All lanes of all items of a team call it, each for its part of `parts`, a power of two.
/// exchange.put(k, x), k = 0, 1, 2, leaves a number for the other lanes of the item,
/// exchange.get(k, part) reads it; between the two stands wait(). `row` is the number of the lane's
/// last row.
template <class T>
struct LastNumbers {
  T mine, before;
};
template <class T, class Exchanges, class Wait>
BATCHWORK_INLINE LastNumbers<T> solve_last_rows(LastRow<T> my, PartElimination<T> const& mine,
                                                int part, int parts, int row,
                                                TridiagonalFailure& failure,
                                                Exchanges const& exchange, Wait const& wait) {
  exchange.put(0, mine.h);
  exchange.put(1, mine.g);
  exchange.put(2, mine.w);
  wait();
  // The number of x after this row is the first one of the next part.
  if (part + 1 < parts) {
    T const upper = my.above;
    my.b -= upper * exchange.get(0, part + 1);
    my.diagonal -= upper * exchange.get(1, part + 1);
    my.above = upper * exchange.get(2, part + 1);
  }
  wait();
  // Every second one of the remaining rows is eliminated from its neighbours: the rows of parts s,
  // 3 s, 5 s, ...
  int stage = 1;
  for (int s = 1; s <= parts; s *= 2) {
    int const place = part & (2 * s - 1);
    if (place == (s < parts ? s : 0)) {
      T const r = pivot_reciprocal(my.diagonal, stage, row, failure);
      my.below *= r;
      my.above *= r;
      my.b *= r;
      if (s < parts) {
        exchange.put(0, my.below);
        exchange.put(1, my.above);
      }
      exchange.put(2, my.b);
    }
    wait();
    if (place == 0 && s < parts) {
      if (part >= s) {
        my.diagonal -= my.below * exchange.get(1, part - s);
        my.b -= my.below * exchange.get(2, part - s);
        my.below *= -exchange.get(0, part - s);
      }
      my.diagonal -= my.above * exchange.get(0, part + s);
      my.b -= my.above * exchange.get(2, part + s);
      my.above *= -exchange.get(1, part + s);
    }
    ++stage;
  }
  // Backwards. Beyond the ends there are no rows.
  for (int s = parts / 2; s > 0; s /= 2) {
    if ((part & (2 * s - 1)) == s) {
      my.b -= my.below * exchange.get(2, part - s);
      if (part + s < parts) my.b -= my.above * exchange.get(2, part + s);
      exchange.put(2, my.b);
    }
    wait();
  }
  return {my.b, part > 0 ? exchange.get(2, part - 1) : T(0)};
}

/// Puts the last row of the calling lane's part into its equation: the first number of x in the
/// part, the last but one (or the last one of the part before) and the last one. The same calls.
template <class T, class Exchanges, class Wait>
BATCHWORK_INLINE void check_last_row(GivenRow<T> const& last, T first, T last_but_one, T x,
                                     int part, int parts, int row, TridiagonalGrowth<T>& growth,
                                     Exchanges const& exchange, Wait const& wait) {
  growth.add_matrix(last.lower, last.diagonal, last.upper);
  T after = T(0);
  if (parts > 1) {
    exchange.put(0, first);
    wait();
    if (part + 1 < parts) after = exchange.get(0, part + 1);
  }
  growth.add_left(last.left(last_but_one, x, after), row);
}

/// The item's failure, from what its lanes know; the same calls. A lane leaves five numbers.
template <class T, class Exchanges, class Wait>
BATCHWORK_INLINE TridiagonalFailure failure_of_item(TridiagonalFailure mine,
                                                    TridiagonalGrowth<T> growth, int part,
                                                    int parts, Exchanges const& exchange,
                                                    Wait const& wait) {
  static_assert(sizeof(T) >= sizeof(std::uint32_t));
  for (int s = 1; s < parts; s *= 2) {
    wait();
    exchange.put_bits(0, mine.first);
    exchange.put_bits(1, growth.matrix);
    exchange.put_bits(2, growth.grown);
    exchange.put_bits(3, growth.left);
    exchange.put_bits(4, growth.x);
    wait();
    int const other = part ^ s;
    mine.add(exchange.get_bits(0, other));
    growth.add({exchange.get_bits(1, other), exchange.get_bits(2, other),
                exchange.get_bits(3, other), exchange.get_bits(4, other)});
  }
  growth.record(mine);
  return mine;
}

/// The numbers that a lane leaves for the lanes of its item.
template <class T>
struct PartsExchange {
  T* mine;
  int from_number_to_number, from_part_to_part, part;

  BATCHWORK_INLINE void put(int k, T x) const { mine[k * from_number_to_number] = x; }
  BATCHWORK_INLINE T get(int k, int other) const {
    return mine[k * from_number_to_number + (other - part) * from_part_to_part];
  }
  /// Into another part's.
  BATCHWORK_INLINE void put_at(int k, int other, T x) const {
    mine[k * from_number_to_number + (other - part) * from_part_to_part] = x;
  }
  BATCHWORK_INLINE void put_bits(int k, std::uint32_t x) const {
    memcpy(mine + k * from_number_to_number, &x, sizeof(x));
  }
  BATCHWORK_INLINE std::uint32_t get_bits(int k, int other) const {
    std::uint32_t x;
    memcpy(&x, mine + k * from_number_to_number + (other - part) * from_part_to_part, sizeof(x));
    return x;
  }
};

}  // namespace Batchwork::Impl

#endif
