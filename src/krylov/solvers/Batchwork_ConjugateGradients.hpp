// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Conjugate gradients with a preconditioner: M. R. Hestenes and E. Stiefel, J. Res. Nat. Bur.
/// Standards 49 (1952); Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition,
/// algorithm 9.1, with its letters; rho is r' z.
#ifndef BATCHWORK_CONJUGATEGRADIENTS_HPP
#define BATCHWORK_CONJUGATEGRADIENTS_HPP

#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "krylov/solvers/detail/Batchwork_SolveLoop.hpp"

namespace Batchwork {

/// Conjugate gradients, for symmetric positive definite matrices and preconditioners. Made by
/// conjugate_gradients. An iteration takes one product, one application of the preconditioner and
/// two rounds of sums. A direction with p' A p <= 0 ends a system with Reason::indefinite.
struct ConjugateGradients {
  static constexpr int vectors = 4;           // held by lanes, without x and b
  static constexpr int own_vectors = 2;       // of the method
  static constexpr int short_rows = 4;        // rows of a lane, if they have at most three entries
  static constexpr bool is_symmetric = true;  // scaled matrices must stay symmetric
  StoppingCriteria stop{};  ///< tolerance and limits; by default relative(1e-8), 500 iterations
};
/// Conjugate gradients with these stopping criteria, as the solver of solve.
///
/// ```cpp
/// solve(exec, conjugate_gradients(relative(1e-8, 500)), jacobi(), A, b, x, log);
/// ```
///
/// \param stop  tolerance and limits
inline ConjugateGradients conjugate_gradients(StoppingCriteria const& stop = {}) {
  return {Impl::with_usual_limits<ConjugateGradients>(stop)};
}

namespace Impl {

template <class At>
struct ConjugateGradientsMethod {
  static constexpr bool right = false;
  static constexpr bool rescales = true;
  using T = typename At::Scalar;
  using N = typename At::Number;
  using V = typename At::Value;
  using Mask = mask_t<N>;
  typename At::Vector p;
  typename At::Vector work;  ///< A p, and when that has been used z = M^-1 r
  N rho = N(T(1));

  BATCHWORK_INLINE explicit ConjugateGradientsMethod(At& at, ConjugateGradients const&)
      : ConjugateGradientsMethod(at.template vectors<ConjugateGradients::own_vectors>()) {}
  template <int N>
  BATCHWORK_INLINE explicit ConjugateGradientsMethod(
      SolverVectors<typename At::Vector, N> const& own)
      : p(own[0]), work(own[1]) {}

  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const& m, R const& r, N const&, Progress<N> const& is) {
    auto& z = work;
    m.apply(at, z, r);  // z = M^-1 r
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += r(i) * z(i); });
    N next[1];
    at.sum(part, next);  // r' z
    // p = z; of systems that are done, too: so nothing of p is kept from one beginning to the next.
    at.for_each([&](int i) { p.set(i, z(i)); });
    if (any(is.running)) rho = select_some(is.running, next[0], rho);  // rho = r' z
  }

  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m, R& r, R& u, Progress<N>& is) {
    auto &Ap = work, &z = work;
    at.multiply(Ap, p);
    N sum[1];
    {
      V part[1] = {V(T(0))};
      at.for_each([&](int i) { part[0] += p(i) * Ap(i); });
      at.sum(part, sum);
    }
    N const curvature = sum[0];  // p' A p
    constexpr T normal = Kokkos::Experimental::norm_min_v<T>;
    N const alpha = Vendor::quotient(rho, curvature);  // alpha = rho / p' A p
    // Tested instead of alpha, which comes later and does not overflow then. Without branches, as
    // below.
    N const least_curvature = N(normal) * magnitude(rho);
    Mask const finite = within_range(curvature),
               positive = (curvature >= N(normal)) & (curvature >= least_curvature) & finite;
    // p' A p has the size of A, or of its inverse, if r is near to 1.
    Mask const far = is_far(curvature, FarFromOne<T>::vector * FarFromOne<T>::vector) &
                     is_far(is.squared, T(0x1p16));
    if (Mask const meets = is.meets_far(at, is.running, far); any(meets))
      is.stop(meets, Reason::breakdown, Breakdown::pivot);
    if (Mask const fails = is.running && !positive; any(fails)) {
      // Of a residual that is hardly there p' A p may vanish although the matrix is definite.
      constexpr T least = normal / Kokkos::Experimental::epsilon_v<T>;
      Mask const indefinite = curvature < N(T(0)) || (curvature == N(T(0)) && rho > N(least));
      is.stop(fails, Reason::not_finite);
      if (Mask const of = fails && within_range(curvature); any(of)) {
        is.stop(of, Reason::breakdown, Breakdown::pivot);
        if (Mask const some = of && indefinite; any(some)) is.stop(some, Reason::indefinite);
      }
    }
    Mask const on = is.running;
    if (any(on)) {
      at.for_each([&](int i) {
        u.set(i, select_some(on, u(i) + V(alpha) * p(i), u(i)));   // x = x + alpha p
        r.set(i, select_some(on, r(i) - V(alpha) * Ap(i), r(i)));  // r = r - alpha A p
      });
    }
    m.apply(at, z, r);                              // z = M^-1 r
    N const inverse_rho = Vendor::reciprocal(rho);  // while the sums are under way
    constexpr int sums = M::is_identity ? 1 : 2;
    N n[sums];  // r' r, r' z
    {
      V parts[sums];
      for (V& part : parts) part = V(T(0));
      at.for_each([&](int i) {
        V const ri = r(i);
        parts[0] += ri * ri;
        if constexpr (!M::is_identity) parts[1] += ri * z(i);
      });
      at.sum(parts, n);
    }
    rho = n[sums - 1];                 // rho_new = r' z
    N const beta = rho * inverse_rho;  // beta = rho_new / rho
    // p = z + beta p; of systems that are done, too, where the result is ignored: that is faster
    // than to branch.
    at.for_each([&](int i) { p.set(i, z(i) + V(beta) * p(i)); });
    if (!any(on)) return;
    is.judge(on, n[0]);
    Mask const breaks = is.running & ((rho == N(T(0))) | !within_range(beta));
    if (any(breaks)) is.stop(breaks, Reason::breakdown, Breakdown::rho);
  }
};

template <class At>
BATCHWORK_INLINE auto method_of(At& at, ConjugateGradients const& solver) {
  return ConjugateGradientsMethod<At>(at, solver);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
