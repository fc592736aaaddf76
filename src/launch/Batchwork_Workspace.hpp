// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// workspace(view): memory that the caller gives a call for what does not fit on the chip.
#ifndef BATCHWORK_WORKSPACE_HPP
#define BATCHWORK_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Batchwork {
namespace Impl {

/// What workspace(view) gives.
template <class View>
struct Workspace {
  View view;
};
struct NoWorkspace {};

/// Of an argument: workspace(view), or what stands in its place.
template <class X>
inline constexpr bool is_workspace = false;
template <class View>
inline constexpr bool is_workspace<Workspace<View>> = true;

}  // namespace Impl

/// Memory for what does not fit on the chip, of workspace_numbers(...) numbers: the last operand of
/// solve, and of lu, solve_lu, inverse, determinant, log_abs_determinant, qr, least_squares, eigh
/// and svd. What it holds before and after a call means nothing. Calls that may run at the same
/// time need one each.
/// \param view  View<T*>, contiguous, T being the type of the numbers
template <class View>
  requires Kokkos::is_view_v<View>
auto workspace(View const& view) {
  static_assert(View::rank() == 1, "Batchwork::workspace: the View has one index");
  static_assert(!std::is_const_v<typename View::value_type>,
                "Batchwork: a const View cannot be written");
  return Impl::Workspace<View>{view};
}

}  // namespace Batchwork

#endif
