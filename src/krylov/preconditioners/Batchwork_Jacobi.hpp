// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// jacobi and no_preconditioner; Prepared, the form of a preconditioner in a kernel.
#ifndef BATCHWORK_JACOBI_HPP
#define BATCHWORK_JACOBI_HPP

#include "core/Batchwork_Pack.hpp"
#include "core/Batchwork_Value.hpp"

namespace Batchwork {

/// No preconditioner: z = r. Made by no_preconditioner.
struct NoPreconditioner {
  using preconditioner_of_diagonals = void;
};
/// No preconditioner, as an argument of solve.
inline NoPreconditioner no_preconditioner() { return {}; }

/// The scalar Jacobi preconditioner z_i = r_i / a_ii. Made by jacobi. Several entries on the
/// diagonal are added up. Where a diagonal number is zero, not in the pattern, or without a finite
/// reciprocal, z_i = r_i.
struct Jacobi {
  using preconditioner_of_diagonals = void;
};
/// The scalar Jacobi preconditioner, as an argument of solve. Not for matrix_free.
inline Jacobi jacobi() { return {}; }

namespace Impl {

/// A preconditioner set up for one item: apply(at, z, r) is z = M r. It may use the diagonal.
template <class Vector, class M>
struct Prepared;

/// z = r, times a power of two that brings A z into the range where squares of its norm are normal
/// numbers: 1 if they are. Preconditioners computed from A need none: A z has the size of r.
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
