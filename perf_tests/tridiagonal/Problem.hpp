// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The tridiagonal systems that every implementation solves, and the check of their solutions.
#ifndef BATCHWORK_PERF_TRIDIAGONAL_PROBLEM_HPP
#define BATCHWORK_PERF_TRIDIAGONAL_PROBLEM_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../common/Chosen.hpp"
#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

/// The numbers of rows of all implementations.
inline constexpr int tridiagonal_rows[] = {16, 32, 64, 128, 256, 512, 1024};

enum class Band { lower, diagonal, upper, b };

/// Diagonally dominant, near 1 on the diagonal: a peer that solves in place, again and again, gets
/// neither zeros nor overflows. Zero where a band leaves the matrix, which cuSPARSE wants.
template <class T>
KOKKOS_INLINE_FUNCTION T band_entry(Band band, std::int64_t item, int row, int rows) {
  double const u =
      uniform(1 + static_cast<std::uint64_t>(band), static_cast<std::uint64_t>(item * rows + row));
  if (band == Band::diagonal) return static_cast<T>(0.8 + 0.4 * u);
  if (band == Band::b) return static_cast<T>(u - 0.5);
  if (row == (band == Band::lower ? 0 : rows - 1)) return T(0);
  return static_cast<T>(0.6 * (u - 0.5));
}

template <class V>
struct FillBand {
  V v;
  Band band;
  /// Neighbouring indices write neighbouring numbers.
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const items = std::int64_t(v.extent(0)), rows = std::int64_t(v.extent(1));
    bool const interleaved = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
    std::int64_t const item = interleaved ? index % items : index / rows;
    int const row = int(interleaved ? index / items : index % rows);
    v(item, row) = band_entry<typename V::value_type>(band, item, row, int(rows));
  }
};

template <class To, class From>
struct GatherSolutions {
  To to;
  From from;
  Chosen chosen;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    for (std::size_t i = 0; i < to.extent(1); ++i) to(c, i) = from(chosen[c], i);
  }
};

template <class T, Layout L>
struct TridiagonalBatch {
  using View = Kokkos::View<
      T**, std::conditional_t<L == Layout::interleaved, Kokkos::LayoutLeft, Kokkos::LayoutRight>,
      Memory>;
  std::int64_t items;
  int rows;
  View lower, diagonal, upper, b, x;

  TridiagonalBatch(std::int64_t n, int m) : items(n), rows(m) {
    lower = make("lower");
    diagonal = make("diagonal");
    upper = make("upper");
    b = make("b");
    x = make("x");
    fill();
    Kokkos::deep_copy(x, std::numeric_limits<T>::quiet_NaN());
  }
  View make(std::string const& label) const {
    return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), std::size_t(items),
                std::size_t(rows));
  }
  void fill_band(View const& v, Band band) const {
    Kokkos::parallel_for(
        "fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, items * rows),
        FillBand<View>{v, band});
  }
  void fill() const {
    fill_band(lower, Band::lower);
    fill_band(diagonal, Band::diagonal);
    fill_band(upper, Band::upper);
    fill_band(b, Band::b);
  }

  /// The largest error among some items, relative to the largest number of the item's solution.
  double error(View const& solutions) const {
    Chosen const chosen{items, std::clamp<std::int64_t>(2000000 / rows, 1100, 20000)};
    std::int64_t const count = chosen.count();
    Kokkos::View<T**, Kokkos::LayoutRight, Memory> const some("gathered", std::size_t(count),
                                                              std::size_t(rows));
    Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec>(0, count),
                         GatherSolutions<decltype(some), View>{some, solutions, chosen});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some);
    std::vector<double> c(std::size_t(rows), 0), d(std::size_t(rows), 0);
    double worst = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      auto const entry = [&](Band band, int i) {
        return static_cast<double>(band_entry<T>(band, chosen[k], i, rows));
      };
      double before_c = 0, before_d = 0;
      for (int i = 0; i < rows; ++i) {
        double const l = entry(Band::lower, i);
        double const pivot = entry(Band::diagonal, i) - l * before_c;
        before_c = c[std::size_t(i)] = entry(Band::upper, i) / pivot;
        before_d = d[std::size_t(i)] = (entry(Band::b, i) - l * before_d) / pivot;
      }
      double largest = 0, wrong = 0, y = 0;
      for (int i = rows - 1; i >= 0; --i) {
        y = d[std::size_t(i)] - c[std::size_t(i)] * y;
        largest = std::max(largest, std::fabs(y));
        double const e = std::fabs(double(host(k, i)) - y);
        if (!(e <= wrong)) wrong = e;  // a NaN stays
      }
      double const relative = wrong / largest;
      if (!(relative <= worst)) worst = relative;
    }
    return worst;
  }

  /// `solutions` is where a launch leaves them.
  template <class Launch>
  void run(benchmark::State& state, View const& solutions, Launch const& launch) const {
    launch();
    Kokkos::fence();
    double const wrong = error(solutions);
    // The condition numbers are below 10.
    double const tolerance = 100.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (auto _ : state) {
      if (!(wrong <= tolerance)) {
        state.SkipWithError(
            ("wrong result: error " + std::to_string(wrong / tolerance) + " times the tolerance")
                .c_str());
        return;
      }
      Work work;
      work.items = items;
      work.bytes = 5.0 * double(sizeof(T)) * double(items) * rows;
      work.flops = 9.0 * double(items) * rows;
      report<T>(state, work, measure(launch, on_device ? 1e-3 : 2e-3), wrong);
    }
  }
};

/// Registers body(state, items, rows) as tridiagonal/<implementation>/<type>/<layout>/<rows>. On a
/// device 2^26 rows in all, 1.3 GB in float and 2.7 GB in double in and out; within the caches of a
/// host.
template <class T, Layout L, class Body>
void register_tridiagonal(std::string const& implementation, Body const& body) {
  for (int const rows : tridiagonal_rows) {
    std::int64_t const all =
        on_device ? std::int64_t(1) << 26 : std::int64_t(4e5) / 5 / std::int64_t(sizeof(T));
    std::int64_t const items = std::max<std::int64_t>(16, all / rows / 16 * 16);
    std::string const name = "tridiagonal/" + implementation + "/" + type_name<T>() + "/" +
                             name_of(L) + "/" + std::to_string(rows);
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { body(state, items, rows); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace BatchworkPerf

#endif
