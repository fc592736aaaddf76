// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration of the installed Kokkos, plus CUDA for compute capability 9.0. The compiler
// finds the headers in this folder before the headers that the build of Kokkos wrote. Each one
// includes the header that it hides, and adds the device. This is enough to compile objects. They
// cannot be linked, because the installed library has no device code.
#include_next <KokkosCore_config.h>

#ifndef KOKKOS_ENABLE_CUDA
#define KOKKOS_ENABLE_CUDA
#define KOKKOS_ARCH_HOPPER
#define KOKKOS_ARCH_HOPPER90
#endif
