// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EigenpairsInScratch: eigenvalues and eigenvectors of a symmetric matrix in a device's team
/// scratch, which lanes of one warp share.
#ifndef BATCHWORK_EIGENPAIRSINSCRATCH_HPP
#define BATCHWORK_EIGENPAIRSINSCRATCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_ImplicitQl.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/decompositions/detail/Batchwork_DecompositionLaunch.hpp"
#include "dense/decompositions/detail/Batchwork_EighChoice.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"

namespace Batchwork::Impl {

/// A symmetric matrix in scratch, and the lanes that take it to its eigenvectors, as
/// EigenpairsOfLanes: lane l has columns l, l + count,
/// ..., C of them at most, and in iterations as many rows.
template <class T, int C, class Lanes>
struct EigenpairsInScratch {
  static constexpr int deep = 16 / int(sizeof(T)), together = C < deep ? C : deep, mine = C;

  Lanes const& lanes;
  int n, leading, count, lane;
  T* a;            ///< a column after the other, zeros between the last row and the next column
  T* tridiagonal;  ///< four numbers a row: on the diagonal, below it; and the same as a sweep
                   ///< changes them
  T* p;            ///< a number a row
  std::int16_t* order;

  BATCHWORK_INLINE T* column(int j) const { return a + j * leading; }
  BATCHWORK_INLINE T* beside(int j) const { return tridiagonal + 4 * j; }
  static BATCHWORK_INLINE Unit<T> unit(T const* from) {
    return *reinterpret_cast<Unit<T> const*>(from);
  }
  /// f(m, j) for the own columns j from `first` on.
  template <class F>
  BATCHWORK_INLINE void for_own(int first, F const& f) const {
    BATCHWORK_UNROLL
    for (int m = 0; m < C; ++m) {
      int const j = m * count + lane;
      if (j >= first && j < n) f(m, j);
    }
  }
  /// Zeros between the last row and the next column. Others do not see them yet.
  BATCHWORK_INLINE void clear_padding() const {
    if (lane == 0)
      for (int i = n; i < leading; ++i) p[i] = T(0);
    for_own(0, [&](int, int j) {
      T* const y = column(j);
      for (int i = n; i < leading; ++i) y[i] = T(0);
    });
  }
  BATCHWORK_INLINE T largest_entry() const {
    T x(0);
    for_own(0, [&](int, int j) {
      T const* const y = column(j);
      for (int i0 = 0; i0 < n; i0 += deep) {
        Unit<T> const u = unit(y + i0);
        BATCHWORK_UNROLL
        for (int d = 0; d < deep; ++d) x = larger_size(x, abs(u.v[d]));
      }
    });
    return lanes.largest(x);
  }
  template <class Scale>
  BATCHWORK_INLINE void scale(Scale const& by) const {
    for_own(0, [&](int, int j) {
      T* const x = column(j);
      for (int i0 = 0; i0 < n; i0 += deep) {
        Unit<T> u = unit(x + i0);
        BATCHWORK_UNROLL
        for (int d = 0; d < deep; ++d) u.v[d] = u.v[d] * by.first * by.second;
        *reinterpret_cast<Unit<T>*>(x + i0) = u;
      }
    });
  }
  /// Takes the matrix to its eigenvectors. Returns whether iterations ended; nothing is iterated
  /// where the item is not `finite`.
  BATCHWORK_INLINE bool find(bool finite) const {
    begin_column(0);
    lanes.sync();
    tridiagonalise();
    form_vectors();
    return iterate(finite);
  }

  // ---- reflections

  /// Takes the diagonal number of column k out of it, and leaves zeros in its place and above.
  BATCHWORK_INLINE void begin_column(int k) const {
    if (lane != k % count) return;
    T* const x = column(k);
    beside(k)[0] = x[k];
    if (k == n - 2) beside(k)[1] = x[n - 1];
    for (int i = k / deep * deep; i <= k; ++i) x[i] = T(0);
  }
  /// Steps 0 to n - 3. Column k keeps x, and u is scale (x - alpha e_k+1).
  BATCHWORK_INLINE void tridiagonalise() const {
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k + 2 < n; ++k) reflect(k);
    if (n > 1 && lane == (n - 1) % count) beside(n - 1)[0] = column(n - 1)[n - 1];
    if (lane == (n - 1) % count) beside(n - 1)[1] = T(0);
    lanes.sync();
  }
  BATCHWORK_INLINE void reflect(int k) const {
    T const* const x = column(k);
    int const begin = (k + 1) / deep * deep;
    T below(0), share[C];
    BATCHWORK_UNROLL
    for (int m = 0; m < C; ++m) share[m] = T(0);
    for (int i0 = begin; i0 < n; i0 += deep) {
      Unit<T> const u = unit(x + i0);
      BATCHWORK_UNROLL
      for (int d = 0; d < deep; ++d) below += i0 + d == k + 1 ? T(0) : u.v[d] * u.v[d];
      for_own(k + 1, [&](int m, int j) {
        Unit<T> const y = unit(column(j) + i0);
        BATCHWORK_UNROLL
        for (int d = 0; d < deep; ++d) share[m] += u.v[d] * y.v[d];
      });
    }
    auto const [alpha, top, scale] = Reflection<T>(x[k + 1], below);
    T u[C], own[C], product(0);
    BATCHWORK_UNROLL
    for (int m = 0; m < C; ++m) u[m] = own[m] = T(0);
    for_own(k + 1, [&](int m, int j) {
      u[m] = j == k + 1 ? top : scale * x[j];
      own[m] = scale * (share[m] - alpha * column(j)[k + 1]);
      product += u[m] * own[m];
    });
    for_own(0, [&](int m, int j) { p[j] = own[m]; });
    if constexpr (Vendor::has_shuffles)
      for (int step = 1; step < count; step *= 2) product += Vendor::shuffle_xor(product, step);
    lanes.sync();
    if constexpr (!Vendor::has_shuffles) {
      product = T(0);
      for (int i = k + 1; i < n; ++i) product += (i == k + 1 ? top : scale * x[i]) * p[i];
    }
    T by[C];
    BATCHWORK_UNROLL
    for (int m = 0; m < C; ++m) by[m] = scale * (own[m] - product * u[m]);
    for (int i0 = begin; i0 < n; i0 += deep) {
      Unit<T> const v = unit(x + i0), q = unit(p + i0);
      for_own(k + 1, [&](int m, int j) {
        T* const to = column(j) + i0;
        Unit<T> y = unit(to);
        BATCHWORK_UNROLL
        for (int d = 0; d < deep; ++d) y.v[d] -= by[m] * v.v[d] + q.v[d] * u[m];
        *reinterpret_cast<Unit<T>*>(to) = y;
      });
    }
    for_own(k + 1, [&](int m, int j) { column(j)[k + 1] += by[m] * alpha; });
    if (lane == k % count) beside(k)[1] = alpha;
    if (lane == k % count) write_together(beside(k) + 2, {scale, alpha});
    begin_column(k + 1);
    lanes.sync();
  }
  /// The product of all reflections; it overwrites their vectors.
  BATCHWORK_INLINE void form_vectors() const {
    for_own(n - 2, [&](int, int j) { set_unit(j); });
    BATCHWORK_KEEP_LOOP
    for (int k = n - 3; k >= 0; --k) {
      T const* const x = column(k);
      int const begin = (k + 1) / deep * deep;
      T const scale = beside(k)[2], alpha = beside(k)[3];
      if (k + 1 < n - 2)
        for_own(k + 1, [&](int, int j) {
          if (j == k + 1) set_unit(j);
        });
      T w[C];
      BATCHWORK_UNROLL
      for (int m = 0; m < C; ++m) w[m] = T(0);
      for (int i0 = begin; i0 < n; i0 += deep) {
        Unit<T> const u = unit(x + i0);
        for_own(k + 1, [&](int m, int j) {
          Unit<T> const y = unit(column(j) + i0);
          BATCHWORK_UNROLL
          for (int d = 0; d < deep; ++d) w[m] += u.v[d] * y.v[d];
        });
      }
      for_own(k + 1,
              [&](int m, int j) { w[m] = scale * (scale * (w[m] - alpha * column(j)[k + 1])); });
      for (int i0 = begin; i0 < n; i0 += deep) {
        Unit<T> const u = unit(x + i0);
        for_own(k + 1, [&](int m, int j) {
          T* const to = column(j) + i0;
          Unit<T> y = unit(to);
          BATCHWORK_UNROLL
          for (int d = 0; d < deep; ++d) y.v[d] -= w[m] * u.v[d];
          *reinterpret_cast<Unit<T>*>(to) = y;
        });
      }
      for_own(k + 1, [&](int m, int j) { column(j)[k + 1] += w[m] * alpha; });
      // Column k + 1 is the next to be read no longer.
      lanes.sync();
    }
    for_own(0, [&](int, int j) {
      if (j == 0 && n > 2) set_unit(j);
    });
    lanes.sync();
  }
  BATCHWORK_INLINE void set_unit(int j) const {
    T* const x = column(j);
    for (int i0 = 0; i0 < n; i0 += deep) {
      Unit<T> u;
      BATCHWORK_UNROLL
      for (int d = 0; d < deep; ++d) u.v[d] = T(i0 + d == j ? 1 : 0);
      *reinterpret_cast<Unit<T>*>(x + i0) = u;
    }
  }

  // ---- iterations

  /// A bit for each row whose number below the diagonal is not negligible.
  struct Coupled {
    unsigned words[C];

    BATCHWORK_INLINE bool any() const {
      unsigned x = 0;
      BATCHWORK_UNROLL
      for (int m = 0; m < C; ++m) x |= words[m];
      return x != 0;
    }
    /// The first row that is coupled; and the first behind `row` that is not.
    BATCHWORK_INLINE int first() const {
      int r = 0;
      BATCHWORK_UNROLL
      for (int m = C - 1; m >= 0; --m)
        if (words[m] != 0) r = 32 * m + Vendor::countr_zero(words[m]);
      return r;
    }
    BATCHWORK_INLINE int end(int row) const {
      int r = 0;
      BATCHWORK_UNROLL
      for (int m = C - 1; m >= 0; --m) {
        int const shift = row - 32 * m;
        unsigned const from = shift <= 0 ? ~0u : shift < 32 ? ~0u << shift : 0u;
        unsigned const alone = ~words[m] & from;
        if (alone != 0) r = 32 * m + Vendor::countr_zero(alone);
      }
      return r;
    }
  };
  BATCHWORK_INLINE bool is_coupled(int j) const {
    return j + 1 < n && !is_negligible(beside(j)[1], beside(j)[0], beside(j + 1)[0]);
  }
  BATCHWORK_INLINE Coupled coupled_rows() const {
    Coupled r{};
    BATCHWORK_UNROLL
    for (int m = 0; m < C; ++m) {
      if constexpr (Vendor::has_shuffles) {
        unsigned const votes = Vendor::ballot(is_coupled(m * count + lane));
        if (count == 32) r.words[m] = votes;
        else
          r.words[0] |= (votes >> ((Vendor::lane_id() - lane) & 31) & ((1u << count % 32) - 1u))
                        << (m * count & 31);
      } else {
        for (int l = 0; l < 32; ++l)
          if (is_coupled(m * 32 + l)) r.words[m] |= 1u << l;
      }
    }
    return r;
  }
  /// Returns whether iterations ended; nothing is iterated where the item is not `finite`.
  BATCHWORK_INLINE bool iterate(bool finite) const {
    int const most = most_ql_sweeps_a_row * n;
    Coupled coupled = coupled_rows();
    bool goes_on = finite && coupled.any();
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k < most && lanes.any_together(goes_on); ++k) {
      int first = 0, last = -1;
      if (goes_on) {
        first = coupled.first();
        last = coupled.end(first);
        sweep(first, last);
      }
      // What was beside the matrix is read.
      lanes.sync();
      for_own(0, [&](int, int j) {
        if (j < first || j > last) return;
        T found[2];
        read_together(found, beside(j) + 2);
        if (j == last) found[1] = T(0);
        write_together(beside(j), found);
      });
      lanes.sync();
      coupled = coupled_rows();
      goes_on = goes_on && coupled.any();
    }
    return !goes_on;
  }
  /// The lane's rows of a column: `together` neighbours each time.
  BATCHWORK_INLINE int own_row(int m) const { return (m / together * count + lane) * together; }
  BATCHWORK_INLINE void read_rows(T (&x)[C], T const* from) const {
    BATCHWORK_UNROLL
    for (int m = 0; m < C; m += together) {
      T some[together];
      BATCHWORK_UNROLL
      for (int q = 0; q < together; ++q) some[q] = T(0);
      if (own_row(m) < n) read_together(some, from + own_row(m));
      BATCHWORK_UNROLL
      for (int q = 0; q < together; ++q) x[m + q] = some[q];
    }
  }
  BATCHWORK_INLINE void write_rows(T* to, T const (&x)[C]) const {
    BATCHWORK_UNROLL
    for (int m = 0; m < C; m += together) {
      T some[together];
      BATCHWORK_UNROLL
      for (int q = 0; q < together; ++q) some[q] = x[m + q];
      if (own_row(m) < n) write_together(to + own_row(m), some);
    }
  }
  BATCHWORK_INLINE void sweep(int first, int last) const {
    QlSweep<T> ql(beside(last)[0],
                  QlSweep<T>::shift(beside(first)[0], beside(first)[1], beside(first + 1)[0]));
    T* at = column(last - 1);
    T* numbers = beside(last - 1);
    T z[C], next[C], found[2];
    read_rows(z, at + leading);
    read_rows(next, at);
    read_together(found, numbers);
    BATCHWORK_KEEP_LOOP
    for (int i = last - 1; i >= first; --i) {
      T const x = found[0], off = found[1];
      T own[C];
      BATCHWORK_UNROLL
      for (int m = 0; m < C; ++m) own[m] = next[m];
      // The next numbers are on their way meanwhile.
      int const step = i > first ? leading : 0, back = i > first ? 4 : 0;
      read_together(found, numbers - back);
      read_rows(next, at - step);
      ql.rotate(x, off);
      // All have found the same.
      write_together(numbers + 6, {ql.diagonal, ql.below});
      BATCHWORK_UNROLL
      for (int m = 0; m < C; ++m) {
        T const upper = z[m];
        z[m] = ql.c * own[m] - ql.s * upper;
        own[m] = ql.s * own[m] + ql.c * upper;
      }
      write_rows(at + leading, own);
      numbers -= back;
      at -= step;
    }
    write_rows(at, z);
    ql.finish();
    write_together(numbers + 2, {ql.diagonal, ql.below});
  }

  // ---- the end

  /// order[k] is where the vector of the k-th value stands, p[k] that value; beside(0)[2] is 1, or
  /// NaN where the item `failed`. \returns whether it did, or a value overflows
  template <class Scale>
  BATCHWORK_INLINE bool sort(Scale const& scale, bool failed) const {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    int rank[C];
    T own[C], extreme(0);
    for_own(0, [&](int m, int j) {
      rank[m] = 0;
      own[m] = beside(j)[0];
    });
    for (int i = 0; i < n; ++i) {
      T const other = beside(i)[0];
      extreme = larger_size(extreme, abs(other));
      for_own(0, [&](int m, int j) {
        rank[m] += other < own[m] || (other == own[m] && i < j) ? 1 : 0;
      });
    }
    failed = failed || !is_finite(extreme * scale.second_back * scale.first_back);
    for_own(0, [&](int m, int j) {
      int const place = failed ? j : rank[m];
      order[place] = std::int16_t(j);
      p[place] = failed ? nan : own[m] * scale.second_back * scale.first_back;
    });
    if (lane == 0) beside(0)[2] = failed ? nan : T(1);
    return failed;
  }
};

/// How the items of F, of n <= largest_n columns each, are divided among lanes, C columns for each
/// at most. Scratch holds `Matrices` of these.
template <class F, int C, int Matrices>
struct EigenpairTeams {
  using T = typename F::number;
  static constexpr int largest_team = 128, wanted_teams = 4, largest_n = rows_by_reflections(C),
                       deep = 16 / int(sizeof(T));

  F f;
  int count, per_team = 1;

  EigenpairTeams(F const& of, DeviceLimits const& limits)
      : f(of), count(lanes_by_reflections(C, f.n)) {
    // Lanes that read the same rows of neighbouring columns find different banks.
    f.leading = ((f.rows() + deep - 1) / deep | 1) * deep;
    per_team = Vendor::has_shuffles ? lanes_of_warp / count : 1;
    while (2 * per_team * count <= largest_team && Vendor::has_shuffles &&
           2 * bytes() <= std::min(scratch_of_a_team, limits.scratch_of_team))
      per_team *= 2;
  }
  bool fits(DeviceLimits const& limits) const {
    return f.n > 2 && f.n <= largest_n && bytes() <= limits.scratch_of_team;
  }
  /// The matrices, four numbers a row, and one.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {(std::int64_t(Matrices) * f.leading + 4) * f.n + f.leading, std::int64_t(f.n)};
  }
  BATCHWORK_INLINE std::size_t bytes_of_item() const {
    return memory().template bytes<T>(ColumnLanes<int>::found_numbers(count));
  }
  std::size_t bytes() const { return std::size_t(per_team) * bytes_of_item() + 16; }
  int team() const { return count * per_team; }
  std::int64_t teams() const { return (f.items + per_team - 1) / per_team; }

  template <class Member>
  BATCHWORK_INLINE ItemsOfTeam<T, Member> items_of(Member const& member) const {
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(per_team) * bytes_of_item(), 16));
    return {
        member,  scratch,  bytes_of_item(), memory(), std::int64_t(member.league_rank()) * per_team,
        f.items, per_team, count,           1};
  }
};

/// Launches it; returns false where an item does not fit.
template <class Exec, class Kernel>
bool launch_eigenpair_teams(Exec const& exec, Call const& call, DeviceLimits const& limits,
                            Kernel const& kernel) {
  if (!kernel.fits(limits)) return false;
  launch_kernel_that_fits(exec, kernel_label(call.verb, call.label), kernel,
                          [&] { return matrices_do_not_fit(call, "use smaller matrices"); });
  return true;
}

}  // namespace Batchwork::Impl

#endif
