// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Exchange: the team scratch through which the lanes of one item see each other's lines, and where
/// its numbers stand.
#ifndef BATCHWORK_EXCHANGE_HPP
#define BATCHWORK_EXCHANGE_HPP

#include <cstddef>

#include "core/Batchwork_Value.hpp"
#include "core/detail/backend/Batchwork_Vendor.hpp"

namespace Batchwork::Impl {

/// What is read or written at once.
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

/// So many numbers, rounded up to an odd number of units: lanes that read the same place of what
/// begins so far apart find different banks.
template <class T>
constexpr int odd_units(int numbers) {
  constexpr int per_unit = 16 / int(sizeof(T));
  return ((numbers + per_unit - 1) / per_unit | 1) * per_unit;
}

/// The exchange of an item shared by L lanes, for tiles of extents up to E: number k of line i
/// stands at i * leading + k, and the next item's exchange begins `stride` numbers further on.
///
/// Scratch is 32 banks of 4 bytes; an access of 16 bytes a lane is served eight lanes at a time,
/// one of 4 or 8 bytes 32 or 16. Counted in units of 16 bytes, `leading` is 8 / L times an odd
/// number (an odd number from 8 lanes on), and `stride` an odd number (L / 4 times one from 4 lanes
/// on). So the eight lanes of a phase, which hold L lines of 8 / L items, read or write the same
/// place of their lines in eight different units; and 32 lanes that read number k of lines of their
/// own rank, as a transpose does, find 32 different banks where items are shared by four lanes or
/// more in float: two lanes, and numbers of 8 bytes, meet in twos.
///
/// Two lanes with numbers of 8 bytes have `leading` an odd number of units and `stride` twice an
/// odd number beyond extents of 8, where four times an odd number would leave more than half of the
/// exchange empty: the same conflicts in half the scratch.
template <class T, int L, int E>
struct Exchange {
  static constexpr int per_unit = 16 / int(sizeof(T));
  /// Lines that lanes hold, the last ones of a ragged deal included. Where a warp shares a smaller
  /// item there are blocks of 8 lines, as matrix instructions want them: lanes beyond write none,
  /// and read the last one.
  static constexpr bool ragged = Vendor::has_shuffles && L == 32 && E <= 24;
  /// Beyond extents of 32 as well, where lanes have two lines each: of 40 lines, with as many
  /// numbers each, a whole second round would more than double the scratch of an item.
  static constexpr bool two_rounds = L == 32 && E > 32 && E <= 56;
  static constexpr int lines = ragged || two_rounds ? (E + 7) / 8 * 8 : (E + L - 1) / L * L;
  /// The line of round m of the deal that a lane reads, and writes if it has one.
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
  /// Where two numbers of each line stand that belong to none of its places: beside the line where
  /// there is room for a unit, else behind all of them in double from 7 to 12 rows, where a unit a
  /// line is cheap; -1 where there is no place.
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

/// Numbers from one row of a staged common matrix to the next: an odd number of units, so that rows
/// are read by 16 bytes, and eight lanes that each read their own row find different banks.
template <class T>
constexpr int staged_leading(int cols) {
  return odd_units<T>(cols);
}

/// The same where eight lanes read four neighbouring units of two rows each: four units more than a
/// multiple of eight.
template <class T>
constexpr int fragments_leading(int cols) {
  constexpr int per_unit = 16 / int(sizeof(T));
  int const units = (cols + per_unit - 1) / per_unit;
  return ((units + 3) / 8 * 8 + 4) * per_unit;
}

}  // namespace Batchwork::Impl

#endif
