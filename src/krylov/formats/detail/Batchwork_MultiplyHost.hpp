// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of multiply on hosts: a thread takes one item at a time, packs holding terms of a row
/// or numbers of neighbouring rows, whichever are side by side; or a pack of items where those are.
#ifndef BATCHWORK_MULTIPLYHOST_HPP
#define BATCHWORK_MULTIPLYHOST_HPP

#include <cstdint>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyTeams.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"

namespace Batchwork::Impl {

/// Numbers of x in W columns.
template <int W, class T, class X>
BATCHWORK_INLINE Pack<T, W> gather(std::int32_t const* columns, X const& x) {
  Pack<T, W> r;
  for (int l = 0; l < W; ++l) r.set_lane(l, x(columns[l]));
  return r;
}

/// put(i, sum) for the rows of an item, by a host's thread, in whatever way its numbers stand.
/// Sum<S> is PlainSum or BoundedSum.
template <template <class> class Sum, class Item, class X, class Put>
void sum_rows_on_host(Item const& item, int rows, X const& x, Put const& put) {
  for (int i = 0; i < rows; ++i) put(i, row_sum<Sum>(item, i, x));
}

/// Compressed rows with entries side by side: packs of terms.
template <template <class> class Sum, class T, class X, class Put>
void sum_rows_on_host(PatternItem<CsrSystems<T>> const& item, int rows, X const& x,
                      Put const& put) {
  constexpr int W = native_width<T>;
  auto const& a = item.of;
  for (int i = 0; i < rows; ++i) {
    if (a.values.row != 1) {
      put(i, row_sum<Sum>(item, i, x));
      continue;
    }
    std::int64_t const first = a.layout.offsets(i), end = a.layout.offsets(i + 1);
    std::int64_t k = first;
    Sum<T> sum;
    if (end - first >= W) {
      Sum<Pack<T, W>> sums;
      for (; k + W <= end; k += W)
        sums.add(Pack<T, W>::load(item.numbers + k), gather<W, T>(a.layout.columns + k, x));
      sum = sum_of_lanes(sums);
    }
    for (; k < end; ++k) sum.add(item.numbers[k], x(a.layout.columns[k]));
    put(i, sum);
  }
}

/// Places of neighbouring rows side by side: packs of rows. A place that is not there adds nothing,
/// whatever it holds.
template <template <class> class Sum, class T, class X, class Put>
void sum_rows_on_host(PatternItem<EllSystems<T>> const& item, int rows, X const& x,
                      Put const& put) {
  constexpr int W = native_width<T>;
  auto const& a = item.of;
  int i = 0;
  for (; a.values.row == 1 && i + W <= rows; i += W) {
    Sum<Pack<T, W>> sums;
    for (int k = 0; k < a.layout.width; ++k) {
      T const* const v = item.numbers + i + k * a.values.col;
      std::int32_t const* const c =
          a.layout.columns + i * a.layout.column_row + k * a.layout.column_entry;
      int there = 0;
      for (int l = 0; l < W; ++l) there += c[l * a.layout.column_row] >= 0;
      if (there == 0) break;
      Pack<T, W> xs(T(0)), values(T(0));
      if (there == W) {
        for (int l = 0; l < W; ++l) xs.set_lane(l, x(c[l * a.layout.column_row]));
        values = Pack<T, W>::load(v);
      } else {
        for (int l = 0; l < W; ++l) {
          std::int32_t const column = c[l * a.layout.column_row];
          if (column < 0) continue;
          xs.set_lane(l, x(column));
          values.set_lane(l, v[l]);
        }
      }
      sums.add(values, xs);
    }
    for (int l = 0; l < W; ++l) put(i + l, lane_of_sum(sums, l));
  }
  for (; i < rows; ++i) put(i, row_sum<Sum>(item, i, x));
}

/// Packs of terms or of rows.
template <template <class> class Sum, class T, class X, class Put>
void sum_rows_on_host(PatternItem<DenseSystems<T>> const& item, int rows, X const& x,
                      Put const& put) {
  constexpr int W = native_width<T>;
  auto const& a = item.of.values;
  int i = 0;
  if (a.col == 1) {
    for (; i < rows; ++i) {
      T const* const v = item.numbers + i * a.row;
      Sum<Pack<T, W>> sums;
      int j = 0;
      for (; j + W <= rows; j += W) {
        Pack<T, W> xs;
        for (int l = 0; l < W; ++l) xs.set_lane(l, x(j + l));
        sums.add(Pack<T, W>::load(v + j), xs);
      }
      Sum<T> sum = sum_of_lanes(sums);
      for (; j < rows; ++j) sum.add(v[j], x(j));
      put(i, sum);
    }
  } else if (a.row == 1) {
    for (; i + W <= rows; i += W) {
      Sum<Pack<T, W>> sums;
      for (int j = 0; j < rows; ++j)
        sums.add(Pack<T, W>::load(item.numbers + i + j * a.col), Pack<T, W>(x(j)));
      for (int l = 0; l < W; ++l) put(i + l, lane_of_sum(sums, l));
    }
  }
  for (; i < rows; ++i) put(i, row_sum<Sum>(item, i, x));
}

/// y = A x of one item by a host's thread.
template <class Item, class X, class Y>
void apply_on_host(Item const& item, int rows, X const& x, Y const& y) {
  if constexpr (Item::has_entries)
    sum_rows_on_host<PlainSum>(item, rows, x, [&](int i, auto const& sum) { y(i) = sum.sum; });
  else apply(LoneLane(), item, rows, x, y);
}

template <class T, class Systems>
struct MultiplyHost {
  static constexpr int W = native_width<T>;

  MultiplyProblem<T, Systems> p;
  std::int64_t per_chunk;
  bool by_packs = false;

  MultiplyHost(MultiplyProblem<T, Systems> const& problem, std::int64_t chunk)
      : p(problem), per_chunk(chunk) {
    if constexpr (Systems::has_pattern) {
      auto const interleaved = [](auto const& s) { return s.width == 1 && s.group == 1; };
      by_packs = interleaved(p.a.values) && interleaved(p.x) && interleaved(p.y);
    }
  }

  /// P packs of interleaved items: several sums at once, since each waits for its last addition.
  template <int P>
  void several(std::int64_t item) const {
    using S = Pack<T, W>;
    T const* const numbers = p.a.values.data + item;
    T const* const x = p.x.data + item;
    T* const y = p.y.data + item;
    for (int i = 0; i < p.a.rows; ++i) {
      S sums[P];
      BATCHWORK_UNROLL
      for (int q = 0; q < P; ++q) sums[q] = S(T(0));
      p.a.for_each_place(i, [&](int column, std::int64_t place) {
        T const* const v = numbers + place;
        T const* const xs = x + column * p.x.row;
        BATCHWORK_UNROLL
        for (int q = 0; q < P; ++q) sums[q] += S::load(v + q * W) * S::load(xs + q * W);
      });
      T* const to = y + i * p.y.row;
      BATCHWORK_UNROLL
      for (int q = 0; q < P; ++q) {
        sums[q] *= S(p.alpha);
        if (p.beta != T(0)) sums[q] += S(p.beta) * S::load(to + q * W);
        sums[q].store(to + q * W);
      }
    }
  }

  void one(std::int64_t item) const {
    auto const of = p.a.item(item);
    auto const x = p.read(item);
    auto const y = p.update(item, true);
    // Neighbouring numbers of x are read without a multiplication by the stride.
    if (x.step == 1) {
      apply_on_host(of, p.a.rows, [at = x.data](int j) { return at[j]; }, y);
    } else {
      apply_on_host(of, p.a.rows, x, y);
    }
  }

  void operator()(std::int64_t chunk) const {
    std::int64_t item = chunk * per_chunk;
    std::int64_t const end = item + per_chunk < p.items ? item + per_chunk : p.items;
    if constexpr (Systems::has_pattern) {
      if (by_packs) {
        for (; item + 4 * W <= end; item += 4 * W) several<4>(item);
        for (; item + W <= end; item += W) several<1>(item);
      }
    }
    for (; item < end; ++item) one(item);
  }
};

}  // namespace Batchwork::Impl

#endif
