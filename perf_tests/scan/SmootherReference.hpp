// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The smoother in long double, and the check of smoothed states.
#ifndef BATCHWORK_PERF_SCAN_SMOOTHERREFERENCE_HPP
#define BATCHWORK_PERF_SCAN_SMOOTHERREFERENCE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "Series.hpp"

namespace BatchworkPerf {

using Numbers = std::vector<long double>;  // a matrix of N columns, row by row

template <int N>
Numbers times(Numbers const& a, Numbers const& b, int rows, int cols, bool b_transposed) {
  Numbers r(static_cast<std::size_t>(rows * cols));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      for (int k = 0; k < N; ++k)
        r[std::size_t(i * cols + j)] +=
            a[std::size_t(i * N + k)] * b[std::size_t(b_transposed ? j * N + k : k * cols + j)];
  return r;
}

/// Filter and smoother of one item in long double, by inverses: means and covariances of all steps.
template <class T, int N, int M>
struct SmootherReference {
  std::vector<Numbers> x, P;

  SmootherReference(FilterModel<T, N, M> const& m, std::int64_t item) {
    std::size_t const steps = std::size_t(filter_steps);
    Numbers F, Q, one(N * N);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        F.push_back(m.F[i][j]), Q.push_back(m.Q[i][j]);
        one[std::size_t(i * N + j)] = i == j;
      }
    std::vector<Numbers> xp(steps), Pp(steps);
    Numbers mean(N), cov(N * N);
    for (int i = 0; i < N; ++i) cov[std::size_t(i * N + i)] = start_variance<T>(item, true);
    for (std::size_t t = 0; t < steps; ++t) {
      mean = times<N>(F, mean, N, 1, false);
      cov = times<N>(times<N>(F, cov, N, N, false), F, N, N, true);
      for (std::size_t i = 0; i < Q.size(); ++i) cov[i] += Q[i];
      xp[t] = mean, Pp[t] = cov;
      // An entry of the observation after the other: R is diagonal.
      for (int o = 0; o < M; ++o) {
        Numbers ph(N);
        long double s = m.R[o][o], v = measurement<T, M>(item, std::int64_t(t), o);
        for (int i = 0; i < N; ++i) {
          for (int k = 0; k < N; ++k) ph[std::size_t(i)] += cov[std::size_t(i * N + k)] * m.H[o][k];
          v -= m.H[o][i] * mean[std::size_t(i)];
        }
        for (int i = 0; i < N; ++i) s += m.H[o][i] * ph[std::size_t(i)];
        for (int i = 0; i < N; ++i) {
          mean[std::size_t(i)] += ph[std::size_t(i)] * v / s;
          for (int j = 0; j < N; ++j)
            cov[std::size_t(i * N + j)] -= ph[std::size_t(i)] * ph[std::size_t(j)] / s;
        }
      }
      x.push_back(mean), P.push_back(cov);
    }
    for (std::size_t t = steps - 1; t-- > 0;) {
      Numbers const g = times<N>(times<N>(P[t], F, N, N, true), inverse(Pp[t + 1]), N, N, false);
      Numbers dx = x[t + 1], dP = P[t + 1];
      for (std::size_t i = 0; i < dx.size(); ++i) dx[i] -= xp[t + 1][i];
      for (std::size_t i = 0; i < dP.size(); ++i) dP[i] -= Pp[t + 1][i];
      dx = times<N>(g, dx, N, 1, false);
      dP = times<N>(times<N>(g, dP, N, N, false), g, N, N, true);
      for (std::size_t i = 0; i < dx.size(); ++i) x[t][i] += dx[i];
      for (std::size_t i = 0; i < dP.size(); ++i) P[t][i] += dP[i];
    }
  }

 private:
  /// By Gauss-Jordan elimination; pivots of a positive definite matrix need no search.
  static Numbers inverse(Numbers a) {
    Numbers r(N * N);
    for (std::size_t i = 0; i < N; ++i) r[i * N + i] = 1;
    for (std::size_t k = 0; k < N; ++k) {
      long double const pivot = a[k * N + k];
      for (std::size_t j = 0; j < N; ++j) a[k * N + j] /= pivot, r[k * N + j] /= pivot;
      for (std::size_t i = 0; i < N; ++i) {
        long double const f = i == k ? 0 : a[i * N + k];
        for (std::size_t j = 0; j < N; ++j)
          a[i * N + j] -= f * a[k * N + j], r[i * N + j] -= f * r[k * N + j];
      }
    }
    return r;
  }
};

/// Items that are checked: at most 50, spread evenly, the first and the last among them.
inline std::int64_t checked_items(std::int64_t items) { return std::min<std::int64_t>(items, 50); }
KOKKOS_INLINE_FUNCTION std::int64_t checked_item(std::int64_t c, std::int64_t items,
                                                 std::int64_t count) {
  return count == 1 ? 0 : c * (items - 1) / (count - 1);
}

/// Copies the numbers of the checked items, so that hosts need no room for all items.
template <class X, class P>
struct CopyChecked {
  X from_x, to_x;
  P from_p, to_p;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    std::int64_t const k =
        checked_item(c, std::int64_t(from_x.extent(0)), std::int64_t(to_x.extent(0)));
    int const n = int(to_x.extent(2));
    for (std::int64_t t = 0; t < std::int64_t(to_x.extent(1)); ++t)
      for (int i = 0; i < n; ++i) {
        to_x(c, t, i) = from_x(k, t, i);
        for (int j = 0; j < n; ++j) to_p(c, t, i, j) = from_p(k, t, i, j);
      }
  }
};

/// The larger of the relative errors of smoothed means and covariances of all steps but the last,
/// which a smoother takes from the filter.
template <int N, int M, class T, class X, class P>
double smoother_error(FilterModel<T, N, M> const& model, X const& smoothed, P const& smoothed_P) {
  std::int64_t const items = std::int64_t(smoothed.extent(0)), count = checked_items(items);
  std::size_t const steps = smoothed.extent(1);
  X const means("means", std::size_t(count), steps);
  P const covariances("covariances", std::size_t(count), steps);
  Kokkos::parallel_for("copy checked items",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, count),
                       CopyChecked<X, P>{smoothed, means, smoothed_P, covariances});
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), means);
  auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), covariances);
  long double e[2] = {}, norm[2] = {};
  for (std::int64_t c = 0; c < count; ++c) {
    SmootherReference<T, N, M> const r(model, checked_item(c, items, count));
    for (std::size_t t = 0; t + 1 < steps; ++t)
      for (int i = 0; i < N; ++i) {
        long double const want = r.x[t][std::size_t(i)], d = x(c, t, i) - want;
        e[0] += d * d, norm[0] += want * want;
        for (int j = 0; j < N; ++j) {
          long double const w = r.P[t][std::size_t(i * N + j)], b = p(c, t, i, j) - w;
          e[1] += b * b, norm[1] += w * w;
        }
      }
  }
  return double(larger(std::sqrt(e[0] / norm[0]), std::sqrt(e[1] / norm[1])));
}

}  // namespace BatchworkPerf

#endif
