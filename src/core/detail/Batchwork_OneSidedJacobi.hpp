// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One-sided Jacobi rotations, written once: over a matrix whose columns are dealt out, to one lane or pack that has all of them, or
/// to the lanes that share an item.
#ifndef BATCHWORK_ONESIDEDJACOBI_HPP
#define BATCHWORK_ONESIDEDJACOBI_HPP

#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Elimination.hpp"

namespace Batchwork::Impl {

/// What becomes of two neighbouring columns p and q: p stays left as own_left p + other q, q right as own_right q + other p.
template <class S>
struct Rotation {
  S own_left, own_right, other;

  static BATCHWORK_INLINE Rotation none() {
    return {S(scalar_t<S>(1)), S(scalar_t<S>(1)), S(scalar_t<S>(0))};
  }
  template <class M>
  friend BATCHWORK_INLINE Rotation select(M const& m, Rotation const& a, Rotation const& b) {
    return {Impl::select(m, a.own_left, b.own_left), Impl::select(m, a.own_right, b.own_right),
            Impl::select(m, a.other, b.other)};
  }
};

/// Makes p and q orthogonal, of which alpha = p' p, beta = q' q, gamma = p' q, and exchanges them, where the item is `active`.
/// `rotated` becomes true where they were not, to the tolerance. They are turned even where no more than rounding is left: the last sweep
/// so ends well below the tolerance.
template <class S, class M>
BATCHWORK_INLINE Rotation<S> orthogonalising(S const& alpha, S const& beta, S const& gamma,
                                             scalar_t<S> tolerance, M const& active, M& rotated) {
  using T = scalar_t<S>;
  S const one(T(1)), zero(T(0));
  constexpr T least = std::numeric_limits<T>::epsilon() / 4;
  S const square = gamma * gamma, sizes = alpha * beta;
  auto const skew = square > S(least * least) * sizes;
  rotated = rotated || (active && square > S(tolerance * tolerance) * sizes);
  // t = tan of the angle: the smaller root of t^2 + (beta - alpha) / gamma t - 1 = 0
  S const difference = beta - alpha, twice = gamma + gamma;
  S const root = sqrt(S(difference * difference + twice * twice));
  S const t = twice / select(difference < zero, S(difference - root), S(difference + root));
  // A step of Newton's method: what c^2 + s^2 is off by adds up over hundreds of rotations to the lengths of columns.
  S const secant = one + t * t, near = rsqrt(secant);
  S const c = near * (S(T(1.5)) - S(T(0.5)) * secant * near * near);
  Rotation<S> const turned{S(t * c), S(-(t * c)), c}, swapped{zero, zero, one};
  return select(active, select(skew, turned, swapped), Rotation<S>::none());
}

enum class ColumnOrder { smallest_first, largest_first };

/// Sweeps that are allowed; some ten are needed.
inline constexpr int most_sweeps = 40;

/// Makes the columns of a orthogonal by rotations of neighbours that change places, so that each pair meets once in `cols` rounds, a
/// sweep; the columns of `also` go through the same rotations. Where no pair of an item was rotated in a sweep, its columns are left as
/// they are from then on. rotate_neighbours(parity, f, also...) applies the rotation f(p' p, q' q, p' q) to each pair of columns j, j + 1
/// with j of that parity.
/// Then sorts the columns by their norms.
/// Returns a mask: items that were still rotated in the last sweep allowed.
/// (Golub and Van Loan, Matrix Computations, 4th edition, section 8.6.3; the order of pairs is that of Luk and Park, On parallel Jacobi
/// orderings, SIAM J. Sci. Stat. Comput. 10 (1989), 18-26.)
template <ColumnOrder Order, class C, class... Also>
BATCHWORK_INLINE auto orthogonalise_columns(C& a, Also&... also) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  using Mask = mask_t<S>;
  // Twice the root of the number of terms in a sum, as a whole number.
  constexpr int factor = C::rows <= 4 ? 4 : C::rows <= 9 ? 6 : C::rows <= 16 ? 8 : 12;
  constexpr T tolerance = factor * std::numeric_limits<T>::epsilon();
  Mask active(C::cols > 1);
  if constexpr (C::cols > 1) {
    BATCHWORK_KEEP_LOOP
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      Mask rotated(false);
      auto const rotation = [&](S const& alpha, S const& beta, S const& gamma) {
        return orthogonalising(alpha, beta, gamma, tolerance, active, rotated);
      };
      BATCHWORK_KEEP_LOOP
      for (int round = 0; round < C::cols; round += 2) {
        a.rotate_neighbours(0, rotation, also...);
        if (round + 1 < C::cols) a.rotate_neighbours(1, rotation, also...);
      }
      active = a.any_lane(rotated);
      if (!a.any_item(active)) break;
    }
    auto const sorting = [&](S const& alpha, S const& beta, S const&) {
      S const one(T(1)), zero(T(0));
      auto const wrong = Order == ColumnOrder::smallest_first ? alpha > beta : alpha < beta;
      return select(wrong, Rotation<S>{zero, zero, one}, Rotation<S>::none());
    };
    BATCHWORK_KEEP_LOOP
    for (int round = 0; round < C::cols; round += 2) {
      a.rotate_neighbours(0, sorting, also...);
      a.rotate_neighbours(1, sorting, also...);
    }
  }
  return active;
}

}  // namespace Batchwork::Impl

#endif
