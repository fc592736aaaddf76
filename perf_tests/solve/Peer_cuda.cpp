// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: cuBLAS' batched LU factorisation with pivoting and its solve, of dense matrices. They
// overwrite the matrices, which are filled again before every sample, outside of its time. Where
// all of them would take too much memory there are fewer items, and the time of one is what
// compares.

#include "../common/Cuda.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
namespace BatchworkPerf {

namespace {

/// Column by column. One entry of one item at a time; the zeros are there already.
struct FillColumns {
  double* to;
  int rows, nonzeros;
  Kokkos::View<int const*, Memory> row_of, columns;
  SolveProblem::Vectors values;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t const item = k / nonzeros;
    int const entry = static_cast<int>(k % nonzeros);
    to[(item * rows + columns(entry)) * rows + row_of(entry)] = values(item, entry);
  }
};

void cuda_solve(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem const p(family, items);
  auto const n = static_cast<std::size_t>(items), rows = static_cast<std::size_t>(p.rows);
  Kokkos::View<double*, Memory> const a(
      Kokkos::view_alloc(std::string("matrices"), Kokkos::WithoutInitializing), n * rows * rows);
  Kokkos::View<int*, Memory> const pivots("pivots", n * rows), info("info", n);
  Kokkos::View<std::uintptr_t*, Memory> const a_pointers("pointers", n), x_pointers("pointers", n);
  auto const as = reinterpret_cast<double**>(a_pointers.data());
  auto const xs = reinterpret_cast<double**>(x_pointers.data());
  SolveProblem::Range const all(0, items);
  Kokkos::parallel_for("point", all,
                       PointAt<double>{as, a.data(), static_cast<std::int64_t>(rows * rows)});

  Kokkos::View<int*, Memory> const row_of("rows", static_cast<std::size_t>(p.nonzeros));
  auto const host = Kokkos::create_mirror_view(row_of);
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.distinct.row_offsets[std::size_t(i)];
         k < p.distinct.row_offsets[std::size_t(i) + 1]; ++k)
      host(k) = i;
  Kokkos::deep_copy(row_of, host);

  auto const prepare = [&](SolveProblem::Vectors const& x) {
    Kokkos::deep_copy(Exec(), a, 0.0);
    Kokkos::parallel_for("fill", SolveProblem::Range(0, items * p.nonzeros),
                         FillColumns{a.data(), p.rows, p.nonzeros, row_of, p.columns, p.values});
    Kokkos::deep_copy(Exec(), x, p.b);
    Kokkos::parallel_for("point", all, PointAt<double>{xs, x.data(), p.rows});
  };
  bool well = true;
  auto const launch = [&](SolveProblem::Vectors const&) {
    int const count = static_cast<int>(items);
    int of_arguments = 0;
    well = cublasDgetrfBatched(handles().blas, p.rows, as, p.rows, pivots.data(), info.data(),
                               count) == CUBLAS_STATUS_SUCCESS &&
           cublasDgetrsBatched(handles().blas, CUBLAS_OP_N, p.rows, 1, as, p.rows, pivots.data(),
                               xs, p.rows, &of_arguments, count) == CUBLAS_STATUS_SUCCESS &&
           of_arguments == 0 && well;
  };
  // A matrix is good for one launch.
  p.run(state, prepare, launch, [] { return Said{}; }, 1);
  if (!well) state.SkipWithError("cuBLAS reports an error");
}

void register_lu(Family const& f) {
  if (f.rows == 0) return;
  // A fifth of the memory of a large device.
  constexpr double room = 24e9;
  std::int64_t items = batch_items;
  while (8.0 * static_cast<double>(items) * f.rows * f.rows > room) items /= 2;
  register_solve("solve", "cublas", f, "dense", "lu", items, cuda_solve);
}

}  // namespace

void register_cuda_solvers() {
  for (Family const& f : stencils()) register_lu(f);
  for (Family const& f : chemistry()) register_lu(f);
}

}  // namespace BatchworkPerf
#endif
