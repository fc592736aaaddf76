// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>

#include "../support/CommandLine.hpp"
#include "Series.hpp"

namespace Airline {

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app{
      "Fits level, slope and season of a monthly series by maximum likelihood,\n"
      "by default to the airline passengers, and forecasts it. Options of Kokkos\n"
      "begin with --kokkos-.",
      "airline"};
  app.add_option("--data", o.data,
                 "CSV file with the columns month and passengers [airline passengers]");
  app.add_option("--output", o.output, "folder for the output files")->capture_default_str();
  app.add_option("--starts", o.starts, "starting points of the search for the maximum")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  app.add_option("--rounds", o.rounds, "evaluations of each starting point, at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--ahead", o.ahead, "months to forecast")
      ->check(CLI::Range(1, 1200))
      ->capture_default_str();
  if (!Support::parse(app, argc, argv)) return std::nullopt;
  return o;
}

}  // namespace Airline
