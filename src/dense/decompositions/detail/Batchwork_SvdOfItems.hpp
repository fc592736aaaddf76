// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdOfItems: what svd does with the items of a team or thread.
#ifndef BATCHWORK_SVDOFITEMS_HPP
#define BATCHWORK_SVDOFITEMS_HPP

#include <limits>

#include "dense/decompositions/detail/Batchwork_ColumnsInMemory.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"

namespace Batchwork::Impl {

/// See svd(tile), for m >= n: a = u diag(values) v'. Without `stores_vectors` the values alone.
template <class T>
struct SvdOfItems {
  using number = T;

  StoredItems<T const> a{};
  StoredItems<T> values{}, u{}, v{};
  StatusTarget status{};
  std::int64_t items = 0;
  int m = 0, n = 0;
  bool stores_vectors = false;
  int leading = 0;

  int rows() const { return m; }
  int cols() const { return n; }
  /// The columns of a and of v, lengths of columns, the diagonal of the reflections, the powers of two that scale them, and the values.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {std::int64_t(leading) * n * (stores_vectors ? 2 : 1) + 4 * n, std::int64_t(n)};
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    using Columns = ColumnsInMemory<S, typename Items::Lanes>;
    int const size = leading * n, arrays = stores_vectors ? 2 * size : size;
    of.load(a, m, n,
            [&](int slot, int i, int j, S const& x) { of.numbers(slot)[j * leading + i] = x; });
    of.meet();
    auto const lanes = of.lanes();
    S* const own = of.numbers(of.own());
    S *const lengths = own + arrays, *const diagonal = lengths + n, *const unscale = diagonal + n,
             *const found = unscale + n;
    Columns c{lanes, m, n, leading, own, of.indices(of.own())};
    Columns right{lanes, n, n, leading, own + size, c.order};
    c.begin();
    c.clear_padding();
    if (stores_vectors) right.set_unit(), right.clear_padding();
    lanes.sync();
    S const largest = c.largest_entry();
    UnitScale<S> const scale(largest);
    c.scale(scale);
    lanes.sync();
    auto const open = stores_vectors ? orthogonalise_columns(c, right) : orthogonalise_columns(c);
    info_t<S> const code = rotation_status(largest, open);
    constexpr auto order = ColumnOrder::largest_first;
    if (stores_vectors) c.template sort_packs<order>(right);
    else c.template sort_packs<order>();
    c.template order_by_length<order>(lengths);
    S const nan(std::numeric_limits<T>::quiet_NaN()), one(T(1));
    auto const failed = code != info_t<S>(0);
    c.for_columns(0, n, [&](int j, int there) {
      if (there > 0 && lanes.row == 0)
        found[j] =
            select(failed, nan, S(lengths[c.order[j]] * scale.second_back * scale.first_back));
    });
    int const of_found = arrays + 3 * n;
    if (stores_vectors) {
      // Columns without length have no direction: reflections give them one.
      c.triangularise(diagonal, unscale);
      c.form_q(n);
      c.for_columns(0, n, [&](int j, int there) {
        if (there > 0 && lanes.row == 0)
          diagonal[j] = select(failed, nan, select(diagonal[j] < S(T(0)), S(-one), one));
      });
    }
    of.meet();
    of.store(values, n, 1, [&](int slot, int j, int) { return of.numbers(slot)[of_found + j]; });
    if (stores_vectors) {
      of.store(u, m, n, [&](int slot, int i, int j) {
        S const* const from = of.numbers(slot);
        return S(from[of.indices(slot)[j] * leading + i] * from[arrays + n + j]);
      });
      // Times the sign, and its square is one: NaN where the item failed.
      of.store(v, n, n, [&](int slot, int i, int j) {
        S const *const from = of.numbers(slot), sign = from[arrays + n + j];
        return S(from[size + of.indices(slot)[j] * leading + i] * (sign * sign));
      });
    }
    of.put_status(status, code);
  }
};

}  // namespace Batchwork::Impl

#endif
