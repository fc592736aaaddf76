// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman filters: the filter over a series, and its steps for sequences of your own.
#ifndef BATCHWORK_AREA_KALMAN_HPP
#define BATCHWORK_AREA_KALMAN_HPP

// CMake writes it; where the sources are used without CMake there is none.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "core/Batchwork_Status.hpp"
#include "fused/Batchwork_Map.hpp"
#include "fused/Batchwork_Scan.hpp"
#include "kalman/Batchwork_Diffuse.hpp"
#include "kalman/Batchwork_Filter.hpp"
#include "kalman/Batchwork_Gains.hpp"
#include "kalman/Batchwork_Model.hpp"
#include "kalman/Batchwork_Predict.hpp"
#include "kalman/Batchwork_State.hpp"
#include "kalman/Batchwork_Step.hpp"
#include "kalman/Batchwork_Update.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Operand.hpp"

#endif
