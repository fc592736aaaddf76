// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The same systems as ell, by diagonals, and as dense matrices. The floor counts csr for
// all of them, so that formats can be compared.

#include <algorithm>
#include <set>

#include "Solve.hpp"

namespace BatchworkPerf {

namespace {

template <class To>
struct FillEll {
  To to;
  Kokkos::View<int const*, Memory> row_offsets;
  SolveProblem::Vectors values;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    int const rows = static_cast<int>(to.extent(1)), width = static_cast<int>(to.extent(2));
    for (int i = 0; i < rows; ++i) {
      int const first = row_offsets(i), count = row_offsets(i + 1) - first;
      for (int k = 0; k < width; ++k) to(n, i, k) = k < count ? values(n, first + k) : 0.0;
    }
  }
};

template <class To>
struct FillDia {
  To to;
  Kokkos::View<int const*, Memory> row_offsets, columns, diagonals;
  SolveProblem::Vectors values;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    int const count = static_cast<int>(to.extent(1)), rows = static_cast<int>(to.extent(2));
    for (int i = 0; i < rows; ++i)
      for (int d = 0, k = row_offsets(i); d < count; ++d) {
        bool const there = k < row_offsets(i + 1) && columns(k) == i + diagonals(d);
        to(n, d, i) = there ? values(n, k++) : 0.0;
      }
  }
};

template <class To>
struct FillDense {
  To to;
  Kokkos::View<int const*, Memory> row_offsets, columns;
  SolveProblem::Vectors values;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    int const rows = static_cast<int>(to.extent(1));
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < rows; ++j) to(n, i, j) = 0;
      for (int k = row_offsets(i); k < row_offsets(i + 1); ++k) to(n, i, columns(k)) = values(n, k);
    }
  }
};

/// An item's places are column-major: neighbouring rows are neighbours.
template <Solver S, Preconditioner P>
void solve_ell(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem const p(family, items);
  auto const& offsets = p.distinct.row_offsets;
  int width = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    width = std::max(width, offsets[i + 1] - offsets[i]);
  auto const n = static_cast<std::size_t>(items), rows = static_cast<std::size_t>(p.rows),
             most = static_cast<std::size_t>(width);
  Kokkos::View<int**, Kokkos::LayoutLeft, Memory> const columns("columns", rows, most);
  auto const host = Kokkos::create_mirror_view(columns);
  for (int i = 0; i < p.rows; ++i) {
    int const first = offsets[std::size_t(i)], count = offsets[std::size_t(i) + 1] - first;
    for (int k = 0; k < width; ++k)
      host(i, k) = k < count ? p.distinct.columns[std::size_t(first + k)] : -1;
  }
  Kokkos::deep_copy(columns, host);
  using Values = Kokkos::View<double***, Kokkos::LayoutStride, Memory>;
  Values const values("values", Kokkos::LayoutStride(n, rows * most, rows, 1, most, rows));
  Kokkos::parallel_for("ell", SolveProblem::Range(0, items),
                       FillEll<Values>{values, p.row_offsets, p.values});
  solve_and_report<S, P>(state, p, Batchwork::ell(columns, values));
}

template <Solver S, Preconditioner P>
void solve_dia(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem const p(family, items);
  std::set<int> offsets;
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.distinct.row_offsets[std::size_t(i)];
         k < p.distinct.row_offsets[std::size_t(i) + 1]; ++k)
      offsets.insert(p.distinct.columns[std::size_t(k)] - i);
  Kokkos::View<int*, Memory> const diagonals("diagonals", offsets.size());
  auto const host = Kokkos::create_mirror_view(diagonals);
  std::copy(offsets.begin(), offsets.end(), host.data());
  Kokkos::deep_copy(diagonals, host);
  using Values = Kokkos::View<double***, Kokkos::LayoutRight, Memory>;
  Values const values("values", static_cast<std::size_t>(items), offsets.size(),
                      static_cast<std::size_t>(p.rows));
  Kokkos::parallel_for("dia", SolveProblem::Range(0, items),
                       FillDia<Values>{values, p.row_offsets, p.columns, diagonals, p.values});
  solve_and_report<S, P>(state, p, Batchwork::dia(diagonals, values));
}

template <Solver S, Preconditioner P>
void solve_dense(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem const p(family, items);
  auto const rows = static_cast<std::size_t>(p.rows);
  using Values = Kokkos::View<double***, Kokkos::LayoutRight, Memory>;
  Values const values("values", static_cast<std::size_t>(items), rows, rows);
  Kokkos::parallel_for("dense", SolveProblem::Range(0, items),
                       FillDense<Values>{values, p.row_offsets, p.columns, p.values});
  solve_and_report<S, P>(state, p, Batchwork::dense(values));
}

}  // namespace

void register_batchwork_formats() {
  constexpr auto none = Preconditioner::none, jacobi = Preconditioner::jacobi;
  for (Family const& f : stencils())
    register_solve("solve", "batchwork", f, "ell", method_name<Solver::bicgstab, none>(),
                   batch_items, solve_ell<Solver::bicgstab, none>);
  for (Family const& f : stencils())
    register_solve("solve", "batchwork", f, "dia", method_name<Solver::bicgstab, none>(),
                   batch_items, solve_dia<Solver::bicgstab, none>);
  for (auto const& families : {chemistry(), mechanisms()})
    for (Family const& f : families) {
      register_solve("solve", "batchwork", f, "ell", method_name<Solver::bicgstab, jacobi>(),
                     batch_items, solve_ell<Solver::bicgstab, jacobi>);
      register_solve("solve", "batchwork", f, "dense", method_name<Solver::bicgstab, jacobi>(),
                     batch_items, solve_dense<Solver::bicgstab, jacobi>);
    }
}

}  // namespace BatchworkPerf
