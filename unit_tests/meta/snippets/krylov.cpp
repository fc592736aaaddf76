// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code that docs/reference/krylov and docs/guides/stiff_chemistry.md show.
#include <Batchwork.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <krylov/formats/Batchwork_ReadSystems.hpp>
#include <vector>

namespace doc_krylov {

using namespace Batchwork;

using Exec = Kokkos::DefaultExecutionSpace;

/// Divides by a diagonal that the functor computes.
struct DivideByRow {
  int rows;

  template <class Lanes, class R, class Z>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t /*item*/, R const& r,
                                  Z const& z) const {
    lanes.for_each(rows, [&](int i) { z(i) = r(i) / (1 + i); });
  }
};

template <class Matrices>
void own_preconditioner(Exec const& exec, Matrices const& A, Kokkos::View<double**> b,
                        Kokkos::View<double**> x) {
  int const rows = int(A.rows());
  solve(exec, bicgstab(relative(1e-8)), preconditioner(DivideByRow{rows}), A, b, x);
}

void by_diagonals(Exec const& exec, std::int64_t items, int rows, Kokkos::View<double**> b,
                  Kokkos::View<double**> x) {
  Kokkos::View<int*> offsets("offsets", 3);  // -1, 0, 1: below, on and above the diagonal
  Kokkos::View<double***, Kokkos::LayoutRight> values("values", items, 3, rows);
  // values(item, 0, i) is in column i - 1, values(item, 2, i) in column i + 1.
  auto const A = dia(offsets, values);
  solve(exec, conjugate_gradients(relative(1e-8)), no_preconditioner(), A, b, x);
}

template <class Matrices>
void criteria(Exec const& exec, Matrices const& A, Kokkos::View<double**> b,
              Kokkos::View<double**> x, std::int64_t items) {
  StoppingCriteria stop = relative_to_start(1e-6, 200);  // |b - A x| <= 1e-6 |b - A x_0|
  stop.divergence_limit = 1e8;                           // instead of 1e5
  auto log = SolveLog<double>::allocated(items);
  log.history = Kokkos::View<double**>("history", items, 200);  // (item, iteration)
  solve(exec, bicgstab(stop), jacobi(), A, b, x, log);
}

inline void worst_item(SolveLog<double> const& log) {
  auto const all = outcomes(log);  // waits for the kernel
  auto const worst = std::max_element(all.begin(), all.end(), [](auto const& p, auto const& q) {
    return p.converged() == q.converged() ? p.residual < q.residual : p.converged();
  });
  std::printf("item %td: %s\n", worst - all.begin(), worst->text().c_str());
  std::printf("%s\n", explain_solve(worst->code).c_str());
}

template <class Matrices>
void divided(Exec const& exec, Matrices const& A, Kokkos::View<double**> b,
             Kokkos::View<double**> x) {
  // 64 lanes for each system, matrix read in place.
  WorkDivision const division{Placement::in_place, 64, 1};
  solve(exec, division, bicgstab(relative(1e-8)), jacobi(), A, b, x);
}

template <class Matrices>
void triangles(Exec const& exec, Matrices const& A, Kokkos::View<double**> b,
               Kokkos::View<double**> x, Kokkos::View<int*> codes) {
  solve_triangular(exec, Triangle::unit_lower, A, b, x, status(codes));  // L x = b
  solve_triangular(exec, Triangle::upper, A, x, x);                      // U x = x, in place
}

template <class Matrices>
void own_order(Exec const& exec, Matrices const& A, std::vector<int> const& order,
               Kokkos::View<double**> b, Kokkos::View<double**> x) {
  auto const symbolic = symbolic_lu(exec, A, order);  // of AMD or METIS
  solve(exec, direct_lu(symbolic, relative(1e-10)), A, b, x);
}

void from_files(Exec const& exec, Kokkos::View<double**> b, Kokkos::View<double**> x) {
  auto const systems = read_systems("mechanism").in<Exec::memory_space>();
  solve(exec, direct_lu(relative(1e-10)), systems.csr(), b, x);
}

void implicit_step(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
                   Kokkos::View<double**, Kokkos::LayoutRight> jacobian,
                   Kokkos::View<double*> inverse_h, Kokkos::View<double**> residual,
                   Kokkos::View<double**> update, Kokkos::View<double**> weights,
                   std::int64_t items) {
  // jacobian(item, entry) holds J; the call changes it to I / h - J, with an h for each item.
  auto const A = csr(row_offsets, columns, jacobian);
  add_scaled_identity(exec, inverse_h, A, -1);
  auto const log = SolveLog<double>::allocated(items);
  solve(exec, direct_lu(relative(1e-6)), A, residual, update, log);

  // The same step by iterations, to the tolerance of an integrator:
  // weights(item, row) = 1 / (rtol |y| + atol).
  solve(exec, weighted(bicgstab(absolute(0.05)), weights), jacobi(), A, residual, update, log);
}

void by_mechanism(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
                  Kokkos::View<double**, Kokkos::LayoutRight> matrices,
                  Kokkos::View<double**> residual, Kokkos::View<double**> update,
                  std::int64_t items) {
  auto const A = csr(row_offsets, columns, matrices);
  auto const symbolic = symbolic_lu(exec, A);  // once for a mechanism, on the host
  auto log = SolveLog<double>::allocated(items);
  log.dense_form = Kokkos::View<int*>("dense form", items);
  solve(exec, direct_lu(symbolic, relative(1e-6)), A, residual, update, log);
  double const share = dense_share(outcomes(log));  // of items that needed row exchanges
  if (share > 0.5) solve(exec, direct_lu(relative(1e-6)), A, residual, update, log);
}

inline void all(Exec const& exec) {
  Kokkos::View<int*> const offsets("offsets", 3), columns("columns", 2);
  Kokkos::View<double**, Kokkos::LayoutRight> const values("values", 1, 2);
  Kokkos::View<double**> const b("b", 1, 2), x("x", 1, 2);
  Kokkos::View<int*> const codes("codes", 1);
  auto const A = csr(offsets, columns, values);
  own_preconditioner(exec, A, b, x);
  criteria(exec, A, b, x, 1);
  divided(exec, A, b, x);
  triangles(exec, A, b, x, codes);
  own_order(exec, A, {0, 1}, b, x);
}

}  // namespace doc_krylov
