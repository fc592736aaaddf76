// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Atomic operations on devices. See KokkosCore_config.h.
#include_next <desul/atomics/Config.hpp>

#ifndef DESUL_ATOMICS_ENABLE_HIP
#define DESUL_ATOMICS_ENABLE_HIP
#endif
