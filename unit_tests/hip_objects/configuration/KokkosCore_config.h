// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos as it is installed, with HIP in the place of OpenMP, and Serial for the host. The headers of this folder stand in
// front of those that Kokkos' build wrote; each includes the one that it hides and adds the device. That is enough to
// compile objects. They cannot be linked: the installed library has no device code. compile.sh defines the architecture.
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
