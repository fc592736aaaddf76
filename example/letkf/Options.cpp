// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <vector>

#include "../support/CommandLine.hpp"

namespace Letkf {

namespace {

void add_common(CLI::App& app, std::int64_t& members, double& radius, AnalysisSettings& analysis,
                int& cycles, std::uint64_t& seed, std::string& output) {
  static std::map<std::string, Method> const methods{
      {"map", Method::one_kernel}, {"verbs", Method::verbs}, {"best", Method::best}};
  app.add_option("--members", members, "members of the ensemble")
      ->check(CLI::Range(2, 256))
      ->capture_default_str();
  app.add_option("--radius", radius, "length of the taper in points; inf for no taper")
      ->capture_default_str();
  app.add_option("--inflation", analysis.inflation, "factor of the deviations at each analysis")
      ->check(CLI::Range(0.5, 10.0))
      ->capture_default_str();
  app.add_option("--method", analysis.method,
                 "map (one kernel), verbs, or best: map if it was compiled")
      ->transform(CLI::CheckedTransformer(methods, CLI::ignore_case))
      ->default_str("best");
  app.add_option("--cycles", cycles, "forecasts and analyses")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  app.add_option("--seed", seed, "of the random numbers")
      ->check(CLI::Range(std::uint64_t(0), std::uint64_t(1) << 60))
      ->capture_default_str();
  app.add_option("--output", output, "folder for the output files")->capture_default_str();
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app{
      "The local ensemble transform Kalman filter: one small symmetric eigenproblem\n"
      "for each point of a grid. Options of Kokkos begin with --kokkos-.",
      "letkf"};
  app.require_subcommand(1);
  auto& l = *app.add_subcommand("lorenz96", "40 variables on a circle, beside published scores");
  add_common(l, o.lorenz96.members, o.lorenz96.radius, o.lorenz96.analysis, o.lorenz96.cycles,
             o.lorenz96.seed, o.output);
  l.add_option("--spin-up", o.lorenz96.spin_up, "cycles that the score leaves out")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  l.add_option("--experiments", o.lorenz96.experiments, "runs with other random numbers")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  l.add_flag("!--no-rotation", o.lorenz96.rotation, "do not rotate the ensemble at random");
  auto& g = *app.add_subcommand("shallow-water", "a periodic grid of rotating shallow water");
  add_common(g, o.grid.members, o.grid.radius, o.grid.analysis, o.grid.cycles, o.grid.seed,
             o.output);
  g.add_option("--points", o.grid.points, "points along each side of the grid")
      ->check(CLI::Range(16, 2048))
      ->capture_default_str();
  g.add_option("--every", o.grid.every, "heights are observed at every so many points")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  g.add_option("--deviation", o.grid.deviation, "standard deviation of an observation, m")
      ->check(CLI::Range(1e-6, 1e6))
      ->capture_default_str();
  g.add_option("--steps", o.grid.steps, "steps of 900 s between analyses")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  auto& c = *app.add_subcommand("check", "compares analyses with a reference in long double");

  if (!Support::parse(app, argc, argv)) return std::nullopt;
  o.command = c.parsed() ? Command::check : g.parsed() ? Command::shallow_water : Command::lorenz96;
  double const radius = g.parsed() ? o.grid.radius : o.lorenz96.radius;
  if (!(radius > 0)) throw InputError("--radius: give a positive number, or inf");
  if (g.parsed() && !(radius <= 64))
    throw InputError("--radius: give at most 64 points for shallow-water");
  if (g.parsed() && o.grid.points % o.grid.every != 0)
    throw InputError("--every: give a number that divides --points");
  if (l.parsed() && o.lorenz96.spin_up >= o.lorenz96.cycles)
    throw InputError("--spin-up: give fewer cycles than --cycles");
  return o;
}

}  // namespace Letkf
