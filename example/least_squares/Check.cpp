// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace LeastSquares {

namespace {

template <class V>
auto on_host(V const& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

using Number = long double;

Number dot(Number const (&x)[most], Number const (&y)[most]) {
  Number sum = 0;
  for (int k = 0; k < most; ++k) sum += x[k] * y[k];
  return sum;
}

/// The first coefficient of a weighted fit, by modified Gram-Schmidt orthogonalisation from the
/// last term to the first one. Polynomials on the plane of the slice have six terms, those of x and
/// y.
template <class Places, class Values, class Found>
double by_gram_schmidt(Places const& places, Places const& points, Values const& values,
                       Found const& found, double reach, int count, int n, bool is_planar) {
  Number a[terms + 1][most] = {};  // the right-hand side comes first
  int const powers = is_planar ? 3 : 4, size = is_planar ? 6 : terms;
  for (int k = 0; k < count; ++k) {
    int const p = found(n, k);
    Number x[4] = {1, 0, 0, 0}, square = 0;
    for (int d = 0; d < 3; ++d) {
      x[d + 1] = (Number(points(p, d)) - places(n, d)) / reach;
      square += x[d + 1] * x[d + 1];
    }
    Number const w = root_of_weight(double(square));
    a[0][k] = w * values(p);
    int t = 0;
    for (int i = 0; i < powers; ++i)
      for (int j = i; j < powers; ++j) a[++t][k] = w * x[i] * x[j];
  }
  for (int k = size; k > 1; --k)
    for (int j = 0; j < k; ++j) {
      Number const f = dot(a[k], a[j]) / dot(a[k], a[k]);
      for (int i = 0; i < count; ++i) a[j][i] -= f * a[k][i];
    }
  return double(dot(a[1], a[0]) / dot(a[1], a[1]));
}

/// Nine of ten numbers are smaller.
double quantile(std::vector<double>& x) {
  if (x.empty()) return 0;
  auto const at = x.begin() + std::ptrdiff_t(0.9 * double(x.size()));
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

}  // namespace

Scores compare(Points const& slice, Points const& points, Neighbours const& neighbours,
               Fits const& fits) {
  auto const place = on_host(slice.place), point = on_host(points.place);
  auto const truth = on_host(slice.value), value = on_host(points.value),
             reach = on_host(neighbours.reach), fitted = on_host(fits.value),
             rank = on_host(fits.rank);
  auto const count = on_host(neighbours.count), codes = on_host(fits.codes);
  auto const found = on_host(neighbours.point);
  Scores s;
  std::vector<double> errors[kinds];
  for (int n = 0; n < int(place.extent(0)); ++n) {
    int on_plane = 0;
    for (int k = 0; k < count(n); ++k) {
      int const p = found(n, k);
      on_plane += std::abs(point(p, 2) - height(point(p, 0))) < 1e-14;
    }
    int const off_plane = count(n) - on_plane,
              expected = std::min(terms, std::min(6, on_plane) + off_plane);
    Kind const kind = expected == terms ? full : off_plane == 0 ? coplanar : other;
    double const error = std::abs(fitted(n) - truth(n));
    if (codes(n) != 0 || int(rank(n)) != expected || !std::isfinite(error)) ++s.failed;
    errors[kind].push_back(error);
    s.reach[kind] += reach(n);
    if (kind == other) continue;
    double const in_extended =
        by_gram_schmidt(place, point, value, found, reach(n), count(n), n, kind == coplanar);
    s.difference = std::max(s.difference, std::abs(fitted(n) - in_extended));
  }
  for (int k = 0; k < kinds; ++k) {
    s.count[k] = int(errors[k].size());
    s.error[k] = quantile(errors[k]);
    s.reach[k] /= std::max(s.count[k], 1);
  }
  return s;
}

}  // namespace LeastSquares
