// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The verbs that choose among kernels, and their choices for matrices of a size.
#ifndef BATCHWORK_KERNELSOF_HPP
#define BATCHWORK_KERNELSOF_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleChoice.hpp"
#include "dense/decompositions/detail/Batchwork_EighChoice.hpp"
#include "dense/decompositions/detail/Batchwork_QrChoice.hpp"
#include "dense/decompositions/detail/Batchwork_SvdChoice.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"
#include "launch/detail/Batchwork_KernelChoice.hpp"
#include "tune/Batchwork_TunableVerb.hpp"

namespace Batchwork::Impl {

inline constexpr TunableVerb tunable_verbs[] = {TunableVerb::lu,
                                                TunableVerb::solve_lu,
                                                TunableVerb::inverse,
                                                TunableVerb::cholesky,
                                                TunableVerb::solve_cholesky,
                                                TunableVerb::qr,
                                                TunableVerb::eigh,
                                                TunableVerb::svd};
constexpr char const* name_of(TunableVerb v) {
  constexpr char const* names[] = {"lu", "solve_lu", "inverse", "cholesky", "solve_cholesky",
                                   "qr", "eigh",     "svd"};
  return names[int(v)];
}
/// Whether it takes right-hand sides.
constexpr bool has_sides(TunableVerb v) {
  return v == TunableVerb::solve_lu || v == TunableVerb::solve_cholesky;
}

/// The kernels that can run it on devices, the built-in choice first. Scratch may be too small for
/// some.
/// \param rows      of matrices with as many columns, or for qr and svd with `cols` columns
/// \param shuffles  lanes of a warp read each other's registers
template <class T>
Candidates<> kernels_of(TunableVerb verb, int rows, int cols, int sides, bool interleaved,
                        bool shuffles) {
  constexpr int any_rows = 1 << 20;
  auto const of_lu = [&](LuTask task) {
    Candidates<> c;
    for (LuChoice const& choice : choose_lu<T>(task, rows, shuffles, any_rows)) c.add(choice);
    return c;
  };
  // As CholeskyPanels copies items.
  TriangleArrangement const arranged{interleaved, true,
                                     interleaved || rows % (16 / int(sizeof(T))) == 0};
  switch (verb) {
    case TunableVerb::lu: return of_lu(LuTask::factors);
    case TunableVerb::solve_lu: return of_lu(sides == 1 ? LuTask::solution : LuTask::solutions);
    case TunableVerb::inverse: return of_lu(LuTask::inverses);
    case TunableVerb::cholesky: return choose_triangle<T>(TriangleWork::factor, rows, 0, arranged);
    case TunableVerb::solve_cholesky:
      return choose_triangle<T>(TriangleWork::solve_by_factor, rows, sides, arranged);
    case TunableVerb::qr: return choose_qr<T>(rows, cols, std::min(rows, cols), shuffles);
    case TunableVerb::eigh: return choose_eigh<T>(rows, shuffles);
    case TunableVerb::svd:
      return choose_svd<T>(std::max(rows, cols), std::min(rows, cols), shuffles);
  }
  return Candidates<>();
}

/// The kernels to measure for square matrices: without a workspace. Hosts have one.
template <class T, class Exec>
std::vector<KernelKind> kernels_to_measure(TunableVerb verb, int rows, int sides,
                                           bool interleaved) {
  std::vector<KernelKind> kinds;
  if constexpr (runs_on_device<Exec>) {
    for (KernelChoice const& c :
         kernels_of<T>(verb, rows, rows, sides, interleaved, Vendor::has_shuffles))
      if (c.kind != KernelKind::in_workspace &&
          std::find(kinds.begin(), kinds.end(), c.kind) == kinds.end())
        kinds.push_back(c.kind);
  } else {
    kinds.push_back(KernelKind::fastest);
  }
  return kinds;
}

}  // namespace Batchwork::Impl

#endif
