// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stiffness of a hexahedral element of 8 nodes, 24 x 24, of linear elasticity, by 2 x 2 x 2 points
// of Gauss: K = sum over the points of w (lambda g_ai g_bj + mu (g_aj g_bi + delta_ij g_a . g_b)),
// g being the gradients of the shape functions. T. J. R. Hughes, The Finite Element Method (1987),
// chapter 3.
#include <Eigen/Core>
#include <Eigen/LU>

#include "Sequence.hpp"

namespace BatchworkPerf {
namespace {

constexpr int Nodes = 8, Points = 8, Freedoms = 24;

struct Hexahedron : Single<Hexahedron> {
  static constexpr char const* name = "hexahedron";
  static constexpr int items = 501, steps = 1;
  static constexpr double tolerance = 1e-12;

  template <class L>
  using Places = Kokkos::View<double* [Nodes][3], L, Memory>;
  template <class L>
  using Materials = Kokkos::View<double* [2], L, Memory>;  // Lame's lambda and mu
  template <class L>
  using Stiffness = Kokkos::View<double* [Freedoms][Freedoms], L, Memory>;

  Places<ItemContiguous> x{"x", items};
  Materials<ItemContiguous> material{"material", items};
  /// Derivatives of the shape functions: row 3 q + i has those along axis i in point q.
  double shape[3 * Points][Nodes];
  std::vector<double> reference;

  Hexahedron() {
    for (int q = 0; q < Points; ++q)
      for (int a = 0; a < Nodes; ++a) {
        double n[3], d[3];
        for (int i = 0; i < 3; ++i) {
          double const node = a >> i & 1 ? 1 : -1, point = (q >> i & 1 ? 1 : -1) / std::sqrt(3.0);
          n[i] = (1 + node * point) / 2;
          d[i] = node / 2;
        }
        shape[3 * q][a] = d[0] * n[1] * n[2];
        shape[3 * q + 1][a] = n[0] * d[1] * n[2];
        shape[3 * q + 2][a] = n[0] * n[1] * d[2];
      }
    for (int k = 0; k < items; ++k) {
      material(k, 0) = between(1, 2, 1, k), material(k, 1) = between(1, 2, 2, k);
      for (int a = 0; a < Nodes; ++a)
        for (int i = 0; i < 3; ++i)
          x(k, a, i) = (a >> i & 1) + between(-0.2, 0.2, 3, (k * Nodes + a) * 3 + i);
    }
    Stiffness<ItemContiguous> K("K", items);
    loop<long double>(K);
    append(reference, K);
  }

  /// Gradients g of the shape functions in point q of an element, and the determinant.
  template <class R>
  R gradients(R (&g)[3][Nodes], double const* place, int q) const {
    R j[3][3], c[3][3];
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) {
        j[i][d] = 0;
        for (int a = 0; a < Nodes; ++a) j[i][d] += shape[3 * q + i][a] * R(place[3 * a + d]);
      }
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) {
        int const i1 = (i + 1) % 3, i2 = (i + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
        c[d][i] = j[i1][d1] * j[i2][d2] - j[i1][d2] * j[i2][d1];
      }
    R const det = j[0][0] * c[0][0] + j[0][1] * c[1][0] + j[0][2] * c[2][0];
    R const by = 1 / det;
    for (int d = 0; d < 3; ++d)
      for (int a = 0; a < Nodes; ++a) {
        g[d][a] = 0;
        for (int i = 0; i < 3; ++i) g[d][a] += by * c[d][i] * shape[3 * q + i][a];
      }
    return det;
  }

  /// Point by point, as in a textbook: node by node, component by component; the lower triangle,
  /// then mirrored.
  template <class R>
  void loop(Stiffness<ItemContiguous> const& K) const {
    for (int k = 0; k < items; ++k) {
      R const lambda = material(k, 0), mu = material(k, 1);
      R s[Freedoms][Freedoms] = {};
      for (int q = 0; q < Points; ++q) {
        R g[3][Nodes];
        R const w = gradients(g, x.data() + std::ptrdiff_t(k) * Nodes * 3, q);
        for (int a = 0; a < Nodes; ++a)
          for (int b = 0; b <= a; ++b) {
            R const both = mu * (g[0][a] * g[0][b] + g[1][a] * g[1][b] + g[2][a] * g[2][b]);
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j)
                s[3 * a + i][3 * b + j] += w * (lambda * g[i][a] * g[j][b] +
                                                mu * g[j][a] * g[i][b] + (i == j ? both : R(0)));
          }
      }
      for (int i = 0; i < Freedoms; ++i)
        for (int j = 0; j < Freedoms; ++j) K(k, i, j) = double(j / 3 <= i / 3 ? s[i][j] : s[j][i]);
    }
  }

  /// By the moments of gradients, m_ij = sum of w g_i g_j', 8 x 8, from which all of K follows:
  /// fewer operations, and the same as in the sequence below.
  template <class R>
  void loop_by_moments(Stiffness<ItemContiguous> const& K) const {
    for (int k = 0; k < items; ++k) {
      R const lambda = material(k, 0), mu = material(k, 1);
      R m[3][3][Nodes][Nodes] = {};
      for (int q = 0; q < Points; ++q) {
        R g[3][Nodes];
        R const w = gradients(g, x.data() + std::ptrdiff_t(k) * Nodes * 3, q);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j <= i; ++j)
            for (int a = 0; a < Nodes; ++a)
              for (int b = 0; b < Nodes; ++b) m[i][j][a][b] += w * g[i][a] * g[j][b];
      }
      for (int a = 0; a < Nodes; ++a)
        for (int b = 0; b < Nodes; ++b) {
          R const both = mu * (m[0][0][a][b] + m[1][1][a][b] + m[2][2][a][b]);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              R const ij = j <= i ? m[i][j][a][b] : m[j][i][b][a];
              R const ji = j <= i ? m[i][j][b][a] : m[j][i][a][b];
              K(k, 3 * a + i, 3 * b + j) = double(lambda * ij + mu * ji + (i == j ? both : R(0)));
            }
        }
    }
  }
};

template <class L>
struct Outputs {
  Hexahedron const& problem;
  Hexahedron::Stiffness<L> K{"K", Hexahedron::items};
  explicit Outputs(Hexahedron const& m) : problem(m) { poison(K); }
  std::vector<double> results() const {
    std::vector<double> v;
    append(v, K);
    return v;
  }
};

struct Loop : Outputs<ItemContiguous> {
  static constexpr char const* name = "loop";
  using layout = ItemContiguous;
  using Outputs<ItemContiguous>::Outputs;
  void launch() const { problem.loop<double>(K); }
};
struct LoopByMoments : Outputs<ItemContiguous> {
  static constexpr char const* name = "loop_by_moments";
  using layout = ItemContiguous;
  using Outputs<ItemContiguous>::Outputs;
  void launch() const { problem.loop_by_moments<double>(K); }
};

/// By the strain matrix B, 6 x 24, and the material matrix D: B' D B in each point.
struct ByEigen : Outputs<ItemContiguous> {
  static constexpr char const* name = "eigen";
  using layout = ItemContiguous;
  using Outputs<ItemContiguous>::Outputs;
  void launch() const {
    using Mat = Eigen::Matrix<double, Freedoms, Freedoms>;
    using Strains = Eigen::Matrix<double, 6, Freedoms>;
    using Shape = Eigen::Matrix<double, 3, Nodes, Eigen::RowMajor>;
    for (int k = 0; k < Hexahedron::items; ++k) {
      Eigen::Map<Eigen::Matrix<double, Nodes, 3, Eigen::RowMajor> const> const x(
          &problem.x(k, 0, 0));
      double const lambda = problem.material(k, 0), mu = problem.material(k, 1);
      Eigen::Matrix<double, 6, 6> d = Eigen::Matrix<double, 6, 6>::Zero();
      d.topLeftCorner<3, 3>().setConstant(lambda);
      d.diagonal() << lambda + 2 * mu, lambda + 2 * mu, lambda + 2 * mu, mu, mu, mu;
      Mat s = Mat::Zero();
      for (int q = 0; q < Points; ++q) {
        Eigen::Map<Shape const> const n(&problem.shape[3 * q][0]);
        Eigen::Matrix3d const j = n * x;
        Eigen::Matrix<double, 3, Nodes> const g = j.inverse() * n;
        Strains b = Strains::Zero();
        for (int a = 0; a < Nodes; ++a) {
          b(0, 3 * a) = b(3, 3 * a + 1) = b(5, 3 * a + 2) = g(0, a);
          b(1, 3 * a + 1) = b(3, 3 * a) = b(4, 3 * a + 2) = g(1, a);
          b(2, 3 * a + 2) = b(4, 3 * a + 1) = b(5, 3 * a) = g(2, a);
        }
        Strains const db = (j.determinant() * d) * b;
        s.noalias() += b.transpose() * db;
      }
      Eigen::Map<Mat>(&K(k, 0, 0)) = s;
    }
  }
};

struct Stiffness {
  template <class KT, class X, class M, class D>
  KOKKOS_FUNCTION void operator()(KT& k, X const& x, M const& material, D const& shape) const {
    using namespace Batchwork;
    using S = value_t<X>;
    // Row q of g[i]: the gradients along axis i in point q; of h[i] also times the weight.
    Matrix<S, Points, Nodes> g[3]{}, h[3]{};
    for (int q = 0; q < Points; ++q) {
      auto const n = block<3, Nodes>(shape, 3 * q, 0);
      auto const j = transpose(n * x);
      auto const u = column(j, 0), v = column(j, 1), w = column(j, 2);
      auto const vw = cross(v, w), wu = cross(w, u), uv = cross(u, v);
      auto const det = dot(u, vw);
      auto const by = 1.0 / det;
      auto const inverse = generate<3, 3>([&](int i, int d) {
        return by * (d == 0 ? element(vw, i) : d == 1 ? element(wu, i) : element(uv, i));
      });
      auto const at = inverse * n;
      for (int i = 0; i < 3; ++i) {
        assign_block(g[i], q, 0, row(at, i));
        assign_block(h[i], q, 0, det * row(at, i));
      }
    }
    auto const m00 = symmetric_product(transpose(g[0]), h[0]),
               m11 = symmetric_product(transpose(g[1]), h[1]),
               m22 = symmetric_product(transpose(g[2]), h[2]);
    auto const m10 = transpose(g[1]) * h[0], m20 = transpose(g[2]) * h[0],
               m21 = transpose(g[2]) * h[1];
    auto const lambda = element(material, 0), mu = element(material, 1);
    auto const both = mu * (m00 + m11 + m22);
    for (int a = 0; a < Nodes; ++a)
      for (int b = 0; b < Nodes; ++b) {
        auto const at = [&](auto const& m) {
          return lambda * element(m, a, b) + mu * element(m, b, a);
        };
        auto const mirrored = [&](auto const& m) {
          return lambda * element(m, b, a) + mu * element(m, a, b);
        };
        auto const d = element(both, a, b);
        assign_block(k, 3 * a, 3 * b, generate<3, 3>([&](int i, int j) {
                       return i == j  ? d + at(i == 0   ? m00
                                               : i == 1 ? m11
                                                        : m22)
                              : i > j ? at(i == 1   ? m10
                                           : j == 0 ? m20
                                                    : m21)
                                      : mirrored(j == 1   ? m10
                                                 : i == 0 ? m20
                                                          : m21);
                     }));
      }
  }
};

template <class L>
struct Ours : Outputs<L> {
  static constexpr char const* name = "batchwork";
  using layout = L;
  Hexahedron::Places<L> x;
  Hexahedron::Materials<L> material;
  Kokkos::View<double[3 * Points][Nodes], Memory> shape;

  explicit Ours(Hexahedron const& m)
      : Outputs<L>(m),
        x(in_layout<Hexahedron::Places<L>>(m.x)),
        material(in_layout<Hexahedron::Materials<L>>(m.material)),
        shape(to_view("shape", m.shape)) {}
  void launch() const {
    using namespace Batchwork;
    map(Exec(), Stiffness{}, out(this->K), in(x), in(material), common(shape));
  }
};

}  // namespace

void register_hexahedron() {
  add_version<Hexahedron, Loop>();
  add_version<Hexahedron, LoopByMoments>();
  add_version<Hexahedron, ByEigen>();
  add_version<Hexahedron, Ours<ItemContiguous>>();
  add_version<Hexahedron, Ours<Interleaved>>();
}

}  // namespace BatchworkPerf
