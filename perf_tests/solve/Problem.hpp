// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sparse systems A_n x_n = b_n of one pattern, each solved from x = 0 to |b - A x| <= tolerance
/// |b|: the families of systems, and how a solver is checked and timed.
#ifndef BATCHWORK_PERF_SOLVE_PROBLEM_HPP
#define BATCHWORK_PERF_SOLVE_PROBLEM_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../common/Chosen.hpp"
#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

/// Solvers stop here. No family needs as many, so that only broken solvers reach it.
inline constexpr int most_iterations = 500;

/// The distinct systems of a family, on the host; a batch repeats them.
struct Systems {
  double tolerance = 0;
  std::vector<int> row_offsets, columns;
  std::vector<double> values, b;  ///< (system, entry), (system, row)

  int rows() const { return static_cast<int>(row_offsets.size()) - 1; }
  int nonzeros() const { return static_cast<int>(columns.size()); }
  std::int64_t count() const { return static_cast<std::int64_t>(b.size()) / rows(); }
};

/// A family with so many rows. `make` is called when a benchmark of it runs.
struct Family {
  std::string name;
  int rows = 0, nonzeros = 0;
  Systems (*make)(Family const&) = nullptr;
};

/// Tridiagonal and positive definite: -1 beside the diagonal, 2/h on it, h of every row from N(0.5,
/// 0.1) clipped to [0.1, 0.9]; b is constant and drawn from N(0.5, 0.1). 8192 systems, to 1e-8.
Family stencil(int rows);

/// The systems in a folder as Batchwork::read_systems takes it, with `rhs_ones.f64`, to 1e-6. The
/// environment variable BATCHWORK_DRM19_DIR or a CMake variable names the folder. The family has no
/// rows if neither folder exists.
Family drm19();

/// The same for GRI-Mech 3.0, 54 rows, from the folder that the environment variable
/// BATCHWORK_GRIMECH30_DIR names.
Family grimech30();

/// Full systems with large diagonals, well conditioned except for their scales: rows differ by up
/// to four powers of ten, columns by eight. 1024 systems, b = 1, to 1e-6.
Family badly_scaled(int rows);

/// A random pattern with a full diagonal, modelled on systems of reacting flows, whose sizes alone
/// are public: rows of different scales, small systems almost full, large diagonals. 1024 systems,
/// b = 1, to 1e-6.
Family random_systems(int rows, int nonzeros);

/// As random_systems, with 144 rows and 6135 entries. 31 rows have 65 to 144 entries, as in the
/// mechanism of iso-octane: the mean of 43 says little.
Family uneven_systems();

/// Conduction on a grid of `across` points each way with given values at the border: five-point
/// stencil, conductivities from N(0.5, 0.1) clipped to [0.1, 0.9] for each pair of neighbours,
/// positive definite. 1024 systems, b = 1, to 1e-8.
Family grid(int across);

/// Like a mechanism in which each species reacts with a few others and all react with some: `full`
/// full rows and columns, 4 entries beside the diagonal in the other rows. Otherwise as
/// random_systems.
Family hubs(int rows, int full);

/// Items of a batch, unless memory says otherwise. Hosts are compared with peers on hosts, where
/// time says otherwise.
inline constexpr std::int64_t batch_items = on_device ? 131072 : 1024;

/// |b - A x| / |b| of every item, in double; independent of the solvers.
struct RelativeResiduals {
  Kokkos::View<int const*, Memory> row_offsets, columns;
  Kokkos::View<double const**, Kokkos::LayoutRight, Memory> values, b, x;
  Kokkos::View<double*, Memory> to;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    double residual = 0, norm = 0;
    for (int i = 0; i < static_cast<int>(b.extent(1)); ++i) {
      double r = b(n, i);
      norm += r * r;
      for (int k = row_offsets(i); k < row_offsets(i + 1); ++k)
        r -= values(n, k) * x(n, columns(k));
      residual += r * r;
    }
    to(n) = Kokkos::sqrt(residual / norm);
  }
};

template <class To, class From>
struct RepeatItems {
  To to;
  From from;
  int numbers;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t const item = k / numbers, number = k % numbers;
    to(item, number) = from((item % count) * numbers + number);
  }
};

/// What a solver says of every item after a run; what it has no word on stays empty.
struct Said {
  std::vector<int> iterations;
  std::vector<double> residual;  ///< |b - A x|
  /// Whether the item's true residual meets the tolerance.
  std::vector<char> met;
  /// Whether `met` is of the true residual, so that a false word is an error of the solver.
  bool of_true_residual = true;
};

/// A batch of a family's systems, the numbers of an item side by side.
class SolveProblem {
 public:
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

  Systems distinct;
  std::int64_t items;
  int rows, nonzeros;
  Kokkos::View<int*, Memory> row_offsets, columns;
  Vectors values, b;

  SolveProblem(Family const& family, std::int64_t n)
      : distinct(family.make(family)),
        items(n),
        rows(distinct.rows()),
        nonzeros(distinct.nonzeros()),
        row_offsets(on_exec(distinct.row_offsets)),
        columns(on_exec(distinct.columns)),
        values(repeated(distinct.values, nonzeros)),
        b(repeated(distinct.b, rows)) {}

  Vectors vectors(char const* label, int numbers) const {
    return Vectors(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing),
                   static_cast<std::size_t>(items), static_cast<std::size_t>(numbers));
  }

  using OnVectors = std::function<void(Vectors const&)>;
  using Ask = std::function<Said()>;

  /// Checks and times a solver.
  /// \param prepare  prepare(x) makes x the start
  /// \param launch   launch(x) solves; it may be asynchronous
  /// \param ask      ask() gives what the solver said in the launch before
  /// \param most     how many launches may follow on the preparation of as many x
  void run(benchmark::State& state, OnVectors const& prepare, OnVectors const& launch,
           Ask const& ask, int most) const;
  /// From x = 0.
  void run(benchmark::State& state, OnVectors const& launch, Ask const& ask) const;

 private:
  struct Check {
    double met = 0;          ///< the share of all items that meet the tolerance
    double met_exactly = 0;  ///< the same for the chosen items, in long double
    double largest = 0;      ///< the largest relative residual of the chosen items
    std::string problem;
  };

  template <class T>
  static Kokkos::View<T*, Memory> on_exec(std::vector<T> const& v) {
    Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const from(
        v.data(), v.size());
    Kokkos::View<T*, Memory> const to(
        Kokkos::view_alloc(std::string("systems"), Kokkos::WithoutInitializing), v.size());
    Kokkos::deep_copy(to, from);
    return to;
  }
  Vectors repeated(std::vector<double> const& v, int numbers) const {
    auto const from = on_exec(v);
    Vectors const to = vectors("batch", numbers);
    Kokkos::parallel_for(
        "repeat", Range(0, items * numbers),
        RepeatItems<Vectors, Kokkos::View<double*, Memory>>{to, from, numbers, distinct.count()});
    Kokkos::fence("Batchwork benchmark: before the distinct ones go");
    return to;
  }

  Check look_at(Vectors const& x, Said const& said) const;
};

/// Registers `body(state, family, items)` as
/// <verb>/<implementation>/<family>/double/<format>/<method>/N:<rows>/items:<n>.
template <class Body>
void register_solve(std::string const& verb, std::string const& implementation,
                    Family const& family, std::string const& format, std::string const& method,
                    std::int64_t items, Body const& body) {
  if (family.rows == 0) return;
  benchmark::RegisterBenchmark(
      (verb + "/" + implementation + "/" + family.name + "/double/" + format + "/" + method +
       "/N:" + std::to_string(family.rows) + "/items:" + std::to_string(items))
          .c_str(),
      [=](benchmark::State& state) { body(state, family, items); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// The families of the tables.
inline std::vector<Family> stencils() {
  std::vector<Family> all;
  for (int const rows : {16, 32, 64, 128, 256, 512}) all.push_back(stencil(rows));
  return all;
}
inline std::vector<Family> chemistry() {
  return {drm19(), random_systems(33, 978), random_systems(54, 2560), random_systems(144, 6135)};
}
/// In addition, because rows of the above are too even: patterns of mechanisms.
inline std::vector<Family> mechanisms() { return {grimech30(), uneven_systems()}; }

/// In addition: systems with little fill.
inline std::vector<Family> sparse_systems() {
  return {stencil(64), stencil(512), grid(8), grid(12), grid(20), hubs(144, 12)};
}

}  // namespace BatchworkPerf

#endif
