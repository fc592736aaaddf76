// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdByReflections: svd of matrices in a device's team scratch, each by a warp or a part of it.
#ifndef BATCHWORK_SVDBYREFLECTIONS_HPP
#define BATCHWORK_SVDBYREFLECTIONS_HPP

#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsInScratch.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"

namespace Batchwork::Impl {

/// The matrix of `pairs` becomes -a' a. a has m rows, and its columns the same distance as those of
/// `pairs`. Others do not see it yet.
template <class Pairs, class T>
BATCHWORK_INLINE void put_negative_gram(Pairs const& pairs, T const* a, int m) {
  constexpr int rows = 4, deep = Pairs::deep;
  int const n = pairs.n, leading = pairs.leading;
  for (int i0 = 0; i0 < n; i0 += rows) {
    T sum[Pairs::mine * rows];
    BATCHWORK_UNROLL
    for (int q = 0; q < Pairs::mine * rows; ++q) sum[q] = T(0);
    BATCHWORK_KEEP_LOOP
    for (int k0 = 0; k0 < m; k0 += deep) {
      Unit<T> x[rows];
      BATCHWORK_UNROLL
      for (int r = 0; r < rows; ++r)
        x[r] = pairs.unit(a + (i0 + r < n ? i0 + r : i0) * leading + k0);
      pairs.for_own(0, [&](int c, int j) {
        Unit<T> const y = pairs.unit(a + j * leading + k0);
        BATCHWORK_UNROLL
        for (int r = 0; r < rows; ++r) {
          BATCHWORK_UNROLL
          for (int d = 0; d < deep; ++d) sum[c * rows + r] -= x[r].v[d] * y.v[d];
        }
      });
    }
    pairs.for_own(0, [&](int c, int j) {
      BATCHWORK_UNROLL
      for (int r = 0; r < rows; ++r)
        if (i0 + r < n) pairs.column(j)[i0 + r] = sum[c * rows + r];
    });
  }
}
/// a := a v, v being the matrix of `pairs`. Others do not see it yet.
template <class Pairs, class T>
BATCHWORK_INLINE void multiply_by_vectors(T* a, int m, Pairs const& pairs) {
  constexpr int deep = Pairs::deep;
  int const n = pairs.n, leading = pairs.leading;
  for (int i0 = 0; i0 < m; i0 += deep) {
    T sum[Pairs::mine * deep];
    BATCHWORK_UNROLL
    for (int q = 0; q < Pairs::mine * deep; ++q) sum[q] = T(0);
    BATCHWORK_KEEP_LOOP
    for (int k0 = 0; k0 < n; k0 += deep) {
      Unit<T> x[deep];
      BATCHWORK_UNROLL
      for (int k = 0; k < deep; ++k)
        x[k] = pairs.unit(a + (k0 + k < n ? k0 + k : k0) * leading + i0);
      pairs.for_own(0, [&](int c, int j) {
        // Beyond the last row there are zeros.
        Unit<T> const v = pairs.unit(pairs.column(j) + k0);
        BATCHWORK_UNROLL
        for (int k = 0; k < deep; ++k) {
          BATCHWORK_UNROLL
          for (int d = 0; d < deep; ++d) sum[c * deep + d] += x[k].v[d] * v.v[k];
        }
      });
    }
    // All have read these rows.
    pairs.lanes.sync();
    pairs.for_own(0, [&](int c, int j) {
      Unit<T> y;
      BATCHWORK_UNROLL
      for (int d = 0; d < deep; ++d) y.v[d] = sum[c * deep + d];
      *reinterpret_cast<Unit<T>*>(a + j * leading + i0) = y;
    });
  }
}

/// On a device with C columns a lane, of up to C warps' width; see SvdOfItems. Rotations begin with
/// the eigenvectors of a' a, see begins_svd_by_eigenvectors.
template <class T, int C>
struct SvdByReflections : EigenpairTeams<SvdOfItems<T>, C, 2> {
  SvdByReflections(SvdOfItems<T> const& of, DeviceLimits const& limits)
      : EigenpairTeams<SvdOfItems<T>, C, 2>(of, limits) {
    this->f.begins_with_vectors = true;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const& f = this->f;
    f.decompose(this->items_of(member),
                [&](auto const& a, auto const& right, T const& largest, T* rest) {
                  EigenpairsInScratch<T, C, ColumnLanes<Member>> const pairs{
                      a.lanes, f.n,  f.leading,      this->count, a.lanes.rank,
                      right.a, rest, rest + 4 * f.n, nullptr};
                  pairs.clear_padding();
                  a.lanes.sync();
                  put_negative_gram(pairs, a.a, f.m);
                  bool const ends = pairs.find(is_finite(largest));
                  multiply_by_vectors(a.a, f.m, pairs);
                  return !ends;
                });
  }
};

/// Launches it. \returns whether an item fits
template <class T, class Exec>
bool launch_svd_by_reflections(Exec const& exec, Call const& call, SvdOfItems<T> const& f) {
  DeviceLimits const limits = Vendor::device_limits(exec);
  return launch_eigenpair_teams(exec, call, limits, SvdByReflections<T, 2>(f, limits));
}

}  // namespace Batchwork::Impl

#endif
