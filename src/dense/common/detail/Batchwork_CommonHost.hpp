// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CommonHost: the right-hand sides of all items on hosts. A thread factorises the common matrix,
/// and substitutes with packs of columns.
#ifndef BATCHWORK_COMMONHOST_HPP
#define BATCHWORK_COMMONHOST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "dense/common/detail/Batchwork_CommonProblem.hpp"
#include "dense/common/detail/Batchwork_PivotChecks.hpp"

namespace Batchwork::Impl {

/// Rows of the largest matrix on a host: half a megabyte of a thread's stack.
inline constexpr int common_rows_on_host = 256;

/// Rows: how many there is room for.
template <class T, int Rows>
struct CommonHost {
  static constexpr int W = native_width<T>;
  using S = Pack<T, W>;
  static constexpr int packs = 2, at_once = packs * W;
  static constexpr int block = 4;  ///< rows whose sums stay in registers

  CommonProblem<T> p;

  struct Numbers {
    alignas(64) T a[std::size_t(Rows) * Rows];  ///< number (i, j) is at i n + j
    alignas(64) S z[Rows][packs];
    T scale[Rows], inverse[Rows];  ///< see PivotReciprocal
    int order[Rows];
    std::int32_t code = 0;
  };

  void load(Numbers& f) const {
    int const n = p.n;
    for (int i = 0; i < n; ++i) {
      f.order[i] = i;
      f.scale[i] = T(1);
      for (int j = 0; j < n; ++j) {
        bool const other = p.matrix == CommonMatrix::symmetric && i < j;
        f.a[i * n + j] = p.a.data[(other ? j : i) * p.a.row + (other ? i : j) * p.a.col];
      }
    }
  }
  /// Without exchanges a symmetric matrix has the factors L and D L'.
  void factorise(Numbers& f) const {
    int const n = p.n;
    for (int k = 0; k < n; ++k) {
      if (p.matrix == CommonMatrix::general) {
        int row = k;
        for (int i = k + 1; i < n; ++i)
          if (size_key(f.a[i * n + k]) > size_key(f.a[row * n + k])) row = i;
        if (row != k) {
          std::swap_ranges(f.a + k * n, f.a + k * n + n, f.a + row * n);
          std::swap(f.order[k], f.order[row]);
        }
        f.code = std::int32_t(pivot_status(f.a[k * n + k], k));
      } else {
        f.code = good_pivot(f.a[k * n + k]) ? 0 : pivot_code(f.a[k * n + k], k);
      }
      if (f.code != 0) return;
      PivotReciprocal<T> const r(f.a[k * n + k]);
      f.scale[k] = r.scale, f.inverse[k] = r.inverse;
      for (int i = k + 1; i < n; ++i) {
        T const l = f.a[i * n + k] = r * f.a[i * n + k];
        for (int j = k + 1; j < n; ++j) f.a[i * n + j] -= l * f.a[k * n + j];
      }
    }
  }

  /// sums of rows i0, ... are reduced by the numbers of the matrix times rows j0 .. j1 - 1.
  template <int B>
  static BATCHWORK_INLINE void take_off(S (&sums)[B][packs], Numbers const& f, int n, int i0,
                                        int j0, int j1) {
    for (int j = j0; j < j1; ++j) {
      BATCHWORK_UNROLL
      for (int b = 0; b < B; ++b) {
        S const x(f.a[(i0 + b) * n + j]);
        BATCHWORK_UNROLL
        for (int q = 0; q < packs; ++q) sums[b][q] -= x * f.z[j][q];
      }
    }
  }
  template <int B>
  static BATCHWORK_INLINE void begin(S (&sums)[B][packs], Numbers const& f, int i0) {
    for (int b = 0; b < B; ++b)
      for (int q = 0; q < packs; ++q) sums[b][q] = f.z[i0 + b][q];
  }
  template <int B>
  void forward(Numbers& f, int i0) const {
    S sums[B][packs];
    begin(sums, f, i0);
    take_off(sums, f, p.n, i0, 0, i0);
    for (int b = 0; b < B; ++b)
      for (int q = 0; q < packs; ++q) {
        for (int m = 0; m < b; ++m) sums[b][q] -= S(f.a[(i0 + b) * p.n + i0 + m]) * sums[m][q];
        if (!p.factorises()) sums[b][q] *= S(f.inverse[i0 + b]);
        f.z[i0 + b][q] = sums[b][q];
      }
  }
  template <int B>
  void backward(Numbers& f, int i0) const {
    S sums[B][packs];
    begin(sums, f, i0);
    take_off(sums, f, p.n, i0, i0 + B, p.n);
    for (int b = B - 1; b >= 0; --b)
      for (int q = 0; q < packs; ++q) {
        for (int m = b + 1; m < B; ++m) sums[b][q] -= S(f.a[(i0 + b) * p.n + i0 + m]) * sums[m][q];
        sums[b][q] = sums[b][q] * S(f.scale[i0 + b]) * S(f.inverse[i0 + b]);
        f.z[i0 + b][q] = sums[b][q];
      }
  }
  void substitute(Numbers& f) const {
    int const whole = p.n / block * block;
    if (p.forward()) {
      for (int i = 0; i < whole; i += block) forward<block>(f, i);
      for (int i = whole; i < p.n; ++i) forward<1>(f, i);
    }
    if (p.backward()) {
      for (int i = p.n - 1; i >= whole; --i) backward<1>(f, i);
      for (int i = whole - block; i >= 0; i -= block) backward<block>(f, i);
    }
  }

  /// Columns first .. first + count - 1 of the right-hand sides of all items.
  void solve(Numbers& f, std::int64_t first, int count) const {
    bool const failed = f.code != 0 && p.factorises();
    T const* from[at_once];
    T* to[at_once];
    bool const from_near = count == at_once && p.columns_are_near(p.b, first, count),
               to_near = count == at_once && p.columns_are_near(p.x, first, count);
    for (int l = 0; l < (from_near ? 1 : at_once); ++l)
      from[l] = p.column(p.b, first + std::min(l, count - 1));
    for (int l = 0; l < (to_near ? 1 : at_once); ++l)
      to[l] = p.column(p.x, first + std::min(l, count - 1));
    for (int i = 0; i < p.n && !failed; ++i) {
      std::int64_t const at = f.order[i] * p.b.row;
      for (int q = 0; q < packs; ++q) {
        if (from_near) {
          f.z[i][q] = S::load(from[0] + at + q * W);
        } else {
          for (int l = 0; l < W; ++l) f.z[i][q].set_lane(l, from[q * W + l][at]);
        }
      }
    }
    if (!failed) substitute(f);
    S sum[packs];
    for (int q = 0; q < packs; ++q) sum[q] = S(T(0));
    for (int i = 0; i < p.n && p.x.data != nullptr; ++i) {
      std::int64_t const at = i * p.x.row;
      for (int q = 0; q < packs; ++q) {
        S const x = failed ? S(std::numeric_limits<T>::quiet_NaN()) : f.z[i][q];
        // Zero times a number that is not finite is NaN, and stays so.
        sum[q] += x * S(T(0));
        if (to_near) x.store(to[0] + at + q * W);
        else
          for (int l = 0; l < W && q * W + l < count; ++l) to[q * W + l][at] = x.lane(l);
      }
    }
    if (!p.status.wanted()) return;
    for (int l = 0; l < count; ++l) {
      p.put_status(first + l, f.code);
      if (f.code == 0 && !(sum[l / W].lane(l % W) == T(0))) p.put_not_finite(first + l);
    }
  }

  void operator()(std::int64_t u) const {
    Numbers f;
    load(f);
    if (p.factorises()) factorise(f);
    else
      for (int k = 0; k < p.n; ++k) f.inverse[k] = diagonal_reciprocal(f.a[k * p.n + k], k, f.code);
    std::int64_t const end = std::min((u + 1) * p.unit, p.all_columns());
    for (std::int64_t q = u * p.unit; q < end; q += at_once)
      solve(f, q, int(std::min<std::int64_t>(at_once, end - q)));
  }
};

}  // namespace Batchwork::Impl

#endif
