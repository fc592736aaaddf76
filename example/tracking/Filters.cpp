// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Filters.hpp"

#include "Steps.hpp"

namespace Tracking {

namespace {

using namespace Batchwork;

/// The bank of an IMM filter before the first step: all modes have the same state.
template <int K>
struct BeginBank {
  template <class X, class P, class W, class Start>
  KOKKOS_FUNCTION void operator()(X& means, P& covariances, W& probabilities,
                                  Start const& start) const {
    means = outer(start, ones<K>(start));
    for_each_mode(means, covariances, [&](auto, auto&, auto& p) { p = start_covariance(); });
    probabilities = generate<K>([](int j) { return j == 0 ? 0.9 : 0.1 / (K - 1); });
  }
};

template <bool Unscented>
void run_single(Targets const& targets, Tracks const& tracks) {
  scan(Exec(), launch("tracking"), int(tracks.nis.extent(1)), SingleStep<Unscented>{any},
       carry(targets.start), carry(common(symmetric(fixed(start_covariance())))),
       carry(common(fixed(0.0)), tracks.log_likelihood), carry(common(fixed(narrowest))),
       carry(common(fixed(0.0)), tracks.gated), each(targets.seen), emit(tracks.mean),
       emit(symmetric(tracks.covariance)), emit(tracks.nis), status(tracks.status));
}

template <int K>
void run_imm(ImmStep<K> const& step, Targets const& targets, Tracks const& tracks) {
  std::size_t const items = targets.start.extent(0);
  Kokkos::View<double* [N][K]> const means("Tracking::means", items);
  Kokkos::View<double * [K * N][N]> const covariances("Tracking::covariances", items);
  Kokkos::View<double* [K]> const probabilities("Tracking::probabilities", items);
  map(Exec(), BeginBank<K>{}, out(means), out(covariances), out(probabilities), in(targets.start));
  scan(Exec(), launch("tracking"), int(tracks.nis.extent(1)), step, carry(means),
       carry(covariances), carry(probabilities), carry(common(fixed(0.0)), tracks.log_likelihood),
       carry(common(fixed(narrowest))), carry(common(fixed(0.0)), tracks.gated), each(targets.seen),
       emit(tracks.mean), emit(symmetric(tracks.covariance)), emit(tracks.nis),
       emit(extents<K>(tracks.probability)), status(tracks.status));
}

}  // namespace

char const* name_of(Kind kind) {
  switch (kind) {
    case Kind::extended: return "EKF";
    case Kind::unscented: return "UKF";
    case Kind::two_modes: return "IMM, 2 modes";
    default: return "IMM, 3 modes";
  }
}

Tracks::Tracks(Kind kind, std::int64_t items, int steps)
    : mean("Tracking::mean", std::size_t(items), std::size_t(steps)),
      covariance("Tracking::covariance", std::size_t(items), std::size_t(steps)),
      nis("Tracking::nis", std::size_t(items), std::size_t(steps)),
      probability("Tracking::probability", std::size_t(items), std::size_t(steps),
                  std::size_t(kind == Kind::two_modes     ? 2
                              : kind == Kind::three_modes ? 3
                                                          : 0)),
      log_likelihood("Tracking::log_likelihood", std::size_t(items)),
      gated("Tracking::gated", std::size_t(items)),
      status("Tracking::status", std::size_t(items)) {}

double track(Kind kind, Targets const& targets, Tracks const& tracks) {
  Exec().fence();
  Kokkos::Timer const timer;
  switch (kind) {
    case Kind::extended: run_single<false>(targets, tracks); break;
    case Kind::unscented: run_single<true>(targets, tracks); break;
    case Kind::two_modes: run_imm(ImmStep<2>{{straight, turn}}, targets, tracks); break;
    case Kind::three_modes: run_imm(ImmStep<3>{{straight, steady_turn, change}}, targets, tracks);
  }
  Exec().fence();
  return timer.seconds();
}

}  // namespace Tracking
