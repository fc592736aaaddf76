// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The classes of the device, after those of the host. See KokkosCore_config.h.
#include_next <KokkosCore_Config_DeclareBackend.hpp>
#include <decl/Kokkos_Declare_SERIAL.hpp>

#include <decl/Kokkos_Declare_HIP.hpp>
