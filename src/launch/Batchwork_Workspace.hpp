// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// workspace(view): memory from the caller for items that are too large for on-chip memory.
#ifndef BATCHWORK_WORKSPACE_HPP
#define BATCHWORK_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Batchwork {
namespace Impl {

/// The result of workspace(view).
template <class View>
struct Workspace {
  View view;
};
struct NoWorkspace {};

/// Whether an argument is workspace(view).
template <class X>
inline constexpr bool is_workspace = false;
template <class View>
inline constexpr bool is_workspace<Workspace<View>> = true;

}  // namespace Impl

/// Passes memory to a verb for items that are too large for on-chip memory. It is the last argument
/// of solve, lu, solve_lu, inverse, determinant, log_abs_determinant, qr, least_squares, eigh and
/// svd. Its contents before a call are ignored and after a call are undefined. Calls that may run
/// at the same time need separate memory.
/// ```cpp
/// auto const n = workspace_numbers<Verb::lu>(in(A), out(LU), out(rows));
/// Kokkos::View<double*> memory("workspace", n);
/// lu(in(A), out(LU), out(rows), workspace(memory));
/// ```
/// \param view  a contiguous View<T*>, T being the type of the verb's numbers, with at least
///   least_workspace_numbers(...) elements and ideally workspace_numbers(...)
/// \returns the argument for the verb
template <class View>
  requires Kokkos::is_view_v<View>
auto workspace(View const& view) {
  static_assert(View::rank() == 1,
                "Batchwork::workspace: the View must have one index, as View<double*>");
  static_assert(!std::is_const_v<typename View::value_type>,
                "Batchwork: a const View cannot be written; pass a View of non-const numbers");
  return Impl::Workspace<View>{view};
}

}  // namespace Batchwork

#endif
