// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm on hosts for matrices of few numbers with items that are not contiguous.
/// Their columns would not fill a pack. So W items at a time are interleaved on the thread's stack,
/// and copied back.
#ifndef BATCHWORK_GEMMHOSTSMALL_HPP
#define BATCHWORK_GEMMHOSTSMALL_HPP

#include <algorithm>

#include "dense/gemm/detail/Batchwork_GemmHost.hpp"

namespace Batchwork::Impl {

template <class T>
struct GemmHostSmall {
  static constexpr int W = native_width<T>;
  static constexpr int largest = 6;  ///< extent
  GemmProblem<T> p;
  std::int64_t per_chunk;

  /// Where copying costs less than columns that do not fill a pack. Two or four doubles do well as
  /// packs of their own.
  static bool suits(GemmProblem<T> const& p) {
    return sizeof(T) == 4 && p.a.begins == nullptr && p.b.begins == nullptr &&
           p.c.begins == nullptr && p.items >= W && std::max({p.m, p.n, p.k}) <= largest;
  }

  /// Entry (i, j) of `count` items from `from` on to lane after lane of numbers (i cols + j) W of
  /// `to`, the last one to the lanes that are left.
  template <class Strides>
  static void take(T* to, T const* from, Strides const& s, std::int64_t rows, std::int64_t cols,
                   int count) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j, to += W) {
        T const* const entry = from + i * s.row + j * s.col;
        if (count == W)
          for (int l = 0; l < W; ++l) to[l] = entry[l * s.item];
        else
          for (int l = 0; l < W; ++l) to[l] = entry[std::min(l, count - 1) * s.item];
      }
  }
  template <class Strides>
  static void give(T* to, T const* from, Strides const& s, std::int64_t rows, std::int64_t cols,
                   int count) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j, from += W) {
        T* const entry = to + i * s.row + j * s.col;
        if (count == W)
          for (int l = 0; l < W; ++l) entry[l * s.item] = from[l];
        else
          for (int l = 0; l < count; ++l) entry[l * s.item] = from[l];
      }
  }

  void operator()(std::int64_t chunk) const {
    constexpr int most = largest * largest * W;
    alignas(64) T a[most], b[most], c[most];
    GemmHostItems<T> beside{p, W};
    auto const here = [](auto& operand, T* numbers, std::int64_t cols) {
      operand.data = numbers;
      operand.item = 1;
      operand.row = cols * W;
      operand.col = W;
    };
    if (!p.shared_a) here(beside.p.a, a, p.k);
    if (!p.shared_b) here(beside.p.b, b, p.n);
    here(beside.p.c, c, p.n);
    std::int64_t const first = chunk * per_chunk, end = std::min(first + per_chunk, p.items);
    for (std::int64_t item = first; item < end; item += W) {
      int const count = int(std::min<std::int64_t>(W, end - item));
      if (!p.shared_a) take(a, p.a.data + item * p.a.item, p.a, p.m, p.k, count);
      if (!p.shared_b) take(b, p.b.data + item * p.b.item, p.b, p.k, p.n, count);
      if (p.beta != T(0)) take(c, p.c.data + item * p.c.item, p.c, p.m, p.n, count);
      beside.template compute<Pack<T, W>>(0);
      give(p.c.data + item * p.c.item, c, p.c, p.m, p.n, count);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
