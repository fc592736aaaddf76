// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The extended Kalman filter of a turning target, 5 states, by distance and direction.
// Y. Bar-Shalom, X. R. Li and T. Kirubarajan, Estimation with Applications to Tracking and
// Navigation (2001), chapters 10 and 11.
#include <Eigen/Core>
#include <Eigen/LU>

#include "Tracking.hpp"

namespace BatchworkPerf {
namespace {

struct Ekf : Tracking, Single<Ekf> {
  static constexpr char const* name = "ekf";

  Ekf() {
    Means<ItemContiguous> x("x", items);
    Covariance<ItemContiguous> P("P", items);
    loop<long double>(x, P);
    append(reference, x), append(reference, P);
  }

  template <class T>
  void loop(Means<ItemContiguous> const& means,
            Covariance<ItemContiguous> const& covariances) const {
    T const d = dt;
    for (int k = 0; k < items; ++k) {
      T x[N], p[N][N];
      for (int i = 0; i < N; ++i) {
        x[i] = x0(k, i);
        for (int j = 0; j < N; ++j) p[i][j] = P0(k, i, j);
      }
      for (int t = 0; t < Steps; ++t) {
        T const c = std::cos(x[3]), s = std::sin(x[3]), v = x[2];
        T f[N][N] = {};
        for (int i = 0; i < N; ++i) f[i][i] = 1;
        f[0][2] = d * c, f[0][3] = -d * v * s;
        f[1][2] = d * s, f[1][3] = d * v * c;
        f[3][4] = d;
        x[0] += d * v * c, x[1] += d * v * s, x[3] += d * x[4];
        T fp[N][N], g[N][M], w[N][M];
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) {
            fp[i][j] = 0;
            for (int m = 0; m < N; ++m) fp[i][j] += f[i][m] * p[m][j];
          }
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) {
            p[i][j] = i == j ? T(q[i]) : T(0);
            for (int m = 0; m < N; ++m) p[i][j] += fp[i][m] * f[j][m];
          }
        T const square = x[0] * x[0] + x[1] * x[1], range = std::sqrt(square);
        T const h[M][2] = {{x[0] / range, x[1] / range}, {-x[1] / square, x[0] / square}};
        T const y[M] = {z(k, t, 0) - range, z(k, t, 1) - std::atan2(x[1], x[0])};
        for (int i = 0; i < N; ++i)
          for (int m = 0; m < M; ++m) g[i][m] = p[i][0] * h[m][0] + p[i][1] * h[m][1];
        T e[M][M];
        for (int m = 0; m < M; ++m)
          for (int n = 0; n < M; ++n)
            e[m][n] = (m == n ? T(r[m]) : T(0)) + h[m][0] * g[0][n] + h[m][1] * g[1][n];
        T const det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        T const inverse[M][M] = {{e[1][1] / det, -e[0][1] / det}, {-e[1][0] / det, e[0][0] / det}};
        for (int i = 0; i < N; ++i)
          for (int m = 0; m < M; ++m) w[i][m] = g[i][0] * inverse[0][m] + g[i][1] * inverse[1][m];
        for (int i = 0; i < N; ++i) {
          x[i] += w[i][0] * y[0] + w[i][1] * y[1];
          for (int j = 0; j < N; ++j) p[i][j] -= w[i][0] * g[j][0] + w[i][1] * g[j][1];
          means(k, t, i) = double(x[i]);
        }
      }
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) covariances(k, i, j) = double(p[i][j]);
    }
  }
};

struct ByEigen : Tracks<Ekf, ItemContiguous> {
  static constexpr char const* name = "eigen";
  using layout = ItemContiguous;
  using Tracks<Ekf, ItemContiguous>::Tracks;
  void launch() const {
    constexpr int N = Tracking::N, M = Tracking::M;
    using Mat = Eigen::Matrix<double, N, N, Eigen::RowMajor>;
    using Vec = Eigen::Matrix<double, N, 1>;
    using Wide = Eigen::Matrix<double, M, N, Eigen::RowMajor>;
    Mat const Q = Eigen::Map<Mat const>(&problem.Q[0][0]);
    Eigen::Matrix2d const R = Eigen::Map<Eigen::Matrix2d const>(&problem.R[0][0]);
    for (int k = 0; k < Tracking::items; ++k) {
      Vec s = Eigen::Map<Vec const>(&problem.x0(k, 0));
      Mat p = Eigen::Map<Mat const>(&problem.P0(k, 0, 0));
      for (int t = 0; t < Tracking::Steps; ++t) {
        double const d = Tracking::dt, co = std::cos(s(3)), si = std::sin(s(3)), v = s(2);
        Mat f = Mat::Identity();
        f(0, 2) = d * co, f(0, 3) = -d * v * si;
        f(1, 2) = d * si, f(1, 3) = d * v * co;
        f(3, 4) = d;
        s(0) += d * v * co, s(1) += d * v * si, s(3) += d * s(4);
        p = (f * p * f.transpose() + Q).eval();
        double const square = s(0) * s(0) + s(1) * s(1), range = std::sqrt(square);
        Wide h = Wide::Zero();
        h(0, 0) = s(0) / range, h(0, 1) = s(1) / range;
        h(1, 0) = -s(1) / square, h(1, 1) = s(0) / square;
        Eigen::Vector2d const y(problem.z(k, t, 0) - range,
                                problem.z(k, t, 1) - std::atan2(s(1), s(0)));
        Eigen::Matrix<double, N, M> const g = p * h.transpose();
        Eigen::Matrix<double, N, M> const w = g * (h * g + R).inverse();
        s += w * y;
        p -= w * g.transpose();
        Eigen::Map<Vec>(&x(k, t, 0)) = s;
      }
      Eigen::Map<Mat>(&P(k, 0, 0)) = p;
    }
  }
};

struct Step {
  template <class X, class P, class Z, class Q, class R, class Filtered>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Z const& z, Q const& q, R const& r,
                                  Filtered& filtered) const {
    using namespace Batchwork;
    constexpr int N = Tracking::N, M = Tracking::M;
    constexpr double d = Tracking::dt;
    using Number = Scalar<value_t<X>>;
    auto const v = element(x, 2), heading = element(x, 3);
    auto const c = d * cos(heading), s = d * sin(heading);
    auto const f = generate<N, N>([&](int i, int j) {
      return i == j             ? Number(1.0)
             : i == 0 && j == 2 ? c
             : i == 0 && j == 3 ? -(v * s)
             : i == 1 && j == 2 ? s
             : i == 1 && j == 3 ? v * c
             : i == 3 && j == 4 ? Number(d)
                                : Number(0.0);
    });
    auto const prior = congruence(f, p, q);
    auto const a = element(x, 0) + v * c, b = element(x, 1) + v * s;
    auto const moved = generate<N>([&](int i) {
      return i == 0 ? a : i == 1 ? b : i == 3 ? heading + d * element(x, 4) : element(x, i);
    });
    auto const square = a * a + b * b, range = sqrt(square);
    auto const h = generate<M, N>([&](int m, int i) {
      return i > 1 ? Number(0.0) : m == 0 ? (i == 0 ? a : b) / range : (i == 0 ? -b : a) / square;
    });
    auto const predicted = generate<M>([&](int m) { return m == 0 ? range : atan2(b, a); });
    auto const g = h * prior;
    auto const y = solve(cholesky(symmetric_product(g, transpose(h), r)), g);
    x = moved + transpose(y) * (z - predicted);
    p = prior - symmetric_product(transpose(g), y);
    filtered = x;
  }
};

}  // namespace

void register_ekf() {
  add_version<Ekf, TracksByLoop<Ekf>>();
  add_version<Ekf, ByEigen>();
  add_version<Ekf, TracksBySequence<Ekf, Step, ItemContiguous>>();
  add_version<Ekf, TracksBySequence<Ekf, Step, Interleaved>>();
}

}  // namespace BatchworkPerf
