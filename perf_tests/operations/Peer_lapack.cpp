// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peers on hosts: loops over LAPACK, and over BLASFEO by the same interface, items one after the
// other, each copied first, because they work in place; as many threads as the LAPACK takes.

#include <algorithm>

#include "../common/Blasfeo.hpp"
#include "../common/Lapack.hpp"
#include "Problem.hpp"

namespace BatchworkPerf {

namespace {

/// The lower triangle row by row is the upper one column by column.
template <template <class> class Routines, class T, int D, Operation O>
void loop_over_items(benchmark::State& state, std::int64_t items) {
  using R = Routines<T>;
  OperationProblem<T, D, Layout::item_contiguous, O> const p(items);
  bool well = true;
  Kokkos::View<int*, Memory> const all_pivots(
      "pivots", O == Operation::lu ? static_cast<std::size_t>(items * D) : 0);
  auto const launch = [&] {
    T factor[D * D];
    int some_pivots[D];
    int const n = D;
    [[maybe_unused]] int const one = 1;
    for (std::int64_t k = 0; k < items; ++k) {
      T const* const a = p.a.view.data() + k * D * D;
      T* const x = p.x.view.data() + k * D * p.C;
      T* const l = has_right_side(O) ? factor : x;
      [[maybe_unused]] int* const pivots =
          O == Operation::lu ? all_pivots.data() + k * D : some_pivots;
      std::copy(a, a + D * D, l);
      int info = 0;
      if constexpr (exchanges(O)) R::getrf(&n, &n, l, &n, pivots, &info);
      else R::potrf("U", &n, l, &n, &info);
      well = well && info == 0;
      if constexpr (has_right_side(O))
        std::copy(p.b.view.data() + k * D, p.b.view.data() + (k + 1) * D, x);
      if constexpr (O == Operation::solve_lu) R::getrs("T", &n, &one, l, &n, pivots, x, &n, &info);
      if constexpr (O == Operation::solve_cholesky) R::potrs("U", &n, &one, l, &n, x, &n, &info);
      well = well && info == 0;
    }
  };
  launch();
  double error = 0;
  if constexpr (O == Operation::lu) {
    Kokkos::parallel_for("order", Kokkos::RangePolicy<Exec>(0, items),
                         OrderRows<decltype(p.rows)>{p.rows, all_pivots.data()});
    error = p.error_of_factors(true);
  } else {
    error = p.error();
  }
  p.run(state, error, launch);
  if (!well) state.SkipWithError("LAPACK or BLASFEO reports an error");
}

template <template <class> class Routines, class T, Operation O, int... D>
void register_sizes(std::string const& implementation) {
  (register_operation<T, D, O>(implementation, Layout::item_contiguous,
                               loop_over_items<Routines, T, D, O>),
   ...);
}
template <template <class> class Routines, class T>
void register_factors(std::string const& implementation) {
  register_sizes<Routines, T, Operation::cholesky, 4, 8, 16, 24, 32, 33, 48, 54, 64>(
      implementation);
}
template <template <class> class Routines, class T>
void register_all_operations(std::string const& implementation) {
  register_factors<Routines, T>(implementation);
  register_sizes<Routines, T, Operation::solve_cholesky, 33, 48, 54, 64>(implementation);
  register_sizes<Routines, T, Operation::solve_lu, 3, 4, 6, 8, 12, 16, 24, 32, 33, 48, 54, 64>(
      implementation);
  register_sizes<Routines, T, Operation::lu, 3, 4, 8, 16, 32, 64>(implementation);
}

}  // namespace

#if defined(BATCHWORK_HAVE_LAPACK)
void register_lapack_operations() {
  register_all_operations<Lapack, float>("lapack");
  register_all_operations<Lapack, double>("lapack");
}
#endif
#if defined(BATCHWORK_HAVE_BLASFEO)
void register_blasfeo_operations() {
  register_factors<Blasfeo, float>("blasfeo");
  register_all_operations<Blasfeo, double>("blasfeo");
}
#endif

}  // namespace BatchworkPerf
