// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// RowsOfLanes: a matrix whose rows are distributed over the lanes that share an item, for
/// elimination; and solves with its factors.
#ifndef BATCHWORK_ROWSOFLANES_HPP
#define BATCHWORK_ROWSOFLANES_HPP

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork::Impl {

/// Writes the lanes' own lines of Length numbers to the exchange, line m of the calling lane as
/// line place[m], for all lanes to read.
template <class S, int Count, int Length, class OwnLines>
BATCHWORK_INLINE scalar_t<S> const* stage_lines_at(OwnLines const& x, int const* place,
                                                   LaneGrid const& grid) {
  using T = scalar_t<S>;
  using Ex = typename S::exchange;
  T* const base = grid.template numbers<T>();
  grid.sync();
  BATCHWORK_UNROLL
  for (int m = 0; m * S::lanes < Count; ++m) {
    BATCHWORK_UNROLL
    for (int k0 = 0; k0 < Length; k0 += Ex::per_unit) {
      Unit<T> u;
      BATCHWORK_UNROLL
      for (int n = 0; n < Ex::per_unit; ++n) u.v[n] = k0 + n < Length ? x.get(m, k0 + n) : T(0);
      if ((m + 1) * S::lanes <= Count || m * S::lanes + grid.lane < Count)
        *reinterpret_cast<Unit<T>*>(base + place[m] * Ex::leading + k0) = u;
    }
  }
  grid.sync();
  return base;
}

/// A bit for each of N rows.
template <int N>
using bits_of_rows = std::conditional_t<(N > 32), std::uint64_t, unsigned>;

/// See EliminatedRows. Rows stay in their lanes until the end. The lane of a row knows its place
/// (place), and all lanes know which rows have one, one bit each (free). S is a Distributed by
/// rows.
template <class S, int N>
struct RowsOfLanes {
  using T = scalar_t<S>;
  using value_type = T;
  using Ex = typename S::exchange;
  static constexpr int L = S::lanes, mine = (N + L - 1) / L, deep = Ex::per_unit;
  static_assert(N <= 64, "a bit for each row");
  using Bits = bits_of_rows<N>;
  static constexpr bool steps_in_parts = N > 32;
  static constexpr int extent() { return N; }

  T (&own)[mine * N];
  int (&place)[mine];
  LaneGrid const& grid;
  /// The rows of the matrix, which is followed by rows of the identity; those are in their places.
  int there = N;
  Bits free = there < int(8 * sizeof(Bits)) ? (Bits(1) << there) - 1u : ~Bits(0);
  bool odd = false;

  BATCHWORK_INLINE bool is_free(int m) const { return (free >> (m * L + grid.lane) & 1u) != 0; }
  BATCHWORK_INLINE T get(int m, int k) const { return own[m * N + k]; }

  /// The place where pivot row k is published; two are used alternately: one wait for each step.
  /// Its divisor is stored before it.
  BATCHWORK_INLINE T* published(int k) const {
    return grid.template numbers<T>() + (N == 2 ? 0 : k % 2 * (Ex::leading + deep));
  }

  BATCHWORK_INLINE void choose_pivot(int k) {
    if (k >= there) return;
    std::int32_t largest = is_free(0) ? pivot_key(own[k]) : -1;
    int line = grid.lane;
    T pivot = own[k];
    BATCHWORK_UNROLL
    for (int m = 1; m < mine; ++m) {
      std::int32_t const key = is_free(m) ? pivot_key(own[m * N + k]) : -1;
      bool const larger = key > largest;
      largest = larger ? key : largest;
      line = larger ? m * L + grid.lane : line;
      pivot = larger ? own[m * N + k] : pivot;
    }
    // Every lane divides by its own pivot, without waiting for the search.
    PivotReciprocal<T> const divisor = pivot_divisor(pivot);
    int const from = grid.template lane_of_largest<L>(largest);
    int chosen = from;
    if constexpr (mine > 1) {
      chosen = grid.template broadcast<L>(line, from);
      // Without shuffles it was broadcast through the exchange.
      if constexpr (!Vendor::has_shuffles) grid.sync();
    }
    odd = odd != (Vendor::popcount(free & ((Bits(1) << chosen) - 1u)) % 2 != 0);
    free &= ~(Bits(1) << chosen);
    T* const to = published(k);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      if (m * L + grid.lane != chosen) continue;
      place[m] = k;
      if (k + 1 >= there) continue;
      Unit<T> u{};
      u.v[0] = divisor.scale;
      u.v[1] = divisor.inverse;
      *reinterpret_cast<Unit<T>*>(to) = u;
      BATCHWORK_UNROLL
      for (int j0 = (k + 1) / deep * deep; j0 < N; j0 += deep) {
        BATCHWORK_UNROLL
        for (int n = 0; n < deep; ++n) u.v[n] = j0 + n < N ? own[m * N + j0 + n] : T(0);
        *reinterpret_cast<Unit<T>*>(to + deep + j0) = u;
      }
    }
    grid.sync();
  }

  BATCHWORK_INLINE void subtract(int k) {
    if (k + 1 >= there) return;
    T const* const from = published(k);
    Unit<T> const divisor = *reinterpret_cast<Unit<T> const*>(from);
    T l[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      bool const below = is_free(m);
      T const quotient = own[m * N + k] * divisor.v[0] * divisor.v[1];
      l[m] = below ? quotient : T(0);
      own[m * N + k] = below ? quotient : own[m * N + k];
    }
    BATCHWORK_UNROLL
    for (int j0 = (k + 1) / deep * deep; j0 < N; j0 += deep) {
      Unit<T> const u = *reinterpret_cast<Unit<T> const*>(from + deep + j0);
      BATCHWORK_UNROLL
      for (int n = 0; n < deep; ++n) {
        int const j = j0 + n;
        if (j <= k || j >= N) continue;
        BATCHWORK_UNROLL
        for (int m = 0; m < mine; ++m) own[m * N + j] -= l[m] * u.v[n];
      }
    }
  }

  BATCHWORK_INLINE void finish() {
    stage_lines_at<S, N, N>(*this, place, grid);
    take_own_lines<N, N, 0, S>(own, grid);
  }

  BATCHWORK_INLINE std::int32_t status() const {
    // The first place whose pivot fails, and its status, in one number.
    std::int32_t largest = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const i = m * L + grid.lane;
      T const pivot = diagonal_of_lines<S, N>(*this, m, grid.lane);
      std::int32_t const status = i < N ? pivot_status(pivot, i) : 0;
      std::int32_t const key = status == 0 ? 0 : (N - i) * 2 + (is_finite(pivot) ? 1 : 0);
      largest = key > largest ? key : largest;
    }
    largest = grid.template largest<L>(largest);
    return largest == 0 ? 0
                        : Status::code(largest % 2 == 1 ? Reason::singular : Reason::not_finite,
                                       N - largest / 2 + 1);
  }
};

/// The lanes' own lines of b, with line m of the calling lane moved to place[m] through the
/// exchange: its rows if S is distributed by rows, else its columns with the same rows exchanged.
template <class S, int M, int C, class B>
BATCHWORK_INLINE void take_permuted_rows(LocalLines<S, M, C>& x, B const& b, int const* place,
                                         LaneGrid const& grid) {
  using ByRows = dealt_t<S, true>;
  auto const* const base =
      stage_lines_at<ByRows, M, C>(lines_of<ByRows, true>(b, grid), place, grid);
  using Ex = typename S::exchange;
  BATCHWORK_UNROLL
  for (int m = 0; m < LocalLines<S, M, C>::mine; ++m) {
    int const i = Ex::line(m, grid.lane);
    BATCHWORK_UNROLL
    for (int k = 0; k < LocalLines<S, M, C>::length; ++k)
      x.set_local(m, k, S::by_rows ? base[i * Ex::leading + k] : base[k * Ex::leading + i]);
  }
}

/// Solves L U x = x for a few right-hand sides, whose rows are distributed like those of the
/// factors `lu`: the lane of a row broadcasts it, and all lanes subtract it from their own rows.
template <class X, class F>
BATCHWORK_INLINE void substitute_by_rows(X& x, F const& lu) {
  using S = typename F::S;
  using T = typename F::T;
  constexpr int N = F::rows, L = S::lanes, C = X::cols;
  T rest[F::mine * C];
  PivotReciprocal<T> inverse[F::mine];
  BATCHWORK_UNROLL
  for (int m = 0; m < F::mine; ++m) {
    BATCHWORK_UNROLL
    for (int c = 0; c < C; ++c) rest[m * C + c] = x.local(m, c);
    inverse[m] =
        PivotReciprocal<T>(diagonal_of_lines<S, N>(LinesByReference<F>{lu}, m, x.grid.lane));
  }
  x.grid.begin_turns();
  // L y = P b
  unroll_in_parts<N - 1>([&](int k) {
    BATCHWORK_UNROLL
    for (int c = 0; c < C; ++c) {
      T const yk = x.grid.template broadcast_in_turn<L>(rest[k / L * C + c], k % L, k * C + c);
      BATCHWORK_UNROLL
      for (int m = k / L; m < F::mine; ++m)
        if (m > k / L || m * L + x.grid.lane > k) rest[m * C + c] -= lu.local(m, k) * yk;
    }
  });
  // U x = y
  unroll_in_parts<N>([&](int done) {
    int const k = N - 1 - done;
    BATCHWORK_UNROLL
    for (int c = 0; c < C; ++c) {
      T const xk = x.grid.template broadcast_in_turn<L>(T(inverse[k / L] * rest[k / L * C + c]),
                                                        k % L, (N - 1 + N - 1 - k) * C + c);
      BATCHWORK_UNROLL
      for (int m = 0; m <= k / L; ++m) {
        if (m == k / L && x.grid.lane == k % L) x.set_local(m, c, xk);
        if (m < k / L || m * L + x.grid.lane < k) rest[m * C + c] -= lu.local(m, k) * xk;
      }
    }
  });
}
/// Up to so many right-hand sides are few; with more, lanes that hold whole columns of x wait less.
inline constexpr int few_right_hand_sides = 4;

/// Rows of the factors for all lanes to read, reciprocals of the pivots on the diagonal.
template <class F>
struct RowsWithReciprocals {
  F const& lu;
  PivotReciprocal<typename F::T> inverse[F::mine];
  BATCHWORK_INLINE explicit RowsWithReciprocals(F const& of) : lu(of) {
    BATCHWORK_UNROLL
    for (int m = 0; m < F::mine; ++m)
      inverse[m] = PivotReciprocal<typename F::T>(
          diagonal_of_lines<typename F::S, F::rows>(LinesByReference<F>{lu}, m, lu.grid.lane));
  }
  BATCHWORK_INLINE auto get(int m, int k) const {
    auto const number = lu.local(m, k);
    return k == lu.line(m) ? inverse[m].inverse : number;
  }
  BATCHWORK_INLINE auto small_pivots() const {
    using Bits = bits_of_rows<F::rows>;
    Bits bits = 0;
    BATCHWORK_UNROLL
    for (int m = 0; m < F::mine; ++m)
      if (lu.line(m) < F::rows && inverse[m].scale != typename F::T(1))
        bits |= Bits(1) << lu.line(m);
    if constexpr (sizeof(Bits) == sizeof(unsigned)) {
      return lu.grid.template reduce_or<F::S::lanes>(bits);
    } else {
      Bits const low = lu.grid.template reduce_or<F::S::lanes>(unsigned(bits)),
                 high = lu.grid.template reduce_or<F::S::lanes>(unsigned(bits >> 32));
      return high << 32 | low;
    }
  }
};

/// L U x = x, own columns of x: every lane reads the factors from the exchange, row by row.
template <class X, class F>
BATCHWORK_INLINE void substitute_own_columns(X& x, F const& lu) {
  using S = typename F::S;
  using T = typename F::T;
  constexpr int N = F::rows, deep = S::exchange::per_unit;
  RowsWithReciprocals<F> const rows(lu);
  // The places of pivots that are scaled, a bit each.
  auto const small = rows.small_pivots();
  T const* const base = stage_lines<S, F::mine, N>(rows, lu.grid);
  auto const unit = [base](int k, int j0) {
    return *reinterpret_cast<Unit<T> const*>(base + k * S::exchange::leading + j0);
  };
  auto const subtract = [&](Unit<T> const& u, int k, int j0, auto const& counts) {
    BATCHWORK_UNROLL
    for (int n = 0; n < deep; ++n) {
      if (!counts(j0 + n)) continue;
      BATCHWORK_UNROLL
      for (int m = 0; m < X::mine; ++m)
        x.set_local(m, k, x.local(m, k) - u.v[n] * x.local(m, j0 + n));
    }
  };
  unroll_in_parts<N - 1>([&](int done) {
    int const k = done + 1;
    Vendor::scheduling_barrier();
    BATCHWORK_UNROLL
    for (int j0 = 0; j0 < k; j0 += deep) subtract(unit(k, j0), k, j0, [k](int j) { return j < k; });
  });
  unroll_in_parts<N>([&](int done) {
    int const k = N - 1 - done;
    Vendor::scheduling_barrier();
    BATCHWORK_UNROLL
    for (int j0 = 0; j0 < N; j0 += deep) {
      if (j0 + deep > k + 1) subtract(unit(k, j0), k, j0, [=](int j) { return j > k && j < N; });
    }
    T const inverse = base[k * S::exchange::leading + k];
    T const scale = (small >> k & 1u) != 0 ? PivotReciprocal<T>::template up<T> : T(1);
    BATCHWORK_UNROLL
    for (int m = 0; m < X::mine; ++m) x.set_local(m, k, x.local(m, k) * scale * inverse);
  });
}

}  // namespace Batchwork::Impl

#endif
