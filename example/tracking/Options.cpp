// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>

#include "../support/CommandLine.hpp"

namespace Tracking {

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  std::string filter = "all";
  int modes = 2;
  CLI::App app{
      "Tracks simulated aircraft by a radar that measures range, bearing and range\n"
      "rate: extended and unscented Kalman filters, and interacting multiple models\n"
      "(IMM). Options of Kokkos begin with --kokkos-.",
      "tracking"};
  app.add_option("--targets", o.targets, "number of targets")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 30))
      ->capture_default_str();
  app.add_option("--steps", o.scenario.steps, "observations of a target, one in 2 s")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  app.add_option("--filter", filter, "the filter")
      ->check(CLI::IsMember({"ekf", "ukf", "imm", "all"}))
      ->capture_default_str();
  app.add_option("--modes", modes,
                 "modes of the IMM, for the filters imm and all: straight flight, turn, change of "
                 "turn rate")
      ->check(CLI::Range(2, 3))
      ->capture_default_str();
  app.add_option("--detection", o.scenario.detected, "probability that a target is seen in a step")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--outliers", o.scenario.outliers, "share of the observations that are wrong")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--seed", o.scenario.seed, "seed of the random numbers")->capture_default_str();
  app.add_option("--chunk", o.chunk, "targets in a launch")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 24))
      ->capture_default_str();
  app.add_option("--csv", o.csv, "CSV file for the track of one target by the last filter");
  app.add_option("--plot", o.plot, "PNG file for a picture of this track, by gnuplot");

  if (!Support::parse(app, argc, argv)) return std::nullopt;
  if (filter == "ekf" || filter == "all") o.filters.push_back(Kind::extended);
  if (filter == "ukf" || filter == "all") o.filters.push_back(Kind::unscented);
  if (filter == "imm" || filter == "all")
    o.filters.push_back(modes == 2 ? Kind::two_modes : Kind::three_modes);
  return o;
}

}  // namespace Tracking
