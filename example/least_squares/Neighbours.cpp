// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Neighbours.hpp"

#include <algorithm>
#include <cmath>

namespace LeastSquares {

namespace {

/// The cells of a cube. Points of cell c are point(begin(c)) to point(begin(c + 1) - 1).
struct Cells {
  int side;  // cells along each edge of the cube
  Kokkos::View<int*> begin, point;

  KOKKOS_FUNCTION int along(double x) const {
    return Kokkos::max(0, Kokkos::min(side - 1, int(Kokkos::floor(x * side))));
  }
  KOKKOS_FUNCTION int of(Places const& p, int n) const {
    return (along(p(n, 0)) * side + along(p(n, 1))) * side + along(p(n, 2));
  }
};

struct Count {
  Cells cells;
  Places points;
  KOKKOS_FUNCTION void operator()(int n) const {
    Kokkos::atomic_inc(&cells.begin(cells.of(points, n)));
  }
};
/// begin(c) becomes the end of cell c.
struct Accumulate {
  Cells cells;
  KOKKOS_FUNCTION void operator()(int c, int& sum, bool is_final) const {
    sum += cells.begin(c);
    if (is_final) cells.begin(c) = sum;
  }
};
/// begin(c) goes back from the end of cell c to its begin.
struct Fill {
  Cells cells;
  Places points;
  KOKKOS_FUNCTION void operator()(int n) const {
    cells.point(Kokkos::atomic_dec_fetch(&cells.begin(cells.of(points, n)))) = n;
  }
};

struct Search {
  Cells cells;
  Places places, points;
  double radius;
  Neighbours found;

  KOKKOS_FUNCTION void operator()(int n) const {
    int count = 0;
    for (double r = radius; count < fewest; r *= 1.25) count = within(n, r);
    found.count(n) = count;
  }
  /// Sorts the points within the radius by their distance. Returns their number, at most `most`.
  KOKKOS_FUNCTION int within(int n, double r) const {
    double square[most];
    int count = 0, low[3], high[3];
    for (int d = 0; d < 3; ++d) {
      low[d] = cells.along(places(n, d) - r);
      high[d] = cells.along(places(n, d) + r);
    }
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int k = low[2]; k <= high[2]; ++k) {
          int const c = (i * cells.side + j) * cells.side + k;
          for (int m = cells.begin(c); m < cells.begin(c + 1); ++m) {
            int const p = cells.point(m);
            double s = 0;
            for (int d = 0; d < 3; ++d) {
              double const x = points(p, d) - places(n, d);
              s += x * x;
            }
            if (s > r * r || (count == most && s >= square[most - 1])) continue;
            int at = count < most ? count++ : most - 1;
            for (; at > 0 && square[at - 1] > s; --at) {
              square[at] = square[at - 1];
              found.point(n, at) = found.point(n, at - 1);
            }
            square[at] = s;
            found.point(n, at) = p;
          }
        }
    found.reach(n) = count > 0 ? Kokkos::sqrt(square[count - 1]) : 0;
    return count;
  }
};

}  // namespace

Neighbours find_neighbours(Places const& places, Places const& points) {
  int const count = int(points.extent(0));
  double const radius = std::cbrt(30 / (4.0 / 3 * M_PI * count));
  int const side = std::max(1, int(1 / radius));
  auto const all = std::size_t(side) * std::size_t(side) * std::size_t(side);
  Cells const cells{side, Kokkos::View<int*>("LeastSquares::begin", all + 1),
                    Kokkos::View<int*>("LeastSquares::point", std::size_t(count))};
  Kokkos::parallel_for("LeastSquares::count", count, Count{cells, points});
  Kokkos::parallel_scan("LeastSquares::accumulate", int(all) + 1, Accumulate{cells});
  Kokkos::parallel_for("LeastSquares::fill", count, Fill{cells, points});
  auto const n = places.extent(0);
  Neighbours const found{Kokkos::View<int*>("LeastSquares::neighbours", n),
                         Kokkos::View<int* [most]>("LeastSquares::neighbour", n),
                         Kokkos::View<double*>("LeastSquares::reach", n)};
  Kokkos::parallel_for("LeastSquares::search", int(n),
                       Search{cells, places, points, radius, found});
  return found;
}

}  // namespace LeastSquares
