// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The unscented Kalman filter of the same target: 11 points for 5 states, moved and measured one by
// one. S. J. Julier and J. K. Uhlmann, Unscented filtering and nonlinear estimation, Proc. IEEE 92
// (2004), 401-422; the points by the columns of a Cholesky factor, all but the first of weight 1
// / 12.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include "Tracking.hpp"

namespace BatchworkPerf {
namespace {

constexpr double first_weight = 1.0 / 6, other_weight = 1.0 / 12, spread = 2.44948974278317809820;

struct Ukf : Tracking, Single<Ukf> {
  static constexpr char const* name = "ukf";

  Ukf() {
    Means<ItemContiguous> x("x", items);
    Covariance<ItemContiguous> P("P", items);
    loop<long double>(x, P);
    append(reference, x), append(reference, P);
  }

  template <class T>
  void loop(Means<ItemContiguous> const& means,
            Covariance<ItemContiguous> const& covariances) const {
    constexpr int Points = 2 * N + 1;
    T const d = dt;
    for (int k = 0; k < items; ++k) {
      T x[N], p[N][N];
      for (int i = 0; i < N; ++i) {
        x[i] = x0(k, i);
        for (int j = 0; j < N; ++j) p[i][j] = P0(k, i, j);
      }
      for (int t = 0; t < Steps; ++t) {
        T l[N][N] = {}, point[Points][N], seen[Points][M];
        for (int j = 0; j < N; ++j)
          for (int i = j; i < N; ++i) {
            T sum = p[i][j];
            for (int m = 0; m < j; ++m) sum -= l[i][m] * l[j][m];
            l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
          }
        for (int a = 0; a < Points; ++a) {
          T s[N];
          int const column = (a - 1) / 2;
          for (int i = 0; i < N; ++i)
            s[i] = x[i] + (a == 0 ? T(0) : (a % 2 == 1 ? 1 : -1) * T(spread) * l[i][column]);
          point[a][0] = s[0] + d * s[2] * std::cos(s[3]);
          point[a][1] = s[1] + d * s[2] * std::sin(s[3]);
          point[a][2] = s[2], point[a][3] = s[3] + d * s[4], point[a][4] = s[4];
          seen[a][0] = std::sqrt(point[a][0] * point[a][0] + point[a][1] * point[a][1]);
          seen[a][1] = std::atan2(point[a][1], point[a][0]);
        }
        T y[M];
        for (int i = 0; i < N; ++i) {
          x[i] = 0;
          for (int a = 0; a < Points; ++a)
            x[i] += (a == 0 ? T(first_weight) : T(other_weight)) * point[a][i];
        }
        for (int m = 0; m < M; ++m) {
          y[m] = 0;
          for (int a = 0; a < Points; ++a)
            y[m] += (a == 0 ? T(first_weight) : T(other_weight)) * seen[a][m];
        }
        T g[N][M] = {}, e[M][M] = {};
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) p[i][j] = i == j ? T(q[i]) : T(0);
        for (int m = 0; m < M; ++m) e[m][m] = r[m];
        for (int a = 0; a < Points; ++a) {
          T const w = a == 0 ? T(first_weight) : T(other_weight);
          for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) p[i][j] += w * (point[a][i] - x[i]) * (point[a][j] - x[j]);
            for (int m = 0; m < M; ++m) g[i][m] += w * (point[a][i] - x[i]) * (seen[a][m] - y[m]);
          }
          for (int m = 0; m < M; ++m)
            for (int n = 0; n < M; ++n) e[m][n] += w * (seen[a][m] - y[m]) * (seen[a][n] - y[n]);
        }
        T const det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        T const inverse[M][M] = {{e[1][1] / det, -e[0][1] / det}, {-e[1][0] / det, e[0][0] / det}};
        T const off[M] = {z(k, t, 0) - y[0], z(k, t, 1) - y[1]};
        T w[N][M];
        for (int i = 0; i < N; ++i)
          for (int m = 0; m < M; ++m) w[i][m] = g[i][0] * inverse[0][m] + g[i][1] * inverse[1][m];
        for (int i = 0; i < N; ++i) {
          x[i] += w[i][0] * off[0] + w[i][1] * off[1];
          for (int j = 0; j < N; ++j) p[i][j] -= w[i][0] * g[j][0] + w[i][1] * g[j][1];
          means(k, t, i) = double(x[i]);
        }
      }
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) covariances(k, i, j) = double(p[i][j]);
    }
  }
};

struct ByEigen : Tracks<Ukf, ItemContiguous> {
  static constexpr char const* name = "eigen";
  using layout = ItemContiguous;
  using Tracks<Ukf, ItemContiguous>::Tracks;
  void launch() const {
    constexpr int N = Tracking::N, M = Tracking::M, Points = 2 * N + 1;
    using Mat = Eigen::Matrix<double, N, N>;
    using Vec = Eigen::Matrix<double, N, 1>;
    double const d = Tracking::dt;
    Mat const Q = Eigen::Map<Mat const>(&problem.Q[0][0]);
    Eigen::Matrix2d const R = Eigen::Map<Eigen::Matrix2d const>(&problem.R[0][0]);
    Eigen::Matrix<double, Points, 1> w;
    w.setConstant(other_weight);
    w(0) = first_weight;
    for (int k = 0; k < Tracking::items; ++k) {
      Vec s = Eigen::Map<Vec const>(&problem.x0(k, 0));
      Mat p = Eigen::Map<Mat const>(&problem.P0(k, 0, 0));
      for (int t = 0; t < Tracking::Steps; ++t) {
        Mat const l = spread * Mat(p.llt().matrixL());
        Eigen::Matrix<double, N, Points> points;
        Eigen::Matrix<double, M, Points> seen;
        points << s, l.colwise() + s, (-l).colwise() + s;
        for (int a = 0; a < Points; ++a) {
          points(0, a) += d * points(2, a) * std::cos(points(3, a));
          points(1, a) += d * points(2, a) * std::sin(points(3, a));
          points(3, a) += d * points(4, a);
          seen(0, a) = std::sqrt(points(0, a) * points(0, a) + points(1, a) * points(1, a));
          seen(1, a) = std::atan2(points(1, a), points(0, a));
        }
        s = points * w;
        Eigen::Vector2d const y = seen * w;
        points.colwise() -= s;
        seen.colwise() -= y;
        p = points * w.asDiagonal() * points.transpose() + Q;
        Eigen::Matrix<double, N, M> const g = points * w.asDiagonal() * seen.transpose();
        Eigen::Matrix2d const e = seen * w.asDiagonal() * seen.transpose() + R;
        Eigen::Matrix<double, N, M> const gain = g * e.inverse();
        s += gain * (Eigen::Vector2d(problem.z(k, t, 0), problem.z(k, t, 1)) - y);
        p -= gain * g.transpose();
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
    constexpr int N = Tracking::N, M = Tracking::M, Points = 2 * N + 1;
    constexpr double d = Tracking::dt;
    using Number = Scalar<value_t<X>>;
    auto const l = spread * cholesky(p).lower();
    // Columns of deviations from the first point, and the points, moved and measured.
    Matrix<value_t<X>, N, Points> moved{};
    Matrix<value_t<X>, M, Points> seen{};
    for (int a = 0; a < Points; ++a) {
      auto const s = generate<N>([&](int i) {
        return a == 0      ? element(x, i)
               : a < N + 1 ? element(x, i) + element(l, i, a - 1)
                           : element(x, i) - element(l, i, a - N - 1);
      });
      auto const heading = element(s, 3), step = d * element(s, 2);
      auto const u = element(s, 0) + step * cos(heading), v = element(s, 1) + step * sin(heading);
      assign_block(
          moved, 0, a, generate<N>([&](int i) {
            return i == 0 ? u : i == 1 ? v : i == 3 ? heading + d * element(s, 4) : element(s, i);
          }));
      assign_block(seen, 0, a,
                   generate<M>([&](int m) { return m == 0 ? sqrt(u * u + v * v) : atan2(v, u); }));
    }
    auto const w =
        generate<Points>([&](int a) { return Number(a == 0 ? first_weight : other_weight); });
    auto const mean = moved * w;
    auto const y = seen * w;
    auto const ones = generate<Points>([&](int) { return Number(1.0); });
    auto const dx = moved - outer(mean, ones);
    auto const dy = seen - outer(y, ones);
    auto const weighted = as_diagonal(w) * transpose(dy);
    auto const prior = symmetric_product(dx, as_diagonal(w) * transpose(dx), q);
    auto const g = transpose(dx * weighted);
    auto const gain = solve(cholesky(symmetric_product(dy, weighted, r)), g);
    x = mean + transpose(gain) * (z - y);
    p = prior - symmetric_product(transpose(g), gain);
    filtered = x;
  }
};

}  // namespace

void register_ukf() {
  add_version<Ukf, TracksByLoop<Ukf>>();
  add_version<Ukf, ByEigen>();
  add_version<Ukf, TracksBySequence<Ukf, Step, ItemContiguous>>();
  add_version<Ukf, TracksBySequence<Ukf, Step, Interleaved>>();
}

}  // namespace BatchworkPerf
