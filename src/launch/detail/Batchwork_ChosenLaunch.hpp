// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Launches the kernel that is chosen for a call, or that the caller wants.
#ifndef BATCHWORK_CHOSENLAUNCH_HPP
#define BATCHWORK_CHOSENLAUNCH_HPP

#include <stdexcept>
#include <string>
#include <type_traits>

#include "launch/Batchwork_Tuning.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"
#include "launch/detail/Batchwork_TunedKernels.hpp"

namespace Batchwork::Impl {

/// As launch(...) takes it.
inline std::string name_of(KernelKind kind) { return std::string("kernel::") + word_of(kind); }

/// Throws: the kernel that the caller wants is not among those that run `what`, or none can.
template <class Choice>
[[noreturn]] void refuse_wanted_kernel(Call const& call, Candidates<Choice> const& there,
                                       std::string const& what) {
  if (call.kernel == KernelKind::fastest)
    call.fail("this device has too little scratch for " + what + "; give smaller matrices");
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

/// Launches the kernel that the loaded tuning has for the call, if the device has room for it.
/// \returns whether it did
template <class Choice, class Launch>
bool launch_tuned(Call const& call, Candidates<Choice> const& there, TunedCall const& tuned,
                  Launch const& launch) {
  if (call.kernel != KernelKind::fastest || tuned.type == nullptr) return false;
  call.kernel = TunedKernels<>::kernel_for(call.verb, tuned);
  if (call.kernel == KernelKind::fastest) return false;
  try {
    for (Choice const& c : there)
      if (call.kernel == c.kind && launch(c)) return true;
  } catch (std::invalid_argument const&) {
    // There is no room. The built-in choice runs, or says what else is wrong.
  }
  call.kernel = KernelKind::fastest;
  return false;
}

/// Launches the first of the candidates, or of those that the tuning or the caller wants, that
/// fits: launch(c) returns whether c does.
/// \param what   gives the matrices and their size; called only for a message
/// \param tuned  what a tuning is asked for
template <class Choice, class What, class Launch>
void launch_chosen(Call const& call, Candidates<Choice> const& there, What const& what,
                   Launch const& launch, TunedCall const& tuned = {}) {
  if (launch_tuned(call, there, tuned, launch)) return;
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
