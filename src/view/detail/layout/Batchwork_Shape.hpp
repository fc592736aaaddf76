// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Shape: the extents and the structure of an operand's tile, from which its tile types follow.
#ifndef BATCHWORK_SHAPE_HPP
#define BATCHWORK_SHAPE_HPP

#include <string>

#include "tile/types/detail/Batchwork_Staged.hpp"

namespace Batchwork::Impl {

/// Rank is the number of indices an entry has in the View: 0 for scalars, 1 for vectors and
/// diagonals, 2 for matrices.
template <int M, int N, Structure St, int Rank>
struct Shape {
  static constexpr int rows = M;
  static constexpr int cols = N;
  static constexpr int rank = Rank;
  static constexpr Structure structure = St;
  static constexpr bool is_vector = Rank == 1 && St != Structure::diagonal;
  /// Numbers stored for one item in a View.
  static constexpr int size = Rank == 2 ? M * N : M;

  template <class S>
  using tile = std::conditional_t<Rank == 0, Scalar<S>, tile_of_t<S, M, N, St, is_vector>>;

  static std::string text() {
    if (rank == 0) return "scalar";
    std::string kind = structure == Structure::symmetric  ? "symmetric "
                       : structure == Structure::lower    ? "lower "
                       : structure == Structure::diagonal ? "diagonal "
                                                          : "";
    // Not "x" + std::string, which GCC 12 takes for an overlapping copy and warns about.
    kind += std::to_string(rows);
    if (rank == 2) (kind += 'x') += std::to_string(cols);
    return kind;
  }
};

template <int Rank, int... E>
struct ShapeFromExtents;
template <>
struct ShapeFromExtents<0> {
  using type = Shape<1, 1, Structure::general, 0>;
};
template <int N>
struct ShapeFromExtents<1, N> {
  using type = Shape<N, 1, Structure::general, 1>;
};
template <int M, int N>
struct ShapeFromExtents<2, M, N> {
  using type = Shape<M, N, Structure::general, 2>;
};

/// The same extents, with a structure: symmetric and lower of a square matrix, diagonal of a
/// vector.
template <class Sh, Structure St>
struct Restructured {
  static_assert(St == Structure::diagonal ? Sh::rank == 1 : (Sh::rank == 2 && Sh::rows == Sh::cols),
                "Batchwork: symmetric(view) and lower(view) take square matrices, diagonal(view) "
                "takes vectors");
  using type = Shape<Sh::rows, St == Structure::diagonal ? Sh::rows : Sh::cols, St, Sh::rank>;
};
template <class Sh>
struct Restructured<Sh, Structure::general> {
  using type = Sh;
};

/// The largest extent of a tile: 32 lanes of a device hold it with two lines each. Larger dense
/// operations need other algorithms, those of the verbs.
inline constexpr int largest_extent = 64;

}  // namespace Batchwork::Impl

#endif
