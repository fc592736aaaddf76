// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The scalar Jacobi preconditioner, and none at all; what becomes of a preconditioner in a kernel.
#ifndef BATCHWORK_JACOBI_HPP
#define BATCHWORK_JACOBI_HPP

#include "core/Batchwork_Pack.hpp"
#include "core/Batchwork_Value.hpp"

namespace Batchwork {

/// z = r.
struct NoPreconditioner {
  using preconditioner_of_diagonals = void;
};
inline NoPreconditioner no_preconditioner() { return {}; }

/// z_i = r_i / a_ii; of several entries on the diagonal a_ii is the sum. Where a diagonal number is
/// zero, not in the pattern, or without a finite reciprocal, z_i = r_i.
struct Jacobi {
  using preconditioner_of_diagonals = void;
};
inline Jacobi jacobi() { return {}; }

namespace Impl {

/// What becomes of a preconditioner once it knows an item, of which it may want the diagonal:
/// apply(at, z, r) is z = M r.
template <class Vector, class M>
struct Prepared;

/// z = r, but for a power of two that brings A z into the range where squares of its norm are
/// normal numbers: 1 where they are. With preconditioners made of A it has their size.
template <class Vector>
struct Prepared<Vector, NoPreconditioner> {
  static constexpr bool wants_diagonal = false, is_identity = true;
  template <class At>
  BATCHWORK_INLINE Prepared(At&, Vector const&) {}
  template <class At>
  BATCHWORK_INLINE void apply(At& at, Vector& z, Vector const& r) const {
    using V = typename At::Value;
    at.for_each([&](int i) { z.set(i, V(at.factor) * r(i)); });
  }
};

template <class Vector>
struct Prepared<Vector, Jacobi> {
  static constexpr bool wants_diagonal = true, is_identity = false;
  Vector factors;

  template <class At>
  BATCHWORK_INLINE Prepared(At& at, Vector const& diagonal) : factors(diagonal) {
    using V = typename At::Value;
    at.for_each([&](int i) {
      V const f = V(1) / diagonal(i);
      factors.set(i, select(is_finite(f) && f != V(0), f, V(1)));
    });
  }
  template <class At>
  BATCHWORK_INLINE void apply(At& at, Vector& z, Vector const& r) const {
    at.for_each([&](int i) { z.set(i, factors(i) * r(i)); });
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif
