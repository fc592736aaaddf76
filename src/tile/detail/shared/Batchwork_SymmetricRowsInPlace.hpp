// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymmetricRowsInPlace: elimination of a symmetric matrix with the pivots of Bunch and Kaufman by the lanes that share an item, without
/// exchanges of rows and columns.
#ifndef BATCHWORK_SYMMETRICROWSINPLACE_HPP
#define BATCHWORK_SYMMETRICROWSINPLACE_HPP

#include "core/detail/Batchwork_SymmetricElimination.hpp"
#include "tile/detail/shared/Batchwork_RowsOfLanes.hpp"

namespace Batchwork::Impl {

/// What eliminate_symmetric does, for a SymmetricOfLanes. Rows and columns stay where they are until the end: which of them are not yet in a
/// place all lanes know, a bit each (open). The first of the open rows is the one whose diagonal entry is asked for a pivot. A pivot's
/// row is published, and a lane finds there, at the number of its own row, what that row has in the pivot's column: the matrix is
/// symmetric. The exchange keeps column k of L as line k, where the row of pivot k was published.
///
/// Steps are turns of one loop, and items take them as they want to: one with pairs has fewer. All columns take part in all of them,
/// N^3 multiply-adds, where exchanges would spare two thirds of these but write each number's way out.
template <class Factors>
struct SymmetricRowsInPlace {
  using S = typename Factors::Lines::value_type;
  using T = typename Factors::T;
  using Ex = typename Factors::Ex;
  static constexpr int N = Factors::rows, L = Factors::L, mine = Factors::mine;
  static_assert(N <= 32, "a bit for each row");
  static_assert(Ex::stride >= 4 * N, "a row of D is four numbers");

  Factors& of;
  LaneGrid const& grid;
  unsigned open = N < 32 ? (1u << N) - 1u : ~0u;
  int k = 0;

  BATCHWORK_INLINE explicit SymmetricRowsInPlace(Factors& a) : of(a), grid(a.grid) {}

  BATCHWORK_INLINE std::int32_t eliminate() {
    std::int32_t info = 0;
    // What others read of something else is read.
    grid.sync();
    BATCHWORK_KEEP_LOOP
    while (grid.lanes.any(open != 0)) info = first_failure(info, step());
    bring_to_places();
    return info;
  }

  BATCHWORK_INLINE T get(int m, int i) const { return of.at(m, i); }

 private:
  /// The row of a pivot where it is published, and what a lane has to do with it: the entries in its own rows.
  struct Published {
    int at;
    T own[mine];
  };
  struct Largest {
    std::int32_t key;
    int row;
  };

  BATCHWORK_INLINE bool is_open(int m) const { return (open >> of.column(m) & 1u) != 0; }
  /// Where in the exchange line `place` begins; of an item that has no open row any more the last one, which nobody writes.
  static BATCHWORK_INLINE int line(int place) { return (place < N ? place : N - 1) * Ex::leading; }
  BATCHWORK_INLINE void publish(int at, int r, bool wanted) const {
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      if (wanted && of.column(m) == r) of.publish(numbers() + at, m, 0);
    grid.sync();
  }
  BATCHWORK_INLINE T* numbers() const { return grid.template numbers<T>(); }
  BATCHWORK_INLINE Published seen(int at) const {
    Published x;
    x.at = at;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) x.own[m] = numbers()[at + of.row(m)];
    return x;
  }

  /// The largest entry in an open row other than r: of several any. A key of -1 where there is none.
  BATCHWORK_INLINE Largest largest_beside(Published const& x, int r) const {
    unsigned const others = open & ~(1u << r);
    if constexpr (Vendor::has_shuffles) {
      Largest best{-1, grid.lane};
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        std::int32_t const key = (others >> of.column(m) & 1u) != 0 ? pivot_key(x.own[m]) : -1;
        bool const larger = key > best.key;
        best.key = larger ? key : best.key;
        best.row = larger ? of.column(m) : best.row;
      }
      int const from = grid.template lane_of_largest<L>(best.key);
      if constexpr (mine > 1) best.row = grid.template broadcast<L>(best.row, from);
      else best.row = from;
      return best;
    } else {
      // The exchange, through which lanes search together, is taken.
      Largest best{-1, 0};
      for (int i = 0; i < N; ++i) {
        std::int32_t const key = (others >> i & 1u) != 0 ? pivot_key(numbers()[x.at + i]) : -1;
        best = key > best.key ? Largest{key, i} : best;
      }
      return best;
    }
  }
  BATCHWORK_INLINE std::int32_t largest_key_beside(Published const& y, int r) const {
    if constexpr (Vendor::has_shuffles) {
      std::int32_t largest = -1;
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        std::int32_t const key = is_open(m) && of.column(m) != r ? pivot_key(y.own[m]) : -1;
        largest = key > largest ? key : largest;
      }
      return grid.template largest<L>(largest);
    } else {
      return largest_beside(y, r).key;
    }
  }

  /// A pivot, or a pair of them. Nothing where no row is open.
  BATCHWORK_INLINE std::int32_t step() {
    int const p = Vendor::lowest_bit(open | 1u << (N - 1));
    int const first = line(k), second = line(k + 1);
    publish(first, p, open != 0);
    Published const x = seen(first);
    int const r = largest_beside(x, p).row;
    T const head = numbers()[first + p], e = numbers()[first + r];
    bool const alone = (open & (open - 1u)) == 0;
    bool const small = !alone && !(abs(head) >= pivot_share<T> * abs(e));
    Published y = x;
    T next = head;
    bool other = false, pair = false;
    if (grid.lanes.any(small)) {
      publish(second, r, small);
      // Of other items nothing that is read here is used.
      y = seen(small ? second : first);
      next = numbers()[y.at + r];
      std::int32_t const of_others = largest_key_beside(y, r), of_e = pivot_key(e);
      T const beside = size_of_pivot_key<T>(of_others > of_e ? of_others : of_e);
      bool const kept = keeps_pivot(head, T(abs(e)), T(PivotReciprocal<T>(beside) * T(abs(e))));
      other = small && !kept && abs(next) >= pivot_share<T> * beside;
      pair = small && !kept && !other;
    }
    T const pivot = other ? next : head;
    SymmetricPivot<T> const divide(pair, pivot, e, next);
    T l[mine], l_second[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      T const of_x = x.own[m], of_y = y.own[m];
      T const c = divide.divisor * (other ? of_y : of_x), d = divide.divisor * of_y;
      T const of_first = divide.first(c, d);
      l[m] = pair ? of_first : c;
      l_second[m] = divide.second(c, d);
    }
    subtract(l, other ? second : first);
    if (pair) subtract(l_second, second);
    // The rows are read: L takes their places.
    grid.sync();
    int const q = other ? r : p;
    bool const any_left = open != 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const c = of.column(m);
      bool const is_q = any_left && c == q, is_r = pair && c == r, own = is_open(m);
      // L has a zero beside the diagonal of a pair.
      if (own) numbers()[first + c] = is_q || is_r ? T(0) : l[m];
      if (own && pair) numbers()[second + c] = is_q || is_r ? T(0) : l_second[m];
      of.place[m] = is_q ? k : is_r ? k + 1 : of.place[m];
      auto& row = of.of_d[m];
      row.kind = is_r ? T(2) : is_q && pair ? T(1) : row.kind;
      row.d = is_q ? pivot : is_r ? next : row.d;
      row.e = pair && (is_q || is_r) ? e : row.e;
      row.partner = is_r ? head : is_q && pair ? next : row.partner;
    }
    std::int32_t const status = symmetric_pivot_status<T>(pair, pivot, e, next, k);
    open &= ~(1u << q | (pair ? 1u << r : 0u));
    k += pair ? 2 : 1;
    return any_left ? status : 0;
  }

  BATCHWORK_INLINE void subtract(T const (&l)[mine], int at) {
    T const* const row = numbers() + at;
    BATCHWORK_UNROLL
    for (int i0 = 0; i0 < N; i0 += Ex::per_unit) {
      Unit<T> const u = *reinterpret_cast<Unit<T> const*>(row + i0);
      BATCHWORK_UNROLL
      for (int n = 0; n < Ex::per_unit; ++n) {
        if (i0 + n >= N) continue;
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) of.at(m, i0 + n) -= l[m] * u.v[n];
      }
    }
  }

  /// The rows and columns of L from its columns, and the rows of D, each to the lane of its place.
  BATCHWORK_INLINE void bring_to_places() {
    T* const base = numbers();
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) of.at(m, i) = base[i * Ex::leading + of.row(m)];
    }
    stage_lines_at<S, N, N>(*this, of.place, grid);
    take_own_lines<N, N, 0, S>(of.a, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = m * L + 1; i < N; ++i) {
        T const in_row = of.at(m, i), in_column = base[i * Ex::leading + of.row(m)];
        of.at(m, i) = i > of.column(m) ? in_column : in_row;
      }
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      if (of.column(m) >= N) continue;
      T const row[4] = {of.of_d[m].kind, of.of_d[m].d, of.of_d[m].e, of.of_d[m].partner};
      write_together(base + 4 * of.place[m], row);
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      T row[4];
      read_together(row, base + 4 * of.row(m));
      of.of_d[m] = {row[0], row[1], row[2], row[3]};
    }
  }
};

}  // namespace Batchwork::Impl

#endif
