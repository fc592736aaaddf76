// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// lu, solve_lu, inverse and determinant with a workspace, for items that do not fit on the chip.
// Compares with bounds of the backward error, with items that fail. Results must be bitwise the
// same for any number of slots. Also misuse.
#include "LuVerbsCase.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/FencedWorkspace.hpp"

namespace Batchwork::Test {
namespace {

/// Larger than the limits of hosts, and of a device with Kokkos 5.2.
constexpr int rows_beyond = 258;

auto lu_codes(ArrangedBatch<int> const& codes) {
  return status(Kokkos::View<int*, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>(
      codes.data(), Kokkos::LayoutStride(std::size_t(codes.items), std::size_t(codes.item))));
}
template <class T>
auto scalars(ArrangedBatch<T> const& m) {
  using View = Kokkos::View<T*, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  return View(m.data(), Kokkos::LayoutStride(std::size_t(m.items), std::size_t(m.item)));
}
/// Calls verb(operands..., workspace) with a workspace of the size that it requests before.
template <class T, Verb V, class Call, class... X>
void call_in_workspace(Call const& verb, X const&... operands) {
  std::int64_t const numbers = workspace_numbers<V>(operands...);
  ASSERT_GT(numbers, 0) << "fits on the chip";
  FencedWorkspace<T> const memory(numbers);
  verb(operands..., memory());
  ASSERT_TRUE(memory.fenced());
}
template <class T>
void check_lu_workspace(int columns, std::int64_t items, Arranged how, Random& random) {
  check_lu<T>(
      rows_beyond, columns, items, how, random,
      [](auto const& a, auto const& lu, auto const& rows, auto const& codes) {
        call_in_workspace<T, Verb::lu>([](auto const&... x) { Batchwork::lu(x...); }, Space(),
                                       in(a.batch()), out(lu.batch()), out(vectors(rows)),
                                       lu_codes(codes));
      },
      [](auto const& a, auto const& b, auto const& x, auto const& codes) {
        call_in_workspace<T, Verb::solve_lu>([](auto const&... y) { Batchwork::solve_lu(y...); },
                                             in(a.batch()), in(b.batch()), out(x.batch()),
                                             lu_codes(codes));
      },
      !Impl::runs_on_device<Space>);
}

TEST(LuInWorkspace, Factors) {
  Random random(1);
  check_lu_workspace<double>(1, 6, Arranged::item_contiguous, random);
  check_lu_workspace<float>(10, 3, Arranged::interleaved, random);
}
TEST(LuInWorkspace, InversesAndDeterminants) {
  Random random(2);
  using T = double;
  check_inverse<T>(
      rows_beyond, 6, Arranged::by_columns, random,
      [](auto const& a, auto const& x, auto const& codes) {
        call_in_workspace<T, Verb::inverse>([](auto const&... y) { Batchwork::inverse(y...); },
                                            in(a.batch()), out(x.batch()), lu_codes(codes));
      },
      [](auto const& a, auto const& d, auto const& codes) {
        call_in_workspace<T, Verb::determinant>(
            [](auto const&... y) { Batchwork::determinant(y...); }, in(a.batch()), out(scalars(d)),
            lu_codes(codes));
      },
      [](auto const& a, auto const& logs, auto const& signs, auto const& codes) {
        call_in_workspace<T, Verb::log_abs_determinant>(
            [](auto const&... y) { Batchwork::log_abs_determinant(y...); }, in(a.batch()),
            out(scalars(logs)), out(scalars(signs)), lu_codes(codes));
      });
}

/// In place, with one slot and without a status: the same bits as out of place with all slots.
TEST(LuInWorkspace, InPlaceWithOneSlot) {
  constexpr std::size_t n = 300, items = 3;
  Kokkos::View<float***, Kokkos::LayoutRight, Space> const a("a", items, n, n), x("x", items, n, n);
  auto const host = Kokkos::create_mirror_view(a);
  Random random(3);
  for (std::size_t k = 0; k < host.size(); ++k) host.data()[k] = float(random());
  Kokkos::deep_copy(a, host);
  call_in_workspace<float, Verb::inverse>([](auto const&... y) { Batchwork::inverse(y...); }, in(a),
                                          out(x));
  FencedWorkspace<float> const memory(least_workspace_numbers<Verb::inverse>(inout(a)));
  Batchwork::inverse(launch("in place"), inout(a), memory());
  ASSERT_TRUE(memory.fenced());
  auto const want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  for (std::size_t k = 0; k < want.size(); ++k)
    ASSERT_TRUE(same_bits(want.data()[k], got.data()[k])) << k;
}

TEST(LuInWorkspace, Misuse) {
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const a("a", 2, 400, 400),
      x("x", 2, 400, 400), none("none", 0, 400, 400), small("small", 2, 4, 4);
  Kokkos::View<double*, Space> const d("d", 2);
  std::int64_t const full = workspace_numbers<Verb::inverse>(in(a), out(x)),
                     least = least_workspace_numbers<Verb::inverse>(in(a), out(x));
  // Determinants need no right-hand sides.
  EXPECT_LT(least_workspace_numbers<Verb::determinant>(in(a), out(d)), least);
  EXPECT_EQ(workspace_numbers<Verb::inverse>(inout(none)), 0);
  EXPECT_EQ(workspace_numbers<Verb::inverse>(inout(small)), 0);
  Batchwork::inverse(inout(none));
  std::string const remedy = "give workspace(view) of " + std::to_string(full) +
                             " numbers, at least " + std::to_string(least) +
                             ", or use smaller matrices";
  Kokkos::View<double*, Space> const few("few", std::size_t(least) - 8);
  expect_says(message_of([&] { Batchwork::inverse(in(a), out(x)); }),
              {"Batchwork::inverse: operand 1, a(\"a\")", "has 400 rows, more than the ",
               "for which there is room in ", "; an item needs ", " bytes", remedy.c_str()});
  expect_says(
      message_of([&] { Batchwork::inverse(inout(a), workspace(few)); }),
      {"has 400 rows", "operand 2, workspace(\"few\")", "has room for none", remedy.c_str()});
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> const inside(x.data(),
                                                                     std::size_t(least) + 8);
  expect_says(message_of([&] { Batchwork::inverse(in(a), out(x), workspace(inside)); }),
              {"operand 2, x(\"x\")", "is written and shares elements with operand 3, workspace"});
}

}  // namespace
}  // namespace Batchwork::Test
