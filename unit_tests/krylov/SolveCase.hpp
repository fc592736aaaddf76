// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Systems that converge, what solve leaves of them, and bounds for it in long double.
#ifndef BATCHWORK_TEST_SOLVE_CASE_HPP
#define BATCHWORK_TEST_SOLVE_CASE_HPP

#include "krylov/Batchwork_Solve.hpp"
#include "krylov/SystemsCase.hpp"

namespace Batchwork::Test {

/// A pattern with its whole diagonal, and a mirrored one if symmetric.
inline Pattern solvable_pattern(Random& random, int rows, double share, bool symmetric) {
  auto const n = static_cast<std::size_t>(rows);
  std::vector<std::vector<bool>> there(n, std::vector<bool>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i == j || random(0, 1) < share) {
        there[i][j] = true;
        if (symmetric) there[j][i] = true;
      }
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row;
    for (int j = 0; j < rows; ++j)
      if (there[std::size_t(i)][std::size_t(j)]) row.push_back(j);
    p.columns.push_back(row);
  }
  return p;
}

/// Numbers off the diagonal in [-1, 1], mirrored if symmetric, and a diagonal `dominance` times as large as their sum.
template <class T>
void put_dominant(Matrices<T> const& a, std::int64_t n, Random& random, bool symmetric,
                  double dominance = 1.3) {
  for (int i = 0; i < a.pattern.rows; ++i) {
    auto const& row = a.pattern.columns[std::size_t(i)];
    double sum = 1;
    int diagonal = -1;
    for (int k = 0; k < int(row.size()); ++k) {
      int const j = row[std::size_t(k)];
      if (j == i) {
        diagonal = k;
        continue;
      }
      T const x = symmetric && j < i ? a.full.at(n, j, i) : T(random());
      a.put(n, i, k, x);
      sum += std::fabs(double(x));
    }
    a.put(n, i, diagonal, T(dominance * sum));
  }
}

/// A log on the host.
template <class T>
struct HostLog {
  SolveLog<T, Kokkos::HostSpace> log;
  explicit HostLog(SolveLog<T, Space::memory_space> const& from)
      : log{Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.iterations),
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.recurrence),
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.residual),
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.reason),
            history_of(from.history)} {}
  /// Its layout is the host's, whatever that of the device is.
  template <class View>
  static Kokkos::View<T**, Kokkos::HostSpace> history_of(View const& from) {
    Kokkos::View<T**, Kokkos::HostSpace> const to("history", from.extent(0), from.extent(1));
    Kokkos::deep_copy(to, Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from));
    return to;
  }
  Reason reason(std::int64_t n) const { return Status::reason(log.reason(std::size_t(n))); }
  int info(std::int64_t n) const { return Status::info(log.reason(std::size_t(n))); }
  int iterations(std::int64_t n) const { return log.iterations(std::size_t(n)); }
  T residual(std::int64_t n) const { return log.residual(std::size_t(n)); }
  T recurrence(std::int64_t n) const { return log.recurrence(std::size_t(n)); }
};

/// |b - A x|, and what rounding may make of it: that of the products, and of adding up their squares.
struct ResidualTruth {
  long double norm = 0, rounding = 0, right_side = 0;
};
template <class T>
ResidualTruth residual_truth(GemmMatrices<T> const& full, std::int64_t n, GemmMatrices<T> const& x,
                             GemmMatrices<T> const& b) {
  ResidualTruth t;
  for (int i = 0; i < full.rows; ++i) {
    Truth row = row_truth(full, n, i, x, -1);
    row.add(b.at(n, i, 0));
    t.norm += row.value * row.value;
    long double const e = (full.rows + 3) * epsilon<T> * row.size;
    t.rounding += e * e;
    t.right_side += static_cast<long double>(b.at(n, i, 0)) * b.at(n, i, 0);
  }
  t.norm = std::sqrt(t.norm);
  t.rounding = std::sqrt(t.rounding);
  t.right_side = std::sqrt(t.right_side);
  return t;
}

/// The log of an item speaks of its true residual; a success meets the tolerance relative to b.
template <class T>
void expect_honest(HostLog<T> const& log, std::int64_t n, ResidualTruth const& t,
                   double tolerance) {
  long double const slack = t.rounding + (2 * 40 + 3) * epsilon<T> * t.norm;
  ASSERT_NEAR(double(log.residual(n)), double(t.norm), double(slack)) << "item " << n;
  if (log.reason(n) == Reason::success) {
    ASSERT_LE(t.norm, tolerance * t.right_side * (1 + 100 * epsilon<T>) + slack) << "item " << n;
  }
}

template <class T>
inline constexpr double usual_tolerance = sizeof(T) == 4 ? 1e-4 : 1e-10;

}  // namespace Batchwork::Test

#endif
