// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Where the kernels of the verbs with run-time extents are: in libbatchwork, which has sets of
/// them (cmake/BatchworkKernels.cmake), or in headers, which each file that calls a verb compiles.
///
/// A header ...Launch.hpp declares the functions that launch kernels. A header ...Kernels.hpp
/// defines them. The library compiles the latter; the former includes it only if
/// BATCHWORK_KERNELS_IN_HEADERS is defined.
#ifndef BATCHWORK_KERNELSETS_HPP
#define BATCHWORK_KERNELSETS_HPP

// CMake writes Batchwork_CompiledKernels.hpp where it builds the library. Tests that define
// BATCHWORK_THREADS_AS_LANES compile kernels of their own.
#if !defined(BATCHWORK_HEADER_ONLY) && !defined(BATCHWORK_THREADS_AS_LANES) && \
    __has_include(<Batchwork_CompiledKernels.hpp>)
#include <Batchwork_CompiledKernels.hpp>
#else
#define BATCHWORK_KERNELS_IN_HEADERS
#endif

namespace Batchwork::Impl {

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
inline constexpr bool compiled_dense = true, compiled_solvers = true, compiled_all = true;
inline constexpr bool kernels_are_in_headers = true;
#else
inline constexpr bool kernels_are_in_headers = false;
#endif

/// A set of kernels: the dense verbs; direct and tridiagonal solves, verbs on systems, and
/// iterative solves by the usual solvers and preconditioners; all solvers and preconditioners.
enum class KernelSet { dense, solvers, all };

/// Whether there are kernels of this set.
template <KernelSet S>
inline constexpr bool has_kernels = S == KernelSet::dense     ? compiled_dense
                                    : S == KernelSet::solvers ? compiled_solvers
                                                              : compiled_all;

/// True, or the compiler says which set of kernels a call needs.
/// \tparam Exec  the execution space of the call: the answer is asked for when there is a call
template <KernelSet S, class Exec>
constexpr bool require_kernels() {
  static_assert(S != KernelSet::dense || compiled_dense,
                "Batchwork: the kernels of this call are in the set dense, which libbatchwork was "
                "built without; add it to Batchwork_KERNELS when you build the library, or link "
                "Batchwork::header_only");
  static_assert(S != KernelSet::solvers || compiled_solvers,
                "Batchwork: the kernels of this call are in the set solvers, which libbatchwork "
                "was built without; add it to Batchwork_KERNELS when you build the library, or "
                "link Batchwork::header_only");
  static_assert(S != KernelSet::all || compiled_all,
                "Batchwork: the kernels of this call are in the set all, which libbatchwork was "
                "built without; build the library with -D Batchwork_KERNELS=all, or link "
                "Batchwork::header_only");
  return true;
}

}  // namespace Batchwork::Impl

#endif
