// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Householder reflections, written once for a matrix with distributed columns: one lane or pack
/// holds all columns, or the lanes that share an item.
#ifndef BATCHWORK_HOUSEHOLDER_HPP
#define BATCHWORK_HOUSEHOLDER_HPP

#include <Kokkos_Core.hpp>
#include <bit>
#include <concepts>
#include <limits>
#include <type_traits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_ColumnBlocks.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"

namespace Batchwork::Impl {

/// A matrix with distributed columns. `value_type` is a number of the caller's own columns, or a
/// pack of numbers.
/// - rows, cols, mine: the extents, and the largest number of own columns
/// - at(m, i): entry i of own column m
/// - diagonal[m]: a number for own column m; if the column holds a reflection, the diagonal entry
///   of R
/// - is(m, k), is_behind(m, k): whether own column m is column k, or is to the right of it
/// - round_of(k): the only m for which is(m, k) may be true
/// - first_behind(k): the first m for which is_behind(m, k) may be true
/// - show(k, from): column k from row `from` on, for all callers to read; its for_each(first, f)
///   calls f(i, number) for i = first .. rows - 1, first >= from
/// - begin(): before the first show: waits until other data in the exchange have been read
/// - steps_of_a_loop: so many steps form one loop, for code that would exceed a device's
///   instruction cache; 0: every step is unrolled
///
/// If there are loops, over the steps First .. First + steps_of_a_loop - 1 in one round:
/// - show_within<First>(k): column k from row First on, with zeros above row k; number(k) for a k
///   that is not constant
///
/// Cost on devices: show publishes one column and waits once.
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
  a.show(k, k);
  a.begin();
  { C::steps_of_a_loop } -> std::convertible_to<int>;
};

/// The same for a matrix whose columns can be exchanged.
/// - bring_largest(k, f, beside): exchanges column k with the column from k on for which f(m) is
///   largest, and shows it. f(m) >= 0 for own column m; NaN is larger than any number. beside[m]
///   moves with its column.
/// - largest(f): the largest f(m) of all columns
/// - column(m): the number of own column m
/// - told(x, k): x of column k, for all callers; x has a number for each own column
///
/// Cost on devices: bring_largest is a search over lanes with two published columns and two waits;
/// told is a broadcast.
template <class C>
concept ExchangedColumns =
    DealtColumns<C> && requires(C a, C const c, typename C::value_type (*f)(int),
                                typename C::value_type (&x)[C::mine]) {
      a.bring_largest(0, f, x);
      c.largest(f);
      { c.column(0) } -> std::convertible_to<int>;
      { c.told(x, 0) } -> std::convertible_to<typename C::value_type>;
    };

/// The size of the largest entry of a; NaN is larger than any number.
template <class C>
BATCHWORK_INLINE auto largest_entry(C const& a) {
  return a.largest([&](int m) {
    auto r = abs(a.at(m, 0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 1; i < C::rows; ++i) r = larger_size(r, abs(a.at(m, i)));
    return r;
  });
}
template <class C, class Scale>
BATCHWORK_INLINE void scale_columns(C& a, Scale const& by) {
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows; ++i) a.at(m, i) = a.at(m, i) * by.first * by.second;
  }
}

/// Sums of squares are accurate above this, even if some of their terms underflow.
template <class T>
inline constexpr T least_square = 32 * std::numeric_limits<T>::min();

/// The reflection H = I - u u' that maps x to alpha e_0. x is `head` above numbers whose squares
/// sum to `below`; u is `top` above the same numbers times `scale`. For complex numbers H = I - t u
/// u' with t the reflection_factor of `top`, and alpha is real: the H of LAPACK's zlarfg.
template <class S>
struct Reflection {
  using R = real_t<S>;
  R alpha;
  S top;
  R scale;

  Reflection() = default;
  BATCHWORK_INLINE Reflection(S const& head, R const& below) {
    using T = scalar_t<S>;
    R const zero(T(0)), square = square_of_size(head) + below, along = real(head);
    // alpha = -sign(head) |x|, u = (x - alpha e_0) / sqrt(|x| (|x| + |head|)), so that u' u = 2;
    // the sign and size of the real part.
    auto const flat = is_flat(head, below) || square < R(least_square<T>);
    R const norm = sqrt(square);
    scale = select(flat, zero, rsqrt(R(norm * (norm + abs(along)))));
    alpha = select(flat, along, select(along < zero, norm, R(-norm)));
    top = select(flat, S(zero), S((head - alpha) * scale));
  }
  /// Whether x is already a multiple of e_0.
  static BATCHWORK_INLINE auto is_flat(S const& head, R const& below) {
    if constexpr (is_complex<S>) return below == R(scalar_t<S>(0)) && head.im == R(scalar_t<S>(0));
    else return below == R(scalar_t<S>(0));
  }
};

/// The same for a real x, scaled so that the sum of its squares is normal or zero. It is accurate
/// to the last bits, by an inverse root that is fast on devices. If a number of x is not finite, no
/// result is.
template <class T>
BATCHWORK_INLINE Reflection<T> scaled_reflection(T const& head, T const& below) {
  T const square = head * head + below, norm = square * Vendor::rsqrt(square);
  bool const flat = below == T(0) || square < least_square<T>;
  Reflection<T> h;
  h.scale = flat ? T(0) : Vendor::rsqrt(norm * (norm + Kokkos::abs(head)));
  h.alpha = flat ? head : head < T(0) ? norm : -norm;
  h.top = flat ? T(0) : (head - h.alpha) * h.scale;
  return h;
}

/// For complex numbers, the t of H = I - t u u': H' maps x to a real multiple of e_0. It follows
/// from the first entry of u: t = real(top) / conj(top).
template <class R>
BATCHWORK_INLINE Complex<R> reflection_factor(Complex<R> const& top) {
  R const zero(scalar_t<R>(0)), one(scalar_t<R>(1)), square = square_of_size(top);
  auto const flat = square == zero;
  R const part = top.re / select(flat, one, square);
  return {select(flat, one, R(part * top.re)), R(part * top.im)};
}

/// t w, or t' w, where H is I - t u u': w itself for real numbers.
template <bool Adjoint, class S, class W>
BATCHWORK_INLINE W times_factor(S const& top, W const& w) {
  if constexpr (is_complex<S>) {
    S const t = reflection_factor(top);
    return W((Adjoint ? conj(t) : t) * w);
  } else {
    return w;
  }
}

/// The factors by which the u of own columns are multiplied at the end, where lanes share the
/// columns: once, rather than in each step by lanes without a part of u.
template <class C>
struct ReflectionScales {
  using R = real_t<typename C::value_type>;
  R of[C::mine];

  BATCHWORK_INLINE ReflectionScales() {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < C::mine; ++m) of[m] = R(scalar_t<R>(1));
  }
};

/// Step k of a QR factorisation: the reflection H = I - u u' that maps column k, from its diagonal
/// down, to a multiple of e_k, applied to the columns to the right. Column k is replaced by u
/// divided by the column's number in `scales`; the diagonal entry of R goes to `diagonal`. x is
/// column k, shown. The sign is that of LAPACK's larfg: a column with zeros below the diagonal is
/// left unchanged, and so is a column that is negligible relative to the scale of the columns.
template <DealtColumns C, class X>
BATCHWORK_INLINE void reflect(C& a, int k, X const& x, ReflectionScales<C>& scales) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  S const zero(T(0));
  // x' x below the diagonal, and x' a_m, with one pass over the data.
  S head = zero;
  real_t<S> below(T(0));
  S share[C::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::first_behind(k); m < C::mine; ++m) share[m] = zero;
  x.for_each(k, [&](int i, S const& xi) {
    if (i == k) {
      head = xi;
    } else {
      below += square_of_size(xi);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = C::first_behind(k); m < C::mine; ++m)
        add_product(share[m], conj(xi), a.at(m, i));
    }
  });
  auto const [alpha, top, scale] = Reflection<S>(head, below);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::first_behind(k); m < C::mine; ++m) {
    // w = u' a_m; a_m -= w u
    S const dot = a.is_behind(m, k) ? S(conj(top) * a.at(m, k) + scale * share[m]) : zero;
    S const w = times_factor<true>(top, dot);
    a.at(m, k) -= w * top;
    share[m] = w * scale;
  }
  x.for_each(k + 1, [&](int i, S const& xi) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = C::first_behind(k); m < C::mine; ++m) subtract_product(a.at(m, i), share[m], xi);
  });
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = C::round_of(k); m <= C::round_of(k); ++m) {
    bool const own = a.is(m, k);
    a.diagonal[m] = own ? S(alpha) : a.diagonal[m];
    if constexpr (C::mine == C::cols) {
      a.at(m, k) = top;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = k + 1; i < C::rows; ++i) a.at(m, i) = a.at(m, i) * scale;
    } else {
      a.at(m, k) = own ? S(head - alpha) : a.at(m, k);
      scales.of[m] = own ? scale : scales.of[m];
    }
  }
}

/// Step k in the last row, where nothing has to be done.
template <DealtColumns C>
BATCHWORK_INLINE void reflect_nothing(C& a, int k) {
  using S = typename C::value_type;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) {
    auto const own = a.is(m, k);
    a.diagonal[m] = own ? a.at(m, k) : a.diagonal[m];
    a.at(m, k) = own ? S(scalar_t<S>(0)) : a.at(m, k);
  }
}

/// Step k as in `reflect`, where k is one of the rows First .. First + steps_of_a_loop - 1, so that
/// k is not a constant.
template <int First, DealtColumns C, class X>
BATCHWORK_INLINE void reflect_within(C& a, int k, X const& x, ReflectionScales<C>& scales) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  constexpr int end = First + C::steps_of_a_loop, m0 = C::round_of(First);
  S const zero(T(0)), head = x.number(k);
  S below = zero, share[C::mine], at_k[C::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = m0; m < C::mine; ++m) share[m] = at_k[m] = zero;
  x.for_each(First, [&](int i, S const& xi) {
    bool const on_top = i < end && i == k;
    below += on_top ? zero : xi * xi;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = m0; m < C::mine; ++m) {
      share[m] += xi * a.at(m, i);
      at_k[m] = on_top ? a.at(m, i) : at_k[m];
    }
  });
  auto const [alpha, top, scale] = Reflection<S>(head, below);
  S w[C::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = m0; m < C::mine; ++m) {
    // w = u' a_m, u being (x - alpha e_k) scale; a_m -= w u
    bool const behind = a.is_behind(m, k);
    w[m] = behind ? scale * (share[m] - alpha * at_k[m]) : zero;
    // The scale may be NaN, which must not reach R above row k.
    share[m] = behind ? w[m] * scale : zero;
  }
  x.for_each(First, [&](int i, S const& xi) {
    bool const on_top = i < end && i == k;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = m0; m < C::mine; ++m)
      a.at(m, i) -= (on_top ? w[m] : share[m]) * (on_top ? top : xi);
  });
  bool const own = a.is(m0, k);
  a.diagonal[m0] = own ? alpha : a.diagonal[m0];
  scales.of[m0] = own ? scale : scales.of[m0];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = First; i < end && i < C::rows; ++i)
    a.at(m0, i) = own && i == k ? head - alpha : a.at(m0, i);
}
/// Steps First to `count` in loops.
template <int First, int Count, DealtColumns C>
BATCHWORK_INLINE void reflect_in_loops(C& a, ReflectionScales<C>& scales) {
  constexpr int next = First + C::steps_of_a_loop, end = next < Count ? next : Count;
  BATCHWORK_KEEP_LOOP
  for (int k = First; k < end; ++k)
    reflect_within<First>(a, k, a.template show_within<First>(k), scales);
  if constexpr (end < Count) reflect_in_loops<end, Count>(a, scales);
}

/// Scales the factors: every number of R by f(own column, number), and each u by its column's
/// number in `scales`.
template <DealtColumns C, class F>
BATCHWORK_INLINE void scale_factors(C& a, ReflectionScales<C> const& scales, F const& f) {
  using S = typename C::value_type;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) {
    a.diagonal[m] = f(m, a.diagonal[m]);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows; ++i) {
      if constexpr (C::mine == C::cols) {
        if (a.is_behind(m, i)) a.at(m, i) = f(m, a.at(m, i));
      } else {
        a.at(m, i) = a.is_behind(m, i) ? f(m, a.at(m, i)) : S(a.at(m, i) * scales.of[m]);
      }
    }
  }
}

/// The number of rows, from the first on, whose diagonal entry is computed by a reflection. The
/// last diagonal entry of a real matrix needs none.
template <class S>
constexpr int reflections(int rows) {
  return is_complex<S> ? rows : rows - 1;
}

/// Replaces a by its factors Q R: R to the right of the diagonal and in `diagonal`, the vectors u
/// of Q = H_0 H_1 ... on the diagonal and below. Each column is scaled by a power of two meanwhile,
/// so that no square overflows or underflows. (Golub and Van Loan, Matrix Computations, 4th
/// edition, algorithm 5.2.1.)
template <DealtColumns C>
BATCHWORK_INLINE void triangularise(C& a) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  using R = real_t<S>;
  R unscale[C::mine];
  ReflectionScales<C> scales;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) {
    R largest(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows; ++i) {
      R const size = largest_part(a.at(m, i));
      largest = select(size > largest, size, largest);
    }
    SafeScale<R> const scale(largest);
    unscale[m] = scale.up;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows; ++i) a.at(m, i) = a.at(m, i) * scale.down;
  }
  a.begin();
  if constexpr (C::steps_of_a_loop > 0) {
    constexpr int count = C::cols < C::rows ? C::cols : C::rows - 1;
    reflect_in_loops<0, count>(a, scales);
    if constexpr (C::cols >= C::rows) reflect_nothing(a, C::rows - 1);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < C::rows && k < C::cols; ++k) {
      if (k >= reflections<S>(C::rows)) reflect_nothing(a, k);
      else reflect(a, k, a.show(k, k), scales);
    }
  }
  scale_factors(a, scales, [&](int m, S const& r) { return S(r * unscale[m]); });
}

/// The same with column pivoting, a P = Q R: in step k the column with the largest length from row
/// k down moves to place k. Lengths are computed again in each step, from registers: half as many
/// operations as the reflections, and none of the precautions that updated lengths need. order[m]
/// becomes the original number of own column m. The matrix is scaled as a whole; what a small
/// column loses is negligible relative to the rounding of the largest one. (Golub and Van Loan,
/// algorithm 5.4.1; LAPACK's geqp3.)
template <ExchangedColumns C>
BATCHWORK_INLINE void triangularise_exchanging(C& a, typename C::value_type (&order)[C::mine]) {
  using S = typename C::value_type;
  using T = scalar_t<S>;
  UnitScale<S> const scale(largest_entry(a));
  scale_columns(a, scale);
  ReflectionScales<C> scales;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) order[m] = S(T(a.column(m)));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < C::rows && k < C::cols; ++k) {
    auto const square_below = [&](int m) {
      S sum(T(0));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = k; i < C::rows; ++i) sum += a.at(m, i) * a.at(m, i);
      return sum;
    };
    auto const x = a.bring_largest(k, square_below, order);
    if (k + 1 == C::rows) reflect_nothing(a, k);
    else reflect(a, k, x, scales);
  }
  scale_factors(a, scales,
                [&](int, S const& r) { return S(r * scale.second_back * scale.first_back); });
}

/// x := H_k x, or H_k' x, own columns of x, from number `first` on; u is column k of the factors,
/// shown.
template <bool Adjoint = false, class U, class X>
BATCHWORK_INLINE void apply_reflection(U const& u, int k, X& x, int first = 0) {
  using S = typename X::value_type;
  S w[X::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = first; m < X::mine; ++m) w[m] = S(scalar_t<S>(0));
  [[maybe_unused]] S top(scalar_t<S>(0));
  u.for_each(k, [&](int i, auto const& ui) {
    if constexpr (is_complex<S>) top = i == k ? S(ui) : top;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = first; m < X::mine; ++m) add_product(w[m], S(conj(ui)), x.at(m, i));
  });
  if constexpr (is_complex<S>) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = first; m < X::mine; ++m) w[m] = times_factor<Adjoint>(top, w[m]);
  }
  u.for_each(k, [&](int i, auto const& ui) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = first; m < X::mine; ++m) subtract_product(x.at(m, i), w[m], S(ui));
  });
}

/// apply_reflection for packs, by blocks of columns, because the sums of all columns would be
/// written to memory and read again.
template <bool Adjoint = false, class U, class X>
  requires are_packs<typename X::value_type>
BATCHWORK_INLINE void apply_reflection(U const& u, int k, X& x, int first = 0) {
  using S = typename X::value_type;
  constexpr int widest = int(std::bit_floor(unsigned(X::mine < 8 ? X::mine : 8)));
  for_blocks<widest>(first, X::mine, [&]<int Count>(int m0) {
    S w[Count];
    BATCHWORK_UNROLL
    for (int c = 0; c < Count; ++c) w[c] = S(scalar_t<S>(0));
    [[maybe_unused]] S top(scalar_t<S>(0));
    u.for_each(k, [&](int i, auto const& ui) {
      if constexpr (is_complex<S>) top = i == k ? S(ui) : top;
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c) add_product(w[c], S(conj(ui)), x.at(m0 + c, i));
    });
    if constexpr (is_complex<S>) {
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c) w[c] = times_factor<Adjoint>(top, w[c]);
    }
    u.for_each(k, [&](int i, auto const& ui) {
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c) subtract_product(x.at(m0 + c, i), w[c], S(ui));
    });
  });
}
/// `reflect` for packs, where u already has its final scale.
template <DealtColumns C, class X>
  requires are_packs<typename C::value_type>
BATCHWORK_INLINE void reflect(C& a, int k, X const&, ReflectionScales<C>&) {
  using S = typename C::value_type;
  real_t<S> below(scalar_t<S>(0));
  for (int i = k + 1; i < C::rows; ++i) below += square_of_size(a.at(k, i));
  Reflection<S> const h(a.at(k, k), below);
  a.diagonal[k] = S(h.alpha);
  a.at(k, k) = h.top;
  for (int i = k + 1; i < C::rows; ++i) a.at(k, i) = a.at(k, i) * h.scale;
  apply_reflection<true>(a.show(k, k), k, a, C::first_behind(k));
}

/// The same for a k in First .. First + Steps - 1, which need not be a constant.
template <int First, int Steps, class U, class X>
BATCHWORK_INLINE void apply_reflection_within(U const& u, int k, X& x, int first = 0) {
  using S = typename X::value_type;
  S const zero(scalar_t<S>(0));
  auto const own = [&](int i, S const& ui) { return i < First + Steps && i < k ? zero : ui; };
  S w[X::mine];
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = first; m < X::mine; ++m) w[m] = zero;
  u.for_each(First, [&](int i, S const& ui) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = first; m < X::mine; ++m) w[m] += own(i, ui) * x.at(m, i);
  });
  u.for_each(First, [&](int i, S const& ui) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = first; m < X::mine; ++m) x.at(m, i) -= w[m] * own(i, ui);
  });
}

/// Rows 0 .. N - 1 of x := R^-1 x, own columns of x; r is the triangle of the factors, shown by
/// columns, with its diagonal.
template <int N, class R, class X>
BATCHWORK_INLINE void substitute_upper(R const& r, X& x) {
  using S = typename X::value_type;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = N - 1; k >= 0; --k) {
    auto const pivot = PivotReciprocal(real(r.diagonal(k)));
    S xk[X::mine];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < X::mine; ++m) {
      xk[m] = pivot * x.at(m, k);
      x.at(m, k) = xk[m];
    }
    r.for_each_above(k, [&](int i, auto const& rik) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = 0; m < X::mine; ++m) subtract_product(x.at(m, i), S(rik), xk[m]);
    });
  }
}

/// Rows 0 .. N - 1 of x := R'^-1 x, where a zero on the diagonal of R gives a zero in x.
template <int N, class R, class X>
BATCHWORK_INLINE void substitute_transposed(R const& r, X& x) {
  using S = typename X::value_type;
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < N; ++k) {
    auto const pivot = pivot_divisor(r.diagonal(k));
    r.for_each_above(k, [&](int i, auto const& rik) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = 0; m < X::mine; ++m) x.at(m, k) -= S(rik) * x.at(m, i);
    });
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < X::mine; ++m) x.at(m, k) = pivot * x.at(m, k);
  }
}

}  // namespace Batchwork::Impl

#endif
