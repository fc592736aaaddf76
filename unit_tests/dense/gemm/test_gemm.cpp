// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gemm against products in long double: matrices common to all items, transposes, arrangements,
// factors, sizes, numbers of items; memory that it must not change; misuse.
#include "dense/gemm/GemmCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

/// The public verb for a case.
template <class T>
void call_gemm(GemmData<T> const& d) {
  auto const& g = d.what;
  // The transpose of a strided View has the same type, so transposed(view) need not be compiled for
  // every combination. It is tested below.
  auto const turned_view = [](auto view) {
    using V = decltype(view);
    auto const s = [&](int r) { return std::size_t(view.stride(r)); };
    if constexpr (V::rank() == 3)
      return V(view.data(), Kokkos::LayoutStride(view.extent(0), s(0), view.extent(2), s(2),
                                                 view.extent(1), s(1)));
    else return V(view.data(), Kokkos::LayoutStride(view.extent(1), s(1), view.extent(0), s(0)));
  };
  auto const with_c = [&](auto const& a, auto const& b) {
    auto const c = g.turn_c ? turned_view(d.c.batch()) : d.c.batch();
    if (g.reads_c) gemm(g.alpha, a, b, g.beta, inout(c));
    else gemm(g.alpha, a, b, g.beta, out(c));
  };
  auto const a = [&](auto const& v) { return g.turn_a ? turned_view(v) : v; };
  auto const b = [&](auto const& v) { return g.turn_b ? turned_view(v) : v; };
  if (g.shared == Shared::a) with_c(common(a(d.a.single())), in(b(d.b.batch())));
  else if (g.shared == Shared::b) with_c(in(a(d.a.batch())), common(b(d.b.single())));
  else with_c(in(a(d.a.batch())), in(b(d.b.batch())));
}

template <class T>
void check_case(GemmCase const& g, Random& random) {
  GemmData<T> const d(g, random);
  d.check([&] { call_gemm(d); });
}

template <class T>
struct Gemm : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Numbers);

TYPED_TEST(Gemm, EveryCombination) {
  Random random(1);
  for (auto shared : {Shared::none, Shared::a, Shared::b})
    for (int turns = 0; turns < 8; ++turns)
      for (auto x : all_arranged)
        for (auto y : all_arranged)
          for (auto z : all_arranged) {
            GemmCase g;
            g.items = 9;
            g.m = 5;
            g.n = 6;
            g.k = 7;
            g.shared = shared;
            g.turn_a = turns & 1;
            g.turn_b = turns & 2;
            g.turn_c = turns & 4;
            g.arranged = {x, y, z};
            g.alpha = 0.5;
            check_case<TypeParam>(g, random);
          }
}

TYPED_TEST(Gemm, EveryFactor) {
  Random random(2);
  for (int size : {4, 40})
    for (double alpha : {0.0, 1.0, -1.5})
      for (double beta : {0.0, 1.0, 0.25})
        for (bool reads_c : {false, true})
          for (auto shared : {Shared::none, Shared::a, Shared::b})
            for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
              if (!reads_c && beta != 0) continue;
              GemmCase g;
              g.items = 11;
              g.m = size;
              g.n = size + 1;
              g.k = size + 2;
              g.shared = shared;
              g.arranged = {how, how, how};
              g.alpha = alpha;
              g.beta = beta;
              g.reads_c = reads_c;
              check_case<TypeParam>(g, random);
            }
}

TYPED_TEST(Gemm, EverySize) {
  Random random(3);
  for (int n : gemm_sizes)
    for (int repeat = 0; repeat < 12; ++repeat)
      check_case<TypeParam>(some_case(random, n > 32 ? 3 : 37, n, n, n), random);
  // Rectangular ones.
  int const last = int(std::size(gemm_sizes)) - 1;
  for (int repeat = 0; repeat < 150; ++repeat) {
    auto const size = [&] { return gemm_sizes[random.integer(0, last)]; };
    check_case<TypeParam>(some_case(random, random.integer(1, 9), size(), size(), size()), random);
  }
}

/// Enough items for packs of hosts in every arrangement, and a few more.
TYPED_TEST(Gemm, SmallSizes) {
  Random random(8);
  for (int repeat = 0; repeat < 200; ++repeat) {
    auto const size = [&] { return random.integer(1, 7); };
    check_case<TypeParam>(some_case(random, random.integer(16, 40), size(), size(), size()),
                          random);
  }
}

TYPED_TEST(Gemm, LargeSizes) {
  Random random(4);
  for (auto shared : {Shared::none, Shared::a, Shared::b})
    for (auto how : {Arranged::item_contiguous, Arranged::by_columns, Arranged::interleaved}) {
      GemmCase g;
      g.items = 2;
      g.m = 130;
      g.n = 200;
      g.k = 300;
      g.shared = shared;
      g.arranged = {how, how, how};
      check_case<TypeParam>(g, random);
    }
}

TYPED_TEST(Gemm, NumbersOfItems) {
  Random random(5);
  for (int items : {0, 1, 31, 32, 33, 127, 129, 1000, beyond_a_grid})
    for (int size : {1, 2, 4, 6})
      for (auto how : {Arranged::item_contiguous, Arranged::interleaved})
        for (auto shared : {Shared::none, Shared::a, Shared::b}) {
          GemmCase g;
          g.items = items;
          g.m = g.n = g.k = size;
          g.shared = shared;
          g.arranged = {how, how, how};
          if (items * size < 100000) check_case<TypeParam>(g, random);
        }
}

/// A lane that computes its own item reads several terms together, and then the remaining ones.
TYPED_TEST(Gemm, FewTermsInterleaved) {
  Random random(7);
  for (int terms = 1; terms <= 9; ++terms)
    for (int size : {3, 20}) {
      GemmCase g;
      g.items = 37;
      g.m = g.n = size;
      g.k = terms;
      g.shared = Shared::none;
      g.arranged = {Arranged::interleaved, Arranged::interleaved, Arranged::interleaved};
      check_case<TypeParam>(g, random);
    }
}

TYPED_TEST(Gemm, NoTerms) {
  Random random(6);
  for (bool reads_c : {false, true})
    for (auto shared : {Shared::none, Shared::a})
      for (int size : {3, 70}) {
        GemmCase g;
        g.items = 5;
        g.m = g.n = size;
        g.k = 0;
        g.shared = shared;
        g.beta = reads_c ? 0.5 : 0;
        g.reads_c = reads_c;
        check_case<TypeParam>(g, random);
      }
}

TYPED_TEST(Gemm, WithoutAlphaNothingIsRead) {
  using T = TypeParam;
  GemmCase g;
  g.m = g.n = g.k = 6;
  g.alpha = 0;
  Random random(7);
  GemmData<T> const d(g, random);
  d.a.fill(std::numeric_limits<T>::quiet_NaN());
  d.b.fill(std::numeric_limits<T>::infinity());
  d.check([&] { call_gemm(d); });
}

/// A NaN in one item affects only that item.
TYPED_TEST(Gemm, NeighboursOfAFailedItem) {
  using T = TypeParam;
  for (int size : {2, 7, 16, 40})
    for (auto shared : {Shared::none, Shared::a, Shared::b})
      for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
        GemmCase g;
        g.items = 10;
        g.m = g.n = g.k = size;
        g.shared = shared;
        g.arranged = {how, how, how};
        SCOPED_TRACE(g.text());
        Random random(8);
        GemmData<T> const d(g, random);
        call_gemm(d);
        d.c.download();
        auto const before = Kokkos::create_mirror(Kokkos::HostSpace(), d.c.storage);
        Kokkos::deep_copy(before, d.c.host);
        auto const& x = shared == Shared::a ? d.b : d.a;
        x.at(4, size - 1, size / 2) = std::numeric_limits<T>::quiet_NaN();
        x.upload();
        call_gemm(d);
        d.c.download();
        int changed = 0, nans = 0;
        for (std::int64_t n = 0; n < g.items; ++n)
          for (int i = 0; i < size; ++i)
            for (int j = 0; j < size; ++j) {
              T const& y = d.c.at(n, i, j);
              if (n == 4) nans += std::isnan(y);
              else changed += y != before(std::size_t(&y - d.c.host.data()));
            }
        EXPECT_EQ(changed, 0);
        EXPECT_GE(nans, size);
      }
}

/// A fixed operand with the largest extents that a launch can pass.
template <class T>
struct LargeFixed {
  template <class Exec>
  static bool check(Exec const& exec) {
    constexpr int N = 32;
    using Tile = Matrix<T, N, N>;
    if constexpr (Impl::Vendor::fixed_bytes<Exec> < N * N * sizeof(double)) {
      return false;
    } else {
      Random random(19);
      BatchIn<T, Right, N, 3> x(5), y(5);
      x.randomise(random);
      auto const f = make_dense(N, N, [&](int, int) { return T(random()); });
      Tile tile;
      tile.info = 0;
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) tile.set(i, j, T(f(i, j)));
      gemm(exec, 1, common(fixed(tile)), in(x.view()), 0, out(y.view()));
      y.download();
      for (int n = 0; n < 5; ++n) {
        auto const truth = f * x.dense(n), size = abs(f) * abs(x.dense(n));
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < 3; ++j)
            EXPECT_NEAR(double(y.at(n, i, j)), double(truth(i, j)),
                        double((N + 2) * epsilon<T> * size(i, j)));
      }
      return true;
    }
  }
};
TYPED_TEST(Gemm, LargeFixedOperand) {
  if (!LargeFixed<TypeParam>::check(Space()))
    GTEST_SKIP() << "a launch carries " << Impl::Vendor::fixed_bytes<Space> << " bytes of them";
}

// ---- operands of other types --------------------------------------------------------------------

TYPED_TEST(Gemm, StaticExtentsTurnedAndFixed) {
  using T = TypeParam;
  int const items = 21;
  Random random(9);
  BatchIn<T, Right, 3, 5> x(items);
  BatchIn<T, Left, 4, 3> y(items), z(items);
  x.randomise(random);
  Matrix<T, 4, 5> tile;
  tile.info = 0;
  auto const f = make_dense(4, 5, [&](int, int) { return T(random()); });
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) tile.set(i, j, T(f(i, j)));
  Common<T, 5, 4> const viewed(transpose(f));
  Space const exec;
  gemm(exec, 1, common(fixed(tile)), in(transposed(x.view())), 0, out(y.view()));
  gemm(launch("with a View"), 1.0f, common(transposed(viewed.view)), in(transposed(x.const_view())),
       0, out(z.view()));
  // The transpose of the product, with the fixed matrix on the other side. It is a different
  // matrix, so that no scratch memory contains it from the calls above.
  BatchIn<T, Right, 3, 4> w(items);
  BatchIn<T, Left, 4, 3> v(items);
  Matrix<T, 5, 4> tile_turned;
  tile_turned.info = 0;
  auto const g = make_dense(4, 5, [&](int, int) { return T(random()); });
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) tile_turned.set(i, j, T(g(j, i)));
  Common<T, 5, 4> const viewed_turned(transpose(g));
  gemm(2, in(x.view()), common(fixed(tile_turned)), 0, out(w.view()));
  gemm(2, in(x.view()), common(viewed_turned.view), 0, out(transposed(v.view())));
  for (auto const* r : {&y, &z, &v}) r->download();
  w.download();
  for (int n = 0; n < items; ++n) {
    auto const truth = f * transpose(x.dense(n)), turned = g * transpose(x.dense(n));
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        long double const tolerance = 16 * epsilon<T>;
        EXPECT_NEAR(double(y.at(n, i, j)), double(truth(i, j)), double(tolerance));
        EXPECT_NEAR(double(z.at(n, i, j)), double(truth(i, j)), double(tolerance));
        EXPECT_NEAR(double(w.at(n, j, i)), double(2 * turned(i, j)), double(2 * tolerance));
        EXPECT_NEAR(double(v.at(n, i, j)), double(2 * turned(i, j)), double(2 * tolerance));
      }
  }
}

TYPED_TEST(Gemm, Vectors) {
  using T = TypeParam;
  for (int items : {1, 40, 500}) {
    Random random(10);
    BatchIn<T, Left, 3> x(items), y(items);
    BatchIn<T, Right, 3> z(items), w(items);
    x.randomise(random);
    z.randomise(random);
    auto const f = make_dense(3, 3, [&](int, int) { return T(random()); });
    Common<T, 3, 3> const m(f);
    gemm(1, common(m.view), in(x.view()), 0, out(y.view()));
    gemm(1, common(m.view), in(z.view()), 0, out(w.view()));
    y.download();
    w.download();
    for (int n = 0; n < items; ++n) {
      auto const p = f * x.dense(n), q = f * z.dense(n);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(double(y.at(n, i)), double(p(i)), double(12 * epsilon<T>));
        EXPECT_NEAR(double(w.at(n, i)), double(q(i)), double(12 * epsilon<T>));
      }
    }
  }
}

// ---- misuse -------------------------------------------------------------------------------------

using Many = Kokkos::View<double***>;
using One = Kokkos::View<double**>;

TEST(GemmErrors, Misuse) {
  Many a("a", 7, 3, 4), b("b", 7, 4, 5), c("c", 7, 3, 5), c8("c8", 8, 3, 5), never;
  One m("m", 4, 5);
  Kokkos::deep_copy(c, 7.25);
  expect_says(message_of([&] { gemm(1, in(a), common(m), 0, out(c8)); }),
              {"Batchwork::gemm: ", "operand 3, out(\"c8\") [View (8, 3, 5), tile 3x5] has 8 items",
               "operand 1, in(\"a\") [View (7, 3, 4), tile 3x4] has 7", "; give"});
  expect_says(message_of([&] { gemm(1, in(a), common(transposed(m)), 0, out(c)); }),
              {"Batchwork::gemm: ", "operand 1, in(\"a\") [View (7, 3, 4), tile 3x4] has 4 columns",
               "operand 2, common(\"m\") [View (4, 5), tile 5x4] has 5 rows", "transposed(view)"});
  expect_says(message_of([&] { gemm(1, in(a), in(b), 0, out(transposed(c))); }),
              {"operand 3, out(\"c\") [View (7, 3, 5), tile 5x3] does not hold the product of",
               "give a View with items of 3x5"});
  expect_says(message_of([&] { gemm(1, in(a), in(b), 0.5, out(c)); }),
              {"beta is 0.5", "operand 3, out(\"c\")", "is not read", "inout(view)"});
  expect_says(message_of([&] { gemm(1, in(a), in(never), 0, out(c)); }), {"operand 2, in(\"\")"});
  Many square("square", 7, 3, 3);
  One third("third", 3, 3);
  expect_says(message_of([&] { gemm(1, in(square), common(third), 0, inout(square)); }),
              {"operand 3, inout(\"square\")", "shares elements with operand 1, in(\"square\")"});
  Kokkos::View<double***, Kokkos::MemoryUnmanaged> null(nullptr, 7, 4, 5);
  expect_says(message_of([&] { gemm(1, in(a), in(null), 0, out(c)); }),
              {"operand 2, in(\"\")", "null", "; allocate it"});
  expect_says(message_of([&] { gemm(1, in(extents<3, 5>(a)), in(b), 0, out(c)); }),
              {"operand 1, in(\"a\")", "extents<...>"});
  Kokkos::fence();
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 5; ++j) ASSERT_EQ(h(n, i, j), 7.25);
  // Calls without items or numbers are not an error.
  Many none("none", 0, 3, 4), none_c("none_c", 0, 3, 5), flat("flat", 7, 0, 4),
      flat_c("flat_c", 7, 0, 5);
  EXPECT_NO_THROW(gemm(1, in(none), common(m), 0, out(none_c)));
  EXPECT_NO_THROW(gemm(1, in(flat), common(m), 0, out(flat_c)));
}

}  // namespace
}  // namespace Batchwork::Test
