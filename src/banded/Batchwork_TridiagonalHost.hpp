// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal on hosts: the Thomas algorithm, by a thread for packs of items where those are side by
/// side in memory, else for one item at a time.
#ifndef BATCHWORK_TRIDIAGONALHOST_HPP
#define BATCHWORK_TRIDIAGONALHOST_HPP

#include <cstdint>

#include "banded/Batchwork_TridiagonalProblem.hpp"
#include "machine/Batchwork_Lanes.hpp"
#include "machine/Batchwork_Pack.hpp"

namespace Batchwork::Impl {

/// Rows: how many there is room for on the stack. P: packs at once, since a division waits for the one before.
template <class T, int Rows, int P>
struct TridiagonalHost {
  static constexpr int W = native_width<T>;
  using S = Pack<T, W>;

  TridiagonalProblem<T> p;
  std::int64_t per_chunk;  ///< items, a multiple of W
  bool by_packs = false;

  TridiagonalHost(TridiagonalProblem<T> const& problem, std::int64_t chunk)
      : p(problem), per_chunk(chunk) {
    // Packs of items that begin at a multiple of W.
    auto const packs = [](auto const& s) {
      return s.width == 1 ? s.group == 1 : s.lane == 1 && s.width % W == 0;
    };
    by_packs = packs(p.lower) && packs(p.diagonal) && packs(p.upper) && packs(p.b) && packs(p.x);
  }

  /// Q packs of items from `item` on. Until they are solved x holds what the elimination has left of b.
  template <int Q>
  void several(std::int64_t item) const {
    S ratios[Rows][Q];
    TridiagonalFailure failures[Q * W];
    bool infinite[Q * W] = {};
    T const *lower[Q], *diagonal[Q], *upper[Q], *b[Q];
    T* x[Q];
    S c[Q], d[Q];
    for (int q = 0; q < Q; ++q) {
      std::int64_t const first = item + q * W;
      lower[q] = item_of(p.lower, first);
      diagonal[q] = item_of(p.diagonal, first);
      upper[q] = item_of(p.upper, first);
      b[q] = item_of(p.b, first);
      x[q] = item_of(p.x, first);
      c[q] = d[q] = S(T(0));
    }
    for (int i = 0; i < p.n; ++i) {
      S l[Q], r[Q];
      BATCHWORK_UNROLL
      for (int q = 0; q < Q; ++q) {
        l[q] = i > 0 ? S::load(lower[q] + i * p.lower.row) : S(T(0));
        r[q] = reciprocals(S::load(diagonal[q] + i * p.diagonal.row) - l[q] * c[q], i,
                           failures + q * W);
      }
      BATCHWORK_UNROLL
      for (int q = 0; q < Q; ++q) {
        if (i + 1 < p.n) c[q] = S::load(upper[q] + i * p.upper.row) * r[q];
        d[q] = (S::load(b[q] + i * p.b.row) - l[q] * d[q]) * r[q];
        ratios[i][q] = c[q];
        d[q].store(x[q] + i * p.x.row);
      }
    }
    for (int i = p.n - 1; i >= 0; --i) {
      BATCHWORK_UNROLL
      for (int q = 0; q < Q; ++q) {
        if (i + 1 < p.n) {
          d[q] = S::load(x[q] + i * p.x.row) - ratios[i][q] * d[q];
          d[q].store(x[q] + i * p.x.row);
        }
        auto const bad = !is_finite(d[q]);
        if (any(bad))
          for (int l = 0; l < W; ++l) infinite[q * W + l] |= bad.lane(l);
      }
    }
    if (!p.status.wanted()) return;
    for (int k = 0; k < Q * W; ++k) {
      if (infinite[k]) failures[k].add(TridiagonalFailure::of_result);
      p.status.put(item + k, failures[k].code());
    }
  }
  /// pivot_reciprocal for a pack.
  static BATCHWORK_INLINE S reciprocals(S const& pivots, int row, TridiagonalFailure* failures) {
    S r = S(T(1)) / pivots;
    S const size = Impl::abs(pivots);
    auto const good =
        size >= S(std::numeric_limits<T>::min()) && size <= S(std::numeric_limits<T>::max());
    if (any(!good))
      for (int l = 0; l < W; ++l)
        r.set_lane(l, pivot_reciprocal(pivots.lane(l), 0, row, failures[l]));
    return r;
  }

  void one(std::int64_t item) const {
    T ratios[Rows];
    T const *lower = item_of(p.lower, item), *diagonal = item_of(p.diagonal, item),
            *upper = item_of(p.upper, item), *b = item_of(p.b, item);
    T* const x = item_of(p.x, item);
    TridiagonalFailure failure;
    T c = T(0), d = T(0);
    for (int i = 0; i < p.n; ++i) {
      T const l = i > 0 ? lower[i * p.lower.row] : T(0);
      T const r = pivot_reciprocal(diagonal[i * p.diagonal.row] - l * c, 0, i, failure);
      c = i + 1 < p.n ? upper[i * p.upper.row] * r : T(0);
      d = (b[i * p.b.row] - l * d) * r;
      ratios[i] = c;
      x[i * p.x.row] = d;
    }
    bool finite = is_finite(d);
    for (int i = p.n - 2; i >= 0; --i) {
      d = x[i * p.x.row] - ratios[i] * d;
      x[i * p.x.row] = d;
      finite = finite && is_finite(d);
    }
    if (!p.status.wanted()) return;
    if (!finite) failure.add(TridiagonalFailure::of_result);
    p.status.put(item, failure.code());
  }

  void operator()(std::int64_t chunk) const {
    std::int64_t item = chunk * per_chunk;
    std::int64_t const end = item + per_chunk < p.items ? item + per_chunk : p.items;
    if (by_packs) {
      if constexpr (P > 1)
        for (; item + P * W <= end; item += P * W) several<P>(item);
      for (; item + W <= end; item += W) several<1>(item);
    }
    for (; item < end; ++item) one(item);
  }
};

}  // namespace Batchwork::Impl

#endif
