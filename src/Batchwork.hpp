// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Batchwork: small-matrix algorithms over large batches, fused into one kernel. This header
/// includes everything except krylov/formats/Batchwork_ReadSystems.hpp.
#ifndef BATCHWORK_HPP
#define BATCHWORK_HPP

// Written by CMake; it does not exist if the sources are used without CMake.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "Batchwork_Banded.hpp"
#include "Batchwork_Dense.hpp"
#include "Batchwork_Kalman.hpp"
#include "Batchwork_Krylov.hpp"
#include "Batchwork_Map.hpp"

#endif
