// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_tridiagonal on hosts: the Thomas algorithm, by a thread for packs of items,
/// which are read as packs where items are side by side in memory, else number by number.
#ifndef BATCHWORK_TRIDIAGONALHOST_HPP
#define BATCHWORK_TRIDIAGONALHOST_HPP

#include <cstdint>

#include "banded/detail/Batchwork_TridiagonalProblem.hpp"
#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"

namespace Batchwork::Impl {

/// Rows: how many there is room for on the stack. P: packs at once, since a division waits for the
/// one before.
template <class T, int Rows, int P>
struct TridiagonalHost {
  static constexpr int W = native_width<T>;
  using S = Pack<T, W>;

  TridiagonalProblem<T> p;
  std::int64_t per_chunk;  ///< items, a multiple of W
  bool by_packs = false, gathers = false;

  TridiagonalHost(TridiagonalProblem<T> const& problem, std::int64_t chunk)
      : p(problem), per_chunk(chunk) {
    // Packs of items that begin at a multiple of W; or else items at equal distances.
    auto const all = [this](auto const& is) {
      return is(p.lower) && is(p.diagonal) && is(p.upper) && is(p.b) && is(p.x);
    };
    by_packs = all([](auto const& s) {
      return s.width == 1 ? s.group == 1 : s.lane == 1 && s.width % W == 0;
    });
    gathers = !by_packs && all([](auto const& s) { return s.width == 1; });
  }

  /// Row i of a pack of items: side by side, or `apart` numbers from one to the next.
  template <bool Gathered, class U>
  static BATCHWORK_INLINE S read(U const* at, [[maybe_unused]] std::int64_t apart) {
    if constexpr (Gathered) {
      S r;
      BATCHWORK_UNROLL
      for (int l = 0; l < W; ++l) r.set_lane(l, at[l * apart]);
      return r;
    } else {
      return S::load(at);
    }
  }
  template <bool Gathered>
  static BATCHWORK_INLINE void write(T* at, [[maybe_unused]] std::int64_t apart, S const& x) {
    if constexpr (Gathered) {
      BATCHWORK_UNROLL
      for (int l = 0; l < W; ++l) at[l * apart] = x.lane(l);
    } else {
      x.store(at);
    }
  }

  /// Q packs of items from `item` on. Until they are solved x holds what the elimination has left
  /// of b, or the stack where that is nearer.
  template <int Q, bool Gathered>
  void several(std::int64_t item) const {
    S ratios[Rows][Q], left[Gathered ? Rows : 1][Q];
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
      S l[Q], u[Q], r[Q];
      BATCHWORK_UNROLL
      for (int q = 0; q < Q; ++q) {
        l[q] = i > 0 ? read<Gathered>(lower[q] + i * p.lower.row, p.lower.group) : S(T(0));
        S const m = read<Gathered>(diagonal[q] + i * p.diagonal.row, p.diagonal.group);
        u[q] = i + 1 < p.n ? read<Gathered>(upper[q] + i * p.upper.row, p.upper.group) : S(T(0));
        r[q] = reciprocals(m - l[q] * c[q], largest_pivot(l[q], m, u[q]), i, failures + q * W);
      }
      BATCHWORK_UNROLL
      for (int q = 0; q < Q; ++q) {
        c[q] = u[q] * r[q];
        d[q] = (read<Gathered>(b[q] + i * p.b.row, p.b.group) - l[q] * d[q]) * r[q];
        ratios[i][q] = c[q];
        if constexpr (Gathered) left[i][q] = d[q];
        else d[q].store(x[q] + i * p.x.row);
      }
    }
    for (int i = p.n - 1; i >= 0; --i) {
      BATCHWORK_UNROLL
      for (int q = 0; q < Q; ++q) {
        T* const to = x[q] + i * p.x.row;
        if (i + 1 < p.n) {
          if constexpr (Gathered) d[q] = left[i][q] - ratios[i][q] * d[q];
          else d[q] = S::load(to) - ratios[i][q] * d[q];
        }
        if (Gathered || i + 1 < p.n) write<Gathered>(to, p.x.group, d[q]);
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
  static BATCHWORK_INLINE S reciprocals(S const& pivots, S const& largest, int row,
                                        TridiagonalFailure* failures) {
    S r = S(T(1)) / pivots;
    S const size = Impl::abs(pivots);
    // Not so for NaN and infinity.
    auto const good = size >= S(std::numeric_limits<T>::min()) && size < largest;
    if (any(!good))
      for (int l = 0; l < W; ++l)
        r.set_lane(l, pivot_reciprocal(pivots.lane(l), largest.lane(l), row, failures[l]));
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
      T const m = diagonal[i * p.diagonal.row], u = i + 1 < p.n ? upper[i * p.upper.row] : T(0);
      T const r = pivot_reciprocal(m - l * c, largest_pivot(l, m, u), i, failure);
      c = u * r;
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

  template <int Q, bool Gathered>
  std::int64_t all_packs(std::int64_t item, std::int64_t end) const {
    if constexpr (Q > 1)
      for (; item + Q * W <= end; item += Q * W) several<Q, Gathered>(item);
    for (; item + W <= end; item += W) several<1, Gathered>(item);
    return item;
  }
  void operator()(std::int64_t chunk) const {
    std::int64_t item = chunk * per_chunk;
    std::int64_t const end = item + per_chunk < p.items ? item + per_chunk : p.items;
    if (by_packs) item = all_packs<P, false>(item, end);
    else if (gathers) item = all_packs<P, true>(item, end);
    for (; item < end; ++item) one(item);
  }
};

}  // namespace Batchwork::Impl

#endif
