// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// HIP's own headers and Kokkos' macros for them. See KokkosCore_config.h.
#include_next <KokkosCore_Config_SetupBackend.hpp>

#include <setup/Kokkos_Setup_HIP.hpp>
