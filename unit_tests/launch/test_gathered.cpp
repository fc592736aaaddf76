// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on whole matrices with in(gathered(view, index)), compared item by item with long double.
#include <algorithm>
#include <string>
#include <utility>

#include "launch/GatheredCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

template <class T, class L>
struct OfNumbers {
  using Number = T;
  using Layout = L;
};
template <class P>
struct GatheredVerbs : ::testing::Test {};
using Kinds =
    ::testing::Types<OfNumbers<float, Kokkos::LayoutRight>, OfNumbers<double, Kokkos::LayoutRight>,
                     OfNumbers<float, Kokkos::LayoutLeft>, OfNumbers<double, Kokkos::LayoutLeft>>;
TYPED_TEST_SUITE(GatheredVerbs, Kinds);

inline constexpr int gathered_sizes[] = {1, 3, 8, 17, 33};
inline constexpr std::int64_t gathered_pool = 7, gathered_items = 37;

long double largest_of(Dense const& x) {
  long double r = 0;
  for (long double const v : x.a) r = std::max(r, std::fabs(v));
  return r;
}
/// Matrices with a large diagonal.
template <class T>
auto well_conditioned(Random& random) {
  return [&](int m, int n) {
    return make_dense(m, n, [&](int i, int j) { return T(random() + (i == j ? 2 + m : 0)); });
  };
}
template <class T>
auto spd(Random& random) {
  return [&](int m, int) { return random_spd<T>(random, m); };
}

TYPED_TEST(GatheredVerbs, SolveCholesky) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(1);
  for (int const rows : gathered_sizes) {
    PickedBatch<T, L> a(gathered_pool, rows, rows);
    PickedBatch<T, L, 1> b(gathered_pool + 2, rows), x(gathered_items, rows),
        y(gathered_items, rows);
    a.fill(spd<T>(random)), b.randomise(random);
    PickedIndex<> const i(gathered_items, gathered_pool, random);
    PickedIndex<std::int64_t> const j(gathered_items, gathered_pool + 2, random);
    PickedCodes const codes(gathered_items);
    solve_cholesky(in(gathered(a.view, i.view)), in(gathered(b.view, j.view)), out(x.view),
                   status(codes.view));
    x.download();
    for (std::int64_t n = 0; n < gathered_items; ++n) {
      codes.expect(n, true);
      EXPECT_TRUE(solves_spd<T>(x.item(n), a.item(i(n)), b.item(j(n)))) << n << ", " << rows;
    }
    // The same with memory, and indices out of range in the first, a middle and the last item.
    i.plant();
    auto const memory = memory_for(gathered_items);
    solve_cholesky(in(gathered(a.view, i.view, memory)), in(gathered(b.view, j.view)), out(y.view),
                   status(codes.view));
    y.download();
    for (std::int64_t n = 0; n < gathered_items; ++n) {
      codes.expect(n, i(n) >= 0);
      if (i(n) < 0) EXPECT_TRUE(y.is_spoilt(n)) << n;
      else EXPECT_TRUE(y.same_item(x, n)) << n;
    }
  }
}

TYPED_TEST(GatheredVerbs, CholeskyAndTriangles) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(2);
  for (int const rows : gathered_sizes) {
    PickedBatch<T, L> a(gathered_pool, rows, rows), l(gathered_items, rows, rows),
        u(gathered_items, rows, rows);
    PickedBatch<T, L, 1> x(gathered_items, rows), b(gathered_items, rows);
    a.fill(spd<T>(random)), b.randomise(random);
    PickedIndex<> const i(gathered_items, gathered_pool, random, true);
    PickedCodes const codes(gathered_items);
    auto const picked = gathered(a.view, i.view, memory_for(gathered_items));
    Batchwork::cholesky(in(picked), out(l.view), status(codes.view));
    Batchwork::cholesky(in(transposed(picked)), out(transposed(u.view)));
    Batchwork::solve_lower(in(transposed(picked)), in(b.view), out(x.view));  // its lower triangle
    l.download(), u.download(), x.download();
    for (std::int64_t n = 0; n < gathered_items; ++n) {
      codes.expect(n, i(n) >= 0);
      if (i(n) < 0) {
        EXPECT_TRUE(l.is_spoilt(n) && u.is_spoilt(n) && x.is_spoilt(n)) << n;
        continue;
      }
      Dense const of = a.item(i(n));
      EXPECT_TRUE(is_factor<T>(l.item(n), of)) << n << ", " << rows;
      EXPECT_TRUE(is_factor<T>(transpose(u.item(n)), of)) << n << ", " << rows;
      EXPECT_TRUE(solves_triangle<T>(x.item(n), transpose(lower_triangle(of)), b.item(n))) << n;
    }
  }
}

TYPED_TEST(GatheredVerbs, Gemm) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(3);
  struct Extents {
    int m, n, k;
  };
  for (auto const [m, n, k] : {Extents{1, 1, 1}, Extents{3, 4, 5}, Extents{6, 1, 6},
                               Extents{17, 9, 20}, Extents{40, 33, 8}, Extents{5, 5, 0}}) {
    PickedBatch<T, L> a(gathered_pool, m, k), b(5, n, k), c(gathered_items, m, n),
        d(gathered_items, m, n), e(gathered_items, m, n), one(1, m, k);
    a.randomise(random), b.randomise(random), c.randomise(random), one.randomise(random);
    PickedIndex<> const i(gathered_items, gathered_pool, random, true);
    PickedIndex<std::int16_t> const j(gathered_items, 5, random);
    PickedBatch<T, L> const before = [&] {
      PickedBatch<T, L> r(gathered_items, m, n);
      Kokkos::deep_copy(r.host, c.host);
      return r;
    }();
    gemm(0.5, in(gathered(a.view, i.view)), in(transposed(gathered(b.view, j.view))), -2.0,
         inout(c.view));
    // One of both is gathered, the other one common.
    gemm(1, common(Kokkos::subview(one.view, 0, Kokkos::ALL, Kokkos::ALL)),
         in(transposed(gathered(b.view, j.view, memory_for(gathered_items)))), 0, out(d.view));
    gemm(1, in(gathered(a.view, i.view)),
         common(transposed(Kokkos::subview(b.view, 2, Kokkos::ALL, Kokkos::ALL))), 0, out(e.view));
    c.download(), d.download(), e.download();
    auto const expect_product = [&](Dense const& got, Dense const& x, Dense const& y,
                                    long double alpha, Dense const& plus) {
      Dense const size = abs(x) * abs(y) + abs(plus);
      EXPECT_TRUE(near(got, alpha * (x * y) + plus, (k + 3) * epsilon<T> * size)) << m << " " << n;
    };
    for (std::int64_t q = 0; q < gathered_items; ++q) {
      Dense const bt = transpose(b.item(j(q))), none(m, n);
      expect_product(d.item(q), one.item(0), bt, 1, none);
      if (i(q) < 0) {
        EXPECT_TRUE(c.is_spoilt(q) && e.is_spoilt(q)) << q;
        continue;
      }
      expect_product(c.item(q), a.item(i(q)), bt, 0.5L, -2.0L * before.item(q));
      expect_product(e.item(q), a.item(i(q)), transpose(b.item(2)), 1, none);
    }
  }
}

TYPED_TEST(GatheredVerbs, Elimination) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(4);
  for (int const rows : gathered_sizes) {
    PickedBatch<T, L> a(gathered_pool, rows, rows), inv(gathered_items, rows, rows),
        b(gathered_pool, rows, 3), x(gathered_items, rows, 3), y(gathered_items, rows, 3),
        lu_of(gathered_items, rows, rows);
    Kokkos::View<int**, L, Space> const pivots("pivots", std::size_t(gathered_items),
                                               std::size_t(rows));
    a.fill(well_conditioned<T>(random)), b.randomise(random);
    PickedIndex<> const i(gathered_items, gathered_pool, random, true),
        j(gathered_items, gathered_pool, random);
    PickedCodes const codes(gathered_items), of_inverse(gathered_items), of_common(gathered_items);
    auto const A = in(gathered(a.view, i.view));
    auto const B = in(gathered(b.view, j.view));
    solve_lu(A, B, out(x.view), status(codes.view));
    inverse(A, out(inv.view), status(of_inverse.view));
    lu(A, out(lu_of.view), out(pivots));
    Kokkos::View<T*, Space> const det("det", std::size_t(gathered_items));
    determinant(A, out(det));
    auto const d = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), det);
    auto const common_a = Kokkos::subview(a.view, 3, Kokkos::ALL, Kokkos::ALL);
    solve_lu(common(common_a), B, out(y.view), status(of_common.view));
    x.download(), inv.download(), lu_of.download(), y.download();
    auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pivots);
    long double const c = 20 * (rows + 3) * epsilon<T>;
    for (std::int64_t n = 0; n < gathered_items; ++n) {
      codes.expect(n, i(n) >= 0), of_inverse.expect(n, i(n) >= 0), of_common.expect(n, true);
      auto const residual = [&](Dense const& m, Dense const& got) {
        return largest_of(m * got - b.item(j(n))) / (rows * largest_of(m) * largest_of(got));
      };
      EXPECT_LE(residual(a.item(3), y.item(n)), c) << n << ", " << rows;
      if (i(n) < 0) {
        EXPECT_TRUE(x.is_spoilt(n) && inv.is_spoilt(n) && lu_of.is_spoilt(n)) << n;
        for (int k = 0; k < rows; ++k) EXPECT_EQ(p(std::size_t(n), std::size_t(k)), 0);
        EXPECT_TRUE(std::isnan(d(std::size_t(n))));
        continue;
      }
      Dense const m = a.item(i(n)), f = lu_of.item(n);
      EXPECT_LE(residual(m, x.item(n)), c) << n << ", " << rows;
      EXPECT_LE(largest_of(m * inv.item(n) - eye(rows)), c * condition_of(m)) << n << ", " << rows;
      Dense l = eye(rows), u(rows, rows);
      for (int r = 0; r < rows; ++r)
        for (int k = 0; k < rows; ++k) (k < r ? l : u)(r, k) = f(r, k);
      Dense const permuted = make_dense(
          rows, rows, [&](int r, int k) { return m(p(std::size_t(n), std::size_t(r)), k); });
      long double product = 1;
      for (int k = 0; k < rows; ++k) product *= std::fabs(u(k, k));
      if (rows <= 17) {  // else it overflows
        EXPECT_LE(std::fabs(std::fabs(d(std::size_t(n))) - product), 50 * c * product) << n;
      }
      EXPECT_TRUE(near(l * u, permuted, (rows + 3) * epsilon<T> * (abs(l) * abs(u)))) << n;
    }
  }
}

TYPED_TEST(GatheredVerbs, Decompositions) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(5);
  for (int const cols : {1, 4, 12, 20}) {
    int const rows = cols + 5;
    PickedBatch<T, L> s(gathered_pool, cols, cols), v(gathered_items, cols, cols),
        a(gathered_pool, rows, cols), q(gathered_items, rows, cols), r(gathered_items, cols, cols);
    PickedBatch<T, L, 1> values(gathered_items, cols), singular(gathered_items, cols),
        b(gathered_pool, rows), x(gathered_items, cols);
    s.fill([&](int m, int) {
      return mirrored(make_dense(m, m, [&](int, int) { return T(random()); }));
    });
    a.fill(well_conditioned<T>(random)), b.randomise(random);
    PickedIndex<> const i(gathered_items, gathered_pool, random, true),
        j(gathered_items, gathered_pool, random);
    PickedCodes const codes(gathered_items);
    auto const A = in(gathered(a.view, i.view));
    eigh(in(gathered(s.view, i.view)), out(values.view), out(v.view), status(codes.view));
    svd(A, out(singular.view));
    qr(A, out(q.view), out(r.view));
    least_squares(A, in(gathered(b.view, j.view)), out(x.view));
    values.download(), v.download(), singular.download(), q.download(), r.download(), x.download();
    for (std::int64_t n = 0; n < gathered_items; ++n) {
      codes.expect(n, i(n) >= 0);
      if (i(n) < 0) {
        EXPECT_TRUE(values.is_spoilt(n) && v.is_spoilt(n) && singular.is_spoilt(n) &&
                    q.is_spoilt(n) && r.is_spoilt(n) && x.is_spoilt(n));
        continue;
      }
      Dense const m = a.item(i(n)), w = v.item(n),
                  lambda = make_dense(
                      cols, cols, [&](int k, int e) { return k == e ? values.at(n, k) : T(0); });
      long double const c = 40 * (rows + 1) * epsilon<T>, large = largest_of(m);
      EXPECT_LE(largest_of(s.item(i(n)) * w - w * lambda), c * (1 + cols));
      EXPECT_LE(largest_of(transpose(w) * w - eye(cols)), c);
      EXPECT_LE(largest_of(q.item(n) * r.item(n) - m), c * rows * large);
      EXPECT_LE(largest_of(transpose(q.item(n)) * q.item(n) - eye(cols)), c);
      // The residual of least squares is orthogonal to the columns.
      Dense const normal = transpose(m) * (m * x.item(n) - b.item(j(n)));
      EXPECT_LE(largest_of(normal), 10 * c * (1 + rows * large * large));
      // The squares of the singular values add to the trace of A' A.
      long double sum = 0;
      for (int k = 0; k < cols; ++k) sum += (long double)(singular.at(n, k)) * singular.at(n, k);
      long double const all = trace(transpose(m) * m);
      EXPECT_LE(std::fabs(sum - all), c * all);
    }
  }
}

TYPED_TEST(GatheredVerbs, PowersOfTwo) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(6);
  PickedBatch<T, L> a(gathered_pool, 9, 9), l(gathered_items, 9, 9), m(gathered_items, 9, 9);
  a.fill(spd<T>(random));
  PickedIndex<> const i(gathered_items, gathered_pool, random);
  Batchwork::cholesky(in(gathered(a.view, i.view)), out(l.view));
  std::int64_t next = 0;
  a.fill([&](int, int) { return 1024.0L * a.item(next++); });
  Batchwork::cholesky(in(gathered(a.view, i.view)), out(m.view));
  l.download(), m.download();
  for (std::int64_t n = 0; n < gathered_items; ++n)
    EXPECT_TRUE(equal(m.item(n), 32.0L * l.item(n))) << n;
}

/// Groups of items, a workspace, no items, one item.
TEST(Gathered, OtherArguments) {
  Random random(7);
  using Right = Kokkos::LayoutRight;
  PickedBatch<double, Right> a(gathered_pool, 5, 5), x(gathered_items, 5, 5),
      y(gathered_items, 5, 5);
  a.fill(well_conditioned<double>(random));
  PickedIndex<> const i(gathered_items, gathered_pool, random);
  Kokkos::View<double* [5][5][4], Right, Space> const groups("groups", 2);
  pack(compact(groups, gathered_pool), a.view);
  auto const from_groups = in(gathered(compact(groups, gathered_pool), i.view));
  Space const exec;
  auto const A = in(gathered(a.view, i.view));
  auto const numbers = workspace_numbers<Verb::inverse>(exec, A, out(x.view));
  Kokkos::View<double*, Space> const memory("workspace", std::size_t(numbers));
  inverse(exec, launch("of groups"), from_groups, out(x.view), workspace(memory));
  inverse(A, out(y.view));
  x.download(), y.download();
  for (std::int64_t n = 0; n < gathered_items; ++n) EXPECT_TRUE(x.same_item(y, n)) << n;

  Kokkos::View<int*, Space> const none("none", 0);
  Kokkos::View<double***, Right, Space> const nothing("nothing", 0, 5, 5);
  inverse(in(gathered(a.view, none)), out(nothing));
  inverse(in(gathered(nothing, none)), out(nothing));
}

TYPED_TEST(GatheredVerbs, Copy) {
  using T = typename TypeParam::Number;
  using L = typename TypeParam::Layout;
  Random random(8);
  for (auto const& [rows, cols] : {std::pair(3, 3), std::pair(70, 2), std::pair(1, 9)}) {
    PickedBatch<T, L> a(gathered_pool, rows, cols), x(gathered_items, rows, cols);
    PickedBatch<T, Kokkos::LayoutRight> y(gathered_items, cols, rows);
    PickedBatch<T, Kokkos::LayoutLeft> z(gathered_items, rows, cols);
    a.randomise(random);
    PickedIndex<> const i(gathered_items, gathered_pool, random, true);
    auto const from = gathered(a.view, i.view);
    copy(x.view, from);
    copy(Space(), launch("turned"), transposed(y.view), from);
    copy(z.view, from);
    x.download(), y.download(), z.download();
    for (std::int64_t n = 0; n < gathered_items; ++n) {
      if (i(n) < 0) {
        EXPECT_TRUE(x.is_spoilt(n) && y.is_spoilt(n) && z.is_spoilt(n)) << n;
        continue;
      }
      EXPECT_TRUE(equal(x.item(n), a.item(i(n)))) << n;
      EXPECT_TRUE(equal(transpose(y.item(n)), a.item(i(n)))) << n;
      EXPECT_TRUE(equal(z.item(n), a.item(i(n)))) << n;
    }
    if constexpr (!Impl::runs_on_device<Space>) {
      // The order of devices, in which a thread copies a number.
      auto const source = in(from).source;
      Impl::Gathered<Space, std::remove_const_t<decltype(source)>> const g(source);
      auto const copies = [&](auto const& to) {
        Kokkos::deep_copy(to.view, T(-3));
        Impl::CopyPicked const kernel(
            Impl::CopyProblem<T>{Impl::stored(to.view).storage, g.batch.storage.as_const(),
                                 gathered_items, rows, cols},
            g.picked, true);
        ASSERT_EQ(kernel.count(), gathered_items * rows * cols);
        for (std::int64_t q = 0; q < kernel.count(); ++q) kernel(q);
        to.download();
        for (std::int64_t n = 0; n < gathered_items; ++n)
          EXPECT_TRUE(i(n) < 0 ? to.is_spoilt(n) : equal(to.item(n), a.item(i(n)))) << n;
      };
      copies(x), copies(z);
    }
  }
  // Numbers and integers.
  Kokkos::View<int*, Space> const from("from", 3), to("to", 4);
  PickedIndex<> const i(4, 3, random, true);
  Kokkos::deep_copy(from, 7);
  copy(to, gathered(from, i.view));
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  for (std::int64_t n = 0; n < 4; ++n) EXPECT_EQ(h(std::size_t(n)), i(n) < 0 ? 0 : 7);
}

TEST(Gathered, Misuse) {
  using Right = Kokkos::LayoutRight;
  Kokkos::View<double***, Right, Space> const a("a", 4, 3, 3), x("x", 6, 3, 3), empty("e", 0, 3, 3);
  Kokkos::View<int*, Space> const i("i", 6), few("few", 5);
  Kokkos::View<std::int64_t*, Space> const short_memory("short", 5), both("both", 6);
  Kokkos::deep_copy(x, 5.0);
  auto const A = [&](auto const&... g) { return in(gathered(g...)); };
  expect_says(message_of([&] { inverse(A(a, few), out(x)); }),
              {"Batchwork::gathered", "operand 2, out(\"x\")", "has 6 items",
               "operand 1, index(\"few\")", "has 5"});
  expect_says(message_of([&] { inverse(A(a, i, short_memory), out(x)); }),
              {"operand 1, memory(\"short\")", "for 5 items", "the index has 6",
               "give a number for each item"});
  expect_says(message_of([&] { inverse(A(empty, i), out(x)); }),
              {"operand 1, in(\"e\")", "has no items", "its index has 6"});
  expect_says(message_of([&] { inverse(A(a, Kokkos::View<int*, Space>()), out(x)); }),
              {"operand 1, index(\"\")", "has 0;"});
  expect_says(message_of([&] { inverse(A(x, i), out(x)); }),
              {"Batchwork::inverse", "shares elements", "give"});
  expect_says(message_of([&] { inverse(A(a, i), out(x), status(i)); }),
              {"status", "shares elements with", "index(\"i\")"});
  expect_says(message_of([&] { gemm(1, A(a, i, both), A(a, i, both), 0, out(x)); }),
              {"memory(\"both\")", "shares elements with"});
  expect_says(message_of([&] { inverse(A(reversed(a), i), out(x)); }), {"reversed"});
  expect_says(message_of([&] { copy(x, gathered(a, few)); }),
              {"Batchwork::copy", "operand 2, from(\"a\")", "has 5 items"});
  expect_says(message_of([&] { copy(x, gathered(empty, i)); }), {"has no items"});
  Kokkos::View<double***, Right, Space> const wide("wide", 4, 3, 4);
  expect_says(message_of([&] { inverse(A(wide, i), out(x)); }), {"Batchwork::inverse", "square"});
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t n = 0; n < 6; ++n) EXPECT_EQ(h(n, 1, 1), 5.0);
}

}  // namespace
}  // namespace Batchwork::Test
