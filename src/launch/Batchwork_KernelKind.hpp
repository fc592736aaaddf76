// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kinds of kernels among which verbs on whole matrices choose.
#ifndef BATCHWORK_KERNELKIND_HPP
#define BATCHWORK_KERNELKIND_HPP

namespace Batchwork {

/// Where the kernel of a verb on whole matrices holds an item, on devices. Which kernels there are
/// depends on the verb and the size.
enum class KernelKind {
  fastest,      ///< what was measured to be fastest; the default
  by_lane,      ///< in the registers of a lane
  by_lanes,     ///< in the registers of some lanes of a warp
  by_warps,     ///< with a warp or several, in registers as far as they suffice
  by_panels,    ///< in team scratch, of which some columns are worked on at a time
  in_scratch,   ///< in team scratch
  in_workspace  ///< in a slot of workspace(view)
};
/// Arguments of launch(...): kernel::by_warps and the like. See KernelKind.
namespace kernel {
using enum KernelKind;
}  // namespace kernel

}  // namespace Batchwork

#endif
