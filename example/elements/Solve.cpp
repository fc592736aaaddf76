// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Solve.hpp"

#if defined(BATCHWORK_HAVE_KOKKOSKERNELS)
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#endif
#include <cmath>
#include <string>

namespace {

int rows_of(SparseMatrix const& a) { return int(a.fixed.extent(0)); }

double dot(Numbers const& x, Numbers const& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "dot", int(x.extent(0)), KOKKOS_LAMBDA(int i, double& s) { s += x(i) * y(i); }, sum);
  return sum;
}
/// y = a x, with zeros for fixed unknowns.
void multiply(SparseMatrix const& a, Numbers const& x, Numbers const& y) {
  auto const fixed = a.fixed;
#if defined(BATCHWORK_HAVE_KOKKOSKERNELS)
  using Matrix = KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace, void, int>;
  Matrix const matrix("stiffness", rows_of(a), rows_of(a), int(a.values.extent(0)), a.values,
                      a.offsets, a.columns);
  KokkosSparse::spmv("N", 1.0, matrix, x, 0.0, y);
  Kokkos::parallel_for(
      "fix", rows_of(a), KOKKOS_LAMBDA(int i) {
        if (fixed(i) != 0) y(i) = 0;
      });
#else
  auto const offsets = a.offsets, columns = a.columns;
  auto const values = a.values;
  Kokkos::parallel_for(
      "multiply", rows_of(a), KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (int k = offsets(i); k < offsets(i + 1); ++k) sum += values(k) * x(columns(k));
        y(i) = fixed(i) != 0 ? 0 : sum;
      });
#endif
}
/// The diagonal of the matrix.
Numbers diagonal_of(SparseMatrix const& a) {
  Numbers const d("diagonal", std::size_t(rows_of(a)));
  auto const offsets = a.offsets, columns = a.columns;
  auto const values = a.values;
  Kokkos::parallel_for(
      "diagonal", rows_of(a), KOKKOS_LAMBDA(int i) {
        for (int k = offsets(i); k < offsets(i + 1); ++k)
          if (columns(k) == i) d(i) = values(k);
      });
  return d;
}

}  // namespace

char const* multiplier() {
#if defined(BATCHWORK_HAVE_KOKKOSKERNELS)
  return "Kokkos Kernels";
#else
  return "a plain loop, because Kokkos Kernels was not found";
#endif
}

int conjugate_gradients(SparseMatrix const& a, Numbers const& b, Numbers const& x,
                        double tolerance) {
  int const n = rows_of(a);
  Numbers const r("r", b.extent(0)), z("z", b.extent(0)), p("p", b.extent(0)), q("q", b.extent(0)),
      d = diagonal_of(a);
  auto const fixed = a.fixed;
  Kokkos::deep_copy(x, 0.0);
  Kokkos::parallel_for(
      "start", n, KOKKOS_LAMBDA(int i) {
        r(i) = fixed(i) != 0 ? 0 : b(i);
        z(i) = p(i) = r(i) / d(i);
      });
  double const limit = tolerance * std::sqrt(dot(r, r));
  double rz = dot(r, z);
  for (int k = 0; k < 5000; ++k) {
    if (std::sqrt(dot(r, r)) <= limit) return k;
    multiply(a, p, q);
    double const alpha = rz / dot(p, q);
    Kokkos::parallel_for(
        "step", n, KOKKOS_LAMBDA(int i) {
          x(i) += alpha * p(i);
          r(i) -= alpha * q(i);
          z(i) = r(i) / d(i);
        });
    double const before = rz;
    rz = dot(r, z);
    double const beta = rz / before;
    Kokkos::parallel_for("direction", n, KOKKOS_LAMBDA(int i) { p(i) = z(i) + beta * p(i); });
  }
  return -1;
}

double relative_residual(SparseMatrix const& a, Numbers const& b, Numbers const& x) {
  Numbers const r("residual", b.extent(0));
  multiply(a, x, r);
  auto const fixed = a.fixed;
  Kokkos::parallel_for(
      "residual", rows_of(a), KOKKOS_LAMBDA(int i) { r(i) = fixed(i) != 0 ? 0 : b(i) - r(i); });
  return std::sqrt(dot(r, r) / dot(b, b));
}
