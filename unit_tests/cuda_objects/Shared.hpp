// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the sources of this folder share. They are compiled by compile.sh, and for HIP by
/// ../hip_objects/compile.sh, and never run, so no number here means anything.
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
