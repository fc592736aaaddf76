// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of tiles larger than 16 x 16 in double. Some devices compute them by matrix
// instructions, for whole blocks of 8 x 8 or 16 x 8 results and four terms at a time. Extents of 17
// and 31 and ten terms leave partial blocks of each kind.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

/// y is K x N, f is M x N. Lanes lanes share an item; 0: the default number.
template <int N_, int K_, int M_, class Layout_, int Lanes_ = 0>
struct Case {
  using Layout = Layout_;
  static constexpr int N = N_, K = K_, M = M_, Lanes = Lanes_;
};
template <class C>
class LargeProducts : public ::testing::Test {};
using CasesOfLargeProducts = std::conditional_t<
    Impl::runs_on_device<Space>,
    ::testing::Types<Case<24, 24, 24, Left>, Case<32, 32, 32, Right>, Case<24, 17, 17, Right>,
                     Case<17, 24, 24, Left>, Case<31, 10, 18, Strided>, Case<24, 24, 17, Left, 8>>,
    ::testing::Types<Case<24, 17, 17, Right>, Case<32, 32, 32, Left>>>;
TYPED_TEST_SUITE(LargeProducts, CasesOfLargeProducts);

constexpr std::int64_t n = 45;
/// The item whose numbers are NaN. A warp multiplies its items one after the other, and only this
/// item may be affected.
constexpr std::int64_t spoilt = n / 2;

Dense half_poisoned(Random& random, int size) {
  Dense const x = random_dense<double>(random, size, size);
  return make_dense(size, size, [&](int i, int j) {
    return j <= i ? x(i, j) : static_cast<long double>(poison<double>());
  });
}

/// The product of a tile as it was loaded, with rows in lanes, and of c y, with columns in lanes.
struct Grams {
  template <class G, class D, class GW, class DW, class DC, class P, class Y, class C, class CP>
  KOKKOS_FUNCTION void operator()(G& of_rows, D& down_rows, GW& of_columns, DW& down_columns,
                                  DC& down_common, P const& p, Y const& y, C const& c,
                                  CP const& cp) const {
    of_rows = gram(y);
    down_rows = downdate(p, y);
    auto const w = c * y;
    of_columns = gram(w);
    down_columns = downdate(p, w);
    down_common = downdate(cp, y);
  }
};

TYPED_TEST(LargeProducts, GramAndDowndate) {
  using L = typename TypeParam::Layout;
  constexpr int N = TypeParam::N, K = TypeParam::K;
  Random random(81);
  BatchIn<double, L, N, N> p(n), of_rows(n), down_rows(n), of_columns(n), down_columns(n),
      down_common(n);
  BatchIn<double, L, K, N> y(n);
  p.fill([&](std::int64_t) { return half_poisoned(random, N); });
  y.randomise(random);
  y.at(spoilt, K - 1, N / 2) = std::numeric_limits<double>::quiet_NaN();
  y.upload();
  Common<double, K, K> const c(random_dense<double>(random, K, K));
  Common<double, N, N> const cp(half_poisoned(random, N));
  map(launch(lanes<TypeParam::Lanes>), Grams{}, out(of_rows.view()), out(down_rows.view()),
      out(of_columns.view()), out(symmetric(down_columns.view())), out(down_common.view()),
      in(symmetric(p.view())), in(y.view()), common(c.view), common(symmetric(cp.view)));
  of_rows.download(), down_rows.download(), of_columns.download(), down_columns.download();
  down_common.download();
  for (std::int64_t k = 0; k < n; ++k) {
    if (k == spoilt) {
      EXPECT_TRUE(std::isnan(of_rows.at(k, N / 2, N / 2)));
      EXPECT_TRUE(std::isnan(down_columns.at(k, N / 2, N / 2)));
      EXPECT_TRUE(std::isnan(down_common.at(k, N / 2, N / 2)));
      continue;
    }
    Dense const pk = mirrored(p.dense(k)), yk = y.dense(k), wk = c.dense() * yk;
    Dense const w_size = abs(c.dense()) * abs(yk);
    auto const check = [&](Dense const& got, Dense const& x, Dense const& size, int terms,
                           char const* what) {
      EXPECT_TRUE(near(got, x, tolerance<double>(terms, 1) * size)) << what << ", item " << k;
      EXPECT_TRUE(equal(got, transpose(got))) << what << ", item " << k;
    };
    Dense const yy = transpose(yk) * yk, ww = transpose(wk) * wk;
    Dense const yy_size = abs(transpose(yk)) * abs(yk), ww_size = transpose(w_size) * w_size;
    check(of_rows.dense(k), yy, yy_size, K, "y' y");
    check(down_rows.dense(k), pk - yy, abs(pk) + yy_size, K + 1, "p - y' y");
    Dense const cpk = mirrored(cp.dense());
    check(down_common.dense(k), cpk - yy, abs(cpk) + yy_size, K + 1, "common p - y' y");
    // Both factors add the error of their own K terms.
    check(of_columns.dense(k), ww, ww_size, 3 * K, "w' w");
    check(down_columns.dense(k), pk - ww, abs(pk) + ww_size, 3 * K + 1, "p - w' w");
  }
}

/// Congruences, and products without symmetry: of two per-item tiles, and with a common tile on
/// either side.
struct Products {
  template <class C0, class C1, class C2, class C3, class O0, class O1, class O2, class O3, class P,
            class Q, class Y, class F, class CQ>
  KOKKOS_FUNCTION void operator()(C0& plain, C1& onto_item, C2& onto_common, C3& of_general, O0& yp,
                                  O1& yty, O2& pft, O3& fyt, P const& p, Q const& q, Y const& y,
                                  F const& f, CQ const& cq) const {
    plain = congruence(f, p);
    onto_item = congruence(f, p, q);
    onto_common = congruence(f, p, cq);
    of_general = symmetric_product(f * p, transpose(f), q);
    yp = y * p;
    yty = transpose(y) * y;
    pft = p * transpose(f);
    fyt = f * transpose(y);
  }
};

TYPED_TEST(LargeProducts, CongruenceAndProduct) {
  using L = typename TypeParam::Layout;
  constexpr int N = TypeParam::N, K = TypeParam::K, M = TypeParam::M;
  Random random(83);
  BatchIn<double, L, N, N> p(n), yty(n);
  BatchIn<double, L, M, M> q(n), plain(n), onto_item(n), onto_common(n), of_general(n);
  BatchIn<double, L, K, N> y(n), yp(n);
  BatchIn<double, L, N, M> pft(n);
  BatchIn<double, L, M, K> fyt(n);
  p.fill([&](std::int64_t) { return half_poisoned(random, N); });
  q.fill([&](std::int64_t) { return half_poisoned(random, M); });
  y.randomise(random);
  p.at(spoilt, N - 1, N / 2) = std::numeric_limits<double>::quiet_NaN();
  p.upload();
  Common<double, M, N> const f(random_dense<double>(random, M, N));
  Common<double, M, M> const cq(half_poisoned(random, M));
  map(launch(lanes<TypeParam::Lanes>), Products{}, out(plain.view()),
      out(symmetric(onto_item.view())), out(onto_common.view()), out(of_general.view()),
      out(yp.view()), out(yty.view()), out(pft.view()), out(fyt.view()), in(symmetric(p.view())),
      in(symmetric(q.view())), in(y.view()), common(f.view), common(cq.view));
  plain.download(), onto_item.download(), onto_common.download(), of_general.download();
  yp.download(), yty.download(), pft.download(), fyt.download();
  for (std::int64_t k = 0; k < n; ++k) {
    Dense const pk = mirrored(p.dense(k)), qk = mirrored(q.dense(k)), yk = y.dense(k);
    Dense const fk = f.dense(), ft = transpose(fk);
    auto const check = [&](Dense const& got, Dense const& a, Dense const& b, char const* what) {
      EXPECT_TRUE(near(got, a * b, tolerance<double>(a.cols, 1) * (abs(a) * abs(b))))
          << what << ", item " << k;
    };
    check(yty.dense(k), transpose(yk), yk, "y' y");
    check(fyt.dense(k), fk, transpose(yk), "f y'");
    if (k == spoilt) {
      EXPECT_TRUE(std::isnan(plain.at(k, M - 1, 0)));
      EXPECT_TRUE(std::isnan(pft.at(k, N - 1, 0)));
      continue;
    }
    check(yp.dense(k), yk, pk, "y p");
    check(pft.dense(k), pk, ft, "p f'");
    Dense const fpf = fk * pk * ft, size = abs(fk) * abs(pk) * abs(ft);
    auto const check_symmetric = [&](Dense const& got, Dense const& added, char const* what) {
      EXPECT_TRUE(near(got, fpf + added, tolerance<double>(2 * N + 1, 1) * (size + abs(added))))
          << what << ", item " << k;
      EXPECT_TRUE(equal(got, transpose(got))) << what << ", item " << k;
    };
    check_symmetric(plain.dense(k), Dense(M, M), "f p f'");
    check_symmetric(onto_item.dense(k), qk, "f p f' + q");
    check_symmetric(onto_common.dense(k), mirrored(cq.dense()), "f p f' + common q");
    check_symmetric(of_general.dense(k), qk, "(f p) f' + q");
  }
}

/// Matrix instructions need a whole warp. Teams of a user's kernel can have less than a warp, or a
/// whole one and a part of one.
struct UpdateAndDowndate {
  template <class C, class D, class P, class F, class Q, class Y>
  KOKKOS_FUNCTION void operator()(C& updated, D& down, P const& p, F const& f, Q const& q,
                                  Y const& y) const {
    updated = congruence(f, p, q);
    down = downdate(p, y);
  }
};
template <class Group>
struct OwnKernel {
  Group group;
  std::int64_t share;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = member.league_rank() * share;
    group(member, first, first + share < n ? first + share : n);
  }
};

TEST(LargeProductsInKernel, TeamsWithoutWholeWarps) {
  constexpr int N = 24;
  constexpr std::int64_t share = 7;
  Random random(89);
  BatchIn<double, Left, N, N> p(n), y(n);
  p.fill([&](std::int64_t) { return half_poisoned(random, N); });
  y.randomise(random);
  Common<double, N, N> const f(random_dense<double>(random, N, N)), q(half_poisoned(random, N));
  auto const team_sizes =
      Impl::runs_on_device<Space> ? std::vector<int>{16, 48, 64} : std::vector<int>{1};
  for (int const team_size : team_sizes) {
    SCOPED_TRACE("teams of " + std::to_string(team_size));
    BatchIn<double, Left, N, N> updated(n), down(n);
    auto const group = team_map<Space>(UpdateAndDowndate{}, out(updated.view()), out(down.view()),
                                       in(symmetric(p.view())), common(f.view),
                                       common(symmetric(q.view)), in(y.view()));
    using Policy = Kokkos::TeamPolicy<Space>;
    auto policy = Policy(Space(), int((n + share - 1) / share), team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(team_size))));
    Kokkos::parallel_for("own kernel", policy,
                         OwnKernel<std::remove_cv_t<decltype(group)>>{group, share});
    updated.download(), down.download();
    for (std::int64_t k = 0; k < n; ++k) {
      Dense const pk = mirrored(p.dense(k)), yk = y.dense(k), fk = f.dense();
      Dense const qk = mirrored(q.dense()), yy = transpose(yk) * yk;
      Dense const size = abs(fk) * abs(pk) * abs(transpose(fk)) + abs(qk);
      EXPECT_TRUE(near(updated.dense(k), fk * pk * transpose(fk) + qk,
                       tolerance<double>(2 * N + 1, 1) * size))
          << k;
      EXPECT_TRUE(near(down.dense(k), pk - yy,
                       tolerance<double>(N + 1, 1) * (abs(pk) + abs(transpose(yk)) * abs(yk))))
          << k;
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
