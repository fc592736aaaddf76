// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ColumnsOfLane: a matrix with all columns in one lane or pack.
#ifndef BATCHWORK_COLUMNSOFLANE_HPP
#define BATCHWORK_COLUMNSOFLANE_HPP

#include "core/detail/Batchwork_ColumnBlocks.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_OneSidedJacobi.hpp"
#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork::Impl {

/// The square of the length of own column m.
template <class C>
BATCHWORK_INLINE auto square_of_column(C const& a, int m) {
  typename C::value_type sum(scalar_t<typename C::value_type>(0));
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < C::rows; ++i) sum += a.at(m, i) * a.at(m, i);
  return sum;
}

/// See DealtColumns: column by column.
template <class S, int M, int N>
struct ColumnsOfLane {
  using value_type = S;
  static constexpr int rows = M, cols = N, mine = N, steps_of_a_loop = 0;

  S a[M * N];
  S diagonal[N];

  template <class X>
  BATCHWORK_INLINE explicit ColumnsOfLane(X const& from) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = 0; j < N; ++j) {
      diagonal[j] = S(scalar_t<S>(0));
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) a[j * M + i] = S(from.entry(i, j));
    }
  }

  BATCHWORK_INLINE S& at(int m, int i) { return a[m * M + i]; }
  BATCHWORK_INLINE S const& at(int m, int i) const { return a[m * M + i]; }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool is(int m, int k) { return m == k; }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int columns_there() { return cols; }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool is_there(int) { return true; }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool is_behind(int m, int k) { return m > k; }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int first_behind(int k) { return k + 1; }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int round_of(int k) { return k; }

  /// Column k, read in place.
  struct Shown {
    S const* column;
    template <class F>
    BATCHWORK_INLINE void for_each(int first, F const& f) const {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = first; i < M; ++i) f(i, column[i]);
    }
  };
  static BATCHWORK_INLINE void begin() {}
  BATCHWORK_INLINE Shown show(int k, int) const { return {a + k * M}; }

  /// See ExchangedColumns: the first one of equal columns.
  template <class F>
  BATCHWORK_INLINE Shown bring_largest(int k, F const& f, S (&beside)[N]) {
    using T = scalar_t<S>;
    S largest = f(k), place = S(T(k));
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = k + 1; j < N; ++j) {
      S const size = f(j);
      auto const larger = size_key(size) > size_key(largest);
      largest = select(larger, size, largest);
      place = select(larger, S(T(j)), place);
    }
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = k + 1; j < N; ++j) {
      auto const chosen = place == S(T(j));
      exchange_where(chosen, beside[k], beside[j]);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) exchange_where(chosen, at(k, i), at(j, i));
    }
    return show(k, 0);
  }
  static BATCHWORK_INLINE S const& told(S const (&x)[N], int k) { return x[k]; }

  /// All columns, with the reflections stored in them, and the triangle above.
  struct AllShown {
    ColumnsOfLane const& of;
    BATCHWORK_INLINE Shown column(int k) const { return of.show(k, 0); }
    BATCHWORK_INLINE S diagonal(int k) const { return of.diagonal[k]; }
    template <class F>
    BATCHWORK_INLINE void for_each_above(int k, F const& f) const {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < k; ++i) f(i, of.a[k * M + i]);
    }
  };
  BATCHWORK_INLINE AllShown show_columns() const { return {*this}; }
  BATCHWORK_INLINE AllShown show_triangle() const { return {*this}; }

  /// See orthogonalise_columns. A device lane keeps its columns in registers, which only constants
  /// can index.
  static constexpr bool parity_is_constant = !are_packs<S>;
  template <class F, class... Also>
  BATCHWORK_INLINE void rotate_neighbours(int parity, F const& rotation, Also&... also) {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int j = parity; j + 1 < N; j += 2) {
      S *const p = a + j * M, *const q = p + M;
      S alpha(scalar_t<S>(0)), beta(alpha), gamma(alpha);
      BATCHWORK_UNROLL_ON_DEVICE
      for (int i = 0; i < M; ++i) {
        alpha += p[i] * p[i];
        beta += q[i] * q[i];
        gamma += p[i] * q[i];
      }
      auto const r = rotation(alpha, beta, gamma);
      rotate(j, r);
      (also.rotate(j, r), ...);
    }
  }
  template <class R>
  BATCHWORK_INLINE void rotate(int j, R const& r) {
    if (!r.is_to_apply()) return;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < M; ++i) r.apply(a[j * M + i], a[j * M + M + i]);
  }
  /// Sorts the columns by their lengths; the columns of `also` are moved in the same way.
  template <ColumnOrder Order, class... Also>
  BATCHWORK_INLINE void sort(Also&... also) {
    if constexpr (are_packs<S>) {
      S keys[N], places[N], some[N];
      for (int m = 0; m < N; ++m) keys[m] = sorting_key<Order>(square_of_column(*this, m));
      find_order(keys, N, places, some);
      permute_columns(a, M, M, N, places, some);
      (permute_columns(also.a, also.rows, also.rows, N, places, some), ...);
    } else {
      auto const sorting = [&](S const& alpha, S const& beta, S const&) {
        S const zero(scalar_t<S>(0));
        return Rotation<S>{zero, zero, sorting_key<Order>(alpha) > sorting_key<Order>(beta)};
      };
      BATCHWORK_KEEP_LOOP
      for (int round = 0; round < N && N > 1; round += 2) {
        rotate_neighbours(0, sorting, also...);
        rotate_neighbours(1, sorting, also...);
      }
    }
  }
  /// g := -a' a.
  BATCHWORK_INLINE void put_negative_gram(ColumnsOfLane<S, N, N>& g) const {
    negative_gram(a, M, M, N, g.a, N);
  }
  /// a := a v.
  BATCHWORK_INLINE void multiply(ColumnsOfLane<S, N, N> const& v) {
    S some[2 * N];
    multiply_in_place(a, M, M, N, v.a, N, some);
  }
  template <class Mask>
  static BATCHWORK_INLINE Mask const& any_lane(Mask const& m) {
    return m;
  }
  template <class Mask>
  static BATCHWORK_INLINE bool any_item(Mask const& m) {
    return Batchwork::any(m);
  }
  /// The largest f(m) of the own columns. No f(m) is negative; NaN is larger than any number.
  template <class F>
  BATCHWORK_INLINE S largest(F const& f) const {
    S r = f(0);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 1; m < N; ++m) r = larger_size(r, S(f(m)));
    return r;
  }
  /// The vector of f(m).
  template <class F>
  BATCHWORK_INLINE Vector<S, N> vector(F const& f) const {
    Vector<S, N> r;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < N; ++m) r.set(m, 0, f(m));
    return r;
  }

  /// The status of the first own column, in the order of columns, for which status_of(m, column) is
  /// not 0.
  template <class F>
  BATCHWORK_INLINE info_t<S> first_status(F const& status_of) const {
    info_t<S> info(0);
    BATCHWORK_UNROLL_ON_DEVICE
    for (int m = 0; m < N; ++m) info = first_failure(info, status_of(m, m));
    return info;
  }
  BATCHWORK_INLINE int column(int m) const { return m; }

  /// The first rows as a tile.
  template <int R, bool IsVector>
  BATCHWORK_INLINE auto tile() const {
    general_t<S, R, N, IsVector> x;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < R; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < N; ++j) x.set(i, j, a[j * M + i]);
    }
    return x;
  }

 private:
  template <class Mask>
  static BATCHWORK_INLINE void exchange_where(Mask const& m, S& x, S& y) {
    S const old = x;
    x = select(m, y, x);
    y = select(m, old, y);
  }
};

}  // namespace Batchwork::Impl

#endif
