// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random patterns of compressed rows, with 1 to 300 rows: the messages of check for planted faults,
// multiply and solve against long double, and the results of device kernels for columns that are
// out of range.
#include <set>

#include "krylov/SolveCase.hpp"
#include "krylov/formats/Batchwork_CheckSystems.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

enum class Diagonal { whole, gaps };

/// Most rows have the same kind: short, with a fraction of all columns, or full. A few are empty,
/// and a few are full.
Pattern fuzzed_pattern(Random& random, Diagonal diagonal) {
  int const most[] = {8, 24, 56, 110, 256, 300};
  int const rows = random.integer(1, most[random.integer(0, 5)]);
  int const kind = random.integer(0, 5);
  double const share = kind == 0   ? 1.0 / rows
                       : kind == 1 ? 3.0 / rows
                       : kind == 2 ? 0.15
                       : kind == 3 ? 0.5
                       : kind == 4 ? 0.9
                                   : random(0, 1);
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    int const row_kind = random.integer(0, 29);
    bool const has_diagonal = diagonal == Diagonal::whole || random.integer(0, 3) > 0;
    std::vector<int> row;
    for (int j = 0; j < rows; ++j) {
      bool const there = row_kind == 0 ? false : row_kind == 1 ? true : random(0, 1) < share;
      if (i == j ? has_diagonal && (there || diagonal == Diagonal::whole) : there) row.push_back(j);
    }
    p.columns.push_back(row);
  }
  return p;
}

struct FlatPattern {
  std::vector<int> offsets{0}, columns;
  explicit FlatPattern(Pattern const& p) {
    for (auto const& row : p.columns) {
      columns.insert(columns.end(), row.begin(), row.end());
      offsets.push_back(int(columns.size()));
    }
  }
};

/// A fault in one row of a valid pattern, and the message of check if it is the first fault.
enum class Fault { beyond, negative, far_out, twice, unsorted };
constexpr Fault all_faults[] = {Fault::beyond, Fault::negative, Fault::far_out, Fault::twice,
                                Fault::unsorted};
constexpr bool out_of_range(Fault f) { return f != Fault::twice && f != Fault::unsorted; }

/// Returns nothing if the row is too short for the fault.
std::string plant(FlatPattern& p, int row, Fault fault, Random& random) {
  int const first = p.offsets[std::size_t(row)], end = p.offsets[std::size_t(row) + 1];
  int const rows = int(p.offsets.size()) - 1, least = out_of_range(fault) ? 1 : 2;
  if (end - first < least) return "";
  int const entry = random.integer(first + least - 1, end - 1);
  int& here = p.columns[std::size_t(entry)];
  int const before = least == 2 ? p.columns[std::size_t(entry) - 1] : 0, was = here;
  std::string what;
  switch (fault) {
    case Fault::beyond: here = rows, what = "is out of range"; break;
    case Fault::negative: here = -random.integer(1, 3), what = "is out of range"; break;
    case Fault::far_out:
      here = random.integer(0, 1) ? 2147483647 : -2147483647 - 1, what = "is out of range";
      break;
    case Fault::twice: here = before, what = "is there twice"; break;
    case Fault::unsorted:
      here = before;
      p.columns[std::size_t(entry) - 1] = was;
      what = "comes after column " + std::to_string(was);
      break;
  }
  return "row " + std::to_string(row) + ": column " + std::to_string(here) + " (entry " +
         std::to_string(entry) + ") " + what;
}

template <class T>
auto csr_of(FlatPattern const& p, ArrangedBatch<T> const& values) {
  return csr(indices_of<int>("offsets", p.offsets), indices_of<int>("columns", p.columns),
             vectors(values));
}

TEST(FuzzedPatterns, CheckNamesTheFirstFault) {
  Random random(1);
  int planted_of_a_kind[5] = {}, missing = 0;
  for (int trial = 0; trial < 400; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    Pattern const pattern = fuzzed_pattern(random, Diagonal::gaps);
    FlatPattern p(pattern);
    ArrangedBatch<float> const values(1, int(p.columns.size()), 1, Arranged::item_contiguous);
    // The first row without a diagonal entry, if there is one.
    int without = 0;
    while (without < pattern.rows &&
           std::count(pattern.columns[std::size_t(without)].begin(),
                      pattern.columns[std::size_t(without)].end(), without) > 0)
      ++without;
    EXPECT_NO_THROW(check(csr_of(p, values), Diagonals::optional));
    auto const said = [&](Diagonals d) { return message_of([&] { check(csr_of(p, values), d); }); };
    std::string const no_diagonal = "row " + std::to_string(without) + ": column " +
                                    std::to_string(without) + ", the diagonal, is missing";
    if (without < pattern.rows) {
      ++missing;
      expect_says(said(Diagonals::required), {"columns(\"columns\")", no_diagonal.c_str()});
    } else {
      EXPECT_NO_THROW(check(csr_of(p, values)));
    }
    // Several rows have a fault. The message names the lowest one.
    std::string wanted;
    int lowest = pattern.rows;
    std::set<int> taken;
    for (int count = random.integer(1, 3); count > 0; --count) {
      int const row = random.integer(0, pattern.rows - 1), kind = random.integer(0, 4);
      if (!taken.insert(row).second) continue;
      auto const text = plant(p, row, all_faults[kind], random);
      if (text.empty()) continue;
      ++planted_of_a_kind[kind];
      if (row < lowest) lowest = row, wanted = text;
    }
    if (wanted.empty()) continue;
    expect_says(said(Diagonals::optional), {"columns(\"columns\")", wanted.c_str()});
    expect_says(said(Diagonals::required), {(without < lowest ? no_diagonal : wanted).c_str()});
  }
  for (int count : planted_of_a_kind) EXPECT_GT(count, 50);
  EXPECT_GT(missing, 50);
}

template <class T>
struct FuzzedSystems : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FuzzedSystems, Numbers);

/// Rows can be empty, and diagonals missing.
TYPED_TEST(FuzzedSystems, Multiply) {
  using T = TypeParam;
  Random random(2);
  for (int trial = 0; trial < 150; ++trial) {
    std::int64_t const items = random.integer(1, 5);
    Matrices<T> const a(fuzzed_pattern(random, Diagonal::gaps), items,
                        all_arranged[random.integer(0, 3)]);
    int const rows = a.pattern.rows;
    SCOPED_TRACE("trial " + std::to_string(trial) + ", " + std::to_string(rows) + " rows");
    ArrangedBatch<T> const x(items, rows, 1, all_arranged[random.integer(0, 3)]),
        y(items, rows, 1, Arranged::strided);
    a.randomise(random);
    x.randomise(random);
    y.fill(std::numeric_limits<T>::quiet_NaN());
    auto const outside = y.poisoned();
    multiply(a.csr(), vectors(x), vectors(y));
    y.download();
    EXPECT_EQ(y.poisoned(), outside);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        Truth const t = row_truth(a.full, n, i, x, 1);
        int const terms = int(a.pattern.columns[std::size_t(i)].size());
        ASSERT_LE(std::fabs(y.at(n, i, 0) - t.value), (terms + 3) * epsilon<T> * t.size)
            << "item " << n << ", row " << i;
      }
  }
}

/// The solution is chosen, and b is computed from it in long double. Diagonals exceed the sum of
/// the rest of their rows by g, so |x - solution| <= |b - A solution + residual| / g (Varah 1975),
/// all in the maximum norm.
TYPED_TEST(FuzzedSystems, Solve) {
  using T = TypeParam;
  Random random(3);
  std::set<Impl::SolveVariant> variants;
  for (int trial = 0; trial < 200; ++trial) {
    std::int64_t const items = random.integer(1, 5);
    Matrices<T> const a(fuzzed_pattern(random, Diagonal::whole), items,
                        all_arranged[random.integer(0, 3)]);
    int const rows = a.pattern.rows, nonzeros = a.pattern.nonzeros();
    SCOPED_TRACE("trial " + std::to_string(trial) + ", " + std::to_string(rows) + " rows, " +
                 std::to_string(nonzeros) + " entries");
    EXPECT_NO_THROW(check(a.csr()));
    variants.insert(
        Impl::choose_solve(rows, (nonzeros + rows - 1) / rows, false, Bicgstab::short_rows, true)
            .variant);
    ArrangedBatch<T> const wanted(items, rows, 1, Arranged::item_contiguous),
        b(items, rows, 1, all_arranged[random.integer(0, 3)]), x(items, rows, 1, Arranged::strided);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    wanted.randomise(random);
    x.randomise(random);
    std::vector<long double> gap, rounding;
    for (std::int64_t n = 0; n < items; ++n) {
      long double least = 1e30L, largest = 0;
      for (int i = 0; i < rows; ++i) {
        Truth const right = row_truth(a.full, n, i, wanted, 1);
        b.at(n, i, 0) = T(right.value);
        largest = std::max(largest, std::fabs(b.at(n, i, 0) - right.value));
        long double dominance = 2 * std::fabs(static_cast<long double>(a.full.at(n, i, i)));
        for (int j = 0; j < rows; ++j)
          dominance -= std::fabs(static_cast<long double>(a.full.at(n, i, j)));
        least = std::min(least, dominance);
      }
      ASSERT_GT(least, 0.2L);
      gap.push_back(least);
      rounding.push_back(largest);
    }
    b.upload();
    auto const outside = x.poisoned();
    auto const log = SolveLog<T>::allocated(items);
    double const tolerance = usual_tolerance<T>;
    solve(bicgstab(relative(tolerance, 300)), jacobi(), a.csr(), vectors(b), vectors(x), log);
    x.download();
    EXPECT_EQ(x.poisoned(), outside);
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      ASSERT_EQ(said.reason(n), Reason::success) << "item " << n;
      auto const t = residual_truth(a.full, n, x, b);
      expect_honest(said, n, t, tolerance);
      long double const residual =
          tolerance * t.right_side * (1 + 100 * epsilon<T>)+t.rounding + rounding[std::size_t(n)];
      for (int i = 0; i < rows; ++i)
        ASSERT_LE(std::fabs(static_cast<long double>(x.at(n, i, 0)) - wanted.at(n, i, 0)),
                  residual / gap[std::size_t(n)])
            << "item " << n << ", row " << i;
    }
  }
  EXPECT_EQ(variants.size(), 6u);  // all except functors
}

/// The log must be correct for every pattern, including singular ones with empty rows.
TYPED_TEST(FuzzedSystems, HonestWithoutDiagonals) {
  using T = TypeParam;
  Random random(4);
  int failures = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::int64_t const items = random.integer(1, 5);
    Matrices<T> const a(fuzzed_pattern(random, Diagonal::gaps), items,
                        all_arranged[random.integer(0, 3)]);
    int const rows = a.pattern.rows;
    SCOPED_TRACE("trial " + std::to_string(trial) + ", " + std::to_string(rows) + " rows");
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::strided);
    a.randomise(random);
    b.randomise(random);
    x.randomise(random);
    auto const outside = x.poisoned();
    auto const log = SolveLog<T>::allocated(items);
    solve(bicgstab(relative(usual_tolerance<T>, 30)), jacobi(), a.csr(), vectors(b), vectors(x),
          log);
    x.download();
    EXPECT_EQ(x.poisoned(), outside);
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      ASSERT_NE(said.reason(n), Reason::invalid_pattern);
      failures += said.reason(n) != Reason::success;
      if (said.reason(n) == Reason::not_finite) continue;
      // A number whose column is in no row is not multiplied, but it is checked.
      for (int i = 0; i < rows; ++i) ASSERT_TRUE(std::isfinite(x.at(n, i, 0))) << "item " << n;
      expect_honest(said, n, residual_truth(a.full, n, x, b), usual_tolerance<T>);
    }
  }
  EXPECT_GT(failures, 100);
}

/// Columns that are out of range must be refused, without a change of x. Columns that do not
/// increase can be used, but no memory outside may be written.
TYPED_TEST(FuzzedSystems, Faults) {
  using T = TypeParam;
  Random random(5);
  int refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::int64_t const items = random.integer(1, 5);
    Matrices<T> const a(fuzzed_pattern(random, Diagonal::whole), items,
                        all_arranged[random.integer(0, 3)]);
    int const rows = a.pattern.rows;
    FlatPattern p(a.pattern);
    Fault const fault = all_faults[random.integer(0, 4)];
    if (plant(p, random.integer(0, rows - 1), fault, random).empty()) continue;
    SCOPED_TRACE("trial " + std::to_string(trial) + ", " + std::to_string(rows) + " rows, fault " +
                 std::to_string(int(fault)));
    ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
        x(items, rows, 1, Arranged::strided), start(items, rows, 1, Arranged::item_contiguous);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false);
    a.upload();
    b.randomise(random);
    x.randomise(random);
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) start.at(n, i, 0) = x.at(n, i, 0);
    auto const outside = x.poisoned();
    auto const log = SolveLog<T>::allocated(items);
    solve(bicgstab(relative(usual_tolerance<T>, 100)), jacobi(), csr_of(p, a.values), vectors(b),
          vectors(x), log);
    x.download();
    EXPECT_EQ(x.poisoned(), outside);
    HostLog<T> const said(log);
    for (std::int64_t n = 0; n < items; ++n) {
      bool const invalid = said.reason(n) == Reason::invalid_pattern;
      refused += invalid;
      if (out_of_range(fault)) {
        ASSERT_TRUE(invalid) << "item " << n << ": " << to_string(said.reason(n));
      }
      if (!invalid) continue;
      for (int i = 0; i < rows; ++i)
        ASSERT_TRUE(same_bits(x.at(n, i, 0), start.at(n, i, 0))) << "item " << n << ", row " << i;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace Batchwork::Test
