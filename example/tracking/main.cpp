// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// 100,000 aircraft, tracked by extended, unscented and interacting multiple model filters. One
/// `scan` over a batch of targets and all steps is one kernel. Imm.hpp has the IMM, Steps.hpp the
/// filters, Model.hpp motion and radar.
///
/// Exit status: 0 for success, 1 if a filter failed for a target, 2 if the input cannot be used.

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "../support/Errors.hpp"
#include "Options.hpp"
#include "Score.hpp"
#include "Track.hpp"

namespace {

using namespace Tracking;

void print_scores(std::vector<Kind> const& filters, std::vector<Score> const& scores) {
  std::printf("\n  %-12s%23s%10s%25s%23s%9s%10s\n", "", "position error, m", "velocity", "NIS",
              "NEES, last step", "gated", "updates");
  std::printf("  %-12s%7s%9s%7s%10s%9s%16s%8s%15s%9s%10s\n", "", "all", "straight", "turn", "m/s",
              "mean", "95 % band", "mean", "95 % band", "% of obs", "10^6 / s");
  for (std::size_t k = 0; k < scores.size(); ++k) {
    Score const& s = scores[k];
    double const targets = std::max(1.0, s.targets - s.failed),
                 observed = std::max(1.0, s.sum[seen]);
    Band const of_nis = band_95(M, observed), of_nees = band_95(N, targets);
    std::printf("  %-12s%7.1f%9.1f%7.1f%10.2f%9.3f%8.3f -%6.3f%8.2f%8.2f -%5.2f%9.2f%10.2f\n",
                name_of(filters[k]), s.error(position), s.error(position, 0), s.error(position, 1),
                s.error(velocity), s.sum[nis] / observed, of_nis.low, of_nis.high,
                s.sum[nees] / targets, of_nees.low, of_nees.high,
                100 * s.gated / std::max(1.0, s.sum[observations]),
                1e-6 * s.all_steps() / s.seconds);
  }
}

/// On a terminal.
void show_progress(std::int64_t done, std::int64_t all) {
  if (isatty(STDERR_FILENO) == 0) return;
  if (done < all) std::fprintf(stderr, "\r%3d %%", int(100 * done / all));
  else std::fprintf(stderr, "\r\033[K");
}

int run(Options const& o) {
  std::printf("%lld targets, %d observations in %.0f s each, on %s\n",
              static_cast<long long>(o.targets), o.scenario.steps, interval * o.scenario.steps,
              Exec::name());
  std::fflush(stdout);
  std::vector<Score> scores(o.filters.size());
  Track track_shown;
  for (std::int64_t first = 0; first < o.targets; first += o.chunk) {
    std::int64_t const items = std::min(o.chunk, o.targets - first);
    Targets const targets(items, o.scenario.steps);
    simulate(o.scenario, first, targets);
    for (std::size_t k = 0; k < o.filters.size(); ++k) {
      Tracks const tracks(o.filters[k], items, o.scenario.steps);
      // The first run of a kernel loads it.
      if (first == 0) track(o.filters[k], targets, tracks);
      scores[k].seconds += track(o.filters[k], targets, tracks);
      scores[k].add(targets, tracks);
      if (first == 0 && k + 1 == o.filters.size()) track_shown = typical_track(targets, tracks);
    }
    show_progress(first + items, o.targets);
  }

  print_scores(o.filters, scores);
  bool const failed =
      std::any_of(scores.begin(), scores.end(), [](Score const& s) { return s.failed > 0; });
  if (!o.csv.empty()) write_csv(o.csv, track_shown);
  if (!o.plot.empty()) {
    std::string const problem = draw(o.plot, name_of(o.filters.back()), track_shown);
    if (!problem.empty()) std::printf("  no picture: %s\n", problem.c_str());
  }
  std::fflush(stdout);
  for (std::size_t k = 0; failed && k < scores.size(); ++k)
    std::fprintf(stderr, "tracking: %s failed for %.0f targets\n", name_of(o.filters[k]),
                 scores[k].failed);
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return Support::run_program("tracking", [&] {
    auto const options = parse_options(argc, argv);
    if (!options) return 0;
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(*options);
  });
}
