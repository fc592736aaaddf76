// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of one item in kernels of a RangePolicy: from Views, pointers and arrays.
#include "support/Batchwork_TestSupport.hpp"
#include "support/RandomReference.hpp"

namespace Batchwork::Test {
namespace {

/// x = a^-1 b, with the status of a.
template <class A, class B, class X>
struct SolveInRange {
  A a;
  B b;
  X x;
  Kokkos::View<int*, Space> codes;
  KOKKOS_FUNCTION void operator()(int n) const {
    auto const s = load<Symmetric<double, 3>>(a, n);
    auto const y = cholesky(s).solve(load<3>(b, n));
    store(y, x, n);
    codes(n) = y.info;
  }
};
template <class Layout>
void expect_solutions() {
  constexpr int items = 37;
  Random random(2);
  BatchIn<double, Layout, 3, 3> a(items);
  BatchIn<double, Layout, 3> b(items), x(items);
  Kokkos::View<int*, Space> const codes("codes", items);
  b.randomise(random);
  a.fill([&](std::int64_t item) {
    // Definite, but for three items. The upper triangle is not read.
    Dense d = make_dense(3, 3, [&](int i, int j) {
      return i == j ? 4 + 0.1 * i : j < i ? random() : std::nan("");
    });
    if (item == 0 || item == 20 || item == items - 1) d(1, 1) = -1;
    return d;
  });
  auto const plain = [](auto const& batch) { return Impl::adapted(batch.view()).view; };
  auto const va = plain(a);
  auto const vb = plain(b);
  auto const vx = plain(x);
  Kokkos::parallel_for("solve", Kokkos::RangePolicy<Space>(0, items),
                       SolveInRange<decltype(va), decltype(vb), decltype(vx)>{va, vb, vx, codes});
  x.download();
  auto const code = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (int n = 0; n < items; ++n) {
    if (n == 0 || n == 20 || n == items - 1) {
      EXPECT_EQ(Status::reason(code(n)), Reason::not_positive_definite) << n;
      continue;
    }
    EXPECT_EQ(code(n), 0) << n;
    for (int i = 0; i < 3; ++i) {
      long double r = -b.at(n, i);
      for (int j = 0; j < 3; ++j)
        r += (long double)(j <= i ? a.at(n, i, j) : a.at(n, j, i)) * x.at(n, j);
      // Higham, Accuracy and Stability (2002), theorem 10.4, with |x| <= |b| / 2.
      EXPECT_LE(std::abs(r), 3 * 4 * 8 * 3 * epsilon<double>) << n << " " << i;
    }
  }
  EXPECT_EQ(x.poisoned(), x.outside());
}
TEST(LoadStore, Views) {
  expect_solutions<Left>();
  expect_solutions<Right>();
  expect_solutions<Strided>();
}

/// Memory of the kernel: pointers, with strides, and arrays.
struct InMemory {
  Kokkos::View<float* [24], Kokkos::LayoutRight, Space> x;
  KOKKOS_FUNCTION void operator()(int n) const {
    float* const p = &x(n, 0);
    auto const a = load<2, 3>(p);  // numbers 0 to 5
    float array[2][3];
    store(2.0f * a, array);
    store(load(array), p + 6);                            // 6 to 11
    store(transpose(a), p + 12, 1, 3);                    // 12 to 17: by columns
    store(load<2, 3>(p, 1, 2) * load<3>(p + 3), p + 18);  // 18 and 19: a by columns
    float const two[2] = {5, 7};
    store(load(two), p + 20, 2, 0);  // 20 and 22
  }
};
TEST(LoadStore, Memory) {
  constexpr int items = 3;
  Kokkos::View<float* [24], Kokkos::LayoutRight, Space> const x("x", items);
  auto const host = Kokkos::create_mirror_view(x);
  for (int n = 0; n < items; ++n)
    for (int k = 0; k < 24; ++k) host(n, k) = float(k < 6 ? 10 * n + k : -1);
  Kokkos::deep_copy(x, host);
  Kokkos::parallel_for("memory", Kokkos::RangePolicy<Space>(0, items), InMemory{x});
  Kokkos::deep_copy(host, x);
  for (int n = 0; n < items; ++n) {
    auto const at = [&](int k) { return float(10 * n + k); };
    for (int k = 0; k < 6; ++k) {
      EXPECT_EQ(host(n, 6 + k), 2 * at(k));
      // Entry (i, j) of the transpose, which is a(j, i), is at i + 3 j.
      EXPECT_EQ(host(n, 12 + k), at(k));
    }
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(host(n, 18 + i), at(i) * at(3) + at(i + 2) * at(4) + at(i + 4) * at(5));
    EXPECT_EQ(host(n, 20), 5);
    EXPECT_EQ(host(n, 21), -1);
    EXPECT_EQ(host(n, 22), 7);
    EXPECT_EQ(host(n, 23), -1);
  }
}

/// Random numbers of an item are those that sequences have.
struct RandomInRange {
  Kokkos::View<float* [3], Space> x;
  KOKKOS_FUNCTION void operator()(int n) const {
    auto r = random_numbers<float>(5, 6, n, 7);
    store(uniform<3>(r), x, n);  // another block follows
    store(uniform<3>(r), x, n);
  }
};
TEST(LoadStore, RandomNumbers) {
  constexpr int items = 9;
  Kokkos::View<float* [3], Space> const x("x", items);
  Kokkos::parallel_for("random", Kokkos::RangePolicy<Space>(0, items), RandomInRange{x});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(host(n, i), (Expected{5, 6, std::uint64_t(n), 7}.uniform<float>(1, i)));
}

/// Complex numbers, a lower triangle, and symmetric results in both triangles.
struct Structures {
  Kokkos::View<Kokkos::complex<double>* [2][2], Space> z;
  Kokkos::View<double* [2][2], Space> l, p;
  KOKKOS_FUNCTION void operator()(int n) const {
    auto const a = load<2, 2>(z, n);
    store(a * a, z, n);
    auto const lower = load<Lower<double, 2>>(l, n);
    store(symmetric_product(lower, transpose(lower)), p, n);
    store(lower, l, n);
  }
};
TEST(LoadStore, Structures) {
  using Complex = Kokkos::complex<double>;
  Kokkos::View<Complex* [2][2], Space> const z("z", 1);
  Kokkos::View<double* [2][2], Space> const l("l", 1), p("p", 1);
  auto const of_z = Kokkos::create_mirror_view(z);
  auto const of_l = Kokkos::create_mirror_view(l), of_p = Kokkos::create_mirror_view(p);
  double const numbers[2][2] = {{2, 9}, {3, 5}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) of_z(0, i, j) = Complex(i + 1, j), of_l(0, i, j) = numbers[i][j];
  Kokkos::deep_copy(z, of_z), Kokkos::deep_copy(l, of_l);
  Kokkos::parallel_for("structures", Kokkos::RangePolicy<Space>(0, 1), Structures{z, l, p});
  Kokkos::deep_copy(of_z, z), Kokkos::deep_copy(of_l, l), Kokkos::deep_copy(of_p, p);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      Complex expected(0, 0);
      for (int k = 0; k < 2; ++k) expected += Complex(i + 1, k) * Complex(k + 1, j);
      EXPECT_EQ(of_z(0, i, j), expected);
      double const products[2][2] = {{4, 6}, {6, 34}};
      EXPECT_EQ(of_p(0, i, j), products[i][j]);
      EXPECT_EQ(of_l(0, i, j), j > i ? 0 : numbers[i][j]);
    }
}

}  // namespace
}  // namespace Batchwork::Test
