// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighOfItems: what eigh does with the items of a device's team.
#ifndef BATCHWORK_EIGHOFITEMS_HPP
#define BATCHWORK_EIGHOFITEMS_HPP

#include <cstdint>
#include <limits>

#include "dense/decompositions/detail/Batchwork_ColumnsInMemory.hpp"
#include "dense/decompositions/detail/Batchwork_EighProblem.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"

namespace Batchwork::Impl {

/// See eigh(tile): one-sided rotations of the matrix shifted by twice its norm.
template <class T>
struct EighOfItems : EighProblem<T> {
  using number = T;
  using EighProblem<T>::a, EighProblem<T>::values, EighProblem<T>::vectors, EighProblem<T>::status,
      EighProblem<T>::n, EighProblem<T>::stores_vectors;

  int leading = 0;

  int rows() const { return n; }
  int cols() const { return n; }
  /// The columns, their lengths or reciprocals of them, and the values.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {std::int64_t(leading) * n + 2 * n, std::int64_t(n)};
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    int const first = leading * n;  // of the lengths; the values follow
    of.load(a, n, n, [&](int slot, int i, int j, S const& x) {
      if (i < j) return;
      S* const to = of.numbers(slot);
      to[j * leading + i] = x;
      to[i * leading + j] = x;
    });
    of.meet();
    auto const lanes = of.lanes();
    S *const lengths = of.numbers(of.own()) + first, *const found = lengths + n;
    ColumnsInMemory<S, typename Items::Lanes> c{
        lanes, n, n, leading, of.numbers(of.own()), of.indices(of.own())};
    c.begin();
    c.clear_padding();
    lanes.sync();
    UnitScale<S> const scale(c.largest_entry());
    c.scale(scale);
    S const norm = c.largest([&](int j, int m) {
      S const* const x = c.column(j);
      return c.sum(0, m, [&](int i) { return abs(x[i]); });
    });
    S const shift = select(norm == S(T(0)), S(T(1)), S(norm + norm));
    c.for_columns(0, n, [&](int j, int m) {
      S* const x = c.column(j);
      c.for_rows(j, m > 0 ? j + 1 : 0, [&](int i) { x[i] += shift; });
    });
    lanes.sync();
    auto const open = orthogonalise_columns(c);
    c.template order_by_length<ColumnOrder::smallest_first>(lengths);
    auto const value = [&](int j) {
      return S((lengths[c.order[j]] - shift) * scale.second_back * scale.first_back);
    };
    // The smallest and the largest one are the extreme ones.
    info_t<S> const code =
        rotation_status(norm, open, larger_size(S(abs(value(0))), S(abs(value(n - 1)))));
    S const nan(std::numeric_limits<T>::quiet_NaN());
    auto const failed = code != info_t<S>(0);
    c.for_columns(0, n, [&](int j, int m) {
      if (m > 0 && lanes.row == 0) found[j] = select(failed, nan, value(j));
    });
    lanes.sync();
    c.for_columns(0, n, [&](int j, int m) {
      if (m > 0 && lanes.row == 0) lengths[j] = select(failed, nan, S(S(T(1)) / lengths[j]));
    });
    of.meet();
    of.store(values, n, 1, [&](int slot, int j, int) { return of.numbers(slot)[first + n + j]; });
    if (stores_vectors)
      of.store(vectors, n, n, [&](int slot, int i, int j) {
        S const* const from = of.numbers(slot);
        int const place = of.indices(slot)[j];
        return S(from[place * leading + i] * from[first + place]);
      });
    of.put_status(status, code);
  }
};

}  // namespace Batchwork::Impl

#endif
