// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One-sided Jacobi rotations, written once for a matrix with distributed columns: one lane or pack
/// holds all columns, or the lanes that share an item.
#ifndef BATCHWORK_ONESIDEDJACOBI_HPP
#define BATCHWORK_ONESIDEDJACOBI_HPP

#include <limits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"

namespace Batchwork::Impl {

/// The rotation of two neighbouring columns p and q with numbers x and y: they are rotated and
/// exchanged if `moves`, by the sine of the angle and the tangent of half the angle. In this form
/// rounding has no bias that lengthens or shortens columns, which would add up over hundreds of
/// rotations. (Rutishauser, The Jacobi method for real symmetric matrices, Numer. Math. 9 (1966),
/// 1-10.)
template <class S>
struct Rotation {
  S sine, half;
  mask_t<S> moves;

  /// The new number of the left column, and of the right one.
  BATCHWORK_INLINE S left(S const& x, S const& y) const { return y + sine * (x - half * y); }
  BATCHWORK_INLINE S right(S const& x, S const& y) const { return x - sine * (y + half * x); }
  /// The same for both.
  BATCHWORK_INLINE void apply(S& p, S& q) const {
    S const x = p, y = q;
    p = select_some(moves, left(x, y), x);
    q = select_some(moves, right(x, y), y);
  }
  /// Whether apply is to be called.
  BATCHWORK_INLINE bool is_to_apply() const { return Batchwork::any(moves); }
};

/// What a sweep has found: whether a pair was not orthogonal to the tolerance, and whether one was
/// far from orthogonal or was rotated by more than a small angle. Each pair is made orthogonal once
/// in a sweep. Later rotations of its columns with others disturb that by their sines times the
/// distance of the other pairs from orthogonality. So a sweep with small angles over nearly
/// orthogonal pairs is the last one.
template <class S>
struct SweepReport {
  mask_t<S> skew, far;
};

/// The bounds of SweepReport for columns with so many terms. The first is twice the square root of
/// their number, rounded to an integer, times eps. The square of the second, times the 2 (cols - 2)
/// rotations that follow a pair's own, is at most that. (For a column 0.6 times as long as the
/// others it may be 1.6 times as much.)
template <class T>
struct AngleBounds {
  T tolerance, small;

  BATCHWORK_INLINE AngleBounds(int terms, int cols) {
    int factor = 4;
    while (factor * factor < 4 * terms) factor += 2;
    tolerance = T(factor) * std::numeric_limits<T>::epsilon();
    // The largest power of two that serves.
    small = T(0.5);
    while (T(2 * cols) * small * small > tolerance) small *= T(0.5);
  }
};

/// Squares below this have lost digits: columns with such lengths are far below the rounding errors
/// of others.
template <class T>
inline constexpr T lost_square = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
/// Columns with at least this length are orthogonal to the tolerance after the last sweep, whatever
/// the lengths of others: the product of two squares times the square of the tolerance exceeds the
/// rounding errors.
template <class T>
inline constexpr T least_length = sizeof(T) == 4 ? T(0x1p-15) : T(0x1p-200);

/// Makes p and q orthogonal and exchanges them, where the item is `active`; alpha = p' p, beta = q'
/// q, gamma = p' q. They are rotated even if only rounding errors are left, so that the last sweep
/// ends well below the tolerance.
template <class S, class M>
BATCHWORK_INLINE Rotation<S> orthogonalising(S const& alpha, S const& beta, S const& gamma,
                                             AngleBounds<scalar_t<S>> const& bounds,
                                             M const& active, SweepReport<S>& report) {
  using T = scalar_t<S>;
  S const one(T(1)), zero(T(0));
  using Limits = std::numeric_limits<T>;
  constexpr T least = Limits::epsilon() / 4;
  S const lost(lost_square<T>);
  S const square = gamma * gamma, sizes = alpha * beta;
  S const small(bounds.small * bounds.small);
  auto const skew = square > S(least * least) * sizes + lost;
  report.skew =
      report.skew || (active && square > S(bounds.tolerance * bounds.tolerance) * sizes + lost);
  // The smaller angle with tan(2 angle) = 2 gamma / (beta - alpha), from the cosine and sine of
  // twice the angle.
  S const difference = beta - alpha, twice = gamma + gamma;
  auto const turns = difference < zero;
  S const length = rsqrt(S(difference * difference + twice * twice));
  S const square_cosine = S(T(0.5)) * (one + abs(difference) * length);
  S const secant = rsqrt(square_cosine);
  S const sine = select(skew, S(select(turns, S(-gamma), gamma) * length * secant), zero);
  S const half = sine * Vendor::reciprocal(S(one + square_cosine * secant));
  report.far = report.far || (active && (square > small * sizes + lost || sine * sine > small));
  return {sine, select(skew, half, zero), active};
}

enum class ColumnOrder { smallest_first, largest_first };

/// The key of the square of a column's length, by which columns are sorted in ascending order.
template <ColumnOrder Order, class S>
BATCHWORK_INLINE S sorting_key(S const& square) {
  if constexpr (Order == ColumnOrder::smallest_first) return square;
  else return -square;
}

/// The largest number of sweeps. About seven are needed; matrices with rows graded over 60 orders
/// of magnitude and 200 rows needed 65.
inline constexpr int most_sweeps = 130;

/// Makes the columns of a, columns_there() of them, orthogonal. Neighbours are rotated and
/// exchanged, so that each pair meets once in a sweep of as many rounds; the columns of `also` go
/// through the same rotations. After an item's last sweep (see SweepReport) its columns are left
/// unchanged. rotate_neighbours(parity, f, also...) applies the rotation f(p' p, q' q, p' q) to
/// each pair of columns j, j + 1 with j of that parity; parity_is_constant selects separate code
/// for each parity. Returns a mask of the items that were still rotated in the last allowed sweep.
/// (Golub and Van Loan, Matrix Computations, 4th edition, section 8.6.3; the order of pairs: Luk
/// and Park, On parallel Jacobi orderings, SIAM J. Sci. Stat. Comput. 10 (1989), 18-26.)
template <class C, class... Also>
BATCHWORK_INLINE auto orthogonalise_columns(C& a, Also&... also) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  using Mask = mask_t<S>;
  auto const cols = a.columns_there();
  AngleBounds<T> const bounds(a.rows, cols);
  Mask active(cols > 1);
  if (cols > 1) {
    BATCHWORK_KEEP_LOOP
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      SweepReport<S> report{Mask(false), Mask(false)};
      auto const rotation = [&](S const& alpha, S const& beta, S const& gamma) {
        return orthogonalising(alpha, beta, gamma, bounds, active, report);
      };
      if constexpr (C::parity_is_constant) {
        BATCHWORK_KEEP_LOOP
        for (int round = 0; round < cols; round += 2) {
          a.rotate_neighbours(0, rotation, also...);
          if (round + 1 < cols) a.rotate_neighbours(1, rotation, also...);
        }
      } else {
        BATCHWORK_KEEP_LOOP
        for (int round = 0; round < cols; ++round)
          a.rotate_neighbours(round & 1, rotation, also...);
      }
      // All lanes ask both.
      auto const skew = a.any_lane(report.skew), far = a.any_lane(report.far);
      active = skew && far;
      if (!a.any_item(active)) break;
    }
  }
  return active;
}

/// The status of the results of rotations. `size` is finite if all entries of the matrix are;
/// `open` is the result of orthogonalise_columns. A value may be infinite for a matrix near
/// overflow: `extreme` is the largest size of a value, or infinite if one is.
template <class S, class M>
BATCHWORK_INLINE info_t<S> rotation_status(S const& size, M const& open, S const& extreme) {
  return select(is_finite(S(size)) && is_finite(extreme),
                select(open, make_info<S>(Reason::iteration_limit, 0), info_t<S>(0)),
                make_info<S>(Reason::not_finite, 0));
}
/// Infinite in all lanes if a value(m) of a lane's columns is not finite, else zero.
template <class Columns, class F>
BATCHWORK_INLINE auto infinite_if_any(Columns const& columns, F const& value) {
  using S = typename Columns::value_type;
  mask_t<S> infinite(false);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < Columns::mine; ++m)
    infinite = infinite || (!is_finite(value(m)) && columns.is_there(m));
  return S(select(columns.any_lane(infinite), S(std::numeric_limits<scalar_t<S>>::infinity()),
                  S(scalar_t<S>(0))));
}

}  // namespace Batchwork::Impl

#endif
