// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymbolicLists: an elimination by a pattern, and the substitutions after it, as lists of sums of
/// products, which the lanes of an item compute step by step.
#ifndef BATCHWORK_SYMBOLICLISTS_HPP
#define BATCHWORK_SYMBOLICLISTS_HPP

#include <cstdint>
#include <vector>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

namespace Batchwork::Impl {

/// Lanes that take a slice of a step together, neighbouring ones neighbouring words of the lists.
inline constexpr int lanes_of_slice = Vendor::has_shuffles ? lanes_of_warp : 1;

/// Some sums of a step, with the same number of products for each lane; `parts` neighbouring lanes
/// share a sum.
struct ListSlice {
  std::int32_t begin;  ///< of its products, in units of lanes_of_slice
  std::uint16_t width, parts;
};
/// Steps of a list, one after the other; from `first` up to `end`.
struct ListSteps {
  int first = 0, end = 0;
};

/// Numbers of an item, by their places: the entries of L and U, U first; the reciprocals of the
/// pivots; a vector; and a zero.
struct PlacesOfItem {
  /// Places are numbers of 16 bits; the largest means none.
  static constexpr std::uint32_t none = 0xffff, most = none;

  int n = 0, entries = 0;
  constexpr BATCHWORK_INLINE int reciprocal(int k) const { return entries + k; }
  constexpr BATCHWORK_INLINE int vector(int k) const { return entries + n + k; }
  constexpr BATCHWORK_INLINE int zero() const { return entries + 2 * n; }
  constexpr BATCHWORK_INLINE int count() const { return entries + 2 * n + 1; }
};

/// As kernels see it. A target t of a step becomes x(t) - sum over q of x(first of q) x(second of
/// q); what then happens depends on the list. Of eliminate even steps store the reciprocal of a
/// pivot, odd ones multiply an entry of L by one; others multiply by one.
struct SymbolicLists {
  PlacesOfItem places;
  int of_upper = 0;           ///< entries of U
  bool has_repeated = false;  ///< whether a row has a column twice
  /// Entry k of row i of the matrix goes to given[given_begin[i] + k]; places without repetition by
  /// rows and by columns.
  int const *given_begin = nullptr, *row_begin = nullptr, *column_begin = nullptr;
  std::uint16_t const *given = nullptr, *of_row = nullptr, *of_column = nullptr;

  int const* first_slice = nullptr;  ///< of each step
  ListSlice const* slices = nullptr;
  std::uint32_t const* targets =
      nullptr;  ///< of lanes: the place, and in the upper half the other place, or none
  std::uint32_t const* pairs = nullptr;  ///< of products: two places
  ListSteps eliminate, forward, backward, forward_transposed, backward_transposed;
};

/// The same on the host.
struct SymbolicListsOnHost {
  PlacesOfItem places;
  int of_upper = 0;
  bool has_repeated = false;
  std::vector<int> given_begin{0}, row_begin{0}, column_begin{0};
  std::vector<std::uint16_t> given, of_row, of_column;
  std::vector<int> first_slice{0};
  std::vector<ListSlice> slices;
  std::vector<std::uint32_t> targets, pairs;
  ListSteps eliminate, forward, backward, forward_transposed, backward_transposed;
};

}  // namespace Batchwork::Impl

#endif
