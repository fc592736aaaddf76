// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>

#include "../support/CommandLine.hpp"

namespace ManySeries {

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app{
      "Simulates many short series of the local level model and fits both variances\n"
      "of each by maximum likelihood. Options of Kokkos begin with --kokkos-.",
      "many_series"};
  app.add_option("--series", o.series, "number of series")
      ->check(CLI::Range(std::int64_t(100), std::int64_t(1) << 31))
      ->capture_default_str();
  app.add_option("--steps", o.steps, "observations of each series")
      ->check(CLI::Range(std::int64_t(10), std::int64_t(100000)))
      ->capture_default_str();
  app.add_option("--rounds", o.rounds, "scores of each series, at most")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "seed of the random numbers")->capture_default_str();
  app.add_option("--output", o.output, "folder of the picture")->capture_default_str();
  if (!Support::parse(app, argc, argv)) return std::nullopt;
  return o;
}

}  // namespace ManySeries
