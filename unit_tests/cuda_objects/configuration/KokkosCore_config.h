// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos as it is installed, and CUDA for compute capability 9.0 beside its host back end. The headers of this folder
// stand in front of those that Kokkos' build wrote; each includes the one that it hides and adds the device. That is enough
// to compile objects. They cannot be linked: the installed library has no device code.
#include_next <KokkosCore_config.h>

#ifndef KOKKOS_ENABLE_CUDA
#define KOKKOS_ENABLE_CUDA
#define KOKKOS_ARCH_HOPPER
#define KOKKOS_ARCH_HOPPER90
#endif
