// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <vector>

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
  std::vector<std::string> arguments;  // the last one first, as CLI11 takes them
  for (int k = argc - 1; k > 0; --k)
    if (std::string(argv[k]).rfind("--kokkos-", 0) != 0) arguments.push_back(argv[k]);
  try {
    app.parse(arguments);
  } catch (CLI::Success const& e) {
    app.exit(e);
    return std::nullopt;
  } catch (CLI::ParseError const& e) {
    std::string const text = e.what();
    throw InputError(text.substr(0, text.find('\n')) + " (least_squares --help lists the options)");
  }
  return o;
}

}  // namespace LeastSquares
