// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and `any` over the lanes of a system, for every number of lanes: one after the other, and
// several at once. On a device, or by teams of host threads.
#include "krylov/detail/backend/Batchwork_SystemSum.hpp"
#include "support/Batchwork_TestSupport.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
#include "support/HostTeams.hpp"
#endif

namespace Batchwork::Test {
namespace {

constexpr int rounds = 9, at_once = 3;

/// Every lane of a team takes part. out(team, round, lane) is the sum that it received.
template <class T>
struct SumKernel {
  int lanes;
  Kokkos::View<T****, Space> in;  ///< (team, round, lane, which)
  Kokkos::View<T****, Space> out;
  Kokkos::View<int***, Space> some;  ///< (team, round, lane)

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const rank = member.team_rank(), slot = rank / lanes;
    auto const team = std::size_t(member.league_rank()), lane = std::size_t(rank);
    SystemLanes<Member> const mine{member, rank - slot * lanes, lanes};
    auto* const scratch = static_cast<T*>(member.team_scratch(0).get_shmem_aligned(
        Impl::sum_scratch<T>(member.team_size(), at_once), 16));
    auto summing = Impl::SummingLanes<T, Member>::of(mine, scratch, at_once);
    for (std::size_t k = 0; k < rounds; ++k) {
      if (k % 3 == 1) {
        T x[at_once];
        for (std::size_t q = 0; q < at_once; ++q) x[q] = in(team, k, lane, q);
        summing.sum(x);
        for (std::size_t q = 0; q < at_once; ++q) out(team, k, lane, q) = x[q];
      } else {
        out(team, k, lane, 0) = summing.sum(in(team, k, lane, 0));
      }
      some(team, k, lane) = summing.any(in(team, k, lane, 0) > T(k < 5 ? 0.99 : 0.5)) ? 1 : 0;
    }
  }
};

template <class T>
struct SystemSum : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SystemSum, Numbers);

TYPED_TEST(SystemSum, EveryNumberOfLanes) {
  using T = TypeParam;
  Random random(1);
  for (int size : {128, 64})
    for (int lanes = 1; lanes <= size; lanes *= 2) {
      SCOPED_TRACE(std::to_string(lanes) + " lanes of " + std::to_string(size));
      std::size_t const teams = Impl::runs_on_device<Space> ? 3 : 1, count = std::size_t(size);
      SumKernel<T> const kernel{
          lanes,
          Kokkos::View<T****, Space>("in", teams, std::size_t(rounds), count, std::size_t(at_once)),
          Kokkos::View<T****, Space>("out", teams, std::size_t(rounds), count,
                                     std::size_t(at_once)),
          Kokkos::View<int***, Space>("some", teams, std::size_t(rounds), count)};
      auto const in = Kokkos::create_mirror(kernel.in);
      for (std::size_t t = 0; t < teams; ++t)
        for (std::size_t k = 0; k < rounds; ++k)
          for (std::size_t l = 0; l < count; ++l)
            for (std::size_t q = 0; q < at_once; ++q) in(t, k, l, q) = T(random());
      Kokkos::deep_copy(kernel.in, in);
      std::size_t const scratch = Impl::sum_scratch<T>(size, at_once);
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
      run_teams(kernel, int(teams), size, scratch + 16);
#else
      Kokkos::TeamPolicy<Space> policy(int(teams), size, 1);
      policy.set_scratch_size(0, Kokkos::PerTeam(int(scratch)));
      Kokkos::parallel_for("sums", policy, kernel);
      Kokkos::fence();
#endif
      auto const out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.out);
      auto const some = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.some);
      // The lanes that wait for each other: a warp, or the whole team.
      std::size_t const together = Impl::Vendor::has_shuffles && lanes <= 32 ? 32 : count;
      for (std::size_t t = 0; t < teams; ++t)
        for (std::size_t k = 0; k < rounds; ++k)
          for (std::size_t l = 0; l < count; ++l) {
            std::size_t const first = l / std::size_t(lanes) * std::size_t(lanes);
            for (std::size_t q = 0; q < (k % 3 == 1 ? std::size_t(at_once) : 1); ++q) {
              long double want = 0, terms = 0;
              for (std::size_t m = first; m < first + std::size_t(lanes); ++m) {
                want += in(t, k, m, q);
                terms += std::fabs(in(t, k, m, q));
              }
              ASSERT_LE(std::fabs(out(t, k, l, q) - want), lanes * epsilon<T> * terms);
              ASSERT_TRUE(same_bits(out(t, k, l, q), out(t, k, first, q)));
            }
            bool want = false;
            for (std::size_t m = l / together * together; m < (l / together + 1) * together; ++m)
              want = want || in(t, k, m, 0) > T(k < 5 ? 0.99 : 0.5);
            ASSERT_EQ(some(t, k, l), int(want));
          }
    }
}

/// The portable code, which every device can run: also for whole warps, and for more values than
/// exchanges have space for.
template <class T>
struct SumExchangeKernel {
  static constexpr int numbers = 8;
  int lanes, together, of_first, bytes;
  Kokkos::View<T***, Space> in;     ///< (round, lane, which)
  Kokkos::View<T***, Space> out;    ///< of sums
  Kokkos::View<T***, Space> dealt;  ///< sums that a single lane received

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const me = member.team_rank(), rank = me % lanes;
    auto const lane = std::size_t(me), first = std::size_t(me - rank);
    auto* const scratch =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(std::size_t(bytes), 16));
    Impl::SumExchange<T> exchange{scratch, scratch + of_first};
    Impl::AddNumbers const add;
    for (std::size_t k = 0; k < rounds; ++k) {
      T x[numbers], one[1] = {in(k, lane, 0)};
      for (std::size_t n = 0; n < numbers; ++n) x[n] = in(k, lane, n);
      if (k % 3 == 0)
        exchange.template combine<false>(member, one, rank, lanes, together, add,
                                         [&](int, T sum) { out(k, lane, 0) = sum; });
      else
        exchange.template combine<false>(member, x, rank, lanes, together, add,
                                         [&](int n, T sum) { out(k, lane, std::size_t(n)) = sum; });
      exchange.template combine<true>(member, x, rank, lanes, together, add, [&](int n, T sum) {
        dealt(k, first, std::size_t(n)) += sum;
      });
    }
  }
};

TYPED_TEST(SystemSum, ThroughScratch) {
#if defined(BATCHWORK_THREADS_AS_LANES)
  GTEST_SKIP() << "the same in all programs on hosts";
#endif
  using T = TypeParam;
  using Kernel = SumExchangeKernel<T>;
  Random random(2);
  // Lanes of a system, and of the team.
  constexpr int shapes[][2] = {{1, 32}, {2, 32},  {4, 32},  {8, 32},    {16, 32},  {32, 32},
                               {8, 64}, {64, 64}, {96, 96}, {160, 160}, {256, 256}};
  for (auto const& [lanes, size] : shapes)
    for (int together : {3, 5}) {
      if (size > 128 && together > 3) continue;
      SCOPED_TRACE(std::to_string(lanes) + " lanes of " + std::to_string(size) + ", " +
                   std::to_string(together) + " at once");
      // The documented number must be enough.
      bool const alone = lanes == size && lanes > Impl::lanes_without_parts;
      std::size_t const scratch =
          std::size_t(together * (size + (alone ? Impl::most_parts : size))) * sizeof(T);
      auto const count = std::size_t(size);
      auto const view = [&](std::string const& name) {
        return Kokkos::View<T***, Space>(name, std::size_t(rounds), count,
                                         std::size_t(Kernel::numbers));
      };
      Kernel const kernel{lanes,      together,    together * size, int(scratch),
                          view("in"), view("out"), view("dealt")};
      auto const in = Kokkos::create_mirror(kernel.in);
      for (std::size_t k = 0; k < rounds; ++k)
        for (std::size_t l = 0; l < count; ++l)
          for (std::size_t n = 0; n < Kernel::numbers; ++n) in(k, l, n) = T(random());
      Kokkos::deep_copy(kernel.in, in);
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
      int const waits = run_teams(kernel, 1, size, scratch + 16);
      int const once = lanes == 1 ? 0 : lanes <= Impl::lanes_without_parts ? 1 : 2;
      int const turns = (Kernel::numbers + together - 1) / together;
      EXPECT_EQ(waits, once * (rounds / 3 + (rounds * 5 / 3) * turns));
#else
      Kokkos::TeamPolicy<Space> policy(1, size, 1);
      policy.set_scratch_size(0, Kokkos::PerTeam(int(scratch)));
      Kokkos::parallel_for("sums", policy, kernel);
      Kokkos::fence();
#endif
      auto const out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.out);
      auto const dealt = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.dealt);
      for (std::size_t k = 0; k < rounds; ++k)
        for (std::size_t l = 0; l < count; ++l) {
          std::size_t const first = l / std::size_t(lanes) * std::size_t(lanes);
          for (std::size_t n = 0; n < Kernel::numbers; ++n) {
            long double want = 0, terms = 0;
            for (std::size_t m = first; m < first + std::size_t(lanes); ++m) {
              want += in(k, m, n);
              terms += std::fabs(in(k, m, n));
            }
            if (l == first) {
              ASSERT_LE(std::fabs(dealt(k, l, n) - want), lanes * epsilon<T> * terms);
            }
            if (k % 3 == 0 && n > 0) continue;
            ASSERT_LE(std::fabs(out(k, l, n) - want), lanes * epsilon<T> * terms);
            ASSERT_TRUE(same_bits(out(k, l, n), out(k, first, n)));
          }
        }
    }
}

/// A single thread with its items.
TYPED_TEST(SystemSum, Alone) {
  using T = TypeParam;
  Impl::LoneSums const alone;
  T x[2] = {T(3), T(4)};
  alone.sum(x);
  EXPECT_EQ(x[0], T(3));
  EXPECT_EQ(x[1], T(4));
  EXPECT_EQ(alone.sum(T(5)), T(5));
  EXPECT_TRUE(alone.any(true));
  EXPECT_FALSE(alone.any(false));
  typename Pack<T, 4>::mask one(false);
  EXPECT_FALSE(alone.any(one));
  one.set_lane(2, true);
  EXPECT_TRUE(alone.any(one));
}

}  // namespace
}  // namespace Batchwork::Test
