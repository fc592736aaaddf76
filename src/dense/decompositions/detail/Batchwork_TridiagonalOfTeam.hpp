// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TridiagonalOfTeam: a symmetric matrix becomes tridiagonal by reflections, and vectors are
/// multiplied by these, by a team of warps.
#ifndef BATCHWORK_TRIDIAGONALOFTEAM_HPP
#define BATCHWORK_TRIDIAGONALOFTEAM_HPP

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairMemory.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// Of matrices up to `Tiles` tiles of rows. The product of a step and the update of the step before
/// it take one pass, with two waits (Golub and Van Loan, Matrix Computations, 4th edition, section
/// 8.3.1).
template <class T, int Tiles, int Lanes, class Member>
struct TridiagonalOfTeam : EigenpairMemory<T, Lanes, Member> {
  using Memory = EigenpairMemory<T, Lanes, Member>;
  using Memory::column, Memory::array, Memory::part, Memory::d, Memory::e;
  using Memory::deep, Memory::tile, Memory::width, Memory::warps;
  using Memory::unit, Memory::put_unit, Memory::sync, Memory::shape, Memory::matrix, Memory::rank;

  BATCHWORK_INLINE explicit TridiagonalOfTeam(Memory const& of) : Memory(of) {}

  /// The matrix becomes the vectors of the reflections, packed, and d and e.
  BATCHWORK_INLINE void tridiagonalise() const {
    constexpr int most = (Tiles * tile / deep + lanes_of_warp - 1) / lanes_of_warp;
    int const n = shape.n, units = shape.units, warp = rank / lanes_of_warp;
    T *before = array(2), *now = array(3);
    T *const w = array(4), *const p = array(5);
    for (int i = rank; i < shape.leading(); i += Lanes) before[i] = now[i] = w[i] = p[i] = T(0);
    if (rank < warps) part()[rank] = T(0);
    sync();
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k + 2 < n; ++k) {
      if (warp == 0) begin_step<most>(k, before, now, w, p);
      sync();
      change_columns(k + 1, before, now, w, p);
      sync();
      T* const other = before;
      before = now;
      now = other;
    }
    if (rank < 2) {
      int const k = n - 2 + rank;
      Change const change = change_of(k, before, p);
      d()[k] = change.apply_one(column(k), k);
      e()[k] = rank == 0 ? change.apply_one(column(k), k + 1) : T(0);
    }
    int const first = (n - 2) / deep;
    for (int q = first + rank; q < units; q += Lanes)
      put_unit(matrix + shape.reflector(n - 3) + (q - first) * deep, unit(before + q * deep));
    sync();
  }
  /// x, columns of a warp, times all reflections, eight at a time: H_0 .. H_7 x = x - V y, where y
  /// follows from V'x by the products of the reflections, V'V.
  BATCHWORK_INLINE void reflect_back(double (&x)[Tiles][2]) const {
    int const lane = rank % lanes_of_warp, own = lane / 4, two = lane % 4 * 2, count = shape.n - 2;
    auto const start = [&](int k) {
      int const there = k < count ? k : 0;
      return matrix + shape.reflector(there) - (there + 1) / deep * deep;
    };
    // Tile k0 / 8 has what is before a vector as well.
    auto const entry = [&](T const* u, int t, int row, int k0, int k) {
      T const v = u[t * tile + row];
      return k < count && (t * tile > k0 || row > k - k0) ? double(v) : 0.0;
    };
    BATCHWORK_KEEP_LOOP
    for (int k0 = (count - 1) / tile * tile; k0 >= 0; k0 -= tile) {
      double s[2][2][2] = {};  // two sums each, for V'x and V'V
      T const* const u = start(k0 + own);
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        if (t * tile < k0 || t >= shape.tiles) continue;
        BATCHWORK_UNROLL
        for (int c = 0; c < 2; ++c) {
          double const v = entry(u, t, two + c, k0, k0 + own);
          add_products_in_double(s[c], {x[t][c], v}, v);
        }
      }
      double y[2], of[2];
      BATCHWORK_UNROLL
      for (int c = 0; c < 2; ++c) {
        y[c] = s[0][0][c] + s[1][0][c];
        of[c] = s[0][1][c] + s[1][1][c];
      }
      BATCHWORK_UNROLL
      for (int b = tile - 1; b > 0; --b) {
        double const known = Vendor::shuffle<lanes_of_warp>(y[b % 2], own * 4 + b / 2);
        BATCHWORK_UNROLL
        for (int c = 0; c < 2; ++c) {
          double const product = Vendor::shuffle<lanes_of_warp>(of[c], b * 4 + two / 2);
          if (two + c < b) y[c] -= product * known;
        }
      }
      T const *const v0 = start(k0 + two), *const v1 = start(k0 + two + 1);
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        if (t * tile < k0 || t >= shape.tiles) continue;
        add_product_in_double(x[t], -y[0], entry(v0, t, own, k0, k0 + two));
        add_product_in_double(x[t], -y[1], entry(v1, t, own, k0, k0 + two + 1));
      }
    }
  }

 private:
  /// By one warp: reflection `now` of column k, which is read with the change of the step before,
  /// A - u w' - w u', w = p - u'p/2 u; and w.
  template <int Most>
  BATCHWORK_INLINE void begin_step(int k, T const* before, T* now, T* w, T const* p) const {
    int const lane = rank % lanes_of_warp;
    Change const change = change_of(k, before, p);
    T const* const a = column(k);
    T const head = change.apply_one(a, k + 1);
    Unit<T> x[Most];
    T below(0);
    BATCHWORK_UNROLL
    for (int m = 0; m < Most; ++m) {
      int const q = m * lanes_of_warp + lane;
      x[m] = Unit<T>{};
      if (q >= k / deep && q < shape.units) x[m] = change.apply(a, q * deep);
      BATCHWORK_UNROLL
      for (int c = 0; c < deep; ++c) {
        if (q * deep + c <= k + 1) x[m].v[c] = T(0);
        below += x[m].v[c] * x[m].v[c];
      }
    }
    BATCHWORK_UNROLL
    for (int step = 1; step < lanes_of_warp; step *= 2) below += Vendor::shuffle_xor(below, step);
    auto const [alpha, top, scale] = scaled_reflection(head, below);
    BATCHWORK_UNROLL
    for (int m = 0; m < Most; ++m) {
      int const q = m * lanes_of_warp + lane, i0 = q * deep;
      if (q >= shape.units) continue;
      Unit<T> const b = unit(before + i0), pi = unit(p + i0);
      Unit<T> u, v;
      BATCHWORK_UNROLL
      for (int c = 0; c < deep; ++c) {
        u.v[c] = i0 + c == k + 1 ? top : scale * x[m].v[c];
        v.v[c] = i0 + c < k ? T(0) : pi.v[c] - change.half * b.v[c];
      }
      put_unit(now + i0, u);
      put_unit(w + i0, v);
      // Over columns that are read no longer.
      if (k > 0 && q >= k / deep)
        put_unit(matrix + shape.reflector(k - 1) + i0 - k / deep * deep, b);
    }
    if (lane == 0) {
      d()[k] = change.apply_one(a, k);
      e()[k] = alpha;
    }
  }
  /// How column k changes by the step before.
  struct Change {
    T const *u, *p;
    T half, uk, wk;

    BATCHWORK_INLINE T w(int i) const { return p[i] - half * u[i]; }
    BATCHWORK_INLINE T apply_one(T const* a, int i) const { return a[i] - u[i] * wk - w(i) * uk; }
    BATCHWORK_INLINE Unit<T> apply(T const* a, int i) const {
      Unit<T> const ui = unit(u + i), pi = unit(p + i);
      Unit<T> x = unit(a + i);
      BATCHWORK_UNROLL
      for (int c = 0; c < deep; ++c)
        x.v[c] = x.v[c] - ui.v[c] * wk - (pi.v[c] - half * ui.v[c]) * uk;
      return x;
    }
  };
  BATCHWORK_INLINE Change change_of(int k, T const* u, T const* p) const {
    T product[warps];
    BATCHWORK_UNROLL
    for (int i = 0; i < warps; ++i) product[i] = part()[i];
    BATCHWORK_UNROLL
    for (int left = warps; left > 1; left = (left + 1) / 2) {
      BATCHWORK_UNROLL
      for (int i = 0; i < left / 2; ++i) product[i] += product[i + (left + 1) / 2];
    }
    T const half = product[0] * T(0.5);
    return {u, p, half, u[k], p[k] - half * u[k]};
  }
  /// Columns from `first` on change by u = `before` and w, and p becomes their products with `now`.
  BATCHWORK_INLINE void change_columns(int first, T const* before, T const* now, T const* w,
                                       T* p) const {
    constexpr int groups = Lanes / width;
    T product(0);
    int j = first;
    for (; shape.n - j > 3 * groups; j += 4 * groups)
      change_some<4>(first, j, before, now, w, p, product);
    if (shape.n - j > 2 * groups) change_some<3>(first, j, before, now, w, p, product);
    else if (shape.n - j > groups) change_some<2>(first, j, before, now, w, p, product);
    else if (shape.n > j) change_some<1>(first, j, before, now, w, p, product);
    BATCHWORK_UNROLL
    for (int step = width; step < lanes_of_warp; step *= 2)
      product += Vendor::shuffle_xor(product, step);
    if (rank % lanes_of_warp == 0) part()[rank / lanes_of_warp] = product;
  }
  /// C columns of each group of lanes, of which the last one may be missing.
  template <int C>
  BATCHWORK_INLINE void change_some(int first, int j0, T const* before, T const* now, T const* w,
                                    T* p, T& product) const {
    constexpr int groups = Lanes / width;
    int const row = rank % width, j = j0 + rank / width;
    bool const whole = j + (C - 1) * groups < shape.n;
    T share[C], wj[C], uj[C];
    T* to[C];
    BATCHWORK_UNROLL
    for (int c = 0; c < C; ++c) {
      // Lanes without the last column have their first one instead, or nothing to read at all.
      int const at = c + 1 < C || whole ? j + c * groups : C > 1 ? j : first;
      share[c] = T(0), wj[c] = w[at], uj[c] = before[at], to[c] = column(at);
    }
    int q = C > 1 || whole ? first / deep + row : shape.units;
    Unit<T> y[C], b{}, v{}, u{};
    auto const read = [&](int at) {
      b = unit(before + at * deep), v = unit(w + at * deep), u = unit(now + at * deep);
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c) y[c] = unit(to[c] + at * deep);
    };
    if (q < shape.units) read(q);
    BATCHWORK_KEEP_LOOP
    while (q < shape.units) {
      Unit<T> z[C];
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c) {
        BATCHWORK_UNROLL
        for (int t = 0; t < deep; ++t) {
          z[c].v[t] = y[c].v[t] - (b.v[t] * wj[c] + v.v[t] * uj[c]);
          share[c] += z[c].v[t] * u.v[t];
        }
      }
      // The next ones are on their way meanwhile.
      int const next = q + width;
      if (next < shape.units) read(next);
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c)
        if (c + 1 < C || whole) put_unit(to[c] + q * deep, z[c]);
      q = next;
    }
    BATCHWORK_UNROLL
    for (int step = 1; step < width; step *= 2) {
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c) share[c] += Vendor::shuffle_xor(share[c], step);
    }
    BATCHWORK_UNROLL
    for (int c = 0; c < C; ++c) {
      if (row != 0 || (c + 1 == C && !whole)) continue;
      p[j + c * groups] = share[c];
      product += share[c] * now[j + c * groups];
    }
  }
};

}  // namespace Batchwork::Impl

#endif
