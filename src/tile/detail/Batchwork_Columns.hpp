// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// columns_of(x): the columns of a tile, distributed over the lanes that hold its items.
#ifndef BATCHWORK_COLUMNS_HPP
#define BATCHWORK_COLUMNS_HPP

#include "core/detail/Batchwork_Householder.hpp"
#include "tile/detail/Batchwork_ColumnsOfLane.hpp"
#include "tile/detail/shared/Batchwork_ColumnsOfLanes.hpp"

namespace Batchwork::Impl {

/// The columns of a tile with values S, in a lane or pack, or distributed over lanes.
template <class S, int M, int N, class Count>
struct ColumnsOf {
  using type = ColumnsOfLane<S, M, N>;
};
template <class S, int M, int N, class Count>
  requires is_distributed<S>
struct ColumnsOf<S, M, N, Count> {
  using type = ColumnsOfLanes<dealt_t<S, false>, M, N, Count>;
};
template <class S, int M, int N, class Count = AllColumns<N>>
using columns_of_t = typename ColumnsOf<S, M, N, Count>::type;

template <class S, int M, int N, class X, class Count = AllColumns<N>>
BATCHWORK_INLINE auto columns_of(X const& x, [[maybe_unused]] LaneGrid const& grid,
                                 [[maybe_unused]] Count const& count = {}) {
  if constexpr (is_distributed<S>) return columns_of_t<S, M, N, Count>(x, grid, count);
  else return columns_of_t<S, M, N>(x);
}

}  // namespace Batchwork::Impl

#endif
