// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The Kalman family: forms of the filter, smoothers, scores, nonlinear models.
#include "Shared.hpp"

void parallel_in_time(Exec const& exec, std::int64_t steps, Interleaved<double* [4][4]> f,
                      Interleaved<double** [4][4]> f_of_time, Interleaved<double[4][4]> q,
                      Interleaved<double[2][4]> h, Interleaved<double[2][2]> r,
                      Interleaved<double[4]> x0, Interleaved<double[4][4]> p0,
                      Interleaved<double** [2]> z, Interleaved<double** [4]> mean,
                      Interleaved<double** [4][4]> covariance, Interleaved<double* [4]> last,
                      Interleaved<double*> log_likelihood, Codes codes,
                      Kalman::TimeBlocks<double, 4, Exec::memory_space> const& blocks) {
  Kalman::filter(exec, steps, Kalman::model(in(f), common(q), common(h), common(r)),
                 Kalman::start(common(x0), common(p0)), z,
                 Kalman::results()
                     .filtered_mean(mean)
                     .last_mean(last)
                     .log_likelihood(log_likelihood)
                     .status(codes),
                 Kalman::parallel_in_time(blocks));
  Kalman::filter(exec, steps, Kalman::model(in(f), common(q), common(h), common(r)),
                 Kalman::start(common(x0), common(p0)), z,
                 Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood),
                 Kalman::parallel_in_time(blocks), Kalman::square_root());
  Kalman::smooth(
      exec, steps, Kalman::model(each(f_of_time), common(q), common(h), common(r)),
      Kalman::start(common(x0), common(p0)), z,
      Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance).status(codes),
      Kalman::parallel_in_time(blocks));
  Kalman::smooth(exec, steps, Kalman::model(each(f_of_time), common(q), common(h), common(r)),
                 Kalman::start(common(x0), common(p0)), z,
                 Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance),
                 Kalman::parallel_in_time(blocks), Kalman::square_root());
}

void forms(Exec const& exec, std::int64_t steps, Interleaved<double[2][2]> f,
           Interleaved<double[2][2]> q, Interleaved<double[1][2]> h, Interleaved<double[1][1]> r,
           Interleaved<double* [2]> x0, Interleaved<double* [2][2]> p0, Interleaved<double**> z,
           Interleaved<double** [2]> mean, Interleaved<double*> log_likelihood) {
  auto const model = Kalman::model(common(f), common(q), common(h), common(r));
  auto const results = Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood);
  auto const given = Kalman::start(x0, p0);
  Kalman::filter(exec, steps, model, given, z, results, Kalman::square_root());
  Kalman::filter(exec, steps, model, Kalman::diffuse(), z, results, Kalman::square_root());
  Kalman::filter(exec, steps, model, Kalman::diffuse(), z, results, Kalman::joseph());
  Kalman::filter(exec, steps, model, Kalman::diffuse(), z, results, Kalman::information());
  Kalman::filter(exec, steps, model, given, z, results, Kalman::steady(1e-12));
}

void smooth(Exec const& exec, std::int64_t steps, Interleaved<double[4][4]> f,
            Interleaved<double[4][4]> q, Interleaved<double[2][4]> h, Interleaved<double[2][2]> r,
            Interleaved<double* [4]> x0, Interleaved<double* [4][4]> p0,
            Interleaved<double** [2]> z, Interleaved<double** [4]> mean,
            Interleaved<double** [4][4]> p, Interleaved<double** [4][4]> factor,
            Interleaved<double**> columns, Codes codes) {
  auto const model = Kalman::model(common(f), common(q), common(h), common(r));
  auto const results = Kalman::results().smoothed_mean(mean).smoothed_covariance(p).status(codes);
  Kalman::smooth(exec, steps, model, Kalman::diffuse(), z,
                 results.diffuse_factor(factor).diffuse_columns(columns));
  Kalman::smooth(exec, steps, model, Kalman::start(x0, p0), z, results, Kalman::square_root());
}

struct Trend {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = generate<2, 2>([](int i, int j) { return i > j ? 0.0 : 1.0; });
    return Kalman::matrices(f, as_diagonal(generate<2>([&](int i) { return exp(theta(i)); })),
                            generate<2>([](int j) { return j == 0 ? 1.0 : 0.0; }), exp(theta(2)));
  }
};
void score(Exec const& exec, std::int64_t steps, Interleaved<double* [3]> theta,
           Interleaved<double**> z, Interleaved<double* [3]> gradient,
           Interleaved<double* [3][3]> information, Codes codes) {
  Kalman::score(exec, steps, Trend{}, theta, Kalman::diffuse(), z,
                Kalman::results().score(gradient).information(information).status(codes));
}
void backward_score(Exec const& exec, std::int64_t steps, Interleaved<double* [3]> theta,
                    Interleaved<double**> z, Interleaved<double* [3]> gradient,
                    Interleaved<double** [1][4]> gains, Codes codes) {
  Kalman::score(exec, steps, Trend{}, theta, Kalman::diffuse(), z,
                Kalman::results().score(gradient).status(codes), Kalman::backward_pass(gains));
}
struct DampedTrend {  // F depends on the parameters
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    auto const f = generate<2, 2>([&](int i, int j) { return (i > j ? 0.0 : 1.0) * theta(2); });
    return Kalman::matrices(f, as_diagonal(generate<2>([&](int i) { return exp(theta(i)); })),
                            generate<2>([](int j) { return j == 0 ? 1.0 : 0.0; }), 1.0);
  }
};
void backward_score_of_f(Exec const& exec, std::int64_t steps, Interleaved<double* [3]> theta,
                         Interleaved<double**> z, Interleaved<double* [2]> x,
                         Interleaved<double* [2][2]> p, Interleaved<double* [3]> gradient,
                         Interleaved<double** [1][4]> gains, Interleaved<double** [2][3]> states) {
  Kalman::score(exec, steps, DampedTrend{}, theta, Kalman::start(x, p), z,
                Kalman::results().score(gradient), Kalman::backward_pass(gains, states));
}

/// A pendulum, of which the end is seen.
struct Swing {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto y = 1 * x;
    y(0) += 0.01 * x(1);
    y(1) -= 0.0981 * sin(x(0));
    return y;
  }
};
struct End {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return sin(x(0));
  }
};
void nonlinear_filters(Exec const& exec, std::int64_t steps, Interleaved<double[2][2]> q,
                       Interleaved<double[1][1]> r, Interleaved<double* [2]> x0,
                       Interleaved<double* [2][2]> p0, Interleaved<double**> z,
                       Interleaved<double** [2]> mean, Interleaved<double*> log_likelihood,
                       Codes codes) {
  auto const results =
      Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood).status(codes);
  Kalman::extended_filter(exec, steps, Swing{}, common(q), End{}, common(r), Kalman::start(x0, p0),
                          z, results, Kalman::gate(10.83));
  Kalman::unscented_filter(exec, steps, Swing{}, common(q), End{}, common(r),
                           Kalman::predicted(x0, p0), z, results);
}
