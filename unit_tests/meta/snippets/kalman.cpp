// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of the guides to filters and of the reference of Kalman::filter.

#include <Batchwork.hpp>
#include <cstdint>
#include <cstdio>

namespace doc_kalman {

using namespace Batchwork;

using Exec = Kokkos::DefaultExecutionSpace;

// ---- docs/guides/kalman_filter.md ---------------------------------------------------------------

/// Filters 1000 series of a position that moves with nearly constant velocity.
inline int filter_a_batch() {
  int const series = 1000, steps = 200;
  Kokkos::View<double**> z("z", series, steps);            // (series, time)
  Kokkos::View<double** [2]> mean("mean", series, steps);  // (series, time, state)
  Kokkos::View<double*> log_likelihood("log_likelihood", series);
  Kokkos::View<int*> codes("codes", series);

  auto const host_z = Kokkos::create_mirror_view(z);
  for (int n = 0; n < series; ++n)
    for (int t = 0; t < steps; ++t) host_z(n, t) = 0.01 * n * t + Kokkos::sin(1.0 * n + 7.0 * t);
  host_z(3, 17) = Kokkos::nan("");  // not observed
  Kokkos::deep_copy(z, host_z);

  double const dt = 0.1;
  auto const F = generate<2, 2>([=](int i, int j) { return i == j ? 1.0 : i < j ? dt : 0.0; });
  auto const Q = generate<2, 2>([](int i, int j) { return i != j ? 0.0 : i == 0 ? 1e-4 : 1e-2; });
  auto const H = generate<1, 2>([](int, int j) { return j == 0 ? 1.0 : 0.0; });
  auto const model =
      Kalman::model(common(fixed(F)), common(fixed(Q)), common(fixed(H)), common(fixed(0.25)));

  Kalman::filter(
      steps, model, Kalman::diffuse(), z,
      Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood).status(codes));

  auto const host_codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  auto const host_mean = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mean);
  int failed = 0;
  for (int n = 0; n < series; ++n) {
    if (host_codes(n) == 0) continue;
    std::printf("series %d: %s\n", n, to_string(Status::reason(host_codes(n))));
    ++failed;
  }
  std::printf("%d series failed; the last one is at %.3f, and its velocity is %.3f\n", failed,
              host_mean(series - 1, steps - 1, 0), host_mean(series - 1, steps - 1, 1));
  return failed;
}

/// A start that knows little, in float: the square-root form keeps the digits.
inline void large_start(std::int64_t steps, Kokkos::View<float[4][4]> F,
                        Kokkos::View<float[4][4]> Q, Kokkos::View<float[2][4]> H,
                        Kokkos::View<float[2][2]> R, Kokkos::View<float* [4]> x0,
                        Kokkos::View<float* [4][4]> P0, Kokkos::View<float** [2]> z,
                        Kokkos::View<float** [4]> mean, Kokkos::View<int*> codes) {
  Kalman::filter(steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::start(x0, P0), z, Kalman::results().filtered_mean(mean).status(codes),
                 Kalman::square_root());
}

/// Long series of a model that does not vary with time.
inline void long_series(std::int64_t steps, Kokkos::View<double[4][4]> F,
                        Kokkos::View<double[4][4]> Q, Kokkos::View<double[2][4]> H,
                        Kokkos::View<double[2][2]> R, Kokkos::View<double* [4]> x0,
                        Kokkos::View<double* [4][4]> P0, Kokkos::View<double** [2]> z,
                        Kokkos::View<double*> likelihood) {
  auto const model = Kalman::model(common(F), common(Q), common(H), common(R));
  Kalman::filter(steps, model, Kalman::start(x0, P0), z,
                 Kalman::results().log_likelihood(likelihood), Kalman::steady(1e-12));
}

/// A square-root filter with a step of its own.
struct SquareRootTrack {
  template <class X, class L, class Z, class F, class G, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, L& l, Z const& z, F const& f, G const& g, H const& h,
                                  R const& r) const {
    Kalman::square_root_predict(x, l, f, g);
    Kalman::square_root_update(x, l, z, h, r);
  }
};
inline void tracks(std::int64_t steps, Kokkos::View<double* [4]> x, Kokkos::View<double* [4][4]> L,
                   Kokkos::View<double** [2]> z, Kokkos::View<double[4][4]> F,
                   Kokkos::View<double[4][2]> G, Kokkos::View<double[2][4]> H,
                   Kokkos::View<double[2][2]> R) {
  scan(steps, SquareRootTrack{}, carry(x, x), carry(lower(L), lower(L)), each(z), common(F),
       common(G), common(H), common(symmetric(R)));
}

/// One sensor with a million samples.
template <class Model>
void one_long_series(std::int64_t steps, Model const& model, Kokkos::View<double[4]> x0,
                     Kokkos::View<double[4][4]> P0, Kokkos::View<double** [2]> z,
                     Kokkos::View<double** [4]> mean, Kokkos::View<double*> log_likelihood) {
  Kalman::TimeBlocks<double, 4> blocks(1, steps);  // 4 states; 1 series
  Kalman::filter(steps, model, Kalman::start(common(x0), common(P0)), z,
                 Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood),
                 Kalman::parallel_in_time(blocks));
  Kokkos::fence();  // blocks is freed at the end of this function, and the kernels use it
}

/// The log-likelihood of one series for many pairs of variances of the local level model.
inline void sweep(std::int64_t years, Kokkos::View<double*> flow, Kokkos::View<double*> q,
                  Kokkos::View<double*> r, Kokkos::View<double*> log_likelihood) {
  Kalman::filter(years, Kalman::model(common(fixed(1.0)), in(q), common(fixed(1.0)), in(r)),
                 Kalman::diffuse(), common(each(flow)),
                 Kalman::results().log_likelihood(log_likelihood));
}

// ---- docs/guides/smoother.md --------------------------------------------------------------------

/// Positions and velocities given all observations, later ones included.
inline void smooth_a_batch(Kokkos::View<double**> z, Kokkos::View<int*> codes) {
  int const series = int(z.extent(0)), steps = int(z.extent(1));
  double const dt = 0.1;
  auto const F = generate<2, 2>([=](int i, int j) { return i == j ? 1.0 : i < j ? dt : 0.0; });
  auto const Q = generate<2, 2>([](int i, int j) { return i != j ? 0.0 : i == 0 ? 1e-4 : 1e-2; });
  auto const H = generate<1, 2>([](int, int j) { return j == 0 ? 1.0 : 0.0; });
  auto const model =
      Kalman::model(common(fixed(F)), common(fixed(Q)), common(fixed(H)), common(fixed(0.25)));

  Kokkos::View<double** [2]> mean("mean", series, steps);         // (series, time, state)
  Kokkos::View<double** [2][2]> covariance("P", series, steps);   // (series, time, state, state)
  Kokkos::View<double** [2][2]> factor("factor", series, steps);  // of unknown states
  Kokkos::View<double**> unknown("unknown", series, steps);       // how many there are
  Kalman::smooth(steps, model, Kalman::diffuse(), z,
                 Kalman::results()
                     .smoothed_mean(mean)
                     .smoothed_covariance(covariance)
                     .diffuse_factor(factor)
                     .diffuse_columns(unknown)
                     .status(codes));
}

/// The motion of a target that turns: position, velocity, and the rate of its turn.
struct Turn {
  double dt;
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    auto moved = x;
    moved(0) = x(0) + dt * x(1) * cos(x(2));
    return moved;
  }
};
/// A step backwards of an extended smoother.
struct ExtendedSmoothStep {
  Turn motion;
  template <class X, class P, class Mean, class Covariance, class Q>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Mean& mean, Covariance& covariance,
                                  Q const& q) const {
    auto const linear = value_and_jacobian(motion, mean);
    auto lag_one = zero<3, 3>(x);
    Kalman::smooth_step(x, p, lag_one, mean, covariance, linear.value, linear.jacobian, q);
    mean = x;  // smoothed results overwrite the filtered ones
    covariance = p;
  }
};
/// last_mean and last_covariance are the filtered state of the last time.
inline void smooth_turns(std::int64_t steps, Kokkos::View<double** [3]> mean,
                         Kokkos::View<double** [3][3]> covariance,
                         Kokkos::View<double* [3]> last_mean,
                         Kokkos::View<double* [3][3]> last_covariance,
                         Kokkos::View<double[3][3]> Q) {
  scan(backward(steps - 1), ExtendedSmoothStep{Turn{0.1}}, carry(last_mean),
       carry(symmetric(last_covariance)), inout(each(mean)), inout(each(symmetric(covariance))),
       common(symmetric(Q)));
}

// ---- docs/reference/kalman ----------------------------------------------------------------------

/// All results of a smoother that Kalman::filter does not have.
inline void smoother(Exec const& exec, std::int64_t steps, Kokkos::View<double[4][4]> F,
                     Kokkos::View<double[4][4]> Q, Kokkos::View<double[2][4]> H,
                     Kokkos::View<double[2][2]> R, Kokkos::View<double* [4]> x0,
                     Kokkos::View<double* [4][4]> P0, Kokkos::View<double** [2]> z,
                     Kokkos::View<double** [4]> mean, Kokkos::View<double** [4][4]> covariance,
                     Kokkos::View<double** [4][4]> lag_one, Kokkos::View<int*> codes) {
  Kalman::smooth(exec, steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::start(x0, P0), z,
                 Kalman::results()
                     .smoothed_mean(mean)
                     .smoothed_covariance(covariance)
                     .lag_one_covariance(lag_one)
                     .status(codes));
}

inline void fixed_lag_smoother(Exec const& exec, std::int64_t steps, Kokkos::View<double[4][4]> F,
                               Kokkos::View<double[4][4]> Q, Kokkos::View<double[2][4]> H,
                               Kokkos::View<double[2][2]> R, Kokkos::View<double* [4]> x0,
                               Kokkos::View<double* [4][4]> P0, Kokkos::View<double** [2]> z,
                               Kokkos::View<double** [4]> filtered_mean,
                               Kokkos::View<double** [4][4]> filtered_covariance,
                               Kokkos::View<double** [4]> mean,
                               Kokkos::View<double** [4][4]> covariance, Kokkos::View<int*> codes) {
  Kalman::smooth(exec, steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::start(x0, P0), z,
                 Kalman::results()
                     .filtered_mean(filtered_mean)
                     .filtered_covariance(filtered_covariance)
                     .smoothed_mean(mean)
                     .smoothed_covariance(covariance)
                     .status(codes),
                 Kalman::fixed_lag(10));
}

/// Two calls that filter a series in two parts.
template <class Model>
void in_two_parts(Exec const& exec, Model const& model, std::int64_t early, std::int64_t late,
                  Kokkos::View<double** [2]> z, Kokkos::View<double** [2]> z_late,
                  Kokkos::View<double* [4]> x, Kokkos::View<double* [4][4]> P,
                  Kokkos::View<double*> likelihood, Kokkos::View<double*> likelihood_late) {
  Kalman::filter(exec, early, model, Kalman::start(x, P), z,
                 Kalman::results().last_mean(x).last_covariance(P).log_likelihood(likelihood));
  Kalman::filter(exec, late, model, Kalman::start(x, P), z_late,
                 Kalman::results().log_likelihood(likelihood_late));
}

/// A trend whose level and slope are unknown, with two seasonal states whose covariance is known.
template <class Model>
void partly_diffuse(Exec const& exec, Model const& model, std::int64_t steps,
                    Kokkos::View<double* [4]> x1, Kokkos::View<double* [4][4]> P1,
                    Kokkos::View<double**> z, Kokkos::View<double** [4]> mean) {
  auto const A = generate<4, 2>([](int i, int j) { return i == j ? 1.0 : 0.0; });
  Kalman::filter(exec, steps, model, Kalman::diffuse(x1, P1, common(fixed(A))), z,
                 Kalman::results().filtered_mean(mean));
}

inline void compile_them() {
  Kokkos::View<double[4][4]> const F("F"), Q("Q");
  Kokkos::View<double[2][4]> const H2("H2");
  Kokkos::View<double[1][4]> const H1("H1");
  Kokkos::View<double[2][2]> const R2("R2");
  Kokkos::View<double[1][1]> const R1("R1");
  in_two_parts(Exec(), Kalman::model(common(F), common(Q), common(H2), common(R2)), 1, 1, {}, {},
               {}, {}, {}, {});
  one_long_series(1, Kalman::model(common(F), common(Q), common(H2), common(R2)), {}, {}, {}, {},
                  {});
  partly_diffuse(Exec(), Kalman::model(common(F), common(Q), common(H1), common(R1)), 1, {}, {}, {},
                 {});
}

}  // namespace doc_kalman
