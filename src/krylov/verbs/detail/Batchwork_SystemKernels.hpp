// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of the verbs that go once through the numbers of a system: what is done to an item
/// is written once, for lanes of a device, a host's thread and packs of items.
#ifndef BATCHWORK_SYSTEMKERNELS_HPP
#define BATCHWORK_SYSTEMKERNELS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/detail/Batchwork_Lanes.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/detail/backend/Batchwork_SystemSum.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyTeams.hpp"
#include "krylov/verbs/detail/Batchwork_ItemVectors.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"

namespace Batchwork::Impl {

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

/// One kernel on the instance.
template <class Exec, class Work>
void launch_systems(Exec const& exec, SystemCall const& call, Work const& work, std::int64_t items,
                    std::int64_t rows, std::int64_t nonzeros) {
  if (items == 0) return;
  std::string const label = kernel_label(call.verb, call.label);
  if constexpr (runs_on_device<Exec>) {
    using Kernel = SystemTeams<Work>;
    Kernel const kernel{work, items, work.lanes()};
    launch_teams<Kernel::largest_team, 1>(
        exec, label, kernel,
        {kernel.teams(), Kernel::largest_team,
         Work::combined > 0 ? Kernel::scratch_size(Kernel::largest_team) : 0},
        [&] { return call.launch_words(rows); });
  } else {
    std::int64_t const per_chunk = items_of_a_chunk(items, rows + nonzeros, exec.concurrency());
    launch_range(exec, label, (items + per_chunk - 1) / per_chunk,
                 SystemsOnHost<Work>(work, items, per_chunk));
  }
}

}  // namespace Batchwork::Impl

#endif
