// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// An estimate of the condition of an item, by its factors.
#ifndef BATCHWORK_DIRECTCONDITION_HPP
#define BATCHWORK_DIRECTCONDITION_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "krylov/direct/detail/Batchwork_DirectSteps.hpp"

namespace Batchwork::Impl {

/// v = A^-T v by the factors; `spare` is lost. Row at.row_in_place(k) of L and U is in place k.
template <class T, class At>
BATCHWORK_INLINE void solve_transposed(At& at, int n, T* v, T* spare) {
  // U' z = v, then L' w = z: what a number is known to take off others is a row of the factors.
  BATCHWORK_KEEP_LOOP
  for (int k = 0; k < n; ++k) {
    at.sync();
    int const row = at.row_in_place(k);
    T const known = v[k] / T(at.factor(row, k));
    at.for_each([&](int j) {
      if (j > k) v[j] -= T(at.factor(row, j)) * known;
      if (j == k) spare[j] = known;
    });
  }
  BATCHWORK_KEEP_LOOP
  for (int k = n - 1; k > 0; --k) {
    at.sync();
    int const row = at.row_in_place(k);
    T const known = spare[k];
    at.for_each([&](int j) {
      if (j < k) spare[j] -= T(at.factor(row, j)) * known;
    });
  }
  at.sync();
  at.for_each([&](int k) { v[at.row_in_place(k)] = spare[k]; });
  at.sync();
}

template <class T, class At>
  requires requires(At& at, T* v) { at.solve_transposed(v); }
BATCHWORK_INLINE void solve_transposed(At& at, int, T* v, T*) {
  at.solve_transposed(v);
}

/// The reciprocal of |A| |A^-1| in the infinity norm, of the equilibrated matrix: the norm of A^-1,
/// the 1-norm of its transpose, is estimated from below, mostly within a factor of 3 (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2nd edition, algorithm 15.4; LAPACK's lacn2 and
/// gecon). b, l and c are lost. At has, beside what DirectSteps asks for, l, c, solve_plain(v): v =
/// A^-1 v, and either solve_transposed(v): v = A^-T v, or factor(i, j) and row_in_place(k).
template <class T, class At>
BATCHWORK_INLINE T reciprocal_condition(At& at, int n) {
  constexpr int most_steps = 5;
  T *const v = at.b, *const signs = at.l, *const spare = at.c;
  auto const size_of = [&] {
    T sum[1] = {T(0)};
    at.for_each([&](int i) { sum[0] += Kokkos::abs(v[i]); });
    at.sum(sum);
    return sum[0];
  };
  T norm = T(0);
  {
    auto const entries = at.entries();
    PlainSum<T> s;
    entries.template for_rows<true, false>([&] { s = {}; },
                                           [&](int i, auto const& e) {
                                             if (e.there && unsigned(e.column) < unsigned(n))
                                               s.sum +=
                                                   Kokkos::abs(e.number * at.l[i]) * at.c[e.column];
                                           },
                                           [&](int, int) {
                                             for (int step = 1; step < entries.row_lanes; step *= 2)
                                               s.sum += Vendor::shuffle_xor(s.sum, step);
                                             norm = s.sum > norm ? s.sum : norm;
                                           });
    norm = at.largest_number(norm);
  }
  auto const set = [&](auto const& of) {
    at.sync();
    at.for_each([&](int i) { v[i] = of(i); });
    at.sync();
  };
  set([&](int) { return T(1) / T(n); });
  solve_transposed(at, n, v, spare);
  T estimate = size_of();
  int last = -1;
  bool goes_on = n > 1;
  at.for_each([&](int i) { signs[i] = T(0); });
  for (int step = 0; goes_on && step < most_steps; ++step) {
    bool changed = false;
    at.for_each([&](int i) {
      T const sign = v[i] < T(0) ? T(-1) : T(1);
      changed = changed || sign != signs[i];
      signs[i] = sign;
    });
    if (!at.any(changed)) break;
    set([&](int i) { return signs[i]; });
    at.solve_plain(v);
    std::int32_t key = 0;
    at.for_each([&](int i) {
      std::int32_t const mine = pivot_key(v[i]);
      key = mine > key ? mine : key;
    });
    key = at.largest(key);
    std::int32_t first = 0;
    at.for_each([&](int i) {
      if (pivot_key(v[i]) == key && n - i > first) first = n - i;
    });
    int const place = n - at.largest(first);
    if (place == last) break;
    last = place;
    set([&](int i) { return T(i == place ? 1 : 0); });
    solve_transposed(at, n, v, spare);
    T const now = size_of();
    goes_on = now > estimate;
    estimate = goes_on ? now : estimate;
  }
  // What steps may be blind to.
  if (n > 1) {
    set([&](int i) { return (i % 2 == 0 ? T(1) : T(-1)) * (T(1) + T(i) / T(n - 1)); });
    solve_transposed(at, n, v, spare);
    T const other = T(2) * size_of() / T(3 * n);
    estimate = other > estimate ? other : estimate;
  }
  return T(1) / norm / estimate;
}

}  // namespace Batchwork::Impl

#endif
