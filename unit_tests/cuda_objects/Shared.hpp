// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Declarations that the sources of this folder share. compile.sh compiles them for CUDA, and
/// ../hip_objects/compile.sh for HIP. They never run, so the numbers in them are arbitrary.
#ifndef BATCHWORK_CUDA_OBJECTS_SHARED_HPP
#define BATCHWORK_CUDA_OBJECTS_SHARED_HPP

#include <Batchwork.hpp>

#include "../tile/EveryOperation.hpp"

using namespace Batchwork;

using Exec = Kokkos::DefaultExecutionSpace;
static_assert(Impl::runs_on_device<Exec>, "the folder configuration comes first");

template <class Extents>
using Interleaved = Kokkos::View<Extents, Kokkos::LayoutLeft, Exec>;
template <class Extents>
using ItemContiguous = Kokkos::View<Extents, Kokkos::LayoutRight, Exec>;
using Codes = Kokkos::View<int*, Exec>;

#endif
