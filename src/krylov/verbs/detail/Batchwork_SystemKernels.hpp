// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of the verbs that go once through the numbers of a system: what is done to an item
/// is written once, for lanes of a device, a host's thread and packs of items.
#ifndef BATCHWORK_SYSTEMKERNELS_HPP
#define BATCHWORK_SYSTEMKERNELS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/detail/backend/Batchwork_SystemSum.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyTeams.hpp"

namespace Batchwork::Impl {

/// One number, or the neighbouring numbers of the items of a pack.
template <class S, class T>
BATCHWORK_INLINE S get(T const* from) {
  if constexpr (std::is_same_v<S, T>) return *from;
  else return S::load(from);
}
template <class S, class T>
BATCHWORK_INLINE void put(T* to, S const& x) {
  if constexpr (std::is_same_v<S, T>) *to = x;
  else x.store(to);
}

/// Whether packs of `width` items from a multiple of it on are neighbours.
template <class T>
bool stands_in_packs(Storage<T> const& s, int width) {
  return s.width == 1 ? s.group == 1 : s.lane == 1 && s.width % width == 0;
}

/// A number of every item, or one for all of them.
template <class T>
struct ItemNumber {
  Storage<T const> of{};
  bool common = true;
  T value = T(0);

  template <class S>
  BATCHWORK_INLINE S at(std::int64_t item) const {
    return common ? S(value) : get<S>(item_of(of, item));
  }
  bool in_packs(int width) const { return common || stands_in_packs(of, width); }
};

/// A vector of every item, or one for all of them with strides of zero from item to item.
template <class T>
struct ItemVector {
  Storage<T const> of{};
  bool common = false;

  BATCHWORK_INLINE T const* item(std::int64_t n) const { return item_of(of, n); }
  template <class S>
  BATCHWORK_INLINE S at(T const* item, int i) const {
    T const* const p = item + i * of.row;
    return common ? S(*p) : get<S>(p);
  }
  bool in_packs(int width) const { return common || stands_in_packs(of, width); }
};

// The work of a kernel, Work:
// - value_type: T, float or double
// - combined: numbers that lanes add up at once; 0 if they do not, and need no scratch
// - lanes(): lanes of a device that share an item
// - in_packs(width): whether all operands are interleaved or in whole packs
// - run<S>(lanes, item, there): for one item, S being T; or for the Pack of items from `item` on.
//   Lanes that are not there take part in waits and sums, and store nothing.

/// On devices: lanes of a team share an item.
template <class Work>
struct SystemTeams {
  static constexpr int largest_team = 128;
  using T = typename Work::value_type;

  Work work;
  std::int64_t items;
  int lanes = 1;  ///< of an item, a power of two

  std::int64_t teams() const {
    std::int64_t const per_team = largest_team / lanes;
    return (items + per_team - 1) / per_team;
  }
  /// Bytes of team scratch.
  static constexpr std::size_t scratch_size(int team) {
    return sum_scratch<T>(team, Work::combined);
  }

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    int const rank = member.team_rank(), slot = rank / lanes;
    std::int64_t const wanted =
        std::int64_t(member.league_rank()) * (member.team_size() / lanes) + slot;
    bool const there = wanted < items;
    std::int64_t const item = there ? wanted : items - 1;
    SystemLanes<Member> const mine{member, rank - slot * lanes, lanes};
    if constexpr (Work::combined > 0) {
      auto* const scratch = static_cast<T*>(
          member.team_scratch(0).get_shmem_aligned(scratch_size(member.team_size()), 16));
      auto summing = SummingLanes<T, Member>::of(mine, scratch, Work::combined);
      work.template run<T>(summing, item, there);
    } else {
      work.template run<T>(mine, item, there);
    }
  }
};

/// On hosts: a thread has one item, or a pack of them.
template <class Work>
struct SystemsOnHost {
  using T = typename Work::value_type;
  static constexpr int W = native_width<T>;

  Work work;
  std::int64_t items, per_chunk;  ///< of a chunk, whole packs
  bool by_packs;

  SystemsOnHost(Work const& w, std::int64_t n, std::int64_t chunk)
      : work(w), items(n), per_chunk(chunk), by_packs(w.in_packs(W)) {}

  void operator()(std::int64_t chunk) const {
    LoneSums alone;
    std::int64_t item = chunk * per_chunk;
    std::int64_t const end = item + per_chunk < items ? item + per_chunk : items;
    if (by_packs)
      for (; item + W <= end; item += W) work.template run<Pack<T, W>>(alone, item, true);
    for (; item < end; ++item) work.template run<T>(alone, item, true);
  }
};

}  // namespace Batchwork::Impl

#endif
