// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrOfLane and LeastSquaresOfLane: qr and least_squares of matrices so small that a lane has one
/// in its registers. Of any shape: zeros below the rows and beside the columns of a matrix stay
/// zeros, and change nothing of its factors.
#ifndef BATCHWORK_QRLANES_HPP
#define BATCHWORK_QRLANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dense/decompositions/detail/Batchwork_QrOfItems.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "tile/Batchwork_Qr.hpp"

namespace Batchwork::Impl {

/// The columns of an operand, zeros beyond its rows and columns, factorised; and the status of R.
template <int N, class Items, class T, class S>
BATCHWORK_INLINE auto triangle_of_lane(Items const& of, StoredItems<T const> const& from, int m,
                                       int n, info_t<S>& code) {
  Matrix<S, N, N> a;
  a.info = info_t<S>(0);
  of.template load<N, N>(from, m, n, [&](int i, int j, S const& x) { a.set(i, j, x); });
  ColumnsOfLane<S, N, N> c(a);
  triangularise(c);
  code = not_finite_factors(c);
  return c;
}

/// N is the larger one of rows and columns.
template <class T, int N>
struct QrOfLane {
  using number = T;
  static constexpr int words = N * N * int(sizeof(T)) / 4;

  QrOfItems<T> p;

  BATCHWORK_INLINE std::int64_t items() const { return p.items; }
  std::size_t carried_bytes() const {
    std::size_t const most =
        std::max(Impl::carried_bytes<N, N>(p.a), Impl::carried_bytes<N, N>(p.r));
    return p.columns_of_q > 0 ? std::max(most, Impl::carried_bytes<N, N>(p.q)) : most;
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    info_t<S> code;
    auto const c = triangle_of_lane<N, Items, T, S>(of, p.a, p.m, p.n, code);
    S const nan(std::numeric_limits<T>::quiet_NaN()), zero(T(0));
    auto const failed = code != info_t<S>(0);
    of.template store<N, N>(p.r, p.m < p.n ? p.m : p.n, p.n, [&](int i, int j) {
      return S(select(failed, nan, i > j ? zero : i == j ? c.diagonal[j] : c.at(j, i)));
    });
    if (p.columns_of_q > 0) {
      UnitColumns<T, N, N> const unit{};
      ColumnsOfLane<S, N, N> q(unit);
      apply_q<false>(c, q);
      of.template store<N, N>(p.q, p.m, p.columns_of_q,
                              [&](int i, int j) { return S(select(failed, nan, q.at(j, i))); });
    }
    of.put_status(p.status, code);
  }
};

/// N is the number of rows; an item has at most as many columns.
template <class T, int N>
struct LeastSquaresOfLane {
  using number = T;
  // Registers for the matrix and for the right-hand sides.
  static constexpr int words = 2 * N * N * int(sizeof(T)) / 4;

  LeastSquaresOfItems<T> p;

  BATCHWORK_INLINE std::int64_t items() const { return p.items; }
  std::size_t carried_bytes() const {
    return std::max({Impl::carried_bytes<N, N>(p.a), Impl::carried_bytes<N, N>(p.b),
                     Impl::carried_bytes<N, N>(p.x)});
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    info_t<S> code;
    auto c = triangle_of_lane<N, Items, T, S>(of, p.a, p.m, p.n, code);
    info_t<S> const none(0);
    S const nan(std::numeric_limits<T>::quiet_NaN()), one(T(1)), zero(T(0));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) {
      // Unknowns that are not there are zero.
      if (j >= p.n) c.diagonal[j] = one;
      code = first_failure(code, info_t<S>(select(c.diagonal[j] == zero,
                                                  make_info<S>(Reason::singular, j + 1), none)));
    }
    auto const failed = code != none;
    int const of_b = p.shortest ? p.n : p.m, of_x = p.shortest ? p.m : p.n;
    S sum(T(0));  // of zeros and NaN
    of.template for_columns<N>(p.b, of_b, p.x, of_x, p.columns, [&](S(&x)[N]) {
      Vector<S, N> right;
      right.info = none;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) right.set(i, 0, x[i]);
      ColumnsOfLane<S, N, 1> y(right);
      if (p.shortest) {
        substitute_transposed<N>(c.show_triangle(), y);
        apply_q<false>(c, y);
      } else {
        apply_q<true>(c, y);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int i = 0; i < N; ++i)
          if (i >= p.n) y.at(0, i) = zero;
        substitute_upper<N>(c.show_triangle(), y);
      }
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < N; ++i) {
        x[i] = select(failed, nan, y.at(0, i));
        sum += i < of_x ? S(x[i] * S(T(0))) : zero;
      }
    });
    of.put_status(p.status, status_with_result(code, sum != zero));
  }
};

}  // namespace Batchwork::Impl

#endif
