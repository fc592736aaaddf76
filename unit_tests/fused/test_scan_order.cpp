// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans over ranges of steps, forwards and backwards, with operands of every pace.
#include "ScanOrderCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T_, class Layout_, int W_>
struct Case {
  using T = T_;
  using Layout = Layout_;
  static constexpr int W = W_;
};
template <class C>
class ScanOrder : public ::testing::Test {};
using Cases =
    ::testing::Types<Case<double, Left, 0>, Case<float, Right, 0>, Case<double, CompactBy<8>, 0>,
                     Case<double, Strided, 1>, Case<float, LeftPart, 2>>;
TYPED_TEST_SUITE(ScanOrder, Cases);

TYPED_TEST(ScanOrder, AgreesWithALongDoubleLoop) {
  using T = typename TypeParam::T;
  check_orders<T, typename TypeParam::Layout, 3>(
      21, [](Impl::Steps const& steps, auto const& sequence, auto const&... operands) {
        scan(launch(width<TypeParam::W>), steps, sequence, operands...);
      });
}

// On devices both directions have one kernel.
static_assert(std::is_same_v<Impl::lanes_of_scan<OneLaneStaging, true>, OneLaneStaging>);
static_assert(!std::is_same_v<Impl::lanes_of_scan<PackLanes<2>, true>, PackLanes<2>>);

template <class Group>
struct CallGroup {
  Group group;
  std::int64_t items;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const first = 8 * std::int64_t(member.league_rank()), last = first + 8;
    group(member, first, last < items ? last : items);
  }
};

/// team_scan, inside a kernel, with steps that are known at run time.
TEST(ScanOrderInKernels, AgreesWithALongDoubleLoop) {
  std::int64_t const n = 21;
  check_orders<double, Left, 2>(
      n, [&](Impl::Steps const& steps, auto const& sequence, auto const&... operands) {
        auto const group = team_scan<Space>(steps, sequence, operands...);
        int const team = Impl::runs_on_device<Space> ? 32 : 1;
        Kokkos::TeamPolicy<Space> policy(int((n + 7) / 8), team);
        policy.set_scratch_size(0, Kokkos::PerTeam(group.scratch_size(team)));
        Kokkos::parallel_for("group", policy, CallGroup<decltype(group)>{group, n});
      });
}

/// Adds the input to the level, and writes the level.
struct Accumulate {
  template <class L, class P>
  KOKKOS_FUNCTION void operator()(L& level, P& place) const {
    level += place;
    place = fail_where(level > 1e6, Reason::breakdown, level);
  }
};

/// The status of an item reports a failed step. Neighbours must be bitwise unchanged.
TEST(ScanOrderStatus, OfWhatIsReadAndWritten) {
  constexpr int n = 19, steps = 5;
  Random random(223);
  SeriesIn<double, Left> good(n, steps), bad(n, steps);
  good.randomise(random);
  for (int k = 0; k < n; ++k)
    for (int t = 0; t < steps; ++t) bad.at_time(k, t) = good.at_time(k, t);
  bad.at_time(3, 1) = 1e7, bad.at_time(11, 4) = std::numeric_limits<double>::infinity();
  bad.upload();
  Kokkos::View<int*, Space> codes("codes", n);
  for (auto const* series : {&good, &bad})
    scan(backward(steps), Accumulate{}, carry(common(fixed(0.0))), inout(each(series->view())),
         status(codes));
  good.download(), bad.download();
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (int k = 0; k < n; ++k) {
    EXPECT_EQ(found(k), k == 3 || k == 11 ? Status::code(Reason::breakdown, 0) : 0) << k;
    for (int t = 0; t < steps && k != 3 && k != 11; ++t)
      EXPECT_TRUE(same_bits(bad.at_time(k, t), good.at_time(k, t))) << k << ", " << t;
  }
}

// ---- what is refused ----------------------------------------------------------------------------

using Series = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

struct Sum {
  template <class L, class X, class Y>
  KOKKOS_FUNCTION void operator()(L& level, X const& x, Y& y) const {
    level += x;
    y = level;
  }
};

std::string const none = "(nothing was thrown)";

/// The message of a scan.
template <class X, class Y>
std::string said(Impl::Steps const& steps, X const& x, Y const& y) {
  return message_of([&] { scan(steps, Sum{}, carry(common(fixed(0.0))), x, y); });
}

TEST(ScanOrderErrors, StepsThatTheViewDoesNotHave) {
  Series x("x", 5, 9), y("y", 5, 10);
  EXPECT_EQ(said(9, each(x), emit(y)), none);
  EXPECT_EQ(said(range(1, 9), each(x), emit(y)), none);
  expect_says(said(10, each(x), emit(y)), {"has 9 steps, but the call asks for 10"});
  expect_says(said(9, each(x, lag<1>), emit(y)),
              {"operand 2, each(\"x\") [View (5, 9), tile scalar] has 9 steps",
               "step 0 of the call has step -1 of it (lag 1)",
               "start the scan at step 1: scan(range(1, 9), ...)"});
  expect_says(said(backward(9), each(x, lag(-2)), emit(y)),
              {"step 8 of the call has step 10 of it (lag -2)",
               "end the scan before step 7: scan(backward(range(0, 7)), ...)"});
  expect_says(said(range(2, 11), each(x, lag<1>), emit(y)),
              {"operand 2, each(\"x\")", "step 10 of the call has step 9 of it (lag 1)",
               "scan(range(2, 10), ...)"});
  expect_says(said(range(-1, 3), each(x), emit(y)), {"step -1 of the call has step -1 of it"});
  expect_says(said(4, each(x, stride<3>), emit(y)),
              {"step 3 of the call has step 9 of it (stride 3)", "scan(range(0, 3), ...)"});
  expect_says(
      said(9, each(x, stride<-1>, lag<-7>), emit(y)),
      {"step 8 of the call has step -1 of it (stride -1, lag -7)", "scan(range(0, 8), ...)"});
  expect_says(said(9, each(reversed(x), lag<1>), emit(y)),
              {"step 0 of the call has step 9 of it (lag 1, reversed)", "scan(range(1, 9), ...)"});
  expect_says(said(range(20, 22), each(x, lag<1>), emit(y)), {"give a View that has the steps"});
  expect_says(said(range(0, 9), each(x), emit(y, lag(std::int64_t(1) << 62))), {"operand 3, emit"});
  expect_says(said(range(3, 2), each(x), emit(y)), {"range(3, 2), which ends before it begins"});
  expect_says(said(range(0, std::numeric_limits<std::int64_t>::max()), each(x), emit(y)),
              {"steps beyond 2^62"});
  EXPECT_EQ(said(range(100, 100), each(x), emit(y)), none);  // no step
}

TEST(ScanOrderErrors, SharedElements) {
  Series x("x", 5, 12), y("y", 5, 12);
  EXPECT_EQ(said(12, each(x), inout(each(y))), none);
  // All steps write one place.
  expect_says(said(4, each(x), emit(y, stride(0))), {"operand 3, emit(\"y\")", "a stride of 0"});
  expect_says(said(4, each(x), inout(each(y, stride(0)))), {"inout(each)", "a stride of 0"});
  EXPECT_EQ(said(1, each(x), emit(y, stride(0))), none);
  // One View: by its steps.
  expect_says(said(range(1, 12), each(x, lag<1>), inout(each(x))),
              {"operand 3, inout(each)(\"x\")", "is written and shares elements with operand 2",
               "inout(each(view))"});
  expect_says(said(12, each(x), emit(x)), {"shares elements"});
  expect_says(said(6, each(x, stride(2)), emit(x)), {"shares elements"});
  expect_says(said(6, each(reversed(x), lag<-1>), emit(x)), {"shares elements"});
  EXPECT_EQ(said(6, each(x, stride(2)), emit(x, stride(2), lag(-1))), none);
  EXPECT_EQ(said(range(6, 12), each(x, lag(6)), emit(x)), none);
  EXPECT_EQ(said(6, each(reversed(x)), emit(x)), none);
  expect_says(said(7, each(reversed(x)), emit(x)), {"shares elements"});
  // Others: by the memory of the steps.
  auto const all = Kokkos::ALL;
  auto const first = Kokkos::subview(x, all, 0), third = Kokkos::subview(x, all, 2);
  auto const from = [&](auto const& start) {
    return message_of([&] { scan(range(1, 5), Sum{}, carry(start), each(y), emit(x)); });
  };
  EXPECT_EQ(from(first), none);
  expect_says(from(third),
              {"operand 3, emit(\"x\")", "shares elements with operand 1, carry start"});
}

}  // namespace
}  // namespace Batchwork::Test
