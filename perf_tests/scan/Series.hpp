// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch of series for the filters of perf_scan: data, reference and check.
#ifndef BATCHWORK_PERF_SCAN_SERIES_HPP
#define BATCHWORK_PERF_SCAN_SERIES_HPP

#include <cmath>
#include <limits>
#include <string>

#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

inline constexpr std::int64_t filter_steps = 100;

/// The larger of two errors; NaN if one of them is.
inline long double larger(long double a, long double b) { return std::isnan(a) || a > b ? a : b; }

/// N states, M measurements: a slow random drift, well observed. Where a measurement has many
/// states to tell apart they decay: what it cannot see would else grow beyond what float can hold.
template <class T, int N, int M>
struct FilterModel {
  T F[N][N], Q[N][N], H[M][N], R[M][M];

  FilterModel() {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        F[i][j] = static_cast<T>((i == j ? (N > 6 * M ? 0.8 : 1.0) : 0.0) +
                                 0.04 * (uniform(1, static_cast<std::uint64_t>(i * N + j)) - 0.5));
        Q[i][j] = i == j ? T(0.01) : T(0);
      }
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j)
        H[i][j] = static_cast<T>(2 * uniform(2, static_cast<std::uint64_t>(i * N + j)) - 1);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < M; ++j) R[i][j] = i == j ? T(0.1) : T(0);
  }
};

template <class T, int M>
KOKKOS_INLINE_FUNCTION T measurement(std::int64_t item, std::int64_t t, int i) {
  return static_cast<T>(
      4 * uniform(3, static_cast<std::uint64_t>((item * filter_steps + t) * M + i)) - 2);
}
/// The variance of every state at the start.
template <class T>
KOKKOS_INLINE_FUNCTION T start_variance(std::int64_t item, bool per_item) {
  return per_item ? static_cast<T>(1 + uniform(4, static_cast<std::uint64_t>(item))) : T(1);
}

template <class T, int N, int M, class Z, class P0>
struct FillSeries {
  Z z;
  P0 p0;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (std::int64_t t = 0; t < filter_steps; ++t)
      for (int i = 0; i < M; ++i) z(k, t, i) = measurement<T, M>(k, t, i);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) p0(k, i, j) = i == j ? start_variance<T>(k, true) : T(0);
  }
};

/// The filter of one item by the textbook's formulas in long double.
template <class T, int N, int M>
struct FilterReference {
  long double x[N] = {}, P[N][N] = {}, log_likelihood = 0;

  FilterReference(FilterModel<T, N, M> const& m, std::int64_t item, bool per_item,
                  std::int64_t steps = filter_steps) {
    for (int i = 0; i < N; ++i) P[i][i] = start_variance<T>(item, per_item);
    for (std::int64_t t = 0; t < steps; ++t) step(m, item, t);
  }

 private:
  void step(FilterModel<T, N, M> const& m, std::int64_t item, std::int64_t t) {
    using X = long double;
    X xp[N], A[N][N], PP[N][N], g[M][N], l[M][M], y[M][N], u[M];
    for (int i = 0; i < N; ++i) {
      xp[i] = 0;
      for (int k = 0; k < N; ++k) xp[i] += X(m.F[i][k]) * x[k];
      for (int j = 0; j < N; ++j) {
        A[i][j] = 0;
        for (int k = 0; k < N; ++k) A[i][j] += X(m.F[i][k]) * P[k][j];
      }
    }
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        PP[i][j] = m.Q[i][j];
        for (int k = 0; k < N; ++k) PP[i][j] += A[i][k] * X(m.F[j][k]);
      }
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        g[i][j] = 0;
        for (int k = 0; k < N; ++k) g[i][j] += X(m.H[i][k]) * PP[k][j];
      }
    for (int j = 0; j < M; ++j)
      for (int i = j; i < M; ++i) {
        X s = m.R[i][j];
        for (int k = 0; k < N; ++k) s += g[i][k] * X(m.H[j][k]);
        for (int k = 0; k < j; ++k) s -= l[i][k] * l[j][k];
        l[i][j] = i == j ? std::sqrt(s) : s / l[j][j];
      }
    for (int i = 0; i < M; ++i) {
      X v = measurement<T, M>(item, t, i);
      for (int k = 0; k < N; ++k) v -= X(m.H[i][k]) * xp[k];
      for (int k = 0; k < i; ++k) v -= l[i][k] * u[k];
      u[i] = v / l[i][i];
      for (int j = 0; j < N; ++j) {
        X s = g[i][j];
        for (int k = 0; k < i; ++k) s -= l[i][k] * y[k][j];
        y[i][j] = s / l[i][i];
      }
      log_likelihood -=
          0.5L * (std::log(2 * 3.14159265358979323846264338327950288L) + u[i] * u[i]) +
          std::log(l[i][i]);
    }
    for (int i = 0; i < N; ++i) {
      x[i] = xp[i];
      for (int k = 0; k < M; ++k) x[i] += y[k][i] * u[k];
      for (int j = 0; j < N; ++j) {
        P[i][j] = PP[i][j];
        for (int k = 0; k < M; ++k) P[i][j] -= y[k][i] * y[k][j];
      }
    }
    // Rounding errors of the antisymmetric part would grow like F, which no observation corrects.
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < i; ++j) P[i][j] = P[j][i] = (P[i][j] + P[j][i]) / 2;
  }
};

/// The series, the model as Views and as tiles, and the results, poisoned.
template <class T, int N, int M, Layout L>
struct Series {
  using Order =
      std::conditional_t<L == Layout::interleaved, Kokkos::LayoutLeft, Kokkos::LayoutRight>;
  std::int64_t items;
  FilterModel<T, N, M> model;
  Kokkos::View<T** [M], Order, Memory> z;
  Kokkos::View<T* [N][N], Kokkos::LayoutLeft, Memory> P0, P_end;
  Kokkos::View<T* [N], Kokkos::LayoutLeft, Memory> x_end;
  Kokkos::View<T*, Memory> log_likelihood;

  explicit Series(std::int64_t n)
      : items(n),
        z("z", static_cast<std::size_t>(n), filter_steps),
        P0("P0", static_cast<std::size_t>(n)),
        P_end("P_end", static_cast<std::size_t>(n)),
        x_end("x_end", static_cast<std::size_t>(n)),
        log_likelihood("log_likelihood", static_cast<std::size_t>(n)) {
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                         FillSeries<T, N, M, decltype(z), decltype(P0)>{z, P0});
    T const poison = std::numeric_limits<T>::quiet_NaN();
    Kokkos::deep_copy(P_end, poison);
    Kokkos::deep_copy(x_end, poison);
    Kokkos::deep_copy(log_likelihood, poison);
  }

  /// The largest of the relative errors of means, covariances (if wanted) and likelihoods, over at
  /// most 300 items that are spread evenly, the first and the last among them.
  double error(bool per_item, bool covariances) const {
    auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x_end);
    auto const P = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), P_end);
    auto const ll = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), log_likelihood);
    long double e[3] = {}, norm[3] = {};
    std::int64_t const count = items < 300 ? items : 300;
    for (std::int64_t c = 0; c < count; ++c) {
      std::int64_t const k = count == 1 ? 0 : c * (items - 1) / (count - 1);
      FilterReference<T, N, M> const r(model, k, per_item);
      auto const compare = [&](int what, long double got, long double expected) {
        e[what] += (got - expected) * (got - expected);
        norm[what] += expected * expected;
      };
      for (int i = 0; i < N; ++i) {
        compare(0, x(k, i), r.x[i]);
        for (int j = 0; covariances && j < N; ++j) compare(1, P(k, i, j), r.P[i][j]);
      }
      compare(2, ll(k), r.log_likelihood);
    }
    long double worst = 0;
    for (int w = 0; w < 3; ++w) {
      if (w == 1 && !covariances) continue;
      worst = larger(worst, std::sqrt(e[w] / norm[w]));
    }
    return static_cast<double>(worst);
  }

  /// Checks what one call of `launch` computes, then times it. A step adds errors of N eps, so the
  /// tolerance is steps N eps, and `more` for methods that are not exact.
  template <class Launch>
  void run(benchmark::State& state, Launch const& launch, Work work, bool per_item,
           bool covariances, double more = 0) const {
    launch();
    Kokkos::fence();
    double const e = error(per_item, covariances);
    double const tolerance =
        1.0 * filter_steps * N * static_cast<double>(std::numeric_limits<T>::epsilon()) + more;
    for (auto _ : state) {
      if (!(e <= tolerance)) {
        state.SkipWithError(("wrong result: relative error " + std::to_string(e / tolerance) +
                             " times the tolerance")
                                .c_str());
        return;
      }
      report<T>(state, work, measure(launch), e);
    }
  }
};

}  // namespace BatchworkPerf

#endif
