// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Richardson's iteration: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition,
/// section 4.2.1.
#ifndef BATCHWORK_RICHARDSON_HPP
#define BATCHWORK_RICHARDSON_HPP

#include "krylov/solvers/detail/Batchwork_SolveLoop.hpp"

namespace Batchwork {

/// Richardson's iteration, x = x + omega M^-1 (b - A x) with the preconditioner M. Made by
/// richardson. One product and one round of sums an iteration. Converges if all eigenvalues of
/// omega M^-1 A are within 1 of 1.
struct Richardson {
  static constexpr int vectors = 4;      // held by lanes, without x and b
  static constexpr int own_vectors = 2;  // of the method
  static constexpr int short_rows = 4;   // rows of a lane, if they have at most three entries
  StoppingCriteria stop{};  ///< tolerance and limits; by default relative(1e-8), 500 iterations
  double omega = 1;         ///< the factor of the step, a finite number; default 1
};
/// Richardson's iteration with these stopping criteria, as the solver of solve.
/// \param stop   tolerance and limits
/// \param omega  the factor of the step, a finite number
inline Richardson richardson(StoppingCriteria const& stop = {}, double omega = 1) {
  return {Impl::with_usual_limits<Richardson>(stop), omega};
}

namespace Impl {

template <class At>
struct RichardsonMethod {
  static constexpr bool right = false;
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  typename At::Vector z, Az;
  T omega;

  BATCHWORK_INLINE explicit RichardsonMethod(At& at, Richardson const& solver)
      : RichardsonMethod(at.template vectors<Richardson::own_vectors>(), T(solver.omega)) {}
  template <int N>
  BATCHWORK_INLINE RichardsonMethod(SolverVectors<typename At::Vector, N> const& own, T factor)
      : z(own[0]), Az(own[1]), omega(factor) {}

  template <class M, class R>
  BATCHWORK_INLINE void restart(At&, M const&, R const&, N const&, Progress<N> const&) {}

  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R& u, Progress<N>& is) {
    mask_t<N> const on = is.running;
    m.apply(at, z, r);  // z = M^-1 r
    at.multiply(Az, z);
    if (any(on)) {
      at.for_each([&](int i) {
        u.set(i, select_some(on, u(i) + V(omega) * z(i), u(i)));   // x = x + omega z
        r.set(i, select_some(on, r(i) - V(omega) * Az(i), r(i)));  // r = r - omega A z
      });
    }
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += r(i) * r(i); });
    N n[1];
    at.sum(part, n);
    if (any(on)) is.judge(on, n[0]);
  }
};

template <class At>
BATCHWORK_INLINE auto method_of(At& at, Richardson const& solver) {
  return RichardsonMethod<At>(at, solver);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
