// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Tiles in a kernel that is not the library's: charged particles gyrate in magnetic fields. A
/// step of a particle solves a 3 x 3 system. The kernel is a plain RangePolicy functor of the user;
/// Batchwork does the linear algebra of its one particle. Exit status 1 if the result is wrong.
///
/// The implicit midpoint rule for v' = v x b, with the matrix k of v -> v x b, is
/// (1 - h/2 k) v_new = (1 + h/2 k) v. It keeps |v| and the part of v along b, and turns v around b
/// by 2 atan(|b| h / 2) in every step.

#include <Batchwork.hpp>
#include <cmath>
#include <cstdio>

namespace {

constexpr int particles = 100000, steps = 50;
constexpr double h = 0.1;

using Vectors = Kokkos::View<double* [3]>;

// [push]
/// One thread has one particle, and pushes it through all steps.
struct Push {
  Vectors v, b;
  Kokkos::View<int*> codes;

  KOKKOS_FUNCTION void operator()(int n) const {
    using namespace Batchwork;
    double const field[3][3] = {
        {0, b(n, 2), -b(n, 1)}, {-b(n, 2), 0, b(n, 0)}, {b(n, 1), -b(n, 0), 0}};
    auto const k = 0.5 * h * load(field);  // an array of the kernel
    auto const one = identity<3>(k);
    auto x = load<3>(v, n);  // v(n, .)
    for (int step = 0; step < steps; ++step) x = solve(lu(one - k), (one + k) * x);
    store(x, v, n);
    codes(n) = x.info;  // 0, or why the item failed
  }
};
// [push]

/// The velocity that the formula of the method gives, by a rotation around the field.
void rotated(double const (&v)[3], double const (&b)[3], double (&r)[3]) {
  double const size = std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  double const angle = steps * 2 * std::atan(size * h / 2), c = std::cos(angle),
               s = std::sin(angle);
  double const along = (v[0] * b[0] + v[1] * b[1] + v[2] * b[2]) / size;
  for (int i = 0; i < 3; ++i) {
    int const j = (i + 1) % 3, k = (i + 2) % 3;
    double const turned = (v[j] * b[k] - v[k] * b[j]) / size;  // v x b
    r[i] = c * v[i] + s * turned + (1 - c) * along * b[i] / size;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace Batchwork;
  Kokkos::DefaultExecutionSpace const exec;
  Vectors const v("v", particles), b("b", particles);
  Kokkos::View<int*> const codes("codes", particles);
  fill_random(exec, random(1), normal(0, 1), v);
  fill_random(exec, random(2), uniform(0.5, 2), b);
  auto const before = Kokkos::create_mirror(v);  // a copy, also on a host
  Kokkos::deep_copy(before, v);
  // [launch]
  Kokkos::parallel_for("push", Kokkos::RangePolicy<>(exec, 0, particles), Push{v, b, codes});
  // [launch]
  auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  auto const fields = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  auto const failed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  double largest = 0;
  for (int n = 0; n < particles; ++n) {
    double const start[3] = {before(n, 0), before(n, 1), before(n, 2)},
                 field[3] = {fields(n, 0), fields(n, 1), fields(n, 2)};
    double expected[3], error = failed(n) != 0 ? INFINITY : 0;
    rotated(start, field, expected);
    for (int i = 0; i < 3; ++i) error += std::abs(after(n, i) - expected[i]);
    largest = error <= largest ? largest : error;  // also if it is NaN
  }
  bool const good = largest < 1e-12;
  std::printf("%d particles, %d steps: largest difference from the exact rotation %.1e, %s\n",
              particles, steps, largest, good ? "as expected" : "WRONG");
  return good ? 0 : 1;
}
