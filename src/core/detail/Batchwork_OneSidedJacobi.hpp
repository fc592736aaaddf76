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

/// What becomes of two neighbouring columns p and q, x and y being their numbers: they are rotated and exchanged where `moves`, by
/// the sine of the angle and the tangent of its half. In this form rounding does not change the lengths of columns by more in one
/// direction than in the other, which adds up over hundreds of rotations. (Rutishauser, The Jacobi method for real symmetric matrices,
/// Numer. Math. 9 (1966), 1-10.)
template <class S>
struct Rotation {
  S sine, half;
  mask_t<S> moves;

  /// The new number of the left column, and of the right one.
  BATCHWORK_INLINE S left(S const& x, S const& y) const { return y + sine * (x - half * y); }
  BATCHWORK_INLINE S right(S const& x, S const& y) const { return x - sine * (y + half * x); }
  /// The same, of both.
  BATCHWORK_INLINE void apply(S& p, S& q) const {
    S const x = p, y = q;
    p = select_some(moves, left(x, y), x);
    q = select_some(moves, right(x, y), y);
  }
  /// Whether apply is to be called.
  BATCHWORK_INLINE bool is_to_apply() const { return Batchwork::any(moves); }
};

/// Makes p and q orthogonal, of which alpha = p' p, beta = q' q, gamma = p' q, and exchanges them, where the item is `active`.
/// `rotated` becomes true where they were not, to the tolerance. They are turned even where no more than rounding is left: the last sweep
/// so ends well below the tolerance.
template <class S, class M>
BATCHWORK_INLINE Rotation<S> orthogonalising(S const& alpha, S const& beta, S const& gamma,
                                             scalar_t<S> tolerance, M const& active, M& rotated) {
  using T = scalar_t<S>;
  S const one(T(1)), zero(T(0));
  using Limits = std::numeric_limits<T>;
  constexpr T least = Limits::epsilon() / 4;
  // Squares below this have lost digits: such columns are far below the rounding of others.
  S const lost(Limits::min() / Limits::epsilon());
  S const square = gamma * gamma, sizes = alpha * beta;
  auto const skew = square > S(least * least) * sizes + lost;
  rotated = rotated || (active && square > S(tolerance * tolerance) * sizes + lost);
  // The smaller angle with tan(2 angle) = 2 gamma / (beta - alpha), by the cosine and sine of twice it.
  S const difference = beta - alpha, twice = gamma + gamma;
  auto const turns = difference < zero;
  S const length = rsqrt(S(difference * difference + twice * twice));
  S const square_cosine = S(T(0.5)) * (one + abs(difference) * length);
  S const secant = rsqrt(square_cosine);
  S const sine = select(turns, S(-gamma), gamma) * length * secant;
  S const half = sine * Vendor::reciprocal(S(one + square_cosine * secant));
  return {select(skew, sine, zero), select(skew, half, zero), active};
}

enum class ColumnOrder { smallest_first, largest_first };

/// Twice the root of the number of terms in a sum, as a whole number, times eps.
template <class T>
BATCHWORK_INLINE constexpr T tolerance_of_angles(int terms) {
  int factor = 4;
  while (factor * factor < 4 * terms) factor += 2;
  return T(factor) * std::numeric_limits<T>::epsilon();
}

/// Sweeps that are allowed; some ten are needed.
inline constexpr int most_sweeps = 40;

/// Makes the columns of a orthogonal by rotations of neighbours that change places, so that each pair meets once in `cols` rounds, a
/// sweep; the columns of `also` go through the same rotations. Where no pair of an item was rotated in a sweep, its columns are left as
/// they are from then on. rotate_neighbours(parity, f, also...) applies the rotation f(p' p, q' q, p' q) to each pair of columns j, j + 1
/// with j of that parity.
/// Returns a mask: items that were still rotated in the last sweep allowed.
/// (Golub and Van Loan, Matrix Computations, 4th edition, section 8.6.3; the order of pairs is that of Luk and Park, On parallel Jacobi
/// orderings, SIAM J. Sci. Stat. Comput. 10 (1989), 18-26.)
template <class C, class... Also>
BATCHWORK_INLINE auto orthogonalise_columns(C& a, Also&... also) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  using Mask = mask_t<S>;
  T const tolerance = tolerance_of_angles<T>(a.rows);
  Mask active(a.cols > 1);
  if (a.cols > 1) {
    BATCHWORK_KEEP_LOOP
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      Mask rotated(false);
      auto const rotation = [&](S const& alpha, S const& beta, S const& gamma) {
        return orthogonalising(alpha, beta, gamma, tolerance, active, rotated);
      };
      BATCHWORK_KEEP_LOOP
      for (int round = 0; round < a.cols; round += 2) {
        a.rotate_neighbours(0, rotation, also...);
        if (round + 1 < a.cols) a.rotate_neighbours(1, rotation, also...);
      }
      active = a.any_lane(rotated);
      if (!a.any_item(active)) break;
    }
  }
  return active;
}

/// The status of what rotations find: `size` is finite where all entries of the matrix are, `open` is what orthogonalise_columns returned.
template <class S, class M>
BATCHWORK_INLINE info_t<S> rotation_status(S const& size, M const& open) {
  return select(is_finite(size),
                select(open, make_info<S>(Reason::iteration_limit, 0), info_t<S>(0)),
                make_info<S>(Reason::not_finite, 0));
}

/// Sorts the columns by their norms; those of `also` go the same way.
template <ColumnOrder Order, class C, class... Also>
BATCHWORK_INLINE void sort_columns(C& a, Also&... also) {
  using S = typename C::value_type;
  auto const sorting = [&](S const& alpha, S const& beta, S const&) {
    S const zero(scalar_t<S>(0));
    return Rotation<S>{zero, zero,
                       Order == ColumnOrder::smallest_first ? alpha > beta : alpha < beta};
  };
  BATCHWORK_KEEP_LOOP
  for (int round = 0; round < a.cols && a.cols > 1; round += 2) {
    a.rotate_neighbours(0, sorting, also...);
    a.rotate_neighbours(1, sorting, also...);
  }
}

}  // namespace Batchwork::Impl

#endif
