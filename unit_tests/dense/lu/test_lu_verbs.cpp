// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verbs lu, solve_lu, inverse and determinant. Every arrangement against backward error bounds
// in long double, also with singular matrices and NaN; in place, compact, transposed; numbers of
// items; misuse.
#include "LuVerbsCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

using Codes = Kokkos::View<int*, Space>;

/// A View (item, row) with one column.
template <class T>
auto column(ArrangedBatch<T> const& m) {
  return vectors(m);
}
template <class T>
void check_verbs(int n, int columns, std::int64_t items, Arranged how, Random& random) {
  check_lu<T>(
      n, columns, items, how, random,
      [](auto const& a, auto const& lu, auto const& rows, auto const& codes) {
        Batchwork::lu(in(a.batch()), out(lu.batch()), out(column(rows)),
                      status(Codes(codes.data(), std::size_t(codes.items))));
      },
      [](auto const& a, auto const& b, auto const& x, auto const& codes) {
        Batchwork::solve_lu(in(a.batch()), in(b.batch()), out(x.batch()),
                            status(Codes(codes.data(), std::size_t(codes.items))));
      },
      n <= 8 || !Impl::runs_on_device<Space>);
}

template <class T>
auto scalars(ArrangedBatch<T> const& m) {
  using View = Kokkos::View<T*, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  return View(m.data(), Kokkos::LayoutStride(std::size_t(m.items), std::size_t(m.item)));
}
template <class T>
void check_inverse_verbs(int n, std::int64_t items, Arranged how, Random& random) {
  check_inverse<T>(
      n, items, how, random,
      [](auto const& a, auto const& x, auto const& codes) {
        Batchwork::inverse(in(a.batch()), out(x.batch()), status(scalars(codes)));
      },
      [](auto const& a, auto const& d, auto const& codes) {
        Batchwork::determinant(in(a.batch()), out(scalars(d)), status(scalars(codes)));
      },
      [](auto const& a, auto const& logs, auto const& signs, auto const& codes) {
        Batchwork::log_abs_determinant(launch("logs"), in(a.batch()), out(scalars(logs)),
                                       out(scalars(signs)), status(scalars(codes)));
      });
}

template <class T>
struct LuVerbs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LuVerbs, Numbers);

TYPED_TEST(LuVerbs, EverySizeAndArrangement) {
  using T = TypeParam;
  Random random(1);
  for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 17, 24, 30, 31, 32, 33, 48, 64, 65, 100})
    for (auto how : all_arranged) {
      // The references take long to compute.
      if (n > 40 && how != Arranged::item_contiguous && how != Arranged::interleaved) continue;
      check_verbs<T>(n, n % 3 + 1, n < 20 ? 13 : 6, how, random);
    }
  check_verbs<T>(12, 19, 7, Arranged::interleaved, random);
  check_verbs<T>(7, 1, 1025, Arranged::interleaved, random);
}

TYPED_TEST(LuVerbs, SmallestNumberBesideZeros) {
  for (int n : {3, 8, 12, 16, 22, 32, 40, 64, 70})
    check_smallest_number<TypeParam>(n, [](auto const& a, auto const& x, auto const& codes) {
      Batchwork::solve_lu(in(a.batch()), inout(column(x)), status(scalars(codes)));
    });
}

TYPED_TEST(LuVerbs, InversesAndDeterminants) {
  using T = TypeParam;
  Random random(11);
  for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 17, 31, 32, 33, 48, 64, 65})
    for (auto how : all_arranged) {
      // The references take long to compute.
      if (n > 40 && how != Arranged::item_contiguous) continue;
      check_inverse_verbs<T>(n, n < 20 ? 31 : 13, how, random);
    }
  check_inverse_verbs<T>(3, 65537, Arranged::interleaved, random);
  // In place, for transposes: the same as the transposed inverse.
  Kokkos::View<T***, Kokkos::LayoutRight, Space> const a("a", 9, 12, 12), x("x", 9, 12, 12);
  auto const host = Kokkos::create_mirror_view(a);
  for (std::size_t k = 0; k < host.size(); ++k) host.data()[k] = T(random());
  Kokkos::deep_copy(a, host);
  Batchwork::inverse(in(transposed(a)), out(transposed(x)));
  Batchwork::inverse(inout(transposed(a)));
  auto const want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  for (std::size_t k = 0; k < want.size(); ++k)
    ASSERT_TRUE(same_bits(want.data()[k], got.data()[k])) << k;
}

/// The largest items that a device with the least scratch memory supports.
TYPED_TEST(LuVerbs, LargeItems) {
  Random random(2);
  check_verbs<TypeParam>(sizeof(TypeParam) == 4 ? 99 : 70, 2, 6, Arranged::item_contiguous, random);
}

/// Factors in the memory of the matrices, solutions in the memory of the right-hand sides, vectors,
/// transposes and groups: the same bits.
template <class T>
void check_forms(std::size_t n, std::int64_t items) {
  constexpr std::size_t W = 4;
  using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  using Vectors = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
  using Groups = Kokkos::View<T****, Kokkos::LayoutRight, Space>;
  auto const matrices = [&](std::string const& name) {
    return Batch(name, std::size_t(items), n, n);
  };
  Batch const a = matrices("a"), lu = matrices("lu"), in_place = matrices("in place"),
              turned = matrices("turned");
  Groups const groups("groups", (std::size_t(items) + W - 1) / W, n, n, W),
      lu_groups("lu", (std::size_t(items) + W - 1) / W, n, n, W);
  Vectors const b("b", std::size_t(items), n), x("x", std::size_t(items), n);
  Kokkos::View<int**, Space> const rows("rows", std::size_t(items), n),
      others("others", std::size_t(items), n);
  auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), a);
  auto const host_b = Kokkos::create_mirror(Kokkos::HostSpace(), b);
  Random random(3);
  for (std::size_t k = 0; k < std::size_t(items); ++k)
    for (std::size_t i = 0; i < n; ++i) {
      host_b(k, i) = T(random());
      for (std::size_t j = 0; j < n; ++j) host(k, i, j) = T(random());
    }
  Kokkos::deep_copy(a, host), Kokkos::deep_copy(in_place, host), Kokkos::deep_copy(b, host_b);
  Kokkos::DefaultExecutionSpace const exec;
  copy(exec, turned, transposed(a));
  pack(exec, compact(groups, items), a);
  Batchwork::lu(exec, in(a), out(lu), out(rows));
  auto const expect_same = [&](Batch const& other, char const* what) {
    auto const want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lu);
    auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), other);
    auto const r = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
    auto const o = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), others);
    for (std::size_t k = 0; k < std::size_t(items); ++k)
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(r(k, i), o(k, i)) << what;
        for (std::size_t j = 0; j < n; ++j)
          EXPECT_TRUE(same_bits(want(k, i, j), got(k, i, j))) << what << k << i << j;
      }
  };
  Batchwork::lu(launch("in place"), inout(in_place), out(others));
  expect_same(in_place, "in place");
  Batchwork::lu(exec, in(transposed(turned)), out(in_place), out(others));
  expect_same(in_place, "transposed");
  Batchwork::lu(exec, in(compact(groups, items)), out(compact(lu_groups, items)), out(others));
  unpack(exec, in_place, compact(lu_groups, items));
  expect_same(in_place, "compact");
  Batch const inverses = matrices("inverses");
  Batchwork::inverse(exec, in(a), out(lu));
  Kokkos::deep_copy(rows, 0), Kokkos::deep_copy(others, 0);
  Batchwork::inverse(exec, in(compact(groups, items)), out(compact(lu_groups, items)));
  unpack(exec, inverses, compact(lu_groups, items));
  expect_same(inverses, "compact inverses");
  Kokkos::deep_copy(inverses, host);
  Batchwork::inverse(exec, inout(inverses));
  expect_same(inverses, "inverses in place");
  Batchwork::solve_lu(exec, in(a), in(b), out(x));
  Batchwork::solve_lu(exec, in(a), inout(b));
  auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const same = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  for (std::size_t k = 0; k < std::size_t(items); ++k)
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_TRUE(same_bits(got(k, i), same(k, i))) << k << i;
      long double sum = 0, size = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += static_cast<long double>(host(k, i, j)) * got(k, j);
        size += std::fabs(static_cast<long double>(got(k, j)));
      }
      // |L| |U| of a random matrix is less than 8 n.
      EXPECT_NEAR(double(sum), double(host_b(k, i)),
                  double(tolerance<T>(3 * int(n), 8 * int(n) * size)));
    }
}
TYPED_TEST(LuVerbs, FormsOfOperands) {
  check_forms<TypeParam>(11, 9);
  for (std::int64_t items : {1, 7, 8, 9, 33}) check_forms<TypeParam>(6, items);
}

TEST(LuVerbs, NothingToDo) {
  Kokkos::View<double***, Space> const none("none", 0, 4, 4), empty("empty", 3, 0, 0);
  Kokkos::View<int**, Space> const no_rows("rows", 0, 4), empty_rows("rows", 3, 0);
  Batchwork::lu(in(none), out(none), out(no_rows));
  Batchwork::lu(in(empty), out(empty), out(empty_rows));
}

TEST(LuVerbs, Misuse) {
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const a("a", 3, 4, 4), lu("lu", 3, 4, 4),
      wide("wide", 3, 4, 5), few("few", 2, 4, 4), huge("huge", 1, 400, 400);
  Kokkos::View<double**, Space> const b("b", 3, 4), x("x", 3, 4), short_b("short", 3, 3);
  Kokkos::View<int**, Space> const rows("rows", 3, 4), short_rows("short", 3, 3),
      huge_rows("rows", 1, 400);
  expect_says(message_of([&] { Batchwork::lu(in(wide), out(wide), out(rows)); }),
              {"Batchwork::lu: operand 1, a(\"wide\")", "does not hold square matrices"});
  expect_says(message_of([&] { Batchwork::lu(in(a), out(few), out(rows)); }),
              {"operand 2, lu(\"few\")", "has 2 items, but operand 1, a(\"a\")", "has 3"});
  expect_says(message_of([&] { Batchwork::lu(in(a), out(lu), out(short_rows)); }),
              {"operand 3, rows(\"short\")", "does not hold an integer for each row",
               "give a View with items of 4"});
  expect_says(message_of([&] { Batchwork::solve_lu(in(a), in(short_b), out(x)); }),
              {"operand 2, b(\"short\")", "has 3 rows, but operand 1", "as many rows"});
  expect_says(message_of([&] { Batchwork::solve_lu(in(a), in(b), out(short_b)); }),
              {"operand 3, x(\"short\")", "does not hold the solutions"});
  expect_says(message_of([&] { Batchwork::lu(inout(huge), out(huge_rows)); }),
              {"has 400 rows, more than the", "give workspace(view) of"});
  Kokkos::View<double*, Space> const d("d", 3), few_d("few", 2);
  expect_says(message_of([&] { Batchwork::inverse(in(a), out(wide)); }),
              {"Batchwork::inverse: operand 2, x(\"wide\")", "does not hold the inverse"});
  expect_says(message_of([&] { Batchwork::determinant(in(wide), out(d)); }),
              {"Batchwork::determinant: operand 1, a(\"wide\")", "does not hold square matrices"});
  expect_says(message_of([&] { Batchwork::log_abs_determinant(in(a), out(d), out(few_d)); }),
              {"operand 3, signs(\"few\")", "has 2 items"});
  auto const part = Kokkos::subview(a, Kokkos::pair<int, int>(0, 2), Kokkos::ALL, Kokkos::ALL);
  auto const shifted = Kokkos::subview(a, Kokkos::pair<int, int>(1, 3), Kokkos::ALL, Kokkos::ALL);
  Kokkos::View<int**, Space> const two("two", 2, 4);
  expect_says(message_of([&] { Batchwork::lu(in(part), out(shifted), out(two)); }),
              {"is written and shares elements with", "give inout(view)"});
}

}  // namespace
}  // namespace Batchwork::Test
