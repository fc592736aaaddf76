// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The radial return of plasticity after von Mises with Voce's hardening: stress, plastic strain and
// consistent tangent at an integration point. The plastic multiplier is found by Newton's method;
// some two thirds of the points flow. J. C. Simo and T. J. R. Hughes, Computational Inelasticity
// (1998), box 3.2. Strains and stresses in Mandel's notation, in which products of tensors are
// products of vectors of 6.
#include <Eigen/Core>

#include "Sequence.hpp"

namespace BatchworkPerf {
namespace {

constexpr int N = 6;

struct Material {
  double bulk = 164.2e3, shear = 80.2e3, yield = 450, saturated = 715, exponent = 16.9,
         hardening = 129;
};

struct ReturnMapping : Single<ReturnMapping> {
  static constexpr char const* name = "return_mapping";
  static constexpr int items = 3001, steps = 1;
  static constexpr double tolerance = 1e-11;

  template <class L>
  using Vectors = Kokkos::View<double* [N], L, Memory>;
  template <class L>
  using Matrices = Kokkos::View<double* [N][N], L, Memory>;
  using Numbers = Kokkos::View<double*, Memory>;

  Material material;
  Vectors<ItemContiguous> strain{"strain", items}, plastic{"plastic", items};
  Numbers alpha{"alpha", items};
  std::vector<double> reference;

  ReturnMapping() {
    for (int k = 0; k < items; ++k) {
      alpha(k) = between(0, 0.02, 1, k);
      double const size = between(0, 0.02, 2, k);
      for (int i = 0; i < N; ++i) {
        plastic(k, i) = between(-1e-3, 1e-3, 3, k * N + i);
        strain(k, i) = size * between(-0.5, 0.5, 4, k * N + i);
      }
    }
    Vectors<ItemContiguous> s("s", items), p("p", items);
    Numbers a("a", items);
    Matrices<ItemContiguous> c("c", items);
    loop<long double>(s, p, a, c);
    append(reference, s), append(reference, p), append(reference, a), append(reference, c);
  }

  template <class R>
  void loop(Vectors<ItemContiguous> const& stress, Vectors<ItemContiguous> const& new_plastic,
            Numbers const& new_alpha, Matrices<ItemContiguous> const& tangent) const {
    R const bulk = material.bulk, mu = material.shear, y0 = material.yield,
            dy = R(material.saturated) - R(material.yield), delta = material.exponent,
            h = material.hardening, root = std::sqrt(R(2) / 3);
    for (int k = 0; k < items; ++k) {
      double const* const ep = plastic.data() + std::ptrdiff_t(k) * N;
      R e[N], s[N], p[N], n[N] = {};
      for (int i = 0; i < N; ++i) p[i] = ep[i], e[i] = strain(k, i) - p[i];
      R const trace = e[0] + e[1] + e[2];
      R square = 0;
      for (int i = 0; i < N; ++i) {
        s[i] = 2 * mu * (i < 3 ? e[i] - trace / 3 : e[i]);
        square += s[i] * s[i];
      }
      R const norm = std::sqrt(square);
      R a = alpha(k);
      R theta = 1, theta_bar = 0;
      if (norm - root * (y0 + h * a + dy * (1 - std::exp(-delta * a))) > 0) {
        R gamma = 0, slope = 0;
        for (int round = 0; round < 20; ++round) {
          R const at = a + root * gamma, decay = std::exp(-delta * at);
          R const g = norm - 2 * mu * gamma - root * (y0 + h * at + dy * (1 - decay));
          slope = h + dy * delta * decay;
          if (std::fabs(g) <= 1e-11 * y0) break;
          gamma += g / (2 * mu + 2 * slope / 3);
        }
        for (int i = 0; i < N; ++i) {
          n[i] = s[i] / norm;
          s[i] -= 2 * mu * gamma * n[i];
          p[i] += gamma * n[i];
        }
        a += root * gamma;
        theta = 1 - 2 * mu * gamma / norm;
        theta_bar = 1 / (1 + slope / (3 * mu)) - (1 - theta);
      }
      for (int i = 0; i < N; ++i) {
        stress(k, i) = double(i < 3 ? s[i] + bulk * trace : s[i]);
        new_plastic(k, i) = double(p[i]);
        for (int j = 0; j < N; ++j) {
          R const both = i < 3 && j < 3 ? 1 : 0;
          tangent(k, i, j) = double(bulk * both + 2 * mu * theta * ((i == j ? 1 : 0) - both / 3) -
                                    2 * mu * theta_bar * n[i] * n[j]);
        }
      }
      new_alpha(k) = double(a);
    }
  }
};

template <class L>
struct Outputs {
  ReturnMapping const& problem;
  ReturnMapping::Vectors<L> s{"s", ReturnMapping::items}, p{"p", ReturnMapping::items};
  ReturnMapping::Numbers a{"a", ReturnMapping::items};
  ReturnMapping::Matrices<L> c{"c", ReturnMapping::items};
  explicit Outputs(ReturnMapping const& m) : problem(m) {
    poison(s), poison(p), poison(a), poison(c);
  }
  std::vector<double> results() const {
    std::vector<double> v;
    append(v, s), append(v, p), append(v, a), append(v, c);
    return v;
  }
};

struct Loop : Outputs<ItemContiguous> {
  static constexpr char const* name = "loop";
  using layout = ItemContiguous;
  using Outputs<ItemContiguous>::Outputs;
  void launch() const { problem.loop<double>(s, p, a, c); }
};

struct ByEigen : Outputs<ItemContiguous> {
  static constexpr char const* name = "eigen";
  using layout = ItemContiguous;
  using Outputs<ItemContiguous>::Outputs;
  void launch() const {
    using Vec = Eigen::Matrix<double, N, 1>;
    using Mat = Eigen::Matrix<double, N, N>;
    auto const [bulk, mu, y0, saturated, delta, h] = problem.material;
    double const dy = saturated - y0, root = std::sqrt(2.0 / 3);
    Vec one;
    one << 1, 1, 1, 0, 0, 0;
    Mat const spherical = one * one.transpose(), deviatoric = Mat::Identity() - spherical / 3;
    for (int k = 0; k < ReturnMapping::items; ++k) {
      Vec p_new = Eigen::Map<Vec const>(&problem.plastic(k, 0));
      Vec const e = Eigen::Map<Vec const>(&problem.strain(k, 0)) - p_new;
      double const trace = one.dot(e);
      Vec stress = 2 * mu * (e - trace / 3 * one);
      double const norm = stress.norm();
      double alpha = problem.alpha(k);
      Mat tangent = bulk * spherical;
      if (norm - root * (y0 + h * alpha + dy * (1 - std::exp(-delta * alpha))) > 0) {
        double gamma = 0, slope = 0;
        for (int round = 0; round < 20; ++round) {
          double const at = alpha + root * gamma, decay = std::exp(-delta * at);
          double const g = norm - 2 * mu * gamma - root * (y0 + h * at + dy * (1 - decay));
          slope = h + dy * delta * decay;
          if (std::fabs(g) <= 1e-11 * y0) break;
          gamma += g / (2 * mu + 2 * slope / 3);
        }
        Vec const n = stress / norm;
        stress -= 2 * mu * gamma * n;
        p_new += gamma * n;
        alpha += root * gamma;
        double const theta = 1 - 2 * mu * gamma / norm;
        tangent += 2 * mu * theta * deviatoric -
                   2 * mu * (1 / (1 + slope / (3 * mu)) - (1 - theta)) * n * n.transpose();
      } else {
        tangent += 2 * mu * deviatoric;
      }
      Eigen::Map<Vec>(&s(k, 0)) = stress + bulk * trace * one;
      Eigen::Map<Vec>(&p(k, 0)) = p_new;
      Eigen::Map<Mat>(&c(k, 0, 0)) = tangent;
      a(k) = alpha;
    }
  }
};

struct Return {
  Material material;
  template <class S, class P, class A, class C, class E, class P0, class A0, class One>
  KOKKOS_FUNCTION void operator()(S& stress, P& plastic, A& alpha, C& tangent, E const& strain,
                                  P0 const& plastic_before, A0 const& alpha_before,
                                  One const& one) const {
    using namespace Batchwork;
    auto const& [bulk, mu, y0, saturated, delta, h] = material;
    double const dy = saturated - y0, root = 0.81649658092772603273;
    auto const e = strain - plastic_before;
    auto const trace = dot(one, e);
    auto const s = 2 * mu * (e - trace / 3.0 * one);
    auto const norm = sqrt(dot(s, s));
    auto const flows =
        norm - root * (y0 + h * alpha_before + dy * (1.0 - exp(-delta * alpha_before))) > 0.0;
    auto gamma = 0.0 * norm, slope = 0.0 * norm;
    for (int round = 0; round < 20; ++round) {
      auto const at = alpha_before + root * gamma, decay = exp(-delta * at);
      auto const g = norm - 2 * mu * gamma - root * (y0 + h * at + dy * (1.0 - decay));
      slope = h + dy * delta * decay;
      auto const goes_on = flows && abs(g) > 1e-11 * y0;
      if (!any(goes_on)) break;
      gamma = select(goes_on, gamma + g / (2 * mu + 2.0 / 3 * slope), gamma);
    }
    auto const n = s / norm;
    stress = s - (2 * mu * gamma) * n + (bulk * trace) * one;
    plastic = plastic_before + gamma * n;
    alpha = alpha_before + root * gamma;
    auto const theta = 1.0 - 2 * mu * gamma / norm;
    auto const bar = select(flows, 1.0 / (1.0 + slope / (3 * mu)) - (1.0 - theta), 0.0 * norm);
    auto const spherical = symmetric(outer(one, one));
    tangent = bulk * spherical + (2 * mu * theta) * (identity<N>(e) - 1.0 / 3 * spherical) -
              symmetric(outer((2 * mu * bar) * n, n));
  }
};

template <class L>
struct Ours : Outputs<L> {
  static constexpr char const* name = "batchwork";
  using layout = L;
  ReturnMapping::Vectors<L> e, p0;
  Kokkos::View<double[N], Memory> one{"one"};

  explicit Ours(ReturnMapping const& m)
      : Outputs<L>(m),
        e(in_layout<ReturnMapping::Vectors<L>>(m.strain)),
        p0(in_layout<ReturnMapping::Vectors<L>>(m.plastic)) {
    for (int i = 0; i < 3; ++i) one(i) = 1;
  }
  void launch() const {
    using namespace Batchwork;
    map(Exec(), Return{this->problem.material}, out(this->s), out(this->p), out(this->a),
        out(symmetric(this->c)), in(e), in(p0), in(this->problem.alpha), common(one));
  }
};

}  // namespace

void register_return_mapping() {
  add_version<ReturnMapping, Loop>();
  add_version<ReturnMapping, ByEigen>();
  add_version<ReturnMapping, Ours<ItemContiguous>>();
  add_version<ReturnMapping, Ours<Interleaved>>();
}

}  // namespace BatchworkPerf
