// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One tridiagonal matrix with the right-hand sides of all items on hosts: the Thomas algorithm
/// with factors that a thread computes once, for packs of items.
#ifndef BATCHWORK_TRIDIAGONALCOMMONHOST_HPP
#define BATCHWORK_TRIDIAGONALCOMMONHOST_HPP

#include <algorithm>
#include <cstdint>

#include "banded/detail/Batchwork_TridiagonalCommonProblem.hpp"
#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"

namespace Batchwork::Impl {

/// Rows: how many there is room for on the stack.
template <class T, int Rows>
struct TridiagonalCommonHost {
  static constexpr int W = native_width<T>;
  using S = Pack<T, W>;
  static constexpr int packs = Rows <= 512 ? 4 : 1, at_once = packs * W;

  TridiagonalCommonProblem<T> p;
  std::int64_t per_chunk;

  struct Numbers {
    T m[Rows], r[Rows], c[Rows];
    alignas(64) S y[Rows][packs];
    std::int32_t code;
  };

  void factorise(Numbers& f) const {
    TridiagonalFailure failure;
    T before = T(0), ratio = T(0);
    for (int i = 0; i < p.n; ++i) {
      T const l = p.below(i), d = p.diagonal(i), u = p.above(i);
      f.m[i] = l * before;
      before = f.r[i] = pivot_reciprocal(d - l * ratio, largest_pivot(l, d, u), i, failure);
      ratio = f.c[i] = u * before;
    }
    f.code = failure.code();
  }

  void solve(Numbers& f, std::int64_t first, int count) const {
    T const* from[at_once];
    T* to[at_once];
    bool from_near = true, to_near = true;
    for (int l = 0; l < at_once; ++l) {
      std::int64_t const item = first + std::min(l, count - 1);
      from[l] = item_of(p.b, item), to[l] = item_of(p.x, item);
      from_near = from_near && from[l] == from[0] + l, to_near = to_near && to[l] == to[0] + l;
    }
    S y[packs], sum[packs];
    for (int q = 0; q < packs; ++q) y[q] = sum[q] = S(T(0));
    for (int i = 0; i < p.n; ++i) {
      std::int64_t const at = i * p.b.row;
      S const m(f.m[i]);
      BATCHWORK_UNROLL
      for (int q = 0; q < packs; ++q) {
        S b;
        if (from_near) b = S::load(from[0] + at + q * W);
        else
          for (int l = 0; l < W; ++l) b.set_lane(l, from[q * W + l][at]);
        y[q] = b - m * y[q];
        f.y[i][q] = y[q];
      }
    }
    for (int q = 0; q < packs; ++q) y[q] = S(T(0));
    for (int i = p.n - 1; i >= 0; --i) {
      std::int64_t const at = i * p.x.row;
      S const r(f.r[i]), c(f.c[i]);
      BATCHWORK_UNROLL
      for (int q = 0; q < packs; ++q) {
        y[q] = f.y[i][q] * r - c * y[q];
        // Zero times a number that is not finite is NaN, and stays so.
        sum[q] += y[q] * S(T(0));
        if (to_near) y[q].store(to[0] + at + q * W);
        else
          for (int l = 0; l < W && q * W + l < count; ++l) to[q * W + l][at] = y[q].lane(l);
      }
    }
    if (!p.status.wanted()) return;
    for (int l = 0; l < count; ++l) {
      bool const finite = sum[l / W].lane(l % W) == T(0);
      bool const failed = f.code != 0 && Status::reason(f.code) != Reason::inaccurate;
      p.status.put(first + l, !failed && !finite ? Status::code(Reason::not_finite, 0) : f.code);
    }
  }

  void operator()(std::int64_t chunk) const {
    Numbers f;
    factorise(f);
    std::int64_t const end = std::min((chunk + 1) * per_chunk, p.items);
    for (std::int64_t item = chunk * per_chunk; item < end; item += at_once)
      solve(f, item, int(std::min<std::int64_t>(at_once, end - item)));
  }
};

}  // namespace Batchwork::Impl

#endif
