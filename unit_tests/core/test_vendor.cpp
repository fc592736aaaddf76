// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code with instructions of one vendor: sums over neighbouring lanes of a warp, and divisions at
// the ends of the range.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/detail/backend/Batchwork_Vendor.hpp"
#include "support/Batchwork_TestSupport.hpp"
#if defined(BATCHWORK_THREADS_AS_LANES)
#include "support/HostTeams.hpp"
#endif

namespace Batchwork::Test {
namespace {

using Numbers = ::testing::Types<float, double>;

constexpr int team_size = 64, sums = 5;

/// out(lane, which) is the sum over the `lanes` lanes that share a system.
template <class T>
struct SumOver {
  int lanes;
  Kokkos::View<T**, Space> in, out;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const lane = member.team_rank();
    T x[sums];
    for (int n = 0; n < sums; ++n) x[n] = in(lane, n);
    Impl::Vendor::reduce_sum(x, lanes);
    for (int n = 0; n < sums; ++n) out(lane, n) = x[n];
  }
};

template <class T>
struct SumsOfLanes : ::testing::Test {
  using Rows = std::vector<std::array<T, sums>>;

  static Rows run(int lanes, Rows const& rows) {
    SumOver<T> const kernel{lanes, Kokkos::View<T**, Space>("in", team_size, sums),
                            Kokkos::View<T**, Space>("out", team_size, sums)};
    auto const in = Kokkos::create_mirror_view(kernel.in);
    for (int l = 0; l < team_size; ++l)
      for (int n = 0; n < sums; ++n) in(l, n) = rows[std::size_t(l)][std::size_t(n)];
    Kokkos::deep_copy(kernel.in, in);
    Kokkos::deep_copy(kernel.out, T(-77));
#if defined(BATCHWORK_THREADS_AS_LANES)
    run_teams(kernel, 1, team_size, 0);
#else
    Kokkos::parallel_for("sums", Kokkos::TeamPolicy<Space>(1, team_size, 1), kernel);
#endif
    auto const out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.out);
    Rows result(team_size);
    for (int l = 0; l < team_size; ++l)
      for (int n = 0; n < sums; ++n) result[std::size_t(l)][std::size_t(n)] = out(l, n);
    return result;
  }
};
TYPED_TEST_SUITE(SumsOfLanes, Numbers);

TYPED_TEST(SumsOfLanes, StayInTheirSystem) {
  using T = TypeParam;
  if constexpr (!Impl::Vendor::has_shuffles) {
    GTEST_SKIP() << "only where lanes see each other's numbers";
  } else {
    Random random(3);
    typename TestFixture::Rows rows(team_size);
    for (auto& row : rows)
      for (T& x : row) x = T(random());
    for (int lanes = 1; lanes <= Impl::Vendor::warp_lanes; lanes *= 2) {
      auto const sum = this->run(lanes, rows);
      for (int l = 0; l < team_size; ++l)
        for (std::size_t n = 0; n < sums; ++n) {
          long double truth = 0, size = 0;
          for (int k = l / lanes * lanes; k < (l / lanes + 1) * lanes; ++k) {
            truth += rows[std::size_t(k)][n];
            size += std::fabs(rows[std::size_t(k)][n]);
          }
          ASSERT_NEAR(double(sum[std::size_t(l)][n]), double(truth),
                      double(size * lanes * std::numeric_limits<T>::epsilon()))
              << lanes << " lanes, lane " << l << ", sum " << n;
          ASSERT_EQ(sum[std::size_t(l)][n], sum[std::size_t(l / lanes * lanes)][n]);
        }
      // A NaN must stay in its sum and not change a bit of other sums. Threads of a host are slow,
      // so a few lanes must suffice.
      int const step = Impl::runs_on_device<Space> ? lanes : std::max(lanes, 16);
      for (int bad = 0; bad < team_size; bad += step)
        for (T const x :
             {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
          auto planted = rows;
          planted[std::size_t(bad + lanes / 2)].fill(x);
          auto const beside = this->run(lanes, planted);
          for (int l = 0; l < team_size; ++l)
            for (std::size_t n = 0; n < sums; ++n) {
              if (l / lanes == bad / lanes) ASSERT_FALSE(std::isfinite(beside[std::size_t(l)][n]));
              else
                ASSERT_EQ(beside[std::size_t(l)][n], sum[std::size_t(l)][n]) << lanes << " lanes";
            }
        }
    }
  }
}

template <class T>
struct Divide {
  Kokkos::View<T*, Space> a, b, quotient, reciprocal;
  KOKKOS_FUNCTION void operator()(int k) const {
    quotient(k) = Impl::Vendor::quotient(a(k), b(k));
    reciprocal(k) = Impl::Vendor::reciprocal(b(k));
  }
};

template <class T>
struct Quotients : ::testing::Test {};
TYPED_TEST_SUITE(Quotients, Numbers);

TYPED_TEST(Quotients, AreRightForNormalNumbersAndFiniteOnlyThere) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  Random random(5);
  std::vector<T> a, b;
  auto const add = [&](T x, T y) {
    a.push_back(x);
    b.push_back(y);
  };
  for (int i = Limits::min_exponent - 1; i < Limits::max_exponent; i += 3)
    for (int j : {i, i / 2, -i / 2, 0})
      add(std::ldexp(T(1 + std::fabs(random())), j - 1), std::ldexp(T(1 + std::fabs(random())), i));
  for (T const y : {Limits::max(), Limits::min(), T(-3), Limits::max() / 2}) add(T(1), y);
  auto const right = a.size();
  for (T const x : {T(0), T(1), T(-2)}) add(x, T(0));
  add(Limits::quiet_NaN(), T(1));
  add(T(1), Limits::quiet_NaN());
  add(Limits::infinity(), T(2));

  std::size_t const count = a.size();
  Divide<T> const kernel{Kokkos::View<T*, Space>("a", count), Kokkos::View<T*, Space>("b", count),
                         Kokkos::View<T*, Space>("q", count), Kokkos::View<T*, Space>("r", count)};
  Kokkos::deep_copy(kernel.a, Kokkos::View<T*, Kokkos::HostSpace>(a.data(), count));
  Kokkos::deep_copy(kernel.b, Kokkos::View<T*, Kokkos::HostSpace>(b.data(), count));
  Kokkos::parallel_for("divide", Kokkos::RangePolicy<Space>(0, int(count)), kernel);
  auto const q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.quotient);
  auto const r = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.reciprocal);
  auto const expect = [&](T found, long double truth, std::size_t k) {
    // Results that are not normal can be flushed to zero.
    if (std::fabs(truth) < static_cast<long double>(Limits::min()) * 4) {
      EXPECT_LE(std::fabs(found), Limits::min() * 4) << a[k] << " / " << b[k];
    } else if (std::fabs(truth) < static_cast<long double>(Limits::max()) / 4) {
      EXPECT_LE(std::fabs(found - truth), 3 * Limits::epsilon() * std::fabs(truth))
          << a[k] << " / " << b[k];
    }
  };
  for (std::size_t k = 0; k < right; ++k) {
    expect(q(k), static_cast<long double>(a[k]) / b[k], k);
    expect(r(k), 1.0L / b[k], k);
  }
  for (std::size_t k = right; k < count; ++k)
    EXPECT_FALSE(std::isfinite(q(k))) << a[k] << " / " << b[k];
}

}  // namespace
}  // namespace Batchwork::Test
