// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// cholesky(a): the Cholesky factor of a symmetric positive definite tile, with solves and log_det.
#ifndef BATCHWORK_CHOLESKY_HPP
#define BATCHWORK_CHOLESKY_HPP

#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_ConjugateTranspose.hpp"
#include "tile/Batchwork_LogSum.hpp"
#include "tile/Batchwork_TriangularSolve.hpp"

namespace Batchwork {

/// The lower triangular factor L of a = L L', together with the reciprocals of its diagonal, by
/// which solves multiply.
template <class S, int N>
struct CholeskyFactor : Impl::IndexedToRead<CholeskyFactor<S, N>> {
  using value_type = S;           ///< the type of an entry
  static constexpr int rows = N;  ///< the number of rows
  static constexpr int cols = N;  ///< the number of columns
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;

  S a[N * (N + 1) / 2];
  real_t<S> inverse[N];
  info_t<S> info;  ///< the status

  /// Entry (i, j) of L, zero above the diagonal.
  BATCHWORK_INLINE S entry(int i, int j) const {
    if (j > i) return S(scalar_t<S>(0));
    return a[Impl::triangle_index(i, j)];
  }
  /// The reciprocal of diagonal entry i of L.
  BATCHWORK_INLINE real_t<S> inverse_diagonal(int i) const { return inverse[i]; }
  /// Row i up to the diagonal.
  BATCHWORK_INLINE S const* row(int i) const { return a + Impl::triangle_index(i, 0); }
};

/// The same where lanes share an item: each lane holds whole rows of L and the reciprocals for
/// these rows.
template <class T, int R, int C, int E, bool Whole, int N>
struct CholeskyFactor<Distributed<T, R, C, E, Whole>, N>
    : Impl::LocalLines<Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>, N, N>,
      Impl::IndexedToRead<CholeskyFactor<Distributed<T, R, C, E, Whole>, N>> {
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;
  using S = Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>;
  using Base = Impl::LocalLines<S, N, N>;

  T inverse[Base::mine];

  BATCHWORK_INLINE S inverse_diagonal(int i) const {
    return S(this->grid.template broadcast<S::lanes>(inverse[i / S::lanes], i % S::lanes),
             this->grid);
  }
};

/// The result of cholesky(a): the factor L with a = L L'. Its `info` is the status: 0, or the first
/// pivot that was not positive or not finite. The status is `factor.info`.
template <class S, int N, class Factor = CholeskyFactor<S, N>>
struct Cholesky {
  using value_type = S;  ///< the type of an entry
  Factor factor;         ///< L, with the status in its `info`

  /// The factor L, a lower triangular tile. The factor of a temporary lives to the end of the
  /// expression, unless it is copied into a variable.
  BATCHWORK_INLINE Factor const& lower() const& { return factor; }
  BATCHWORK_INLINE Factor&& lower() && { return static_cast<Factor&&>(factor); }

  /// The solution x of a x = b; 2 N^2 operations for each column of b.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    return Batchwork::solve(conjugate_transpose(factor), Batchwork::solve(factor, b));
  }

  /// log det a = -2 sum log(1 / L(i, i)), a scalar; costs one logarithm.
  BATCHWORK_INLINE Scalar<real_t<S>> log_det() const {
    if constexpr (Impl::is_dual<S>) return log_det_of_duals();
    else return log_det_of_numbers();
  }

 private:
  BATCHWORK_INLINE Scalar<real_t<S>> log_det_of_numbers() const {
    using R = real_t<S>;
    LogSum<R> sum(Scalar<R>(R(scalar_t<S>(0))), scalar_t<S>(-2));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) sum.add_log(Scalar<R>(factor.inverse_diagonal(i)));
    Scalar<R> r = sum.value();
    r.info = factor.info;
    return r;
  }
  /// The same with derivatives: d log det a = -2 sum d(1 / L(i, i)) L(i, i).
  BATCHWORK_INLINE Scalar<S> log_det_of_duals() const {
    using C = Impl::constant_t<S>;
    using T = scalar_t<S>;
    LogSum<C> sum(Scalar<C>(C(T(0))), T(-2));
    S r(C(T(0)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      S const x = factor.inverse_diagonal(i);
      sum.add_log(Scalar<C>(x.value));
      C const scale = C(T(-2)) / x.value;
      BATCHWORK_UNROLL
      for (int k = 0; k < S::directions; ++k) r.d[k] += scale * x.d[k];
    }
    r.value = sum.value().value;
    return {r, factor.info};
  }
};

namespace Impl {

/// L(i, j) L(j, j) for a row i below the diagonal, from the columns before j.
template <class L, class A>
BATCHWORK_INLINE auto scaled_entry(L const& l, A const& a, int i, int j) {
  using S = typename L::value_type;
  S sum = S(a.entry(i, j));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < j; ++k) {
    S const ljk = conj(l.a[triangle_index(j, k)]);
    subtract_product(sum, l.a[triangle_index(i, k)], ljk);
  }
  return sum;
}

/// acc = a(i0 + i, j0 + j) minus the contributions of the columns before j0, for BI x BJ entries.
/// On the diagonal, where i0 = j0, only entries with j <= i are used.
template <int BI, int BJ, bool OnDiagonal, class L, class A>
BATCHWORK_INLINE void factor_block(typename L::value_type (&acc)[BI * BJ], L const& l, A const& a,
                                   int i0, int j0) {
  using S = typename L::value_type;
  BATCHWORK_UNROLL
  for (int i = 0; i < BI; ++i) {
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j)
      if (!OnDiagonal || j <= i) acc[i * BJ + j] = S(a.entry(i0 + i, j0 + j));
  }
  S const *rows[BI], *columns[BJ];
  BATCHWORK_UNROLL
  for (int i = 0; i < BI; ++i) rows[i] = l.row(i0 + i);
  BATCHWORK_UNROLL
  for (int j = 0; j < BJ; ++j) columns[j] = l.row(j0 + j);
  BATCHWORK_LOOP_ON_HOST
  for (int k = 0; k < j0; ++k) {
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) {
      S const lik = rows[i][k];
      BATCHWORK_UNROLL
      for (int j = 0; j < BJ; ++j)
        if (!OnDiagonal || j <= i) subtract_product(acc[i * BJ + j], lik, conj(columns[j][k]));
    }
  }
}

/// Whether pivot j is good; a bad pivot sets the status. The test is needed because the reciprocal
/// root of zero is infinite and the reciprocal root of an infinity is zero, which later look like
/// results.
template <class S>
BATCHWORK_INLINE auto check_pivot(S const& pivot, int j, info_t<S>& info) {
  auto const finite = is_finite(pivot);
  auto const good = finite && pivot >= S(std::numeric_limits<scalar_t<S>>::min());
  info =
      first_failure(info, select(good, info_t<S>(0),
                                 select(finite, make_info<S>(Reason::not_positive_definite, j + 1),
                                        make_info<S>(Reason::not_finite, j + 1))));
  return good;
}

/// The reciprocals of a pivot and of its root, in packs. The test is made in parallel to the root
/// rather than before it, because a host waits for the root.
template <class S>
struct Pivot {
  S reciprocal, inverse;
  BATCHWORK_INLINE Pivot(S const& pivot, int j, info_t<S>& info) {
    using T = scalar_t<S>;
    reciprocal = select(check_pivot(pivot, j, info), S(T(1)) / pivot,
                        S(std::numeric_limits<T>::quiet_NaN()));
    inverse = sqrt(pivot) * reciprocal;
  }
};

/// Columns j0 .. j0 + BJ - 1 of the factor, in packs: first the triangle on the diagonal, then BI
/// rows at a time.
template <int BJ, class L, class A>
BATCHWORK_INLINE void factor_columns(L& l, A const& a, int j0,
                                     info_t<typename L::value_type>& info) {
  using S = typename L::value_type;
  constexpr int N = L::rows;
  // A host core waits for each pivot. So the next pivot is computed without the root, from a column
  // that is not yet divided by it.
  using R = real_t<S>;
  S d[BJ * BJ];
  R inverse[BJ];
  factor_block<BJ, BJ, true>(d, l, a, j0, j0);
  BATCHWORK_UNROLL
  for (int j = 0; j < BJ; ++j) {
    Pivot<R> const p(real(d[j * BJ + j]), j0 + j, info);
    inverse[j] = p.inverse;
    l.inverse[j0 + j] = p.inverse;
    l.a[triangle_index(j0 + j, j0 + j)] = real(d[j * BJ + j]) * p.inverse;
    BATCHWORK_UNROLL
    for (int i = j + 1; i < BJ; ++i) {
      S const share = d[i * BJ + j] * p.reciprocal;
      BATCHWORK_UNROLL
      for (int m = j + 1; m <= i; ++m) subtract_product(d[i * BJ + m], share, conj(d[m * BJ + j]));
    }
    BATCHWORK_UNROLL
    for (int i = j + 1; i < BJ; ++i) {
      d[i * BJ + j] = d[i * BJ + j] * p.inverse;
      l.a[triangle_index(j0 + i, j0 + j)] = d[i * BJ + j];
    }
  }
  auto const below = [&]<int BI>(std::integral_constant<int, BI>, int i0) {
    S acc[BI * BJ];
    factor_block<BI, BJ, false>(acc, l, a, i0, j0);
    BATCHWORK_UNROLL
    for (int j = 0; j < BJ; ++j) {
      BATCHWORK_UNROLL
      for (int i = 0; i < BI; ++i) {
        BATCHWORK_UNROLL
        for (int m = 0; m < j; ++m)
          subtract_product(acc[i * BJ + j], acc[i * BJ + m], conj(d[j * BJ + m]));
        acc[i * BJ + j] = acc[i * BJ + j] * inverse[j];
        l.a[triangle_index(i0 + i, j0 + j)] = acc[i * BJ + j];
      }
    }
  };
  int i0 = j0 + BJ;
  for (; i0 + block_rows <= N; i0 += block_rows)
    below(std::integral_constant<int, block_rows>{}, i0);
  for (; i0 < N; ++i0) below(std::integral_constant<int, 1>{}, i0);
}

/// In packs, by register blocks.
template <class A>
BATCHWORK_INLINE auto cholesky_by_blocks(A const& a) {
  using S = value_t<A>;
  constexpr int N = A::rows, full = N / block_cols * block_cols;
  Cholesky<S, N> r;
  info_t<S> info(0);
  for (int j0 = 0; j0 < full; j0 += block_cols) factor_columns<block_cols>(r.factor, a, j0, info);
  if constexpr (full < N) factor_columns<N - full>(r.factor, a, full, info);
  r.factor.info = first_failure(a.info, info);
  return r;
}

/// By one lane or in packs.
template <class A>
BATCHWORK_INLINE auto cholesky_in_lanes(A const& a) {
  using S = value_t<A>;
  using T = scalar_t<S>;
  constexpr int N = A::rows;
  // A host core waits for each pivot: root, reciprocal and one entry lie between two pivots. So the
  // last column's contribution to a pivot is computed as entry * (entry * reciprocal), which needs
  // neither the root nor the divided entry. The square of the entry alone could leave the range of
  // numbers, because entries have the units of a rather than of its root.
  constexpr bool hurry = !one_item_per_lane<S>;
  using R = real_t<S>;
  S below(T(0));
  R reciprocal(T(0));
  Cholesky<S, N> r;
  auto& l = r.factor;
  info_t<S> info(0);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < N; ++j) {
    R pivot = real(S(a.entry(j, j)));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < (hurry ? j - 1 : j); ++k) {
      pivot -= square_of_size(l.a[triangle_index(j, k)]);
    }
    if (hurry && j > 0) pivot -= real(S(below * conj(S(below * reciprocal))));
    R inverse;
    if constexpr (hurry) {
      Pivot<R> const p(pivot, j, info);
      reciprocal = p.reciprocal;
      inverse = p.inverse;
    } else {
      inverse =
          select(check_pivot(pivot, j, info), rsqrt(pivot), R(std::numeric_limits<T>::quiet_NaN()));
    }
    l.inverse[j] = inverse;
    l.a[triangle_index(j, j)] = pivot * inverse;
    int i = j + 1;
    if constexpr (hurry) {
      if (i < N) {
        below = scaled_entry(l, a, i, j);
        l.a[triangle_index(i, j)] = below * inverse;
        ++i;
      }
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = i; m < N; ++m) l.a[triangle_index(m, j)] = scaled_entry(l, a, m, j) * inverse;
  }
  l.info = first_failure(a.info, info);
  return r;
}

/// Column by column. Each column is written to the exchange before it is divided by its pivot; then
/// every lane subtracts the divided column from its own rows to the right. This needs one wait for
/// each column. Two columns of the exchange are used alternately.
template <class A>
BATCHWORK_INLINE auto distributed_cholesky(A const& a) {
  using S = dealt_t<value_t<A>, true>;
  using T = scalar_t<S>;
  constexpr int N = A::rows, L = S::lanes;
  Cholesky<S, N> r;
  auto& l = r.factor;
  constexpr int mine = std::remove_cvref_t<decltype(l)>::mine, deep = S::exchange::per_unit;
  LaneGrid const grid = grid_of(a);
  l.grid = grid;
  auto const from = lower_lines_of<S>(a, grid);
  T own[mine * N];
  BATCHWORK_UNROLL
  for (int m = 0; m < mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k)
      if (k < (m + 1) * L) own[m * N + k] = from.get(m, k);
  }
  info_t<S> info(0);
  T* const base = grid.template numbers<T>();
  grid.sync();
  unroll_in_parts<N>([&](int k) {
    T* const column = base + k % 2 * S::exchange::leading;
    BATCHWORK_UNROLL
    for (int m = k / L; m < mine; ++m)
      if (S::exchange::has_line(m, grid.lane))
        column[S::exchange::line(m, grid.lane)] = own[m * N + k];
    grid.sync();
    T const pivot = column[k];
    // No branches here: later reads would have to wait for them.
    bool const good = Vendor::is_positive_and_normal(pivot);
    info_t<S> const code =
        Status::code(is_finite(pivot) ? Reason::not_positive_definite : Reason::not_finite, k + 1);
    info = info == 0 && !good ? code : info;
    T const inverse = Vendor::rsqrt(pivot);
    T const root = good ? inverse : std::numeric_limits<T>::quiet_NaN();
    T factor[mine];
    BATCHWORK_UNROLL
    for (int m = k / L; m < mine; ++m) {
      own[m * N + k] *= root;
      // Not by 1 / pivot, which is not a normal number if the pivot is close to the largest number.
      factor[m] = own[m * N + k] * root;
      if (m == k / L) {
        // Only in these rows can the column be right of the diagonal.
        if (grid.lane < k % L) own[m * N + k] = T(0);
        if (grid.lane == k % L) l.inverse[m] = root;
      }
    }
    BATCHWORK_UNROLL
    for (int j0 = (k + 1) / deep * deep; j0 < N; j0 += deep) {
      Unit<T> const u = *reinterpret_cast<Unit<T> const*>(column + j0);
      BATCHWORK_UNROLL
      for (int n = 0; n < deep; ++n) {
        int const j = j0 + n;
        if (j <= k || j >= N) continue;
        BATCHWORK_UNROLL
        for (int m = j / L; m < mine; ++m) own[m * N + j] -= factor[m] * u.v[n];
      }
    }
  });
  BATCHWORK_UNROLL
  for (int m = 0; m < mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) l.set_local(m, k, k < (m + 1) * L ? own[m * N + k] : T(0));
  }
  l.info = first_failure(a.info, info);
  return r;
}

}  // namespace Impl

/// The Cholesky factorisation a = L L' of a symmetric positive definite tile; only the lower
/// triangle is read. N^3 / 3 operations. For complex numbers a is a general tile with a Hermitian
/// matrix, L' is the conjugate transpose, and L has a real diagonal; imaginary parts on the
/// diagonal of a are ignored, as in zpotrf.
/// ```cpp
/// auto const factor = cholesky(p);
/// x = solve(factor, b);
/// ```
/// Status, each with the 1-based index of the pivot as in LAPACK's potrf:
/// Reason::not_positive_definite if a pivot is not positive or not a normal number (its reciprocal
/// could overflow), Reason::not_finite if it is NaN or infinite. Entries computed from such a pivot
/// are NaN.
///
/// Extents: up to 64 on hosts; on devices up to 64 in float, 48 in double, 10 for complex numbers.
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 4.2, by columns.
/// \param a  N x N, symmetric positive definite
/// \returns a Cholesky: lower(), solve(b), log_det()
template <Tile A>
BATCHWORK_INLINE auto cholesky(A const& a) {
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  static_assert(A::rows == A::cols, "Batchwork::cholesky: the tile must be square");
  if constexpr (Impl::is_fragments<A> && A::structure == Structure::symmetric)
    return Cholesky<value_t<A>, A::rows, Impl::FactorFragments<value_t<A>, A::rows>>{
        Impl::cholesky_by_fragments<value_t<A>>(a)};
  else if constexpr (Impl::is_distributed_tile<A>) return Impl::distributed_cholesky(a);
  else if constexpr (!Impl::one_item_per_lane<value_t<A>> &&
                     A::rows > Impl::extent_of_constant_blocks)
    return Impl::cholesky_by_blocks(a);
  else return Impl::cholesky_in_lanes(a);
}

/// The solution x of a x = b, from the factorisation of a.
/// \param a  cholesky(a)
/// \param b  a vector or a matrix with N rows
/// \returns x, with the extents of b
template <class S, int N, class Factor, Tile B>
BATCHWORK_INLINE auto solve(Cholesky<S, N, Factor> const& a, B const& b) {
  return a.solve(b);
}
/// log det a, from the factorisation of a.
/// \param a  cholesky(a)
/// \returns a scalar
template <class S, int N, class Factor>
BATCHWORK_INLINE Scalar<real_t<S>> log_det(Cholesky<S, N, Factor> const& a) {
  return a.log_det();
}

}  // namespace Batchwork

#endif
