// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EigenpairsOfTeam: eigenvalues and eigenvectors of a symmetric matrix that a team of warps shares
/// in a device's team scratch, or in memory.
#ifndef BATCHWORK_EIGENPAIRSOFTEAM_HPP
#define BATCHWORK_EIGENPAIRSOFTEAM_HPP

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairMemory.hpp"
#include "dense/decompositions/detail/Batchwork_MergesOfTeam.hpp"
#include "dense/decompositions/detail/Batchwork_TridiagonalOfTeam.hpp"

namespace Batchwork::Impl {

/// How it is used, by all lanes of a team of whole warps, where lanes have shuffles:
/// 1. Write the matrix, the largest entry being between 4 and 8, to `matrix`, which has room for
///    shape.matrix_numbers(): entry (i, j) is at j * shape.leading() + i, both triangles, and zeros
///    between row n and shape.leading(). Wait for the team. `beside` and `indices` have the rest
///    of what works with it, shape.memory(); it should be in scratch.
/// 2. find() returns whether iterations ended. If not, do not go on.
/// 3. values(put) calls put(k, value) for the k-th smallest value, in one lane of the team for
///    each.
/// 4. vectors(put) calls put(k, i, x) for entry i of the vector of value k, in one lane for each.
///    vectors reads scratch and writes none, so put must not write there either.
///
/// Reflections make the matrix tridiagonal, see TridiagonalOfTeam; divide and conquer finds its
/// pairs, see MergesOfTeam. The last merge forms eight vectors in the registers of a warp, applies
/// all reflections to them, and gives them away. Products of tiles are those of matrix instructions
/// in double, also in float.
///
/// A team has `Lanes` lanes, and matrices up to `Tiles` tiles of rows.
template <class T, int Tiles, int Lanes, class Member>
struct EigenpairsOfTeam : EigenpairMemory<T, Lanes, Member> {
  using Memory = EigenpairMemory<T, Lanes, Member>;
  using Tridiagonal = TridiagonalOfTeam<T, Tiles, Lanes, Member>;
  using Merges = MergesOfTeam<T, Tiles, Lanes, Member>;
  using Memory::d, Memory::order, Memory::any_of_team, Memory::shape, Memory::rank, Memory::tile;
  using Memory::Memory;
  using Memory::warps;
  using typename Memory::Shape;

  /// Whether a warp holds eight vectors, and the team all vectors of a merge.
  static bool fits(Shape const& s) {
    if (s.n <= tile || s.tiles > Tiles) return false;
    for (int level = 1; level < s.levels; ++level)
      if ((s.leaves() >> level) * s.tiles_of_block(level) > Merges::rounds * warps) return false;
    return true;
  }

  BATCHWORK_INLINE bool find() const {
    Tridiagonal(*this).tridiagonalise();
    Merges const merges(*this);
    if (!merges.solve_leaves()) return false;
    bool open = false;
    BATCHWORK_KEEP_LOOP
    for (int level = 1; level <= shape.levels; ++level) {
      open = merges.prepare(level) || open;
      if (level < shape.levels) merges.merge(level);
    }
    return !this->any_of_team(open);
  }
  template <class Put>
  BATCHWORK_INLINE void values(Put const& put) const {
    int const n = shape.n;
    for (int j = rank; j < n; j += Lanes) put(order()[j], d()[j]);
  }
  template <class Put>
  BATCHWORK_INLINE void vectors(Put const& put) const {
    Merges const merges(*this);
    auto const all = merges.block(0, shape.levels);
    int const lane = rank % lanes_of_warp;
    BATCHWORK_KEEP_LOOP
    for (int t0 = rank / lanes_of_warp; t0 < shape.tiles; t0 += warps) {
      int const j = t0 * tile + lane / 4;
      double x[Tiles][2];
      merges.combine(x, all, j < shape.n ? j : shape.n - 1, 0);
      Tridiagonal(*this).reflect_back(x);
      if (j >= shape.n) continue;
      int const place = order()[j];
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        BATCHWORK_UNROLL
        for (int c = 0; c < 2; ++c) {
          int const i = t * tile + lane % 4 * 2 + c;
          if (i < shape.n) put(place, i, T(x[t][c]));
        }
      }
    }
  }
};

}  // namespace Batchwork::Impl

#endif
