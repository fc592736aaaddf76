// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smoother of Rauch, Tung and Striebel (1965), a backward scan over a filter's results. The
// same kernel also scans the same numbers forwards, to show what the direction costs.

#include <algorithm>
#include <vector>

#include "Filters.hpp"

namespace BatchworkPerf {

namespace {

/// Smooths one step, given the smoothed next step. After the carries come the step's parameters and
/// the prediction for the next step.
struct SmoothStep {
  template <class X, class P, class M, class C, class NextM, class NextC, class F, class EM,
            class EC>
  KOKKOS_FUNCTION void operator()(X& x, P& p, M const& mean, C const& covariance,
                                  NextM const& next_mean, NextC const& next_covariance, F const& f,
                                  EM& smoothed_mean, EC& smoothed_covariance) const {
    auto const gain = transpose(solve(cholesky(next_covariance), f * covariance));
    x = mean + gain * (x - next_mean);
    p = covariance + congruence(gain, p - next_covariance);
    smoothed_mean = x;
    smoothed_covariance = p;
  }
};

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

enum class Direction { filter, backward, forward, verb };

/// The filter that leaves its results, one of the scans over them, or Kalman::smooth, which is
/// both.
template <class T, int N, int M, Layout L, Direction direction>
void smoother(benchmark::State& state, std::int64_t items) {
  namespace Kalman = Batchwork::Kalman;
  using namespace Batchwork;
  using Order = typename Series<T, N, M, L>::Order;
  using Means = Kokkos::View<T** [N], Order, Memory>;
  using Covariances = Kokkos::View<T** [N][N], Order, Memory>;
  Series<T, N, M, L> const s(items);
  std::size_t const n = std::size_t(items), steps = std::size_t(filter_steps);
  Means const filtered("filtered", n, steps), predicted("predicted", n, steps),
      smoothed("smoothed", n, steps);
  Covariances const filtered_P("filtered_P", n, steps), predicted_P("predicted_P", n, steps),
      smoothed_P("smoothed_P", n, steps);
  Exec const exec;
  auto const model = filter_model<false>(s.model);
  auto const filter = [&] {
    Kalman::filter(exec, filter_steps, model, Kalman::start(zero_mean<T, N>(), s.P0), s.z,
                   Kalman::results()
                       .predicted_mean(predicted)
                       .predicted_covariance(predicted_P)
                       .filtered_mean(filtered)
                       .filtered_covariance(filtered_P)
                       .last_mean(s.x_end)
                       .last_covariance(s.P_end),
                   Kalman::complete());
  };
  auto const smooth = [&](auto const& order) {
    scan(exec, order, SmoothStep{}, carry(s.x_end), carry(symmetric(s.P_end)), each(filtered),
         each(symmetric(filtered_P)), each(predicted, lag<-1>),
         each(symmetric(predicted_P), lag<-1>), model.f, emit(smoothed),
         emit(symmetric(smoothed_P)));
  };
  auto const verb = [&] {
    Kalman::smooth(exec, filter_steps, model, Kalman::start(zero_mean<T, N>(), s.P0), s.z,
                   Kalman::results().smoothed_mean(smoothed).smoothed_covariance(smoothed_P),
                   Kalman::complete());
  };
  auto const launch = [&] {
    if constexpr (direction == Direction::filter) filter();
    else if constexpr (direction == Direction::verb) verb();
    else if constexpr (direction == Direction::backward) smooth(backward(filter_steps - 1));
    else smooth(filter_steps - 1);
  };

  // Whatever is timed, the smoother is checked.
  if constexpr (direction == Direction::verb) {
    verb();
  } else {
    filter();
    smooth(backward(filter_steps - 1));
  }
  Kokkos::fence();
  auto const x = Kokkos::create_mirror(Kokkos::HostSpace(), smoothed);
  auto const P = Kokkos::create_mirror(Kokkos::HostSpace(), smoothed_P);
  Kokkos::deep_copy(x, smoothed);
  Kokkos::deep_copy(P, smoothed_P);
  long double e[2] = {}, norm[2] = {};
  std::int64_t const count = std::min<std::int64_t>(items, 50);
  for (std::int64_t c = 0; c < count; ++c) {
    std::int64_t const k = count == 1 ? 0 : c * (items - 1) / (count - 1);
    SmootherReference<T, N, M> const r(s.model, k);
    for (std::size_t t = 0; t + 1 < steps; ++t)
      for (int i = 0; i < N; ++i) {
        long double const want = r.x[t][std::size_t(i)], d = x(k, t, i) - want;
        e[0] += d * d, norm[0] += want * want;
        for (int j = 0; j < N; ++j) {
          long double const w = r.P[t][std::size_t(i * N + j)], b = P(k, t, i, j) - w;
          e[1] += b * b, norm[1] += w * w;
        }
      }
  }
  double const error = double(std::sqrt(std::max(e[0] / norm[0], e[1] / norm[1]))),
               tolerance = 1.0 * filter_steps * N * double(std::numeric_limits<T>::epsilon());
  Work work;
  work.items = items;
  constexpr bool filters = direction == Direction::filter || direction == Direction::verb;
  work.steps = filters ? filter_steps : filter_steps - 1;
  double const numbers = N + N * N, read = N + N * (N + 1) / 2;
  double const of_filter = covariance_flops(N, M) + mean_flops(N, M),
               of_scan = 22.0 / 3 * N * N * N + 4.0 * N * N;
  double bytes = 2 * read + numbers, flops = of_scan;
  if constexpr (direction == Direction::filter) bytes = M + 2 * numbers, flops = of_filter;
  if constexpr (direction == Direction::verb)
    bytes = M + 2 * numbers + read, flops = of_filter + 40.0 / 3 * N * N * N;
  work.bytes = double(items) * double(work.steps) * sizeof(T) * bytes;
  work.flops = double(items) * double(work.steps) * flops;
  for (auto _ : state) {
    if (!(error <= tolerance)) {
      state.SkipWithError(("wrong result: relative error " + std::to_string(error / tolerance) +
                           " times the tolerance")
                              .c_str());
      return;
    }
    report<T>(state, work, measure(launch), error);
  }
}

template <class T, Layout L>
void register_layout(std::int64_t items) {
  auto const name = [&](char const* what) {
    return std::string("scan/batchwork/") + what + "/" + type_name<T>() + "/" + name_of(L) +
           "/view/N:4/M:2";
  };
  add_filter(name("smoother_filter"), items, smoother<T, 4, 2, L, Direction::filter>);
  add_filter(name("smoother"), items, smoother<T, 4, 2, L, Direction::backward>);
  add_filter(name("smoother_forwards"), items, smoother<T, 4, 2, L, Direction::forward>);
  add_filter(name("smooth"), items, smoother<T, 4, 2, L, Direction::verb>);
}

}  // namespace

/// scan/batchwork/smoother/<type>/<layout>/view/N:4/M:2/items:<items>, and the same with
/// smoother_forwards, smoother_filter and smooth
void register_smoothers() {
  // Some 48 KB an item in double.
  std::int64_t const items = on_device ? 20000 : 2000;
  register_layout<double, Layout::interleaved>(items);
  register_layout<double, Layout::item_contiguous>(items);
  register_layout<float, Layout::interleaved>(items);
}

}  // namespace BatchworkPerf
