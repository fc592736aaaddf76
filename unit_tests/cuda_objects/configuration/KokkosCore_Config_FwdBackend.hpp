// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names of the device, after those of the host. See KokkosCore_config.h.
#include_next <KokkosCore_Config_FwdBackend.hpp>

#include <fwd/Kokkos_Fwd_CUDA.hpp>
