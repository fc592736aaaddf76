// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymbolicElimination: which entries the factors of a pattern have, in which order pivots are
/// taken, and which at the same time. On the host, without numbers.
#ifndef BATCHWORK_SYMBOLICELIMINATION_HPP
#define BATCHWORK_SYMBOLICELIMINATION_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Batchwork::Impl {

/// A set of numbers below n.
class BitSet {
 public:
  explicit BitSet(int n) : words_(std::size_t(n + 63) / 64) {}
  void insert(int i) { words_[std::size_t(i) / 64] |= bit(i); }
  void erase(int i) { words_[std::size_t(i) / 64] &= ~bit(i); }
  bool has(int i) const { return (words_[std::size_t(i) / 64] & bit(i)) != 0; }
  void insert(BitSet const& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  int count() const {
    int sum = 0;
    for (std::uint64_t const w : words_) sum += std::popcount(w);
    return sum;
  }
  std::vector<int> members() const {
    std::vector<int> all;
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        all.push_back(int(64 * w) + std::countr_zero(left));
    return all;
  }

 private:
  static std::uint64_t bit(int i) { return std::uint64_t(1) << (i % 64); }
  std::vector<std::uint64_t> words_;
};

/// Pivots are entries of the diagonal. Rows and columns keep their numbers: what is "later" is
/// eliminated after.
struct SymbolicElimination {
  int n = 0, levels = 0;
  std::vector<int> order;               ///< the pivots one after the other
  std::vector<int> level;               ///< of each pivot: pivots of a level are independent
  std::vector<std::vector<int>> below;  ///< of pivot k the later rows i with an entry (i, k) of L
  std::vector<std::vector<int>>
      right;                  ///< of pivot k the later columns j with an entry (k, j) of U
  std::int64_t entries = 0;   ///< of L and U, with one diagonal
  std::int64_t products = 0;  ///< multiply-adds of the elimination
  int without_pivot = -1;     ///< a row without a diagonal entry when it becomes the pivot, or -1

  /// By Markowitz' counts on the diagonal (Duff, Erisman and Reid, Direct Methods for Sparse
  /// Matrices, 2nd edition, section 7.3), some pivots at a time that are no neighbours (Liu,
  /// Modification of the minimum-degree algorithm by multiple elimination, 1985): pivots that
  /// cost up to twice as much as the cheapest, and a little more, since levels cost more than some
  /// entries.
  /// \param columns  of each row
  /// \param given    an order of the pivots to be kept, or empty
  /// \param most     entries at which it ends, unfinished
  SymbolicElimination(std::vector<std::vector<int>> const& columns, std::vector<int> const& given,
                      std::int64_t most)
      : n(int(columns.size())),
        level(columns.size(), 0),
        below(columns.size()),
        right(columns.size()),
        rows_(columns.size(), BitSet(n)),
        columns_(columns.size(), BitSet(n)),
        left_(columns.size(), 1) {
    for (int i = 0; i < n; ++i)
      for (int const j : columns[std::size_t(i)]) rows(i).insert(j), of_column(j).insert(i);
    if (given.empty()) by_least_cost(most);
    else
      for (int const k : given)
        if (entries <= most) eliminate(k);
    for (int const l : level) levels = std::max(levels, l + 1);
  }

 private:
  std::vector<BitSet> rows_, columns_;  ///< what is left of them
  std::vector<char> left_;

  BitSet& rows(int i) { return rows_[std::size_t(i)]; }
  BitSet& of_column(int j) { return columns_[std::size_t(j)]; }

  void eliminate(int k) {
    if (!rows(k).has(k)) {
      if (without_pivot < 0) without_pivot = k;
      rows(k).insert(k), of_column(k).insert(k);
    }
    rows(k).erase(k), of_column(k).erase(k);
    auto const rows_below = of_column(k).members(), columns_right = rows(k).members();
    int const next = level[std::size_t(k)] + 1;
    for (int const i : rows_below) {
      rows(i).insert(rows(k));
      rows(i).erase(k);
      level[std::size_t(i)] = std::max(level[std::size_t(i)], next);
    }
    for (int const j : columns_right) {
      of_column(j).insert(of_column(k));
      of_column(j).erase(k);
      level[std::size_t(j)] = std::max(level[std::size_t(j)], next);
    }
    entries += 1 + std::int64_t(rows_below.size() + columns_right.size());
    products += std::int64_t(rows_below.size() * columns_right.size());
    left_[std::size_t(k)] = 0;
    order.push_back(k);
    below[std::size_t(k)] = rows_below;
    right[std::size_t(k)] = columns_right;
  }
  void by_least_cost(std::int64_t most) {
    std::vector<std::int64_t> cost(std::size_t(n), 0);
    while (int(order.size()) < n && entries <= most) {
      // Without an entry of the diagonal only where nothing else is left.
      constexpr std::int64_t none = std::int64_t(1) << 62;
      std::int64_t least = none;
      std::vector<int> candidates;
      for (int k = 0; k < n; ++k) {
        if (left_[std::size_t(k)] == 0) continue;
        std::int64_t& c = cost[std::size_t(k)];
        c = rows(k).has(k) ? std::int64_t(rows(k).count() - 1) * (of_column(k).count() - 1) : none;
        least = std::min(least, c);
        candidates.push_back(k);
      }
      auto const cost_of = [&](int k) { return cost[std::size_t(k)]; };
      std::int64_t const limit = least == none ? none : 2 * least + 4;
      std::erase_if(candidates, [&](int k) { return cost_of(k) > limit; });
      std::stable_sort(candidates.begin(), candidates.end(),
                       [&](int a, int b) { return cost_of(a) < cost_of(b); });
      BitSet neighbours(n);
      std::vector<int> chosen;
      for (int const k : candidates) {
        if (neighbours.has(k)) continue;
        chosen.push_back(k);
        neighbours.insert(rows(k)), neighbours.insert(of_column(k));
      }
      for (int const k : chosen) eliminate(k);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
