// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Solver and preconditioner by configuration, for one type of numbers. Results are compared with
/// the solution and the preconditioner in long double. They must be bitwise the same as with a
/// solver and preconditioner given by type.
#ifndef BATCHWORK_TEST_CONFIGURATION_CASE_HPP
#define BATCHWORK_TEST_CONFIGURATION_CASE_HPP

#include <cstring>
#include <vector>

#include "krylov/Batchwork_SolveConfiguration.hpp"
#include "krylov/IsaiCase.hpp"

namespace Batchwork::Test {

inline constexpr SolverKind all_solvers[] = {SolverKind::conjugate_gradients, SolverKind::bicgstab,
                                             SolverKind::gmres, SolverKind::richardson,
                                             SolverKind::cgs};
inline constexpr PreconditionerKind all_preconditioners[] = {
    PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::block_jacobi,
    PreconditionerKind::ilu};

/// Symmetric positive definite systems for which every solver converges, also without a
/// preconditioner. The largest diagonal entry of an item is 1.
template <class T>
struct ConfigurationCase {
  static constexpr std::int64_t items = 9;
  Arranged how;
  Random random{11};
  Matrices<T> a;
  ArrangedBatch<T> b, start;
  /// For every item. No row of the inverse has a larger sum of magnitudes than 1 / gap.
  std::vector<std::vector<long double>> solutions;
  std::vector<long double> gaps;

  ConfigurationCase(int rows, Arranged arranged)
      : how(arranged),
        a(solvable_pattern(random, rows, 0.15, true), items, how),
        b(items, rows, 1, how),
        start(items, rows, 1, how) {
    for (std::int64_t n = 0; n < items; ++n) {
      put_dominant(a, n, random, true, 2.5);
      T largest = T(0);
      for (int i = 0; i < rows; ++i) largest = std::max(largest, a.full.at(n, i, i));
      for (int i = 0; i < rows; ++i) {
        auto const& row = a.pattern.columns[std::size_t(i)];
        for (int k = 0; k < int(row.size()); ++k)
          a.put(n, i, k, a.full.at(n, i, row[std::size_t(k)]) / largest);
      }
    }
    a.upload();
    b.randomise(random);
    start.randomise(random);
    for (std::int64_t n = 0; n < items; ++n) {
      std::vector<std::vector<long double>> matrix;
      std::vector<long double> right;
      long double gap = 1;
      for (int i = 0; i < rows; ++i) {
        long double others = 0;
        matrix.emplace_back();
        for (int j = 0; j < rows; ++j) {
          matrix.back().push_back(a.full.at(n, i, j));
          if (j != i) others += std::fabs(matrix.back().back());
        }
        gap = std::min(gap, a.full.at(n, i, i) - others);
        right.push_back(b.at(n, i, 0));
      }
      EXPECT_GT(gap, 0);
      gaps.push_back(gap);
      solutions.push_back(dense_solution(matrix, right));
    }
  }

  struct Result {
    ArrangedBatch<T> x;
    HostLog<T> log;

    bool operator==(Result const& other) const {
      for (std::int64_t n = 0; n < items; ++n) {
        auto const k = std::size_t(n);
        if (log.log.reason(k) != other.log.log.reason(k) ||
            log.iterations(n) != other.log.iterations(n) ||
            !same_bits(log.residual(n), other.log.residual(n)) ||
            !same_bits(log.recurrence(n), other.log.recurrence(n)) || !same_x(other, n))
          return false;
      }
      return true;
    }
    bool same_x(Result const& other, std::int64_t n) const {
      for (int i = 0; i < x.rows; ++i)
        if (!same_bits(x.at(n, i, 0), other.x.at(n, i, 0))) return false;
      return true;
    }
  };

  /// Solves with call(x, log), from the same initial guess.
  template <class Call>
  Result run(Call const& call) const {
    ArrangedBatch<T> const x(items, start.rows, 1, how);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < start.rows; ++i) x.at(n, i, 0) = start.at(n, i, 0);
    x.upload();
    auto const outside = x.poisoned();
    auto const log = SolveLog<T>::allocated(items);
    call(vectors(x), log);
    x.download();
    EXPECT_EQ(x.poisoned(), outside);
    return {x, HostLog<T>(log)};
  }
  /// Solves with solve(which..., A, b, x, log) and the workspace that it needs. `which` is a
  /// configuration, or a solver and a preconditioner.
  template <class A, class... Which>
  Result solved(A const& matrices, Which const&... which) const {
    return run([&](auto const& x, auto const& log) {
      std::int64_t const needed = workspace_numbers(which..., matrices, items);
      FencedWorkspace<T> const memory(needed);
      solve(which..., matrices, vectors(b), x, log, memory());
      EXPECT_TRUE(memory.fenced());
    });
  }

  /// All items converged. Compares x and the log with long double.
  void expect_solved(Result const& r, double tolerance) const {
    int const rows = a.pattern.rows;
    for (std::int64_t n = 0; n < items; ++n) {
      ASSERT_EQ(r.log.reason(n), Reason::success) << to_string(r.log.reason(n));
      ASSERT_GT(r.log.iterations(n), 0);
      ResidualTruth const t = residual_truth(a.full, n, r.x, b);
      expect_honest(r.log, n, t, tolerance);
      for (int i = 0; i < rows; ++i)
        ASSERT_LE(std::fabs(r.x.at(n, i, 0) - solutions[std::size_t(n)][std::size_t(i)]),
                  (tolerance * t.right_side + 2 * t.rounding) / gaps[std::size_t(n)] * 1.01L)
            << "item " << n << ", row " << i;
    }
  }
};

/// Calls f(kind, solver) for all solvers, and f(kind, preconditioner) for all preconditioners, with
/// the types that a program uses.
template <class F>
void for_solvers(SolveConfiguration const& c, F const& f) {
  f(SolverKind::conjugate_gradients, conjugate_gradients(c.stop));
  f(SolverKind::bicgstab, bicgstab(c.stop));
  f(SolverKind::gmres, gmres(c.basis, c.stop));
  f(SolverKind::richardson, richardson(c.stop, c.omega));
  f(SolverKind::cgs, cgs(c.stop));
}
template <class F>
void for_preconditioners(SolveConfiguration const& c, F const& f) {
  f(PreconditionerKind::none, no_preconditioner());
  f(PreconditionerKind::jacobi, jacobi());
  f(PreconditionerKind::block_jacobi, block_jacobi(c.block_rows));
  f(PreconditionerKind::ilu, ilu());
}

/// Every solver with every preconditioner in each format, with and without a workspace for gmres.
template <class T>
void expect_every_pair() {
  SolveConfiguration c{.stop = relative(usual_tolerance<T>, 900), .omega = 0.8, .block_rows = 3};
  for (int rows : {5, 21, 110})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
      if (rows == 110 && how == Arranged::interleaved) continue;
      ConfigurationCase<T> const of(rows, how);
      c.basis = rows == 21 ? 4 : 80;
      AnyMatrices<T> const formats[] = {of.a.csr(), of.a.long_csr(), of.a.ell(), of.a.dense()};
      for (int f = 0; f < 4; ++f) {
        SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)) +
                     ", format " + std::to_string(f));
        auto const& A = formats[f];
        std::vector<typename ConfigurationCase<T>::Result> all;
        for_solvers(c, [&](SolverKind solver_kind, auto const& solver) {
          for_preconditioners(c, [&](PreconditionerKind kind, auto const& m) {
            SCOPED_TRACE(std::string(to_string(solver_kind)) + ", " + to_string(kind));
            c.solver = solver_kind;
            c.preconditioner = kind;
            std::int64_t const needed = workspace_numbers(c, A, of.items);
            EXPECT_EQ(needed, workspace_numbers(solver, m, A, of.items));
            if (solver_kind == SolverKind::gmres && rows == 110) {
              // A device can have scratch memory for the basis.
              EXPECT_TRUE(needed > 0 || Impl::runs_on_device<Space>);
            } else if (solver_kind != SolverKind::gmres) {
              // Factors of large systems do not fit into the scratch memory of every device.
              bool const large = Impl::runs_on_device<Space> && rows == 110;
              EXPECT_TRUE(needed == 0 || (large && kind == PreconditionerKind::ilu));
            }
            all.push_back(of.solved(A, c));
            of.expect_solved(all.back(), usual_tolerance<T>);
            EXPECT_TRUE(all.back() == of.solved(A, solver, m));
          });
        });
        // If two results were equal, the test could not find that one replaced the other.
        if (rows == 5) continue;
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(all[i] == all[k]) << i << " and " << k;
      }
    }
}

/// With a format given by type, in both calls.
template <class T>
void expect_same_bits_of_formats() {
  SolveConfiguration c{.stop = relative(usual_tolerance<T>, 900), .basis = 7, .block_rows = 5};
  // Devices store the entries of 60 full rows only if the widest row is known.
  for (auto [rows, how] : {std::pair(40, Arranged::item_contiguous),
                           {40, Arranged::by_columns},
                           {40, Arranged::interleaved},
                           {60, Arranged::item_contiguous}}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    ConfigurationCase<T> const of(rows, how);
    auto const look = [&](auto const& A) {
      AnyMatrices<T> const any = A;
      auto const each = [&](SolverKind solver_kind, PreconditionerKind kind, auto const& solver,
                            auto const& m) {
        SCOPED_TRACE(to_string(solver_kind));
        c.solver = solver_kind;
        c.preconditioner = kind;
        auto const want = of.solved(A, solver, m);
        of.expect_solved(want, usual_tolerance<T>);
        EXPECT_TRUE(of.solved(any, c) == want);
      };
      each(SolverKind::conjugate_gradients, PreconditionerKind::none, conjugate_gradients(c.stop),
           no_preconditioner());
      each(SolverKind::bicgstab, PreconditionerKind::jacobi, bicgstab(c.stop), jacobi());
      each(SolverKind::gmres, PreconditionerKind::ilu, gmres(c.basis, c.stop), ilu());
      each(SolverKind::richardson, PreconditionerKind::block_jacobi, richardson(c.stop),
           block_jacobi(c.block_rows));
    };
    look(of.a.csr());
    look(of.a.long_csr());
    look(of.a.ell());
    look(of.a.dense());
  }
}

/// A call with only criteria.
struct ByConfiguration {
  SolveConfiguration c;
  template <class T, class Solver, class M, class A>
  void operator()(Solver const& solver, M const&, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    SolveConfiguration with = c;
    with.stop = solver.stop;
    FencedWorkspace<T> const memory(workspace_numbers(with, a, x.items));
    solve(with, a, vectors(b), vectors(x), log, memory());
  }
};

/// One step of Richardson's iteration from zero gives omega M b. omega is so small that the
/// residual decreases. This tests every preconditioner, its parameter, and omega.
template <class T>
void expect_what_parameters_say() {
  Random random(5);
  int const rows = 37;
  std::int64_t const items = 5;
  Matrices<T> const a(solvable_pattern(random, rows, 0.3, false), items, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
  a.upload();
  AnyMatrices<T> const A = a.csr();
  constexpr double omega = 0.75 / 64;
  SolveConfiguration c{.solver = SolverKind::richardson, .omega = omega};
  auto const look_at = [&](AnyMatrices<T> const& systems, Application const& m) {
    SCOPED_TRACE(to_string(c.preconditioner));
    expect_application<T>(
        ByConfiguration{c}, nullptr, systems, rows, items, Arranged::item_contiguous,
        [&](std::int64_t n, std::vector<long double> const& r) {
          auto z = m(n, r);
          for (auto& v : z) v *= omega;
          return z;
        },
        400, random);
  };
  auto const look = [&](Application const& m) { look_at(A, m); };
  c.preconditioner = PreconditionerKind::none;
  look([](std::int64_t, auto const& r) { return r; });
  c.preconditioner = PreconditionerKind::jacobi;
  look([&](std::int64_t n, auto r) {
    for (int i = 0; i < rows; ++i) r[std::size_t(i)] /= a.full.at(n, i, i);
    return r;
  });
  c.preconditioner = PreconditionerKind::ilu;
  look([&](std::int64_t n, auto const& r) { return ilu_truth(a.pattern, a.full, n, r); });
  c.preconditioner = PreconditionerKind::isai;
  look([&](std::int64_t n, auto const& r) { return isai_truth(false, a.pattern, a.full, n, r); });
  Matrices<T> const s(tridiagonal(rows), items, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) put_dominant(s, n, random, true);
  s.upload();
  c.preconditioner = PreconditionerKind::spd_isai;
  look_at(s.csr(),
          [&](std::int64_t n, auto const& r) { return isai_truth(true, s.pattern, s.full, n, r); });
  c.preconditioner = PreconditionerKind::block_jacobi;
  for (int size : {1, 3, 4, 32}) {
    c.block_rows = size;
    look([&](std::int64_t n, auto const& r) {
      return blocks_truth(equal_blocks(rows, size), a.full, n, r);
    });
  }
  c.block_rows = SolveConfiguration().block_rows;
  look([&](std::int64_t n, auto const& r) {
    return blocks_truth(equal_blocks(rows, 4), a.full, n, r);
  });
}

/// A cycle has as many directions as the configuration says.
template <class T>
void expect_the_basis() {
  int const rows = 20;
  std::int64_t const items = 3;
  CyclicShift<T> const shift(items, rows);
  auto const& [full, b, x] = shift;
  AnyMatrices<T> const A = dense(full.batch());
  for (int m : {3, 19, 20}) {
    SolveConfiguration const c{.solver = SolverKind::gmres,
                               .preconditioner = PreconditionerKind::none,
                               .stop = relative(usual_tolerance<T>, 500),
                               .basis = m};
    x.fill(T(0));
    auto const log = SolveLog<T>::allocated(items);
    FencedWorkspace<T> const memory(workspace_numbers(c, A, items));
    solve(c, A, vectors(b), vectors(x), log, memory());
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(said.reason(n), m < rows ? Reason::stagnated : Reason::success);
      EXPECT_EQ(said.iterations(n), m);
      expect_honest(said, n, residual_truth(full, n, x, b), usual_tolerance<T>);
    }
  }
}

}  // namespace Batchwork::Test

#endif
