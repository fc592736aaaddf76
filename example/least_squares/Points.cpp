// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Points.hpp"

#include <Batchwork.hpp>

namespace LeastSquares {

using namespace Batchwork;

namespace {

struct Scatter {
  template <class Place, class Random>
  KOKKOS_FUNCTION void operator()(Place& place, Random& random) const {
    place = uniform<3>(random);
    auto const x = place(0) - 0.5, y = place(1) - 0.5, z = height(place(0));
    auto const is_moved = x * x + y * y < 0.09 && abs(place(2) - z) < 0.12;
    place(2) = select(is_moved, z, place(2));
  }
};

struct Grid {
  int side;
  Places place;
  KOKKOS_FUNCTION void operator()(int n) const {
    place(n, 0) = double(n % side) / (side - 1);
    place(n, 1) = double(n / side) / (side - 1);
    place(n, 2) = height(place(n, 0));
  }
};

struct Function {
  template <class Value, class Place>
  KOKKOS_FUNCTION void operator()(Value& value, Place const& p) const {
    value = sin(5.0 * p(0) + 2.0 * p(2)) * cos(4.0 * p(1)) + exp(p(2) - p(1));
  }
};

Points with_values(Places const& place) {
  Points const p{place, Kokkos::View<double*>("LeastSquares::value", place.extent(0))};
  map(Function{}, out(p.value), in(p.place));
  return p;
}

}  // namespace

Points scattered_points(int count, std::uint64_t seed) {
  Places const place("LeastSquares::points", std::size_t(count));
  map(Scatter{}, out(place), random(seed, 0));
  return with_values(place);
}

Points slice(int side) {
  Places const place("LeastSquares::slice", std::size_t(side * side));
  Kokkos::parallel_for("LeastSquares::slice", side * side, Grid{side, place});
  return with_values(place);
}

}  // namespace LeastSquares
