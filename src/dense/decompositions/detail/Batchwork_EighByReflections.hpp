// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighByReflections: eigh of matrices in a device's team scratch, each by a warp or a part of it.
#ifndef BATCHWORK_EIGHBYREFLECTIONS_HPP
#define BATCHWORK_EIGHBYREFLECTIONS_HPP

#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsInScratch.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"

namespace Batchwork::Impl {

/// On a device with C columns a lane, of up to C warps' width; see EighOfItems.
template <class T, int C>
struct EighByReflections : EigenpairTeams<EighOfItems<T>, C, 1> {
  using EigenpairTeams<EighOfItems<T>, C, 1>::EigenpairTeams;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const of = this->items_of(member);
    auto const& f = this->f;
    int const n = f.n, apart = f.leading, first = apart * n, values = first + 4 * n;
    of.load(f.a, n, n, [&](int slot, int i, int j, T const& x) {
      if (i < j) return;
      T* const to = of.numbers(slot);
      to[j * apart + i] = x;
      to[i * apart + j] = x;
    });
    of.meet();
    auto const lanes = of.lanes();
    T* const own = of.numbers(of.own());
    EigenpairsInScratch<T, C, typename ItemsOfTeam<T, Member>::Lanes> const pairs{
        lanes, n,           apart,        this->count,         lanes.rank,
        own,   own + first, own + values, of.indices(of.own())};
    pairs.clear_padding();
    T const size = pairs.largest_entry();
    UnitScale<T> const scale(size);
    pairs.scale(scale);
    bool const ends = pairs.find(is_finite(size));
    std::int32_t code = rotation_status(size, !ends, T(0));
    if (pairs.sort(scale, code != 0) && code == 0) code = Status::code(Reason::not_finite, 0);
    of.meet();
    of.store(f.values, n, 1, [&](int slot, int j, int) { return of.numbers(slot)[values + j]; });
    if (f.stores_vectors)
      of.store(f.vectors, n, n, [&](int slot, int i, int j) {
        T const* const from = of.numbers(slot);
        return from[of.indices(slot)[j] * apart + i] * from[first + 2];
      });
    of.put_status(f.status, code);
  }
};

/// Launches the kernel of this extent. \returns whether an item fits
template <class T, class Exec>
bool launch_eigh_by_reflections(Exec const& exec, Call const& call, EighOfItems<T> const& f,
                                int extent) {
  DeviceLimits const limits = Vendor::device_limits(exec);
  if (extent == rows_by_reflections(2))
    return launch_eigenpair_teams(exec, call, limits, EighByReflections<T, 2>(f, limits));
  return launch_eigenpair_teams(exec, call, limits, EighByReflections<T, 4>(f, limits));
}

}  // namespace Batchwork::Impl

#endif
