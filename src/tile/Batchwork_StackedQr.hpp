// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// stacked_r(a, b) and stacked_r(a, b, c): the triangular factor R of stacked tiles, without
/// forming the stacked tile.
#ifndef BATCHWORK_STACKEDQR_HPP
#define BATCHWORK_STACKEDQR_HPP

#include "core/detail/Batchwork_StackedReflections.hpp"
#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Qr.hpp"

namespace Batchwork {

namespace Impl {

/// Columns of zeros, M x N.
template <class S, int M, int N>
BATCHWORK_INLINE auto zero_columns(LaneGrid const& grid) {
  auto x = columns_of<S, M, N>(UnitColumns<scalar_t<S>, M, N>{}, grid);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < decltype(x)::mine; ++m) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) x.at(m, i) = typename decltype(x)::value_type(scalar_t<S>(0));
  }
  return x;
}
/// R of factors that contain its diagonal, N x N, with zeros below the diagonal and below the last
/// row.
template <class S, class C>
BATCHWORK_INLINE auto triangle_of(C const& factors, LaneGrid const& grid) {
  auto r = zero_columns<S, C::cols, C::cols>(grid);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int m = 0; m < C::mine; ++m) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows && i < C::cols; ++i)
      r.at(m, i) = factors.is_behind(m, i) ? factors.at(m, i)
                   : factors.is(m, i)      ? factors.diagonal[m]
                                           : r.at(m, i);
  }
  return r;
}
/// The columns of an upper triangle with the products a' a: a itself if it is one, else its R.
template <class S, class A>
BATCHWORK_INLINE auto upper_columns(A const& a, LaneGrid const& grid) {
  if constexpr (A::structure == Structure::upper) {
    return columns_of<S, A::cols, A::cols>(a, grid);
  } else {
    auto x = columns_of<S, A::rows, A::cols>(a, grid);
    triangularise(x);
    return triangle_of<S>(x, grid);
  }
}

/// Columns as a tile.
template <class X, class Info>
BATCHWORK_INLINE auto tile_of_columns(X const& columns, Info const& info) {
  auto x = columns.template tile<X::rows, false>();
  x.info = info_in_lanes_of<value_t<decltype(x)>>(info);
  return x;
}

}  // namespace Impl

/// The factor R of [a; b], N x N: the upper triangle with R' R = a' a + b' b, a general tile with
/// zeros below the diagonal. Reflection k uses row k of a and the rows of b, so the zeros of a
/// triangular a cost nothing.
/// ```cpp
/// auto const r = stacked_r(transpose(l), y);  // R' R = l l' + y' y
/// ```
/// Cost: 2 M N^2 operations, about half of them if b is an upper triangle as well, and those of
/// qr(a) if a is not. Accuracy: backward stable column by column. Entries near overflow and
/// denormal entries are allowed. Signs: as in LAPACK's tpqrt (after geqrf), each diagonal entry of
/// R has the opposite sign of the number that its reflection found. Status: Reason::not_finite with
/// the 1-based index of the first column of R that is not finite.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Source: LAPACK's tpqrt; Golub and
/// Van Loan, Matrix Computations, 4th edition, section 6.5.3.
/// \param a  N x N and upper triangular (Structure::upper, the transpose of a lower tile), or any
///   tile with N columns
/// \param b  M x N
/// \returns R as a Matrix
template <Tile A, Tile B>
BATCHWORK_INLINE auto stacked_r(A const& a, B const& b) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A, B>(),
                                  decomposed = Impl::require_decomposed<A, B>();
  static_assert(
      A::cols == B::cols,
      "Batchwork::stacked_r: a and b, one above the other, have different numbers of columns");
  using S = promote_t<value_t<A>, value_t<B>>;
  constexpr bool upper = B::structure == Structure::upper;
  auto const grid = Impl::grid_of(a, b);
  auto r = Impl::upper_columns<S>(a, grid);
  auto below = Impl::columns_of<S, B::rows, B::cols>(b, grid);
  Impl::triangularise_stacked<Impl::DiagonalSigns::as_reflected, upper>(r, below);
  return Impl::tile_of_columns(
      r, Impl::first_failure(Impl::merge_info<S>(a.info, b.info), Impl::not_finite_entries(r)));
}

/// The factor R of [a 0; b c], square, with as many rows as a and c have columns: one step of a
/// square-root Kalman filter in array form. The zeros beside a and below its diagonal cost nothing.
///
/// Cost: 2 M N1^2 + 4 M N1 N2 operations, and those of the R of an M x N2 matrix. Signs, accuracy
/// and status as for stacked_r(a, b). Source: Kailath, Sayed and Hassibi, Linear Estimation,
/// chapter 12; Grewal and Andrews, Kalman Filtering, section on square-root filters.
/// \param a  as for stacked_r(a, b), with N1 columns
/// \param b  M x N1
/// \param c  M x N2
/// \returns R as a Matrix
template <Tile A, Tile B, Tile C>
BATCHWORK_INLINE auto stacked_r(A const& a, B const& b, C const& c) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A, B, C>(),
                                  decomposed = Impl::require_decomposed<A, B, C>();
  static_assert(
      A::cols == B::cols,
      "Batchwork::stacked_r: a and b, one above the other, have different numbers of columns");
  static_assert(B::rows == C::rows,
                "Batchwork::stacked_r: b and c, side by side, have different numbers of rows");
  using S = promote_t<promote_t<value_t<A>, value_t<B>>, value_t<C>>;
  constexpr int N1 = A::cols, N2 = C::cols, M = C::rows, N = N1 + N2;
  constexpr bool upper = B::structure == Structure::upper;
  auto const grid = Impl::grid_of(a, b, c);
  auto r = Impl::upper_columns<S>(a, grid);
  auto below = Impl::columns_of<S, M, N1>(b, grid);
  auto right = Impl::zero_columns<S, N1, N2>(grid);
  auto corner = Impl::columns_of<S, M, N2>(c, grid);
  Impl::StackedColumns beside(right, corner);
  Impl::triangularise_stacked<Impl::DiagonalSigns::as_reflected, upper>(r, below, beside);
  beside.unscale_all();
  Impl::triangularise(corner);
  auto const last = Impl::triangle_of<S>(corner, grid);
  // Columns are counted from the first column of a.
  auto const of_a = Impl::not_finite_entries(r), of_c = Impl::not_finite_entries(right, last);
  using Info = std::remove_cvref_t<decltype(of_c)>;
  auto const own =
      Impl::first_failure(of_a, Impl::select(of_c != Info(0), Info(of_c + Info(N1)), Info(0)));
  auto const given = Impl::merge_info<S>(Impl::merge_info<S>(a.info, b.info), c.info);
  auto x =
      Impl::tile_of_columns(Impl::zero_columns<S, N, N>(grid), Impl::first_failure(given, own));
  assign_block(x, 0, 0, Impl::tile_of_columns(r, 0));
  assign_block(x, 0, N1, Impl::tile_of_columns(right, 0));
  assign_block(x, N1, N1, Impl::tile_of_columns(last, 0));
  return x;
}

}  // namespace Batchwork

#endif
