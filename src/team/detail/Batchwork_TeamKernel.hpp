// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TeamKernel: the shell of kernels whose teams have some items each in scratch.
#ifndef BATCHWORK_TEAMKERNEL_HPP
#define BATCHWORK_TEAMKERNEL_HPP

#include <cstddef>
#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

namespace Batchwork::Impl {

/// What such a kernel tells its launch. A Kernel, which derives from it, has
/// - p: its problem, with the number of items;
/// - count, bytes_of_item(): lanes and bytes of scratch of an item;
/// - largest_team, wanted_teams: its launch bounds, a multiprocessor's teams being the second;
/// - operator()(member).
template <class Kernel>
struct TeamKernel {
  int items_per_team = 1;

  BATCHWORK_INLINE std::size_t bytes_of_items() const {
    return std::size_t(items_per_team) * self().bytes_of_item();
  }
  /// With what aligning may take.
  BATCHWORK_INLINE std::size_t bytes() const { return bytes_of_items() + 16; }
  BATCHWORK_INLINE int team() const { return self().count * items_per_team; }
  /// Groups of items that teams have, one or several.
  BATCHWORK_INLINE std::int64_t all_groups() const {
    return (self().p.items + items_per_team - 1) / items_per_team;
  }
  std::int64_t teams() const { return all_groups(); }
  bool fits(DeviceLimits const& limits) const {
    return limits.holds(Kernel::wanted_teams, self().team(), self().bytes());
  }
  /// Doubles the items of a team up to `most`, as long as their scratch leaves room for so many
  /// teams on a multiprocessor.
  void add_items(int most, int teams, DeviceLimits const& limits) {
    double_items(items_per_team, most, self().p.items,
                 [&] { return self().bytes() <= limits.scratch(teams, self().team()); });
  }

  /// The scratch of the items.
  template <class T, class Member>
  BATCHWORK_INLINE T* scratch_in(Member const& member) const {
    return static_cast<T*>(member.team_scratch(0).get_shmem_aligned(int(bytes_of_items()), 16));
  }

 private:
  BATCHWORK_INLINE Kernel const& self() const { return static_cast<Kernel const&>(*this); }
};

}  // namespace Batchwork::Impl

#endif
