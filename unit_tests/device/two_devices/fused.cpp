// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Batchwork.hpp>

#include "Place.hpp"

namespace TwoDevices {

using namespace Batchwork;

namespace {

struct Solve {
  template <class X, class Size, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, Size& size, A const& a, B const& b) const {
    auto const f = Batchwork::cholesky(a);
    x = f.solve(b);
    size = log_det(f) + norm2(x);
  }
};
struct Smooth {
  template <class X, class Z, class F, class E>
  KOKKOS_FUNCTION void operator()(X& x, Z const& z, F const& f, E& emitted) const {
    x = 0.1 * (f * x) + z;
    emitted = x;
  }
};

template <class Group>
struct ByTeam {
  Group group;
  std::int64_t items;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = 32 * std::int64_t(member.league_rank());
    group(member, first, first + 32 < items ? first + 32 : items);
  }
};
template <class Group>
void launch_by_teams(Exec const& exec, std::int64_t items, Group const& group) {
  int const lanes = std::is_same_v<Memory, Kokkos::HostSpace> ? 1 : 64;
  Kokkos::TeamPolicy<Exec> policy(exec, int((items + 31) / 32), lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(lanes))));
  Kokkos::parallel_for(policy, ByTeam<Group>{group, items});
}

}  // namespace

Numbers map_of_tiles(Place const& on) {
  constexpr std::int64_t items = 10007;
  auto const a = on.matrices<Interleaved<double* [12][12]>>(1, items, 12);
  auto const b = on.noisy<View<double* [12]>>(2, items);
  auto const x = on.results<Interleaved<double* [12]>>(items);
  auto const size = on.results<Interleaved<double*>>(items);
  auto const codes = on.results<Interleaved<int*>>(items);
  map(on.exec, Solve{}, out(x), out(size), in(a), in(b), status(codes));
  return on.all(x, size, codes);
}

Numbers scan_of_tiles(Place const& on) {
  constexpr std::int64_t items = 5003, steps = 50;
  auto const z = on.noisy<Interleaved<double** [6]>>(3, items, steps);
  auto const f = on.noisy<Interleaved<double* [6][6]>>(4, items);
  auto const x = on.noisy<Interleaved<double* [6]>>(5, items);
  auto const emitted = on.results<View<double** [6]>>(items, steps);
  scan(on.exec, steps, Smooth{}, carry(x, x), each(z), in(f), emit(emitted));
  return on.all(x, emitted);
}

Numbers team_map_in_a_kernel(Place const& on) {
  constexpr std::int64_t items = 5003;
  auto const a = on.matrices<View<double* [12][12]>>(6, items, 12);
  auto const b = on.noisy<View<double* [12]>>(7, items);
  auto const x = on.results<View<double* [12]>>(items);
  auto const size = on.results<View<double*>>(items);
  launch_by_teams(on.exec, items, team_map<Exec>(Solve{}, out(x), out(size), in(a), in(b)));
  return on.all(x, size);
}

}  // namespace TwoDevices
