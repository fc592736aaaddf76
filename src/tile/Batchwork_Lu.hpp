// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// lu(a): factors of a square tile with partial pivoting; solves, determinants and inverses.
#ifndef BATCHWORK_LU_HPP
#define BATCHWORK_LU_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/detail/Batchwork_ScaledProduct.hpp"
#include "tile/Batchwork_Generate.hpp"
#include "tile/Batchwork_TriangularSolve.hpp"
#include "tile/detail/Batchwork_Adjugate.hpp"
#include "tile/detail/Batchwork_RowsOfLane.hpp"
#include "tile/detail/shared/Batchwork_InverseOfLanes.hpp"
#include "tile/detail/shared/Batchwork_RowsOfLanes.hpp"
#include "tile/detail/shared/Batchwork_SolutionOfLanes.hpp"

namespace Batchwork {

namespace Impl {

/// L of factors in a lane or a pack, and the transpose of U. Both triangles are stored where a
/// solve reads them.
template <class Factors>
struct UnitLowerOf : IndexedToRead<UnitLowerOf<Factors>> {
  using value_type = typename Factors::value_type;
  static constexpr int rows = Factors::rows, cols = rows;
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;
  Factors const& factors;
  info_t<value_type> info;

  BATCHWORK_INLINE UnitLowerOf(Factors const& f, info_t<value_type> const& i)
      : factors(f), info(i) {}
  BATCHWORK_INLINE value_type entry(int i, int j) const {
    return j < i ? factors.number(i, j) : value_type(scalar_t<value_type>(i == j ? 1 : 0));
  }
  BATCHWORK_INLINE UnitReciprocal inverse_diagonal(int) const { return {}; }
};
template <class Factors>
struct TransposedUpperOf : IndexedToRead<TransposedUpperOf<Factors>> {
  using value_type = typename Factors::value_type;
  static constexpr int rows = Factors::rows, cols = rows;
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;
  Factors const& factors;
  info_t<value_type> info;

  BATCHWORK_INLINE TransposedUpperOf(Factors const& f, info_t<value_type> const& i)
      : factors(f), info(i) {}
  BATCHWORK_INLINE value_type entry(int i, int j) const {
    return j <= i ? factors.number(j, i) : value_type(scalar_t<value_type>(0));
  }
  BATCHWORK_INLINE PivotReciprocal<value_type> inverse_diagonal(int i) const {
    return PivotReciprocal<value_type>(factors.number(i, i));
  }
};

/// The factors in a lane or a pack.
template <class S, int N>
struct LuFactors {
  using value_type = S;
  static constexpr int rows = N;
  using Rows = RowsOfLane<S, N>;
  Rows all;

  /// Writes the status of the elimination to info.
  template <class A>
  BATCHWORK_INLINE LuFactors(A const& a, info_t<S>& info) : all(a) {
    info = eliminate(all);
  }
  BATCHWORK_INLINE S number(int i, int j) const { return all.a[i * Rows::pitch + j]; }
  BATCHWORK_INLINE S sign() const { return all.sign; }

  BATCHWORK_INLINE auto lower() const {
    Lower<S, N> l;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j <= i; ++j) l.set(i, j, j < i ? number(i, j) : S(scalar_t<S>(1)));
    }
    return l;
  }
  BATCHWORK_INLINE auto upper() const {
    Matrix<S, N, N> u;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < N; ++j) u.set(i, j, j < i ? S(scalar_t<S>(0)) : number(i, j));
    }
    return u;
  }

  template <class X, class B>
  BATCHWORK_INLINE void permute(X& x, B const& b) const {
    take_rows<S>(x, b, all.order);
  }

  template <class B>
  BATCHWORK_INLINE auto solve(B const& b, info_t<S> const& info) const {
    general_t<promote_t<S, value_t<B>>, N, B::cols, B::is_vector> x;
    permute(x, b);
    x.info = b.info;
    UnitLowerOf<LuFactors> const l(*this, info);
    auto const y = Batchwork::solve(l, x);
    return Batchwork::solve(transpose(TransposedUpperOf<LuFactors>(*this, info)), y);
  }
};

/// The same, distributed: each lane holds whole rows of the factors and knows their positions after
/// the row exchanges.
template <class T_, int R, int C, int E, bool Whole, int N>
struct LuFactors<Distributed<T_, R, C, E, Whole>, N>
    : LocalLines<dealt_t<Distributed<T_, R, C, E, Whole>, true>, N, N> {
  using S = dealt_t<Distributed<T_, R, C, E, Whole>, true>;
  using Base = LocalLines<S, N, N>;
  using T = T_;
  using Base::mine;

  int place[mine];
  bool odd;

  /// Of the first n rows and columns of a matrix that is the identity beyond them.
  template <class A>
  BATCHWORK_INLINE LuFactors(A const& from, info_t<S>& status, int n = N) {
    this->grid = grid_of(from);
    auto const lines = lines_of<S, true>(from, this->grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      place[m] = this->line(m);
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) this->set_local(m, k, lines.get(m, k));
    }
    this->grid.sync();
    RowsOfLanes<S, N> all{this->a, place, this->grid, n};
    status = eliminate(all);
    odd = all.odd;
  }
  BATCHWORK_INLINE S number(int i, int j) const { return this->entry(i, j); }
  BATCHWORK_INLINE S sign() const { return S(T(odd ? -1 : 1), this->grid); }

  BATCHWORK_INLINE auto lower() const {
    Lower<S, N> l;
    l.grid = this->grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const i = this->line(m);
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) l.set_local(m, k, k < i ? this->local(m, k) : T(k == i ? 1 : 0));
    }
    return l;
  }
  BATCHWORK_INLINE auto upper() const {
    Matrix<S, N, N> u;
    u.grid = this->grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const i = this->line(m);
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) u.set_local(m, k, k < i ? T(0) : this->local(m, k));
    }
    return u;
  }
  template <class X, class B>
  BATCHWORK_INLINE void permute(X& x, B const& b) const {
    x.grid = this->grid;
    take_permuted_rows(x, b, place, this->grid);
  }
  template <class B>
  BATCHWORK_INLINE auto solve(B const& b, info_t<S> const& info) const {
    constexpr bool by_rows = B::is_vector || B::cols <= few_right_hand_sides;
    general_t<dealt_t<S, by_rows>, N, B::cols, B::is_vector> x;
    permute(x, b);
    if constexpr (by_rows) substitute_by_rows(x, *this);
    else substitute_own_columns(x, *this);
    x.info = merge_info<S>(info, b.info);
    return x;
  }
};

}  // namespace Impl

/// The result of lu(a): P a = L U. Its `info` is the status: 0, or the first pivot that is zero or
/// not finite. A zero pivot is a failure of solve, but not of the factors or the determinant.
template <class S, int N>
struct Lu {
  using value_type = S;  ///< the type of an entry
  Impl::LuFactors<S, N> factors;
  info_t<S> of_matrix;  // the status of a
  info_t<S> own;        // the status of the elimination
  info_t<S> info;       ///< the status of a, then of the elimination

  /// Factorises a, as lu(a).
  template <Tile A>
  BATCHWORK_INLINE explicit Lu(A const& a)
      : factors(a, own), of_matrix(a.info), info(Impl::first_failure(a.info, own)) {}
  // If lanes share an item: factors of the first n rows and columns of a, which is the identity
  // beyond them.
  template <Tile A>
    requires(Impl::is_distributed<S>)
  BATCHWORK_INLINE Lu(A const& a, int n)
      : factors(a, own, n), of_matrix(a.info), info(Impl::first_failure(a.info, own)) {}

  /// L, a lower triangular tile with ones on the diagonal.
  BATCHWORK_INLINE auto lower() const { return with_info(factors.lower()); }
  /// U, as a general tile with zeros below the diagonal.
  BATCHWORK_INLINE auto upper() const { return with_info(factors.upper()); }
  /// P b: the rows of b in the order of the pivots.
  template <Tile B>
  BATCHWORK_INLINE auto permute(B const& b) const {
    static_assert(B::rows == N,
                  "Batchwork::lu: permute(b) needs a b with as many rows as the matrix");
    Impl::general_t<promote_t<S, value_t<B>>, N, B::cols, B::is_vector> x;
    factors.permute(x, b);
    x.info = Impl::merge_info<value_t<decltype(x)>>(of_matrix, b.info);
    return x;
  }
  /// The solution x of a x = b; 2 N^2 operations for each column of b.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    static_assert(
        B::rows == N,
        "Batchwork::solve: the right-hand side and the matrix have different numbers of rows");
    return factors.solve(b, info);
  }
  /// det a, zero if a pivot is zero. Partial products may exceed the range of numbers. If det a
  /// overflows, the result is infinite with Reason::not_finite and info 0; if it underflows, the
  /// result is zero, which is no failure. About 15 N operations.
  BATCHWORK_INLINE Scalar<S> determinant() const {
    S const value = Impl::product_of<N>(factors.sign(), [this](int i) { return pivot(i); });
    return {value, Impl::first_failure(of_determinant(), Impl::status_of_result(value))};
  }
  /// log |det a|, also where det a would overflow; minus infinity if a pivot is zero. Costs one
  /// logarithm.
  BATCHWORK_INLINE Scalar<real_t<S>> log_abs_determinant() const {
    return {product().log_size(), of_determinant()};
  }
  /// The sign of det a: 1, -1, or 0 if a pivot is zero; for complex numbers det a / |det a|.
  BATCHWORK_INLINE Scalar<S> sign() const { return {product().sign(), of_determinant()}; }
  /// The inverse of a; 2 N^3 operations in addition to the factors.
  BATCHWORK_INLINE auto inverse() const { return solve(identity<scalar_t<S>, N>()); }

  // The product of the pivots, with the sign of their permutation.
  BATCHWORK_INLINE auto product() const {
    return Impl::scaled_product<N>(factors.sign(), [this](int i) { return pivot(i); });
  }
  // The status of a determinant: a zero pivot is not a failure.
  BATCHWORK_INLINE info_t<S> of_determinant() const {
    info_t<S> const singular = Impl::make_info<S>(Reason::singular, 0);
    return Impl::first_failure(of_matrix, Impl::select(own < singular, own, info_t<S>(0)));
  }

 private:
  BATCHWORK_INLINE S pivot(int i) const { return factors.number(i, i); }
  template <class X>
  BATCHWORK_INLINE X with_info(X x) const {
    x.info = info;
    return x;
  }
};

/// Factors of a square tile: P a = L U, by elimination with partial pivoting; 2 N^3 / 3 operations,
/// four times as many for complex numbers.
/// ```cpp
/// auto const f = lu(a);
/// x = solve(f, b);
/// y = f.determinant();
/// ```
/// Pivots: row exchanges are those of LAPACK's getrf except between pivots of equal size, and |L|
/// <= 1. If lanes share an item, sizes in double are compared to 20 bits, and |L| <= 1 + 2^-19 for
/// normal pivots. Both bounds hold to rounding. The size of a complex number is |real part| +
/// |imaginary part|, as in LAPACK's izamax.
///
/// Status: Reason::singular if a pivot is exactly zero, with its 1-based index as getrf's info; the
/// factors are complete, but solutions are not finite. Reason::not_finite if a pivot is NaN or
/// infinite; results computed from it are NaN.
///
/// Extents: up to 64 on hosts; on devices up to 64 in float, 48 in double, 10 for complex numbers.
/// Source: Golub and Van Loan, Matrix Computations, 4th edition, section 3.4.
/// \param a  N x N
/// \returns an Lu: solve(b), determinant(), log_abs_determinant(), inverse(), lower(), upper()
template <Tile A>
BATCHWORK_INLINE auto lu(A const& a) {
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  static_assert(A::rows == A::cols, "Batchwork::lu: the tile must be square");
  using S = value_t<A>;
  if constexpr (Impl::is_distributed<S>) return Lu<Impl::dealt_t<S, true>, A::rows>(a);
  else return Lu<S, A::rows>(a);
}

/// The solution x of a x = b, from the factorisation of a.
/// \param a  lu(a)
/// \param b  a vector or a matrix with N rows
template <class S, int N, Tile B>
BATCHWORK_INLINE auto solve(Lu<S, N> const& a, B const& b) {
  return a.solve(b);
}
/// det a, from its factorisation.
template <class S, int N>
BATCHWORK_INLINE Scalar<S> determinant(Lu<S, N> const& a) {
  return a.determinant();
}
/// The inverse of a, from its factorisation.
template <class S, int N>
BATCHWORK_INLINE auto inverse(Lu<S, N> const& a) {
  return a.inverse();
}

namespace Impl {

/// For one vector and tiles whose items are shared by lanes; the rows of the matrix are
/// distributed.
template <class A, class B>
BATCHWORK_INLINE auto solution_of_lanes(A const& a, B const& b) {
  using S = dealt_t<value_t<A>, true>;
  constexpr int N = A::rows;
  SolutionOfLanes<scalar_t<S>, S::lanes, N, typename S::exchange> rows(grid_of(a), N);
  auto const of_a = lines_of<S, true>(a, rows.grid);
  BATCHWORK_UNROLL
  for (int m = 0; m < rows.mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) rows.own[m][k] = of_a.get(m, k);
  }
  auto const of_b = lines_of<S, true>(b, rows.grid);
  BATCHWORK_UNROLL
  for (int m = 0; m < rows.mine; ++m) rows.rest[m] = of_b.get(m, 0);
  std::int32_t const code = rows.eliminate(N);
  rows.substitute(N);
  rows.grid.sync();
  general_t<S, N, 1, B::is_vector> x;
  x.grid = rows.grid;
  x.info = merge_info<S>(first_failure(a.info, code), b.info);
  BATCHWORK_UNROLL
  for (int m = 0; m < rows.mine; ++m) {
    auto const z = rows.solution(rows.row(m) < N ? rows.row(m) : 0);
    x.set_local(m, 0, code != 0 ? std::numeric_limits<scalar_t<S>>::quiet_NaN() : z);
  }
  return x;
}
/// Whether solve(a, b) uses this method: the same number type, and enough rows.
template <class A, class B>
inline constexpr bool solves_by_lanes = [] {
  if constexpr (is_distributed<value_t<A>>)
    return A::rows >= 4 && B::cols == 1 &&
           std::is_same_v<scalar_t<value_t<A>>, scalar_t<value_t<B>>>;
  else return false;
}();

}  // namespace Impl

/// The solution x of a x = b for a general a: solve(lu(a), b).
/// ```cpp
/// x = solve(a, b);
/// ```
/// For one right-hand side, if lanes share an item with four or more rows, no factors are kept; of
/// two candidates whose sizes differ by less than 2^-15, either may then become the pivot. Status
/// as for lu.
/// \param a  N x N
/// \param b  a vector or a matrix with N rows
/// \returns x, with the extents of b
template <Tile A, Tile B>
  requires(A::structure == Structure::general)
BATCHWORK_INLINE auto solve(A const& a, B const& b) {
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  static_assert(
      B::rows == A::rows && A::rows == A::cols,
      "Batchwork::solve: the matrix must be square, with as many rows as the right-hand side");
  if constexpr (Impl::solves_by_lanes<A, B>) return Impl::solution_of_lanes(a, b);
  else return lu(a).solve(b);
}
/// det a: by lu(a), or for a triangular or diagonal tile the product of its diagonal. If it is not
/// finite, the status is Reason::not_finite with info 0.
/// \param a  a square tile
/// \returns a scalar
template <Tile A>
BATCHWORK_INLINE auto determinant(A const& a) {
  static_assert(A::rows == A::cols, "Batchwork::determinant: the tile must be square");
  if constexpr (A::structure == Structure::general || A::structure == Structure::symmetric) {
    return lu(a).determinant();
  } else {
    using S = value_t<A>;
    S const value =
        Impl::product_of<A::rows>(S(scalar_t<S>(1)), [&](int i) { return S(a.entry(i, i)); });
    return Scalar<S>(value, Impl::first_failure(a.info, Impl::status_of_result(value)));
  }
}
namespace Impl {

/// For a tile whose items are shared by lanes, with distributed rows.
template <class A>
BATCHWORK_INLINE auto inverse_of_lanes(A const& a) {
  using S = dealt_t<value_t<A>, true>;
  constexpr int N = A::rows;
  LaneGrid const& grid = grid_of(a);
  InverseOfLanes<scalar_t<S>, S::lanes, N, typename S::exchange> rows(grid, N);
  auto const lines = lines_of<S, true>(a, grid);
  BATCHWORK_UNROLL
  for (int m = 0; m < rows.mine; ++m) {
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) rows.own[m][k] = lines.get(m, k);
  }
  Matrix<S, N, N> x;
  x.grid = grid;
  std::int32_t const code = rows.invert(N);
  x.info = first_failure(a.info, code);
  rows.put(N, code != 0);
  grid.sync();
  take_own_lines<N, N, 0, S>(x.a, grid);
  return x;
}

}  // namespace Impl

/// The inverse of a, as a general tile. By lu(a); if lanes share an item with five or more rows, by
/// Gauss-Jordan elimination with the pivots of solve(a, b). For a triangular or diagonal tile by
/// substitution, without a test of the diagonal. A 2 x 2 matrix held by one lane or a pack uses the
/// adjugate if the determinant is larger than its rounding error, else lu(a): 8 operations, and |a
/// x - 1| and |x a - 1| are at most 2 eps |a| |x| entry by entry (6 eps for complex numbers).
/// ```cpp
/// y = inverse(a);
/// ```
/// \param a  a square tile
/// \returns a general tile
template <Tile A>
BATCHWORK_INLINE auto inverse(A const& a) {
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  static_assert(A::rows == A::cols, "Batchwork::inverse: the tile must be square");
  using S = value_t<A>;
  if constexpr (A::structure != Structure::general && A::structure != Structure::symmetric) {
    return solve(a, identity<scalar_t<S>, A::rows>());
  } else if constexpr (A::rows == 2 && !Impl::is_distributed<S>) {
    Matrix<S, 2, 2> const general(a);
    Impl::InverseByAdjugate<S> const closed(general);
    auto x = closed.x;
    x.info = a.info;
    if (Batchwork::any(!closed.regular))
      x = Batchwork::select(closed.regular, x, lu(general).inverse());
    return x;
  } else if constexpr (Impl::is_distributed<S> && A::rows >= 5) {
    return Impl::inverse_of_lanes(a);
  } else {
    return lu(a).inverse();
  }
}

}  // namespace Batchwork

#endif
