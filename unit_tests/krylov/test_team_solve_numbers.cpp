// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve with data that the kernel computes: entries in its scratch memory, several calls in a
// kernel, and a functor.
#include "krylov/TeamSolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct TeamSolveNumbers : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TeamSolveNumbers, Numbers);

/// The kernel copies the item, b and x to its scratch memory with other threads than those that
/// read them, and copies the solution back in the same way. Twice, so that the second call begins
/// with the result of the first.
template <class T, class Solver, class Values>
struct FromScratch {
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Solver solver;
  Values values;  ///< (item, k)
  StridedVectors<T> b, x;
  SolveLog<T> log, again;
  int numbers, rows;
  bool by_pointer;

  std::size_t own() const {
    return Scratch::shmem_size(std::size_t(numbers)) + 2 * Scratch::shmem_size(std::size_t(rows));
  }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank(), last = rows - 1, end = numbers - 1;
    Scratch const a(member.team_scratch(0), numbers), right(member.team_scratch(0), rows),
        solution(member.team_scratch(0), rows);
    auto const& from_values = values;
    auto const& from_b = b;
    auto const& of_x = x;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, numbers),
                         [&](int k) { a(end - k) = from_values(n, end - k); });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows), [&](int i) {
      right(last - i) = from_b(n, last - i);
      solution(last - i) = of_x(n, last - i);
    });
    SolveResult<T> first, second;
    if (by_pointer) {
      first = solver.solve(member, a.data(), right.data(), solution.data());
      second = solver.solve(member, a.data(), right, solution);
    } else {
      if constexpr (Solver::numbers_rank == 1) {
        first = solver.solve(member, a, right, solution);
        second = solver.solve(member, a, right, solution);
      }
    }
    note(member, log, n, first);
    note(member, again, n, second);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows),
                         [&](int i) { of_x(n, last - i) = solution(last - i); });
  }
};

template <class T, class Team, class Values>
void from_scratch(TeamCase<T> const& c, Team const& team, Values const& values, bool by_pointer,
                  bool iterates) {
  double const tolerance = usual_tolerance<T>;
  auto const log = SolveLog<T>::allocated(c.items), again = SolveLog<T>::allocated(c.items);
  c.begin();
  FromScratch<T, Team, Values> const kernel{team,      values, vectors(c.b),          vectors(c.x),
                                            log,       again,  int(values.extent(1)), c.b.rows,
                                            by_pointer};
  launch_user_kernel<Team, T>(team, int(c.items), team.team_size(), kernel.own(), kernel);
  c.check(log, tolerance);
  // The second call begins with the residual of the first.
  HostLog<T> const first(log), second(again);
  for (std::int64_t n = 0; n < c.items; ++n) {
    EXPECT_EQ(first.iterations(n) > 0, iterates);
    EXPECT_EQ(second.iterations(n), 0);
    EXPECT_EQ(second.reason(n), Reason::success);
  }
}
template <class T, class A, class Values>
void from_scratch(TeamCase<T> const& c, A const& pattern, Values const& values, bool by_pointer,
                  char const* what) {
  SCOPED_TRACE(what);
  from_scratch(c, team_solve<Space>(bicgstab(relative(usual_tolerance<T>, 200)), jacobi(), pattern),
               values, by_pointer, true);
}
TYPED_TEST(TeamSolveNumbers, InScratch) {
  using T = TypeParam;
  for (auto const& size : {Size{1, 1}, Size{3, 1}, Size{12, 0.3}, Size{24, 0.5}, Size{40, 0.2}}) {
    SCOPED_TRACE(std::to_string(size.rows) + " rows");
    TeamCase<T> const c(size.rows, size.share, Arranged::item_contiguous, false);
    auto const flat = [](ArrangedBatch<T> const& m) {
      return Kokkos::View<T**, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>(
          m.data(), std::size_t(m.items), std::size_t(m.rows * m.cols));
    };
    auto const csr = csr_pattern<T>(c.a.row_offsets, c.a.columns);
    from_scratch(c, csr, flat(c.a.values), true, "csr by a pointer");
    from_scratch(c, csr, flat(c.a.values), false, "csr by a View");
    from_scratch(c, csr_pattern<T>(c.a.long_offsets, c.a.columns), flat(c.a.values), false,
                 "64 bits");
    from_scratch(c, ell_pattern<T>(c.a.place_columns), flat(c.a.places), true, "ell");
    from_scratch(c, dense_pattern<T>(size.rows), flat(c.a.full), true, "dense");
    // A format with its own numbers can be used as a pattern, too.
    from_scratch(c, c.a.csr(), flat(c.a.values), true, "csr that has numbers");
    for (bool by_pointer : {false, true})
      from_scratch(c, team_solve<Space>(direct_lu(relative(usual_tolerance<T>)), csr),
                   flat(c.a.values), by_pointer, false);
  }
}

/// A functor from the host, and a functor that the kernel makes.
template <class T, class Solver>
struct ByFunctor {
  Solver solver;
  StridedVectors<T> b, x;
  SolveLog<T> log;
  int rows;
  bool own;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank();
    auto const right = Kokkos::subview(b, n, Kokkos::ALL);
    auto const solution = Kokkos::subview(x, n, Kokkos::ALL);
    SolveResult<T> result;
    if (own) result = solver.solve(member, Difference<T>{rows, T(3 + n)}, right, solution);
    else result = solver.solve(member, n, right, solution);
    note(member, log, n, result);
  }
};

TYPED_TEST(TeamSolveNumbers, MatrixFree) {
  using T = TypeParam;
  double const tolerance = usual_tolerance<T>;
  for (int rows : {1, 12, 100, 300}) {
    int const items = 5;
    ArrangedBatch<T> const full(items, rows, rows, Arranged::item_contiguous),
        b(items, rows, 1, Arranged::interleaved), x(items, rows, 1, Arranged::strided);
    full.fill(T(0));
    for (int n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
          full.at(n, i, j) = i == j ? T(3 + n) : T(-1);
    Random random(4);
    b.randomise(random);
    auto const team =
        team_solve<Space, 2, T>(conjugate_gradients(relative(tolerance, 200)), no_preconditioner(),
                                matrix_free(rows, Difference<T>{rows, T(3)}));
    using Solver = std::remove_const_t<decltype(team)>;
    static_assert(std::is_same_v<typename Solver::value_type, T>);
    for (bool own : {false, true}) {
      x.fill(T(1));
      auto const log = SolveLog<T>::allocated(items);
      launch_user_kernel<Solver, T>(
          team, items, team.team_size(), 0,
          ByFunctor<T, Solver>{team, vectors(b), vectors(x), log, rows, own});
      x.download();
      HostLog<T> const said(log);
      for (int n = 0; n < items; ++n) {
        ASSERT_EQ(said.reason(n), Reason::success);
        expect_honest(said, n, residual_truth(full, n, x, b), tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
