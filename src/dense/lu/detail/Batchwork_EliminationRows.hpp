// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EliminationRows: elimination of matrices of up to 64 rows by a warp each, whose lanes hold a
/// whole row or two in registers. Kernels of lu, solve_lu and determinant, and of direct solves,
/// are made of it.
#ifndef BATCHWORK_ELIMINATIONROWS_HPP
#define BATCHWORK_ELIMINATIONROWS_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/lu/detail/Batchwork_WarpsOfItem.hpp"
#include "team/detail/Batchwork_PivotSearch.hpp"
#include "team/detail/Batchwork_Substitution.hpp"

namespace Batchwork::Impl {

/// A matrix of up to N rows, a multiple of 8; lane l of a warp has row l, and row 32 + l.
/// Elimination with row pivoting, a column a step, by outer products (Golub and Van Loan, Matrix
/// Computations, 4th edition, section 3.4.1; LAPACK's getf2). Rows stay where they are: the lane
/// with the pivot writes what is left of its row to scratch, from where all others read it.
///
/// What is left of a row begins at its first register in every step: the number behind it, less its
/// multiple of the pivot's row, comes to its place. So one loop does eight steps, for rows that are
/// eight numbers shorter than in the loop before, and the code of all loops stays in the cache. The
/// search for the next pivot begins when the first numbers are there, and ends while the others are
/// computed. One wait a step.
///
/// Where a lane has two rows, the first columns are eliminated by themselves, and the others, which
/// come to registers then, catch up with them. A lane that held all columns had no registers to
/// read ahead the pivot's row, and there were fewer lanes at once.
///
/// L and U stay in scratch, in the places of the matrix, but U moved to the right, to where 16
/// bytes are aligned: see `u`. Where has_shuffles.
///
/// OneSide: there is one vector, whose forward substitution goes along with the elimination.
/// KeepsL: L is left in scratch.
template <class T, int N, bool OneSide, bool KeepsL>
struct EliminationRows : WarpsOfItem<T, N, 1> {
  using Base = WarpsOfItem<T, N, 1>;
  using Base::count, Base::n;
  using typename Base::Here;
  static_assert(N % 8 == 0 && N >= lanes_of_warp && N <= 64);

  static constexpr bool by_rows = true, in_scratch = false;
  static constexpr int rows = N;
  static constexpr int of_lane = (N + lanes_of_warp - 1) / lanes_of_warp;  ///< rows of a lane
  using Dealt = RowsOfWarp<of_lane, false>;
  /// Columns that are eliminated first, as a panel, and columns that registers hold then.
  static constexpr int panel = of_lane == 1               ? 0
                               : sizeof(T) == 8 && N > 56 ? 16
                                                          : 8,
                       held = N - panel;
  /// Numbers that are read at once, and those from one row to the next, so that lanes that read the
  /// same place of theirs do not wait for each other.
  static constexpr int together = 16 / int(sizeof(T)), leading = N + together;
  /// Items of a team: a sector of 32 bytes of neighbouring ones.
  static constexpr int most_items = 32 / int(sizeof(T));
  /// Where items are not near each other.
  static constexpr int usual_items = N > 32 ? 2 : 4;
  /// Registers of a lane for its rows.
  static constexpr int registers_held = of_lane * held * int(sizeof(T)) / 4;
  /// The largest team for which each lane has these registers and the others that were measured.
  static constexpr int largest_team = lanes_with_registers(registers_held + 36, 1024),
                       wanted_teams = 1;

  // The layout of an item's scratch: the matrix, a right-hand side, the solution, and the
  // reciprocals of the pivots.
  static constexpr int matrix_numbers = N * leading, to_before = matrix_numbers,
                       to_after = to_before + N, to_reciprocals = to_after + N,
                       item_numbers = to_reciprocals + 2 * N;
  /// Behind them for each row its place, and for each place its row.
  static constexpr std::size_t item_bytes = item_numbers * sizeof(T) + 2 * N * 2;
  static_assert(item_bytes % 16 == 0);

  /// The number of a matrix before it is eliminated, and one of L.
  static constexpr BATCHWORK_INLINE int place_of(int i, int j) { return i * leading + j; }
  /// How far U of the row in place k is moved.
  static constexpr BATCHWORK_INLINE int moved(int k) {
    return k < panel ? 0 : int(unsigned(together - k % together) % together);
  }
  /// One of U, of a row that is in place k.
  static constexpr BATCHWORK_INLINE int u(int i, int j, int k) {
    return i * leading + j + moved(k);
  }
  /// A number of the factors.
  static BATCHWORK_INLINE T factor(Here const& here, int i, int j) {
    int const k = here.place[i];
    return here.numbers[j < k ? place_of(i, j) : u(i, j, k)];
  }

  /// No row in a place.
  BATCHWORK_INLINE void begin(Here const& here) const {
    for (int i = here.lane; i < N; i += count) {
      here.place[i] = -1;
      here.order[i] = std::int16_t(i);
    }
  }

  // ---- elimination ----

  /// \param prepare  changes some columns of the lane's rows before the elimination,
  /// prepare(numbers, first column)
  template <class Member, class Prepare = MatrixAsItIs>
  BATCHWORK_INLINE void factorise(Member const& member, Here const& here,
                                  Prepare const& prepare = {}) const {
    Rest rest;
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) rest.place[s] = row_of(here, s) < n ? -1 : N;
    if constexpr (panel == 0) {
      read_rows(here, rest.x, 0);
      prepare(rest.x, 0);
    }
    Vendor::warp_sync(member);
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = row_of(here, s);
      rest.y[s] = OneSide && row < n ? here.numbers[to_before + row] : T(0);
    }
    if constexpr (panel > 0) eliminate_panel(here, rest, prepare);
    rest.search(rest.x);
    eliminate<held>(here, rest);
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = row_of(here, s);
      if (OneSide && row < N) here.numbers[to_before + row] = rest.y[s];
    }
    Vendor::warp_sync(member);
  }
  static BATCHWORK_INLINE int row_of(Here const& here, int s) {
    return Dealt::row(here.in_warp, s);
  }

  /// U from where it was moved to: all of it overwrites the matrix.
  BATCHWORK_INLINE void move_back(Here const& here) const {
    if constexpr (together > 1) {
      for (int i = here.in_warp; i < n; i += lanes_of_warp) {
        int const k = here.place[i], by = moved(k);
        if (by == 0) continue;
        T* const row = here.numbers + place_of(i, 0);
        for (int j = k; j < n; ++j) row[j] = row[j + by];
      }
    }
  }

  // ---- what comes of the factors ----

  BATCHWORK_INLINE T pivot(Here const& here, int k) const {
    return here.numbers[u(here.order[k], k, k)];
  }
  BATCHWORK_INLINE std::int32_t status(Here const& here) const {
    return Base::status_of(here, [&](int k) { return pivot(here, k); });
  }
  /// L y = P b for one vector more, in to_before, as the elimination does it along with the first;
  /// then `backward`.
  BATCHWORK_INLINE void forward(Here const& here) const {
    static_assert(KeepsL);
    T* const before = here.numbers + to_before;
    T y[of_lane];
    int place[of_lane];
    T const* row[of_lane];
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const i = row_of(here, s);
      place[s] = i < n ? here.place[i] : -1;
      y[s] = i < n ? before[i] : T(0);
      row[s] = here.numbers + place_of(i < n ? i : 0, 0);
    }
    Dealt::forward(n, here.order, y, place,
                   [&](int s, int k0, T(&l)[4]) { read_together(l, row[s] + k0); });
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s)
      if (row_of(here, s) < n) before[row_of(here, s)] = y[s];
    Vendor::warp_sync();
  }
  /// U x = y for the one vector: x_k goes from the lane that has it to all above it.
  BATCHWORK_INLINE void backward(Here const& here) const {
    T *const before = here.numbers + to_before, *const after = here.numbers + to_after;
    T y[of_lane];
    int place[of_lane];
    T const* row[of_lane];
    PivotReciprocal<T> divisor[of_lane];
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const i = row_of(here, s), some = i < n ? i : 0, k = here.place[some];
      place[s] = i < n ? k : N;
      y[s] = before[some];
      row[s] = here.numbers + u(some, 0, k);
      divisor[s] = this->reciprocal(here.numbers + to_reciprocals, k);
    }
    Dealt::template backward<false>(
        n, here.order, y, place, divisor,
        [&](int s, int k0, T(&above)[4]) {
          BATCHWORK_UNROLL
          for (int q = 0; q < 4; ++q) above[q] = row[s][k0 + q];
        },
        [&](int k, T known) {
          if (here.in_warp == 0) after[k] = known;
        });
    Vendor::warp_sync();
  }

 private:
  /// The rows of a lane, and the pivot that is next.
  struct Rest {
    T x[of_lane][held], y[of_lane];
    int place[of_lane];  ///< -1 while it has none
    PivotSearch<of_lane, false> pivot;
    T inverse;  ///< of the own candidate, times its scale

    BATCHWORK_INLINE int row() const { return Dealt::row(pivot.lane, pivot.slot_of_lane); }

    /// For the pivot of the first column of `numbers`.
    template <int Width>
    BATCHWORK_INLINE void search(T const (&numbers)[of_lane][Width]) {
      pivot.find_own([&](int s) { return place[s] < 0 ? pivot_key(numbers[s][0]) : -1; });
      pivot.find();
      T const own = Dealt::of_slot(pivot.slot, [&](int s) { return numbers[s][0]; });
      inverse = pivot_divisor(own, pivot.own).inverse;
    }
  };

  template <int Width>
  static BATCHWORK_INLINE void read_rows(Here const& here, T (&x)[of_lane][Width], int column) {
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      int const row = row_of(here, s);
      // Of a row that is not there, numbers that no other lane writes.
      read_together(x[s], here.numbers + place_of(row < N ? row : here.in_warp, column));
    }
  }
  /// The lane's row s comes to place k.
  static BATCHWORK_INLINE void put_in_place(Here const& here, Rest& rest, int s, int k) {
    int const row = row_of(here, s);
    if constexpr (OneSide) here.numbers[to_after + k] = rest.y[s];
    here.numbers[to_reciprocals + 2 * k] = scale_of_pivot<T>(rest.pivot.key);
    here.numbers[to_reciprocals + 2 * k + 1] = rest.inverse;
    here.place[row] = std::int16_t(k);
    here.order[k] = std::int16_t(row);
    rest.place[s] = k;
  }

  /// The first columns, as `step` does it, but number by number; then what their pivots are
  /// responsible for is taken off the others.
  template <class Prepare>
  BATCHWORK_INLINE void eliminate_panel(Here const& here, Rest& rest,
                                        Prepare const& prepare) const {
    int const some = n < panel ? n : panel;
    T x[of_lane][panel];
    read_rows(here, x, 0);
    prepare(x, 0);
    rest.search(x);
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < some; ++k) {
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        if (here.in_warp != rest.pivot.lane || rest.pivot.slot != s) continue;
        T* const line = here.numbers + place_of(row_of(here, s), k);
        BATCHWORK_UNROLL
        for (int j = 0; j < panel; ++j)
          if (k + j < panel) line[j] = x[s][j];
        put_in_place(here, rest, s, k);
      }
      T const* const line = here.numbers + place_of(rest.row(), k);
      Vendor::warp_sync();
      PivotReciprocal<T> const divisor = this->reciprocal(here.numbers + to_reciprocals, k);
      T const known = OneSide ? here.numbers[to_after + k] : T(0);
      T l[of_lane];
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        bool const has_none = rest.place[s] < 0;
        l[s] = has_none ? divisor * x[s][0] : T(0);
        if (has_none) here.numbers[place_of(row_of(here, s), k)] = l[s];
        rest.y[s] -= l[s] * known;
      }
      BATCHWORK_UNROLL
      for (int j = 1; j < panel; ++j) {
        if (k + j >= panel) continue;
        T const of_pivot = line[j];
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) x[s][j - 1] = x[s][j] - l[s] * of_pivot;
      }
      if (k + 1 < some) rest.search(x);
    }
    read_rows(here, rest.x, panel);
    prepare(rest.x, panel);
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < some; ++k) {
      int const row = here.order[k];
      T* const line = here.numbers + place_of(row, panel);
      T l[of_lane];
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) {
        int const own = row_of(here, s);
        if (row == own) write_together(line, rest.x[s]);
        bool const takes = own < n && (rest.place[s] < 0 || rest.place[s] > k);
        l[s] = takes ? here.numbers[place_of(own, k)] : T(0);
      }
      Vendor::warp_sync();
      BATCHWORK_UNROLL
      for (int j = 0; j < held; j += together) {
        T of_pivot[together];
        read_together(of_pivot, line + j);
        BATCHWORK_UNROLL
        for (int e = 0; e < together; ++e) {
          BATCHWORK_UNROLL
          for (int s = 0; s < of_lane; ++s) rest.x[s][j + e] -= l[s] * of_pivot[e];
        }
      }
    }
  }

  template <int Width>
  BATCHWORK_INLINE void eliminate(Here const& here, Rest& rest) const {
    int const k0 = N - Width;
    BATCHWORK_KEEP_LOOP
    for (int k = k0; k < k0 + 8; ++k) {
      if (k >= n) return;
      step<Width>(here, rest, k);
    }
    if constexpr (Width > 8) eliminate<Width - 8>(here, rest);
  }
  /// Step k, whose rows have up to Width numbers left.
  template <int Width>
  BATCHWORK_INLINE void step(Here const& here, Rest& rest, int k) const {
    bool const has_pivot = here.in_warp == rest.pivot.lane;
    // Of the last eight.
    auto const is_beyond = [&](int j) { return j > Width - 8 && k + j >= N; };
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      if (!has_pivot || rest.pivot.slot != s) continue;
      int const row = row_of(here, s);
      T* const line = here.numbers + u(row, k, k);
      BATCHWORK_UNROLL
      for (int j = 0; j < Width; j += together) {
        if (is_beyond(j)) continue;
        T some[together];
        BATCHWORK_UNROLL
        for (int e = 0; e < together; ++e) some[e] = rest.x[s][j + e];
        write_together(line + j, some);
      }
      put_in_place(here, rest, s, k);
    }
    T const* const line = here.numbers + u(rest.row(), k, k);
    Vendor::warp_sync();
    PivotReciprocal<T> const divisor = this->reciprocal(here.numbers + to_reciprocals, k);
    T const known = OneSide ? here.numbers[to_after + k] : T(0);
    T l[of_lane];
    BATCHWORK_UNROLL
    for (int s = 0; s < of_lane; ++s) {
      // Of a row that has a place nothing is taken, whatever it holds.
      bool const has_none = rest.place[s] < 0;
      l[s] = has_none ? divisor * rest.x[s][0] : T(0);
      if (KeepsL && has_none) here.numbers[place_of(row_of(here, s), k)] = l[s];
    }
    auto const subtract = [&](int j) {
      if (is_beyond(j)) return;
      T some[together];
      read_together(some, line + j);
      BATCHWORK_UNROLL
      for (int e = 0; e < together; ++e) {
        if (j + e == 0) continue;
        BATCHWORK_UNROLL
        for (int s = 0; s < of_lane; ++s) rest.x[s][j + e - 1] = rest.x[s][j + e] - l[s] * some[e];
      }
    };
    subtract(0);
    rest.search(rest.x);
    if constexpr (OneSide) {
      BATCHWORK_UNROLL
      for (int s = 0; s < of_lane; ++s) rest.y[s] -= l[s] * known;
    }
    BATCHWORK_UNROLL
    for (int j = together; j < Width; j += together) subtract(j);
  }
};

}  // namespace Batchwork::Impl

#endif
