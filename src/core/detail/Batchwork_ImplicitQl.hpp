// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The implicit QL iteration of a symmetric tridiagonal matrix: the rotations of a sweep, one after
/// the other.
#ifndef BATCHWORK_IMPLICITQL_HPP
#define BATCHWORK_IMPLICITQL_HPP

#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"

namespace Batchwork::Impl {

/// The largest number of sweeps for each row, as in LAPACK's steqr; about 1.7 are needed.
inline constexpr int most_ql_sweeps_a_row = 30;

/// 1 / sqrt(x); on devices accurate to the last bits, by Vendor::rsqrt.
template <class S>
BATCHWORK_INLINE S quick_inverse_root(S const& x) {
  if constexpr (Number<S>) return Vendor::rsqrt(x);
  else return rsqrt(x);
}

/// Whether a number below the diagonal is negligible relative to its two neighbours on the
/// diagonal: the test of LAPACK's steqr. The entries of the scaled matrices are at most some units,
/// so numbers below eps^2 are negligible as well.
template <class S>
BATCHWORK_INLINE auto is_negligible(S const& below, S const& upper, S const& lower) {
  using T = scalar_t<S>;
  constexpr T eps = std::numeric_limits<T>::epsilon() / 2, least = eps * eps;
  return abs(below) <= S(least) || below * below <= abs(S(S(eps * eps) * upper * lower));
}

/// The rotations of one sweep over rows first .. last of a tridiagonal matrix, upwards, with
/// Wilkinson's shift; S is a number or a pack. (Golub and Van Loan, Matrix Computations, 4th
/// edition, algorithm 8.3.2, from the other end; Wilkinson and Reinsch, Handbook for Automatic
/// Computation, volume II, contribution II/4, imtql2.)
template <class S>
struct QlSweep {
  using T = scalar_t<S>;
  S c, s;      ///< the cosine and sine of the last rotation
  S diagonal;  ///< the new diagonal number of the row after it
  S below;     ///< the number to the left of `diagonal`

  /// From the diagonal number of the last row, and the shift.
  BATCHWORK_INLINE QlSweep(S const& last, S const& shift)
      : c(T(1)), s(T(1)), diagonal(T(0)), below(T(0)), old_(last), g_(last - shift), p_(T(0)) {}
  /// The shift, from the diagonal number of the first row, the number below it, which is not
  /// negligible, and the next diagonal number.
  static BATCHWORK_INLINE S shift(S const& first, S const& off, S const& second) {
    // For larger numbers the correction below is negligible, and the square would overflow.
    S const bound(T(0x1p60)),
        ratio = Vendor::quotient(S(second - first), S(off + off)),
        half = select(ratio > bound, bound, select(ratio < -bound, S(-bound), ratio)),
        square = half * half + S(T(1));
    S const root = square * quick_inverse_root(square);
    return first - Vendor::quotient(off, S(half + select(half < S(T(0)), S(-root), root)));
  }
  /// The rotation of rows i and i + 1, from the previous numbers of row i.
  BATCHWORK_INLINE void rotate(S const& x, S const& off) {
    // Ensures that there is an angle and that its square is a normal number, far below the rounding
    // errors of the matrix.
    constexpr T eps = std::numeric_limits<T>::epsilon(), least = eps * eps / 16;
    S const g = select(abs(g_) < S(least), S(least), g_);
    S const f = s * off, b = c * off, square = f * f + g * g;
    S const inverse = quick_inverse_root(square);
    c = g * inverse;
    s = f * inverse;
    below = square * inverse;
    S const rest = old_ - p_, r = (x - rest) * s + (c + c) * b;
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
  /// Restarts the items for which `m` is true.
  template <class M>
  BATCHWORK_INLINE void take_where(M const& m, QlSweep const& fresh) {
    c = select(m, fresh.c, c), s = select(m, fresh.s, s);
    old_ = select(m, fresh.old_, old_), g_ = select(m, fresh.g_, g_), p_ = select(m, fresh.p_, p_);
  }

 private:
  S old_, g_, p_;
};

}  // namespace Batchwork::Impl

#endif
