// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of cholesky, solve_cholesky, solve_lower and solve_upper on hosts. A thread takes one
/// item at a time and copies its triangle to the stack, column by column. It factorises it from the
/// left by blocks of four columns, with rows in packs (Golub and Van Loan, Matrix Computations, 4th
/// edition, section 4.2).
#ifndef BATCHWORK_TRIANGLEHOST_HPP
#define BATCHWORK_TRIANGLEHOST_HPP

#include <cstddef>
#include <cstdint>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleProblem.hpp"
#include "view/detail/loaders/Batchwork_Prefetch.hpp"

namespace Batchwork::Impl {

/// Rows of the largest item that a host's thread takes: half a megabyte of its stack.
inline constexpr int triangle_rows_on_host = 256;

/// Rows: how many there is room for.
template <class T, int Rows>
struct TriangleHost {
  static constexpr int W = native_width<T>;
  using S = Pack<T, W>;
  /// Right-hand sides at once.
  static constexpr int together = 4;
  /// Packs of rows begin at the diagonal and end where they end.
  static constexpr int leading = Rows + 4 + 2 * W;

  TriangleProblem<T> p;
  std::int64_t per_chunk;

  /// Number (i, j) of the triangle is at [j * leading + i].
  struct Numbers {
    alignas(64) T l[std::size_t(Rows + 4) * leading];
    alignas(64) T sides[together * leading];
    T inverse[Rows + 4];
    std::int32_t code;
    bool finite;
  };

  void load(Numbers& of, std::int64_t item) const {
    T const* const a = item_of(p.a, item);
    int const n = p.n, padded = (n + 3) / 4 * 4, rows = padded + 2 * W;
    for (int j = 0; j < padded; ++j) {
      T* const column = of.l + j * leading;
      for (int i = j / 4 * 4; i < j; ++i) column[i] = T(0);
      for (int i = n; i < rows; ++i) column[i] = T(0);
      if (j >= n) column[j] = T(1);
    }
    if (p.a.row < p.a.col) {
      for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) of.l[j * leading + i] = a[i * p.a.row + j * p.a.col];
    } else {
      // Four rows at once, so that neighbours in a column are written together.
      int i = 0;
      for (; i + 4 <= n; i += 4) {
        T const* const row = a + i * p.a.row;
        for (int j = 0; j <= i; ++j)
          for (int r = 0; r < 4; ++r) of.l[j * leading + i + r] = row[r * p.a.row + j * p.a.col];
        for (int r = 1; r < 4; ++r)
          for (int j = i + 1; j <= i + r; ++j)
            of.l[j * leading + i + r] = row[r * p.a.row + j * p.a.col];
      }
      for (; i < n; ++i)
        for (int j = 0; j <= i; ++j) of.l[j * leading + i] = a[i * p.a.row + j * p.a.col];
    }
  }
  void store(Numbers const& of, std::int64_t item) const {
    T* const l = item_of(p.l, item);
    int const n = p.n;
    if (p.l.row < p.l.col) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < j; ++i) l[i * p.l.row + j * p.l.col] = T(0);
        for (int i = j; i < n; ++i) l[i * p.l.row + j * p.l.col] = of.l[j * leading + i];
      }
    } else {
      for (int i = 0; i < n; ++i) {
        T* const row = l + i * p.l.row;
        for (int j = 0; j <= i; ++j) row[j * p.l.col] = of.l[j * leading + i];
        for (int j = i + 1; j < n; ++j) row[j * p.l.col] = T(0);
      }
    }
  }

  // ---- the factorisation ----

  /// Rows i0 .. of columns j0 .. j0 + 3, less what the columns before have in them.
  template <class V, int P>
  static BATCHWORK_INLINE void from_the_left(V (&x)[4][P], Numbers const& of, int i0, int j0) {
    BATCHWORK_UNROLL
    for (int c = 0; c < 4; ++c) {
      BATCHWORK_UNROLL
      for (int q = 0; q < P; ++q) x[c][q] = V::load(of.l + (j0 + c) * leading + i0 + q * V::width);
    }
    T const* column = of.l;
    for (int k = 0; k < j0; ++k) {
      V rows[P];
      BATCHWORK_UNROLL
      for (int q = 0; q < P; ++q) rows[q] = V::load(column + i0 + q * V::width);
      BATCHWORK_UNROLL
      for (int c = 0; c < 4; ++c) {
        V const f(column[j0 + c]);
        BATCHWORK_UNROLL
        for (int q = 0; q < P; ++q) x[c][q] -= rows[q] * f;
      }
      column += leading;
    }
  }
  /// The corner of 4 x 4 on the diagonal.
  static BATCHWORK_INLINE void factorise_corner(Numbers& of, int j0) {
    Pack<T, 4> x[4][1];
    from_the_left(x, of, j0, j0);
    T d[4][4];
    for (int c = 0; c < 4; ++c)
      for (int i = c; i < 4; ++i) d[i][c] = x[c][0].lane(i);
    T inverse[4];
    Impl::factorise_corner(d, inverse, j0, of.code);
    for (int k = 0; k < 4; ++k) of.inverse[j0 + k] = inverse[k];
    for (int c = 0; c < 4; ++c)
      for (int i = c; i < 4; ++i) of.l[(j0 + c) * leading + j0 + i] = d[i][c];
  }
  /// P packs of rows below it.
  template <int P>
  static BATCHWORK_INLINE void factorise_rows(Numbers& of, int i0, int j0) {
    S x[4][P];
    from_the_left(x, of, i0, j0);
    BATCHWORK_UNROLL
    for (int c = 0; c < 4; ++c) {
      BATCHWORK_UNROLL
      for (int m = 0; m < c; ++m) {
        S const f(of.l[(j0 + m) * leading + j0 + c]);
        BATCHWORK_UNROLL
        for (int q = 0; q < P; ++q) x[c][q] -= x[m][q] * f;
      }
      S const f(of.inverse[j0 + c]);
      BATCHWORK_UNROLL
      for (int q = 0; q < P; ++q) {
        x[c][q] *= f;
        x[c][q].store(of.l + (j0 + c) * leading + i0 + q * W);
      }
    }
  }
  void factorise(Numbers& of) const {
    for (int j0 = 0; j0 < p.n; j0 += 4) {
      factorise_corner(of, j0);
      int i = j0 + 4;
      for (; i + W < p.n; i += 2 * W) factorise_rows<2>(of, i, j0);
      if (i < p.n) factorise_rows<1>(of, i, j0);
    }
  }

  // ---- substitution ----

  /// C right-hand sides.
  template <int C>
  void forward(Numbers& of) const {
    for (int j0 = 0; j0 < p.n; j0 += 4) {
      T y[4][C];
      for (int k = 0; k < 4; ++k)
        for (int c = 0; c < C; ++c) {
          T* const side = of.sides + c * leading + j0;
          T sum = side[k];
          for (int m = 0; m < k; ++m) sum -= of.l[(j0 + m) * leading + j0 + k] * y[m][c];
          y[k][c] = side[k] = sum * of.inverse[j0 + k];
        }
      for (int i = j0 + 4; i < p.n; i += W) {
        S sum[C];
        BATCHWORK_UNROLL
        for (int c = 0; c < C; ++c) sum[c] = S::load(of.sides + c * leading + i);
        BATCHWORK_UNROLL
        for (int k = 0; k < 4; ++k) {
          S const x = S::load(of.l + (j0 + k) * leading + i);
          BATCHWORK_UNROLL
          for (int c = 0; c < C; ++c) sum[c] -= x * S(y[k][c]);
        }
        BATCHWORK_UNROLL
        for (int c = 0; c < C; ++c) sum[c].store(of.sides + c * leading + i);
      }
    }
  }
  template <int C>
  void backward(Numbers& of) const {
    for (int j0 = (p.n - 1) / 4 * 4; j0 >= 0; j0 -= 4) {
      S sums[4][C];
      for (int k = 0; k < 4; ++k)
        for (int c = 0; c < C; ++c) sums[k][c] = S(T(0));
      for (int i = j0 + 4; i < p.n; i += W) {
        S x[C];
        BATCHWORK_UNROLL
        for (int c = 0; c < C; ++c) x[c] = S::load(of.sides + c * leading + i);
        BATCHWORK_UNROLL
        for (int k = 0; k < 4; ++k) {
          S const f = S::load(of.l + (j0 + k) * leading + i);
          BATCHWORK_UNROLL
          for (int c = 0; c < C; ++c) sums[k][c] += f * x[c];
        }
      }
      for (int k = 3; k >= 0; --k)
        for (int c = 0; c < C; ++c) {
          T* const side = of.sides + c * leading + j0;
          T sum = side[k];
          for (int lane = 0; lane < W; ++lane) sum -= sums[k][c].lane(lane);
          for (int m = k + 1; m < 4; ++m) sum -= of.l[(j0 + k) * leading + j0 + m] * side[m];
          side[k] = sum * of.inverse[j0 + k];
        }
    }
  }
  template <int C>
  void solve(Numbers& of, std::int64_t item, int c0) const {
    T const* const b = item_of(p.b, item);
    T* const x = item_of(p.x, item);
    int const rows_used = (p.n + 3) / 4 * 4 + 2 * W;
    for (int c = 0; c < C; ++c) {
      for (int i = 0; i < p.n; ++i) of.sides[c * leading + i] = b[i * p.b.row + (c0 + c) * p.b.col];
      for (int i = p.n; i < rows_used; ++i) of.sides[c * leading + i] = T(0);
    }
    if (p.forward) forward<C>(of);
    if (p.backward) backward<C>(of);
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < p.n; ++i) {
        T const y = of.sides[c * leading + i];
        x[i * p.x.row + (c0 + c) * p.x.col] = y;
        of.finite = of.finite && is_finite(y);
      }
  }

  void operator()(std::int64_t chunk) const {
    Numbers of;
    std::int64_t const first = chunk * per_chunk;
    std::int64_t const end = first + per_chunk < p.items ? first + per_chunk : p.items;
    for (std::int64_t item = first; item < end; ++item) {
      if (item + 1 < end) {
        prefetch_item<false>(p.a, item + 1, p.n, p.n);
        prefetch_item<true>(p.l, item + 1, p.n, p.n);
        prefetch_item<false>(p.b, item + 1, p.n, p.columns);
      }
      compute(of, item);
    }
  }
  void compute(Numbers& of, std::int64_t item) const {
    of.code = 0;
    of.finite = true;
    load(of, item);
    if (p.factors) factorise(of);
    else
      for (int k = 0; k < (p.n + 3) / 4 * 4; ++k)
        of.inverse[k] = diagonal_reciprocal(of.l[k * leading + k], k, of.code);
    if (p.stores_factor) store(of, item);
    int c = 0;
    for (; c + together <= p.columns; c += together) solve<together>(of, item, c);
    for (; c < p.columns; ++c) solve<1>(of, item, c);
    if (p.status.wanted()) p.status.put(item, status_with_result(of.code, !of.finite));
  }
};

}  // namespace Batchwork::Impl

#endif
