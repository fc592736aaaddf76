// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Launches the kernel that is chosen for a call, or that the caller wants.
#ifndef BATCHWORK_CHOSENLAUNCH_HPP
#define BATCHWORK_CHOSENLAUNCH_HPP

#include <string>
#include <type_traits>

#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"

namespace Batchwork::Impl {

/// As launch(...) takes it.
inline std::string name_of(KernelKind kind) {
  constexpr char const* names[] = {"fastest",   "by_lane",    "by_lanes",    "by_warps",
                                   "by_panels", "in_scratch", "in_workspace"};
  return std::string("kernel::") + names[int(kind)];
}

/// Throws: the kernel that the caller wants is not among those that run `what`.
template <class Choice>
[[noreturn]] void refuse_wanted_kernel(Call const& call, Candidates<Choice> const& there,
                                       std::string const& what) {
  std::string others;
  KernelKind last = call.kernel;
  for (Choice const& c : there) {
    if (c.kind == call.kernel || c.kind == last) continue;
    others += (others.empty() ? "" : " or ") + name_of(c.kind);
    last = c.kind;
  }
  call.fail(name_of(call.kernel) + " cannot run " + what + " on this device; give " + others);
}

/// "8 x 8 matrices"
inline std::string matrices_of(int rows, int cols) {
  return std::to_string(rows) + " x " + std::to_string(cols) + " matrices";
}

/// Launches the first of the candidates, or of those that the caller wants, that fits: launch(c)
/// returns whether c does.
/// \param what  gives the matrices and their size; called only for a message
template <class Choice, class What, class Launch>
void launch_chosen(Call const& call, Candidates<Choice> const& there, What const& what,
                   Launch const& launch) {
  for (Choice const& c : there)
    if ((call.kernel == KernelKind::fastest || call.kernel == c.kind) && launch(c)) return;
  refuse_wanted_kernel(call, there, what());
}

/// For items that only a workspace can hold: the caller may not want another kernel.
/// \param what  as above
template <class What>
void expect_workspace_wanted(Call const& call, What const& what) {
  if (call.kernel == KernelKind::fastest || call.kernel == KernelKind::in_workspace) return;
  Candidates<> there;
  there.add({KernelKind::in_workspace});
  refuse_wanted_kernel(call, there, what());
}

/// f(the constant) for the one of Extents that is `extent`. \returns its result, or false
template <int... Extents, class F>
bool with_extent(int extent, F const& f) {
  return ((extent == Extents && f(std::integral_constant<int, Extents>())) || ...);
}

}  // namespace Batchwork::Impl

#endif
