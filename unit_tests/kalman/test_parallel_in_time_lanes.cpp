// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elements of blocks in device kernels: with one item for each lane, and with lanes that share
// an item. A state that passes two blocks is the state of a filter over both.
#include "Reference.hpp"
#include "fused/ScanByLanes.hpp"

namespace Batchwork::Test {
namespace {

template <class T, int N, class Layout>
struct Elements {
  Kokkos::View<T** [N][N], Layout, Space> a, c, j;
  Kokkos::View<T** [N], Layout, Space> b, eta;
  Elements(int items, int blocks)
      : a(poisoned(decltype(a)("A", items, blocks))),
        c(poisoned(decltype(c)("C", items, blocks))),
        j(poisoned(decltype(j)("J", items, blocks))),
        b(poisoned(decltype(b)("b", items, blocks))),
        eta(poisoned(decltype(eta)("eta", items, blocks))) {}
};
template <int N, class V>
auto block_of(V const& v, int k) {
  if constexpr (V::rank() == 3) return extents<N>(Kokkos::subview(v, Kokkos::ALL, k, Kokkos::ALL));
  else return extents<N, N>(Kokkos::subview(v, Kokkos::ALL, k, Kokkos::ALL, Kokkos::ALL));
}

template <class Form, class T, int N, int M, int L>
void check_by_lanes(int team, int items) {
  constexpr int length = 4;
  constexpr bool root = Form::structure == Structure::lower;
  auto const covariance = [](auto const& v) {
    if constexpr (root) return lower(v);
    else return symmetric(v);
  };
  Random random(101);
  RandomModel<T> const m(random, N, M);
  std::vector<std::vector<Dense>> z;
  for (int k = 0; k < items; ++k)
    z.push_back(
        random_series<T>(random, 2 * length, M, [&](int, int) { return random(0, 1) < 0.2; }));
  auto const Z = filled_series(Kokkos::View<T** [M], Space>("z", items, 2 * length), z);
  auto const F = filled(Kokkos::View<T[N][N], Space>("F"), m.f),
             Q = filled(Kokkos::View<T[N][N], Space>("Q"), m.q),
             P = filled(Kokkos::View<T[N][N], Space>("P"), eye(N));
  auto const H = filled(Kokkos::View<T[M][N], Space>("H"), m.h);
  auto const R = filled(Kokkos::View<T[M][M], Space>("R"), m.r);
  Kokkos::View<T[N], Space> zeros("zeros");
  Kokkos::View<T[N][N], Space> none("none");
  Elements<T, N, Kokkos::LayoutRight> const each_block(items, 2), both(items, 1);
  auto const carried = [&](auto const& step, auto const& steps,
                           Elements<T, N, Kokkos::LayoutRight> const& e, int k,
                           auto const&... operands) {
    scan_by_lanes<L>(
        team, items, steps, step, Impl::resolve(carry(common(P), block_of<N>(e.a, k))),
        Impl::resolve(carry(common(zeros), block_of<N>(e.b, k))),
        Impl::resolve(carry(common(covariance(none)), covariance(block_of<N>(e.c, k)))),
        Impl::resolve(carry(common(zeros), block_of<N>(e.eta, k))),
        Impl::resolve(carry(common(covariance(none)), covariance(block_of<N>(e.j, k)))),
        Impl::resolve(operands)...);
  };
  using Kalman::Order;
  typename Form::template Element<Order::predict_first, Kalman::Data::may_be_missing, false> const
      element;
  for (int k = 0; k < 2; ++k)
    carried(element, Impl::Steps(k * length, (k + 1) * length, false), each_block, k, each(Z),
            common(F), common(symmetric(Q)), common(H), common(symmetric(R)), step_index());
  carried(Impl::AppendBlock<Form>{}, Impl::Steps(2), both, 0, each(each_block.a),
          each(each_block.b), each(covariance(each_block.c)), each(each_block.eta),
          each(covariance(each_block.j)));

  auto const x = poisoned(Kokkos::View<T** [N], Space>("x", items, 2));
  auto const p = poisoned(Kokkos::View<T** [N][N], Space>("p", items, 2));
  auto const end_x = poisoned(Kokkos::View<T* [N], Space>("end x", items));
  auto const end_p = poisoned(Kokkos::View<T* [N][N], Space>("end p", items));
  auto const pass = [&](Elements<T, N, Kokkos::LayoutRight> const& e, int blocks) {
    scan_by_lanes<L>(team, items, Impl::Steps(blocks), Impl::AdvanceBlock<Form, true>{},
                     Impl::resolve(carry(common(zeros), end_x)),
                     Impl::resolve(carry(common(covariance(P)), covariance(end_p))),
                     Impl::resolve(emit(x)), Impl::resolve(emit(covariance(p))),
                     Impl::resolve(each(e.a)), Impl::resolve(each(e.b)),
                     Impl::resolve(each(covariance(e.c))), Impl::resolve(each(e.eta)),
                     Impl::resolve(each(covariance(e.j))), Impl::resolve(step_index()));
    Kokkos::fence();
    auto const hx = on_host(end_x);
    auto const hp = on_host(end_p);
    for (int k = 0; k < items; ++k) {
      auto const s = std::size_t(k);
      auto const want = true_filter(Order::predict_first, m.truth(), Dense(N, 1), eye(N), z[s]);
      EXPECT_TRUE(near([&](int i, int) { return hx(s, i); }, want.last_mean,
                       tolerance<T>(20 * N, 4, want.condition)))
          << k;
      auto const entry = [&](int i, int j) {
        if constexpr (!root) return hp(s, i, j);
        T sum(0);
        for (int c = 0; c <= std::min(i, j); ++c) sum += hp(s, i, c) * hp(s, j, c);
        return sum;
      };
      EXPECT_TRUE(near(entry, want.last_covariance, tolerance<T>(20 * N, 2, want.condition))) << k;
    }
  };
  pass(each_block, 2);
  pass(both, 1);
}

TEST(BlocksByLanes, LanesWithAnItem) {
  check_by_lanes<Impl::CovarianceBlocks, double, 3, 2, 1>(4, 7);
  check_by_lanes<Impl::SquareRootBlocks, double, 3, 2, 1>(4, 7);
}
TEST(BlocksByLanes, LanesThatShareAnItem) {
  check_by_lanes<Impl::CovarianceBlocks, double, 5, 2, 4>(32, 11);
  check_by_lanes<Impl::SquareRootBlocks, double, 5, 2, 4>(32, 11);
}

}  // namespace
}  // namespace Batchwork::Test
