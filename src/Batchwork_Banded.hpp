// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Batches of banded systems: solve_tridiagonal.
#ifndef BATCHWORK_AREA_BANDED_HPP
#define BATCHWORK_AREA_BANDED_HPP

// CMake writes it; where the sources are used without CMake there is none.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "banded/Batchwork_Tridiagonal.hpp"
#include "core/Batchwork_Status.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Operand.hpp"

#endif
