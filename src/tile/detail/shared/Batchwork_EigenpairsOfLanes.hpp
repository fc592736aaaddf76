// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EigenpairsOfLanes: eigenvalues and eigenvectors of a symmetric matrix whose columns are
/// distributed over the lanes that share an item.
#ifndef BATCHWORK_EIGENPAIRSOFLANES_HPP
#define BATCHWORK_EIGENPAIRSOFLANES_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_ImplicitQl.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "tile/detail/shared/Batchwork_ColumnsOfLanes.hpp"

namespace Batchwork::Impl {

/// Replaces `columns`, with entries of the size of one, by the eigenvectors and computes the
/// eigenvalues: reflections to tridiagonal form, and implicit QL iterations. (Golub and Van Loan,
/// Matrix Computations, 4th edition, sections 8.3.1 to 8.3.5.)
///
/// Reflections work on columns in registers. Iterations keep the vectors in the exchange, one
/// column in each line; beside each line, or behind all lines, are a diagonal number and the one
/// below it. Every lane computes all rotations of a sweep and applies them to its own rows. So a
/// sweep waits twice, whatever its length, and the items of a warp may have sweeps of different
/// lengths.
template <class S, int N, class Count = AllColumns<N>>
struct EigenpairsOfLanes {
  using Columns = ColumnsOfLanes<S, N, N, Count>;
  using T = typename Columns::T;
  using Ex = typename S::exchange;
  static constexpr int L = S::lanes, mine = Columns::mine, deep = Ex::per_unit;
  /// So many reflections of one round share a loop; large matrices use more, for the instruction
  /// cache.
  static constexpr int steps = L < 4 ? L : N > 32 ? 8 : 4;
  static_assert(N >= 4 && N <= 64 && (N <= 32 || L >= 8), "four lines, and a bit for each row");
  using Rows = std::conditional_t<(N > 32), std::uint64_t, unsigned>;  ///< a bit for each

  Columns& a;
  LaneGrid const& grid;
  T d[mine], e[mine];  ///< for own columns: the diagonal number and the number below it

  BATCHWORK_INLINE explicit EigenpairsOfLanes(Columns& columns) : a(columns), grid(columns.grid) {}

  /// Returns whether the iterations ended; an item that is not `finite` is not iterated. Values and
  /// vectors are in ascending order.
  BATCHWORK_INLINE bool find(bool finite) {
    tridiagonalise<0>();
    Rows coupled = put_tridiagonal();
    if (!finite) coupled = 0;
    form_vectors();
    coupled = iterate(coupled);
    sort(finite);
    return coupled == 0;
  }

 private:
  BATCHWORK_INLINE T* line(int j) const { return grid.template numbers<T>() + j * Ex::leading; }
  /// The diagonal number of line j, and the one below it.
  BATCHWORK_INLINE T* beside(int j) const {
    return grid.template numbers<T>() + (Ex::pairs + j * Ex::leading_of_pairs);
  }
  /// f(i, x_i, y_i) for rows First + 1 .. N - 1 of numbers in the exchange.
  template <int First, class F>
  static BATCHWORK_INLINE void for_each_row(T const* x, T const* y, F const& f) {
    BATCHWORK_UNROLL
    for (int i0 = (First + 1) / deep * deep; i0 < N; i0 += deep) {
      Unit<T> const u = *reinterpret_cast<Unit<T> const*>(x + i0),
                    v = *reinterpret_cast<Unit<T> const*>(y + i0);
      BATCHWORK_UNROLL
      for (int n = 0; n < deep; ++n)
        if (i0 + n > First && i0 + n < N) f(i0 + n, u.v[n], v.v[n]);
    }
  }

  // ---- reflections

  /// Steps First to N - 3; the last one of fewer columns also computes the last number below the
  /// diagonal. Step k maps column k below its diagonal number to alpha e_k+1 by H = I - u u', u' u
  /// = 2; with p = A u the rest becomes A - u p' - p u' + (u' p) u u'. u stays in its column.
  template <int First>
  BATCHWORK_INLINE void tridiagonalise() {
    constexpr int end = First + steps < N - 2 ? First + steps : N - 2;
    if constexpr (First == 0) {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) e[m] = T(0);
      grid.sync();
    }
    BATCHWORK_KEEP_LOOP
    for (int k = First; k < end && k + 1 < a.count; ++k) reflect<First>(k);
    if constexpr (end < N - 2) tridiagonalise<end>();
  }
  template <int First>
  BATCHWORK_INLINE void reflect(int k) {
    constexpr int m0 = First / L, last = First + steps;
    // Two are used alternately; portable sums are stored before them.
    T *const x = line(1 + k % 2), *const p = line(3);
    bool const own = grid.lane == k % L;
    if (own) {
      BATCHWORK_UNROLL
      for (int i0 = (First + 1) / deep * deep; i0 < N; i0 += deep) {
        Unit<T> unit;
        BATCHWORK_UNROLL
        for (int n = 0; n < deep; ++n) {
          int const i = i0 + n;
          unit.v[n] = i < N && (i > last || i > k) ? a.at(m0, i) : T(0);
        }
        *reinterpret_cast<Unit<T>*>(x + i0) = unit;
      }
    }
    grid.sync();
    T below(0), share[mine], head_of[mine], u[mine], own_p[mine];
    BATCHWORK_UNROLL
    for (int m = m0; m < mine; ++m) share[m] = head_of[m] = T(0);
    T const head = x[k + 1];
    for_each_row<First>(x, x, [&](int i, T const& xi, T const&) {
      bool const on_top = i <= last && i == k + 1;
      below += on_top ? T(0) : xi * xi;
      BATCHWORK_UNROLL
      for (int m = m0; m < mine; ++m) {
        share[m] += xi * a.at(m, i);
        head_of[m] = on_top ? a.at(m, i) : head_of[m];
      }
    });
    auto const [alpha, top, scale] = Reflection<T>(head, below);
    T product(0);
    BATCHWORK_UNROLL
    for (int m = m0; m < mine; ++m) {
      int const j = a.column(m);
      bool const behind = a.is_behind(m, k) && j < N;
      u[m] = !behind ? T(0) : j == k + 1 ? top : scale * x[j];
      own_p[m] = behind ? scale * (share[m] - alpha * head_of[m]) : T(0);
      product += u[m] * own_p[m];
      if (j < N) p[j] = own_p[m];
    }
    product = grid.template sum<L>(product);
    grid.sync();
    T by[mine], by_scaled[mine];
    BATCHWORK_UNROLL
    for (int m = m0; m < mine; ++m) {
      by[m] = own_p[m] - product * u[m];
      by_scaled[m] = scale * by[m];
    }
    e[m0] = own ? alpha : e[m0];
    T const factor = own ? scale : T(1);
    for_each_row<First>(x, p, [&](int i, T const& xi, T const& pi) {
      bool const on_top = i <= last && i == k + 1;
      BATCHWORK_UNROLL
      for (int m = m0; m < mine; ++m)
        a.at(m, i) -= (on_top ? by[m] : by_scaled[m]) * (on_top ? top : xi) + pi * u[m];
      T const scaled = a.at(m0, i) * (i > last || i > k ? factor : T(1));
      a.at(m0, i) = own && on_top ? top : scaled;
    });
  }

  /// Writes the tridiagonal matrix beside the lines. Returns a bit for each number below the
  /// diagonal that is not negligible.
  BATCHWORK_INLINE Rows put_tridiagonal() {
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const j = a.column(m);
      d[m] = T(0);
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) {
        T const own = a.at(m, i);
        d[m] = i == j ? own : d[m];
      }
      e[m] = j == N - 2 ? a.at(m, N - 1) : e[m];
    }
    grid.sync();
    put();
    grid.sync();
    return coupled_rows();
  }
  /// From the numbers beside the lines.
  BATCHWORK_INLINE Rows coupled_rows() const {
    Rows coupled = 0;
    if constexpr (Vendor::has_shuffles) {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        int const j = a.column(m);
        bool const is = j + 1 < N && !is_negligible(e[m], d[m], *beside(j + 1 < N ? j + 1 : 0));
        coupled |= Rows(Vendor::ballot<L>(is, grid.lane)) << m * L;
      }
    } else {
      // Values exchanged between lanes would pass through the lines.
      for (int j = 0; j + 1 < N; ++j)
        if (!is_negligible(beside(j)[1], *beside(j), *beside(j + 1))) coupled |= Rows(1) << j;
    }
    return coupled;
  }
  BATCHWORK_INLINE void put() const {
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const j = a.column(m);
      if (j < N) write_together(beside(j), {d[m], e[m]});
    }
  }

  struct Reflectors {
    EigenpairsOfLanes const& of;
    BATCHWORK_INLINE T get(int m, int i) const {
      T const x = of.a.at(m, i);
      return i > of.a.column(m) ? x : T(0);
    }
  };
  /// The product of all reflections: the lane's own columns of it, and in the exchange.
  BATCHWORK_INLINE void form_vectors() {
    stage_lines<S, mine, N>(Reflectors{*this}, grid);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      BATCHWORK_UNROLL
      for (int i = 0; i < N; ++i) a.at(m, i) = T(i == a.column(m) ? 1 : 0);
    }
    apply_reflections<(N - 3) / steps * steps>();
    stage_lines<S, mine, N>(ByColumns{a}, grid);
  }
  struct ByColumns {
    Columns const& of;
    BATCHWORK_INLINE T get(int m, int i) const { return of.at(m, i); }
  };
  template <int First>
  BATCHWORK_INLINE void apply_reflections() {
    constexpr int end = First + steps < N - 2 ? First + steps : N - 2, m0 = First / L;
    int const end_there = end < a.count ? end : a.count - 1;
    BATCHWORK_KEEP_LOOP
    for (int k = end_there - 1; k >= First; --k) {
      T const* const u = line(k);
      T w[mine];
      BATCHWORK_UNROLL
      for (int m = m0; m < mine; ++m) w[m] = T(0);
      for_each_row<First>(u, u, [&](int i, T const& ui, T const&) {
        BATCHWORK_UNROLL
        for (int m = m0; m < mine; ++m) w[m] += ui * a.at(m, i);
      });
      for_each_row<First>(u, u, [&](int i, T const& ui, T const&) {
        BATCHWORK_UNROLL
        for (int m = m0; m < mine; ++m) a.at(m, i) -= w[m] * ui;
      });
    }
    if constexpr (First > 0) apply_reflections<First - steps>();
  }

  // ---- iterations

  /// Neighbouring rows of the vectors, which a lane holds during the iterations, from the column
  /// that begins there.
  static BATCHWORK_INLINE void read_rows(T (&x)[mine], T const* from) {
    if constexpr ((mine & (mine - 1)) == 0) {
      read_together(x, from);
    } else {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) x[m] = from[m];
    }
  }
  BATCHWORK_INLINE void write_rows(T* to, T const (&x)[mine]) const {
    if (!has_rows()) return;
    if constexpr ((mine & (mine - 1)) == 0) {
      write_together(to, x);
    } else {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) to[m] = x[m];
    }
  }
  BATCHWORK_INLINE bool has_rows() const { return (L - 1) * mine < N || grid.lane * mine < N; }

  /// Rows first .. last of the tridiagonal matrix.
  struct Block {
    int first = 0, last = -1;
  };

  /// Sweeps until no bit of `coupled` is set, or the limit is reached.
  BATCHWORK_INLINE Rows iterate(Rows coupled) {
    constexpr int most = most_ql_sweeps_a_row * N;
    BATCHWORK_KEEP_LOOP
    for (int n = 0; n < most && a.any_item(coupled != 0); ++n) {
      Block const done = coupled != 0 ? sweep(coupled) : Block{};
      // The numbers beside the lines have been read.
      grid.sync();
      take_changed(done);
      put();
      grid.sync();
      Rows const rest = coupled_rows();
      coupled = coupled != 0 ? rest : 0;
    }
    return coupled;
  }

  /// One sweep over the first block of coupled rows. It does not wait for other lanes.
  BATCHWORK_INLINE Block sweep(Rows coupled) {
    int const first = Vendor::countr_zero(coupled);
    int const last = first + Vendor::countr_zero(Rows(~(coupled >> first)));
    QlSweep<T> ql(beside(last)[0],
                  QlSweep<T>::shift(beside(first)[0], beside(first)[1], beside(first + 1)[0]));
    // A lane without rows reads behind the numbers of other lanes if the exchange has room there.
    T* column = line(last - 1) + (!Ex::ragged || has_rows() ? grid.lane * mine : 0);
    T* numbers = beside(last - 1);
    T z[mine], next[mine], found[2];
    read_rows(z, column + Ex::leading);
    read_rows(next, column);
    read_together(found, numbers);
    BATCHWORK_KEEP_LOOP
    for (int i = last - 1; i >= first; --i) {
      T const x = found[0], off = found[1];
      T own[mine];
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) own[m] = next[m];
      // The next numbers are on their way meanwhile.
      int const step = i > first ? Ex::leading : 0;
      int const to_next = Ex::has_pairs_behind ? (i > first ? Ex::leading_of_pairs : 0) : step;
      read_together(found, numbers - to_next);
      read_rows(next, column - step);
      ql.rotate(x, off);
      keep(i + 1, numbers + Ex::leading_of_pairs, ql);
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        T const upper = z[m];
        z[m] = ql.c * own[m] - ql.s * upper;
        own[m] = ql.s * own[m] + ql.c * upper;
      }
      write_rows(column + Ex::leading, own);
      numbers -= to_next;
      column -= step;
    }
    write_rows(column, z);
    ql.finish();
    keep(first, numbers, ql);
    return {first, last};
  }
  /// There may be room for the results of a sweep beside a line; otherwise each lane keeps them,
  /// because all lanes find the same.
  static constexpr bool has_room_for_changed = deep >= 4;
  BATCHWORK_INLINE void keep([[maybe_unused]] int j, [[maybe_unused]] T* numbers,
                             QlSweep<T> const& ql) {
    if constexpr (has_room_for_changed) {
      write_together(numbers + 2, {ql.diagonal, ql.below});
    } else {
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m) {
        bool const own = a.column(m) == j;
        d[m] = own ? ql.diagonal : d[m];
        e[m] = own ? ql.below : e[m];
      }
    }
  }
  BATCHWORK_INLINE void take_changed([[maybe_unused]] Block const& block) {
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const j = a.column(m);
      if constexpr (has_room_for_changed) {
        bool const changed = j >= block.first && j <= block.last;
        T found[2];
        read_together(found, beside(changed ? j : 0) + 2);
        d[m] = changed ? found[0] : d[m];
        e[m] = changed ? found[1] : e[m];
      }
      // The row after a block is no longer coupled to it.
      e[m] = j == block.last ? T(0) : e[m];
    }
  }

  // ---- the end

  /// Moves the vectors and the values, in ascending order, to their own lanes.
  BATCHWORK_INLINE void sort(bool finite) {
    // If an item is not finite, all results are NaN.
    T const spoilt = finite ? T(0) : std::numeric_limits<T>::quiet_NaN();
    int rank[mine];
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) rank[m] = 0;
    BATCHWORK_KEEP_LOOP
    for (int i = 0; i < a.count; ++i) {
      T const other = *beside(i);
      BATCHWORK_UNROLL
      for (int m = 0; m < mine; ++m)
        rank[m] += other < d[m] || (other == d[m] && i < a.column(m)) ? 1 : 0;
    }
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) rank[m] = a.is_there(m) ? rank[m] : a.column(m);
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m)
      if (a.column(m) < N && finite) beside(rank[m])[1] = T(a.column(m));
    grid.sync();
    BATCHWORK_UNROLL
    for (int m = 0; m < mine; ++m) {
      int const j = a.column(m);
      int const from = j < N && finite ? int(beside(j)[1]) : 0;
      d[m] = *beside(from) + spoilt;
      typename Columns::Shown{line(from)}.for_each(
          0, [&](int i, T const& x) { a.at(m, i) = x + spoilt; });
    }
  }
};

}  // namespace Batchwork::Impl

#endif
