// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// lu(a): the factors of a square tile by elimination with partial pivoting, its solves, its
/// determinant and its inverse.
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

/// L of factors that one lane or a pack has, and the transpose of U: both triangles stand where a
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

/// The factors as one lane or a pack has them.
template <class S, int N>
struct LuFactors {
  using value_type = S;
  static constexpr int rows = N;
  using Rows = RowsOfLane<S, N>;
  Rows all;

  /// Puts the status of the elimination into info.
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

/// The same, distributed: each lane holds whole rows of the factors, and knows to which places the
/// rows of the matrix went.
template <class T_, int R, int C, int E, bool Whole, int N>
struct LuFactors<Distributed<T_, R, C, E, Whole>, N>
    : LocalLines<dealt_t<Distributed<T_, R, C, E, Whole>, true>, N, N> {
  using S = dealt_t<Distributed<T_, R, C, E, Whole>, true>;
  using Base = LocalLines<S, N, N>;
  using T = T_;
  using Base::mine;

  int place[mine];
  bool odd;

  /// of the first n rows and columns of a matrix that has the identity beyond
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

/// What lu(a) returns: P a = L U. `info` is the status: 0, or the first pivot that is zero or not
/// finite. A zero is no failure of the factors or of the determinant, only of a solve.
template <class S, int N>
struct Lu {
  using value_type = S;
  Impl::LuFactors<S, N> factors;
  info_t<S> of_matrix;  ///< the status that a had
  info_t<S> own;        ///< that of the elimination
  info_t<S> info;

  template <Tile A>
  BATCHWORK_INLINE explicit Lu(A const& a)
      : factors(a, own), of_matrix(a.info), info(Impl::first_failure(a.info, own)) {}
  /// Where lanes share an item: of the first n rows and columns of a, which has the identity beyond
  /// them.
  template <Tile A>
    requires(Impl::is_distributed<S>)
  BATCHWORK_INLINE Lu(A const& a, int n)
      : factors(a, own, n), of_matrix(a.info), info(Impl::first_failure(a.info, own)) {}

  /// L, lower triangular; its diagonal is one.
  BATCHWORK_INLINE auto lower() const { return with_info(factors.lower()); }
  /// U, as a general tile with zeros below the diagonal.
  BATCHWORK_INLINE auto upper() const { return with_info(factors.upper()); }
  /// P b: the rows of b in the order of the pivots.
  template <Tile B>
  BATCHWORK_INLINE auto permute(B const& b) const {
    static_assert(B::rows == N, "Batchwork::lu: permute(b) is for as many rows as the matrix has");
    Impl::general_t<promote_t<S, value_t<B>>, N, B::cols, B::is_vector> x;
    factors.permute(x, b);
    x.info = Impl::merge_info<value_t<decltype(x)>>(of_matrix, b.info);
    return x;
  }
  /// x with a x = b; 2 N^2 operations a column.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b) const {
    static_assert(
        B::rows == N,
        "Batchwork::solve: the right-hand side has another number of rows than the matrix");
    return factors.solve(b, info);
  }
  /// det a, zero where a pivot is. Parts of the product may be beyond the range of numbers.
  /// Infinite, with Reason::not_finite and an info of 0, where det a is; where it is below the
  /// smallest number zero, which is no failure. Some 15 N operations.
  BATCHWORK_INLINE Scalar<S> determinant() const {
    S const value = Impl::product_of<N>(factors.sign(), [this](int i) { return pivot(i); });
    return {value, Impl::first_failure(of_determinant(), Impl::status_of_result(value))};
  }
  /// log |det a|, where det a itself may overflow; minus infinity where a pivot is zero. One
  /// logarithm.
  BATCHWORK_INLINE Scalar<real_t<S>> log_abs_determinant() const {
    return {product().log_size(), of_determinant()};
  }
  /// The sign of det a: 1, -1, or 0 where a pivot is zero; of complex numbers det a / |det a|.
  BATCHWORK_INLINE Scalar<S> sign() const { return {product().sign(), of_determinant()}; }
  /// The inverse of a; 2 N^3 operations beside those of the factors.
  BATCHWORK_INLINE auto inverse() const { return solve(identity<scalar_t<S>, N>()); }

  /// That of the pivots, with the sign of their order.
  BATCHWORK_INLINE auto product() const {
    return Impl::scaled_product<N>(factors.sign(), [this](int i) { return pivot(i); });
  }
  /// The status of a determinant, of which a pivot of zero is no failure.
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

/// The factors of a, N x N: P a = L U by elimination with partial pivoting; 2 N^3 / 3 operations,
/// four times as many of complex numbers, of which the size that chooses a pivot is |real part| +
/// |imaginary part|, as of LAPACK's izamax. The row exchanges are those of LAPACK's getrf, but for
/// pivots of equal size, and |L| is at most 1; where lanes share an item sizes in double are
/// compared by 20 bits, and |L| is at most 1 + 2^-19, if pivots are normal numbers; both to
/// rounding. A pivot that is exactly zero gives Reason::singular with its 1-based index, as getrf's
/// info: the factors are complete, a solve with them is not finite. One that is NaN or infinite
/// gives Reason::not_finite; what is computed from it is NaN. (Golub and Van Loan, Matrix
/// Computations, 4th edition, section 3.4.)
template <Tile A>
BATCHWORK_INLINE auto lu(A const& a) {
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  static_assert(A::rows == A::cols, "Batchwork::lu: the tile must be square");
  using S = value_t<A>;
  if constexpr (Impl::is_distributed<S>) return Lu<Impl::dealt_t<S, true>, A::rows>(a);
  else return Lu<S, A::rows>(a);
}

/// x with a x = b, from the factorisation of a.
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

/// For one vector, of tiles whose items are shared by lanes; the rows of the matrix are dealt out.
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
/// Whether solve(a, b) goes so: the same type of numbers, and rows enough.
template <class A, class B>
inline constexpr bool solves_by_lanes = [] {
  if constexpr (is_distributed<value_t<A>>)
    return A::rows >= 4 && B::cols == 1 &&
           std::is_same_v<scalar_t<value_t<A>>, scalar_t<value_t<B>>>;
  else return false;
}();

}  // namespace Impl

/// x with a x = b for a general a: solve(lu(a), b). For a vector, where lanes share an item of 4
/// rows or more, no factors are kept; of two sizes that differ by less than 2^-15 either may be the
/// pivot then.
template <Tile A, Tile B>
  requires(A::structure == Structure::general)
BATCHWORK_INLINE auto solve(A const& a, B const& b) {
  [[maybe_unused]] constexpr bool good = Impl::require_no_integers<A>();
  static_assert(B::rows == A::rows && A::rows == A::cols,
                "Batchwork::solve: the right-hand side has another number of rows than the matrix");
  if constexpr (Impl::solves_by_lanes<A, B>) return Impl::solution_of_lanes(a, b);
  else return lu(a).solve(b);
}
/// det a: by lu(a), of a triangular or diagonal tile the product of its diagonal. Where it is not
/// finite, Reason::not_finite with an info of 0.
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

/// Of a tile whose items are shared by lanes, its rows dealt out.
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

/// The inverse of a, a general tile: by lu(a), where lanes share an item of 5 rows or more by
/// Gauss-Jordan elimination with pivots as solve(a, b) has them; of a triangular or diagonal one by
/// substitution, without a test of its diagonal. Of 2 x 2 that one lane or a pack has the adjugate
/// is divided by the determinant where that is larger than its rounding error, which lu(a) finds
/// singular or not, too: 8 operations, and |a x - 1| and |x a - 1| are at most 2 eps |a| |x|, entry
/// by entry, of complex numbers 6.
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
