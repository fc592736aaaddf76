// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What both filters track: a target with the states x, y, speed, heading and rate of turn, of
/// which a sensor at the origin measures distance and direction at every step.
#ifndef BATCHWORK_PERF_SEQUENCES_TRACKING_HPP
#define BATCHWORK_PERF_SEQUENCES_TRACKING_HPP

#include "Sequence.hpp"

namespace BatchworkPerf {

struct Tracking {
  static constexpr int N = 5, M = 2, Steps = 40;
  static constexpr int items = 101, steps = Steps;
  static constexpr double tolerance = 1e-9, dt = 0.1;

  template <class L>
  using Measurements = Kokkos::View<double* [Steps][M], L, Memory>;
  template <class L>
  using Means = Kokkos::View<double* [Steps][N], L, Memory>;
  template <class L>
  using Mean = Kokkos::View<double* [N], L, Memory>;
  template <class L>
  using Covariance = Kokkos::View<double* [N][N], L, Memory>;

  Measurements<ItemContiguous> z{"z", items};
  Mean<ItemContiguous> x0{"x0", items};
  Covariance<ItemContiguous> P0{"P0", items};
  double q[N] = {1e-4, 1e-4, 1e-3, 1e-4, 1e-4}, r[M] = {1e-2, 1e-4};
  double Q[N][N] = {}, R[M][M] = {};
  std::vector<double> reference;

  Tracking() {
    for (int i = 0; i < N; ++i) Q[i][i] = q[i];
    for (int i = 0; i < M; ++i) R[i][i] = r[i];
    for (int k = 0; k < items; ++k) {
      double s[N] = {between(5, 20, 1, k), between(5, 20, 2, k), between(1, 3, 3, k),
                     between(-1, 1, 4, k), between(-0.3, 0.3, 5, k)};
      for (int i = 0; i < N; ++i) {
        x0(k, i) = s[i] + 0.05 * between(-1, 1, 6, k * N + i);
        for (int j = 0; j < N; ++j) P0(k, i, j) = i == j ? 0.01 * (i + 1) : 0;
      }
      for (int t = 0; t < Steps; ++t) {
        s[0] += dt * s[2] * std::cos(s[3]);
        s[1] += dt * s[2] * std::sin(s[3]);
        s[3] += dt * s[4];
        z(k, t, 0) = std::hypot(s[0], s[1]) + 0.1 * between(-1, 1, 7, k * Steps + t);
        z(k, t, 1) = std::atan2(s[1], s[0]) + 0.01 * between(-1, 1, 8, k * Steps + t);
      }
    }
  }
};

/// Means of all steps, and the last covariance.
template <class Problem, class L>
struct Tracks {
  Problem const& problem;
  Tracking::Means<L> x{"x", Tracking::items};
  Tracking::Covariance<L> P{"P", Tracking::items};
  explicit Tracks(Problem const& p) : problem(p) { poison(x), poison(P); }
  std::vector<double> results() const {
    std::vector<double> v;
    append(v, x), append(v, P);
    return v;
  }
};
template <class Problem>
struct TracksByLoop : Tracks<Problem, ItemContiguous> {
  static constexpr char const* name = "loop";
  using layout = ItemContiguous;
  using Tracks<Problem, ItemContiguous>::Tracks;
  void launch() const { this->problem.template loop<double>(this->x, this->P); }
};

template <class Problem, class Sequence, class L>
struct TracksBySequence : Tracks<Problem, L> {
  static constexpr char const* name = "batchwork";
  using layout = L;
  Tracking::Measurements<L> z;
  Tracking::Mean<L> x0;
  Tracking::Covariance<L> P0;
  Kokkos::View<double[Tracking::N][Tracking::N], Memory> Q;
  Kokkos::View<double[Tracking::M][Tracking::M], Memory> R;

  explicit TracksBySequence(Problem const& p)
      : Tracks<Problem, L>(p),
        z(in_layout<Tracking::Measurements<L>>(p.z)),
        x0(in_layout<Tracking::Mean<L>>(p.x0)),
        P0(in_layout<Tracking::Covariance<L>>(p.P0)),
        Q(to_view("Q", p.Q)),
        R(to_view("R", p.R)) {}
  void launch() const {
    using namespace Batchwork;
    scan(Exec(), Tracking::Steps, Sequence{}, carry(x0), carry(symmetric(P0), symmetric(this->P)),
         each(z), common(symmetric(Q)), common(symmetric(R)), emit(this->x));
  }
};

}  // namespace BatchworkPerf

#endif
