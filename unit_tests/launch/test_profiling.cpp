// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a profiling tool sees of a call: one parallel_for with the documented label, on the given
// instance, without any allocation, copy or fence. A call with zero items must launch nothing.
#include <algorithm>
#include <iostream>

#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

struct Event {
  std::string what;
  std::string label;
  std::uint32_t device = 0;
};
std::ostream& operator<<(std::ostream& to, Event const& e) {
  return to << e.what << " \"" << e.label << "\" on " << e.device;
}

namespace Tools = Kokkos::Tools::Experimental;

/// Records all events that Kokkos reports during its lifetime.
class Listener {
 public:
  Listener() : before_(Tools::get_callbacks()) {
    events().clear();
    Tools::EventSet all{};
    Tools::set_callbacks(all);
    Tools::set_begin_parallel_for_callback(
        [](char const* n, std::uint32_t d, std::uint64_t* id) { add("parallel_for", n, d, id); });
    Tools::set_begin_parallel_reduce_callback(
        [](char const* n, std::uint32_t d, std::uint64_t* id) {
          add("parallel_reduce", n, d, id);
        });
    Tools::set_begin_parallel_scan_callback(
        [](char const* n, std::uint32_t d, std::uint64_t* id) { add("parallel_scan", n, d, id); });
    Tools::set_begin_fence_callback([](char const* n, std::uint32_t d, std::uint64_t* id) {
      // Kokkos fences before it calls a tool, unless the tool says that it needs no fences.
      if (std::string(n).find("Kokkos Profile Tool Fence") == std::string::npos)
        add("fence", n, d, id);
      else *id = 0;
    });
    // Allocations of zero bytes: Kokkos' bookkeeping of level-1 scratch memory, at every launch of
    // a team policy on CUDA.
    Tools::set_allocate_data_callback(
        [](Kokkos::Profiling::SpaceHandle, char const* n, void const*, std::uint64_t bytes) {
          if (bytes > 0) add("allocate", n);
        });
    Tools::set_deallocate_data_callback([](Kokkos::Profiling::SpaceHandle, char const* n,
                                           void const*, std::uint64_t) { add("deallocate", n); });
    Tools::set_begin_deep_copy_callback([](Kokkos::Profiling::SpaceHandle, char const* n,
                                           void const*, Kokkos::Profiling::SpaceHandle, char const*,
                                           void const*, std::uint64_t) { add("deep_copy", n); });
    Tools::set_push_region_callback([](char const* n) { add("region", n); });
    Tools::set_pop_region_callback([] { add("end of region", ""); });
  }
  ~Listener() { Tools::set_callbacks(before_); }
  Listener(Listener const&) = delete;
  Listener& operator=(Listener const&) = delete;

  static std::vector<Event>& events() {
    static std::vector<Event> all;
    return all;
  }

 private:
  static void add(char const* what, char const* label, std::uint32_t device = 0,
                  std::uint64_t* id = nullptr) {
    if (id) *id = 0;
    events().push_back({what, label, device});
  }
  Tools::EventSet before_;
};

/// All events that are reported while `call` runs on the host. The kernel itself can still be
/// running.
template <class Call>
std::vector<Event> events_of(Call const& call) {
  Kokkos::fence("Batchwork::Test: before listening");
  Listener const listener;
  call();
  return Listener::events();
}

/// In a region of its own: "label: kernel".
void expect_one_kernel(std::vector<Event> const& events, std::string const& label,
                       Space const& exec) {
  ASSERT_EQ(events.size(), 3u) << label;
  EXPECT_EQ(events[0].what, "region") << events[0];
  EXPECT_EQ(events[0].label.rfind(label + ": ", 0), 0u) << events[0];
  EXPECT_GT(events[0].label.size(), label.size() + 2) << events[0];
  EXPECT_EQ(events[1].what, "parallel_for") << events[1];
  EXPECT_EQ(events[1].label, label) << events[1];
  EXPECT_EQ(events[1].device, Tools::device_id(exec)) << events[1] << ": another instance";
  EXPECT_EQ(events[2].what, "end of region") << events[2];
}

struct Update {
  template <class Y, class X, class C, class D>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, C const& c, D const& d) const {
    y = solve(cholesky(congruence(c, x) + d), y);
  }
};
struct Follow {
  template <class S, class Z, class C, class E>
  KOKKOS_FUNCTION void operator()(S& state, Z const& z, C const& c, E& e) const {
    state = c * state + z;
    e = state;
  }
};

struct Profiling : ::testing::Test {
  static constexpr std::int64_t steps = 5;
  struct Sizes {
    BatchIn<double, Left, 3, 3> x, y;
    BatchIn<double, Left, 3> start, end;
    SeriesIn<double, Left, 3> z, e;
    BatchIn<int, Left> codes;
    explicit Sizes(std::int64_t n)
        : x(n), y(n), start(n), end(n), z(n, steps), e(n, steps), codes(n) {}
  };
  Sizes many{1000}, none{0};
  Common<double, 3, 3> c{eye(3)};
  Matrix<double, 3, 3> one = identity<double, 3>();

  template <class... How>
  void call_map(Sizes const& s, How const&... how) const {
    map(how..., Update{}, inout(s.y.view()), in(symmetric(s.x.view())), common(c.view),
        common(fixed(one)), status(s.codes.view()));
  }
  template <class... How>
  void call_scan(Sizes const& s, How const&... how) const {
    scan(how..., steps, Follow{}, carry(s.start.view(), s.end.view()), each(s.z.view()),
         common(c.view), emit(s.e.view()), status(s.codes.view()));
  }
};

TEST_F(Profiling, TheListenerHears) {
  // A test that receives no events would pass all other checks.
  auto const events = events_of([] {
    Kokkos::View<double*, Space> v("heard", 10);
    Kokkos::deep_copy(Space(), v, 1.0);
    Kokkos::fence("heard");
  });
  auto const count = [&](char const* what) {
    return std::count_if(events.begin(), events.end(),
                         [&](Event const& e) { return e.what == what; });
  };
  EXPECT_GE(count("allocate"), 1);
  EXPECT_GE(count("deallocate"), 1);
  EXPECT_GE(count("deep_copy") + count("parallel_for"), 1);
  EXPECT_GE(count("fence"), 1);
}

/// The region names the user's sequence, or the kernel, the method and the preconditioner.
TEST_F(Profiling, RegionsNameTheKernel) {
  Kokkos::View<double* [3][3]> const m("m", 100), l("l", 100);
  Kokkos::View<double* [3]> const u("u", 100), v("v", 100);
  Kokkos::View<int* [3]> const rows("rows", 100);
  auto const region_of = [](auto const& call) {
    auto const events = events_of(call);
    return events.empty() ? std::string("none") : events[0].label;
  };
  EXPECT_EQ(region_of([&] { call_map(many, launch("a")); }), "Batchwork::map(a): Update");
  EXPECT_EQ(region_of([&] { call_scan(many); }), "Batchwork::scan: Follow");
  auto const lu = region_of([&] { Batchwork::lu(in(m), out(l), out(rows)); });
  EXPECT_EQ(lu.rfind("Batchwork::lu: Lane", 0), 0u) << lu;
  EXPECT_NE(lu.find("<LuOfLane<double, 3, factors>>"), std::string::npos) << lu;
  auto const solved = region_of([&] { solve(bicgstab(), jacobi(), dense(m), u, v); });
  EXPECT_EQ(solved.rfind("Batchwork::solve: Solve", 0), 0u) << solved;
  EXPECT_NE(solved.find("Bicgstab, Jacobi"), std::string::npos) << solved;
}
TEST(Regions, ShortNames) {
  EXPECT_EQ(Impl::short_name("int"), "int");
  EXPECT_EQ(Impl::short_name("A::B::C<D::E, (F::G)1> "), "C<E, (G)1> ");
  EXPECT_EQ(Impl::short_name("A::X<B::Y<c> >"), "X<Y<c>>");
  EXPECT_EQ(Impl::short_name("A::{anonymous}::X<int>"), "X<int>");
  EXPECT_EQ(Impl::short_name("A::(anonymous namespace)::X"), "X");
  EXPECT_EQ(Impl::short_name(std::string(300, 'x')), std::string(200, 'x') + "...");
}

TEST_F(Profiling, MapIsOneKernel) {
  Space const exec;
  expect_one_kernel(events_of([&] { call_map(many); }), "Batchwork::map", exec);
  expect_one_kernel(events_of([&] { call_map(many, exec); }), "Batchwork::map", exec);
  expect_one_kernel(events_of([&] { call_map(many, launch("innovations")); }),
                    "Batchwork::map(innovations)", exec);
  expect_one_kernel(
      events_of([&] { call_map(many, exec, launch("of four", width<4>).team_size(64)); }),
      "Batchwork::map(of four)", exec);
}

TEST_F(Profiling, ScanIsOneKernel) {
  Space const exec;
  expect_one_kernel(events_of([&] { call_scan(many); }), "Batchwork::scan", exec);
  expect_one_kernel(events_of([&] { call_scan(many, exec); }), "Batchwork::scan", exec);
  expect_one_kernel(events_of([&] { call_scan(many, exec, launch("filter")); }),
                    "Batchwork::scan(filter)", exec);
}

TEST_F(Profiling, CopyIsOneKernel) {
  auto const instance = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  Kokkos::View<double* [3][3][4], Kokkos::LayoutRight> const groups("groups", 250);
  expect_one_kernel(events_of([&] { copy(many.x.view(), transposed(many.y.view())); }),
                    "Batchwork::copy", Space());
  expect_one_kernel(events_of([&] { pack(instance, compact(groups, 1000), many.x.view()); }),
                    "Batchwork::pack", instance);
  expect_one_kernel(events_of([&] { unpack(instance, many.x.view(), compact(groups, 1000)); }),
                    "Batchwork::unpack", instance);
}

TEST_F(Profiling, GemmIsOneKernel) {
  Space const exec;
  // Both kinds of kernels: with tiles, and with one item for each lane.
  auto const call = [&](Sizes const& s, auto const&... how) {
    gemm(how..., 1, common(c.view), in(s.x.view()), 0, out(s.y.view()));
  };
  expect_one_kernel(events_of([&] { call(many); }), "Batchwork::gemm", exec);
  expect_one_kernel(events_of([&] { call(many, exec, launch("of three")); }),
                    "Batchwork::gemm(of three)", exec);
  SeriesIn<double, Left, 3> const z(1000, 3);
  expect_one_kernel(events_of([&] {
                      gemm(exec, 1, in(many.x.view()), in(transposed(z.view())), 0,
                           out(many.y.view()));
                    }),
                    "Batchwork::gemm", exec);
  auto const of_none = events_of([&] { call(none); });
  EXPECT_TRUE(of_none.empty()) << of_none.front();
}

TEST_F(Profiling, CholeskyIsOneKernel) {
  auto const instance = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  Kokkos::View<double* [3][3]> const a("a", 1000), l("l", 1000);
  Kokkos::View<double* [3]> const b("b", 1000), x("x", 1000);
  auto const how = launch("of three");
  expect_one_kernel(events_of([&] { Batchwork::cholesky(in(a), out(l)); }), "Batchwork::cholesky",
                    Space());
  expect_one_kernel(events_of([&] { Batchwork::cholesky(how, inout(a)); }),
                    "Batchwork::cholesky(of three)", Space());
  expect_one_kernel(events_of([&] { Batchwork::solve_cholesky(instance, how, in(a), inout(b)); }),
                    "Batchwork::solve_cholesky(of three)", instance);
  expect_one_kernel(events_of([&] { Batchwork::solve_lower(instance, in(l), in(b), out(x)); }),
                    "Batchwork::solve_lower", instance);
}

/// With memory: where items begin, the verb, and the items with an index out of range. Without it
/// there are an allocation and a fence, too.
TEST_F(Profiling, GatheredItemsAreThreeKernels) {
  Space const instance;
  Kokkos::View<double***, Space> const a("a", 4, 3, 3), l("l", 5, 3, 3);
  Kokkos::View<int*, Space> const index("index", 5);
  Kokkos::View<std::int64_t*, Space> const memory("memory", 5);
  Kokkos::View<double**, Space> const b("b", 4, 3), x("x", 5, 3);
  auto const how = launch("three");
  auto const expect_three = [&](std::vector<Event> const& events, std::string const& label) {
    ASSERT_EQ(events.size(), 9u) << label;
    for (std::size_t k : {0u, 1u, 2u})
      expect_one_kernel({events.begin() + long(3 * k), events.begin() + long(3 * k + 3)},
                        k == 1 ? label : "Batchwork::gathered(three)", instance);
  };
  expect_three(events_of([&] {
                 Batchwork::cholesky(instance, how, in(gathered(a, index, memory)), out(l));
               }),
               "Batchwork::cholesky(three)");
  Kokkos::View<double***, Space> const matrices("matrices", 5, 3, 3);
  auto const solver = conjugate_gradients(relative(1e-8));
  expect_three(events_of([&] {
                 solve(instance, how, solver, no_preconditioner(), dense(matrices),
                       gathered(b, index, memory), x);
               }),
               "Batchwork::solve(three)");
  expect_one_kernel(events_of([&] { copy(instance, how, l, gathered(a, index)); }),
                    "Batchwork::copy(three)", instance);
  auto const events =
      events_of([&] { Batchwork::cholesky(instance, how, in(gathered(a, index)), out(l)); });
  auto const count = [&](char const* what) {
    return std::count_if(events.begin(), events.end(),
                         [&](Event const& e) { return e.what == what; });
  };
  EXPECT_EQ(count("allocate"), 1);
  EXPECT_EQ(count("deallocate"), 1);
  EXPECT_GE(count("fence"), 1);
  EXPECT_EQ(count("parallel_for"), 3);
  Kokkos::View<int*, Space> const no_index("no index", 0);
  Kokkos::View<double***, Space> const nothing("nothing", 0, 3, 3);
  EXPECT_TRUE(
      events_of([&] { Batchwork::cholesky(in(gathered(a, no_index)), out(nothing)); }).empty());
}

TEST_F(Profiling, MultiplyIsOneKernel) {
  auto const instance = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  Kokkos::View<double* [3]> const u("u", 1000), v("v", 1000), no_u("no_u", 0), no_v("no_v", 0);
  Kokkos::View<double* [9]> const values("values", 1000), no_values("no_values", 0);
  Kokkos::View<int[4]> const offsets("offsets");
  Kokkos::View<int[9]> const columns("columns");
  auto const a = csr(offsets, columns, values);
  expect_one_kernel(events_of([&] { multiply(a, v, u); }), "Batchwork::multiply", Space());
  expect_one_kernel(events_of([&] { multiply(instance, 2, a, v, 1, u); }), "Batchwork::multiply",
                    instance);
  auto const of_none = events_of([&] { multiply(csr(offsets, columns, no_values), no_v, no_u); });
  EXPECT_TRUE(of_none.empty()) << of_none.front();
}

TEST_F(Profiling, VerbsBesideMultiplyAreOneKernel) {
  auto const instance = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  Kokkos::View<double* [3]> const u("u", 1000), v("v", 1000), no_u("no_u", 0), no_v("no_v", 0);
  Kokkos::View<double* [9]> const values("values", 1000), no_values("no_values", 0);
  Kokkos::View<double*> const numbers("numbers", 1000), no_numbers("no_numbers", 0);
  Kokkos::View<int[4]> const offsets("offsets");
  Kokkos::View<int[9]> const columns("columns");
  auto const a = csr(offsets, columns, values), of_no_items = csr(offsets, columns, no_values);
  expect_one_kernel(events_of([&] { add_scaled_identity(instance, numbers, a); }),
                    "Batchwork::add_scaled_identity", instance);
  expect_one_kernel(events_of([&] { scale(u, a, v); }), "Batchwork::scale", Space());
  expect_one_kernel(events_of([&] { equilibrate(instance, a, u, v); }), "Batchwork::equilibrate",
                    instance);
  expect_one_kernel(events_of([&] { Batchwork::dot(instance, u, v, numbers); }), "Batchwork::dot",
                    instance);
  expect_one_kernel(events_of([&] { norm(u, numbers); }), "Batchwork::norm", Space());
  auto const of_none = events_of([&] {
    add_scaled_identity(2, of_no_items);
    scale(no_u, of_no_items, no_u);
    equilibrate(of_no_items, no_u, no_v);
    Batchwork::dot(no_u, no_u, no_numbers);
    norm(no_u, no_numbers);
  });
  EXPECT_TRUE(of_none.empty()) << of_none.front();
}

/// For systems of every size.
TEST_F(Profiling, SolveIsOneKernel) {
  auto const instance = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  for (int rows : {3, 30, 300}) {
    std::size_t const n = std::size_t(rows);
    Kokkos::View<double***> const values("values", 100, n, n);
    Kokkos::View<double**> const b("b", 100, n), x("x", 100, n);
    auto const log = SolveLog<double>::allocated(100);
    expect_one_kernel(
        events_of([&] { solve(instance, bicgstab(), jacobi(), dense(values), b, x, log); }),
        "Batchwork::solve", instance);
    expect_one_kernel(
        events_of([&] { solve(conjugate_gradients(), no_preconditioner(), dense(values), b, x); }),
        "Batchwork::solve", Space());
    Kokkos::View<double*> const kept("kept",
                                     std::size_t(factors_numbers(direct_lu(), dense(values), 100)));
    auto const f = factorize(direct_lu(), dense(values), kept);
    expect_one_kernel(events_of([&] {
                        (void)factorize(instance, launch("f"), direct_lu(), dense(values), kept);
                      }),
                      "Batchwork::factorize(f)", instance);
    expect_one_kernel(events_of([&] { solve(f, b, x); }), "Batchwork::solve", Space());
  }
  Kokkos::View<double***> const no_values("no_values", 0, 4, 4);
  Kokkos::View<double**> const no_b("no_b", 0, 4), no_x("no_x", 0, 4);
  auto const of_none =
      events_of([&] { solve(bicgstab(), jacobi(), dense(no_values), no_b, no_x); });
  EXPECT_TRUE(of_none.empty()) << of_none.front();
}

/// For every kernel of a device.
TEST_F(Profiling, SolveTridiagonalIsOneKernel) {
  auto const instance = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  Kokkos::View<int*> const codes("codes", 100);
  for (int rows : {5, 100, 3000}) {
    std::size_t const n = std::size_t(rows);
    Kokkos::View<double**, Kokkos::LayoutLeft> const interleaved("interleaved", 100, n),
        x("x", 100, n);
    Kokkos::View<double**, Kokkos::LayoutRight> const by_rows("rows", 100, n), y("y", 100, n);
    expect_one_kernel(
        events_of([&] { solve_tridiagonal(interleaved, interleaved, interleaved, x, x); }),
        "Batchwork::solve_tridiagonal", Space());
    expect_one_kernel(events_of([&] {
                        solve_tridiagonal(instance, by_rows, by_rows, by_rows, by_rows, y,
                                          status(codes));
                      }),
                      "Batchwork::solve_tridiagonal", instance);
  }
  Kokkos::View<double**> const no_items("no_items", 0, 4), no_x("no_x", 0, 4);
  auto const of_none =
      events_of([&] { solve_tridiagonal(no_items, no_items, no_items, no_items, no_x); });
  EXPECT_TRUE(of_none.empty()) << of_none.front();
}

/// With and without an execution space instance as first argument.
TEST_F(Profiling, EveryVerbTakesALabel) {
  auto const how = launch("of many");
  Kokkos::View<double* [3]> const u("u", 100), v("v", 100), w("w", 100);
  Kokkos::View<double* [3][3]> const m("m", 100), l("l", 100);
  Kokkos::View<double* [3][3][4], Kokkos::LayoutRight> const groups("groups", 25);
  Kokkos::View<double*> const numbers("numbers", 100);
  Kokkos::View<int*> const codes("codes", 100);
  Kokkos::View<int* [3]> const rows("rows", 100);
  auto const a = dense(m);
  auto const log = SolveLog<double>::allocated(100);
  auto const calls = [&](auto const& expect, auto const&... on) {
    expect("copy", [&] { copy(on..., how, l, m); });
    expect("pack", [&] { pack(on..., how, compact(groups, 100), m); });
    expect("unpack", [&] { unpack(on..., how, l, compact(groups, 100)); });
    expect("fill_random", [&] { fill_random(on..., how, random(1), uniform(0, 1), m); });
    expect("gemm", [&] { gemm(on..., how, 1, in(m), in(m), 0, out(l)); });
    expect("cholesky", [&] { Batchwork::cholesky(on..., how, in(m), out(l)); });
    expect("solve_cholesky", [&] { solve_cholesky(on..., how, in(m), in(u), out(v)); });
    expect("solve_lower", [&] { solve_lower(on..., how, in(m), in(u), out(v)); });
    expect("lu", [&] { Batchwork::lu(on..., how, in(m), out(l), out(rows)); });
    expect("solve_lu", [&] { solve_lu(on..., how, in(m), in(u), out(v)); });
    expect("solve_tridiagonal", [&] { solve_tridiagonal(on..., how, u, u, u, v, w); });
    expect("solve_tridiagonal", [&] {
      solve_tridiagonal(on..., how, u, u, u, v, w, partial_pivoting(), status(codes));
    });
    expect("multiply", [&] { multiply(on..., how, a, u, v); });
    expect("multiply", [&] { multiply(on..., how, 2, a, u, 1, v); });
    expect("add_scaled_identity", [&] { add_scaled_identity(on..., how, 2, a); });
    expect("scale", [&] { scale(on..., how, u, a, v); });
    expect("equilibrate", [&] { equilibrate(on..., how, a, u, v); });
    expect("solve_triangular",
           [&] { solve_triangular(on..., how, Triangle::lower, a, u, v, status(codes)); });
    expect("dot", [&] { Batchwork::dot(on..., how, u, v, numbers); });
    expect("norm", [&] { norm(on..., how, u, numbers); });
    expect("solve", [&] { solve(on..., how, bicgstab(), jacobi(), a, u, v, log); });
    expect("solve", [&] { solve(on..., how, WorkDivision{}, bicgstab(), jacobi(), a, u, v, log); });
  };
  auto const instance = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  auto const on = [](Space const& exec) {
    return [&exec](std::string const& verb, auto const& call) {
      SCOPED_TRACE(verb);
      expect_one_kernel(events_of(call), "Batchwork::" + verb + "(of many)", exec);
    };
  };
  calls(on(instance), instance);
  calls(on(Space()));
}

/// Verbs that choose their own team size must refuse a given one.
TEST_F(Profiling, VerbsThatChooseTheirTeamsRefuseSizes) {
  Kokkos::View<double* [3]> const u("u", 10), v("v", 10);
  expect_says(message_of([&] { copy(launch("narrow").team_size(64), u, v); }),
              {"launch(\"narrow\").team_size(64) is given to a verb that chooses its own"});
}

TEST_F(Profiling, OnTheInstanceGiven) {
  auto const instances = Kokkos::Experimental::partition_space(Space(), 1, 1);
  for (int k = 0; k < 2; ++k) {
    auto const& exec = instances[std::size_t(k)];
    expect_one_kernel(events_of([&] { call_map(many, exec); }), "Batchwork::map", exec);
    expect_one_kernel(events_of([&] { call_scan(many, exec); }), "Batchwork::scan", exec);
  }
  if (Tools::device_id(instances[0]) == Tools::device_id(instances[1]))
    std::cout << "  " << Space::name() << " has one instance only\n";
}

TEST_F(Profiling, ManyItemsAreStillOneKernel) {
  Sizes const more(70001);
  expect_one_kernel(events_of([&] { call_map(more); }), "Batchwork::map", Space());
  expect_one_kernel(events_of([&] { call_scan(more); }), "Batchwork::scan", Space());
}

TEST_F(Profiling, ZeroItemsAreNothing) {
  auto const from_map = events_of([&] { call_map(none); });
  auto const from_scan = events_of([&] { call_scan(none); });
  EXPECT_TRUE(from_map.empty()) << from_map.front();
  EXPECT_TRUE(from_scan.empty()) << from_scan.front();
  auto const from_copy = events_of([&] { copy(none.x.view(), none.y.view()); });
  EXPECT_TRUE(from_copy.empty()) << from_copy.front();
}

TEST_F(Profiling, MisuseIsNothing) {
  auto const events = events_of([&] {
    EXPECT_THROW(map(Update{}, inout(many.y.view()), in(symmetric(none.x.view())), common(c.view),
                     common(fixed(one))),
                 std::invalid_argument);
  });
  EXPECT_TRUE(events.empty()) << events.front();
}

TEST_F(Profiling, PreparingForAKernelIsNothing) {
  auto const events = events_of([&] {
    auto const group = team_map<Space>(Update{}, inout(many.y.view()), in(symmetric(many.x.view())),
                                       common(c.view), common(fixed(one)));
    (void)group.scratch_size(128);
  });
  EXPECT_TRUE(events.empty()) << events.front();
}

}  // namespace
}  // namespace Batchwork::Test
