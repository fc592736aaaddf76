// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sweep.hpp"

#include <algorithm>

namespace Nile {

namespace {

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

}  // namespace

Surface sweep(Filters const& filters, Grid const& grid, std::int64_t chunk,
              std::function<void(std::int64_t)> const& progress) {
  std::int64_t const size = grid.size();
  chunk = std::min(chunk, size);
  auto const uninitialized = [](char const* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  DeviceVector const result(uninitialized("Nile::log_likelihood"), std::size_t(size));
  DeviceVector const observation(uninitialized("Nile::observation"), std::size_t(chunk));
  DeviceVector const drift(uninitialized("Nile::drift"), std::size_t(chunk));

  Exec const exec;
  exec.fence("Nile::sweep begins");
  Kokkos::Timer const timer;
  for (std::int64_t first = 0; first < size; first += chunk) {
    std::int64_t const count = std::min(chunk, size - first);
    auto const of_chunk = std::pair<std::int64_t, std::int64_t>(0, count);
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("Nile::fill_variances", Policy(exec, 0, count),
                         FillVariances{grid, first, observation, drift});
    filters.log_likelihood(
        Kokkos::subview(result, std::pair<std::int64_t, std::int64_t>(first, first + count)),
        Kokkos::subview(observation, of_chunk), Kokkos::subview(drift, of_chunk));
    if (progress && first + count < size) {
      exec.fence("Nile::sweep chunk");
      progress(first + count);
    }
  }
  exec.fence("Nile::sweep ends");

  Surface surface{grid, std::vector<double>(std::size_t(size)), 0, timer.seconds()};
  Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        surface.log_likelihood.data(), std::size_t(size)),
                    result);
  auto const& all = surface.log_likelihood;
  surface.best = std::max_element(all.begin(), all.end()) - all.begin();
  return surface;
}

}  // namespace Nile
