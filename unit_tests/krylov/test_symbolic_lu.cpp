// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// symbolic_lu, and solve with direct_lu(symbolic).
#include <numeric>

#include "krylov/SymbolicCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

struct ByPattern {
  template <class A>
  auto operator()(A const& a) const {
    return symbolic_lu(Space(), a);
  }
};

template <class T>
std::vector<int> check_all(Pattern const& pattern, int columns, std::int64_t items, Arranged how,
                           Random& random, bool all_formats = true) {
  return check_pattern_formats<T>(pattern, columns, items, how, random, ByPattern(), DirectVerb(),
                                  all_formats);
}

TEST(SymbolicLu, Stencils) {
  Random random(1);
  // An even number of rows, because other matrices with zeros on the diagonal are singular.
  for (int rows : {1, 2, 4, 16, 34})
    check_all<double>(tridiagonal(rows), 1, 13, all_arranged[rows % 4], random);
  check_all<float>(tridiagonal(10), 2, 7, Arranged::interleaved, random);
  check_all<double>(grid_pattern(4), 3, 9, Arranged::item_contiguous, random);
  check_all<double>(grid_pattern(8), 1, 5, Arranged::strided, random, false);
}
TEST(SymbolicLu, ScatteredEntries) {
  Random random(2);
  check_all<double>(scattered_pattern(random, 20, 3), 1, 13, Arranged::by_columns, random);
  check_all<double>(arrow_pattern(random, 60, 6), 2, 9, Arranged::item_contiguous, random, false);
  check_all<float>(scattered_pattern(random, 12, 2), 1, 17, Arranged::interleaved, random, false);
  check_all<double>(full_pattern(11), 1, 9, Arranged::item_contiguous, random, false);
}
/// For each kind of regular items, some use pivots on the diagonal and some do not.
TEST(SymbolicLu, BothForms) {
  Random random(3);
  auto const pattern = tridiagonal(40);
  auto const dense = check_all<double>(pattern, 1, 65, Arranged::item_contiguous, random, false);
  int const count = std::accumulate(dense.begin(), dense.end(), 0);
  EXPECT_GT(count, 10);
  EXPECT_LT(count, 55);
}
TEST(SymbolicLu, BatchesOfAnySize) {
  Random random(4);
  for (std::int64_t items : {1, 2, 4, 8, 9, 16, 17})
    check_all<double>(tridiagonal(6), 1, items, Arranged::interleaved, random, false);
}
template <class Call>
void expect_message(Call const& call, std::initializer_list<char const*> parts) {
  expect_says(message_of(call), parts);
}
/// Too large for the stack of a pack, and full matrices that need a workspace.
TEST(SymbolicLu, LargeSystems) {
  Random random(5);
  SymbolicBatch<double> const of(grid_pattern(18), 1, 3, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < 3; ++n)
    put_direct(of.a, of.b, n, n == 1 ? DirectKind::zero_diagonal : DirectKind::dominant, random);
  of.a.upload(), of.b.upload();
  auto const symbolic = symbolic_lu(Space(), of.a.csr());
  EXPECT_LT(symbolic.factor_entries(), 8000);
  auto const solver = direct_lu(symbolic, relative(1e-12));
  DirectVerb()(solver, of.a.csr(), of.b, of.x, of.log);
  of.x.download();
  auto const dense_form = HostLog<double>::on_host(of.log.dense_form);
  for (std::int64_t n = 0; n < 3; ++n) {
    EXPECT_EQ(dense_form(std::size_t(n)), n == 1 ? 1 : 0);
    EXPECT_EQ(HostLog<double>(of.log).reason(n), Reason::success);
    auto const truth = residual_truth(of.a.full, n, of.x, of.b);
    EXPECT_LE(truth.norm, 1e-12 * truth.right_side);
  }
  expect_message([&] { solve(Space(), solver, of.a.csr(), vectors(of.b), vectors(of.x)); },
                 {"Batchwork::solve", "324 rows", "workspace_numbers", "falls_back"});
  // Nothing is launched if the workspace is too small.
  of.x.fill(poison<double>());
  Kokkos::View<double*, Space> const few("few", 1000);
  expect_message(
      [&] { solve(Space(), solver, of.a.csr(), vectors(of.b), vectors(of.x), workspace(few)); },
      {"Batchwork::solve", "324 rows", "room for none"});
  of.x.download();
  EXPECT_EQ(of.x.at(0, 0, 0), poison<double>());
}

/// Entries, products and levels from the elimination of a boolean matrix in the chosen order.
TEST(SymbolicLu, FillsIn) {
  Random random(6);
  for (Pattern const& pattern :
       {tridiagonal(1), tridiagonal(50), grid_pattern(7), scattered_pattern(random, 40, 4),
        arrow_pattern(random, 50, 5), full_pattern(9)}) {
    SCOPED_TRACE(std::to_string(pattern.rows) + " rows");
    SymbolicBatch<double> const of(pattern, 1, 1, Arranged::item_contiguous);
    int const n = pattern.rows;
    std::vector<int> natural(static_cast<std::size_t>(n));
    std::iota(natural.begin(), natural.end(), 0);
    std::int64_t entries_before = -1;
    for (auto const& order : {natural, std::vector<int>{}}) {
      auto const s = symbolic_lu(Space(), of.a.csr(), order);
      if (!order.empty()) {
        EXPECT_EQ(s.order(), natural);
      }
      std::vector<std::vector<char>> there(std::size_t(n), std::vector<char>(std::size_t(n), 0));
      for (int i = 0; i < n; ++i)
        for (int const j : pattern.columns[std::size_t(i)])
          there[std::size_t(i)][std::size_t(j)] = 1;
      std::vector<char> done(static_cast<std::size_t>(n), 0);
      std::vector<int> level(static_cast<std::size_t>(n), 0);
      std::int64_t entries = 0, products = 0;
      int levels = 0;
      for (int const k : s.order()) {
        auto const kk = std::size_t(k);
        ASSERT_FALSE(done[kk]);
        done[kk] = 1;
        levels = std::max(levels, level[kk] + 1);
        int below = 0, right = 0;
        for (std::size_t i = 0; i < std::size_t(n); ++i) {
          if (done[i]) continue;
          below += there[i][kk], right += there[kk][i];
          if (there[i][kk] || there[kk][i]) level[i] = std::max(level[i], level[kk] + 1);
          for (std::size_t j = 0; j < std::size_t(n); ++j)
            if (!done[j] && there[i][kk] && there[kk][j]) there[i][j] = 1;
        }
        entries += 1 + below + right;
        products += std::int64_t(below) * right;
      }
      EXPECT_EQ(s.factor_entries(), entries);
      EXPECT_EQ(s.products(), products);
      EXPECT_EQ(s.levels(), levels);
      // Fewer levels cost a few more entries.
      if (entries_before >= 0) {
        EXPECT_LE(entries, 2 * entries_before);
      }
      entries_before = entries;
    }
  }
  SymbolicBatch<double> const line(tridiagonal(512), 1, 1, Arranged::item_contiguous);
  EXPECT_LE(symbolic_lu(Space(), line.a.csr()).levels(), 12);
}
TEST(SymbolicLu, GivenOrders) {
  Random random(7);
  auto const pattern = grid_pattern(6);
  std::vector<int> order(36);
  std::iota(order.begin(), order.end(), 0);
  for (int k = 35; k > 0; --k)
    std::swap(order[std::size_t(k)], order[std::size_t(random.integer(0, k))]);
  auto const in_order = [&](auto const& a) { return symbolic_lu(Space(), a, order); };
  check_pattern_formats<double>(pattern, 1, 9, Arranged::by_columns, random, in_order,
                                DirectVerb());
}

/// [p 1; 1 1] with a small p, together with other items.
struct SmallPivot {
  SymbolicBatch<double> of{full_pattern(2), 1, 5, Arranged::item_contiguous};

  explicit SmallPivot(double p) {
    for (std::int64_t n = 0; n < 5; ++n) {
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) of.a.put(n, i, j, i == j ? 3.0 + double(n) : 1.0);
      of.b.at(n, 0, 0) = 1, of.b.at(n, 1, 0) = 2;
    }
    of.a.put(2, 0, 0, p), of.a.put(2, 1, 1, 1.0);
    of.a.upload(), of.b.upload();
  }
  std::vector<double> x() const {
    of.x.download();
    std::vector<double> all;
    for (std::int64_t n = 0; n < 5; ++n)
      for (int i = 0; i < 2; ++i) all.push_back(of.x.at(n, i, 0));
    return all;
  }
};
TEST(SymbolicLu, Thresholds) {
  auto const solve_it = [](SmallPivot const& s, auto const& change) {
    auto solver = direct_lu(symbolic_lu(Space(), s.of.a.csr()), relative(1e-12));
    change(solver);
    DirectVerb()(solver, s.of.a.csr(), s.of.b, s.of.x, s.of.log);
    return HostLog<double>::on_host(s.of.log.dense_form)(2);
  };
  auto const as_it_is = [](auto&) {};
  // A step of refinement corrects the effect of small pivots, unless they are below eps of the
  // entries under them.
  for (double p : {0.0, 1e-300, 2e-16, 1e-13, 1e-10, 1e-5, 0.9e-3, 0.1}) {
    SmallPivot const s(p);
    EXPECT_EQ(solve_it(s, as_it_is), p < 1e-15 ? 1 : 0) << p;
    EXPECT_NEAR(s.x()[4], 1 / (1 - p), 1e-12);
    EXPECT_NEAR(s.x()[5], (1 - 2 * p) / (1 - p), 1e-12);
  }
  {
    SmallPivot const s(1e-3);
    EXPECT_EQ(solve_it(s, [](auto& solver) { solver.pivot_threshold = 0.1; }), 1);
    auto const all = outcomes(s.of.log);
    EXPECT_EQ(dense_share(all), 0.2);
    EXPECT_NE(all[2].text().find("in dense form"), std::string::npos);
    EXPECT_EQ(all[1].text().find("in dense form"), std::string::npos);
    EXPECT_EQ(dense_share(std::vector<SolveOutcome<double>>{}), 0.0);
  }
  SmallPivot const s(1e-17);
  solve_it(s, as_it_is);
  auto const before = s.x();
  EXPECT_EQ(solve_it(s, [](auto& solver) { solver.falls_back = false; }), 0);
  HostLog<double> const log(s.of.log);
  EXPECT_EQ(log.reason(2), Reason::small_pivot);
  EXPECT_EQ(outcomes(s.of.log)[2].text().substr(0, 11), "small pivot");
  EXPECT_GE(log.info(2), 1);
  EXPECT_LE(log.info(2), 2);
  auto const after = s.x();
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_TRUE(k / 2 == 2 ? std::isnan(after[k]) : after[k] == before[k]) << k;
  }
}
TEST(SymbolicLu, PlantedPivots) {
  for (double const tolerance : {1e-1, 1e-6})
    check_planted_pivots<double>(tolerance, ByPattern(), DirectVerb());
  check_planted_pivots<float>(1e-2, ByPattern(), DirectVerb());
}
/// The second pivot is the remainder of 1 + e - 1, next to a one. Numbers grow by 1 / e, and at
/// 1e-14 refinement does not help.
TEST(SymbolicLu, PivotsThatCancel) {
  Pattern const pattern{3, {{0, 1}, {0, 1, 2}, {1, 2}}};
  std::int64_t const items = 20;
  SymbolicBatch<double> const of(pattern, 1, items, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) {
    double const e = std::pow(10.0, -double(n));
    double const numbers[3][3] = {{1, 1, 0}, {1, 1 + e, 1}, {0, 1.25, 1}};
    for (int i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < pattern.columns[std::size_t(i)].size(); ++k)
        of.a.put(n, i, int(k), numbers[i][pattern.columns[std::size_t(i)][k]]);
      of.b.at(n, i, 0) = 1.0 / (3 + i);
    }
  }
  of.a.upload(), of.b.upload();
  auto solver = direct_lu(symbolic_lu(Space(), of.a.csr(), {0, 1, 2}), relative(0.5));
  for (bool const falls_back : {true, false}) {
    solver.falls_back = falls_back;
    DirectVerb()(solver, of.a.csr(), of.b, of.x, of.log);
    of.x.download();
    HostLog<double> const log(of.log);
    for (std::int64_t n = 0; n < items; ++n) {
      SCOPED_TRACE("item " + std::to_string(n));
      if (falls_back) {
        EXPECT_EQ(log.reason(n), Reason::success);
        expect_accurate_rows(of, n);
      } else if (log.reason(n) == Reason::success) {
        auto const truth = residual_truth(of.a.full, n, of.x, of.b);
        EXPECT_LE(truth.norm, 0.5L * truth.right_side);
      }
    }
    if (!falls_back) continue;
    auto const dense_form = HostLog<double>::on_host(of.log.dense_form);
    for (int const n : {0, 3, 6, 10}) EXPECT_EQ(dense_form(std::size_t(n)), 0) << n;
    EXPECT_EQ(dense_form(19), 1);
  }
}
/// A zero on the diagonal that is not in the pattern and is filled in.
TEST(SymbolicLu, DiagonalsThatFillIn) {
  Pattern const pattern{3, {{0, 1}, {0, 2}, {1, 2}}};
  Random random(8);
  SymbolicBatch<double> const of(pattern, 1, 4, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < 4; ++n) put_direct(of.a, of.b, n, DirectKind::general, random);
  of.a.upload(), of.b.upload();
  auto const s = symbolic_lu(Space(), of.a.csr());
  DirectVerb()(direct_lu(s, relative(1e-12)), of.a.csr(), of.b, of.x, of.log);
  of.x.download();
  for (std::int64_t n = 0; n < 4; ++n) {
    auto const truth = residual_truth(of.a.full, n, of.x, of.b);
    EXPECT_LE(truth.norm, 1e-12 * truth.right_side);
  }
}
/// Columns in any order, and some of them twice: their numbers are added.
TEST(SymbolicLu, RepeatedColumns) {
  RepeatedColumns const of;
  solve(direct_lu(symbolic_lu(of.a()), relative(1e-14)), of.a(), vectors(of.b), vectors(of.x),
        of.log);
  of.expect_solution(1e-14);
}
TEST(SymbolicLu, NumbersThatGrow) {
  auto const in_order = [](auto const& a) {
    std::vector<int> order(std::size_t(a.rows()));
    std::iota(order.begin(), order.end(), 0);
    return symbolic_lu(Space(), a, order);
  };
  check_growth(20, in_order, DirectVerb(), true);
  check_growth(20, in_order, DirectVerb(), false);
}
/// Matrices with another pattern and the same number of entries, whose columns are out of range:
/// they are not read.
TEST(SymbolicLu, ColumnsOutOfRange) {
  Random random(11);
  SymbolicBatch<double> const of(full_pattern(3), 1, 5, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < 5; ++n) put_direct(of.a, of.b, n, DirectKind::dominant, random);
  of.a.upload(), of.b.upload();
  auto const a = of.a.csr();
  auto const solver = direct_lu(symbolic_lu(Space(), a), relative(1e-12));
  auto const columns = indices_of<int>("columns", {0, 1, 1 << 28, 0, 1, 2, -(1 << 28), 1, 2});
  auto const other = csr(indices_of<int>("offsets", {0, 3, 6, 9}), columns, a.values);
  DirectVerb()(solver, other, of.b, of.x, of.log);
  HostLog<double> const log(of.log);
  for (std::int64_t n = 0; n < 5; ++n) EXPECT_NE(log.reason(n), Reason::success);
}
/// The largest number of rows that the index type allows. On devices their numbers do not fit on
/// the chip.
TEST(SymbolicLu, ManyRows) {
  constexpr int rows = 21844;
  std::vector<int> offsets(rows + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  ArrangedBatch<double> const values(1, rows, 1, Arranged::item_contiguous),
      b(1, rows, 1, Arranged::item_contiguous), x(1, rows, 1, Arranged::item_contiguous);
  for (int i = 0; i < rows; ++i) values.at(0, i, 0) = 2, b.at(0, i, 0) = i;
  values.upload(), b.upload();
  auto const a =
      csr(indices_of<int>("offsets", offsets),
          indices_of<int>("columns", {offsets.begin(), offsets.end() - 1}), vectors(values));
  auto solver = direct_lu(symbolic_lu(Space(), a));
  solver.falls_back = false;
  if (Impl::runs_on_device<Space>) {
    expect_message([&] { solve(Space(), solver, a, vectors(b), vectors(x)); },
                   {"factors of 21844 entries", "team scratch", "direct_lu()"});
    return;
  }
  solve(Space(), solver, a, vectors(b), vectors(x));
  x.download();
  for (int i = 0; i < rows; i += 1000) EXPECT_EQ(x.at(0, i, 0), 0.5 * i);
}
TEST(SymbolicLu, NothingToDo) {
  Random random(9);
  SymbolicBatch<double> const of(tridiagonal(4), 1, 0, Arranged::item_contiguous);
  auto const s = symbolic_lu(Space(), of.a.csr());
  solve(direct_lu(s), of.a.csr(), vectors(of.b), vectors(of.x), of.log);
}

TEST(SymbolicLu, Misuse) {
  SymbolicBatch<double> const of(tridiagonal(4), 1, 2, Arranged::item_contiguous);
  SymbolicBatch<double> const other(full_pattern(4), 1, 2, Arranged::item_contiguous);
  auto const a = of.a.csr();
  auto const s = symbolic_lu(Space(), a);
  expect_message([&] { solve(direct_lu(s), other.a.csr(), vectors(of.b), vectors(of.x)); },
                 {"Batchwork::solve", "direct_lu(symbolic)", "4 rows and 10 entries", "4 and 16",
                  "call symbolic_lu"});
  expect_message(
      [&] {
        auto solver = direct_lu(s);
        solver.pivot_threshold = -0.1;
        solve(solver, a, vectors(of.b), vectors(of.x));
      },
      {"pivot threshold", "from 0 to 1"});
  expect_message([&] { symbolic_lu(Space(), a, {0, 1, 1, 3}); },
                 {"Batchwork::symbolic_lu", "operand 2, the order", "0 to 3"});
  expect_message([&] { symbolic_lu(Space(), a, {0, 1}); }, {"operand 2, the order"});
  SymbolicBatch<double> const no_pivot(Pattern{2, {{1}, {0}}}, 1, 1, Arranged::item_contiguous);
  expect_message([&] { symbolic_lu(Space(), no_pivot.a.csr()); },
                 {"row 0", "no entry of the diagonal", "direct_lu()"});
  auto const offsets = indices_of<int>("offsets", {0, 1, 2});
  auto const outside = indices_of<int>("columns", {0, 2});
  Kokkos::View<double**, Space> const values("values", 1, 2);
  expect_message([&] { symbolic_lu(Space(), csr(offsets, outside, values)); },
                 {"row 1", "column 2", "check(A)"});
  SymbolicBatch<double> const large(full_pattern(300), 1, 1, Arranged::item_contiguous);
  expect_message([&] { symbolic_lu(Space(), large.a.csr()); },
                 {"factors of more than", "entries", "direct_lu()"});
}

}  // namespace
}  // namespace Batchwork::Test
