// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The covariance update with other divisions of an item among lanes than the default one.
#ifndef BATCHWORK_PERF_KALMAN_DIVISIONS_HPP
#define BATCHWORK_PERF_KALMAN_DIVISIONS_HPP

#include "Map.hpp"

namespace BatchworkPerf {

using Batchwork::Division;

/// One candidate: so many lanes an item and so many teams of 128 lanes at once, 0 for the default.
/// Named kalman/lanes-<Lanes>-teams-<Teams>[-whole]-<KB of scratch>/symmetric/...
template <class T, int D, int Lanes, int Teams, class How, Source S>
void register_division() {
  constexpr std::size_t fixed = (S == Source::view    ? 0
                                 : S == Source::fixed ? 4
                                                      : 2) *
                                D * D * sizeof(T);
  if constexpr (on_device && fixed <= Batchwork::Impl::Vendor::fixed_bytes<Exec>)
    register_sizes<T, D>("lanes-" + std::to_string(Lanes) + "-teams-" + std::to_string(Teams) +
                             (How::whole ? "-whole-" : "-") + std::to_string(How::scratch / 1000),
                         CovarianceUpdate::form, Layout::interleaved, name_of(S),
                         map_covariance_update<CovarianceUpdate, T, D, Layout::interleaved, S,
                                               Batchwork::Launch<0, Teams, Lanes, How>>);
}

/// From all sources.
template <class T, int D, int Lanes, int Teams, class How>
void register_sources() {
  register_division<T, D, Lanes, Teams, How, Source::view>();
  register_division<T, D, Lanes, Teams, How, Source::factors>();
  register_division<T, D, Lanes, Teams, How, Source::fixed>();
}

}  // namespace BatchworkPerf

#endif
