// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Staged<T, ...>: a read-only tile common to all items, read entry by entry where it was staged (team scratch, a
/// launch argument, or the stack of a host thread) instead of being held in registers.
#ifndef BATCHWORK_STAGED_HPP
#define BATCHWORK_STAGED_HPP

#include "tile/Batchwork_Structured.hpp"

namespace Batchwork {

template <class T, int M, int N, Structure St, bool Vec>
struct Staged {
  using value_type = T;
  static constexpr int rows = M;
  static constexpr int cols = N;
  static constexpr Structure structure = St;
  static constexpr bool is_vector = Vec;
  static constexpr bool is_staged = true;
  template <class S2>
  using rebind = Impl::tile_of_t<S2, M, N, St, Vec>;

  T const* a;  ///< row by row, M x N; the diagonal alone for Structure::diagonal
  info_t<T> info = 0;

  static constexpr int size = St == Structure::diagonal ? N : M * N;

  BATCHWORK_INLINE T entry(int i, int j) const {
    if constexpr (St == Structure::diagonal) {
      return i == j ? a[i] : T(0);
    } else {
      return a[i * N + j];
    }
  }
  BATCHWORK_INLINE T entry(int i) const { return a[i]; }
};

}  // namespace Batchwork

#endif
