// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Score.hpp"

#include <cmath>

namespace Tracking {

namespace {

using namespace Batchwork;

enum Sum {
  straight_steps,
  turn_steps,
  straight_position,
  turn_position,
  straight_velocity,
  turn_velocity,
  all_seen,
  all_nis,
  sums
};

/// Adds a step of a target to its sums. The NEES is that of the last step.
struct Judge {
  template <class S, class E, class Truth, class Mean, class Covariance, class Nis, class F>
  KOKKOS_FUNCTION void operator()(S& sum, E& nees, Truth const& truth, Mean const& mean,
                                  Covariance const& covariance, Nis const& nis,
                                  F const& flag) const {
    auto const e = mean - truth;
    auto const turns = flag(turning), straight = 1 - turns;
    auto const position = e(0) * e(0) + e(1) * e(1), velocity = e(2) * e(2) + e(3) * e(3);
    sum(straight_steps) += straight;
    sum(turn_steps) += turns;
    sum(straight_position) += straight * position;
    sum(turn_position) += turns * position;
    sum(straight_velocity) += straight * velocity;
    sum(turn_velocity) += turns * velocity;
    sum(all_seen) += flag(genuine);
    sum(all_nis) += flag(genuine) * nis;
    nees = dot(e, solve(cholesky(covariance), e));
  }
};

template <class V>
auto on_host(V const& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

}  // namespace

Band band_95(double freedom, double runs) {
  double const n = freedom * runs, spread = 2 / (9 * n);
  auto const quantile = [&](double z) {
    return freedom * std::pow(1 - spread + z * std::sqrt(spread), 3);
  };
  return {quantile(-1.959964), quantile(1.959964)};
}

void Score::add(Targets const& batch, Tracks const& tracks) {
  std::size_t const items = tracks.gated.extent(0);
  Kokkos::View<double* [sums]> const sum("Tracking::sum", items);
  Kokkos::View<double*> const last_nees("Tracking::nees", items);
  scan(Exec(), int(tracks.nis.extent(1)), Judge{}, carry(sum, sum), out(last_nees),
       each(batch.truth), each(tracks.mean), each(symmetric(tracks.covariance)), each(tracks.nis),
       each(batch.flag));
  auto const s = on_host(sum);
  auto const e = on_host(last_nees), outside = on_host(tracks.gated),
             likelihood = on_host(tracks.log_likelihood);
  auto const codes = on_host(tracks.status);
  for (std::size_t n = 0; n < items; ++n) {
    targets += 1;
    if (codes(n) != 0) {
      failed += 1;
      continue;
    }
    for (int k = 0; k < 2; ++k) {
      steps[k] += s(n, straight_steps + k);
      position[k] += s(n, straight_position + k);
      velocity[k] += s(n, straight_velocity + k);
    }
    seen += s(n, all_seen);
    nis += s(n, all_nis);
    nees += e(n);
    gated += outside(n);
    log_likelihood += likelihood(n);
  }
}

namespace {

double root_mean(double squares, double count) { return std::sqrt(squares / std::fmax(count, 1)); }

}  // namespace

double Score::position_error(int turns) const { return root_mean(position[turns], steps[turns]); }
double Score::position_error() const {
  return root_mean(position[0] + position[1], steps[0] + steps[1]);
}
double Score::velocity_error() const {
  return root_mean(velocity[0] + velocity[1], steps[0] + steps[1]);
}

}  // namespace Tracking
