// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// QrOfItems and LeastSquaresOfItems: what qr and least_squares do with the items of a team or
/// thread.
#ifndef BATCHWORK_QROFITEMS_HPP
#define BATCHWORK_QROFITEMS_HPP

#include <cstdint>
#include <limits>

#include "dense/decompositions/detail/Batchwork_ColumnsInMemory.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_QrProblem.hpp"

namespace Batchwork::Impl {

/// 0, or Reason::not_finite with the index of the first column of R that is not finite.
template <class Columns>
BATCHWORK_INLINE auto status_of_triangle(Columns const& c,
                                         typename Columns::value_type const* diagonal) {
  using S = typename Columns::value_type;
  using T = scalar_t<S>;
  info_t<S> const column = c.first_column([&](int j, int n) {
    // Zero, or NaN.
    S zero(T(0));
    S const* const x = c.column(j);
    c.for_rows(0, n, [&](int i) {
      zero += i < j ? S(x[i] * S(T(0))) : i == j ? S(diagonal[j] * S(T(0))) : S(T(0));
    });
    return zero != S(T(0));
  });
  info_t<S> const none(0);
  return select(column == none, none, info_t<S>(make_info<S>(Reason::not_finite, 0) + column));
}

template <class T>
struct QrOfItems : QrProblem<T> {
  using number = T;
  using QrProblem<T>::a, QrProblem<T>::q, QrProblem<T>::r, QrProblem<T>::status, QrProblem<T>::m,
      QrProblem<T>::n, QrProblem<T>::columns_of_q;

  int leading = 0;

  int rows() const { return m; }
  BATCHWORK_INLINE int cols() const { return n > columns_of_q ? n : columns_of_q; }
  /// The columns of a and of q, the diagonal of R, the powers of two that scale columns, and one or
  /// NaN.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {(std::int64_t(leading) + 2) * cols() + 1, std::int64_t(cols())};
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    int const first = leading * cols(), least = m < n ? m : n;
    of.load(a, m, n,
            [&](int slot, int i, int j, S const& x) { of.numbers(slot)[j * leading + i] = x; });
    of.meet();
    auto const lanes = of.lanes();
    S* const diagonal = of.numbers(of.own()) + first;
    S *const unscale = diagonal + cols(), *const factor = unscale + cols();
    ColumnsInMemory<S, typename Items::Lanes> c{
        lanes, m, cols(), leading, of.numbers(of.own()), of.indices(of.own())};
    c.begin();
    lanes.sync();
    c.cols = n;
    c.triangularise(diagonal, unscale);
    info_t<S> const code = status_of_triangle(c, diagonal);
    if (lanes.group == 0 && lanes.row == 0)
      *factor = select(code == info_t<S>(0), S(T(1)), S(std::numeric_limits<T>::quiet_NaN()));
    of.meet();
    of.store(r, least, n, [&](int slot, int i, int j) {
      S const* const from = of.numbers(slot);
      return i > j    ? S(S(T(0)) * from[first + 2 * cols()])
             : i == j ? S(from[first + j] * from[first + 2 * cols()])
                      : S(from[j * leading + i] * from[first + 2 * cols()]);
    });
    if (columns_of_q > 0) {
      of.meet();
      c.cols = columns_of_q;
      c.form_q(least);
      of.meet();
      of.store(q, m, columns_of_q, [&](int slot, int i, int j) {
        S const* const from = of.numbers(slot);
        return S(from[j * leading + i] * from[first + 2 * cols()]);
      });
    }
    of.put_status(status, code);
  }
};

template <class T>
struct LeastSquaresOfItems : LeastSquaresProblem<T> {
  using number = T;
  using Problem = LeastSquaresProblem<T>;
  using Problem::a, Problem::b, Problem::x, Problem::status, Problem::m, Problem::n,
      Problem::columns, Problem::shortest;
  /// Right-hand sides in memory at once.
  static constexpr int most_columns = 8;

  int leading = 0;

  int rows() const { return m; }
  int cols() const { return n; }
  BATCHWORK_INLINE int at_once() const { return columns < most_columns ? columns : most_columns; }
  /// The columns of a and b, the diagonal of R and the powers of two that scale columns.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {std::int64_t(leading) * (n + at_once()) + 2 * n, std::int64_t(n) + at_once()};
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    using Columns = ColumnsInMemory<S, typename Items::Lanes>;
    int const right = leading * n;  // the first number of the right-hand sides
    of.load(a, m, n,
            [&](int slot, int i, int j, S const& y) { of.numbers(slot)[j * leading + i] = y; });
    of.meet();
    auto const lanes = of.lanes();
    S* const own = of.numbers(of.own());
    S *const diagonal = own + right + leading * at_once(), *const unscale = diagonal + n;
    Columns c{lanes, m, n, leading, own, of.indices(of.own())};
    Columns y{lanes, m, at_once(), leading, own + right, c.order + n};
    c.begin(), y.begin();
    lanes.sync();
    c.triangularise(diagonal, unscale);
    info_t<S> code = status_of_triangle(c, diagonal);
    info_t<S> const none(0),
        zero = c.first_column([&](int j, int) { return diagonal[j] == S(T(0)); });
    code = first_failure(
        code, select(zero == none, none, info_t<S>(make_info<S>(Reason::singular, 0) + zero)));
    auto const failed = code != none;
    S const nan(std::numeric_limits<T>::quiet_NaN());
    S sum(T(0));  // of zeros and NaN
    int const of_b = shortest ? n : m, of_x = shortest ? m : n;
    for (int c0 = 0; c0 < columns; c0 += at_once()) {
      int const some = columns - c0 < at_once() ? columns - c0 : at_once();
      y.cols = some;
      of.meet();
      of.load(columns_from(b, c0), of_b, some, [&](int slot, int i, int j, S const& z) {
        of.numbers(slot)[right + j * leading + i] = z;
      });
      of.meet();
      if (shortest) {
        y.template substitute<true>(c, diagonal, n);
        y.for_columns(0, some, [&](int j, int there) {
          S* const to = y.column(j);
          y.for_rows(n, there, [&](int i) { to[i] = S(T(0)); });
        });
        y.template apply_q<false>(c, n);
      } else {
        y.template apply_q<true>(c, n);
        y.template substitute<false>(c, diagonal, n);
      }
      y.for_columns(0, some, [&](int j, int there) {
        S* const to = y.column(j);
        y.for_rows(0, there > 0 ? of_x : 0, [&](int i) {
          to[i] = select(failed, nan, to[i]);
          sum += to[i] * S(T(0));
        });
      });
      of.meet();
      of.store(columns_from(x, c0), of_x, some,
               [&](int slot, int i, int j) { return of.numbers(slot)[right + j * leading + i]; });
    }
    of.put_status(status, status_with_result(code, lanes.any(sum != S(T(0)))));
  }
};

}  // namespace Batchwork::Impl

#endif
