// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with a division of the work of a device that the caller chooses: solutions must be correct,
// and impossible divisions refused.
#include "krylov/PreconditionersCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveDivision : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveDivision, Numbers);

TYPED_TEST(SolveDivision, EveryWay) {
  using T = TypeParam;
  Random random(1);
  auto const converges = [&](int rows, double share, auto const& m,
                             std::initializer_list<WorkDivision> all) {
    // Teams of up to 16 systems, with a partial last team. Each large system has its own team.
    std::int64_t const items = rows < 100 ? 37 : 7;
    auto const pattern =
        share > 0 ? solvable_pattern(random, rows, share, false) : tridiagonal(rows);
    Matrices<T> const a(pattern, items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    for (auto const& how : all) {
      SCOPED_TRACE(std::to_string(rows) + " rows, placement " + std::to_string(int(how.matrix)) +
                   ", " + std::to_string(how.lanes) + " lanes, " + std::to_string(how.systems) +
                   " systems");
      auto const solver = bicgstab(relative(usual_tolerance<T>, 200));
      run_solve(solver, m, a.csr(), a.full, b, Arranged::item_contiguous, random, "csr",
                Divided{how});
    }
  };
  auto const entries = Placement::entries, columns = Placement::columns,
             in_place = Placement::in_place;
  converges(9, 0, jacobi(),
            {{},
             {entries},
             {entries, 2},
             {entries, 4, 8},
             {entries, 16, 2},
             {entries, 32, 4},
             {entries, 64},
             {entries, 128},
             {columns, 8, 4},
             {columns, 16},
             {columns, 32, 1},
             {in_place},
             {in_place, 64, 1},
             {in_place, 256}});
  converges(20, 0.8, no_preconditioner(),
            {{}, {entries}, {entries, 96}, {columns}, {columns, 32, 2}, {in_place, 96}});
  converges(40, 0.6, jacobi(),
            {{columns},
             {columns, 64, 1},
             {columns, 32, Impl::lanes_of_small_solves / 32},
             {columns, 32, 1},
             {entries, 64},
             {entries, 160},
             {in_place}});
  converges(130, 0.3, jacobi(), {{entries}, {entries, 256}, {in_place, 64}, {in_place, 224}});
  converges(300, 0, no_preconditioner(), {{entries, 64}, {entries, 128}, {in_place, 64}});
  converges(22, 0.5, ilu(),
            {{}, {in_place}, {in_place, 8, 4}, {in_place, 32, 1}, {Placement::automatic, 256}});
  converges(500, 0, block_jacobi(4), {{in_place, 64}, {in_place, 128}});
  // The factors of these are in the workspace.
  converges(500, 0, block_jacobi(32), {{in_place, 128}, {in_place, 64}});
}

/// The result of a choice: variant, lanes, rows of a lane, lanes of a team, and systems of a team.
TEST(SolveDivisionChoice, IsWhatWasAskedFor) {
  using Impl::SolveVariant;
  struct Case {
    WorkDivision how;
    std::int64_t rows, width;
    SolveVariant variant;
    int lanes, rows_of_a_lane, team, systems;
  };
  auto const entries = Placement::entries, columns = Placement::columns,
             in_place = Placement::in_place;
  // Two warps, or one if lanes wait at a barrier of the team.
  int const small = Impl::Vendor::has_shuffles ? 64 : 32;
  for (auto const& c : std::initializer_list<Case>{
           {{}, 9, 3, SolveVariant::entries_3, 2, 8, small, small / 2},
           {{entries, 16, 2}, 9, 3, SolveVariant::entries_3, 16, 8, 32, 2},
           {{entries, 4, 32}, 9, 3, SolveVariant::entries_3, 4, 8, 128, 32},
           {{entries, 128}, 9, 6, SolveVariant::entries_7, 128, 4, 128, 1},
           {{entries}, 20, 20, SolveVariant::entries_64, 64, 1, 64, 1},
           {{entries, 96}, 20, 20, SolveVariant::entries_64, 96, 1, 96, 1},
           {{columns}, 9, 3, SolveVariant::columns_24, 8, 3, small, small / 8},
           {{columns, 32, 1}, 9, 3, SolveVariant::columns_24, 32, 3, 32, 1},
           {{columns}, 40, 3, SolveVariant::columns_56, 64, 1, 64, 1},
           {{columns, 64}, 40, 3, SolveVariant::columns_56, 64, 1, 64, 1},
           {{columns, 32}, 40, 3, SolveVariant::columns_split, 32, 2, small, small / 32},
           {{columns, 32, 1}, 40, 3, SolveVariant::columns_split, 32, 2, 32, 1},
           {{columns, 16, small / 16},
            30,
            3,
            SolveVariant::columns_split,
            16,
            2,
            small,
            small / 16},
           {{in_place}, 9, 3, SolveVariant::in_place, 64, 8, 64, 1},
           {{in_place, 224}, 1000, 3, SolveVariant::in_place, 224, 8, 224, 1},
       }) {
    SCOPED_TRACE(std::to_string(int(c.how.matrix)) + ", " + std::to_string(c.how.lanes));
    auto const chosen = Impl::choose_solve(c.rows, c.width, true, 8, true);
    auto const is =
        Impl::divided(Impl::SystemCall{"solve"}, chosen, c.how, c.rows, c.width, 8, true, false);
    EXPECT_EQ(is.variant, c.variant);
    EXPECT_EQ(is.lanes, c.lanes);
    EXPECT_EQ(is.rows, c.rows_of_a_lane);
    EXPECT_EQ(is.team(), c.team);
    EXPECT_EQ(is.systems(), c.systems);
    EXPECT_GE(is.places(c.rows), c.rows);
  }
  // A team must not be larger than its kernel supports.
  EXPECT_THROW(Impl::divided(Impl::SystemCall{"solve"}, Impl::choose_solve(40, 24, true, 8, true),
                             {columns, 32, small / 16}, 40, 24, 8, true, false),
               std::invalid_argument);
  // Preconditioners that are made from the matrix have kernels with 2 and with 8 rows for each
  // lane.
  for (int lanes : {32, 64, 128, 256}) {
    auto const is = Impl::divided(Impl::SystemCall{"solve"},
                                  Impl::choose_preconditioned_solve(200, 3, true, {8, 128}),
                                  {Placement::automatic, lanes}, 200, 3, 8, true, true, 8);
    EXPECT_EQ(is.lanes, lanes);
    EXPECT_EQ(is.rows, lanes <= 64 ? 8 : 2);
  }
  // Several systems for each team. The lanes are enough for every row.
  auto const few = Impl::divided(Impl::SystemCall{"solve"},
                                 Impl::choose_preconditioned_solve(14, 14, true, {8, 128}),
                                 {Placement::in_place, 8, 8}, 14, 300, 8, true, true, 8);
  EXPECT_EQ(few.systems(), 8);
  EXPECT_EQ(few.team(), 64);
  EXPECT_EQ(few.sharing, 8);
}

TYPED_TEST(SolveDivision, MisuseIsNamed) {
  using T = TypeParam;
  Matrices<T> const a(full_pattern(30), 3, Arranged::item_contiguous),
      large(tridiagonal(1200), 1, Arranged::item_contiguous);
  ArrangedBatch<T> const b(3, 30, 1, Arranged::item_contiguous),
      x(3, 30, 1, Arranged::item_contiguous);
  ArrangedBatch<T> const c(1, 1200, 1, Arranged::item_contiguous),
      y(1, 1200, 1, Arranged::item_contiguous);
  x.fill(T(7.25));
  auto const solver = bicgstab();
  auto const refuses = [&](WorkDivision const& how, auto const& m,
                           std::initializer_list<char const*> parts) {
    expect_says(message_of([&] { solve(how, solver, m, a.dense(), vectors(b), vectors(x)); }),
                parts);
  };
  refuses({Placement::entries, 16}, jacobi(),
          {"Batchwork::solve: division: 16 lanes for systems of 30 rows", "1 rows each", "; give"});
  refuses({Placement::columns, 8}, jacobi(), {"8 lanes", "2 rows each", "from 16 to 32"});
  refuses({Placement::columns, 96}, jacobi(), {"96 lanes", "from 64 to 64"});
  refuses({Placement::in_place, 80}, jacobi(), {"80 lanes", "a multiple of 32"});
  refuses({Placement::in_place, 512}, jacobi(), {"512 lanes", "from 64 to 256"});
  refuses({Placement::in_place, -64}, jacobi(), {"-64 lanes"});
  refuses({Placement::in_place, 64, 2}, jacobi(), {"2 a team, of 64 lanes", "; give 1"});
  refuses({Placement::entries}, ilu(), {"a matrix in registers", "; give in_place"});
  refuses({Placement::in_place, 96}, ilu(), {"96 lanes", "a power of two"});
  refuses({Placement::in_place, 4}, ilu(), {"4 lanes", "a power of two from 8 to 256"});
  refuses({Placement::in_place, 8}, block_jacobi(9), {"8 lanes", "from 16 to 256"});
  expect_says(message_of([&] {
                (void)workspace_numbers(Space(), WorkDivision{Placement::automatic, -5}, solver,
                                        jacobi(), a.dense(), 3);
              }),
              {"Batchwork::workspace_numbers: division: -5 lanes"});
  auto const refuses_large = [&](WorkDivision const& how,
                                 std::initializer_list<char const*> parts) {
    expect_says(
        message_of([&] { solve(how, solver, jacobi(), large.csr(), vectors(c), vectors(y)); }),
        parts);
  };
  refuses_large({Placement::entries}, {"entries in registers", "1200 rows", "; give in_place"});
  refuses_large({Placement::columns}, {"whole rows", "56", "; give entries"});
  refuses_large({Placement::in_place, 128}, {"128 lanes", "8 rows each"});
  x.download();
  for (std::int64_t n = 0; n < 3; ++n)
    for (int i = 0; i < 30; ++i) ASSERT_EQ(x.at(n, i, 0), T(7.25));
}

}  // namespace
}  // namespace Batchwork::Test
