// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "../support/CommandLine.hpp"
#include "Ranks.hpp"

namespace Distributed {

std::optional<Options> parse_options(int argc, char** argv, bool prints) {
  Options o;
  CLI::App app{
      "Spreads a large batch over the ranks of MPI, one rank a device or a share of a\n"
      "host. Options of Kokkos begin with --kokkos-.",
      "distributed"};
  std::int64_t chunk = 0;
  app.add_option("workload", o.workload,
                 "sweep: Kalman filters for a grid of variances; chemistry: stiff systems")
      ->check(CLI::IsMember({"sweep", "chemistry"}))
      ->required();
  app.add_option("--data", o.data,
                 "sweep: CSV file with the columns year and flow [the Nile]; chemistry: folder "
                 "with pattern.mtx and values.f64 [generated systems]");
  app.add_option("--grid", o.grid, "sweep: points of the grid along each variance")
      ->check(CLI::Range(8, 32768))
      ->capture_default_str();
  app.add_option("--items", o.items, "chemistry: number of systems")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 40))
      ->capture_default_str();
  app.add_option("--chunk", chunk,
                 "items that a rank takes at a time [sweep: 262144, chemistry: 32768]")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 30));
  auto* const checkpoint =
      app.add_option("--checkpoint", o.checkpoint, "HDF5 file that notes which chunks are done");
  app.add_flag("--results", o.results, "the checkpoint also holds the results of all items")
      ->needs(checkpoint);
  app.add_flag("--restart", o.restart, "go on with the checkpoint of a run that ended early")
      ->needs(checkpoint);
  app.add_option("--costs", o.costs, "CSV file for the measured cost of each chunk");
  app.add_option("--progress", o.progress, "seconds between lines of progress; 0: none")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option(
         "--fail-rank", o.fail_rank,
         "this rank kills itself in its second chunk; every chunk takes 10 ms more, so that\n"
         "it gets a second one")
      ->group("For tests");

  if (!Support::parse(app, argc, argv, prints)) return std::nullopt;
  // A launch of filters takes less time than one of systems.
  if (chunk == 0) chunk = std::int64_t(1) << (o.is_sweep() ? 18 : 15);
  o.chunk = std::min(chunk, o.all_items());
  return o;
}

}  // namespace Distributed
