// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "../support/CommandLine.hpp"
#include "Series.hpp"

namespace Nile {

namespace {

void check_range(std::pair<double, double> r, std::string const& option) {
  if (!(r.first > 0 && r.first < r.second && std::isfinite(r.second)))
    throw InputError(option + ": give two positive numbers, the lower end first");
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app{
      "Fits the local level model to an annual series, by default the Nile:\n"
      "one Kalman filter for each point of a grid of variances. Options of\n"
      "Kokkos begin with --kokkos-.",
      "nile"};
  app.add_option("--data", o.data,
                 "CSV file with the columns year and flow [the Nile, 1871 to 1970]");
  app.add_option("--output", o.output, "folder for the output files")->capture_default_str();
  app.add_option("--grid", o.grid, "points of the grid along each variance")
      ->check(CLI::Range(8, 32768))
      ->capture_default_str();
  app.add_option("--chunk", o.chunk, "filters per launch")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 30))
      ->capture_default_str();
  app.add_option("--observation-variance", o.observation, "range of the variance of an observation")
      ->type_name("LOW HIGH")
      ->capture_default_str();
  app.add_option("--level-variance", o.drift, "range of the variance of the level's yearly change")
      ->type_name("LOW HIGH")
      ->capture_default_str();

  if (!Support::parse(app, argc, argv)) return std::nullopt;
  check_range(o.observation, "--observation-variance");
  check_range(o.drift, "--level-variance");
  return o;
}

}  // namespace Nile
