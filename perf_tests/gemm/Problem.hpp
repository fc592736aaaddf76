// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The products that every implementation computes, C_n = A_n B_n with A or B shared or neither;
/// their check.
#ifndef BATCHWORK_PERF_GEMM_PROBLEM_HPP
#define BATCHWORK_PERF_GEMM_PROBLEM_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

enum class Form { shared_a, shared_b, per_item };

constexpr char const* name_of(Form f) {
  return f == Form::shared_a ? "M_Ni" : f == Form::shared_b ? "Ni_M" : "Ai_Bi";
}

struct Sizes {
  int m, n, k;
};

/// The sizes of all implementations: square, and some that are not.
inline constexpr Sizes gemm_sizes[] = {
    {2, 2, 2},    {3, 3, 3},       {4, 4, 4},       {6, 6, 6},       {8, 8, 8},    {12, 12, 12},
    {16, 16, 16}, {24, 24, 24},    {31, 31, 31},    {32, 32, 32},    {48, 48, 48}, {64, 64, 64},
    {96, 96, 96}, {128, 128, 128}, {192, 192, 192}, {256, 256, 256}, {6, 1, 6},    {3, 6, 6},
    {32, 4, 32},  {16, 64, 16},    {100, 20, 50}};

/// Between -1/2 and 1/2.
template <class T>
KOKKOS_INLINE_FUNCTION T gemm_entry(std::uint64_t seed, std::int64_t item, int i, int j, int cols,
                                    int numbers) {
  return static_cast<T>(uniform(seed, static_cast<std::uint64_t>(item * numbers + i * cols + j)) -
                        0.5);
}

template <class V>
struct FillMatrices {
  V v;
  std::uint64_t seed;
  int rows, cols;
  /// Neighbouring indices write neighbouring numbers.
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    using T = typename V::value_type;
    std::int64_t const items = std::int64_t(v.extent(0)), numbers = rows * cols;
    bool const interleaved = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
    std::int64_t const item = interleaved ? index % items : index / numbers;
    int const entry = int(interleaved ? index / items : index % numbers);
    int const i = interleaved ? entry % rows : entry / cols,
              j = interleaved ? entry / rows : entry % cols;
    v(item, i, j) = gemm_entry<T>(seed, item, i, j, cols, int(numbers));
  }
};

template <class To, class From>
struct GatherMatrices {
  To to;
  From from;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    std::int64_t const last = std::int64_t(from.extent(0)) - 1;
    std::int64_t const item = c == 0 ? last : (c - 1) * step;
    for (std::size_t i = 0; i < to.extent(1); ++i)
      for (std::size_t j = 0; j < to.extent(2); ++j) to(c, i, j) = from(item, i, j);
  }
};

template <class T, Layout L>
struct GemmBatch {
  using View = Kokkos::View<
      T***, std::conditional_t<L == Layout::interleaved, Kokkos::LayoutLeft, Kokkos::LayoutRight>,
      Memory>;
  Sizes sizes;
  Form form;
  std::int64_t items;
  View A, B, C;  ///< a shared operand is one item

  GemmBatch(Sizes s, Form f, std::int64_t n) : sizes(s), form(f), items(n) {
    A = make("A", form == Form::shared_a ? 1 : n, s.m, s.k, 1);
    B = make("B", form == Form::shared_b ? 1 : n, s.k, s.n, 2);
    C = make("C", n, s.m, s.n, 0);
    Kokkos::deep_copy(C, std::numeric_limits<T>::quiet_NaN());
  }
  static View make(std::string const& label, std::int64_t n, int rows, int cols,
                   std::uint64_t seed) {
    View const v(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), std::size_t(n),
                 std::size_t(rows), std::size_t(cols));
    if (seed > 0)
      Kokkos::parallel_for(
          "fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n * rows * cols),
          FillMatrices<View>{v, seed, rows, cols});
    return v;
  }

  /// The largest error among some items, relative to the size of the sums: at most K + 1 roundings.
  double error() const {
    auto const [m, n, k] = sizes;
    double const work = 1.0 * m * n * k;
    std::int64_t const chosen = std::min(items, std::int64_t(std::clamp(2e7 / work, 3.0, 5000.0)));
    Kokkos::View<T***, Kokkos::LayoutRight, Memory> const some("gathered", std::size_t(chosen),
                                                               std::size_t(m), std::size_t(n));
    std::int64_t const step =
        chosen > 1 ? std::max<std::int64_t>(1, (items - 1) / (chosen - 1)) : 1;
    Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec>(0, chosen),
                         GatherMatrices<decltype(some), View>{some, C, step});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some);
    double worst = 0;
    for (std::int64_t c = 0; c < chosen; ++c) {
      std::int64_t const item = c == 0 ? items - 1 : (c - 1) * step;
      std::int64_t const a = form == Form::shared_a ? 0 : item,
                         b = form == Form::shared_b ? 0 : item;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0, size = 0;
          for (int l = 0; l < k; ++l) {
            double const x = double(gemm_entry<T>(1, a, i, l, k, m * k)) *
                             double(gemm_entry<T>(2, b, l, j, n, k * n));
            sum += x;
            size += std::fabs(x);
          }
          double const e = std::fabs(double(host(c, i, j)) - sum) / size;
          if (!(e <= worst)) worst = e;  // a NaN stays
        }
    }
    return worst;
  }

  template <class Launch>
  void run(benchmark::State& state, Launch const& launch) const {
    launch();
    Kokkos::fence();
    double const wrong = error();
    double const tolerance =
        2.0 * (sizes.k + 2) * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (auto _ : state) {
      if (!(wrong <= tolerance)) {
        state.SkipWithError(
            ("wrong result: error " + std::to_string(wrong / tolerance) + " times the tolerance")
                .c_str());
        return;
      }
      Work work;
      work.items = items;
      work.bytes = double(sizeof(T)) * double(A.size() + B.size() + C.size());
      work.flops = 2.0 * sizes.m * sizes.n * sizes.k * double(items);
      report<T>(state, work, measure(launch, on_device ? 1e-3 : 2e-3), wrong);
    }
  }
};

/// Registers body(state, sizes, items) as gemm/<implementation>/<type>/<layout>/<form>/<M>x<N>x<K>.
/// About 1 GB in and out on a device; within the caches of a host. \param takes  which sizes the
/// implementation has
template <class T, Layout L, class Body, class Takes>
void register_gemm(std::string const& implementation, Form form, Takes const& takes,
                   Body const& body) {
  for (Sizes const s : gemm_sizes) {
    if (!takes(s)) continue;
    double const numbers = (form == Form::shared_a ? 0.0 : s.m * s.k) +
                           (form == Form::shared_b ? 0.0 : s.k * s.n) + 1.0 * s.m * s.n;
    auto const fill = static_cast<std::int64_t>((on_device ? 1e9 : 4e5) / sizeof(T) / numbers);
    // Interleaved batches that are aligned, see the covariance update.
    std::int64_t const items = fill > 128 ? fill / 128 * 128 : std::max<std::int64_t>(fill, 1);
    std::string const name = "gemm/" + implementation + "/" + type_name<T>() + "/" + name_of(L) +
                             "/" + name_of(form) + "/" + std::to_string(s.m) + "x" +
                             std::to_string(s.n) + "x" + std::to_string(s.k);
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { body(state, s, items); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

/// Of all sizes up to `largest`.
template <class T, Layout L, class Body>
void register_gemm(std::string const& implementation, Form form, int largest, Body const& body) {
  auto const takes = [=](Sizes const& s) { return std::max({s.m, s.n, s.k}) <= largest; };
  register_gemm<T, L>(implementation, form, takes, body);
}

}  // namespace BatchworkPerf

#endif
