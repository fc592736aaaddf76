// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// ListsOfElimination: makes the SymbolicLists of a pattern on the host.
#ifndef BATCHWORK_LISTSOFELIMINATION_HPP
#define BATCHWORK_LISTSOFELIMINATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "krylov/direct/detail/Batchwork_SymbolicElimination.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicLists.hpp"

namespace Batchwork::Impl {

/// Makes the lists of an elimination.
class ListsOfElimination : public SymbolicListsOnHost {
 public:
  /// \param columns  of each row, in the order of the matrices
  /// \param lanes    that will compute a step together
  ListsOfElimination(SymbolicElimination const& e, std::vector<std::vector<int>> const& columns,
                     int lanes)
      : elimination_(e), lanes_(lanes) {
    places.n = e.n;
    places.entries = int(e.entries);
    number_entries();
    add_pattern(columns);
    add_elimination();
    add_substitutions();
    // What lanes look at behind the last step.
    int const behind = (lanes + lanes_of_slice - 1) / lanes_of_slice;
    for (int k = 0; k < behind; ++k) slices.push_back({0, 0, 1});
    targets.insert(targets.end(), std::size_t(behind * lanes_of_slice),
                   PlacesOfItem::none | PlacesOfItem::none << 16);
  }

 private:
  struct Target {
    int place, other;
    std::vector<std::pair<int, int>> products;
  };
  using Step = std::vector<Target>;
  static constexpr int none = int(PlacesOfItem::none);

  SymbolicElimination const& elimination_;
  int lanes_;
  std::vector<std::map<int, int>> place_of_;  ///< of entry (i, j)

  int place(int i, int j) const { return place_of_[std::size_t(i)].at(j); }

  void number_entries() {
    auto const& e = elimination_;
    place_of_.resize(std::size_t(e.n));
    int next = 0;
    for (int const k : e.order) {
      place_of_[std::size_t(k)][k] = next++;
      for (int const j : e.right[std::size_t(k)]) place_of_[std::size_t(k)][j] = next++;
    }
    of_upper = next;
    for (int const k : e.order)
      for (int const i : e.below[std::size_t(k)]) place_of_[std::size_t(i)][k] = next++;
  }
  void add_pattern(std::vector<std::vector<int>> const& columns) {
    std::vector<std::vector<int>> of_columns(columns.size());
    for (int i = 0; i < places.n; ++i) {
      std::vector<int> once = columns[std::size_t(i)];
      for (int const j : once) given.push_back(std::uint16_t(place(i, j)));
      given_begin.push_back(int(given.size()));
      std::sort(once.begin(), once.end());
      once.erase(std::unique(once.begin(), once.end()), once.end());
      has_repeated = has_repeated || once.size() < columns[std::size_t(i)].size();
      for (int const j : once) {
        of_row.push_back(std::uint16_t(place(i, j)));
        of_columns[std::size_t(j)].push_back(place(i, j));
      }
      row_begin.push_back(int(of_row.size()));
    }
    for (auto const& c : of_columns) {
      of_column.insert(of_column.end(), c.begin(), c.end());
      column_begin.push_back(int(of_column.size()));
    }
  }

  void add_elimination() {
    auto const& e = elimination_;
    // What each entry, and each number of the vector, loses, in the order of the pivots.
    std::vector<std::vector<std::pair<int, int>>> products(std::size_t(places.count()));
    for (int const k : e.order)
      for (int const i : e.below[std::size_t(k)]) {
        int const l = place(i, k);
        for (int const j : e.right[std::size_t(k)])
          products[std::size_t(place(i, j))].push_back({l, place(k, j)});
        products[std::size_t(places.vector(i))].push_back({l, places.vector(k)});
      }
    eliminate.first = steps();
    for (int level = 0; level < e.levels; ++level) {
      Step sums, quotients;
      auto const add = [&](int target, int other) {
        auto& own = products[std::size_t(target)];
        if (!own.empty() || other != none) sums.push_back({target, other, std::move(own)});
      };
      for (int const k : e.order) {
        if (e.level[std::size_t(k)] != level) continue;
        add(place(k, k), places.reciprocal(k));
        add(places.vector(k), none);
        for (int const j : e.right[std::size_t(k)]) add(place(k, j), none);
        for (int const i : e.below[std::size_t(k)]) {
          add(place(i, k), none);
          quotients.push_back({place(i, k), places.reciprocal(k), {}});
        }
      }
      add_step(sums);
      add_step(quotients);
    }
    eliminate.end = steps();
  }

  /// One substitution: row k takes products(k) off its number, and then, if it is said so, is
  /// divided by its pivot.
  template <class Products>
  ListSteps add_substitution(bool rises, bool divides, Products const& products) {
    auto const& e = elimination_;
    ListSteps range{steps(), 0};
    for (int s = 0; s < e.levels; ++s) {
      Step step;
      for (int const k : e.order) {
        if (e.level[std::size_t(k)] != (rises ? s : e.levels - 1 - s)) continue;
        auto own = products(k);
        if (divides || !own.empty())
          step.push_back({places.vector(k), divides ? places.reciprocal(k) : none, std::move(own)});
      }
      if (!step.empty()) add_step(step);
    }
    range.end = steps();
    return range;
  }
  void add_substitutions() {
    auto const& e = elimination_;
    using Products = std::vector<std::pair<int, int>>;
    // Of rows of L and of columns of U, which are by pivots there.
    std::vector<Products> of_rows(std::size_t(e.n)), of_columns(std::size_t(e.n));
    for (int const k : e.order) {
      for (int const i : e.below[std::size_t(k)])
        of_rows[std::size_t(i)].push_back({place(i, k), places.vector(k)});
      for (int const j : e.right[std::size_t(k)])
        of_columns[std::size_t(j)].push_back({place(k, j), places.vector(k)});
    }
    forward = add_substitution(true, false, [&](int k) { return of_rows[std::size_t(k)]; });
    backward = add_substitution(false, true, [&](int k) {
      Products p;
      for (int const j : e.right[std::size_t(k)]) p.push_back({place(k, j), places.vector(j)});
      return p;
    });
    forward_transposed =
        add_substitution(true, true, [&](int k) { return of_columns[std::size_t(k)]; });
    backward_transposed = add_substitution(false, false, [&](int k) {
      Products p;
      for (int const i : e.below[std::size_t(k)]) p.push_back({place(i, k), places.vector(i)});
      return p;
    });
  }

  int steps() const { return int(first_slice.size()) - 1; }
  /// Long sums first, so that the sums of a slice have the same length. Lanes share sums where
  /// there are more lanes than sums.
  void add_step(Step& step) {
    constexpr std::size_t across = lanes_of_slice;
    std::stable_sort(step.begin(), step.end(), [](Target const& a, Target const& b) {
      return a.products.size() > b.products.size();
    });
    std::size_t const longest = step.empty() ? 0 : step[0].products.size();
    std::size_t parts = 1;
    while (2 * parts <= across && 2 * parts * step.size() <= std::size_t(lanes_) &&
           4 * parts <= longest)
      parts *= 2;
    std::size_t const sums = across / parts;
    for (std::size_t first = 0; first < step.size(); first += sums) {
      std::size_t const products = step[first].products.size();
      std::size_t width = (products + parts - 1) / parts;
      slices.push_back(
          {std::int32_t(pairs.size() / across), std::uint16_t(width), std::uint16_t(parts)});
      for (std::size_t q = 0; q < width; ++q)
        for (std::size_t lane = 0; lane < across; ++lane) {
          std::size_t const sum = first + lane / parts, at = q * parts + lane % parts;
          bool const there = sum < step.size() && at < step[sum].products.size();
          auto const& [a, b] =
              there ? step[sum].products[at] : std::pair{places.zero(), places.zero()};
          pairs.push_back(std::uint32_t(a) | std::uint32_t(b) << 16);
        }
      for (std::size_t lane = 0; lane < across; ++lane) {
        std::size_t const sum = first + lane / parts;
        bool const there = sum < step.size() && lane % parts == 0;
        targets.push_back(there ? std::uint32_t(step[sum].place) | std::uint32_t(step[sum].other)
                                                                       << 16
                                : PlacesOfItem::none | PlacesOfItem::none << 16);
      }
    }
    first_slice.push_back(int(slices.size()));
  }
};

}  // namespace Batchwork::Impl

#endif
