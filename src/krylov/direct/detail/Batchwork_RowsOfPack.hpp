// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// RowsOfPack: the matrices of a pack of items in memory, of an extent known at run time, as a
/// host's thread eliminates them all at once.
#ifndef BATCHWORK_ROWSOFPACK_HPP
#define BATCHWORK_ROWSOFPACK_HPP

#include <utility>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Elimination.hpp"

namespace Batchwork::Impl {

/// See EliminatedRows. `S` is a pack. Items differ in the rows that they exchange, which they do
/// one after the other. By panels of columns: what is right of a panel changes once, by all of its
/// pivots, so that numbers are loaded and stored less often (Golub and Van Loan, Matrix
/// Computations, 4th edition, section 3.4.7; LAPACK's getrf).
template <class S>
struct RowsOfPack {
  using value_type = S;
  using T = scalar_t<S>;
  static constexpr int width = S::width, panel = 4;

  int n, leading;
  S* a;              ///< entry (i, j) at [i * leading + j]
  info_t<S>* order;  ///< n: the row that is in each place

  int extent() const { return n; }
  S& entry(int i, int j) const { return a[i * leading + j]; }

  void begin() const {
    for (int i = 0; i < n; ++i) order[i] = info_t<S>(integer_of_t<T>(i));
  }

  void choose_pivot(int k) const {
    auto largest = size_key(entry(k, k));
    info_t<S> place(static_cast<integer_of_t<T>>(k));
    for (int i = k + 1; i < n; ++i) {
      auto const key = size_key(entry(i, k));
      auto const larger = key > largest;
      largest = select(larger, key, largest);
      place = select(larger, info_t<S>(static_cast<integer_of_t<T>>(i)), place);
    }
    T* const numbers = reinterpret_cast<T*>(a);
    for (int l = 0; l < width; ++l) {
      int const i = static_cast<int>(place.lane(l));
      if (i == k) continue;
      T *const x = numbers + k * leading * width + l, *const y = numbers + i * leading * width + l;
      for (int j = 0; j < n; ++j) std::swap(x[j * width], y[j * width]);
      auto const row = order[k].lane(l);
      order[k].set_lane(l, order[i].lane(l));
      order[i].set_lane(l, row);
    }
  }

  void subtract(int k) const {
    int const first = k / panel * panel, end = first + panel < n ? first + panel : n;
    auto const divisor = pivot_divisor(entry(k, k));
    for (int i = k + 1; i < n; ++i) {
      S const l = divisor * entry(i, k);
      entry(i, k) = l;
      for (int j = k + 1; j < end; ++j) subtract_product(entry(i, j), l, entry(k, j));
    }
    if (k + 1 < end || end == n) return;
    for (int r = first + 1; r < end; ++r)
      for (int s = first; s < r; ++s)
        for (int j = end; j < n; ++j) subtract_product(entry(r, j), entry(r, s), entry(s, j));
    int i = end;
    for (; i + 2 <= n; i += 2) subtract_panel<2>(i, first);
    if (i < n) subtract_panel<1>(i, first);
  }
  void finish() const {}
  info_t<S> status() const {
    info_t<S> info(0);
    for (int k = 0; k < n; ++k) info = first_failure(info, pivot_status(entry(k, k), k));
    return info;
  }

  /// Solves L U x = b for one vector, with its numbers in the places of their rows.
  void substitute(S* x) const {
    for (int i = 1; i < n; ++i) x[i] = rest_of_row(x, i, 0, i);
    for (int i = n - 1; i >= 0; --i)
      x[i] = PivotReciprocal<S>(entry(i, i)) * rest_of_row(x, i, i + 1, n);
  }

 private:
  /// Takes the panel's pivot rows off some rows.
  template <int Rows>
  void subtract_panel(int i, int first) const {
    S l[Rows][panel];
    for (int r = 0; r < Rows; ++r)
      for (int s = 0; s < panel; ++s) l[r][s] = entry(i + r, first + s);
    S const* const pivots = a + first * leading;
    S* const mine = a + i * leading;
    for (int j = first + panel; j < n; ++j) {
      S x[Rows];
      for (int r = 0; r < Rows; ++r) x[r] = mine[r * leading + j];
      for (int s = 0; s < panel; ++s)
        for (int r = 0; r < Rows; ++r) subtract_product(x[r], l[r][s], pivots[s * leading + j]);
      for (int r = 0; r < Rows; ++r) mine[r * leading + j] = x[r];
    }
  }
  /// x(i) less what columns [begin, end) of its row take off it: two sums, since additions wait for
  /// each other.
  S rest_of_row(S const* x, int i, int begin, int end) const {
    S const* const row = a + i * leading;
    S even = x[i], odd(T(0));
    int j = begin;
    for (; j + 2 <= end; j += 2) {
      subtract_product(even, row[j], x[j]);
      subtract_product(odd, row[j + 1], x[j + 1]);
    }
    if (j < end) subtract_product(even, row[j], x[j]);
    return even + odd;
  }
};

}  // namespace Batchwork::Impl

#endif
