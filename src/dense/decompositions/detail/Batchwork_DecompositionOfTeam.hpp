// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DecompositionOfTeam: a decomposition of one item by all lanes of a user's team, in its scratch.
#ifndef BATCHWORK_DECOMPOSITIONOFTEAM_HPP
#define BATCHWORK_DECOMPOSITIONOFTEAM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnLanes.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"
#include "launch/detail/Batchwork_TeamItem.hpp"

namespace Batchwork::Impl {

/// Work of a TeamItem. ByLanes: F runs by lanes, else on a host's thread. Name::name is that of the
/// function.
template <bool ByLanes, class Name, DecompositionOfItems F>
struct DecompositionOfTeam {
  using T = typename F::number;
  static constexpr char const* name = Name::name;
  static constexpr int team_lanes = 0, lanes_unit = warps_or_lanes;

  F f;
  int pairs = 1, widest = 1;  ///< pairs of columns, and the most lanes of one: powers of two

  /// \param of  without its leading dimension, which is chosen here
  explicit DecompositionOfTeam(F const& of) : f(of) {
    if constexpr (ByLanes) {
      // A group of lanes for each pair of columns, and eight rows or more for each of its lanes.
      pairs = power_of_two_from(std::max(1, f.cols() / 2));
      if (Vendor::has_shuffles)
        widest = std::min(power_of_two_from((f.rows() + 7) / 8), lanes_of_warp);
      // An odd number of units of 16 bytes: lanes that read neighbouring columns find different
      // banks.
      int const unit = 16 / int(sizeof(T));
      f.leading = ((f.rows() + unit - 1) / unit | 1) * unit;
    } else {
      f.leading = host_leading(f.rows());
    }
  }
  BATCHWORK_INLINE std::size_t bytes(int lanes) const {
    return f.memory().template bytes<T>(ColumnLanes<int>::found_numbers(lanes));
  }

  template <class Member>
  BATCHWORK_INLINE void by_lanes(Member const& member, int lanes, std::int64_t item,
                                 char* scratch) const {
    int width = 1;
    while (width < widest && 2 * width * pairs <= lanes) width *= 2;
    f(ItemsOfTeam<T, Member>{member, scratch, bytes(lanes), f.memory(), item, f.items, 1, lanes,
                             width});
  }
  void by_thread(std::int64_t item) const {
    auto const memory = std::make_unique_for_overwrite<char[]>(f.memory().template bytes<T>(0));
    f(ItemsOfThread<T>{memory.get(), f.memory(), item, f.items});
  }
};

}  // namespace Batchwork::Impl

#endif
