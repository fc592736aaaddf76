// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// GMRES with restart: Y. Saad and M. H. Schultz, "GMRES: a generalized minimal residual algorithm
/// for solving nonsymmetric linear systems", SIAM J. Sci. Stat. Comput. 7 (1986); Y. Saad,
/// Iterative Methods for Sparse Linear Systems, 2nd edition, sections 6.5 and 9.3.2. Letters are
/// Saad's: v_j are the directions, w = A M^-1 v_j, h_ij the Hessenberg matrix, R the triangle and
/// g the right-hand side that rotations make of it; gamma is the last number of g.
#ifndef BATCHWORK_GMRES_HPP
#define BATCHWORK_GMRES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "krylov/detail/backend/Batchwork_SolveStorage.hpp"
#include "krylov/solvers/detail/Batchwork_SolveLoop.hpp"

namespace Batchwork {

/// GMRES(m) with right preconditioning, for regular matrices. Made by gmres. Iteration j of a cycle
/// of m makes the residual the smallest that a combination of j directions gives. After m
/// iterations, or if the directions are exhausted before, a new cycle begins from the true
/// residual.
///
/// A cycle that makes the residual worse is not stored in x, but the next cycle begins from it, at
/// most most_restarts times after each other (20 by default). After six such cycles, directions
/// count as exhausted only if nothing is left of them. A system ends as stagnated if a cycle leaves
/// the residual as it was or such cycles do not help; with Reason::breakdown if, besides, the
/// product of a direction M^-1 v seemed to depend on earlier ones.
///
/// Iteration j takes one product, one application of the preconditioner, j sums in one round, j
/// additions to a vector and a norm: classical Gram-Schmidt. Sums and additions are repeated where
/// a running estimate says that directions would be less orthogonal than the root of the rounding
/// unit (H. D. Simon, The Lanczos algorithm with partial reorthogonalization, Math. Comp. 42,
/// 1984). Twice is enough (L. Giraud, J. Langou, M. Rozloznik and J. van den Eshof, Numer. Math.
/// 101, 2005) where directions are orthogonal to rounding; here it may be three times. The norm is
/// not taken from the sums by Pythagoras: each vector would multiply the error of earlier ones. A
/// cycle takes one product and one application of the preconditioner more.
///
/// A system stores m + 1 vectors of its rows (rounded up to the rows of its lanes), less those in
/// registers, and about m (m + 1) / 2 + 5 m numbers. See workspace_numbers.
struct Gmres {
  static constexpr int vectors =
      4;  // held by a lane or thread, without the factors of a preconditioner
  static constexpr int own_vectors = 1;  // of the method
  static constexpr int short_rows = 4;   // rows of a lane, if they have at most three entries
  static constexpr int usual_basis = 30;
  static constexpr int usual_restarts = 20;  // cycles after each other that may make it worse
  StoppingCriteria stop{};  ///< tolerance and limits; by default relative(1e-8), 500 iterations
  /// m: vectors of a cycle. 0: 30, or as many as devices hold on the chip with enough systems at
  /// the same time. Clamped to the number of rows and to the iterations allowed.
  int basis = 0;
};
/// GMRES with these stopping criteria, as the solver of solve.
///
/// The basis is the first argument: gmres(0, relative(1e-8)) is gmres with the basis chosen by the
/// library and a tolerance of 1e-8. gmres(relative(1e-8)) does not compile.
///
/// ```cpp
/// auto const solver = gmres(30, relative(1e-8, 500));
/// Kokkos::View<double*> memory("memory", workspace_numbers(exec, solver, jacobi(), A, items));
/// solve(exec, solver, jacobi(), A, b, x, workspace(memory));
/// ```
///
/// \param basis  vectors of a cycle; 0, the default: 30, or as many as fit on the chip
/// \param stop   tolerance and limits
inline Gmres gmres(int basis = 0, StoppingCriteria const& stop = {}) {
  return {Impl::with_usual_limits<Gmres>(stop), basis};
}

namespace Impl {

template <>
struct StorageOf<Gmres> {
  static Gmres fitted(Gmres const& solver, std::int64_t rows) {
    auto const most = std::min<std::int64_t>(rows, std::max(solver.stop.most_iterations, 1));
    int const wanted = solver.basis == 0 ? Gmres::usual_basis : solver.basis;
    return {solver.stop, int(std::min<std::int64_t>(wanted, most))};
  }
  /// fitted(...) with a basis that is left to choose such that fits(solver); as usual, if too few
  /// vectors would.
  template <class Fits>
  static Gmres chosen(Gmres const& solver, std::int64_t rows, Fits const& fits) {
    Gmres const usual = fitted(solver, rows);
    Gmres small = usual;
    while (small.basis > 1 && !fits(small)) --small.basis;
    return solver.basis != 0 || small.basis < std::min(usual.basis, least_chosen) ? usual : small;
  }
  static constexpr int least_chosen = 10;

  /// The storage begins with the vectors, which are followed by the triangle R, the rotations, the
  /// right-hand side g, and the shared sums: two, and of several warps each its own two and its
  /// parts.
  static KOKKOS_FUNCTION constexpr int sums_size(int basis) { return (basis + 7) / 8 * 8; }
  static KOKKOS_FUNCTION constexpr std::int64_t numbers(Gmres const& solver,
                                                        StorageShape const& shape) {
    std::int64_t const m = solver.basis,
                       vectors = (m > shape.in_registers ? m - shape.in_registers : 0) + 1;
    return shape.padded(vectors * shape.places + m * (m + 1) / 2 + 3 * m +
                        sums_size(solver.basis) * (shape.warps == 0 ? 2 : 3 * shape.warps));
  }
};

/// Lanes read and write their own rows of the basis. The other numbers of the storage are written
/// by the first lane and read by all, with waits in between.
template <class At>
struct GmresMethod {
  static constexpr bool right = true;
  static constexpr bool has_cycles = true;
  /// The first directions are in registers, the others in the storage.
  static constexpr int in_registers = directions_of<At>;
  static constexpr int group = 8;  ///< sums at once
  static_assert(in_registers == 0 || in_registers == group);
  /// Each takes off as many digits as the directions are orthogonal to: two are enough, unless what
  /// is left has hardly any.
  static constexpr int most_passes = 3;
  /// Harmful cycles after which one no longer ends where its next direction is no larger than
  /// rounding. To end there is faster on most badly scaled systems, but on others no cycle ever
  /// gets far enough.
  static constexpr int most_short_cycles = 6;
  using T = typename At::Scalar;
  using V = typename At::Value;
  static constexpr T eps = Kokkos::Experimental::epsilon_v<T>;

  typename At::Vector v;  // the last direction
  typename At::Vector first[in_registers > 0 ? in_registers : 1];
  SystemStorage<T> storage;
  int m, places;
  int steps = 0;          // of this cycle, by all systems that go through the same turns
  int columns = 0;        // of this cycle and system
  bool doubtful = false;  // whether a direction of this cycle may depend on those before it
  int harmful = 0;        // cycles that made the residual worse
  bool is_aside = false;  // whether the iterate is in `current`, x being the better one
  T gamma = T(0);         // the last number of g: the norm of the residual up to its sign
  T lost = T(0);          // about the largest product of two directions of this cycle, squared

  BATCHWORK_INLINE GmresMethod(At& at, Gmres const& solver, SystemStorage<T> const& in)
      : v(at.template vectors<Gmres::own_vectors>()[0]),
        first{},
        storage(in),
        m(solver.basis),
        places(places_of(at)) {
    storage.in_scratch = Vendor::renewed(int(in.in_scratch)) != 0;  // see Vendor::in_scratch
  }

  /// Of those in the storage.
  BATCHWORK_INLINE T* direction(int k) const {
    return storage.numbers + (k - in_registers) * places;
  }
  BATCHWORK_INLINE T* current() const {
    return storage.numbers + (m > in_registers ? m - in_registers : 0) * places;
  }
  BATCHWORK_INLINE T* triangle(int k) const { return current() + places + k * (k + 1) / 2; }
  BATCHWORK_INLINE T* cosines() const { return triangle(m); }
  BATCHWORK_INLINE T* sines() const { return cosines() + m; }
  BATCHWORK_INLINE T* g() const { return cosines() + 2 * m; }
  /// The sums of the first pass, which are the column then, and of a further one.
  BATCHWORK_INLINE SharedSums<T> sums_of(At const& at, int pass) const {
    int const size = StorageOf<Gmres>::sums_size(m);
    T* const begin = cosines() + 3 * m;
    if constexpr (requires { at.member; }) {
      if (int const warps = warps_of_storage(at.lanes); warps > 0)
        return {begin + (warps + 2 * (at.rank / 32) + pass) * size, begin, size};
    }
    return {begin + pass * size, begin, size};
  }

  static BATCHWORK_INLINE int rank(At const& at) {
    if constexpr (requires { at.rank; }) return at.rank;
    else return 0;
  }
  static BATCHWORK_INLINE int lanes(At const& at) {
    if constexpr (requires { at.lanes; }) return at.lanes;
    else return 1;
  }
  static BATCHWORK_INLINE void wait(At const& at) {
    if constexpr (requires { at.sync(); }) at.sync();
  }
  /// 1 / sqrt(x) for x > 0.
  static BATCHWORK_INLINE T inverse_norm(T x) {
    return Vendor::is_positive_and_normal(x) ? Vendor::rsqrt(x) : T(1) / Kokkos::sqrt(x);
  }

  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const&, R const& r, T squared, Progress<T> const& is) {
    steps = columns = 0;
    doubtful = false;
    lost = T(0);
    // Products with directions that are not there yet are zero.
    if constexpr (in_registers > 0) {
      BATCHWORK_UNROLL
      for (int k = 0; k < in_registers; ++k) at.for_each([&](int i) { first[k].set(i, V(T(0))); });
    }
    if (!is.running) return;
    gamma = Kokkos::sqrt(squared);  // gamma = |r|
    keep(at, r, T(1) / gamma, 0);   // v_0 = r / gamma
  }
  /// Direction k is r times a factor.
  template <class R>
  BATCHWORK_INLINE void keep(At& at, R const& r, T factor, int k) {
    at.for_each([&](int i) { v.set(i, r(i) * V(factor)); });
    if constexpr (in_registers > 0) {
      BATCHWORK_UNROLL
      for (int q = 0; q < in_registers; ++q)
        if (q == k) first[q] = v;
    }
    if (k < in_registers) return;
    T* const to = direction(k);
    at.for_each([&](int i) { put_number(at, to, i, v(i)); });
  }

  /// The iterate that a cycle began from.
  template <class X>
  BATCHWORK_INLINE void load_current(At& at, X& x) const {
    at.load_x(x);
    if (!is_aside) return;
    at.for_each([&](int i) { x.set(i, number_of(at, current(), i)); });
  }
  /// The next cycle begins from x, which is worse than the one that is stored, or from that.
  template <class X>
  BATCHWORK_INLINE void put_aside(At& at, X const& x, bool aside) {
    is_aside = aside;
    harmful += aside ? 1 : 0;
    if (!aside) return;
    T* const to = current();
    at.for_each([&](int i) { put_number(at, to, i, x(i)); });
  }

  /// Runs body(q, i, number) for a group of directions of the storage that begins with number k, as
  /// far as there are any.
  template <class Body>
  BATCHWORK_INLINE void for_each_of_group(At& at, int k, Body const& body) const {
    for_each_number<group>(at, direction(k), storage.in_scratch, steps + 1 - k, body);
  }
  /// Subtracts from w what it has of the directions, which goes to the shared sums. Gives the
  /// squares of that and of what is left. Systems that are not `on` only take part in the sums.
  struct Squares {
    T found = T(0), left = T(0);
    BATCHWORK_INLINE T both() const { return found + left; }
  };
  template <class W>
  BATCHWORK_INLINE Squares orthogonalise(At& at, W& w, bool on, SharedSums<T> const& shared) {
    V parts[group];
    if constexpr (in_registers > 0) {
      BATCHWORK_UNROLL
      for (int q = 0; q < group; ++q) parts[q] = V(T(0));
      if (on) {
        at.for_each([&](int i) {
          BATCHWORK_UNROLL
          for (int q = 0; q < in_registers; ++q) parts[q] += w(i) * first[q](i);  // h_q = w' v_q
        });
      }
      sum_into_shared(at, parts, shared, 0, storage.apart);
    }
    BATCHWORK_KEEP_LOOP
    for (int k = in_registers; k <= steps; k += group) {
      BATCHWORK_UNROLL
      for (int q = 0; q < group; ++q) parts[q] = V(T(0));
      if (on) for_each_of_group(at, k, [&](int q, int i, V const& d) { parts[q] += w(i) * d; });
      sum_into_shared(at, parts, shared, k, storage.apart);
    }
    // Whole groups: sums without a direction are read, too.
    meet_in_shared(at, shared, (steps / group + 1) * group);
    Squares s;
    if (on) {
      if constexpr (in_registers > 0) {
        T h[in_registers];
        s.found += take_from_shared(h, shared, 0);
        at.for_each([&](int i) {
          V x = w(i);
          BATCHWORK_UNROLL
          for (int q = 0; q < in_registers; ++q) x -= V(h[q]) * first[q](i);  // w = w - h_q v_q
          w.set(i, x);
        });
      }
      BATCHWORK_KEEP_LOOP
      for (int k = in_registers; k <= steps; k += group) {
        T h[group];
        s.found += take_from_shared(h, shared, k);
        for_each_of_group(at, k, [&](int q, int i, V const& d) { w.set(i, w(i) - V(h[q]) * d); });
      }
    }
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += w(i) * w(i); });
    T left[1];
    at.sum(part, left);
    s.left = left[0];
    return s;
  }
  /// A group of sums, and the sum of their squares.
  static BATCHWORK_INLINE T take_from_shared(T (&h)[group], SharedSums<T> const& shared, int k) {
    T squares = T(0);
    BATCHWORK_UNROLL
    for (int q = 0; q < group; ++q) {
      h[q] = shared.sums[k + q];
      squares += h[q] * h[q];
    }
    return squares;
  }
  /// Whether what is left is orthogonal enough, as far as it can be told from its size: rounding
  /// and what directions have in common leave some of them in it. Then `lost` counts it in.
  BATCHWORK_INLINE bool suffices(Squares const& s) {
    T const error = lost * s.found + (eps * eps) * s.both();
    bool const enough = error <= eps * s.left;
    if (enough && error > lost * s.left) lost = Vendor::quotient(error, s.left);
    return enough;
  }

  /// What a further pass has found is a part of the column, too.
  BATCHWORK_INLINE void add_to_column(At& at) const {
    T *const column = sums_of(at, 0).sums, *const more = sums_of(at, 1).sums;
    int const step = warps_of_storage(lanes(at)) > 0 ? 32 : lanes(at);  // that read this column
    for (int i = rank(at) % step; i <= steps; i += step) column[i] += more[i];
  }

  /// Neither r nor u is needed within a cycle: they hold z = M^-1 v and w = A z.
  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m_of, R& r, R& u, Progress<T>& is) {
    bool const on = is.running;
    auto &z = r, &w = u;
    m_of.apply(at, z, v);  // z = M^-1 v_j
    at.multiply(w, z);     // w = A z
    Squares s =
        orthogonalise(at, w, on, sums_of(at, 0));  // h_ij = w' v_i, w = w - h_ij v_i, i = 0, ..., j
    T const size = s.both();
    bool again = on && !suffices(s);
    BATCHWORK_KEEP_LOOP
    for (int pass = 1; pass < most_passes && at.any(again); ++pass) {
      wait(at);  // the numbers of the pass before have been read
      Squares const more = orthogonalise(at, w, again, sums_of(at, 1));
      if (again) {
        s = more;
        again = !suffices(more);
        add_to_column(at);
      }
      wait(at);
    }
    if constexpr (M::is_identity) {
      if (is.meets_far(at, on, is_far(size, FarFromOne<T>::matrix * FarFromOne<T>::matrix)))
        is.stop(is_finite(size) ? Reason::breakdown : Reason::not_finite, Breakdown::singular);
    }
    if (is.running) {
      T const inverse = inverse_norm(s.left);
      turn_column(at, s.left > T(0) ? s.left * inverse : s.left, s.left, size, is);
      if (is.running) keep(at, w, inverse, steps + 1);  // v_j+1 = w / |w|
    }
    ++steps;
  }

  /// Turns the column of the Hessenberg matrix, with `next` below the diagonal, into a column of
  /// the triangle R, with the reciprocal on the diagonal.
  /// \param left,size  the squares of next and of the column
  BATCHWORK_INLINE void turn_column(At& at, T next, T left, T size, Progress<T>& is) {
    bool const writes = rank(at) == 0;
    T const *const c = cosines(), *const s = sines();
    T const* const h = sums_of(at, 0).sums;
    T* const to = triangle(steps);
    T a = h[0];
    BATCHWORK_UNROLL_SOME
    for (int i = 0; i < steps; ++i) {
      T const ci = c[i], si = s[i], below = h[i + 1];
      if (writes) to[i] = ci * a + si * below;  // R_ij = c_i h_ij + s_i h_i+1,j
      a = ci * below - si * a;                  // h_i+1,j = c_i h_i+1,j - s_i h_ij
    }
    T const squared = a * a + left;
    // What is smaller may come from rounding alone, as in a singular matrix, or from columns of
    // different scales.
    T const least = (16 * eps) * (16 * eps) * size;
    if (!is_finite(squared)) {
      is.judge(squared);  // it says so
    } else if (!(squared > T(0))) {
      is.judge(gamma * gamma);
      if (is.running) is.stop(Reason::breakdown, Breakdown::singular);
    } else {
      doubtful = doubtful || !(squared > least);
      T const inverse = inverse_norm(squared);
      T const cosine = a * inverse,
              quotient = next * inverse;                 // c_j = h_jj / R_jj, s_j = h_j+1,j / R_jj
      T const sine = quotient < T(1) ? quotient : T(1);  // the residual never grows
      if (writes) {
        to[steps] = inverse;  // 1 / R_jj
        cosines()[steps] = cosine;
        sines()[steps] = sine;
        g()[steps] = cosine * gamma;  // g_j = c_j gamma
      }
      gamma *= -sine;  // gamma = -s_j gamma
      columns = steps + 1;
      is.judge(gamma * gamma);
      // The end of a cycle: confirmed by the true residual, which also says whether there is
      // another one.
      T const exhausted = harmful < most_short_cycles ? least : T(0);
      if (is.running && (columns == m || !(left > exhausted))) {
        is.stop(Reason::stagnated);
        if (doubtful) is.stop(Reason::breakdown, Breakdown::singular);
      }
    }
  }

  /// u is the combination of the directions, sum y_k v_k with R y = g, from the triangle's last row
  /// up. Called by all systems after a cycle.
  template <class R>
  BATCHWORK_INLINE void finish(At& at, R& u) {
    at.for_each([&](int i) { u.set(i, V(T(0))); });
    BATCHWORK_KEEP_LOOP
    for (int k = steps - 1; k >= in_registers; --k) {
      wait(at);
      if (k >= columns) continue;
      T const factor = solve_row(at, k);
      T const* const from = direction(k);
      at.for_each([&](int i) { u.set(i, u(i) + V(factor) * number_of(at, from, i)); });
    }
    if constexpr (in_registers > 0) {
      BATCHWORK_UNROLL
      for (int k = in_registers - 1; k >= 0; --k) {
        if (k >= steps) continue;
        wait(at);
        if (k >= columns) continue;
        T const factor = solve_row(at, k);
        at.for_each([&](int i) { u.set(i, u(i) + V(factor) * first[k](i)); });
      }
    }
  }
  /// Number k of the triangle's solution, which is taken off the right-hand side.
  BATCHWORK_INLINE T solve_row(At& at, int k) {
    T* const y = g();
    T const* const above = triangle(k);
    T const factor = y[k] * above[k];  // y_k = g_k / R_kk
    for (int i = rank(at); i < k; i += lanes(at))
      y[i] -= factor * above[i];  // g_i = g_i - y_k R_ik
    return factor;
  }
};

template <class At, class T>
BATCHWORK_INLINE auto method_of(At& at, Gmres const& solver, SystemStorage<T> const& storage) {
  return GmresMethod<At>(at, solver, storage);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
