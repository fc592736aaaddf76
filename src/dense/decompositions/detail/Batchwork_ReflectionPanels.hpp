// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ReflectionPanels: reflections in panels of eight on a matrix in memory, of extents known at run
/// time, by the warps of a team.
#ifndef BATCHWORK_REFLECTIONPANELS_HPP
#define BATCHWORK_REFLECTIONPANELS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "core/detail/backend/Batchwork_WarpReductions.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// A matrix in blocks of eight columns, with zeros beyond its rows and columns. A panel is a block
/// whose columns become the vectors u of H = I - u u', u' u being 2. The lanes of a warp, or of
/// several where it has many rows, have rows of it in registers, and find its reflections one after
/// the other: for each, all sums of products with its column at once. Then each warp applies
/// I - V T' V' to a pair of blocks, while those of the panel go on with the next one. (Schreiber
/// and Van Loan, SIAM Journal on Scientific and Statistical Computing 10 (1989) 53; Golub and Van
/// Loan, Matrix Computations, 4th edition, section 5.2.3; LAPACK's geqrt, larfb and org2r.) Where
/// has_shuffles.
///
/// InScratch: all blocks are in team scratch; else those before first_near are in device memory.
/// Cost: a wait of all warps for eight columns, and of those of a panel for each column; as many
/// operations as reflections one by one, by matrix instructions where there are.
template <class T, bool InScratch>
struct ReflectionPanels {
  static constexpr int width = 8;
  /// Rows of a panel that a lane has in registers.
  static constexpr int held = sizeof(T) == 4 ? 4 : 2;
  /// Warps of a team, at most.
  static constexpr int most_warps = 16;
  /// Of a panel, by rows: R on and above the diagonal, T' below it, of which the diagonal is one.
  static constexpr int side_numbers = width * width;
  /// Whether the factors of a product are where the one before has left them; and tiles of eight
  /// rows whose numbers a lane reads before it writes any.
  static constexpr bool chained = Vendor::chains_matrices<T>;
  static constexpr int at_once = chained ? 4 : 2;
  /// Of V' x, of each block, what lanes have of column r: numbers 2 c and 2 c + 1, or all.
  static constexpr int parts = chained ? 2 : width;

  T* near = nullptr;  ///< blocks from first_near on, `leading` numbers for each column
  T* far = nullptr;   ///< blocks before it
  int first_near = 0, leading = 0, rows = 0;  ///< rows: with zeros, a multiple of 8
  int panel_warps = 1;                        ///< the first ones, which find reflections
  T* sides = nullptr;                         ///< side_numbers for each panel
  T* shown = nullptr;                         ///< shown_numbers in scratch, zeros at first

  /// The calling lane: its warp and its rank in it, which is 4 r + c.
  struct Here {
    int lane, warp, warps, in_warp, r, c;

    template <class Member>
    BATCHWORK_INLINE explicit Here(Member const& member)
        : lane(Vendor::renewed(Vendor::lane_rank(member))),
          warp(int(unsigned(lane) / lanes_of_warp)),
          warps(int(unsigned(Vendor::lane_count(member)) / lanes_of_warp)),
          in_warp(int(unsigned(lane) % lanes_of_warp)),
          r(in_warp / 4),
          c(in_warp % 4) {}
  };

  /// What the warps of a panel show each other, twice: the row of the diagonal, and parts of sums
  /// by units of 16 bytes; and all products of reflections.
  static constexpr int deep = 16 / int(sizeof(T));
  BATCHWORK_INLINE int sum_parts() const { return (panel_warps + deep - 1) / deep * deep; }
  BATCHWORK_INLINE int of_step() const { return width * (1 + sum_parts()); }
  BATCHWORK_INLINE int shown_numbers() const { return 2 * of_step() + side_numbers; }

  /// A distance between columns with which lanes find different banks.
  static constexpr int good_leading(int rows) { return (rows + 7) / 16 * 16 + 8; }

  BATCHWORK_INLINE T* block(int k) const {
    if constexpr (!InScratch)
      if (k < first_near) return far + std::int64_t(k) * width * leading;
    return near + (k - (InScratch ? 0 : first_near)) * width * leading;
  }
  /// Row i of column q of a block. The fours of rows are exchanged in some columns, for lanes that
  /// read four columns.
  BATCHWORK_INLINE int place(int i, int q) const { return q * leading + (i ^ (q & 4)); }
  BATCHWORK_INLINE T& at(int i, int j) const { return block(j / width)[place(i, j % width)]; }
  BATCHWORK_INLINE T* side(int g) const { return sides + side_numbers * g; }
  /// Number (i, j), i <= j, of R, of which `panels` blocks have reflections.
  BATCHWORK_INLINE T of_r(int i, int j, int panels) const {
    int const g = j / width;
    return g < panels && i / width == g ? side(g)[width * (i % width) + j % width] : at(i, j);
  }

  /// Columns of some blocks times powers of two, so that no square overflows or is lost; what takes
  /// it back goes to `unscale`. Each by a warp.
  BATCHWORK_INLINE void scale(Here const& here, int blocks, T* unscale) const {
    BATCHWORK_KEEP_LOOP
    for (int k = here.warp; k < blocks; k += here.warps) {
      T* const x = block(k) + place(2 * here.c, here.r);
      T largest = T(0), some[2];
      for (int i = 0; i < rows; i += width) {
        read_together(some, x + i);
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e)
          largest = Kokkos::abs(some[e]) > largest ? Kokkos::abs(some[e]) : largest;
      }
      BATCHWORK_UNROLL
      for (int step = 1; step < 4; step *= 2) {
        T const other = Vendor::shuffle_xor(largest, step);
        largest = other > largest ? other : largest;
      }
      SafeScale<T> const by(largest);
      if (here.c == 0) unscale[width * k + here.r] = by.up;
      if (by.down == T(1)) continue;
      for (int i = 0; i < rows; i += width) {
        read_together(some, x + i);
        some[0] *= by.down, some[1] *= by.down;
        write_together(x + i, some);
      }
    }
  }

  /// The reflections of panel g, by the panel's warps, which all call it and have waited. wait()
  /// waits for them, where there are several. All have to wait then.
  template <class Wait>
  BATCHWORK_INLINE void factor(Here const& here, int g, Wait const& wait) const {
    T* const panel = block(g) + width * g;
    T* const beside = side(g);
    int const apart = lanes_of_warp * panel_warps, left = rows - width * g;
    int const own = here.lane, end = here.warp < panel_warps ? left : 0;
    // Number q of a row is that of column k + q, modulo 8, in step k: the steps are one loop.
    T x[held][width], alpha = T(0);
    BATCHWORK_UNROLL
    for (int s = 0; s < held; ++s) {
      int const i = own + s * apart;
      BATCHWORK_UNROLL
      for (int q = 0; q < width; ++q) x[s][q] = i < end ? panel[place(i, q)] : T(0);
    }
    T* const met = shown + 2 * of_step();  // u_k' times the columns, from column k on
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < width; ++k) {
      T* const show = shown + k % 2 * of_step();
      T sums[width], top[width], w[width];
      if (own == k) write_together(show, x[0]);
      BATCHWORK_UNROLL
      for (int q = 0; q < width; ++q) sums[q] = (own > k ? x[0][0] : T(0)) * x[0][q];
      BATCHWORK_UNROLL
      for (int s = 1; s < held; ++s) {
        if (s * apart >= left) continue;
        BATCHWORK_UNROLL
        for (int q = 0; q < width; ++q) sums[q] += x[s][0] * x[s][q];
      }
      BATCHWORK_KEEP_LOOP
      for (int i = own + held * apart; i < end; i += apart) {
        T const z = panel[place(i, k)];
        BATCHWORK_UNROLL
        for (int q = 0; q < width; ++q) sums[q] += z * panel[place(i, (k + q) % width)];
      }
      // Each for itself, so that a NaN stays in its column.
      Vendor::reduce_scatter_by_halves(sums, lanes_of_warp, 0, [&](int, int q, T const& sum) {
        if (here.warp < panel_warps) show[width + sum_parts() * q + here.warp] = sum;
      });
      wait();
      read_together(top, show);
      BATCHWORK_UNROLL
      for (int q = 0; q < width; ++q) w[q] = T(0);
      BATCHWORK_KEEP_LOOP
      for (int part = width; part < width + sum_parts(); part += deep) {
        BATCHWORK_UNROLL
        for (int q = 0; q < width; ++q) {
          T some[deep];
          read_together(some, show + part + sum_parts() * q);
          BATCHWORK_UNROLL
          for (int n = deep / 2; n > 0; n /= 2) {
            BATCHWORK_UNROLL
            for (int e = 0; e < n; ++e) some[e] += some[e + n];
          }
          w[q] += some[0];
        }
      }
      Reflection<T> const h = scaled_reflection(top[0], w[0]);
      BATCHWORK_UNROLL
      for (int q = 1; q < width; ++q) w[q] = h.top * top[q] + h.scale * w[q];
      if (own == 0) write_together(met + width * k, w);
      // Nothing for columns before this one, and for rows above: R stays, should u be NaN.
      BATCHWORK_UNROLL
      for (int q = 1; q < width; ++q) w[q] = q < width - k ? w[q] : T(0);
      alpha = own == k ? h.alpha : alpha;
      BATCHWORK_UNROLL
      for (int s = 0; s < held; ++s) {
        if (s * apart >= left) continue;
        T const number = x[s][0], below = number * h.scale;
        T const u = s > 0 || own > k ? below : own == k ? h.top : T(0);
        BATCHWORK_UNROLL
        for (int q = 1; q < width; ++q) x[s][q - 1] = x[s][q] - w[q] * u;
        x[s][width - 1] = s == 0 && own < k ? number : u;
      }
      BATCHWORK_KEEP_LOOP
      for (int i = own + held * apart; i < end; i += apart) {
        T const u = panel[place(i, k)] * h.scale;
        BATCHWORK_UNROLL
        for (int q = 1; q < width; ++q)
          if (q < width - k) panel[place(i, k + q)] -= w[q] * u;
        panel[place(i, k)] = u;
      }
    }
    if (own < width) {
      beside[width * own + own] = alpha;
      BATCHWORK_UNROLL
      for (int q = 1; q < width; ++q) {
        if (q <= own) continue;
        beside[width * own + q] = x[0][q];
        x[0][q] = T(0);
      }
    }
    BATCHWORK_UNROLL
    for (int s = 0; s < held; ++s) {
      int const i = own + s * apart;
      BATCHWORK_UNROLL
      for (int q = 0; q < width; ++q)
        if (i < end) panel[place(i, q)] = x[s][q];
    }
    if (here.warp == 0) put_t(here, met, beside);
  }

  /// Blocks `next` to end - 1 less V T V' times them, or V T' V' if `adjoint`: the first one by
  /// warp 0, then pairs by one warp each, and again by the warps from `rest` on. Lanes have the
  /// same numbers of a block each time.
  BATCHWORK_INLINE void apply(Here const& here, int g, int next, int end, bool adjoint,
                              int rest) const {
    BATCHWORK_KEEP_LOOP
    for (int p = here.warp - 1, k; (k = p < 0 ? next : next + 1 + 2 * p) < end;
         p += here.warps - rest) {
      if (p >= 0 && k + 1 < end) apply_to<2, false>(here, g, k, adjoint);
      else apply_to<1, false>(here, g, k, adjoint);
      if (here.warp < rest) break;
    }
  }
  /// Block g, a panel, becomes I - V T V' times the columns of the unit matrix, by a warp.
  BATCHWORK_INLINE void make_unit(Here const& here, int g) const {
    apply_to<1, true>(here, g, g, false);
    T* const x = block(g) + place(2 * here.c, here.r);
    T const zero[2] = {T(0), T(0)};
    for (int i = 0; i < width * g; i += width) write_together(x + i, zero);
  }

  /// Block k less V T V' times it, or V T' V' if `adjoint`, by a warp. Lanes have the same numbers
  /// of the block each time.
  BATCHWORK_INLINE void apply_to_block(Here const& here, int g, int k, bool adjoint) const {
    apply_to<1, false>(here, g, k, adjoint);
  }
  /// The first n rows of block k: x := R^-1 x, or R'^-1 x, by a warp; R of n columns, all of which
  /// are in panels. Zeros from row n to the end of its panel.
  template <bool Transposed>
  BATCHWORK_INLINE void substitute(Here const& here, int k, int n) const {
    int const count = (n + width - 1) / width;
    BATCHWORK_KEEP_LOOP
    for (int m = 0; m < count; ++m) {
      int const g = Transposed ? m : count - 1 - m;
      T* const x = block(k) + width * g + place(2 * here.c, here.r);
      T const* const corner = side(g);
      T y[2], w[1][parts];
      read_together(y, x);
      if constexpr (Transposed) {
        products<1>(here, g, k, 0, width * g, w);
        BATCHWORK_UNROLL
        for (int q = 0; q < parts; ++q)
          if (chained || q / 2 == here.c) y[q % 2] -= w[0][q];
      }
      BATCHWORK_UNROLL
      for (int step = 0; step < width; ++step) {
        int const p = Transposed ? step : width - 1 - step;
        T const rest = Vendor::shuffle<4>(y[p % 2], p / 2);
        T const z = width * g + p < n ? PivotReciprocal<T>(corner[width * p + p]) * rest : T(0);
        if (!chained) w[0][p % parts] = z;
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          int const i = 2 * here.c + e;
          if (i == p) y[e] = z;
          else if (Transposed ? i > p : i < p)
            y[e] -= corner[Transposed ? width * p + i : width * i + p] * z;
        }
      }
      write_together(x, y);
      if constexpr (!Transposed) {
        if constexpr (chained) w[0][0] = y[0], w[0][1] = y[1];
        subtract<1, false>(here, g, k, 0, width * g, w);
      }
    }
  }

 private:
  /// T = (I + U)^-1 with U(p, k) = u_p' u_k, p < k; its columns are those of LAPACK's larft. By a
  /// warp, a lane for a row.
  BATCHWORK_INLINE void put_t(Here const& here, T const* met, T* beside) const {
    T t[width];
    Vendor::warp_sync();
    BATCHWORK_UNROLL
    for (int k = 0; k < width; ++k) {
      T sum = T(0);
      BATCHWORK_UNROLL
      for (int p = 0; p < k; ++p) sum += t[p] * met[width * k + width + p - k];
      t[k] = k < here.in_warp ? T(0) : k == here.in_warp ? T(1) : -sum;
      if (k > here.in_warp) beside[width * k + here.in_warp] = t[k];
    }
  }

  template <int Count, bool Unit>
  BATCHWORK_INLINE void apply_to(Here const& here, int g, int k, bool adjoint) const {
    T w[Count][parts];
    if constexpr (Unit) {
      BATCHWORK_UNROLL
      for (int q = 0; q < parts; ++q)
        w[0][q] = block(g)[place(width * g + here.r, chained ? 2 * here.c + q : q)];
    } else {
      products(here, g, k, width * g, rows, w);
    }
    times_t(here, g, adjoint, w);
    subtract<Count, Unit>(here, g, k, width * g, rows, w);
  }

  /// w = V' x: of block g and the blocks from k0 on, in the rows from `from` to `to`.
  template <int Count>
  BATCHWORK_INLINE void products(Here const& here, int g, int k0, int from, int to,
                                 T (&w)[Count][parts]) const {
    int const own = place(2 * here.c, here.r);
    T const* x[Count];
    BATCHWORK_UNROLL
    for (int k = 0; k < Count; ++k) x[k] = block(k0 + k) + own;
    if constexpr (chained) {
      T const* const v = block(g) + own;
      // Two sums, because the additions of a single one would wait for each other.
      T other[Count][2];
      BATCHWORK_UNROLL
      for (int k = 0; k < Count; ++k) w[k][0] = w[k][1] = other[k][0] = other[k][1] = T(0);
      auto const add = [&](T(&sums)[Count][2], int i) {
        T a[2][Count], b[2];
        read_together(b, v + i);
        BATCHWORK_UNROLL
        for (int k = 0; k < Count; ++k) {
          T some[2];
          read_together(some, x[k] + i);
          a[0][k] = some[0], a[1][k] = some[1];
        }
        add_products([&](int k) { return sums[k]; }, a, b);
      };
      int i = from;
      BATCHWORK_UNROLL_SOME
      for (; i + width < to; i += 2 * width) add(w, i), add(other, i + width);
      if (i < to) add(w, i);
      BATCHWORK_UNROLL
      for (int k = 0; k < Count; ++k) w[k][0] += other[k][0], w[k][1] += other[k][1];
    } else {
      T const* const v = block(g);
      BATCHWORK_UNROLL
      for (int k = 0; k < Count; ++k) {
        BATCHWORK_UNROLL
        for (int q = 0; q < width; ++q) w[k][q] = T(0);
      }
      for (int i = from; i < to; i += width) {
        T some[Count][2], b[2];
        BATCHWORK_UNROLL
        for (int k = 0; k < Count; ++k) read_together(some[k], x[k] + i);
        BATCHWORK_UNROLL
        for (int q = 0; q < width; ++q) {
          read_together(b, v + i + place(2 * here.c, q));
          BATCHWORK_UNROLL
          for (int k = 0; k < Count; ++k) w[k][q] += b[0] * some[k][0] + b[1] * some[k][1];
        }
      }
      BATCHWORK_UNROLL
      for (int step = 1; step < 4; step *= 2) {
        BATCHWORK_UNROLL
        for (int k = 0; k < Count; ++k) {
          BATCHWORK_UNROLL
          for (int q = 0; q < width; ++q) w[k][q] += Vendor::shuffle_xor(w[k][q], step);
        }
      }
    }
  }

  /// w = T' w of panel g, or T w if not adjoint.
  template <int Count>
  BATCHWORK_INLINE void times_t(Here const& here, int g, bool adjoint, T (&w)[Count][parts]) const {
    T const* const t = side(g);
    if constexpr (chained) {
      T a[2][Count], b[2];
      BATCHWORK_UNROLL
      for (int e = 0; e < 2; ++e) {
        int const p = 2 * here.c + e, most = p < here.r ? here.r : p,
                  least = p < here.r ? p : here.r;
        T const number = t[width * most + least];
        b[e] = p == here.r ? T(1) : adjoint == (p < here.r) ? number : T(0);
        BATCHWORK_UNROLL
        for (int k = 0; k < Count; ++k) a[e][k] = w[k][e], w[k][e] = T(0);
      }
      add_products([&](int k) { return w[k]; }, a, b);
    } else {
      // By the rows of T'.
      BATCHWORK_UNROLL
      for (int m = 1; m < width; ++m) {
        BATCHWORK_UNROLL
        for (int q = 0; q < width; ++q) {
          if (adjoint && q < width - m) {
            T const number = t[width * (width - m) + q];
            BATCHWORK_UNROLL
            for (int k = 0; k < Count; ++k) w[k][width - m] += number * w[k][q];
          } else if (!adjoint && q < m) {
            T const number = t[width * m + q];
            BATCHWORK_UNROLL
            for (int k = 0; k < Count; ++k) w[k][q] += number * w[k][m];
          }
        }
      }
    }
  }

  /// x -= V w, x being the unit matrix from row `from` on if Unit.
  template <int Count, bool Unit>
  BATCHWORK_INLINE void subtract(Here const& here, int g, int k0, int from, int to,
                                 T const (&w)[Count][parts]) const {
    int const r = here.r, c = here.c;
    T* x[Count];
    BATCHWORK_UNROLL
    for (int k = 0; k < Count; ++k) x[k] = block(k0 + k) + place(2 * c, r);
    T const* const v = block(g) + (chained ? place(r, 2 * c) : 0);
    BATCHWORK_KEEP_LOOP
    for (int i0 = from; i0 < to; i0 += at_once * width) {
      T some[at_once][Count][2], b[at_once][parts];
      BATCHWORK_UNROLL
      for (int d = 0; d < at_once; ++d) {
        int const i = i0 + d * width < to ? i0 + d * width : i0;
        if constexpr (chained) b[d][0] = v[i], b[d][1] = v[leading + i];
        BATCHWORK_UNROLL
        for (int k = 0; k < Count; ++k) {
          if constexpr (Unit) {
            some[d][k][0] = i == from && 2 * c == r ? T(1) : T(0);
            some[d][k][1] = i == from && 2 * c + 1 == r ? T(1) : T(0);
          } else {
            read_together(some[d][k], x[k] + i);
          }
        }
        if constexpr (!chained) {
          BATCHWORK_UNROLL
          for (int q = 0; q < width; ++q) {
            T u[2];
            read_together(u, v + i + place(2 * c, q));
            BATCHWORK_UNROLL
            for (int k = 0; k < Count; ++k)
              some[d][k][0] -= u[0] * w[k][q], some[d][k][1] -= u[1] * w[k][q];
          }
        }
      }
      // V is overwritten.
      if constexpr (Unit) Vendor::warp_sync();
      if constexpr (chained) {
        T a[2][Count];
        BATCHWORK_UNROLL
        for (int k = 0; k < Count; ++k) a[0][k] = -w[k][0], a[1][k] = -w[k][1];
        BATCHWORK_UNROLL
        for (int d = 0; d < at_once; ++d) add_products([&](int k) { return some[d][k]; }, a, b[d]);
      }
      BATCHWORK_UNROLL
      for (int d = 0; d < at_once; ++d) {
        if (i0 + d * width >= to) continue;
        BATCHWORK_UNROLL
        for (int k = 0; k < Count; ++k) write_together(x[k] + i0 + d * width, some[d][k]);
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif
