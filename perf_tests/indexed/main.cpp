// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indexed operands beside the same call without indices: copies of items that sorted and random
// indices pick, the coordinates of the 8 nodes of each hexahedron, and sums of 24 x 24 element
// matrices in the values of a global matrix. Bytes count what is read and written, indices
// included; a sum reads and writes the values once.
#include <benchmark/benchmark.h>

#include <Batchwork.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {
namespace {

namespace B = Batchwork;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

/// y = x, for tiles of any form.
struct Assign {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x;
  }
};
/// The centre of the rows of x.
struct Centre {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = B::generate<3>([&](int j) {
      auto s = x(0, j) + x(1, j);
      for (int k = 2; k < 8; ++k) s = s + x(k, j);
      return s * 0.125;
    });
  }
};

template <class View>
View fresh(std::string const& label, std::size_t n) {
  return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), n);
}
/// Numbers that differ from entry to entry.
template <class View>
void fill(View const& v) {
  auto const host = Kokkos::create_mirror_view(v);
  for (std::size_t k = 0; k < host.span(); ++k)
    host.data()[k] = static_cast<double>(k % 1009) * 0.25;
  Kokkos::deep_copy(v, host);
}

enum class Order { none, sorted, random };
constexpr char const* name_of(Order o) {
  return o == Order::none ? "none" : o == Order::sorted ? "sorted" : "random";
}
/// 0 .. n - 1 in an order.
std::vector<int> numbered(std::size_t n, Order order) {
  std::vector<int> r(n);
  std::iota(r.begin(), r.end(), 0);
  std::mt19937_64 engine(1);
  if (order == Order::random) std::shuffle(r.begin(), r.end(), engine);
  return r;
}

/// Runs and reports; the check compares numbers of the result with those of a plain loop.
void run(benchmark::State& state, Work const& work, std::function<void()> const& launch,
         std::function<double()> const& error) {
  Sample sample;
  for ([[maybe_unused]] auto _ : state) sample = measure(launch, 1e-3);
  report<double>(state, work, sample, error());
}

/// y(item) = x(index(item)) of R x C matrices.
template <int R, int C, class Layout>
void copy_items(benchmark::State& state, Order order, std::size_t n) {
  using View = Kokkos::View<double* [R][C], Layout, Memory>;
  auto const x = fresh<View>("x", n), y = fresh<View>("y", n);
  fill(x);
  Kokkos::View<int*, Memory> const index("index", n);
  auto const places = numbered(n, order);
  auto const to = Kokkos::create_mirror_view(index);
  std::copy(places.begin(), places.end(), to.data());
  Kokkos::deep_copy(index, to);
  Exec const exec;
  Work const work{
      std::int64_t(n), 1,
      double(n) * (2.0 * R * C * sizeof(double) + (order == Order::none ? 0.0 : sizeof(int))), 0};
  auto const launch = [&] {
    if (order == Order::none) B::map(exec, Assign{}, B::out(y), B::in(x));
    else B::map(exec, Assign{}, B::out(y), B::in(B::gathered(x, index)));
  };
  run(state, work, launch, [&] {
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x),
               b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    double worst = 0;
    for (std::size_t k = 0; k < n; ++k)
      worst =
          std::max(worst, std::fabs(b(k, R - 1, C - 1) - a(std::size_t(places[k]), R - 1, C - 1)));
    return worst;
  });
}

/// Hexahedra between the nodes of an M x M x M grid of elements.
struct Grid {
  std::int64_t M, nodes, elements;
  explicit Grid(std::int64_t m) : M(m), nodes((m + 1) * (m + 1) * (m + 1)), elements(m * m * m) {}

  std::int64_t node(std::int64_t element, int corner) const {
    std::int64_t const i = element % M + (corner & 1), j = element / M % M + (corner >> 1 & 1),
                       k = element / (M * M) + (corner >> 2);
    return i + (M + 1) * (j + (M + 1) * k);
  }
  /// Whether node b is in an element of node a, its number among these nodes, and their count.
  std::int64_t neighbour(std::int64_t a, std::int64_t b, std::int64_t& count) const {
    std::int64_t const S = M + 1, at[3] = {a % S, a / S % S, a / (S * S)},
                       to[3] = {b % S, b / S % S, b / (S * S)};
    std::int64_t number = 0;
    count = 1;
    for (int d = 2; d >= 0; --d) {
      std::int64_t const first = std::max<std::int64_t>(at[d] - 1, 0),
                         last = std::min(at[d] + 1, M);
      number = number * (last - first + 1) + (to[d] - first);
      count *= last - first + 1;
    }
    return number;
  }
};

/// The centres of hexahedra: of a copy of the coordinates for each element, of nodes in the order
/// of the grid, and of nodes with random numbers.
template <class Layout>
void centres(benchmark::State& state, Order order, std::int64_t M) {
  Grid const grid(M);
  auto const n = std::size_t(grid.elements), nodes = std::size_t(grid.nodes);
  auto const number = numbered(nodes, order);
  using Points = Kokkos::View<double* [3], Layout, Memory>;
  auto const x = fresh<Points>("nodes", nodes), y = fresh<Points>("centres", n);
  fill(x);
  Kokkos::View<int* [8], Layout, Memory> const index("node", n);
  Kokkos::View<double* [8][3], Layout, Memory> const copied("nodes of elements",
                                                            order == Order::none ? n : 0);
  auto const to = Kokkos::create_mirror_view(index);
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const c = Kokkos::create_mirror_view(copied);
  for (std::size_t e = 0; e < n; ++e)
    for (int k = 0; k < 8; ++k) {
      to(e, std::size_t(k)) = number[std::size_t(grid.node(std::int64_t(e), k))];
      for (std::size_t j = 0; j < 3 && order == Order::none; ++j)
        c(e, std::size_t(k), j) = a(std::size_t(to(e, std::size_t(k))), j);
    }
  Kokkos::deep_copy(index, to), Kokkos::deep_copy(copied, c);
  Exec const exec;
  double const read = order == Order::none ? 8 * 3 * sizeof(double) : 8 * sizeof(int);
  Work const work{std::int64_t(n), 1,
                  double(n) * (read + 3 * sizeof(double)) +
                      (order == Order::none ? 0.0 : double(nodes) * 3 * sizeof(double)),
                  0};
  auto const launch = [&] {
    if (order == Order::none) B::map(exec, Centre{}, B::out(y), B::in(copied));
    else B::map(exec, Centre{}, B::out(y), B::in(B::gathered(x, index)));
  };
  run(state, work, launch, [&] {
    auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    double worst = 0;
    for (std::size_t e = 0; e < n; e += 7)
      for (std::size_t j = 0; j < 3; ++j) {
        double s = 0;
        for (std::size_t k = 0; k < 8; ++k) s += a(std::size_t(to(e, k)), j) / 8;
        worst = std::max(worst, std::fabs(s - b(e, j)));
      }
    return worst;
  });
}

enum class Assembly { copy, atomics, plan };
/// 24 x 24 element matrices in the values of a CSR matrix with three unknowns for each node.
void assemble(benchmark::State& state, Assembly how, std::int64_t M) {
  Grid const grid(M);
  auto const n = std::size_t(grid.elements);
  std::vector<std::int64_t> start(std::size_t(grid.nodes) + 1, 0), count(std::size_t(grid.nodes));
  for (std::int64_t a = 0; a < grid.nodes; ++a) {
    grid.neighbour(a, a, count[std::size_t(a)]);
    start[std::size_t(a) + 1] = start[std::size_t(a)] + 9 * count[std::size_t(a)];
  }
  auto const entries = std::size_t(start.back());
  using Matrices = Kokkos::View<double* [24][24], LayoutRight, Memory>;
  auto const k = fresh<Matrices>("element matrices", n);
  fill(k);
  Kokkos::View<int* [24][24], LayoutRight, Memory> const place("places", n);
  auto const to = Kokkos::create_mirror_view(place);
  for (std::size_t e = 0; e < n; ++e)
    for (int p = 0; p < 8; ++p)
      for (int q = 0; q < 8; ++q) {
        std::int64_t const a = grid.node(std::int64_t(e), p), b = grid.node(std::int64_t(e), q);
        std::int64_t all = 0;
        std::int64_t const number = grid.neighbour(a, b, all);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            to(e, std::size_t(3 * p + i), std::size_t(3 * q + j)) =
                int(start[std::size_t(a)] + (i * all + number) * 3 + j);
      }
  Kokkos::deep_copy(place, to);
  Kokkos::View<double*, Memory> const values("values", entries);
  auto const copies = fresh<Matrices>("copies", how == Assembly::copy ? n : 0);
  Exec const exec;
  double const matrices = double(n) * 576;
  // The sum reads and writes the values once; the indices of a plan are as many.
  double const bytes = how == Assembly::copy ? 2 * matrices * sizeof(double)
                                             : matrices * (sizeof(double) + 4) +
                                                   2.0 * double(entries) * sizeof(double);
  B::ScatterPlan<Memory> plan;
  if (how == Assembly::plan) plan = B::scatter_plan(place, std::int64_t(entries));
  auto const launch = [&] {
    if (how == Assembly::copy) B::map(exec, Assign{}, B::out(copies), B::in(k));
    else if (how == Assembly::atomics)
      B::map(exec, Assign{}, B::add(B::scattered(values, place)), B::in(k));
    else B::scatter_add(exec, plan, k, values);
  };
  run(state, Work{std::int64_t(n), 1, bytes, matrices}, launch, [&] {
    if (how == Assembly::copy) return 0.0;
    Kokkos::deep_copy(values, 0.0);
    launch();
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), k);
    auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    std::vector<double> want(entries, 0.0);
    for (std::size_t q = 0; q < n * 576; ++q) want[std::size_t(to.data()[q])] += a.data()[q];
    double worst = 0;
    for (std::size_t q = 0; q < entries; ++q) worst = std::max(worst, std::fabs(want[q] - b(q)));
    return worst;
  });
}

template <class F>
void add_row(std::string const& name, F const& f) {
  benchmark::RegisterBenchmark(name.c_str(), f)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}
void register_all() {
  std::size_t const numbers = std::size_t(1) << (on_device ? 26 : 22);
  std::int64_t const M = on_device ? 160 : 64, few = on_device ? 40 : 14;
  for (Order const o : {Order::none, Order::sorted, Order::random}) {
    std::string const end = name_of(o);
    add_row("indexed/copy/4x4/item-contiguous/" + end,
            [=](benchmark::State& s) { copy_items<4, 4, LayoutRight>(s, o, numbers / 16); });
    add_row("indexed/copy/4x4/interleaved/" + end,
            [=](benchmark::State& s) { copy_items<4, 4, LayoutLeft>(s, o, numbers / 16); });
    add_row("indexed/copy/16x16/item-contiguous/" + end,
            [=](benchmark::State& s) { copy_items<16, 16, LayoutRight>(s, o, numbers / 256); });
    add_row("indexed/centres/item-contiguous/" + end,
            [=](benchmark::State& s) { centres<LayoutRight>(s, o, M); });
    add_row("indexed/centres/interleaved/" + end,
            [=](benchmark::State& s) { centres<LayoutLeft>(s, o, M); });
  }
  add_row("indexed/assembly/24x24/copy",
          [=](benchmark::State& s) { assemble(s, Assembly::copy, few); });
  add_row("indexed/assembly/24x24/atomics",
          [=](benchmark::State& s) { assemble(s, Assembly::atomics, few); });
  add_row("indexed/assembly/24x24/plan",
          [=](benchmark::State& s) { assemble(s, Assembly::plan, few); });
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
