// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ldlt(a): the factors of a symmetric indefinite tile by elimination with the pivots of Bunch and
/// Kaufman, its solves, its determinant, its inverse and the signs of its eigenvalues.
#ifndef BATCHWORK_LDLT_HPP
#define BATCHWORK_LDLT_HPP

#include "core/detail/Batchwork_ScaledProduct.hpp"
#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_TriangularSolve.hpp"
#include "tile/detail/Batchwork_SymmetricOfLane.hpp"
#include "tile/detail/shared/Batchwork_SymmetricOfLanes.hpp"

namespace Batchwork {

namespace Impl {

/// A symmetric matrix that is eliminated, as those have it who have its items.
template <class S, int N>
struct SymmetricOf {
  using type = SymmetricOfLane<S, N>;
};
template <class S, int N>
  requires is_distributed<S>
struct SymmetricOf<S, N> {
  using type = SymmetricOfLanes<dealt_t<S, false>, N>;
};

}  // namespace Impl

/// What ldlt(a) returns: P a P' = L D L'. `info` is the status: 0, or the first pivot that is zero
/// or not finite. A zero is no failure of the factors or of the determinant, only of a solve.
template <class S, int N>
struct Ldlt {
  using value_type = S;
  using Columns = typename Impl::SymmetricOf<S, N>::type;
  using Value = typename Columns::value_type;
  using T = scalar_t<S>;

  Columns columns;
  info_t<S> of_matrix;  ///< the status that a had
  info_t<S> own;        ///< that of the elimination
  info_t<S> info;

  template <Tile A>
  BATCHWORK_INLINE explicit Ldlt(A const& a)
      : columns(a, Impl::grid_of(a)),
        of_matrix(a.info),
        own(columns.eliminate()),
        info(Impl::first_failure(of_matrix, own)) {}

  /// L, lower triangular; its diagonal is one.
  BATCHWORK_INLINE auto lower() const { return with_info(columns.lower()); }
  /// D, N x N, a general tile: numbers on the diagonal, and symmetric 2 x 2 blocks where a pair of
  /// columns has one.
  BATCHWORK_INLINE auto d() const {
    auto x = columns;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < Columns::mine; ++m) {
      auto const row = columns.row_of_d(m);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i)
        x.at(m, i) = Impl::select(columns.is(m, i), row.d,
                                  Impl::select(is_partner(m, i), row.e, Value(T(0))));
    }
    return with_info(x.template tile<N, false>());
  }
  /// P b: the rows of b in the order of the pivots.
  template <Tile B>
  BATCHWORK_INLINE auto permute(B const& b) const {
    check_rows<B>();
    auto x = columns.permuted(b);
    x.info = Impl::merge_info<value_t<decltype(x)>>(of_matrix, b.info);
    return x;
  }
  /// x with a x = b; 2 N^2 operations a column.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    check_rows<B>();
    auto const l = columns.template substitution<B::cols>();
    auto const y = l.forward(columns.permuted(b));
    // D z = y: of a pair z_1 = (p / e y_1 - y_2) / (e t), t = (d / e) (p / e) - 1. Tiny pivots are
    // brought up first.
    auto const raised = as_diagonal(columns.vector(
                            [this](int m) { return reciprocal(columns.row_of_d(m)).scale; })) *
                        y;
    auto const z = as_diagonal(columns.vector([this](int m) {
                     auto const row = columns.row_of_d(m);
                     auto const r = reciprocal(row);
                     return Impl::select(row.kind == Value(T(0)), r.inverse,
                                         Value(r * row.partner * inverse_of_pair(row) * r.inverse));
                   })) *
                       raised +
                   as_diagonal(columns.vector([this](int m) {
                     auto const row = columns.row_of_d(m);
                     return Impl::select(row.kind == Value(T(0)), Value(T(0)),
                                         Value(-(inverse_of_pair(row) * reciprocal(row).inverse)));
                   })) *
                       columns.partners(raised);
    auto x = columns.permuted_back(l.backward(z));
    x.info = Impl::merge_info<value_t<decltype(x)>>(info, b.info);
    return x;
  }
  /// det a, zero where a pivot is. Parts of the product may be beyond the range of numbers.
  /// Infinite, with Reason::not_finite and an info of 0, where det a is; where it is below the
  /// smallest number zero, which is no failure. Some 30 N operations.
  BATCHWORK_INLINE Scalar<S> determinant() const {
    S const value =
        with_product([](S const& one, auto const& of) { return Impl::product_of<2 * N>(one, of); });
    return {value, Impl::first_failure(of_determinant(), Impl::status_of_result(value))};
  }
  /// log |det a|, where det a itself may overflow; minus infinity where a pivot is zero. One
  /// logarithm.
  BATCHWORK_INLINE Scalar<S> log_abs_determinant() const {
    return {product().log_size(), of_determinant()};
  }
  /// The sign of det a: 1, -1, or 0 where a pivot is zero.
  BATCHWORK_INLINE Scalar<S> sign() const { return {product().sign(), of_determinant()}; }
  /// The number of eigenvalues of a that are negative, by Sylvester's law of inertia that of D; NaN
  /// where a pivot is.
  BATCHWORK_INLINE Scalar<S> negative_eigenvalues() const {
    auto const all = pivots();
    S count(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      S const one(T(1)), zero(T(0)), pivot(all.entry(i, 0));
      count += Impl::select(pivot < zero, one, Impl::select(pivot >= zero, zero, pivot));
    }
    return {count, of_determinant()};
  }
  /// The inverse of a; 2 N^3 operations beside those of the factors.
  BATCHWORK_INLINE auto inverse() const { return solve(identity<T, N>()); }

 private:
  template <class B>
  static constexpr void check_rows() {
    static_assert(
        B::rows == N,
        "Batchwork::ldlt: the right-hand side has another number of rows than the matrix");
  }
  /// Whether own column m is column k, which may be none.
  BATCHWORK_INLINE bool is_next(int m, int k) const { return k >= 0 && k < N && columns.is(m, k); }
  /// Whether row i is that of the other column in a pair with own column m.
  BATCHWORK_INLINE auto is_partner(int m, int i) const {
    auto const kind = columns.row_of_d(m).kind;
    return (kind == Value(T(1)) && is_next(m, i - 1)) || (kind == Value(T(2)) && is_next(m, i + 1));
  }
  static BATCHWORK_INLINE auto reciprocal(Impl::RowOfD<Value> const& r) {
    return Impl::PivotReciprocal<Value>(Value(Impl::select(r.kind == Value(T(0)), r.d, r.e)));
  }
  static BATCHWORK_INLINE Value inverse_of_pair(Impl::RowOfD<Value> const& r) {
    return Impl::Vendor::reciprocal(determinant_of_pair(r));
  }
  /// Relative to the square of e: below zero, and not near it.
  static BATCHWORK_INLINE Value determinant_of_pair(Impl::RowOfD<Value> const& r) {
    auto const by_e = reciprocal(r);
    return (by_e * r.d) * (by_e * r.partner) - Value(T(1));
  }
  /// A number for each column whose sign is that of an eigenvalue of D. Of a pair, which has a
  /// positive and a negative one, the determinant relative to e^2, and |e|.
  BATCHWORK_INLINE auto pivots() const {
    return columns.vector([this](int m) {
      auto const row = columns.row_of_d(m);
      return Value(Impl::select(row.kind == Value(T(0)), row.d,
                                Impl::select(row.kind == Value(T(1)), determinant_of_pair(row),
                                             Value(Impl::abs(row.e)))));
    });
  }
  /// run(one, of) of the 2 N numbers whose product is det D: |e| of a pair counts twice.
  template <class Run>
  BATCHWORK_INLINE auto with_product(Run const& run) const {
    auto const once = pivots(), again = columns.vector([this](int m) {
      auto const row = columns.row_of_d(m);
      return Value(Impl::select(row.kind == Value(T(2)), Value(Impl::abs(row.e)), Value(T(1))));
    });
    return run(S(T(1)),
               [&](int k) { return S(k % 2 == 0 ? once.entry(k / 2, 0) : again.entry(k / 2, 0)); });
  }
  BATCHWORK_INLINE auto product() const {
    return with_product(
        [](S const& one, auto const& of) { return Impl::scaled_product<2 * N>(one, of); });
  }
  /// The status of a determinant, of which a pivot of zero is no failure.
  BATCHWORK_INLINE info_t<S> of_determinant() const {
    info_t<S> const singular = Impl::make_info<S>(Reason::singular, 0);
    return Impl::first_failure(of_matrix, Impl::select(own < singular, own, info_t<S>(0)));
  }
  template <class X>
  BATCHWORK_INLINE X with_info(X x) const {
    x.info = info;
    return x;
  }
};

/// The factors of a symmetric a, N x N, definite or not, of which the lower triangle is read: P a
/// P' = L D L', L unit lower triangular, D with blocks of 1 x 1 and 2 x 2. By elimination with the
/// pivots of Bunch and Kaufman; 2 N^3 / 3 operations, as both triangles are kept; 2 N^3 where lanes
/// share an item. Backward stable, but for entries of L that may be large: L D L' differs from P a
/// P' by some N eps |L| |D| |L'|, and that is at most 36 N times the largest entry of the matrices
/// that stand between, which grow by 2.57^(N - 1) at worst. Pivots are chosen as LAPACK's sytrf
/// does, but for the order of the rows of which the next one is asked. A pivot that is exactly zero
/// gives Reason::singular with its 1-based index, as sytrf's info: the factors are complete, a
/// solve with them is not finite. One that is NaN or infinite gives Reason::not_finite; what is
/// computed from it is NaN. (Bunch and Kaufman, Math. Comp. 31 (1977), 163-179; Golub and Van Loan,
/// Matrix Computations, 4th edition, section 4.4.4; Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd edition, section 11.1.2.)
template <Tile A>
BATCHWORK_INLINE auto ldlt(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  static_assert(A::rows == A::cols, "Batchwork::ldlt: the tile must be square");
  using S = value_t<A>;
  if constexpr (A::structure != Structure::symmetric && A::structure != Structure::diagonal) {
    return ldlt(symmetric(a));
  } else if constexpr (Impl::is_distributed<S>) {
    return Ldlt<Impl::dealt_t<S, false>, A::rows>(a);
  } else {
    return Ldlt<S, A::rows>(a);
  }
}

/// x with a x = b, from the factorisation of a.
template <class S, int N, Tile B>
BATCHWORK_INLINE auto solve(Ldlt<S, N> const& a, B const& b) {
  return a.solve(b);
}
/// det a, from its factorisation.
template <class S, int N>
BATCHWORK_INLINE Scalar<S> determinant(Ldlt<S, N> const& a) {
  return a.determinant();
}
/// The inverse of a, from its factorisation.
template <class S, int N>
BATCHWORK_INLINE auto inverse(Ldlt<S, N> const& a) {
  return a.inverse();
}

}  // namespace Batchwork

#endif
