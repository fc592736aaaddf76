// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The covariance update through the public verb map.
#ifndef BATCHWORK_PERF_KALMAN_MAP_HPP
#define BATCHWORK_PERF_KALMAN_MAP_HPP

#include "Problem.hpp"
#include "Sequences.hpp"

namespace BatchworkPerf {

/// Where the common matrices come from: common(view) or common(fixed(tile)); factors: F and H
/// fixed, Q and R from Views.
enum class Source { view, fixed, factors };
constexpr char const* name_of(Source s) {
  return s == Source::view ? "view" : s == Source::fixed ? "fixed" : "factors";
}

/// Teams asked for on a multiprocessor, where that was measured to be faster than leaving a lane
/// all its registers (H200, symmetric form, fixed matrices); never so many that the compiler
/// spills.
template <class Sequence, class T, int D, Source S>
inline constexpr int resident_teams =
    S == Source::view || !std::is_same_v<Sequence, CovarianceUpdate> || !std::is_same_v<T, float>
        ? 0
    : D == 6 || D == 8 ? 3
                       : 0;

template <class Sequence, class T, int D, Layout L, Source S,
          class How = Batchwork::Launch<0, resident_teams<Sequence, T, D, S>>>
void map_covariance_update(benchmark::State& state, std::int64_t items) {
  using namespace Batchwork;
  constexpr bool symmetric_form = std::is_same_v<Sequence, CovarianceUpdate>;
  Problem<T, D, L> const problem(items);
  Exec const exec;
  auto const F = to_view("F", problem.model.F), Q = to_view("Q", problem.model.Q);
  auto const H = to_view("H", problem.model.H), R = to_view("R", problem.model.R);
  auto const f = to_tile(problem.model.F), q = to_tile(problem.model.Q);
  auto const h = to_tile(problem.model.H), r = to_tile(problem.model.R);

  How const how{"perf_kalman"};
  auto const launch = [&] {
    auto const P_new = [&] {
      if constexpr (symmetric_form) return out(symmetric(problem.P_new.operand()));
      else return out(problem.P_new.operand());
    }();
    auto const& P = problem.P;
    if constexpr (S == Source::view && symmetric_form)
      map(exec, how, Sequence{}, P_new, in(symmetric(P.operand())), common(F), common(symmetric(Q)),
          common(H), common(symmetric(R)));
    else if constexpr (S == Source::view)
      map(exec, how, Sequence{}, P_new, in(P.operand()), common(F), common(Q), common(H),
          common(R));
    else if constexpr (S == Source::factors)
      map(exec, how, Sequence{}, P_new, in(symmetric(P.operand())), common(fixed(f)),
          common(symmetric(Q)), common(fixed(h)), common(symmetric(R)));
    else if constexpr (symmetric_form)
      map(exec, how, Sequence{}, P_new, in(symmetric(P.operand())), common(fixed(f)),
          common(fixed(symmetric(q))), common(fixed(h)), common(fixed(symmetric(r))));
    else
      map(exec, how, Sequence{}, P_new, in(P.operand()), common(fixed(f)), common(fixed(q)),
          common(fixed(h)), common(fixed(r)));
  };
  // Rows bring the whole matrix with every cache line.
  problem.run(state, launch, symmetric_form && L != Layout::item_contiguous,
              Sequence::flops_per_D3);
}

template <class Sequence, class T, int D, Layout L, Source S>
void register_map() {
  if constexpr (S == Source::view || 4 * D * D * sizeof(T) <= 2048)  // what fixed operands may hold
    register_sizes<T, D>("batchwork", Sequence::form, L, name_of(S),
                         map_covariance_update<Sequence, T, D, L, S>);
}

/// One triangle, from both sources.
template <class T, Layout L, int... D>
void register_map_symmetric() {
  (register_map<CovarianceUpdate, T, D, L, Source::fixed>(), ...);
  (register_map<CovarianceUpdate, T, D, L, Source::view>(), ...);
}

/// Both forms from both sources. On devices the literal form ends at float 8x8 and double 4x4:
/// beyond, its general tiles need more than the 255 registers of a lane, and spill.
template <class T, Layout L, int... D>
void register_map_all() {
  register_map_symmetric<T, L, D...>();
  (register_map<LiteralCovarianceUpdate, T, D, L, Source::fixed>(), ...);
  (register_map<LiteralCovarianceUpdate, T, D, L, Source::view>(), ...);
}

/// The symmetric form with the common matrices from Views, where they are larger than fixed ones
/// may be.
template <class T, Layout L, int... D>
void register_map_from_view() {
  (register_map<CovarianceUpdate, T, D, L, Source::view>(), ...);
}

/// The symmetric form with fixed common matrices, for the layouts beside the main one.
template <class T, Layout L, int... D>
void register_map_some() {
  (register_map<CovarianceUpdate, T, D, L, Source::fixed>(), ...);
}

}  // namespace BatchworkPerf

#endif
