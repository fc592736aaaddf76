// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Analysis.hpp"

#include <string>

#include "LocalAnalysis.hpp"

namespace Letkf {

namespace {

// Sizes that are compiled; each takes some seconds.
template <class F, class Other>
auto for_members(std::int64_t variables, std::int64_t members, F const& f, Other const& other) {
  using Batchwork::dispatch;
  return dispatch<1, 3>(
      variables,
      [&](auto v) {
        auto const with = [&](auto k) { return f(v, k); };
        if constexpr (v == 1) return dispatch<7, 20>(members, with, other);
        else return dispatch<16, 32>(members, with, other);
      },
      other);
}

}  // namespace

bool is_compiled(std::int64_t variables, std::int64_t members) {
  return for_members(
      variables, members, [](auto, auto) { return true; }, [](auto) { return false; });
}

void analyse(Exec const& exec, Ensemble const& analysis, Ensemble const& forecast,
             Matrix const& rotation, LocalObservations const& local, Vector const& observed,
             Codes const& codes, AnalysisSettings const& settings) {
  auto const by_verbs = [&](std::int64_t members) {
    if (settings.method == Method::one_kernel)
      throw InputError("no map is compiled for " + std::to_string(members) +
                       " members; choose 7 or 20 for lorenz96, 16 or 32 for shallow-water");
    analyse_by_verbs(exec, analysis, forecast, rotation, local, observed, codes, settings);
  };
  if (settings.method == Method::verbs) return by_verbs(std::int64_t(forecast.extent(2)));
  Matrix const ensemble = rows_of(forecast);
  // [call]
  auto const by_map = [&](auto v, auto k) {
    using namespace Batchwork;
    int const groups = int(local.near.extent(1)) / LocalAnalysis::rows;
    map(exec, launch("letkf"), LocalAnalysis{groups, settings.inflation * settings.inflation},
        out(extents<v, k>(analysis)), in(extents<v, k>(forecast)), common(extents<k, k>(rotation)),
        item_index(), table(extents<k>(ensemble)), table(local.near), table(local.weight),
        table(observed), status(codes));
  };
  // [call]
  for_members(std::int64_t(forecast.extent(1)), std::int64_t(forecast.extent(2)), by_map, by_verbs);
}

void require_success(Exec const& exec, Codes const& codes) {
  std::int64_t failed = 0;
  Kokkos::parallel_reduce(
      "letkf: failed", Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t(codes.extent(0))),
      KOKKOS_LAMBDA(std::int64_t n, std::int64_t& sum) { sum += codes(n) != 0; }, failed);
  if (failed > 0)
    throw std::runtime_error("the analysis of " + std::to_string(failed) + " points failed");
}

}  // namespace Letkf
