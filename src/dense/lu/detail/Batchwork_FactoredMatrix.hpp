// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// FactoredMatrix: what verbs of LU and direct solves have of a matrix that some warps eliminate,
/// and the choice of who eliminates it.
#ifndef BATCHWORK_FACTOREDMATRIX_HPP
#define BATCHWORK_FACTOREDMATRIX_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dense/lu/detail/Batchwork_EliminationRows.hpp"
#include "dense/lu/detail/Batchwork_EliminationTiles.hpp"
#include "dense/lu/detail/Batchwork_LuChoice.hpp"

namespace Batchwork::Impl {

/// A matrix in scratch, number (i, j) at place_of(i, j), which the lanes of an item replace by its
/// factors P A = L U:
/// - begin(here): what is beyond the rows of the item, before the matrix is there
/// - factorise(member, here, prepare): the elimination; prepare changes the numbers in registers
/// - status(here): of the first pivot that is zero or not finite
/// - forward(here), backward(here): L y = P b and U x = y, by a warp, for the vector in to_before;
///   x is in to_after. Where it has OneSide, the first forward substitution is part of factorise.
/// - pivot(here, k), factor(here, i, j): of U, and of L or U, rows as they were in the matrix
template <class A, class T>
concept FactoredMatrix = requires(A const a, typename A::Here const here) {
  { A::place_of(0, 0) } -> std::same_as<int>;
  { A::item_bytes } -> std::convertible_to<std::size_t>;
  { A::to_before + A::to_after + A::rows + A::count } -> std::same_as<int>;
  a.begin(here);
  { a.status(here) } -> std::same_as<std::int32_t>;
  a.forward(here);
  a.backward(here);
  { a.pivot(here, 0) } -> std::same_as<T>;
  { A::factor(here, 0, 0) } -> std::same_as<T>;
};

/// Lanes with whole rows where that is faster; else tiles.
template <class T, int Tiles, bool OneSide, bool KeepsL>
using LuCore = std::conditional_t<rows_beat_tiles<T>(8 * Tiles, KeepsL),
                                  EliminationRows<T, 8 * Tiles, OneSide, KeepsL>,
                                  EliminationTiles<T, Tiles, OneSide>>;

}  // namespace Batchwork::Impl

#endif
