// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A first program with Batchwork: the covariance update of a Kalman filter, written for one item
/// and run over a batch in one kernel. The result is compared with a plain loop. Exit status 1 if
/// it differs.

#include <Batchwork.hpp>
#include <cmath>
#include <cstdio>

namespace {

constexpr int items = 100000, D = 4;

// [example]
struct CovarianceUpdate {
  template <class Out, class P, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(Out& p_new, P const& p, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    auto prior = congruence(f, p, q);  // f p f' + q
    auto g = h * prior;
    auto s = symmetric_product(g, transpose(h), r);  // g h' + r
    auto y = solve(cholesky(s).lower(), g);
    p_new = downdate(prior, y);  // prior - y' y
  }
};

void update(Kokkos::View<double* [D][D]> P_new, Kokkos::View<double* [D][D]> P,
            Kokkos::View<double[D][D]> F, Kokkos::View<double[D][D]> Q,
            Kokkos::View<double[D][D]> H, Kokkos::View<double[D][D]> R) {
  using namespace Batchwork;
  map(CovarianceUpdate{}, out(P_new), in(symmetric(P)), common(F), common(Q), common(H), common(R));
}
// [example]

// The same formula for one item in plain loops: prior - (H prior)' (H prior H' + R)^-1 (H prior),
// with Gauss-Jordan elimination.
struct Paper {
  using Real = long double;
  Real f[D][D], q[D][D], h[D][D], r[D][D], result[D][D];

  static void multiply(Real (&c)[D][D], Real const (&a)[D][D], Real const (&b)[D][D],
                       bool transpose_b) {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        c[i][j] = 0;
        for (int k = 0; k < D; ++k) c[i][j] += a[i][k] * (transpose_b ? b[j][k] : b[k][j]);
      }
  }

  void update(Real const (&p)[D][D]) {
    Real fp[D][D], prior[D][D], g[D][D], s[D][D], x[D][D];
    multiply(fp, f, p, false);
    multiply(prior, fp, f, true);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) prior[i][j] += q[i][j];
    multiply(g, h, prior, false);
    multiply(s, g, h, true);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) s[i][j] += r[i][j], x[i][j] = g[i][j];
    for (int k = 0; k < D; ++k)  // x = s^-1 g without pivoting, because s is positive definite
      for (int i = 0; i < D; ++i) {
        Real const ratio = s[i][k] / s[k][k];
        for (int j = 0; i != k && j < D; ++j)
          s[i][j] -= ratio * s[k][j], x[i][j] -= ratio * x[k][j];
      }
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        result[i][j] = prior[i][j];
        for (int k = 0; k < D; ++k) result[i][j] -= g[k][i] * x[k][j] / s[k][k];
      }
  }
};

int run() {
  Kokkos::View<double* [D][D]> P("P", items), P_new("P_new", items);
  Kokkos::View<double[D][D]> F("F"), Q("Q"), H("H"), R("R");

  Paper paper;
  auto const fill = [](auto const& view, Paper::Real(&a)[D][D], auto entry) {
    auto const host = Kokkos::create_mirror_view(view);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) a[i][j] = host(i, j) = entry(i, j);
    Kokkos::deep_copy(view, host);
  };
  fill(F, paper.f, [](int i, int j) { return (i == j) + 0.1 * std::sin(1 + i + 3 * j); });
  fill(Q, paper.q, [](int i, int j) { return (i == j) * 0.5 + 0.01; });
  fill(H, paper.h, [](int i, int j) { return (i == j) + 0.2 * std::cos(2 * i - j); });
  fill(R, paper.r, [](int i, int j) { return (i == j) * 1.0 + 0.1; });
  auto const p = [](int n, int i, int j) {
    return (i == j) * (1 + 0.5 * std::sin(n + i)) + 0.02 * std::cos(n);
  };
  auto const host_P = Kokkos::create_mirror_view(P);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) host_P(n, i, j) = p(n, i, j);
  Kokkos::deep_copy(P, host_P);
  Kokkos::deep_copy(P_new, std::nan(""));

  update(P_new, P, F, Q, H, R);

  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), P_new);
  double difference = 0;
  for (int n = 0; n < items; ++n) {
    Paper::Real one[D][D];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) one[i][j] = host_P(n, i, j);
    paper.update(one);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        double const d = std::fabs(double(result(n, i, j) - paper.result[i][j]));
        if (!(d <= difference)) difference = d;  // also true for a NaN
      }
  }
  std::printf("%d covariance updates of %d x %d in one kernel on %s\n", items, D, D,
              Kokkos::DefaultExecutionSpace::name());
  std::printf("largest difference from the formula in long double: %.2g\n", difference);
  bool const right =
      difference < 1e-14;  // entries of order one, about twenty operations each, well conditioned
  std::printf(right ? "right\n" : "WRONG\n");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run();
}
