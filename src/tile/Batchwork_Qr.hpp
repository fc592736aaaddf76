// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// qr(a): QR factors by Householder reflections, and least squares.
#ifndef BATCHWORK_QR_HPP
#define BATCHWORK_QR_HPP

#include "core/detail/Batchwork_Householder.hpp"
#include "tile/detail/Batchwork_Columns.hpp"

namespace Batchwork {

namespace Impl {

/// Applies reflections First to Count of Q or Q', in loops over Steps.
template <bool Transposed, int First, int Count, int Steps, class U, class X>
BATCHWORK_INLINE void apply_q_in_loops(U const& u, X& x) {
  constexpr int next = First + Steps, end = next < Count ? next : Count;
  auto const own = [&] {
    BATCHWORK_KEEP_LOOP
    for (int n = First; n < end; ++n) {
      int const k = Transposed ? n : First + end - 1 - n;
      apply_reflection_within<First, Steps>(u.column(k), k, x);
    }
  };
  if constexpr (Transposed) own();
  if constexpr (end < Count) apply_q_in_loops<Transposed, end, Count, Steps>(u, x);
  if constexpr (!Transposed) own();
}

/// x := Q x or Q' x (conjugate transpose) for the lane's own columns of x. `factors` are as
/// triangularise leaves them.
template <bool Transposed, class C, class X>
BATCHWORK_INLINE void apply_q(C const& factors, X& x) {
  auto const u = factors.show_columns();
  constexpr int most = reflections<typename C::value_type>(C::rows);
  constexpr int count = most < C::cols ? most : C::cols;
  if constexpr (C::steps_of_a_loop > 0) {
    apply_q_in_loops<Transposed, 0, count, C::steps_of_a_loop>(u, x);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int n = 0; n < count; ++n) {
      int const k = Transposed ? n : count - 1 - n;
      apply_reflection<Transposed>(u.column(k), k, x);
    }
  }
}

/// The first columns of the identity.
template <class T, int M, int N>
struct UnitColumns {
  using value_type = T;
  static constexpr int rows = M, cols = N;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;
  info_t<T> info = 0;
  BATCHWORK_INLINE T entry(int i, int j) const { return T(i == j ? 1 : 0); }
};

/// 0, or Reason::not_finite with the 1-based index of the first column that is not finite.
/// zero_of(own column, column) returns zero times the numbers to be tested.
template <class C, class F>
BATCHWORK_INLINE auto not_finite_columns(C const& columns, F const& zero_of) {
  using Value = typename C::value_type;
  return columns.first_status([&](int m, int j) {
    // Zero, or NaN.
    return select(zero_of(m, j) == Value(scalar_t<Value>(0)), info_t<Value>(0),
                  make_info<Value>(Reason::not_finite, j + 1));
  });
}
/// The same for all entries, including columns with the same numbers in further operands.
template <class C, class... Also>
BATCHWORK_INLINE auto not_finite_entries(C const& columns, Also const&... also) {
  using Value = typename C::value_type;
  return not_finite_columns(columns, [&](int m, int) {
    Value sum(scalar_t<Value>(0));
    auto const add = [&](auto const& x) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < std::remove_cvref_t<decltype(x)>::rows; ++i)
        sum += x.at(m, i) * Value(scalar_t<Value>(0));
    };
    add(columns);
    (add(also), ...);
    return sum;
  });
}
/// The same for R, which is stored in the factors.
template <class C>
BATCHWORK_INLINE auto not_finite_factors(C const& factors) {
  using Value = typename C::value_type;
  using T = scalar_t<Value>;
  return not_finite_columns(factors, [&](int m, int j) {
    Value sum = (j < C::rows ? factors.diagonal[m] : Value(T(0))) * Value(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < C::rows && i < C::cols; ++i)
      sum += i < j ? Value(factors.at(m, i) * Value(T(0))) : Value(T(0));
    return sum;
  });
}

/// A matrix M x N after its factorisation by reflections, and the operations with its factors.
template <class S, int M, int N>
struct QrFactors {
  using value_type = S;
  static constexpr int least = M < N ? M : N;

  columns_of_t<S, M, N> columns;
  info_t<S> info;

  template <Tile A>
  BATCHWORK_INLINE explicit QrFactors(A const& a) : columns(columns_of<S, M, N>(a, grid_of(a))) {}

  /// R, min(M, N) x N: a general tile with zeros below the diagonal. Its diagonal entries may be
  /// negative, as in LAPACK's geqrf, and are real.
  BATCHWORK_INLINE auto r() const {
    using T = scalar_t<S>;
    auto x = columns;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < decltype(x)::mine; ++m) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < least; ++i) {
        auto const below = typename decltype(x)::value_type(T(0));
        x.at(m, i) = x.is_behind(m, i) ? x.at(m, i) : x.is(m, i) ? x.diagonal[m] : below;
      }
    }
    return with_info(x.template tile<least, false>());
  }
  /// The first min(M, N) columns of Q, which span the columns of a if a has full rank. 4 M K^2 - 2
  /// K^3 operations with K = min(M, N).
  BATCHWORK_INLINE auto q() const { return q_of<least>(); }
  /// Q, M x M.
  BATCHWORK_INLINE auto full_q() const { return q_of<M>(); }
  /// Q b for b with M rows; 4 M min(M, N) operations for each column.
  template <Tile B>
  BATCHWORK_INLINE auto apply_q(B const& b) const {
    return applied<false>(b);
  }
  /// Q' b, with the same cost. For complex numbers Q' is the conjugate transpose.
  template <Tile B>
  BATCHWORK_INLINE auto apply_qt(B const& b) const {
    return applied<true>(b);
  }

 protected:
  template <class B>
  static constexpr void check_rows() {
    static_assert(
        B::rows == M,
        "Batchwork::qr: the right-hand side and the matrix have different numbers of rows");
  }
  template <class B>
  BATCHWORK_INLINE auto columns_like(B const& b) const {
    using R = promote_t<S, value_t<B>>;
    if constexpr (is_distributed<S>) return columns_of<R, B::rows, B::cols>(b, columns.grid);
    else return columns_of<R, B::rows, B::cols>(b, grid_of(b));
  }
  template <bool Transposed, class B>
  BATCHWORK_INLINE auto applied(B const& b) const {
    check_rows<B>();
    auto x = columns_like(b);
    Impl::apply_q<Transposed>(columns, x);
    auto result = x.template tile<M, B::is_vector>();
    result.info = merge_info<value_t<decltype(result)>>(info, b.info);
    return result;
  }
  template <int K>
  BATCHWORK_INLINE auto q_of() const {
    return applied<false>(UnitColumns<scalar_t<S>, M, K>{});
  }
  template <class X>
  BATCHWORK_INLINE X with_info(X x) const {
    x.info = info;
    return x;
  }
};

}  // namespace Impl

/// The result of qr(a): a = Q R for an M x N matrix a. Its `info` is the status: 0, or
/// Reason::not_finite with the 1-based index of the first column of R that is not finite. A lack of
/// rank is a failure of solve, but not of the factors. Members besides solve(b):
///
/// - `info`: the status
/// - r(): R, min(M, N) x N, a general tile with zeros below the diagonal, whose entries are real
/// and
///   may be negative, as in LAPACK's geqrf
/// - q(): the first min(M, N) columns of Q; 4 M K^2 - 2 K^3 operations with K = min(M, N)
/// - full_q(): Q, M x M
/// - apply_q(b), apply_qt(b): Q b and Q' b for b with M rows; 4 M min(M, N) operations for each
///   column of b. For complex numbers Q' is the conjugate transpose
template <class S, int M, int N>
struct Qr : Impl::QrFactors<S, M, N> {
  using Impl::QrFactors<S, M, N>::columns;
  using Impl::QrFactors<S, M, N>::info;

  template <Tile A>
  BATCHWORK_INLINE explicit Qr(A const& a) : Impl::QrFactors<S, M, N>(a) {
    Impl::triangularise(columns);
    info =
        Impl::first_failure(Impl::info_in_lanes_of<S>(a.info), Impl::not_finite_factors(columns));
  }

  /// The least-squares solution x, which minimises |a x - b|, for M >= N: R x = Q' b. 4 M N + N^2
  /// operations for each column. A diagonal entry of R that is exactly zero gives Reason::singular
  /// with its 1-based index.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    static_assert(M >= N,
                  "Batchwork::qr: solve(b) needs at least as many rows as columns; for fewer rows "
                  "use pivoted_qr(a) or svd(a)");
    this->template check_rows<B>();
    using Value = typename decltype(columns)::value_type;
    auto x = this->columns_like(b);
    Impl::apply_q<true>(columns, x);
    Impl::substitute_upper<N>(columns.show_triangle(), x);
    auto result = x.template tile<N, B::is_vector>();
    auto const zero = columns.first_status([this](int m, int j) {
      return Impl::select(columns.diagonal[m] == Value(scalar_t<S>(0)),
                          Impl::make_info<Value>(Reason::singular, j + 1), info_t<Value>(0));
    });
    using R = value_t<decltype(result)>;
    result.info = Impl::merge_info<R>(Impl::first_failure(info, zero), b.info);
    return result;
  }
};

/// QR factors: a = Q R by Householder reflections. Same as LAPACK's geqrf, including signs.
/// ```cpp
/// x = solve(qr(a), b);  // least squares
/// ```
/// Cost: 2 N^2 (M - N / 3) operations for M >= N, four times as many for complex numbers. Accuracy:
/// backward stable column by column; column j of Q R differs from column j of a by about M N eps of
/// its size. Entries near overflow and denormal entries are allowed.
///
/// Extents: up to 64 on hosts; on devices 32, and 10 for complex numbers. Sources: Golub and Van
/// Loan, Matrix Computations, 4th edition, section 5.2; Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd edition, theorem 19.4.
/// \param a  M x N
/// \returns a Qr: solve(b), r(), q(), full_q(), apply_q(b), apply_qt(b)
template <Tile A>
BATCHWORK_INLINE auto qr(A const& a) {
  [[maybe_unused]] constexpr bool decomposed = Impl::require_decomposed<A>();
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  using S = value_t<A>;
  if constexpr (Impl::is_distributed<S>) return Qr<Impl::dealt_t<S, false>, A::rows, A::cols>(a);
  else return Qr<S, A::rows, A::cols>(a);
}

/// The x that minimises |a x - b|, from the factors of a.
/// \param a  qr(a), M >= N
/// \param b  a vector or a matrix with M rows
template <class S, int M, int N, Tile B>
BATCHWORK_INLINE auto solve(Qr<S, M, N> const& a, B const& b) {
  return a.solve(b);
}

}  // namespace Batchwork

#endif
