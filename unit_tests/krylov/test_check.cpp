// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// check(A): the faults that it finds in a pattern and its messages, with the fault in every
// possible place.
#include "krylov/formats/Batchwork_CheckSystems.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "krylov/SystemsCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

using Values = Kokkos::View<double**, Space>;
using Many = Kokkos::View<double***, Space>;
constexpr char const* nothing_thrown = "(nothing was thrown)";

/// The message of check for these compressed rows.
std::string said_of(std::vector<int> const& offsets, std::vector<int> const& columns,
                    Diagonals diagonals = Diagonals::required) {
  Values const values("values", 2, columns.size());
  auto const c = indices_of<int>("columns", columns);
  auto const said =
      message_of([&] { check(csr(indices_of<int>("offsets", offsets), c, values), diagonals); });
  // Wide offsets must give the same result.
  EXPECT_EQ(said, message_of([&] {
              check(csr(indices_of<std::int64_t>("offsets", offsets), c, values), diagonals);
            }));
  return said;
}

TEST(Check, AcceptsWhatIsSound) {
  EXPECT_EQ(said_of({0, 2, 3, 5}, {0, 2, 1, 0, 2}), nothing_thrown);
  EXPECT_EQ(said_of({0}, {}), nothing_thrown);
  Random random(1);
  for (int rows : {1, 2, 7, 22, 144}) {
    auto const full = tridiagonal(rows);
    Matrices<double> const a(full, 3, Arranged::item_contiguous),
        b(random_pattern(random, rows), 0, Arranged::interleaved);
    EXPECT_NO_THROW(check(a.csr()));
    EXPECT_NO_THROW(check(a.long_csr()));
    EXPECT_NO_THROW(check(a.ell()));
    EXPECT_NO_THROW(check(a.dense()));
    EXPECT_NO_THROW(check(b.csr(), Diagonals::optional));
    EXPECT_NO_THROW(check(b.ell(), Diagonals::optional));
  }
  EXPECT_NO_THROW(check(scaled_identity(5)));
}

TEST(Check, ColumnsOfCompressedRows) {
  expect_says(
      said_of({0, 2, 3, 5}, {0, 3, 1, 0, 2}),
      {"Batchwork::check: csr columns(\"columns\") [View (5)], row 0: column 3 (entry 1) is "
       "out of range",
       "; give columns from 0 to 2"});
  expect_says(said_of({0, 2, 3, 5}, {0, 2, 1, -1, 2}),
              {"row 2: column -1 (entry 3)", "out of range"});
  expect_says(said_of({0, 2, 3, 5}, {0, 2, 1, 2, 0}),
              {"row 2: column 0 (entry 4) comes after column 2", "; sort the entries"});
  expect_says(said_of({0, 2, 3, 5}, {0, 0, 1, 0, 2}),
              {"row 0: column 0 (entry 1) is there twice", "; add"});
  // The list is sorted as a whole, but the order of columns starts again in each row.
  EXPECT_EQ(said_of({0, 1, 3}, {0, 0, 1}), nothing_thrown);
}

TEST(Check, Diagonals) {
  expect_says(said_of({0, 1, 2, 4}, {0, 2, 0, 2}),
              {"csr columns(\"columns\")", "row 1: column 1, the diagonal, is missing; store it",
               "Diagonals::optional"});
  EXPECT_EQ(said_of({0, 1, 2, 4}, {0, 2, 0, 2}, Diagonals::optional), nothing_thrown);
  expect_says(said_of({0, 1, 1}, {0}), {"row 1: column 1, the diagonal"});  // an empty row
  EXPECT_EQ(said_of({0, 1, 1}, {0}, Diagonals::optional), nothing_thrown);
}

TEST(Check, RowOffsets) {
  expect_says(
      said_of({1, 2, 3}, {0, 1, 1}),
      {"csr row offsets(\"offsets\") [View (3)], row 0: the first offset is 1", "; begin with 0"});
  expect_says(
      said_of({0, 2, 1, 3}, {0, 1, 1}),
      {"csr row offsets(\"offsets\")", "row 1: it goes from offset 2 to 1", "must not fall"});
  // An offset in the middle is too large: no column may be read there.
  expect_says(said_of({0, 1000000000, 2}, {0, 1}), {"row 1: it goes from offset 1000000000 to 2"});
  expect_says(said_of({0, 1, 3}, {0, 1}),
              {"the last offset is 3, but csr columns(\"columns\")", "has 2"});
  expect_says(said_of({0, 1, 2}, {0, 1, 1}), {"the last offset is 2", "has 3"});
}

/// Valid patterns with a few numbers changed. check must accept a pattern exactly if a second check
/// finds it valid.
TEST(Check, ChangedPatterns) {
  Random random(2);
  int sound = 0, unsound = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    int const rows = random.integer(1, 6);
    Pattern const p = random.integer(0, 1) ? tridiagonal(rows) : random_pattern(random, rows);
    std::vector<int> offsets{0}, columns;
    for (auto const& row : p.columns) {
      columns.insert(columns.end(), row.begin(), row.end());
      offsets.push_back(int(columns.size()));
    }
    for (int change = random.integer(0, 2); change > 0; --change) {
      bool const in_offsets = columns.empty() || random.integer(0, 1);
      auto& v = in_offsets ? offsets : columns;
      v[std::size_t(random.integer(0, int(v.size()) - 1))] += random.integer(-2, 2);
    }
    auto const diagonals = random.integer(0, 1) ? Diagonals::required : Diagonals::optional;
    bool good = offsets.front() == 0 && offsets.back() == int(columns.size()) &&
                std::is_sorted(offsets.begin(), offsets.end());
    for (int i = 0; good && i < rows; ++i) {
      auto const first = columns.begin() + offsets[std::size_t(i)],
                 last = columns.begin() + offsets[std::size_t(i) + 1];
      good = std::all_of(first, last, [&](int j) { return j >= 0 && j < rows; }) &&
             std::adjacent_find(first, last, std::greater_equal<>()) == last &&
             (diagonals == Diagonals::optional || std::find(first, last, i) != last);
    }
    ASSERT_EQ(said_of(offsets, columns, diagonals) == nothing_thrown, good) << trial;
    ++(good ? sound : unsound);
  }
  EXPECT_GT(sound, 500);
  EXPECT_GT(unsound, 500);
}

TEST(Check, EqualRows) {
  auto const said = [](std::vector<std::vector<int>> const& rows) {
    std::size_t const width = rows.empty() ? 0 : rows[0].size();
    Kokkos::View<int**, Space> const columns("columns", rows.size(), width);
    auto const host = Kokkos::create_mirror_view(columns);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < width; ++k) host(i, k) = rows[i][k];
    Kokkos::deep_copy(columns, host);
    return message_of([&] { check(ell(columns, Many("values", 1, rows.size(), width))); });
  };
  EXPECT_EQ(said({{0, -1}, {0, 1}}), nothing_thrown);
  expect_says(
      said({{0, -1}, {-1, 1}}),
      {"Batchwork::check: ell columns(\"columns\") [View (2, 2)], row 1: entry 1 comes after "
       "entry 0",
       "; move unused entries to the end"});
  expect_says(said({{0, 1}, {1, 0}}), {"row 1: column 0 (entry 1) comes after column 1"});
  expect_says(said({{0, 1}, {1, 1}}), {"row 1: column 1 (entry 1) is there twice"});
  expect_says(said({{0, 2}, {1, -1}}), {"row 0: column 2 (entry 1) is out of range"});
  expect_says(said({{0, -2}, {1, -1}}), {"row 0: column -2 (entry 1) is out of range"});
  expect_says(said({{0, -1}, {0, -1}}), {"row 1: column 1, the diagonal, is missing"});
}

TEST(Check, Shapes) {
  auto const offsets = indices_of<int>("offsets", {0, 1, 2}),
             columns = indices_of<int>("columns", {0, 1});
  expect_says(message_of([&] { check(csr(offsets, columns, Values("values", 2, 3))); }),
              {"Batchwork::check: csr values(\"values\") [View (2, 3)] holds 3 numbers"});
  expect_says(message_of([&] {
                check(csr(offsets, columns, Values(static_cast<double*>(nullptr), 2, 2)));
              }),
              {"csr values(", "it is null; allocate"});
  expect_says(message_of([&] { check(dense(Many("values", 2, 3, 2))); }), {"dense values", "3x2"});
}

}  // namespace
}  // namespace Batchwork::Test
