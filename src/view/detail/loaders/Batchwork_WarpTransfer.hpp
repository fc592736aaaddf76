// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// WarpTransfer: loads and stores of item-contiguous batches where each lane holds an item. The
/// items of neighbouring lanes are one after the other in memory; if each lane read its own item,
/// all lanes would read from different sectors. So a warp copies the items of its lanes together,
/// through team scratch, with neighbouring lanes copying neighbouring numbers.
#ifndef BATCHWORK_WARP_TRANSFER_HPP
#define BATCHWORK_WARP_TRANSFER_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "view/detail/loaders/Batchwork_Transfer.hpp"

namespace Batchwork::Impl {

template <class Loc>
struct WarpTransfer {
  using Sh = typename Loc::shape;
  using T = std::remove_const_t<typename Loc::value_type>;
  static constexpr int size = Sh::size, per_unit = 16 / int(sizeof(T)), lanes = lanes_of_warp;
  /// Rows of matrices that are more than a few numbers.
  static constexpr bool possible =
      is_item_contiguous<Loc> && Sh::rank == 2 && size * sizeof(T) > 32;
  static constexpr bool in_units = size % per_unit == 0;
  static constexpr int units = size / per_unit;
  /// The distance between items in the buffer: an odd number of units, or of numbers, so that lanes
  /// that read the same number of their own items use different banks.
  static constexpr int stride = in_units ? (units | 1) * per_unit : (size | 1);
  /// The bytes of a warp.
  static constexpr std::size_t bytes = std::size_t(lanes) * stride * sizeof(T);

  /// Calls move(numbers at once, position in the buffer, pointer to memory) for the part of `count`
  /// items from `first` on that a lane copies.
  template <class Move>
  static BATCHWORK_INLINE void for_each_piece(Loc const& loc, std::int64_t first, int count,
                                              int lane, Move const& move) {
    if constexpr (in_units) {
      if (loc.wide) {
        BATCHWORK_UNROLL_SOME
        for (int q = lane; q < count * units; q += lanes) {
          int const g = q / units, u = q - g * units;
          move(std::integral_constant<int, per_unit>(), g * stride + u * per_unit,
               loc.at(first + g, 0) + u * per_unit);
        }
        return;
      }
    } else if constexpr (stride == size) {
      auto* const run = loc.at(first, 0);
      if (loc.item_stride == size && count == lanes &&
          reinterpret_cast<std::uintptr_t>(run) % 16 == 0) {
        BATCHWORK_UNROLL_SOME
        for (int q = lane * per_unit; q < lanes * size; q += lanes * per_unit)
          move(std::integral_constant<int, per_unit>(), q, run + q);
        return;
      }
    }
    BATCHWORK_UNROLL_SOME
    for (int q = lane; q < count * size; q += lanes) {
      int const g = q / size, k = q - g * size;
      move(std::integral_constant<int, 1>(), g * stride + k, loc.at(first + g, 0) + k);
    }
  }

  /// Starts to copy items to the buffer of a warp.
  static BATCHWORK_INLINE void start(Loc const& loc, std::int64_t first, int count, int lane,
                                     char* buffer) {
    T* const to = reinterpret_cast<T*>(buffer);
    for_each_piece(loc, first, count, lane, [&](auto at_once, int place, T const* from) {
      Vendor::copy_async<int(at_once * sizeof(T))>(to + place, from);
    });
  }
  /// A lane's own tile, once it is there.
  template <class R>
  static BATCHWORK_INLINE void take(R& r, int lane, char const* buffer) {
    T const* const own = reinterpret_cast<T const*>(buffer) + lane * stride;
    r.info = 0;
    if constexpr (in_units) {
      Unit<T> all[units];
      BATCHWORK_UNROLL
      for (int u = 0; u < units; ++u) all[u] = reinterpret_cast<Unit<T> const*>(own)[u];
      for_each_read<Sh>([&](int i, int j) {
        int const k = number_of<Sh>(i, j);
        r.set(i, j, all[k / per_unit].v[k % per_unit]);
      });
    } else {
      for_each_read<Sh>([&](int i, int j) { r.set(i, j, own[number_of<Sh>(i, j)]); });
    }
  }

  /// Writes a lane's own tile to the buffer, and the items of all lanes from there to memory.
  template <class R>
  static BATCHWORK_INLINE void put(R const& r, int lane, char* buffer) {
    T* const own = reinterpret_cast<T*>(buffer) + lane * stride;
    if constexpr (in_units) {
      BATCHWORK_UNROLL
      for (int u = 0; u < units; ++u) {
        Unit<T> w;
        BATCHWORK_UNROLL
        for (int n = 0; n < per_unit; ++n) {
          int const k = u * per_unit + n;
          w.v[n] = r.entry(k / Sh::cols, k % Sh::cols);
        }
        reinterpret_cast<Unit<T>*>(own)[u] = w;
      }
    } else {
      BATCHWORK_UNROLL
      for (int k = 0; k < size; ++k) own[k] = r.entry(k / Sh::cols, k % Sh::cols);
    }
  }
  static BATCHWORK_INLINE void finish(Loc const& loc, std::int64_t first, int count, int lane,
                                      char const* buffer) {
    T const* const from = reinterpret_cast<T const*>(buffer);
    for_each_piece(loc, first, count, lane, [&](auto at_once, int place, T* to) {
      T x[at_once];
      if constexpr (at_once > 1) {
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(from + place);
        BATCHWORK_UNROLL
        for (int n = 0; n < at_once; ++n) x[n] = u.v[n];
      } else {
        x[0] = from[place];
      }
      Vendor::store_vector(to, x);
    });
  }
};

/// The item of a lane whose warp moves it: storing a tile writes it to the buffer.
struct WarpItem {
  std::int64_t first;
  int lane;
  char* buffer;

  template <class Loc, class R>
  BATCHWORK_INLINE void put(R const& r) const {
    WarpTransfer<Loc>::put(r, lane, buffer);
  }
};

}  // namespace Batchwork::Impl

#endif
