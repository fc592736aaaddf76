// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// sqrt_spd(a) and log_spd(a): the square root and the logarithm of a symmetric positive definite
/// tile.
#ifndef BATCHWORK_SPDFUNCTIONS_HPP
#define BATCHWORK_SPDFUNCTIONS_HPP

#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_Eigh.hpp"

namespace Batchwork {

namespace Impl {

/// V f(values) V' of a symmetric matrix. `failed(smallest, largest in size)` says whether f is
/// undefined for the smallest eigenvalue, which comes first.
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

/// The symmetric positive semidefinite square root x with x x = a: V sqrt(values) V'.
/// ```cpp
/// auto const root = sqrt_spd(p);
/// ```
/// Cost: N^3 operations in addition to eigh(a). Accuracy: x x differs from a by about N eps |a|.
/// Status: eigenvalues between -4 N eps |a| and 0, with |a| the largest size of an eigenvalue,
/// count as zero; a smaller one gives Reason::not_positive_definite with info 1, the index of the
/// smallest eigenvalue, and NaN. Reason::not_finite if an entry is not finite.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Source: Golub and Van Loan, Matrix
/// Computations, 4th edition, section 9.1.
/// \param a  N x N, symmetric; only the lower triangle is read
/// \returns a Symmetric tile
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

/// The symmetric logarithm x of a positive definite matrix, with exp(x) = a: V log(values) V'.
/// ```cpp
/// auto const x = log_spd(p);
/// ```
/// Cost: N^3 operations in addition to eigh(a). Accuracy: eigenvalues have the error of eigh, about
/// N eps |a|, so the error of x can be N eps times the condition number. The zero eigenvalue of a
/// singular matrix may be computed as a tiny positive number; x is then meaningless although the
/// status is 0. Status: an eigenvalue that is not positive gives Reason::not_positive_definite with
/// info 1, the index of the smallest eigenvalue, and results that are not finite.
/// Reason::not_finite if an entry is not finite.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Source: Golub and Van Loan, Matrix
/// Computations, 4th edition, section 9.1.
/// \param a  N x N, symmetric positive definite; only the lower triangle is read
/// \returns a Symmetric tile
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
