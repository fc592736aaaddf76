// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The airline passengers: a level with a slope and a seasonal pattern, whose four variances are
/// estimated by maximum likelihood from many starting points at once, and a forecast of two years.
/// The series is series G of Box and Jenkins, Time Series Analysis, revised edition, 1976: monthly
/// totals of international airline passengers in thousands, January 1949 to December 1960.
///
/// Exit status: 0 for success, 1 if the default problem does not give the published log-likelihood,
/// 2 if the input cannot be used.

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "../support/Errors.hpp"
#include "../support/Folder.hpp"
#include "Fit.hpp"
#include "Options.hpp"
#include "Picture.hpp"

namespace {

using namespace Airline;

/// The tests of StateSpaceModels.jl have 234.33641 for this model and series. That value leaves out
/// the months in which states are diffuse. Each of them adds -1/2 log F_inf here, in all -log 144.
double const published_log_likelihood = 234.33641 - std::log(144.0);

/// The path of the example's series: among the sources, or next to the program.
std::string default_data(char const* program) {
  if (std::filesystem::exists(AIRLINE_DATA)) return AIRLINE_DATA;
  return (std::filesystem::path(program).parent_path() / "airline.csv").string();
}

void print_maxima(Fit const& f) {
  std::printf("\n  %-16s%10s", "log-likelihood", "starts");
  for (char const* name : parameter_names) std::printf("%13s", name);
  std::printf("   variances, times 10^4\n");
  for (Maximum const& m : f.maxima) {
    std::printf("  %-16.4f%10d", m.log_likelihood, m.starts);
    for (double theta : m.theta) std::printf("%13.4f", 1e4 * std::exp(theta));
    std::printf("\n");
  }
  std::printf("\n");
}

int run(Options const& options, Series const& series) {
  bool const usual = options.data.empty();
  std::printf("%s, %s to %s: %d observations\n",
              usual ? "Airline passengers" : options.data.c_str(), series.name(0).c_str(),
              series.name(series.months() - 1).c_str(), series.observations());
  std::printf("Level, slope and season, exact diffuse start; %d starting points on %s\n",
              options.starts, Kokkos::DefaultExecutionSpace::name());
  std::fflush(stdout);

  bool const shows_progress = isatty(STDERR_FILENO);
  Fit const f = fit(series, options.starts, options.rounds, [&](int rounds, int moving) {
    if (shows_progress) std::fprintf(stderr, "\r  round %d: %d still move ", rounds, moving);
  });
  if (shows_progress) std::fprintf(stderr, "\r%40s\r", "");
  if (f.maxima.empty())
    throw std::runtime_error("no starting point has reached a maximum; give more --rounds");
  print_maxima(f);
  if (usual) std::printf("  published log-likelihood %.4f\n", published_log_likelihood);
  double const scores = double(f.rounds) * options.starts;
  std::printf("  %.0f scores in %.3g s: %.3g us for a month\n", scores, f.seconds,
              1e6 * f.seconds / scores / series.months());
  if (f.unfinished > 0)
    std::printf("  %d starting points have not reached a maximum: give more --rounds\n",
                f.unfinished);

  Maximum const& best = f.maxima.front();
  Components const c = components(series, best.theta, options.ahead);
  std::printf("  forecast of %s: %.0f, 90 %% band %.0f to %.0f\n",
              series.name(series.months() + options.ahead - 1).c_str(), std::exp(c.forecast.back()),
              lower_90(c, c.level.size() - 1), upper_90(c, c.level.size() - 1));
  std::string const folder = options.output + "/";
  write_components(folder + "components.csv", series, c);
  std::string const title = usual ? "International airline passengers, thousands a month"
                                  : std::filesystem::path(options.data).stem().string();
  std::string const no_picture = draw(folder + "airline.png", title, series, c);
  std::printf("  written to %s: components.csv%s\n", folder.c_str(),
              no_picture.empty() ? ", airline.png" : "");
  if (!no_picture.empty()) std::printf("  no picture: %s\n", no_picture.c_str());

  if (usual && std::abs(best.log_likelihood - published_log_likelihood) > 1e-4) {
    std::fflush(stdout);
    std::fprintf(stderr, "airline: the log-likelihood differs from the published one\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return Support::run_program("airline", [&] {
    auto const options = parse_options(argc, argv);
    if (!options) return 0;
    Series const series =
        read_series(options->data.empty() ? default_data(argv[0]) : options->data);
    Support::create_folder(options->output);
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(*options, series);
  });
}
