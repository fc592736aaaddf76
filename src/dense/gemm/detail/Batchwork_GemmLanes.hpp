// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm on devices where items are side by side in memory and none is shared: a
/// lane computes register tiles of its own item, neighbouring lanes reading neighbouring numbers.
/// No scratch and no barrier; what several tiles of an item read comes from the cache.
#ifndef BATCHWORK_GEMMLANES_HPP
#define BATCHWORK_GEMMLANES_HPP

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/gemm/detail/Batchwork_GemmProblem.hpp"

namespace Batchwork::Impl {

/// \tparam Size  rows and columns of a register tile
template <class T, int Size>
struct GemmLanes {
  static constexpr int size = Size;
  static constexpr int threads = 128;
  static constexpr int kernel_teams = size > 4 ? 3 : 4;  ///< that a multiprocessor is to hold
  /// How many terms' numbers are read together: a lane waits for the memory, and these fit its
  /// registers.
  static constexpr int terms = size > 4 ? 2 : 4;

  GemmProblem<T> p;
  std::int64_t groups = 0;            ///< of as many items as a team has lanes
  std::int64_t down = 1, across = 1;  ///< tiles of an item
  bool splits =
      false;  ///< the tiles of an item are computed by as many teams, one after the other in order

  GemmLanes(GemmProblem<T> const& problem, std::int64_t concurrency) : p(problem) {
    groups = (p.items + threads - 1) / threads;
    down = (p.m + size - 1) / size;
    across = (p.n + size - 1) / size;
    // Few items, or items too large for the first-level cache.
    splits = p.items < 4 * concurrency || down * across > 64 / size;
  }
  std::int64_t teams() const { return splits ? groups * down * across : groups; }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    std::int64_t const rank = member.league_rank(), tiles = down * across;
    std::int64_t const group = splits ? rank / tiles : rank;
    std::int64_t const first = splits ? rank - group * tiles : 0;
    std::int64_t const item = group * threads + Vendor::lane_rank(member);
    if (item >= p.items) return;
    for (std::int64_t tile = first; tile < (splits ? first + 1 : tiles); ++tile) {
      std::int64_t const i = tile / across;
      compute(item, i * size, (tile - i * across) * size);
    }
  }

  /// Rows and columns beyond the last one repeat it and are not stored.
  BATCHWORK_INLINE void compute(std::int64_t item, std::int64_t i0, std::int64_t j0) const {
    T sums[size][size];
    T const *a[size], *b[size];
    BATCHWORK_UNROLL
    for (int r = 0; r < size; ++r) {
      std::int64_t const i = i0 + r < p.m ? i0 + r : p.m - 1, j = j0 + r < p.n ? j0 + r : p.n - 1;
      a[r] = p.a.data + item * p.a.item + i * p.a.row;
      b[r] = p.b.data + item * p.b.item + j * p.b.col;
      BATCHWORK_UNROLL
      for (int c = 0; c < size; ++c) sums[r][c] = 0;
    }
    auto const add = [&](auto some) {
      T x[some][size], y[some][size];
      BATCHWORK_UNROLL
      for (int n = 0; n < some; ++n) {
        BATCHWORK_UNROLL
        for (int r = 0; r < size; ++r) {
          x[n][r] = *a[r];
          y[n][r] = *b[r];
          a[r] += p.a.col;
          b[r] += p.b.row;
        }
      }
      BATCHWORK_UNROLL
      for (int n = 0; n < some; ++n) {
        BATCHWORK_UNROLL
        for (int r = 0; r < size; ++r) {
          BATCHWORK_UNROLL
          for (int c = 0; c < size; ++c) sums[r][c] += x[n][r] * y[n][c];
        }
      }
    };
    std::int64_t k = 0;
    BATCHWORK_KEEP_LOOP
    for (; k + terms <= p.k; k += terms) add(std::integral_constant<int, terms>{});
    if (terms > 2 && k + 2 <= p.k) {
      add(std::integral_constant<int, 2>{});
      k += 2;
    }
    if (k < p.k) add(std::integral_constant<int, 1>{});
    BATCHWORK_UNROLL
    for (int r = 0; r < size; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < size; ++c) {
        if (i0 + r >= p.m || j0 + c >= p.n) continue;
        T* const to = p.c.data + item * p.c.item + (i0 + r) * p.c.row + (j0 + c) * p.c.col;
        if (p.beta == T(0)) *to = p.alpha * sums[r][c];
        else *to = p.alpha * sums[r][c] + p.beta * *to;
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif
