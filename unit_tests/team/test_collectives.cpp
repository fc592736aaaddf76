// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collectives of a warp, whose lanes are threads of the host, compared with plain loops. All
// numbers are small integers or their halves, so that sums are exact in any order.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/detail/Batchwork_Elimination.hpp"
#include "support/HostTeams.hpp"
#include "team/detail/Batchwork_PivotSearch.hpp"
#include "team/detail/Batchwork_Substitution.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Test {
namespace {

/// Runs body(lane) by a warp.
template <class Body>
void run_warp(Body const& body) {
  auto const kernel = [&](HostMember const& member) {
    Impl::LaneOfTiles here;
    here.template take_tiles<Impl::lanes_of_warp>(member, 0, 1, 1);
    body(here);
  };
  run_teams(kernel, 1, Impl::lanes_of_warp, 16);
}
/// Integers from -7 to 7 that differ.
template <class T>
T some(int i, int j) {
  return T((i * 37 + j * 101 + i * j * 13) % 15 - 7);
}

/// Takes left times right off the tiles [first, end) of the columns of tiles that are wanted.
template <class T, int Down, int Across, bool Lower>
void expect_product(int first, int end) {
  constexpr int rows = 8 * Down, cols = 8 * Across;
  std::vector<T> x(rows * cols), expected(rows * cols);
  alignas(16) T left[4 * rows], right[4 * cols];
  auto const takes = [](int row) { return Lower || row % 3 != 1; };
  auto const wanted = [](int k) { return Lower || k != 1; };
  for (int i = 0; i < rows; ++i)
    for (int q = 0; q < 4; ++q) left[4 * i + q] = some<T>(i, q);
  for (int j = 0; j < cols; ++j)
    for (int q = 0; q < 4; ++q) right[q * cols + j] = Lower ? left[4 * j + q] : some<T>(j + 5, q);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      T sum = some<T>(i + 3, j);
      x[i * cols + j] = sum;
      bool const in_tile = i / 8 >= first && i / 8 < end && (!Lower || j <= i);
      if (in_tile && wanted(j / 8) && takes(i))
        for (int q = 0; q < 4; ++q) sum -= left[4 * i + q] * right[q * cols + j];
      expected[i * cols + j] = sum;
    }
  run_warp([&](Impl::LaneOfTiles const& here) {
    T tiles[Down][Across][2];
    auto const place = [&](int i, int k, int e) {
      return (8 * i + here.r) * cols + 8 * k + 2 * here.c + e;
    };
    for (int i = 0; i < Down; ++i)
      for (int k = 0; k < Across; ++k)
        for (int e = 0; e < 2; ++e) tiles[i][k][e] = x[place(i, k, e)];
    Impl::subtract_products<Down, Across, Lower, T>(
        here, [&](int i, int k) { return tiles[i][k]; }, first, end,
        [&](int i) { return left + 4 * (8 * i + here.r); },
        [&](int i) { return takes(8 * i + here.r); },
        [&](int k, int q, int j) {
          return Lower ? left + 4 * (8 * k + j) + q : right + q * cols + 8 * k + j;
        },
        wanted);
    for (int i = first; i < end; ++i)
      for (int k = 0; k < Across; ++k)
        for (int e = 0; e < 2; ++e) x[place(i, k, e)] = tiles[i][k][e];
  });
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      if (Lower && j > i) continue;
      EXPECT_EQ(x[i * cols + j], expected[i * cols + j]) << i << ", " << j;
    }
}
TEST(WarpTiles, Products) {
  expect_product<double, 3, 2, false>(0, 3), expect_product<float, 3, 2, false>(1, 2);
  expect_product<double, 8, 3, false>(3, 8), expect_product<float, 7, 3, false>(2, 7);
  expect_product<double, 4, 4, true>(0, 4), expect_product<float, 3, 3, true>(0, 3);
  expect_product<double, 7, 7, true>(2, 7), expect_product<float, 8, 8, true>(4, 8);
}

template <class T, int Slots, bool Adjacent>
void expect_pivot(std::vector<T> const& column, std::vector<bool> const& candidates) {
  using Rows = Impl::RowsOfWarp<Slots, Adjacent>;
  int const n = int(column.size());
  int expected = -1;
  for (int i = 0; i < n; ++i)
    if (candidates[i] &&
        (expected < 0 || Impl::pivot_key(column[i]) > Impl::pivot_key(column[expected])))
      expected = i;
  run_warp([&](Impl::LaneOfTiles const& here) {
    Impl::PivotSearch<Slots, Adjacent> search;
    search.find_own([&](int s) {
      int const row = Rows::row(here.in_warp, s);
      return row < n && candidates[row] ? Impl::pivot_key(column[row]) : -1;
    });
    search.find();
    if (expected < 0) {
      EXPECT_EQ(search.key, -1);
      return;
    }
    EXPECT_EQ(search.key, Impl::pivot_key(column[expected]));
    EXPECT_EQ(search.lane, Rows::lane(expected));
    int const slot = Adjacent ? search.slot : search.slot_of_lane;
    if (!Adjacent || here.in_warp == search.lane) {
      EXPECT_EQ(Rows::row(search.lane, slot), expected);
    }
  });
}
/// Of equal numbers that of the first row; NaN is the largest.
TEST(PivotSearch, TheFirstOfTheLargest) {
  auto const check = [](std::vector<double> const& column, std::vector<bool> const& candidates) {
    expect_pivot<double, 2, true>(column, candidates);
    expect_pivot<double, 2, false>(column, candidates);
    std::vector<float> const single(column.begin(), column.end());
    expect_pivot<float, 2, true>(single, candidates);
    expect_pivot<float, 2, false>(single, candidates);
  };
  std::vector<double> column(61);
  std::vector<bool> all(61, true), later(61, true), none(61, false);
  for (int i = 0; i < 61; ++i) column[i] = some<double>(i, 2), later[i] = i > 33 && i % 2 == 0;
  check(column, all), check(column, later), check(column, none);
  column[35] = column[2] = 20;
  check(column, all);
  column[34] = column[1] = -21;
  check(column, all);
  column[60] = std::nan("");
  check(column, all), check(std::vector<double>(61, 0.0), all);
}

/// L y = P b and U x = y for rows that are not in their places.
template <class T, int Slots, bool Adjacent>
void expect_substitution(int n) {
  using Rows = Impl::RowsOfWarp<Slots, Adjacent>;
  int const padded = (n + 3) / 4 * 4, most = Slots * Impl::lanes_of_warp;
  std::vector<std::int16_t> order(padded), place(most, -1);
  for (int k = 0; k < padded; ++k) {
    order[k] = std::int16_t(k < n ? (k * 5 + 3) % n : k);
    if (k < n) place[order[k]] = std::int16_t(k);
  }
  // Row i of the factors, in place k: sparse, so that numbers stay small; the diagonal is 2.
  auto const factor = [&](int i, int j) {
    int const k = place[i];
    return k < 0 || j >= n ? T(k == j) : j == k ? T(2) : (j + k) % 7 == 0 ? T(1) : T(0);
  };
  std::vector<T> b(most, T(0)), y(n), x(n), found(padded), middle(most);
  for (int i = 0; i < n; ++i) b[i] = some<T>(i, 1);
  for (int k = 0; k < n; ++k) {
    y[k] = b[order[k]];
    for (int j = 0; j < k; ++j) y[k] -= factor(order[k], j) * y[j];
  }
  for (int k = n - 1; k >= 0; --k) {
    x[k] = y[k];
    for (int j = k + 1; j < n; ++j) x[k] -= factor(order[k], j) * x[j];
    x[k] *= T(0.5);
  }
  run_warp([&](Impl::LaneOfTiles const& here) {
    T own[Slots], half[Slots];
    int places[Slots];
    for (int s = 0; s < Slots; ++s) {
      int const row = Rows::row(here.in_warp, s);
      own[s] = b[row], places[s] = place[row], half[s] = T(0.5);
    }
    auto const read = [&](int s, int k0, T(&four)[4]) {
      for (int q = 0; q < 4; ++q) four[q] = factor(Rows::row(here.in_warp, s), k0 + q);
    };
    Rows::forward(n, order.data(), own, places, read);
    for (int s = 0; s < Slots; ++s) {
      int const row = Rows::row(here.in_warp, s);
      middle[row] = own[s];
      if (places[s] < 0) places[s] = padded;
    }
    Rows::template backward<false>(n, order.data(), own, places, half, read, [&](int k, T known) {
      if (here.in_warp == 0) found[k] = known;
    });
  });
  for (int k = 0; k < n; ++k) {
    EXPECT_EQ(middle[order[k]], y[k]) << k;
    EXPECT_EQ(found[k], x[k]) << k;
  }
}
TEST(Substitution, RowsOfAWarp) {
  expect_substitution<double, 1, true>(9), expect_substitution<double, 1, false>(32);
  expect_substitution<double, 2, true>(37), expect_substitution<double, 2, false>(37);
  expect_substitution<float, 2, false>(33), expect_substitution<double, 3, true>(96);
}

}  // namespace
}  // namespace Batchwork::Test
