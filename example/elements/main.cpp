// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Linear elasticity with hexahedra of 8 nodes: a cube that is held on one side and pulled down on
/// the other. One kernel gathers the nodes of each element, computes its 24 x 24 stiffness matrix
/// over 2 x 2 x 2 points of Gauss, and adds it to the values of a global CSR matrix. Conjugate
/// gradients solve the system.
///
///     elements [--edge n]      n x n x n elements, 12 by default
///
/// The matrix is compared with that of a plain loop, and a second assembly, in a fixed order, gives
/// the same bits twice. Exit status 1 if a result is wrong, 2 if an argument is.
///
/// T. J. R. Hughes, The Finite Element Method (1987), chapter 3.

#include <Batchwork.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "Mesh.hpp"
#include "Solve.hpp"

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// The stiffness of one element: of an isotropic material with Lame's constants lambda and mu.
struct Stiffness {
  double lambda, mu;

  template <class K, class X, class D>
  KOKKOS_FUNCTION void operator()(K& k, X const& x, D const& shape) const {
    using namespace Batchwork;
    // Row q of g[i]: the gradients of the shape functions along axis i in point q; of h[i] also
    // times the volume of the point.
    auto const none = zero<points, corners>(x);
    std::remove_const_t<decltype(none)> g[3]{none, none, none}, h[3]{none, none, none};
    auto smallest = determinant(block<3, corners>(shape, 0, 0) * x);
    for (int q = 0; q < points; ++q) {
      auto const n = block<3, corners>(shape, 3 * q, 0);
      auto const jacobian = n * x;
      auto const volume = determinant(jacobian);
      auto const gradients = inverse(jacobian) * n;
      smallest = min(smallest, volume);
      for (int i = 0; i < 3; ++i) {
        assign_block(g[i], q, 0, row(gradients, i));
        assign_block(h[i], q, 0, volume * row(gradients, i));
      }
    }
    auto const m00 = symmetric_product(transpose(g[0]), h[0]),
               m11 = symmetric_product(transpose(g[1]), h[1]),
               m22 = symmetric_product(transpose(g[2]), h[2]);
    auto const m10 = transpose(g[1]) * h[0], m20 = transpose(g[2]) * h[0],
               m21 = transpose(g[2]) * h[1];
    auto const both = mu * (m00 + m11 + m22);
    for (int a = 0; a < corners; ++a)
      for (int b = 0; b < corners; ++b) {
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
    k = fail_where(!(smallest > 0.0), Reason::singular, k);  // a flat or inverted element
  }
};

template <class View, class T>
View to_view(std::string const& label, std::vector<T> const& v, std::size_t n) {
  View const view(label, n);
  auto const host = Kokkos::create_mirror_view(view);
  std::copy(v.begin(), v.end(), host.data());
  Kokkos::deep_copy(view, host);
  return view;
}

double seconds(Kokkos::Timer const& timer) {
  Kokkos::fence("elements: time");
  return timer.seconds();
}

int run(int edge) {
  using namespace Batchwork;
  using Kokkos::LayoutRight;
  double const young = 1000, poisson = 0.3,
               lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
               mu = young / (2 * (1 + poisson));
  Mesh const mesh(edge);
  Pattern const pattern(mesh);
  std::size_t const rows = 3 * mesh.nodes, entries = pattern.columns.size();
  std::printf("%zu elements, %zu unknowns, %zu entries\n", mesh.elements, rows, entries);

  auto const x = to_view<Kokkos::View<double* [3], LayoutRight>>("nodes", mesh.x, mesh.nodes);
  auto const node = to_view<Kokkos::View<int* [corners], LayoutRight>>("element to node", mesh.node,
                                                                       mesh.elements);
  auto const place = to_view<Kokkos::View<int* [freedoms][freedoms], LayoutRight>>(
      "places", pattern.place, mesh.elements);
  check_indices(node, std::int64_t(mesh.nodes));
  Kokkos::View<double[3 * points][corners], LayoutRight> const shape("shape");
  auto const shape_host = Kokkos::create_mirror_view(shape);
  Shape const derivatives;
  std::memcpy(shape_host.data(), derivatives.d, sizeof(derivatives.d));
  Kokkos::deep_copy(shape, shape_host);

  // One kernel: gather, stiffness, assembly.
  Numbers const values("values", entries);
  Kokkos::View<int*> const codes("codes", mesh.elements);
  Stiffness const stiffness{lambda, mu};
  Exec const exec;
  Kokkos::Timer timer;
  double by_map = 1e30;
  for (int trial = 0; trial < 3; ++trial) {
    Kokkos::deep_copy(values, 0.0);
    Kokkos::fence("elements: start");
    timer.reset();
    map(exec, stiffness, add(scattered(values, place)), in(gathered(x, node)), common(shape),
        status(codes));
    by_map = std::min(by_map, seconds(timer));
  }
  timer.reset();
  std::vector<double> reference(entries, 0.0);
  add_by_loop(mesh, pattern, lambda, mu, reference);
  double const by_loop = timer.seconds();
  auto const assembled = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  double error = 0, largest = 0;
  for (std::size_t k = 0; k < entries; ++k) {
    double const d = std::fabs(assembled(k) - reference[k]);
    // NaN counts, too.
    error = d >= 0 ? std::max(error, d) : std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::fabs(reference[k]));
  }
  auto const host_codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  std::size_t failed = 0;
  for (std::size_t e = 0; e < mesh.elements; ++e) failed += host_codes(e) != 0 ? 1 : 0;
  double const per_element = 1e9 / double(mesh.elements);
  std::printf("assembly: %.0f ns an element, plain loop %.0f on one thread\n", by_map * per_element,
              by_loop * per_element);
  std::printf("difference to the plain loop: %.1e of the largest entry; %zu elements failed\n",
              error / largest, failed);
  bool good = error <= 1e-12 * largest && failed == 0;

  // The same in a fixed order.
  auto const plan = scatter_plan(place, std::int64_t(entries));
  Kokkos::View<double* [freedoms][freedoms], LayoutRight> const matrices("element matrices",
                                                                         mesh.elements);
  std::vector<double> first;
  for (int trial = 0; trial < 2; ++trial) {
    Kokkos::deep_copy(values, 0.0);
    map(exec, stiffness, out(matrices), in(gathered(x, node)), common(shape));
    scatter_add(exec, plan, matrices, values);
    auto const again = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    std::vector<double> const now(again.data(), again.data() + entries);
    if (trial > 0) good = good && std::memcmp(first.data(), now.data(), 8 * entries) == 0;
    else first = now;
  }
  std::printf("in a fixed order: %s bits on two runs\n", good ? "the same" : "different");

  // The side x = 0 is held; nodes of the side x = 1 share a force downwards.
  std::vector<int> fixed(rows, 0);
  std::vector<double> load(rows, 0.0);
  double const force = -1.0 / double((edge + 1) * (edge + 1));
  for (std::size_t n = 0; n < mesh.nodes; ++n) {
    if (mesh.x[3 * n] == 0) fixed[3 * n] = fixed[3 * n + 1] = fixed[3 * n + 2] = 1;
    if (mesh.x[3 * n] == 1) load[3 * n + 2] = force;
  }
  SparseMatrix const a{to_view<Kokkos::View<int*>>("offsets", pattern.offsets, rows + 1),
                       to_view<Kokkos::View<int*>>("columns", pattern.columns, entries), values,
                       to_view<Kokkos::View<int*>>("fixed", fixed, rows)};
  auto const b = to_view<Numbers>("load", load, rows);
  Numbers const u("displacements", rows);
  timer.reset();
  int const iterations = conjugate_gradients(a, b, u, 1e-10);
  double const solving = seconds(timer), residual = relative_residual(a, b, u);
  auto const moved = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  std::printf("conjugate gradients: %d iterations in %.3f s, residual %.1e; products by %s\n",
              iterations, solving, residual, multiplier());
  std::printf("the last corner moves by (%.3e, %.3e, %.3e)\n", moved(rows - 3), moved(rows - 2),
              moved(rows - 1));
  return good && iterations >= 0 && residual < 1e-9 && moved(rows - 1) < 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int edge = 12;
  for (int k = 1; k < argc; ++k) {
    char const* const value = k + 1 < argc ? argv[k + 1] : "";
    if (std::strcmp(argv[k], "--edge") != 0) {
      std::fprintf(stderr, "elements: unknown argument '%s'; elements [--edge n]\n", argv[k]);
      return 2;
    }
    char const* const end = value + std::strlen(value);
    auto const [stop, problem] = std::from_chars(value, end, edge);
    if (problem != std::errc() || stop != end || edge < 1 || edge > 200) {
      std::fprintf(stderr, "elements: --edge takes a whole number from 1 to 200, not '%s'\n",
                   value);
      return 2;
    }
    ++k;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run(edge);
}
