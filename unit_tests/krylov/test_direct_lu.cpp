// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with direct_lu.
#include "krylov/DirectCase.hpp"
#include "krylov/direct/detail/Batchwork_DirectTiles.hpp"
#include "support/Batchwork_Messages.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" void dgesvx_(char const*, char const*, int const*, int const*, double*, int const*,
                        double*, int const*, int*, char*, double*, double*, double*, int const*,
                        double*, int const*, double*, double*, double*, double*, int*, int*);
#endif

namespace Batchwork::Test {
namespace {

template <class T>
void check_all_solves(std::initializer_list<int> sizes, int columns, std::int64_t items) {
  Random random(11);
  int k = 0;
  for (int rows : sizes) {
    check_direct_formats<T>(rows, columns, items, all_arranged[k % 4], random, DirectVerb(),
                            k % 4 == 0);
    ++k;
  }
}

TEST(DirectLu, SmallSystems) {
  check_all_solves<double>({1, 2, 3, 4, 5, 6, 7, 8, 12}, 1, 13);
  check_all_solves<float>({8, 7, 6, 5, 4, 3, 2, 1, 12}, 1, 13);
}
TEST(DirectLu, LargerSystems) {
  check_all_solves<double>({22, 33, 54, 64}, 1, 8);
  check_all_solves<float>({64, 54, 33, 22}, 1, 8);
  check_all_solves<double>({22, 33}, 1, 1);
}
TEST(DirectLu, WithoutGrowthAndCondition) {
  Random random(23);
  for (int rows : {1, 7, 8, 9, 12, 13, 16, 22, 25, 32, 33})
    check_direct_formats<double>(rows, 1, 41, all_arranged[rows % 4], random, DirectVerbAlone(),
                                 rows == 22);
  for (int rows : {5, 10, 15, 24, 31})
    check_direct_formats<float>(rows, 1, 70, all_arranged[rows % 4], random, DirectVerbAlone(),
                                rows == 24);
}
/// Systems so large that lanes share them. In double, because in float some of so many random ones
/// are too badly conditioned for the tolerance.
TEST(DirectLu, ManySystemsOnDevices) {
  if (!Impl::runs_on_device<Space>) return;
  Random random(24);
  for (int rows : {9, 12, 13, 16, 22, 25, 32})
    check_direct_formats<double>(rows, 1, 2501, all_arranged[rows % 4], random, DirectVerbAlone(),
                                 rows == 22);
}
TEST(DirectLu, LargeSystems) {
  check_all_solves<double>({100, 65, 144}, 1, 3);
  check_all_solves<float>({144, 65, 100}, 1, 3);
}
TEST(DirectLu, SeveralRightHandSides) {
  check_all_solves<double>({5, 22, 65}, 3, 5);
  check_all_solves<float>({16, 3}, 9, 7);
}
/// Too large for a host's stack, and on devices for team scratch memory.
TEST(DirectLu, InAWorkspace) {
  Random random(12);
  check_direct_formats<double>(260, 1, 1, Arranged::item_contiguous, random, DirectVerb(), false);
}

#if defined(BATCHWORK_HAVE_LAPACK)
/// Compared with LAPACK's expert driver, which scales, refines and estimates the condition number:
/// the same info, an equally good residual in the scaled system, and a condition number within a
/// factor of 10.
TEST(DirectLu, AsGesvx) {
  Random random(14);
  for (int rows : {2, 9, 22, 70}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    std::int64_t const items = 13;
    DirectBatch<double> const of(direct_pattern(random, rows), 1, items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n)
      put_direct(of.a, of.b, n, direct_kind(n, items), random);
    of.a.upload(), of.b.upload();
    DirectVerb()(direct_lu(relative(usual_tolerance<double>)), of.a.csr(), of.b, of.x, of.log);
    of.x.download();
    HostLog<double> const host(of.log);
    auto const condition = HostLog<double>::on_host(of.log.reciprocal_condition);
    for (std::int64_t n = 0; n < items; ++n) {
      SCOPED_TRACE("item " + std::to_string(n));
      DirectKind const kind = direct_kind(n, items);
      if (kind == DirectKind::not_a_number) continue;
      std::size_t const size = std::size_t(rows);
      std::vector<double> a(size * size), factors(size * size), r(size), c(size), b(size), x(size),
          work(4 * size);
      std::vector<int> order(size), more_work(size);
      for (int i = 0; i < rows; ++i) {
        b[std::size_t(i)] = of.b.at(n, i, 0);
        for (int j = 0; j < rows; ++j) a[std::size_t(j * rows + i)] = of.a.full.at(n, i, j);
      }
      int const one = 1;
      int info = -1;
      char scaled = 'N';
      double reciprocal = 0, forward = 0, backward = 0;
      dgesvx_("E", "N", &rows, &one, a.data(), &rows, factors.data(), &rows, order.data(), &scaled,
              r.data(), c.data(), b.data(), &rows, x.data(), &rows, &reciprocal, &forward,
              &backward, work.data(), more_work.data(), &info);
      if (kind == DirectKind::singular) {
        EXPECT_EQ(host.info(n), info);
        continue;
      }
      ASSERT_TRUE(info == 0 || info == rows + 1) << info;
      double size_of_x = 0;
      for (int i = 0; i < rows; ++i) size_of_x = std::max(size_of_x, std::fabs(x[std::size_t(i)]));
      // The scaling factors of LAPACK are not powers of two, which matters if a row has numbers of
      // very different sizes.
      if (kind == DirectKind::far || kind == DirectKind::graded) continue;
      EXPECT_GE(condition(std::size_t(n)), reciprocal / 10);
      EXPECT_LE(condition(std::size_t(n)), reciprocal * 10);
      for (int i = 0; i < rows; ++i)
        EXPECT_NEAR(of.x.at(n, i, 0), x[std::size_t(i)],
                    20 * rows * double(epsilon<double>) / reciprocal * size_of_x);
    }
  }
}
#endif

/// With a factor in float and refinement steps in double: as accurate as with a factor in double,
/// where float without refinement ends at 1e-6. In registers of a device the factors are in double.
TEST(DirectLu, FactorsOfFloat) {
  constexpr bool has_registers =
      Impl::runs_on_device<Kokkos::DefaultExecutionSpace> && Impl::Vendor::has_shuffles;
  Random random(13);
  for (int rows : {1, 7, 22, 54, 100, 150}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    std::int64_t const items = 7;
    DirectBatch<double> const of(direct_pattern(random, rows), 2, items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) {
      // Without some entries, scaled rows of numbers that are far apart underflow in float.
      DirectKind const kind = direct_kind(n, items);
      bool const underflows = kind == DirectKind::far && rows >= 12;
      put_direct(of.a, of.b, n, underflows ? DirectKind::graded : kind, random);
    }
    of.a.upload(), of.b.upload();
    auto solver = direct_lu<float>(relative(1e-12));
    check_direct<double>(solver, of, of.a.csr(), DirectVerb(), 1e4);
    HostLog<double> const log(of.log);
    int most = 0;
    for (std::int64_t n = 0; n < items; ++n)
      if (is_solvable(direct_kind(n, items))) {
        // The residuals of large rows hide others.
        EXPECT_EQ(log.reason(n), Reason::success) << n << ": " << log.residual(n);
        EXPECT_LE(log.residual(n), log.recurrence(n));
        most = std::max(most, log.iterations(n));
      }
    if (rows > 1 && !(has_registers && rows <= Impl::direct_rows_in_tiles)) {
      EXPECT_GT(most, 0);
      // Without refinement the result is that of float.
      solver.refinements = 0;
      DirectVerb()(solver, of.a.csr(), of.b, of.x, of.log);
      EXPECT_EQ(HostLog<double>(of.log).reason(1), Reason::stagnated);
      EXPECT_GT(HostLog<double>(of.log).residual(1), 1e-12);
    }
  }
}

/// Columns in any order, and some of them twice: their numbers are added. Columns that are out of
/// range are found.
TEST(DirectLu, RepeatedColumns) {
  RepeatedColumns of;
  solve(direct_lu(relative(1e-14)), of.a(), vectors(of.b), vectors(of.x), of.log);
  of.expect_solution(1e-15);
  of.columns = indices_of<int>("columns", {0, 1, 2, 1, 0, 1});
  solve(direct_lu(), of.a(), vectors(of.b), vectors(of.x), of.log);
  of.expect_invalid();
}

TEST(DirectLu, MultiplesOfTheIdentity) {
  ArrangedBatch<double> const b(5, 3, 1, Arranged::interleaved),
      x(5, 3, 1, Arranged::item_contiguous);
  Random random(14);
  b.randomise(random);
  for (int i = 0; i < 3; ++i) b.at(2, i, 0) = 0;
  b.upload();
  auto const log = SolveLog<double>::allocated(5);
  solve(direct_lu(relative(0)), scaled_identity(3, 4.0), vectors(b), vectors(x), log);
  x.download();
  for (int n = 0; n < 5; ++n) {
    // Divided by a power of two, so the residual is zero, and the tolerance is zero too.
    EXPECT_EQ(HostLog<double>(log).reason(n), Reason::success);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(x.at(n, i, 0), b.at(n, i, 0) / 4);
  }
}

/// Relative tolerances, tolerances that cannot be reached, and logs with some Views or none.
TEST(DirectLu, Tolerances) {
  Random random(15);
  DirectBatch<double> const of(full_pattern(9), 1, 2, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < 2; ++n) put_direct(of.a, of.b, n, DirectKind::general, random);
  of.a.upload(), of.b.upload();
  auto const reason = [&](StoppingCriteria const& stop) {
    DirectVerb()(direct_lu(stop), of.a.csr(), of.b, of.x, of.log);
    return HostLog<double>(of.log).reason(1);
  };
  EXPECT_EQ(reason(absolute(1e-12)), Reason::success);
  EXPECT_EQ(reason(absolute(1e-30)), Reason::stagnated);
  EXPECT_GE(HostLog<double>(of.log).iterations(1), 0);
  EXPECT_EQ(reason(relative_to_start(1e-13)), Reason::success);
  EXPECT_EQ(reason(relative(1e-25)), Reason::stagnated);
  EXPECT_EQ(HostLog<double>(of.log).iterations(1), 1);
  EXPECT_EQ(reason(relative(1e-25, 0)), Reason::stagnated);
  EXPECT_EQ(HostLog<double>(of.log).iterations(1), 0);
  // The result of elimination without scaling.
  auto solver = direct_lu(relative(1e-12));
  solver.equilibrate = false;
  check_direct<double>(solver, of, of.a.csr(), DirectVerb(), 1.5);
  of.x.fill(poison<double>());
  solve(direct_lu(), of.a.csr(), vectors(of.b), vectors(of.x));
  of.x.download();
  EXPECT_NE(of.x.at(1, 0, 0), poison<double>());
  SolveLog<double> only;
  only.reason = of.log.reason;
  solve(launch("some"), direct_lu(), of.a.csr(), vectors(of.b), vectors(of.x), only);
  EXPECT_EQ(outcomes(only)[0].code, 0);
}

/// Compact groups of four items, with a partial last group.
TEST(DirectLu, CompactGroups) {
  using Compact3 = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  int const rows = 6, items = 6;
  Random random(16);
  Compact3 const values("values", 2, rows * rows, 4), b("b", 2, rows, 4), x("x", 2, rows, 4);
  auto const v = Kokkos::create_mirror_view(values), right = Kokkos::create_mirror_view(b);
  for (int n = 0; n < 8; ++n)
    for (int k = 0; k < rows * rows; ++k) {
      v(n / 4, k, n % 4) = random() + (k % 7 == 0 ? 8 : 0);
      if (k < rows) right(n / 4, k, n % 4) = random();
    }
  Kokkos::deep_copy(values, v), Kokkos::deep_copy(b, right), Kokkos::deep_copy(x, 77.0);
  std::vector<int> offsets{0}, columns;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) columns.push_back(j);
    offsets.push_back(int(columns.size()));
  }
  solve(direct_lu(),
        csr(indices_of<int>("offsets", offsets), indices_of<int>("columns", columns),
            compact(values, items)),
        compact(b, items), compact(x, items));
  auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int n = 0; n < 8; ++n)
    for (int i = 0; i < rows; ++i) {
      double r = right(n / 4, i, n % 4);
      for (int j = 0; j < rows; ++j) r -= v(n / 4, i * rows + j, n % 4) * y(n / 4, j, n % 4);
      if (n < items) EXPECT_NEAR(r, 0, 1e-13);
      else EXPECT_EQ(y(n / 4, i, n % 4), 77.0);
    }
}

TEST(DirectLu, Nothing) {
  Matrices<double> const a(full_pattern(3), 0, Arranged::item_contiguous);
  ArrangedBatch<double> const b(0, 3, 1, Arranged::item_contiguous);
  solve(direct_lu(), a.dense(), vectors(b), vectors(b));
  EXPECT_EQ(workspace_numbers(direct_lu(), a.dense(), 0), 0);
  EXPECT_EQ(workspace_numbers(direct_lu(), a.csr(), 1000), 0);
}

TEST(DirectLu, Misuse) {
  Matrices<double> const a(full_pattern(3), 4, Arranged::item_contiguous);
  ArrangedBatch<double> const b(4, 3, 1, Arranged::item_contiguous),
      x(4, 3, 1, Arranged::item_contiguous), longer(4, 5, 1, Arranged::item_contiguous),
      fewer(3, 3, 1, Arranged::item_contiguous), two(4, 3, 2, Arranged::item_contiguous);
  expect_says(message_of([&] { solve(direct_lu(), a.csr(), vectors(longer), vectors(x)); }),
              {"Batchwork::solve", "operand 3, b", "5 numbers", "3 rows"});
  expect_says(message_of([&] { solve(direct_lu(), a.csr(), vectors(b), vectors(longer)); }),
              {"operand 4, x", "5 numbers"});
  expect_says(message_of([&] { solve(direct_lu(), a.csr(), vectors(fewer), vectors(x)); }),
              {"operand 3, b", "3"});
  expect_says(message_of([&] { solve(direct_lu(), a.csr(), b.batch(), two.batch()); }),
              {"operand 4, x", "2 columns", "1", "a solution for each right-hand side"});
  expect_says(message_of([&] { solve(direct_lu(), a.csr(), vectors(b), vectors(b)); }),
              {"operand 3", "operand 4"});
  expect_says(message_of([&] { solve(direct_lu(relative(-1)), a.csr(), vectors(b), vectors(x)); }),
              {"tolerance", "give zero or more"});
  auto solver = direct_lu();
  solver.refinements = -1;
  expect_says(message_of([&] { solve(solver, a.csr(), vectors(b), vectors(x)); }),
              {"-1 steps of refinement"});
  auto const log = SolveLog<double>::allocated(3);
  expect_says(message_of([&] { solve(direct_lu(), a.csr(), vectors(b), vectors(x), log); }),
              {"log iterations", "3"});
  // Too large for the chip, with no workspace or one that is too small.
  ArrangedBatch<double> const large(1, 2000, 1, Arranged::item_contiguous),
      of_large(1, 2000, 1, Arranged::item_contiguous);
  auto const identity = scaled_identity(2000);
  expect_says(message_of([&] { solve(direct_lu(), identity, vectors(large), vectors(of_large)); }),
              {"2000 rows", "stay on the chip", "give workspace(view) of", "at least"});
  Kokkos::View<double*, Space> const little("little", 100);
  expect_says(message_of([&] {
                solve(direct_lu(), identity, vectors(large), vectors(of_large), workspace(little));
              }),
              {"has room for none", "workspace(view)"});
}

}  // namespace
}  // namespace Batchwork::Test
