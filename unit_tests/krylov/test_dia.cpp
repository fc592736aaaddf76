// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrices stored by diagonals: products, verbs, triangles, solvers and preconditioners against
// long double; check; misuse. The device kernels are tested together with those of other formats in
// the tests on teams.
#include "krylov/Batchwork_TeamSolve.hpp"
#include "krylov/DiaCase.hpp"
#include "krylov/PreconditionersCase.hpp"
#include "krylov/TriangularCase.hpp"
#include "krylov/formats/Batchwork_AnyMatrices.hpp"
#include "krylov/verbs/Batchwork_AddScaledIdentity.hpp"
#include "krylov/verbs/Batchwork_Scale.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

/// Each number encodes its row and its diagonal.
TEST(Dia, StandsByRows) {
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const values("values", 1, 3, 5);
  auto const host = Kokkos::create_mirror_view(values);
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0; i < 5; ++i) host(0, d, i) = double(10 * (i + 1) + d);
  Kokkos::deep_copy(values, host);
  auto const a = dia(indices_of<int>("offsets", {-1, 0, 2}), values);
  EXPECT_NO_THROW(check(a));
  double const expected[5][5] = {{11, 0, 12, 0, 0},
                                 {20, 21, 0, 22, 0},
                                 {0, 30, 31, 0, 32},
                                 {0, 0, 40, 41, 0},
                                 {0, 0, 0, 50, 51}};
  ArrangedBatch<double> const x(1, 5, 1, Arranged::item_contiguous),
      y(1, 5, 1, Arranged::item_contiguous);
  for (int j = 0; j < 5; ++j) {
    for (int k = 0; k < 5; ++k) x.at(0, k, 0) = k == j ? 1 : 0;
    x.upload();
    multiply(a, vectors(x), vectors(y));
    y.download();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(y.at(0, i, 0), expected[i][j]) << i << ", " << j;
  }
}

std::vector<int> some_offsets(int rows, Random& random) {
  std::vector<int> o;
  for (int k = 1 - rows; k < rows; ++k)
    if (k == 0 || random.integer(0, rows) < 3) o.push_back(k);
  return o;
}

template <class T>
struct DiaNumbers : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DiaNumbers, Numbers);

/// Also with AnyMatrices. Sums of products, a factor, a sum: (terms + 3) eps.
TYPED_TEST(DiaNumbers, Multiply) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 2, 5, 8, 9, 22, 33, 100})
    for (auto how : all_arranged) {
      std::int64_t const items = rows < 20 ? 33 : 5;
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(pattern_of_diagonals(rows, some_offsets(rows, random)), items, how);
      a.randomise(random);
      DiaOf<T> const d(a, how);
      ArrangedBatch<T> const x(items, rows, 1, how), y(items, rows, 1, how),
          before(items, rows, 1, how);
      x.randomise(random);
      AnyMatrices<T> const any = d.dia();
      EXPECT_EQ(any.nonzeros(), rows * std::int64_t(d.offsets.size()));
      for (int turn = 0; turn < 3; ++turn) {
        double const beta = turn == 1 ? 0.3 : 0;
        y.randomise(random);
        for (std::int64_t n = 0; n < items; ++n)
          for (int i = 0; i < rows; ++i) before.at(n, i, 0) = y.at(n, i, 0);
        auto const outside = y.poisoned();
        if (turn == 0) multiply(d.dia(), vectors(x), vectors(y));
        else if (turn == 1) multiply(-0.7, d.dia(), vectors(x), beta, vectors(y));
        else multiply(any, vectors(x), vectors(y));
        y.download();
        EXPECT_EQ(y.poisoned(), outside);
        for (std::int64_t n = 0; n < items; ++n)
          for (int i = 0; i < rows; ++i) {
            Truth t = row_truth(a.full, n, i, x, turn == 1 ? -0.7 : 1);
            if (beta != 0) t.add(static_cast<long double>(T(beta)) * before.at(n, i, 0));
            long double const terms = 3 + int(a.pattern.columns[std::size_t(i)].size());
            ASSERT_LE(std::fabs(y.at(n, i, 0) - t.value), terms * epsilon<T> * t.size)
                << "item " << n << ", row " << i << ", turn " << turn;
          }
      }
    }
}

TYPED_TEST(DiaNumbers, CompactAndNoItems) {
  using T = TypeParam;
  Random random(2);
  int const rows = 6;
  Kokkos::View<T****, Kokkos::LayoutRight, Space> const groups("groups", 3, 2, rows, 4);
  Kokkos::View<T***, Kokkos::LayoutRight, Space> const plain("plain", 10, 2, rows);
  auto const host = Kokkos::create_mirror_view(plain);
  auto const host_groups = Kokkos::create_mirror_view(groups);
  for (std::size_t n = 0; n < 10; ++n)
    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t j = 0; j < std::size_t(rows); ++j)
        host_groups(n / 4, d, j, n % 4) = host(n, d, j) = T(random());
  Kokkos::deep_copy(plain, host);
  Kokkos::deep_copy(groups, host_groups);
  auto const offsets = indices_of<int>("offsets", {-2, 3});
  ArrangedBatch<T> const x(10, rows, 1, Arranged::item_contiguous),
      y(10, rows, 1, Arranged::item_contiguous), z(10, rows, 1, Arranged::item_contiguous);
  x.randomise(random);
  multiply(dia(offsets, plain), vectors(x), vectors(y));
  multiply(dia(offsets, compact(groups, 10)), vectors(x), vectors(z));
  y.download();
  z.download();
  for (std::int64_t n = 0; n < 10; ++n)
    for (int i = 0; i < rows; ++i) {
      ASSERT_EQ(y.at(n, i, 0), z.at(n, i, 0));
      T const low = i >= 2 ? host(std::size_t(n), 0, std::size_t(i)) * x.at(n, i - 2, 0) : T(0);
      T const high = i < 3 ? host(std::size_t(n), 1, std::size_t(i)) * x.at(n, i + 3, 0) : T(0);
      ASSERT_NEAR(y.at(n, i, 0), low + high, 2 * double(epsilon<T>));
    }
  ArrangedBatch<T> const none(0, rows, 1, Arranged::item_contiguous);
  EXPECT_NO_THROW(multiply(dia(offsets, Kokkos::View<T***, Space>("none", 0, 2, rows)),
                           vectors(none), vectors(none)));
}

/// Only entries of the matrix may change. NaN beyond the ends of diagonals must stay.
TEST(Dia, Verbs) {
  Random random(3);
  for (auto how : all_arranged) {
    int const rows = 9;
    std::int64_t const items = 13;
    Matrices<double> const a(pattern_of_diagonals(rows, {-4, 0, 1}), items, how);
    a.randomise(random);
    DiaOf<double> const d(a, how);
    auto const outside = d.lines.poisoned();
    ArrangedBatch<double> const left(items, rows, 1, how), right(items, rows, 1, how);
    left.randomise(random);
    right.randomise(random);
    add_scaled_identity(2, d.dia(), -1);
    add_scaled_identity(0.5, d.dia());
    scale(vectors(left), d.dia(), vectors(right));
    d.lines.download();
    EXPECT_EQ(d.lines.poisoned(), outside);
    for (std::int64_t n = 0; n < items; ++n)
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < rows; ++i) {
          int const j = i + d.offsets[std::size_t(k)];
          if (j < 0 || j >= rows) {
            ASSERT_TRUE(std::isnan(d.lines.at(n, k, i)));
            continue;
          }
          double const x = i == j ? 2.5 : 0;
          double const expected = (x - a.full.at(n, i, j)) * left.at(n, i, 0) * right.at(n, j, 0);
          ASSERT_NEAR(d.lines.at(n, k, i), expected, 6 * double(epsilon<double>) * 4);
        }
  }
}

struct TriangularByVerb {
  template <class T, class A, class B, class X, class C>
  void operator()(Triangle triangle, A const& a, B const& b, X const& x, C const& codes,
                  std::int64_t) const {
    solve_triangular(triangle, a, b, x, status(codes));
  }
};
TEST(Dia, Triangles) {
  Random random(4);
  for (auto how : all_arranged)
    for (auto triangle : triangles) {
      Matrices<double> const a(pattern_of_diagonals(22, {-9, -1, 0, 3}), 37, how);
      put_triangular(a, random);
      DiaOf<double> const d(a, how);
      check_solve(TriangularByVerb(), triangle, d.dia(), a.full, how, false, random);
    }
}

TEST(Dia, Solve) {
  Random random(5);
  for (int rows : {1, 9, 30, 130})
    for (auto how : all_arranged) {
      std::int64_t const items = rows < 20 ? 21 : 5;
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      std::vector<int> offsets{0};
      if (rows > 1) offsets = {-rows / 3 - 1, -1, 0, 1, rows / 3 + 1};
      Matrices<double> const a(pattern_of_diagonals(rows, offsets), items, how);
      ArrangedBatch<double> const b(items, rows, 1, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
      DiaOf<double> const d(a, how);
      b.randomise(random);
      auto const stop = relative(usual_tolerance<double>, 200);
      run_solve(conjugate_gradients(stop), jacobi(), d.dia(), a.full, b, how, random, "cg");
      run_solve(bicgstab(stop), jacobi(), d.dia(), a.full, b, how, random, "bicgstab");
      run_solve(gmres(20, stop), jacobi(), d.dia(), a.full, b, how, random, "gmres", Divided{});
      AnyMatrices<double> const any = d.dia();
      run_solve(bicgstab(stop), ilu(), any, a.full, b, how, random, "any, ilu", Divided{});
    }
}

TYPED_TEST(DiaNumbers, Preconditioners) {
  using T = TypeParam;
  Random random(6);
  for (int rows : {1, 7, 22, 40})
    for (auto how : all_arranged) {
      std::int64_t const items = rows < 30 ? 21 : 3;
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      Matrices<T> const a(pattern_of_diagonals(rows, some_offsets(rows, random)), items, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
      DiaOf<T> const d(a, how);
      expect_application<T>(
          ByVerb(), ilu(), d.dia(), rows, items, how,
          [&](std::int64_t n, auto const& r) { return ilu_truth(d.pattern, a.full, n, r); }, 200,
          random);
      expect_application<T>(
          ByVerb(), block_jacobi(3), d.dia(), rows, items, how,
          [&](std::int64_t n, auto const& r) {
            return blocks_truth(equal_blocks(rows, 3), a.full, n, r);
          },
          400, random);
    }
}

TEST(Dia, FindBlocks) {
  // All diagonals: all rows have the same pattern.
  Matrices<double> const a(full_pattern(4), 1, Arranged::item_contiguous);
  DiaOf<double> const d(a, Arranged::item_contiguous);
  auto const first =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), find_blocks(d.dia(), 3));
  EXPECT_EQ(std::vector<int>(first.data(), first.data() + first.extent(0)),
            (std::vector<int>{0, 3}));
}

/// A matrix in a kernel, diagonal after diagonal, and items selected by their index.
template <class Solver>
struct TeamKernel {
  Solver solver;
  double const* numbers;
  int of_item, rows;
  Kokkos::View<double**, Kokkos::LayoutRight, Space> b, x;
  Kokkos::View<int*, Space> codes;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank();
    double const* const right = &b(n, 0);
    double* const solution = &x(n, 0);
    SolveResult<double> result;
    if constexpr (Solver::numbers_rank == 2) {
      if (numbers != nullptr) result = solver.solve(member, numbers + n * of_item, right, solution);
      else result = solver.solve(member, n, right, solution);
    }
    if (member.team_rank() == 0) codes(n) = result.code;
  }
};
template <class A>
void expect_solved_by_teams(A const& systems, Matrices<double> const& a, double const* numbers,
                            int of_item, Random& random) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  int const rows = a.pattern.rows, items = int(a.items);
  ArrangedBatch<double> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous);
  b.randomise(random);
  Vectors const right("b", std::size_t(items), std::size_t(rows)),
      solution("x", std::size_t(items), std::size_t(rows));
  copy(right, vectors(b));
  auto const solver =
      team_solve<Space>(bicgstab(relative(usual_tolerance<double>, 200)), jacobi(), systems);
  Kokkos::View<int*, Space> const codes("codes", std::size_t(items));
  Kokkos::deep_copy(codes, 77);
  Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, 1>> policy(items, solver.team_size());
  policy.set_scratch_size(0, Kokkos::PerTeam(int(solver.scratch_size())));
  Kokkos::parallel_for("a kernel of the user's", policy,
                       TeamKernel<std::remove_const_t<decltype(solver)>>{
                           solver, numbers, of_item, rows, right, solution, codes});
  copy(vectors(x), solution);
  x.download();
  auto const said = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (int n = 0; n < items; ++n) {
    EXPECT_EQ(said(std::size_t(n)), 0);
    auto const t = residual_truth(a.full, n, x, b);
    EXPECT_LE(t.norm, usual_tolerance<double> * t.right_side + t.rounding);
  }
}
TEST(Dia, TeamSolve) {
  Random random(7);
  int const rows = 20;
  Matrices<double> const a(pattern_of_diagonals(rows, {-3, 0, 2}), 5, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < 5; ++n) put_dominant(a, n, random, false);
  DiaOf<double> const d(a, Arranged::item_contiguous);
  expect_solved_by_teams(d.dia(), a, nullptr, 0, random);
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const own("own", 5, 3, rows);
  auto const host = Kokkos::create_mirror_view(own);
  for (std::size_t n = 0; n < 5; ++n)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < std::size_t(rows); ++j)
        host(n, k, j) = d.lines.at(std::int64_t(n), int(k), int(j));
  Kokkos::deep_copy(own, host);
  expect_solved_by_teams(dia_pattern<double>(d.view, rows), a, own.data(), 3 * rows, random);
}

TEST(Dia, Check) {
  auto const said = [](std::vector<int> const& offsets, Diagonals diagonals = Diagonals::required) {
    Kokkos::View<double***, Space> const values("values", 2, offsets.size(), 4);
    return message_of([&] { check(dia(indices_of<int>("offsets", offsets), values), diagonals); });
  };
  constexpr char const* nothing_thrown = "(nothing was thrown)";
  EXPECT_EQ(said({-3, 0, 3}), nothing_thrown);
  EXPECT_EQ(said({-1, 2}, Diagonals::optional), nothing_thrown);
  expect_says(said({-4, 0}),
              {"Batchwork::check: dia offsets(\"offsets\") [View (2)], diagonal 0: offset -4 is "
               "out of range; give offsets from -3 to 3"});
  expect_says(said({0, 4}), {"diagonal 1: offset 4 is out of range"});
  expect_says(said({-1, 0, 0}), {"diagonal 2: offset 0 is there twice; add"});
  expect_says(said({0, -1}), {"diagonal 1: offset -1 comes after offset 0; sort the offsets"});
  expect_says(said({-1, 2}), {"dia offsets(\"offsets\") [View (2)] has no offset 0", "optional"});
}

TEST(Dia, Misuse) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  using Many = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 7, 4), y("y", 7, 4);
  Many const three("three", 7, 3, 4), eight("eight", 7, 8, 4), wide("wide", 7, 2, 5);
  auto const two = indices_of<int>("two", {0, 1});
  Kokkos::View<int*, Space> const nine("nine", 8), null(static_cast<int*>(nullptr), 3);
  Kokkos::View<int*, Kokkos::LayoutStride, Space> const gaps(nine.data(),
                                                             Kokkos::LayoutStride(3, 2));
  Kokkos::deep_copy(y, 7.25);
  expect_says(message_of([&] { multiply(dia(two, three), x, y); }),
              {"Batchwork::multiply: operand 1, dia values(\"three\") [View (7, 3, 4)] holds 3x4",
               "dia offsets(\"two\") [View (2)] has 2 offsets; give a line for each"});
  expect_says(
      message_of([&] { multiply(dia(nine, eight), x, y); }),
      {"dia offsets(\"nine\") [View (8)] has 8 offsets", "4 rows have 7 diagonals at most"});
  expect_says(message_of([&] { multiply(dia(gaps, three), x, y); }),
              {"dia offsets(", "has gaps; give"});
  expect_says(message_of([&] { multiply(dia(null, three), x, y); }),
              {"dia offsets(", "it is null"});
  expect_says(message_of([&] { multiply(dia(two, wide), x, y); }),
              {"operand 2, x(\"x\")", "holds 4 numbers", "have 5 rows"});
  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host(n, i), 7.25);
}

}  // namespace
}  // namespace Batchwork::Test
