// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// expand_scaled: the entries of an item as a full matrix, its rows and columns times powers of
/// two.
#ifndef BATCHWORK_DIRECTEXPAND_HPP
#define BATCHWORK_DIRECTEXPAND_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_SystemLanes.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_DirectScaling.hpp"

namespace Batchwork::Impl {

/// Adds the entries, times factors of their rows and columns, to at(i, j), which is zero before;
/// lanes have rows. The factors, powers of two, go to l and c: as LAPACK's geequb, they bring the
/// largest number of each row near to one, and then of each column.
/// \param keys  n integers that all lanes see
/// \returns     whether all columns that the lane has met belong to the matrix; other entries are
///              left out
template <class T, class Lanes, class At>
BATCHWORK_INLINE bool expand_scaled(DirectProblem<T> const& p, Lanes const& lanes, T const* numbers,
                                    T* l, T* c, std::int32_t* keys, At const& at) {
  bool inside = true;
  auto const for_row = [&](int i, auto const& body) {
    auto const row = p.a.row(numbers, i);
    for (int k = 0; k < row.count; ++k) {
      int const j = row.column(k);
      if (unsigned(j) < unsigned(p.n)) body(j, row.number(k));
      else inside = false;
    }
  };
  if (p.equilibrates) {
    lanes.for_each(p.n, [&](int i) {
      keys[i] = 0;
      std::int32_t most = 0;
      for_row(i, [&](int, T const& number) {
        std::int32_t const key = pivot_key(number);
        most = key > most ? key : most;
      });
      l[i] = scale_to_one<T>(most);
    });
    lanes.sync();
    lanes.for_each(p.n, [&](int i) {
      for_row(i, [&](int j, T const& number) {
        std::int32_t const key = pivot_key(number * l[i]);
        if constexpr (std::is_base_of_v<LoneLane, Lanes>) keys[j] = key > keys[j] ? key : keys[j];
        else Kokkos::atomic_max(keys + j, key);
      });
    });
    lanes.sync();
    lanes.for_each(p.n, [&](int j) { c[j] = scale_to_one<T>(keys[j]); });
  } else {
    lanes.for_each(p.n, [&](int i) { l[i] = c[i] = T(1); });
  }
  lanes.sync();
  lanes.for_each(p.n, [&](int i) {
    for_row(i, [&](int j, T const& number) {
      auto& to = at(i, j);
      to += std::remove_reference_t<decltype(to)>(number * l[i] * c[j]);
    });
  });
  return inside;
}

/// What is known of the columns of some rows: whether a row has one twice or before a smaller one;
/// and one beyond the rows.
struct ColumnFlaws {
  bool unsorted, out_of_range;
};
/// Writes the entries of the lane's share to their places, to[place_of(i, j)].
template <class T, class PlaceOf>
BATCHWORK_INLINE ColumnFlaws expand_entries(EntriesOfLanes<T> const& entries, T* to,
                                            PlaceOf const& place_of) {
  // Found without a branch.
  int unsorted = 0;
  std::uint32_t largest = 0;
  auto const rows = std::uint32_t(entries.n);
  entries.template for_rows<true, true>([] {},
                                        [&](int i, auto const& e) {
                                          auto const j = std::uint32_t(e.column);
                                          unsorted |= int(e.there) & int(e.before >= e.column);
                                          largest = j > largest ? j : largest;
                                          if (e.there && j < rows)
                                            to[place_of(i, int(j))] = e.number;
                                        },
                                        [](int, int) {});
  return {unsorted != 0, largest >= rows};
}

/// The same by the list of the pattern if `is_listed`; what it finds goes to the notes of the item.
/// \param list  gives a ListedPattern
template <class T, class Notes, class List, class PlaceOf>
BATCHWORK_INLINE void expand_item(EntriesOfLanes<T> const& entries, DirectProblem<T> const& p,
                                  T* to, Notes& notes, bool is_listed, List const& list,
                                  PlaceOf const& place_of) {
  if (is_listed) {
    auto const pattern = list();
    if (pattern.flaws[0] + pattern.flaws[1] == 0) {
      pattern.fetch(p.compressed_numbers(entries.numbers), p.a.values.row, pattern.begins[p.n],
                    entries.rank, entries.count, to);
    } else {
      notes.unsorted = pattern.flaws[0];
      notes.out_of_range = pattern.flaws[1];
    }
    return;
  }
  ColumnFlaws const found = expand_entries(entries, to, place_of);
  if (found.unsorted) notes.unsorted = 1;
  if (found.out_of_range) notes.out_of_range = 1;
}
/// Adds the entries of an item up where a column may be in a row twice; the lanes of for_each have
/// rows. at(i, j) is zero before.
template <class T, class ForEach, class At>
BATCHWORK_INLINE void add_up_entries(DirectProblem<T> const& p, T const* numbers,
                                     ForEach const& for_each, At const& at) {
  for_each([&](int i) {
    auto const row = p.a.row(numbers, i);
    for (int k = 0; k < row.count; ++k) {
      int const j = row.column(k);
      if (unsigned(j) < unsigned(p.n)) at(i, j) += row.number(k);
    }
  });
}

}  // namespace Batchwork::Impl

#endif
