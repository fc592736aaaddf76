// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The items that a team of a device, or a thread of a host, works on at once: their memory, and
/// how their numbers come and go.
#ifndef BATCHWORK_ITEMSOFTEAM_HPP
#define BATCHWORK_ITEMSOFTEAM_HPP

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnLanes.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// The memory that a decomposition needs for one item or pack: numbers, and whole numbers of 16
/// bits.
struct ItemMemory {
  std::int64_t numbers = 0, indices = 0;

  template <class S>
  BATCHWORK_INLINE std::size_t bytes(int found) const {
    return whole(std::size_t(numbers) * sizeof(S)) + whole(std::size_t(indices) * 2) +
           whole(std::size_t(found) * 8);
  }
  static constexpr KOKKOS_FORCEINLINE_FUNCTION std::size_t whole(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
  }
};

/// What a team of a device has: slot n is the n-th of its items. Loads and stores are shared by all
/// lanes of the team.
template <class T, class Member>
struct ItemsOfTeam {
  using value_type = T;
  using Lanes = ColumnLanes<Member>;

  Member const& member;
  char* scratch;
  std::size_t bytes_of_item;
  ItemMemory memory;
  std::int64_t begin, items;
  int per_team, count, width;  ///< items of the team, lanes of an item and of a group

  BATCHWORK_INLINE int own() const { return Vendor::lane_rank(member) / count; }
  BATCHWORK_INLINE T* numbers(int slot) const {
    return reinterpret_cast<T*>(scratch + std::size_t(slot) * bytes_of_item);
  }
  BATCHWORK_INLINE std::int16_t* indices(int slot) const {
    return reinterpret_cast<std::int16_t*>(reinterpret_cast<char*>(numbers(slot)) +
                                           memory.bytes<T>(0) -
                                           ItemMemory::whole(std::size_t(memory.indices) * 2));
  }
  BATCHWORK_INLINE Lanes lanes() const {
    char* const found = reinterpret_cast<char*>(numbers(own())) + memory.bytes<T>(0);
    return Lanes(member, count, width, Vendor::lane_rank(member) % count,
                 reinterpret_cast<std::int64_t*>(found));
  }
  /// What one has written to another's items is seen.
  BATCHWORK_INLINE void meet() const { member.team_barrier(); }

  /// put(slot, i, j, x) for the numbers of a rows x cols operand; missing items get the numbers of
  /// the last one.
  template <class U, class Put>
  BATCHWORK_INLINE void load(StoredItems<U> const& from, int rows, int cols, Put const& put) const {
    for_entries(from, rows, cols, [&](int slot, int i, int j) {
      std::int64_t const k = begin + slot < items ? begin + slot : items - 1;
      put(slot, i, j,
          item_of(from.storage,
                  k)[std::int64_t(i) * from.storage.row + std::int64_t(j) * from.storage.col]);
    });
  }
  /// Stores get(slot, i, j).
  template <class Get>
  BATCHWORK_INLINE void store(StoredItems<T> const& to, int rows, int cols, Get const& get) const {
    for_entries(to, rows, cols, [&](int slot, int i, int j) {
      if (begin + slot >= items) return;
      item_of(to.storage,
              begin + slot)[std::int64_t(i) * to.storage.row + std::int64_t(j) * to.storage.col] =
          get(slot, i, j);
    });
  }
  /// Stores the status of the own item.
  BATCHWORK_INLINE void put_status(StatusTarget const& to, std::int32_t code) const {
    std::int64_t const item = begin + own();
    if (to.wanted() && Vendor::lane_rank(member) % count == 0 && item < items) to.put(item, code);
  }

 private:
  template <class U, class Body>
  BATCHWORK_INLINE void for_entries(StoredItems<U> const& of, int rows, int cols,
                                    Body const& body) const {
    int const lane = Vendor::lane_rank(member), together = of.items_near ? per_team : 1;
    int const slot = of.items_near ? lane % together : lane / count;
    int const first = of.items_near ? lane / together : lane % count;
    int const outer = of.rows_near ? cols : rows, inner = of.rows_near ? rows : cols;
    if (inner < count) {
      // Short lines: several at once.
      for (int q = first; q < outer * inner; q += count)
        body(slot, of.rows_near ? q % inner : q / inner, of.rows_near ? q / inner : q % inner);
    } else {
      for (int r = 0; r < outer; ++r)
        for (int q = first; q < inner; q += count)
          body(slot, of.rows_near ? q : r, of.rows_near ? r : q);
    }
  }
};

/// What a thread of a host has: one item, or a pack S of them.
template <class S>
struct ItemsOfThread {
  using value_type = S;
  using T = scalar_t<S>;
  using Lanes = LoneColumnLanes;
  static constexpr int width = ValueTraits<S>::width;

  char* buffer;
  ItemMemory memory;
  std::int64_t begin, items;

  static constexpr KOKKOS_FUNCTION int own() { return 0; }
  KOKKOS_FUNCTION S* numbers(int) const { return reinterpret_cast<S*>(buffer); }
  KOKKOS_FUNCTION std::int16_t* indices(int) const {
    return reinterpret_cast<std::int16_t*>(
        buffer + ItemMemory::whole(std::size_t(memory.numbers) * sizeof(S)));
  }
  KOKKOS_FUNCTION Lanes lanes() const { return {}; }
  KOKKOS_FUNCTION void meet() const {}

  template <class U, class Put>
  KOKKOS_FUNCTION void load(StoredItems<U> const& from, int rows, int cols, Put const& put) const {
    for_entries(from, rows, cols, [&](int i, int j) {
      S x;
      for (int w = 0; w < width; ++w) {
        std::int64_t const k = begin + w < items ? begin + w : items - 1;
        set_entry_of_pack(x, w,
                          item_of(from.storage, k)[i * from.storage.row + j * from.storage.col]);
      }
      put(0, i, j, x);
    });
  }
  /// Stores get(0, i, j) of those items of the pack.
  template <class Get>
  KOKKOS_FUNCTION void store(StoredItems<T> const& to, int rows, int cols, Get const& get,
                             mask_t<S> const& of_those = mask_t<S>(true)) const {
    for_entries(to, rows, cols, [&](int i, int j) {
      S const x = get(0, i, j);
      for (int w = 0; w < width && begin + w < items; ++w)
        if (entry_of_pack(of_those, w))
          item_of(to.storage, begin + w)[i * to.storage.row + j * to.storage.col] =
              entry_of_pack(x, w);
    });
  }
  KOKKOS_FUNCTION void put_status(StatusTarget const& to, info_t<S> const& code) const {
    for (int w = 0; w < width && begin + w < items && to.wanted(); ++w)
      to.put(begin + w, std::int32_t(entry_of_pack(code, w)));
  }

 private:
  template <class U, class Body>
  static KOKKOS_FUNCTION void for_entries(StoredItems<U> const& of, int rows, int cols,
                                          Body const& body) {
    int const outer = of.rows_near ? cols : rows, inner = of.rows_near ? rows : cols;
    for (int r = 0; r < outer; ++r)
      for (int q = 0; q < inner; ++q) body(of.rows_near ? q : r, of.rows_near ? r : q);
  }
};

}  // namespace Batchwork::Impl

#endif
