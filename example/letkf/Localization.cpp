// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Localization.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace Letkf {

double gaspari_cohn(double distance, double radius) {
  double const r = distance / (std::sqrt(10.0 / 3) * radius);
  if (r >= 2) return 0;
  if (r <= 1) return 1 + r * r * (-5.0 / 3 + r * (5.0 / 8 + r * (0.5 - r / 4)));
  return 4 - 2 / (3 * r) + r * (-5 + r * (5.0 / 3 + r * (5.0 / 8 + r * (-0.5 + r / 12))));
}

LocalObservations localize(Network const& n, double radius) {
  struct Near {
    int point;
    double taper;
  };
  auto const apart = [](int a, int b, int period) {
    int const d = std::abs(a - b);
    return std::min(d, period - d);
  };
  constexpr double least = 1e-3;  // of a taper
  // For each place along an axis the observed places that are near enough.
  auto const near_along = [&](int period) {
    std::vector<std::vector<int>> lists((std::size_t(period)));
    for (int a = 0; a < period; ++a)
      for (int b = 0; b < period; b += n.every)
        if (gaspari_cohn(apart(a, b, period), radius) > least) lists[std::size_t(a)].push_back(b);
    return lists;
  };
  auto const columns = near_along(n.nx), lines = near_along(n.ny);
  std::vector<std::vector<Near>> all(std::size_t(n.nx) * std::size_t(n.ny));
  std::size_t most = 1;
  for (int y = 0; y < n.ny; ++y)
    for (int x = 0; x < n.nx; ++x) {
      auto& list = all[std::size_t(y * n.nx + x)];
      for (int v : lines[std::size_t(y)])
        for (int u : columns[std::size_t(x)]) {
          double const t = gaspari_cohn(std::hypot(apart(x, u, n.nx), apart(y, v, n.ny)), radius);
          if (t > least) list.push_back({v * n.nx + u, t});
        }
      most = std::max(most, list.size());
    }
  constexpr std::size_t group = LocalObservations::group;
  most = (most + group - 1) / group * group;

  std::size_t const items = all.size() * std::size_t(n.copies);
  LocalObservations const local{Kokkos::View<int**, Kokkos::LayoutRight>("near", items, most),
                                Matrix("weight", items, most)};
  auto const near = Kokkos::create_mirror_view(local.near);
  auto const weight = Kokkos::create_mirror_view(local.weight);
  for (std::size_t item = 0; item < items; ++item) {
    auto const& list = all[item / std::size_t(n.copies)];
    int const copy = int(item) % n.copies;
    for (std::size_t l = 0; l < most; ++l) {
      bool const used = l < list.size();
      int const other = used ? list[l].point * n.copies + copy : int(item);
      near(item, l) = other * n.variables + n.observed;
      weight(item, l) = used ? std::sqrt(list[l].taper) / n.deviation : 0;
    }
  }
  Kokkos::deep_copy(local.near, near);
  Kokkos::deep_copy(local.weight, weight);
  return local;
}

}  // namespace Letkf
