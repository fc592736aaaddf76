// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// One linear system for each cell of a flame, I - s gamma J. Cells near the flame front take
/// larger steps s, which need more iterations: the cost of a cell depends on its place, as in a
/// simulation.

#include <cmath>
#include <cstdio>

#include "Mechanism.hpp"
#include "Workload.hpp"

namespace Distributed {

namespace {

using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
using Numbers = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

constexpr double tolerance = 1e-6;  ///< relative to b
constexpr int most_iterations = 200;

/// The step of a cell relative to that of the mechanism: 0.003 far from the front, 1.5 in it.
KOKKOS_FUNCTION double step_of(std::int64_t cell, std::int64_t cells) {
  constexpr double front = 0.3, width = 0.12;
  double const d = ((double(cell) + 0.5) / double(cells) - front) / width;
  return 0.003 *
         Kokkos::pow(500.0, Kokkos::exp(-d * d) * (0.8 + 0.2 * uniform(std::uint64_t(cell))));
}

/// The matrices of the cells first, first + 1, ..., entry by entry.
struct FillSystems {
  Numbers values, states;
  Kokkos::View<bool*, Memory> on_diagonal;
  std::int64_t first, cells;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    std::int64_t const entries = std::int64_t(values.extent(1)), k = n / entries, e = n % entries;
    std::int64_t const cell = first + k;
    std::int64_t const state = std::int64_t(mixed(std::uint64_t(cell)) % states.extent(0));
    double const one = on_diagonal(e) ? 1 : 0;
    values(k, e) = one + step_of(cell, cells) * (states(state, e) - one);
  }
};

struct LookAtSystem {
  Numbers x;
  SolveLog<double, Memory> log;
  std::int64_t first;

  KOKKOS_FUNCTION void operator()(std::int64_t k, Outcome& all) const {
    Outcome system;
    system.best = log.iterations(k);
    system.best_item = first + k;
    system.work = log.iterations(k);
    system.failed = log.reason(k) == 0 ? 0 : 1;
    std::int64_t const rows = std::int64_t(x.extent(1));
    for (std::int64_t i = 0; i < rows; ++i)
      system.checksum += checksum_of(x(k, i), (first + k) * rows + i);
    all += system;
  }
};

class Chemistry : public Workload {
 public:
  Chemistry(std::string const& data, std::int64_t items, std::int64_t chunk)
      : name_(data.empty() ? "a generated mechanism" : data), items_(items) {
    auto const mechanism = data.empty() ? make_mechanism() : read_mechanism(data);
    mechanism_ = mechanism.in<Memory>();
    auto const rows = std::size_t(mechanism.rows()), n = std::size_t(chunk);
    on_diagonal_ = decltype(on_diagonal_)("on_diagonal", mechanism.columns.extent(0));
    auto const on_diagonal = Kokkos::create_mirror_view(on_diagonal_);
    for (std::size_t i = 0; i < rows; ++i)
      for (auto k = mechanism.row_offsets(i); k < mechanism.row_offsets(i + 1); ++k)
        on_diagonal(k) = mechanism.columns(k) == std::int32_t(i);
    Kokkos::deep_copy(on_diagonal_, on_diagonal);
    values_ = Numbers("values", n, mechanism.columns.extent(0));
    b_ = Numbers("b", n, rows);
    x_ = Numbers("x", n, rows);
    Kokkos::deep_copy(b_, 1.0);
    host_ = Kokkos::create_mirror_view(x_);
    log_.iterations = Kokkos::View<int*, Memory>("iterations", n);
    log_.reason = Kokkos::View<int*, Memory>("reason", n);
  }

  std::int64_t items() const override { return items_; }
  std::int64_t numbers() const override { return mechanism_.rows(); }
  std::string problem() const override {
    return "chemistry: " + std::to_string(items_) + " systems of " +
           std::to_string(mechanism_.rows()) + " rows of " + name_;
  }

  Outcome run(Chunk const& chunk) override {
    Exec const exec;
    auto const part = std::pair<std::int64_t, std::int64_t>(0, chunk.count);
    Numbers const values = Kokkos::subview(values_, part, Kokkos::ALL),
                  b = Kokkos::subview(b_, part, Kokkos::ALL),
                  x = Kokkos::subview(x_, part, Kokkos::ALL);
    SolveLog<double, Memory> log;
    log.iterations = Kokkos::subview(log_.iterations, part);
    log.reason = Kokkos::subview(log_.reason, part);

    Kokkos::parallel_for("fill systems", Range(exec, 0, std::int64_t(values.size())),
                         FillSystems{values, mechanism_.values, on_diagonal_, chunk.first, items_});
    Kokkos::deep_copy(exec, x, 0.0);
    solve(exec, launch("chemistry"), bicgstab(relative(tolerance, most_iterations)), jacobi(),
          csr(mechanism_.row_offsets, mechanism_.columns, values), b, x, log);
    Outcome all;
    Kokkos::parallel_reduce("look at systems", Range(exec, 0, chunk.count),
                            LookAtSystem{x, log, chunk.first}, all);
    return all;
  }

  double const* results() override {
    Kokkos::deep_copy(host_, x_);
    return host_.data();
  }

  std::string summary(Outcome const& all) const override {
    char text[200];
    std::snprintf(text, sizeof text,
                  "iterations: %.2f on average, at most %.0f (item %lld); %lld systems failed",
                  double(all.work) / double(items_), all.best,
                  static_cast<long long>(all.best_item), static_cast<long long>(all.failed));
    return text;
  }

 private:
  std::string name_;
  std::int64_t items_;
  SparseSystems<double, Memory> mechanism_;
  Kokkos::View<bool*, Memory> on_diagonal_;
  Numbers values_, b_, x_;
  Numbers::host_mirror_type host_;
  SolveLog<double, Memory> log_;
};

}  // namespace

std::unique_ptr<Workload> make_chemistry(std::string const& data, std::int64_t items,
                                         std::int64_t chunk) {
  return std::make_unique<Chemistry>(data, items, chunk);
}

}  // namespace Distributed
