// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Copies of an item between memory and scratch by lanes of a team, each its share; see
/// LaneOfItems.
#ifndef BATCHWORK_ITEMTRAVEL_HPP
#define BATCHWORK_ITEMTRAVEL_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Starts the copy of a matrix to its places in scratch, to[place(i, j)].
/// \param item  of which the lane has a share: here.item_of_share(t) of the team
template <class T, class Place>
BATCHWORK_INLINE void fetch_matrix(LaneOfItems const& here, MatrixTravel const& t,
                                   Storage<T const> const& s, std::int64_t item, T* to,
                                   Place const& place) {
  T const* const from = item_of(s, item);
  here.walk(t, [&](int, int i, int j) {
    fetch_numbers(t, to + place(i, j), from + (i * s.row + j * s.col));
  });
}
/// The same for a vector, number by number.
template <class T>
BATCHWORK_INLINE void fetch_vector(LaneOfItems const& here, MatrixTravel const& t,
                                   Storage<T const> const& s, std::int64_t item, T* to) {
  T const* const from = item_of(s, item);
  here.walk(t, [&](int, int i, int) { fetch_together<1>(to + i, from + i * s.row); });
}
/// A matrix from its places in scratch to memory, row i to row row_of(i).
template <class T, class Place, class RowOf>
BATCHWORK_INLINE void store_matrix(LaneOfItems const& here, MatrixTravel const& t,
                                   Storage<T> const& s, std::int64_t item, T const* from,
                                   Place const& place, RowOf const& row_of) {
  T* const to = item_of(s, item);
  here.walk(t, [&](int, int i, int j) {
    store_numbers(t, to + (row_of(i) * s.row + j * s.col), from + place(i, j));
  });
}
template <class T>
BATCHWORK_INLINE void store_vector(LaneOfItems const& here, MatrixTravel const& t,
                                   Storage<T> const& s, std::int64_t item, T const* from) {
  T* const to = item_of(s, item);
  here.walk(t, [&](int, int i, int) { to[i * s.row] = from[i]; });
}

}  // namespace Batchwork::Impl

#endif
