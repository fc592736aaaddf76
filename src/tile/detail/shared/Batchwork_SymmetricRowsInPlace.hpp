// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymmetricRowsInPlace: elimination of a symmetric matrix with the pivots of Bunch and Kaufman by
/// the lanes that share an item, without exchanges of rows and columns.
#ifndef BATCHWORK_SYMMETRICROWSINPLACE_HPP
#define BATCHWORK_SYMMETRICROWSINPLACE_HPP

#include "core/detail/Batchwork_SymmetricElimination.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "tile/detail/shared/Batchwork_RowsOfLanes.hpp"

namespace Batchwork::Impl {

/// eliminate_symmetric for a SymmetricOfLanes. Rows and columns are not moved until the end; all
/// lanes know which of them have no place yet, one bit each (open). The diagonal entry of the first
/// open row is tested as a pivot first. The row of a pivot is published. Because the matrix is
/// symmetric, a lane finds there, at the number of its own row, the entry of that row in the
/// pivot's column. The exchange keeps column k of L as line k, where the row of pivot k was
/// published.
///
/// Steps are iterations of one loop, which items take independently: an item with pairs needs
/// fewer. All columns take part in all steps, N^3 multiply-adds; exchanges would save two thirds of
/// these, but need separate code for each number.
template <class Factors>
struct SymmetricRowsInPlace {
  using S = typename Factors::Lines::value_type;
  using T = typename Factors::T;
  using Ex = typename Factors::Ex;
  static constexpr int N = Factors::rows, L = Factors::L, mine = Factors::mine;
  static_assert(N <= 32, "a bit for each row");
  static_assert(Ex::stride >= 2 * N, "of a row of D two numbers are shown");

  Factors& of;
  LaneGrid const& grid;
  unsigned open = N < 32 ? (1u << N) - 1u : ~0u;
  unsigned pairs = 0;  ///< one bit for each place at which a pair begins
  int k = 0;

  BATCHWORK_INLINE explicit SymmetricRowsInPlace(Factors& a) : of(a), grid(a.grid) {}

  BATCHWORK_INLINE std::int32_t eliminate() {
    // Other lanes have read their data from the exchange.
    grid.sync();
    BATCHWORK_KEEP_LOOP
    while (grid.lanes.any(open != 0)) step();
    bring_to_places();
    return of.first_status([&](int m, int place) {
      RowOfD<T> const& row = of.of_d[m];
      return row.kind == T(2)
                 ? 0
                 : symmetric_pivot_status<T>(row.kind == T(1), row.d, row.e, row.partner, place);
    });
  }

  BATCHWORK_INLINE T get(int m, int i) const { return of.at(m, i); }

 private:
  /// The row of a pivot where it is published, and the entries that a lane needs from it, those in
  /// its own rows.
  struct Published {
    int at;
    T own[mine];
  };
  BATCHWORK_INLINE bool is_open(int m) const { return (open >> of.column(m) & 1u) != 0; }
  /// The start of line `place` in the exchange; for an item without open rows the last line, which
  /// is never written.
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

  /// The largest key of the entries in open rows other than r. The last bits may be replaced by row
  /// numbers: sizes are then compared by 15 bits, which hardly changes the bound of the growth. A
  /// number without remaining bits is increased, so that it is not taken for zero.
  template <bool WithRows>
  BATCHWORK_INLINE std::int32_t largest_beside(Published const& x, int r) const {
    unsigned const others = open & ~(1u << r);
    auto const key = [&](T const& entry, int row) {
      std::int32_t const size = pivot_key(entry);
      std::int32_t const some = size > 0 && size < 32 ? 32 : size;
      return (others >> row & 1u) == 0 ? -1 : WithRows ? (some & ~31) | row : size;
    };
    std::int32_t largest = -1;
    if constexpr (Vendor::has_shuffles) {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        std::int32_t const own = key(x.own[m], of.column(m));
        largest = own > largest ? own : largest;
      }
      return grid.template largest<L>(largest);
    } else {
      // The exchange, through which lanes search together, is in use.
      for (int i = 0; i < N; ++i) {
        std::int32_t const of_row = key(numbers()[x.at + i], i);
        largest = of_row > largest ? of_row : largest;
      }
      return largest;
    }
  }

  /// A pivot, or a pair of them. Does nothing if no row is open.
  BATCHWORK_INLINE void step() {
    int const p = Vendor::countr_zero(open | 1u << (N - 1));
    int const first = line(k), second = line(k + 1);
    publish(first, p, open != 0);
    Published const x = seen(first);
    std::int32_t const largest = largest_beside<true>(x, p);
    int const r = largest < 0 ? p : largest & 31;
    T const head = numbers()[first + p], e = numbers()[first + r];
    PivotReciprocal<T> const by_e(e);
    bool const small = largest >= 0 && !(abs(head) >= pivot_share<T> * abs(e));
    Published y = x;
    T next = head;
    bool other = false, pair = false;
    if (grid.lanes.any(small)) {
      publish(second, r, small);
      // For other items the numbers read here are not used.
      y = seen(small ? second : first);
      next = numbers()[y.at + r];
      T const most = std::numeric_limits<T>::max(),
              beside = size_of_pivot_key<T>(largest_beside<false>(y, r)),
              ratio = abs(T(by_e * beside)), growth = ratio > most ? most : ratio;
      bool const kept = abs(T(by_e * head)) * growth >= pivot_share<T>;
      other = small && !kept && abs(next) >= pivot_share<T> * beside;
      pair = small && !kept && !other;
    }
    T const pivot = other ? next : head;
    auto const by_pivot = pivot_divisor(pivot);
    SymmetricPivot<T> const divide(pair ? by_e : by_pivot, pair, pivot, next);
    // The entry of L in these columns is a sum of entries of both rows, divided.
    T const of_first = pair    ? divide.t * divide.v
                       : other ? T(0)
                               : T(1),
            of_both = pair    ? -divide.t
                      : other ? T(1)
                              : T(0),
            of_second = divide.t * divide.u;
    T l[mine], l_second[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      T const c = divide.divisor * x.own[m], d = divide.divisor * y.own[m];
      l[m] = of_first * c + of_both * d;
      l_second[m] = of_second * d + of_both * c;
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
      T const column = is_q   ? pivot
                       : is_r ? e
                              : l[m],
              column_second = is_q   ? e
                              : is_r ? next
                                     : l_second[m];
      if (own) numbers()[first + c] = column;
      if (own && pair) numbers()[second + c] = column_second;
      of.place[m] = is_q ? k : is_r ? k + 1 : of.place[m];
    }
    pairs |= pair ? 1u << k : 0u;
    open &= ~(1u << q | (pair ? 1u << r : 0u));
    k += pair ? 2 : 1;
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

  /// 0 for a place with a 1 x 1 pivot, 1 and 2 for a pair.
  BATCHWORK_INLINE int kind_at(int place) const {
    return (pairs >> place & 1u) != 0 ? 1 : (pairs << 1 >> place & 1u) != 0 ? 2 : 0;
  }
  /// Moves the rows and columns of L, from its columns, and the rows of D to the lanes of their
  /// places.
  BATCHWORK_INLINE void bring_to_places() {
    T* const base = numbers();
    T d[mine], e[mine];
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      d[m] = T(0);
      e[m] = T(1);
      if ((m + 1) * L > N && of.column(m) >= N) continue;
      // The lane of a row takes the entries of D out of the columns.
      int const kind = kind_at(of.place[m]), beside = of.place[m] + (kind == 1) - (kind == 2);
      T *const diagonal = base + of.place[m] * Ex::leading + of.row(m), *const partner =
                                                                            base +
                                                                            beside * Ex::leading +
                                                                            of.row(m);
      d[m] = *diagonal;
      e[m] = kind == 0 ? T(1) : *partner;
      *diagonal = *partner = T(0);
    }
    // Lanes without a row read the row of another lane.
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) of.at(m, i) = base[i * Ex::leading + of.row(m)];
    }
    stage_lines_at<S, N, N>(*this, of.place, grid);
    // A lane with several rows reads them by units; for one with a single row registers are more
    // important.
    if constexpr (mine > 1) take_own_lines<N, N, 0, S>(of.a, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const row = of.row(m);
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) {
        int const in_row = row * Ex::leading + i, in_column = i * Ex::leading + row;
        bool const behind = i > m * L && i > row;
        if constexpr (mine == 1) {
          of.at(m, i) = base[behind ? in_column : in_row];
        } else if (i > m * L) {
          T const own = of.at(m, i), of_column = base[in_column];
          of.at(m, i) = behind ? of_column : own;
        }
      }
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      T const row[2] = {d[m], e[m]};
      if (of.column(m) < N) write_together(base + 2 * of.place[m], row);
    }
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const kind = kind_at(of.row(m)), beside = of.row(m) + (kind == 1) - (kind == 2);
      T row[2];
      read_together(row, base + 2 * of.row(m));
      of.of_d[m] = {T(kind), row[0], row[1], base[2 * beside]};
    }
  }
};

}  // namespace Batchwork::Impl

#endif
