// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The vectors of a solver's method, as many as the solver says: hosts make room for no more.
#ifndef BATCHWORK_SOLVERVECTORS_HPP
#define BATCHWORK_SOLVERVECTORS_HPP

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// Zero vectors for a method.
template <class Vector, int N>
struct SolverVectors {
  Vector data[N]{};
  BATCHWORK_INLINE Vector const& operator[](int k) const { return data[k]; }
};
/// The same from the memory of a host's thread, where the solver has said that it takes so many.
template <int N, int Own, class At>
SolverVectors<typename At::Vector, N> vectors_of_method(At& at) {
  static_assert(N == Own, "Batchwork: a solver's method takes as many vectors as own_vectors says");
  SolverVectors<typename At::Vector, N> own;
  for (auto& v : own.data) v = at.vector();
  return own;
}

/// Vectors of a system on hosts: `own` of the solver, r, u, a diagonal, and the vectors of
/// begin_systems and iterate_systems.
constexpr int vectors_of_solve(int own) { return 6 + own; }
inline constexpr char const* too_many_vectors =
    "Batchwork: a solver's method takes more vectors than its own_vectors says";

}  // namespace Batchwork::Impl

#endif
