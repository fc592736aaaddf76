// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The square-root filter with a diffuse start in device kernels: with one item for each lane, and
// with lanes that share an item.
#include "DiffuseLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, int M, int L>
void check_by_lanes(int team, int items) {
  DiffuseLanes<T, N, M> const b(items);
  auto const step = [&](auto const&... o) {
    scan_by_lanes<L>(team, items, b.steps,
                     Kalman::DiffuseSquareRootStep<Kalman::Data::may_be_missing, true>{
                         b.steps, Kalman::DiffuseEntries::without_log_two_pi},
                     o...);
  };
  step(carry(common(b.x0), b.x),
       Impl::carry_operand(Impl::resolve(common(lower(b.p0))), Impl::resolve(out(symmetric(b.p)))),
       carry(common(b.x0)), carry(common(b.a)), carry(common(fixed(T(N)))),
       carry(common(fixed(T(0))), log_sum(b.ll, -0.5)), carry(common(lower(b.q))), step_index(),
       Impl::resolve(each(b.z)), Impl::resolve(common(b.f)), Impl::resolve(common(b.h)),
       Impl::resolve(common(symmetric(b.r))), nothing(), nothing(), nothing(), nothing());
  b.expect();
}

TEST(DiffuseSquareRootByLanes, LanesWithAnItem) { check_by_lanes<double, 3, 2, 1>(4, 7); }
TEST(DiffuseSquareRootByLanes, LanesThatShareAnItem) { check_by_lanes<double, 5, 2, 4>(32, 11); }

}  // namespace
}  // namespace Batchwork::Test
