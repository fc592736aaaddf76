// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Umbrella header for batches of banded systems: solve_tridiagonal.
#ifndef BATCHWORK_AREA_BANDED_HPP
#define BATCHWORK_AREA_BANDED_HPP

// Written by CMake; it does not exist if the sources are used without CMake.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "banded/Batchwork_Tridiagonal.hpp"
#include "core/Batchwork_Status.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Operand.hpp"

#endif
