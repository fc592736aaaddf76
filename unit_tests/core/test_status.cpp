// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Status codes, the widths of packs, and the number of lanes of an execution space.
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

TEST(StatusCode, KeepsReasonAndInfo) {
  EXPECT_EQ(Status::code(Reason::success, 0), 0);
  for (Reason const reason : {Reason::not_positive_definite, Reason::not_finite,
                              Reason::incomplete_data, Reason::breakdown}) {
    for (int const info : {0, 1, 2, 31, 32, 1000, 65535}) {
      std::int32_t const code = Status::code(reason, info);
      EXPECT_NE(code, 0);
      EXPECT_EQ(Status::reason(code), reason);
      EXPECT_EQ(Status::info(code), info);
      EXPECT_EQ(Status::reason(std::int64_t(code)), reason);
      EXPECT_EQ(Status::info(std::int64_t(code)), info);
    }
  }
}

TEST(StatusCode, EveryReasonHasItsOwnWords) {
  std::vector<std::string> words;
  for (int r : {0, 1, 2, 3, 6, int(Reason::inaccurate), int(Reason::small_pivot)})
    words.emplace_back(to_string(static_cast<Reason>(r)));
  for (std::size_t a = 0; a < words.size(); ++a) {
    EXPECT_FALSE(words[a].empty());
    EXPECT_NE(words[a], to_string(static_cast<Reason>(1000)));
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(words[a], words[b]);
  }
}

TEST(StatusCode, TheEarlierFailureWins) {
  EXPECT_EQ(Impl::first_failure(0, 0), 0);
  EXPECT_EQ(Impl::first_failure(0, 5), 5);
  EXPECT_EQ(Impl::first_failure(4, 0), 4);
  EXPECT_EQ(Impl::first_failure(4, 5), 4);
}

TEST(Lanes, NativeWidthsFillARegister) {
  static_assert(Impl::native_width<double> * 8 == Impl::simd_bytes);
  static_assert(Impl::native_width<float> == 2 * Impl::native_width<double>);
  static_assert(Impl::native_width<double> >= 2);
#if defined(__AVX512F__)
  static_assert(Impl::native_width<double> == 8);
#elif defined(__AVX__)
  static_assert(Impl::native_width<double> == 4);
#endif
}

TEST(Lanes, HostsHavePacksAndDevicesHaveOneLane) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  static_assert(!Impl::runs_on_device<Host>);
  static_assert(
      std::is_same_v<Impl::lanes_for<Host, double, 0>, PackLanes<Impl::native_width<double>>>);
  static_assert(std::is_same_v<Impl::lanes_for<Host, float, 4>, PackLanes<4>>);
  static_assert(std::is_same_v<PackLanes<4>::value<float>, Pack<float, 4>>);
  static_assert(std::is_same_v<OneLane::value<double>, double>);
  static_assert(Impl::runs_on_device<Space> == !std::is_same_v<Space, Host>);
  static_assert(!Impl::runs_on_device<Space> ||
                std::is_same_v<Impl::lanes_for<Space, double, 8>, OneLane>);
}

TEST(Launch, TeamSizesAreChecked) {
  EXPECT_EQ(launch("x").team_size(64).lanes_per_team, 64);
  EXPECT_EQ(launch("x").label, "x");
  static_assert(decltype(launch(width<4>))::width == 4);
  for (int const bad : {0, -32, 1, 31, 33, 48, 288}) {
    EXPECT_THROW(launch().team_size(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace Batchwork::Test
