// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smoother of Rauch, Tung and Striebel (1965): 4 states, a target of constant velocity in a
// plane. From the last step to the first, a filter's means and covariances become means and
// covariances given the whole series.
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "Sequence.hpp"

namespace BatchworkPerf {
namespace {

constexpr int N = 4, Steps = 50;

struct Rts : Single<Rts> {
  static constexpr char const* name = "rts";
  static constexpr int items = 252, steps = Steps;
  static constexpr double tolerance = 1e-11;

  template <class L>
  using Means = Kokkos::View<double* [Steps][N], L, Memory>;
  template <class L>
  using Covariances = Kokkos::View<double* [Steps][N][N], L, Memory>;

  Means<ItemContiguous> x{"x", items};
  Covariances<ItemContiguous> P{"P", items};
  double F[N][N] = {{1, 0, 0.1, 0}, {0, 1, 0, 0.1}, {0, 0, 1, 0}, {0, 0, 0, 1}}, Q[N][N] = {};
  std::vector<double> reference;

  Rts() {
    for (int i = 0; i < N; ++i) Q[i][i] = i < 2 ? 0.01 : 0.1;
    for (int k = 0; k < items; ++k)
      for (int t = 0; t < steps; ++t)
        for (int i = 0; i < N; ++i) {
          x(k, t, i) = between(-1, 1, 1, (k * steps + t) * N + i) + 0.1 * t;
          for (int j = 0; j < N; ++j) P(k, t, i, j) = spd_entry(2, k * steps + t, i, j, N);
        }
    Means<ItemContiguous> xs("xs", items);
    Covariances<ItemContiguous> Ps("Ps", items);
    loop<long double>(xs, Ps);
    append(reference, xs), append(reference, Ps);
  }

  /// As in a textbook: fixed arrays, a loop over items, loops over steps, rows and columns.
  template <class R>
  void loop(Means<ItemContiguous> const& xs, Covariances<ItemContiguous> const& Ps) const {
    double const* x_of = x.data();
    double const* p_of = P.data();
    double* xs_of = xs.data();
    double* ps_of = Ps.data();
    R f[N][N], q[N][N];
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) f[i][j] = F[i][j], q[i][j] = Q[i][j];
    for (int k = 0; k < items; ++k) {
      R xn[N], pn[N][N];
      for (int t = steps - 1; t >= 0; --t) {
        double const* const xf = x_of + (k * steps + t) * N;
        double const* const pf = p_of + (k * steps + t) * N * N;
        double* const xo = xs_of + (k * steps + t) * N;
        double* const po = ps_of + (k * steps + t) * N * N;
        if (t == steps - 1) {
          for (int i = 0; i < N; ++i) {
            xn[i] = xf[i];
            for (int j = 0; j < N; ++j) pn[i][j] = pf[i * N + j];
          }
        } else {
          R xp[N], fp[N][N], pp[N][N], l[N][N], c[N][N];
          for (int i = 0; i < N; ++i) {
            xp[i] = 0;
            for (int j = 0; j < N; ++j) xp[i] += f[i][j] * xf[j];
          }
          for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
              fp[i][j] = 0;
              for (int m = 0; m < N; ++m) fp[i][j] += f[i][m] * pf[m * N + j];
            }
          for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
              pp[i][j] = q[i][j];
              for (int m = 0; m < N; ++m) pp[i][j] += fp[i][m] * f[j][m];
            }
          for (int j = 0; j < N; ++j)
            for (int i = j; i < N; ++i) {
              R s = pp[i][j];
              for (int m = 0; m < j; ++m) s -= l[i][m] * l[j][m];
              l[i][j] = i == j ? std::sqrt(s) : s / l[j][j];
            }
          for (int j = 0; j < N; ++j) {  // c = pp^-1 f p
            for (int i = 0; i < N; ++i) {
              R s = fp[i][j];
              for (int m = 0; m < i; ++m) s -= l[i][m] * c[m][j];
              c[i][j] = s / l[i][i];
            }
            for (int i = N - 1; i >= 0; --i) {
              R s = c[i][j];
              for (int m = i + 1; m < N; ++m) s -= l[m][i] * c[m][j];
              c[i][j] = s / l[i][i];
            }
          }
          R d[N], e[N][N], ce[N][N];
          for (int i = 0; i < N; ++i) {
            d[i] = xn[i] - xp[i];
            for (int j = 0; j < N; ++j) e[i][j] = pn[i][j] - pp[i][j];
          }
          for (int i = 0; i < N; ++i) {
            xn[i] = xf[i];
            for (int m = 0; m < N; ++m) xn[i] += c[m][i] * d[m];
            for (int j = 0; j < N; ++j) {
              ce[i][j] = 0;
              for (int m = 0; m < N; ++m) ce[i][j] += c[m][i] * e[m][j];
            }
          }
          for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
              pn[i][j] = pf[i * N + j];
              for (int m = 0; m < N; ++m) pn[i][j] += ce[i][m] * c[m][j];
            }
        }
        for (int i = 0; i < N; ++i) {
          xo[i] = double(xn[i]);
          for (int j = 0; j < N; ++j) po[i * N + j] = double(pn[i][j]);
        }
      }
    }
  }
};

struct Outputs {
  Rts::Means<ItemContiguous> x{"xs", Rts::items};
  Rts::Covariances<ItemContiguous> P{"Ps", Rts::items};
  Rts const& rts;
  explicit Outputs(Rts const& r) : rts(r) { poison(x), poison(P); }
  std::vector<double> results() const {
    std::vector<double> r;
    append(r, x), append(r, P);
    return r;
  }
};

struct Loop : Outputs {
  static constexpr char const* name = "loop";
  using layout = ItemContiguous;
  using Outputs::Outputs;
  void launch() const { rts.loop<double>(x, P); }
};

struct ByEigen : Outputs {
  static constexpr char const* name = "eigen";
  using layout = ItemContiguous;
  using Outputs::Outputs;
  void launch() const {
    using Mat = Eigen::Matrix<double, N, N, Eigen::RowMajor>;
    using Vec = Eigen::Matrix<double, N, 1>;
    Mat const F = Eigen::Map<Mat const>(&rts.F[0][0]), Q = Eigen::Map<Mat const>(&rts.Q[0][0]);
    for (int k = 0; k < Rts::items; ++k) {
      Vec xn;
      Mat pn;
      for (int t = Steps - 1; t >= 0; --t) {
        Eigen::Map<Vec const> const xf(&rts.x(k, t, 0));
        Eigen::Map<Mat const> const pf(&rts.P(k, t, 0, 0));
        if (t == Steps - 1) {
          xn = xf, pn = pf;
        } else {
          Vec const xp = F * xf;
          Mat const fp = F * pf;
          Mat const pp = fp * F.transpose() + Q;
          Mat const c = pp.llt().solve(fp);
          xn = xf + c.transpose() * (xn - xp);
          pn = pf + c.transpose() * (pn - pp) * c;
        }
        Eigen::Map<Vec>(&x(k, t, 0)) = xn;
        Eigen::Map<Mat>(&P(k, t, 0, 0)) = pn;
      }
    }
  }
};

struct Smooth {
  template <class X, class P, class XF, class PF, class F, class Q, class XS, class PS>
  KOKKOS_FUNCTION void operator()(X& x, P& p, XF const& xf, PF const& pf, F const& f, Q const& q,
                                  XS& xs, PS& ps) const {
    using namespace Batchwork;
    auto const pp = congruence(f, pf, q);
    auto const c = solve(cholesky(pp), f * pf);
    x = xf + transpose(c) * (x - f * xf);
    p = congruence(transpose(c), p - pp, pf);
    xs = x;
    ps = p;
  }
};

template <class L>
struct Ours {
  static constexpr char const* name = "batchwork";
  using layout = L;
  Rts const& rts;
  Rts::Means<L> xf, x;
  Rts::Covariances<L> Pf, P;
  Kokkos::View<double[N][N], Memory> F, Q;
  // These carries make the last smoothed step equal the last filtered one.
  Kokkos::View<double* [N], L, Memory> x0{"x0", Rts::items};
  Kokkos::View<double* [N][N], L, Memory> P0{"P0", Rts::items};

  explicit Ours(Rts const& r) : rts(r), x("x", Rts::items), P("P", Rts::items) {
    poison(x), poison(P);
    xf = in_layout<Rts::Means<L>>(r.x);
    Pf = in_layout<Rts::Covariances<L>>(r.P);
    F = to_view("F", r.F), Q = to_view("Q", r.Q);
    for (int k = 0; k < Rts::items; ++k)
      for (int i = 0; i < N; ++i) {
        x0(k, i) = 0;
        for (int m = 0; m < N; ++m) x0(k, i) += r.F[i][m] * r.x(k, Steps - 1, m);
        for (int j = 0; j < N; ++j) {
          P0(k, i, j) = r.Q[i][j];
          for (int m = 0; m < N; ++m)
            for (int n = 0; n < N; ++n)
              P0(k, i, j) += r.F[i][m] * r.P(k, Steps - 1, m, n) * r.F[j][n];
        }
      }
  }
  void launch() const {
    using namespace Batchwork;
    scan(Exec(), backward(Steps), Smooth{}, carry(x0), carry(symmetric(P0)), each(xf),
         each(symmetric(Pf)), common(F), common(symmetric(Q)), emit(x), emit(symmetric(P)));
  }
  std::vector<double> results() const {
    std::vector<double> v;
    append(v, x), append(v, P);
    return v;
  }
};

}  // namespace

void register_rts() {
  add_version<Rts, Loop>();
  add_version<Rts, ByEigen>();
  add_version<Rts, Ours<ItemContiguous>>();
  add_version<Rts, Ours<Interleaved>>();
}

}  // namespace BatchworkPerf
