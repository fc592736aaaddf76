// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Score.hpp"

#include <cmath>

namespace Tracking {

namespace {

using namespace Batchwork;

/// Adds a step of a target to its sums.
struct Judge {
  template <class S, class Truth, class Mean, class Covariance, class Nis, class F>
  KOKKOS_FUNCTION void operator()(S& sum, Truth const& truth, Mean const& mean,
                                  Covariance const& covariance, Nis const& of_step,
                                  F const& flag) const {
    auto const e = mean - truth;
    auto const square_of_position = e(0) * e(0) + e(1) * e(1);
    auto const square_of_velocity = e(2) * e(2) + e(3) * e(3);
    for (int k = 0; k < 2; ++k) {
      auto const counts = k == 0 ? 1 - flag(turning) : 1 * flag(turning);
      sum(steps + k) += counts;
      sum(position + k) += counts * square_of_position;
      sum(velocity + k) += counts * square_of_velocity;
    }
    sum(observations) += select(of_step > 0.0, 1.0, 0.0);
    sum(seen) += flag(genuine);
    sum(nis) += flag(genuine) * of_step;
    sum(nees) = dot(e, solve(cholesky(covariance), e));  // that of the last step stays
  }
};

template <class V>
auto on_host(V const& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

double root_mean(double squares, double count) { return std::sqrt(squares / std::fmax(count, 1)); }

}  // namespace

Band band_95(double freedom, double runs) {
  double const spread = 2 / (9 * freedom * runs);
  auto const quantile = [&](double z) {
    return freedom * std::pow(1 - spread + z * std::sqrt(spread), 3);
  };
  return {quantile(-1.959964), quantile(1.959964)};
}

void Score::add(Targets const& batch, Tracks const& tracks) {
  std::size_t const items = tracks.gated.extent(0);
  Kokkos::View<double* [sums]> const sums_of_target("Tracking::sums", items);
  scan(Exec(), int(tracks.nis.extent(1)), Judge{}, carry(sums_of_target, sums_of_target),
       each(batch.truth), each(tracks.mean), each(symmetric(tracks.covariance)), each(tracks.nis),
       each(batch.flag));
  auto const of_target = on_host(sums_of_target);
  auto const ignored = on_host(tracks.gated);
  auto const codes = on_host(tracks.status);
  for (std::size_t n = 0; n < items; ++n) {
    targets += 1;
    if (codes(n) != 0) {
      failed += 1;
      continue;
    }
    for (int k = 0; k < sums; ++k) sum[k] += of_target(n, k);
    gated += ignored(n);
  }
}

double Score::error(Sum of, int k) const { return root_mean(sum[of + k], sum[steps + k]); }
double Score::error(Sum of) const { return root_mean(sum[of] + sum[of + 1], all_steps()); }

}  // namespace Tracking
