// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Prefetch: hints to a host's caches for a backward scan. The hardware prefetches data that are
/// read and written in ascending order, and data that are only read in either order. It does not
/// prefetch data that are written tile by tile in descending order while others are read in that
/// order.
#ifndef BATCHWORK_PREFETCH_HPP
#define BATCHWORK_PREFETCH_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "view/detail/layout/Batchwork_Location.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// The lanes of a host in a scan backwards.
template <class Lanes>
struct FetchingAhead : Lanes {
  static constexpr bool fetches_ahead = true;
};
template <class Lanes>
inline constexpr bool fetches_ahead = requires { Lanes::fetches_ahead; };

/// All lines of so many bytes.
template <bool Written, std::size_t Bytes>
BATCHWORK_INLINE void prefetch_lines(char const* from) {
  constexpr std::size_t line = 64;
  BATCHWORK_UNROLL_ON_DEVICE
  for (std::size_t k = 0; k < Bytes; k += line) Vendor::prefetch<Written>(from + k);
  if constexpr (Bytes > 1) Vendor::prefetch<Written>(from + Bytes - 1);
}

/// Asks a host's caches for an item that may be anywhere in memory. The hardware prefetches others.
template <bool Written, class U>
void prefetch_item(Storage<U> const& s, std::int64_t item, std::int64_t rows, std::int64_t cols) {
  if (s.width != 0 || s.data == nullptr) return;
  constexpr std::int64_t line = 64;
  auto const* const from = reinterpret_cast<char const*>(item_of(s, item));
  for (std::int64_t k = 0; k < rows * cols * std::int64_t(sizeof(U)); k += line)
    Vendor::prefetch<Written>(from + k);
}

/// The number of steps ahead: memory takes as long as a few steps.
inline constexpr int steps_fetched_ahead = 6;

/// Prefetches the tiles of a pack at a step. Does nothing for an interleaved batch, where the next
/// step is as far away as any other in both directions.
template <bool Written, class Loc>
BATCHWORK_INLINE void prefetch_tiles([[maybe_unused]] Loc const& loc,
                                     [[maybe_unused]] auto const& items,
                                     [[maybe_unused]] std::int64_t time) {
  using Sh = typename Loc::shape;
  using T = typename Loc::value_type;
  constexpr std::size_t size = std::size_t(Sh::size) * sizeof(T);
  if constexpr (is_item_contiguous<Loc>) {
    for (int k = 0; k < items.count; ++k)
      prefetch_lines<Written, size>(
          reinterpret_cast<char const*>(loc.at(items.item_of_lane(k), time)));
  } else if constexpr (width_of_compact<Loc> > 0) {
    constexpr int width = width_of_compact<Loc>;
    prefetch_lines<Written, size * std::size_t(width)>(
        reinterpret_cast<char const*>(loc.at(items.first, time) - items.first % width));
  }
}

}  // namespace Batchwork::Impl

#endif
