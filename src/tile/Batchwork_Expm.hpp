// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// expm(a): the exponential of a square tile.
#ifndef BATCHWORK_EXPM_HPP
#define BATCHWORK_EXPM_HPP

#include <limits>
#include <utility>

#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "tile/Batchwork_ComplexParts.hpp"
#include "tile/Batchwork_Generate.hpp"
#include "tile/Batchwork_Lu.hpp"
#include "tile/Batchwork_Reduce.hpp"

namespace Batchwork {

namespace Impl {

/// How often a matrix is halved until its norm, here relative to a bound, is at most one: `count`
/// times, with `twice` / 2 = 2^-count. No halvings if the norm is not finite.
template <class S>
struct Halvings {
  S count, twice;

  BATCHWORK_INLINE explicit Halvings(S const& norm) {
    using T = scalar_t<S>;
    using Limits = std::numeric_limits<T>;
    using Integer = integer_of_t<T>;
    constexpr int mantissa = Limits::digits - 1;
    constexpr Integer bias = Limits::max_exponent - 1, one = Integer(1) << mantissa;
    constexpr Integer exponents = (2 * bias + 1) << mantissa;
    auto const large = norm > S(T(1)) && norm <= S(Limits::max());
    auto const e = bit_and(bits(S(select(large, norm, S(T(0.5))))), exponents);
    using Bits = std::remove_cvref_t<decltype(e)>;
    count = with_lanes_of(norm, to_number<T>(shift_right(e, mantissa))) - S(T(bias - 1));
    twice = with_lanes_of(norm, from_bits<T>(Bits(Bits(Integer(2 * bias * one)) - e)));
  }
};

/// c0 x0 + c1 x1 + ..., entry by entry.
template <class T, int Terms>
struct LinearCombination {
  T c[Terms];
  template <class... X>
  BATCHWORK_INLINE auto operator()(X const&... x) const {
    return sum(std::index_sequence_for<X...>{}, x...);
  }

 private:
  template <std::size_t... I, class... X>
  BATCHWORK_INLINE auto sum(std::index_sequence<I...>, X const&... x) const {
    static_assert(sizeof...(X) == Terms);
    return (... + (c[I] * x));
  }
};
template <class R, class... X>
BATCHWORK_INLINE R combined(scalar_t<value_t<R>> const (&c)[sizeof...(X)], X const&... x) {
  LinearCombination<scalar_t<value_t<R>>, int(sizeof...(X))> f;
  BATCHWORK_UNROLL
  for (int k = 0; k < int(sizeof...(X)); ++k) f.c[k] = c[k];
  R r = entrywise<R>(f, x...);
  r.info = info_t<value_t<R>>(0);
  return r;
}

/// The largest norm for which exp_of_small has a backward error of rounding: theta of the degree
/// that is used.
template <class T>
inline constexpr T largest_norm_of_pade =
    sizeof(T) == 4 ? T(3.925724783138660) : T(5.371920351148152);

/// The Pade approximant of exp(a), with degree 7 in float and 13 in double, divided by its first
/// coefficient so that exp(0) is the identity. a is a general tile with a norm below
/// largest_norm_of_pade.
template <class A>
BATCHWORK_INLINE auto exp_of_small(A const& a) {
  using T = scalar_t<value_t<A>>;
  constexpr int N = A::rows;
  auto const a2 = a * a;
  using R = std::remove_cvref_t<decltype(a2)>;
  R const a4 = a2 * a2, a6 = a4 * a2;
  Identity<T, N> const one;
  R odd, even;
  if constexpr (sizeof(T) == 4) {
    constexpr T b0 = 17297280;
    odd = combined<R>({T(0.5), T(277200) / b0, T(1512) / b0, T(1) / b0}, one, a2, a4, a6);
    even = combined<R>({T(1), T(1995840) / b0, T(25200) / b0, T(56) / b0}, one, a2, a4, a6);
  } else {
    constexpr T b0 = 64764752532480000;
    R const high_odd = combined<R>({T(40840800) / b0, T(16380) / b0, T(1) / b0}, a2, a4, a6),
            high_even = combined<R>({T(1323241920) / b0, T(960960) / b0, T(182) / b0}, a2, a4, a6),
            odd_rest = a6 * high_odd, even_rest = a6 * high_even;
    odd = combined<R>(
        {T(0.5), T(1187353796428800) / b0, T(10559470521600) / b0, T(33522128640) / b0, T(1)}, one,
        a2, a4, a6, odd_rest);
    even = combined<R>(
        {T(1), T(7771770303897600) / b0, T(129060195264000) / b0, T(670442572800) / b0, T(1)}, one,
        a2, a4, a6, even_rest);
  }
  R const u = a * odd;
  return solve(lu(even - u), even + u);
}

struct SizeOfEntry {
  template <class A>
  BATCHWORK_INLINE A operator()(A const& a) const {
    return abs(a);
  }
};

/// The norm of a power of b = |a|: log |b^power|_1, from `power` products with a vector.
template <class B>
BATCHWORK_INLINE auto log_norm_of_power(B const& b, int power) {
  using S = value_t<B>;
  using T = scalar_t<S>;
  auto sums = transpose(b) * generate<B::rows>([](int) { return T(1); });
  S total(T(0));
  BATCHWORK_KEEP_LOOP
  for (int k = 1; true; ++k) {
    S const largest = max_abs(sums).value;
    total += log(largest);
    if (k == power) return total;
    // Divided by the largest entry, so that the numbers stay in range.
    auto const unit = select(largest > S(T(0)), S(S(T(1)) / largest), S(T(0)));
    sums = transpose(b) * (Scalar<S>(unit) * sums);
  }
}

/// Takes back halvings that the norm of a requires but its powers do not. The truncation error of
/// the approximant is bounded by |a^4|^(1/4) and |a^6|^(1/6) instead of |a|, its rounding error by
/// the growth of the powers of |a| (Al-Mohy and Higham, theorem 4.2 and equation 5.7). Only for
/// items that would be squared more than three times.
template <class S, class A>
BATCHWORK_INLINE void take_back_halvings(Halvings<S>& halvings, A const& a) {
  using T = scalar_t<S>;
  constexpr bool narrow = sizeof(T) == 4;
  constexpr int degree = narrow ? 7 : 13;
  // (eps / (2 c))^(1 / (2 degree)), where c is the first coefficient of the series of the error.
  constexpr T largest_growth = narrow ? T(4.0) : T(5.43);
  // With this many unnecessary halvings the sixth power still has correct digits.
  constexpr T most = power_of_two<T>(narrow ? 20 : 170);
  BATCHWORK_KEEP_LOOP
  while (true) {
    auto const many = halvings.count > S(T(3));
    if (!Batchwork::any(many)) return;
    A const b = Scalar<S>(halvings.twice) * a * T(0.5);
    A const b2 = b * b, b4 = b2 * b2, b6 = b4 * b2;
    S const fourth = exp(S(log(norm1(b4).value) * T(0.25))),
            sixth = exp(S(log(norm1(b6).value) * T(1.0 / 6)));
    auto const sizes = part_of<S>(SizeOfEntry{}, b);
    S const growth = exp(S((log_norm_of_power(sizes, 2 * degree + 1) - log(norm1(b).value)) *
                           T(1.0 / (2 * degree))));
    S const truncation = larger_size(fourth, sixth) * T(1 / largest_norm_of_pade<T>);
    S const needed = larger_size(truncation, S(growth * T(1 / largest_growth)));
    Halvings<S> const back(select(needed > S(1 / most), S(S(T(1)) / needed), S(most)));
    auto const fewer = many && back.count > S(T(1));
    if (!Batchwork::any(fewer)) return;
    auto const none = back.count > halvings.count;
    halvings.twice =
        select(fewer, S(select(none, S(T(2)), S(halvings.twice / back.twice))), halvings.twice);
    halvings.count = select(
        fewer, S(select(none, S(T(0)), S(halvings.count - back.count + S(T(1))))), halvings.count);
  }
}

}  // namespace Impl

/// The matrix exponential of a square tile, by scaling and squaring of a Pade approximant with
/// degree 13, or 7 in float.
/// ```cpp
/// auto const f = expm(dt * a);
/// ```
/// Cost: six products (four in float) and about max(0, log2(|a|_1 / 5.4)) squarings of 2 N^3
/// operations each, and a solve with 8 N^3 / 3. If items that run together differ in norm, all are
/// squared as often as the largest one requires, and each keeps its own result.
///
/// Accuracy: for a normal matrix the relative error is about N eps |a|; for a well scaled a the
/// result is the exponential of a matrix that differs from a by rounding. Items that would be
/// squared more than three times are tested: matrices whose powers are much smaller than the powers
/// of their norm, such as [1 c; 0 -1] with a large c, need fewer squarings. If the roots of |a^4|
/// and |a^6| grow with c, as for [-1 c; 0 -2], the error grows in proportion to c^(1/4).
///
/// Status: Reason::not_finite if the exponential or the norm of a overflows, or an entry is NaN.
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Sources: Higham, SIAM J. Matrix
/// Anal. Appl. 26 (2005), 1179-1193; Al-Mohy and Higham, ibid. 31 (2009), 970-989.
/// \param a  N x N
/// \returns a general tile, N x N
template <Tile A>
BATCHWORK_INLINE auto expm(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  static_assert(A::rows == A::cols, "Batchwork::expm: the tile must be square");
  using S = value_t<A>;
  using T = scalar_t<S>;
  S const norm = norm1(a).value;
  Impl::Halvings<S> halvings(S(norm / S(Impl::largest_norm_of_pade<T>)));
  // In two steps, because the reciprocal of the largest power of two is not a normal number.
  Matrix<S, A::rows, A::rows> const general(a);
  Impl::take_back_halvings(halvings, general);
  auto r = Impl::exp_of_small(Scalar<S>(halvings.twice) * general * T(0.5));
  S left = halvings.count;
  BATCHWORK_KEEP_LOOP
  while (true) {
    auto const more = left > S(T(0));
    if (!Batchwork::any(more)) break;
    r = select(more, r * r, r);
    left = left - S(T(1));
  }
  auto const finite = Impl::is_finite(norm) && Impl::is_finite(S(max_abs(r).value));
  r.info = Impl::first_failure(
      Impl::info_in_lanes_of<S>(a.info),
      Impl::select(finite, info_t<S>(0), Impl::make_info<S>(Reason::not_finite, 0)));
  return r;
}

}  // namespace Batchwork

#endif
