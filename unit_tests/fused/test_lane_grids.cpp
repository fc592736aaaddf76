// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernels of map, run on the host by teams of threads, with warps of 32 or 64 lanes and
// with the portable code: lanes that share items, the copy groups for these, and item-contiguous
// batches that warps copy for lanes with one item each.
#include "fused/MapByLanes.hpp"

namespace Batchwork::Test {
namespace {

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

// Copy groups of 32 lanes, which are one warp or half of one; of 64, which are a warp or a part of
// the team; of all the team.
TEST(LaneGrids, CopyGroupsOfHalfAWarp) {
  update_exactly<float, Left, 2, 5, 3>({32, 64}, 71);
  update_exactly<float, Right, 4, 4, 5>({96}, 53);
}
TEST(LaneGrids, CopyGroupsOfTwoWarpsOrOne) {
  update_exactly<double, Left, 8, 7, 2>({64, 128}, 37);
  update_exactly<double, Right, 16, 5, 6>({64}, 9);
}
TEST(LaneGrids, CopyGroupsOfATeam) { update_exactly<float, Left, 32, 6, 3>({128}, 11); }

// Sizes that are multiples of 16 bytes, and odd numbers of entries; teams with a partial last warp.
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

/// Sums that are distributed over the lanes of an item, or values that lanes broadcast one after
/// the other.
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
      grid.template reduce_scatter<L>(x);
      for (int k = 0; k < N; k += L)
        if (k + grid.lane < N) out(lane, k + grid.lane) = x[k];
    } else {
      grid.begin_turns();
      for (int k = 0; k < N; ++k) out(lane, k) = grid.template broadcast_in_turn<L>(x[k], k % L, k);
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

/// Every way in which a symmetric tile that is held whole takes part.
struct UsesOfSymmetric {
  template <class Y, class Z, class S, class W, class G, class C, class Q, class V>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, S& s, W& w, G const& g, C const& c, Q const& q,
                                  V const& v) const {
    auto p = congruence(c, g, q);
    y = c * g + g * c;
    z = transpose(c) * (p * c) + p * p;
    w = p * v + g * v;
    p = p + g;
    p = p * element(g, 1, 0) - transpose(p);
    s = congruence(c, p) + symmetric_product(p, identity<C::rows>(c)) + g;
  }
};

template <class T, class Layout, int L, int N, class How>
void use_symmetric_tiles(int team, std::int64_t n) {
  SCOPED_TRACE(std::to_string(L) + " lanes an item, extent " + std::to_string(N));
  Random random(29);
  BatchIn<T, Layout, N, N> y(n), z(n), s(n), g(n);
  BatchIn<T, Layout, N> w(n), v(n);
  BatchIn<int, Left> codes(n);
  g.fill_exactly(random), v.fill_exactly(random);
  auto const some = [&](int, int) { return random.integer(-1, 1); };
  Dense const c = make_dense(N, N, some), q = mirrored(make_dense(N, N, some));
  Common<T, N, N> const common_c(c), common_q(q);
  map_by_lanes<L, How>(team, n, UsesOfSymmetric{}, Impl::resolve(out(y.view())),
                       Impl::resolve(out(z.view())), Impl::resolve(out(symmetric(s.view()))),
                       Impl::resolve(out(w.view())), Impl::resolve(in(symmetric(g.const_view()))),
                       Impl::resolve(common(common_c.view)),
                       Impl::resolve(common(symmetric(common_q.view))),
                       Impl::resolve(in(v.const_view())), Impl::resolve(status(codes.view())));
  y.download(), z.download(), s.download(), w.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const gk = mirrored(g.dense(k)), p = c * gk * transpose(c) + q;
    Dense p2 = p + gk;
    p2 = gk(1, 0) * p2 - p2;
    ASSERT_TRUE(equal(y.dense(k), c * gk + gk * c)) << "item " << k;
    ASSERT_TRUE(equal(z.dense(k), transpose(c) * (p * c) + p * p)) << "item " << k;
    ASSERT_TRUE(equal(w.dense(k), p * v.dense(k) + gk * v.dense(k))) << "item " << k;
    ASSERT_TRUE(equal(s.dense(k), c * p2 * transpose(c) + p2 + gk)) << "item " << k;
    ASSERT_EQ(codes.at(k), 0) << "item " << k;
  }
}
TEST(LaneGrids, SymmetricTilesHeldWhole) {
  use_symmetric_tiles<double, Left, 4, 9, Division<true>>(64, 23);
  use_symmetric_tiles<double, Right, 2, 9, Division<true>>(32, 37);
  use_symmetric_tiles<float, Left, 8, 5, Division<true>>(64, 11);
  // As blocks of 8 x 8, as matrix instructions have them.
  use_symmetric_tiles<double, Left, 32, 9, Division<true>>(64, 3);
}

/// The operations of a Kalman update, by lanes that store symmetric operands completely, with
/// staged and with fixed matrices.
struct CovarianceUpdate {
  template <class Out, class P, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(Out& p_new, P const& p, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    auto prior = congruence(f, p, q);
    auto g = h * prior;
    auto s = symmetric_product(g, transpose(h), r);
    auto y = solve(cholesky(s).lower(), g);
    p_new = downdate(prior, y);
  }
};

template <int L, int N, class How>
void update_covariances(int team, std::int64_t n) {
  using T = double;
  SCOPED_TRACE(std::to_string(L) + " lanes an item, extent " + std::to_string(N));
  Random random(31);
  BatchIn<T, Left, N, N> p(n), result(n), again(n);
  p.fill([&](std::int64_t) { return random_spd<T>(random, N); });
  auto const some = [&](int, int) { return random.integer(-2, 2) / 4.0L; };
  Dense const f = make_dense(N, N, some), h = make_dense(N, N, some);
  Dense const q = random_spd<T>(random, N), r = random_spd<T>(random, N);
  Common<T, N, N> const cf(f), ch(h), cq(q), cr(r);
  auto const tile = [](Dense const& x) {
    return generate<N, N>([&](int i, int j) { return T(x(i, j)); });
  };
  auto const P = Impl::resolve(in(symmetric(p.const_view())));
  map_by_lanes<L, How>(team, n, CovarianceUpdate{}, Impl::resolve(out(symmetric(result.view()))), P,
                       Impl::resolve(common(cf.view)), Impl::resolve(common(symmetric(cq.view))),
                       Impl::resolve(common(ch.view)), Impl::resolve(common(symmetric(cr.view))));
  map_by_lanes<L, How>(
      team, n, CovarianceUpdate{}, Impl::resolve(out(symmetric(again.view()))), P,
      Impl::resolve(common(fixed(tile(f)))), Impl::resolve(common(fixed(symmetric(tile(q))))),
      Impl::resolve(common(fixed(tile(h)))), Impl::resolve(common(fixed(symmetric(tile(r))))));
  result.download(), again.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const prior = f * p.dense(k) * transpose(f) + q, s = h * prior * transpose(h) + r;
    Dense const g = h * prior, truth = prior - transpose(g) * solve_spd(s, g);
    auto const close = tolerance<T>(8 * N, norm1(prior) * condition_spd(s), 1);
    ASSERT_TRUE(near(result.dense(k), truth, close)) << "item " << k;
    ASSERT_TRUE(near(again.dense(k), truth, close)) << "item " << k;
  }
  // An item without a factor is known by its status, and changes no bit of another.
  BatchIn<T, Left, N, N> other(n);
  BatchIn<int, Left> codes(n);
  std::int64_t const bad = n / 2;
  p.put(bad, -100.0L * p.dense(bad));
  p.upload();
  map_by_lanes<L, How>(team, n, CovarianceUpdate{}, Impl::resolve(out(symmetric(other.view()))), P,
                       Impl::resolve(common(cf.view)), Impl::resolve(common(symmetric(cq.view))),
                       Impl::resolve(common(ch.view)), Impl::resolve(common(symmetric(cr.view))),
                       Impl::resolve(status(codes.view())));
  other.download(), codes.download();
  for (std::int64_t k = 0; k < n; ++k) {
    if (k == bad) {
      ASSERT_EQ(Status::reason(codes.at(k)), Reason::not_positive_definite);
      ASSERT_GE(Status::info(codes.at(k)), 1);
      ASSERT_LE(Status::info(codes.at(k)), N);
    } else {
      ASSERT_EQ(codes.at(k), 0) << "item " << k;
      for (int i = 0; i < N * N; ++i)
        ASSERT_TRUE(same_bits(result.at(k, i / N, i % N), other.at(k, i / N, i % N)))
            << "item " << k;
    }
  }
}
TEST(LaneGrids, UpdatesOfWholeTiles) {
  update_covariances<4, 9, Division<true>>(64, 19);
  update_covariances<2, 10, Division<true>>(32, 35);
  update_covariances<32, 8, Division<true>>(128, 5);
  update_covariances<32, 13, Division<true>>(32, 2);
  update_covariances<32, 16, DivisionInBlocks<4>>(128, 5);
  update_covariances<32, 17, Division<true, 60000>>(32, 1);
  update_covariances<32, 24, Division<true>>(64, 3);
}

/// An observation of all states but the last, by lanes that share an item. An item whose noise is
/// lost relative to the prior variances is marked, and does not change a bit of other items.
struct Observation {
  template <class X, class P, class XO, class PO, class Z, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, XO const& before, PO const& covariance, Z const& z,
                                  H const& h, R const& r) const {
    x = before;
    p = covariance;
    Kalman::update(x, p, z, h, r);
  }
};

template <class T, int L, int N, class How>
void update_by_lanes(int team, std::int64_t n) {
  SCOPED_TRACE(std::to_string(L) + " lanes an item, extent " + std::to_string(N));
  constexpr int M = N - 1;
  Random random(37);
  BatchIn<T, Left, N, N> p(n), result[2] = {BatchIn<T, Left, N, N>(n), BatchIn<T, Left, N, N>(n)};
  BatchIn<T, Left, N> x(n), mean[2] = {BatchIn<T, Left, N>(n), BatchIn<T, Left, N>(n)};
  BatchIn<T, Left, M> z(n);
  BatchIn<int, Left> codes(n);
  p.fill([&](std::int64_t) { return random_spd<T>(random, N); });
  x.randomise(random);
  z.randomise(random);
  for (std::int64_t k = 0; k < n; ++k) z.at(k, 0) = std::numeric_limits<T>::quiet_NaN();
  Common<T, M, N> const h(make_dense(M, N, [](int i, int j) { return i == j ? 1 : 0; }));
  Common<T, M, M> const r(eye(M));
  std::int64_t const bad = n / 2;
  for (bool planted : {false, true}) {
    if (planted) p.put(bad, 1e20L * p.dense(bad));
    p.upload(), x.upload(), z.upload();
    auto& q = result[planted];
    map_by_lanes<L, How>(team, n, Observation{}, Impl::resolve(out(mean[planted].view())),
                         Impl::resolve(out(symmetric(q.view()))), Impl::resolve(in(x.view())),
                         Impl::resolve(in(symmetric(p.const_view()))), Impl::resolve(in(z.view())),
                         Impl::resolve(common(h.view)), Impl::resolve(common(symmetric(r.view))),
                         Impl::resolve(status(codes.view())));
    mean[planted].download(), q.download(), codes.download();
    for (std::int64_t k = 0; k < n; ++k) {
      // The first entry is missing.
      if (planted && k == bad) {
        ASSERT_EQ(codes.at(k), Status::code(Reason::inaccurate, 2));
        continue;
      }
      ASSERT_EQ(codes.at(k), 0) << "item " << k;
      if (!planted) continue;
      for (int i = 0; i < N; ++i) {
        ASSERT_TRUE(same_bits(mean[0].at(k, i), mean[1].at(k, i))) << "item " << k;
        for (int j = 0; j < N; ++j)
          ASSERT_TRUE(same_bits(result[0].at(k, i, j), result[1].at(k, i, j))) << "item " << k;
      }
    }
  }
}
TEST(LaneGrids, ObservationsThatAreTooPrecise) {
  update_by_lanes<double, 4, 9, Division<true>>(64, 19);
  update_by_lanes<float, 2, 5, Division<>>(32, 35);
  update_by_lanes<double, 8, 3, Division<>>(64, 9);
  update_by_lanes<float, 32, 13, Division<true>>(32, 2);
}

/// With matrix instructions, map uses a warp for each item from 15 x 15 on, if all matrices of the
/// items are symmetric.
TEST(LaneGrids, BlocksByDefault) {
  using Symmetric = decltype(Impl::resolve(in(symmetric(BatchIn<double, Left, 15, 15>(1).view()))));
  using Small = decltype(Impl::resolve(in(symmetric(BatchIn<double, Left, 14, 14>(1).view()))));
  using Float = decltype(Impl::resolve(in(symmetric(BatchIn<float, Left, 15, 15>(1).view()))));
  using General = decltype(Impl::resolve(in(BatchIn<double, Left, 15, 15>(1).view())));
  using Vector = decltype(Impl::resolve(out(BatchIn<double, Left, 15>(1).view())));
  using Common = decltype(Impl::resolve(common(Common<double, 15, 15>(Dense(15, 15)).view)));
  auto const lanes = []<class... O>(std::type_identity<O>...) {
    return Impl::DividedLanes<0, Division<>, OneLane, Impl::bound_t<O>...>::lanes;
  };
  constexpr bool blocks = Impl::Vendor::chains_matrices<double>;
  constexpr std::type_identity<Symmetric> symmetric_in;
  constexpr std::type_identity<Common> common_in;
  EXPECT_EQ(lanes(symmetric_in, common_in, std::type_identity<Vector>{}), blocks ? 32 : 8);
  EXPECT_EQ(lanes(symmetric_in, std::type_identity<General>{}), 8);
  EXPECT_EQ(lanes(common_in, std::type_identity<Vector>{}), 8);
  EXPECT_EQ(lanes(std::type_identity<Small>{}, std::type_identity<Small>{}), 8);
  EXPECT_EQ(lanes(std::type_identity<Float>{}), 4);
}

/// In place, and with outputs of which a matrix instruction computes only the lower triangle.
struct UpdateInPlace {
  template <class P, class F, class Q>
  KOKKOS_FUNCTION void operator()(P& p, F const& f, Q const& q) const {
    auto const prior = congruence(f, p, q);
    auto const y = solve(cholesky(prior).lower(), f);
    p = downdate(prior, y);
    p = congruence(f, p, q);
  }
};
TEST(LaneGrids, BlocksInPlace) {
  constexpr int N = 13;
  Random random(37);
  std::int64_t const n = 3;
  BatchIn<double, Left, N, N> p(n);
  p.fill([&](std::int64_t) { return random_spd<double>(random, N); });
  std::vector<Dense> before;
  for (std::int64_t k = 0; k < n; ++k) before.push_back(p.dense(k));
  Dense const f = make_dense(N, N, [&](int, int) { return random.integer(-2, 2) / 4.0L; });
  Dense const q = random_spd<double>(random, N);
  Common<double, N, N> const cf(f), cq(q);
  map_by_lanes<32, Division<true>>(
      64, n, UpdateInPlace{}, Impl::resolve(inout(symmetric(p.view()))),
      Impl::resolve(common(cf.view)), Impl::resolve(common(symmetric(cq.view))));
  p.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const prior = f * before[std::size_t(k)] * transpose(f) + q;
    Dense const posterior = prior - transpose(f) * solve_spd(prior, f);
    Dense const truth = f * posterior * transpose(f) + q;
    ASSERT_TRUE(near(
        p.dense(k), truth,
        tolerance<double>(16 * N, norm1(f) * norm1(f) * norm1(prior) * condition_spd(prior), 1)))
        << "item " << k;
  }
}

/// Team scratch memory holds some of four common matrices. Each must be read from the right place.
TEST(LaneGrids, CommonsStagedOneByOne) {
  using V = decltype(Impl::resolve(common(Common<double, 17, 17>(Dense(17, 17)).view)));
  using In = decltype(Impl::resolve(in(BatchIn<double, Left, 17, 17>(1).const_view())));
  using Lanes =
      typename Impl::DividedLanes<16, Division<>, OneLane, Impl::bound_t<In>, Impl::bound_t<V>,
                                  Impl::bound_t<V>, Impl::bound_t<V>, Impl::bound_t<V>>::type;
  static_assert(!Impl::lanes_of_operand<Lanes, 0>::stages);
  static_assert(Impl::lanes_of_operand<Lanes, 1>::stages);
  static_assert(Impl::lanes_of_operand<Lanes, 2>::stages);
  static_assert(!Impl::lanes_of_operand<Lanes, 3>::stages);
  update_covariances<16, 17, Division<>>(64, 5);
  update_covariances<16, 17, Division<false, 64000>>(64, 5);
}

}  // namespace
}  // namespace Batchwork::Test
