// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kalman filters of the local level model, as in the example nile: the log-likelihood of a series
/// for a grid of pairs of variances.

#include "../nile/Sweep.hpp"

#include <cmath>
#include <cstdio>

#include "Workload.hpp"

namespace Distributed {

namespace {

using Nile::DeviceVector;
using Nile::Exec;
using Nile::Grid;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

constexpr Nile::Range observation_range{5e3, 3e4}, drift_range{100, 6000};

/// Writes the variances of the grid points first, first + 1, ...
struct FillVariances {
  Grid grid;
  std::int64_t first;
  DeviceVector observation, drift;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    observation(k) = grid.observation_at(first + k);
    drift(k) = grid.drift_at(first + k);
  }
};

struct LookAtPoint {
  DeviceVector log_likelihood;
  std::int64_t first;
  int steps;

  KOKKOS_FUNCTION void operator()(std::int64_t k, Outcome& all) const {
    Outcome point;
    double const value = log_likelihood(k);
    point.work = steps;
    point.checksum = checksum_of(value, first + k);
    if (Kokkos::isfinite(value)) {
      point.best = value;
      point.best_item = first + k;
    } else {
      point.failed = 1;
    }
    all += point;
  }
};

class Sweep : public Workload {
 public:
  Sweep(std::string const& data, int points, std::int64_t chunk)
      : series_(Nile::read_series(data.empty() ? NILE_DATA : data)),
        name_(data.empty() ? "the Nile" : data),
        grid_{observation_range, drift_range, points},
        filters_(series_),
        observation_("observation", std::size_t(chunk)),
        drift_("drift", std::size_t(chunk)),
        log_likelihood_("log_likelihood", std::size_t(chunk)),
        host_(Kokkos::create_mirror_view(log_likelihood_)) {}

  std::int64_t items() const override { return grid_.size(); }
  std::int64_t numbers() const override { return 1; }
  std::string problem() const override {
    return "sweep of " + std::to_string(grid_.points) + " x " + std::to_string(grid_.points) +
           " filters over " + std::to_string(series_.observations()) + " observations of " + name_;
  }

  Outcome run(Chunk const& chunk) override {
    Exec const exec;
    auto const part = std::pair<std::int64_t, std::int64_t>(0, chunk.count);
    auto const observation = Kokkos::subview(observation_, part),
               drift = Kokkos::subview(drift_, part),
               log_likelihood = Kokkos::subview(log_likelihood_, part);
    Kokkos::parallel_for("fill variances", Range(exec, 0, chunk.count),
                         FillVariances{grid_, chunk.first, observation, drift});
    filters_.log_likelihood(log_likelihood, observation, drift);
    Outcome all;
    Kokkos::parallel_reduce("look at points", Range(exec, 0, chunk.count),
                            LookAtPoint{log_likelihood, chunk.first, series_.observations() - 1},
                            all);
    return all;
  }

  double const* results() override {
    Kokkos::deep_copy(host_, log_likelihood_);
    return host_.data();
  }

  std::string summary(Outcome const& all) const override {
    char text[200];
    if (all.best_item < 0) return "no filter has a likelihood";
    std::snprintf(text, sizeof text,
                  "best point: variance of an observation %.6g, of the yearly change %.6g, "
                  "log-likelihood %.4f; %lld filters failed",
                  grid_.observation_at(all.best_item), grid_.drift_at(all.best_item), all.best,
                  static_cast<long long>(all.failed));
    return text;
  }

 private:
  Nile::Series series_;
  std::string name_;
  Grid grid_;
  Nile::Filters filters_;
  DeviceVector observation_, drift_, log_likelihood_;
  DeviceVector::host_mirror_type host_;
};

}  // namespace

std::unique_ptr<Workload> make_sweep(std::string const& data, int grid, std::int64_t chunk) {
  return std::make_unique<Sweep>(data, grid, chunk);
}

}  // namespace Distributed
