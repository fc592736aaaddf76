// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sin, atan2, pow and other functions of scalars and of the entries of tiles, apply and print.
#include "FunctionsCase.hpp"

namespace Batchwork::Test {
namespace {

constexpr auto by_map = [](auto const&... arguments) { map(arguments...); };

// Not a multiple of the width of any pack.
TEST(Functions, OfScalarsAndEntries) {
  expect_functions<double, Left, 2, 3>(21, by_map);
  expect_functions<float, Right, 3, 1>(35, by_map);
}
TEST(Functions, OfStructuresAndCommonTiles) {
  expect_structures<double, Right, 3>(13, by_map);
  expect_structures<float, Left, 2>(19, by_map);
}
TEST(Functions, OfPlainNumbers) {
  expect_applied<double, Left, 2, 3>(11, by_map);
  expect_applied<float, Right, 3, 2>(29, by_map);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
/// A pointer to a function, and lambdas. Devices cannot call these.
double half_difference(double a, double b) { return (a - b) / 2; }
TEST(Functions, OfPointersAndLambdas) {
  BatchIn<float, Left, 3> x(7), y(7), z(7);
  Random random(319);
  x.randomise(random);
  map(
      [](auto& a, auto& b, auto const& v) {
        a = apply(half_difference, v, 2);
        // Items are float, and so is the argument of a lambda that does not ask for another type.
        b = apply([](auto number) { return number + (sizeof(number) == 4 ? 1 : 100); }, v);
      },
      out(y.view()), out(z.view()), in(x.view()));
  y.download(), z.download();
  for (std::int64_t k = 0; k < 7; ++k)
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(y.at(k, i), static_cast<float>((double(x.at(k, i)) - 2) / 2));
      EXPECT_EQ(z.at(k, i), x.at(k, i) + 1);
    }
}

struct Print {
  template <class Y, class A, class V, class S>
  void operator()(Y& y, A const& a, V const& v, S const& s) const {
    print(s == 2, "a", fail_where(s > 0, Reason::singular, a));
    print(s == 1, "v", v);
    print(s == 0, "half", s / 2 + 0.1);
    print(s == 2, "is two", s == 2);
    y = s;
  }
};
TEST(Functions, Printed) {
  BatchIn<double, Left, 2, 2> a(3);
  BatchIn<double, Left, 2> v(3);
  BatchIn<double, Left> s(3), y(3);
  for (int k = 0; k < 3; ++k) {
    s.at(k) = k;
    for (int i = 0; i < 2; ++i) {
      v.at(k, i) = 10 * k + i + 0.5;
      for (int j = 0; j < 2; ++j) a.at(k, i, j) = 100 * k + 10 * i + j;
    }
  }
  a.upload(), v.upload(), s.upload();
  ::testing::internal::CaptureStdout();
  map(launch(width<4>), Print{}, out(y.view()), in(a.view()), in(v.view()), in(s.view()));
  Kokkos::fence();
  std::fflush(stdout);
  std::string const said = ::testing::internal::GetCapturedStdout();
  // The lane after the last item contains the last item, too.
  std::string const of_a = "a(0, :) = 200 201\na(1, :) = 210 211\na has failed: singular, info 0\n";
  EXPECT_EQ(said, of_a + of_a + "v = 10.5 11.5\nhalf = 0.1\nis two = 1\nis two = 1\n");
}
#endif

}  // namespace
}  // namespace Batchwork::Test
