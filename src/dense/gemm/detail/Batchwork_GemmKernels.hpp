// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernels of gemm, and the choice among them.
#ifndef BATCHWORK_GEMMKERNELS_HPP
#define BATCHWORK_GEMMKERNELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "dense/gemm/detail/Batchwork_GemmBlocks.hpp"
#include "dense/gemm/detail/Batchwork_GemmChoice.hpp"
#include "dense/gemm/detail/Batchwork_GemmHost.hpp"
#include "dense/gemm/detail/Batchwork_GemmHostSmall.hpp"
#include "dense/gemm/detail/Batchwork_GemmLanes.hpp"
#include "dense/gemm/detail/Batchwork_GemmLaunch.hpp"
#include "dense/gemm/detail/Batchwork_GemmSectors.hpp"
#include "dense/gemm/detail/Batchwork_GemmSectorsByMatrices.hpp"
#include "dense/gemm/detail/Batchwork_GemmTiles.hpp"
#include "dense/gemm/detail/Batchwork_GemmWarps.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// Words of the message for a launch that is refused.
template <class T>
auto gemm_words(GemmProblem<T> const& p) {
  return [&p] {
    return LaunchWords{"gemm",
                       "products of " + std::to_string(p.m) + " x " + std::to_string(p.k) +
                           " and " + std::to_string(p.k) + " x " + std::to_string(p.n) +
                           " matrices",
                       "multiply by blocks of the matrices"};
  };
}

template <class T, GemmTileKind Kind, class Exec, class Left>
void launch_gemm_tiles(Exec const& exec, std::string const& label, GemmProblem<T> const& p,
                       Left const& left, GemmTilesPlan<T> const& plan) {
  using Tile = GemmTileOf<Kind>;
  GemmTiles<T, Tile, Left> kernel(p, left, plan.how, plan.a, plan.b);
  // Several tiles for a team, as long as enough teams fill the device. Its copies then never pause.
  std::int64_t const full = std::max(1, exec.concurrency() / 64);
  kernel.rounds = int(std::clamp<std::int64_t>(kernel.tiles / full, 1, 8));
  launch_teams<Tile::threads, Tile::teams>(
      exec, label, kernel,
      {(kernel.tiles + kernel.rounds - 1) / kernel.rounds, plan.how.team, kernel.scratch_bytes()},
      gemm_words(p));
}

template <class Exec, class T>
void launch_gemm_blocks(Exec const& exec, std::string const& label, GemmProblem<T> const& p) {
  DeviceLimits const limits = Vendor::device_limits(exec);
  with_gemm_blocks(
      p, choose_gemm_block(p, exec.concurrency(), limits), [&]<class Kernel>(Kernel kernel) {
        using Block = typename Kernel::block_type;
        kernel.use_scratch(limits);
        launch_teams<Block::team, Block::teams>(
            exec, label, kernel, {kernel.teams(), Block::team, kernel.bytes()}, gemm_words(p));
      });
}

template <int Size, class Exec, class T>
void launch_gemm_lanes(Exec const& exec, std::string const& label, GemmProblem<T> const& p) {
  using Kernel = GemmLanes<T, Size>;
  Kernel const kernel(p, exec.concurrency());
  launch_teams<Kernel::threads, Kernel::kernel_teams>(
      exec, label, kernel, {kernel.teams(), Kernel::threads, 0}, gemm_words(p));
}

template <class Exec, class T>
void launch_gemm_sectors(Exec const& exec, std::string const& label, GemmProblem<T> const& p) {
  DeviceLimits const limits = Vendor::device_limits(exec);
  auto const launch = [&]<class Kernel>(Kernel const& kernel) {
    launch_teams<Kernel::largest_team, Kernel::wanted_teams>(
        exec, label, kernel, {kernel.teams(), kernel.team(), kernel.bytes()}, gemm_words(p));
  };
  GemmSectors<T> const lanes(p, exec.concurrency(), limits);
  if constexpr (Vendor::chains_matrices<T>) {
    auto const matrices = [&](auto const& kernel) {
      if (kernel.cost == 0 || kernel.cost >= kernel.speed * lanes.cost) return false;
      launch(kernel);
      return true;
    };
    // Whole lines of memory, unless blocks of 32 columns have more columns beyond the edge than
    // blocks of 16 (measured on an H200).
    GemmSectorsByMatrices<T, 16, 3> const line(p, exec.concurrency(), limits);
    GemmSectorsByMatrices<T, 8, 3> const half(p, exec.concurrency(), limits);
    bool const whole =
        p.items >= 16 && line.cost > 0 && (half.cost == 0 || (p.n + 15) / 16 % 2 == 0);
    if (whole ? matrices(line) : p.items >= 8 && matrices(half)) return;
  }
  // Of blocks that are whole items two sectors at a time: half as many copies, each as long, and in
  // float from 49 to 96 rows three slabs (measured on an H100).
  constexpr int some = 64 / int(sizeof(T));
  auto const wider = [&]<int Slabs>(std::integral_constant<int, Slabs>) {
    GemmSectors<T, some, Slabs> const kernel(p, exec.concurrency(), limits);
    if (kernel.cost == 0) return false;
    launch(kernel);
    return true;
  };
  std::int64_t const largest = std::max(p.m, p.n);
  if (p.items >= some && largest <= (sizeof(T) == 4 ? 96 : 64)) {
    if constexpr (sizeof(T) == 4)
      if (largest > 48 && wider(std::integral_constant<int, 3>())) return;
    if (wider(std::integral_constant<int, 2>())) return;
  }
  launch(lanes);
}

template <class Exec, class T>
void launch_gemm_warps(Exec const& exec, std::string const& label, GemmProblem<T> const& p) {
  using Kernel = GemmWarps<T>;
  Kernel const kernel(p, exec.concurrency());
  launch_teams_that_fit<Kernel::largest_team, Kernel::wanted_teams>(
      exec, label, kernel, {kernel.teams(), Kernel::team(), kernel.bytes()}, gemm_words(p));
}

template <class Exec, class T, class Left>
void launch_gemm_on_device(Exec const& exec, std::string const& label,
                           GemmProblem<T> const& problem, Left const& left) {
  GemmProblem<T> const p = arranged_for_device(problem);
  GemmKernel const chosen = choose_gemm(p, is_gemm_fixed<Left>);
  // A fixed operand is for tiles.
  if constexpr (!is_gemm_fixed<Left>) {
    switch (chosen) {
      case GemmKernel::by_sectors: return launch_gemm_sectors(exec, label, p);
      case GemmKernel::by_large_lanes:
        if constexpr (sizeof(T) == 4) return launch_gemm_lanes<8>(exec, label, p);
        break;
      case GemmKernel::by_lanes: return launch_gemm_lanes<4>(exec, label, p);
      case GemmKernel::by_warps: return launch_gemm_warps(exec, label, p);
      case GemmKernel::by_blocks: return launch_gemm_blocks(exec, label, p);
      case GemmKernel::by_tiles: break;
    }
  }
  GemmTilesPlan<T> const plan(p, Vendor::device_limits(exec));
  if (plan.how.kind == GemmTileKind::tiny)
    launch_gemm_tiles<T, GemmTileKind::tiny>(exec, label, p, left, plan);
  else launch_gemm_tiles<T, GemmTileKind::small>(exec, label, p, left, plan);
}

template <class Exec, class T, class Left>
void launch_gemm_on_host(Exec const& exec, std::string const& label, GemmProblem<T> const& problem,
                         Left const& left) {
  GemmProblem<T> const p = arranged_for_host(problem);
  std::int64_t const threads = exec.concurrency();
  // Chunks large enough to be worth starting, small enough to keep all threads busy.
  std::int64_t const work = std::max<std::int64_t>(1, p.m * p.n * std::max<std::int64_t>(1, p.k));
  std::int64_t const some = std::max<std::int64_t>(1, 20000 / work);
  std::int64_t const per_chunk = std::clamp(p.items / (16 * threads), std::int64_t(1), 8 * some);
  if (GemmHostItems<T>::suits(p)) {
    constexpr int W = GemmHostItems<T>::W;
    std::int64_t const packs = gemm_round_up(per_chunk, W);
    launch_range(exec, label, (p.items + packs - 1) / packs,
                 GemmHostKernel<GemmHostItems<T>, Left>{{p, packs}, left});
  } else if (GemmHostSmall<T>::suits(p)) {
    std::int64_t const packs = gemm_round_up(per_chunk, GemmHostSmall<T>::W);
    launch_range(exec, label, (p.items + packs - 1) / packs,
                 GemmHostKernel<GemmHostSmall<T>, Left>{{p, packs}, left});
  } else {
    std::int64_t const rows_at_once = p.items < 4 * threads && work > 100000 ? 32 : p.m;
    std::int64_t const row_blocks = (p.m + rows_at_once - 1) / rows_at_once;
    std::int64_t const chunks = (p.items + per_chunk - 1) / per_chunk * row_blocks;
    launch_range(
        exec, label, chunks,
        GemmHostKernel<GemmHostRows<T>, Left>{{p, per_chunk, row_blocks, rows_at_once}, left});
  }
}

template <class T, std::size_t FixedBytes, class Exec>
void GemmLaunch<T, FixedBytes, Exec>::run(Exec const& exec, std::string const& label,
                                          GemmProblem<T> const& p,
                                          GemmLeft<T, FixedBytes> const& left) {
  if (p.items == 0 || p.m == 0 || p.n == 0) return;
  // gemm refuses fixed operands that a launch cannot carry.
  if constexpr (FixedBytes > Vendor::fixed_bytes<Exec>) return;
  else if constexpr (runs_on_device<Exec>) launch_gemm_on_device(exec, label, p, left);
  else launch_gemm_on_host(exec, label, p, left);
}

}  // namespace Batchwork::Impl

#endif
