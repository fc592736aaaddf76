// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// GMRES with restart: Y. Saad and M. H. Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric
/// linear systems", SIAM J. Sci. Stat. Comput. 7 (1986); Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition,
/// sections 6.5 and 9.3.2.
#ifndef BATCHWORK_GMRES_HPP
#define BATCHWORK_GMRES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "krylov/Batchwork_SolveLoop.hpp"
#include "krylov/Batchwork_SolveRoom.hpp"

namespace Batchwork {

/// GMRES(m) with right preconditioning, for any regular matrices: iteration j of a cycle of m makes the residual the smallest
/// that a combination of j directions gives. Then, or where the directions are exhausted before, a cycle begins anew from the
/// true residual. What a cycle makes worse is not stored in x, but the next cycle begins from it, most_restarts times at most. A
/// system ends as stagnated if a cycle leaves the residual as it was or such cycles do not help, and with Reason::breakdown where
/// besides a direction M v had a product that seemed to depend on those before it.
///
/// Iteration j takes one product, one application of the preconditioner, j + 1 sums and as many additions to a vector (all of
/// them twice where the first time leaves less than half of the square of the norm), in groups of 4 sums on devices and of 8
/// on hosts. That is classical Gram-Schmidt within a group and modified from group to group, with the reorthogonalisation of
/// J. W. Daniel, W. B. Gragg, L. Kaufman and G. W. Stewart, Math. Comp. 30 (1976). A cycle takes one product and one
/// application of the preconditioner more.
///
/// The room of a system is m + 1 vectors of its rows (rounded up to the rows of its lanes) and m (m + 1) / 2 + 4 m numbers. See
/// workspace_numbers.
struct Gmres {
  static constexpr int vectors =
      4;  ///< that a lane or thread keeps, beside the factors of a preconditioner
  static constexpr int own_vectors = 1;  ///< of its method
  static constexpr int short_rows = 4;   ///< of a lane, where they have three entries
  StoppingCriteria stop{};
  /// m: vectors of a cycle, 1 or more. More than there are rows, or iterations allowed, are not taken.
  int basis = 30;
};
inline Gmres gmres(int basis = 30, StoppingCriteria const& stop = {}) { return {stop, basis}; }

namespace Impl {

template <>
struct RoomOf<Gmres> {
  static Gmres fitted(Gmres const& solver, std::int64_t rows) {
    auto const most = std::min<std::int64_t>(rows, std::max(solver.stop.most_iterations, 1));
    return {solver.stop, int(std::min<std::int64_t>(solver.basis, most))};
  }
  /// A multiple of 16, so that the rooms of systems begin alike.
  static std::int64_t numbers(Gmres const& solver, std::int64_t rows, std::int64_t places) {
    return numbers_of_fitted(fitted(solver, rows), places);
  }
  static KOKKOS_FUNCTION constexpr std::int64_t numbers_of_fitted(Gmres const& solver,
                                                                  std::int64_t places) {
    std::int64_t const m = solver.basis;
    return ((m + 1) * places + m * (m + 1) / 2 + 4 * m + 15) / 16 * 16;
  }
};

/// The basis is read and written by the lanes whose rows these are. The other numbers of the room are written by the first
/// lane and read by all, which wait in between.
template <class At>
struct GmresMethod {
  static constexpr bool right = true;
  static constexpr bool has_cycles = true;
  static constexpr int group = sums_at_once<At>;
  using T = typename At::Scalar;
  using V = typename At::Value;

  typename At::Vector v;  // the last direction
  SystemRoom<T> room;
  int m, places;
  int steps = 0;    // of this cycle, by all systems that go through the same turns
  int columns = 0;  // of this cycle and system
  int turn = 0;
  bool doubtful = false;  // whether a direction of this cycle may depend on those before it
  bool is_aside = false;  // whether the iterate is in `current`, x being the better one
  T remaining = T(0);  // of the rotated right-hand side: the norm of the residual, but for the sign

  BATCHWORK_INLINE GmresMethod(At& at, Gmres const& solver, SystemRoom<T> const& in)
      : v(at.template vectors<Gmres::own_vectors>()[0]),
        room(in),
        m(solver.basis),
        places(places_of(at)) {}

  BATCHWORK_INLINE T* direction(int k) const { return room.numbers + k * places; }
  BATCHWORK_INLINE T* current() const { return room.numbers + m * places; }
  BATCHWORK_INLINE T* column() const { return room.numbers + (m + 1) * places; }
  BATCHWORK_INLINE T* cosines() const { return column() + m; }
  BATCHWORK_INLINE T* sines() const { return column() + 2 * m; }
  BATCHWORK_INLINE T* right_side() const { return column() + 3 * m; }
  BATCHWORK_INLINE T* triangle(int k) const { return column() + 4 * m + k * (k + 1) / 2; }

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
  template <class R>
  static BATCHWORK_INLINE T square(At& at, R const& w) {
    V part[1] = {V(T(0))};
    at.for_each([&](int i) { part[0] += w(i) * w(i); });
    T x[1];
    at.sum(part, x);
    return x[0];
  }

  template <class M, class R>
  BATCHWORK_INLINE void restart(At& at, M const&, R const& r, T squared, Progress<T> const& is) {
    steps = columns = 0;
    doubtful = false;
    if (!is.running) return;
    remaining = Kokkos::sqrt(squared);
    keep(at, r, T(1) / remaining, 0);
  }
  /// Direction k is r times a factor.
  template <class R>
  BATCHWORK_INLINE void keep(At& at, R const& r, T factor, int k) {
    T* const to = direction(k);
    at.for_each([&](int i) {
      V const x = r(i) * V(factor);
      v.set(i, x);
      put_number(at, to, i, x);
    });
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
    if (!aside) return;
    T* const to = current();
    at.for_each([&](int i) { put_number(at, to, i, x(i)); });
  }

  /// Subtracts from w what it has of the directions, which goes to the column, and gives the sum of its squares. Systems that
  /// are not `on` only take part in the sums.
  template <class W>
  BATCHWORK_INLINE T orthogonalise(At& at, W& w, bool on, bool again) {
    T found = T(0);
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k <= steps; k += group) {
      // Found anew in each turn, as number_of does.
      int const apart = Vendor::renewed(places);
      T const* const from = room.numbers + k * apart;
      int const count = steps + 1 - k;
      V parts[group];
      BATCHWORK_UNROLL
      for (int q = 0; q < group; ++q) parts[q] = V(T(0));
      if (on) {
        at.for_each([&](int i) {
          V const x = w(i);
          BATCHWORK_UNROLL
          for (int q = 0; q < group; ++q)
            if (q < count) parts[q] += x * number_of(at, from + q * apart, i);
        });
      }
      T h[group];
      sum_many(at, parts, h, room, turn);
      if (!on) continue;
      at.for_each([&](int i) {
        V x = w(i);
        BATCHWORK_UNROLL
        for (int q = 0; q < group; ++q)
          if (q < count) x -= V(h[q]) * number_of(at, from + q * apart, i);
        w.set(i, x);
      });
      T* const to = column() + k;
      BATCHWORK_UNROLL
      for (int q = 0; q < group; ++q) {
        if (q >= count) continue;
        found += h[q] * h[q];
        if (rank(at) == 0) to[q] = again ? to[q] + h[q] : h[q];
      }
    }
    return found;
  }

  /// Neither r nor u is needed within a cycle: they hold M v and A M v.
  template <class M, class R>
  BATCHWORK_INLINE void step(At& at, M const& m_of, R& r, R& u, Progress<T>& is) {
    bool const on = is.running;
    m_of.apply(at, r, v);
    at.multiply(u, r);
    T left = T(0), before = T(0);
    bool takes_part = on;
    BATCHWORK_KEEP_LOOP
    for (int pass = 0; pass < 2; ++pass) {
      T const found = orthogonalise(at, u, takes_part, pass > 0);
      T const now = square(at, u);
      if (takes_part) {
        left = now;
        if (pass == 0) before = now + found;
      }
      // Where little is left, what rounding has put back is taken away once more.
      takes_part = takes_part && now < found;
      if (pass > 0 || !at.any(takes_part)) break;
    }
    wait(at);  // for the column
    if (on) {
      T const next = Kokkos::sqrt(left);
      turn_column(at, next, Kokkos::sqrt(before), is);
      if (is.running) keep(at, u, T(1) / next, steps + 1);
    }
    ++steps;
  }

  /// Makes the column of the Hessenberg matrix, of which `next` is the number below the diagonal, one of a triangle.
  BATCHWORK_INLINE void turn_column(At& at, T next, T size, Progress<T>& is) {
    bool const writes = rank(at) == 0;
    T const *const h = column(), *const c = cosines(), *const s = sines();
    T* const to = triangle(steps);
    T a = h[0];
    for (int i = 0; i < steps; ++i) {
      T const ci = c[i], si = s[i], below = h[i + 1];
      if (writes) to[i] = ci * a + si * below;
      a = ci * below - si * a;
    }
    T const d = Kokkos::sqrt(a * a + next * next);
    // What is smaller may come from rounding alone, as in a singular matrix, or from columns of different scales.
    T const least = 16 * Kokkos::Experimental::epsilon_v<T> * size;
    if (!is_finite(d)) {
      is.judge(d);  // it says so
    } else if (!(d > T(0))) {
      is.judge(remaining * remaining);
      if (is.running) is.stop(Reason::breakdown, Breakdown::singular);
    } else {
      doubtful = doubtful || !(d > least);
      T const cosine = a / d, sine = next / d;
      if (writes) {
        to[steps] = d;
        cosines()[steps] = cosine;
        sines()[steps] = sine;
        right_side()[steps] = cosine * remaining;
      }
      remaining *= -sine;
      columns = steps + 1;
      is.judge(remaining * remaining);
      // The end of a cycle: confirmed by the true residual, which also says whether there is another one.
      if (is.running && (columns == m || next <= least)) {
        is.stop(Reason::stagnated);
        if (doubtful) is.stop(Reason::breakdown, Breakdown::singular);
      }
    }
  }

  /// u is the combination of the directions, from the triangle's last row up. Called by all systems after a cycle.
  template <class R>
  BATCHWORK_INLINE void finish(At& at, R& u) {
    T* const y = right_side();
    at.for_each([&](int i) { u.set(i, V(T(0))); });
    BATCHWORK_KEEP_LOOP
    for (int k = steps - 1; k >= 0; --k) {
      wait(at);
      if (k >= columns) continue;
      T const* const above = triangle(k);
      T const* const from = direction(k);
      T const factor = y[k] / above[k];
      at.for_each([&](int i) { u.set(i, u(i) + V(factor) * number_of(at, from, i)); });
      for (int i = rank(at); i < k; i += lanes(at)) y[i] -= factor * above[i];
    }
  }
};

template <class At, class T>
BATCHWORK_INLINE auto method_of(At& at, Gmres const& solver, SystemRoom<T> const& room) {
  return GmresMethod<At>(at, solver, room);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
