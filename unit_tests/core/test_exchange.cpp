// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The exchange of values between lanes that share an item. Its index formula is tested against a
// model of scratch memory with 32 banks of 4 bytes. In the model, accesses of 16, 8 and 4 bytes
// serve 8, 16 and 32 lanes at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/detail/Batchwork_Exchange.hpp"

namespace Batchwork::Test {
namespace {

/// The largest number of different words in one bank that a warp requests at the same time: 1 means
/// no conflict.
int conflicts(std::vector<long> const& byte_of_lane, int bytes) {
  int const lanes_at_a_time = 128 / bytes;
  int worst = 0;
  for (int first = 0; first < 32; first += lanes_at_a_time) {
    std::map<long, std::set<long>> words_of_bank;
    for (int lane = first; lane < first + lanes_at_a_time; ++lane)
      for (int b = 0; b < bytes; b += 4) {
        long const word = (byte_of_lane[std::size_t(lane)] + b) / 4;
        words_of_bank[word % 32].insert(word);
      }
    for (auto const& [bank, words] : words_of_bank) worst = std::max(worst, int(words.size()));
  }
  return worst;
}

template <class T, int L, int E>
void check_layout() {
  using X = Impl::Exchange<T, L, E>;
  static_assert(X::lines >= E && (X::ragged || X::lines % L == 0) && X::leading >= X::lines);
  static_assert(X::stride >= X::lines * X::leading && X::bytes % 16 == 0);
  static_assert(X::leading % X::per_unit == 0 && X::stride % X::per_unit == 0);
  // Space for an item with the layout of memory, rounded up to an odd number of units.
  static_assert(X::stride >= X::per_unit * ((E * E + X::per_unit - 1) / X::per_unit / 2 * 2 + 1));
  auto const warp = [](auto const& number) {
    std::vector<long> r;
    for (int lane = 0; lane < 32; ++lane)
      r.push_back(long(sizeof(T)) * (lane / L * X::stride + number(lane % L)));
    return r;
  };
  for (int m = 0; m < X::lines / L; ++m)
    for (int k = 0; k < X::lines; ++k) {
      // A lane writes and reads its own lines in units of 16 bytes.
      if (k % X::per_unit == 0) {
        EXPECT_EQ(conflicts(warp([&](int l) { return (m * L + l) * X::leading + k; }), 16), 1)
            << "E " << E << ", L " << L << ", line " << m << ", number " << k;
        // One line that all lanes of an item read.
        EXPECT_EQ(conflicts(warp([&](int) { return m * L * X::leading + k; }), 16), 1);
      }
      // The lanes' own numbers in a line of the other kind. The bound is stated in the
      // documentation of Exchange.
      int const documented = (sizeof(T) == 4 && L >= 4) || L >= 16 ? 1 : 2;
      EXPECT_LE(conflicts(warp([&](int l) { return k * X::leading + m * L + l; }), int(sizeof(T))),
                documented)
          << "E " << E << ", L " << L << ", number " << m << " of line " << k;
    }
}

template <class T, int L, int... E>
void check_extents(std::integer_sequence<int, E...>) {
  (check_layout<T, L, E + 1>(), ...);
}
template <class T>
void check_lanes() {
  using Extents = std::make_integer_sequence<int, 32>;
  check_extents<T, 2>(Extents{});
  check_extents<T, 4>(Extents{});
  check_extents<T, 8>(Extents{});
  check_extents<T, 16>(Extents{});
  check_extents<T, 32>(Extents{});
}

TEST(Exchange, LinesMeetInNoBankFloat) { check_lanes<float>(); }
TEST(Exchange, LinesMeetInNoBankDouble) { check_lanes<double>(); }

/// An exchange needs one or two additional units for each line.
TEST(Exchange, TwoLanesOfDoublesWasteLittleScratch) {
  EXPECT_EQ((Impl::Exchange<double, 2, 9>::leading), 10);
  EXPECT_EQ((Impl::Exchange<double, 2, 12>::leading), 14);
  EXPECT_LE((Impl::Exchange<double, 2, 10>::bytes), 992u);
  EXPECT_LE((Impl::Exchange<double, 2, 12>::bytes), 1392u);
}

/// Numbers between or after lines do not belong to a line, an item or another exchange.
template <class T, int L, int E>
void check_pairs() {
  using X = Impl::Exchange<T, L, E>;
  if constexpr (X::pairs >= 0) {
    std::set<int> numbers;
    for (int item = 0; item < 2; ++item)
      for (int i = 0; i < X::lines; ++i) {
        for (int k = 0; k < X::lines; ++k)
          EXPECT_TRUE(numbers.insert(item * X::stride + i * X::leading + k).second);
        for (int k = 0; k < X::per_unit; ++k)
          EXPECT_TRUE(
              numbers.insert(item * X::stride + X::pairs + i * X::leading_of_pairs + k).second)
              << "E " << E << ", L " << L << ", pair " << i;
      }
    EXPECT_LT(*numbers.rbegin(), 2 * X::stride);
    EXPECT_EQ(X::pairs % X::per_unit, 0);
  }
}
TEST(Exchange, PairsHaveTheirPlaces) {
  auto const extents = []<class T, int L, int... E>(
                           std::type_identity<T>, std::integral_constant<int, L>,
                           std::integer_sequence<int, E...>) { (check_pairs<T, L, E + 1>(), ...); };
  auto const lanes = [&]<int... L>(std::integer_sequence<int, L...>) {
    std::make_integer_sequence<int, 32> const all;
    (extents(std::type_identity<float>{}, std::integral_constant<int, L>{}, all), ...);
    (extents(std::type_identity<double>{}, std::integral_constant<int, L>{}, all), ...);
  };
  lanes(std::integer_sequence<int, 2, 4, 8, 16, 32>{});
}

TEST(Exchange, ItemsDoNotOverlap) {
  using X = Impl::Exchange<float, 4, 13>;
  std::set<int> numbers;
  for (int item = 0; item < 8; ++item)
    for (int i = 0; i < X::lines; ++i)
      for (int k = 0; k < X::lines; ++k)
        EXPECT_TRUE(numbers.insert(item * X::stride + i * X::leading + k).second);
}

/// Eight lanes that each read their own row of a staged common matrix, and eight lanes that read
/// the same row.
TEST(Exchange, RowsOfStagedMatrices) {
  for (int cols = 1; cols <= 32; ++cols) {
    EXPECT_GE(Impl::staged_leading<float>(cols), cols);
    EXPECT_EQ(Impl::staged_leading<float>(cols) / 4 % 2, 1);
    EXPECT_GE(Impl::staged_leading<double>(cols), cols);
    EXPECT_EQ(Impl::staged_leading<double>(cols) / 2 % 2, 1);
    std::vector<long> rows;
    for (int lane = 0; lane < 32; ++lane)
      rows.push_back(4L * (lane % 8) * Impl::staged_leading<float>(cols));
    EXPECT_EQ(conflicts(rows, 16), 1) << cols;
  }
}

}  // namespace
}  // namespace Batchwork::Test
