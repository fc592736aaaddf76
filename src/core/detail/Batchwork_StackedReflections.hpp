// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reflections of an upper triangle above other rows, and hyperbolic rotations of both, written
/// once for distributed columns.
#ifndef BATCHWORK_STACKEDREFLECTIONS_HPP
#define BATCHWORK_STACKEDREFLECTIONS_HPP

#include "core/detail/Batchwork_Householder.hpp"

namespace Batchwork::Impl {

/// Column k of r above column k of b, for all callers: f(k, r(k, k), column k of b, shown) for each
/// k in order.
template <class R, class B, class F>
BATCHWORK_INLINE void for_each_stacked_column(R const& r, B const& b, F const& f) {
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k < R::cols; ++k) {
    typename R::value_type row[R::mine];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < R::mine; ++m) row[m] = r.at(m, k);
    auto const head = r.told(row, k);
    // Without shuffles it was broadcast through the exchange.
    b.begin();
    f(k, head, b.show(k, 0));
  }
}

/// Own columns of [R; B], scaled by powers of two so that no square overflows or underflows, until
/// unscale_all().
template <DealtColumns R, DealtColumns B>
struct StackedColumns {
  using S = typename R::value_type;
  using T = scalar_t<S>;
  static constexpr int mine = R::mine;
  R& r;
  B& b;
  S unscale[mine];

  BATCHWORK_INLINE StackedColumns(R& upper, B& below) : r(upper), b(below) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < mine; ++m) {
      S largest(T(0));
      for_each_number(m, [&](S& x) {
        S const size = abs(x);
        largest = select(size > largest, size, largest);
      });
      SafeScale<S> const scale(largest);
      unscale[m] = scale.up;
      for_each_number(m, [&](S& x) { x = x * scale.down; });
    }
  }
  BATCHWORK_INLINE void unscale_all() {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < mine; ++m) for_each_number(m, [&](S& x) { x = x * unscale[m]; });
  }

  /// Row k of R and the first `end` rows of B, in own columns from `first` on for which
  /// is_behind(m) holds, are reflected, and row k then multiplied by `sign`.
  template <class X, class F>
  BATCHWORK_INLINE void reflect(Reflection<S> const& h, S const& sign, X const& x, int k, int end,
                                int first, F const& is_behind) {
    S share[mine];
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = first; m < mine; ++m) share[m] = S(T(0));
    x.for_each(0, [&](int i, S const& xi) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = first; m < mine; ++m)
        if (i < end) share[m] += xi * b.at(m, i);
    });
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = first; m < mine; ++m) {
      bool const behind = is_behind(m);
      S const w = h.top * r.at(m, k) + h.scale * share[m];
      r.at(m, k) = behind ? S((r.at(m, k) - w * h.top) * sign) : r.at(m, k);
      share[m] = behind ? S(w * h.scale) : S(T(0));
    }
    x.for_each(0, [&](int i, S const& xi) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = first; m < mine; ++m)
        if (i < end) b.at(m, i) -= share[m] * xi;
    });
  }

 private:
  template <class F>
  BATCHWORK_INLINE void for_each_number(int m, F const& f) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < R::rows; ++i) f(r.at(m, i));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < B::rows; ++i) f(b.at(m, i));
  }
};

enum class DiagonalSigns { as_reflected, positive };

/// Replaces r, upper triangular with zeros below, by the R of [r; b]. Reflection k touches row k of
/// r and the rows of b, k + 1 of them if b is an upper triangle as well. The same reflections are
/// applied to the data beside: pairs of row k of beside.r and the rows of beside.b. The contents of
/// b are undefined afterwards. The diagonal has the signs of LAPACK's larfg, opposite to those of r
/// (negative for zero), or is positive. (LAPACK's tpqrt; Golub and Van Loan, 4th edition, section
/// 6.5.3.)
template <DiagonalSigns Signs, bool UpperB, class R, class B, class... Beside>
BATCHWORK_INLINE void triangularise_stacked(R& r, B& b, Beside&... beside) {
  using S = typename R::value_type;
  using T = scalar_t<S>;
  StackedColumns<R, B> own(r, b);
  for_each_stacked_column(r, b, [&](int k, S const& head, auto const& x) {
    int const end = UpperB && k + 1 < B::rows ? k + 1 : B::rows;
    S below(T(0));
    x.for_each(0, [&](int i, S const& xi) {
      if (i < end) below += xi * xi;
    });
    Reflection<S> const h(head, below);
    S sign(T(1));
    if constexpr (Signs == DiagonalSigns::positive)
      sign = select(h.alpha < S(T(0)), S(T(-1)), S(T(1)));
    own.reflect(h, sign, x, k, end, R::first_behind(k), [&](int m) { return r.is_behind(m, k); });
    (beside.reflect(h, sign, x, k, end, 0, [](int) { return true; }), ...);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < R::mine; ++m) r.at(m, k) = r.is(m, k) ? S(h.alpha * sign) : r.at(m, k);
  });
  own.unscale_all();
}

/// Replaces r, upper triangular, by the triangular factor of r' r - b' b with a positive diagonal.
/// Step k applies hyperbolic rotations of row k of r with each row of b, in mixed form: r from the
/// old rows, then b from the new r. The sine is b(c, k) / r(k, k), so only numbers up to one are
/// squared. Returns 0, or the status of the first step in which the sine is not below one; results
/// from that step on are NaN. (Golub and Van Loan, 4th edition, section 6.5.4; Bojanczyk, Brent,
/// Van Dooren and de Hoog, A note on downdating the Cholesky factorization, SIAM J. Sci. Stat.
/// Comput. 8 (1987), 210-221.)
template <class R, class B>
BATCHWORK_INLINE auto rotate_hyperbolically(R& r, B& b) {
  using S = typename R::value_type;
  using T = scalar_t<S>;
  S const one(T(1));
  info_t<S> info(0);
  for_each_stacked_column(r, b, [&](int k, S const& first_head, auto const& x) {
    S head = first_head;
    x.for_each(0, [&](int c, S const& xc) {
      S const sine = xc / head, square = (one - sine) * (one + sine);
      auto const good = square > S(T(0)) && is_finite(head);
      auto const finite = is_finite(head) && is_finite(xc);
      info = first_failure(info,
                           select(good, info_t<S>(0),
                                  select(finite, make_info<S>(Reason::not_positive_definite, k + 1),
                                         make_info<S>(Reason::not_finite, k + 1))));
      S const cosine = select(good, sqrt(square), S(std::numeric_limits<T>::quiet_NaN()));
      S const inverse = one / cosine;
      head = head * cosine;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int m = R::first_behind(k); m < R::mine; ++m) {
        // Columns before k are ignored.
        S const rk = (r.at(m, k) - sine * b.at(m, c)) * inverse;
        r.at(m, k) = r.is_behind(m, k) ? rk : r.at(m, k);
        b.at(m, c) = r.is_behind(m, k) ? S(cosine * b.at(m, c) - sine * rk) : b.at(m, c);
      }
    });
    S const sign = select(head < S(T(0)), S(-one), one);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < R::mine; ++m)
      r.at(m, k) = r.is(m, k) ? S(head * sign) : S(r.at(m, k) * sign);
  });
  return info;
}

}  // namespace Batchwork::Impl

#endif
