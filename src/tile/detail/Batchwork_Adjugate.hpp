// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The inverse of 2 x 2 matrices in one lane or pack: the adjugate divided by the determinant.
#ifndef BATCHWORK_ADJUGATE_HPP
#define BATCHWORK_ADJUGATE_HPP

#include <limits>

#include "core/Batchwork_Complex.hpp"
#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork::Impl {

/// The inverse of a = [p q; r s] is [s -q; -r p] / (p s - q r). The adjugate is exact, and the
/// determinant has an error of at most 2 u (|p s| + |q r|) with u = eps / 2, with or without
/// contraction to multiply-adds. Relative to the determinant that is 2 u (|a| |x|)(1, 1), so |a x -
/// 1| and |x a - 1| are at most c eps |a| |x| with c about 2. A product of complex numbers has an
/// error of sqrt(5) u (Brent, Percival and Zimmermann 2007) and the determinant one of 3.3 u (|p s|
/// + |q r|), so c is about 6; the larger part of a number is at least 0.7 of its size, which is
/// enough for `regular`.
///
/// `regular` says where that holds: the determinant is larger than its error, so that an
/// elimination finds no zero pivot; and neither the determinant nor its reciprocal, nor a product
/// of two entries, is near overflow or underflow. Elsewhere x is undefined.
template <class S>
struct InverseByAdjugate {
  using T = scalar_t<S>;
  using R = real_t<S>;
  using Mask = mask_t<S>;
  Matrix<S, 2, 2> x;
  Mask regular;

  BATCHWORK_INLINE explicit InverseByAdjugate(Matrix<S, 2, 2> const& a)
      : InverseByAdjugate(a, a.entry(0, 0) * a.entry(1, 1), a.entry(0, 1) * a.entry(1, 0)) {}

 private:
  static constexpr T largest = sizeof(T) == 4 ? T(0x1p120) : T(0x1p1000), smallest = 1 / largest;
  static constexpr T rounding = 8 * std::numeric_limits<T>::epsilon();

  BATCHWORK_INLINE InverseByAdjugate(Matrix<S, 2, 2> const& a, S const& ps, S const& qr) {
    S const determinant = ps - qr;
    R const size = largest_part(ps) + largest_part(qr), of_determinant = largest_part(determinant);
    // As values, because a constant cannot be referred to in device code.
    regular = of_determinant > R(size * T(rounding)) && of_determinant > R(T(smallest)) &&
              size < R(T(largest));
    S const reciprocal = S(T(1)) / select(regular, determinant, S(T(1)));
    x.set(0, 0, a.entry(1, 1) * reciprocal);
    x.set(0, 1, -(a.entry(0, 1) * reciprocal));
    x.set(1, 0, -(a.entry(1, 0) * reciprocal));
    x.set(1, 1, a.entry(0, 0) * reciprocal);
  }
};

}  // namespace Batchwork::Impl

#endif
