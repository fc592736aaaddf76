// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weighted norms in the stopping test.
#include "krylov/ScaledCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveWeighted : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveWeighted, Numbers);

TYPED_TEST(SolveWeighted, InEveryWay) {
  using T = TypeParam;
  Random random(13);
  bool const single = sizeof(T) == 4;
  int const rows = 14;
  std::int64_t const items = 23;
  // As in an integrator: A couples unknowns of very different sizes, and the weights are their
  // inverses.
  ArrangedBatch<T> const a(items, rows, rows, Arranged::item_contiguous),
      b(items, rows, 1, Arranged::item_contiguous), w(items, rows, 1, Arranged::strided);
  Kokkos::View<T*> const one("weights", std::size_t(rows));
  auto const one_on_host = Kokkos::create_mirror_view(one);
  for (std::int64_t n = 0; n < items; ++n) {
    std::vector<double> size(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) {
      size[std::size_t(i)] = std::pow(10.0, (single ? 6 : 10) * (i % 5 - 2) / 4.0);
      w.at(n, i, 0) = T(random(0.5, 3.0) / size[std::size_t(i)]);
      if (n == 0) one_on_host(std::size_t(i)) = w.at(0, i, 0);
      b.at(n, i, 0) = T(random() * size[std::size_t(i)]);
    }
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        a.at(n, i, j) =
            T((i == j ? 0.8 * rows : random()) * size[std::size_t(i)] / size[std::size_t(j)]);
  }
  w.at(1, 3, 0) = T(0);  // a row with weight zero
  w.at(2, 4, 0) = -w.at(2, 4, 0);
  a.upload();
  b.upload();
  w.upload();
  Kokkos::deep_copy(one, one_on_host);
  auto const A = dense(a.batch());
  auto const stop = relative(single ? 1e-4 : 1e-9, 100);
  auto const with = [&](auto const& solver, auto const& m, auto const& A_of, auto const& weights,
                        auto const& factor, char const* what) {
    auto const how = weighted(solver, weights);
    FencedWorkspace<T> const memory(workspace_numbers<T>(Space(), how, m, A_of, items));
    for (T const start : {T(0), T(1e-3)}) {
      Tally const t = expect_true(how, memory, m, A_of, a, b, false, factor, start, what);
      EXPECT_EQ(t.converged, t.all) << what;
    }
  };
  auto const of_item = [&](std::int64_t n, int i) { return w.at(n, i, 0); };
  auto const of_all = [&](std::int64_t, int i) { return one_on_host(std::size_t(i)); };
  with(bicgstab(stop), jacobi(), A, vectors(w), of_item, "bicgstab");
  with(bicgstab(stop), no_preconditioner(), A, common(one), of_all, "bicgstab, common");
  with(gmres(14, stop), block_jacobi(7), A, vectors(w), of_item, "gmres");
  with(gmres(14, relative_to_start(single ? 1e-3 : 1e-8, 100)), no_preconditioner(), A, common(one),
       of_all, "gmres, to start");
  with(scaled(bicgstab(stop)), jacobi(), A, vectors(w), of_item, "scaled, weighted");

  // The rounding errors of the functor are not known, so no agreement to the last digit is
  // expected.
  ArrangedBatch<T> const x(items, rows, 1, Arranged::item_contiguous);
  x.fill(T(0));
  auto const log = whole_log<T>(items);
  solve(weighted(bicgstab(stop), vectors(w)), no_preconditioner(),
        matrix_free(rows, Applied<T>{a.batch(), rows}), vectors(b), vectors(x), log);
  x.download();
  std::int64_t n = 0;
  for (auto const& outcome : outcomes(log)) {
    EXPECT_TRUE(outcome.converged()) << outcome.text();
    auto const t = exact_norms(a, b, x, n, [&](int i) { return of_item(n, i); });
    EXPECT_LE(t.residual, 1.01 * stop.tolerance * t.right_side);
    ++n;
  }
}

}  // namespace
}  // namespace Batchwork::Test
