// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Solves with preconditioners, with the verb or with a device kernel on teams of host threads, and
/// the expected results of preconditioners in long double.
#ifndef BATCHWORK_TEST_PRECONDITIONERS_CASE_HPP
#define BATCHWORK_TEST_PRECONDITIONERS_CASE_HPP

#include <functional>
#include <string>
#include <vector>

#include "krylov/SolveCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {

/// solve in the form that users call, with the workspace that it needs.
struct ByVerb {
  template <class T, class Solver, class M, class A>
  void operator()(Solver const& solver, M const& m, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    std::int64_t const needed = workspace_numbers<T>(solver, m, a, x.items);
    if (needed == 0) {
      solve(solver, m, a, vectors(b), vectors(x), log);
    } else {
      FencedWorkspace<T> const memory(needed);
      solve(solver, m, a, vectors(b), vectors(x), log, memory());
      EXPECT_TRUE(memory.fenced());
    }
  }
};

/// Runs the device kernel on teams of host threads, with `systems_of_a_team` systems of `lanes`
/// lanes each. Factors are in the scratch memory of one team for each item, of fewer teams that
/// each take up to 16 items one after the other, or in a workspace for `at_once` teams.
struct ByTeams {
  int lanes;
  std::int64_t at_once = 0;
  int systems_of_a_team = 1;
  std::int64_t least_teams = 0;

  template <class T, class Solver, class M, class A>
  void operator()(Solver const& solver, M const& m, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    auto const systems = a.systems();
    auto const in_kernel = Impl::preconditioner_in_kernel(m, a);
    using MK = std::remove_const_t<decltype(in_kernel)>;
    if constexpr (requires { systems.functor; }) {
      using Systems = std::remove_const_t<decltype(systems)>;
      run<Impl::AppliedByFunctor<T, 8, std::remove_cvref_t<decltype(systems.functor)>>, 8>(
          Impl::SolveProblem<T, Solver, MK, Systems>{
              solver, in_kernel, systems, Impl::stored(vectors(b)).storage.as_const(),
              Impl::stored(vectors(x)).storage, Impl::LogPointers<T>(log), x.items});
    } else {
      Impl::SolveProblem<T, Solver, MK, Impl::AnySystems<T>> p{
          solver,
          in_kernel,
          Impl::AnySystems<T>(systems),
          Impl::stored(vectors(b)).storage.as_const(),
          Impl::stored(vectors(x)).storage,
          Impl::LogPointers<T>(log),
          x.items};
      std::size_t const factors =
          Impl::bytes_of_preconditioner<T>(in_kernel, int(a.rows())) / sizeof(T);
      FencedWorkspace<T> const memory(at_once * systems_of_a_team * std::int64_t(factors));
      if (at_once > 0) p.beside = {memory.view.data(), std::int64_t(factors), at_once};
      constexpr bool any = Impl::has_bytes<T, MK>;
      if (b.rows <= 2 * lanes) run<Impl::ReadInPlace<T, 2, any>, 2>(p);
      else run<Impl::ReadInPlace<T, 8, any>, 8>(p);
      EXPECT_TRUE(memory.fenced());
    }
  }

  template <class Matrix, int R, class Problem>
  void run(Problem const& p) const {
    using T = typename Problem::value_type;
    ASSERT_LE(p.a.rows, R * lanes);
    Impl::SolveTeams<T, Problem, Matrix, R, true> kernel(
        p, {Impl::SolveVariant::in_place, lanes, R, 1});
    kernel.scratch.systems = systems_of_a_team;
    kernel.least_teams = least_teams;
    if (at_once > 0) {
      ASSERT_EQ(kernel.teams(), at_once);
    }
    run_teams(kernel, int(kernel.teams()), lanes * systems_of_a_team, kernel.bytes());
  }
};

/// z = M r for an item.
using Application = std::function<std::vector<long double>(std::int64_t, std::vector<long double>)>;

/// A solver whose only step sets x = M b.
struct ApplyOnce {
  static constexpr int vectors = 4, own_vectors = 1, short_rows = 4;
  StoppingCriteria stop{};
};
template <class At>
struct ApplyOnceMethod {
  static constexpr bool right = false;
  using N = typename At::Number;
  typename At::Vector z;

  template <class M, class R>
  BATCHWORK_INLINE void restart(At&, M const&, R const&, N const&, Impl::Progress<N> const&) {}
  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R&, Impl::Progress<N>& is) {
    m.apply(at, z, r);
    at.store_x(z, is.running);
    is.stop(Reason::iteration_limit);
  }
};
template <class At>
BATCHWORK_INLINE auto method_of(At& at, ApplyOnce const&) {
  return ApplyOnceMethod<At>{at.template vectors<ApplyOnce::own_vectors>()[0]};
}

/// Compares M b item by item. Differences up to `slack` epsilons of the largest number are allowed.
template <class T, class Run, class M, class A>
void expect_application(Run const& run, M const& m, A const& a, int rows, std::int64_t items,
                        Arranged how, Application const& truth, double slack, Random& random) {
  ArrangedBatch<T> const b(items, rows, 1, how), x(items, rows, 1, how);
  b.randomise(random);
  x.fill(T(0));
  auto const outside = x.poisoned();
  auto const log = SolveLog<T>::allocated(items);
  run(ApplyOnce{absolute(0, 1)}, m, a, b, x, log);
  x.download();
  EXPECT_EQ(x.poisoned(), outside);
  for (std::int64_t n = 0; n < items; ++n) {
    std::vector<long double> r;
    for (int i = 0; i < rows; ++i) r.push_back(b.at(n, i, 0));
    auto const z = truth(n, r);
    long double largest = 0;
    for (auto v : z) largest = std::max(largest, std::fabs(v));
    for (int i = 0; i < rows; ++i)
      ASSERT_LE(std::fabs(x.at(n, i, 0) - z[std::size_t(i)]), slack * epsilon<T> * largest)
          << "item " << n << ", row " << i;
  }
}

/// ILU(0) of the item on a pattern, and its application.
template <class T>
std::vector<long double> ilu_truth(Pattern const& p, ArrangedBatch<T> const& full, std::int64_t n,
                                   std::vector<long double> const& z) {
  return ilu_solution(p.columns, item(full, n), z);
}

template <class T>
std::vector<long double> blocks_truth(std::vector<int> const& first, ArrangedBatch<T> const& full,
                                      std::int64_t n, std::vector<long double> const& r) {
  std::vector<long double> z;
  for (std::size_t k = 0; k < first.size(); ++k) {
    int const begin = first[k], end = k + 1 < first.size() ? first[k + 1] : full.rows;
    std::vector<std::vector<long double>> a;
    std::vector<long double> b;
    for (int i = begin; i < end; ++i) {
      a.emplace_back();
      for (int j = begin; j < end; ++j) a.back().push_back(full.at(n, i, j));
      b.push_back(r[std::size_t(i)]);
    }
    for (auto v : dense_solution(a, b)) z.push_back(v);
  }
  return z;
}

inline std::vector<int> equal_blocks(int rows, int size) {
  std::vector<int> first;
  for (int i = 0; i < rows; i += size) first.push_back(i);
  return first;
}

/// Numbers whose blocks are well conditioned but need row exchanges: a dominant matrix with its
/// rows in reverse order.
template <class T>
void put_reversed_blocks(Matrices<T> const& a, std::int64_t n, Random& random,
                         std::vector<int> const& first) {
  for (int i = 0; i < a.pattern.rows; ++i) {
    std::size_t k = 0;
    while (k + 1 < first.size() && first[k + 1] <= i) ++k;
    int const begin = first[k], end = k + 1 < first.size() ? first[k + 1] : a.pattern.rows;
    auto const& row = a.pattern.columns[std::size_t(i)];
    for (int e = 0; e < int(row.size()); ++e)
      a.put(n, i, e,
            row[std::size_t(e)] == begin + end - 1 - i ? T(1.5 * (end - begin)) : T(random()));
  }
}

inline Arranged mostly_rows(Random& random) {
  return random.integer(0, 1) ? Arranged::item_contiguous : all_arranged[random.integer(0, 3)];
}

/// Calls f with each format.
template <class T, class F>
void for_formats(Matrices<T> const& a, F const& f) {
  f("csr", a.csr(), a.pattern);
  f("csr of 64 bits", a.long_csr(), a.pattern);
  f("ell", a.ell(), a.pattern);
  f("dense", a.dense(), full_pattern(a.pattern.rows));
}

/// z = D^-1 (r + a tenth of the neighbours), which reads values of other lanes.
template <class T>
struct Neighbours {
  int rows;
  template <class Lanes, class R, class Z>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t item, R const& r,
                                  Z const& z) const {
    lanes.sync();
    lanes.for_each(rows, [&](int i) {
      T sum = r(i);
      if (i > 0) sum += T(0.1) * r(i - 1);
      if (i + 1 < rows) sum += T(0.1) * r(i + 1);
      z(i) = sum / T(3 + item % 5);
    });
  }
};

/// Blocks that do not cover the rows, and columns that do not increase: the items must end with
/// invalid_pattern and keep their initial guess.
template <class T>
void expect_invalid_patterns(ByTeams const& by, std::int64_t items, Random& random) {
  Matrices<T> const m(tridiagonal(4), items, Arranged::item_contiguous);
  m.randomise(random);
  ArrangedBatch<T> const b(items, 4, 1, Arranged::item_contiguous),
      x(items, 4, 1, Arranged::item_contiguous);
  b.randomise(random);
  auto const log = SolveLog<T>::allocated(items);
  auto const expect_invalid = [&](auto const& preconditioner, auto const& a) {
    x.fill(T(0.5));
    by(bicgstab(), preconditioner, a, b, x, log);
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(said.reason(n), Reason::invalid_pattern);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(x.at(n, i, 0), T(0.5));
    }
  };
  expect_invalid(block_jacobi(indices_of<int>("first", {0, 3}), 2), m.csr());
  auto const columns = indices_of<int>("columns", {1, 0, 0, 1, 2, 1, 2, 3, 2, 3});
  expect_invalid(ilu(), csr(m.row_offsets, columns, vectors(m.values)));
}

}  // namespace Batchwork::Test

#endif
