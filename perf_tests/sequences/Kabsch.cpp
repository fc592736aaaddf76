// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registration of two clouds of 16 points each: the rotation and the shift that bring one nearest
// to the other, by the singular values of the correlation of both, 3 x 3. W. Kabsch, Acta Cryst. A
// 32 (1976), 922-923.
#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/SVD>

#include "Sequence.hpp"

namespace BatchworkPerf {
namespace {

constexpr int Points = 16;

struct Kabsch : Single<Kabsch> {
  static constexpr char const* name = "kabsch";
  static constexpr int items = 3001, steps = 1;
  static constexpr double tolerance = 1e-12;

  template <class L>
  using Clouds = Kokkos::View<double* [Points][3], L, Memory>;
  template <class L>
  using Rotations = Kokkos::View<double* [3][3], L, Memory>;
  template <class L>
  using Shifts = Kokkos::View<double* [3], L, Memory>;

  Clouds<ItemContiguous> p{"p", items}, q{"q", items};
  std::vector<double> reference;

  Kabsch() {
    for (int k = 0; k < items; ++k) {
      double const a = between(-3, 3, 1, k), b = between(-1, 1, 2, k);
      double const r[3][3] = {{std::cos(a), -std::sin(a), 0},
                              {std::sin(a) * std::cos(b), std::cos(a) * std::cos(b), -std::sin(b)},
                              {std::sin(a) * std::sin(b), std::cos(a) * std::sin(b), std::cos(b)}};
      for (int m = 0; m < Points; ++m)
        for (int d = 0; d < 3; ++d)
          p(k, m, d) = between(-1, 1, 3, (k * Points + m) * 3 + d) * (d + 1);
      for (int m = 0; m < Points; ++m)
        for (int i = 0; i < 3; ++i) {
          q(k, m, i) = i + 0.02 * between(-1, 1, 4, (k * Points + m) * 3 + i);
          for (int j = 0; j < 3; ++j) q(k, m, i) += r[i][j] * p(k, m, j);
        }
    }
    Rotations<ItemContiguous> r("r", items);
    Shifts<ItemContiguous> s("s", items);
    loop<long double>(r, s);
    append(reference, r), append(reference, s);
  }

  template <class R>
  static R determinant(R const (&a)[3][3]) {
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
  }

  /// One-sided rotations of Jacobi: a V = U S; on return a is U S.
  template <class R>
  static void svd(R (&a)[3][3], R (&v)[3][3], R (&s)[3]) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) v[i][j] = i == j ? 1 : 0;
    R const enough = 4 * std::numeric_limits<R>::epsilon();
    for (int sweep = 0; sweep < 20; ++sweep) {
      bool turned = false;
      for (int m = 0; m < 2; ++m)
        for (int n = m + 1; n < 3; ++n) {
          R x = 0, y = 0, z = 0;
          for (int i = 0; i < 3; ++i) {
            x += a[i][m] * a[i][m];
            y += a[i][n] * a[i][n];
            z += a[i][m] * a[i][n];
          }
          if (std::fabs(z) <= enough * std::sqrt(x * y)) continue;
          turned = true;
          R const zeta = (y - x) / (2 * z);
          R const t = (zeta >= 0 ? 1 : -1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
          R const c = 1 / std::sqrt(1 + t * t), d = c * t;
          for (int i = 0; i < 3; ++i) {
            R const am = a[i][m], vm = v[i][m];
            a[i][m] = c * am - d * a[i][n];
            a[i][n] = d * am + c * a[i][n];
            v[i][m] = c * vm - d * v[i][n];
            v[i][n] = d * vm + c * v[i][n];
          }
        }
      if (!turned) break;
    }
    for (int j = 0; j < 3; ++j)
      s[j] = std::sqrt(a[0][j] * a[0][j] + a[1][j] * a[1][j] + a[2][j] * a[2][j]);
  }

  template <class R>
  void loop(Rotations<ItemContiguous> const& rotation, Shifts<ItemContiguous> const& shift) const {
    for (int k = 0; k < items; ++k) {
      double const* const x = p.data() + std::ptrdiff_t(k) * Points * 3;
      double const* const y = q.data() + std::ptrdiff_t(k) * Points * 3;
      R mx[3] = {}, my[3] = {}, h[3][3] = {}, v[3][3], s[3];
      for (int m = 0; m < Points; ++m)
        for (int i = 0; i < 3; ++i) {
          mx[i] += x[3 * m + i];
          my[i] += y[3 * m + i];
        }
      for (int i = 0; i < 3; ++i) mx[i] /= Points, my[i] /= Points;
      for (int m = 0; m < Points; ++m)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) h[i][j] += (y[3 * m + i] - my[i]) * (x[3 * m + j] - mx[j]);
      R const sign = determinant(h) < 0 ? -1 : 1;
      svd(h, v, s);
      int least = 0;
      for (int j = 1; j < 3; ++j)
        if (s[j] < s[least]) least = j;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) h[i][j] *= (j == least ? sign : 1) / s[j];
      R r[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          r[i][j] = 0;
          for (int m = 0; m < 3; ++m) r[i][j] += h[i][m] * v[j][m];
        }
      for (int i = 0; i < 3; ++i) {
        R t = my[i];
        for (int j = 0; j < 3; ++j) {
          t -= r[i][j] * mx[j];
          rotation(k, i, j) = double(r[i][j]);
        }
        shift(k, i) = double(t);
      }
    }
  }
};

struct Outputs {
  Kabsch const& kabsch;
  Kabsch::Rotations<ItemContiguous> r{"r", Kabsch::items};
  Kabsch::Shifts<ItemContiguous> t{"t", Kabsch::items};
  explicit Outputs(Kabsch const& m) : kabsch(m) { poison(r), poison(t); }
  std::vector<double> results() const {
    std::vector<double> v;
    append(v, r), append(v, t);
    return v;
  }
};

struct Loop : Outputs {
  static constexpr char const* name = "loop";
  using layout = ItemContiguous;
  using Outputs::Outputs;
  void launch() const { kabsch.loop<double>(r, t); }
};

struct ByEigen : Outputs {
  static constexpr char const* name = "eigen";
  using layout = ItemContiguous;
  using Outputs::Outputs;
  void launch() const {
    using Cloud = Eigen::Matrix<double, Points, 3, Eigen::RowMajor>;
    using Mat = Eigen::Matrix3d;
    for (int k = 0; k < Kabsch::items; ++k) {
      Eigen::Map<Cloud const> const x(&kabsch.p(k, 0, 0)), y(&kabsch.q(k, 0, 0));
      Eigen::RowVector3d const mx = x.colwise().mean(), my = y.colwise().mean();
      Mat const h = (y.rowwise() - my).transpose() * (x.rowwise() - mx);
      Eigen::JacobiSVD<Mat, Eigen::ComputeFullU | Eigen::ComputeFullV> const f(h);
      Eigen::Vector3d const d(1, 1, h.determinant() < 0 ? -1 : 1);
      Mat const rotation = f.matrixU() * d.asDiagonal() * f.matrixV().transpose();
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&r(k, 0, 0)) = rotation;
      Eigen::Map<Eigen::Vector3d>(&t(k, 0)) = my.transpose() - rotation * mx.transpose();
    }
  }
};

struct Register {
  template <class R, class T, class P, class Q, class Ones>
  KOKKOS_FUNCTION void operator()(R& rotation, T& shift, P const& p, Q const& q,
                                  Ones const& ones) const {
    using namespace Batchwork;
    auto const mp = 1.0 / Points * (transpose(p) * ones);
    auto const mq = 1.0 / Points * (transpose(q) * ones);
    auto const h = transpose(q) * p - double(Points) * outer(mq, mp);
    auto const f = svd(h);
    auto const u = f.u(), v = f.v();
    // A reflection would be nearer: the direction that matters least is turned round.
    using Number = Scalar<value_t<P>>;
    auto const flip = select(determinant(h) < 0.0, Number(-2.0), Number(0.0));
    rotation = u * transpose(v) + flip * outer(column(u, 2), column(v, 2));
    shift = mq - rotation * mp;
  }
};

template <class L>
struct Ours {
  static constexpr char const* name = "batchwork";
  using layout = L;
  Kabsch::Clouds<L> p, q;
  Kabsch::Rotations<L> r{"r", Kabsch::items};
  Kabsch::Shifts<L> t{"t", Kabsch::items};
  Kokkos::View<double[Points], Memory> ones{"ones"};

  explicit Ours(Kabsch const& k)
      : p(in_layout<Kabsch::Clouds<L>>(k.p)), q(in_layout<Kabsch::Clouds<L>>(k.q)) {
    poison(r), poison(t);
    Kokkos::deep_copy(ones, 1.0);
  }
  void launch() const {
    using namespace Batchwork;
    map(Exec(), Register{}, out(r), out(t), in(p), in(q), common(ones));
  }
  std::vector<double> results() const {
    std::vector<double> v;
    append(v, r), append(v, t);
    return v;
  }
};

}  // namespace

void register_kabsch() {
  add_version<Kabsch, Loop>();
  add_version<Kabsch, ByEigen>();
  add_version<Kabsch, Ours<ItemContiguous>>();
  add_version<Kabsch, Ours<Interleaved>>();
}

}  // namespace BatchworkPerf
