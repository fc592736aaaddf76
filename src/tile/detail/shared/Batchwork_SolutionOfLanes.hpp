// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolutionOfLanes: a x = b for one vector, with the rows of the matrix distributed over the lanes
/// that share an item.
#ifndef BATCHWORK_SOLUTIONOFLANES_HPP
#define BATCHWORK_SOLUTIONOFLANES_HPP

#include <cstdint>

#include "tile/detail/shared/Batchwork_OpenRows.hpp"

namespace Batchwork::Impl {

/// Elimination with partial pivoting of rows that are not moved, together with their numbers of b.
/// In each step the lane of the pivot shows its row, and a multiple of it is subtracted from the
/// open rows. So b becomes the solution of L y = P b, and L is not stored. Then each x is shown, in
/// order, by the lane that has its row. (Golub and Van Loan, Matrix Computations, 4th edition,
/// sections 3.1 and 3.4.) N^3 / 3 multiply-adds and N searches over L lanes.
template <class T, int L, int N, class Ex>
struct SolutionOfLanes : OpenRows<T, L, N, Ex> {
  using Rows = OpenRows<T, L, N, Ex>;
  using Rows::grid, Rows::own, Rows::mine, Rows::Rows;
  T rest[mine];  ///< the numbers of b

  /// \returns the status of the first pivot that is zero or not finite
  BATCHWORK_INLINE std::int32_t eliminate(int n) {
    grid.sync();
    unroll_in_parts<N>([&](int k) {
      if (k >= n) return;
      // Instead of the pivot, which is not needed any more.
      this->choose_pivot(k, k + 1, [&](int m, T* to) { to[k] = rest[m]; });
      PivotReciprocal<T> const d = this->divisor(k);
      T const of_b = this->shown(k)[k];
      T multiple[mine];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        T const quotient = d * own[m][k];
        multiple[m] = this->is_open(m) ? quotient : T(0);
        rest[m] -= multiple[m] * of_b;
      }
      this->subtract(k, k + 1, multiple);
    });
    return this->status();
  }
  /// The results can be read by all lanes after the next wait: solution(i).
  BATCHWORK_INLINE void substitute(int n) {
    grid.sync();
    unroll_in_parts<N>([&](int done) {
      int const k = N - 1 - done;
      if (k >= n) return;
      PivotReciprocal<T> const d = this->divisor(k);
      T left = rest[0];
      bool found = this->is_in_place(0, k);
      BATCHWORK_UNROLL
      for (int m = 1; m < mine; ++m) {
        bool const here = this->is_in_place(m, k);
        left = here ? rest[m] : left;
        found = found || here;
      }
      if (found) this->line(0)[k] = d * left;
      grid.sync();
      T const z = solution(k);
      // Rows in places after k are solved; later changes to them do not matter.
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) rest[m] -= own[m][k] * z;
    });
  }
  BATCHWORK_INLINE T solution(int i) const { return this->line(0)[i]; }
};

}  // namespace Batchwork::Impl

#endif
