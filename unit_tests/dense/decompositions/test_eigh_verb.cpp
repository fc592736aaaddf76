// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verb eigh: every arrangement and many extents, compared with dsyev of LAPACK; in place,
// eigenvalues only, compact, transposed; numbers of items; misuse.
#include "EighVerbCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

using Codes = Kokkos::View<int*, Space>;

template <class T>
void check_verb(int n, std::int64_t items, Arranged how, Random& random) {
  check_eigh<T>(n, items, how, random,
                [](auto const& a, auto const& w, auto const& v, auto const& codes) {
                  Batchwork::eigh(in(a.batch()), out(vectors(w)), out(v.batch()),
                                  status(Codes(codes.data(), std::size_t(codes.items))));
                });
}

template <class T>
struct EighVerb : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EighVerb, Numbers);

TYPED_TEST(EighVerb, EverySizeAndArrangement) {
  using T = TypeParam;
  Random random(1);
  for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33})
    for (auto how : all_arranged) {
      // The references take long to compute.
      if (n > 9 && how != Arranged::item_contiguous && how != Arranged::interleaved) continue;
      check_verb<T>(n, 29, how, random);
    }
  for (int n : {48, 64, 65, 100}) check_verb<T>(n, 13, Arranged::item_contiguous, random);
}

/// Matrices with two blocks, together with items that need more steps, and with zeros: bitwise the
/// same results, including the signs of zeros.
TYPED_TEST(EighVerb, BesideOthers) {
  using T = TypeParam;
  using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  for (std::size_t n : {5, 9, 12})
    for (std::size_t block : {1, 2, 4}) {
      constexpr std::size_t items = 8;
      Batch const a("a", items, n, n), v("v", items, n, n), again("v", items, n, n);
      Kokkos::View<T**, Kokkos::LayoutRight, Space> const w("w", items, n);
      auto const host = Kokkos::create_mirror_view(a);
      Random random(17);
      for (std::size_t k = 0; k < items; ++k)
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j <= i; ++j)
            host(k, i, j) = k % 2 == 1 || (i < block) == (j < block) ? T(random()) : T(0);
      Kokkos::deep_copy(a, host);
      eigh(in(a), out(w), out(v));
      for (std::size_t k = 1; k < items; k += 2)
        for (std::size_t i = 0; i < n * n; ++i) host(k, i / n, i % n) = T(0);
      Kokkos::deep_copy(a, host);
      eigh(in(a), out(w), out(again));
      auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
      auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), again);
      for (std::size_t k = 0; k < items; k += 2)
        for (std::size_t i = 0; i < n * n; ++i)
          ASSERT_TRUE(same_bits(x(k, i / n, i % n), y(k, i / n, i % n))) << n << ' ' << block;
    }
}

/// Numbers of items near the sizes of packs and teams. The first, a middle and the last item fail.
TYPED_TEST(EighVerb, NumbersOfItems) {
  using T = TypeParam;
  using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  for (std::size_t items : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65537}) {
    constexpr std::size_t n = 3;
    Batch const a("a", items, n, n);
    Kokkos::View<T**, Space> const w("w", items, n);
    Codes const codes("codes", items);
    auto const host = Kokkos::create_mirror_view(a);
    auto const fails = [&](std::size_t k) { return k == 0 || k == items / 2 || k + 1 == items; };
    for (std::size_t k = 0; k < items; ++k)
      for (std::size_t i = 0; i < n; ++i)
        host(k, i, i) = fails(k) && i == 1 ? std::numeric_limits<T>::infinity() : T(k % 7 + 3 - i);
    Kokkos::deep_copy(a, host);
    Batchwork::eigh(in(a), out(w), status(codes));
    auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), w);
    auto const said = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
    for (std::size_t k = 0; k < items; ++k) {
      ASSERT_EQ(said(k), fails(k) ? Status::code(Reason::not_finite, 0) : 0) << k;
      for (std::size_t i = 0; i < n && !fails(k); ++i)
        ASSERT_NEAR(double(values(k, i)), double(k % 7 + 1 + i), double(30 * 9 * epsilon<T>)) << k;
    }
  }
}

/// Vectors in the memory of the matrices, values only, transposes and groups: the same bits.
template <class T>
void check_eigh_forms(std::size_t n, std::int64_t items) {
  constexpr std::size_t W = 4;
  using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  using Values = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
  using Groups = Kokkos::View<T****, Kokkos::LayoutRight, Space>;
  auto const matrices = [&](std::string const& name) {
    return Batch(name, std::size_t(items), n, n);
  };
  Batch const a = matrices("a"), v = matrices("v"), other = matrices("other"),
              turned = matrices("turned");
  Groups const groups("groups", (std::size_t(items) + W - 1) / W, n, n, W),
      group_vectors("vectors", (std::size_t(items) + W - 1) / W, n, n, W);
  Kokkos::View<T***, Kokkos::LayoutRight, Space> const group_values(
      "values", (std::size_t(items) + W - 1) / W, n, W);
  Values const w("w", std::size_t(items), n), w2("w2", std::size_t(items), n);
  auto const host = Kokkos::create_mirror_view(a);
  Random random(3);
  for (std::size_t k = 0; k < std::size_t(items); ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        host(k, i, j) = j > i ? std::numeric_limits<T>::quiet_NaN() : T(random());
  Kokkos::deep_copy(a, host), Kokkos::deep_copy(other, host);
  Kokkos::DefaultExecutionSpace const exec;
  copy(exec, turned, transposed(a));
  pack(exec, compact(groups, items), a);
  auto const expect_same = [](auto const& x, auto const& y, char const* what) {
    auto const want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (std::size_t k = 0; k < want.size(); ++k)
      ASSERT_TRUE(same_bits(want.data()[k], got.data()[k])) << what << k;
  };
  eigh(exec, in(a), out(w), out(v));
  eigh(exec, launch("values"), in(a), out(w2));
  expect_same(w, w2, "values");
  eigh(inout(other), out(w2));
  expect_same(v, other, "in place");
  eigh(exec, in(transposed(turned)), out(w2), out(transposed(other)));
  copy(exec, turned, transposed(other));
  expect_same(v, turned, "transposed");
  eigh(in(compact(groups, items)), out(compact(group_values, items)),
       out(compact(group_vectors, items)));
  unpack(exec, other, compact(group_vectors, items));
  expect_same(v, other, "compact");
  unpack(exec, w2, compact(group_values, items));
  expect_same(w, w2, "compact values");
}
TYPED_TEST(EighVerb, FormsOfOperands) {
  check_eigh_forms<TypeParam>(11, 9);
  check_eigh_forms<TypeParam>(6, 9);
}

TEST(EighVerb, NothingToDo) {
  Kokkos::View<double***, Space> const none("none", 0, 4, 4), empty("empty", 3, 0, 0);
  Kokkos::View<double**, Space> const no_values("w", 0, 4), empty_values("w", 3, 0);
  Batchwork::eigh(in(none), out(no_values));
  Batchwork::eigh(in(empty), out(empty_values));
}

TEST(EighVerb, Misuse) {
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Batch const a("a", 3, 4, 4), v("v", 3, 4, 4), wide("wide", 3, 4, 5), few("few", 2, 4, 4),
      huge("huge", 1, 700, 700);
  Kokkos::View<double**, Space> const w("w", 3, 4), short_w("short", 3, 3), huge_w("w", 1, 700);
  expect_says(message_of([&] { Batchwork::eigh(in(wide), out(w)); }),
              {"Batchwork::eigh: operand 1, a(\"wide\")", "does not hold square matrices"});
  expect_says(message_of([&] { Batchwork::eigh(in(a), out(w), out(few)); }),
              {"operand 3, vectors(\"few\")", "has 2 items, but operand 1, a(\"a\")", "has 3"});
  expect_says(message_of([&] { Batchwork::eigh(in(a), out(short_w), out(v)); }),
              {"operand 2, values(\"short\")", "does not hold the eigenvalues",
               "give a View with items of 4"});
  expect_says(message_of([&] { Batchwork::eigh(in(a), out(w), out(wide)); }),
              {"operand 3, vectors(\"wide\")", "does not hold the eigenvectors", "of 4x4"});
  expect_says(
      message_of([&] { Batchwork::eigh(inout(huge), out(huge_w)); }),
      {"an item of operand 1, a(\"huge\")", "bytes, more than the", "use smaller matrices"});
  auto const part = Kokkos::subview(a, Kokkos::pair<int, int>(0, 2), Kokkos::ALL, Kokkos::ALL);
  auto const shifted = Kokkos::subview(a, Kokkos::pair<int, int>(1, 3), Kokkos::ALL, Kokkos::ALL);
  Kokkos::View<double**, Space> const two("two", 2, 4);
  expect_says(message_of([&] { Batchwork::eigh(in(part), out(two), out(shifted)); }),
              {"is written and shares elements with", "give inout(view)"});
}

/// The documented limits for hosts: these sizes need no workspace, and one more row does.
TEST(EighVerb, LimitsOfHosts) {
  if (Impl::runs_on_device<Kokkos::DefaultExecutionSpace>) return;
  auto const numbers = []<class T>(T, int n) {
    Kokkos::View<T***, Space> const a("a", 1, n, n), v("v", 1, n, n);
    Kokkos::View<T**, Space> const w("w", 1, n);
    return workspace_numbers<Verb::eigh>(in(a), out(w), out(v));
  };
  EXPECT_EQ(numbers(1.f, 512), 0);
  EXPECT_GT(numbers(1.f, 513), 0);
  EXPECT_EQ(numbers(1., 361), 0);
  EXPECT_GT(numbers(1., 362), 0);
}

TEST(EighVerb, WhoAsksForAWorkspaceGetsNoResults) {
  for (int n : {4, 12}) {
    Kokkos::View<double***, Space> const a("a", 3, n, n);
    Kokkos::View<double**, Space> const values("values", 3, n);
    Kokkos::deep_copy(values, 7);
    EXPECT_EQ(workspace_numbers<Verb::eigh>(in(a), out(values)), 0);
    auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    EXPECT_EQ(after(1, 0), 7);
  }
}

}  // namespace
}  // namespace Batchwork::Test
