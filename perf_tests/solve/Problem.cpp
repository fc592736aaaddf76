// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Problem.hpp"

#include <cstdlib>
#include <krylov/formats/Batchwork_ReadSystems.hpp>
#include <limits>
#include <numbers>

namespace BatchworkPerf {

namespace {

/// Of a normal distribution, by Box and Muller (1958).
double normal(std::uint64_t seed, std::uint64_t place, double mean, double deviation) {
  double const u = 1 - uniform(seed, 2 * place), v = uniform(seed, 2 * place + 1);
  return mean + deviation * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

Systems make_stencil(Family const& f) {
  constexpr std::size_t count = 8192;
  auto const rows = static_cast<std::size_t>(f.rows);
  Systems s;
  s.tolerance = 1e-8;
  s.row_offsets.push_back(0);
  for (int i = 0; i < f.rows; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(f.rows - 1, i + 1); ++j) s.columns.push_back(j);
    s.row_offsets.push_back(s.nonzeros());
  }
  s.values.reserve(count * s.columns.size());
  s.b.reserve(count * rows);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < rows; ++i) {
      double const h = std::clamp(normal(1, n * rows + i, 0.5, 0.1), 0.1, 0.9);
      if (i > 0) s.values.push_back(-1);
      s.values.push_back(2 / h);
      if (i + 1 < rows) s.values.push_back(-1);
    }
    s.b.insert(s.b.end(), rows, normal(2, n, 0.5, 0.1));
  }
  return s;
}

std::string drm19_folder() {
  if (char const* const folder = std::getenv("BATCHWORK_DRM19_DIR")) return folder;
#if defined(BATCHWORK_DRM19_DIR)
  return BATCHWORK_DRM19_DIR;
#else
  return "";
#endif
}

std::string grimech30_folder() {
  char const* const folder = std::getenv("BATCHWORK_GRIMECH30_DIR");
  return folder == nullptr ? "" : folder;
}

Systems read_chemistry(std::string const& folder) {
  auto const read = Batchwork::read_systems(folder);
  auto const b = Batchwork::read_vectors(folder + "/rhs_ones.f64", read.rows());
  Systems s;
  s.tolerance = 1e-6;
  for (std::size_t i = 0; i < read.row_offsets.size(); ++i)
    s.row_offsets.push_back(static_cast<int>(read.row_offsets(i)));
  s.columns.assign(read.columns.data(), read.columns.data() + read.columns.size());
  s.values.assign(read.values.data(), read.values.data() + read.values.size());
  s.b.assign(b.data(), b.data() + b.size());
  return s;
}

Systems make_badly_scaled(Family const& f) {
  constexpr std::size_t count = 1024;
  auto const rows = std::size_t(f.rows);
  Systems s;
  s.tolerance = 1e-6;
  s.row_offsets.push_back(0);
  for (int i = 0; i < f.rows; ++i) {
    for (int j = 0; j < f.rows; ++j) s.columns.push_back(j);
    s.row_offsets.push_back(s.nonzeros());
  }
  s.values.reserve(count * rows * rows);
  std::uint64_t place = 0;
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t i = 0; i < rows; ++i) {
      double const row = std::pow(10.0, 4 * uniform(31, n * rows + i) - 2);
      for (std::size_t j = 0; j < rows; ++j) {
        double const column = std::pow(10.0, 8 * uniform(32, n * rows + j) - 4);
        double const entry =
            i == j ? 0.7 * static_cast<double>(rows) : 2 * uniform(33, place++) - 1;
        s.values.push_back(row * entry * column);
      }
    }
  s.b.assign(count * rows, 1.0);
  return s;
}

/// Adds a row of a pattern: its diagonal, and `wanted` of the places beside it, each choice of them
/// equally likely (Knuth's algorithm S).
void add_row(Systems& s, int row, int rows, int wanted, std::uint64_t seed) {
  int left = rows - 1;
  for (int j = 0; j < rows; ++j) {
    bool const diagonal = row == j;
    auto const place = static_cast<std::uint64_t>(row * rows + j);
    bool const takes = !diagonal && uniform(seed, place) * left < wanted;
    if (!diagonal) --left;
    if (takes) --wanted;
    if (diagonal || takes) s.columns.push_back(j);
  }
  s.row_offsets.push_back(s.nonzeros());
}

/// 1024 systems of a pattern.
void put_random(Systems& s, Family const& f) {
  constexpr std::size_t count = 1024;
  // The spectral radius of what Jacobi leaves beside the identity, nearly (the circular law; of
  // rows of uneven lengths too, since it is the sum of all variances that counts); with it BiCGSTAB
  // takes 15 to 20 iterations to 1e-6.
  constexpr double radius = 0.65;
  auto const seed = static_cast<std::uint64_t>(f.rows);
  s.tolerance = 1e-6;
  double const each = radius * std::sqrt(3.0 * f.rows / (f.nonzeros - f.rows));
  s.values.reserve(count * s.columns.size());
  std::uint64_t place = 0;
  for (std::size_t n = 0; n < count; ++n)
    for (int i = 0; i < f.rows; ++i) {
      double const scale = std::pow(10.0, 2 * uniform(seed + 1, n * seed + std::uint64_t(i)) - 1);
      for (int k = s.row_offsets[std::size_t(i)]; k < s.row_offsets[std::size_t(i) + 1]; ++k) {
        double const off = each * (2 * uniform(seed + 2, place++) - 1);
        s.values.push_back(scale * (s.columns[std::size_t(k)] == i ? 1 : off));
      }
    }
  s.b.assign(count * std::size_t(f.rows), 1.0);
}

Systems make_random(Family const& f) {
  auto const seed = static_cast<std::uint64_t>(f.rows);
  Systems s;
  s.row_offsets.push_back(0);
  // As many places beside the diagonal as are wanted, each choice of them equally likely (Knuth's
  // algorithm S).
  int wanted = f.nonzeros - f.rows, left = f.rows * (f.rows - 1);
  for (int i = 0; i < f.rows; ++i) {
    for (int j = 0; j < f.rows; ++j) {
      bool const diagonal = i == j;
      auto const place = static_cast<std::uint64_t>(i * f.rows + j);
      bool const takes = !diagonal && uniform(seed, place) * left < wanted;
      if (!diagonal) --left;
      if (takes) --wanted;
      if (diagonal || takes) s.columns.push_back(j);
    }
    s.row_offsets.push_back(s.nonzeros());
  }
  put_random(s, f);
  return s;
}

Systems make_uneven(Family const& f) {
  auto const seed = static_cast<std::uint64_t>(f.rows) + 7;
  constexpr int shortest = 65;  // of the long ones
  constexpr int most_long = 31;
  // How long the rows are: 31 from 65 entries to all columns in equal steps, at random places; the
  // others share what is left.
  std::vector<int> lengths;
  int left_long = most_long, left_entries = f.nonzeros;
  for (int i = 0; i < f.rows; ++i) {
    bool const is_long = uniform(seed, std::uint64_t(i)) * (f.rows - i) < left_long;
    lengths.push_back(0);
    if (!is_long) continue;
    --left_long;
    lengths.back() = shortest + (f.rows - shortest) * left_long / (most_long - 1);
    left_entries -= lengths.back();
  }
  int left_rows = f.rows - most_long;
  for (int& length : lengths) {
    if (length > 0) continue;
    // About the mean of what is left, half as many to half as many more.
    int const mean = left_entries / left_rows;
    int const off = int((uniform(seed + 1, std::uint64_t(left_rows)) - 0.5) * mean);
    length = left_rows == 1 ? left_entries : std::clamp(mean + off, 1, shortest - 1);
    left_entries -= length;
    --left_rows;
  }
  Systems s;
  s.row_offsets.push_back(0);
  for (int i = 0; i < f.rows; ++i) add_row(s, i, f.rows, lengths[std::size_t(i)] - 1, seed + 2);
  put_random(s, f);
  return s;
}

Systems make_grid(Family const& f) {
  constexpr std::size_t count = 1024;
  int const across = static_cast<int>(std::lround(std::sqrt(f.rows)));
  Systems s;
  s.tolerance = 1e-8;
  s.row_offsets.push_back(0);
  // Each point's pairs with the points before and behind it, across and down. At the border a pair
  // has a point outside.
  auto const neighbours = [&](int i) {
    int const x = i % across, y = i / across;
    return std::array<int, 4>{y > 0 ? i - across : -1, x > 0 ? i - 1 : -1,
                              x + 1 < across ? i + 1 : -1, y + 1 < across ? i + across : -1};
  };
  for (int i = 0; i < f.rows; ++i) {
    auto const [above, left, right, below] = neighbours(i);
    for (int const j : {above, left, i, right, below})
      if (j >= 0) s.columns.push_back(j);
    s.row_offsets.push_back(s.nonzeros());
  }
  auto const points = static_cast<std::uint64_t>(f.rows);
  for (std::size_t n = 0; n < count; ++n)
    for (int i = 0; i < f.rows; ++i) {
      auto const conductivity = [&](int j, int side) {
        auto const of = static_cast<std::uint64_t>(j >= 0 ? std::min(i, j) : i);
        auto const pair = static_cast<std::uint64_t>(j < 0                  ? 2 + side
                                                     : std::abs(j - i) == 1 ? 0
                                                                            : 1);
        return std::clamp(normal(41, (n * points + of) * 8 + pair, 0.5, 0.1), 0.1, 0.9);
      };
      double sum = 0, off[4];
      auto const others = neighbours(i);
      for (int side = 0; side < 4; ++side)
        sum += off[side] = conductivity(others[std::size_t(side)], side);
      for (int side = 0; side < 4; ++side) {
        if (side == 2) s.values.push_back(sum);
        if (others[std::size_t(side)] >= 0) s.values.push_back(-off[side]);
      }
    }
  s.b.assign(count * std::size_t(f.rows), 1.0);
  return s;
}

Systems make_hubs(Family const& f) {
  constexpr int beside = 4;
  auto const seed = static_cast<std::uint64_t>(f.rows) + 9;
  // full rows, full columns of the other rows, their diagonals and what is beside: see hubs().
  int full = 0;
  while (full * f.rows + (f.rows - full) * (full + 1 + beside) < f.nonzeros) ++full;
  Systems s;
  s.row_offsets.push_back(0);
  for (int i = 0; i < f.rows; ++i) {
    int wanted = beside, left = f.rows - full - 1;
    for (int j = 0; j < f.rows; ++j) {
      bool takes = i < full || j < full || i == j;
      if (!takes) {
        takes = uniform(seed, static_cast<std::uint64_t>(i * f.rows + j)) * left < wanted;
        --left;
        if (takes) --wanted;
      }
      if (takes) s.columns.push_back(j);
    }
    s.row_offsets.push_back(s.nonzeros());
  }
  put_random(s, f);
  return s;
}

/// The chosen items of x.
struct GatherVectors {
  SolveProblem::Vectors to, from;
  Chosen chosen;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    for (std::size_t i = 0; i < to.extent(1); ++i) to(c, i) = from(chosen[c], i);
  }
};

/// One item in more digits: |b - A x|, |b|, and an estimate of the error of a residual in double,
/// eps | |b| + |A| |x| |. This is no bound, but 1.5 times the error of any item of drm19, where it
/// is a fifth of the tolerance. It is negligible for the other families.
struct Exact {
  long double residual = 0, norm = 0, rounding = 0;

  Exact(Systems const& s, std::int64_t item, double const* x) {
    auto const n = static_cast<std::size_t>(item % s.count());
    auto const rows = static_cast<std::size_t>(s.rows());
    constexpr long double eps = std::numeric_limits<double>::epsilon();
    for (std::size_t i = 0; i < rows; ++i) {
      long double const b = s.b[n * rows + i];
      long double r = b, sum = std::abs(b);
      for (int k = s.row_offsets[i]; k < s.row_offsets[i + 1]; ++k) {
        auto const entry = static_cast<std::size_t>(k);
        long double const a = s.values[n * s.columns.size() + entry];
        long double const product = a * x[s.columns[entry]];
        r -= product;
        sum += std::abs(product);
      }
      rounding += eps * eps * sum * sum;
      residual += r * r;
      norm += b * b;
    }
    residual = std::sqrt(residual);
    norm = std::sqrt(norm);
    rounding = std::sqrt(rounding);
  }
};

template <class T>
double mean(std::vector<T> const& v) {
  double sum = 0;
  for (T const x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

}  // namespace

Family stencil(int rows) { return {"stencil", rows, 3 * rows - 2, make_stencil}; }

Family drm19() {
  if (drm19_folder().empty()) return {};
  return {"drm19", 22, 438, [](Family const&) { return read_chemistry(drm19_folder()); }};
}

Family grimech30() {
  if (grimech30_folder().empty()) return {};
  return {"grimech30", 54, 2560, [](Family const&) { return read_chemistry(grimech30_folder()); }};
}

Family badly_scaled(int rows) { return {"badly_scaled", rows, rows * rows, make_badly_scaled}; }

Family random_systems(int rows, int nonzeros) { return {"random", rows, nonzeros, make_random}; }

Family grid(int across) {
  return {"grid", across * across, 5 * across * across - 4 * across, make_grid};
}

Family hubs(int rows, int full) {
  return {"hubs", rows, full * rows + (rows - full) * (full + 5), make_hubs};
}

Family uneven_systems() { return {"uneven", 144, 6135, make_uneven}; }

void SolveProblem::run(benchmark::State& state, OnVectors const& prepare, OnVectors const& launch,
                       Ask const& ask, int most) const {
  std::vector<Vectors> x{vectors("x", rows)};
  prepare(x[0]);
  launch(x[0]);
  Said const said = ask();
  Check const check = look_at(x[0], said);
  // Solvers write over their start: as many of those as there may be and as memory has room for.
  double const room = 4e9 / (8.0 * static_cast<double>(items) * rows);
  most = static_cast<int>(std::clamp(room, 1.0, static_cast<double>(most)));
  for (auto _ : state) {
    if (!check.problem.empty()) {
      state.SkipWithError(check.problem.c_str());
      return;
    }
    Work work;
    work.items = items;
    // Matrix, b and the start read once, x written once.
    work.bytes = 8.0 * static_cast<double>(items) * (nonzeros + 3.0 * rows);
    Sample const sample = measure_prepared(
        [&](int k) {
          auto const set = static_cast<std::size_t>(k);
          if (set == x.size()) x.push_back(vectors("x", rows));
          prepare(x[set]);
        },
        [&](int k) { launch(x[static_cast<std::size_t>(k)]); }, most);
    report<double>(state, work, sample, check.largest);
    state.counters["ms"] = sample.median * 1e3;
    state.counters["share_met"] = check.met;
    state.counters["share_met_exactly"] = check.met_exactly;
    if (!said.met.empty()) state.counters["share_said"] = mean(said.met);
    if (!said.iterations.empty()) {
      double const iterations = mean(said.iterations);
      state.counters["mean_iterations"] = iterations;
      state.counters["most_iterations"] =
          *std::max_element(said.iterations.begin(), said.iterations.end());
      state.counters["us_per_iteration"] = sample.median * 1e6 / iterations;
    }
  }
}

void SolveProblem::run(benchmark::State& state, OnVectors const& launch, Ask const& ask) const {
  run(state, [](Vectors const& x) { Kokkos::deep_copy(Exec(), x, 0.0); }, launch, ask, 32);
}

SolveProblem::Check SolveProblem::look_at(Vectors const& x, Said const& said) const {
  Check check;
  Kokkos::View<double*, Memory> const residuals("residuals", static_cast<std::size_t>(items));
  Kokkos::parallel_for("residuals", Range(0, items),
                       RelativeResiduals{row_offsets, columns, values, b, x, residuals});
  auto const of_all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), residuals);
  std::int64_t met = 0;
  for (std::size_t n = 0; n < of_all.extent(0); ++n) met += of_all(n) <= distinct.tolerance;
  check.met = static_cast<double>(met) / static_cast<double>(items);
  if (met == 0 && said.of_true_residual)
    check.problem = "no item meets the tolerance; the first one's |b - A x| / |b| is " +
                    std::to_string(of_all(0) / distinct.tolerance) + " times that";

  Chosen const chosen{items, 2000};
  Vectors const gathered("gathered", static_cast<std::size_t>(chosen.count()),
                         static_cast<std::size_t>(rows));
  Kokkos::parallel_for("gather", Range(0, chosen.count()), GatherVectors{gathered, x, chosen});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gathered);
  for (std::int64_t c = 0; c < chosen.count(); ++c) {
    std::int64_t const item = chosen[c];
    auto const n = static_cast<std::size_t>(item);
    Exact const exact(distinct, item, host.data() + c * rows);
    check.largest = std::max(check.largest, static_cast<double>(exact.residual / exact.norm));
    if (exact.residual <= distinct.tolerance * exact.norm)
      check.met_exactly += 1 / static_cast<double>(chosen.count());
    if (!said.of_true_residual) continue;
    long double const bound = distinct.tolerance * exact.norm + exact.rounding;
    // Not ">": a NaN is a false claim as well.
    if (!said.met.empty() && said.met[n] != 0 && !(exact.residual <= bound))
      check.problem = "item " + std::to_string(item) +
                      " is said to meet the tolerance, but |b - A x| is " +
                      std::to_string(static_cast<double>(exact.residual / bound)) + " times that";
    if (!said.residual.empty() &&
        !(std::abs(said.residual[n] - exact.residual) <= 1e-6L * exact.residual + exact.rounding))
      check.problem = "item " + std::to_string(item) + " has another |b - A x| than is said: " +
                      std::to_string(static_cast<double>(said.residual[n] / exact.residual)) +
                      " of it is";
  }
  return check;
}

}  // namespace BatchworkPerf
