// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of the verbs on the host: std::invalid_argument before anything is launched. The message
// must name the verb, the operand's position, its label, both shapes and the remedy. The outputs
// must not change.
#include <gtest/gtest.h>

#include <Batchwork.hpp>
#include <string>

#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "support/Batchwork_Messages.hpp"

namespace {

namespace B = Batchwork;
using B::Test::expect_says;
using B::Test::message_of;
using Matrices = Kokkos::View<double* [3][3]>;
using RowMatrices = Kokkos::View<double* [3][3], Kokkos::LayoutRight>;
using Series = Kokkos::View<double** [3][3]>;

struct Copy {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x;
  }
};
struct Twice {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, X const& x) const {
    y = a + x;
  }
};
struct TwoOut {
  template <class Y, class Z, class X>
  KOKKOS_FUNCTION void operator()(Y& y, Z& z, X const& x) const {
    y = x;
    z = x;
  }
};
struct Add {
  template <class S, class X>
  KOKKOS_FUNCTION void operator()(S& state, X const& x) const {
    state = state + x;
  }
};
struct AddAndEmit {
  template <class S, class X, class E>
  KOKKOS_FUNCTION void operator()(S& state, X const& x, E& e) const {
    state = state + x;
    e = state;
  }
};
struct Double {
  template <class S>
  KOKKOS_FUNCTION void operator()(S& state) const {
    state = state + state;
  }
};

double const untouched = 7.25;
template <class V>
V poisoned(V const& v) {
  Kokkos::deep_copy(v, untouched);
  return v;
}
template <class V>
void expect_untouched(V const& v) {
  Kokkos::fence();
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  for (std::size_t k = 0; k < h.extent(0); ++k)
    for (std::size_t i = 0; i < h.extent(1); ++i)
      for (std::size_t j = 0; j < h.extent(2); ++j) {
        if constexpr (V::rank() == 3) ASSERT_EQ(h(k, i, j), untouched);
        else ASSERT_EQ(h(k, i, j, 0), untouched);
      }
}

// ---- sizes --------------------------------------------------------------------------------------

TEST(Errors, DifferentNumbersOfItems) {
  auto out = poisoned(Matrices("result", 9));
  Matrices in("model", 7);
  auto const m = message_of([&] { B::map(Copy{}, B::out(out), B::in(in)); });
  expect_says(
      m, {"Batchwork::map: ", "operand 2, in(\"model\") [View (7, 3, 3), tile 3x3] has 7 items",
          "operand 1, out(\"result\") [View (9, 3, 3), tile 3x3] has 9", "; give"});
  expect_untouched(out);
  // Each verb passes its name. The position counts all operands.
  Matrices x("x", 9);
  expect_says(message_of([&] { B::scan(1, Twice{}, B::out(out), B::in(x), B::in(in)); }),
              {"Batchwork::scan: ", "operand 3, in(\"model\")"});
  expect_says(message_of([&] {
                (void)B::team_map<Kokkos::DefaultExecutionSpace>(Copy{}, B::out(out), B::in(in));
              }),
              {"Batchwork::team_map: ", "operand 2, in(\"model\")"});
  expect_says(message_of([&] {
                (void)B::team_scan<Kokkos::DefaultExecutionSpace>(1, Copy{}, B::out(out),
                                                                  B::in(in));
              }),
              {"Batchwork::team_scan: ", "operand 2, in(\"model\")"});
  expect_untouched(out);
}

TEST(Errors, DifferentNumbersOfItemsInEveryOtherRole) {
  auto a = poisoned(Matrices("a", 9));
  auto b = poisoned(Matrices("b", 8));
  Matrices x("x", 9);
  Series z("z", 8, 4), e("e", 8, 4), z9("z9", 9, 4);
  Kokkos::View<int*> codes("codes", 8);
  expect_says(message_of([&] { B::map(Add{}, B::inout(b), B::in(x)); }),
              {"operand 2, in(\"x\")", "operand 1, inout(\"b\")"});
  expect_says(message_of([&] { B::map(Copy{}, B::out(a), B::in(x), B::status(codes)); }),
              {"operand 3, status(\"codes\") [View (8), tile scalar] has 8 items"});
  expect_says(message_of([&] { B::scan(4, Add{}, B::carry(x, a), B::each(z)); }),
              {"operand 2, each(\"z\") [View (8, 4, 3, 3), tile 3x3] has 8 items",
               "operand 1, carry start(\"x\")"});
  expect_says(message_of([&] { B::scan(4, Add{}, B::carry(x, b), B::each(z9)); }),
              {"operand 1, carry end(\"b\")", "operand 1, carry start(\"x\")"});
  expect_says(message_of([&] { B::scan(4, AddAndEmit{}, B::carry(x), B::each(z9), B::emit(e)); }),
              {"operand 3, emit(\"e\")", "operand 1, carry start(\"x\")"});
  expect_untouched(a);
  expect_untouched(b);
}

TEST(Errors, TooFewSteps) {
  auto end = poisoned(Matrices("end", 5));
  Matrices start("start", 5);
  // There is valid memory after each View, so only the check can refuse the call.
  Series const z_memory("z", 5, 12), e_memory("e", 5, 12);
  using Window = Kokkos::View<double** [3][3], Kokkos::MemoryUnmanaged>;
  Window const z(z_memory.data(), 5, 10), e(e_memory.data(), 5, 9);
  Kokkos::View<double* [3][3]> const c_memory("c", 12);
  Kokkos::View<double* [3][3], Kokkos::MemoryUnmanaged> const c(c_memory.data(), 9);
  auto const m = message_of([&] { B::scan(11, Add{}, B::carry(start, end), B::each(z)); });
  expect_says(m, {"Batchwork::scan: ", "operand 2, each",
                  "[View (5, 10, 3, 3), tile 3x3] has 10 steps", "the call asks for 11", "; give"});
  expect_says(
      message_of([&] { B::scan(10, AddAndEmit{}, B::carry(start, end), B::each(z), B::emit(e)); }),
      {"operand 3, emit", "9 steps", "asks for 10"});
  expect_says(message_of([&] { B::scan(10, Add{}, B::carry(start, end), B::common(B::each(c))); }),
              {"operand 2, common(each)", "[View (9, 3, 3), tile 3x3] has 9 steps", "asks for 10"});
  expect_says(message_of([&] { B::scan(-1, Add{}, B::carry(start, end), B::each(z)); }),
              {"Batchwork::scan: ", "-1 steps", "; give zero or more"});
  expect_untouched(end);
  // The View can have more steps than requested.
  EXPECT_NO_THROW(B::scan(3, Add{}, B::carry(start, end), B::each(z)));
}

TEST(Errors, ExtentsThatTheViewDoesNotHave) {
  auto out = poisoned(Matrices("result", 4));
  Kokkos::View<double***> a("a", 4, 3, 4), b("b", 4, 2, 3), right("right", 4, 3, 3);
  expect_says(message_of([&] { B::map(Copy{}, B::out(out), B::in(B::extents<3, 3>(a))); }),
              {"Batchwork::map: ", "operand 2, in(\"a\") [View (4, 3, 4), tile 3x3]",
               "extents<...>", "; give"});
  expect_says(message_of([&] { B::map(Copy{}, B::out(out), B::in(B::extents<3, 3>(b))); }),
              {"operand 2, in(\"b\") [View (4, 2, 3), tile 3x3]"});
  auto run_time = poisoned(Kokkos::View<double***>("run_time", 4, 3, 4));
  expect_says(message_of([&] { B::map(Copy{}, B::out(B::extents<3, 3>(run_time)), B::in(out)); }),
              {"operand 1, out(\"run_time\") [View (4, 3, 4), tile 3x3]"});
  expect_untouched(out);
  expect_untouched(run_time);
  EXPECT_NO_THROW(B::map(Copy{}, B::out(out), B::in(B::extents<3, 3>(right))));
}

TEST(Errors, CompactWithTooFewGroups) {
  using Compact = Kokkos::View<double* [3][3][4], Kokkos::LayoutRight>;
  auto out = poisoned(Compact("groups", 2));
  Matrices in9("in9", 9), in8("in8", 8);
  expect_says(message_of([&] { B::map(Copy{}, B::out(B::compact(out, 9)), B::in(in9)); }),
              {"Batchwork::map: ", "operand 1, out(\"groups\") [View (2, 3, 3, 4), tile 3x3]",
               "has 2 groups", "compact(view, 9) needs 3 of 4 items", "; give"});
  expect_says(message_of([&] { B::map(Copy{}, B::out(B::compact(out, -1)), B::in(in9)); }),
              {"operand 1, out(\"groups\")", "not negative"});
  // The same number of groups, but the other operand has a different number of items.
  expect_says(message_of([&] { B::map(Copy{}, B::out(B::compact(out, 7)), B::in(in8)); }),
              {"operand 2, in(\"in8\")", "8 items",
               "operand 1, out(\"groups\") [View (2, 3, 3, 4), tile 3x3] has 7"});
  expect_untouched(out);
  EXPECT_NO_THROW(B::map(Copy{}, B::out(B::compact(out, 8)), B::in(in8)));
}

TEST(Errors, NoOperandWithItems) {
  Kokkos::View<double[3][3]> f("f");
  auto const m = message_of([&] { B::scan(3, Double{}, B::carry(B::common(f))); });
  expect_says(m, {"Batchwork::scan: ", "no operand has an item index", "; give at least one"});
}

// ---- Views that are not there -------------------------------------------------------------------

TEST(Errors, ViewsThatAreNotAllocated) {
  auto out = poisoned(Matrices("result", 4));
  Matrices never, x("x", 4);
  expect_says(message_of([&] { B::map(Copy{}, B::out(out), B::in(never)); }),
              {"Batchwork::map: ",
               "operand 2, in(\"\") [View (0, 3, 3), not allocated, tile 3x3] has 0 items",
               "operand 1, out(\"result\")", "; give"});
  expect_says(message_of([&] { B::map(Copy{}, B::out(never), B::in(x)); }),
              {"operand 1, out(\"\")", "not allocated"});
  Kokkos::View<double[3][3]> never_common;
  expect_says(message_of([&] { B::map(Twice{}, B::out(out), B::in(x), B::common(never_common)); }),
              {"operand 3, common(\"\")", "not allocated", "null", "; allocate it"});
  Kokkos::View<double* [3][3], Kokkos::MemoryTraits<Kokkos::Unmanaged>> null(nullptr, 4);
  expect_says(message_of([&] { B::map(Copy{}, B::out(out), B::in(null)); }),
              {"operand 2, in(\"\")", "(4, 3, 3)", "null", "; allocate it"});
  expect_untouched(out);
}

/// Kokkos also allocates memory for Views with zero items. Default-constructed Views have no
/// memory.
TEST(Errors, NoViewIsAllocated) {
  Matrices y, x;
  Series z;
  Kokkos::View<double* [3]> v, w;
  Kokkos::View<int*> codes;
  Kokkos::View<double[3][3]> f("f");
  auto const expect_refused = [](char const* verb, auto const& call) {
    auto const m = message_of(call);
    expect_says(m,
                {verb, "operand ", ", not allocated", "it is null; allocate it before the call"});
  };
  expect_refused("Batchwork::map: operand 1, out(\"\") [View (0, 3, 3), not allocated, tile 3x3]",
                 [&] { B::map(Copy{}, B::out(y), B::in(x)); });
  expect_refused("Batchwork::map: ",
                 [&] { B::map(Twice{}, B::out(y), B::in(x), B::common(f), B::status(codes)); });
  expect_refused("Batchwork::scan: ", [&] { B::scan(0, Add{}, B::carry(x, y), B::each(z)); });
  expect_refused("Batchwork::team_map: ", [&] {
    (void)B::team_map<Kokkos::DefaultExecutionSpace>(Copy{}, B::out(y), B::in(x));
  });
  expect_refused("Batchwork::copy: ", [&] { B::copy(y, x); });
  expect_refused("Batchwork::gemm: ", [&] { B::gemm(1, B::common(f), B::in(x), 0, B::out(y)); });
  expect_refused("Batchwork::cholesky: ",
                 [&] { B::cholesky(B::in(x), B::out(y), B::status(codes)); });
  expect_refused("Batchwork::solve_lower: ",
                 [&] { B::solve_lower(B::in(x), B::in(w), B::out(v)); });
  expect_refused("Batchwork::multiply: ", [&] { B::multiply(B::dense(x), w, v); });
  expect_refused("Batchwork::solve_triangular: ",
                 [&] { B::solve_triangular(B::Triangle::lower, B::dense(x), v, w); });
  expect_refused("Batchwork::solve_tridiagonal: ", [&] { B::solve_tridiagonal(v, v, v, v, w); });
  // Unmanaged Views with zero numbers can have a null pointer.
  using Unmanaged = Kokkos::View<double* [3][3], Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  EXPECT_NO_THROW(B::map(Copy{}, B::out(Unmanaged(nullptr, 0)), B::in(Unmanaged(nullptr, 0))));
}

TEST(Errors, ZeroItemsAreNoError) {
  Matrices out("result", 0), in("in", 0), never;
  Kokkos::View<double[3][3]> f("f");
  Series z("z", 0, 4);
  EXPECT_NO_THROW(B::map(Copy{}, B::out(out), B::in(in)));
  EXPECT_NO_THROW(B::map(Copy{}, B::out(never), B::in(in)));
  EXPECT_NO_THROW(B::map(Twice{}, B::out(out), B::in(in), B::common(f)));
  EXPECT_NO_THROW(B::scan(4, Add{}, B::carry(in, out), B::each(z)));
  EXPECT_NO_THROW(B::scan(0, Add{}, B::carry(in, out), B::each(z)));
}

// ---- aliasing -----------------------------------------------------------------------------------

TEST(Errors, OutWithInOfTheSameView) {
  auto a = poisoned(Matrices("a", 6));
  expect_says(message_of([&] { B::map(Copy{}, B::out(a), B::in(a)); }),
              {"Batchwork::map: ", "operand 1, out(\"a\") [View (6, 3, 3), tile 3x3] is written",
               "shares elements with operand 2, in(\"a\")", "; update in place with inout(view)"});
  Kokkos::View<double const* [3][3]> reader = a;
  Matrices b("b", 6);
  expect_says(message_of([&] { B::map(Twice{}, B::out(a), B::in(b), B::in(reader)); }),
              {"operand 1, out(\"a\")", "operand 3, in("});
  expect_says(message_of([&] { B::map(Add{}, B::inout(a), B::in(a)); }),
              {"operand 1, inout(\"a\")", "operand 2, in(\"a\")"});
  expect_says(message_of([&] { B::map(TwoOut{}, B::out(a), B::out(a), B::in(b)); }),
              {"operand 1, out(\"a\")", "operand 2, out(\"a\")"});
  expect_untouched(a);
}

TEST(Errors, OutWithACommonInsideIt) {
  auto a = poisoned(RowMatrices("a", 6));
  RowMatrices b("b", 6);
  auto third = Kokkos::subview(a, 3, Kokkos::ALL, Kokkos::ALL);
  expect_says(
      message_of([&] { B::map(Twice{}, B::out(a), B::in(b), B::common(B::extents<3, 3>(third))); }),
      {"operand 1, out(\"a\")", "operand 3, common("});
  expect_untouched(a);
}

TEST(Errors, SubviewsThatShareTheFirstElement) {
  // Two strided subviews that start at the same element and are not contiguous.
  Kokkos::View<double***> a("a", 6, 4, 4);
  Kokkos::deep_copy(a, untouched);
  auto const s = Kokkos::subview(a, Kokkos::ALL, std::make_pair(0, 3), std::make_pair(0, 3));
  auto const t = Kokkos::subview(a, Kokkos::ALL, std::make_pair(0, 3), std::make_pair(0, 3));
  expect_says(
      message_of([&] { B::map(Copy{}, B::out(B::extents<3, 3>(s)), B::in(B::extents<3, 3>(t))); }),
      {"operand 1, out(\"a\")", "operand 2, in(\"a\")"});
  expect_untouched(a);
}

TEST(Errors, ContiguousViewsThatOverlap) {
  auto a = poisoned(RowMatrices("a", 8));
  auto const head = Kokkos::subview(a, std::make_pair(0, 5), Kokkos::ALL, Kokkos::ALL);
  auto const tail = Kokkos::subview(a, std::make_pair(3, 8), Kokkos::ALL, Kokkos::ALL);
  auto const rest = Kokkos::subview(a, std::make_pair(5, 8), Kokkos::ALL, Kokkos::ALL);
  auto const start = Kokkos::subview(a, std::make_pair(0, 3), Kokkos::ALL, Kokkos::ALL);
  expect_says(message_of([&] {
                B::map(Copy{}, B::out(B::extents<3, 3>(head)), B::in(B::extents<3, 3>(tail)));
              }),
              {"operand 1, out(", "operand 2, in("});
  expect_says(message_of([&] {
                B::map(Copy{}, B::out(B::extents<3, 3>(tail)), B::in(B::extents<3, 3>(head)));
              }),
              {"operand 1, out(", "operand 2, in("});
  expect_untouched(a);
  // Adjacent neighbours are allowed.
  EXPECT_NO_THROW(B::map(Copy{}, B::out(B::extents<3, 3>(rest)), B::in(B::extents<3, 3>(start))));
}

TEST(Errors, CarryEndThatAliasesAnotherOperand) {
  auto end = poisoned(Matrices("end", 5));
  Matrices start("start", 5);
  Series z("z", 5, 4), e("e", 5, 4);
  expect_says(message_of([&] { B::scan(4, Add{}, B::carry(start, end), B::in(end)); }),
              {"Batchwork::scan: ", "operand 1, carry end(\"end\")", "operand 2, in(\"end\")"});
  expect_says(
      message_of([&] { B::scan(4, AddAndEmit{}, B::carry(start, end), B::each(e), B::emit(e)); }),
      {"operand 3, emit(\"e\")", "operand 2, each(\"e\")"});
  expect_says(message_of([&] {
                B::scan(4, TwoOut{}, B::carry(start, end), B::carry(start, end), B::in(start));
              }),
              {"operand 1, carry end(\"end\")", "operand 2, carry end(\"end\")"});
  // Shifted by one item: the start of another item would be overwritten before it is read.
  auto shifted = poisoned(RowMatrices("shifted", 6));
  auto const from = Kokkos::subview(shifted, std::make_pair(0, 5), Kokkos::ALL, Kokkos::ALL);
  auto const to = Kokkos::subview(shifted, std::make_pair(1, 6), Kokkos::ALL, Kokkos::ALL);
  expect_says(message_of([&] {
                B::scan(4, Add{}, B::carry(B::extents<3, 3>(from), B::extents<3, 3>(to)),
                        B::each(z));
              }),
              {"operand 1, carry end(", "operand 1, carry start("});
  expect_untouched(end);
  expect_untouched(shifted);
}

TEST(Errors, WhatMayAlias) {
  Matrices a("a", 5), b("b", 5);
  Series z("z", 5, 4);
  Kokkos::deep_copy(a, 1.0);
  Kokkos::deep_copy(z, 1.0);
  EXPECT_NO_THROW(B::map(Twice{}, B::out(b), B::in(a), B::in(a)));  // read twice
  EXPECT_NO_THROW(B::scan(4, Add{}, B::carry(a, a), B::each(z)));   // ends in its start
  auto const ha = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const hb = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(hb(k, 1, 2), 2.0);
    EXPECT_EQ(ha(k, 1, 2), 5.0);
  }
}

// ---- launches -----------------------------------------------------------------------------------

TEST(Errors, TeamSizeOutOfRange) {
  auto out = poisoned(Matrices("result", 4));
  Matrices in("in", 4);
  for (int size : {-32, 0, 1, 31, 48, 288, 1024}) {
    auto const m = message_of(
        [&] { B::map(B::launch("mine").team_size(size), Copy{}, B::out(out), B::in(in)); });
    expect_says(m, {"Batchwork::launch", "team_size(", "multiple of 32 from 32 to 128"});
    expect_says(m, {std::to_string(size).c_str()});
  }
  expect_untouched(out);
  for (int size : {32, 96, 128})
    EXPECT_NO_THROW(B::map(B::launch("mine").team_size(size), Copy{}, B::out(out), B::in(in)));
}

TEST(Errors, KernelThatIsNotThere) {
  // Verbs whose kernel cannot be chosen.
  auto out = poisoned(Matrices("result", 4));
  Matrices in("in", 4);
  expect_says(message_of([&] {
                B::map(B::launch("mine", B::kernel::by_warps), Copy{}, B::out(out), B::in(in));
              }),
              {"launch(\"mine\", kernel::...)", "leave the kernel out"});
  expect_says(message_of([&] { B::copy(B::launch(B::kernel::by_lane), out, in); }),
              {"leave the kernel out"});
  expect_untouched(out);
  // Of others, what a device would run.
  B::Impl::Call const call{"lu", {}, "", B::KernelKind::by_lane};
  B::Impl::Candidates<> there;
  there.add({B::KernelKind::by_warps, 24, 32});
  there.add({B::KernelKind::by_warps, 32, 32});
  there.add({B::KernelKind::in_workspace});
  auto const matrices = [] { return B::Impl::matrices_of(20, 20); };
  expect_says(
      message_of([&] { B::Impl::launch_chosen(call, there, matrices, [](auto) { return true; }); }),
      {"Batchwork::lu: kernel::by_lane cannot run 20 x 20 matrices on this device",
       "give kernel::by_warps or kernel::in_workspace"});
  expect_says(message_of([&] { B::Impl::expect_workspace_wanted(call, matrices); }),
              {"kernel::by_lane cannot run 20 x 20", "give kernel::in_workspace"});
  // The first that fits.
  B::Impl::Call usual = call;
  usual.kernel = B::KernelKind::fastest;
  int launched = 0;
  B::Impl::launch_chosen(usual, there, matrices, [&](auto c) {
    ++launched;
    return c.kind == B::KernelKind::in_workspace;
  });
  EXPECT_EQ(launched, 3);
}

// Newer versions of Kokkos call such a subview LayoutRight, older ones LayoutStride: it is either
// correct or refused.
TEST(Errors, GapsBetweenAnItemsNumbers) {
  Kokkos::View<double***, Kokkos::LayoutRight> wide("wide", 5, 3, 6);
  Kokkos::View<double* [3][3], Kokkos::LayoutRight> out("result", 5);
  auto const h = Kokkos::create_mirror_view(wide);
  for (int k = 0; k < 5; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 6; ++j) h(k, i, j) = 100 * k + 10 * i + j;
  Kokkos::deep_copy(wide, h);
  auto const narrow = Kokkos::subview(wide, Kokkos::ALL, Kokkos::ALL, Kokkos::pair<int, int>(0, 3));
  auto const right = [&] {
    Kokkos::fence();
    auto const r = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    for (int k = 0; k < 5; ++k)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_EQ(r(k, i, j), 100 * k + 10 * i + j);
  };
  auto const m = message_of([&] {
    B::map(Copy{}, B::out(out), B::in(B::extents<3, 3>(narrow)));
    right();
  });
  if (m.find("(nothing was thrown)") == std::string::npos && !m.empty())
    expect_says(m, {"Batchwork::map: operand 2", "gaps between", "LayoutStride"});
  Kokkos::View<double***, Kokkos::LayoutStride> const strided(narrow);
  B::map(Copy{}, B::out(out), B::in(B::extents<3, 3>(strided)));
  right();
}

/// Compact vectors with padding between their numbers, which newer versions of Kokkos add, are
/// refused too.
TEST(Errors, GapsBetweenCompactVectors) {
  constexpr std::size_t W = 33;
  Kokkos::View<double* [3][W], Kokkos::LayoutRight> const groups(
      Kokkos::view_alloc("groups", Kokkos::AllowPadding), 2);
  Kokkos::deep_copy(groups, untouched);
  Kokkos::View<double* [3]> const out("result", 2 * W);
  auto const m = message_of([&] { B::map(Copy{}, B::out(out), B::in(B::compact(groups, 2 * W))); });
  if (groups.stride(1) != W) {
    expect_says(m, {"Batchwork::map: operand 2", "gaps between", "LayoutStride"});
    return;
  }
  Kokkos::fence();
  auto const r = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (std::size_t k = 0; k < 2 * W; ++k)
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(r(k, i), untouched);
}

struct KeepIt {
  template <class X>
  KOKKOS_FUNCTION void operator()(X&) const {}
};

TEST(Errors, CarryThatEndsWhereAllItemsStart) {
  Kokkos::View<double* [3], Kokkos::LayoutRight> x("x", 7);
  auto const first = Kokkos::subview(x, 0, Kokkos::ALL);
  auto const m =
      message_of([&] { B::scan(2, KeepIt{}, B::carry(B::common(B::extents<3>(first)), x)); });
  expect_says(m, {"Batchwork::scan: ", "carry end", "shares elements with", "carry start"});
  EXPECT_NO_THROW(B::scan(2, KeepIt{}, B::carry(x, x)));
}

struct FirstOfAll {
  template <class Y, class X, class... C>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, C const&... c) const {
    y = (x + ... + element(c, 0, 0));
  }
};

/// On CUDA, a launch that Kokkos refuses keeps some resources. So the library must refuse such
/// launches before Kokkos does.
struct NoTeamWork {
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const&) const {}
};
template <int Teams>
void expect_refused_ten_times(B::Impl::TeamShape const& shape,
                              std::initializer_list<char const*> parts) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const words = [] {
    return B::Impl::LaunchWords{"work", "matrices of 7 rows", "give smaller ones"};
  };
  for (int k = 0; k < 10; ++k) {
    auto const m = message_of(
        [&] { B::Impl::launch_teams<128, Teams>(exec, "work", NoTeamWork{}, shape, words); });
    expect_says(m, {"Batchwork::work: matrices of 7 rows "});
    expect_says(m, parts);
  }
  B::Impl::launch_teams<128, 1>(exec, "work", NoTeamWork{}, {3, 1, 100}, words);
  Kokkos::fence();
}

TEST(Errors, TeamsBeyondTheLimits) {
  using Exec = Kokkos::DefaultExecutionSpace;
  auto const limits = B::Impl::Vendor::device_limits(Exec());
  std::size_t const scratch = limits.scratch_of_team;
  std::string const needed = "need " + std::to_string(scratch + 1) + " bytes of team scratch",
                    there = std::to_string(scratch) + " are available; give smaller ones";
  expect_refused_ten_times<1>({2, 1, scratch + 1}, {needed.c_str(), there.c_str()});
  expect_refused_ten_times<1>({std::int64_t(1) << 31, 1, 0},
                              {"need 2147483648 teams", " teams; divide the items"});
  if constexpr (B::Impl::runs_on_device<Exec>) {
    if (limits.lanes_of_team < 4096)
      expect_refused_ten_times<1>({2, 4096, 0}, {"need teams of 4096 lanes", "give smaller ones"});
    // Only CUDA checks whether a multiprocessor can hold the teams of the launch bounds.
    if (Kokkos::DefaultExecutionSpace::name() == std::string("Cuda"))
      expect_refused_ten_times<16>(
          {2, 64, 40000}, {"need teams of 64 lanes with 40000 bytes of team scratch each",
                           "should hold 16 of them; it has room for", "give smaller ones"});
  }
}

struct FirstPlusProduct {
  template <class Y, class X, class A, class C>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, A const& a, C const& c) const {
    y = a + c * x;
  }
};

/// With one lane an item a scan stages all common operands. Lanes that share items read common
/// operands that do not fit through the cache. These operands need more scratch memory than any
/// device has: no multiprocessor has 256 KB.
template <std::size_t... I>
void scan_with_commons(Kokkos::View<double*> const& y, Kokkos::View<double*> const& x,
                       Kokkos::View<double[32][32]> const& c, std::index_sequence<I...>) {
  B::scan(B::launch(B::lanes<1>), 3, FirstOfAll{}, B::out(y), B::in(x),
          B::common((static_cast<void>(I), c))...);
}

TEST(Errors, MoreCommonsThanScratch) {
  using Exec = Kokkos::DefaultExecutionSpace;
  if constexpr (!B::Impl::runs_on_device<Exec>) {
    GTEST_SKIP() << "hosts stage common operands on the stack, not in team scratch";
  } else {
    constexpr std::size_t commons = 32, needed = commons * 32 * 32 * sizeof(double);
    ASSERT_GT(needed, B::Impl::Vendor::device_limits(Exec()).scratch_of_team);
    Kokkos::View<double[32][32]> const c("c");
    Kokkos::View<double*> x("x", 100), y("y", 100);
    Kokkos::deep_copy(y, untouched);
    for (int k = 0; k < 10; ++k) {
      auto const m =
          message_of([&] { scan_with_commons(y, x, c, std::make_index_sequence<commons>()); });
      expect_says(m, {"Batchwork::scan: ", "operands need", "bytes of team scratch",
                      "; pass some as in(view)"});
    }
    Kokkos::fence();
    auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (int k = 0; k < 100; ++k) ASSERT_EQ(h(k), untouched);
  }
}

template <class Fixed, std::size_t... I>
void map_with_fixed(Kokkos::View<double*> const& y, Kokkos::View<double*> const& x, Fixed const& f,
                    std::index_sequence<I...>) {
  B::map(FirstOfAll{}, B::out(y), B::in(x), B::common(B::fixed(f(int(I))))...);
}

/// The largest number of fixed operands that one launch can pass, in one call.
TEST(Errors, AllThatALaunchCarries) {
  using Exec = Kokkos::DefaultExecutionSpace;
  constexpr std::size_t size = 8 * 8 * sizeof(double),
                        count = B::Impl::Vendor::fixed_bytes<Exec> / size;
  static_assert(count >= 4);
  Kokkos::View<double*> const x("x", 33), y("y", 33);
  Kokkos::deep_copy(x, 0.5);
  Kokkos::deep_copy(y, untouched);
  // Sums of whole numbers.
  map_with_fixed(
      y, x, [](int k) { return B::Matrix<double, 8, 8>(double(k + 1) * B::identity<double, 8>()); },
      std::make_index_sequence<count>());
  Kokkos::fence();
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (std::size_t k = 0; k < 33; ++k) ASSERT_EQ(h(k), 0.5 + double(count * (count + 1) / 2));
}

/// The kernel of a device that stages fixed operands, run with teams of one lane on hosts.
TEST(Errors, FixedOperandsAreStagedBeyondTheFastConstants) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Fixed = decltype(B::fixed(B::Matrix<double, 8, 8>()));
  using OfFixed = B::Impl::Bound<B::Impl::Kind::fixed, Fixed>;
  constexpr std::size_t many = B::Impl::Vendor::fast_argument_bytes / sizeof(Fixed) + 1;
  auto const lanes_of = []<std::size_t... I>(std::index_sequence<I...>) {
    return
        typename B::Impl::DeviceLanesOf<1, B::OneLane,
                                        std::conditional_t<(I < 1000), OfFixed, void>...>::type{};
  };
  static_assert(std::is_same_v<decltype(lanes_of(std::make_index_sequence<many>())),
                               B::StagingFixed<B::OneLane>>);
  static_assert(
      std::is_same_v<decltype(lanes_of(std::make_index_sequence<many - 1>())), B::OneLane>);

  if constexpr (!B::Impl::runs_on_device<Exec>) {
    B::Matrix<double, 3, 3> a = B::identity<double, 3>(), b = 2.0 * B::identity<double, 3>();
    Matrices const x("x", 9), y("y", 9);
    Kokkos::deep_copy(x, 1.5);
    Kokkos::deep_copy(y, untouched);
    auto const run = [&]<class... O>(O const&... operands) {
      using Lanes = B::StagingFixed<B::OneLane>;
      using Group = B::Impl::MapGroup<FirstPlusProduct, Lanes, B::Impl::bound_t<O>...>;
      static_assert(Group::scratch_size(1) == 2 * 80 && Group::fetch_bytes == 0);
      Group const group{{typename Group::Ops{{{B::Impl::bind(operands)}...}}}, FirstPlusProduct{}};
      B::Impl::launch_teams<128, 1>(Exec(), "staged", B::Impl::DeviceKernel<Group>{group, 9, 2},
                                    B::Impl::TeamShape{5, 1, Group::scratch_size(1) + 16},
                                    [] { return B::Impl::LaunchWords{"map", "these", "none"}; });
    };
    run(B::out(y), B::in(x), B::common(B::fixed(a)), B::common(B::fixed(b)));
    Kokkos::fence();
    for (std::size_t n = 0; n < 9; ++n)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(y(n, i, j), (i == j ? 1 : 0) + 2 * 1.5);
  }
}

/// More teams than a multiprocessor can hold: only CUDA checks this.
TEST(Errors, MoreTeamsThanFit) {
  using Exec = Kokkos::DefaultExecutionSpace;
  if (Exec::name() != std::string("Cuda")) GTEST_SKIP() << "only CUDA counts teams";
  Kokkos::View<double* [32][32]> const x("x", 100), y("y", 100);
  Kokkos::deep_copy(y, untouched);
  for (int k = 0; k < 10; ++k)
    expect_says(message_of([&] { B::map(B::launch(B::teams<12>), Copy{}, B::out(y), B::in(x)); }),
                {"Batchwork::map: ", "and a multiprocessor should hold",
                 "; ask for fewer: launch(teams<n>)"});
  Kokkos::fence();
  auto const h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (std::size_t k = 0; k < 100; ++k) ASSERT_EQ(h(k, 31, 31), untouched);
}

}  // namespace
