// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration of the installed Kokkos, with HIP instead of OpenMP, and Serial for the host.
// The compiler finds the headers in this folder before the headers that the build of Kokkos wrote.
// Each one includes the header that it hides, and adds the device. This is enough to compile
// objects. They cannot be linked, because the installed library has no device code. compile.sh
// defines the architecture.
#include_next <KokkosCore_config.h>

#ifndef KOKKOS_ENABLE_HIP
#define KOKKOS_ENABLE_HIP
#define KOKKOS_ARCH_AMD_GPU
#undef KOKKOS_ENABLE_OPENMP
#undef KOKKOS_ENABLE_THREADS
#ifndef KOKKOS_ENABLE_SERIAL
#define KOKKOS_ENABLE_SERIAL
#endif
#endif
