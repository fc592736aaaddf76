// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Staged<T, ...>: a read-only tile common to all items. Its entries are read from where they are
/// staged (team scratch, a launch argument, or the stack of a host thread) instead of being held in
/// registers.
#ifndef BATCHWORK_STAGED_HPP
#define BATCHWORK_STAGED_HPP

#include "tile/types/Batchwork_Structured.hpp"

namespace Batchwork {

template <class T, int M, int N, Structure St, bool Vec, int Leading = N>
struct Staged {
  using value_type = T;
  static constexpr int rows = M;
  static constexpr int cols = N;
  static constexpr Structure structure = St;
  static constexpr bool is_vector = Vec;
  template <class S2>
  using rebind = Impl::tile_of_t<S2, M, N, St, Vec>;

  static constexpr int leading = Leading;  ///< the distance between rows

  T const* a;  ///< row by row, M x Leading; the diagonal alone for Structure::diagonal
  info_t<T> info = 0;

  static constexpr int size = St == Structure::diagonal ? N : M * Leading;

  BATCHWORK_INLINE T entry(int i, int j) const {
    if constexpr (St == Structure::diagonal) {
      return i == j ? a[i] : T(0);
    } else {
      return a[i * Leading + j];
    }
  }
  BATCHWORK_INLINE T entry(int i) const { return a[i]; }
  /// The same as that of IndexedToRead, which an aggregate cannot have as its first base.
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const {
    return Impl::read_entry(*this, i...);
  }
  BATCHWORK_INLINE Impl::EntryPointer<T const, Leading, 1> pointer() const
    requires(St != Structure::diagonal)
  {
    return {a};
  }
};

/// The same for a fixed value, which is among the launch's arguments as well. An entry there that
/// all lanes read at once, at a position the compiler knows, is a direct operand of the arithmetic
/// instructions.
template <class T, int M, int N, Structure St, bool Vec, int Leading>
struct StagedFixed : Staged<T, M, N, St, Vec, Leading> {
  T const* values;  ///< row by row, M x N

  StagedFixed() = default;
  BATCHWORK_INLINE StagedFixed(T const* staged, T const* fixed)
      : Staged<T, M, N, St, Vec, Leading>{staged}, values(fixed) {}
};

namespace Impl {

template <class T, int M, int N, Structure St, bool Vec, int Leading>
struct TileTraits<Staged<T, M, N, St, Vec, Leading>> : NoSpecialTile {
  static constexpr bool is_read_in_place = true, is_staged = true;
};
template <class T, int M, int N, Structure St, bool Vec, int Leading>
struct TileTraits<StagedFixed<T, M, N, St, Vec, Leading>> : NoSpecialTile {
  static constexpr bool is_read_in_place = true, is_staged = true, is_staged_fixed = true;
};

}  // namespace Impl
}  // namespace Batchwork

#endif
