// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The implicit QL iteration of a symmetric tridiagonal matrix: the rotations of a sweep, one after the other.
#ifndef BATCHWORK_IMPLICITQL_HPP
#define BATCHWORK_IMPLICITQL_HPP

#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"

namespace Batchwork::Impl {

/// Sweeps that are allowed for each row, as LAPACK's steqr has it; some 1.7 are needed.
inline constexpr int most_ql_sweeps_a_row = 30;

/// Whether a number below the diagonal counts as zero beside its two neighbours on it: the test of LAPACK's steqr.
/// Matrices are scaled so that their entries are some units at most; what is below eps^2 then counts as zero, too.
template <class T>
BATCHWORK_INLINE bool is_negligible(T below, T upper, T lower) {
  constexpr T eps = std::numeric_limits<T>::epsilon() / 2, least = eps * eps;
  T const size = Kokkos::abs(below);
  return size <= least || below * below <= Kokkos::abs(eps * eps * upper * lower);
}

/// The rotations of one sweep over rows first .. last of a tridiagonal matrix, from below upward, with Wilkinson's shift. (Golub and Van
/// Loan, Matrix Computations, 4th edition, algorithm 8.3.2, from the other end; Wilkinson and Reinsch, Handbook for Automatic
/// Computation, volume II, contribution II/4, imtql2.)
template <class T>
struct QlSweep {
  T c = T(1), s = T(1);  ///< of the last rotation
  T diagonal = T(0);     ///< the new number of the row behind it
  T below = T(0);        ///< and the one to the left of that

  /// Of the first row: the diagonal number, the one below it, which is not negligible, and the next diagonal number; and that of the
  /// last row.
  BATCHWORK_INLINE QlSweep(T first, T off, T second, T last) : old_(last) {
    T const half = Vendor::quotient(second - first, off + off), square = half * half + T(1);
    T const root = square * Vendor::inverse_root(square);
    g_ = last - first + Vendor::quotient(off, half + (half < T(0) ? -root : root));
  }
  /// The rotation of rows i and i + 1, of the old numbers of row i.
  BATCHWORK_INLINE void rotate(T x, T off) {
    // So that there is an angle, and its square is a normal number: far below the rounding of the matrix.
    constexpr T eps = std::numeric_limits<T>::epsilon(), least = eps * eps / 16;
    T const g = Kokkos::abs(g_) < least ? least : g_;
    T const f = s * off, b = c * off, square = f * f + g * g;
    T const inverse = Vendor::inverse_root(square);
    c = g * inverse;
    s = f * inverse;
    below = square * inverse;
    T const rest = old_ - p_, r = (x - rest) * s + (c + c) * b;
    p_ = s * r;
    diagonal = rest + p_;
    g_ = c * r - b;
    old_ = x;
  }
  /// The first row, behind all rotations.
  BATCHWORK_INLINE void finish() {
    diagonal = old_ - p_;
    below = g_;
  }

 private:
  T old_, g_, p_ = T(0);
};

}  // namespace Batchwork::Impl

#endif
