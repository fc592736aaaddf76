// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The local ensemble transform Kalman filter, with a map and with verbs.
///
///     letkf lorenz96         the experiment of Sakov and Oke, beside published scores
///     letkf shallow-water    128 x 128 points, 64 members, with times
///     letkf check            analyses beside a reference
///
/// Exit status: 0 for success, 1 if a result is not as expected, 2 if the input cannot be used.

#include <cmath>
#include <cstdio>
#include <string>

#include "../nile/Progress.hpp"
#include "../support/Errors.hpp"
#include "../support/Folder.hpp"
#include "Check.hpp"
#include "Options.hpp"
#include "Picture.hpp"

namespace {

using namespace Letkf;

/// The scores in the settings of DAPPER (github.com/nansencenter/DAPPER,
/// dapper/mods/Lorenz96/sakov2008.py), or 0. They have two digits, of long runs.
double published_score(Lorenz96Settings const& s) {
  if (s.analysis.inflation != 1.04 || !s.rotation || s.spin_up != 400 || s.cycles < 1000) return 0;
  if (s.members == 20 && std::isinf(s.radius)) return 0.20;
  if (s.members == 7 && s.radius == 4) return 0.22;
  return 0;
}

template <class Settings>
auto run_with_progress(Settings const& settings) {
  if (!Nile::Progress::wanted()) return run(settings, {});
  Nile::Progress progress(settings.cycles);
  return run(settings, [&](int done) {
    Kokkos::fence("letkf: progress");
    progress(done);
  });
}

void print_written(std::string const& folder, std::string const& name,
                   std::string const& no_picture) {
  std::printf("  written to %s: %s.csv%s\n", folder.c_str(), name.c_str(),
              no_picture.empty() ? (", " + name + ".png").c_str() : "");
  if (!no_picture.empty()) std::printf("  no picture: %s\n", no_picture.c_str());
}

int run_lorenz96(Options const& o) {
  Lorenz96Settings const& s = o.lorenz96;
  std::printf("Lorenz-96, %d cycles, %d experiments, on %s\n", s.cycles, s.experiments,
              Exec::name());
  std::printf("%lld members, inflation %g, radius %g, %s\n", static_cast<long long>(s.members),
              s.analysis.inflation, s.radius, s.rotation ? "random rotations" : "no rotations");
  std::fflush(stdout);
  Lorenz96Result const r = run_with_progress(s);
  double const deviation = r.standard_error * std::sqrt(double(s.experiments));
  std::printf("  error after the analysis %.4f, standard error %.4f\n", r.score, r.standard_error);
  double const published = published_score(s);
  // Half a digit of the published score, and twice the deviation of one run: about 0.01, which is
  // the least one here, since few experiments may agree by chance. fmax ignores NaN, of one run.
  double const tolerance = 0.005 + 2 * std::fmax(deviation, 0.01);
  if (published > 0)
    std::printf("  published %.2f; difference %+.4f, expected below %.4f\n", published,
                r.score - published, tolerance);
  std::printf("  %.3g s: %.3g us for a cycle of a point\n", r.seconds,
              1e6 * r.seconds / (40.0 * s.cycles * s.experiments));
  print_written(o.output, "lorenz96", write(o.output, r));
  bool const finite = std::isfinite(r.score);
  if (finite && !(published > 0 && std::abs(r.score - published) > tolerance)) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, finite ? "letkf: the score is not the published one\n"
                              : "letkf: the score is not a finite number\n");
  return 1;
}

int run_grid(Options const& o) {
  GridSettings const& s = o.grid;
  double const points = double(s.points) * s.points;
  std::printf("Shallow water, %d x %d points, %lld members, %d cycles, on %s\n", s.points, s.points,
              static_cast<long long>(s.members), s.cycles, Exec::name());
  std::fflush(stdout);
  GridResult const r = run_with_progress(s);
  bool const by_map = s.analysis.method != Method::verbs && is_compiled(3, s.members);
  std::printf("  error of the height: first forecast %.2f m, last analysis %.2f m, spread %.2f m\n",
              r.before.front(), r.after.back(), r.spread.back());
  std::printf("  %d local observations, with errors of %g m\n", r.local, s.deviation);
  std::printf("  forecasts %.3g s, analyses %.3g s\n", r.forecasts, r.analyses);
  std::printf("  fastest analysis %.3g us a point by %s; eigh alone %.3g us, %.0f %% of it\n",
              1e6 * r.fastest / points, by_map ? "one kernel" : "verbs", 1e6 * r.eigh / points,
              100 * r.eigh / r.fastest);
  print_written(o.output, "shallow_water", write(o.output, r));
  if (!(r.after.back() < r.before.front() / 2)) {
    std::fflush(stdout);
    std::fprintf(stderr, "letkf: the error did not fall to half of its first value\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return Support::run_program("letkf", [&] {
    auto const options = parse_options(argc, argv);
    if (!options) return 0;
    if (options->command != Command::check) Support::create_folder(options->output);
    Kokkos::ScopeGuard const kokkos(argc, argv);
    if (options->command == Command::check) return check() ? 0 : 1;
    return options->command == Command::lorenz96 ? run_lorenz96(*options) : run_grid(*options);
  });
}
