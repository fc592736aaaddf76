// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ILU(0) and block Jacobi on a device whose warps exchange values by shuffles, run on the host by
// teams of threads and compared with long double: the levels of triangles of every shape, with
// several systems in a warp and several warps for a system.
#include "krylov/PreconditionersCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct PreconditionersByWarps : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PreconditionersByWarps, Numbers);

/// Adds (i, j) and (j, i).
void couple(Pattern& p, int i, int j) {
  for (auto const& [r, c] : {std::pair{i, j}, std::pair{j, i}}) {
    auto& row = p.columns[std::size_t(r)];
    auto const place = std::lower_bound(row.begin(), row.end(), c);
    if (place == row.end() || *place != c) row.insert(place, c);
  }
}
Pattern diagonal(int rows) {
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) p.columns.push_back({i});
  return p;
}
/// Levels of L with this many rows: each row depends on a row of the previous level, and some rows
/// on another row, too.
Pattern by_levels(std::vector<int> const& sizes, Random& random) {
  int rows = 0;
  for (int n : sizes) rows += n;
  auto p = diagonal(rows);
  int begin = 0, before = 0;
  for (int n : sizes) {
    for (int i = begin; i < begin + n && before > 0; ++i) {
      couple(p, i, begin - 1 - random.integer(0, before - 1));
      if (random.integer(0, 2) == 0) couple(p, i, random.integer(0, begin - 1));
    }
    begin += n;
    before = n;
  }
  return p;
}
/// Each row depends on one other row.
Pattern tree(int rows, Random& random) {
  auto p = diagonal(rows);
  for (int i = 1; i < rows; ++i) couple(p, i, random.integer(std::max(0, i - 3), i - 1));
  return p;
}
Pattern arrow(int rows) {
  auto p = diagonal(rows);
  for (int i = 0; i + 1 < rows; ++i) couple(p, i, rows - 1);
  return p;
}
/// The seven-point stencil on a grid of n^3 points.
Pattern grid(int n) {
  auto p = diagonal(n * n * n);
  for (int i = 0; i < n * n * n; ++i) {
    if (i % n > 0) couple(p, i, i - 1);
    if (i / n % n > 0) couple(p, i, i - n);
    if (i / (n * n) > 0) couple(p, i, i - n * n);
  }
  return p;
}
/// The odd rows follow the even ones.
Pattern by_colours(int rows) {
  auto p = diagonal(rows);
  int const even = (rows + 1) / 2;
  for (int i = 0; i + 1 < rows; ++i)
    couple(p, i / 2 + (i % 2) * even, (i + 1) / 2 + (i + 1) % 2 * even);
  return p;
}

TYPED_TEST(PreconditionersByWarps, IluIsTheFactorisation) {
  using T = TypeParam;
  Random random(1);
  auto const expect = [&](char const* what, Pattern const& p, std::int64_t items,
                          std::initializer_list<ByTeams> all) {
    auto const how = mostly_rows(random);
    Matrices<T> const a(p, items, how);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    for (auto const& by : all) {
      SCOPED_TRACE(std::string(what) + ", " + std::to_string(p.rows) + " rows, " +
                   std::to_string(by.lanes) + " lanes");
      expect_application<T>(
          by, ilu(), a.csr(), p.rows, items, how,
          [&](std::int64_t n, auto const& r) { return ilu_truth(p, a.full, n, r); }, 200, random);
    }
  };
  expect("chain", tridiagonal(1), 1, {{8, 0, 4}});
  expect("chain", tridiagonal(13), 5, {{8, 0, 4}, {16, 0, 2, 1}, {32, 1}});
  expect("chain", tridiagonal(70), 1, {{32}, {64}});
  expect("chain", tridiagonal(150), 1, {{32}});
  expect("full", full_pattern(22), 3, {{16, 0, 2, 1}, {32}, {64, 1}});
  expect("full", full_pattern(40), 1, {{32}, {64}});
  expect("colours", by_colours(90), 1, {{32}, {64}});
  expect("arrow", arrow(45), 2, {{32}, {64, 0, 1, 1}});
  expect("tree", tree(50, random), 2, {{8, 0, 4}, {32, 0, 1, 1}});
  expect("grid", grid(4), 2, {{32, 0, 1, 1}, {64}});
  expect("levels", by_levels({1, 31, 32, 33, 65}, random), 1, {{32}, {64}, {256}});
  expect("levels", by_levels({33, 1, 1, 5, 31, 1}, random), 1, {{16, 0, 2}, {128}});
  for (double share : {0.05, 0.3, 0.8}) {
    expect("random", solvable_pattern(random, 30, share, false), 3, {{8, 0, 4}, {16, 0, 2, 1}});
    expect("random", solvable_pattern(random, 66, share, false), 1, {{32}, {64}});
  }
}

/// Without some of the pivots, and with a row that has no entries.
template <class T>
void expect_ilu_of_every_format(int rows, double share, Random& random) {
  auto p = solvable_pattern(random, rows, share, false);
  for (int missing : {4, 12}) std::erase(p.columns[std::size_t(missing)], missing);
  p.columns[5].clear();
  for (auto how : all_arranged) {
    Matrices<T> const a(p, 3, how);
    for (std::int64_t n = 0; n < 3; ++n)
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < int(p.columns[std::size_t(i)].size()); ++k)
          a.put(n, i, k,
                p.columns[std::size_t(i)][std::size_t(k)] != i ? T(0.3 * random())
                : i == 0                                       ? T(0)
                                                               : T(2 + random(0, 1)));
    a.upload();
    for_formats(a, [&](char const* what, auto const& A, Pattern const& of) {
      SCOPED_TRACE(what);
      // A pivot that consists only of fill-in can be small.
      if (std::string(what) == "dense") return;
      expect_application<T>(
          ByTeams{16, 0, 2, 1}, ilu(), A, rows, 3, how,
          [&](std::int64_t n, auto const& r) { return ilu_truth(of, a.full, n, r); }, 1000, random);
    });
  }
}

TYPED_TEST(PreconditionersByWarps, IluOfEveryFormat) {
  using T = TypeParam;
  Random random(2);
  int const rows = 19;
  for (double share : {0.3, 0.7}) {
    SCOPED_TRACE(share);
    expect_ilu_of_every_format<T>(rows, share, random);
  }
  expect_application<T>(
      ByTeams{16}, ilu(), scaled_identity<T>(rows, T(4)), rows, 2, Arranged::item_contiguous,
      [](std::int64_t, auto r) {
        for (auto& v : r) v /= 4;
        return r;
      },
      1, random);
}

/// Chains with large multipliers use other code, which must not affect the systems of the same
/// warp.
TYPED_TEST(PreconditionersByWarps, NeighboursOfLargeMultipliers) {
  using T = TypeParam;
  Random random(3);
  int const rows = 14;
  std::int64_t const items = 4;
  Matrices<T> const a(tridiagonal(rows), items, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) {
    put_dominant(a, n, random, false);
    if (n == 1)
      for (int i = 1; i < rows; ++i) a.put(n, i, 0, T(20 + random(0, 1)));
  }
  a.upload();
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous),
      alone(items, rows, 1, Arranged::item_contiguous);
  b.randomise(random);
  x.fill(T(0));
  alone.fill(T(0));
  auto const log = SolveLog<T>::allocated(items);
  ByTeams{8, 0, 4}(ApplyOnce{absolute(0, 1)}, ilu(), a.csr(), b, x, log);
  ByTeams{8, 0, 1}(ApplyOnce{absolute(0, 1)}, ilu(), a.csr(), b, alone, log);
  x.download();
  alone.download();
  for (std::int64_t n = 0; n < items; ++n) {
    std::vector<long double> r;
    for (int i = 0; i < rows; ++i) r.push_back(b.at(n, i, 0));
    auto const z = ilu_truth(tridiagonal(rows), a.full, n, r);
    long double largest = 0;
    for (auto v : z) largest = std::max(largest, std::fabs(v));
    for (int i = 0; i < rows; ++i) {
      EXPECT_EQ(x.at(n, i, 0), alone.at(n, i, 0)) << "item " << n << ", row " << i;
      EXPECT_LE(std::fabs(x.at(n, i, 0) - z[std::size_t(i)]), 400 * epsilon<T> * largest);
    }
  }
}

TYPED_TEST(PreconditionersByWarps, BlocksAreInverted) {
  using T = TypeParam;
  Random random(4);
  for (int rows : {1, 9, 30, 66})
    for (int size : {1, 3, 8, 32}) {
      if ((rows > 40) != (size == 8)) continue;
      auto const first = equal_blocks(rows, size);
      auto p = full_pattern(rows);
      if (rows > 5) p.columns[5].clear();  // its block becomes the identity
      std::int64_t const items = rows < 40 ? 3 : 1;
      auto const how = mostly_rows(random);
      Matrices<T> const a(p, items, how);
      for (std::int64_t n = 0; n < items; ++n) {
        put_reversed_blocks(a, n, random, first);
        // Two rows are equal: after the elimination of one, the other is exactly zero for any
        // rounding.
        if (n % 2 == 0 && rows >= size && size > 2)
          for (int j = 0; j < rows; ++j) a.put(n, 2, j, a.full.at(n, 1, j));
      }
      a.upload();
      auto const truth = [&](std::int64_t n, auto const& r) {
        return blocks_truth(first, a.full, n, r);
      };
      int const lanes = size > 16 ? 32 : rows > 40 ? 16 : 8;
      SCOPED_TRACE(std::to_string(rows) + " rows by " + std::to_string(size));
      expect_application<T>(ByTeams{lanes, 0, 32 / lanes, 1}, block_jacobi(size), a.csr(), rows,
                            items, how, truth, 400, random);
      expect_application<T>(ByTeams{64, 1}, block_jacobi(indices_of<int>("first", first), size),
                            a.csr(), rows, items, how, truth, 400, random);
    }
}

/// Whole solves, with a part of a warp, a warp or several warps for each system.
TYPED_TEST(PreconditionersByWarps, Solve) {
  using T = TypeParam;
  Random random(5);
  std::int64_t const items = 3;
  auto const stop = relative(usual_tolerance<T>, 50);
  auto const look = [&](Pattern const& p, ByTeams const& by, auto const& m, int most) {
    Matrices<T> const a(p, items, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
    a.upload();
    ArrangedBatch<T> const b(items, p.rows, 1, Arranged::item_contiguous),
        x(items, p.rows, 1, Arranged::item_contiguous);
    b.randomise(random);
    x.randomise(random);
    auto const log = SolveLog<T>::allocated(items);
    by(bicgstab(stop), m, a.csr(), b, x, log);
    x.download();
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
      EXPECT_LE(said.iterations(n), most);
      expect_honest(said, n, residual_truth(a.full, n, x, b), stop.tolerance);
    }
  };
  auto const some = solvable_pattern(random, 20, 0.1, true);
  for (auto const& by : {ByTeams{16, 0, 2, 1}, ByTeams{64}}) {
    look(tridiagonal(20), by, ilu(), 2);
    look(tridiagonal(20), ByTeams{by.lanes < 32 ? 32 : 64}, block_jacobi(32), 2);
    look(some, by, ilu(), 50);
  }
}

/// Patterns that cannot be used must be reported by all items, including those that a team
/// processes later.
TYPED_TEST(PreconditionersByWarps, InvalidPatterns) {
  Random random(6);
  expect_invalid_patterns<TypeParam>(ByTeams{8, 0, 2, 1}, 5, random);
}

}  // namespace
}  // namespace Batchwork::Test
