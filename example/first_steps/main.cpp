// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The program of docs/start/first_batch.md: positions from distances to beacons by least squares,
/// a filter over time, systems of 48 rows, sparse systems. All solutions are known. Exit status 1
/// if a result is wrong.

#include <Batchwork.hpp>
#include <cmath>
#include <cstdio>

namespace {

constexpr int items = 10000, beacons = 5;
constexpr int degenerate = 137;  // the item whose beacons do not determine the height

// One Gauss-Newton step for one position: the least-squares solution of j x = r.
struct Fix {
  template <class X, class J, class R>
  KOKKOS_FUNCTION void operator()(X& x, J const& j, R const& r) const {
    auto const normal = Batchwork::gram(j);  // j' j
    x = Batchwork::cholesky(normal).solve(transpose(j) * r);
  }
};

// A moving position: predicted by its velocity, then corrected by the measurement.
struct Follow {
  template <class X, class V, class Z, class Gain>
  KOKKOS_FUNCTION void operator()(X& x, V& v, Z const& z, Gain const& gain) const {
    auto const seen = z - (x + v);
    x += v + gain * seen;
    v += gain * gain * seen;
  }
};

int errors = 0;
void expect(char const* what, double difference, double bound) {
  bool const right = difference <= bound;  // false for a NaN
  std::printf("%-42s %.1e %s\n", what, difference, right ? "right" : "WRONG");
  errors += !right;
}

double wave(int n, int i, int j = 0) { return std::sin(1 + 0.7 * n + 2.3 * i + 5.1 * j); }

void positions() {
  using namespace Batchwork;
  Kokkos::View<double* [beacons][3]> J("J", items);
  Kokkos::View<double* [beacons]> r("r", items);
  Kokkos::View<double* [3]> x("x", items);
  Kokkos::View<int*> codes("codes", items);
  auto const host_J = Kokkos::create_mirror_view(J);
  auto const host_r = Kokkos::create_mirror_view(r);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < beacons; ++i) {
      for (int j = 0; j < 3; ++j)
        host_J(n, i, j) = n == degenerate && j == 2 ? 0 : (i % 3 == j) + 0.2 * wave(n, i, j);
      host_r(n, i) = host_J(n, i, 0) + 2 * host_J(n, i, 1) + 3 * host_J(n, i, 2);
    }
  Kokkos::deep_copy(J, host_J);
  Kokkos::deep_copy(r, host_r);

  map(Fix{}, out(x), in(J), in(r), status(codes));

  auto const host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const host_codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  double difference = 0;
  int failed = 0;
  for (int n = 0; n < items; ++n) {
    if (host_codes(n) != 0) {
      std::printf("item %d: %s, pivot %d\n", n, to_string(Status::reason(host_codes(n))),
                  Status::info(host_codes(n)));
      ++failed;
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      double const d = std::fabs(host_x(n, i) - (i + 1));
      if (!(d <= difference)) difference = d;
    }
  }
  expect("positions by least squares", difference, 1e-12);
  expect("failed items, except the planted one", std::fabs(failed - 1.0), 0);
}

void tracks() {
  using namespace Batchwork;
  int const steps = 200;
  Kokkos::View<double** [2]> z("z", items, steps);  // (item, time, coordinate)
  Kokkos::View<double* [2]> x("x", items), v("v", items);
  auto const host_z = Kokkos::create_mirror_view(z);
  for (int n = 0; n < items; ++n)
    for (int t = 0; t < steps; ++t)
      for (int i = 0; i < 2; ++i) host_z(n, t, i) = wave(n, i) * (t + 1);
  Kokkos::deep_copy(z, host_z);

  scan(steps, Follow{}, carry(x, x), carry(v, v), each(z), common(fixed(0.5)));

  auto const host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  double difference = 0;
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < 2; ++i) {
      double const d = std::fabs(host_x(n, i) - steps * wave(n, i));
      if (!(d <= difference)) difference = d;
    }
  expect("tracks after 200 steps", difference, 1e-10);
}

void larger_matrices() {
  using namespace Batchwork;
  int const n = 48, batch = 500;
  // LayoutRight keeps the entries of an item together, which is faster for whole matrices.
  Kokkos::View<double***, Kokkos::LayoutRight> A("A", batch, n, n);
  Kokkos::View<double**, Kokkos::LayoutRight> b("b", batch, n);
  auto const host_A = Kokkos::create_mirror_view(A);
  auto const host_b = Kokkos::create_mirror_view(b);
  for (int k = 0; k < batch; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        host_A(k, i, j) = (i == j) * 10 + wave(k, i, j);
        host_b(k, i) += host_A(k, i, j) * wave(k, j);
      }
  Kokkos::deep_copy(A, host_A);
  Kokkos::deep_copy(b, host_b);

  solve_lu(in(A), inout(b));  // the solutions take the place of the right-hand sides

  auto const host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double difference = 0;
  for (int k = 0; k < batch; ++k)
    for (int i = 0; i < n; ++i) {
      double const d = std::fabs(host_x(k, i) - wave(k, i));
      if (!(d <= difference)) difference = d;
    }
  expect("systems of 48 rows by lu", difference, 1e-12);
}

void sparse_systems() {
  using namespace Batchwork;
  int const rows = 100, entries = 3 * rows - 2;
  Kokkos::View<int*> row_offsets("row_offsets", rows + 1), columns("columns", entries);
  Kokkos::View<double**, Kokkos::LayoutRight> values("values", items, entries);
  Kokkos::View<double**, Kokkos::LayoutRight> b("b", items, rows), x("x", items, rows);
  auto const host_offsets = Kokkos::create_mirror_view(row_offsets);
  auto const host_columns = Kokkos::create_mirror_view(columns);
  auto const host_values = Kokkos::create_mirror_view(values);
  auto const host_b = Kokkos::create_mirror_view(b);
  int e = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = i > 0 ? i - 1 : 0; j < rows && j <= i + 1; ++j, ++e) {
      host_columns(e) = j;
      for (int n = 0; n < items; ++n) {
        host_values(n, e) = i == j ? 3 + 0.5 * wave(n, i) : -1;
        host_b(n, i) += host_values(n, e) * wave(n, j);
      }
    }
    host_offsets(i + 1) = e;
  }
  Kokkos::deep_copy(row_offsets, host_offsets);
  Kokkos::deep_copy(columns, host_columns);
  Kokkos::deep_copy(values, host_values);
  Kokkos::deep_copy(b, host_b);

  auto const A = csr(row_offsets, columns, values);
  auto const log = SolveLog<double>::allocated(items);
  solve(conjugate_gradients(relative(1e-12, 200)), jacobi(), A, b, x, log);

  auto const reasons = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), log.reason);
  auto const host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  double difference = 0;
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i) {
      double const d = std::fabs(host_x(n, i) - wave(n, i));
      if (!(d <= difference)) difference = d;
    }
  int open = 0;
  for (int n = 0; n < items; ++n) open += reasons(n) != 0;
  expect("sparse systems by conjugate gradients", difference, 1e-10);
  expect("sparse systems not converged", open, 0);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  positions();
  tracks();
  larger_matrices();
  sparse_systems();
  return errors == 0 ? 0 : 1;
}
