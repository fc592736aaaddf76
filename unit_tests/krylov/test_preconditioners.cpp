// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Block Jacobi, ILU(0) and functors as preconditioners: their application against long double in
// every format and arrangement, solvers with them, and misuse.
#include "krylov/PreconditionersCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct Preconditioners : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Preconditioners, Numbers);

TYPED_TEST(Preconditioners, IluIsTheFactorisation) {
  using T = TypeParam;
  Random random(1);
  for (int rows : {1, 2, 7, 22, 40, 90})
    for (auto how : all_arranged) {
      std::int64_t const items = rows < 30 ? 21 : 3;
      Matrices<T> const a(solvable_pattern(random, rows, rows < 30 ? 0.4 : 0.1, false), items, how);
      for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
      a.upload();
      for_formats(a, [&](char const* what, auto const& A, Pattern const& p) {
        SCOPED_TRACE(std::string(what) + ", " + std::to_string(rows) + " rows, arranged " +
                     std::to_string(int(how)));
        expect_application<T>(
            ByVerb(), ilu(), A, rows, items, how,
            [&](std::int64_t n, auto const& r) { return ilu_truth(p, a.full, n, r); }, 200, random);
      });
    }
}

/// Pivots that are zero, or belong to rows without a diagonal, become 1.
TYPED_TEST(Preconditioners, IluWithoutPivots) {
  using T = TypeParam;
  Random random(2);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
    int const rows = 13;
    std::int64_t const items = 9;
    auto p = solvable_pattern(random, rows, 0.3, false);
    for (int missing : {4, 12}) std::erase(p.columns[std::size_t(missing)], missing);
    p.columns[5].clear();
    Matrices<T> const a(p, items, how);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < int(p.columns[std::size_t(i)].size()); ++k) {
          int const j = p.columns[std::size_t(i)][std::size_t(k)];
          a.put(n, i, k, i != j ? T(0.3 * random()) : i == 0 ? T(0) : T(2 + random(0, 1)));
        }
    a.upload();
    for_formats(a, [&](char const* what, auto const& A, Pattern const& of) {
      SCOPED_TRACE(what);
      // A pivot that consists only of fill-in can be small.
      if (std::string(what) == "dense") return;
      expect_application<T>(
          ByVerb(), ilu(), A, rows, items, how,
          [&](std::int64_t n, auto const& r) { return ilu_truth(of, a.full, n, r); }, 1000, random);
    });
    expect_application<T>(
        ByVerb(), ilu(), scaled_identity<T>(rows, T(4)), rows, items, how,
        [](std::int64_t, auto r) {
          for (auto& v : r) v /= 4;
          return r;
        },
        1, random);
    expect_application<T>(
        ByVerb(), ilu(), scaled_identity<T>(rows, T(0)), rows, items, how,
        [](std::int64_t, auto const& r) { return r; }, 0, random);
  }
}

TYPED_TEST(Preconditioners, BlocksAreInverted) {
  using T = TypeParam;
  Random random(3);
  for (int rows : {1, 2, 7, 22, 33, 70})
    for (auto how : all_arranged) {
      std::int64_t const items = rows < 30 ? 21 : 3;
      for (int size : {1, 2, 5, 22, 32}) {
        auto const first = equal_blocks(rows, size);
        Matrices<T> const a(full_pattern(rows), items, how);
        for (std::int64_t n = 0; n < items; ++n) put_reversed_blocks(a, n, random, first);
        a.upload();
        for_formats(a, [&](char const* what, auto const& A, Pattern const&) {
          SCOPED_TRACE(std::string(what) + ", " + std::to_string(rows) + " rows by " +
                       std::to_string(size) + ", arranged " + std::to_string(int(how)));
          expect_application<T>(
              ByVerb(), block_jacobi(size), A, rows, items, how,
              [&](std::int64_t n, auto const& r) { return blocks_truth(first, a.full, n, r); }, 400,
              random);
        });
      }
    }
}

/// Systems whose factors are in a workspace on devices. Their number exceeds the number of teams in
/// it, and they repeat after 50. On a host each thread has its own storage, so a few systems are
/// enough.
TYPED_TEST(Preconditioners, LargeFactors) {
  using T = TypeParam;
  Random random(12);
  int const rows = 110;
  constexpr bool on_device = Impl::runs_on_device<Space>;
  std::int64_t const items = on_device ? Space().concurrency() / 256 + 250 : 7,
                     different = on_device ? 50 : 5;
  Matrices<T> const a(full_pattern(rows), items, Arranged::item_contiguous);
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous);
  b.fill(T(1));
  for (std::int64_t n = 0; n < different; ++n) put_dominant(a, n, random, false);
  for (std::int64_t n = different; n < items; ++n)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        a.full.at(n, i, j) = a.values.at(n, i * rows + j, 0) = a.full.at(n - different, i, j);
  a.upload();
  auto const stop = relative(usual_tolerance<T>, 100);
  auto const look = [&](auto const& solver, auto const& m, int most) {
    if constexpr (on_device) {
      std::int64_t const some = workspace_numbers<T>(solver, m, a.csr(), 7);
      EXPECT_GT(some, 0);
      EXPECT_LT(workspace_numbers<T>(solver, m, a.csr(), items), some / 7 * items)
          << "as much room as there are items";
    }
    x.fill(T(0));
    auto const log = SolveLog<T>::allocated(items);
    ByVerb()(solver, m, a.csr(), b, x, log);
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      ASSERT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
      ASSERT_LE(said.iterations(n), most);
      if (n < different) expect_honest(said, n, residual_truth(a.full, n, x, b), stop.tolerance);
      else
        for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), x.at(n - different, i, 0));
    }
  };
  // For a full matrix the factorisation is complete.
  look(bicgstab(stop), ilu(), 2);
  look(gmres(30, stop), ilu(), 2);
}

/// Blocks given by a View. Singular ones become the identity, in every format.
TYPED_TEST(Preconditioners, BlocksGivenAndSingular) {
  using T = TypeParam;
  Random random(4);
  std::vector<int> const first{0, 1, 5, 13, 14};
  auto const blocks = indices_of<int>("blocks", first);
  int const rows = 30;
  std::int64_t const items = 11;
  for (auto how : all_arranged) {
    // Row 3 is equal to row 2, row 13 is zero, and row 20 has no entries.
    auto p = full_pattern(rows);
    p.columns[20].clear();
    Matrices<T> const a(p, items, how);
    for (std::int64_t n = 0; n < items; ++n) {
      put_reversed_blocks(a, n, random, first);
      if (n % 2 == 0)
        for (int j = 0; j < rows; ++j) {
          a.put(n, 3, j, a.full.at(n, 2, j));
          a.put(n, 13, j, T(0));
        }
    }
    a.upload();
    for_formats(a, [&](char const* what, auto const& A, Pattern const&) {
      SCOPED_TRACE(what);
      expect_application<T>(
          ByVerb(), block_jacobi(blocks, 16), A, rows, items, how,
          [&](std::int64_t n, auto const& r) { return blocks_truth(first, a.full, n, r); }, 400,
          random);
    });
  }
}

TYPED_TEST(Preconditioners, FindBlocks) {
  using T = TypeParam;
  auto const on_host = [](auto const& view) {
    auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return std::vector<int>(h.data(), h.data() + h.extent(0));
  };
  // Points with 3 unknowns on a line.
  Pattern p{12, {}};
  for (int i = 0; i < 12; ++i) {
    p.columns.emplace_back();
    int const point = i / 3;
    for (int j = std::max(point - 1, 0) * 3; j < std::min(point + 2, 4) * 3; ++j)
      p.columns.back().push_back(j);
  }
  Matrices<T> const a(p, 2, Arranged::item_contiguous);
  std::vector<int> const expected{0, 3, 6, 9};
  auto const small = on_host(find_blocks(a.csr(), 3));
  EXPECT_EQ(small, expected);
  EXPECT_EQ(on_host(find_blocks(a.csr())), expected);
  EXPECT_EQ(on_host(find_blocks(a.ell(), 3)), expected);
  EXPECT_EQ(on_host(find_blocks(a.long_csr(), 2)), (std::vector<int>{0, 2, 3, 5, 6, 8, 9, 11}));
  EXPECT_EQ(on_host(find_blocks(a.dense(), 5)), (std::vector<int>{0, 5, 10}));
  EXPECT_EQ(on_host(find_blocks(Matrices<T>(tridiagonal(5), 1, Arranged::item_contiguous).csr())),
            (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(on_host(find_blocks(scaled_identity<T>(3))), (std::vector<int>{0, 1, 2}));
  // block_jacobi uses these.
  Random random(5);
  for (std::int64_t n = 0; n < 2; ++n) put_dominant(a, n, random, false);
  a.upload();
  expect_application<T>(
      ByVerb(), block_jacobi(find_blocks(a.csr(), 3), 3), a.csr(), 12, 2, Arranged::item_contiguous,
      [&](std::int64_t n, auto const& r) { return blocks_truth(expected, a.full, n, r); }, 100,
      random);
}

/// For a tridiagonal matrix ILU(0) and a single block are exact: at most two iterations.
TYPED_TEST(Preconditioners, ExactOnesConvergeAtOnce) {
  using T = TypeParam;
  Random random(6);
  for (int rows : {1, 5, 31, 300, 2048}) {
    SCOPED_TRACE(rows);
    std::int64_t const items = rows > 1000 ? 2 : 9;
    Matrices<T> const a(tridiagonal(rows), items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) {
      int entry = 0;
      for (int i = 0; i < rows; ++i)
        for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j) {
          T const v = i == j ? T(2.2) : T(-1);
          a.values.at(n, entry++, 0) = v;
          a.full.at(n, i, j) = v;
        }
    }
    a.values.upload();
    a.full.upload();
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    auto const log = SolveLog<T>::allocated(items);
    auto const look = [&](auto const& solver, auto const& m, auto const& A) {
      x.randomise(random);
      ByVerb()(solver, m, A, b, x, log);
      x.download();
      HostLog<T> const said(log);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
        EXPECT_LE(said.iterations(n), 2);
        expect_honest(said, n, residual_truth(a.full, n, x, b), solver.stop.tolerance);
      }
    };
    auto const stop = relative(usual_tolerance<T>, 20);
    look(richardson(stop), ilu(), a.csr());
    look(bicgstab(stop), ilu(), a.csr());
    look(conjugate_gradients(stop), ilu(), a.csr());
    if (rows <= 32) {
      look(richardson(stop), ilu(), a.dense());
      look(richardson(stop), block_jacobi(32), a.csr());
      look(bicgstab(stop), block_jacobi(32), a.csr());
      look(conjugate_gradients(stop), block_jacobi(32), a.csr());
    }
  }
}

/// Rows of very different sizes: all converge, and with no more iterations than without a
/// preconditioner.
TYPED_TEST(Preconditioners, HelpWhereRowsAreBadlyScaled) {
  using T = TypeParam;
  Random random(7);
  for (int rows : {20, 60}) {
    std::int64_t const items = 12;
    Matrices<T> const a(solvable_pattern(random, rows, 0.15, false), items,
                        Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) {
      put_dominant(a, n, random, false, 1.1);
      for (int i = 0; i < rows; ++i) {
        T const factor = T(std::pow(10.0, random(-1, 1) * (sizeof(T) == 4 ? 0.5 : 2)));
        auto const& row = a.pattern.columns[std::size_t(i)];
        for (int k = 0; k < int(row.size()); ++k)
          a.put(n, i, k, factor * a.full.at(n, i, row[std::size_t(k)]));
      }
    }
    a.upload();
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    auto const solver = bicgstab(relative(sizeof(T) == 4 ? 1e-3 : 1e-8, 400));
    auto const iterations = [&](auto const& m, bool converges) {
      x.fill(T(0));
      auto const log = SolveLog<T>::allocated(items);
      solve(solver, m, a.csr(), vectors(b), vectors(x), log);
      x.download();
      HostLog<T> const said(log);
      std::vector<int> r;
      for (std::int64_t n = 0; n < items; ++n) {
        if (converges) {
          EXPECT_EQ(said.reason(n), Reason::success);
        }
        expect_honest(said, n, residual_truth(a.full, n, x, b), solver.stop.tolerance);
        r.push_back(said.iterations(n));
      }
      return r;
    };
    auto const none = iterations(no_preconditioner(), false), with_ilu = iterations(ilu(), true),
               blocks = iterations(block_jacobi(5), true);
    for (std::size_t n = 0; n < none.size(); ++n) {
      EXPECT_LE(with_ilu[n], none[n]);
      EXPECT_LE(blocks[n], none[n]);
    }
  }
}

/// Batches of any size, including none. Repeated calls give the same bits.
TYPED_TEST(Preconditioners, Batches) {
  using T = TypeParam;
  Random random(17);
  auto const solver = bicgstab(relative(usual_tolerance<T>, 50));
  for (int items : {0, 1, beyond_a_grid}) {
    Matrices<T> const a(tridiagonal(4), items, Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, 4, 1, Arranged::item_contiguous),
        x(items, 4, 1, Arranged::item_contiguous), y(items, 4, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    auto const look = [&](char const* what, auto const& m) {
      SCOPED_TRACE(std::string(what) + ", " + std::to_string(items) + " items");
      run_solve(solver, m, a.csr(), a.full, b, Arranged::item_contiguous, random, "csr");
      x.fill(T(0));
      y.fill(T(0));
      solve(solver, m, a.csr(), vectors(b), vectors(x));
      solve(Space(), solver, m, a.csr(), vectors(b), vectors(y));
      x.download();
      y.download();
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < 4; ++i) ASSERT_EQ(x.at(n, i, 0), y.at(n, i, 0)) << n;
    };
    look("ilu", ilu());
    look("block_jacobi", block_jacobi(2));
  }
}

/// A NaN affects only its item. Neighbours must be bitwise unchanged.
TYPED_TEST(Preconditioners, NotANumberStaysInItsItem) {
  using T = TypeParam;
  Random random(8);
  int const rows = 17;
  std::int64_t const items = 13;
  Matrices<T> const a(solvable_pattern(random, rows, 0.3, false), items, Arranged::interleaved);
  for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
  a.upload();
  ArrangedBatch<T> const b(items, rows, 1, Arranged::interleaved),
      x(items, rows, 1, Arranged::interleaved), clean(items, rows, 1, Arranged::interleaved);
  b.randomise(random);
  auto const log = SolveLog<T>::allocated(items);
  auto const look = [&](auto const& m) {
    clean.fill(T(0));
    solve(bicgstab(relative(usual_tolerance<T>, 100)), m, a.csr(), vectors(b), vectors(clean), log);
    clean.download();
    HostLog<T> const before(log);
    for (std::int64_t at : {std::int64_t(0), items / 2, items - 1})
      for (int row : {0, 9, 16}) {
        T const was = a.full.at(at, row, row);
        auto const& columns = a.pattern.columns[std::size_t(row)];
        int const k = int(std::find(columns.begin(), columns.end(), row) - columns.begin());
        a.put(at, row, k, std::numeric_limits<T>::quiet_NaN());
        a.upload();
        x.fill(T(0));
        solve(bicgstab(relative(usual_tolerance<T>, 100)), m, a.csr(), vectors(b), vectors(x), log);
        x.download();
        a.put(at, row, k, was);
        a.upload();
        HostLog<T> const said(log);
        for (std::int64_t n = 0; n < items; ++n) {
          if (n == at) {
            EXPECT_EQ(said.reason(n), Reason::not_finite);
            continue;
          }
          EXPECT_EQ(said.reason(n), Reason::success);
          EXPECT_EQ(said.iterations(n), before.iterations(n));
          for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), clean.at(n, i, 0));
        }
      }
  };
  look(ilu());
  look(block_jacobi(4));
  look(block_jacobi(32));
}

TYPED_TEST(Preconditioners, ByFunctor) {
  using T = TypeParam;
  Random random(9);
  for (int rows : {1, 6, 40, 300}) {
    SCOPED_TRACE(rows);
    std::int64_t const items = 11;
    Matrices<T> const a(tridiagonal(rows), items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) {
      int entry = 0;
      for (int i = 0; i < rows; ++i)
        for (int j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
          a.full.at(n, i, j) = a.values.at(n, entry++, 0) = i == j ? T(3 + n % 5) : T(-1);
    }
    a.values.upload();
    a.full.upload();
    auto const truth = [&](std::int64_t n, std::vector<long double> const& r) {
      std::vector<long double> z = r;
      for (std::size_t i = 0; i < z.size(); ++i) {
        if (i > 0) z[i] += 0.1L * r[i - 1];
        if (i + 1 < r.size()) z[i] += 0.1L * r[i + 1];
        z[i] /= 3 + n % 5;
      }
      return z;
    };
    auto const m = preconditioner(Neighbours<T>{rows});
    expect_application<T>(ByVerb(), m, a.csr(), rows, items, Arranged::item_contiguous, truth, 20,
                          random);
    // z = M r, also as the matrix of the system.
    expect_application<T>(ByVerb(), m, matrix_free(rows, Neighbours<T>{rows}), rows, items,
                          Arranged::interleaved, truth, 20, random);
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    x.fill(T(0));
    auto const log = SolveLog<T>::allocated(items);
    solve(conjugate_gradients(relative(usual_tolerance<T>, 100)), m, a.csr(), vectors(b),
          vectors(x), log);
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(said.reason(n), Reason::success);
      expect_honest(said, n, residual_truth(a.full, n, x, b), usual_tolerance<T>);
    }
  }
}

TEST(PreconditionersMisuse, IsNamed) {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Vectors const x("x", 7, 4), b("b", 7, 4);
  Kokkos::deep_copy(b, 1.0);
  Matrices<double> const m(tridiagonal(4), 7, Arranged::item_contiguous);
  Random random(10);
  m.randomise(random);
  auto const a = m.csr();
  auto const s = bicgstab(relative(1e-8, 100));
  auto const free = matrix_free(4, Neighbours<double>{4});
  expect_says(message_of([&] { solve(s, ilu(), free, b, x); }),
              {"Batchwork::solve: operand 2, ilu: matrix_free has no entries", "; give"});
  expect_says(message_of([&] { solve(s, block_jacobi(2), free, b, x); }),
              {"operand 2, block_jacobi: matrix_free has no entries", "; give"});
  for (int size : {0, -1, 33})
    expect_says(
        message_of([&] { solve(s, block_jacobi(size), a, b, x); }),
        {("operand 2, block_jacobi: blocks of " + std::to_string(size) + " rows; give from 1 to 32")
             .c_str()});
  Kokkos::View<int*, Space> const none, many("many", 5);
  expect_says(message_of([&] { solve(s, block_jacobi(none), a, b, x); }),
              {"operand 2, first rows of blocks", "0 blocks", "have 4 rows; give the first row"});
  expect_says(message_of([&] { solve(s, block_jacobi(many), a, b, x); }),
              {"operand 2, first rows of blocks(\"many\") [View (5)] has 5 blocks", "have 4 rows"});
  expect_says(message_of([&] { find_blocks(a, 33); }),
              {"Batchwork::find_blocks: blocks of 33 rows; give from 1 to 32"});
  // On devices, factors that do not fit into team scratch memory are in a workspace. On a host each
  // thread has its own storage.
  Vectors const large("large", 2, 2000), y("y", 2, 2000);
  std::int64_t const needed = workspace_numbers(s, block_jacobi(32), scaled_identity(2000), 2);
  if constexpr (Impl::runs_on_device<Space>) {
    ASSERT_GT(needed, 2 * 32 * 2000);
    std::string const number = std::to_string(needed);
    expect_says(message_of([&] { solve(s, block_jacobi(32), scaled_identity(2000), large, y); }),
                {"Batchwork::solve: the preconditioner needs a workspace of ", number.c_str(),
                 " numbers, but none is given; give workspace(view)"});
    auto const both = gmres(30, s.stop);
    EXPECT_GT(workspace_numbers(both, block_jacobi(32), scaled_identity(2000), 2), needed);
    expect_says(message_of([&] { solve(both, block_jacobi(32), scaled_identity(2000), large, y); }),
                {"Batchwork::solve: solver and preconditioner need a workspace of "});
  } else {
    EXPECT_EQ(needed, 0);
  }
}

/// The call does not read patterns. Items with invalid blocks or columns must report this, and x
/// must not change.
TEST(PreconditionersMisuse, InvalidPatterns) {
  std::int64_t const items = 5;
  ArrangedBatch<double> const b(items, 4, 1, Arranged::item_contiguous),
      x(items, 4, 1, Arranged::item_contiguous);
  Random random(11);
  b.randomise(random);
  Matrices<double> const m(tridiagonal(4), items, Arranged::item_contiguous);
  m.randomise(random);
  auto const log = SolveLog<double>::allocated(items);
  auto const expect_invalid = [&](auto const& preconditioner, auto const& a) {
    x.fill(0.5);
    solve(bicgstab(), preconditioner, a, vectors(b), vectors(x), log);
    x.download();
    HostLog<double> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(said.reason(n), Reason::invalid_pattern);
      EXPECT_EQ(said.iterations(n), 0);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(x.at(n, i, 0), 0.5);
    }
  };
  std::vector<std::vector<int>> const wrong{{1, 2},  {0, 0}, {0, 2, 1}, {0, 4},
                                            {0, -1}, {0, 3}, {0}};
  for (auto const& first : wrong) {
    SCOPED_TRACE(testing::PrintToString(first));
    expect_invalid(block_jacobi(indices_of<int>("first", first), 2), m.csr());
  }
  Kokkos::View<int*, Space> const columns =
      indices_of<int>("columns", {1, 0, 0, 1, 2, 1, 2, 3, 2, 3});
  expect_invalid(ilu(), csr(m.row_offsets, columns, vectors(m.values)));
}

}  // namespace
}  // namespace Batchwork::Test
