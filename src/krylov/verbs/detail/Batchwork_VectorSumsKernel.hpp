// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of dot and norm.
#ifndef BATCHWORK_VECTORSUMSKERNEL_HPP
#define BATCHWORK_VECTORSUMSKERNEL_HPP

#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/verbs/detail/Batchwork_SystemKernels.hpp"

namespace Batchwork::Impl {

/// The sum of products.
template <class T>
struct DotSum {
  static constexpr int sums = 1;

  template <class S>
  static BATCHWORK_INLINE void add(S (&s)[sums], S const& x, S const& y) {
    s[0] += x * y;
  }
  template <class S>
  static BATCHWORK_INLINE S result(S const (&s)[sums]) {
    return s[0];
  }
};

/// The root of a sum of squares. Squares leave the range at half of its exponents; so, after Blue
/// (1978), besides the sum there is one for large and one for small numbers, which are multiplied
/// by a power of two before. All three are computed always, because that costs less than to choose;
/// the result is taken from the one that is exact to rounding.
template <class T>
struct NormSum {
  static constexpr int sums = 3;
  static constexpr bool wide = std::is_same_v<T, double>;
  static constexpr T up = wide ? T(0x1p600) : T(0x1p100f);
  static constexpr T down = wide ? T(0x1p-600) : T(0x1p-80f);
  /// Below, small numbers may be missing from the plain sum; above, it may be infinite.
  static constexpr T least = wide ? T(0x1p-900) : T(0x1p-80f);
  static constexpr T most = wide ? T(0x1p1000) : T(0x1p100f);

  template <class S>
  static BATCHWORK_INLINE void add(S (&s)[sums], S const& x, S const&) {
    S const small = x * S(up), large = x * S(down);
    s[0] += x * x;
    s[1] += small * small;
    s[2] += large * large;
  }
  template <class S>
  static BATCHWORK_INLINE S result(S const (&s)[sums]) {
    S const root = sqrt(select(s[0] < S(least), s[1], select(s[0] > S(most), s[2], s[0])));
    S const one(T(1));
    // A NaN is neither below nor above.
    return root *
           select(s[0] < S(least), S(T(1) / up), select(s[0] > S(most), S(T(1) / down), one));
  }
};

/// Sum over the rows of x(i) and y(i), result of the sums.
template <class T, class Sum>
struct VectorSums {
  using value_type = T;
  static constexpr int combined = Sum::sums;

  Storage<T const> x, y;
  Storage<T> to;
  int rows;

  int lanes() const { return has_items_side_by_side(x) ? 1 : lanes_per_system(rows, 0); }
  bool in_packs(int width) const {
    return stands_in_packs(x, width) && stands_in_packs(y, width) && stands_in_packs(to, width);
  }

  /// One item of a thread with rows that are neighbours in memory: two packs of rows at once, since
  /// each waits for its last addition.
  BATCHWORK_INLINE T by_packs_of_rows(T const* xs, T const* ys) const {
    constexpr int W = native_width<T>;
    using S = Pack<T, W>;
    S s[Sum::sums], other[Sum::sums];
    for (int q = 0; q < Sum::sums; ++q) s[q] = other[q] = S(T(0));
    int i = 0;
    for (; i + 2 * W <= rows; i += 2 * W) {
      Sum::add(s, S::load(xs + i), S::load(ys + i));
      Sum::add(other, S::load(xs + i + W), S::load(ys + i + W));
    }
    T sums[Sum::sums];
    for (int q = 0; q < Sum::sums; ++q) sums[q] = sum_of_lanes(s[q] + other[q]);
    for (; i < rows; ++i) Sum::add(sums, xs[i], ys[i]);
    return Sum::result(sums);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes& lanes, std::int64_t item, bool there) const {
    T const *const xs = item_of(x, item), *const ys = item_of(y, item);
    if constexpr (std::is_same_v<Lanes, LoneSums> && std::is_same_v<S, T>) {
      if (x.row == 1 && y.row == 1) {
        put(item_of(to, item), by_packs_of_rows(xs, ys));
        return;
      }
    }
    S s[Sum::sums];
    for (int q = 0; q < Sum::sums; ++q) s[q] = S(T(0));
    lanes.for_each(there ? rows : 0,
                   [&](int i) { Sum::add(s, get<S>(xs + i * x.row), get<S>(ys + i * y.row)); });
    lanes.sum(s);
    if (there && lanes.rank == 0) put(item_of(to, item), Sum::result(s));
  }
};

}  // namespace Batchwork::Impl

#endif
