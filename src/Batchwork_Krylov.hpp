// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Umbrella header for batches of systems of equations: formats, iterative and direct solvers,
/// preconditioners, and other verbs on systems. Reading files needs
/// krylov/formats/Batchwork_ReadSystems.hpp as well.
#ifndef BATCHWORK_AREA_KRYLOV_HPP
#define BATCHWORK_AREA_KRYLOV_HPP

// Written by CMake; it does not exist if the sources are used without CMake.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_SystemLanes.hpp"
#include "krylov/Batchwork_DirectFactors.hpp"
#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/Batchwork_Solve.hpp"
#include "krylov/Batchwork_SolveConfiguration.hpp"
#include "krylov/Batchwork_SymbolicLu.hpp"
#include "krylov/Batchwork_TeamSolve.hpp"
#include "krylov/Batchwork_WorkDivision.hpp"
#include "krylov/base/Batchwork_Concepts.hpp"
#include "krylov/base/Batchwork_SolveLog.hpp"
#include "krylov/base/Batchwork_Stopping.hpp"
#include "krylov/formats/Batchwork_AnyMatrices.hpp"
#include "krylov/formats/Batchwork_CheckSystems.hpp"
#include "krylov/formats/Batchwork_Dia.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/formats/Batchwork_LocalSystems.hpp"
#include "krylov/preconditioners/Batchwork_BlockJacobi.hpp"
#include "krylov/preconditioners/Batchwork_Ilu.hpp"
#include "krylov/preconditioners/Batchwork_Isai.hpp"
#include "krylov/preconditioners/Batchwork_Jacobi.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/solvers/Batchwork_Bicgstab.hpp"
#include "krylov/solvers/Batchwork_Cgs.hpp"
#include "krylov/solvers/Batchwork_ConjugateGradients.hpp"
#include "krylov/solvers/Batchwork_Gmres.hpp"
#include "krylov/solvers/Batchwork_Richardson.hpp"
#include "krylov/solvers/Batchwork_ScaledSolver.hpp"
#include "krylov/verbs/Batchwork_AddScaledIdentity.hpp"
#include "krylov/verbs/Batchwork_Equilibrate.hpp"
#include "krylov/verbs/Batchwork_Multiply.hpp"
#include "krylov/verbs/Batchwork_Scale.hpp"
#include "krylov/verbs/Batchwork_SolveTriangular.hpp"
#include "krylov/verbs/Batchwork_VectorSums.hpp"
#include "launch/Batchwork_Workspace.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Operand.hpp"

#endif
