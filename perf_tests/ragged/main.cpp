// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ragged batches beside the same items sorted by size beforehand, in a View and with a call for
// each size. The counter times_equal is the ratio of both times, measured one after the other.
// Sizes are uniform from 1 to 32 rows, or follow a power law to 128 rows. In memory the items are
// in random order, or sorted by size. Bytes are those of inputs and outputs.
#include <benchmark/benchmark.h>

#include <Batchwork.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {
namespace {

namespace B = Batchwork;
using Kokkos::LayoutRight;

enum class Sizes { uniform, power_law };
enum class Task { cholesky, solve_cholesky, solve_lu, gemm, map };

/// y = A x.
struct Multiply {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, X const& x) const {
    y = a * x;
  }
};

/// The sizes of items that hold about so many numbers.
std::vector<int> draw(Sizes sizes, double numbers) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> u;
  std::vector<int> r;
  for (double held = 0; held < numbers;) {
    // The density of the power law is proportional to n^-1.5.
    double const x = u(engine), most = 129,
                 n = sizes == Sizes::uniform ? 1 + 32 * x
                                             : std::pow(1 - x * (1 - 1 / std::sqrt(most)), -2.0);
    r.push_back(std::min(int(n), sizes == Sizes::uniform ? 32 : 128));
    held += double(r.back()) * r.back();
  }
  return r;
}

/// Matrices and vectors of different sizes, one after the other, and sorted by size.
struct Items {
  using Numbers = Kokkos::View<double*, Memory>;
  using Matrices = Kokkos::View<double***, LayoutRight, Memory>;
  using Vectors = Kokkos::View<double**, LayoutRight, Memory>;

  std::vector<int> size;
  Kokkos::View<int*, Memory> rows;
  Kokkos::View<std::int64_t*, Memory> matrix_at, vector_at;
  Numbers a, b, c, x;
  std::vector<Matrices> equal_a, equal_b, equal_c;  ///< by size
  std::vector<Vectors> equal_x, equal_y;
  std::vector<std::int64_t> place;  ///< of each item in the View of its size

  explicit Items(std::vector<int> const& sizes) : size(sizes), place(sizes.size()) {
    std::size_t const n = size.size();
    rows = Kokkos::View<int*, Memory>("rows", n);
    matrix_at = Kokkos::View<std::int64_t*, Memory>("matrices", n);
    vector_at = Kokkos::View<std::int64_t*, Memory>("vectors", n);
    auto const r = Kokkos::create_mirror_view(rows);
    auto const am = Kokkos::create_mirror_view(matrix_at),
               av = Kokkos::create_mirror_view(vector_at);
    std::vector<std::size_t> count(129, 0);
    std::int64_t matrices = 0, vectors = 0;
    for (std::size_t k = 0; k < n; ++k) {
      r(k) = size[k], am(k) = matrices, av(k) = vectors;
      place[k] = std::int64_t(count[std::size_t(size[k])]++);
      matrices += size[k] * size[k], vectors += size[k];
    }
    Kokkos::deep_copy(rows, r), Kokkos::deep_copy(matrix_at, am), Kokkos::deep_copy(vector_at, av);
    a = Numbers("a", std::size_t(matrices)), b = Numbers("b", std::size_t(matrices));
    c = Numbers("c", std::size_t(matrices)), x = Numbers("x", std::size_t(vectors));
    for (std::size_t s = 0; s < count.size(); ++s) {
      for (auto* v : {&equal_a, &equal_b, &equal_c})
        v->push_back(Matrices("equal", s > 0 ? count[s] : 0, s, s));
      for (auto* v : {&equal_x, &equal_y}) v->push_back(Vectors("equal", s > 0 ? count[s] : 0, s));
    }
    fill(a, equal_a), fill(b, equal_b);
    auto const hx = Kokkos::create_mirror_view(x);
    for (std::size_t k = 0; k < hx.extent(0); ++k) hx(k) = uniform(5, k);
    Kokkos::deep_copy(x, hx);
    for (std::size_t s = 1; s < count.size(); ++s) Kokkos::deep_copy(equal_x[s], 0.5);
  }
  /// The same symmetric positive definite matrices in both forms.
  void fill(Numbers const& to, std::vector<Matrices> const& equal) {
    auto const h = Kokkos::create_mirror_view(to);
    std::vector<Matrices::host_mirror_type> he;
    for (auto const& v : equal) he.push_back(Kokkos::create_mirror_view(v));
    std::size_t at = 0;
    for (std::size_t k = 0; k < size.size(); ++k) {
      auto const s = std::size_t(size[k]);
      for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j, ++at)
          h(at) = he[s](std::size_t(place[k]), i, j) =
              i == j ? double(s) + 1 : 0.5 + 0.4 * uniform(7, i * j + i + j);
    }
    Kokkos::deep_copy(to, h);
    for (std::size_t s = 0; s < equal.size(); ++s) Kokkos::deep_copy(equal[s], he[s]);
  }
};

/// The sizes of classes of map.
template <class Rows>
auto plan_of(Rows const& rows, std::bool_constant<true>) {
  return B::ragged_plan<1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32>(rows);
}
template <class Rows>
auto plan_of(Rows const& rows, std::bool_constant<false>) {
  return B::ragged_plan(rows);
}

template <Task Of>
void run(benchmark::State& state, Sizes sizes, bool sorted) {
  auto drawn = draw(sizes, on_device ? 1.5e8 : 4e6);
  if (sorted) std::sort(drawn.begin(), drawn.end());
  Items const all(drawn);
  Exec const exec;
  auto const plan = plan_of(all.rows, std::bool_constant<Of == Task::map>());
  auto const a = B::ragged<0, 0>(plan, all.a, all.matrix_at),
             b = B::ragged<0, 0>(plan, all.b, all.matrix_at),
             c = B::ragged<0, 0>(plan, all.c, all.matrix_at);
  auto const x = B::ragged<0>(plan, all.x, all.vector_at);
  Items::Numbers const y("y", all.x.extent(0));
  auto const z = B::ragged<0>(plan, y, all.vector_at);
  using B::in, B::out;
  auto const ragged_call = [&] {
    if constexpr (Of == Task::cholesky) B::cholesky(exec, in(a), out(c));
    else if constexpr (Of == Task::solve_cholesky) B::solve_cholesky(exec, in(a), in(x), out(z));
    else if constexpr (Of == Task::solve_lu) B::solve_lu(exec, in(a), in(x), out(z));
    else if constexpr (Of == Task::gemm) B::gemm(exec, 1, in(a), in(b), 0, out(c));
    else B::map(exec, Multiply{}, out(z), in(a), in(x));
  };
  auto const equal_calls = [&] {
    for (std::size_t s = 1; s < all.equal_a.size(); ++s) {
      auto const &ea = all.equal_a[s], &eb = all.equal_b[s], &ec = all.equal_c[s];
      auto const &ex = all.equal_x[s], &ey = all.equal_y[s];
      if (ea.extent(0) == 0) continue;
      if constexpr (Of == Task::cholesky) B::cholesky(exec, in(ea), out(ec));
      else if constexpr (Of == Task::solve_cholesky)
        B::solve_cholesky(exec, in(ea), in(ex), out(ey));
      else if constexpr (Of == Task::solve_lu) B::solve_lu(exec, in(ea), in(ex), out(ey));
      else if constexpr (Of == Task::gemm) B::gemm(exec, 1, in(ea), in(eb), 0, out(ec));
      else
        B::dispatch<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                    23, 24, 25, 26, 27, 28, 29, 30, 31, 32>(std::int64_t(s), [&](auto n) {
          B::map(exec, Multiply{}, out(B::extents<n>(ey)), in(B::extents<n, n>(ea)),
                 in(B::extents<n>(ex)));
        });
    }
  };
  Sample equal, ragged;
  for ([[maybe_unused]] auto _ : state) {
    equal = measure(equal_calls, 1e-3);
    ragged = measure(ragged_call, 1e-3);
  }
  double flops = 0;
  for (double const n : all.size)
    flops += Of == Task::gemm       ? 2 * n * n * n
             : Of == Task::solve_lu ? n * n * n * 2 / 3 + 2 * n * n
             : Of == Task::map      ? 2 * n * n
                                    : n * n * n / 3 + 2 * n * n;
  double const matrices = Of == Task::gemm ? 3 : Of == Task::cholesky ? 2 : 1;
  Work const work{std::int64_t(all.size.size()), 1,
                  (matrices * double(all.a.extent(0)) + 2 * double(all.x.extent(0))) * 8, flops};
  // Products and factors are compared with those of the equal sizes.
  double error = 0;
  if (Of == Task::cholesky || Of == Task::gemm) {
    auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.c);
    std::vector<Items::Matrices::host_mirror_type> want;
    for (auto const& v : all.equal_c)
      want.push_back(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v));
    std::size_t at = 0;
    for (std::size_t k = 0; k < all.size.size(); ++k) {
      auto const s = std::size_t(all.size[k]);
      for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j, ++at)
          error = std::max(error, std::fabs(got(at) - want[s](std::size_t(all.place[k]), i, j)));
    }
  }
  report<double>(state, work, ragged, error);
  state.counters["times_equal"] = ragged.median / equal.median;
  state.counters["best_times_equal"] = ragged.best / equal.best;
  state.counters["classes"] = double(plan.classes().size());
}

template <Task Of>
void add_rows(std::string const& task) {
  for (Sizes const s : {Sizes::uniform, Sizes::power_law})
    for (bool const sorted : {false, true}) {
      if (Of == Task::map && s == Sizes::power_law) continue;  // tiles have at most 64 rows
      std::string const name = "ragged/" + task +
                               (s == Sizes::uniform ? "/uniform_to_32" : "/power_law_to_128") +
                               (sorted ? "/sorted" : "/random");
      benchmark::RegisterBenchmark(
          name.c_str(), [s, sorted](benchmark::State& state) { run<Of>(state, s, sorted); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMicrosecond);
    }
}
void register_all() {
  add_rows<Task::cholesky>("cholesky");
  add_rows<Task::solve_cholesky>("solve_cholesky");
  add_rows<Task::solve_lu>("solve_lu");
  add_rows<Task::gemm>("gemm");
  add_rows<Task::map>("map");
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
