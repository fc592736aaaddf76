// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of the guide to fitting a model and of the reference of Kalman::score.

#include <Batchwork.hpp>
#include <cmath>
#include <cstdint>

namespace doc_score {

using namespace Batchwork;

using Exec = Kokkos::DefaultExecutionSpace;

struct LocalLevel {  // theta: logarithms of the variances of level and noise
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return Kalman::matrices(1.0, exp(theta(0)), 1.0, exp(theta(1)));
  }
};

inline void score_of_series(Exec const& exec, std::int64_t steps, Kokkos::View<double* [2]> theta,
                            Kokkos::View<double**> z, Kokkos::View<double*> log_likelihood,
                            Kokkos::View<double* [2]> score, Kokkos::View<int*> codes) {
  Kalman::score(exec, steps, LocalLevel{}, theta, Kalman::diffuse(), z,
                Kalman::results().log_likelihood(log_likelihood).score(score).status(codes));
}

struct Trend {  // a level with a slope: theta has the logarithms of three variances
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = generate<2, 2>([](int i, int j) { return i > j ? 0.0 : 1.0; });
    auto const q = as_diagonal(generate<2>([&](int i) { return exp(theta(i)); }));
    auto const h = generate<2>([](int j) { return j == 0 ? 1.0 : 0.0; });
    return Kalman::matrices(f, q, h, exp(theta(2)));
  }
};

struct Autoregression {  // z(t) = phi z(t-1) + noise, from the stationary distribution
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const phi = tanh(theta(0)), q = exp(theta(1));  // |phi| < 1
    return Kalman::matrices(phi, q, 1.0, 0.0, 0.0, q / (1 - square(phi)));
  }
};

inline void stationary(std::int64_t steps, Kokkos::View<double* [2]> theta,
                       Kokkos::View<double**> z, Kokkos::View<double*> log_likelihood,
                       Kokkos::View<double* [2]> score) {
  Kalman::score(steps, Autoregression{}, theta, Kalman::predicted(), z,
                Kalman::results().log_likelihood(log_likelihood).score(score));
}

inline void backwards(std::int64_t steps, std::size_t items, Kokkos::View<double* [3]> theta,
                      Kokkos::View<double**> z, Kokkos::View<double*> log_likelihood,
                      Kokkos::View<double* [3]> score) {
  Kokkos::View<double** [1][4]> gains("gains", items, steps);  // M = 1, N + 2 = 4
  Kalman::score(steps, Trend{}, theta, Kalman::diffuse(), z,
                Kalman::results().log_likelihood(log_likelihood).score(score),
                Kalman::backward_pass(gains));
}

inline void stationary_backwards(std::int64_t steps, std::size_t items,
                                 Kokkos::View<double* [2]> theta, Kokkos::View<double**> z,
                                 Kokkos::View<double* [2]> score) {
  Kokkos::View<double** [1][3]> gains("gains", items, steps);
  Kokkos::View<double** [1][2]> states("states", items, steps);
  Kalman::score(steps, Autoregression{}, theta, Kalman::predicted(), z,
                Kalman::results().score(score), Kalman::backward_pass(gains, states));
}

// ---- docs/guides/fit_a_model.md -----------------------------------------------------------------

/// One round of the damped method of scoring.
struct Advance {
  template <class Trial, class X, class F, class G, class J, class Damping, class NewF, class NewG,
            class NewJ>
  KOKKOS_FUNCTION void operator()(Trial& trial, X& x, F& f, G& score, J& information,
                                  Damping& damping, NewF const& new_f, NewG const& new_score,
                                  NewJ const& new_information) const {
    auto const better = new_f >= f;  // false for NaN
    x = select(better, trial, x);
    f = select(better, new_f, f);
    score = select(better, new_score, score);
    information = select(better, new_information, information);
    damping = select(better, 0.2 * damping, 5.0 * damping);
    auto const step = cholesky(information + damping * identity<2>(x)).solve(score);
    trial = x + (2.0 / max(max_abs(step), 2.0)) * step;  // entries of at most 2
  }
};

inline void fit(std::int64_t steps, std::size_t starts, Kokkos::View<double*> flow,
                Kokkos::View<double* [2]> trial) {
  Kokkos::View<double* [2]> x("x", starts), score("score", starts), new_score("new_score", starts);
  Kokkos::View<double* [2][2]> information("information", starts), new_information("new", starts);
  Kokkos::View<double*> f("f", starts), new_f("new_f", starts), damping("damping", starts);
  Kokkos::deep_copy(f, -INFINITY);
  Kokkos::deep_copy(damping, 1.0);

  for (int round = 0; round < 40; ++round) {
    Kalman::score(
        steps, LocalLevel{}, trial, Kalman::diffuse(), common(each(flow)),
        Kalman::results().log_likelihood(new_f).score(new_score).information(new_information));
    map(Advance{}, inout(trial), inout(x), inout(f), inout(score), inout(symmetric(information)),
        inout(damping), in(new_f), in(new_score), in(symmetric(new_information)));
  }
}

/// The filter with the best parameters.
inline void filter_with(std::int64_t steps, double const (&best)[2], Kokkos::View<double*> flow,
                        Kokkos::View<double**> mean) {
  auto const m = LocalLevel{}(generate<2>([&](int k) { return best[k]; }));
  Kalman::filter(
      steps,
      Kalman::model(common(fixed(m.f)), common(fixed(m.q)), common(fixed(m.h)), common(fixed(m.r))),
      Kalman::diffuse(), common(each(flow)), Kalman::results().filtered_mean(mean));
}

inline void compile_them() {
  Kalman::score(1, Trend{}, Kokkos::View<double* [3]>(), Kalman::diffuse(),
                Kokkos::View<double**>(),
                Kalman::results().log_likelihood(Kokkos::View<double*>()));
}

}  // namespace doc_score
