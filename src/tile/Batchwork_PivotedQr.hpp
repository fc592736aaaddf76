// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// pivoted_qr(a): QR factors with column pivoting; rank and least squares of any rank.
#ifndef BATCHWORK_PIVOTEDQR_HPP
#define BATCHWORK_PIVOTEDQR_HPP

#include "tile/Batchwork_Qr.hpp"
#include "tile/detail/Batchwork_Rank.hpp"
#include "tile/detail/shared/Batchwork_RowsOfLanes.hpp"
#include "tile/types/Batchwork_Transpose.hpp"

namespace Batchwork {

/// The result of pivoted_qr(a): a P = Q R for an M x N matrix a. Its `info` is the status: 0, or
/// Reason::not_finite with the 1-based index of the first column of a that is not finite or, if a
/// is finite, of the first column of R that overflows. A lack of rank is not a failure. More
/// members are the same as in Qr:
///
/// - `info`: the status
/// - r(): R, min(M, N) x N
/// - q(): the first min(M, N) columns of Q
/// - full_q(): Q, M x M
/// - apply_q(b), apply_qt(b): Q b and Q' b for b with M rows
template <class S, int M, int N>
struct PivotedQr : Impl::QrFactors<S, M, N> {
  using Base = Impl::QrFactors<S, M, N>;
  using Base::columns, Base::info, Base::least;
  using Columns = Impl::columns_of_t<S, M, N>;
  using Value = typename Columns::value_type;
  /// Diagonal entries of R not above this times the first one count as zero.
  static constexpr scalar_t<S> default_tolerance = Impl::rank_tolerance<S, M, N>;

  Value order[Columns::mine];  // own column m of a P is column order[m] of a

  template <Tile A>
  BATCHWORK_INLINE explicit PivotedQr(A const& a) : Base(a) {
    auto const given = Impl::not_finite_entries(columns);
    Impl::triangularise_exchanging(columns, order);
    info = Impl::first_failure(Impl::info_in_lanes_of<S>(a.info),
                               Impl::first_failure(given, Impl::not_finite_factors(columns)));
  }

  /// P' b for b with N rows: the rows of b in the order of the pivots. Costs N^2 selections for
  /// each column, or a broadcast of each row if lanes share an item.
  template <Tile B>
  BATCHWORK_INLINE auto permute(B const& b) const {
    static_assert(
        B::rows == N,
        "Batchwork::pivoted_qr: permute(b) needs a b with as many rows as the matrix has columns");
    auto x = this->columns_like(b);
    permute_rows<false>(x);
    return with_status(x.template tile<N, B::is_vector>(), b.info);
  }

  /// The numerical rank: the number of diagonal entries of R above tolerance times the first one.
  BATCHWORK_INLINE auto rank(scalar_t<S> tolerance = default_tolerance) const {
    auto sizes = columns.vector([this](int m) { return Value(Impl::abs(columns.diagonal[m])); });
    sizes.info = info;
    return Impl::rank_of(sizes, tolerance);
  }

  /// The least-squares solution: the shortest of all x that minimise |a x - b|, for any M and N.
  /// Rows of R beyond rank(tolerance) count as zero. The remaining rows are reduced to a triangle
  /// from the right, by reflections as in qr(transpose(r())). 2 K^2 (N - K / 3) operations with K =
  /// min(M, N), and 4 K (M + N) + N^2 for each column of b. Source: Golub and Van Loan, section
  /// 5.5.2; LAPACK's gelsy, which chooses the rank by an estimate of the condition of R.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b, scalar_t<S> tolerance = default_tolerance) const {
    this->template check_rows<B>();
    using T = scalar_t<S>;
    auto y = this->columns_like(b);
    Impl::apply_q<true>(columns, y);
    // The transpose of R: a column for each row of R.
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
  /// Row i of x becomes row order(i), or the reverse.
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
  /// The same for columns that are distributed over lanes: through the exchange, where the rows are
  /// read in the required order.
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

/// QR factors with column pivoting: a P = Q R by Householder reflections, the diagonal of R in
/// descending size. Same as LAPACK's geqp3, including signs, except if lengths of columns are
/// nearly equal.
/// ```cpp
/// auto const f = pivoted_qr(a);
/// x = f.solve(b, 1e-8);  // the shortest least-squares solution
/// ```
/// Cost: 3 N^2 (M - N / 3) operations for M >= N. A third of them computes the lengths of columns,
/// anew in each step. Accuracy: backward stable; a P and Q R differ by about M N eps times the
/// largest column. Entries near overflow and denormal entries are allowed.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Sources: Golub and Van Loan,
/// Matrix Computations, 4th edition, section 5.4.2; Drmac and Bujanovic, ACM Trans. Math. Softw. 35
/// (2008), 12, on the errors if lengths are only updated.
/// \param a  M x N
/// \returns a PivotedQr: solve(b), rank(), r(), q(), permute(b)
template <Tile A>
BATCHWORK_INLINE auto pivoted_qr(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  using S = value_t<A>;
  if constexpr (Impl::is_distributed<S>)
    return PivotedQr<Impl::dealt_t<S, false>, A::rows, A::cols>(a);
  else return PivotedQr<S, A::rows, A::cols>(a);
}

/// The shortest x that minimises |a x - b|, from the factors of a.
/// \param a  pivoted_qr(a)
/// \param b  a vector or a matrix with M rows
template <class S, int M, int N, Tile B>
BATCHWORK_INLINE auto solve(PivotedQr<S, M, N> const& a, B const& b) {
  return a.solve(b);
}

}  // namespace Batchwork

#endif
