// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// qr, least_squares, eigh and svd with a workspace, for items that do not fit on the chip. Compares
// with LAPACK and with bounds of the backward error, with items that fail. Results must be bitwise
// the same for any number of slots. Also the size of the workspace, misuse, and svd of items that
// need many sweeps, which are too slow at -O0.
#include "EighVerbCase.hpp"
#include "SvdVerbCase.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/FencedWorkspace.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
auto codes_of(ArrangedBatch<T> const& codes) {
  return status(Kokkos::View<int*, Space>(codes.data(), std::size_t(codes.items)));
}
/// Runs call(workspace) with the largest useful workspace, or with the smallest one that the call
/// accepts.
template <class T, class Call>
void with_workspace(std::int64_t numbers, Call const& call) {
  ASSERT_GT(numbers, 0) << "fits on the chip";
  FencedWorkspace<T> const memory(numbers);
  call(memory());
  ASSERT_TRUE(memory.fenced());
}

/// Ten items with every kind of matrix; the last of them fails.
template <class T>
void check_qr_workspace(int m, int n, std::int64_t items, Arranged how, Random& random) {
  check_qr<T>(
      m, n, std::min(m, n), items, how, random,
      [](auto const& a, auto const& q, auto const& r, auto const& codes) {
        auto const call = [&](auto const& f) {
          return f(in(a.batch()), out(q.batch()), out(r.batch()), codes_of(codes));
        };
        with_workspace<T>(
            call([](auto const&... x) { return workspace_numbers<Verb::qr>(x...); }),
            [&](auto const& w) { call([&](auto const&... x) { Batchwork::qr(x..., w); }); });
      });
}
template <class T>
void check_least_squares_workspace(int m, int n, int columns, Arranged how, Random& random) {
  check_least_squares<T>(
      m, n, columns, 10, how, random,
      [](auto const& a, auto const& b, auto const& x, auto const& codes) {
        auto const call = [&](auto const& f) {
          return f(in(a.batch()), in(b.batch()), out(x.batch()), codes_of(codes));
        };
        with_workspace<T>(
            call([](auto const&... y) { return workspace_numbers<Verb::least_squares>(y...); }),
            [&](auto const& w) {
              call([&](auto const&... y) { Batchwork::least_squares(y..., w); });
            });
      });
}
template <class T>
void check_svd_workspace(int m, int n, std::int64_t items, Arranged how, Random& random) {
  Space const exec;
  check_svd<T>(
      m, n, items, how, random,
      [&](auto const& a, auto const& u, auto const& w, auto const& v, auto const& codes) {
        auto const call = [&](auto const& f) {
          return f(exec, in(a.batch()), out(u.batch()), out(vectors(w)), out(v.batch()),
                   codes_of(codes));
        };
        with_workspace<T>(call([](auto const&... x) { return workspace_numbers<Verb::svd>(x...); }),
                          [&](auto const& memory) {
                            call([&](auto const&... x) { Batchwork::svd(x..., memory); });
                          });
      },
      [&](auto const& a, auto const& w) {
        // Without vectors a call needs less memory, or none.
        FencedWorkspace<T> const memory(
            workspace_numbers<Verb::svd>(exec, in(a.batch()), out(vectors(w))));
        Batchwork::svd(exec, launch("values"), in(a.batch()), out(vectors(w)), memory());
        ASSERT_TRUE(memory.fenced());
      });
}

TEST(DecompositionsInWorkspace, Qr) {
  Random random(1);
  check_qr_workspace<float>(9100, 32, 10, Arranged::item_contiguous, random);
  check_qr_workspace<double>(30, 4500, 10, Arranged::by_columns, random);
  check_qr_workspace<double>(370, 360, 2, Arranged::interleaved, random);
}
TEST(DecompositionsInWorkspace, LeastSquares) {
  Random random(2);
  check_least_squares_workspace<float>(5000, 60, 3, Arranged::item_contiguous, random);
  check_least_squares_workspace<double>(40, 3500, 10, Arranged::interleaved, random);
}
TEST(DecompositionsInWorkspace, Svd) {
  Random random(3);
  check_svd_workspace<float>(5000, 30, 10, Arranged::item_contiguous, random);
  check_svd_workspace<double>(20, 3400, 10, Arranged::interleaved, random);
}

/// Three square matrices; the second one fails. Vectors in separate Views, and in the memory of the
/// matrices.
TEST(DecompositionsInWorkspace, Eigh) {
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  constexpr std::size_t n = 366, items = 3;
  Batch const a("a", items, n, n), v("v", items, n, n);
  Kokkos::View<double**, Space> const w("w", items, n), w2("w2", items, n);
  Kokkos::View<int*, Space> const codes("codes", items);
  auto const host = Kokkos::create_mirror_view(a);
  Random random(4);
  for (std::size_t k = 0; k < items; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        host(k, i, j) = j > i ? std::numeric_limits<double>::quiet_NaN() : random();
  host(1, n - 1, 5) = std::numeric_limits<double>::infinity();
  Kokkos::deep_copy(a, host);
  std::int64_t const numbers = workspace_numbers<Verb::eigh>(in(a), out(w), out(v), status(codes));
  EXPECT_EQ(numbers, workspace_numbers<Verb::eigh>(in(a), out(w)));
  with_workspace<double>(
      numbers, [&](auto const& memory) { eigh(in(a), out(w), out(v), status(codes), memory); });
  // One slot, without a status.
  with_workspace<double>(least_workspace_numbers<Verb::eigh>(inout(a), out(w2)),
                         [&](auto const& memory) { eigh(inout(a), out(w2), memory); });
  auto const to_host = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  auto const values = to_host(w), values2 = to_host(w2);
  auto const vectors = to_host(v);
  auto const in_place = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const said = to_host(codes);
  // If the memory is host memory, host and in_place are the same View.
  Random again(4);
  for (std::size_t k = 0; k < items; ++k) {
    Dense const ak =
        make_dense(int(n), int(n), [&](int i, int j) { return j > i ? 0.0 : again(); });
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(same_bits(values(k, i), values2(k, i)) || k == 1);
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_TRUE(same_bits(vectors(k, i, j), in_place(k, i, j)) || k == 1);
    }
    if (k == 1) {
      EXPECT_EQ(said(k), Status::code(Reason::not_finite, 0));
      EXPECT_TRUE(std::isnan(values(k, 0)) && std::isnan(vectors(k, n - 1, 0)));
      continue;
    }
    EXPECT_EQ(said(k), 0);
    expect_eigenpairs<double>(
        EighKind::random, mirrored(ak),
        make_dense(int(n), 1, [&](int i, int) { return values(k, std::size_t(i)); }),
        make_dense(int(n), int(n),
                   [&](int i, int j) { return vectors(k, std::size_t(i), std::size_t(j)); }));
  }
}

/// The results have the same bits with one slot, with several, with more slots than items, and for
/// a single item.
TEST(DecompositionsInWorkspace, NumberOfSlots) {
  using Batch = Kokkos::View<float***, Kokkos::LayoutRight, Space>;
  constexpr std::size_t m = 9100, n = 32, items = 5;
  Batch const a("a", items, m, n), r("r", items, n, n), other("other", items, n, n);
  auto const host = Kokkos::create_mirror_view(a);
  Random random(5);
  for (std::size_t k = 0; k < host.size(); ++k) host.data()[k] = float(random());
  Kokkos::deep_copy(a, host);
  std::int64_t const least = least_workspace_numbers<Verb::qr>(in(a), out(r)),
                     full = workspace_numbers<Verb::qr>(in(a), out(r));
  ASSERT_GE(full, least);
  ASSERT_GT(least, std::int64_t(m * n));
  with_workspace<float>(least, [&](auto const& memory) { qr(in(a), out(r), memory); });
  auto const want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
  auto const expect_same = [&](std::size_t first) {
    auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), other);
    for (std::size_t k = first * n * n; k < want.size(); ++k)
      ASSERT_TRUE(same_bits(want.data()[k], got.data()[k])) << k;
  };
  for (std::int64_t numbers : {least + 1, 2 * least, 3 * least, full, 20 * least}) {
    Kokkos::deep_copy(other, 0);
    with_workspace<float>(numbers, [&](auto const& memory) { qr(in(a), out(other), memory); });
    expect_same(0);
  }
  Kokkos::deep_copy(other, 0);
  auto const last = std::pair(items - 1, items);
  with_workspace<float>(least, [&](auto const& memory) {
    qr(in(Kokkos::subview(a, last, Kokkos::ALL, Kokkos::ALL)),
       out(Kokkos::subview(other, last, Kokkos::ALL, Kokkos::ALL)), memory);
  });
  expect_same(items - 1);
}

/// Items that fit on the chip have the same results as without a workspace, and do not change the
/// workspace.
TEST(DecompositionsInWorkspace, ItemsThatFit) {
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const a("a", 3, 4, 4), v("v", 3, 4, 4);
  Kokkos::View<double**, Space> const w("w", 3, 4), w2("w2", 3, 4);
  Kokkos::deep_copy(a, 1);
  EXPECT_EQ(workspace_numbers<Verb::eigh>(in(a), out(w), out(v)), 0);
  EXPECT_EQ(least_workspace_numbers<Verb::eigh>(in(a), out(w), out(v)), 0);
  EXPECT_EQ(workspace_numbers<Verb::svd>(Space(), in(a), out(w)), 0);
  Kokkos::View<double*, Space> const memory("memory", 100);
  Kokkos::deep_copy(memory, 7);
  eigh(in(a), out(w));
  eigh(in(a), out(w2), workspace(memory));
  eigh(in(a), out(w2), workspace(Kokkos::View<double*, Space>()));
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), w);
  auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), w2);
  auto const z = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_TRUE(same_bits(x.data()[k], y.data()[k]));
  for (std::size_t k = 0; k < 100; ++k) EXPECT_EQ(z(k), 7);
  // Without items no slots are needed.
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const none("none", 0, 700, 700);
  Kokkos::View<double**, Space> const no_values("w", 0, 700);
  EXPECT_EQ(workspace_numbers<Verb::eigh>(in(none), out(no_values)), 0);
  eigh(in(none), out(no_values));
}

TEST(DecompositionsInWorkspace, Misuse) {
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  Batch const a("a", 3, 400, 400), v("v", 3, 400, 400);
  Kokkos::View<double**, Space> const w("w", 3, 400);
  std::int64_t const full = workspace_numbers<Verb::eigh>(in(a), out(w)),
                     least = least_workspace_numbers<Verb::eigh>(in(a), out(w));
  ASSERT_GT(least, 160000);
  std::string const remedy = "give workspace(view) of " + std::to_string(full) +
                             " numbers, at least " + std::to_string(least) +
                             ", or use smaller matrices";
  std::size_t const room = std::size_t(least);
  Kokkos::View<double*, Space> const few("few", room - 8), all("all", 2 * room);
  expect_says(
      message_of([&] { eigh(in(a), out(w)); }),
      {"Batchwork::eigh: an item of operand 1, a(\"a\")", "bytes, more than the ", remedy.c_str()});
  expect_says(message_of([&] { eigh(in(a), out(w), workspace(few)); }),
              {"bytes, more than the ", "operand 3, workspace(\"few\") [View (",
               "has room for none", remedy.c_str()});
  expect_says(
      message_of([&] { eigh(in(a), out(w), out(v), workspace(Kokkos::View<double*, Space>())); }),
      {"operand 4, workspace(\"\")", "has room for none"});
  expect_says(
      message_of([&] {
        eigh(in(a), out(w),
             workspace(Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>(nullptr, 2 * room)));
      }),
      {"operand 3, workspace", "it is null; allocate it before the call"});
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const wide("wide", room, 2);
  expect_says(
      message_of([&] { eigh(in(a), out(w), workspace(Kokkos::subview(wide, Kokkos::ALL, 0))); }),
      {"operand 3, workspace(\"wide\")", "has gaps"});
  // The workspace is a part of the memory of an operand.
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> const inside(v.data() + 5, room),
      of_a(a.data(), room);
  expect_says(
      message_of([&] { eigh(in(a), out(w), out(v), workspace(inside)); }),
      {"operand 3, vectors(\"v\")", "is written and shares elements with operand 4, workspace"});
  expect_says(message_of([&] { eigh(in(a), out(w), out(v), workspace(of_a)); }),
              {"operand 4, workspace", "is written and shares elements with operand 1, a(\"a\")"});
  // Also if no workspace is needed.
  Batch const small("small", 3, 4, 4);
  Kokkos::View<double**, Space> const values("values", 3, 4);
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> const within(small.data(), 10);
  expect_says(message_of([&] { eigh(in(small), out(values), workspace(within)); }),
              {"shares elements with operand 1, a(\"small\")"});
  // The query of the size refuses the same misuse as the call.
  expect_says(message_of([&] { (void)workspace_numbers<Verb::eigh>(in(a), out(values)); }),
              {"Batchwork::eigh: operand 2, values(\"values\")", "does not hold the eigenvalues"});
}

/// A matrix of n x n numbers entry(i, j) must be u diag(values) v' to 10 n eps, with status 0.
template <class T, class F>
void check_matrix(std::size_t n, F const& entry) {
  using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  Batch const a("a", 1, n, n), u("u", 1, n, n), v("v", 1, n, n);
  Kokkos::View<T**, Kokkos::LayoutRight, Space> const w("w", 1, n);
  Kokkos::View<int*, Space> const codes("codes", 1);
  auto const x = Kokkos::create_mirror_view(a);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) x(0, i, j) = T(entry(i, j));
  Kokkos::deep_copy(a, x);
  Batchwork::svd(in(a), out(u), out(w), out(v), status(codes));
  auto const to_host = [](auto const& of) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of);
  };
  auto const left = to_host(u), right = to_host(v);
  auto const values = to_host(w);
  ASSERT_EQ(to_host(codes)(0), 0);
  double const bound = 10 * double(n) * std::numeric_limits<T>::epsilon() * double(values(0, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      long double sum = -static_cast<long double>(x(0, i, j));
      for (std::size_t k = 0; k < n; ++k)
        sum += static_cast<long double>(left(0, i, k)) * values(0, k) * right(0, j, k);
      ASSERT_LE(std::abs(double(sum)), bound) << i << ' ' << j;
    }
}
/// The off-diagonal entries of a' a that are not negligible are much smaller than the differences
/// of the diagonal entries.
TEST(SvdVerbInFloat, OneShortColumn) {
  for (std::size_t n : {48, 64})
    for (double t = 8e-19; t < 2e-18; t *= 1.06)
      check_matrix<float>(n, [&](std::size_t, std::size_t j) { return j == 0 ? t : 7.99; });
}
/// Rows over 60 orders of magnitude need 45 sweeps.
TEST(SvdVerbOfGradedRows, ManySweeps) {
  Random random(61);
  check_matrix<double>(100, [&](std::size_t i, std::size_t) {
    return random() * std::pow(10.0, -60 * double(i) / 99);
  });
}

}  // namespace
}  // namespace Batchwork::Test
