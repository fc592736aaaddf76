// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every solver and preconditioner on hosts, and the other verbs, in every format, with patterns
// that have faults.
#include "BadPatternsCase.hpp"
#include "PreconditionersCase.hpp"
#include "krylov/Batchwork_DirectLu.hpp"
#include "krylov/Batchwork_SolveConfiguration.hpp"
#include "krylov/Batchwork_SymbolicLu.hpp"
#include "krylov/Batchwork_TeamSolve.hpp"
#include "krylov/solvers/Batchwork_ScaledSolver.hpp"
#include "krylov/verbs/Batchwork_AddScaledIdentity.hpp"
#include "krylov/verbs/Batchwork_Equilibrate.hpp"
#include "krylov/verbs/Batchwork_Multiply.hpp"
#include "krylov/verbs/Batchwork_Scale.hpp"
#include "krylov/verbs/Batchwork_SolveTriangular.hpp"

namespace Batchwork::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
struct HostResults {
  std::vector<int> reasons;
  std::vector<T> residuals, scaled, recurrences;
  SolveLog<T, Kokkos::HostSpace> log;

  explicit HostResults(std::int64_t n)
      : reasons(std::size_t(n), -7),
        residuals(std::size_t(n)),
        scaled(std::size_t(n)),
        recurrences(std::size_t(n)) {
    log.reason = ExactView<int*>(reasons.data(), reasons.size());
    log.residual = ExactView<T*>(residuals.data(), residuals.size());
    log.recurrence = ExactView<T*>(recurrences.data(), recurrences.size());
  }
};

/// One item, fewer than a pack, and several packs.
constexpr std::int64_t numbers_of_items[] = {1, 3, 21};

template <class T>
struct BadPatterns : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BadPatterns, Numbers);
/// Code that takes long to compile.
template <class T>
struct BadPatternsOfDouble : ::testing::Test {};
TYPED_TEST_SUITE(BadPatternsOfDouble, ::testing::Types<double>);

/// Formats given by type: packs of hosts, or one item for each thread.
TYPED_TEST(BadPatterns, Solve) {
  using T = TypeParam;
  double const tolerance = usual_tolerance<T>;
  for (auto items : numbers_of_items)
    for_bad_patterns<T>(items, [&](char const* format, BadPattern<T>& bad, auto const& a) {
      for_all_preconditioners([&](char const* name, bool rises, auto const& m) {
        SCOPED_TRACE(std::string(format) + ", " + name + ", " + std::to_string(items) + " items");
        bad.x = bad.start;
        HostResults<T> found(items);
        solve(Host(), bicgstab(relative(tolerance, 100)), m, a, bad.view(bad.b), bad.view(bad.x),
              found.log);
        expect_taken(taken(format, bad.fault), rises, bad, bad.x, found.reasons, found.residuals,
                     tolerance);
      });
    });
}

/// Every solver, with a configuration and a format known at run time.
TYPED_TEST(BadPatternsOfDouble, Configuration) {
  using T = TypeParam;
  std::int64_t const items = 5;
  for_bad_patterns<T>(items, [&](char const* format, BadPattern<T>& bad, auto const& a) {
    for (auto solver : {SolverKind::bicgstab, SolverKind::gmres, SolverKind::cgs,
                        SolverKind::richardson, SolverKind::conjugate_gradients})
      for (auto m :
           {PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::block_jacobi,
            PreconditionerKind::ilu, PreconditionerKind::isai, PreconditionerKind::spd_isai}) {
        SolveConfiguration how;
        how.solver = solver;
        how.preconditioner = m;
        how.block_rows = 2;
        how.omega = 0.2;
        how.stop = relative(usual_tolerance<T>, 200);
        bool const rises = m == PreconditionerKind::ilu || m == PreconditionerKind::isai ||
                           m == PreconditionerKind::spd_isai;
        auto const as = taken(format, bad.fault);
        SCOPED_TRACE(std::string(format) + ", " + to_string(solver) + ", " + to_string(m));
        bad.x = bad.start;
        HostResults<T> found(items);
        AnyMatrices<T, Kokkos::HostSpace> const any = a;
        solve(Host(), how, any, bad.view(bad.b), bad.view(bad.x), found.log);
        // The matrices are not symmetric, and richardson needs a suitable omega: these can fail for
        // other reasons.
        bool const solves = solver == SolverKind::bicgstab || solver == SolverKind::gmres;
        bool const invalid = as == Taken::invalid || (as == Taken::unordered && rises);
        // spd_isai needs a symmetric pattern.
        if (as == Taken::another && m == PreconditionerKind::spd_isai) continue;
        if (!invalid && (!solves || m == PreconditionerKind::spd_isai)) {
          for (int code : found.reasons) ASSERT_NE(Status::reason(code), Reason::invalid_pattern);
          continue;
        }
        expect_taken(as, rises, bad, bad.x, found.reasons, found.residuals, usual_tolerance<T>);
      }
  });
}

/// Scaled solvers log |b|, like others, because the norm of a scaled residual is not known.
TYPED_TEST(BadPatternsOfDouble, Scaled) {
  using T = TypeParam;
  std::int64_t const items = 5;
  for_bad_patterns<T>(items, [&](char const* format, BadPattern<T>& bad, auto const& a) {
    for_all_preconditioners([&](char const* name, bool rises, auto const& m) {
      SCOPED_TRACE(std::string(format) + ", " + name);
      auto const as = taken(format, bad.fault);
      bad.x = bad.start;
      HostResults<T> found(items);
      found.log.scaled_residual = ExactView<T*>(found.scaled.data(), found.scaled.size());
      solve(Host(), scaled(bicgstab(relative(usual_tolerance<T>, 100))), m, a, bad.view(bad.b),
            bad.view(bad.x), found.log);
      if (as == Taken::unordered && rises) {
        for (int code : found.reasons) ASSERT_EQ(Status::reason(code), Reason::invalid_pattern);
        ASSERT_EQ(bad.x, bad.start);
        return;
      }
      expect_taken(as, rises, bad, bad.x, found.reasons, found.residuals, usual_tolerance<T>);
      if (as == Taken::invalid) {
        for (T norm : found.scaled) ASSERT_TRUE(std::isnan(norm));
      }
    });
  });
}

template <class T, class Solver, class B, class X>
struct SolveByTeam {
  Solver solver;
  B b;
  X x;
  SolveLog<T, Kokkos::HostSpace> log;

  template <class Member>
  void operator()(Member const& member) const {
    auto const n = std::size_t(member.league_rank());
    auto const said = solver.solve(member, int(n), Kokkos::subview(b, n, Kokkos::ALL),
                                   Kokkos::subview(x, n, Kokkos::ALL));
    log.reason(n) = said.code;
    log.residual(n) = said.residual;
  }
};
TYPED_TEST(BadPatternsOfDouble, TeamSolve) {
  using T = TypeParam;
  std::int64_t const items = 3;
  for_bad_patterns<T>(items, [&](char const* format, BadPattern<T>& bad, auto const& a) {
    for_all_preconditioners([&](char const* name, bool rises, auto const& m) {
      SCOPED_TRACE(std::string(format) + ", " + name);
      bad.x = bad.start;
      HostResults<T> found(items);
      auto const b = bad.view(bad.b), x = bad.view(bad.x);
      auto const solver = team_solve<Host>(bicgstab(relative(usual_tolerance<T>, 100)), m, a);
      using Kernel = SolveByTeam<T, decltype(solver), decltype(b), decltype(x)>;
      Kokkos::parallel_for(Kokkos::TeamPolicy<Host>(Host(), int(items), 1),
                           Kernel{solver, b, x, found.log});
      expect_taken(taken(format, bad.fault), rises, bad, bad.x, found.reasons, found.residuals,
                   usual_tolerance<T>);
    });
  });
}

/// Direct solves add entries that are present twice, in any order, and find columns that are out of
/// range. They do not check offsets.
TYPED_TEST(BadPatternsOfDouble, DirectLu) {
  using T = TypeParam;
  for (auto items : numbers_of_items)
    for_bad_patterns<T>(items, [&](char const* format, BadPattern<T>& bad, auto const& a) {
      auto const as = taken(format, bad.fault);
      if (of_offsets(bad.fault) && std::string(format) == "csr") return;
      SCOPED_TRACE(std::string(format) + ", " + std::to_string(items) + " items");
      auto const expect_direct = [&](auto const& solver) {
        bad.x = std::vector<T>(bad.start.size(), T(7));
        HostResults<T> found(items);
        solve(Host(), solver, a, bad.view(bad.b), bad.view(bad.x), found.log);
        if (as == Taken::invalid) {
          for (int code : found.reasons) ASSERT_EQ(Status::reason(code), Reason::invalid_pattern);
          for (T x : bad.x) ASSERT_TRUE(std::isnan(x));
          return;
        }
        expect_taken(as == Taken::another ? as : Taken::sound, false, bad, bad.x, found.reasons,
                     found.residuals, usual_tolerance<T>);
      };
      expect_direct(direct_lu(relative(usual_tolerance<T>)));
      expect_direct(direct_lu<float>(relative(usual_tolerance<T>)));
      std::string said;
      try {
        auto const symbolic = symbolic_lu(Host(), a);
        expect_direct(direct_lu(symbolic, relative(usual_tolerance<T>)));
      } catch (std::invalid_argument const& e) {
        said = e.what();
      }
      EXPECT_EQ(said.empty(), as != Taken::invalid) << said;
    });
}

/// Jacobi and block Jacobi use the sum of entries that are present twice, in any order.
TYPED_TEST(BadPatterns, Application) {
  using T = TypeParam;
  if (Impl::runs_on_device<Space>) GTEST_SKIP() << "the Views are those of a host";
  std::int64_t const items = 5;
  Random random(3);
  for_bad_patterns<T>(items, [&](char const* format, BadPattern<T>& bad, auto const& a) {
    auto const as = taken(format, bad.fault);
    if (as == Taken::invalid || as == Taken::another) return;
    SCOPED_TRACE(format);
    auto const blocks = [&](int size) {
      return [&bad, size](std::int64_t n, std::vector<long double> const& r) {
        return blocks_truth(equal_blocks(BadPattern<T>::rows, size), bad.full, n, r);
      };
    };
    auto const how = Arranged::item_contiguous;
    expect_application<T>(ByVerb(), jacobi(), a, bad.rows, items, how, blocks(1), 4, random);
    for (int size : {1, 2, 4, 6})
      expect_application<T>(ByVerb(), block_jacobi(size), a, bad.rows, items, how, blocks(size), 40,
                            random);
  });
}

/// The verbs add entries that are present twice, in any order.
TYPED_TEST(BadPatterns, Verbs) {
  using T = TypeParam;
  std::int64_t const items = 5;
  for_bad_patterns<T>(items, [&](char const* format, BadPattern<T>& bad, auto const& a) {
    auto const as = taken(format, bad.fault);
    // Diagonals in any order are correct entry by entry.
    if (as == Taken::another || (as == Taken::invalid && std::string(format) != "dia")) return;
    bool const by_rows = as != Taken::invalid;
    SCOPED_TRACE(format);
    constexpr int rows = BadPattern<T>::rows;
    auto const b = bad.view(bad.b), x = bad.view(bad.x);
    // y = (beta A + alpha) x, row by row.
    auto const expect_product = [&](T beta, T alpha, char const* what) {
      std::vector<T> y(bad.b.size(), std::numeric_limits<T>::quiet_NaN());
      multiply(Host(), a, b, bad.view(y));
      for (std::size_t n = 0; n < std::size_t(items); ++n)
        for (int i = 0; i < rows; ++i) {
          long double sum = 0, size = 0;
          for (int j = 0; j < rows; ++j) {
            long double const term =
                (beta * static_cast<long double>(bad.full.at(std::int64_t(n), i, j)) +
                 (i == j ? alpha : T(0))) *
                b(n, std::size_t(j));
            sum += term, size += std::fabs(term);
          }
          ASSERT_NEAR(double(y[n * rows + std::size_t(i)]), double(sum),
                      double(8 * epsilon<T> * size))
              << what << ", item " << n << ", row " << i;
        }
    };
    expect_product(T(1), T(0), "multiply");
    for (auto triangle :
         {Triangle::lower, Triangle::unit_lower, Triangle::upper, Triangle::unit_upper}) {
      if (!by_rows) break;
      bool const upper = triangle == Triangle::upper || triangle == Triangle::unit_upper;
      bool const unit = triangle == Triangle::unit_lower || triangle == Triangle::unit_upper;
      std::vector<int> codes(std::size_t(items), -7);
      solve_triangular(Host(), triangle, a, b, x,
                       status(ExactView<int*>(codes.data(), codes.size())));
      for (std::size_t n = 0; n < std::size_t(items); ++n) {
        ASSERT_EQ(codes[n], 0);
        for (int i = 0; i < rows; ++i) {
          long double sum = 0, size = 0;
          for (int j = upper ? i : 0; j <= (upper ? rows - 1 : i); ++j) {
            long double const number =
                unit && j == i ? 1 : static_cast<long double>(bad.full.at(std::int64_t(n), i, j));
            sum += number * x(n, std::size_t(j));
            size += std::fabs(number * x(n, std::size_t(j)));
          }
          ASSERT_NEAR(double(sum), double(b(n, std::size_t(i))), double(8 * epsilon<T> * size))
              << "triangle " << int(triangle) << ", item " << n << ", row " << i;
        }
      }
    }
    // alpha is added to one of several entries on the diagonal.
    add_scaled_identity(Host(), 3, a);
    expect_product(T(1), T(3), "A + 3");
    add_scaled_identity(Host(), 2, a, -2);
    expect_product(T(-2), T(-4), "-2 (A + 3) + 2");
    std::vector<T> left(bad.b.size(), T(2)), right(bad.b.size(), T(0.5));
    scale(Host(), bad.view(left), a, bad.view(right));
    expect_product(T(-2), T(-4), "scale");
    equilibrate(Host(), a, bad.view(left), bad.view(right));
    for (T f : left) ASSERT_TRUE(std::isfinite(f) && f > T(0));
    add_scaled_identity(Host(), 5, a, 0);
    expect_product(T(0), T(5), "5");
  });
}

/// The residual is |b|, in every unit: (3, 4) times a power of two has the norm 5.
TEST(BadPatterns, ResidualsInEveryUnit) {
  int const offsets[] = {0, 1, 2}, columns[] = {0, 5};
  using Indices = Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::View<double**, Kokkos::LayoutRight, Host> const v("v", 1, 2), b("b", 1, 2), x("x", 1, 2);
  v(0, 0) = v(0, 1) = 1;
  for (int const e : {-1000, -660, 0, 660, 1000}) {
    SCOPED_TRACE("2^" + std::to_string(e));
    b(0, 0) = std::ldexp(3.0, e), b(0, 1) = std::ldexp(4.0, e);
    HostResults<double> found(1);
    solve(Host(), bicgstab(relative(1e-8)), jacobi(),
          csr(Indices(offsets, 3), Indices(columns, 2), v), b, x, found.log);
    EXPECT_EQ(Status::reason(found.reasons[0]), Reason::invalid_pattern);
    EXPECT_DOUBLE_EQ(std::ldexp(found.residuals[0], -e), 5.0);
  }
}

}  // namespace
}  // namespace Batchwork::Test
