// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// rank_update(l, v) and rank_downdate(l, v): the Cholesky factor of A + V V' or A - V V' from the
/// factor of A.
#ifndef BATCHWORK_RANKUPDATE_HPP
#define BATCHWORK_RANKUPDATE_HPP

#include "core/detail/Batchwork_StackedReflections.hpp"
#include "tile/Batchwork_Cholesky.hpp"
#include "tile/Batchwork_Qr.hpp"
#include "tile/detail/Batchwork_Columns.hpp"
#include "tile/types/Batchwork_Transpose.hpp"

namespace Batchwork {

namespace Impl {

/// The lower triangle whose transpose `change` computes from those of l and v.
template <class L, class V, class F>
BATCHWORK_INLINE auto changed_factor(L const& l, V const& v, F const& change) {
  [[maybe_unused]] constexpr bool real = require_real<L, V>(),
                                  decomposed = require_decomposed<L, V>();
  static_assert(L::structure == Structure::lower,
                "Batchwork::rank_update, rank_downdate: the factor must be a Lower tile");
  static_assert(
      L::rows == V::rows,
      "Batchwork::rank_update, rank_downdate: v and the factor have different numbers of rows");
  using S = promote_t<value_t<L>, value_t<V>>;
  constexpr int N = L::rows;
  auto const grid = grid_of(l, v);
  auto r = columns_of<S, N, N>(transpose(l), grid);
  auto b = columns_of<S, V::cols, N>(transpose(v), grid);
  auto const info = change(r, b);
  auto const tile = [&] {
    auto x = r.template tile<N, false>();
    x.info =
        merge_info<value_t<decltype(x)>>(merge_info<value_t<decltype(x)>>(l.info, v.info), info);
    return x;
  }();
  if constexpr (is_distributed<S>) return Lower<dealt_t<S, true>, N>(transpose(tile));
  else return Lower<S, N>(transpose(tile));
}

}  // namespace Impl

/// The lower triangular factor of A + V V' from the factor L of A = L L', with a positive diagonal,
/// by reflections of the rows of [L'; V'].
/// ```cpp
/// l = rank_update(l, v);
/// ```
/// Cost: 2 (K + 1) N^2 operations. Accuracy: backward stable row by row; row i of the result
/// belongs to a matrix [L V] whose row i differs by about (N + K) eps of its size. Entries near
/// overflow and denormal entries are allowed. Status: Reason::not_finite with the 1-based index of
/// the first row that is not finite.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Source: Golub and Van Loan, Matrix
/// Computations, 4th edition, section 6.5.4; LAPACK's tpqrt.
/// \param l  the factor, N x N, lower triangular (Structure::lower)
/// \param v  a vector with N numbers, or N x K
/// \returns a Lower tile
template <Tile L, Tile V>
BATCHWORK_INLINE auto rank_update(L const& l, V const& v) {
  return Impl::changed_factor(l, v, [](auto& r, auto& b) {
    Impl::triangularise_stacked<Impl::DiagonalSigns::positive, false>(r, b);
    return Impl::not_finite_entries(r);
  });
}
/// The lower triangular factor of A - V V' from the factor L of A = L L', with a positive diagonal,
/// by hyperbolic rotations in mixed form; 3 K N^2 operations.
///
/// Status: Reason::not_positive_definite if A - V V' is not positive definite to rounding, with the
/// 1-based index of the first pivot that shows it; entries from that pivot on are NaN.
/// Reason::not_finite if a pivot is not finite. Accuracy: the error corresponds to a change of the
/// factors by about N K eps, amplified by the condition of A relative to that of the result.
///
/// Sources: Golub and Van Loan, Matrix Computations, 4th edition, section 6.5.4; Bojanczyk, Brent,
/// Van Dooren and de Hoog, SIAM J. Sci. Stat. Comput. 8 (1987), 210-221.
/// \param l  the factor, N x N, lower triangular (Structure::lower)
/// \param v  a vector with N numbers, or N x K
/// \returns a Lower tile
template <Tile L, Tile V>
BATCHWORK_INLINE auto rank_downdate(L const& l, V const& v) {
  return Impl::changed_factor(l, v,
                              [](auto& r, auto& b) { return Impl::rotate_hyperbolically(r, b); });
}

/// The factor of A + V V' from cholesky(a).
template <class S, int N, class Factor, Tile V>
BATCHWORK_INLINE auto rank_update(Cholesky<S, N, Factor> const& a, V const& v) {
  return rank_update(a.lower(), v);
}
/// The factor of A - V V' from cholesky(a).
template <class S, int N, class Factor, Tile V>
BATCHWORK_INLINE auto rank_downdate(Cholesky<S, N, Factor> const& a, V const& v) {
  return rank_downdate(a.lower(), v);
}

}  // namespace Batchwork

#endif
