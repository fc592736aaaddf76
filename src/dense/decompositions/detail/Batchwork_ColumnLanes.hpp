// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The lanes that work on the columns of one matrix in memory, and a host's thread in their place.
#ifndef BATCHWORK_COLUMNLANES_HPP
#define BATCHWORK_COLUMNLANES_HPP

#include <cstdint>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"

namespace Batchwork::Impl {

/// Lanes of a team that share an item, in groups: a group has a column at a time, and lane `row` of
/// its `width` lanes the rows row, row + width, ... Groups do not exchange numbers without
/// shuffles; then each is one lane. All lanes of the item call each function at the same time; for
/// up to 32 lanes an item, all lanes of the warp. The functions that return counts may be called by
/// any lane.
template <class Member>
struct ColumnLanes {
  static constexpr bool alone = false;

  Member const& member;
  int count, width, rank, group, groups, row;
  std::int64_t* found;  ///< found_numbers(count)

  BATCHWORK_INLINE ColumnLanes(Member const& m, int lanes_of_item, int lanes_of_group, int lane,
                               std::int64_t* memory)
      : member(m),
        count(lanes_of_item),
        width(lanes_of_group),
        rank(lane),
        group(lane / lanes_of_group),
        groups(lanes_of_item / lanes_of_group),
        row(lane % lanes_of_group),
        found(memory) {}

  static constexpr int found_numbers(int count) {
    return Vendor::has_shuffles ? (count > lanes_of_warp ? count / lanes_of_warp : 0) : count;
  }

  BATCHWORK_INLINE void sync() const {
    if (count > lanes_of_warp) member.team_barrier();
    else Vendor::warp_sync(member);
  }
  /// Over the lanes of the group, the same bits in each.
  template <class X>
  BATCHWORK_INLINE X sum(X x) const {
    if constexpr (Vendor::has_shuffles)
      for (int step = 1; step < width; step *= 2) x += Vendor::shuffle_xor(x, step);
    return x;
  }
  template <class T>
  BATCHWORK_INLINE T largest_of_group(T x) const {
    if constexpr (Vendor::has_shuffles)
      for (int step = 1; step < width; step *= 2) x = larger_size(x, Vendor::shuffle_xor(x, step));
    return x;
  }
  /// Over the lanes of the item.
  template <class I>
  BATCHWORK_INLINE I largest_key(I key) const {
    if constexpr (Vendor::has_shuffles) {
      for (int step = 1; step < count && step < lanes_of_warp; step *= 2) {
        I const other = Vendor::shuffle_xor(key, step);
        key = other > key ? other : key;
      }
      if (count <= lanes_of_warp) return key;
    }
    // What was found before is read.
    member.team_barrier();
    int const parts = found_numbers(count), lanes = count / parts;
    if (rank % lanes == 0) found[rank / lanes] = std::int64_t(key);
    member.team_barrier();
    for (int q = 0; q < parts; ++q) key = found[q] > std::int64_t(key) ? I(found[q]) : key;
    return key;
  }
  /// The largest of numbers that are not negative; NaN is larger than any.
  template <class T>
  BATCHWORK_INLINE T largest(T const& x) const {
    return from_bits<T>(largest_key(size_key(x)));
  }
  BATCHWORK_INLINE bool any(bool x) const { return largest_key(x ? 1 : 0) != 0; }
  /// Over all lanes that go one way.
  BATCHWORK_INLINE bool any_together(bool x) const {
    if constexpr (Vendor::has_shuffles)
      if (count <= lanes_of_warp) return Vendor::any_of_warp(x);
    return any(x);
  }
};

/// A host's thread, which has an item or a pack of them alone.
struct LoneColumnLanes {
  static constexpr bool alone = true;
  static constexpr int width = 1, group = 0, groups = 1, row = 0;

  BATCHWORK_INLINE void sync() const {}
  template <class X>
  BATCHWORK_INLINE X const& sum(X const& x) const {
    return x;
  }
  template <class X>
  BATCHWORK_INLINE X const& largest_of_group(X const& x) const {
    return x;
  }
  template <class X>
  BATCHWORK_INLINE X const& largest(X const& x) const {
    return x;
  }
  template <class Mask>
  BATCHWORK_INLINE Mask const& any(Mask const& m) const {
    return m;
  }
  template <class Mask>
  BATCHWORK_INLINE bool any_together(Mask const& m) const {
    return Batchwork::any(m);
  }
};

}  // namespace Batchwork::Impl

#endif
