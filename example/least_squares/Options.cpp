// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>

#include "../support/CommandLine.hpp"

namespace LeastSquares {

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app{
      "Reconstructs a function from its values at scattered points in a cube, by a\n"
      "quadratic polynomial around each point of a grid (moving least squares).\n"
      "Options of Kokkos begin with --kokkos-.",
      "least_squares"};
  app.add_option("--points", o.points, "number of scattered points")
      ->check(CLI::Range(20000, 20000000))
      ->capture_default_str();
  app.add_option("--grid", o.grid, "points of the reconstruction along each side of the slice")
      ->check(CLI::Range(20, 1000))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "seed of the random numbers")->capture_default_str();
  app.add_option("--output", o.output, "folder of the picture")->capture_default_str();
  if (!Support::parse(app, argc, argv)) return std::nullopt;
  return o;
}

}  // namespace LeastSquares
