// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verb svd: every arrangement and many extents, compared with dgesvd of LAPACK; compact,
// transposed; numbers of items; misuse.
#include "SvdVerbCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

using Codes = Kokkos::View<int*, Space>;

template <class T>
void check_verb(int m, int n, std::int64_t items, Arranged how, Random& random) {
  check_svd<T>(
      m, n, items, how, random,
      [](auto const& a, auto const& u, auto const& w, auto const& v, auto const& codes) {
        Batchwork::svd(in(a.batch()), out(u.batch()), out(vectors(w)), out(v.batch()),
                       status(Codes(codes.data(), std::size_t(codes.items))));
      },
      [](auto const& a, auto const& w) {
        Batchwork::svd(launch("values"), in(a.batch()), out(vectors(w)));
      });
}

template <class T>
struct SvdVerb : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdVerb, Numbers);

TYPED_TEST(SvdVerb, EverySizeAndArrangement) {
  using T = TypeParam;
  Random random(1);
  struct {
    int rows, cols;
  } const some[] = {{1, 1},   {2, 1},   {2, 2},   {1, 3},   {3, 3},   {4, 4},   {5, 5},  {6, 6},
                    {7, 7},   {4, 7},   {8, 8},   {9, 4},   {9, 9},   {16, 16}, {17, 5}, {24, 31},
                    {32, 32}, {33, 32}, {31, 40}, {48, 48}, {64, 64}, {6, 5},   {16, 9}, {21, 32}};
  for (auto [m, n] : some)
    for (auto how : all_arranged) {
      // The references take long to compute.
      if (m * n > 70 && how != Arranged::item_contiguous && (m != 17 || how != Arranged::strided))
        continue;
      check_verb<T>(m, n, m * n > 200 ? 11 : 33, how, random);
    }
  check_verb<T>(72, 66, 10, Arranged::item_contiguous, random);
  check_verb<T>(2, 3, 65537, Arranged::interleaved, random);
}

template <class T>
void check_svd_forms(std::size_t m, std::size_t n) {
  constexpr std::size_t W = 4, items = 9;
  using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  using Values = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
  using Groups = Kokkos::View<T****, Kokkos::LayoutRight, Space>;
  Batch const a("a", items, m, n), u("u", items, m, m), v("v", items, n, m), u2("u2", items, m, m),
      v2("v2", items, n, m), turned("turned", items, n, m);
  Values const w("w", items, m), w2("w2", items, m);
  Groups const groups("groups", (std::size_t(items) + W - 1) / W, m, n, W),
      v_groups("v", (std::size_t(items) + W - 1) / W, n, m, W);
  auto const host = Kokkos::create_mirror_view(a);
  Random random(3);
  for (std::size_t k = 0; k < host.size(); ++k) host.data()[k] = T(random());
  Kokkos::deep_copy(a, host);
  Kokkos::DefaultExecutionSpace const exec;
  copy(exec, turned, transposed(a));
  pack(exec, compact(groups, items), a);
  auto const expect_same = [](auto const& want, auto const& got, char const* what) {
    auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
    auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
    for (std::size_t k = 0; k < x.size(); ++k)
      ASSERT_TRUE(same_bits(x.data()[k], y.data()[k])) << what << k;
  };
  svd(exec, in(a), out(u), out(w), out(v));
  svd(exec, in(transposed(turned)), out(u2), out(w2), out(v2));
  expect_same(u, u2, "transposed"), expect_same(w, w2, "transposed"),
      expect_same(v, v2, "transposed");
  // The decomposition of the transpose has u and v exchanged.
  if (m != n) {
    svd(in(turned), out(v2), out(w2), out(u2));
    expect_same(u, u2, "turned"), expect_same(w, w2, "turned"), expect_same(v, v2, "turned");
  }
  svd(in(compact(groups, items)), out(u2), out(w2), out(compact(v_groups, items)));
  unpack(exec, v2, compact(v_groups, items));
  expect_same(u, u2, "compact"), expect_same(v, v2, "compact");
}
TYPED_TEST(SvdVerb, FormsOfOperands) {
  check_svd_forms<TypeParam>(7, 10);
  check_svd_forms<TypeParam>(5, 5);
}

TEST(SvdVerb, NothingToDo) {
  Kokkos::View<double***, Space> const none("none", 0, 4, 3), empty("empty", 2, 4, 0);
  Kokkos::View<double**, Space> const no_values("w", 0, 3), empty_values("w", 2, 0);
  Batchwork::svd(in(none), out(no_values));
  Batchwork::svd(in(empty), out(empty_values));
}

TEST(SvdVerb, Misuse) {
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Batch const a("a", 3, 5, 4), u("u", 3, 5, 4), v("v", 3, 4, 4), wide("wide", 3, 4, 5),
      huge("huge", 1, 700, 700);
  Kokkos::View<double**, Space> const w("w", 3, 4), short_w("short", 3, 3), huge_w("w", 1, 700);
  expect_says(message_of([&] { Batchwork::svd(in(a), out(wide), out(w), out(v)); }),
              {"Batchwork::svd: operand 2, u(\"wide\")", "left singular vectors", "of 5x4"});
  expect_says(message_of([&] { Batchwork::svd(in(a), out(u), out(short_w), out(v)); }),
              {"operand 3, values(\"short\")", "the singular values of operand 1",
               "give a View with items of 4"});
  expect_says(message_of([&] { Batchwork::svd(in(a), out(u), out(w), out(wide)); }),
              {"operand 4, v(\"wide\")", "right singular vectors", "of 4x4"});
  expect_says(
      message_of([&] { Batchwork::svd(in(huge), out(huge_w)); }),
      {"an item of operand 1, a(\"huge\")", "bytes, more than the", "use smaller matrices"});
  expect_says(message_of([&] { Batchwork::svd(in(a), out(a), out(w), out(v)); }),
              {"operand 2, u(\"a\")", "shares elements with", "give a View of its own"});
}

/// The documented limits for hosts: these sizes need no workspace, and one more row does.
template <class T>
void check_limits(int alone, int with_vectors) {
  for (int more : {0, 1}) {
    auto const numbers = [&](int n, bool vectors_too) {
      Kokkos::View<T***, Space> const a("a", 1, n, n), u("u", 1, n, n), v("v", 1, n, n);
      Kokkos::View<T**, Space> const w("w", 1, n);
      return vectors_too ? workspace_numbers<Verb::svd>(in(a), out(u), out(w), out(v))
                         : workspace_numbers<Verb::svd>(in(a), out(w));
    };
    EXPECT_EQ(numbers(alone + more, false) > 0, more == 1) << alone + more;
    EXPECT_EQ(numbers(with_vectors + more, true) > 0, more == 1) << with_vectors + more;
  }
}
TEST(SvdVerb, LimitsOfHosts) {
  if (Impl::runs_on_device<Kokkos::DefaultExecutionSpace>) return;
  check_limits<float>(513, 363);
  check_limits<double>(361, 256);
}

TEST(SvdVerb, WhoAsksForAWorkspaceGetsNoResults) {
  for (int n : {4, 12}) {
    Kokkos::View<double***, Space> const a("a", 3, n, n);
    Kokkos::View<double**, Space> const values("values", 3, n);
    Kokkos::deep_copy(values, 7);
    EXPECT_EQ(workspace_numbers<Verb::svd>(in(a), out(values)), 0);
    auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    EXPECT_EQ(after(1, 0), 7);
  }
}

}  // namespace
}  // namespace Batchwork::Test
