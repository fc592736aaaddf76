// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve inside kernels of the tests' own: every format, by items and with numbers that the kernel has made in its
// scratch, several calls in a kernel; against the residual in long double and against solve.
#include "krylov/Batchwork_TeamSolve.hpp"

#include "krylov/SolveCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct TeamSolve : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TeamSolve, Numbers);

template <class T>
using Vectors = Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;

/// What a call has said: by the last thread, since all of them are told.
template <class T, class Member>
KOKKOS_FUNCTION void note(Member const& member, SolveLog<T> const& log, int item,
                          SolveResult<T> const& result) {
  if (member.team_rank() != member.team_size() - 1) return;
  log.iterations(item) = result.iterations;
  log.recurrence(item) = result.recurrence;
  log.residual(item) = result.residual;
  log.reason(item) = result.code;
}

template <class Solver, class T>
void launch_user_kernel(Solver const& solver, int items, int team, std::size_t own, auto kernel) {
  Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, 1>> policy(items, team);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(solver.scratch_size(team) + own)));
  Kokkos::parallel_for("a kernel of the user's", policy, kernel);
  Kokkos::fence();
}

/// Item n of A, b and x, straight from Views.
template <class T, class Solver>
struct ByItem {
  Solver solver;
  Vectors<T> b, x;
  SolveLog<T> log;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const n = member.league_rank();
    auto const& from = b;
    auto const& to = x;
    auto const result = solver.solve(
        member, n, [&](int i) { return from(n, i); }, [&](int i) -> T& { return to(n, i); });
    note(member, log, n, result);
  }
};

/// The kernel brings the numbers of the item, b and x to its scratch, by other threads than read them; the solution goes
/// back the same way. Twice, so that the second call begins where the first has ended.
template <class T, class Solver, class Values>
struct FromScratch {
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Solver solver;
  Values values;  ///< (item, k)
  Vectors<T> b, x;
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

template <class T>
struct Case {
  std::int64_t items;
  Random random{5};
  Matrices<T> a;
  GemmMatrices<T> b, x, y;
  Case(int rows, double share, Arranged how, bool symmetric, std::int64_t n = 7)
      : items(n),
        a(solvable_pattern(random, rows, share, symmetric), n, how),
        b(n, rows, 1, how),
        x(n, rows, 1, how),
        y(n, rows, 1, how) {
    for (std::int64_t k = 0; k < n; ++k) put_dominant(a, k, random, symmetric, 2.5);
    a.upload();
    b.randomise(random);
    begin(x);
    begin(y);
  }
  void begin(GemmMatrices<T> const& v) const {
    Random other(17);
    v.randomise(other);
  }

  /// What the kernel has left in x and in the log is right.
  void check(SolveLog<T> const& log, double tolerance) const {
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      ASSERT_EQ(said.reason(n), Reason::success)
          << to_string(said.reason(n)) << " after " << said.iterations(n);
      expect_honest(said, n, residual_truth(a.full, n, x, b), tolerance);
    }
  }
  template <int R, class Solver, class M, class A>
  void by_item(Solver const& solver, M const& m, A const& A_, char const* what) const {
    SCOPED_TRACE(what);
    double const tolerance = solver.stop.tolerance;
    auto const team = team_solve<Space, R>(solver, m, A_);
    auto const want_log = SolveLog<T>::allocated(items);
    begin(y);
    solve(solver, m, A_, vectors(b), vectors(y), want_log);
    y.download();
    int const wanted = team.team_size();
    for (int size : {wanted, Impl::runs_on_device<Space> ? 256 : 1}) {
      auto const log = SolveLog<T>::allocated(items);
      begin(x);
      auto const outside = x.poisoned();
      launch_user_kernel<decltype(team), T>(
          team, int(items), size, 0,
          ByItem<T, std::remove_const_t<decltype(team)>>{team, vectors(b), vectors(x), log});
      check(log, tolerance);
      EXPECT_EQ(x.poisoned(), outside);
      HostLog<T> const said(log), want(want_log);
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < b.rows; ++i) {
          if (!Impl::runs_on_device<Space>) {
            ASSERT_TRUE(same_bits(x.at(n, i, 0), y.at(n, i, 0)));
          } else {
            // Diagonals are 2.5 times the rest of their row, and at least 2.5.
            ASSERT_NEAR(x.at(n, i, 0), y.at(n, i, 0), 4 * tolerance * std::sqrt(double(b.rows)));
          }
        }
    }
  }
  template <class A, class Values>
  void from_scratch(A const& pattern, Values const& values, bool by_pointer,
                    char const* what) const {
    SCOPED_TRACE(what);
    double const tolerance = usual_tolerance<T>;
    auto const team = team_solve<Space>(bicgstab(relative(tolerance, 200)), jacobi(), pattern);
    auto const log = SolveLog<T>::allocated(items), again = SolveLog<T>::allocated(items);
    begin(x);
    FromScratch<T, std::remove_const_t<decltype(team)>, Values> const kernel{
        team,   values,    vectors(b), vectors(x), log, again, int(values.extent(1)),
        b.rows, by_pointer};
    launch_user_kernel<decltype(team), T>(team, int(items), team.team_size(), kernel.own(), kernel);
    check(log, tolerance);
    // The residual that the second call begins with is that of the first.
    HostLog<T> const first(log), second(again);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_GT(first.iterations(n), 0);
      EXPECT_EQ(second.iterations(n), 0);
      EXPECT_EQ(second.reason(n), Reason::success);
    }
  }
};

struct Size {
  int rows;
  double share;
};
inline constexpr Size sizes[] = {{1, 1},  {2, 1},     {12, 0.4}, {31, 0.2},
                                 {33, 1}, {64, 0.05}, {65, 0.3}, {150, 0.02}};

TYPED_TEST(TeamSolve, ItemsOfEveryFormat) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 200);
  for (auto const& size : sizes)
    for (auto how : all_arranged) {
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      Case<T> const c(size.rows, size.share, how, true);
      c.template by_item<2>(bicgstab(stop), jacobi(), c.a.csr(), "csr");
      c.template by_item<2>(bicgstab(stop), no_preconditioner(), c.a.long_csr(), "csr of 64 bits");
      c.template by_item<1>(conjugate_gradients(stop), jacobi(), c.a.ell(), "ell");
      c.template by_item<4>(richardson(stop, 0.9), jacobi(), c.a.dense(), "dense");
      c.template by_item<2>(bicgstab(stop), jacobi(), AnyMatrices<T>(c.a.dense()), "any");
    }
}

TYPED_TEST(TeamSolve, ManyRows) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 200);
  Case<T> const c(512, 0.002, Arranged::rows, true, 3);
  c.template by_item<2>(bicgstab(stop), jacobi(), c.a.csr(), "512 rows");
  Case<T> const large(1100, 0.0005, Arranged::rows, true, 2);
  large.template by_item<8>(bicgstab(stop), jacobi(), large.a.csr(), "1100 rows");
}

TYPED_TEST(TeamSolve, NumbersInScratch) {
  using T = TypeParam;
  for (auto const& size : {Size{1, 1}, Size{3, 1}, Size{12, 0.3}, Size{24, 0.5}, Size{40, 0.2}}) {
    SCOPED_TRACE(std::to_string(size.rows) + " rows");
    Case<T> const c(size.rows, size.share, Arranged::rows, false);
    auto const flat = [](GemmMatrices<T> const& m) {
      return Kokkos::View<T**, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>(
          m.data(), std::size_t(m.items), std::size_t(m.rows * m.cols));
    };
    auto const csr = csr_pattern<T>(c.a.row_offsets, c.a.columns);
    c.from_scratch(csr, flat(c.a.values), true, "csr by a pointer");
    c.from_scratch(csr, flat(c.a.values), false, "csr by a View");
    c.from_scratch(csr_pattern<T>(c.a.long_offsets, c.a.columns), flat(c.a.values), false,
                   "64 bits");
    c.from_scratch(ell_pattern<T>(c.a.place_columns), flat(c.a.places), true, "ell");
    c.from_scratch(dense_pattern<T>(size.rows), flat(c.a.full), true, "dense");
    // A format with numbers of its own serves as a pattern, too.
    c.from_scratch(c.a.csr(), flat(c.a.values), true, "csr that has numbers");
  }
}

template <class T>
struct Difference {
  int rows;
  T diagonal;
  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      T sum = (diagonal + T(item)) * x(i);
      if (i > 0) sum -= x(i - 1);
      if (i + 1 < rows) sum -= x(i + 1);
      y(i) = sum;
    });
  }
};

/// The functor that was given on the host, and one that the kernel makes.
template <class T, class Solver>
struct ByFunctor {
  Solver solver;
  Vectors<T> b, x;
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

TYPED_TEST(TeamSolve, MatrixFree) {
  using T = TypeParam;
  double const tolerance = usual_tolerance<T>;
  for (int rows : {1, 12, 100, 300}) {
    int const items = 5;
    GemmMatrices<T> const full(items, rows, rows, Arranged::rows),
        b(items, rows, 1, Arranged::planes), x(items, rows, 1, Arranged::strided);
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

/// What cannot be solved is said, item by item, as solve says it; a diagonal that is zero or not there is a factor of 1.
TYPED_TEST(TeamSolve, Reasons) {
  using T = TypeParam;
  int const items = 6;
  GemmMatrices<T> const full(items, 3, 3, Arranged::rows), b(items, 3, 1, Arranged::rows),
      x(items, 3, 1, Arranged::rows);
  full.fill(T(0));
  b.fill(T(1));
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < 3; ++i) full.at(n, i, i) = T(2 + i);
  full.at(1, 0, 0) = std::numeric_limits<T>::quiet_NaN();
  full.at(2, 1, 1) = T(-2);
  for (int i = 0; i < 3; ++i) b.at(3, i, 0) = T(0);
  // Neither has a diagonal, and its square is the identity.
  full.at(4, 0, 0) = full.at(4, 1, 1) = T(0);
  full.at(4, 0, 1) = full.at(4, 1, 0) = full.at(4, 2, 2) = T(1);
  full.upload();
  b.upload();
  auto const run = [&](auto const& solver, Reason second) {
    auto const team = team_solve<Space>(solver, jacobi(), dense(full.batch()));
    using Solver = std::remove_const_t<decltype(team)>;
    auto const log = SolveLog<T>::allocated(items);
    x.fill(T(0.5));
    launch_user_kernel<Solver, T>(team, items, team.team_size(), 0,
                                  ByItem<T, Solver>{team, vectors(b), vectors(x), log});
    x.download();
    HostLog<T> const said(log);
    for (int n : {0, 3, 4, 5}) {
      EXPECT_EQ(said.reason(n), Reason::success) << n;
      expect_honest(said, n, residual_truth(full, n, x, b), 1e-5);
    }
    EXPECT_EQ(said.reason(1), Reason::not_finite);
    EXPECT_EQ(said.reason(2), second);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(x.at(3, i, 0), T(0));
    EXPECT_EQ(said.iterations(3), 0);
  };
  run(bicgstab(relative(1e-5, 50)), Reason::success);
  // Limits hold for each call.
  auto const none = team_solve<Space>(bicgstab(relative(1e-5, 0)), jacobi(), dense(full.batch()));
  using Solver = std::remove_const_t<decltype(none)>;
  auto const log = SolveLog<T>::allocated(items);
  x.fill(T(0.5));
  launch_user_kernel<Solver, T>(none, items, none.team_size(), 0,
                                ByItem<T, Solver>{none, vectors(b), vectors(x), log});
  x.download();
  EXPECT_EQ(HostLog<T>(log).reason(0), Reason::iteration_limit);
  EXPECT_EQ(x.at(0, 0, 0), T(0.5));
}

/// Teams of hosts may have more than one thread, if there are more.
TEST(TeamSolveHost, TeamsOfSeveralThreads) {
  if (Impl::runs_on_device<Space>) GTEST_SKIP() << "a device has its own sizes";
  Case<double> const c(20, 0.3, Arranged::rows, false);
  auto const team = team_solve<Space>(bicgstab(relative(1e-10, 100)), jacobi(), c.a.csr());
  using Solver = std::remove_const_t<decltype(team)>;
  auto const log = SolveLog<double>::allocated(c.items);
  ByItem<double, Solver> const kernel{team, vectors(c.b), vectors(c.x), log};
  Kokkos::TeamPolicy<Space> const any(int(c.items), 1);
  int const most = any.team_size_max(kernel, Kokkos::ParallelForTag());
  for (int size = 1; size <= std::min(most, 3); ++size) {
    c.begin(c.x);
    launch_user_kernel<Solver, double>(team, int(c.items), size, 0, kernel);
    c.check(log, 1e-10);
  }
}

TEST(TeamSolveSizes, AreKnownOnTheHost) {
  using View = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  auto const solver = bicgstab(relative(1e-8, 100));
  auto const small = team_solve<Space>(solver, jacobi(), dense(View("a", 2, 12, 12)));
  auto const large = team_solve<Space, 8>(solver, no_preconditioner(), dense_pattern<double>(2048));
  static_assert(std::is_trivially_copyable_v<std::remove_const_t<decltype(small)>>);
  EXPECT_EQ(small.scratch_size(), small.scratch_size(small.team_size()));
  if (Impl::runs_on_device<Space>) {
    EXPECT_EQ(small.team_size(), 32);
    EXPECT_EQ(large.team_size(), 256);
    EXPECT_LE(small.scratch_size(), 1024u * 4);
    EXPECT_LE(large.scratch_size(), 40000u);
  } else {
    EXPECT_EQ(small.team_size(), 1);
    EXPECT_EQ(large.team_size(), 1);
    EXPECT_EQ(small.scratch_size(7), 0u);
    EXPECT_EQ(large.scratch_size(), 0u);
  }
}

TEST(TeamSolveMisuse, IsNamed) {
  using View = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Kokkos::View<int*, Space> const offsets("offsets", 5), columns("columns", 9), none;
  auto const solver = bicgstab(relative(1e-8, 100));
  auto const team = team_solve<Space>(solver, jacobi(), dense(View("a", 2, 12, 12)));
  for (int size : {0, -32}) {
    expect_says(message_of([&] { (void)team.scratch_size(size); }),
                {"Batchwork::team_solve: teams of ", std::to_string(size).c_str(),
                 " threads for systems of 12 rows", "; give a multiple of 32 to 256"});
  }
  expect_says(
      message_of([&] { (void)team_solve<Space>(solver, jacobi(), dense(View("a", 2, 3, 4))); }),
      {"Batchwork::team_solve: operand 3, dense values(\"a\")", "; give square matrices"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(bicgstab(relative(-1, 100)), jacobi(),
                                        dense_pattern<float>(3));
              }),
              {"a tolerance of -1", "; give zero or more"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(bicgstab(relative(1, -1)), jacobi(),
                                        dense_pattern<float>(3));
              }),
              {"at most -1 iterations", "; give zero or more"});
  expect_says(
      message_of([&] { (void)team_solve<Space, 8>(solver, jacobi(), dense_pattern<float>(2049)); }),
      {"systems of 2049 rows, more than the limit of 2048", "; use a solver"});
  expect_says(
      message_of([&] { (void)team_solve<Space>(solver, jacobi(), dense_pattern<float>(-1)); }),
      {"dense_pattern of -1 rows; give"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(solver, jacobi(),
                                        matrix_free(3, Difference<double>{3, 1.0}));
              }),
              {"jacobi: matrix_free has no diagonal; give no_preconditioner()"});
  expect_says(message_of([&] {
                (void)team_solve<Space>(solver, jacobi(), csr_pattern<double>(none, columns));
              }),
              {"csr_pattern row offsets"});
  if (Impl::runs_on_device<Space>) {
    for (int size : {1, 31, 33, 512})
      expect_says(message_of([&] { (void)team.scratch_size(size); }), {"give a multiple of 32"});
    auto const wide = team_solve<Space, 1>(solver, jacobi(), dense_pattern<double>(100));
    EXPECT_EQ(wide.team_size(), 128);
    expect_says(message_of([&] { (void)wide.scratch_size(96); }),
                {"teams of 96 threads for systems of 100 rows"});
    expect_says(
        message_of([&] { (void)team_solve<Space>(solver, jacobi(), dense_pattern<float>(513)); }),
        {"more than the limit of 512; give more rows a lane"});
  }
}

}  // namespace
}  // namespace Batchwork::Test
