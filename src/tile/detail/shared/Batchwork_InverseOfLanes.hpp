// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// InverseOfLanes: the inverse of a matrix whose rows are distributed over the lanes that share an
/// item.
#ifndef BATCHWORK_INVERSEOFLANES_HPP
#define BATCHWORK_INVERSEOFLANES_HPP

#include <cstdint>
#include <limits>

#include "tile/detail/shared/Batchwork_OpenRows.hpp"

namespace Batchwork::Impl {

/// Gauss-Jordan elimination with row pivoting, in place (Higham, Accuracy and Stability of
/// Numerical Algorithms, 2nd edition, section 14.4). Each step subtracts a multiple of the pivot's
/// row from all other rows, and replaces column k by a column of the inverse. Rows are divided by
/// their pivots at the end; then the row in place k is row k of the inverse, with its columns in
/// the order of the pivots. N^3 multiply-adds and N searches over L lanes.
template <class T, int L, int N, class Ex>
struct InverseOfLanes : OpenRows<T, L, N, Ex> {
  using Rows = OpenRows<T, L, N, Ex>;
  using Rows::grid, Rows::own, Rows::mine, Rows::Rows;
  static_assert(N >= 5 && Ex::lines >= 5, "the order of the columns has a line of the exchange");

  /// \returns the status of the first pivot that is zero or not finite
  BATCHWORK_INLINE std::int32_t invert(int n) {
    grid.sync();
    unroll_in_parts<N>([&](int k) {
      if (k >= n) return;
      this->choose_pivot(k, 0, [&](int m, T*) { order()[k] = std::uint8_t(this->row(m)); });
      PivotReciprocal<T> const d = this->divisor(k);
      T multiple[mine];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        T const quotient = d * own[m][k];
        multiple[m] = this->is_in_place(m, k) ? T(0) : quotient;
      }
      this->subtract(k, 0, multiple);
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) own[m][k] = this->is_in_place(m, k) ? T(1) : -multiple[m];
    });
    return this->status();
  }
  /// Writes n rows of the inverse to the exchange, NaN if it failed. Lanes must wait before they
  /// read them. \returns whether the lane's numbers are finite
  BATCHWORK_INLINE bool put(int n, bool failed) const {
    T zero(0);
    PivotReciprocal<T> divisor[mine];
    Unit<std::uint8_t> column[(N + 15) / 16];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      // The divisors of rows beyond the matrix are not used.
      divisor[m] = this->divisor(this->place_of(m) < N ? this->place_of(m) : 0);
      if (failed) divisor[m].inverse = std::numeric_limits<T>::quiet_NaN();
    }
    BATCHWORK_UNROLL
    for (int j = 0; j < (N + 15) / 16; ++j)
      column[j] = reinterpret_cast<Unit<std::uint8_t> const*>(order())[j];
    grid.sync();
    BATCHWORK_UNROLL
    for (int j = 0; j < N; ++j) {
      if (j >= n) continue;
      T* const to = this->line(0) + column[j / 16].v[j % 16];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        if (this->row(m) >= n) continue;
        T const x = divisor[m] * own[m][j];
        to[this->place_of(m) * Ex::leading] = x;
        // NaN if x is not finite.
        zero += T(0) * x;
      }
    }
    return zero == T(0);
  }

 private:
  BATCHWORK_INLINE std::uint8_t* order() const {
    return reinterpret_cast<std::uint8_t*>(this->line(4));
  }
};

}  // namespace Batchwork::Impl

#endif
