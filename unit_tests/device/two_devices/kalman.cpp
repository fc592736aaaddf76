// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

namespace {

template <class Promise>
Numbers filtered(Place const& on, Promise const& promise) {
  constexpr std::int64_t items = 4099, steps = 40;
  auto const f =
      on.matrix<Interleaved<double[4][4]>>({1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0, 1, 0, 0, 0.5, 0, 1});
  auto const q = on.matrix<Interleaved<double[4][4]>>(
      {0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0.2});
  auto const h = on.matrix<Interleaved<double[2][4]>>({1, 0, 0, 1, 0, 0, 0, 0});
  auto const r = on.matrix<Interleaved<double[2][2]>>({0.3, 0, 0, 0.4});
  auto const x0 = on.matrix<Interleaved<double[4]>>({0.1, -0.2, 0.3, 0});
  auto const p0 =
      on.matrix<Interleaved<double[4][4]>>({4, 1, 0, 0, 1, 4, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2});
  auto const z = on.noisy<Interleaved<double** [2]>>(10, items, steps);
  auto const mean = on.results<Interleaved<double** [4]>>(items, steps);
  auto const log_likelihood = on.results<Interleaved<double*>>(items);
  auto const codes = on.results<Interleaved<int*>>(items);
  Kalman::filter(on.exec, steps, Kalman::model(common(f), common(q), common(h), common(r)),
                 Kalman::start(common(x0), common(p0)), z,
                 Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood).status(codes),
                 promise(steps));
  return on.all(mean, log_likelihood, codes);
}

}  // namespace

Numbers kalman_filter(Place const& on) {
  return filtered(on, [](std::int64_t) { return Kalman::complete(); });
}
Numbers gains(Place const& on) {
  return filtered(on, [&](std::int64_t steps) {
    return Kalman::complete(Kalman::Gains<double, 4, 2>(on.exec, steps));
  });
}

}  // namespace TwoDevices
