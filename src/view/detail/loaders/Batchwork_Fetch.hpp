// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Fetch: copies one lane's tile to team scratch ahead of its use, in parallel to the arithmetic.
#ifndef BATCHWORK_FETCH_HPP
#define BATCHWORK_FETCH_HPP

#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "view/detail/loaders/Batchwork_Transfer.hpp"

namespace Batchwork::Impl {

/// How one lane's tile is copied to scratch ahead of its use. Each lane has its own column of the
/// buffer, with number k of the tile at k * lanes + lane, so that neither copies nor reads have
/// bank conflicts, and no lane waits for another. For arrangements in which neighbouring lanes read
/// neighbouring numbers; for others the copies of single numbers cost more than they save.
template <class Loc>
struct Fetch {
  using Sh = typename Loc::shape;
  using T = std::remove_const_t<typename Loc::value_type>;
  static constexpr bool possible = Loc::lanes_are_neighbours && sizeof(T) >= 4;
  static constexpr bool triangle =
      Sh::structure == Structure::symmetric || Sh::structure == Structure::lower;
  /// Numbers of one tile in the buffer.
  static constexpr int numbers = triangle ? Sh::rows * (Sh::rows + 1) / 2 : Sh::size;

  static BATCHWORK_INLINE constexpr int position(int i, int j) {
    return triangle ? triangle_index(i, j) : number_of<Sh>(i, j);
  }
  static BATCHWORK_INLINE T* place(char* buffer, int i, int j, int lane, int lanes) {
    return reinterpret_cast<T*>(buffer) + position(i, j) * lanes + lane;
  }

  static BATCHWORK_INLINE void start(Loc const& loc, std::int64_t item, char* buffer, int lane,
                                     int lanes) {
    T const* from = loc.at(item, 0);
    for_each_read<Sh>([&](int i, int j) {
      Vendor::copy_async<int(sizeof(T))>(place(buffer, i, j, lane, lanes), from + loc.offset(i, j));
    });
  }

  /// The tile, once its copy has ended.
  template <class R>
  static BATCHWORK_INLINE void finish(R& r, char* buffer, int lane, int lanes) {
    r.info = 0;
    if constexpr (Sh::rank == 0) r.value = *place(buffer, 0, 0, lane, lanes);
    else for_each_read<Sh>([&](int i, int j) { r.set(i, j, *place(buffer, i, j, lane, lanes)); });
  }
};

}  // namespace Batchwork::Impl

#endif
