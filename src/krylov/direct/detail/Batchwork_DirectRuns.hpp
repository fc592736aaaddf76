// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How the kernels of direct solves are launched: teams, chunks of a host's items, and the kernel
/// for systems without rows.
#ifndef BATCHWORK_DIRECTRUNS_HPP
#define BATCHWORK_DIRECTRUNS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "krylov/base/detail/Batchwork_EmptySystems.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_ChunkLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

template <class Kernel, class Exec>
void launch_direct_kernel(Exec const& exec, SystemCall const& call, Kernel const& kernel) {
  launch_kernel(exec, kernel_label(call.verb, call.label), kernel,
                [&] { return call.launch_words(kernel.p.n); });
}

/// Chunks of `units`, items of n rows or packs of them. make(per_chunk) gives the kernel.
template <class Exec, class Make>
void launch_direct_chunks(Exec const& exec, SystemCall const& call, int n, std::int64_t units,
                          Make const& make) {
  launch_chunks(exec, kernel_label(call.verb, call.label), units, 64 / n, make);
}

/// For systems without rows or without right-hand sides: writes their log. A matrix without rows
/// has growth and condition 1, as in LAPACK's gesvx; other matrices are not read.
template <class T, class Exec>
void launch_empty_direct(Exec const& exec, SystemCall const& call, DirectProblem<T> const& p,
                         int* dense_form = nullptr) {
  T const of_matrix = p.n == 0 ? T(1) : Kokkos::Experimental::quiet_NaN_v<T>;
  EmptySystems<T> empty{p.log, p.growth, p.condition, dense_form, of_matrix};
  empty.log.scaled_residual = nullptr;
  launch_empty_systems(exec, call, p.items, empty);
}

}  // namespace Batchwork::Impl

#endif
