// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A million short series, each fitted by maximum likelihood: the local level model, whose two
// variances differ from series to series. The estimates are compared with the variances that the
// series were simulated with.

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "../support/Errors.hpp"
#include "Fit.hpp"
#include "Picture.hpp"

namespace ManySeries {

namespace {

char const* const names[2] = {"level", "noise"};

/// Errors of the estimates divided by their standard deviations. Series whose estimate of a
/// variance is zero are counted only: there the likelihood has no flat maximum.
struct Errors {
  std::vector<double> of[2];
  std::int64_t zero = 0, unfinished = 0;
};
Errors errors(Parameters const& truth, Estimates const& e) {
  auto const host = [](auto const& v) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  };
  auto const t = host(truth), theta = host(e.theta), deviation = host(e.deviation),
             slope = host(e.slope);
  Errors r;
  for (std::size_t n = 0; n < t.extent(0); ++n) {
    if (theta(n, 0) <= lowest || theta(n, 1) <= lowest) {
      ++r.zero;
    } else if (!(std::abs(slope(n, 0)) <= flat && std::abs(slope(n, 1)) <= flat)) {
      ++r.unfinished;
    } else {
      for (int k = 0; k < 2; ++k) r.of[k].push_back((theta(n, k) - t(n, k)) / deviation(n, k));
    }
  }
  return r;
}

int run(Options const& o) {
  std::printf("Local level model: %lld series of %lld observations on %s\n",
              static_cast<long long>(o.series), static_cast<long long>(o.steps),
              Kokkos::DefaultExecutionSpace::name());
  std::fflush(stdout);
  auto const s = simulate(o);
  Kokkos::fence();
  bool const shows_progress = isatty(STDERR_FILENO);
  auto const begin = std::chrono::steady_clock::now();
  auto const e = fit(s.z, o.rounds, [&](int rounds, std::int64_t moving) {
    if (shows_progress)
      std::fprintf(stderr, "\r  round %d: %lld series still move ", rounds,
                   static_cast<long long>(moving));
  });
  double const seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (shows_progress) std::fprintf(stderr, "\r%48s\r", "");
  std::printf("  %d scores of each in %.3g s: %.4g series per second, %.3g ns for an observation\n",
              e.rounds, seconds, double(o.series) / seconds,
              1e9 * seconds / double(o.series) / double(o.steps) / e.rounds);

  auto const r = errors(s.truth, e);
  std::printf("  a variance estimated as zero: %.2f %% of the series; not at a maximum: %lld\n",
              100.0 * double(r.zero) / double(o.series), static_cast<long long>(r.unfinished));
  bool plausible = double(r.unfinished) <= 0.002 * double(o.series);
  for (int k = 0; k < 2; ++k) {
    double sum = 0, inside = 0;
    for (double const x : r.of[k]) sum += x, inside += std::abs(x) < 1.959963984540054;
    double const count = double(r.of[k].size()), share = inside / count;
    std::printf(
        "  variance of the %s: %.1f %% of the 95 %% intervals contain it, mean error %.3f "
        "standard deviations\n",
        names[k], 100 * share, sum / count);
    // The intervals hold for long series. Those of short ones are off by some percent.
    plausible = plausible && share > 0.9 && share < 0.99;
  }
  std::string const no_picture = draw(o.output, r.of[0], r.of[1]);
  std::printf("  %s%s\n", no_picture.empty() ? "written: " : "no picture: ",
              no_picture.empty() ? (o.output + "/many_series.png").c_str() : no_picture.c_str());
  if (plausible) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "many_series: the estimates do not fit the simulated variances\n");
  return 1;
}

}  // namespace

}  // namespace ManySeries

int main(int argc, char** argv) {
  using namespace ManySeries;
  return Support::run_program("many_series", [&] {
    auto const options = parse_options(argc, argv);
    if (!options) return 0;
    create_folder(options->output);
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(*options);
  });
}
