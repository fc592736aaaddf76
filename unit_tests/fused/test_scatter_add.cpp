// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// scatter_plan and scatter_add: sums in a fixed order; check_indices.
#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

/// The sum over a segment, with its bound: n eps times the sum of absolute values.
struct Sum {
  long double value = 0, size = 0;
  int terms = 0;
  void add(long double x) { value += x, size += std::abs(x), ++terms; }
};

/// K indices for each item, rows of C numbers. `scale` is a power of two.
template <class T, class I, class L, class LV>
std::vector<T> sums_of_rows(std::int64_t n, std::int64_t nodes, T scale) {
  constexpr int K = 8, C = 3;
  Random random(6);
  BatchIn<T, L, K, C> c(n);
  BatchIn<T, LV, C> v(nodes);
  BatchIn<I, L, K> index(n);
  c.randomise(random), v.randomise(random);
  std::vector<Sum> want(std::size_t(nodes * C));
  for (std::int64_t k = 0; k < nodes; ++k)
    for (int j = 0; j < C; ++j) want[std::size_t(k * C + j)].add(scale * v.at(k, j) / 1);
  for (std::int64_t k = 0; k < nodes; ++k)
    for (int j = 0; j < C; ++j) v.at(k, j) *= scale;
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < K; ++i) {
      // Node 1 has no contribution, and node 0 very many.
      int const node = random.integer(0, 3) == 0 ? 0 : random.integer(0, int(nodes) - 1);
      index.at(k, i) = static_cast<I>(node == 1 ? 2 : node);
      for (int j = 0; j < C; ++j) {
        c.at(k, i, j) *= scale;
        want[std::size_t(std::int64_t(index.at(k, i)) * C + j)].add(c.at(k, i, j));
      }
    }
  c.upload(), v.upload(), index.upload();
  auto const plan = scatter_plan(index.const_view(), nodes);
  scatter_add(plan, c.view(), v.view());
  v.download();
  std::vector<T> sums;
  for (std::int64_t k = 0; k < nodes; ++k)
    for (int j = 0; j < C; ++j) {
      Sum const& s = want[std::size_t(k * C + j)];
      long double const bound = s.terms * epsilon<T> * s.size;
      EXPECT_NEAR(double(v.at(k, j)), double(s.value), double(bound)) << k << ", " << j;
      sums.push_back(v.at(k, j));
    }
  EXPECT_EQ(v.poisoned(), v.outside());
  return sums;
}

TEST(ScatterAdd, Rows) {
  auto const once = sums_of_rows<double, int, Right, Right>(1000, 37, 1);
  // The layouts of both Views and the type of the indices do not change a bit, nor does a second
  // run, nor a power of two but for itself.
  EXPECT_EQ(once, (sums_of_rows<double, std::size_t, Left, Left>(1000, 37, 1)));
  EXPECT_EQ(once, (sums_of_rows<double, int, Right, Right>(1000, 37, 1)));
  auto scaled = sums_of_rows<double, int, Strided, Right>(1000, 37, std::ldexp(1.0, 300));
  for (auto& x : scaled) x = std::ldexp(x, -300);
  EXPECT_EQ(once, scaled);
  sums_of_rows<float, std::int64_t, CompactBy<4>, Right>(101, 5, 1);
}

TEST(ScatterAdd, EntriesAndTiles) {
  Random random(8);
  std::int64_t const n = 50, places = 90;
  BatchIn<double, Right, 4, 3> c(n);
  BatchIn<double, Left> values(places);
  BatchIn<std::int64_t, Right, 4, 3> place(n);
  c.fill_exactly(random), values.fill_exactly(random);
  std::vector<double> want;
  for (std::int64_t k = 0; k < places; ++k) want.push_back(values.at(k));
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        place.at(k, i, j) = random.integer(0, int(places) - 1);
        want[std::size_t(place.at(k, i, j))] += c.at(k, i, j);
      }
  place.upload();
  auto const plan = scatter_plan(place.view(), places);
  EXPECT_GT(plan.most, 1);
  scatter_add(launch("entries"), plan, c.view(), values.view());
  values.download();
  for (std::int64_t k = 0; k < places; ++k) EXPECT_EQ(values.at(k), want[std::size_t(k)]);

  // One index for each item: whole matrices.
  BatchIn<double, Left, 4, 3> sums(7);
  BatchIn<int, Left> to(n);
  sums.fill_exactly(random);
  std::vector<double> matrices(7 * 12);
  for (int k = 0; k < 7; ++k)
    for (int e = 0; e < 12; ++e) matrices[std::size_t(12 * k + e)] = sums.at(k, e / 3, e % 3);
  for (std::int64_t k = 0; k < n; ++k) {
    to.at(k) = int(k * k % 7);
    for (int e = 0; e < 12; ++e) matrices[std::size_t(12 * to.at(k) + e)] += c.at(k, e / 3, e % 3);
  }
  to.upload();
  scatter_add(scatter_plan(to.view(), 7), c.view(), sums.view());
  sums.download();
  for (int k = 0; k < 7; ++k)
    for (int e = 0; e < 12; ++e)
      EXPECT_EQ(sums.at(k, e / 3, e % 3), matrices[std::size_t(12 * k + e)]);
}

TEST(ScatterAdd, Empty) {
  Kokkos::View<int* [2]> none("none", 0);
  Kokkos::View<double* [2][3]> c("c", 0);
  Kokkos::View<double* [3]> v("v", 4), nothing("nothing", 0);
  scatter_add(scatter_plan(none, 4), c, v);
  scatter_add(scatter_plan(none, 0), c, nothing);
  Kokkos::fence("sums");
}

TEST(ScatterAdd, Misuse) {
  Kokkos::View<int* [2], Kokkos::HostSpace> index("index", 5);
  Kokkos::View<double* [2][3], Kokkos::HostSpace> c("c", 5), other("other", 4);
  Kokkos::View<double* [3], Kokkos::HostSpace> v("v", 4);
  index(3, 1) = 4;
  expect_says(message_of([&] { scatter_plan(index, 4); }),
              {"scatter_plan", "index(\"index\")", "is 4 at (3, 1)", "less than 4"});
  index(3, 1) = -2, index(4, 0) = 9;
  expect_says(message_of([&] { check_indices(index, 5); }), {"check_indices", "is -2 at (3, 1)"});
  index(3, 1) = 0, index(4, 0) = 3;
  check_indices(index, 4);
  auto const plan = scatter_plan(index, 4);
  Kokkos::DefaultHostExecutionSpace const exec;
  expect_says(message_of([&] { scatter_add(exec, plan, other, v); }),
              {"scatter_add", "contributions(\"other\")", "must be (5, 2, 3)"});
  Kokkos::View<double* [3], Kokkos::HostSpace> small("small", 3);
  expect_says(message_of([&] { scatter_add(exec, plan, c, small); }),
              {"view(\"small\")", "has 3 items", "for 4"});
}

}  // namespace
}  // namespace Batchwork::Test
