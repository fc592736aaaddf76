// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The partition method for tridiagonal systems: every lane eliminates the rows of its part of an item but the last one, the
/// last rows of the parts are a tridiagonal system of one row a lane, which parallel cyclic reduction solves, and then
/// every lane substitutes back by itself. H. H. Wang, A parallel method for tridiagonal equations, ACM Trans. Math. Softw. 7
/// (1981), 170-183; E. Laszlo, M. Giles, J. Appleyard, Manycore algorithms for batch scalar and block tridiagonal solvers,
/// ACM Trans. Math. Softw. 42 (2016), 31:1-31:36; R. W. Hockney, C. R. Jesshope, Parallel Computers (1981), for the cyclic
/// reduction. It is the elimination without pivoting of the matrix whose rows and columns are put in another order: stable
/// for what that is stable for, diagonally dominant and symmetric positive definite matrices among them.
#ifndef BATCHWORK_TRIDIAGONALPARTS_HPP
#define BATCHWORK_TRIDIAGONALPARTS_HPP

#include <cstdint>
#include <cstring>

#include "banded/Batchwork_TridiagonalProblem.hpp"

namespace Batchwork::Impl {

/// The elimination of a part, from its first row on, without its last one. `before` is the last number of x in the part
/// before, `next` the one after the row at hand.
template <class T>
struct PartElimination {
  T a = T(-1), c = T(0),
    d = T(0);  ///< the row at hand: x = d - a before - c next; at first x = before
  T h = T(0), g = T(0), w = T(1);  ///< x of the part's first row = h - g before + w next

  BATCHWORK_INLINE void add(T lower, T diagonal, T upper, T b, int row,
                            TridiagonalFailure& failure) {
    T const r = pivot_reciprocal(diagonal - lower * c, 0, row, failure);
    d = (b - lower * d) * r;
    a = -lower * a * r;
    c = upper * r;
    h += w * d;
    g += w * a;
    w *= -c;
  }
  /// The same where there are no other parts.
  BATCHWORK_INLINE void add_alone(T lower, T diagonal, T upper, T b, int row,
                                  TridiagonalFailure& failure) {
    T const r = pivot_reciprocal(diagonal - lower * c, 0, row, failure);
    d = (b - lower * d) * r;
    c = upper * r;
  }
};

/// The last row of a part: below x(part - 1) + diagonal x(part) + above x(next row) = b, x(part) being the last number of x
/// in a part.
template <class T>
struct LastRow {
  T below = T(0), diagonal = T(1), above = T(0), b = T(0);  ///< of a part without rows

  /// The last row, after the rows of its part before it were eliminated.
  static BATCHWORK_INLINE LastRow of(T lower, T diagonal_, T upper, T b_,
                                     PartElimination<T> const& part) {
    return {-lower * part.a, diagonal_ - lower * part.c, upper, b_ - lower * part.d};
  }
};

/// The last numbers of x in the part of the calling lane, and in the part before (0 where there is none). All lanes of all items of a team call it, each for its part of
/// `parts`, a power of two. boxes.put(k, x), k = 0, 1, 2, leaves a number for the other lanes of the item, boxes.get(k, part)
/// reads it; between the two stands wait(). `row` is the number of the lane's last row.
template <class T>
struct LastNumbers {
  T mine, before;
};
template <class T, class Boxes, class Wait>
BATCHWORK_INLINE LastNumbers<T> solve_last_rows(LastRow<T> my, PartElimination<T> const& mine,
                                                int part, int parts, int row,
                                                TridiagonalFailure& failure, Boxes const& boxes,
                                                Wait const& wait) {
  boxes.put(0, mine.h);
  boxes.put(1, mine.g);
  boxes.put(2, mine.w);
  wait();
  // The number of x after this row is the first one of the next part.
  if (part + 1 < parts) {
    T const upper = my.above;
    my.b -= upper * boxes.get(0, part + 1);
    my.diagonal -= upper * boxes.get(1, part + 1);
    my.above = upper * boxes.get(2, part + 1);
  }
  T r = pivot_reciprocal(my.diagonal, 1, row, failure);
  T below = my.below * r, above = my.above * r, b = my.b * r;
  int stage = 2;
  for (int s = 1; s < parts; s *= 2) {
    wait();
    boxes.put(0, below);
    boxes.put(1, above);
    boxes.put(2, b);
    wait();
    // Rows are multiples of such that have 1 on the diagonal; beyond the ends there are none.
    T pivot = T(1), new_below = T(0), new_above = T(0);
    if (part >= s) {
      pivot -= below * boxes.get(1, part - s);
      b -= below * boxes.get(2, part - s);
      new_below = -below * boxes.get(0, part - s);
    }
    if (part + s < parts) {
      pivot -= above * boxes.get(0, part + s);
      b -= above * boxes.get(2, part + s);
      new_above = -above * boxes.get(1, part + s);
    }
    r = pivot_reciprocal(pivot, stage, row, failure);
    below = new_below * r;
    above = new_above * r;
    b *= r;
    ++stage;
  }
  wait();
  boxes.put(2, b);
  wait();
  return {b, part > 0 ? boxes.get(2, part - 1) : T(0)};
}

/// The item's failure, from those of its lanes; the same calls.
template <class T, class Boxes, class Wait>
BATCHWORK_INLINE TridiagonalFailure failure_of_item(TridiagonalFailure mine, int part, int parts,
                                                    Boxes const& boxes, Wait const& wait) {
  static_assert(sizeof(T) >= sizeof(std::uint32_t));
  for (int s = 1; s < parts; s *= 2) {
    wait();
    boxes.put_bits(mine.first);
    wait();
    mine.add(boxes.get_bits(part ^ s));
  }
  return mine;
}

/// The three numbers that a lane leaves for the lanes of its item.
template <class T>
struct PartBoxes {
  T* mine;
  int from_box_to_box, from_part_to_part, part;

  BATCHWORK_INLINE void put(int k, T x) const { mine[k * from_box_to_box] = x; }
  BATCHWORK_INLINE T get(int k, int other) const {
    return mine[k * from_box_to_box + (other - part) * from_part_to_part];
  }
  BATCHWORK_INLINE void put_bits(std::uint32_t x) const { memcpy(mine, &x, sizeof(x)); }
  BATCHWORK_INLINE std::uint32_t get_bits(int other) const {
    std::uint32_t x;
    memcpy(&x, mine + (other - part) * from_part_to_part, sizeof(x));
    return x;
  }
};

}  // namespace Batchwork::Impl

#endif
