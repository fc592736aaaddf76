// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// RowsOfLane: a matrix in one lane or pack, with row exchanges for an elimination.
#ifndef BATCHWORK_ROWSOFLANE_HPP
#define BATCHWORK_ROWSOFLANE_HPP

#include "core/detail/Batchwork_Elimination.hpp"
#include "tile/detail/shared/Batchwork_RowsOfLanes.hpp"
#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork::Impl {

/// See EliminatedRows. order[i] is the row of the original matrix in place i; sign is the sign of
/// the permutation.
///
/// Up to `by_selection` rows every exchange is a selection: entries stay in registers, and the
/// items of a pack may exchange different rows. Beyond that the items exchange rows one after the
/// other, in memory.
template <class S, int N>
struct RowsOfLane {
  using value_type = S;
  using T = scalar_t<S>;
  static constexpr int pitch = pitch_of<S>(N);
  static constexpr int by_selection = one_item_per_lane<S> ? 12 : 8;
  static constexpr int extent() { return N; }

  S a[N * pitch];
  info_t<S> order[N];
  S sign;

  template <class A>
  BATCHWORK_INLINE explicit RowsOfLane(A const& from) : sign(T(1)) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      order[i] = info_t<S>(integer_of_t<T>(i));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < N; ++j) a[i * pitch + j] = S(from.entry(i, j));
    }
  }

  BATCHWORK_INLINE void choose_pivot(int k) {
    if constexpr (N <= by_selection) {
      auto largest = size_key(a[k * pitch + k]);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = k + 1; i < N; ++i) {
        auto const key = size_key(a[i * pitch + k]);
        auto const larger = key > largest;
        largest = select(larger, key, largest);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < N; ++j) {
          S const x = a[k * pitch + j], y = a[i * pitch + j];
          a[k * pitch + j] = select(larger, y, x);
          a[i * pitch + j] = select(larger, x, y);
        }
        info_t<S> const x = order[k], y = order[i];
        order[k] = select(larger, y, x);
        order[i] = select(larger, x, y);
        sign = select(larger, S(-sign), sign);
      }
    } else {
      auto largest = size_key(a[k * pitch + k]);
      info_t<S> place(static_cast<integer_of_t<T>>(k));
      BATCHWORK_KEEP_LOOP
      for (int i = k + 1; i < N; ++i) {
        auto const key = size_key(a[i * pitch + k]);
        auto const larger = key > largest;
        largest = select(larger, key, largest);
        place = select(larger, info_t<S>(static_cast<integer_of_t<T>>(i)), place);
      }
      exchange(k, place);
    }
  }

  BATCHWORK_INLINE void subtract(int k) {
    auto const divisor = pivot_divisor(a[k * pitch + k]);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = k + 1; i < N; ++i) {
      S const l = divisor * a[i * pitch + k];
      a[i * pitch + k] = l;
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = k + 1; j < N; ++j) subtract_product(a[i * pitch + j], l, a[k * pitch + j]);
    }
  }
  BATCHWORK_INLINE void finish() const {}
  BATCHWORK_INLINE info_t<S> status() const {
    info_t<S> info(0);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int k = 0; k < N; ++k) info = first_failure(info, pivot_status(a[k * pitch + k], k));
    return info;
  }

 private:
  BATCHWORK_INLINE void exchange(int k, info_t<S> const& place) {
    if constexpr (one_item_per_lane<S>) {
      if (place == k) return;
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j < N; ++j) exchange(a[k * pitch + j], a[place * pitch + j]);
      exchange(order[k], order[place]);
      sign = -sign;
    } else {
      for (int w = 0; w < S::width; ++w) {
        int const i = static_cast<int>(place.lane(w));
        if (i == k) continue;
        for (int j = 0; j < N; ++j) exchange(a[k * pitch + j], a[i * pitch + j], w);
        exchange(order[k], order[i], w);
        sign.set_lane(w, -sign.lane(w));
      }
    }
  }
  template <class X>
  static BATCHWORK_INLINE void exchange(X& x, X& y) {
    X const z = x;
    x = y;
    y = z;
  }
  template <class X>
  static BATCHWORK_INLINE void exchange(X& x, X& y, int w) {
    auto const z = x.lane(w);
    x.set_lane(w, y.lane(w));
    y.set_lane(w, z);
  }
};

/// Entry (i, j) where items differ in i.
template <class X, class I>
BATCHWORK_INLINE auto entry_in_row(X const& x, I const& i, int j) {
  using S = typename X::value_type;
  if constexpr (one_item_per_lane<S> || std::is_integral_v<I>) {
    return x.entry(static_cast<int>(i), j);
  } else {
    S r;
    for (int w = 0; w < S::width; ++w)
      r.set_lane(w, x.entry(static_cast<int>(i.lane(w)), j).lane(w));
    return r;
  }
}

/// Row i of x is row index[i] of b, in the lanes of x. S is the type of the indices, which are a
/// permutation.
template <class S, int N, class X, class B>
BATCHWORK_INLINE void take_rows(X& x, B const& b, info_t<S> const (&index)[N]) {
  using SX = typename X::value_type;
  if constexpr (is_distributed<SX>) {
    // The matrix is common to all items.
    LaneGrid const grid = grid_of(b);
    x.grid = grid;
    constexpr int mine = (N + SX::lanes - 1) / SX::lanes;
    int place[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      place[m] = 0;
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) place[m] = index[k] == m * SX::lanes + grid.lane ? k : place[m];
    }
    take_permuted_rows(x, b, place, grid);
  } else if constexpr (N <= RowsOfLane<S, N>::by_selection) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < N; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < X::cols; ++j) {
        SX y = SX(b.entry(0, j));
        BATCHWORK_UNROLL_ON_DEVICE
        for (int r = 1; r < N; ++r) y = select(index[i] == info_t<S>(r), SX(b.entry(r, j)), y);
        x.set(i, j, y);
      }
    }
  } else {
    X const copy(b);
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < N; ++i) {
      BATCHWORK_KEEP_LOOP
      for (int j = 0; j < X::cols; ++j) x.set(i, j, entry_in_row(copy, index[i], j));
    }
  }
}

}  // namespace Batchwork::Impl

#endif
