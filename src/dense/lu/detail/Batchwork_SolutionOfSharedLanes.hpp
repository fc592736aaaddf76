// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolutionOfSharedLanes: the kernel of solve_lu on devices for one right-hand side and up to 32 rows, some lanes an item.
#ifndef BATCHWORK_SOLUTIONOFSHAREDLANES_HPP
#define BATCHWORK_SOLUTIONOFSHAREDLANES_HPP

#include <cstdint>
#include <limits>

#include "core/Batchwork_Status.hpp"
#include "dense/lu/detail/Batchwork_LuProblem.hpp"
#include "launch/detail/Batchwork_ItemsOfSharedLanes.hpp"
#include "tile/detail/shared/Batchwork_OpenRows.hpp"

namespace Batchwork::Impl {

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
    Rows rows(of.grid(), there);
    // Few numbers, which need not come and go in the order of memory: on their way meanwhile.
    rows.take_vector(item_of(p.b, there > 0 ? item : 0), p.b.row, there);
    of.load(a, p.n, p.n);
    of.read_lines(rows.own);
    LaneGrid const& grid = rows.grid;
    grid.sync();
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) {
      if (k >= p.n) continue;
      rows.eliminate(k);
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
  struct Rows : OpenRows<T, L, N, Ex> {
    using OpenRows<T, L, N, Ex>::own;
    T rest[mine];
    BATCHWORK_INLINE Rows(LaneGrid const& of, int n) : OpenRows<T, L, N, Ex>(of, n) {}
    BATCHWORK_INLINE void take_vector(T const* from, std::int64_t stride, int n) {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m)
        rest[m] = this->row(m) < n ? from[this->row(m) * stride] : T(0);
    }
    BATCHWORK_INLINE T& solution(int i) const { return this->line(i)[N]; }

    BATCHWORK_INLINE void eliminate(int k) {
      this->choose_pivot(k, k + 1, [&](int m, T* to) { to[N] = rest[m]; });
      PivotReciprocal<T> const d = this->divisor(k);
      T const of_b = this->shown(k)[N];
      T multiple[mine];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        T const quotient = d * own[m][k];
        multiple[m] = this->is_open(m) ? quotient : T(0);
        rest[m] -= multiple[m] * of_b;
      }
      this->subtract(k, k + 1, multiple);
    }
    BATCHWORK_INLINE void substitute(int k) {
      PivotReciprocal<T> const d = this->divisor(k);
      T left = rest[0];
      bool found = this->is_in_place(0, k);
      BATCHWORK_UNROLL
      for (int m = 1; m < mine; ++m) {
        bool const here = this->is_in_place(m, k);
        left = here ? rest[m] : left;
        found = found || here;
      }
      if (found) solution(k) = d * left;
      this->grid.sync();
      T const z = solution(k);
      // Rows in places behind k are done with: what becomes of them does not matter.
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) rest[m] -= own[m][k] * z;
    }
  };
};

}  // namespace Batchwork::Impl

#endif
