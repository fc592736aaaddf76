// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of a gemm on hosts, by blocks that stay in registers (Goto and van de Geijn 2008).
/// If items are contiguous, a pack holds W items. Otherwise it holds W columns of C, and rows of B
/// must be contiguous: if they are not, a panel of B is copied to the thread's stack.
#ifndef BATCHWORK_GEMMHOST_HPP
#define BATCHWORK_GEMMHOST_HPP

#include <cstdint>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// Blocks of 4 x 2 packs: 8 sums, 2 packs of B and one number of A fit the sixteen registers of
/// AVX2.
inline constexpr int gemm_block_rows = 4, gemm_block_packs = 2;

/// alpha sum + beta before; `before` is not read if beta is 0.
template <class S, class T, class Read>
inline S gemm_result(S const& sum, T alpha, T beta, Read const& before) {
  S const scaled = S(alpha) * sum;
  return beta == T(0) ? scaled : scaled + S(beta) * before();
}

// ---- items side by side
// ---------------------------------------------------------------------------------------------

/// C, and A and B unless they are shared, have their items side by side: a pack is an entry of W
/// items.
template <class T>
struct GemmHostItems {
  static constexpr int W = native_width<T>;
  GemmProblem<T> p;
  std::int64_t per_chunk;

  static bool suits(GemmProblem<T> const& p) {
    return p.items > 1 && p.c.item == 1 && (p.shared_a || p.a.item == 1) &&
           (p.shared_b || p.b.item == 1);
  }

  template <class S>
  static BATCHWORK_INLINE S load(T const* from, bool shared) {
    if constexpr (std::is_same_v<S, T>) return *from;
    else return shared ? S(*from) : S::load(from);
  }
  template <class S>
  static BATCHWORK_INLINE void store(T* to, S const& x) {
    if constexpr (std::is_same_v<S, T>) *to = x;
    else x.store(to);
  }

  template <class S, bool SharedA, bool SharedB, int R, int C>
  void block(T const* a, T const* b, T* c) const {
    S sums[R][C];
    for (int r = 0; r < R; ++r)
      for (int j = 0; j < C; ++j) sums[r][j] = S(T(0));
    for (std::int64_t k = 0; k < p.k; ++k) {
      S y[C];
      BATCHWORK_UNROLL
      for (int j = 0; j < C; ++j) y[j] = load<S>(b + j * p.b.col, SharedB);
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        S const x = load<S>(a + r * p.a.row, SharedA);
        BATCHWORK_UNROLL
        for (int j = 0; j < C; ++j) sums[r][j] += x * y[j];
      }
      a += p.a.col;
      b += p.b.row;
    }
    for (int r = 0; r < R; ++r)
      for (int j = 0; j < C; ++j) {
        T* const to = c + r * p.c.row + j * p.c.col;
        store(to, gemm_result(sums[r][j], p.alpha, p.beta, [&] { return load<S>(to, false); }));
      }
  }
  template <class S, bool SharedA, bool SharedB, int R>
  void rows(std::int64_t item, std::int64_t i) const {
    T const* const a = p.a.data + (SharedA ? 0 : item) + i * p.a.row;
    T const* const b = p.b.data + (SharedB ? 0 : item);
    T* const c = p.c.data + item + i * p.c.row;
    std::int64_t j = 0;
    for (; j + 2 <= p.n; j += 2)
      block<S, SharedA, SharedB, R, 2>(a, b + j * p.b.col, c + j * p.c.col);
    if (j < p.n) block<S, SharedA, SharedB, R, 1>(a, b + j * p.b.col, c + j * p.c.col);
  }
  template <class S, bool SharedA, bool SharedB>
  void compute(std::int64_t item) const {
    std::int64_t i = 0;
    for (; i + 4 <= p.m; i += 4) rows<S, SharedA, SharedB, 4>(item, i);
    if (i + 2 <= p.m) {
      rows<S, SharedA, SharedB, 2>(item, i);
      i += 2;
    }
    if (i < p.m) rows<S, SharedA, SharedB, 1>(item, i);
  }
  template <class S>
  void compute(std::int64_t item) const {
    if (p.shared_a) compute<S, true, false>(item);
    else if (p.shared_b) compute<S, false, true>(item);
    else compute<S, false, false>(item);
  }

  void operator()(std::int64_t chunk) const {
    std::int64_t item = chunk * per_chunk;
    std::int64_t const end = item + per_chunk < p.items ? item + per_chunk : p.items;
    for (; item + W <= end; item += W) compute<Pack<T, W>>(item);
    for (; item < end; ++item) compute<T>(item);
  }
};

// ---- item by item
// ---------------------------------------------------------------------------------------------

/// A chunk is some items, or a block of rows of one.
template <class T>
struct GemmHostRows {
  static constexpr int W = native_width<T>;
  static constexpr int panel_rows = 64, panel_cols = 64;
  GemmProblem<T> p;
  std::int64_t per_chunk, row_blocks, rows_at_once;

  /// Row k of a panel of B begins at data + k * leading.
  struct Panel {
    T const* data;
    std::int64_t leading;
  };
  /// A panel's place in C, and how it goes on there.
  struct Target {
    T const* a;
    T* c;
    std::int64_t terms;
    T beta;
  };

  template <class S, int R, int P>
  void block(Panel const& b, Target const& t) const {
    constexpr int width = ValueTraits<S>::width;
    S sums[R][P];
    for (int r = 0; r < R; ++r)
      for (int j = 0; j < P; ++j) sums[r][j] = S(T(0));
    T const *x = t.a, *y = b.data;
    for (std::int64_t k = 0; k < t.terms; ++k) {
      S row[P];
      BATCHWORK_UNROLL
      for (int j = 0; j < P; ++j) row[j] = load<S>(y + j * width);
      BATCHWORK_UNROLL
      for (int r = 0; r < R; ++r) {
        S const f(x[r * p.a.row]);
        BATCHWORK_UNROLL
        for (int j = 0; j < P; ++j) sums[r][j] += f * row[j];
      }
      x += p.a.col;
      y += b.leading;
    }
    for (int r = 0; r < R; ++r)
      for (int j = 0; j < P; ++j) put(t.c + r * p.c.row + j * width * p.c.col, sums[r][j], t.beta);
  }
  template <class S>
  static BATCHWORK_INLINE S load(T const* from) {
    if constexpr (std::is_same_v<S, T>) return *from;
    else return S::load(from);
  }
  BATCHWORK_INLINE void put(T* to, T sum, T beta) const {
    *to = gemm_result(sum, p.alpha, beta, [&] { return *to; });
  }
  template <int N>
  BATCHWORK_INLINE void put(T* to, Pack<T, N> const& sum, T beta) const {
    if (p.c.col == 1) {
      gemm_result(sum, p.alpha, beta, [&] { return Pack<T, N>::load(to); }).store(to);
    } else {
      for (int l = 0; l < N; ++l) put(to + l * p.c.col, sum.lane(l), beta);
    }
  }

  /// R rows of a panel: two packs at a time, then one, then narrower ones.
  template <int R, int N>
  void columns(Panel b, Target t, std::int64_t count) const {
    using S = std::conditional_t<N == 1, T, Pack<T, N>>;
    auto const forward = [&](int by) {
      b.data += by;
      t.c += by * p.c.col;
      count -= by;
    };
    if constexpr (N == W) {
      while (count >= 2 * N) {
        block<S, R, 2>(b, t);
        forward(2 * N);
      }
    }
    if (count >= N) {
      block<S, R, 1>(b, t);
      forward(N);
    }
    if constexpr (N > 1) {
      if (count > 0) columns<R, N / 2>(b, t, count);
    }
  }

  /// Rows i0 .. i1 - 1 of an item. `kept` is the panel that the stack holds.
  struct Kept {
    T const* of = nullptr;
    T numbers[panel_rows * panel_cols];
  };
  void compute(std::int64_t item, std::int64_t i0, std::int64_t i1, Kept& kept) const {
    T const* const a = p.a.of_item(item);
    T const* const b = p.b.of_item(item);
    T* const c = p.c.of_item(item);
    bool const copies = p.b.col != 1 && p.n > 1;
    std::int64_t const cols_at_once = copies ? panel_cols : p.n,
                       terms_at_once = copies ? panel_rows : 256;
    for (std::int64_t j = 0; j < p.n; j += cols_at_once) {
      std::int64_t const cols = j + cols_at_once < p.n ? cols_at_once : p.n - j;
      std::int64_t k = 0;
      do {
        std::int64_t const terms = k + terms_at_once < p.k ? terms_at_once : p.k - k;
        Panel panel{b + k * p.b.row + j * p.b.col, p.b.row};
        if (copies) {
          if (kept.of != panel.data && terms > 0) copy_panel(kept, panel.data, terms, cols);
          panel = {kept.numbers, panel_cols};
        }
        Target t{a + k * p.a.col + i0 * p.a.row, c + i0 * p.c.row + j * p.c.col, terms,
                 k == 0 ? p.beta : T(1)};
        auto const down = [&](std::int64_t rows) {
          t.a += rows * p.a.row;
          t.c += rows * p.c.row;
        };
        std::int64_t i = i0;
        for (; i + 4 <= i1; i += 4, down(4)) columns<4, W>(panel, t, cols);
        if (i + 2 <= i1) {
          columns<2, W>(panel, t, cols);
          i += 2;
          down(2);
        }
        if (i < i1) columns<1, W>(panel, t, cols);
        k += terms_at_once;
      } while (k < p.k);
    }
  }
  void copy_panel(Kept& kept, T const* from, std::int64_t terms, std::int64_t cols) const {
    for (std::int64_t k = 0; k < terms; ++k)
      for (std::int64_t j = 0; j < cols; ++j)
        kept.numbers[k * panel_cols + j] = from[k * p.b.row + j * p.b.col];
    kept.of = from;
  }

  void operator()(std::int64_t index) const {
    std::int64_t const chunk = index / row_blocks,
                       row = (index - chunk * row_blocks) * rows_at_once;
    std::int64_t const first = chunk * per_chunk;
    std::int64_t const end = first + per_chunk < p.items ? first + per_chunk : p.items;
    Kept kept;
    for (std::int64_t item = first; item < end; ++item)
      compute(item, row, row + rows_at_once < p.m ? row + rows_at_once : p.m, kept);
  }
};

/// Body is one of the above; a fixed operand lies in the kernel itself.
template <class Body, class Left>
struct GemmHostKernel {
  Body body;
  Left left;

  void operator()(std::int64_t index) const {
    if constexpr (is_gemm_fixed<Left>) {
      Body with = body;
      (with.p.shared_a ? with.p.a : with.p.b).data = left.values;
      with(index);
    } else {
      body(index);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
