// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// cholesky(a): the factor of a symmetric positive definite tile, its solves and its determinant.
#ifndef BATCHWORK_CHOLESKY_HPP
#define BATCHWORK_CHOLESKY_HPP

#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_LogSum.hpp"
#include "tile/Batchwork_TriangularSolve.hpp"

namespace Batchwork {

/// The lower triangular factor L of a = L L', with the reciprocals of its diagonal, which solves multiply by.
template <class S, int N>
struct CholeskyFactor {
  using value_type = S;
  static constexpr int rows = N;
  static constexpr int cols = N;
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;

  S a[N * (N + 1) / 2];
  S inverse[N];
  info_t<S> info;

  BATCHWORK_INLINE S entry(int i, int j) const {
    if (j > i) return S(scalar_t<S>(0));
    return a[Impl::triangle_index(i, j)];
  }
  BATCHWORK_INLINE S inverse_diagonal(int i) const { return inverse[i]; }
};

/// What cholesky(a) returns. `info` is the status: 0, or the first pivot that was not positive.
template <class S, int N>
struct Cholesky {
  using value_type = S;
  CholeskyFactor<S, N> factor;

  /// The factor L, to be used as a lower triangular tile. That of a temporary lives as long as it: to the end of the
  /// expression, or copied into a variable.
  BATCHWORK_INLINE CholeskyFactor<S, N> const& lower() const& { return factor; }
  BATCHWORK_INLINE CholeskyFactor<S, N>&& lower() && {
    return static_cast<CholeskyFactor<S, N>&&>(factor);
  }

  /// x with a x = b; 2 N^2 operations a column.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    return Batchwork::solve(transpose(factor), Batchwork::solve(factor, b));
  }

  /// log det a = -2 sum log(1 / L(i, i)).
  BATCHWORK_INLINE Scalar<S> log_det() const {
    LogSum<S> sum(Scalar<S>(S(scalar_t<S>(0))), scalar_t<S>(-2));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) sum.add_log(Scalar<S>(factor.inverse[i]));
    Scalar<S> r = sum.value();
    r.info = factor.info;
    return r;
  }
};

namespace Impl {

/// L(i0 + i, j) L(j, j) for i < BI, from the columns before j; rows below the diagonal only.
template <int BI, class L, class A>
BATCHWORK_INLINE void scaled_column(typename L::value_type (&acc)[BI], L const& l, A const& a,
                                    int i0, int j) {
  using S = typename L::value_type;
  BATCHWORK_UNROLL
  for (int i = 0; i < BI; ++i) acc[i] = S(a.entry(i0 + i, j));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < j; ++k) {
    S const ljk = l.a[triangle_index(j, k)];
    BATCHWORK_UNROLL
    for (int i = 0; i < BI; ++i) acc[i] -= l.a[triangle_index(i0 + i, k)] * ljk;
  }
}
template <int BI, class L, class A>
BATCHWORK_INLINE void factor_column(L& l, A const& a, int i0, int j,
                                    typename L::value_type const& inverse) {
  typename L::value_type acc[BI];
  scaled_column(acc, l, a, i0, j);
  BATCHWORK_UNROLL
  for (int i = 0; i < BI; ++i) l.a[triangle_index(i0 + i, j)] = acc[i] * inverse;
}

}  // namespace Impl

/// The Cholesky factorisation of a, N x N, symmetric positive definite; only the lower triangle is read. N^3 / 3
/// operations. A pivot that is not positive (or not a normal number: its reciprocal may overflow) gives
/// Reason::not_positive_definite, one that is NaN or infinite Reason::not_finite, each with the pivot's 1-based index as
/// in LAPACK's potrf; the entries computed from it are NaN. (Golub and Van Loan, Matrix Computations, 4th edition,
/// section 4.2, by columns.)
template <Tile A>
BATCHWORK_INLINE auto cholesky(A const& a) {
  static_assert(A::rows == A::cols, "Batchwork::cholesky: the tile must be square");
  using S = held_t<A>;
  using T = scalar_t<S>;
  constexpr int N = A::rows;
  // A host core waits for each pivot: root, reciprocal and the entry below stand between one and the next. So the last
  // column's share of a pivot is taken as square * reciprocal, which needs neither the root nor the entry itself.
  constexpr bool hurry = !Impl::one_item_per_lane<S>;
  S square(T(0)), reciprocal(T(0));
  Cholesky<S, N> r;
  auto& l = r.factor;
  info_t<S> info(0);
  BATCHWORK_UNROLL_ON_DEVICE
  for (int j = 0; j < N; ++j) {
    S pivot = S(a.entry(j, j));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < (hurry ? j - 1 : j); ++k) {
      S const ljk = l.a[Impl::triangle_index(j, k)];
      pivot -= ljk * ljk;
    }
    if (hurry && j > 0) pivot -= square * reciprocal;
    auto const finite = Impl::is_finite(pivot);
    auto const good = finite && pivot >= S(std::numeric_limits<T>::min());
    info = Impl::first_failure(
        info,
        Impl::select(good, info_t<S>(0),
                     Impl::select(finite, Impl::make_info<S>(Reason::not_positive_definite, j + 1),
                                  Impl::make_info<S>(Reason::not_finite, j + 1))));
    // The reciprocal root of zero is an infinity and that of an infinity is zero: both later look like numbers.
    // The test is made beside the root, not before it: a host waits for the root.
    S const nan(std::numeric_limits<T>::quiet_NaN());
    S inverse;
    if constexpr (hurry) {
      reciprocal = Impl::select(good, S(T(1)) / pivot, nan);
      inverse = Impl::sqrt(pivot) * reciprocal;
    } else {
      inverse = Impl::select(good, Impl::rsqrt(pivot), nan);
    }
    l.inverse[j] = inverse;
    l.a[Impl::triangle_index(j, j)] = pivot * inverse;
    int i = j + 1;
    if constexpr (hurry) {
      if (i < N) {
        S below[1];
        Impl::scaled_column(below, l, a, i, j);
        square = below[0] * below[0];
        l.a[Impl::triangle_index(i, j)] = below[0] * inverse;
        ++i;
      }
      // Several rows at once, so that their multiply-adds overlap; the smaller ones are unrolled, which does it too.
      if constexpr (N > Impl::extent_of_constant_blocks)
        for (; i + 2 <= N; i += 2) Impl::factor_column<2>(l, a, i, j, inverse);
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = i; m < N; ++m) Impl::factor_column<1>(l, a, m, j, inverse);
  }
  l.info = Impl::first_failure(a.info, info);
  return r;
}

/// x with a x = b, from the factorisation of a.
template <class S, int N, Tile B>
BATCHWORK_INLINE auto solve(Cholesky<S, N> const& a, B const& b) {
  return a.solve(b);
}
template <class S, int N>
BATCHWORK_INLINE Scalar<S> log_det(Cholesky<S, N> const& a) {
  return a.log_det();
}

}  // namespace Batchwork

#endif
