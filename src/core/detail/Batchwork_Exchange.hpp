// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Exchange: the team scratch through which the lanes of one item read each other's lines, and its
/// layout.
#ifndef BATCHWORK_EXCHANGE_HPP
#define BATCHWORK_EXCHANGE_HPP

#include <cstddef>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"

namespace Batchwork::Impl {

/// The number of bytes that are read or written at once.
template <class T>
struct alignas(16) Unit {
  T v[16 / sizeof(T)];
};

/// Adjacent numbers in scratch, aligned like one number of their total size, up to 16 bytes.
template <class T, int Count>
BATCHWORK_INLINE void read_together(T (&x)[Count], T const* from) {
  constexpr int some = Count * int(sizeof(T)) < 16 ? Count : 16 / int(sizeof(T));
  struct alignas(some * sizeof(T)) Together {
    T v[some];
  };
  BATCHWORK_UNROLL
  for (int k = 0; k < Count; k += some) {
    Together const u = *reinterpret_cast<Together const*>(from + k);
    BATCHWORK_UNROLL
    for (int m = 0; m < some; ++m) x[k + m] = u.v[m];
  }
}
template <class T, int Count>
BATCHWORK_INLINE void write_together(T* to, T const (&x)[Count]) {
  constexpr int some = Count * int(sizeof(T)) < 16 ? Count : 16 / int(sizeof(T));
  struct alignas(some * sizeof(T)) Together {
    T v[some];
  };
  BATCHWORK_UNROLL
  for (int k = 0; k < Count; k += some) {
    Together u;
    BATCHWORK_UNROLL
    for (int m = 0; m < some; ++m) u.v[m] = x[k + m];
    *reinterpret_cast<Together*>(to + k) = u;
  }
}

/// So many numbers, rounded up to an odd number of units. Lanes that read the same place in buffers
/// at this distance then use different banks.
template <class T>
constexpr int odd_units(int numbers) {
  constexpr int per_unit = 16 / int(sizeof(T));
  return ((numbers + per_unit - 1) / per_unit | 1) * per_unit;
}

/// The exchange of an item shared by L lanes, for tiles of extents up to E: number k of line i is
/// at i * leading + k, and the exchange of the next item begins `stride` numbers later.
///
/// Scratch has 32 banks of 4 bytes. An access of 16 bytes for each lane is served for eight lanes
/// at a time, one of 4 or 8 bytes for 32 or 16 lanes. In units of 16 bytes, `leading` is 8 / L
/// times an odd number (an odd number for 8 or more lanes), and `stride` is an odd number (L / 4
/// times an odd number for 4 or more lanes). So the eight lanes of a phase, which hold L lines of 8
/// / L items, read or write the same place of their lines in eight different units. And 32 lanes
/// that read number k of the lines of their own rank, as for a transpose, use 32 different banks if
/// four or more lanes share an item in float. With two lanes, or numbers of 8 bytes, there are two
/// lanes for each bank.
///
/// For two lanes, numbers of 8 bytes and extents above 8, `leading` is an odd number of units, and
/// `stride` twice an odd number. Four times an odd number would leave more than half of the
/// exchange empty; this has the same conflicts in half the scratch.
template <class T, int L, int E>
struct Exchange {
  static constexpr int per_unit = 16 / int(sizeof(T));
  /// The lines that lanes hold, including those of an incomplete last round. If a warp shares a
  /// smaller item there are blocks of 8 lines for matrix instructions; lanes beyond the lines write
  /// none and read the last one.
  static constexpr bool ragged = Vendor::has_shuffles && L == 32 && E <= 24;
  /// Also for extents above 32, where lanes have two lines each: for 40 lines with 40 numbers, a
  /// complete second round would more than double the scratch of an item.
  static constexpr bool two_rounds = L == 32 && E > 32 && E <= 56;
  static constexpr int lines = ragged || two_rounds ? (E + 7) / 8 * 8 : (E + L - 1) / L * L;
  /// The line of round m that a lane reads, and writes if it has one.
  static BATCHWORK_INLINE int line(int m, int lane) {
    if constexpr (ragged) return lane < lines ? lane : lines - 1;
    else if constexpr (two_rounds) return m * L + lane < lines ? m * L + lane : lines - 1;
    else return m * L + lane;
  }
  static BATCHWORK_INLINE bool has_line([[maybe_unused]] int m, [[maybe_unused]] int lane) {
    if constexpr (ragged) return lane < lines;
    else if constexpr (two_rounds) return m * L + lane < lines;
    else return true;
  }

  static constexpr bool narrow = L == 2 && sizeof(T) == 8 && E > 8;

  static constexpr int leading = [] {
    constexpr int step = L >= 8 || narrow ? 1 : 8 / L;
    int units = (lines + per_unit - 1) / per_unit;
    while (units % step != 0 || units / step % 2 == 0) ++units;
    return units * per_unit;
  }();
  /// The position of two additional numbers for each line: beside the line if there is room for a
  /// unit; else behind all lines in double with 7 to 12 rows, where a unit for each line is cheap;
  /// -1 if there is no place.
  static constexpr bool has_room_beside = lines + per_unit <= leading;
  static constexpr bool has_pairs_behind =
      !has_room_beside && sizeof(T) == 8 && L > 1 && L <= 4 && E > 6 && E <= 12;
  static constexpr int pairs = has_room_beside    ? leading - per_unit
                               : has_pairs_behind ? lines * leading
                                                  : -1;
  /// The distance between the numbers of one line and those of the next.
  static constexpr int leading_of_pairs = has_pairs_behind ? per_unit : leading;

  static constexpr int stride = [] {
    constexpr int step = narrow ? 2 : L <= 4 ? 1 : L / 4;
    int units = (lines * leading + per_unit - 1) / per_unit + (has_pairs_behind ? lines : 0);
    // The distance between items that are copied in the order of memory; see GridTransfer.
    constexpr int copied = odd_units<T>(E * E) / per_unit;
    if (units < copied) units = copied;
    while (units % step != 0 || units / step % 2 == 0) ++units;
    return units * per_unit;
  }();
  static constexpr std::size_t bytes = std::size_t(stride) * sizeof(T);
};

/// The distance between rows of a staged common matrix: an odd number of units, so that rows are
/// read by 16 bytes and eight lanes that each read their own row use different banks.
template <class T>
constexpr int staged_leading(int cols) {
  return odd_units<T>(cols);
}

/// The same if eight lanes read four neighbouring units of two rows each: four units more than a
/// multiple of eight.
template <class T>
constexpr int fragments_leading(int cols) {
  constexpr int per_unit = 16 / int(sizeof(T));
  int const units = (cols + per_unit - 1) / per_unit;
  return ((units + 3) / 8 * 8 + 4) * per_unit;
}

}  // namespace Batchwork::Impl

#endif
