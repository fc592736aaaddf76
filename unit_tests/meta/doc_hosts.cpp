// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The examples of docs/guides/hosts_and_devices.md. This program runs them and compares their
// results with plain loops.
#include <Batchwork.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace Batchwork;

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
constexpr int most = 12, items = 101;

int failures = 0;
void expect_near(char const* what, int item, double x, double want) {
  if (std::abs(x - want) <= 1e-12 * (1 + std::abs(want))) return;
  std::printf("%s of item %d: %.17g, should be %.17g\n", what, item, x, want);
  ++failures;
}
template <class View>
auto on_host(View const& v) {
  Kokkos::fence();
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}
double number(int item, int k) { return std::sin(1 + 3.1 * item + 0.7 * k); }
int count_of(int item) { return 1 + item * 7 % most; }

// ---- ragged -------------------------------------------------------------------------------------

struct SumOfSome {
  template <class Y, class X, class Count>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, Count const& count) const {
    auto sum = 0.0 * count;
    for (int k = 0; k < X::rows; ++k) {
      auto const there = count > double(k);
      if (!any(there)) break;  // no item of the pack has more numbers
      sum += select(there, exp(element(x, k)), 0.0 * count);
    }
    y = sum;
  }
};

void ragged() {
  Kokkos::View<double* [most]> const x("x", items);
  Kokkos::View<double*> const counts("counts", items), y("y", items);
  auto const hx = Kokkos::create_mirror_view(x);
  auto const hc = Kokkos::create_mirror_view(counts);
  for (int n = 0; n < items; ++n) {
    hc(n) = count_of(n);
    for (int k = 0; k < most; ++k) hx(n, k) = k < count_of(n) ? number(n, k) : 1e300;
  }
  Kokkos::deep_copy(x, hx);
  Kokkos::deep_copy(counts, hc);
  Exec const exec;
  map(exec, SumOfSome{}, out(y), in(x), in(counts));
  auto const h = on_host(y);
  for (int n = 0; n < items; ++n) {
    double want = 0;
    for (int k = 0; k < count_of(n); ++k) want += std::exp(number(n, k));
    expect_near("sum", n, h(n), want);
  }
}

void sorted_by_count() {
  std::vector<int> count(items);
  for (int n = 0; n < items; ++n) count[std::size_t(n)] = count_of(n);
  std::vector<int> order(count.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return count[std::size_t(a)] < count[std::size_t(b)]; });
  // Place n of the batch then holds item order[n].
  for (std::size_t n = 1; n < order.size(); ++n)
    if (count[std::size_t(order[n - 1])] > count[std::size_t(order[n])]) ++failures;
}

// ---- loops --------------------------------------------------------------------------------------

struct Blocks {  // the Kronecker product of a with a matrix of 3 x 3
  template <class K, class A, class B>
  KOKKOS_FUNCTION void operator()(K& k, A const& a, B const& b) const {
    for (int m = 0; m < A::rows; ++m)
      for (int n = 0; n < A::cols; ++n) assign_block(k, 3 * m, 3 * n, element(a, m, n) * b);
  }
};

void blocks() {
  Kokkos::View<double* [12][12]> const k("k", items);
  Kokkos::View<double* [4][4]> const a("a", items);
  Kokkos::View<double[3][3]> const b("b");
  auto const ha = Kokkos::create_mirror_view(a);
  auto const hb = Kokkos::create_mirror_view(b);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) hb(i, j) = number(i, j);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) ha(n, i, j) = number(n, 4 * i + j);
  Kokkos::deep_copy(a, ha);
  Kokkos::deep_copy(b, hb);
  Exec const exec;
  map(exec, launch(width<2>), Blocks{}, out(k), in(a), common(b));
  auto const h = on_host(k);
  for (int n = 0; n < items; ++n)
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j)
        expect_near("block", n, h(n, i, j), number(n, i / 3 * 4 + j / 3) * number(i % 3, j % 3));
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  ragged();
  sorted_by_count();
  blocks();
  return failures > 0 ? 1 : 0;
}
