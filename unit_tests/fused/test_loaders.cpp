// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which loader a device kernel of map uses for each operand, and how much scratch memory it needs.
#include <gtest/gtest.h>

#include <Batchwork_Map.hpp>

namespace Batchwork::Test {
namespace {

enum class By { directly, lane, warp, copy_group };

template <class T, class Layout, int M, int N>
using Batch = Kokkos::View<T* [M][N], Layout, Kokkos::HostSpace>;
using Interleaved = Kokkos::LayoutLeft;
using ItemContiguous = Kokkos::LayoutRight;

struct Chosen {
  By by;
  std::size_t bytes;
  friend bool operator==(Chosen const&, Chosen const&) = default;
};

/// In kernels in which L lanes share an item.
template <int L, class... O>
constexpr Chosen chosen_for(O const*...) {
  using Lanes = typename Impl::DividedLanes<L, Division<>, OneLane, Impl::bound_t<O>...>::type;
  using Loader = Impl::loader_of<Lanes, Impl::bound_t<O>...>;
  static_assert(Impl::Loader<Loader>);
  using Lane = Impl::FetchedByLane<Lanes, Impl::bound_t<O>...>;
  using Warp = Impl::CopiedByWarp<Lanes, Impl::bound_t<O>...>;
  return {std::is_same_v<Loader, Lane>     ? By::lane
          : std::is_same_v<Loader, Warp>   ? By::warp
          : Impl::is_by_copy_group<Loader> ? By::copy_group
                                           : By::directly,
          Loader::bytes};
}
template <class V>
using In = decltype(Impl::resolve(in(std::declval<V>())));
template <class V>
using InSymmetric = decltype(Impl::resolve(in(symmetric(std::declval<V>()))));
template <class V>
using Out = decltype(Impl::resolve(out(std::declval<V>())));
template <int L, class... O>
constexpr Chosen chosen = chosen_for<L>(static_cast<O const*>(nullptr)...);
/// One matrix in, one out.
template <class T, class Layout, int M, int L = 1>
constexpr Chosen in_and_out = chosen<L, In<Batch<T, Layout, M, M>>, Out<Batch<T, Layout, M, M>>>;

constexpr bool copies = Impl::Vendor::has_async_copies;
constexpr Chosen or_directly(Chosen const& c) { return copies ? c : Chosen{By::directly, 0}; }

TEST(Loaders, OneLaneAnItem) {
  Chosen const directly{By::directly, 0};
  // Operands with fewer than 10 or more than 32 numbers are not fetched.
  EXPECT_EQ((in_and_out<float, Interleaved, 3>), directly);
  EXPECT_EQ((in_and_out<float, Interleaved, 4>), or_directly({By::lane, 64}));
  EXPECT_EQ((in_and_out<double, Interleaved, 4>), or_directly({By::lane, 128}));
  EXPECT_EQ((in_and_out<float, Interleaved, 6>), directly);
  // For a symmetric matrix only the lower triangle is fetched.
  using Six = Batch<float, Interleaved, 6, 6>;
  EXPECT_EQ((chosen<1, InSymmetric<Six>, Out<Six>>), or_directly({By::lane, 84}));
  // Operands that are only written are not fetched.
  EXPECT_EQ((chosen<1, Out<Batch<float, Interleaved, 4, 4>>>), directly);
}

TEST(Loaders, ItemContiguous) {
  Chosen const directly{By::directly, 0};
  // The few numbers of an item are in one sector anyway.
  EXPECT_EQ((in_and_out<float, ItemContiguous, 2>), directly);
  // Buffers for loads and stores at the same time, because the memory is enough for four warps. The
  // stride of items is an odd multiple of 16 bytes.
  EXPECT_EQ((in_and_out<float, ItemContiguous, 4>), or_directly({By::warp, 2 * 32 * 5 * 16}));
  // The same buffer for loads and stores, one after the other.
  EXPECT_EQ((in_and_out<float, ItemContiguous, 8>), or_directly({By::warp, 32 * 17 * 16}));
  // Not enough memory.
  EXPECT_EQ((in_and_out<double, ItemContiguous, 24>), directly);
}

TEST(Loaders, LanesThatShareAnItem) {
  auto const shared = in_and_out<float, Interleaved, 12, 4>;
  EXPECT_EQ(shared.by, copies ? By::copy_group : By::directly);
  EXPECT_EQ(shared.bytes > 0, copies);
  // No operand is read.
  EXPECT_EQ((chosen<4, Out<Batch<float, Interleaved, 12, 12>>>), (Chosen{By::directly, 0}));
}

}  // namespace
}  // namespace Batchwork::Test
