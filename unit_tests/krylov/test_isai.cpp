// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isai and spd_isai: their application against LAPACK's solutions of the local systems, in every
// format; solvers with them; local systems without a solution; misuse.
#include "krylov/DiaCase.hpp"
#include "krylov/IsaiCase.hpp"
#include "krylov/formats/Batchwork_AnyMatrices.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct IsaiOf : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(IsaiOf, Numbers);

TYPED_TEST(IsaiOf, SolvesTheLocalSystems) {
  using T = TypeParam;
  Random random(1);
  for (int entries : {1, 3, 5, 9, 17, 32})
    for (int rows : {1, 7, 40})
      for (auto how : all_arranged) {
        std::int64_t const items = rows < 10 ? 9 : 3;
        bool const symmetric = how != Arranged::strided;
        SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(entries) +
                     " entries, arranged " + std::to_string(int(how)));
        Matrices<T> const a(narrow_pattern(random, rows, entries), items, how);
        for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, symmetric);
        a.upload();
        // One type for all formats, which are selected at run time.
        AnyMatrices<T> any = a.csr();
        expect_isai(ByVerb(), a, any, a.pattern, symmetric, how, random);
        any = a.ell();
        expect_isai(ByVerb(), a, any, a.pattern, symmetric, how, random);
        if (rows <= 32) {
          any = a.dense();
          expect_isai(ByVerb(), a, any, full_pattern(rows), symmetric, how, random);
        }
        DiaOf<T> const d(a, how);
        if (d.offsets.size() <= 32) {
          any = d.dia();
          expect_isai(ByVerb(), a, any, d.pattern, symmetric, how, random);
        }
      }
}

/// For a diagonal matrix and for one row, it is the inverse. If off-diagonal entries are large, it
/// helps more than Jacobi.
TEST(Isai, Solvers) {
  Random random(2);
  int const rows = 60;
  std::int64_t const items = 9;
  Matrices<double> const a(tridiagonal(rows), items, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < int(a.pattern.columns[std::size_t(i)].size()); ++k)
        a.put(n, i, k, a.pattern.columns[std::size_t(i)][std::size_t(k)] == i ? 2.02 : -1);
  a.upload();
  ArrangedBatch<double> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous);
  b.randomise(random);
  auto const log = SolveLog<double>::allocated(items);
  auto const stop = relative(1e-8, 400);
  auto const iterations = [&](auto const& solver, auto const& m) {
    x.fill(0);
    ByVerb()(solver, m, a.csr(), b, x, log);
    x.download();
    HostLog<double> const said(log);
    int most = 0;
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
      expect_honest(said, n, residual_truth(a.full, n, x, b), 1e-8);
      most = std::max(most, said.iterations(n));
    }
    return most;
  };
  int const plain = iterations(conjugate_gradients(stop), jacobi());
  EXPECT_LE(3 * iterations(conjugate_gradients(stop), spd_isai()), 2 * plain);
  EXPECT_LE(iterations(bicgstab(stop), isai()), plain);
  iterations(gmres(20, stop), isai());
  iterations(scaled(bicgstab(stop)), isai());
  auto const identity = scaled_identity<double>(rows, 4);
  expect_application<double>(
      ByVerb(), isai(), identity, rows, 3, Arranged::item_contiguous,
      [](std::int64_t, auto r) {
        for (auto& v : r) v /= 4;
        return r;
      },
      1, random);
}

TEST(Isai, SingularLocalSystems) {
  Random random(3);
  expect_singular_alone<double>(ByVerb(), random);
}

TEST(Isai, InvalidPatterns) {
  Random random(4);
  expect_isai_invalid<double>(ByVerb(), random);
}

TEST(IsaiMisuse, IsNamed) {
  Kokkos::View<double**, Space> const x("x", 2, 40), b("b", 2, 40);
  Kokkos::View<double***, Space> const full("full", 2, 40, 40);
  auto const s = bicgstab(relative(1e-8, 100));
  expect_says(message_of([&] { solve(s, isai(), dense(full), b, x); }),
              {"Batchwork::solve: operand 2, isai: rows of 40 entries, more than the limit of 32",
               "; give block_jacobi or ilu"});
  expect_says(
      message_of([&] { solve(s, spd_isai(), matrix_free(40, Neighbours<double>{40}), b, x); }),
      {"operand 2, spd_isai: matrix_free has no entries", "; give"});
  EXPECT_EQ(explain_solve(Status::code(Reason::breakdown, Breakdown::preconditioner)),
            "breakdown: this item has no such preconditioner (isai: a local system is singular); "
            "use jacobi() or block_jacobi(...)");
}

}  // namespace
}  // namespace Batchwork::Test
