// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The ways to add up the products of a row: plainly; with a bound of the rounding; or in twice the
/// precision.
#ifndef BATCHWORK_PRODUCTSUMS_HPP
#define BATCHWORK_PRODUCTSUMS_HPP

#include <Kokkos_Core.hpp>

#include "core/Batchwork_Pack.hpp"
#include "core/Batchwork_Value.hpp"

namespace Batchwork::Impl {

/// The largest relative error of one rounding.
template <class T>
inline constexpr T unit_roundoff = Kokkos::Experimental::epsilon_v<T> / 2;

/// A sum of products; S is a number or a pack.
template <class S>
struct PlainSum {
  static constexpr bool has_bound = false;
  S sum = S(scalar_t<S>(0));

  BATCHWORK_INLINE void add(S const& a, S const& x) { sum += a * x; }
  BATCHWORK_INLINE void add(PlainSum const& other) { sum += other.sum; }
  static BATCHWORK_INLINE S size_squared() { return S(scalar_t<S>(0)); }
};

/// Beside the sum a running bound of its rounding errors: `size` is the sum of the magnitudes of
/// all partial sums, and the error is below 4 unit_roundoff times that, with and without fused
/// multiply-adds. N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
/// section 3.3: a product and an addition round by u |p_k| and u |s_k|, and p_k is at most |s_k| +
/// |s_(k-1)|; the fourth unit is for the rounding of the bound itself.
template <class S>
struct BoundedSum {
  static constexpr bool has_bound = true;
  S sum = S(scalar_t<S>(0)), size = S(scalar_t<S>(0));

  BATCHWORK_INLINE void add(S const& a, S const& x) {
    sum += a * x;
    size += abs(sum);
  }
  BATCHWORK_INLINE void add(BoundedSum const& other) {
    sum += other.sum;
    size += other.size + abs(sum);
  }
  BATCHWORK_INLINE S size_squared() const { return size * size; }
};

/// Beside both the sum of the magnitudes of the products, which is what a backward error is
/// measured by: `size` may be some times as large.
template <class S>
struct MeasuredSum : BoundedSum<S> {
  S products = S(scalar_t<S>(0));

  BATCHWORK_INLINE void add(S const& a, S const& x) {
    BoundedSum<S>::add(a, x);
    products += abs(a * x);
  }
  BATCHWORK_INLINE void add(MeasuredSum const& other) {
    BoundedSum<S>::add(other);
    products += other.products;
  }
};

/// The lanes of a pack added up.
template <class T, int W>
BATCHWORK_INLINE PlainSum<T> sum_of_lanes(PlainSum<Pack<T, W>> const& x) {
  return {sum_of_lanes(x.sum)};
}
template <class T, int W>
BATCHWORK_INLINE BoundedSum<T> sum_of_lanes(BoundedSum<Pack<T, W>> const& x) {
  // A partial sum of lanes is at most the sum of their magnitudes, and there are W - 1.
  return {sum_of_lanes(x.sum), sum_of_lanes(x.size) + T(W) * sum_of_lanes(abs(x.sum))};
}

/// Lane l of a pack of sums.
template <class T, int W>
BATCHWORK_INLINE PlainSum<T> lane_of_sum(PlainSum<Pack<T, W>> const& x, int l) {
  return {x.sum.lane(l)};
}
template <class T, int W>
BATCHWORK_INLINE BoundedSum<T> lane_of_sum(BoundedSum<Pack<T, W>> const& x, int l) {
  return {x.sum.lane(l), x.size.lane(l)};
}

/// A sum of products as if in twice the precision: T. Ogita, S. M. Rump, S. Oishi, Accurate sum and
/// dot product, SIAM J. Sci. Comput. 26 (2005), algorithms 5.3 and 5.8. The error of value() is
/// below u |value()| + rounding().
///
/// Nothing here may be contracted to other multiply-adds than are written: a product is one with
/// zero, since no compiler may take that for a product that it could join to an addition.
template <class T>
struct CompensatedSum {
  static constexpr bool has_bound = false;
  T high = T(0), low = T(0);
  T corrections = T(0);  ///< magnitudes of what `low` is made of; zero where nothing was rounded

  BATCHWORK_INLINE void add(T x) {
    T const sum = high + x;
    T const back = sum - high;
    T const lost = (high - (sum - back)) + (x - back);
    correct(lost);
    high = sum;
  }
  BATCHWORK_INLINE void add(T a, T x) {
    T const product = Kokkos::fma(a, x, T(0));
    add(product);
    correct(Kokkos::fma(a, x, -product));
  }
  BATCHWORK_INLINE void add(CompensatedSum const& other) {
    add(other.high);
    low += other.low;
    corrections += other.corrections + Kokkos::abs(other.low);
  }
  /// Becomes b - itself.
  BATCHWORK_INLINE void subtract_from(T b) {
    high = -high;
    low = -low;
    add(b);
  }
  BATCHWORK_INLINE void correct(T e) {
    low += e;
    corrections += Kokkos::abs(e);
  }
  BATCHWORK_INLINE T value() const { return high + low; }
  /// Of adding up `low`, two corrections for each of so many products and additions.
  BATCHWORK_INLINE T rounding(int products) const {
    return T(2 * products + 1) * Kokkos::Experimental::epsilon_v<T> * corrections;
  }
};

}  // namespace Batchwork::Impl

#endif
