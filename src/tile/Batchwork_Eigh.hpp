// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// eigh(a): eigenvalues and eigenvectors of a symmetric tile.
#ifndef BATCHWORK_EIGH_HPP
#define BATCHWORK_EIGH_HPP

#include <limits>
#include <type_traits>

#include "core/detail/Batchwork_EigenpairsInMemory.hpp"
#include "core/detail/Batchwork_OneSidedJacobi.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "tile/Batchwork_Reduce.hpp"
#include "tile/detail/Batchwork_Columns.hpp"
#include "tile/detail/shared/Batchwork_EigenpairsOfLanes.hpp"

namespace Batchwork {

namespace Impl {

/// Whether eigh uses tridiagonal matrices: in packs, and if lanes share items with more than four
/// rows and the exchange has room for the two vectors of a tridiagonal matrix. Room behind the
/// lines is used from seven rows on only; smaller items then use rotations.
template <class S, int N>
inline constexpr bool finds_eigenpairs_by_ql = are_packs<S> && !is_distributed<S>;
template <class S, int N>
  requires(is_distributed<S> && N > 4 && N <= 64)
inline constexpr bool finds_eigenpairs_by_ql<S, N> =
    S::exchange::has_room_beside || (S::exchange::has_pairs_behind && N > 6);

/// Replaces symmetric columns, with entries of the size of one, by the eigenvectors, and computes
/// the eigenvalues of the lane's own columns, both in ascending order. If an item is not `finite`,
/// all results are NaN. Returns a mask of the items whose iterations did not end.
template <class S, int N, class Count, class F>
BATCHWORK_INLINE bool find_eigenpairs(ColumnsOfLanes<S, N, N, Count>& columns, F const& finite,
                                      scalar_t<S> (&values)[ColumnsOfLanes<S, N, N>::mine]) {
  EigenpairsOfLanes<S, N, Count> pairs(columns);
  bool const ends = pairs.find(finite);
  BATCHWORK_UNROLL
  for (int m = 0; m < columns.mine; ++m) values[m] = pairs.d[m];
  return !ends;
}
template <class S, int N, class F>
BATCHWORK_INLINE auto find_eigenpairs(ColumnsOfLane<S, N, N>& columns, F const& finite,
                                      S (&values)[N]) {
  using T = scalar_t<S>;
  // Small matrices have code for each size, others share it.
  constexpr auto n = [] {
    if constexpr (N <= 8) return std::integral_constant<int, N>();
    else return N;
  }();
  constexpr int leading = host_leading(N);
  S matrix[N * leading], memory[EigenpairsInMemory<S>::arrays * N], places[N];
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i) matrix[j * leading + i] = columns.at(j, i);
  EigenpairsInMemory const pairs(n, leading, matrix, memory);
  auto const open = pairs.find(finite);
  pairs.order(places);
  S const spoilt = select(finite, S(T(0)), S(std::numeric_limits<T>::quiet_NaN()));
  for (int k = 0; k < N; ++k) {
    values[k] = pairs.value(places, k) + spoilt;
    for (int i = 0; i < N; ++i) columns.at(k, i) = pairs.vector(places, k, i) + spoilt;
  }
  return open;
}

}  // namespace Impl

/// The result of eigh(a): a = V diag(values) V'. Its `info` is the status: 0; Reason::not_finite if
/// an entry of a is not finite or an eigenvalue overflows; Reason::iteration_limit if rotations or
/// iterations did not end, which has never been observed.
template <class S, int N>
struct Eigh {
  using value_type = S;  ///< the type of an entry
  using Columns = Impl::columns_of_t<S, N, N>;
  using Value = typename Columns::value_type;

  Columns columns;  // proportional to V (diag(values) + shift), scaled
  Impl::UnitScale<Value> scale;
  Value shift;
  info_t<S> info;  ///< the status

  template <Tile A>
  BATCHWORK_INLINE explicit Eigh(A const& a)
      : columns(Impl::columns_of<S, N, N>(a, Impl::grid_of(a))),
        scale(Impl::largest_entry(columns)) {
    using T = scalar_t<S>;
    Impl::scale_columns(columns, scale);
    // Shifted by twice its norm the matrix is positive definite and far from singular. The columns
    // of its product with V are then the columns of V, except for their lengths.
    Value const norm = columns.largest([this](int m) {
      Value sum(T(0));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) sum += Impl::abs(columns.at(m, i));
      return sum;
    });
    shift = Impl::select(norm == Value(T(0)), Value(T(1)), Value(norm + norm));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < Columns::mine; ++m) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) columns.at(m, i) += columns.is(m, i) ? shift : Value(T(0));
    }
    auto const open = Impl::orthogonalise_columns(columns);
    columns.template sort<Impl::ColumnOrder::smallest_first>();
    info = Impl::first_failure(
        a.info, Impl::rotation_status(norm, open, Impl::infinite_if_any(columns, [this](int m) {
                                        return value(m);
                                      })));
  }

  /// The eigenvalues in ascending order, as a vector.
  BATCHWORK_INLINE auto values() const {
    return with_info(columns.vector([this](int m) { return value(m); }));
  }
  /// V: the eigenvectors as columns, in the order of the eigenvalues; orthogonal, with arbitrary
  /// signs.
  BATCHWORK_INLINE auto vectors() const {
    auto v = columns;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < Columns::mine; ++m) {
      Value const inverse = Impl::rsqrt(Impl::square_of_column(columns, m));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) v.at(m, i) = v.at(m, i) * inverse;
    }
    return with_info(v.template tile<N, false>());
  }

 private:
  BATCHWORK_INLINE Value value(int m) const {
    return (Impl::sqrt(Impl::square_of_column(columns, m)) - shift) * scale.second_back *
           scale.first_back;
  }
  template <class X>
  BATCHWORK_INLINE X with_info(X x) const {
    x.info = info;
    return x;
  }
};

/// The same in packs, and if lanes share an item with more than a few rows: by reflections and QL
/// iterations.
template <class S, int N>
  requires Impl::finds_eigenpairs_by_ql<S, N>
struct Eigh<S, N> {
  using value_type = S;  ///< the type of an entry
  using Columns = Impl::columns_of_t<S, N, N>;
  using Value = typename Columns::value_type;

  Columns columns;  // V
  Value found[Columns::mine];
  info_t<S> info;  ///< the status

  template <Tile A>
  BATCHWORK_INLINE explicit Eigh(A const& a)
      : columns(Impl::columns_of<S, N, N>(a, Impl::grid_of(a))) {
    Value const size = Impl::largest_entry(columns);
    Impl::UnitScale<Value> const scale(size);
    Impl::scale_columns(columns, scale);
    auto const open = Impl::find_eigenpairs(columns, Impl::is_finite(size), found);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < Columns::mine; ++m)
      found[m] = found[m] * scale.second_back * scale.first_back;
    info = Impl::first_failure(
        a.info, Impl::rotation_status(size, open, Impl::infinite_if_any(columns, [this](int m) {
                                        return found[m];
                                      })));
  }

  /// The eigenvalues in ascending order, as a vector.
  BATCHWORK_INLINE auto values() const {
    auto w = columns.vector([this](int m) { return found[m]; });
    w.info = info;
    return w;
  }
  /// V: the eigenvectors as columns, in the order of the eigenvalues; orthogonal, with arbitrary
  /// signs.
  BATCHWORK_INLINE auto vectors() const {
    auto v = columns.template tile<N, false>();
    v.info = info;
    return v;
  }
};

/// Eigenvalues, in ascending order, and eigenvectors of a symmetric tile: a V = V diag(values).
/// Only the lower triangle is read.
/// ```cpp
/// auto const e = eigh(p);
/// auto const largest = e.values()(N - 1);
/// auto const v = e.vectors();
/// ```
/// Accuracy: an eigenvalue has an error of about N eps times the 1-norm of a; eigenvectors are
/// orthogonal to about N eps, also for clustered eigenvalues. Entries near overflow and denormal
/// entries are allowed.
///
/// Cost: in packs on hosts, and if lanes share items with five or more rows and the exchange has
/// room, Householder reduction to tridiagonal form and implicit QL iterations, about 9 N^3
/// operations. Otherwise one-sided Jacobi rotations of a + s I, with s twice the 1-norm of a: about
/// seven sweeps of 3 N^3 operations.
///
/// Extents: up to 64 on hosts, 32 on devices; real numbers only. Source: Golub and Van Loan, Matrix
/// Computations, 4th edition, sections 8.3 and 8.6.3.
/// \param a  N x N, symmetric
/// \returns an Eigh: values() and vectors()
template <Tile A>
BATCHWORK_INLINE auto eigh(A const& a) {
  [[maybe_unused]] constexpr bool real = Impl::require_real<A>(),
                                  decomposed = Impl::require_decomposed<A>();
  static_assert(A::rows == A::cols, "Batchwork::eigh: the tile must be square");
  using S = value_t<A>;
  if constexpr (A::structure != Structure::symmetric && A::structure != Structure::diagonal) {
    return eigh(symmetric(a));
  } else if constexpr (Impl::is_distributed<S>) {
    return Eigh<Impl::dealt_t<S, false>, A::rows>(a);
  } else {
    return Eigh<S, A::rows>(a);
  }
}

}  // namespace Batchwork

#endif
