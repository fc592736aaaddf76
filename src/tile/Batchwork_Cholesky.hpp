// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// cholesky(a): the factor of a symmetric positive definite tile, its solves and its determinant.
#ifndef BATCHWORK_CHOLESKY_HPP
#define BATCHWORK_CHOLESKY_HPP

#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_ConjugateTranspose.hpp"
#include "tile/Batchwork_LogSum.hpp"
#include "tile/Batchwork_TriangularSolve.hpp"

namespace Batchwork {

/// The lower triangular factor L of a = L L', with the reciprocals of its diagonal, which solves
/// multiply by.
template <class S, int N>
struct CholeskyFactor : Impl::IndexedToRead<CholeskyFactor<S, N>> {
  using value_type = S;
  static constexpr int rows = N;
  static constexpr int cols = N;
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;

  S a[N * (N + 1) / 2];
  real_t<S> inverse[N];
  info_t<S> info;

  BATCHWORK_INLINE S entry(int i, int j) const {
    if (j > i) return S(scalar_t<S>(0));
    return a[Impl::triangle_index(i, j)];
  }
  BATCHWORK_INLINE real_t<S> inverse_diagonal(int i) const { return inverse[i]; }
  /// Row i as far as the diagonal.
  BATCHWORK_INLINE S const* row(int i) const { return a + Impl::triangle_index(i, 0); }
};

/// The same, distributed: each lane holds whole rows of L and the reciprocals that belong to them.
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

/// What cholesky(a) returns. `info` is the status: 0, or the first pivot that was not positive.
template <class S, int N, class Factor = CholeskyFactor<S, N>>
struct Cholesky {
  using value_type = S;
  Factor factor;

  /// The factor L, to be used as a lower triangular tile. That of a temporary lives as long as it:
  /// to the end of the expression, or copied into a variable.
  BATCHWORK_INLINE Factor const& lower() const& { return factor; }
  BATCHWORK_INLINE Factor&& lower() && { return static_cast<Factor&&>(factor); }

  /// x with a x = b; 2 N^2 operations a column.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    return Batchwork::solve(conjugate_transpose(factor), Batchwork::solve(factor, b));
  }

  /// log det a = -2 sum log(1 / L(i, i)).
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
  /// d log det a = -2 sum d(1 / L(i, i)) L(i, i)
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

/// acc = a(i0 + i, j0 + j) less what the columns before j0 take from it, for BI x BJ entries; on
/// the diagonal, where i0 = j0, for those with j <= i.
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

/// Whether pivot j is good: one that is not leaves its status. The reciprocal root of zero is an
/// infinity and that of an infinity is zero: both later look like numbers.
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

/// What is divided by a pivot and by its root, in packs. The test is made beside the root, not
/// before it: a host waits for the root.
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

/// Columns j0 .. j0 + BJ - 1 of the factor, in packs: the triangle on the diagonal, then BI rows at
/// a time.
template <int BJ, class L, class A>
BATCHWORK_INLINE void factor_columns(L& l, A const& a, int j0,
                                     info_t<typename L::value_type>& info) {
  using S = typename L::value_type;
  constexpr int N = L::rows;
  // A host core waits for each pivot, so the next one is made without the root, from a column not
  // yet divided by it.
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
  // A host core waits for each pivot: root, reciprocal and the entry below stand between one and
  // the next. So the last column's share of a pivot is taken as entry * (entry * reciprocal), which
  // needs neither the root nor the divided entry. The square of the entry by itself would leave the
  // range of numbers: entries have the units of a, not those of its root.
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

/// Column by column, each first written to the exchange as it is, then, divided by its pivot,
/// subtracted from those right of it by every lane in its own rows: one wait a column, two columns
/// of the exchange in turn.
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
    // Nothing branches here: what is read next would wait behind it.
    bool const good = Vendor::is_positive_and_normal(pivot);
    info_t<S> const code =
        Status::code(is_finite(pivot) ? Reason::not_positive_definite : Reason::not_finite, k + 1);
    info = info == 0 && !good ? code : info;
    T const inverse = Vendor::inverse_root(pivot);
    T const root = good ? inverse : std::numeric_limits<T>::quiet_NaN();
    T factor[mine];
    BATCHWORK_UNROLL
    for (int m = k / L; m < mine; ++m) {
      own[m * N + k] *= root;
      // Not by 1 / pivot, which is no normal number where the pivot is close to the largest one.
      factor[m] = own[m * N + k] * root;
      if (m == k / L) {
        // Only in these rows can the column stand right of the diagonal.
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

/// The Cholesky factorisation of a, N x N, symmetric positive definite; only the lower triangle is
/// read. N^3 / 3 operations. A pivot that is not positive (or not a normal number: its reciprocal
/// may overflow) gives Reason::not_positive_definite, one that is NaN or infinite
/// Reason::not_finite, each with the pivot's 1-based index as in LAPACK's potrf; the entries
/// computed from it are NaN. (Golub and Van Loan, Matrix Computations, 4th edition, section 4.2, by
/// columns.) Of complex numbers a is Hermitian, a = L L' with the conjugate transpose, and L has a
/// real diagonal; the imaginary parts of the diagonal of a are not read, as by zpotrf. Such an a is
/// a general tile.
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

/// x with a x = b, from the factorisation of a.
template <class S, int N, class Factor, Tile B>
BATCHWORK_INLINE auto solve(Cholesky<S, N, Factor> const& a, B const& b) {
  return a.solve(b);
}
template <class S, int N, class Factor>
BATCHWORK_INLINE Scalar<real_t<S>> log_det(Cholesky<S, N, Factor> const& a) {
  return a.log_det();
}

}  // namespace Batchwork

#endif
