// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ListedPattern: the pattern of compressed rows as the items of a team find it in scratch, where
/// it was put once for all of them.
#ifndef BATCHWORK_LISTEDPATTERN_HPP
#define BATCHWORK_LISTEDPATTERN_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "view/detail/layout/Batchwork_MatrixTravel.hpp"

namespace Batchwork::Impl {

/// A list for full matrices with columns of 8 bits and places of 16: for each entry its place in
/// the full matrix and its column, and where each row begins.
struct ListedPattern {
  static constexpr int row_lanes = 2;      ///< neighbouring lanes that have a row together
  static constexpr int most_at_once = 16;  ///< numbers that a lane asks memory for before it waits
  static constexpr int padding = row_lanes * most_at_once;  ///< of column 0, behind the last

  /// Whether a row has a column twice or before a smaller one; and one beyond the rows.
  std::int32_t* flaws;
  std::uint16_t* begins;  ///< of each row, and the end of the last one
  std::uint16_t* places;
  std::uint8_t* columns;

  static constexpr BATCHWORK_INLINE std::size_t bytes(int n, int entries) {
    return (8 + 2 * std::size_t(n + 1) + 3 * std::size_t(entries) + padding + 15) / 16 * 16;
  }
  static BATCHWORK_INLINE ListedPattern at(char* memory, int n, int entries) {
    auto* const begins = reinterpret_cast<std::uint16_t*>(memory + 8);
    auto* const places = begins + n + 1;
    return {reinterpret_cast<std::int32_t*>(memory), begins, places,
            reinterpret_cast<std::uint8_t*>(places + entries)};
  }

  /// Writes it, by all lanes of a team.
  template <class Member, class PlaceOf>
  BATCHWORK_INLINE void list(Member const& member, CsrLayout const& of, int n, int entries,
                             int count, PlaceOf const& place_of) const {
    int const rank = Vendor::lane_rank(member), lane = rank % lanes_of_warp;
    std::int64_t const begin = of.offsets(0);
    // Offsets need not begin at zero; beyond the entries there is no room.
    for (int i = rank; i <= n; i += count) {
      std::int64_t const at = of.offsets(i) - begin;
      begins[i] = std::uint16_t(at < 0 ? 0 : at < entries ? at : entries);
    }
    if (rank == 0) flaws[0] = flaws[1] = 0;
    member.team_barrier();
    for (int k = rank; k < padding; k += count) columns[begins[n] + k] = 0;
    for (int i = rank / lanes_of_warp; i < n; i += count / lanes_of_warp) {
      int const first = begins[i], end = begins[i + 1];
      for (int k = first + lane; k < end; k += lanes_of_warp) {
        std::int32_t const j = of.columns[begin + k],
                           before = k > first ? of.columns[begin + k - 1] : -1;
        bool const inside = unsigned(j) < unsigned(n);
        if (before >= j) flaws[0] = 1;
        if (!inside) flaws[1] = 1;
        places[k] = std::uint16_t(inside ? place_of(i, int(j)) : 0);
        columns[k] = std::uint8_t(inside ? j : 0);
      }
    }
    member.team_barrier();
  }
  /// Starts to copy the numbers of an item, `step` from each other, to their places, by `count`
  /// lanes.
  template <class T>
  BATCHWORK_INLINE void fetch(T const* numbers, std::int64_t step, int entries, int rank, int count,
                              T* to) const {
    constexpr int at_once = 4;
    std::int64_t const apart = count * step;
    numbers += rank * step;
    BATCHWORK_KEEP_LOOP
    for (int k = rank; k < entries; k += at_once * count) {
      int place[at_once];
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q)
        place[q] = places[k + q * count < entries ? k + q * count : k];
      BATCHWORK_UNROLL
      for (int q = 0; q < at_once; ++q, numbers += apart)
        if (k + q * count < entries) fetch_together<1>(to + place[q], numbers);
    }
  }
  /// An entry of a row, or a zero in the column of another one: see EntriesOfLanes::Entry.
  template <class T>
  struct Entry {
    static constexpr bool there = true;
    int column;
    T number;

    BATCHWORK_INLINE int column_below(int) const { return column; }
  };
  /// As in EntriesOfLanes, by `count` lanes. Each requests several numbers from memory before it
  /// waits.
  template <int AtOnce, class T, class Begin, class Body, class End>
  BATCHWORK_INLINE void for_rows(T const* numbers, std::int64_t step, int n, int rank, int count,
                                 Begin const& begin, Body const& entry, End const& end) const {
    static_assert(AtOnce <= most_at_once);
    std::int64_t const apart = row_lanes * step;
    int const own = rank % row_lanes;
    BATCHWORK_KEEP_LOOP
    for (int i0 = 0; i0 < n; i0 += count / row_lanes) {
      int const i = i0 + rank / row_lanes, some_row = i < n ? i : n - 1, first = begins[some_row],
                last = begins[some_row + 1], entries = i < n ? last - first : 0;
      T const* from = numbers + (first + own) * step;
      begin();
      BATCHWORK_KEEP_LOOP
      for (int k = own; k < entries; k += AtOnce * row_lanes) {
        T some[AtOnce];
        BATCHWORK_UNROLL
        for (int q = 0; q < AtOnce; ++q, from += apart)
          some[q] = k + q * row_lanes < entries ? *from : T(0);
        BATCHWORK_UNROLL
        for (int q = 0; q < AtOnce; ++q)
          entry(i, Entry<T>{columns[first + k + q * row_lanes], some[q]});
      }
      end(i, entries);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
