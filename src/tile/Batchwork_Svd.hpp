// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// svd(a): singular values and vectors of a tile, with pinv, rank, condition and least squares.
#ifndef BATCHWORK_SVD_HPP
#define BATCHWORK_SVD_HPP

#include <limits>

#include "core/detail/Batchwork_OneSidedJacobi.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Eigh.hpp"
#include "tile/Batchwork_Qr.hpp"
#include "tile/detail/Batchwork_Rank.hpp"

namespace Batchwork {

namespace Impl {

/// Whether rotations start from the eigenvectors V of a' a. The columns of a V are orthogonal
/// except for rounding errors, which the squared singular values amplify; this leaves about two of
/// eight sweeps.
template <class S, int N>
inline constexpr bool begins_svd_by_eigenvectors = finds_eigenpairs_by_ql<S, N> && (N > 2);

/// The decomposition of a matrix with at least as many rows as columns: orthogonal columns, which
/// put_left_vectors converts to those of U.
template <class S, int M, int N, bool Vectors, class Count = AllColumns<N>>
struct TallSvd {
  using Left = columns_of_t<S, M, N, Count>;
  using Right = columns_of_t<S, N, N, Count>;
  using Value = typename Left::value_type;

  Left factors;
  Right right;
  Value largest;  ///< the largest entry of a
  UnitScale<Value> scale;
  Value lengths[Left::mine];
  info_t<S> info;

  template <class A>
  BATCHWORK_INLINE explicit TallSvd(A const& a) : TallSvd(a, grid_of(a)) {}
  template <class A>
  BATCHWORK_INLINE TallSvd(A const& a, LaneGrid const& grid, Count const& count = {})
      : factors(columns_of<S, M, N>(a, grid, count)),
        right(columns_of<S, N, N>(UnitColumns<scalar_t<S>, N, N>{}, grid, count)),
        largest(largest_entry(factors)),
        scale(largest) {
    scale_columns(factors, scale);
    auto const without_end = begin(is_finite(largest));
    constexpr auto order = ColumnOrder::largest_first;
    auto const orthogonal = [&](auto&... also) {
      auto const result = orthogonalise_columns(factors, also...);
      factors.template sort<order>(also...);
      return result;
    };
    auto const open = [&] {
      if constexpr (Vectors) return orthogonal(right);
      else return orthogonal();
    }();
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < Left::mine; ++m) lengths[m] = sqrt(square_of_column(factors, m));
    info = first_failure(
        info_in_lanes_of<S>(a.info),
        rotation_status(largest, mask_t<Value>(open || without_end),
                        infinite_if_any(factors, [this](int m) { return value(m); })));
  }

  BATCHWORK_INLINE auto left_vectors() const { return factors.template tile<M, false>(); }
  BATCHWORK_INLINE auto right_vectors() const { return right.template tile<N, false>(); }
  BATCHWORK_INLINE void set_lengths(Value const& length) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < Left::mine; ++m) lengths[m] = length;
  }
  BATCHWORK_INLINE Value value(int m) const {
    return lengths[m] * scale.second_back * scale.first_back;
  }
  BATCHWORK_INLINE auto singular_values() const {
    return factors.vector([this](int m) { return value(m); });
  }

  /// Converts the columns of a V to those of U. Rotations have made the columns orthogonal relative
  /// to their lengths, so they are divided by their lengths. Columns shorter than least_length may
  /// not be orthogonal; items with such a column compute U by reflections.
  BATCHWORK_INLINE void put_left_vectors() {
    using T = scalar_t<S>;
    Value const zero(T(0)), one(T(1));
    auto has_short_column = mask_t<Value>(false);
    Left scaled = factors;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < Left::mine; ++m) {
      has_short_column =
          has_short_column || (lengths[m] < Value(least_length<T>) && factors.is_there(m));
      Value const inverse = one / lengths[m];
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) scaled.at(m, i) = factors.at(m, i) * inverse;
    }
    has_short_column = factors.any_lane(has_short_column);
    if (factors.any_item(has_short_column)) {
      triangularise(factors);
      auto u = columns_of<S, M, N>(UnitColumns<T, M, N>{}, grid_of(factors));
      apply_q<false>(factors, u);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = 0; m < Left::mine; ++m) {
        Value const sign = select(factors.diagonal[m] < zero, Value(-one), one);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < M; ++i)
          scaled.at(m, i) = select(has_short_column, Value(u.at(m, i) * sign), scaled.at(m, i));
      }
    }
    factors = scaled;
  }

 private:
  /// Computes the V from which rotations start. Returns a mask of the items whose iterations did
  /// not end.
  template <class F>
  BATCHWORK_INLINE auto begin([[maybe_unused]] F const& finite) {
    if constexpr (begins_svd_by_eigenvectors<S, N>) {
      // The smallest eigenvalue belongs to the largest singular value.
      factors.put_negative_gram(right);
      Value found[Right::mine];
      auto const open = find_eigenpairs(right, finite, found);
      factors.multiply(right);
      return open;
    } else {
      return mask_t<Value>(false);
    }
  }
};

/// The tile or its transpose, whichever has at least as many rows as columns.
template <class A>
BATCHWORK_INLINE decltype(auto) tall(A const& a) {
  if constexpr (A::rows >= A::cols) return (a);
  else return transpose(a);
}

template <class Values>
BATCHWORK_INLINE auto condition_of(Values const& s) {
  using S = value_t<Values>;
  using T = scalar_t<S>;
  S const largest = s.entry(0, 0), smallest = s.entry(Values::rows - 1, 0);
  // Infinite for zero over zero as well; NaN stays NaN.
  S const infinity(std::numeric_limits<T>::infinity());
  return Scalar<S>(select(smallest == S(T(0)), infinity, S(largest / smallest)), s.info);
}

}  // namespace Impl

/// The result of svd(a): a = U diag(singular_values) V', with K = min(M, N) singular values. Its
/// `info` is the status: 0; Reason::not_finite if an entry of a is not finite or a singular value
/// overflows; Reason::iteration_limit if rotations did not end, which has never been observed.
template <class S, int M, int N>
struct Svd {
  using value_type = S;                        ///< the type of an entry
  static constexpr int least = M < N ? M : N;  ///< K, the number of singular values
  /// Singular values not above this times the largest one count as zero.
  static constexpr scalar_t<S> default_tolerance = Impl::rank_tolerance<S, M, N>;

  Impl::TallSvd<S, (M < N ? N : M), least, true> factors;
  info_t<S> info;  ///< the status

  template <Tile A>
  BATCHWORK_INLINE explicit Svd(A const& a) : factors(Impl::tall(a)), info(factors.info) {
    factors.put_left_vectors();
  }

  /// U, M x K, with orthogonal columns, also for singular values of zero.
  BATCHWORK_INLINE auto u() const {
    if constexpr (M >= N) return with_info(factors.left_vectors());
    else return with_info(factors.right_vectors());
  }
  /// The K singular values in descending order, as a vector.
  BATCHWORK_INLINE auto singular_values() const { return with_info(factors.singular_values()); }
  /// V, N x K, with orthogonal columns.
  BATCHWORK_INLINE auto v() const {
    if constexpr (M >= N) return with_info(factors.right_vectors());
    else return with_info(factors.left_vectors());
  }

  /// The numerical rank: the number of singular values above tolerance times the largest one.
  BATCHWORK_INLINE auto rank(scalar_t<S> tolerance = default_tolerance) const {
    return Impl::rank_of(singular_values(), tolerance);
  }
  /// The condition number in the 2-norm: the largest singular value over the smallest, infinite if
  /// that is zero. If an infinity is stored, its item fails with Reason::not_finite.
  BATCHWORK_INLINE auto condition() const { return Impl::condition_of(singular_values()); }
  /// The pseudoinverse, N x M, from the reciprocals of the singular values above tolerance times
  /// the largest one.
  BATCHWORK_INLINE auto pinv(scalar_t<S> tolerance = default_tolerance) const {
    return v() * as_diagonal(reciprocals(tolerance)) * transpose(u());
  }
  /// The shortest of all x that minimise |a x - b|, for b with M rows. Singular values not above
  /// tolerance times the largest one count as zero.
  template <Tile B>
  BATCHWORK_INLINE auto solve(B const& b, scalar_t<S> tolerance = default_tolerance) const {
    static_assert(
        B::rows == M,
        "Batchwork::svd: the right-hand side and the matrix have different numbers of rows");
    return v() * (as_diagonal(reciprocals(tolerance)) * (transpose(u()) * b));
  }

 private:
  BATCHWORK_INLINE auto reciprocals(scalar_t<S> tolerance) const {
    using T = scalar_t<S>;
    auto s = singular_values();
    S const bound = S(tolerance) * S(s.entry(0, 0));
    using SV = value_t<decltype(s)>;
    auto r = Impl::entrywise<decltype(s)>(
        [&](auto const& x) {
          SV const y(x), limit(bound);
          return Impl::select(y > limit, SV(SV(T(1)) / y), SV(T(0)));
        },
        s);
    r.info = info;
    return r;
  }
  template <class X>
  BATCHWORK_INLINE X with_info(X x) const {
    x.info = info;
    return x;
  }
};

/// Singular values, in descending order, and singular vectors of a tile: a = U
/// diag(singular_values) V', by one-sided Jacobi rotations of the columns of a, or of a' if a has
/// fewer rows than columns.
/// ```cpp
/// auto const f = svd(a);
/// auto const s = f.singular_values();
/// x = f.solve(b);  // the shortest least-squares solution
/// ```
/// Cost: about (4 M + 4 N + 3 M) N^2 / 2 operations for each sweep, M >= N. There are about seven
/// sweeps. In packs on hosts, and if lanes share items with five or more columns and the exchange
/// has room, rotations start from the eigenvectors of a' a; this leaves one sweep in double and two
/// in float, more if the condition exceeds 1 / sqrt(eps). Accuracy: a singular value has an error
/// of about N eps times the largest one; vectors are orthogonal to about N eps. Entries near
/// overflow and denormal entries are allowed.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Sources: Hestenes, J. SIAM 6
/// (1958), 51-90; Golub and Van Loan, Matrix Computations, 4th edition, section 8.6.3; for the
/// starting vectors Drmac and Veselic, SIAM J. Matrix Anal. Appl. 29 (2008), 1322-1342.
/// \param a  M x N
/// \returns an Svd: u(), singular_values(), v(), rank(), condition(), pinv(), solve(b)
template <Tile A>
BATCHWORK_INLINE auto svd(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  using S = value_t<A>;
  if constexpr (Impl::is_distributed<S>) return Svd<Impl::dealt_t<S, false>, A::rows, A::cols>(a);
  else return Svd<S, A::rows, A::cols>(a);
}

/// The singular values alone, in descending order. Half the work of svd if only rotations are used,
/// little less if they start from eigenvectors.
template <Tile A>
BATCHWORK_INLINE auto singular_values(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  using S = value_t<A>;
  constexpr int most = A::rows < A::cols ? A::cols : A::rows,
                least = A::rows < A::cols ? A::rows : A::cols;
  Impl::TallSvd<S, most, least, false> const f(Impl::tall(a));
  auto s = f.singular_values();
  s.info = f.info;
  return s;
}
/// The Moore-Penrose pseudoinverse, N x M. Singular values up to max(M, N) eps times the largest
/// one count as zero.
/// \param a  M x N
template <Tile A>
BATCHWORK_INLINE auto pinv(A const& a) {
  // A named variable, because for a temporary nvcc 13.0 compiled a kernel that hangs if lanes share
  // items with 12 or more rows.
  auto const s = svd(a);
  return s.pinv();
}
/// The numerical rank: the number of singular values above max(M, N) eps times the largest one.
template <Tile A>
BATCHWORK_INLINE auto rank(A const& a) {
  return Impl::rank_of(singular_values(a), Impl::rank_tolerance<value_t<A>, A::rows, A::cols>);
}
/// The condition number in the 2-norm, infinite for a singular matrix. If an infinity is stored,
/// its item fails with Reason::not_finite.
template <Tile A>
BATCHWORK_INLINE auto condition(A const& a) {
  return Impl::condition_of(singular_values(a));
}

}  // namespace Batchwork

#endif
