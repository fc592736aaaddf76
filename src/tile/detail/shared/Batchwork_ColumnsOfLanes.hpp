// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ColumnsOfLanes: a matrix whose columns are dealt out to the lanes that share an item.
#ifndef BATCHWORK_COLUMNSOFLANES_HPP
#define BATCHWORK_COLUMNSOFLANES_HPP

#include "core/detail/Batchwork_Householder.hpp"
#include "tile/Batchwork_Matrix.hpp"

namespace Batchwork::Impl {

/// See DealtColumns. S is a Distributed dealt by columns.
template <class S, int M, int N>
struct ColumnsOfLanes {
  using T = scalar_t<S>;
  using value_type = T;
  using Ex = typename S::exchange;
  using Lines = LocalLines<S, M, N>;
  static constexpr int rows = M, cols = N, mine = Lines::mine, L = S::lanes, deep = Ex::per_unit;
  static_assert(!S::by_rows);

  T a[mine * M];
  T diagonal[mine];
  LaneGrid grid;

  template <class X>
  BATCHWORK_INLINE ColumnsOfLanes(X const& from, LaneGrid const& of) : grid(of) {
    auto const lines = lines_of<S, false>(from, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      diagonal[m] = T(0);
      BATCHWORK_UNROLL
      for (int i = 0; i < M; ++i) a[m * M + i] = lines.get(m, i);
    }
    // The exchange may still be read.
    grid.sync();
  }

  BATCHWORK_INLINE T& at(int m, int i) { return a[m * M + i]; }
  BATCHWORK_INLINE T const& at(int m, int i) const { return a[m * M + i]; }
  BATCHWORK_INLINE int column(int m) const { return m * L + grid.lane; }
  BATCHWORK_INLINE bool is(int m, int k) const { return m == k / L && grid.lane == k % L; }
  BATCHWORK_INLINE bool is_behind(int m, int k) const {
    return m > k / L || (m == k / L && grid.lane > k % L);
  }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int first_behind(int k) {
    return k % L == L - 1 ? k / L + 1 : k / L;
  }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION int round_of(int k) { return k / L; }

  /// Numbers in the exchange, from a multiple of a unit on.
  struct Shown {
    T const* column;
    template <class F>
    BATCHWORK_INLINE void for_each(int first, F const& f) const {
      for_each_of(first, M, f);
    }
    template <class F>
    BATCHWORK_INLINE void for_each_of(int first, int end, F const& f) const {
      BATCHWORK_UNROLL
      for (int i0 = first / deep * deep; i0 < end; i0 += deep) {
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(column + i0);
        BATCHWORK_UNROLL
        for (int n = 0; n < deep; ++n)
          if (i0 + n >= first && i0 + n < end) f(i0 + n, u.v[n]);
      }
    }
  };
  /// Two in turn: one wait a step.
  BATCHWORK_INLINE Shown show(int k) const {
    T* const to = grid.template numbers<T>() + k % 2 * Ex::leading;
    if (grid.lane == k % L) {
      BATCHWORK_UNROLL
      for (int i0 = k / deep * deep; i0 < M; i0 += deep) {
        Unit<T> u;
        BATCHWORK_UNROLL
        for (int n = 0; n < deep; ++n) u.v[n] = i0 + n < M ? at(k / L, i0 + n) : T(0);
        *reinterpret_cast<Unit<T>*>(to + i0) = u;
      }
    }
    grid.sync();
    return {to};
  }

  struct AllShown {
    T const* base;
    BATCHWORK_INLINE Shown column(int k) const { return {base + k * Ex::leading}; }
    BATCHWORK_INLINE T diagonal(int k) const { return base[k * Ex::leading + k]; }
    template <class F>
    BATCHWORK_INLINE void for_each_above(int k, F const& f) const {
      column(k).for_each_of(0, k, f);
    }
  };
  BATCHWORK_INLINE AllShown show_reflections() const {
    return {stage_lines<S, mine, M>(Reflections{*this}, grid)};
  }
  BATCHWORK_INLINE AllShown show_triangle() const {
    return {stage_lines<S, mine, M>(Triangle{*this}, grid)};
  }

  template <class F>
  BATCHWORK_INLINE std::int32_t first_status(F const& status_of) const {
    // The first column whose status is not 0, in one number for each reason: those of this library are below 64.
    std::int32_t largest = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const j = column(m);
      std::int32_t const status = j < N ? status_of(m, j) : 0;
      std::int32_t const key =
          status == 0 ? 0 : (N - j) << 6 | std::int32_t(Status::reason(status));
      largest = key > largest ? key : largest;
    }
    largest = grid.template largest<L>(largest);
    return largest == 0 ? 0 : Status::code(Reason(largest & 63), N - (largest >> 6) + 1);
  }

  template <int R, bool IsVector>
  BATCHWORK_INLINE auto tile() const {
    Matrix<S, R, N> x;
    x.grid = grid;
    x.info = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < R; ++i) x.set_local(m, i, at(m, i));
    }
    if constexpr (IsVector) return Vector<S, R>(x);
    else return x;
  }

 private:
  struct Reflections {
    ColumnsOfLanes const& of;
    BATCHWORK_INLINE T get(int m, int i) const { return of.at(m, i); }
  };
  struct Triangle {
    ColumnsOfLanes const& of;
    BATCHWORK_INLINE T get(int m, int i) const {
      return i == of.column(m) ? of.diagonal[m] : of.at(m, i);
    }
  };
};

}  // namespace Batchwork::Impl

#endif
