// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ldlt(a): factors of a symmetric indefinite tile, with Bunch-Kaufman pivoting; solves,
/// determinant, inverse and the number of negative eigenvalues.
#ifndef BATCHWORK_LDLT_HPP
#define BATCHWORK_LDLT_HPP

#include "core/detail/Batchwork_ScaledProduct.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_TriangularSolve.hpp"
#include "tile/detail/Batchwork_SymmetricOfLane.hpp"
#include "tile/detail/Batchwork_SymmetricOfLanes.hpp"

namespace Batchwork {

namespace Impl {

/// A symmetric matrix during elimination: in a lane or pack, or distributed over lanes.
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

/// The result of ldlt(a): P a P' = L D L'. Its `info` is the status: 0, or the first pivot that is
/// zero or not finite. A zero pivot is a failure of solve, but not of the factors or the
/// determinant.
template <class S, int N>
struct Ldlt {
  using value_type = S;  ///< the type of an entry
  using Columns = typename Impl::SymmetricOf<S, N>::type;
  using Value = typename Columns::value_type;
  using T = scalar_t<S>;

  Columns columns;
  info_t<S> of_matrix;  // the status of a
  info_t<S> own;        // the status of the elimination
  info_t<S> info;       ///< the status of a, then of the elimination

  template <Tile A>
  BATCHWORK_INLINE explicit Ldlt(A const& a)
      : columns(a, Impl::grid_of(a)),
        of_matrix(a.info),
        own(columns.eliminate()),
        info(Impl::first_failure(of_matrix, own)) {}

  /// L, a lower triangular tile with ones on the diagonal.
  BATCHWORK_INLINE auto lower() const { return with_info(columns.lower()); }
  /// D, a general N x N tile with numbers on the diagonal, and a symmetric 2 x 2 block for each
  /// pair of columns.
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
  /// The solution x of a x = b; 2 N^2 operations for each column of b.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    check_rows<B>();
    auto const l = columns.template substitution<B::cols>();
    auto const y = l.forward(columns.permuted(b));
    // Solves D z = y. For a pair: z_1 = (p / e y_1 - y_2) / (e t) with t = (d / e) (p / e) - 1.
    // Tiny pivots are scaled up first.
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
  /// det a, zero if a pivot is zero. Partial products may exceed the range of numbers. If det a
  /// overflows, the result is infinite with Reason::not_finite and info 0; if it underflows, the
  /// result is zero, which is no failure. About 30 N operations.
  BATCHWORK_INLINE Scalar<S> determinant() const {
    S const value =
        with_product([](S const& one, auto const& of) { return Impl::product_of<2 * N>(one, of); });
    return {value, Impl::first_failure(of_determinant(), Impl::status_of_result(value))};
  }
  /// log |det a|, also where det a would overflow; minus infinity if a pivot is zero. Costs one
  /// logarithm.
  BATCHWORK_INLINE Scalar<S> log_abs_determinant() const {
    return {product().log_size(), of_determinant()};
  }
  /// The sign of det a: 1, -1, or 0 if a pivot is zero.
  BATCHWORK_INLINE Scalar<S> sign() const { return {product().sign(), of_determinant()}; }
  /// The number of negative eigenvalues of a, which D shares (Sylvester's law of inertia);
  /// NaN if a pivot is NaN.
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
  /// The inverse of a; 2 N^3 operations in addition to the factors.
  BATCHWORK_INLINE auto inverse() const { return solve(identity<T, N>()); }

 private:
  template <class B>
  static constexpr void check_rows() {
    static_assert(
        B::rows == N,
        "Batchwork::ldlt: the right-hand side and the matrix have different numbers of rows");
  }
  /// Whether own column m is column k, which may not exist.
  BATCHWORK_INLINE bool is_next(int m, int k) const { return k >= 0 && k < N && columns.is(m, k); }
  /// Whether row i belongs to the other column in a pair with own column m.
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
  /// Relative to e^2: clearly negative.
  static BATCHWORK_INLINE Value determinant_of_pair(Impl::RowOfD<Value> const& r) {
    auto const by_e = reciprocal(r);
    return (by_e * r.d) * (by_e * r.partner) - Value(T(1));
  }
  /// A number for each column with the sign of an eigenvalue of D. A pair has a positive and a
  /// negative eigenvalue: its determinant relative to e^2, and |e|.
  BATCHWORK_INLINE auto pivots() const {
    return columns.vector([this](int m) {
      auto const row = columns.row_of_d(m);
      return Value(Impl::select(row.kind == Value(T(0)), row.d,
                                Impl::select(row.kind == Value(T(1)), determinant_of_pair(row),
                                             Value(Impl::abs(row.e)))));
    });
  }
  /// Calls run(one, of) with the 2 N numbers whose product is det D; for a pair |e| counts twice.
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
  /// The status of a determinant: a zero pivot is not a failure.
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

/// Factors of a symmetric tile, positive definite or not: P a P' = L D L', with L unit lower
/// triangular and D of 1 x 1 and 2 x 2 blocks, by elimination with Bunch-Kaufman pivoting. Only the
/// lower triangle is read.
/// ```cpp
/// auto const f = ldlt(kkt);
/// x = solve(f, b);
/// ```
/// Cost: 2 N^3 / 3 operations, because both triangles are kept; 2 N^3 if lanes share an item.
///
/// Accuracy: L D L' differs from P a P' by about N eps |L| |D| |L'|. The entries of |L| |D| |L'|
/// may be large: at most 36 N times the largest entry of the intermediate matrices, which grow by a
/// factor of at most 2.57^(N - 1). Pivots are chosen as in LAPACK's sytrf, except for the order in
/// which rows are searched.
///
/// Status: Reason::singular if a pivot is exactly zero, with its 1-based index as sytrf's info; the
/// factors are complete, but solutions are not finite. Reason::not_finite if a pivot is NaN or
/// infinite; results computed from it are NaN.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Sources: Bunch and Kaufman, Math.
/// Comp. 31 (1977), 163-179; Golub and Van Loan, Matrix Computations, 4th edition, section 4.4.4;
/// Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 11.1.2.
/// \param a  N x N, symmetric
/// \returns an Ldlt: solve(b), determinant(), inverse(), negative_eigenvalues(), lower(), d()
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

/// The solution x of a x = b, from the factorisation of a.
/// \param a  ldlt(a)
/// \param b  a vector or a matrix with N rows
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
