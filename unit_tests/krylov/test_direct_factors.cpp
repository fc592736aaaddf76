// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// factorize, and solve with the factors that it stores.
#include "krylov/Batchwork_DirectFactors.hpp"

#include "krylov/DirectCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

/// factorize and then solve must give the same as a single solve.
struct InTwoCalls {
  template <class T, class Solver, class A>
  void operator()(Solver const& solver, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    FencedWorkspace<T> const memory(factors_numbers(Space(), solver, a, x.items));
    auto f = factorize(Space(), solver, a, memory().view, log);
    f.refinements = solver.refinements;
    auto rest = log;
    rest.reciprocal_growth = rest.reciprocal_condition = {};
    if (b.cols == 1) solve(Space(), f, a, vectors(b), vectors(x), rest);
    else solve(Space(), f, b.batch(), x.batch(), rest);
    EXPECT_TRUE(memory.fenced());
  }
};

template <class T>
void check_all_factors(std::initializer_list<int> sizes, int columns, std::int64_t items) {
  Random random(21);
  int k = 0;
  for (int rows : sizes)
    check_direct_formats<T>(rows, columns, items, all_arranged[k++ % 4], random, InTwoCalls(),
                            false);
}

TEST(DirectFactors, AsSolve) {
  check_all_factors<double>({1, 2, 5, 22, 54, 64}, 1, 11);
  check_all_factors<float>({3, 8, 33}, 2, 19);
}
TEST(DirectFactors, OneItemAfterTheOther) {
  check_all_factors<double>({7, 40}, 1, 1);
  check_all_factors<double>({65, 100}, 2, 3);
  check_all_factors<double>({260}, 1, 1);
}

/// A batch whose matrices are regular, and the same pattern with other numbers.
template <class T>
struct Perturbed {
  std::int64_t items;
  DirectBatch<T> of;

  Perturbed(int rows, std::int64_t count)
      : items(count), of(full_pattern(rows), 1, count, Arranged::item_contiguous) {
    put(0);
  }
  /// With elements that differ by this factor.
  void put(double by) const {
    Random random(5), other(6);
    int const rows = of.a.pattern.rows;
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < rows; ++k) {
          double const x = random() + (i == k ? rows : 0);
          bool const is_singular = n == items / 2 && k == 0;
          of.a.put(n, i, k, is_singular ? T(0) : T(x + by * other()));
        }
        of.b.at(n, i, 0) = T(random() + 2);
      }
    of.a.upload(), of.b.upload();
  }
};

template <class Factor>
void check_modified_newton(int rows, std::int64_t items) {
  SCOPED_TRACE(std::to_string(rows) + " rows");
  Perturbed<double> const p(rows, items);
  auto const& [a, b, x, log] = p.of;
  auto const solver = direct_lu<Factor>(relative(1e-11));
  Kokkos::View<double*, Space> const memory("factors",
                                            std::size_t(factors_numbers(solver, a.csr(), items)));
  auto const f = factorize(solver, a.csr(), memory, log);
  Kokkos::fence();
  for (std::int64_t n = 0; n < items; ++n)
    EXPECT_EQ(HostLog<double>(log).reason(n), n == items / 2 ? Reason::singular : Reason::success);
  auto const check = [&](double by, int least, int most) {
    p.put(by);
    for (bool with_matrices : {true, false}) {
      x.fill(poison<double>());
      if (with_matrices) solve(f, a.dense(), vectors(b), vectors(x), log);
      else solve(launch("again"), f, vectors(b), vectors(x), log);
      x.download();
      HostLog<double> const host(log);
      for (std::int64_t n = 0; n < items; ++n) {
        if (n == items / 2) {
          ASSERT_EQ(host.reason(n), Reason::singular);
          ASSERT_EQ(host.info(n), 1);
          for (int i = 0; i < rows; ++i) ASSERT_TRUE(std::isnan(x.at(n, i, 0)));
          continue;
        }
        auto const truth = residual_truth(a.full, n, x, b);
        ASSERT_EQ(host.reason(n), Reason::success) << "item " << n << ": " << host.residual(n);
        ASSERT_LE(truth.norm, 1e-11 * truth.right_side * (1 + 1e-12));
        ASSERT_GE(host.iterations(n), least);
        ASSERT_LE(host.iterations(n), most);
      }
    }
  };
  bool const is_mixed = !std::is_void_v<Factor>;
  check(0, 0, is_mixed ? 5 : 0);
  check(1e-4, 1, 8);
  check(0.3, 3, 30);
  // These factors are too different: refinement does not reach the tolerance and must report this.
  // With no steps there is no refinement.
  auto other = f;
  other.refinements = 1;
  p.put(0.3);
  solve(other, a.csr(), vectors(b), vectors(x), log);
  Kokkos::fence();
  EXPECT_EQ(HostLog<double>(log).reason(0), Reason::stagnated);
  EXPECT_EQ(HostLog<double>(log).iterations(0), 1);
  EXPECT_LT(HostLog<double>(log).residual(0), HostLog<double>(log).recurrence(0));
}

TEST(DirectFactors, ModifiedNewton) {
  for (int rows : {9, 22, 70}) check_modified_newton<void>(rows, 13);
  check_modified_newton<float>(22, 19);
}

TEST(DirectFactors, Nothing) {
  Matrices<double> const a(full_pattern(3), 0, Arranged::item_contiguous);
  ArrangedBatch<double> const b(0, 3, 1, Arranged::item_contiguous);
  EXPECT_EQ(factors_numbers(direct_lu(), a.dense(), 0), 0);
  Kokkos::View<double*, Space> const none;
  auto const f = factorize(direct_lu(), a.dense(), none);
  solve(f, vectors(b), vectors(b));
}

TEST(DirectFactors, Misuse) {
  Matrices<double> const a(full_pattern(3), 4, Arranged::item_contiguous),
      fewer(full_pattern(3), 3, Arranged::item_contiguous),
      larger(full_pattern(5), 4, Arranged::item_contiguous);
  ArrangedBatch<double> const b(4, 3, 1, Arranged::item_contiguous),
      x(4, 3, 1, Arranged::item_contiguous), b3(3, 3, 1, Arranged::item_contiguous),
      x3(3, 3, 1, Arranged::item_contiguous), b5(4, 5, 1, Arranged::item_contiguous),
      x5(4, 5, 1, Arranged::item_contiguous);
  Kokkos::View<double*, Space> const memory("factors",
                                            std::size_t(factors_numbers(direct_lu(), a.csr(), 4)));
  Kokkos::View<double*, Space> const little("little", memory.extent(0) - 1);
  expect_says(message_of([&] { (void)factorize(direct_lu(), a.csr(), little); }),
              {"Batchwork::factorize", "operand 3, factors", "too few", "3 rows",
               std::to_string(memory.extent(0)).c_str()});
  expect_says(message_of([&] { (void)factorize(direct_lu(), scaled_identity(3), memory); }),
              {"operand 2", "matrices of a batch"});
  auto const f = factorize(direct_lu(), a.csr(), memory);
  expect_says(message_of([&] { solve(f, larger.csr(), vectors(b5), vectors(x5)); }),
              {"Batchwork::solve", "operand 1, factors", "4 systems of 3 rows", "5 rows",
               "call factorize"});
  expect_says(message_of([&] { solve(f, fewer.csr(), vectors(b3), vectors(x3)); }),
              {"operand 1, factors", "4 systems", "3 of 3 rows"});
  expect_says(message_of([&] { solve(f, vectors(b5), vectors(x)); }),
              {"operand 2, b", "5 numbers", "3 rows"});
  expect_says(message_of([&] { solve(f, a.csr(), vectors(b), vectors(b)); }),
              {"operand 3", "operand 4"});
  auto other = f;
  other.refinements = -1;
  expect_says(message_of([&] { solve(other, a.csr(), vectors(b), vectors(x)); }),
              {"-1 steps of refinement"});
  // The solutions would overwrite a part of the factors.
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const inside(memory.data(), 4, 3);
  expect_says(message_of([&] { solve(f, a.csr(), vectors(b), inside); }), {"factors", "x"});
}

}  // namespace
}  // namespace Batchwork::Test
