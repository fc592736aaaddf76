// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The interacting multiple model estimator of the example tracking, with linear modes, compared
/// with the reference.
#ifndef BATCHWORK_KALMAN_IMM_CASE_HPP
#define BATCHWORK_KALMAN_IMM_CASE_HPP

#include "../../example/tracking/Imm.hpp"
#include "ImmReference.hpp"

namespace Batchwork::Test {

/// A step of an IMM with linear modes. f, q and h hold the matrices of all modes, one below the
/// other.
template <int N, int M>
struct LinearBank {
  template <class X, class P, class W, class L, class Z, class F, class Q, class H, class Pi,
            class R, class Mean, class C>
  KOKKOS_FUNCTION void operator()(X& means, P& covariances, W& w, L& loglik, Z const& z, F const& f,
                                  Q const& q, H const& h, Pi const& transition, R const& r,
                                  Mean& mean, C& covariance) const {
    Tracking::imm_predict(means, covariances, w, transition, [&](auto j, auto& x, auto& p) {
      Kalman::predict(x, p, block<N, N>(f, j() * N, 0), symmetric(block<N, N>(q, j() * N, 0)));
    });
    Tracking::imm_update(means, covariances, w, loglik, [&](auto j, auto& x, auto& p) {
      auto of_mode = 0 * x(0);
      Kalman::update(x, p, of_mode, z, block<M, N>(h, j() * M, 0), r);
      return of_mode;
    });
    auto const all = Tracking::mixture(means, covariances, w);
    mean = all.mean;
    covariance = all.covariance;
  }
};

enum class Plant { none, negative_noise, infinite };

/// A batch of targets: data, reference, and results of `run`, which is scan or runs lanes.
template <class T, int N, int M, int K>
struct Banks {
  static constexpr std::size_t items = 19;
  static constexpr int steps = 10;
  Kokkos::View<T* [N][K], Space> means { "means", items };
  Kokkos::View<T* [K * N][N], Space> covariances { "covariances", items };
  Kokkos::View<T* [K], Space> start { "start", items }, w{"w", items};
  Kokkos::View<T[K * N][N], Space> f{"f"}, q{"q"};
  Kokkos::View<T[K * M][N], Space> h{"h"};
  Kokkos::View<T[K][K], Space> transition{"transition"};
  Kokkos::View<T* [M][M], Space> r { "r", items };
  Kokkos::View<T** [M], Space> z { "z", items, std::size_t(steps) };
  Kokkos::View<T** [N], Space> mean { "mean", items, std::size_t(steps) };
  Kokkos::View<T** [N][N], Space> covariance { "covariance", items, std::size_t(steps) };
  Kokkos::View<T*, Space> loglik{"loglik", items};
  Kokkos::View<int*, Space> codes{"codes", items};
  std::vector<TrueBank> truth;
  std::vector<std::vector<Dense>> series;

  template <class Run>
  explicit Banks(Run const& run, Plant plant = Plant::none) {
    Random random(211);
    TrueBank bank;
    for (int j = 0; j < K; ++j) {
      RandomModel<T> const m(random, N, M);
      bank.modes.push_back(
          {m.f, m.q, m.h, m.r, random_dense<T>(random, N, 1), random_spd<T>(random, N), 0});
      bank.modes[std::size_t(j)].r = bank.modes[0].r;
      bank.modes[std::size_t(j)].probability = T(j == 0 ? 1 - (K - 1) * 0.125 : 0.125);
    }
    bank.transition = make_dense(K, K, [](int i, int j) {
      // Above the diagonal 1/16, below it 1/8.
      return T(i < j ? 0.0625 : i > j ? 0.125 : 1 - 0.0625 * (K - 1 - i) - 0.125 * i);
    });
    truth.assign(items, bank);
    for (std::size_t k = 0; k < items; ++k) {
      series.push_back(random_series<T>(random, steps, M, [&](int t, int) {
        return t == int(k) % steps || random(0, 1) < 0.2;  // one step without any entry
      }));
      // Likelihoods of this step underflow, also in long double.
      if (k % 4 == 1) series[k][5](0) = T(2000);
    }
    auto const of = [&](std::size_t k, std::size_t j) -> TrueMode& { return truth[k].modes[j]; };
    fill(means, [&](auto const& v) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < N * K; ++i) v(k, i / K, i % K) = T(of(k, std::size_t(i % K)).x(i / K));
    });
    fill(covariances, [&](auto const& v) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < K * N; ++i)
          for (int j = 0; j < N; ++j) v(k, i, j) = T(of(k, std::size_t(i / N)).p(i % N, j));
    });
    fill(start, [&](auto const& v) {
      for (std::size_t k = 0; k < items; ++k)
        for (std::size_t j = 0; j < K; ++j) v(k, j) = T(of(k, j).probability);
    });
    auto const stacked = [&](auto const& view, Dense TrueMode::* matrix, int rows) {
      fill(view, [&](auto const& v) {
        for (int i = 0; i < K * rows; ++i)
          for (int j = 0; j < N; ++j)
            v(i, j) = T((bank.modes[std::size_t(i / rows)].*matrix)(i % rows, j));
      });
    };
    stacked(f, &TrueMode::f, N), stacked(q, &TrueMode::q, N), stacked(h, &TrueMode::h, M);
    filled(transition, bank.transition);
    fill(r, [&](auto const& v) {
      for (std::size_t k = 0; k < items; ++k)
        for (int i = 0; i < M * M; ++i)
          v(k, i / M, i % M) = T(of(k, 0).r(i / M, i % M)) *
                               T(plant == Plant::negative_noise && is_planted(k) ? -1000 : 1);
    });
    filled_series(z, series);
    if (plant == Plant::infinite)
      fill(z, [&](auto const& v) {
        for (std::size_t k = 0; k < items; ++k)
          for (int t = 0; t < steps; ++t)
            for (int i = 0; i < M; ++i)
              v(k, t, i) = is_planted(k) && t == 3 ? std::numeric_limits<T>::infinity()
                                                   : T(series[k][std::size_t(t)](i));
      });
    poisoned(w), poisoned(mean), poisoned(covariance), poisoned(loglik), poisoned(codes);
    run(steps, LinearBank<N, M>{}, carry(means), carry(covariances), carry(start, w),
        carry(common(fixed(T(0))), loglik), each(z), common(f), common(q), common(h),
        common(transition), in(symmetric(r)), emit(mean), emit(symmetric(covariance)),
        status(codes));
    Kokkos::fence();
  }
  /// The first item, one in the middle and the last one.
  static bool is_planted(std::size_t k) { return k == 0 || k == 8 || k == items - 1; }
};

template <class T, int N, int M, int K, class Run>
void agrees_with_the_reference(Run const& run) {
  Banks<T, N, M, K> b(run);
  auto const w = on_host(b.w);
  auto const mean = on_host(b.mean);
  auto const covariance = on_host(b.covariance);
  int far = 0;
  for (std::size_t k = 0; k < b.items; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    TrueBank& truth = b.truth[k];
    long double size = 1;
    EXPECT_EQ(on_host(b.codes)(k), 0);
    for (std::size_t t = 0; t < std::size_t(b.steps); ++t) {
      truth.step(b.series[k][t]);
      auto const p = truth.probabilities();
      Dense const x = truth.mean(p), c = truth.covariance(p);
      size = std::max({size, norm1(x), norm1(c)});
      // Probabilities have the absolute errors of log-likelihoods.
      auto const tol = [&](long double scale) {
        return tolerance<T>(20 * N, scale * (1 + truth.absolute), truth.condition);
      };
      EXPECT_TRUE(near([&](int i, int) { return mean(k, t, i); }, x, tol(size))) << t;
      EXPECT_TRUE(near([&](int i, int j) { return covariance(k, t, i, j); }, c, tol(size))) << t;
    }
    auto const tol = tolerance<T>(20 * N, 1 + truth.absolute, truth.condition);
    long double sum = 0;
    for (std::size_t j = 0; j < K; ++j) {
      EXPECT_NEAR(double(w(k, j)), double(truth.modes[j].probability), double(tol));
      sum += w(k, j);
    }
    EXPECT_NEAR(double(sum), 1, double(tolerance<T>(K, 1)));
    EXPECT_NEAR(double(on_host(b.loglik)(k)), double(truth.log_likelihood), double(tol));
    far += truth.log_likelihood < -12000;  // exp() of it is 0 in long double
  }
  EXPECT_GT(far, 2);
}

}  // namespace Batchwork::Test

#endif
