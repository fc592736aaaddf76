// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels of map on a device, run on the host by teams of threads in warps of 32 or 64 and the portable way: lanes that
// share items, the crews that carry these, and rows carried by the warps of lanes that have items of their own.
#include "support/Batchwork_TestSupport.hpp"
#include "verbs/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

/// As map on a device, in teams of so many lanes, L of which share an item.
template <int L, class Sequence, class... O>
void map_by_lanes(int team, std::int64_t items, Sequence const& sequence, O const&... operands) {
  using Lanes = typename Impl::DeviceLanesOf<L, OneLane, Impl::bound_t<O>...>::type;
  using Group = Impl::MapGroup<Sequence, Lanes, Impl::bound_t<O>...>;
  static_assert(Group::lanes_per_item == L && Group::on_device);
  Group const group{{typename Group::Ops{{{Impl::bind(operands)}...}}}, sequence};
  // Two rounds of each team, so that what is fetched ahead is used.
  int const at_once = L > 1 ? Group::grids_in(team) : team, per_team = L > 1 ? at_once : 2 * team;
  std::int64_t const teams = (items + 2 * at_once - 1) / (2 * at_once);
  std::size_t const scratch =
      Group::scratch_size(team) + Group::fetch_bytes * std::size_t(team) + 64;
  run_teams(Impl::DeviceKernel<Group>{group, items, per_team}, int(teams), team, scratch);
}

/// Whole numbers, so that every result is exact. s is square.
struct Update {
  template <class Y, class U, class A, class S, class G, class C>
  KOKKOS_FUNCTION void operator()(Y& y, U& u, A const& a, S& s, G const& g, C const& c) const {
    y = c * (a + u);
    u = u - a;
    s = s + congruence(c, g);
  }
};

template <class T, class Layout, int L, int M, int N>
void update_exactly(std::initializer_list<int> teams, std::int64_t n) {
  for (int team : teams) {
    SCOPED_TRACE(std::to_string(L) + " lanes an item, teams of " + std::to_string(team));
    Random random(17);
    BatchIn<T, Layout, M, N> a(n), y(n), u(n);
    BatchIn<T, Layout, M, M> s(n), g(n);
    a.fill_exactly(random), u.fill_exactly(random), s.fill_exactly(random), g.fill_exactly(random);
    Dense const c = make_dense(M, M, [&](int, int) { return random.integer(-2, 2); });
    Common<T, M, M> const common_c(c);
    BatchIn<int, Left> codes(n);
    std::vector<Dense> u0, s0;
    for (std::int64_t k = 0; k < n; ++k) u0.push_back(u.dense(k)), s0.push_back(s.dense(k));
    map_by_lanes<L>(team, n, Update{}, Impl::resolve(out(y.view())), Impl::resolve(inout(u.view())),
                    Impl::resolve(in(a.const_view())), Impl::resolve(inout(symmetric(s.view()))),
                    Impl::resolve(in(symmetric(g.const_view()))),
                    Impl::resolve(common(common_c.view)), Impl::resolve(status(codes.view())));
    y.download(), u.download(), s.download(), codes.download();
    for (std::int64_t k = 0; k < n; ++k) {
      auto const q = std::size_t(k);
      ASSERT_TRUE(equal(y.dense(k), c * (a.dense(k) + u0[q]))) << "item " << k;
      ASSERT_TRUE(equal(u.dense(k), u0[q] - a.dense(k))) << "item " << k;
      ASSERT_TRUE(equal(s.dense(k), mirrored(s0[q]) + c * mirrored(g.dense(k)) * transpose(c)))
          << "item " << k;
      ASSERT_EQ(codes.at(k), 0) << "item " << k;
    }
    EXPECT_EQ(y.poisoned(), y.outside());
    EXPECT_EQ(u.poisoned(), u.outside());
    EXPECT_EQ(s.poisoned(), s.outside());
  }
}

// Crews of 32 lanes, which are one warp or half of one; of 64, which are a warp or a part of the team; of all the team.
TEST(LaneGrids, CrewsOfHalfAWarp) {
  update_exactly<float, Left, 2, 5, 3>({32, 64}, 71);
  update_exactly<float, Right, 4, 4, 5>({96}, 53);
}
TEST(LaneGrids, CrewsOfTwoWarpsOrOne) {
  update_exactly<double, Left, 8, 7, 2>({64, 128}, 37);
  update_exactly<double, Right, 16, 5, 6>({64}, 9);
}
TEST(LaneGrids, CrewsOfATeam) { update_exactly<float, Left, 32, 6, 3>({128}, 11); }

// Whole units of 16 bytes, and an odd number of numbers; teams whose last warp is not whole.
TEST(LaneGrids, RowsCarriedByWarps) {
  update_exactly<float, Right, 1, 4, 4>({64, 96}, 333);
  update_exactly<double, Right, 1, 3, 3>({32, 64}, 129);
}

/// Sums, broadcasts and masks of lanes that share an item.
struct Factor {
  template <class X, class Length, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, Length& length, A const& a, B const& b) const {
    x = cholesky(a).solve(b);
    auto const size = norm2(b), first = element(b, 0);
    auto const large = size > 4.0;
    if (Batchwork::any(large)) length = select(large, size, first);
    else length = first;
  }
};

template <int L, int N>
void solve_items(int team, std::int64_t n) {
  SCOPED_TRACE(std::to_string(L) + " lanes an item, teams of " + std::to_string(team));
  Random random(23);
  BatchIn<double, Left, N, N> a(n);
  BatchIn<double, Left, N> b(n), x(n), other(n);
  BatchIn<double, Left> length(n);
  BatchIn<int, Left> codes(n);
  a.fill([&](std::int64_t) { return random_spd<double>(random, N); });
  b.randomise(random, -4, 4);
  auto const run = [&](auto& result) {
    map_by_lanes<L>(team, n, Factor{}, Impl::resolve(out(result.view())),
                    Impl::resolve(out(length.view())), Impl::resolve(in(symmetric(a.const_view()))),
                    Impl::resolve(in(b.const_view())), Impl::resolve(status(codes.view())));
    result.download(), length.download(), codes.download();
  };
  run(x);
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const ak = a.dense(k), bk = b.dense(k), truth = solve_spd(ak, bk);
    long double const size = std::sqrt(dot(bk, bk));
    ASSERT_TRUE(near(x.dense(k), truth, tolerance<double>(N * N, norm1(truth), condition_spd(ak))))
        << "item " << k;
    ASSERT_NEAR(double(length.at(k)), double(size > 4 ? size : bk(0)),
                double(tolerance<double>(N, size)))
        << "item " << k;
    ASSERT_EQ(codes.at(k), 0) << "item " << k;
  }
  // An item without a factor is known by its status, and changes no bit of another.
  std::int64_t const bad = n / 2;
  a.put(bad, -1.0L * a.dense(bad));
  a.upload();
  run(other);
  for (std::int64_t k = 0; k < n; ++k) {
    if (k == bad) {
      ASSERT_EQ(Status::reason(codes.at(k)), Reason::not_positive_definite);
    } else {
      ASSERT_EQ(codes.at(k), 0) << "item " << k;
      for (int i = 0; i < N; ++i)
        ASSERT_TRUE(same_bits(x.at(k, i), other.at(k, i))) << "item " << k;
    }
  }
}
TEST(LaneGrids, FactorsAndSums) {
  solve_items<2, 5>(64, 41);
  solve_items<8, 9>(64, 19);
  solve_items<32, 6>(128, 7);
}

/// Sums that are dealt out to the lanes of an item, or numbers that they tell each other in turn.
template <int L, int N>
struct Dealing {
  using Exchange = Impl::Exchange<double, L, N>;
  bool sums;
  Kokkos::View<double**, Kokkos::HostSpace> in, out;  ///< (lane of the team, k)

  template <class Member>
  void operator()(Member const& member) const {
    int const rank = member.team_rank();
    auto const lane = std::size_t(rank);
    auto* const scratch = static_cast<char*>(member.team_scratch(0).get_shmem_aligned(1, 16));
    Impl::LaneGrid const grid{scratch + Exchange::bytes * std::size_t(rank / L), rank % L,
                              Impl::Vendor::LaneSync::of(member)};
    double x[N];
    for (int k = 0; k < N; ++k) x[k] = in(lane, k);
    if (sums) {
      grid.template scatter_sums<L>(x);
      for (int k = 0; k < N; k += L)
        if (k + grid.lane < N) out(lane, k + grid.lane) = x[k];
    } else {
      grid.begin_turns();
      for (int k = 0; k < N; ++k) out(lane, k) = grid.template told_in_turn<L>(x[k], k % L, k);
    }
  }
};

template <int L, int N>
void deal_out(int team) {
  SCOPED_TRACE(std::to_string(L) + " lanes an item, " + std::to_string(N) + " numbers");
  Random random(29);
  using View = Kokkos::View<double**, Kokkos::HostSpace>;
  for (bool sums : {true, false}) {
    Dealing<L, N> const kernel{sums, View("in", std::size_t(team), N),
                               View("out", std::size_t(team), N)};
    for (int l = 0; l < team; ++l)
      for (int k = 0; k < N; ++k) kernel.in(l, k) = random.integer(-9, 9);
    int const waits =
        run_teams(kernel, 1, team, Dealing<L, N>::Exchange::bytes * std::size_t(team / L) + 16);
    if (!Impl::Vendor::has_shuffles) {
      EXPECT_LE(waits, sums ? 2 : N + 1);
    }
    for (int l = 0; l < team; ++l)
      for (int k = 0; k < N; ++k) {
        int const first = l / L * L;
        if (sums && k % L != l % L) continue;
        double want = 0;
        for (int m = 0; m < L; ++m)
          if (sums || m == k % L) want += kernel.in(first + m, k);
        ASSERT_EQ(kernel.out(l, k), want) << "lane " << l << ", number " << k;
      }
  }
}
TEST(LaneGrids, DealOut) {
  deal_out<2, 5>(32);
  deal_out<4, 4>(32);
  deal_out<8, 16>(64);
  deal_out<16, 3>(64);
  deal_out<32, 33>(64);
}

}  // namespace
}  // namespace Batchwork::Test
