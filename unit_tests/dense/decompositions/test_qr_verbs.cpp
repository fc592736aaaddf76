// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verbs qr and least_squares: every arrangement and many extents, against bounds of the
// backward error; in place, R only, compact, transposed; numbers of items; misuse.
#include "QrVerbsCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

using Codes = Kokkos::View<int*, Space>;

template <class T>
void check_qr_verb(int m, int n, bool full, std::int64_t items, Arranged how, Random& random) {
  check_qr<T>(m, n, full ? m : std::min(m, n), items, how, random,
              [](auto const& a, auto const& q, auto const& r, auto const& codes) {
                Batchwork::qr(in(a.batch()), out(q.batch()), out(r.batch()),
                              status(Codes(codes.data(), std::size_t(codes.items))));
              });
}
template <class T>
void check_least_squares_verb(int m, int n, int columns, std::int64_t items, Arranged how,
                              Random& random) {
  check_least_squares<T>(m, n, columns, items, how, random,
                         [](auto const& a, auto const& b, auto const& x, auto const& codes) {
                           Batchwork::least_squares(
                               in(a.batch()), in(b.batch()), out(x.batch()),
                               status(Codes(codes.data(), std::size_t(codes.items))));
                         });
}

template <class T>
struct QrVerbs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(QrVerbs, Numbers);

struct Extents {
  int rows, cols;
};
constexpr Extents some_extents[] = {{1, 1},   {2, 1},   {1, 3},   {3, 3},   {4, 7},    {8, 8},
                                    {2, 2},   {4, 4},   {5, 5},   {6, 6},   {7, 7},    {5, 2},
                                    {6, 3},   {2, 4},   {7, 6},   {3, 8},   {8, 1},    {9, 9},
                                    {9, 4},   {16, 16}, {17, 5},  {24, 31}, {32, 32},  {33, 32},
                                    {31, 40}, {48, 48}, {64, 64}, {65, 20}, {100, 100}};

TYPED_TEST(QrVerbs, EverySizeAndArrangement) {
  using T = TypeParam;
  Random random(1);
  for (auto [m, n] : some_extents)
    for (auto how : all_arranged) {
      // The references take long to compute.
      if (m * n > 200 && how != Arranged::item_contiguous) continue;
      int const items = m * n > 200 ? 21 : 33;
      check_qr_verb<T>(m, n, false, items, how, random);
      if (m > n) check_qr_verb<T>(m, n, true, items, how, random);
      check_least_squares_verb<T>(m, n, m * n % 3 + 1, items, how, random);
    }
  // More right-hand sides than the memory holds at the same time.
  check_least_squares_verb<T>(12, 5, 19, 11, Arranged::interleaved, random);
  check_least_squares_verb<T>(5, 12, 19, 11, Arranged::by_columns, random);
  check_qr_verb<T>(3, 2, false, 65537, Arranged::interleaved, random);
}

/// Q in the memory of A, R only, transposes, groups and vectors: the same bits.
template <class T>
void check_forms(std::size_t m, std::size_t n, std::int64_t items) {
  constexpr std::size_t W = 4;
  using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  using Vectors = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
  using Groups = Kokkos::View<T****, Kokkos::LayoutRight, Space>;
  auto const matrices = [&](std::string const& name, std::size_t rows, std::size_t cols) {
    return Batch(name, std::size_t(items), rows, cols);
  };
  Batch const a = matrices("a", m, n), q = matrices("q", m, n), r = matrices("r", n, n),
              other = matrices("other", m, n), r2 = matrices("r2", n, n),
              turned = matrices("turned", n, m), b = matrices("b", m, 1), x = matrices("x", n, 1);
  Groups const groups("groups", (std::size_t(items) + W - 1) / W, m, n, W),
      q_groups("q", (std::size_t(items) + W - 1) / W, m, n, W);
  Vectors const bv("b", std::size_t(items), m), xv("x", std::size_t(items), n);
  auto const host = Kokkos::create_mirror_view(a);
  auto const host_b = Kokkos::create_mirror_view(b);
  auto const host_bv = Kokkos::create_mirror_view(bv);
  Random random(3);
  for (std::size_t k = 0; k < std::size_t(items); ++k)
    for (std::size_t i = 0; i < m; ++i) {
      host_bv(k, i) = host_b(k, i, 0) = T(random());
      for (std::size_t j = 0; j < n; ++j) host(k, i, j) = T(random());
    }
  Kokkos::deep_copy(a, host), Kokkos::deep_copy(other, host);
  Kokkos::deep_copy(b, host_b), Kokkos::deep_copy(bv, host_bv);
  Kokkos::DefaultExecutionSpace const exec;
  copy(exec, turned, transposed(a));
  pack(exec, compact(groups, items), a);
  auto const expect_same = [](auto const& want, auto const& got, char const* what) {
    auto const w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
    auto const g = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
    ASSERT_EQ(w.size(), g.size());
    for (std::size_t k = 0; k < w.size(); ++k)
      ASSERT_TRUE(same_bits(w.data()[k], g.data()[k])) << what << k;
  };
  qr(exec, in(a), out(q), out(r));
  qr(exec, launch("alone"), in(a), out(r2));
  expect_same(r, r2, "R alone");
  qr(exec, inout(other), out(r2));
  expect_same(q, other, "in place");
  qr(in(transposed(turned)), out(other), out(r2));
  expect_same(q, other, "transposed");
  qr(in(compact(groups, items)), out(compact(q_groups, items)), out(r2));
  unpack(exec, other, compact(q_groups, items));
  expect_same(q, other, "compact");
  least_squares(exec, in(a), in(b), out(x));
  least_squares(in(transposed(turned)), in(bv), out(xv));
  expect_same(x, xv, "vectors");
}
TYPED_TEST(QrVerbs, FormsOfOperands) {
  check_forms<TypeParam>(11, 6, 9);
  check_forms<TypeParam>(7, 4, 9);
  check_forms<TypeParam>(5, 5, 33);
}

TEST(QrVerbs, NothingToDo) {
  Kokkos::View<double***, Space> const none("none", 0, 4, 3), r("r", 0, 3, 3), b("b", 0, 4, 2),
      x("x", 0, 3, 2), a("a", 3, 4, 3), no_columns("b", 3, 4, 0), no_solutions("x", 3, 3, 0);
  Batchwork::qr(in(none), out(r));
  Batchwork::least_squares(in(none), in(b), out(x));
  Batchwork::least_squares(in(a), in(no_columns), out(no_solutions));
}

/// A right-hand side that is not finite is reported, even if the factors are finite.
TEST(QrVerbs, WhoAsksForAWorkspaceGetsNoResults) {
  Random random(3);
  for (int n : {4, 12}) {
    ArrangedBatch<double> const a(3, n, n, Arranged::item_contiguous),
        r(3, n, n, Arranged::item_contiguous), x(3, n, n, Arranged::item_contiguous);
    a.randomise(random), r.fill(7), x.fill(7);
    EXPECT_EQ(workspace_numbers<Verb::qr>(in(a.batch()), out(r.batch())), 0);
    EXPECT_EQ(workspace_numbers<Verb::least_squares>(in(a.batch()), in(a.batch()), out(x.batch())),
              0);
    r.download(), x.download();
    EXPECT_EQ(r.at(1, 0, 0), 7);
    EXPECT_EQ(x.at(1, 0, 0), 7);
  }
}

TEST(QrVerbs, RightHandSideWithoutNumbers) {
  Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> a("a", 5, 3, 2);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> b("b", 5, 3);
  for (int k = 0; k < 5; ++k) {
    a(k, 0, 0) = a(k, 1, 1) = 1;
    b(k, 0) = k == 2 ? std::numeric_limits<double>::infinity() : 1;
  }
  auto const da = Kokkos::create_mirror_view_and_copy(Space(), a);
  auto const db = Kokkos::create_mirror_view_and_copy(Space(), b);
  Kokkos::View<double**, Space> const x("x", 5, 2);
  Codes const codes("codes", 5);
  Batchwork::least_squares(in(da), in(db), out(x), status(codes));
  auto const said = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (int k = 0; k < 5; ++k)
    EXPECT_EQ(said(std::size_t(k)), k == 2 ? Status::code(Reason::not_finite, 0) : 0) << k;
}

TEST(QrVerbs, Misuse) {
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Batch const a("a", 3, 5, 4), q("q", 3, 5, 4), r("r", 3, 4, 4), few("few", 2, 4, 4),
      wide("wide", 3, 4, 5), huge("huge", 1, 700, 700), huge_r("r", 1, 700, 700);
  Kokkos::View<double**, Space> const b("b", 3, 5), x("x", 3, 4), short_b("short", 3, 3);
  expect_says(message_of([&] { Batchwork::qr(in(a), out(q), out(few)); }),
              {"Batchwork::qr: operand 3, r(\"few\")", "has 2 items, but operand 1, a(\"a\")"});
  expect_says(message_of([&] { Batchwork::qr(in(a), out(wide), out(r)); }),
              {"operand 2, q(\"wide\")", "does not hold the orthogonal factor of operand 1",
               "give a View with items of 5x4 or, for the full factor, 5x5"});
  expect_says(message_of([&] { Batchwork::qr(in(a), out(q), out(wide)); }),
              {"operand 3, r(\"wide\")", "does not hold the triangular factor", "of 4x4"});
  expect_says(message_of([&] { Batchwork::qr(inout(wide), out(wide)); }), {"operand"});
  expect_says(
      message_of([&] { Batchwork::qr(in(huge), out(huge_r)); }),
      {"an item of operand 1, a(\"huge\")", "bytes, more than the", "use smaller matrices"});
  expect_says(message_of([&] { Batchwork::least_squares(in(a), in(short_b), out(x)); }),
              {"Batchwork::least_squares: operand 2, b(\"short\")", "has 3 rows, but operand 1",
               "as many rows"});
  expect_says(
      message_of([&] { Batchwork::least_squares(in(a), in(b), out(short_b)); }),
      {"operand 3, x(\"short\")", "does not hold a solution", "give a View with items of 4"});
  auto const part = Kokkos::subview(a, Kokkos::pair<int, int>(0, 2), Kokkos::ALL, Kokkos::ALL);
  auto const shifted = Kokkos::subview(a, Kokkos::pair<int, int>(1, 3), Kokkos::ALL, Kokkos::ALL);
  Batch const two("two", 2, 4, 4);
  expect_says(message_of([&] { Batchwork::qr(in(part), out(shifted), out(two)); }),
              {"is written and shares elements with", "give inout(view)"});
}

}  // namespace
}  // namespace Batchwork::Test
