// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Householder's reflections, written once: over a matrix whose columns are dealt out, to one lane or pack that has all of them, or
/// to the lanes that share an item.
#ifndef BATCHWORK_HOUSEHOLDER_HPP
#define BATCHWORK_HOUSEHOLDER_HPP

#include <concepts>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"

namespace Batchwork::Impl {

/// A matrix whose columns are dealt out. `value_type` is a number that each who calls has of its own columns, or a pack of them.
///   rows, cols, mine   extents, and the number of own columns, at most
///   at(m, i)           entry i of own column m
///   diagonal[m]        a number beside own column m: where a reflection stands in the column, R's diagonal entry
///   is(m, k), is_behind(m, k)   whether own column m is column k, or stands right of it
///   round_of(k)        the only m for which is(m, k) may be true
///   first_behind(k)    the first m for which is_behind(m, k) may be true
///   show(k)            column k, for all who call to read: for_each(first, f) calls f(i, number) for i = first .. rows - 1
///   begin()            before the first show: what others still read of something else is read
/// Cost on devices: show is one column published and one wait.
template <class C>
concept DealtColumns = requires(C a, C const c, int m, int k) {
  typename C::value_type;
  { C::rows } -> std::convertible_to<int>;
  { C::cols } -> std::convertible_to<int>;
  { C::mine } -> std::convertible_to<int>;
  { a.at(m, k) } -> std::same_as<typename C::value_type&>;
  a.diagonal[m];
  c.is(m, k);
  c.is_behind(m, k);
  { C::round_of(k) } -> std::convertible_to<int>;
  { C::first_behind(k) } -> std::convertible_to<int>;
  a.show(k);
  a.begin();
};

/// The reflection H = I - u u' that takes a column x, of which x_k = head and x' x = below beneath it, to alpha e_k: u_k = top, and
/// u = scale x beneath. The sign is that of LAPACK's larfg: a column with zeros beneath is left alone.
template <class S>
struct Reflection {
  S scale, alpha, top;

  Reflection() = default;
  BATCHWORK_INLINE Reflection(S const& head, S const& below) {
    // alpha = -sign(x_k) |x|, u = (x - alpha e_k) / sqrt(|x| (|x| + |x_k|)), so that u' u = 2.
    S const zero(scalar_t<S>(0));
    auto const flat = below == zero;
    S const norm = sqrt(S(head * head + below));
    scale = select(flat, zero, rsqrt(S(norm * (norm + abs(head)))));
    alpha = select(flat, head, select(head < zero, norm, S(-norm)));
    top = select(flat, zero, S((head - alpha) * scale));
  }
};

/// Step k of a QR factorisation: the reflection that takes column k, from its diagonal down, to a multiple of e_k, applied to the
/// columns right of it. u takes the place of the column, R's diagonal entry goes to `diagonal`.
template <DealtColumns C>
BATCHWORK_INLINE void reflect(C& a, int k) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  S const zero(T(0));
  if (k + 1 == C::rows) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < C::mine; ++m) {
      auto const own = a.is(m, k);
      a.diagonal[m] = own ? a.at(m, k) : a.diagonal[m];
      a.at(m, k) = own ? zero : a.at(m, k);
    }
    return;
  }
  auto const x = a.show(k);
  // x' x below the diagonal, and x' a_m: one reading for both.
  S head = zero, below = zero;
  S share[C::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::first_behind(k); m < C::mine; ++m) share[m] = zero;
  x.for_each(k, [&](int i, S const& xi) {
    if (i == k) {
      head = xi;
    } else {
      below += xi * xi;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = C::first_behind(k); m < C::mine; ++m) share[m] += xi * a.at(m, i);
    }
  });
  auto const [scale, alpha, top] = Reflection<S>(head, below);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::first_behind(k); m < C::mine; ++m) {
    // w = u' a_m; a_m -= w u
    S const w = a.is_behind(m, k) ? S(top * a.at(m, k) + scale * share[m]) : zero;
    a.at(m, k) -= w * top;
    share[m] = w * scale;
  }
  x.for_each(k + 1, [&](int i, S const& xi) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = C::first_behind(k); m < C::mine; ++m) a.at(m, i) -= share[m] * xi;
  });
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::round_of(k); m <= C::round_of(k); ++m) {
    bool const own = a.is(m, k);
    a.diagonal[m] = own ? alpha : a.diagonal[m];
    a.at(m, k) = own ? top : a.at(m, k);
    S const factor = own ? scale : S(T(1));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = k + 1; i < C::rows; ++i) a.at(m, i) = a.at(m, i) * factor;
  }
}

/// Replaces a by its factors Q R: R right of the diagonal and in `diagonal`, the vectors u of Q = H_0 H_1 ... on the diagonal and
/// below. Each column is scaled by a power of two while it is worked on, so that no square overflows or is lost. (Golub and Van Loan,
/// Matrix Computations, 4th edition, algorithm 5.2.1.)
template <DealtColumns C>
BATCHWORK_INLINE void triangularise(C& a) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  S unscale[C::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) {
    S largest(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows; ++i) {
      S const size = abs(a.at(m, i));
      largest = select(size > largest, size, largest);
    }
    SafeScale<S> const scale(largest);
    unscale[m] = scale.up;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows; ++i) a.at(m, i) = a.at(m, i) * scale.down;
  }
  a.begin();
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < C::rows && k < C::cols; ++k) reflect(a, k);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) {
    a.diagonal[m] = a.diagonal[m] * unscale[m];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows; ++i)
      a.at(m, i) = a.is_behind(m, i) ? S(a.at(m, i) * unscale[m]) : a.at(m, i);
  }
}

/// x := H_k x, own columns of x; u is column k of the factors, shown.
template <class U, class X>
BATCHWORK_INLINE void apply_reflection(U const& u, int k, X& x) {
  using S = typename X::value_type;
  S w[X::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < X::mine; ++m) w[m] = S(scalar_t<S>(0));
  u.for_each(k, [&](int i, auto const& ui) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < X::mine; ++m) w[m] += S(ui) * x.at(m, i);
  });
  u.for_each(k, [&](int i, auto const& ui) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < X::mine; ++m) x.at(m, i) -= w[m] * S(ui);
  });
}

/// Rows 0 .. N - 1 of x := R^-1 x, own columns of x; r is the triangle of the factors, shown by columns, with its diagonal.
template <int N, class R, class X>
BATCHWORK_INLINE void substitute_upper(R const& r, X& x) {
  using S = typename X::value_type;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = N - 1; k >= 0; --k) {
    auto const pivot = PivotReciprocal(r.diagonal(k));
    S xk[X::mine];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < X::mine; ++m) {
      xk[m] = pivot * x.at(m, k);
      x.at(m, k) = xk[m];
    }
    r.for_each_above(k, [&](int i, auto const& rik) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = 0; m < X::mine; ++m) x.at(m, i) -= S(rik) * xk[m];
    });
  }
}

}  // namespace Batchwork::Impl

#endif
