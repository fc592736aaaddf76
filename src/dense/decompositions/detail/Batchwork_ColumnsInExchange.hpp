// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How the columns of an item come from its exchange to the lanes that share it, and go back; and
/// how such kernels are launched.
#ifndef BATCHWORK_COLUMNSINEXCHANGE_HPP
#define BATCHWORK_COLUMNSINEXCHANGE_HPP

#include <limits>

#include "core/detail/Batchwork_LaneGrid.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnsChoice.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_ItemsOfSharedLanes.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "tile/types/Batchwork_Tile.hpp"

namespace Batchwork::Impl {

/// A rows x cols operand in an exchange, zeros beyond it, as N x N.
template <class T, int N, int Leading>
struct PaddedInExchange {
  using value_type = T;
  static constexpr int rows = N, cols = N;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;

  T const* numbers;
  int rows_there, cols_there;
  info_t<T> info = 0;

  BATCHWORK_INLINE T entry(int i, int j) const {
    return i < rows_there && j < cols_there ? numbers[i * Leading + j] : T(0);
  }
};

/// A symmetric matrix of n rows. The lower triangle is read.
template <class T, int N, int Leading>
struct SymmetricInExchange {
  using value_type = T;
  static constexpr int rows = N, cols = N;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;

  T const* numbers;
  int n;
  info_t<T> info = 0;

  BATCHWORK_INLINE T entry(int i, int j) const {
    int const low = i < j ? j : i, high = i < j ? i : j;
    return low < n ? numbers[low * Leading + high] : T(0);
  }
};

/// number(own column, row), or NaN, to the exchange, once all lanes have read what is there.
template <class Columns, class Number>
BATCHWORK_INLINE void put_columns(Columns const& c, bool failed, Number const& number) {
  using T = typename Columns::T;
  constexpr int N = Columns::cols, leading = Columns::Ex::leading;
  static_assert(!Columns::Ex::ragged, "each lane has a line of the exchange");
  c.grid.sync();
  T* const own = c.grid.template numbers<T>();
  BATCHWORK_UNROLL
  for (int m = 0; m < Columns::mine; ++m) {
    BATCHWORK_UNROLL
    for (int i = 0; i < N; ++i) {
      T const x = number(m, i);
      own[i * leading + c.column(m)] = failed ? std::numeric_limits<T>::quiet_NaN() : x;
    }
  }
}
/// The same of one number a column, to the first of each line.
template <class Columns, class Number>
BATCHWORK_INLINE void put_numbers(Columns const& c, bool failed, Number const& number) {
  using T = typename Columns::T;
  c.grid.sync();
  T* const own = c.grid.template numbers<T>();
  BATCHWORK_UNROLL
  for (int m = 0; m < Columns::mine; ++m) {
    T const x = number(m);
    own[c.column(m) * Columns::Ex::leading] = failed ? std::numeric_limits<T>::quiet_NaN() : x;
  }
}

/// Launches a kernel of TeamsOfSharedLanes. \returns whether the device has room for it
template <class Kernel, class F, class Exec>
bool launch_shared_lanes(Exec const& exec, Call const& call, F const& f) {
  DeviceLimits const limits = Vendor::device_limits(exec);
  Kernel const kernel(f, limits);
  if (!kernel.fits(limits)) return false;
  launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                [&] { return matrices_do_not_fit(call, "use fewer items"); });
  return true;
}

}  // namespace Batchwork::Impl

#endif
