// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// sqrt_spd(a), log_spd(a): the root and the logarithm of a symmetric positive definite tile.
#ifndef BATCHWORK_SPDFUNCTIONS_HPP
#define BATCHWORK_SPDFUNCTIONS_HPP

#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_Eigh.hpp"

namespace Batchwork {

namespace Impl {

/// V f(values) V' of a symmetric matrix; `failed(smallest, largest in size)` says whether f is not
/// defined for the smallest value. That is the first one, as they are in order.
template <class A, class F, class Failed>
BATCHWORK_INLINE auto function_of_values(A const& a, F const& f, Failed const& failed) {
  auto const e = eigh(a);
  auto const v = e.vectors();
  auto const values = e.values();
  using Values = std::remove_cvref_t<decltype(values)>;
  using S = value_t<Values>;
  S const first = values.entry(0, 0), last = values.entry(Values::rows - 1, 0);
  S const size = larger_size(S(abs(first)), S(abs(last)));
  Values mapped = entrywise<Values>(
      [&](auto const& x) {
        S const y(x);
        return f(y, size);
      },
      values);
  mapped.info = values.info;
  auto r = symmetric_product(v * as_diagonal(mapped), transpose(v));
  using R = value_t<decltype(r)>;
  r.info = merge_info<R>(
      e.info,
      select(failed(first, size), make_info<R>(Reason::not_positive_definite, 1), info_t<R>(0)));
  return r;
}

}  // namespace Impl

/// The symmetric positive semidefinite x with x x = a, a symmetric, of which the lower triangle is
/// read: V sqrt(values) V'; N^3 operations beside those of eigh(a). x x differs from a by some N
/// eps |a|. Eigenvalues between -4 N eps |a| and 0, |a| being the largest size of one, are the
/// rounding of zeros and count as such; a smaller one gives Reason::not_positive_definite with its
/// 1-based index, which is 1, as the smallest value comes first, and NaN. An entry that is not
/// finite gives Reason::not_finite. (Golub and Van Loan, Matrix Computations, 4th edition,
/// section 9.1.)
template <Tile A>
BATCHWORK_INLINE auto sqrt_spd(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  static_assert(A::rows == A::cols, "Batchwork::sqrt_spd: the tile must be square");
  using T = scalar_t<value_t<A>>;
  constexpr T rounding = 4 * A::rows * std::numeric_limits<T>::epsilon();
  return Impl::function_of_values(
      a,
      [](auto const& x, auto const& size) {
        using S = std::remove_cvref_t<decltype(x)>;
        auto const zero = x < S(T(0)) && x >= S(-rounding) * size;
        return Impl::sqrt(S(Impl::select(zero, S(T(0)), x)));
      },
      [](auto const& x, auto const& size) {
        using S = std::remove_cvref_t<decltype(x)>;
        return x < S(-rounding) * size;
      });
}

/// The symmetric x whose exponential is a, a symmetric positive definite, of which the lower
/// triangle is read: V log(values) V'; N^3 operations beside those of eigh(a). An eigenvalue has
/// the error of eigh, some N eps |a|, so that x may be wrong by as many eps as N times the
/// condition number. The zero eigenvalue of a singular matrix may come out as a tiny positive
/// number: then x is meaningless and the code is 0. One that is not positive gives
/// Reason::not_positive_definite with its 1-based index, which is 1, as the smallest value comes
/// first, and no finite numbers. An entry that is not finite gives Reason::not_finite. (Golub and
/// Van Loan, Matrix Computations, 4th edition, section 9.1.)
template <Tile A>
BATCHWORK_INLINE auto log_spd(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  static_assert(A::rows == A::cols, "Batchwork::log_spd: the tile must be square");
  using T = scalar_t<value_t<A>>;
  return Impl::function_of_values(
      a, [](auto const& x, auto const&) { return Impl::log(x); },
      [](auto const& x, auto const&) {
        using S = std::remove_cvref_t<decltype(x)>;
        return !(x > S(T(0)));
      });
}

}  // namespace Batchwork

#endif
