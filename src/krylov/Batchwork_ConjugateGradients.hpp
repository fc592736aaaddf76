// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Conjugate gradients with a preconditioner: M. R. Hestenes and E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952); Y. Saad,
/// Iterative Methods for Sparse Linear Systems, 2nd edition, algorithm 9.1.
#ifndef BATCHWORK_CONJUGATEGRADIENTS_HPP
#define BATCHWORK_CONJUGATEGRADIENTS_HPP

#include "krylov/Batchwork_SolveLoop.hpp"

namespace Batchwork {

/// Conjugate gradients, for symmetric positive definite matrices with a preconditioner that is too. An iteration takes one
/// product, one application of the preconditioner and two rounds of sums. A direction with p' A p <= 0 ends it with
/// Reason::indefinite.
struct ConjugateGradients {
  static constexpr int vectors = 4;     ///< that lanes hold, x and b apart
  static constexpr int short_rows = 4;  ///< of a lane, where they have three entries
  StoppingCriteria stop{};
};
inline ConjugateGradients conjugate_gradients(StoppingCriteria const& stop = {}) { return {stop}; }

namespace Impl {

template <class At>
struct ConjugateGradientsMethod {
  static constexpr bool right = false;
  using T = typename At::Scalar;
  using V = typename At::Value;
  typename At::Vector p, t;
  T rho = T(1);

  BATCHWORK_INLINE explicit ConjugateGradientsMethod(At& at, ConjugateGradients const&)
      : p(at.vector()), t(at.vector()) {}

  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const& m, R const& r, T, Progress<T> const& is) {
    m.apply(at, t, r);
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += r(i) * t(i); });
    T next[1];
    at.sum(part, next);
    if (!is.running) return;
    rho = next[0];
    at.for_each([&](int i) { p.set(i, t(i)); });
  }

  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R& u, Progress<T>& is) {
    at.multiply(t, p);
    T curvature[1];
    {
      V part[1] = {V(T(0))};
      at.for_each([&](int i) { part[0] += p(i) * t(i); });
      at.sum(part, curvature);
    }
    constexpr T normal = Kokkos::Experimental::norm_min_v<T>;
    T const alpha = Vendor::quotient(rho, curvature[0]);
    bool on = is.running;
    // Looked at instead of alpha, which comes later and does not overflow then. Without branches, as below.
    bool const positive = (curvature[0] >= normal) & (curvature[0] >= normal * Kokkos::abs(rho)) &
                          Kokkos::isfinite(curvature[0]);
    if (on && !positive) {
      // Of a residual that is hardly there p' A p may vanish although the matrix is definite.
      constexpr T least = normal / Kokkos::Experimental::epsilon_v<T>;
      bool const indefinite = curvature[0] < T(0) || (curvature[0] == T(0) && rho > least);
      if (!Kokkos::isfinite(curvature[0])) is.stop(Reason::not_finite);
      else if (indefinite) is.stop(Reason::indefinite);
      else is.stop(Reason::breakdown, Breakdown::pivot);
      on = false;
    }
    if (on) {
      at.for_each([&](int i) {
        u.set(i, u(i) + V(alpha) * p(i));
        r.set(i, r(i) - V(alpha) * t(i));
      });
    }
    m.apply(at, t, r);
    T const inverse_rho = Vendor::reciprocal(rho);  // while the sums are under way
    constexpr int sums = M::is_identity ? 1 : 2;
    T n[sums];  // r' r, r' z
    {
      V parts[sums];
      for (V& part : parts) part = V(T(0));
      at.for_each([&](int i) {
        V const ri = r(i);
        parts[0] += ri * ri;
        if constexpr (!M::is_identity) parts[1] += ri * t(i);
      });
      at.sum(parts, n);
    }
    rho = n[sums - 1];
    T const beta = rho * inverse_rho;
    // Of systems that are done, too, which nobody looks at: that is faster than to branch.
    at.for_each([&](int i) { p.set(i, t(i) + V(beta) * p(i)); });
    if (!on) return;
    is.judge(n[0]);
    if (is.running & ((rho == T(0)) | !Kokkos::isfinite(beta)))
      is.stop(Reason::breakdown, Breakdown::rho);
  }
};

template <class At>
BATCHWORK_INLINE auto method_of(At& at, ConjugateGradients const& solver) {
  return ConjugateGradientsMethod<At>(at, solver);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
