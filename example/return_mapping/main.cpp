// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The return mapping of von Mises plasticity with Voce's hardening, at the integration points of a
/// finite element mesh, in one kernel. From a given strain it computes the stress, which must not
/// leave the yield surface, and the consistent tangent, which is the derivative of the stress with
/// respect to the strain. Points that yield solve a scalar equation by Newton's method (`iterate`),
/// each until it has converged. The tangent is computed by automatic differentiation
/// (`value_and_jacobian`).
///
/// Tensors are vectors of six entries in Mandel's notation: shear entries are multiplied by
/// sqrt(2), so that products of tensors are dot products. All results are compared with a plain
/// loop that uses the closed form of the tangent. Exit status 1 if a result is wrong.
///
/// J. C. Simo and T. J. R. Hughes, Computational Inelasticity, Springer (1998), sections 3.3.1
/// and 3.3.2.

#include <Batchwork.hpp>
#include <cmath>
#include <cstdio>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr int points = 50000;
constexpr double root = 0.81649658092772603273;  // sqrt(2 / 3)

/// A steel, in MPa. Yield stress: initial + saturation (1 - exp(-rate alpha)) + linear alpha.
struct Steel {
  double bulk = 164.2e3, shear = 80.2e3, initial = 450, saturation = 265, rate = 16.9, linear = 129;

  /// Works for numbers and for scalars of a sequence.
  template <class A>
  KOKKOS_FUNCTION auto yield_stress(A const& alpha) const {
    using Kokkos::exp;
    return initial + saturation * (1 - exp(-rate * alpha)) + linear * alpha;
  }
  KOKKOS_FUNCTION double hardening(double alpha) const {
    return saturation * rate * Kokkos::exp(-rate * alpha) + linear;
  }
  /// Distance of a stress deviator with norm `size` beyond the yield surface, after a plastic flow
  /// of gamma.
  template <class S, class G, class A>
  KOKKOS_FUNCTION auto excess(S const& size, G const& gamma, A const& alpha) const {
    return size - 2 * shear * gamma - root * yield_stress(alpha + root * gamma);
  }
};

/// Stress, tangent and new plastic state of one point.
struct ReturnMapping {
  Steel steel;

  template <class Sigma, class C, class P, class A, class R, class E, class P0, class A0>
  KOKKOS_FUNCTION void operator()(Sigma& stress, C& tangent, P& plastic, A& alpha, R& rounds,
                                  E const& strain, P0 const& plastic_before,
                                  A0 const& alpha_before) const {
    using namespace Batchwork;
    auto const one = generate<6>([](int i) { return i < 3 ? 1.0 : 0.0; });
    auto const trial = [&](auto const& e) {  // deviator of the stress after an elastic step
      return 2 * steel.shear * (e - dot(one, e) / 3 * one - plastic_before);
    };
    auto const size_of = [](auto const& s) { return sqrt(dot(s, s)); };

    auto const size = size_of(trial(strain));
    auto const yields = steel.excess(size, 0 * size, alpha_before) > 0;
    auto gamma = 0 * size, slope = 0 * size;
    auto const ended = iterate(
        25,
        [&](auto& g, auto& d) {
          auto const [excess, by_gamma] = value_and_derivative(
              [&](auto const& x) { return steel.excess(size, x, alpha_before); }, g);
          auto const step = select(yields, excess / by_gamma, 0);
          g -= step;
          d = by_gamma;
          return abs(step) > 1e-14;
        },
        gamma, slope);
    rounds = ended.rounds;

    // A last step of Newton's method changes gamma no more, but it has the derivative of the root.
    auto const [s, c] = value_and_jacobian(
        [&](auto const& e) {
          auto const t = trial(e);
          auto const n = size_of(t);
          auto const g = gamma - steel.excess(n, gamma, alpha_before) / slope;
          auto const back = select(yields, 2 * steel.shear * g / n, 0);
          return steel.bulk * dot(one, e) * one + (1 - back) * t;
        },
        strain);
    stress = fail_where(ended.open, Reason::iteration_limit, s);
    tangent = c;
    auto const t = trial(strain);
    plastic = plastic_before + select(yields, gamma / size, 0) * t;
    alpha = alpha_before + root * gamma;
  }
};

/// Strains on many paths, from zero to ten times the first yield. Every third point has yielded
/// before.
struct Load {
  Kokkos::View<double* [6]> strain, plastic;
  Kokkos::View<double*> alpha;
  KOKKOS_FUNCTION void operator()(int p) const {
    double const size = 2e-2 * (p % 1000) / 1000;
    for (int i = 0; i < 6; ++i) {
      strain(p, i) = size * Kokkos::sin(0.7 * p + 1.9 * i);
      plastic(p, i) = 0;
    }
    alpha(p) = 0;
    if (p % 3 == 0) {
      double const before = 1e-3 * (1 + p % 7);
      plastic(p, 0) = before;
      plastic(p, 1) = plastic(p, 2) = -0.5 * before;
      alpha(p) = root * Kokkos::sqrt(1.5) * before;
    }
  }
};

// ---- a plain loop
// ---------------------------------------------------------------------------------------------

struct Point {
  double strain[6], plastic[6], alpha, stress[6], tangent[6][6];
};
void map_back(Steel const& steel, Point& p) {
  double volume = 0, t[6], square = 0;
  for (int i = 0; i < 3; ++i) volume += p.strain[i];
  for (int i = 0; i < 6; ++i) {
    t[i] = 2 * steel.shear * (p.strain[i] - (i < 3 ? volume / 3 : 0) - p.plastic[i]);
    square += t[i] * t[i];
  }
  double const size = std::sqrt(square);
  double gamma = 0, theta = 1, theta_bar = 0;
  if (steel.excess(size, 0.0, p.alpha) > 0) {
    for (int k = 0; k < 25; ++k) {
      double const slope = -2 * steel.shear - 2.0 / 3 * steel.hardening(p.alpha + root * gamma);
      double const step = steel.excess(size, gamma, p.alpha) / slope;
      gamma -= step;
      if (!(std::fabs(step) > 1e-14)) break;
    }
    theta = 1 - 2 * steel.shear * gamma / size;
    theta_bar = 1 / (1 + steel.hardening(p.alpha + root * gamma) / (3 * steel.shear)) - (1 - theta);
  }
  for (int i = 0; i < 6; ++i) {
    p.stress[i] = (i < 3 ? steel.bulk * volume : 0) + theta * t[i];
    for (int j = 0; j < 6; ++j) {
      double const both = i < 3 && j < 3 ? 1 : 0, same = i == j ? 1 : 0;
      p.tangent[i][j] = steel.bulk * both + 2 * steel.shear * theta * (same - both / 3);
      if (theta < 1) p.tangent[i][j] -= 2 * steel.shear * theta_bar * t[i] * t[j] / square;
    }
  }
  p.alpha += root * gamma;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace Batchwork;
  Kokkos::View<double* [6]> const strain("strain", points), before("plastic", points),
      after("plastic", points), stress("stress", points);
  Kokkos::View<double* [6][6]> const tangent("tangent", points);
  Kokkos::View<double*> const alpha_before("alpha", points), alpha("alpha", points),
      rounds("rounds", points);
  Kokkos::View<int*> const codes("codes", points);
  Kokkos::parallel_for("load", Kokkos::RangePolicy<Exec>(0, points),
                       Load{strain, before, alpha_before});
  Steel const steel;

  double seconds = 0;
  for (int turn = 0; turn < 2; ++turn) {  // the second run is measured
    Kokkos::Timer const timer;
    map(ReturnMapping{steel}, out(stress), out(tangent), out(after), out(alpha), out(rounds),
        in(strain), in(before), in(alpha_before), status(codes));
    Kokkos::fence();
    seconds = timer.seconds();
  }

  auto const host = [](auto const& v) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  };
  auto const e = host(strain), p0 = host(before), p1 = host(after), s = host(stress);
  auto const c = host(tangent);
  auto const a0 = host(alpha_before), a1 = host(alpha), r = host(rounds);
  auto const code = host(codes);
  double worst = 0, longest = 0;
  int wrong = 0, yielding = 0;
  for (int k = 0; k < points; ++k) {
    Point p;
    for (int i = 0; i < 6; ++i) p.strain[i] = e(k, i), p.plastic[i] = p0(k, i);
    p.alpha = a0(k);
    map_back(steel, p);
    double error = std::fabs(a1(k) - p.alpha), flow = 0;
    for (int i = 0; i < 6; ++i) {
      error = std::fmax(error, std::fabs(s(k, i) - p.stress[i]) / steel.initial);
      for (int j = 0; j < 6; ++j)
        error = std::fmax(error, std::fabs(c(k, i, j) - p.tangent[i][j]) / steel.shear);
      flow += (p1(k, i) - p0(k, i)) * (p1(k, i) - p0(k, i));
    }
    error = std::fmax(error, std::fabs(root * std::sqrt(flow) - (p.alpha - a0(k))));
    wrong += code(k) == 0 && error < 1e-10 ? 0 : 1;
    worst = std::fmax(worst, error);
    longest = std::fmax(longest, r(k));
    yielding += p.alpha > a0(k) ? 1 : 0;
  }
  std::printf("%d points, %d of them yield, in at most %.0f rounds; largest error: %.1e\n", points,
              yielding, longest, worst);
  std::printf("%.0f ns per point on %s\n", 1e9 * seconds / points, Exec::name());
  if (wrong > 0) std::printf("%d points are wrong\n", wrong);
  return wrong > 0 ? 1 : 0;
}
