// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The analysis for any number of members: verbs on the matrices of many points. The formulas are
/// those of LocalAnalysis.hpp.
#include <Batchwork_Dense.hpp>
#include <algorithm>
#include <string>

#include "Analysis.hpp"

namespace Letkf {

namespace {

using Kokkos::ALL;
using Kokkos::subview;

/// Memory for the points of a chunk.
struct Work {
  std::int64_t variables, members, near;
  std::int64_t points;
  Ensemble s, d, c, a, b;
  Matrix values;

  Work(std::int64_t all, std::int64_t v, std::int64_t k, std::int64_t l, std::int64_t memory)
      : variables(v), members(k), near(l) {
    std::int64_t const numbers = l * k + l + k * k + k + 2 * (v + 1) * k;
    points = std::clamp<std::int64_t>(memory / numbers, 1, all);
    auto const make = [&](std::string const& name, std::int64_t m, std::int64_t n) {
      return Ensemble(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), points, m, n);
    };
    s = make("S", l, k);
    d = make("innovations", 1, l);
    c = make("C, then V", k, k);
    a = make("A and d' S", v + 1, k);
    b = make("A V and d' S V", v + 1, k);
    values = Matrix(Kokkos::view_alloc(Kokkos::WithoutInitializing, "L"), points, k);
  }
};

KOKKOS_INLINE_FUNCTION double mean_of(Matrix const& rows, std::int64_t row) {
  double sum = 0;
  int const k = int(rows.extent(1));
  for (int j = 0; j < k; ++j) sum += rows(row, j);
  return sum / k;
}

/// S and d: one thread for an observation of a point.
struct Gather {
  std::int64_t first;
  LocalObservations local;
  Matrix ensemble;
  Vector observed;
  Ensemble s, d;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    std::int64_t const l = n % std::int64_t(s.extent(1)), p = n / std::int64_t(s.extent(1));
    int const row = local.near(first + p, l);
    double const w = local.weight(first + p, l), mean = mean_of(ensemble, row);
    for (std::size_t j = 0; j < s.extent(2); ++j) s(p, l, j) = w * (ensemble(row, j) - mean);
    d(p, 0, l) = w * ((w > 0 ? observed(row) : 0) - mean);
  }
};

/// Adds to the diagonals of C.
struct AddToDiagonals {
  double number;
  Ensemble c;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    std::int64_t const k = std::int64_t(c.extent(1));
    c(n / k, n % k, n % k) += number;
  }
};

/// A: one thread for a variable of a point.
struct Center {
  std::int64_t first, variables;
  Matrix ensemble;
  Ensemble a;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    std::int64_t const p = n / variables, row = first * variables + n;
    double const mean = mean_of(ensemble, row);
    for (std::size_t j = 0; j < a.extent(2); ++j) a(p, n % variables, j) = ensemble(row, j) - mean;
  }
};

/// The mean of the analysis, in all members, and A V sqrt(k - 1) L^(-1/2).
struct Scale {
  std::int64_t first, variables;
  Matrix forecast, analysis, values;
  Ensemble b;
  Codes codes;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    std::int64_t const p = n / variables, i = n % variables, row = first * variables + n;
    int const k = int(b.extent(2));
    double mean = mean_of(forecast, row);
    for (int j = 0; j < k; ++j) {
      double const f = 1 / values(p, j);
      mean += b(p, i, j) * f * b(p, variables, j);
      b(p, i, j) *= Kokkos::sqrt((k - 1) * f);
    }
    for (int j = 0; j < k; ++j) analysis(row, j) = mean;
    // Any variable of the point may be the one that is not finite.
    if (!Kokkos::isfinite(mean))
      Kokkos::atomic_compare_exchange(
          &codes(first + p), 0, int(Batchwork::Status::code(Batchwork::Reason::not_finite, 0)));
  }
};

}  // namespace

void analyse_by_verbs(Exec const& exec, Ensemble const& analysis, Ensemble const& forecast,
                      Matrix const& rotation, LocalObservations const& local,
                      Vector const& observed, Codes const& codes,
                      AnalysisSettings const& settings) {
  using namespace Batchwork;
  std::int64_t const all = std::int64_t(forecast.extent(0)),
                     variables = std::int64_t(forecast.extent(1)),
                     near = std::int64_t(local.near.extent(1)),
                     members = std::int64_t(forecast.extent(2));
  if (all == 0) return;
  Work const work(all, variables, members, near, settings.memory);
  double const rho = settings.inflation * settings.inflation;
  Matrix const from = rows_of(forecast), to = rows_of(analysis);
  Vector const memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "workspace"),
                      workspace_numbers<Verb::eigh>(exec, inout(work.c), out(work.values)));
  for (std::int64_t first = 0; first < all; first += work.points) {
    std::int64_t const points = std::min(work.points, all - first);
    Kokkos::pair<std::int64_t, std::int64_t> const some(0, points), chunk(first, first + points),
        states(0, variables), last(variables, variables + 1);
    auto const part = [&](Ensemble const& e) { return subview(e, some, ALL, ALL); };
    auto const s = part(work.s), d = part(work.d), c = part(work.c), a = part(work.a),
               b = part(work.b);
    auto const values = subview(work.values, some, ALL);
    auto const failures = subview(codes, chunk);
    auto const rows = Kokkos::RangePolicy<Exec>(exec, 0, points * variables);
    Kokkos::parallel_for("letkf: gather", Kokkos::RangePolicy<Exec>(exec, 0, points * near),
                         Gather{first, local, from, observed, s, d});
    Kokkos::parallel_for("letkf: center", rows, Center{first, variables, from, a});
    // [verbs]
    gemm(exec, 1, in(transposed(s)), in(s), 0, out(c));
    Kokkos::parallel_for("letkf: diagonal", Kokkos::RangePolicy<Exec>(exec, 0, points * members),
                         AddToDiagonals{double(members - 1) / rho, c});
    eigh(exec, inout(c), out(values), status(failures), workspace(memory));
    gemm(exec, 1, in(d), in(s), 0, out(subview(a, ALL, last, ALL)));
    gemm(exec, 1, in(a), in(c), 0, out(b));
    // [verbs]
    Kokkos::parallel_for("letkf: scale", rows, Scale{first, variables, from, to, values, b, codes});
    auto const deviations = subview(a, ALL, states, ALL);
    gemm(exec, 1, in(subview(b, ALL, states, ALL)), in(transposed(c)), 0, out(deviations));
    gemm(exec, 1, in(deviations), common(rotation), 1, inout(subview(analysis, chunk, ALL, ALL)));
  }
}

}  // namespace Letkf
