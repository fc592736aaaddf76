// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdOfItems: what svd does with the items of a team or thread.
#ifndef BATCHWORK_SVDOFITEMS_HPP
#define BATCHWORK_SVDOFITEMS_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

#include "dense/decompositions/detail/Batchwork_ColumnsInMemory.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_SvdProblem.hpp"

namespace Batchwork::Impl {

/// Where an item stands in memory: the columns of a and of v, or null for v, and what is beside
/// them.
template <class S>
struct SvdPlace {
  S *a, *right, *rest;
  int right_leading;
};

/// See SvdProblem: rotations of the columns.
template <class T>
struct SvdOfItems : SvdProblem<T> {
  using number = T;
  using SvdProblem<T>::a, SvdProblem<T>::values, SvdProblem<T>::u, SvdProblem<T>::v,
      SvdProblem<T>::status, SvdProblem<T>::m, SvdProblem<T>::n, SvdProblem<T>::stores_vectors;

  bool begins_with_vectors = false;  ///< see decompose
  int leading = 0;

  int rows() const { return m; }
  int cols() const { return n; }
  /// Numbers behind the matrices: lengths of columns, the diagonal of the reflections, the powers
  /// of two that scale them, and the values.
  BATCHWORK_INLINE int beside() const { return 4 * n; }
  /// The columns of a and of v, and what is beside them.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {std::int64_t(leading) * n * matrices() + beside(), std::int64_t(n)};
  }

  BATCHWORK_INLINE int matrices() const { return stores_vectors || begins_with_vectors ? 2 : 1; }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    decompose(of, [](auto const&, auto const& right, auto const& largest, auto*) {
      if (right.a != nullptr) right.set_unit(), right.clear_padding();
      return mask_t<std::remove_cvref_t<decltype(largest)>>(false);
    });
  }

  /// begin(a, right, largest, rest) finds an orthogonal matrix that rotations begin with, `right`,
  /// and multiplies a by it; `rest` is what memory() has behind the matrices, 4 n numbers or more.
  /// `largest` is the largest entry of a before it was scaled. Returns a mask: items for which that
  /// did not end.
  template <class Items, class Begin>
  BATCHWORK_INLINE void decompose(Items const& of, Begin const& begin) const {
    using S = typename Items::value_type;
    int const size = leading * n;
    decompose(
        of,
        [&](int slot) {
          S* const own = of.numbers(slot);
          return SvdPlace<S>{own, matrices() > 1 ? own + size : nullptr, own + matrices() * size,
                             leading};
        },
        begin,
        [this](auto& columns, auto& right, auto*) {
          return stores_vectors ? orthogonalise_columns(columns, right)
                                : orthogonalise_columns(columns);
        });
  }
  /// The same where place(slot) is an SvdPlace, and rotate(a, right, rest) makes the columns
  /// orthogonal, as orthogonalise_columns.
  template <class Items, class PlaceOf, class Begin, class Rotate>
  BATCHWORK_INLINE void decompose(Items const& of, PlaceOf const& place, Begin const& begin,
                                  Rotate const& rotate) const {
    using S = typename Items::value_type;
    using Columns = ColumnsInMemory<S, typename Items::Lanes>;
    of.load(a, m, n,
            [&](int slot, int i, int j, S const& x) { place(slot).a[j * leading + i] = x; });
    of.meet();
    auto const lanes = of.lanes();
    SvdPlace<S> const own = place(of.own());
    S *const lengths = own.rest, *const diagonal = lengths + n, *const unscale = diagonal + n,
             *const found = unscale + n;
    Columns c{lanes, m, n, leading, own.a, of.indices(of.own())};
    Columns right{lanes, n, n, own.right_leading, own.right, c.order};
    c.begin();
    c.clear_padding();
    lanes.sync();
    S const largest = c.largest_entry();
    UnitScale<S> const scale(largest);
    c.scale(scale);
    auto const without_end = begin(c, right, largest, lengths);
    lanes.sync();
    auto const open = rotate(c, right, lengths);
    constexpr auto order = ColumnOrder::largest_first;
    if (stores_vectors) c.template sort_packs<order>(lengths, right);
    else c.template sort_packs<order>(lengths);
    c.template order_by_length<order>(lengths);
    S const nan(std::numeric_limits<T>::quiet_NaN()), one(T(1));
    auto const value = [&](int j) {
      return S(lengths[c.order[j]] * scale.second_back * scale.first_back);
    };
    info_t<S> const code = rotation_status(largest, mask_t<S>(open || without_end), value(0));
    auto const failed = code != info_t<S>(0);
    c.for_columns(0, n, [&](int j, int there) {
      if (there > 0 && lanes.row == 0) found[j] = select(failed, nan, value(j));
    });
    if (stores_vectors) {
      // Rotations have made columns orthogonal relative to their lengths, so they are divided by
      // their lengths. Columns shorter than least_length may not be orthogonal: the vectors of such
      // an item are found by reflections.
      auto const left = [&](int slot, int i, int j) {
        auto const from = place(slot);
        return S(from.a[of.indices(slot)[j] * leading + i] * from.rest[n + j]);
      };
      auto const put_factors = [&](auto const& by_reflections) {
        c.for_columns(0, n, [&](int j, int there) {
          if (there == 0 || lanes.row != 0) return;
          S const sign = select(diagonal[j] < S(T(0)), S(-one), one),
                  inverse = one / lengths[c.order[j]];
          diagonal[j] = select(failed, nan, select(by_reflections, sign, inverse));
          if (j == 0) unscale[0] = select(failed, nan, one);
        });
      };
      auto const has_short_column = lengths[c.order[n - 1]] < S(least_length<T>);
      auto const reflect = [&] {
        c.triangularise(diagonal, unscale);
        c.form_q(n);
        lanes.sync();
      };
      if constexpr (Items::Lanes::alone) {
        put_factors(mask_t<S>(false));
        of.store(u, m, n, left, !has_short_column);
        if (any(has_short_column)) {
          reflect();
          put_factors(has_short_column);
          of.store(u, m, n, left, has_short_column);
        }
      } else {
        c.idle = !has_short_column;
        if (lanes.any_together(has_short_column)) reflect();
        c.idle = false;
        put_factors(has_short_column);
        of.meet();
        of.store(u, m, n, left);
      }
      of.store(v, n, n, [&](int slot, int i, int j) {
        auto const from = place(slot);
        return S(from.right[of.indices(slot)[j] * from.right_leading + i] * from.rest[2 * n]);
      });
    } else {
      of.meet();
    }
    of.store(values, n, 1, [&](int slot, int j, int) { return place(slot).rest[3 * n + j]; });
    of.put_status(status, code);
  }
};

}  // namespace Batchwork::Impl

#endif
