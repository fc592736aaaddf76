// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// pivoted_qr(a): the factors of a tile by Householder's reflections with exchanges of columns, its
/// rank, and least squares of any rank.
#ifndef BATCHWORK_PIVOTEDQR_HPP
#define BATCHWORK_PIVOTEDQR_HPP

#include "tile/Batchwork_Qr.hpp"
#include "tile/Batchwork_Transpose.hpp"
#include "tile/detail/Batchwork_Rank.hpp"
#include "tile/detail/shared/Batchwork_RowsOfLanes.hpp"

namespace Batchwork {

/// What pivoted_qr(a) returns: a P = Q R, a being M x N. `info` is the status: 0, or
/// Reason::not_finite with the 1-based index of the first column of a that is not finite or, if all
/// of a is, of the first column of R that overflows. A lack of rank is no failure. r(), q(),
/// full_q(), apply_q(b) and apply_qt(b) are those of qr(a).
template <class S, int M, int N>
struct PivotedQr : Impl::QrFactors<S, M, N> {
  using Base = Impl::QrFactors<S, M, N>;
  using Base::columns, Base::info, Base::least;
  using Columns = Impl::columns_of_t<S, M, N>;
  using Value = typename Columns::value_type;
  /// Relative to the first diagonal entry of R: what is not above counts as zero.
  static constexpr scalar_t<S> default_tolerance = Impl::rank_tolerance<S, M, N>;

  Value order[Columns::mine];  ///< own column m of a P is column order[m] of a

  template <Tile A>
  BATCHWORK_INLINE explicit PivotedQr(A const& a) : Base(a) {
    auto const given = Impl::not_finite_entries(columns);
    Impl::triangularise_exchanging(columns, order);
    info = Impl::first_failure(Impl::info_in_lanes_of<S>(a.info),
                               Impl::first_failure(given, Impl::not_finite_factors(columns)));
  }

  /// P' b for b of N rows: the rows of b in the order of the pivots. N^2 selections a column, or a
  /// row told to all where lanes share an item.
  template <Tile B>
  BATCHWORK_INLINE auto permute(B const& b) const {
    static_assert(
        B::rows == N,
        "Batchwork::pivoted_qr: permute(b) exchanges as many rows as the matrix has columns");
    auto x = this->columns_like(b);
    permute_rows<false>(x);
    return with_status(x.template tile<N, B::is_vector>(), b.info);
  }

  /// The number of diagonal entries of R above tolerance times the first.
  BATCHWORK_INLINE auto rank(scalar_t<S> tolerance = default_tolerance) const {
    auto sizes = columns.vector([this](int m) { return Value(Impl::abs(columns.diagonal[m])); });
    sizes.info = info;
    return Impl::rank_of(sizes, tolerance);
  }

  /// Of all x for which |a x - b| is smallest the shortest one, for any M and N; rows of R beyond
  /// the rank, as rank(tolerance) has it, count as zero. The rows left are brought to a triangle
  /// from the right, by reflections as those of qr(transpose(r())): 2 K^2 (N - K / 3) operations, K
  /// being min(M, N), and 4 K (M + N) + N^2 a column. (Golub and Van Loan, section 5.5.2; LAPACK's
  /// gelsy, which estimates the condition of R to choose the rank.)
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b, scalar_t<S> tolerance = default_tolerance) const {
    this->template check_rows<B>();
    using T = scalar_t<S>;
    auto y = this->columns_like(b);
    Impl::apply_q<true>(columns, y);
    // The transpose of R, a column for each of its rows.
    auto rows = Impl::columns_of<S, N, least>(transpose(this->r()), Impl::grid_of(columns));
    auto const count = Impl::value_of(rank(tolerance).value);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < decltype(rows)::mine; ++m) {
      auto const kept = Value(T(rows.column(m))) < Value(count);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) rows.at(m, i) = Impl::select(kept, rows.at(m, i), Value(T(0)));
    }
    Impl::triangularise(rows);
    Impl::substitute_transposed<least>(rows.show_triangle(), y);
    // y, and zeros below it.
    using R = promote_t<S, value_t<B>>;
    auto x = Impl::columns_of<R, N, B::cols>(Impl::UnitColumns<T, N, B::cols>{}, Impl::grid_of(y));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < decltype(x)::mine; ++m) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i)
        x.at(m, i) = i < least ? y.at(m, i) : typename decltype(x)::value_type(T(0));
    }
    Impl::apply_q<false>(rows, x);
    permute_rows<true>(x);
    return with_status(x.template tile<N, B::is_vector>(), b.info);
  }

 private:
  /// Row i of x becomes row order(i), or the other way round.
  template <bool Back, class X>
  BATCHWORK_INLINE void permute_rows(X& x) const {
    if constexpr (requires { x.grid; }) {
      permute_dealt<Back>(x);
    } else {
      auto const from = x;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        auto const place = columns.told(order, i);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int r = 0; r < N; ++r) {
          auto const here = place == Value(scalar_t<S>(r));
          int const to = Back ? r : i, at = Back ? i : r;
          BATCHWORK_UNROLL_ON_DEVICE
          for (int m = 0; m < X::mine; ++m)
            x.at(m, to) = Impl::select(here, from.at(m, at), x.at(m, to));
        }
      }
    }
  }
  /// The same of columns that lanes have: through the exchange, where rows stand in the order that
  /// is asked for.
  template <bool Back, class R, int Columns>
  BATCHWORK_INLINE void permute_dealt(Impl::ColumnsOfLanes<R, N, Columns>& x) const {
    constexpr int mine = (N + R::lanes - 1) / R::lanes;
    int place[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) place[m] = 0;
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) {
      int const told = static_cast<int>(columns.told(order, k));
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        int const row = m * R::lanes + x.grid.lane;
        if constexpr (Back) place[m] = row == k ? told : place[m];
        else place[m] = row == told ? k : place[m];
      }
    }
    Matrix<R, N, Columns> permuted;
    permuted.grid = x.grid;
    Impl::take_permuted_rows(permuted, x.template tile<N, false>(), place, x.grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < Impl::ColumnsOfLanes<R, N, Columns>::mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) x.at(m, i) = permuted.local(m, i);
    }
  }
  template <class X, class I>
  BATCHWORK_INLINE X with_status(X x, I const& also) const {
    x.info = Impl::merge_info<value_t<X>>(info, also);
    return x;
  }
};

/// The factors of a, M x N, with exchanges of columns: a P = Q R, the diagonal of R descending in
/// size, by Householder's reflections; as LAPACK's geqp3, signs included, where no two lengths of
/// columns are as good as equal. 3 N^2 (M - N / 3) operations for M >= N, a third of them for the
/// lengths of columns, which are computed anew in each step. Backward stable: a P and Q R differ by
/// some M N eps of the largest column. Entries near overflow, and denormal ones, are taken. (Golub
/// and Van Loan, Matrix Computations, 4th edition, section 5.4.2; Drmac and Bujanovic, On the
/// failure of rank-revealing QR factorization software, ACM Trans. Math. Softw. 35 (2008), 12, on
/// what goes wrong where lengths are only updated.)
template <Tile A>
BATCHWORK_INLINE auto pivoted_qr(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  using S = value_t<A>;
  if constexpr (Impl::is_distributed<S>)
    return PivotedQr<Impl::dealt_t<S, false>, A::rows, A::cols>(a);
  else return PivotedQr<S, A::rows, A::cols>(a);
}

/// The shortest x for which |a x - b| is smallest, from the factors of a.
template <class S, int M, int N, Tile B>
BATCHWORK_INLINE auto solve(PivotedQr<S, M, N> const& a, B const& b) {
  return a.solve(b);
}

}  // namespace Batchwork

#endif
