// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solver, preconditioner and format chosen at run time: the same bits as with those named in the program; names and what is
// refused.
#include "krylov/Batchwork_SolveConfiguration.hpp"

#include "krylov/SolveCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct Configuration : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Configuration, Numbers);

TEST(SolveNames, GoBothWays) {
  for (auto kind : {SolverKind::conjugate_gradients, SolverKind::bicgstab, SolverKind::gmres,
                    SolverKind::richardson})
    EXPECT_EQ(from_string<SolverKind>(to_string(kind)), kind);
  for (auto kind : {PreconditionerKind::none, PreconditionerKind::jacobi,
                    PreconditionerKind::block_jacobi, PreconditionerKind::ilu})
    EXPECT_EQ(from_string<PreconditionerKind>(to_string(kind)), kind);
  for (auto kind : {RelativeTo::right_side, RelativeTo::start, RelativeTo::nothing})
    EXPECT_EQ(from_string<RelativeTo>(to_string(kind)), kind);
  EXPECT_EQ(from_string<SolverKind>("bicgstab"), SolverKind::bicgstab);
  EXPECT_STREQ(to_string(PreconditionerKind::block_jacobi), "block_jacobi");
  EXPECT_STREQ(to_string(SolverKind(77)), "unknown");
  expect_says(message_of([] { (void)from_string<SolverKind>("BiCGSTAB"); }),
              {"Batchwork::from_string: \"BiCGSTAB\" is no solver; give one of "
               "conjugate_gradients, bicgstab, gmres, richardson"});
  expect_says(message_of([] { (void)from_string<PreconditionerKind>(""); }),
              {"\"\" is no preconditioner; give one of none, jacobi, block_jacobi, ilu"});
  expect_says(message_of([] { (void)from_string<RelativeTo>("b"); }),
              {"give one of right_side, start, nothing"});
}

/// Symmetric positive definite matrices that every solver takes.
template <class T>
struct Case {
  static constexpr std::int64_t items = 9;
  Random random{11};
  Matrices<T> a;
  GemmMatrices<T> b, start;
  Case(int rows, Arranged how)
      : a(solvable_pattern(random, rows, 0.15, true), items, how),
        b(items, rows, 1, how),
        start(items, rows, 1, how) {
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true, 2.5);
    a.upload();
    b.randomise(random);
    start.randomise(random);
  }
  struct Result {
    GemmMatrices<T> x;
    HostLog<T> log;
  };
  /// Solves by `call`, from the same start.
  template <class Call>
  Result run(Arranged how, Call const& call) const {
    GemmMatrices<T> const x(items, start.rows, 1, how);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < start.rows; ++i) x.at(n, i, 0) = start.at(n, i, 0);
    x.upload();
    auto const log = SolveLog<T>::allocated(items);
    call(vectors(x), log);
    x.download();
    return {x, HostLog<T>(log)};
  }
};

template <class T>
void expect_same(typename Case<T>::Result const& got, typename Case<T>::Result const& want) {
  for (std::int64_t n = 0; n < Case<T>::items; ++n) {
    ASSERT_EQ(got.log.log.reason(std::size_t(n)), want.log.log.reason(std::size_t(n)));
    ASSERT_EQ(got.log.iterations(n), want.log.iterations(n));
    ASSERT_TRUE(same_bits(got.log.residual(n), want.log.residual(n)));
    ASSERT_TRUE(same_bits(got.log.recurrence(n), want.log.recurrence(n)));
    for (int i = 0; i < got.x.rows; ++i)
      ASSERT_TRUE(same_bits(got.x.at(n, i, 0), want.x.at(n, i, 0))) << "item " << n;
  }
}

TYPED_TEST(Configuration, GivesTheSameBits) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 200);
  for (int rows : {5, 21, 70})
    for (auto how : {Arranged::rows, Arranged::columns, Arranged::planes}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, arranged " + std::to_string(int(how)));
      Case<T> const c(rows, how);
      AnyMatrices<T> const formats[] = {c.a.csr(), c.a.long_csr(), c.a.ell(), c.a.dense()};
      for (int f = 0; f < 4; ++f) {
        SCOPED_TRACE("format " + std::to_string(f));
        auto const each = [&](SolverKind kind, PreconditionerKind of, auto const& solver,
                              auto const& m) {
          SolveConfiguration const configuration{kind, of, stop, 30, 0.9};
          auto const with = [&](auto const& A) {
            return c.run(how, [&](auto const& x, auto const& log) {
              solve(solver, m, A, vectors(c.b), x, log);
            });
          };
          auto const want = f == 0   ? with(c.a.csr())
                            : f == 1 ? with(c.a.long_csr())
                            : f == 2 ? with(c.a.ell())
                                     : with(c.a.dense());
          for (std::int64_t n = 0; n < Case<T>::items; ++n)
            ASSERT_EQ(want.log.reason(n), Reason::success);
          auto const got = c.run(how, [&](auto const& x, auto const& log) {
            solve(configuration, formats[f], vectors(c.b), x, log);
          });
          expect_same<T>(got, want);
        };
        each(SolverKind::bicgstab, PreconditionerKind::jacobi, bicgstab(stop), jacobi());
        each(SolverKind::conjugate_gradients, PreconditionerKind::none, conjugate_gradients(stop),
             no_preconditioner());
        each(SolverKind::richardson, PreconditionerKind::jacobi, richardson(stop, 0.9), jacobi());
      }
    }
}

/// With formats named in the program, with an execution space, without a log.
TYPED_TEST(Configuration, Overloads) {
  using T = TypeParam;
  Case<T> const c(12, Arranged::rows);
  SolveConfiguration const configuration{.stop = relative(usual_tolerance<T>, 200)};
  auto const A = c.a.csr();
  auto const b = vectors(c.b);
  auto const want = c.run(Arranged::rows, [&](auto const& x, auto const& log) {
    solve(bicgstab(configuration.stop), jacobi(), A, b, x, log);
  });
  expect_same<T>(
      c.run(Arranged::rows,
            [&](auto const& x, auto const& log) { solve(Space(), configuration, A, b, x, log); }),
      want);
  for (bool named : {false, true}) {
    auto const got = c.run(Arranged::rows, [&](auto const& x, auto const&) {
      if (named) solve(Space(), configuration, A, b, x);
      else solve(configuration, A, b, x);
    });
    for (std::int64_t n = 0; n < Case<T>::items; ++n)
      for (int i = 0; i < 12; ++i) ASSERT_TRUE(same_bits(got.x.at(n, i, 0), want.x.at(n, i, 0)));
  }
  // matrix_free has no diagonal, the identity has one.
  GemmMatrices<T> const y(Case<T>::items, 12, 1, Arranged::rows);
  y.fill(T(0));
  solve(configuration, AnyMatrices<T>(identity<T>(12, T(2))), b, vectors(y));
  y.download();
  for (std::int64_t n = 0; n < Case<T>::items; ++n)
    for (int i = 0; i < 12; ++i)
      EXPECT_NEAR(y.at(n, i, 0), c.b.at(n, i, 0) / T(2), usual_tolerance<T>);
}

/// AnyMatrices keep the Views, and multiply takes them.
TYPED_TEST(Configuration, AnyMatricesAreMatrices) {
  using T = TypeParam;
  Random random(3);
  for (auto how : all_arranged) {
    Matrices<T> const a(random_pattern(random, 19), 5, how);
    a.randomise(random);
    GemmMatrices<T> const x(5, 19, 1, how);
    x.randomise(random);
    AnyMatrices<T> any;
    for (int f = 0; f < 3; ++f) {
      SCOPED_TRACE("format " + std::to_string(f));
      if (f == 0) any = a.csr();
      else if (f == 1) any = a.ell();
      else any = a.dense();
      EXPECT_EQ(any.rows(), 19);
      EXPECT_EQ(any.items(), 5);
      EXPECT_EQ(any.nonzeros(), f == 0   ? a.pattern.nonzeros()
                                : f == 1 ? 19 * a.pattern.width()
                                         : 19 * 19);
      GemmMatrices<T> const y(5, 19, 1, how);
      auto const outside = y.poisoned() - 5 * 19;
      multiply(vectors(y), any, vectors(x));
      y.download();
      EXPECT_EQ(y.poisoned(), outside);
      for (std::int64_t n = 0; n < 5; ++n)
        for (int i = 0; i < 19; ++i) {
          Truth const t = row_truth(a.full, n, i, x, 1);
          ASSERT_LE(std::fabs(y.at(n, i, 0) - t.value), 22 * epsilon<T> * t.size);
        }
    }
  }
  // The only ones that know of the Views.
  AnyMatrices<T> any;
  {
    Kokkos::View<T***, Kokkos::LayoutRight, Space> const values("values", 3, 2, 2);
    Kokkos::deep_copy(values, T(1));
    any = dense(values);
  }
  AnyMatrices<T> const copy = any;
  any = AnyMatrices<T>();
  GemmMatrices<T> const x(3, 2, 1, Arranged::rows), y(3, 2, 1, Arranged::rows);
  x.fill(T(1.5));
  multiply(vectors(y), copy, vectors(x));
  y.download();
  for (std::int64_t n = 0; n < 3; ++n) EXPECT_EQ(y.at(n, 1, 0), T(3));
}

TEST(ConfigurationMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 7, 4), b("b", 7, 4), b8("b8", 8, 4), values("values", 7, 9),
      few("few", 7, 8);
  Kokkos::View<int*, Space> const offsets("offsets", 5), columns("columns", 9);
  auto const a = csr(offsets, columns, values);
  SolveConfiguration c;
  c.solver = SolverKind::gmres;
  expect_says(message_of([&] { solve(c, a, b, x); }),
              {"Batchwork::solve: there is no solver gmres for a configuration",
               "; give conjugate_gradients, bicgstab or richardson"});
  c.solver = SolverKind::bicgstab;
  for (auto kind : {PreconditionerKind::block_jacobi, PreconditionerKind::ilu}) {
    c.preconditioner = kind;
    expect_says(message_of([&] { solve(c, a, b, x); }),
                {"there is no preconditioner ", to_string(kind), "; give none or jacobi"});
  }
  c.preconditioner = PreconditionerKind::jacobi;
  c.solver = SolverKind(9);
  expect_says(message_of([&] { solve(c, a, b, x); }), {"there is no solver unknown"});
  c.solver = SolverKind::richardson;
  expect_says(message_of([&] { solve(c, a, b8, x); }),
              {"Batchwork::solve: operand 4, b(\"b8\") [View (8, 4)] has 8 items", "; give"});
  c.stop.tolerance = -1;
  expect_says(message_of([&] { solve(c, a, b, x); }), {"a tolerance of -1", "; give"});
  c.stop.tolerance = 1;
  AnyMatrices<double> any = a;
  expect_says(message_of([&] { solve(c, any, x, x); }), {"is written and shares elements"});
  expect_says(message_of([&] { solve(c, any, x, Vectors("y", 6, 4)); }),
              {"operand 4, b(\"x\") [View (7, 4)] has 7 items"});
  any = csr(offsets, columns, few);
  expect_says(message_of([&] { solve(c, any, b, x); }),
              {"operand 3, csr values(\"few\") [View (7, 8)] holds 8 numbers an item", "; give"});
  expect_says(message_of([&] { solve(c, AnyMatrices<double>(), b, x); }),
              {"operand 4, b(\"b\")", "the matrices have 0 rows"});
}

}  // namespace
}  // namespace Batchwork::Test
