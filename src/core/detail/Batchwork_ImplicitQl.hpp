// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The implicit QL iteration of a symmetric tridiagonal matrix: the rotations of a sweep, one after the other.
#ifndef BATCHWORK_IMPLICITQL_HPP
#define BATCHWORK_IMPLICITQL_HPP

#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"

namespace Batchwork::Impl {

/// Sweeps that are allowed for each row, as LAPACK's steqr has it; some 1.7 are needed.
inline constexpr int most_ql_sweeps_a_row = 30;

/// Whether a number below the diagonal, given by its square, counts as zero beside its two neighbours on it: the test of LAPACK's steqr.
/// Matrices are scaled so that their entries are some units at most; what is below eps^2 then counts as zero, too.
template <class T>
BATCHWORK_INLINE bool is_negligible(T square, T upper, T lower) {
  constexpr T eps = std::numeric_limits<T>::epsilon() / 2, least = eps * eps;
  return square <= (eps * eps * abs(upper)) * abs(lower) + least * least;
}

/// The rotations of one sweep over rows first .. last of a tridiagonal matrix, from below upward, with Wilkinson's shift. (Golub and Van
/// Loan, Matrix Computations, 4th edition, algorithm 8.3.2, from the other end; Wilkinson and Reinsch, Handbook for Automatic
/// Computation, volume II, contribution II/4, imtql2.)
template <class T>
struct QlSweep {
  T c = T(1), s = T(1);  ///< of the last rotation
  T diagonal;            ///< the new number of the row behind it, not yet final
  T below = T(0);        ///< and the one to the left of that

  /// Of the first row: the diagonal number, the one below it, and the next diagonal number; and that of the last row.
  BATCHWORK_INLINE QlSweep(T first, T off, T second, T last) : old_(last) {
    T const half = (second - first) / (off + off), root = sqrt(half * half + T(1));
    g_ = last - first + off / (half + (half < T(0) ? -root : root));
    diagonal = last;
  }
  /// The rotation of rows i and i + 1, of the old numbers of row i.
  BATCHWORK_INLINE void rotate(T x, T off) {
    // Below, squares have lost digits; of what is so small nothing is left to rotate.
    constexpr T lost = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    T const f = s * off, b = c * off;
    square_ = f * f + g_ * g_;
    bool const none = square_ < lost;
    T const inverse = none ? T(0) : Vendor::inverse_root(square_);
    c = none ? T(1) : g_ * inverse;
    s = f * inverse;
    below = square_ * inverse;
    T const rest = old_ - p_, r = (x - rest) * s + T(2) * c * b;
    p_ = s * r;
    upper_ = diagonal;
    diagonal = rest + p_;
    g_ = c * r - b;
    old_ = x;
  }
  /// The first row, behind all rotations.
  BATCHWORK_INLINE void finish() {
    upper_ = diagonal;
    diagonal = old_ - p_;
    below = g_;
    square_ = g_ * g_;
  }
  /// Whether `below` is to be made smaller.
  BATCHWORK_INLINE bool is_coupled() const { return !is_negligible(square_, diagonal, upper_); }

 private:
  T old_, g_, p_ = T(0), square_ = T(0), upper_ = T(0);
};

}  // namespace Batchwork::Impl

#endif
