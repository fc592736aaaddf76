// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// RestOfRows: how much team scratch the entries get that lanes do not hold in registers. A pure
/// function of sizes.
#ifndef BATCHWORK_RESTOFROWS_HPP
#define BATCHWORK_RESTOFROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

namespace Batchwork::Impl {

/// What rows have beyond the entries in registers, cut into pieces of one row each; see
/// LongRows.hpp.
struct RestOfRows {
  static constexpr int numbers_of_a_sum = 3;  ///< of the widest of ProductSums.hpp
  static constexpr int beside = 16;           ///< bytes
  static constexpr int shortest = 8;          ///< entries of a piece
  static constexpr int bytes_of_slots =
      80;  ///< of a lane: so far apart, lanes begin in different banks
  /// Most lanes of a system with which a multiprocessor has registers for two, in double.
  static constexpr int lanes_of_two = 160;

  /// Entries of a row in registers, for numbers of so many bytes.
  static constexpr int in_registers(int size) { return size == 8 ? 48 : 64; }

  int pieces = 0;         ///< of a system, at most; 0: no row is that long
  int kept = 0;           ///< pieces in scratch; the others are read where the matrix is
  int length = shortest;  ///< entries of a piece

  /// Bytes of scratch of a system of so many lanes, for numbers of `size` bytes: to choose the
  /// slots of rows, then the pieces.
  constexpr std::int64_t bytes(int lanes, int size) const {
    std::int64_t const of_pieces = std::int64_t(pieces) * (numbers_of_a_sum * size + 4) +
                                   std::int64_t(kept) * length * (size + 1);
    return (beside + std::max<std::int64_t>(std::int64_t(bytes_of_slots) * lanes, of_pieces) +
            4 * lanes + 15) /
           16 * 16;
  }
};

/// Pieces of so many entries, at most, of rows that have `widest` entries at most and `nonzeros`
/// together. A row of c entries has (c - in_registers + length - 1) / length at most, and that is a
/// greater part of c the longer the row is.
constexpr std::int64_t most_pieces(std::int64_t rows, std::int64_t nonzeros, std::int64_t widest,
                                   std::int64_t length, int in_registers) {
  std::int64_t const longest = widest - in_registers;
  if (longest <= 0) return 0;
  return std::min(rows * ((longest + length - 1) / length),
                  nonzeros * (longest + length - 1) / (length * widest));
}

/// The rest of systems of so many rows in `bytes` of scratch a team, a system having one. Where
/// little of it fits, pieces are longer, so that there are fewer sums of them.
constexpr RestOfRows rest_of_rows(std::int64_t rows, std::int64_t nonzeros, std::int64_t widest,
                                  int lanes, int size, std::int64_t bytes) {
  int const in_registers = RestOfRows::in_registers(size);
  RestOfRows rest;
  for (;; rest.length *= 2) {
    rest.pieces = int(most_pieces(rows, nonzeros, widest, rest.length, in_registers));
    if (rest.bytes(lanes, size) <= bytes / 2 || rest.length >= widest - in_registers) break;
  }
  std::int64_t const left = bytes - RestOfRows::beside - 4 * lanes - 16 -
                            std::int64_t(rest.pieces) * (RestOfRows::numbers_of_a_sum * size + 4);
  rest.kept = int(
      std::clamp<std::int64_t>(left / (std::int64_t(rest.length) * (size + 1)), 0, rest.pieces));
  return rest;
}

/// Teams of so many lanes that a multiprocessor has registers for, a row a lane; by what compilers
/// are told and give: in double 168 registers to 160 lanes (a quarter of the multiprocessor has
/// three warps of two teams), and 256 beyond; 160 in float.
constexpr int teams_of_long_rows(int lanes, int size) {
  int const registers = size == 4 ? 160 : lanes <= RestOfRows::lanes_of_two ? 168 : 256;
  return std::max(registers_of_multiprocessor / (lanes * registers), 1);
}
/// Bytes of scratch for the rest of each of these teams, `exchange_bytes` being what they have
/// beside. One half of what a team may have for a solver that has storage there.
constexpr std::int64_t scratch_of_rest(DeviceLimits const& limits, int lanes, int size,
                                       std::int64_t exchange_bytes, bool has_storage) {
  std::int64_t const share =
      std::int64_t(limits.scratch(teams_of_long_rows(lanes, size), lanes)) - exchange_bytes;
  return has_storage ? share / 2 : share;
}

}  // namespace Batchwork::Impl

#endif
