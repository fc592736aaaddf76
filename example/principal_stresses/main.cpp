// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Principal stresses and their directions at the points of a mesh: one call computes eigenvalues
/// and eigenvectors of a 3 x 3 tensor at each point. Then a sequence computes von Mises' equivalent
/// stress and the logarithm of a stretch tensor (Hencky's strain) at the same points.
///
/// The principal stresses of a thick-walled tube under pressure are known (Lame). Each tensor is
/// rotated to the coordinates of the mesh. All results are compared. Exit status 1 if a result is
/// wrong.

#include <Batchwork.hpp>
#include <cmath>
#include <cstdio>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr int points = 50000;
constexpr double inner = 1, outer = 2, pressure = 10;

/// Radial, axial and hoop stress of a closed tube at a point, in ascending order.
struct Lame {
  double radial, axial, hoop;
};
KOKKOS_FUNCTION Lame lame(int point) {
  double const r = inner + (outer - inner) * point / points;
  double const mean = pressure * inner * inner / (outer * outer - inner * inner),
               part = mean * outer * outer / (r * r);
  return {mean - part, mean, mean + part};
}

/// Fills stress and stretch in the coordinates of the mesh. The axis of the tube is z, and each
/// point has an angle. The principal stretches are exponentials of strains, which are a thousandth
/// of the stresses.
struct Load {
  Kokkos::View<double* [3][3]> stress, stretch;
  KOKKOS_FUNCTION void operator()(int point) const {
    Lame const s = lame(point);
    double const c = Kokkos::cos(0.37 * point), d = Kokkos::sin(0.37 * point);
    auto const put = [&](auto const& to, double radial, double axial, double hoop) {
      to(point, 0, 0) = c * c * radial + d * d * hoop;
      to(point, 1, 1) = d * d * radial + c * c * hoop;
      to(point, 0, 1) = to(point, 1, 0) = c * d * (radial - hoop);
      to(point, 2, 2) = axial;
      to(point, 0, 2) = to(point, 2, 0) = to(point, 1, 2) = to(point, 2, 1) = 0;
    };
    put(stress, s.radial, s.axial, s.hoop);
    put(stretch, Kokkos::exp(1e-3 * s.radial), Kokkos::exp(1e-3 * s.axial),
        Kokkos::exp(1e-3 * s.hoop));
  }
};

/// For one point: the equivalent stress from the deviator, and the logarithm of the stretch.
struct Measures {
  template <class M, class H, class S, class U>
  KOKKOS_FUNCTION void operator()(M& mises, H& hencky, S const& stress, U const& stretch) const {
    using namespace Batchwork;
    auto const deviator = stress - trace(stress) / 3.0 * identity<double, 3>();
    mises = Kokkos::sqrt(1.5) * norm_frobenius(deviator);
    hencky = log_spd(stretch);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace Batchwork;
  Kokkos::View<double* [3][3]> const stress("stress", points), stretch("stretch", points),
      directions("directions", points), hencky("hencky", points);
  Kokkos::View<double* [3]> const principal("principal", points);
  Kokkos::View<double*> const mises("mises", points);
  Kokkos::View<int*> const codes("codes", points);
  Kokkos::parallel_for("load", Kokkos::RangePolicy<Exec>(0, points), Load{stress, stretch});

  eigh(in(stress), out(principal), out(directions), status(codes));
  map(Measures{}, out(mises), out(hencky), in(stress), in(symmetric(stretch)));

  auto const w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), principal);
  auto const v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), directions);
  auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mises);
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), hencky);
  auto const s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  double worst = 0;
  int wrong = 0;
  for (int p = 0; p < points; ++p) {
    Lame const is = lame(p);
    double const hoop_direction[] = {-std::sin(0.37 * p), std::cos(0.37 * p), 0};
    double along = 0;
    for (int i = 0; i < 3; ++i) along += v(p, i, 2) * hoop_direction[i];
    double const von_mises = std::sqrt(((is.hoop - is.axial) * (is.hoop - is.axial) +
                                        (is.axial - is.radial) * (is.axial - is.radial) +
                                        (is.radial - is.hoop) * (is.radial - is.hoop)) /
                                       2);
    double const error =
        std::fmax(std::fmax(std::fabs(w(p, 0) - is.radial), std::fabs(w(p, 2) - is.hoop)),
                  std::fmax(std::fmax(std::fabs(w(p, 1) - is.axial), std::fabs(m(p) - von_mises)),
                            std::fmax(std::fabs(std::fabs(along) - 1),
                                      1e3 * std::fabs(h(p, 2, 2) - 1e-3 * is.axial))));
    worst = std::fmax(worst, error);
    wrong += s(p) == 0 && error < 1e-11 ? 0 : 1;
  }
  std::printf("%d points; largest error: %.1e, with stresses up to %.1f\n", points, worst,
              lame(0).hoop);
  if (wrong > 0) std::printf("%d points are wrong\n", wrong);
  return wrong > 0 ? 1 : 0;
}
