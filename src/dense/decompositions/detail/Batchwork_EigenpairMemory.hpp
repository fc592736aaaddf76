// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EigenpairMemory: the memory of a symmetric matrix whose eigenvalues and eigenvectors a team of
/// warps finds.
#ifndef BATCHWORK_EIGENPAIRMEMORY_HPP
#define BATCHWORK_EIGENPAIRMEMORY_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsInScratch.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"

namespace Batchwork::Impl {

/// The memory of an item of n rows, 9 or more, and how its tridiagonal matrix is divided: into
/// leaves of whole tiles of eight rows. Columns are read in units of 16 bytes. The matrix becomes
/// the vectors of the reflections, packed, and the vectors of the blocks, two halves side by side.
template <class T>
struct EigenpairShape {
  static constexpr int deep = 16 / int(sizeof(T)), tile = 8, tiles_of_leaf = 3, arrays = 8,
                       lists = 6, parts = 32;

  int n, tiles, units, levels = 1;

  explicit EigenpairShape(int rows)
      : n(rows), tiles((rows + tile - 1) / tile), units(tiles * (tile / deep)) {
    while ((tiles + (1 << levels) - 1) >> levels > tiles_of_leaf) ++levels;
  }
  BATCHWORK_INLINE int leading() const { return units * deep; }
  BATCHWORK_INLINE int half() const { return (tiles + 1) / 2 * tile; }
  BATCHWORK_INLINE int leaves() const { return 1 << levels; }
  /// The first row of a leaf, or of what is behind the last one.
  BATCHWORK_INLINE int boundary(int leaf) const {
    return leaf == leaves() ? n : (leaf * tiles >> levels) * tile;
  }
  /// The most tiles of a block below a level.
  BATCHWORK_INLINE int tiles_of_block(int level) const {
    return (tiles + (leaves() >> level) - 1) / (leaves() >> level);
  }
  /// Where the vector of reflection k begins, with the unit of row k + 1.
  BATCHWORK_INLINE int reflector(int k) const {
    int const q = k / deep, r = k % deep;
    return k * leading() - deep * (deep * (q * (q - 1) / 2) + q * (r + 1));
  }
  BATCHWORK_INLINE int matrix_numbers() const {
    int const first = n * leading(), then = reflector(n - 2) + n * half();
    return first > then ? first : then;
  }
  /// What is beside the matrix.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {std::int64_t(arrays) * leading() + parts, std::int64_t(lists) * leading() + 3 * parts};
  }
};

/// What the steps of EigenpairsOfTeam have in common, in a team of `Lanes` lanes.
template <class T, int Lanes, class Member>
struct EigenpairMemory {
  using Shape = EigenpairShape<T>;
  static constexpr int deep = Shape::deep, tile = Shape::tile, width = 8,
                       warps = Lanes / lanes_of_warp;

  Member const& member;
  Shape shape;
  T *matrix, *beside;
  std::int16_t* indices;
  int rank;

  BATCHWORK_INLINE EigenpairMemory(Member const& m, Shape const& s, T* numbers, T* arrays,
                                   std::int16_t* lists)
      : member(m),
        shape(s),
        matrix(numbers),
        beside(arrays),
        indices(lists),
        rank(Vendor::lane_rank(m)) {}

  BATCHWORK_INLINE T* column(int j) const { return matrix + j * shape.leading(); }
  BATCHWORK_INLINE T* array(int k) const { return beside + k * shape.leading(); }
  BATCHWORK_INLINE T* part() const { return array(Shape::arrays); }
  BATCHWORK_INLINE std::int16_t* list(int k) const { return indices + k * shape.leading(); }
  BATCHWORK_INLINE T* d() const { return array(0); }    // values
  BATCHWORK_INLINE T* e() const { return array(1); }    // beside the diagonal
  BATCHWORK_INLINE T* z() const { return array(2); }    // of each column; later
  BATCHWORK_INLINE T* tau() const { return array(2); }  // roots, from the nearest pole
  BATCHWORK_INLINE T* sorted_d() const { return array(3); }
  BATCHWORK_INLINE T* length() const { return array(3); }  // of a run up to here
  BATCHWORK_INLINE T* sorted_z() const { return array(4); }
  BATCHWORK_INLINE T* weight() const { return array(4); }  // in what is kept of the run
  BATCHWORK_INLINE T* alive_z() const { return array(5); }
  BATCHWORK_INLINE T* pole() const { return array(6); }
  BATCHWORK_INLINE T* pole_z() const { return array(7); }
  BATCHWORK_INLINE std::int16_t* alive_column() const { return list(0); }
  BATCHWORK_INLINE std::int16_t* run() const { return list(1); }
  BATCHWORK_INLINE std::int16_t* sorted_column() const { return list(2); }
  BATCHWORK_INLINE std::int16_t* origin() const { return list(2); }  // a pole for each root
  /// Of a deflated column: its entry of the alive ones, or -1 - its column.
  BATCHWORK_INLINE std::int16_t* kind() const { return list(3); }
  BATCHWORK_INLINE std::int16_t* order() const { return list(4); }
  /// Alive entries of columns of the upper block, then those of the lower one.
  BATCHWORK_INLINE std::int16_t* by_block() const { return list(5); }
  BATCHWORK_INLINE std::int16_t* upper_count() const {
    return list(Shape::lists) + 2 * Shape::parts;
  }
  BATCHWORK_INLINE std::int16_t* alive_count() const { return list(Shape::lists); }
  BATCHWORK_INLINE std::int16_t* pole_count() const { return list(Shape::lists) + Shape::parts; }
  BATCHWORK_INLINE T* blocks() const { return matrix + shape.reflector(shape.n - 2); }
  /// The first row that stands in column j of the blocks.
  BATCHWORK_INLINE int first_row(int j) const {
    int const middle = shape.boundary(shape.leaves() / 2);
    return j < middle ? 0 : middle;
  }
  static BATCHWORK_INLINE Unit<T> unit(T const* from) {
    return *reinterpret_cast<Unit<T> const*>(from);
  }
  static BATCHWORK_INLINE void put_unit(T* to, Unit<T> const& u) {
    *reinterpret_cast<Unit<T>*>(to) = u;
  }

  BATCHWORK_INLINE void sync() const { member.team_barrier(); }
  /// Over `lanes` neighbours.
  static BATCHWORK_INLINE T sum(T x, int lanes) {
    BATCHWORK_KEEP_LOOP
    for (int step = 1; step < lanes; step *= 2) x += Vendor::shuffle_xor(x, step);
    return x;
  }
  BATCHWORK_INLINE bool any_of_team(bool x) const {
    bool const any = Vendor::any_of_warp(x);
    sync();
    if (rank % lanes_of_warp == 0) part()[rank / lanes_of_warp] = T(any ? 1 : 0);
    sync();
    bool r = false;
    for (int k = 0; k < warps; ++k) r = r || part()[k] != T(0);
    return r;
  }
};

}  // namespace Batchwork::Impl

#endif
