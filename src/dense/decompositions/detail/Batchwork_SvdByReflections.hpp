// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdByReflections: svd of matrices in a device's team scratch, of which a warp or a part of it has one.
#ifndef BATCHWORK_SVDBYREFLECTIONS_HPP
#define BATCHWORK_SVDBYREFLECTIONS_HPP

#include "dense/decompositions/detail/Batchwork_EigenpairsInScratch.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"

namespace Batchwork::Impl {

/// On a device with C columns a lane, of up to C warps' width; see SvdOfItems. Rotations begin with the eigenvectors of a' a, see
/// begins_svd_by_eigenvectors.
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
                  pairs.put_negative_gram(a.a, f.m);
                  bool const ends = pairs.find(is_finite(largest));
                  pairs.multiply(a.a, f.m);
                  return !ends;
                });
  }
};

/// Launches it where an item fits and has 5 to 64 columns, each of up to twice as many numbers: others have rotations alone. \returns whether
/// it does
template <class T, class Exec>
bool launch_svd_by_reflections(Exec const& exec, Call const& call, SvdOfItems<T> const& f) {
  if (f.n <= 4 || f.n > SvdByReflections<T, 2>::largest_n || f.m > 2 * f.n) return false;
  DeviceLimits const limits = Vendor::device_limits(exec);
  return launch_eigenpair_teams(exec, call, limits, SvdByReflections<T, 2>(f, limits));
}

}  // namespace Batchwork::Impl

#endif
