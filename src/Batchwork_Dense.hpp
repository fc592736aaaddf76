// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Umbrella header for operations on dense matrices with extents known at run time: copy, pack,
/// unpack; fill_random; gemm; cholesky, solve_cholesky, solve_lower, solve_upper; lu, solve_lu,
/// inverse, determinant, log_abs_determinant; qr, least_squares; eigh; svd; team_cholesky,
/// team_solve_cholesky, team_lu, team_solve_lu, team_qr, team_least_squares, team_eigh and team_svd
/// in kernels of users.
#ifndef BATCHWORK_AREA_DENSE_HPP
#define BATCHWORK_AREA_DENSE_HPP

// Written by CMake; it does not exist if the sources are used without CMake.
#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif

#include "core/Batchwork_Dispatch.hpp"
#include "core/Batchwork_Status.hpp"
#include "dense/cholesky/Batchwork_CholeskyVerbs.hpp"
#include "dense/cholesky/Batchwork_TeamCholesky.hpp"
#include "dense/copy/Batchwork_Copy.hpp"
#include "dense/decompositions/Batchwork_EighVerb.hpp"
#include "dense/decompositions/Batchwork_QrVerbs.hpp"
#include "dense/decompositions/Batchwork_SvdVerb.hpp"
#include "dense/decompositions/Batchwork_TeamEigh.hpp"
#include "dense/decompositions/Batchwork_TeamQr.hpp"
#include "dense/decompositions/Batchwork_TeamSvd.hpp"
#include "dense/gemm/Batchwork_Gemm.hpp"
#include "dense/lu/Batchwork_LuVerbs.hpp"
#include "dense/lu/Batchwork_TeamLu.hpp"
#include "dense/random/Batchwork_FillRandom.hpp"
#include "launch/Batchwork_Ragged.hpp"
#include "launch/Batchwork_RaggedPlan.hpp"
#include "launch/Batchwork_Tuning.hpp"
#include "launch/Batchwork_Workspace.hpp"
#include "launch/Batchwork_WorkspaceNumbers.hpp"
#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_NotQuiteViews.hpp"
#include "view/Batchwork_Operand.hpp"
#include "view/Batchwork_TransposedView.hpp"

#endif
