// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A verb returns while its kernel is still running: also for the second launch on another instance,
// and if the operands make the launch's arguments large. Host back ends run the kernel within the
// call, so the tests are skipped on hosts.
#include <chrono>
#include <functional>
#include <iostream>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

constexpr std::int64_t items = 64;

/// A chain of dependent operations. On any machine its time grows with the number of steps.
struct Wander {
  template <class S>
  KOKKOS_FUNCTION void operator()(S& state) const {
    state = 1.0 / (state + 0.5);
  }
};
/// The same with a matrix that is passed with the launch.
struct WanderWith {
  template <class S, class A, class B>
  KOKKOS_FUNCTION void operator()(S& state, A const& a, B const& b) const {
    state = element(a, 0, 0) / (state + element(b, 8, 8));
  }
};

struct Count {
  template <class S>
  KOKKOS_FUNCTION void operator()(S& state) const {
    state = state + 1.0;
  }
};
struct Twice {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x + x;
  }
};

double seconds_of(std::function<void()> const& call) {
  auto const start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Async : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Impl::runs_on_device<Space>) {
      std::cout << "  NOT TESTED: kernels on " << Space::name()
                << " run on the host, within the call\n";
      GTEST_SKIP() << "needs a device";
    }
    Kokkos::deep_copy(a_.view(), 1.0);
    Kokkos::deep_copy(b_.view(), 1.0);
    // Enough steps for a fifth of a second on this machine. The first calls also load the kernels.
    run(Space(), a_, 10);
    run_large(Space(), a_, 10);
    map(Wander{}, inout(b_.view()));
    Kokkos::fence();
    for (;; steps_ *= 4) {
      double const time = seconds_of([&] {
        run(Space(), a_, steps_);
        Kokkos::fence();
      });
      if (time >= 0.2) break;
    }
  }

  using States = BatchIn<double, Left>;
  static void run(Space const& exec, States const& s, std::int64_t steps) {
    scan(exec, steps, Wander{}, carry(s.view(), s.view()));
  }
  static auto nine() { return Matrix<double, 9, 9>(identity<double, 9>()); }
  static void run_large(Space const& exec, States const& s, std::int64_t steps) {
    scan(exec, steps, WanderWith{}, carry(s.view(), s.view()), common(fixed(nine())),
         common(fixed(nine())));
  }

  /// The time of the call must be less than a tenth of the time of the kernel.
  static void expect_returned_early(double call, double kernel, char const* what) {
    std::cout << "  " << what << ": the call took " << call * 1e6 << " us, the kernel "
              << kernel * 1e3 << " ms\n";
    EXPECT_GT(kernel, 0.05) << what << ": too short to tell";
    EXPECT_LT(call, 0.1 * kernel) << what << ": the host waited";
  }

  States a_{items}, b_{items};
  std::int64_t steps_ = 100000;
};

TEST_F(Async, ScanReturnsBeforeItsKernelEnds) {
  Space const exec;
  double const call = seconds_of([&] { run(exec, a_, steps_); });
  double const rest = seconds_of([&] { exec.fence(); });
  expect_returned_early(call, call + rest, "scan");
}

TEST_F(Async, MapQueuesBehindALongKernel) {
  Space const exec;
  double call = seconds_of([&] { run(exec, a_, steps_); });
  call += seconds_of([&] {
    for (int k = 0; k < 10; ++k) map(exec, Wander{}, inout(b_.view()));
  });
  double const rest = seconds_of([&] { exec.fence(); });
  expect_returned_early(call, call + rest, "scan and ten maps");
}

TEST_F(Async, LargeArgumentsReturnEarlyToo) {
  // Two 9 x 9 matrices of double: larger than 512 bytes. Kokkos would pass them by its constant
  // buffer, for which the next launch would wait.
  static_assert(sizeof(fixed(nine())) > 512);
  Space const exec;
  double const call = seconds_of([&] {
    run_large(exec, a_, steps_);
    run_large(exec, b_, steps_);
  });
  double const rest = seconds_of([&] { exec.fence(); });
  expect_returned_early(call, call + rest, "two scans with large arguments");
}

TEST_F(Async, TwoInstancesDoNotWaitForOneAnother) {
  auto const instances = Kokkos::Experimental::partition_space(Space(), 1, 1);
  for (bool const large : {false, true}) {
    auto const launch_one = [&](int k, States const& s) {
      if (large) run_large(instances[std::size_t(k)], s, steps_);
      else run(instances[std::size_t(k)], s, steps_);
    };
    // Sequentially, with a fence between the calls: the time that waiting would take.
    double const apart = seconds_of([&] {
      launch_one(0, a_);
      instances[0].fence();
      launch_one(1, b_);
      instances[1].fence();
    });
    double const first = seconds_of([&] { launch_one(0, a_); });
    double const second = seconds_of([&] { launch_one(1, b_); });
    double const rest = seconds_of([&] { Kokkos::fence(); });
    double const together = first + second + rest;
    expect_returned_early(first, together, large ? "first of two, large" : "first of two");
    expect_returned_early(second, together, large ? "second of two, large" : "second of two");
    std::cout << "  both kernels together " << together * 1e3 << " ms, one after the other "
              << apart * 1e3 << " ms\n";
    EXPECT_LT(together, 0.75 * apart) << "the instances' kernels did not run side by side";
  }
}

TEST_F(Async, WorkOnOneInstanceIsOrdered) {
  // The next call on the instance sees the complete results of an asynchronous call.
  Space const exec;
  scan(exec, steps_, Count{}, carry(common(fixed(1.0)), a_.view()));
  map(exec, Twice{}, out(b_.view()), in(a_.view()));
  b_.download();
  for (std::int64_t k = 0; k < items; ++k) EXPECT_EQ(b_.at(k), 2.0 * double(steps_ + 1)) << k;
}

}  // namespace
}  // namespace Batchwork::Test
