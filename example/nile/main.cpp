// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The flow of the Nile: a million Kalman filters over a hundred years each. They compute the
/// log-likelihood of the local level model for a grid of pairs of variances.
///
/// Exit status: 0 for success, 1 if the default problem does not give the published estimate, 2 if
/// the input cannot be used.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "../support/Errors.hpp"
#include "../support/Folder.hpp"
#include "Estimate.hpp"
#include "Options.hpp"
#include "Picture.hpp"
#include "Progress.hpp"
#include "Tables.hpp"

namespace {

using namespace Nile;

/// Durbin and Koopman, section 2.10. The likelihood follows the convention of FilterStep.
constexpr double published_observation = 15099, published_drift = 1469.1;
constexpr double published_log_likelihood = -632.5456;

bool as_published(Estimate const& e) {
  return std::round(e.observation) == 15099 && std::round(e.drift) == 1469 &&
         std::abs(e.log_likelihood - published_log_likelihood) < 1e-4;
}

/// The path of the example's series: among the sources, or next to the program.
std::string default_data(char const* program) {
  if (std::filesystem::exists(NILE_DATA)) return NILE_DATA;
  return (std::filesystem::path(program).parent_path() / "nile.csv").string();
}

Surface sweep_with_progress(Filters const& filters, Grid const& grid, std::int64_t chunk) {
  if (!Progress::wanted()) return sweep(filters, grid, chunk);
  Progress progress(grid.size());
  return sweep(filters, grid, chunk, [&](std::int64_t done) { progress(done); });
}

/// Three digits, in milliseconds or seconds.
std::string duration(double seconds) {
  char text[32];
  bool const short_one = seconds < 1;
  std::snprintf(text, sizeof text, "%.3g %s", short_one ? 1e3 * seconds : seconds,
                short_one ? "ms" : "s");
  return text;
}

void print_estimate(Estimate const& e, bool beside_published) {
  auto const line = [&](char const* name, int digits, double x, double published) {
    std::printf("  %-32s%14.*f", name, digits, x);
    if (beside_published) std::printf("%14.*f", digits, published);
    std::printf("\n");
  };
  std::printf("\n  %-32s%14s%s\n", "", "estimate", beside_published ? "     published" : "");
  line("variance of an observation", 0, e.observation, published_observation);
  line("variance of the yearly change", 1, e.drift, published_drift);
  line("log-likelihood", 4, e.log_likelihood, published_log_likelihood);
  std::printf("\n");
}

int run(Options const& options, Series const& series) {
  bool const usual = options.is_default_problem();
  Grid const grid{{options.observation.first, options.observation.second},
                  {options.drift.first, options.drift.second},
                  options.grid};
  std::printf("%s, %d to %d: %d observations\n",
              options.data.empty() ? "Nile at Aswan" : options.data.c_str(), series.year.front(),
              series.last_year, series.observations());
  std::printf("Local level model, exact diffuse start; %d x %d filters on %s\n", grid.points,
              grid.points, Exec::name());
  std::fflush(stdout);

  Filters const filters(series);
  sweep(filters, {grid.observation, grid.drift, 8},
        64);  // loads the kernels, so that loading is not timed
  Surface const surface = sweep_with_progress(filters, grid, options.chunk);
  Kokkos::Timer const timer;
  Estimate const estimate = refine(filters, surface);
  double const refining = timer.seconds();

  print_estimate(estimate, usual);
  double const count = double(grid.size());
  std::printf("  %.0f filters in %s: %.3g million a second, %.3g ns per step\n", count,
              duration(surface.seconds).c_str(), 1e-6 * count / surface.seconds,
              1e9 * surface.seconds / count / (series.observations() - 1));
  std::printf("  refined by %d grids around the maximum in %s\n", estimate.grids,
              duration(refining).c_str());
  if (estimate.at_edge)
    std::printf(
        "  the maximum is at the edge of the grid: widen --observation-variance or "
        "--level-variance\n");

  FilteredLevel const filtered = filters.filter(estimate.observation, estimate.drift);
  std::string const folder = options.output + "/";
  write_level(folder + "level.csv", series, filtered);
  write_surface(folder + "likelihood.csv", surface);
  Captions const captions =
      options.data.empty()
          ? Captions{"Annual flow of the Nile at Aswan", "Flow, 10^8 m^3", ", (10^8 m^3)^2"}
          : Captions{std::filesystem::path(options.data).stem().string(), "Flow", ""};
  Grid const coarse{grid.observation, grid.drift, 256};
  Surface const drawn = sweep(filters, coarse, coarse.size());
  std::string const no_picture =
      draw(folder + "nile.png", captions, series, filtered, drawn, estimate);
  std::printf("  written to %s: level.csv, likelihood.csv%s\n", folder.c_str(),
              no_picture.empty() ? ", nile.png" : "");
  if (!no_picture.empty()) std::printf("  no picture: %s\n", no_picture.c_str());

  if (usual && !as_published(estimate)) {
    std::fflush(stdout);
    std::fprintf(stderr, "nile: the estimate differs from the published one\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return Support::run_program("nile", [&] {
    auto const options = parse_options(argc, argv);
    if (!options) return 0;
    Series const series =
        read_series(options->data.empty() ? default_data(argv[0]) : options->data);
    Support::create_folder(options->output);
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(*options, series);
  });
}
