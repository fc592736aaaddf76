// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit.hpp"

#include <Batchwork.hpp>

namespace LeastSquares {

using namespace Batchwork;

namespace {

constexpr int columns = terms + 1;  // the last one is the right-hand side

/// The unit of length, in distances of the farthest neighbour. Where neighbours do not determine
/// all coefficients, the shortest solution is taken. A large unit makes it prefer low powers.
constexpr double unit = 4;

/// The sizes of each item: rows of its matrix, columns, rows of its triangle.
struct Sizes {
  Kokkos::View<int*> neighbours, begin, triangle;
  Kokkos::View<int* [3]> size;
  KOKKOS_FUNCTION void operator()(int n, int& sum, bool is_final) const {
    int const rows = neighbours(n);
    if (is_final) {
      begin(n) = sum, triangle(n) = n * columns * columns;
      size(n, 0) = rows, size(n, 1) = columns, size(n, 2) = rows < columns ? rows : columns;
    }
    sum += rows * columns;
  }
};

/// The rows of all neighbours of a place, multiplied by roots of weights.
struct Rows {
  Places places;
  Points points;
  Neighbours found;
  Kokkos::View<int*> begin;
  Kokkos::View<double*> rows;
  KOKKOS_FUNCTION void operator()(int n) const {
    double const scale = 1 / (unit * found.reach(n));
    for (int k = 0; k < found.count(n); ++k) {
      int const p = found.point(n, k);
      double x[4] = {1, 0, 0, 0};
      for (int d = 0; d < 3; ++d) x[d + 1] = scale * (points.place(p, d) - places(n, d));
      double const w = root_of_weight(unit * unit * (x[1] * x[1] + x[2] * x[2] + x[3] * x[3]));
      double* row = &rows(begin(n) + k * columns);
      for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) *row++ = w * x[i] * x[j];  // 1, x, y, z, x x, x y, ...
      *row = w * points.value(p);
    }
  }
};

/// From the triangle R of [A b] = Q R: the shortest x with the least |A x - b|.
struct Solve {
  template <class Value, class Rank, class R>
  KOKKOS_FUNCTION void operator()(Value& value, Rank& rank, R const& r) const {
    double const negligible = 1e-9;  // relative to the largest entry of the diagonal
    auto const f = pivoted_qr(block<terms, terms>(r, 0, 0));
    rank = f.rank(negligible);
    auto const x = f.solve(block<terms>(column(r, terms), 0), negligible);
    value = x(0);
  }
};

}  // namespace

Fits fit(Places const& places, Points const& points, Neighbours const& found) {
  auto const items = places.extent(0);
  Kokkos::View<int*> const begin("LeastSquares::begin", items),
      triangle("LeastSquares::triangle", items), codes("LeastSquares::codes", items);
  Kokkos::View<int* [3]> const size("LeastSquares::size", items);
  int numbers = 0;
  Kokkos::parallel_scan("LeastSquares::sizes", int(items),
                        Sizes{found.count, begin, triangle, size}, numbers);
  Kokkos::View<double*> const rows("LeastSquares::rows", std::size_t(numbers));
  Kokkos::parallel_for("LeastSquares::rows", int(items), Rows{places, points, found, begin, rows});

  // Triangles of fewer than 11 rows begin at the same places as the others. What they lack is zero.
  Kokkos::View<double* [columns][columns], Kokkos::LayoutRight> const r("LeastSquares::r", items);
  Kokkos::View<double*> const triangles(r.data(), r.size());
  auto const plan = ragged_plan(size, Padding::none);
  qr(in(ragged<0, 1>(plan, rows, begin)), out(ragged<2, 1>(plan, triangles, triangle)));

  Fits const fits{Kokkos::View<double*>("LeastSquares::value", items),
                  Kokkos::View<double*>("LeastSquares::rank", items), codes};
  map(Solve{}, out(fits.value), out(fits.rank), in(r), status(codes));
  return fits;
}

}  // namespace LeastSquares
