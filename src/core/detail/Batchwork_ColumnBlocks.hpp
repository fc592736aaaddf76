// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Matrices in a host thread's memory, stored column by column, of numbers or packs: blocks of
/// columns, products by blocks, and columns sorted separately for each item of a pack.
#ifndef BATCHWORK_COLUMNBLOCKS_HPP
#define BATCHWORK_COLUMNBLOCKS_HPP

#include "core/Batchwork_Value.hpp"

namespace Batchwork::Impl {

/// The best distance between columns of so many numbers. Columns at a distance of a power of two
/// would use the same sets of a cache.
constexpr int host_leading(int rows) { return rows < 16 ? rows : rows | 1; }

/// Calls f<Count>(j) for blocks j .. j + Count - 1 of first .. end - 1. The data of a block stay in
/// registers, its columns in the first-level cache.
template <int Count, class F>
BATCHWORK_INLINE void for_blocks(int first, int end, F const& f) {
  int j = first;
  for (; j + Count <= end; j += Count) f.template operator()<Count>(j);
  if constexpr (Count > 1) for_blocks<Count / 2>(j, end, f);
}

/// g := -a' a, n x n, both triangles; a is m x n.
template <class S>
KOKKOS_FUNCTION void negative_gram(S const* a, int leading, int m, int n, S* g, int leading_of_g) {
  for_blocks<4>(0, n, [&]<int Count>(int j) {
    for (int k = 0; k < j + Count; ++k) {
      S sum[Count];
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c) sum[c] = S(scalar_t<S>(0));
      for (int i = 0; i < m; ++i) {
        BATCHWORK_UNROLL
        for (int c = 0; c < Count; ++c) sum[c] -= a[(j + c) * leading + i] * a[k * leading + i];
      }
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c)
        g[(j + c) * leading_of_g + k] = g[k * leading_of_g + j + c] = sum[c];
    }
  });
}

/// a := a v for an m x n matrix a and an n x n matrix v, two rows at a time, which are kept in the
/// 2 n numbers of `rows` meanwhile.
template <class S>
KOKKOS_FUNCTION void multiply_in_place(S* a, int leading, int m, int n, S const* v,
                                       int leading_of_v, S* rows) {
  for_blocks<2>(0, m, [&]<int Rows>(int i) {
    for (int k = 0; k < n; ++k)
      for (int r = 0; r < Rows; ++r) rows[Rows * k + r] = a[k * leading + i + r];
    for_blocks<4>(0, n, [&]<int Count>(int j) {
      S sum[Count * Rows];
      BATCHWORK_UNROLL
      for (int c = 0; c < Count * Rows; ++c) sum[c] = S(scalar_t<S>(0));
      for (int k = 0; k < n; ++k) {
        BATCHWORK_UNROLL
        for (int c = 0; c < Count * Rows; ++c)
          sum[c] += rows[Rows * k + c % Rows] * v[(j + c / Rows) * leading_of_v + k];
      }
      BATCHWORK_UNROLL
      for (int c = 0; c < Count * Rows; ++c) a[(j + c / Rows) * leading + i + c % Rows] = sum[c];
    });
  });
}

/// places[k] becomes the index of the k-th smallest of n values, as a number, for each item; it
/// becomes k if a value is not finite. `rank` is work space for n numbers.
template <class S>
KOKKOS_FUNCTION void find_order(S const* values, int n, S* places, S* rank) {
  S const one(scalar_t<S>(1)), zero(scalar_t<S>(0));
  S sum(zero);
  for (int j = 0; j < n; ++j) {
    S before(zero);
    for (int i = 0; i < j; ++i) {
      auto const earlier = values[i] <= values[j];
      before += select(earlier, one, zero);
      rank[i] += select(earlier, zero, one);
    }
    rank[j] = before;
    places[j] = zero;
    sum += values[j] - values[j];
  }
  auto const finite = sum == zero;
  for (int j = 0; j < n; ++j) {
    S const place = select(finite, rank[j], S(scalar_t<S>(j)));
    for (int l = 0; l < ValueTraits<S>::width; ++l)
      set_entry_of_pack(places[int(entry_of_pack(place, l))], l, scalar_t<S>(j));
  }
}
/// *at(place), item by item.
template <class S, class F>
BATCHWORK_INLINE S gathered(S const& places, F const& at) {
  S x(scalar_t<S>(0));
  for (int l = 0; l < ValueTraits<S>::width; ++l)
    set_entry_of_pack(x, l, entry_of_pack(*at(int(entry_of_pack(places, l))), l));
  return x;
}
/// Moves column places[k] to place k; `row` is work space for n numbers.
template <class S>
KOKKOS_FUNCTION void permute_columns(S* a, int leading, int m, int n, S const* places, S* row) {
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < n; ++k) row[k] = a[k * leading + i];
    for (int k = 0; k < n; ++k)
      a[k * leading + i] = gathered(places[k], [&](int place) { return row + place; });
  }
}

}  // namespace Batchwork::Impl

#endif
