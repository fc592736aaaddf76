// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the choices of kernels of decompositions have in common.
#ifndef BATCHWORK_COLUMNSCHOICE_HPP
#define BATCHWORK_COLUMNSCHOICE_HPP

#include "launch/detail/Batchwork_KernelChoice.hpp"

namespace Batchwork::Impl {

/// The extents of kernels by_lanes. A smaller matrix takes as long as the next larger extent.
inline constexpr int extents_of_columns[] = {12, 16, 24, 32, 48, 64};
/// Lanes that share an item in QrOfSharedLanes and EighOfSharedLanes, a warp beyond 48 rows. In
/// double from 24 rows on they are half as many as in sequences: each number of a reflection that a
/// lane reads serves two or three of its columns, and the operations of a step that are not its
/// products serve more items.
template <class T>
constexpr int lanes_of_columns(int extent) {
  return extent > 48   ? 32
         : extent > 24 ? 16
         : extent > 16 ? 8
                       : (extent > 12 ? 4 : 2) * int(sizeof(T)) / 4;
}

/// Extents up to which a warp or a part of it has an item in DecompositionTeams. A larger one has a
/// team.
inline constexpr int columns_of_warp = 32;

}  // namespace Batchwork::Impl

#endif
