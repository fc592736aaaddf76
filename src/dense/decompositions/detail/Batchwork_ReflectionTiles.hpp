// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ReflectionTiles: reflections in panels of four on matrices that the lanes of some warps hold in
/// registers. The kernel of qr for 33 to 96 rows and columns is made of it.
#ifndef BATCHWORK_REFLECTIONTILES_HPP
#define BATCHWORK_REFLECTIONTILES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_PowerOfTwo.hpp"
#include "core/detail/backend/Batchwork_Barriers.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// A matrix of up to 8 Tiles rows and columns, with zeros beyond its extents, in tiles of 8 x 8.
/// They are tiles of the transpose in the layout of matrix instructions: lane 4 r + c of a warp
/// holds column r of a tile, of rows row(0) and row(1). Columns of tiles are dealt out to Warps
/// warps cyclically.
///
/// Reflections come in panels of four columns. A panel passes through scratch to the warp that has
/// it; there eight lanes have a column, every eighth row of it. V, four columns u, and T with H_1
/// H_2 H_3 H_4 = I - V T V' stay in scratch, and all lanes apply this to what they have: a wait for
/// each panel. (Schreiber and Van Loan, SIAM Journal on Scientific and Statistical Computing 10
/// (1989) 53; Golub and Van Loan, Matrix Computations, 4th edition, section 5.2.3; LAPACK's geqrt
/// and larfb.) Where has_shuffles.
template <class T, int Tiles, int Warps>
struct ReflectionTiles {
  static constexpr int warps = Warps, count = warps * lanes_of_warp;  ///< lanes of an item
  static constexpr int across = (Tiles + warps - 1) / warps;  ///< columns of tiles of a warp
  static constexpr int rows = 8 * Tiles, groups = 2 * Tiles;

  // The layout of an item's scratch: groups of four columns, in which row i has its numbers at 4 i,
  // R above V; two blocks for each panel, see side; the factors of the columns of R; zero, or NaN
  // where a number is not finite.
  static constexpr int group_numbers = 4 * rows + 4, to_sides = groups * group_numbers,
                       to_unscale = to_sides + 32 * groups, to_flag = to_unscale + rows,
                       item_numbers = to_flag + 4;
  static constexpr std::size_t item_bytes = item_numbers * sizeof(T);
  static_assert(item_bytes % 16 == 0);

  int m = 0, n = 0;                          ///< rows and columns of an item
  int panels = 0;                            ///< that have reflections
  int tiles_of_rows = 0, tiles_of_cols = 0;  ///< that have numbers

  /// Tiles of a lane.
  using Numbers = T[Tiles][across][2];

  /// The calling lane and its item.
  struct Here : LaneOfTiles {
    T* numbers;

    BATCHWORK_INLINE T* group(int g) const { return numbers + g * group_numbers; }
    /// Of panel g: by rows, R in and above the diagonal and T' below it, of which the diagonal is
    /// one; and behind it what R has above that, where V has zeros for it since one tile holds
    /// both.
    BATCHWORK_INLINE T* side(int g) const { return numbers + to_sides + 32 * g; }
    /// The column of tiles that is number k of the warp.
    BATCHWORK_INLINE int tile(int k) const { return warps * k + warp; }
    /// Rows of a tile, in an order without bank conflicts: neither for lanes that read V by their
    /// own rows nor for lanes that read it by `row_of_r`.
    BATCHWORK_INLINE int row(int e) const { return ((c & 1) + 6 * (c >> 1)) ^ (2 * e); }
    BATCHWORK_INLINE int row_of_r() const { return ((r >> 1 & 1) + 6 * (r >> 2)) ^ (2 * (r & 1)); }
  };

  void set_extents(int rows_there, int cols_there) {
    m = rows_there, n = cols_there;
    panels = ((m < n ? m : n) + 3) / 4;
    tiles_of_rows = (m + 7) / 8, tiles_of_cols = (n + 7) / 8;
  }

  template <class Member, class NumbersOf>
  BATCHWORK_INLINE Here lane_of(Member const& member, int items_per_team, std::int64_t items,
                                NumbersOf const& numbers_of) const {
    Here here;
    here.template take_tiles<count>(member, member.league_rank(), items_per_team, items);
    here.numbers = numbers_of(here.item);
    return here;
  }

  /// Zeros in scratch beyond the rows and columns of an item, as far as tiles have them.
  BATCHWORK_INLINE void begin(Here const& here) const {
    int const below = 8 * tiles_of_rows - m, beside = 8 * tiles_of_cols - n;
    BATCHWORK_KEEP_LOOP
    for (int k = here.lane; k < 8 * tiles_of_cols * below; k += count) {
      int const j = k / below, i = m + k % below;
      here.group(j / 4)[4 * i + j % 4] = T(0);
    }
    BATCHWORK_KEEP_LOOP
    for (int k = here.lane; k < m * beside; k += count) {
      int const i = k / beside, j = n + k % beside;
      here.group(j / 4)[4 * i + j % 4] = T(0);
    }
    if (here.lane == 0) here.numbers[to_flag] = T(0);
  }

  // ---- between registers and scratch ----

  BATCHWORK_INLINE void read(Here const& here, Numbers& x) const {
    BATCHWORK_UNROLL
    for (int k = 0; k < across; ++k) {
      bool const there = here.tile(k) < tiles_of_cols;
      T const* const from = here.group(2 * (there ? here.tile(k) : 0) + here.r / 4) + here.r % 4;
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e)
          x[i][k][e] = there && i < tiles_of_rows ? from[4 * (8 * i + here.row(e))] : T(0);
      }
    }
  }
  /// Columns of the tiles [0, end), times a factor.
  BATCHWORK_INLINE void write(Here const& here, Numbers const& x, int end, T factor) const {
    BATCHWORK_UNROLL
    for (int k = 0; k < across; ++k) {
      if (here.tile(k) >= end) continue;
      T* const to = here.group(2 * here.tile(k) + here.r / 4) + here.r % 4;
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i) {
        if (i >= tiles_of_rows) continue;
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) to[4 * (8 * i + here.row(e))] = x[i][k][e] * factor;
      }
    }
  }
  /// Four columns that the warp has.
  BATCHWORK_INLINE void write_group(Here const& here, Numbers const& x, int g) const {
    if (here.r / 4 != g % 2) return;
    T* const to = here.group(g) + here.r % 4;
    Vendor::with_constant<across>(g / 2 / warps, [&](auto k) {
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) to[4 * (8 * i + here.row(e))] = x[i][k][e];
      }
    });
  }
  /// Columns times powers of two, so that no square overflows or is lost.
  BATCHWORK_INLINE void scale(Here const& here, Numbers& x) const {
    BATCHWORK_UNROLL
    for (int k = 0; k < across; ++k) {
      T largest = T(0);
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          T const size = Kokkos::abs(x[i][k][e]);
          largest = size > largest ? size : largest;
        }
      }
      BATCHWORK_UNROLL
      for (int step = 1; step < 4; step *= 2) {
        T const other = Vendor::shuffle_xor(largest, step);
        largest = other > largest ? other : largest;
      }
      SafeScale<T> const by(largest);
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i) x[i][k][0] *= by.down, x[i][k][1] *= by.down;
      if (here.c == 0 && here.tile(k) < Tiles)
        here.numbers[to_unscale + 8 * here.tile(k) + here.r] = by.up;
    }
  }
  BATCHWORK_INLINE void set_identity(Here const& here, Numbers& x) const {
    BATCHWORK_UNROLL
    for (int k = 0; k < across; ++k) {
      int const column = 8 * here.tile(k) + here.r;
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i) {
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) x[i][k][e] = 8 * i + here.row(e) == column ? T(1) : T(0);
      }
    }
  }

  // ---- reflections ----

  /// The reflections of panel g, by the warp that has it; the others wait.
  template <class Member>
  BATCHWORK_INLINE void reflect(Member const& member, Here const& here, Numbers const& x,
                                int g) const {
    if (g / 2 % warps == here.warp) {
      write_group(here, x, g);
      Vendor::warp_sync(member);
      // All rows of a lane, or half as many where no more are left.
      Vendor::with_constant<2>(4 * tiles_of_rows - 2 * g > 2 * Tiles, [&](auto all) {
        factor_panel<(decltype(all)::value ? Tiles : (Tiles + 1) / 2)>(here, g);
      });
    }
    Vendor::item_barrier<count>(member, here.item, here.items);
  }
  /// Columns of R behind the last panel.
  BATCHWORK_INLINE void write_rest(Here const& here, Numbers const& x) const {
    BATCHWORK_KEEP_LOOP
    for (int g = panels; 4 * g < n; ++g)
      if (g / 2 % warps == here.warp) write_group(here, x, g);
  }

  /// The reflections of a panel, from its columns in scratch as the panels before have left them.
  template <int Slots>
  BATCHWORK_INLINE void factor_panel(Here const& here, int g) const {
    int const r = here.r, c = here.c, end = 8 * tiles_of_rows - 4 * g;
    T* const panel = here.group(g) + 16 * g + here.in_warp;
    T* const side = here.side(g);
    // Row 8 i + r of column c, times `scale` where it is part of u; `top` is the first number of u.
    // And T(c, k).
    T x[Slots], scale = T(1), top = T(0), t[4] = {T(0), T(0), T(0), T(0)};
    BATCHWORK_UNROLL
    for (int i = 0; i < Slots; ++i) x[i] = 8 * i + r < end ? panel[32 * i] : T(0);
    if (g % 2 != 0 && r < 4) {
      side[16 + here.in_warp] = panel[-16];
      panel[-16] = T(0);
    }
    BATCHWORK_UNROLL
    for (int k = 0; k < 4; ++k) {
      T y[Slots];
      BATCHWORK_UNROLL
      for (int i = 0; i < Slots; ++i) y[i] = Vendor::shuffle<4>(x[i], k);
      T const on_top = Vendor::shuffle<lanes_of_warp>(x[0], 4 * k + c);
      T const head = Vendor::shuffle<lanes_of_warp>(x[0], 5 * k);
      y[0] = r > k ? y[0] : T(0);
      // Two sums, because the additions of a single one would wait for each other.
      T sums[2] = {y[0] * x[0], T(0)};
      BATCHWORK_UNROLL
      for (int i = 1; i < Slots; ++i) sums[i % 2] += y[i] * x[i];
      T below = sums[0] + sums[1];
      BATCHWORK_UNROLL
      for (int step = 4; step < lanes_of_warp; step *= 2) below += Vendor::shuffle_xor(below, step);
      Reflection<T> const h = scaled_reflection(head, Vendor::shuffle<4>(below, k));
      T const w = scale * (h.top * on_top + h.scale * below);
      // Zero for columns up to this one: their R stays, should u be NaN.
      T const share = c > k ? w : T(0), by = c > k ? w * h.scale : T(0);
      x[0] -= r == k ? share * h.top : by * y[0];
      BATCHWORK_UNROLL
      for (int i = 1; i < Slots; ++i) x[i] -= by * y[i];
      scale = c == k ? h.scale : scale;
      top = c == k ? h.top : top;
      if (c == k && r == k) side[5 * k] = h.alpha;
      // T(0:k-1, k) = -T(0:k-1, 0:k-1) V' u (LAPACK's larft); T(k, k) is one.
      T sum = w;
      BATCHWORK_UNROLL
      for (int q = 1; q < k; ++q) sum += t[q] * Vendor::shuffle<4>(w, q);
      t[k] = c < k ? -sum : T(0);
    }
    if (r < c) side[here.in_warp] = x[0];
    x[0] = r < c ? T(0) : r == c ? top : x[0] * scale;
    BATCHWORK_UNROLL
    for (int i = 0; i < Slots; ++i)
      if (8 * i + r < end) panel[32 * i] = i == 0 ? x[0] : x[i] * scale;
    BATCHWORK_UNROLL
    for (int k = 1; k < 4; ++k)
      if (r == 0 && c < k) side[4 * k + c] = t[k];
  }

  /// x -= V T V' x, or V T' V' x if `adjoint`, in columns of the tiles [first, end): of others it
  /// may leave anything. The code is long: a kernel should contain it once.
  BATCHWORK_INLINE void apply(Here const& here, Numbers& x, int g, bool adjoint, int first,
                              int end) const {
    BATCHWORK_UNROLL
    for (int k = 0; k < across; k += at_once) {
      constexpr int last = at_once - 1;
      if (here.tile(k + last < across ? k + last : across - 1) < first || here.tile(k) >= end)
        continue;
      if constexpr (Vendor::chains_matrices<T>) {
        if (k + at_once <= across) apply_by_instructions<at_once>(here, x, g, adjoint, k);
        else apply_by_instructions<1>(here, x, g, adjoint, k);
      } else {
        apply_by_lanes(here, x, g, adjoint, k);
      }
    }
  }

 private:
  /// Columns of tiles that V is read for: beside their own numbers lanes have no more than four
  /// sums of each in registers.
  static constexpr int at_once = Vendor::chains_matrices<T> ? Vendor::blocks_at_once
                                 : across % 4 == 0          ? 4
                                 : across % 3 == 0          ? 3
                                                            : across;
  static_assert(Vendor::chains_matrices<T> || across % at_once == 0);

  BATCHWORK_INLINE void apply_by_lanes(Here const& here, Numbers& x, int g, bool adjoint,
                                       int k0) const {
    int const i0 = g / 2;
    T const* const v0 = here.group(g) + 4 * here.row(0);
    T const* const v1 = here.group(g) + 4 * here.row(1);
    T w[at_once][4];
    BATCHWORK_UNROLL
    for (int k = 0; k < at_once; ++k) {
      BATCHWORK_UNROLL
      for (int q = 0; q < 4; ++q) w[k][q] = T(0);
    }
    // term(a number of V, the sum that it goes into or serves, the number of x that it is
    // multiplied by)
    auto const for_v = [&](auto const& term) {
      BATCHWORK_UNROLL
      for (int i = 0; i < Tiles; ++i) {
        if (i < i0 || i >= tiles_of_rows) continue;
        T v[2][4];
        read_together(v[0], v0 + 32 * i), read_together(v[1], v1 + 32 * i);
        BATCHWORK_UNROLL
        for (int e = 0; e < 2; ++e) {
          BATCHWORK_UNROLL
          for (int k = 0; k < at_once; ++k) {
            BATCHWORK_UNROLL
            for (int q = 0; q < 4; ++q) term(v[e][q], w[k][q], x[i][k0 + k][e]);
          }
        }
      }
    };
    for_v([](T const& v, T& sum, T const& number) { sum += v * number; });
    BATCHWORK_UNROLL
    for (int step = 1; step < 4; step *= 2) {
      BATCHWORK_UNROLL
      for (int k = 0; k < at_once; ++k) {
        BATCHWORK_UNROLL
        for (int q = 0; q < 4; ++q) w[k][q] += Vendor::shuffle_xor(w[k][q], step);
      }
    }
    T t[4][4];  // T'
    BATCHWORK_UNROLL
    for (int q = 1; q < 4; ++q) read_together(t[q], here.side(g) + 4 * q);
    if (adjoint) {
      BATCHWORK_UNROLL
      for (int k = 0; k < at_once; ++k) {
        BATCHWORK_UNROLL
        for (int q = 3; q > 0; --q) {
          BATCHWORK_UNROLL
          for (int p = 0; p < q; ++p) w[k][q] += t[q][p] * w[k][p];
        }
      }
    } else {
      BATCHWORK_UNROLL
      for (int k = 0; k < at_once; ++k) {
        BATCHWORK_UNROLL
        for (int q = 0; q < 3; ++q) {
          BATCHWORK_UNROLL
          for (int p = q + 1; p < 4; ++p) w[k][q] += t[p][q] * w[k][p];
        }
      }
    }
    // V is read anew: beside the own numbers there is no room for it.
    Vendor::scheduling_barrier();
    for_v([](T const& v, T const& sum, T& number) { number -= v * sum; });
  }

  template <int Count>
  BATCHWORK_INLINE void apply_by_instructions(Here const& here, Numbers& x, int g, bool adjoint,
                                              int k0) const {
    int const i0 = g / 2, c = here.c;
    // (V' x)', twice side by side: lanes have numbers 2 c and 2 c + 1 modulo 4 of their column.
    T w[Count][2];
    BATCHWORK_UNROLL
    for (int k = 0; k < Count; ++k) w[k][0] = w[k][1] = T(0);
    T const* const v0 = here.group(g) + 4 * here.row(0) + here.r % 4;
    T const* const v1 = here.group(g) + 4 * here.row(1) + here.r % 4;
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      if (i < i0 || i >= tiles_of_rows) continue;
      T const b[2] = {v0[32 * i], v1[32 * i]};
      T a[2][Count];
      BATCHWORK_UNROLL
      for (int k = 0; k < Count; ++k) a[0][k] = x[i][k0 + k][0], a[1][k] = x[i][k0 + k][1];
      add_products([&](int k) { return w[k]; }, a, b);
    }
    // T(q, c), or T(c, q) if not adjoint, of the lane's two q and the two others.
    T t[4];
    BATCHWORK_UNROLL
    for (int s = 0; s < 4; ++s) {
      int const q = (2 * c + s) % 4, least = q < c ? q : c, most = q < c ? c : q;
      bool const there = adjoint ? q < c : q > c;
      T const number = here.side(g)[4 * most + least];
      t[s] = there ? -number : q == c ? T(-1) : T(0);
    }
    T y[1][Count];
    BATCHWORK_UNROLL
    for (int k = 0; k < Count; ++k) {
      T const other0 = Vendor::shuffle_xor(w[k][0], 1), other1 = Vendor::shuffle_xor(w[k][1], 1);
      y[0][k] = (t[0] * w[k][0] + t[1] * w[k][1]) + (t[2] * other0 + t[3] * other1);
    }
    T const* const v = here.group(g) + 4 * here.row_of_r() + c;
    BATCHWORK_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      if (i < i0 || i >= tiles_of_rows) continue;
      T const b[1] = {v[32 * i]};
      add_products([&](int k) { return x[i][k0 + k]; }, y, b);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
