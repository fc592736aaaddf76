// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A form of the filter against filters in long double.
#ifndef BATCHWORK_KALMAN_FORM_TRUTH_HPP
#define BATCHWORK_KALMAN_FORM_TRUTH_HPP

#include "Batch.hpp"

namespace Batchwork::Test {

/// A known start. Every other series misses a fifth of its entries, without the promise complete().
template <class T, int N, int M, Kalman::Order O, class Layout = Space::array_layout, class Promise,
          class Form>
void known_start(int items, int steps, Promise const& promise, Form const& form) {
  Random random(91);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int, int) {
      return Promise::data == Kalman::Data::may_be_missing && k % 2 == 1 && random(0, 1) < 0.2;
    }));
  FilterBatch<T, N, M, Layout> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> X("x");
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  if constexpr (O == Kalman::Order::predict_first)
    Kalman::filter(steps, model, Kalman::start(common(X), common(P)), b.z, b.results(), promise,
                   form);
  else
    Kalman::filter(steps, model, Kalman::predicted(common(X), common(P)), b.z, b.results(), promise,
                   form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(O, m.truth(), Dense(N, 1), eye(N), z[std::size_t(k)]));
}
template <class Form>
void is_the_filter(Form const& in_double, Form const& in_float) {
  using enum Kalman::Order;
  known_start<double, 4, 2, predict_first>(19, 30, Kalman::MayBeMissing(), in_double);
  known_start<float, 3, 2, update_first>(21, 30, Kalman::MayBeMissing(), in_float);
  known_start<double, 2, 3, update_first>(9, 20, Kalman::complete(), in_double);
  known_start<float, 1, 1, predict_first>(17, 20, Kalman::MayBeMissing(), in_float);
}

/// Diffuse starts, against generalised least squares over the whole series.
template <class T, int N, int M, class Form>
void diffuse_start(int steps, Form const& form) {
  constexpr int items = 11;
  Random random(33);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(random_series<T>(random, steps, M, [&](int t, int i) {
      return k < 3 ? t < 3 && (k == 0 || (t + i) % 2 == 0) : t > N && random(0, 1) < 0.2;
    }));
  FilterBatch<T, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q);
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::diffuse(), b.z, b.results(), form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k) {
    auto const s = std::size_t(k);
    auto const want = least_squares(m.truth(), Dense(N, 1), Dense(N, N), eye(N), z[s]);
    EXPECT_TRUE(near([&](int i, int) { return on_host(b.lm)(s, i); }, want.mean,
                     tolerance<T>(20 * N, 1 + norm1(want.mean), want.condition)))
        << k;
    EXPECT_TRUE(near([&](int i, int j) { return on_host(b.lc)(s, i, j); }, want.covariance,
                     tolerance<T>(20 * N, 1 + norm1(want.covariance), want.condition)))
        << k;
    EXPECT_NEAR(
        double(on_host(b.ll)(s)), double(want.log_likelihood),
        double(tolerance<T>(20 * N, std::fabs(want.log_likelihood) + steps, want.condition)))
        << k;
    EXPECT_EQ(on_host(b.st)(s), 0) << k;
  }
}

/// R is a diagonal operand, with more entries than states.
template <class Form>
void diagonal_noise(Form const& form) {
  constexpr int N = 2, M = 6, items = 9, steps = 20;
  Random random(45);
  RandomModel<double> const m(random, N, M);
  Dense r(M, M);
  for (int i = 0; i < M; ++i) r(i, i) = m.r(i, i);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(
        random_series<double>(random, steps, M, [&](int, int) { return random(0, 1) < 0.2; }));
  FilterBatch<double, N, M> b(z, items, steps);
  auto const F = filled(Kokkos::View<double[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<double[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<double[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<double[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<double[M], Space>("R"),
                        make_dense(M, 1, [&](int i, int) { return r(i, i); }));
  Kokkos::View<double[N], Space> X("x");
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(diagonal(R))),
                 Kalman::start(common(X), common(P)), b.z, b.results(), form);
  Kokkos::fence();
  for (int k = 0; k < items; ++k)
    b.expect(k, true_filter(Kalman::Order::predict_first, constant_model(m.f, m.q, m.h, r),
                            Dense(N, 1), eye(N), z[std::size_t(k)]));
}

}  // namespace Batchwork::Test

#endif
