// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Batchwork: small-matrix algorithms over large batches, fused into one kernel. The umbrella header.
#ifndef BATCHWORK_HPP
#define BATCHWORK_HPP

// CMake writes it; where the sources are used without CMake there is none.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "banded/Batchwork_Tridiagonal.hpp"
#include "kalman/Batchwork_Filter.hpp"
#include "krylov/Batchwork_AddScaledIdentity.hpp"
#include "krylov/Batchwork_AnyMatrices.hpp"
#include "krylov/Batchwork_CheckSystems.hpp"
#include "krylov/Batchwork_Equilibrate.hpp"
#include "krylov/Batchwork_Formats.hpp"
#include "krylov/Batchwork_Multiply.hpp"
#include "krylov/Batchwork_Scale.hpp"
#include "krylov/Batchwork_Solve.hpp"
#include "krylov/Batchwork_SolveConfiguration.hpp"
#include "krylov/Batchwork_SolveTriangular.hpp"
#include "krylov/Batchwork_TeamSolve.hpp"
#include "krylov/Batchwork_VectorSums.hpp"
#include "tile/Batchwork_Cholesky.hpp"
#include "tile/Batchwork_FailWhere.hpp"
#include "tile/Batchwork_Generate.hpp"
#include "tile/Batchwork_Reduce.hpp"
#include "verbs/Batchwork_CholeskyVerbs.hpp"
#include "verbs/Batchwork_Copy.hpp"
#include "verbs/Batchwork_Gemm.hpp"
#include "verbs/Batchwork_Map.hpp"
#include "verbs/Batchwork_Scan.hpp"

#endif
