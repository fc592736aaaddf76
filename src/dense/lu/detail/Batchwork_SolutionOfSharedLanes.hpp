// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolutionOfSharedLanes: the kernel of solve_lu on devices for one right-hand side and up to 32 rows, some lanes an item.
#ifndef BATCHWORK_SOLUTIONOFSHAREDLANES_HPP
#define BATCHWORK_SOLUTIONOFSHAREDLANES_HPP

#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_ItemsOfSharedLanes.hpp"

namespace Batchwork::Impl {

/// Rows to which the solution for a vector goes so.
inline constexpr int lu_rows_of_shared_lanes = 32;

/// Lanes that share a matrix, and teams of a multiprocessor: as were fastest (H200, CUDA 13).
template <class T, int N>
inline constexpr int lanes_of_solution = N <= 12                     ? 2
                                         : N <= 16 && sizeof(T) == 4 ? 4
                                         : N <= 24 || sizeof(T) == 4 ? 8
                                                                     : 16;
template <class T, int N>
inline constexpr int teams_of_solution = N > 24                      ? 3
                                         : sizeof(T) == 4 || N == 16 ? 4
                                                                     : 2;

/// a x = b by elimination with partial pivoting, for matrices of up to N rows; the identity is beyond them. A lane has whole rows in its
/// registers, with their numbers of b, and they stay where they are: in each step the lane of the pivot shows its row, and all others
/// take their multiple of it off theirs. So b comes out of the elimination as the solution of L y = P b, and nothing of L is kept. Then
/// each x in turn is shown by the lane that has its row. (Golub and Van Loan, Matrix Computations, 4th edition, sections 3.1 and 3.4.)
/// N^3 / 3 multiply-adds and N searches over L lanes. Where has_shuffles.
template <class T, int N>
struct SolutionOfSharedLanes
    : TeamsOfSharedLanes<T, lanes_of_solution<T, N>, N, teams_of_solution<T, N>> {
  static constexpr int L = lanes_of_solution<T, N>, mine = N / L;
  using Teams = TeamsOfSharedLanes<T, L, N, teams_of_solution<T, N>>;
  using Ex = Exchange<T, L, N>;
  static constexpr int deep = Ex::per_unit;
  static_assert(N % L == 0 && N % 2 == 0 && !Ex::ragged, "each lane has whole rows");
  static_assert(Ex::leading > N && N >= 4, "a number of b, and of x, stands behind each row");

  StoredItems<T const> a;
  LuProblem<T> p;

  SolutionOfSharedLanes(LuProblem<T> const& of, DeviceLimits const& limits)
      : Teams(of.items, limits), a(of.a, of.n, of.n), p(of) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    std::int64_t const item = of.begin + of.own();
    int const there = of.is_there() ? p.n : 0;
    Rows rows(of.grid());
    // Few numbers, which need not come and go in the order of memory: on their way meanwhile.
    rows.take_vector(item_of(p.b, there > 0 ? item : 0), p.b.row, there);
    of.load(a, p.n, p.n);
    rows.take_matrix(there);
    LaneGrid const& grid = rows.grid;
    grid.sync();
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) {
      if (k >= p.n) continue;
      rows.choose_pivot(k);
      rows.subtract(k);
    }
    std::int32_t code = rows.status();
    grid.sync();
    BATCHWORK_UNROLL
    for (int k = N - 1; k >= 0; --k)
      if (k < p.n) rows.substitute(k);

    grid.sync();
    bool finite = true;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const i = m * L + grid.lane;
      if (i >= there) continue;
      T const z = rows.solution(i);
      finite = finite && is_finite(z);
      item_of(p.x, item)[i * p.x.row] = code != 0 ? std::numeric_limits<T>::quiet_NaN() : z;
    }
    // Where only a result is not finite. A number of b may be what is not.
    bool const failed = grid.template largest<L>(finite ? 0 : 1) != 0;
    if (code == 0 && failed) code = Status::code(Reason::not_finite, 0);
    of.put_status(p.status, code);
  }

 private:
  struct Rows {
    LaneGrid grid;
    T own[mine][N], rest[mine];
    /// The place of a row's pivot, or that it has none yet: the mask of the bits that tell its size. A row that has one is less than
    /// any other then, in one instruction.
    std::int32_t place[mine];
    std::int32_t failure = 0;
    static constexpr std::int32_t open = std::numeric_limits<std::int32_t>::max();
    static BATCHWORK_INLINE std::int32_t taken(int k) {
      return k | std::numeric_limits<std::int32_t>::min();
    }
    static BATCHWORK_INLINE std::int32_t key_of_open(std::int32_t key, std::int32_t place) {
      return (key & place & open) | (place & ~open);
    }

    /// Tells lanes apart in the last bits, the first of several that are as large being the largest: so one search finds a size and its
    /// lane. Of numbers that are zero and those that are not the latter are larger.
    BATCHWORK_INLINE std::int32_t key_of_lane(std::int32_t key) const {
      std::int32_t const most = open - (L - 1);
      return (((key < most ? key : most) + (L - 1)) & ~(L - 1)) | (L - 1 - grid.lane);
    }

    BATCHWORK_INLINE explicit Rows(LaneGrid const& of) : grid(of) {}
    BATCHWORK_INLINE void take_vector(T const* from, std::int64_t row, int there) {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        int const i = m * L + grid.lane;
        rest[m] = i < there ? from[i * row] : T(0);
      }
    }
    /// The rows that are in the exchange. Those behind the matrix have no turn, and what is in its lines behind it goes into no result.
    BATCHWORK_INLINE void take_matrix(int there) {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        int const i = m * L + grid.lane;
        place[m] = i < there ? open : taken(i);
        BATCHWORK_UNROLL
        for (int k0 = 0; k0 < N; k0 += deep) {
          Unit<T> const u = *reinterpret_cast<Unit<T> const*>(line(i) + k0);
          BATCHWORK_UNROLL
          for (int e = 0; e < deep; ++e) own[m][k0 + e] = u.v[e];
        }
      }
    }

    BATCHWORK_INLINE T* line(int i) const { return grid.template numbers<T>() + i * Ex::leading; }
    /// Where pivot row k is shown, two in turn: one wait a step. Its number of b stands behind it.
    BATCHWORK_INLINE T* shown(int k) const { return line(k % 2); }
    /// What is divided by pivot k, scale and reciprocal, until the end.
    BATCHWORK_INLINE T* divisor(int k) const { return line(2 + 2 * k / N) + 2 * k % N; }
    BATCHWORK_INLINE T& solution(int i) const { return line(i)[N]; }

    BATCHWORK_INLINE void choose_pivot(int k) {
      std::int32_t largest = key_of_open(pivot_key(own[0][k]), place[0]);
      int which = 0;
      T pivot = own[0][k];
      BATCHWORK_UNROLL
      for (int m = 1; m < mine; ++m) {
        std::int32_t const key = key_of_open(pivot_key(own[m][k]), place[m]);
        bool const larger = key > largest;
        largest = larger ? key : largest;
        which = larger ? m : which;
        pivot = larger ? own[m][k] : pivot;
      }
      // Every lane divides by its own: the search need not be over for that.
      PivotReciprocal<T> const d = pivot_divisor(pivot, largest);
      std::int32_t const key = key_of_lane(largest);
      if (grid.template largest<L>(key) == key) {
        bool const infinite = largest >= pivot_key(std::numeric_limits<T>::infinity());
        if ((largest == 0 || infinite) && failure == 0) failure = (N - k) * 2 + (infinite ? 0 : 1);
        T const both[2] = {d.scale, d.inverse};
        write_together(divisor(k), both);
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) {
          if (m != which) continue;
          place[m] = taken(k);
          T* const to = shown(k);
          to[N] = rest[m];
          BATCHWORK_UNROLL
          for (int j0 = 0; j0 < N; j0 += deep) {
            if (j0 + deep <= k + 1) continue;
            Unit<T> u;
            BATCHWORK_UNROLL
            for (int e = 0; e < deep; ++e) u.v[e] = own[m][j0 + e];
            *reinterpret_cast<Unit<T>*>(to + j0) = u;
          }
        }
      }
      grid.sync();
    }
    BATCHWORK_INLINE void subtract(int k) {
      T d[2], l[mine];
      read_together(d, divisor(k));
      T const* const from = shown(k);
      T const of_b = from[N];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        T const quotient = own[m][k] * d[0] * d[1];
        l[m] = place[m] >= 0 ? quotient : T(0);
        rest[m] -= l[m] * of_b;
      }
      BATCHWORK_UNROLL
      for (int j0 = 0; j0 < N; j0 += deep) {
        if (j0 + deep <= k + 1) continue;
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(from + j0);
        BATCHWORK_UNROLL
        for (int e = 0; e < deep; ++e) {
          if (j0 + e <= k) continue;
          BATCHWORK_UNROLL
          for (int m = 0; m < mine; ++m) own[m][j0 + e] -= l[m] * u.v[e];
        }
      }
    }
    /// 0 or that of the first pivot that is zero or not finite.
    BATCHWORK_INLINE std::int32_t status() const {
      std::int32_t const first = grid.template largest<L>(failure);
      return first == 0 ? 0
                        : Status::code(first % 2 == 1 ? Reason::singular : Reason::not_finite,
                                       N - first / 2 + 1);
    }
    BATCHWORK_INLINE void substitute(int k) {
      T d[2];
      read_together(d, divisor(k));
      T left = rest[0];
      bool found = place[0] == taken(k);
      BATCHWORK_UNROLL
      for (int m = 1; m < mine; ++m) {
        bool const here = place[m] == taken(k);
        left = here ? rest[m] : left;
        found = found || here;
      }
      if (found) solution(k) = left * d[0] * d[1];
      grid.sync();
      T const z = solution(k);
      // Rows in places behind k are done with: what becomes of them does not matter.
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) rest[m] -= own[m][k] * z;
    }
  };
};

}  // namespace Batchwork::Impl

#endif
