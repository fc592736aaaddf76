// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scores.hpp"

namespace Letkf {

namespace {

using Policy = Kokkos::TeamPolicy<Exec>;

struct Add {
  int cycle, variable;
  Ensemble e;
  Vector truth;
  Matrix error, spread;

  /// A team has an experiment.
  KOKKOS_FUNCTION void operator()(Policy::member_type const& team) const {
    int const experiment = team.league_rank(), experiments = team.league_size();
    int const points = int(e.extent(0)) / experiments, k = int(e.extent(2));
    auto const item = [&](int p) { return std::int64_t(p) * experiments + experiment; };
    auto const mean = [&](std::int64_t n) {
      double sum = 0;
      for (int j = 0; j < k; ++j) sum += e(n, variable, j);
      return sum / k;
    };
    double errors = 0, variances = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, points),
        [&](int p, double& sum) {
          double const d = mean(item(p)) - truth(item(p) * std::int64_t(e.extent(1)) + variable);
          sum += d * d;
        },
        errors);
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, points),
        [&](int p, double& sum) {
          double const m = mean(item(p));
          for (int j = 0; j < k; ++j) {
            double const d = e(item(p), variable, j) - m;
            sum += d * d / (k - 1);
          }
        },
        variances);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      error(cycle, experiment) = Kokkos::sqrt(errors / points);
      spread(cycle, experiment) = Kokkos::sqrt(variances / points);
    });
  }
};

struct AddRanks {
  int variable;
  Ensemble e;
  Vector truth;
  Kokkos::View<std::int64_t*> ranks;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    int below = 0;
    for (std::size_t j = 0; j < e.extent(2); ++j)
      below += e(n, variable, j) < truth(n * std::int64_t(e.extent(1)) + variable) ? 1 : 0;
    Kokkos::atomic_inc(&ranks(below));
  }
};

}  // namespace

Scores::Scores(int cycles, int experiments, std::int64_t members)
    : error_("error", cycles, experiments),
      spread_("spread", cycles, experiments),
      ranks_("ranks", members + 1) {}

void Scores::add(Exec const& exec, int cycle, Ensemble const& e, Vector const& truth,
                 int variable) {
  Kokkos::parallel_for("letkf: scores", Policy(exec, int(error_.extent(1)), Kokkos::AUTO),
                       Add{cycle, variable, e, truth, error_, spread_});
}

void Scores::add_ranks(Exec const& exec, Ensemble const& e, Vector const& truth, int variable) {
  Kokkos::parallel_for("letkf: ranks",
                       Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t(e.extent(0))),
                       AddRanks{variable, e, truth, ranks_});
}

std::vector<double> Scores::mean_of(Matrix const& v) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  std::vector<double> r(v.extent(0), 0.0);
  for (std::size_t t = 0; t < r.size(); ++t)
    for (std::size_t e = 0; e < v.extent(1); ++e) r[t] += host(t, e) / double(v.extent(1));
  return r;
}

std::vector<double> Scores::error_of_experiments(int from) const {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), error_);
  std::vector<double> r(error_.extent(1), 0.0);
  for (std::size_t e = 0; e < r.size(); ++e)
    for (std::size_t t = std::size_t(from); t < error_.extent(0); ++t)
      r[e] += host(t, e) / double(error_.extent(0) - std::size_t(from));
  return r;
}

std::vector<std::int64_t> Scores::ranks() const {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ranks_);
  return {host.data(), host.data() + host.extent(0)};
}

}  // namespace Letkf
