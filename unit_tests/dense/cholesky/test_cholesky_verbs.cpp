// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verbs cholesky, solve_cholesky and solve_lower. Every size and arrangement against backward
// error bounds in long double; in place, compact, with several right-hand sides; ill-conditioned
// matrices; numbers of items; misuse.
#include "dense/cholesky/TriangleCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct CholeskyVerbs : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CholeskyVerbs, Numbers);

using Codes = Kokkos::View<int*, Space>;

Codes poisoned_codes(std::int64_t items) {
  Codes codes("codes", std::size_t(items));
  Kokkos::deep_copy(codes, poison<int>());
  return codes;
}
/// No item fails.
void expect_success(Codes const& codes) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (std::size_t n = 0; n < host.extent(0); ++n) ASSERT_EQ(host(n), 0) << n;
}

/// Memory in the storage that belongs to no item must still be poisoned.
template <class T>
void expect_guards(ArrangedBatch<T> const& m) {
  EXPECT_EQ(m.poisoned(),
            m.host.extent(0) - std::size_t(m.items) * std::size_t(m.rows) * std::size_t(m.cols));
}

std::string text(int n, Arranged how, std::int64_t items) {
  return std::to_string(items) + " items of " + std::to_string(n) + " rows, arranged " +
         std::to_string(int(how));
}

template <class T>
void check_cholesky(int n, std::int64_t items, Arranged how_a, Arranged how_l, Random& random) {
  SCOPED_TRACE(text(n, how_a, items) + " to " + std::to_string(int(how_l)));
  ArrangedBatch<T> const a(items, n, n, how_a), l(items, n, n, how_l);
  put_spd(a, random);
  auto const codes = poisoned_codes(items);
  Batchwork::cholesky(in(a.batch()), out(l.batch()), status(codes));
  l.download();
  expect_success(codes);
  expect_guards(l);
  for (std::int64_t k = 0; k < items; ++k) ASSERT_TRUE(is_factor<T>(item(l, k), item(a, k))) << k;
}

TYPED_TEST(CholeskyVerbs, FactorOfEverySize) {
  using T = TypeParam;
  Random random(1);
  for (int n : triangle_sizes)
    for (auto how : all_arranged) {
      check_cholesky<T>(n, n < 20 ? 33 : 5, how, how, random);
      check_cholesky<T>(n, n < 20 ? 9 : 3, how, all_arranged[random.integer(0, 3)], random);
    }
}

TYPED_TEST(CholeskyVerbs, SolveOfEverySize) {
  using T = TypeParam;
  Random random(2);
  for (int n : triangle_sizes)
    for (auto how : all_arranged) {
      std::int64_t const items = n < 20 ? 17 : 3;
      int const columns = random.integer(0, 1) ? 1 : random.integer(2, 20);
      auto const how_b = random.integer(0, 1) ? how : all_arranged[random.integer(0, 3)];
      SCOPED_TRACE(text(n, how, items) + ", " + std::to_string(columns) + " columns " +
                   std::to_string(int(how_b)));
      ArrangedBatch<T> const a(items, n, n, how), b(items, n, columns, how_b),
          x(items, n, columns, all_arranged[random.integer(0, 3)]);
      put_spd(a, random);
      b.randomise(random);
      auto const codes = poisoned_codes(items);
      if (columns == 1 && n % 2 == 0)
        solve_cholesky(in(a.batch()), in(vectors(b)), out(vectors(x)), status(codes));
      else solve_cholesky(in(a.batch()), in(b.batch()), out(x.batch()), status(codes));
      x.download();
      expect_success(codes);
      expect_guards(x);
      for (std::int64_t k = 0; k < items; ++k)
        ASSERT_TRUE(solves_spd<T>(item(x, k), item(a, k), item(b, k))) << k;
    }
}

TYPED_TEST(CholeskyVerbs, TriangularSolvesOfEverySize) {
  using T = TypeParam;
  Random random(3);
  for (int n : triangle_sizes)
    for (auto how : all_arranged) {
      std::int64_t const items = n < 20 ? 17 : 3;
      int const columns = random.integer(0, 1) ? 1 : random.integer(2, 20);
      SCOPED_TRACE(text(n, how, items) + ", " + std::to_string(columns) + " columns");
      ArrangedBatch<T> const l(items, n, n, how),
          b(items, n, columns, all_arranged[random.integer(0, 3)]),
          x(items, n, columns, all_arranged[random.integer(0, 3)]), y(items, n, columns, how);
      put_lower(l, random);
      b.randomise(random);
      auto const codes = poisoned_codes(items);
      Batchwork::solve_lower(in(l.batch()), in(b.batch()), out(x.batch()), status(codes));
      Batchwork::solve_lower(in(transposed(l.batch())), in(b.batch()), out(y.batch()));
      x.download();
      y.download();
      expect_success(codes);
      expect_guards(x);
      expect_guards(y);
      for (std::int64_t k = 0; k < items; ++k) {
        Dense const t = lower_triangle(item(l, k));
        ASSERT_TRUE(solves_triangle<T>(item(x, k), t, item(b, k))) << k;
        ASSERT_TRUE(solves_triangle<T>(item(y, k), transpose(t), item(b, k))) << k;
      }
    }
}

/// An upper triangle. Entries below its diagonal are NaN.
TYPED_TEST(CholeskyVerbs, UpperTriangles) {
  using T = TypeParam;
  Random random(31);
  for (int n : triangle_sizes)
    for (auto how : all_arranged) {
      std::int64_t const items = n < 20 ? 17 : 3;
      int const columns = random.integer(1, 3);
      SCOPED_TRACE(text(n, how, items) + ", " + std::to_string(columns) + " columns");
      ArrangedBatch<T> const l(items, n, n, how), u(items, n, n, how),
          b(items, n, columns, all_arranged[random.integer(0, 3)]),
          x(items, n, columns, all_arranged[random.integer(0, 3)]), y(items, n, columns, how);
      put_lower(l, random);
      for (std::int64_t k = 0; k < items; ++k) put(u, k, transpose(item(l, k)));
      u.upload();
      b.randomise(random);
      for (std::int64_t k = 0; k < items; ++k) put(y, k, item(b, k));
      y.upload();
      auto const codes = poisoned_codes(items);
      Batchwork::solve_upper(in(u.batch()), in(b.batch()), out(x.batch()), status(codes));
      Batchwork::solve_upper(in(transposed(u.batch())), inout(y.batch()));
      x.download();
      y.download();
      expect_success(codes);
      expect_guards(x);
      for (std::int64_t k = 0; k < items; ++k) {
        Dense const t = lower_triangle(item(l, k));
        ASSERT_TRUE(solves_triangle<T>(item(x, k), transpose(t), item(b, k))) << k;
        ASSERT_TRUE(solves_triangle<T>(item(y, k), t, item(b, k))) << k;
      }
      // A zero in the middle.
      u.at(items / 2, n / 2, n / 2) = T(0);
      u.upload();
      Batchwork::solve_upper(in(u.batch()), in(b.batch()), out(y.batch()), status(codes));
      y.download();
      auto const said = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
      for (std::int64_t k = 0; k < items; ++k) {
        bool const fails = k == items / 2;
        ASSERT_EQ(said(std::size_t(k)), fails ? Status::code(Reason::breakdown, n / 2 + 1) : 0);
        for (int i = 0; i < n; ++i) ASSERT_EQ(std::isnan(y.at(k, i, 0)), fails && i <= n / 2);
      }
    }
}

TYPED_TEST(CholeskyVerbs, InPlace) {
  using T = TypeParam;
  Random random(4);
  for (int n : {1, 6, 33, 64, 70})
    for (auto how : all_arranged) {
      std::int64_t const items = 11;
      SCOPED_TRACE(text(n, how, items));
      ArrangedBatch<T> const a(items, n, n, how), kept(items, n, n, how), l(items, n, n, how),
          b(items, n, 3, how), x(items, n, 3, how);
      put_spd(a, random);
      for (std::int64_t k = 0; k < items; ++k) put(kept, k, item(a, k));
      kept.upload();
      b.randomise(random);
      solve_cholesky(in(a.batch()), in(b.batch()), out(x.batch()));
      solve_cholesky(in(a.batch()), inout(b.batch()));
      Batchwork::cholesky(in(a.batch()), out(l.batch()));
      Batchwork::cholesky(inout(a.batch()));
      // The factor of the transpose, in the upper triangle of the same View.
      Batchwork::cholesky(in(kept.batch()), out(transposed(kept.batch())));
      for (auto const* m : {&a, &kept, &l, &b, &x}) m->download();
      for (std::int64_t k = 0; k < items; ++k) {
        EXPECT_TRUE(equal(item(b, k), item(x, k))) << k;
        EXPECT_TRUE(equal(item(a, k), item(l, k))) << k;
        EXPECT_TRUE(equal(item(kept, k), transpose(item(l, k)))) << k;
      }
      expect_guards(a);
      expect_guards(b);
      // Two solves with the factor, in place, are the solve with the matrix.
      ArrangedBatch<T> const y(items, n, 3, how);
      y.randomise(random);
      Dense const rhs = item(y, items - 1);
      Batchwork::solve_lower(in(l.batch()), inout(y.batch()));
      Batchwork::solve_lower(in(transposed(l.batch())), inout(y.batch()));
      y.download();
      Dense const factor = item(l, items - 1);
      EXPECT_TRUE(solves_spd<T>(item(y, items - 1), factor * transpose(factor), rhs));
    }
}

/// Groups of 8 and of 32 items, with a partial last group. Its unused lanes must not change.
TYPED_TEST(CholeskyVerbs, Compact) {
  using T = TypeParam;
  using Groups = Kokkos::View<T****, Kokkos::LayoutRight, Space>;
  Random random(5);
  for (std::size_t W : {std::size_t(8), std::size_t(32)})
    for (int n : {4, 17, 33, 64}) {
      std::int64_t const items = 43;
      SCOPED_TRACE(std::to_string(W) + " lanes, " + std::to_string(n));
      std::size_t const groups = (43 + W - 1) / W, N = std::size_t(n);
      Groups const a("a", groups, N, N, W), l("l", groups, N, N, W), x("x", groups, N, 2u, W),
          b("b", groups, N, 2u, W);
      Kokkos::View<long*, Space> const codes("codes", 43);
      auto const ha = Kokkos::create_mirror_view(a), hb = Kokkos::create_mirror_view(b);
      std::vector<Dense> as, bs;
      for (std::size_t k = 0; k < 43; ++k) {
        as.push_back(random_spd<T>(random, n));
        bs.push_back(random_dense<T>(random, n, 2));
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j)
            ha(k / W, std::size_t(i), std::size_t(j), k % W) = static_cast<T>(as[k](i, j));
          for (int j = 0; j < 2; ++j)
            hb(k / W, std::size_t(i), std::size_t(j), k % W) = static_cast<T>(bs[k](i, j));
        }
      }
      Kokkos::deep_copy(a, ha);
      Kokkos::deep_copy(b, hb);
      Kokkos::deep_copy(l, poison<T>());
      Kokkos::deep_copy(x, poison<T>());
      Kokkos::deep_copy(codes, -1);
      Batchwork::cholesky(in(compact(a, items)), out(compact(l, items)), status(codes));
      solve_cholesky(in(compact(a, items)), in(compact(b, items)), out(compact(x, items)));
      Kokkos::fence();
      auto const hl = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), l),
                 hx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
      auto const hc = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
      for (std::size_t k = 0; k < groups * W; ++k) {
        auto const get = [&](auto const& v, int cols) {
          return make_dense(n, cols, [&](int i, int j) {
            return v(k / W, std::size_t(i), std::size_t(j), k % W);
          });
        };
        if (k >= 43) {
          ASSERT_TRUE(equal(get(hl, n), Dense(n, n, poison<T>())));
          ASSERT_TRUE(equal(get(hx, 2), Dense(n, 2, poison<T>())));
          continue;
        }
        ASSERT_EQ(hc(k), 0);
        ASSERT_TRUE(is_factor<T>(get(hl, n), as[k])) << k;
        ASSERT_TRUE(solves_spd<T>(get(hx, 2), as[k], bs[k])) << k;
      }
    }
}

/// Managed Views of both layouts, const Views, static extents, with and without an execution space
/// instance.
TYPED_TEST(CholeskyVerbs, Views) {
  using T = TypeParam;
  Random random(6);
  constexpr int n = 36;
  auto const check = [&]<class Layout>(Layout) {
    Kokkos::View<T* [n][n], Layout, Space> const a("a", 6), l("l", 6);
    Kokkos::View<T* [n], Layout, Space> const b("b", 6), x("x", 6);
    auto const ha = Kokkos::create_mirror_view(a);
    auto const hb = Kokkos::create_mirror_view(b);
    std::vector<Dense> as, bs;
    for (std::size_t k = 0; k < 6; ++k) {
      as.push_back(random_spd<T>(random, n));
      bs.push_back(random_dense<T>(random, n, 1));
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
          ha(k, std::size_t(i), std::size_t(j)) = static_cast<T>(as[k](i, j));
        hb(k, std::size_t(i)) = static_cast<T>(bs[k](i));
      }
    }
    Kokkos::deep_copy(a, ha);
    Kokkos::deep_copy(b, hb);
    Kokkos::View<T const* [n][n], Layout, Space> const read = a;
    Kokkos::View<T const* [n], Layout, Space> const read_b = b;
    Batchwork::cholesky(Space(), in(read), out(l));
    solve_cholesky(Space(), in(extents<n, n>(read)), in(read_b), out(x));
    Kokkos::fence();
    auto const hl = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), l);
    auto const hx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (std::size_t k = 0; k < 6; ++k) {
      auto const lk =
          make_dense(n, n, [&](int i, int j) { return hl(k, std::size_t(i), std::size_t(j)); });
      auto const xk = make_dense(n, 1, [&](int i, int) { return hx(k, std::size_t(i)); });
      EXPECT_TRUE(is_factor<T>(lk, as[k]));
      EXPECT_TRUE(solves_spd<T>(xk, as[k], bs[k]));
    }
  };
  check(Kokkos::LayoutLeft());
  check(Kokkos::LayoutRight());
}

/// The rows of the largest supported item.
template <class Call>
int largest(Call const& accepts) {
  int n = 400;
  while (n > 0 && message_of([&] { accepts(n); }) != "(nothing was thrown)") --n;
  return n;
}

TYPED_TEST(CholeskyVerbs, LargestItem) {
  using T = TypeParam;
  using Many = Kokkos::View<T***, Space>;
  Random random(7);
  auto const none = [](int n) { return Many("none", 0, std::size_t(n), std::size_t(n)); };
  int const most = largest([&](int n) { Batchwork::cholesky(inout(none(n))); });
  EXPECT_GE(most, sizeof(T) == 4 ? 136 : 96);
  for (auto how : all_arranged) check_cholesky<T>(most, 2, how, how, random);
  check_cholesky<T>(most - 9, 2, Arranged::item_contiguous, Arranged::interleaved, random);

  int const most_solved = largest([&](int n) {
    solve_cholesky(in(none(n)), in(Many("b", 0, std::size_t(n), 3)),
                   out(Many("x", 0, std::size_t(n), 3)));
  });
  EXPECT_GE(most_solved, sizeof(T) == 4 ? 136 : 88);
  for (int n : {most_solved, most_solved - 5}) {
    ArrangedBatch<T> const a(2, n, n, Arranged::item_contiguous),
        b(2, n, 5, Arranged::item_contiguous), x(2, n, 5, Arranged::interleaved);
    put_spd(a, random);
    b.randomise(random);
    solve_cholesky(in(a.batch()), in(b.batch()), out(x.batch()));
    x.download();
    for (int k = 0; k < 2; ++k) EXPECT_TRUE(solves_spd<T>(item(x, k), item(a, k), item(b, k)));
  }
}

/// Items that are too large are refused before Kokkos refuses them, also in repeated calls.
TYPED_TEST(CholeskyVerbs, TooLargeItems) {
  using T = TypeParam;
  Random random(17);
  for (int n : {257, 600}) {
    ArrangedBatch<T> const a(2, n, n, Arranged::item_contiguous),
        l(2, n, n, Arranged::item_contiguous), b(2, n, 1, Arranged::item_contiguous),
        x(2, n, 1, Arranged::item_contiguous);
    int const most = largest([&](int m) {
      Batchwork::cholesky(
          inout(Kokkos::View<T***, Space>("none", 0, std::size_t(m), std::size_t(m))));
    });
    if (n <= most) continue;
    auto const expect = [&](char const* verb, auto const& call) {
      for (int k = 0; k < 10; ++k)
        expect_says(message_of(call), {verb, (std::to_string(n) + " rows, more than the ").c_str(),
                                       "for which there is room in", "; use blocks of at most"});
    };
    expect("Batchwork::cholesky: ", [&] { Batchwork::cholesky(in(a.batch()), out(l.batch())); });
    expect("Batchwork::solve_cholesky: ",
           [&] { solve_cholesky(in(a.batch()), in(b.batch()), out(x.batch())); });
    expect("Batchwork::solve_lower: ",
           [&] { Batchwork::solve_lower(in(a.batch()), in(b.batch()), out(x.batch())); });
  }
  check_cholesky<T>(7, 3, Arranged::item_contiguous, Arranged::item_contiguous, random);
}

TYPED_TEST(CholeskyVerbs, NumbersOfItems) {
  using T = TypeParam;
  Random random(8);
  for (std::int64_t items : {0, 1, 2, 7, 31, 32, 33})
    for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
      for (int n : {3, 35}) check_cholesky<T>(n, items, how, how, random);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
    check_cholesky<T>(2, beyond_a_grid, how, how, random);
}

/// Condition numbers up to 1e10 in double and 1e4 in float. The backward error must be as small as
/// for well-conditioned matrices.
TYPED_TEST(CholeskyVerbs, IllConditioned) {
  using T = TypeParam;
  Random random(9);
  for (int n : {20, 33, 64})
    for (long double condition : {1e2L, 1e4L, 1e6L, 1e8L, 1e10L}) {
      if (sizeof(T) == 4 && condition > 1e4L) continue;
      SCOPED_TRACE(std::to_string(n) + ", condition " + std::to_string(double(condition)));
      ArrangedBatch<T> const a(4, n, n, Arranged::item_contiguous),
          l(4, n, n, Arranged::item_contiguous), b(4, n, 1, Arranged::item_contiguous),
          x(4, n, 1, Arranged::item_contiguous);
      for (int k = 0; k < 4; ++k) {
        // Eigenvalues between 1 and 1 / condition, with eigenvectors from reflections.
        Dense m = make_dense(n, n, [&](int i, int j) {
          return i == j ? std::pow(condition, -static_cast<long double>(i) / (n - 1)) : 0.0L;
        });
        for (int turn = 0; turn < 3; ++turn) {
          Dense v = random_dense<T>(random, n, 1);
          Dense const h = eye(n) - (2 / dot(v, v)) * (v * transpose(v));
          m = h * m * h;
        }
        put(a, k, m, true);
      }
      a.upload();
      b.randomise(random);
      auto const codes = poisoned_codes(4);
      Batchwork::cholesky(in(a.batch()), out(l.batch()));
      solve_cholesky(in(a.batch()), in(b.batch()), out(x.batch()), status(codes));
      l.download();
      x.download();
      expect_success(codes);
      for (int k = 0; k < 4; ++k) {
        EXPECT_TRUE(is_factor<T>(item(l, k), item(a, k)));
        EXPECT_TRUE(solves_spd<T>(item(x, k), item(a, k), item(b, k)));
      }
    }
}

// ---- misuse -------------------------------------------------------------------------------------

TEST(CholeskyVerbsErrors, Misuse) {
  using Many = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  Many const a("a", 7, 4, 4), l("l", 7, 4, 4), l8("l8", 8, 4, 4), wide("wide", 7, 4, 5),
      five("five", 7, 5, 5), huge("huge", 1, 999, 999), sides("sides", 7, 4, 2);
  Vectors const b("b", 7, 4), x("x", 7, 4), b5("b5", 7, 5);
  Kokkos::View<int*, Space> const codes("codes", 7), few("few", 6);
  Kokkos::deep_copy(l, 7.25);
  using Batchwork::cholesky, Batchwork::solve_cholesky, Batchwork::solve_lower;

  expect_says(
      message_of([&] { cholesky(in(a), out(l8)); }),
      {"Batchwork::cholesky: ", "operand 2, l(\"l8\") [View (8, 4, 4), tile 4x4] has 8 items",
       "operand 1, a(\"a\") [View (7, 4, 4), tile 4x4] has 7", "; give"});
  expect_says(message_of([&] { cholesky(in(wide), out(l)); }),
              {"operand 1, a(\"wide\") [View (7, 4, 5), tile 4x5] does not hold square matrices"});
  expect_says(
      message_of([&] { cholesky(in(five), out(l)); }),
      {"operand 2, l(\"l\") [View (7, 4, 4), tile 4x4] does not hold the factor of operand 1",
       "give a View with items of 5x5"});
  expect_says(message_of([&] { cholesky(inout(huge)); }),
              {"operand 1, a(\"huge\") [View (1, 999, 999), tile 999x999] has 999 rows, more than",
               "room", "blocks"});
  expect_says(message_of([&] { cholesky(in(a), out(l), status(few)); }),
              {"operand 3, status(\"few\") [View (6), tile scalar] has 6 items"});
  Kokkos::View<double***, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged> const null(nullptr,
                                                                                          7, 4, 4);
  expect_says(message_of([&] { cholesky(in(null), out(l)); }),
              {"operand 1, a(\"\")", "null", "; allocate"});
  expect_says(message_of([&] { cholesky(in(a), out(extents<5, 5>(l))); }),
              {"operand 2", "extents<...>"});

  // Items 0 .. 5 and 1 .. 6 of the same View overlap.
  Many const seven("seven", 7, 4, 4);
  auto const part = [&](std::size_t from) {
    return Kokkos::subview(seven, Kokkos::pair<std::size_t, std::size_t>(from, from + 6),
                           Kokkos::ALL, Kokkos::ALL);
  };
  expect_says(message_of([&] { cholesky(in(part(1)), out(part(0))); }),
              {"operand 2", "is written and shares elements with operand 1", "in place"});

  expect_says(
      message_of([&] { solve_cholesky(in(a), in(b5), out(x)); }),
      {"Batchwork::solve_cholesky: ", "operand 2, b(\"b5\") [View (7, 5), tile 5] has 5 rows",
       "operand 1, a(\"a\") [View (7, 4, 4), tile 4x4] has 4"});
  expect_says(message_of([&] { solve_cholesky(in(a), in(a), out(sides)); }),
              {"operand 3, x(\"sides\") [View (7, 4, 2), tile 4x2] does not hold the solutions"});
  expect_says(message_of([&] { solve_cholesky(in(a), in(sides), out(a)); }),
              {"operand 3, x(\"a\")", "shares elements with operand 1, a(\"a\")"});
  expect_says(message_of([&] { solve_lower(in(wide), in(b), out(x)); }),
              {"Batchwork::solve_lower: ", "operand 1, l(\"wide\")", "square"});
  expect_says(message_of([&] { Batchwork::solve_upper(in(wide), in(b), out(x)); }),
              {"Batchwork::solve_upper: ", "operand 1, u(\"wide\")", "square"});
  expect_says(message_of([&] { solve_lower(in(transposed(five)), in(b), out(x)); }),
              {"operand 2, b(\"b\")"});

  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), l);
  for (std::size_t k = 0; k < host.size(); ++k) ASSERT_EQ(host.data()[k], 7.25);
  // A call without work is not an error.
  Many const none("none", 0, 4, 4), flat("flat", 7, 0, 0), no_sides("no_sides", 7, 4, 0);
  EXPECT_NO_THROW(cholesky(inout(none)));
  EXPECT_NO_THROW(cholesky(inout(flat)));
  // Without right-hand sides the zero matrices are factorised, as in posv of LAPACK.
  Kokkos::View<int*, Space> const of_zeros("of_zeros", 7);
  EXPECT_NO_THROW(solve_cholesky(in(a), inout(no_sides), status(of_zeros)));
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_zeros)(6),
            Status::code(Reason::not_positive_definite, 1));
}

}  // namespace
}  // namespace Batchwork::Test
