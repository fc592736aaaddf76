// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Systems and least squares problems with one right-hand side an item.
#ifndef BATCHWORK_PERF_DENSE_SOLVEPROBLEM_HPP
#define BATCHWORK_PERF_DENSE_SOLVEPROBLEM_HPP

#include <algorithm>
#include <cmath>
#include <limits>

#include "../common/Chosen.hpp"
#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

enum class SolveBy { ldlt, pivoted_qr, least_squares };

constexpr char const* name_of(SolveBy by) {
  return by == SolveBy::ldlt ? "ldlt" : by == SolveBy::pivoted_qr ? "pivoted_qr" : "least_squares";
}
/// Unknowns for D equations.
constexpr int unknowns(SolveBy by, int D) { return by == SolveBy::least_squares ? (D + 1) / 2 : D; }

/// Entry (i, j) of the matrix of item k, between -1 and 1, symmetric where it is to be. Where a
/// rank is found, one entry of a row is larger.
template <class T, SolveBy By>
KOKKOS_INLINE_FUNCTION T matrix_entry(std::int64_t k, int i, int j, int D) {
  bool const mirrored = By == SolveBy::ldlt && j > i;
  int const high = mirrored ? j : i, low = mirrored ? i : j;
  double const u = 2 * uniform(5, static_cast<std::uint64_t>((k * D + high) * D + low)) - 1;
  // Of full rank, whatever the rounding.
  bool const large = By == SolveBy::pivoted_qr && (i + k) % D == j;
  return static_cast<T>(large ? u + 2 * std::sqrt(double(D)) : u);
}
template <class T>
KOKKOS_INLINE_FUNCTION T right_hand_side(std::int64_t k, int i, int D) {
  return static_cast<T>(0.5 + uniform(6, static_cast<std::uint64_t>(k * D + i)));
}

template <class T, int D, SolveBy By, class Matrices, class Sides>
struct FillSystems {
  Matrices a;
  Sides b;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < D; ++i) {
      b.at(k, i, 0) = right_hand_side<T>(k, i, D);
      for (int j = 0; j < unknowns(By, D); ++j) a.at(k, i, j) = matrix_entry<T, By>(k, i, j, D);
    }
  }
};

template <class T, int D, Layout L, SolveBy By>
struct SolveProblem {
  static constexpr int N = unknowns(By, D);
  using Matrices = Batch<T, D, N, L>;
  using Sides = Batch<T, D, 1, L>;
  using Unknowns = Batch<T, N, 1, L>;
  std::int64_t items;
  Matrices a;
  Sides b;
  Unknowns x;

  explicit SolveProblem(std::int64_t n) : items(n), a("A", n), b("b", n), x("x", n) {
    using Index = Kokkos::IndexType<std::int64_t>;
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec, Index>(0, n),
                         FillSystems<T, D, By, Matrices, Sides>{a, b});
    Kokkos::deep_copy(x.view, std::numeric_limits<T>::quiet_NaN());
  }

  /// The largest |A x - b| / (|A| |x| + |b|) of some items; of least squares |A' (A x - b)| / (|A|
  /// (|A| |x| + |b|)). Norms of Frobenius.
  double error() const {
    Chosen const chosen{items, 2000};
    using Gathered = Batch<T, N, 1, Layout::item_contiguous>;
    Gathered const gathered("gathered", chosen.count());
    Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec>(0, chosen.count()),
                         GatherChosen<Gathered, Unknowns, N, 1>{gathered, x, chosen});
    auto const solution = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gathered.view);
    long double worst = 0;
    for (std::int64_t c = 0; c < chosen.count(); ++c) {
      std::int64_t const k = chosen[c];
      long double residual[D], of_a = 0, of_b = 0, of_x = 0, of_residual = 0;
      auto const entry = [&](int i, int j) {
        return static_cast<long double>(matrix_entry<T, By>(k, i, j, D));
      };
      for (int i = 0; i < D; ++i) {
        long double const b_i = right_hand_side<T>(k, i, D);
        residual[i] = -b_i;
        of_b += b_i * b_i;
        for (int j = 0; j < N; ++j) {
          residual[i] += entry(i, j) * solution(c, j, 0);
          of_a += entry(i, j) * entry(i, j);
        }
        of_residual += residual[i] * residual[i];
      }
      for (int j = 0; j < N; ++j)
        of_x += static_cast<long double>(solution(c, j, 0)) * solution(c, j, 0);
      long double const size = std::sqrt(of_a * of_x) + std::sqrt(of_b);
      long double error = std::sqrt(of_residual) / size;
      if (By == SolveBy::least_squares) {
        long double of_normal = 0;
        for (int j = 0; j < N; ++j) {
          long double s = 0;
          for (int i = 0; i < D; ++i) s += entry(i, j) * residual[i];
          of_normal += s * s;
        }
        error = std::sqrt(of_normal / of_a) / size;
      }
      // What is no number stays.
      if (!(error <= worst)) worst = error;
      if (std::isnan(error)) break;
    }
    return static_cast<double>(worst);
  }

  /// Times `launch`; `error` is the error of its result. A triangle that is read counts half,
  /// except where the cache lines of an item bring the whole matrix.
  template <class Launch>
  void run(benchmark::State& state, double error, Launch const& launch) const {
    double const tolerance = 10.0 * D * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (auto _ : state) {
      if (!(error <= tolerance)) {
        state.SkipWithError(("wrong result: relative error " + std::to_string(error / tolerance) +
                             " times the tolerance")
                                .c_str());
        return;
      }
      constexpr bool triangle = By == SolveBy::ldlt && L != Layout::item_contiguous;
      double const full = D * N, cube = 1.0 * D * D * D;
      Work work;
      work.items = items;
      work.bytes =
          static_cast<double>(items) * sizeof(T) * ((triangle ? 0.5 * D * (D + 1) : full) + D + N);
      // Golub and Van Loan, Matrix Computations, 4th edition, sections 4.4.4 and 5.3.2, without
      // what the choice of pivots costs.
      work.flops =
          static_cast<double>(items) *
          (By == SolveBy::ldlt ? cube / 3 + 2 * full : 2.0 * N * N * (D - N / 3.0) + 5 * full);
      report<T>(state, work, measure(launch), error);
    }
  }
};

/// Registers `body(state, items)` as
/// operations/<implementation>/<by>/<type>/<layout>/D:<D>/items:<n>, with about 1 GB in and out on
/// a device and 1 MB on a host, and at most so many items.
template <class T, int D, SolveBy By, class Body>
void register_solve(std::string const& implementation, Layout layout, Body const& body,
                    std::int64_t most_items = 1 << 30) {
  double const numbers = (on_device ? 1e9 : 1e6) / sizeof(T);
  auto const n = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(numbers / (D * (unknowns(By, D) + 2))) / 128 * 128, 128,
      most_items);
  benchmark::RegisterBenchmark(
      ("operations/" + implementation + "/" + name_of(By) + "/" + type_name<T>() + "/" +
       name_of(layout) + "/D:" + std::to_string(D) + "/items:" + std::to_string(n))
          .c_str(),
      [=](benchmark::State& state) { body(state, n); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace BatchworkPerf

#endif
