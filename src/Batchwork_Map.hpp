// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Umbrella header for map and scan: sequences over tiles in one kernel for a whole batch, with
/// their operands and launch parameters.
#ifndef BATCHWORK_AREA_MAP_HPP
#define BATCHWORK_AREA_MAP_HPP

// Written by CMake; it does not exist if the sources are used without CMake.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "core/Batchwork_Dispatch.hpp"
#include "core/Batchwork_Status.hpp"
#include "fused/Batchwork_CheckIndices.hpp"
#include "fused/Batchwork_Map.hpp"
#include "fused/Batchwork_Scan.hpp"
#include "fused/Batchwork_ScatterAdd.hpp"
#include "fused/Batchwork_TeamMap.hpp"
#include "fused/Batchwork_TeamScan.hpp"
#include "fused/Batchwork_Then.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/Batchwork_Ragged.hpp"
#include "launch/Batchwork_RaggedPlan.hpp"
#include "tile/Batchwork_Apply.hpp"
#include "tile/Batchwork_Blocks.hpp"
#include "tile/Batchwork_Cholesky.hpp"
#include "tile/Batchwork_ComplexParts.hpp"
#include "tile/Batchwork_Congruence.hpp"
#include "tile/Batchwork_ConjugateTranspose.hpp"
#include "tile/Batchwork_Constant.hpp"
#include "tile/Batchwork_Control.hpp"
#include "tile/Batchwork_Derivatives.hpp"
#include "tile/Batchwork_Eigh.hpp"
#include "tile/Batchwork_Expm.hpp"
#include "tile/Batchwork_FailWhere.hpp"
#include "tile/Batchwork_Functions.hpp"
#include "tile/Batchwork_Generate.hpp"
#include "tile/Batchwork_Integers.hpp"
#include "tile/Batchwork_Ldlt.hpp"
#include "tile/Batchwork_LogSum.hpp"
#include "tile/Batchwork_Lu.hpp"
#include "tile/Batchwork_PivotedQr.hpp"
#include "tile/Batchwork_Print.hpp"
#include "tile/Batchwork_Product.hpp"
#include "tile/Batchwork_Qr.hpp"
#include "tile/Batchwork_Random.hpp"
#include "tile/Batchwork_RankUpdate.hpp"
#include "tile/Batchwork_Reduce.hpp"
#include "tile/Batchwork_ReduceEntries.hpp"
#include "tile/Batchwork_SpdFunctions.hpp"
#include "tile/Batchwork_StackedQr.hpp"
#include "tile/Batchwork_Svd.hpp"
#include "tile/Batchwork_TriangularSolve.hpp"
#include "tile/types/Batchwork_Entry.hpp"
#include "tile/types/Batchwork_Matrix.hpp"
#include "tile/types/Batchwork_Scalar.hpp"
#include "tile/types/Batchwork_Structured.hpp"
#include "tile/types/Batchwork_Sum.hpp"
#include "tile/types/Batchwork_Transpose.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Components.hpp"
#include "view/Batchwork_Indexed.hpp"
#include "view/Batchwork_ItemMask.hpp"
#include "view/Batchwork_LoadStore.hpp"
#include "view/Batchwork_NotQuiteViews.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_Steps.hpp"
#include "view/Batchwork_Table.hpp"
#include "view/Batchwork_Tiles.hpp"
#include "view/Batchwork_TransposedView.hpp"

#endif
