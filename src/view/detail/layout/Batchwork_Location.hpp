// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Location: the memory of an operand inside the kernel: a pointer and strides, 64-bit throughout.
/// There are three arrangements of a batch, and the general strided one: interleaved (LayoutLeft,
/// item fastest), item-contiguous (LayoutRight, an item's numbers adjacent), compact (groups of W
/// adjacent items), strided (anything else).
#ifndef BATCHWORK_LOCATION_HPP
#define BATCHWORK_LOCATION_HPP

#include <cstdint>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_ListedItems.hpp"
#include "view/detail/layout/Batchwork_Shape.hpp"

namespace Batchwork {
namespace Impl {

enum class Arrangement {
  interleaved,
  item_contiguous,
  strided,
  compact,
  matrix_rows,
  matrix_columns
};

/// Whether a View of this arrangement has item or time indices.
constexpr bool is_single(Arrangement a) {
  return a == Arrangement::matrix_rows || a == Arrangement::matrix_columns;
}

/// T may be const. All strides count numbers, not bytes. offset(i, j) is relative to at(item,
/// time).
template <class T, class Sh, Arrangement A, int CompactWidth>
struct Location;

template <class T, class Sh>
struct Location<T, Sh, Arrangement::interleaved, 0> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = true;
  T* data;
  std::int64_t time, entry_stride;
  bool wide;  ///< number (i, j) of the first item starts, for every (i, j), on a 16-byte boundary

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const { return data + item + t * time; }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return (Sh::rank == 2 ? i + j * Sh::rows : i) * entry_stride;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return true; }
};

template <class T, class Sh>
struct Location<T, Sh, Arrangement::item_contiguous, 0> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = false;
  T* data;
  std::int64_t time, item_stride;
  bool wide;  ///< every item starts on a 16-byte boundary and is a multiple of 16 bytes long

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const {
    return data + item * item_stride + t * time;
  }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return Sh::rank == 2 ? i * Sh::cols + j : i;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return false; }
};

template <class T, class Sh>
struct Location<T, Sh, Arrangement::strided, 0> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = false;
  T* data;
  std::int64_t time, item_stride, row, col;

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const {
    return data + item * item_stride + t * time;
  }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return Sh::rank == 2 ? i * row + j * col : i * row;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return false; }
};

template <class T, class Sh, int PW>
struct Location<T, Sh, Arrangement::compact, PW> {
  using value_type = T;
  using shape = Sh;
  static constexpr bool lanes_are_neighbours = true;
  T* data;
  std::int64_t time, group;
  bool wide;  ///< the same number of all items of a group starts on a 16-byte boundary

  BATCHWORK_INLINE T* at(std::int64_t item, std::int64_t t) const {
    return data + (item / PW) * group + t * time + item % PW;
  }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    return std::int64_t(Sh::rank == 2 ? i * Sh::cols + j : i) * PW;
  }
  /// W items from `item` on lie side by side.
  BATCHWORK_INLINE bool adjacent(std::int64_t item, int w) const { return item % PW + w <= PW; }
};

/// One matrix or vector without item or time index, row by row or column by column without gaps: no
/// stride is needed.
template <class T, class Sh, Arrangement A>
  requires(is_single(A))
struct Location<T, Sh, A, 0> {
  using value_type = T;
  using shape = Sh;
  T* data;

  BATCHWORK_INLINE T* at(std::int64_t, std::int64_t) const { return data; }
  BATCHWORK_INLINE std::int64_t offset(int i, int j) const {
    if (Sh::rank < 2) return i;
    return A == Arrangement::matrix_rows ? i * Sh::cols + j : i + j * Sh::rows;
  }
  BATCHWORK_INLINE bool adjacent(std::int64_t, int) const { return false; }
};

/// Whether items are contiguous, which may allow accesses of 16 bytes.
template <class Loc>
inline constexpr bool is_item_contiguous = false;
template <class T, class Sh>
inline constexpr bool is_item_contiguous<Location<T, Sh, Arrangement::item_contiguous, 0>> = true;
/// The number of adjacent items in a group; 0 if items are not compact.
template <class Loc>
inline constexpr int width_of_compact = 0;
template <class T, class Sh, int PW>
inline constexpr int width_of_compact<Location<T, Sh, Arrangement::compact, PW>> = PW;

// ---- entries
// ---------------------------------------------------------------------------------------------

/// The addresses at which one lane's item, or a pack's items, are read and written.
template <class S, class Loc>
struct Cursor {
  using T = typename Loc::value_type;
  Loc const& loc;
  T* p;

  BATCHWORK_INLINE Cursor(Loc const& l, auto const& items, std::int64_t time)
      : loc(l), p(l.at(items.first, time)) {}
  BATCHWORK_INLINE S get(int i, int j) const { return p[loc.offset(i, j)]; }
  BATCHWORK_INLINE void put(int i, int j, S const& v) const { p[loc.offset(i, j)] = v; }
};

/// A pack's items, adjacent or each at its own pointer.
template <class S, class Loc>
  requires requires(S const& x) { x.lane(0); } && (!std::is_arithmetic_v<real_t<S>>)
struct Cursor<S, Loc> {
  using T = typename Loc::value_type;
  static constexpr int W = ValueTraits<S>::width;
  Loc const& loc;
  int count;
  bool adjacent;
  T* p[W];  ///< one pointer per lane; all lanes' entries have the same offsets

  BATCHWORK_INLINE Cursor(Loc const& l, auto const& items, std::int64_t time)
      : loc(l),
        count(items.count),
        adjacent(count == W && l.adjacent(items.first, W) && are_neighbours(items)) {
    for (int k = 0; k < W; ++k) p[k] = loc.at(items.item_of_lane(k), time);
  }
  BATCHWORK_INLINE S get_adjacent(int i, int j) const { return S::load(p[0] + loc.offset(i, j)); }
  BATCHWORK_INLINE void put_adjacent(int i, int j, S const& v) const {
    v.store(p[0] + loc.offset(i, j));
  }
  BATCHWORK_INLINE S get(int i, int j) const {
    std::int64_t const o = loc.offset(i, j);
    S r;
    for (int k = 0; k < W; ++k) r.set_lane(k, p[k][o]);
    return r;
  }
  BATCHWORK_INLINE void put(int i, int j, S const& v) const {
    std::int64_t const o = loc.offset(i, j);
    for (int k = 0; k < count; ++k) p[k][o] = v.lane(k);
  }
};

}  // namespace Impl

/// A read-only tile common to all items, read entry by entry from the View itself.
template <class Loc>
struct Direct {
  using Sh = typename Loc::shape;
  using value_type = Impl::number_of_t<std::remove_const_t<typename Loc::value_type>>;
  static constexpr int rows = Sh::rows;
  static constexpr int cols = Sh::cols;
  static constexpr Structure structure = Sh::structure;
  static constexpr bool is_vector = Sh::is_vector;
  template <class S2>
  using rebind = Impl::tile_of_t<S2, rows, cols, structure, is_vector>;

  Loc loc;
  info_t<value_type> info = 0;

  BATCHWORK_INLINE value_type entry(int i, int j) const {
    if (Impl::structurally_zero(structure, i, j)) return value_type(scalar_t<value_type>(0));
    if (structure == Structure::symmetric && j > i) return loc.data[loc.offset(j, i)];
    return loc.data[loc.offset(i, structure == Structure::diagonal ? 0 : j)];
  }
  BATCHWORK_INLINE value_type entry(int i) const { return loc.data[loc.offset(i, 0)]; }
  /// The same as that of IndexedToRead, which an aggregate cannot have as its first base.
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const {
    return Impl::read_entry(*this, i...);
  }
};

template <class Loc>
struct Impl::TileTraits<Direct<Loc>> : Impl::NoSpecialTile {
  static constexpr bool is_read_in_place = true;
};

}  // namespace Batchwork

#endif
