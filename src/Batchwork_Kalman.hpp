// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Umbrella header for Kalman filters: the filter over a series, and its steps for your own
/// sequences.
#ifndef BATCHWORK_AREA_KALMAN_HPP
#define BATCHWORK_AREA_KALMAN_HPP

// Written by CMake; it does not exist if the sources are used without CMake.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "core/Batchwork_Status.hpp"
#include "fused/Batchwork_Map.hpp"
#include "fused/Batchwork_Scan.hpp"
#include "kalman/Batchwork_Diffuse.hpp"
#include "kalman/Batchwork_DiffuseSquareRoot.hpp"
#include "kalman/Batchwork_Extended.hpp"
#include "kalman/Batchwork_Filter.hpp"
#include "kalman/Batchwork_Gains.hpp"
#include "kalman/Batchwork_Gate.hpp"
#include "kalman/Batchwork_Information.hpp"
#include "kalman/Batchwork_Innovation.hpp"
#include "kalman/Batchwork_Iterated.hpp"
#include "kalman/Batchwork_Matrices.hpp"
#include "kalman/Batchwork_Model.hpp"
#include "kalman/Batchwork_NonlinearFilter.hpp"
#include "kalman/Batchwork_ParallelInTime.hpp"
#include "kalman/Batchwork_Predict.hpp"
#include "kalman/Batchwork_Residual.hpp"
#include "kalman/Batchwork_Score.hpp"
#include "kalman/Batchwork_Sequential.hpp"
#include "kalman/Batchwork_Smooth.hpp"
#include "kalman/Batchwork_SmoothStep.hpp"
#include "kalman/Batchwork_SquareRoot.hpp"
#include "kalman/Batchwork_SquareRootSmoothStep.hpp"
#include "kalman/Batchwork_State.hpp"
#include "kalman/Batchwork_Steady.hpp"
#include "kalman/Batchwork_Step.hpp"
#include "kalman/Batchwork_Unscented.hpp"
#include "kalman/Batchwork_Update.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Operand.hpp"

#endif
