// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Filters.hpp"

#include <cmath>
#include <numbers>

namespace Nile {

using namespace Batchwork;

Filters::Filters(Series const& series)
    : series_(series),
      steps_(series.observations() - 1),
      flow_("Nile::flow", std::size_t(steps_)),
      years_("Nile::years", std::size_t(steps_)),
      log_two_pi_(-0.5 * steps_ * std::log(2 * std::numbers::pi)) {
  auto const flow = Kokkos::create_mirror_view(flow_);
  auto const years = Kokkos::create_mirror_view(years_);
  for (std::size_t t = 0; t < std::size_t(steps_); ++t) {
    flow(t) = series.flow[t + 1];
    years(t) = series.year[t + 1] - series.year[t];
  }
  Kokkos::deep_copy(flow_, flow);
  Kokkos::deep_copy(years_, years);
}

void Filters::log_likelihood(DeviceVector const& result, DeviceVector const& observation,
                             DeviceVector const& drift) const {
  scan(Exec(), launch("nile"), steps_, FilterStep{},
       carry(common(fixed(series_.flow[0]))),                     // level
       carry(observation),                                        // its variance
       carry(common(fixed(log_two_pi_)), log_sum(result, -0.5)),  // log-likelihood
       common(each(flow_)), common(each(years_)), in(observation), in(drift), nothing(), nothing());
}

FilteredLevel Filters::filter(double observation, double drift) const {
  std::size_t const steps = std::size_t(steps_);
  Kokkos::View<double**> const level("Nile::level", 1, steps), variance("Nile::variance", 1, steps);
  DeviceVector const unused("Nile::unused", 1);
  scan(Exec(), launch("nile level"), steps_, FilterStep{}, carry(common(fixed(series_.flow[0]))),
       carry(common(fixed(observation))), carry(common(fixed(0.0)), log_sum(unused, -0.5)),
       common(each(flow_)), common(each(years_)), common(fixed(observation)), common(fixed(drift)),
       emit(level), emit(variance));
  auto const host_level = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), level);
  auto const host_variance = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), variance);

  FilteredLevel r;
  std::size_t seen = 0;  // observations up to this year
  for (int year = series_.year[0]; year <= series_.last_year; ++year) {
    r.year.push_back(year);
    if (seen < series_.year.size() && series_.year[seen] == year) {
      r.level.push_back(seen == 0 ? series_.flow[0] : host_level(0, seen - 1));
      r.variance.push_back(seen == 0 ? observation : host_variance(0, seen - 1));
      ++seen;
    } else {  // no observation: the level stays, its variance grows
      r.level.push_back(r.level.back());
      r.variance.push_back(r.variance.back() + drift);
    }
  }
  return r;
}

}  // namespace Nile
