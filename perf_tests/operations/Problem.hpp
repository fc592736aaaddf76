// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Single dense operations: A_i B_i, the Cholesky factor of A_i, and L_i X_i = B_i, for square
/// matrices of every item; and A_i x_i = b_i with a vector for symmetric positive definite ones, or
/// by elimination with partial pivoting for others; the factors of that elimination alone.
#ifndef BATCHWORK_PERF_OPERATIONS_PROBLEM_HPP
#define BATCHWORK_PERF_OPERATIONS_PROBLEM_HPP

#include <algorithm>
#include <cmath>
#include <limits>

#include "../common/Chosen.hpp"
#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

enum class Operation { product, cholesky, solve, solve_cholesky, solve_lu, lu };

constexpr char const* name_of(Operation o) {
  return o == Operation::product    ? "product"
         : o == Operation::cholesky ? "cholesky"
         : o == Operation::solve    ? "solve"
         : o == Operation::solve_lu ? "solve_lu"
         : o == Operation::lu       ? "lu"
                                    : "solve_cholesky";
}

/// Whether rows are in an order of the item's, so that they are exchanged.
constexpr bool exchanges(Operation o) { return o == Operation::solve_lu || o == Operation::lu; }
/// Whether there is a second matrix.
constexpr bool has_right_side(Operation o) {
  return o != Operation::cholesky && o != Operation::lu;
}

/// Columns of the second matrix and of the result.
constexpr int columns_of(Operation o, int D) {
  return o == Operation::solve_cholesky || o == Operation::solve_lu ? 1 : D;
}

/// Entry (i, j) of the first and the second matrix of item k: symmetric and positive definite,
/// lower, or with rows in an order of the item's, so that they are exchanged.
template <class T, Operation O>
KOKKOS_INLINE_FUNCTION T left_entry(std::int64_t k, int i, int j, int D) {
  if (O == Operation::solve && j > i) return T(0);
  if (exchanges(O)) return static_cast<T>(spd_entry(1, k, static_cast<int>((i + k) % D), j, D));
  return static_cast<T>(spd_entry(1, k, i, j, D));
}
template <class T>
KOKKOS_INLINE_FUNCTION T right_entry(std::int64_t k, int i, int j, int columns, int D) {
  return static_cast<T>(0.5 + uniform(2, static_cast<std::uint64_t>((k * D + i) * columns + j)));
}

/// The result for item k in a type with more digits than T.
template <class T, int D, Operation O>
void reference(std::int64_t k, long double (&x)[D][D]) {
  auto const a = [&](int i, int j) {
    return static_cast<long double>(
        left_entry<T, O == Operation::solve_lu ? Operation::cholesky : O>(k, i, j, D));
  };
  // An elimination has the rows of the symmetric matrix in another order.
  auto const b = [&](int i, int j) {
    int const row = O == Operation::solve_lu ? static_cast<int>((i + D - k % D) % D) : i;
    return static_cast<long double>(right_entry<T>(k, row, j, columns_of(O, D), D));
  };
  if constexpr (O == Operation::solve_cholesky || O == Operation::solve_lu) {
    long double l[D][D];
    reference<T, D, Operation::cholesky>(k, l);
    for (int i = 0; i < D; ++i) {
      x[i][0] = b(i, 0);
      for (int m = 0; m < i; ++m) x[i][0] -= l[i][m] * x[m][0];
      x[i][0] /= l[i][i];
    }
    for (int i = D - 1; i >= 0; --i) {
      for (int m = i + 1; m < D; ++m) x[i][0] -= l[m][i] * x[m][0];
      x[i][0] /= l[i][i];
    }
    return;
  }
  for (int j = 0; j < D; ++j)
    for (int i = 0; i < D; ++i) {
      long double s = O == Operation::cholesky ? a(i, j) : O == Operation::solve ? b(i, j) : 0;
      if (O == Operation::product)
        for (int m = 0; m < D; ++m) s += a(i, m) * b(m, j);
      if (O == Operation::solve) {
        for (int m = 0; m < i; ++m) s -= a(i, m) * x[m][j];
        s /= a(i, i);
      }
      if (O == Operation::cholesky) {
        for (int m = 0; m < j; ++m) s -= x[i][m] * x[j][m];
        s = i < j ? 0 : i == j ? std::sqrt(s) : s / x[j][j];
      }
      x[i][j] = s;
    }
}

template <class T, int D, Operation O, class Matrices, class Sides>
struct FillOperands {
  static constexpr int C = columns_of(O, D);
  Matrices a;
  Sides b, x;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) a.at(k, i, j) = left_entry<T, O>(k, i, j, D);
      for (int j = 0; j < C; ++j) {
        if (has_right_side(O)) b.at(k, i, j) = right_entry<T>(k, i, j, C, D);
        x.at(k, i, j) = std::numeric_limits<T>::quiet_NaN();
      }
    }
  }
};

/// The order of rows that exchanges make: row i has changed places with row pivots[i] - 1, one
/// after the other.
template <class Rows>
struct OrderRows {
  Rows rows;
  int const* pivots;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    int const D = static_cast<int>(rows.extent(1));
    for (int i = 0; i < D; ++i) rows(k, i) = i;
    for (int i = 0; i < D; ++i) {
      int const other = pivots[k * D + i] - 1, row = rows(k, i);
      rows(k, i) = rows(k, other);
      rows(k, other) = row;
    }
  }
};

template <class T, int D, Layout L, Operation O>
struct OperationProblem {
  static constexpr int C = columns_of(O, D);
  using Matrices = Batch<T, D, D, L>;
  using Sides = Batch<T, D, C, L>;
  using Rows = Kokkos::View<
      int**, std::conditional_t<L == Layout::interleaved, Kokkos::LayoutLeft, Kokkos::LayoutRight>,
      Memory>;
  std::int64_t items;
  Matrices a;
  Sides b, x;
  Rows rows;  ///< of factors: rows(k, i) is the row of A_k in place i

  explicit OperationProblem(std::int64_t n)
      : items(n),
        a("A", n),
        b("B", has_right_side(O) ? n : 0),
        x("X", n),
        rows("rows", O == Operation::lu ? static_cast<std::size_t>(n) : 0, std::size_t(D)) {
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                         FillOperands<T, D, O, Matrices, Sides>{a, b, x});
  }

  double error() const {
    if constexpr (O == Operation::lu) return error_of_factors(false);
    else return error_of_result();
  }

  /// ||x - reference|| / ||reference|| over the chosen items; of a triangular factor the lower
  /// triangle.
  double error_of_result() const {
    // A reference of long doubles: fewer of the large ones.
    Chosen const chosen{items, D > 8 ? 2000 : 20000};
    auto const host = gathered(chosen);
    long double difference = 0, norm = 0;
    for (std::int64_t c = 0; c < chosen.count(); ++c) {
      long double expected[D][D];
      reference<T, D, O>(chosen[c], expected);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < (O == Operation::cholesky ? i + 1 : C); ++j) {
          long double const e = host(c, i, j) - expected[i][j];
          difference += e * e;
          norm += expected[i][j] * expected[i][j];
        }
    }
    return static_cast<double>(std::sqrt(difference / norm));
  }

  /// The results of chosen items, item by item, on the host.
  auto gathered(Chosen const& chosen) const {
    using Gathered = Batch<T, D, C, Layout::item_contiguous>;
    Gathered const some("gathered", chosen.count());
    Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec>(0, chosen.count()),
                         GatherChosen<Gathered, Sides, D, C>{some, x, chosen});
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some.view);
  }

  /// ||L U - P A|| / ||A|| over the chosen items. \param by_columns  whether the factors are those
  /// of the transposes, column by column
  double error_of_factors(bool by_columns) const {
    Chosen const chosen{items, 2000};
    auto const host = gathered(chosen);
    auto const order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
    long double difference = 0, norm = 0;
    for (std::int64_t c = 0; c < chosen.count(); ++c) {
      auto const factor = [&](int i, int j) -> long double {
        return by_columns ? host(c, j, i) : host(c, i, j);
      };
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) {
          std::int64_t const k = chosen[c];
          int const row = order(static_cast<std::size_t>(k), static_cast<std::size_t>(i));
          long double const a_ij =
              by_columns ? left_entry<T, O>(k, j, row, D) : left_entry<T, O>(k, row, j, D);
          long double s = -a_ij;
          for (int m = 0; m <= std::min(i, j); ++m)
            s += (m == i ? 1.0L : factor(i, m)) * factor(m, j);
          difference += s * s;
          norm += a_ij * a_ij;
        }
    }
    return static_cast<double>(std::sqrt(difference / norm));
  }

  /// Times `launch`; `error` is the error of its result or of a call like it. A triangle that is
  /// read counts half.
  template <class Launch>
  void run(benchmark::State& state, double error, Launch const& launch) const {
    double const tolerance = 4.0 * D * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (auto _ : state) {
      if (!(error <= tolerance)) {
        state.SkipWithError(("wrong result: relative error " + std::to_string(error / tolerance) +
                             " times the tolerance")
                                .c_str());
        return;
      }
      double const full = D * D, half = 0.5 * D * (D + 1), cube = 1.0 * D * D * D;
      Work work;
      work.items = items;
      work.bytes = static_cast<double>(items) * sizeof(T) *
                   (O == Operation::product    ? 3 * full
                    : O == Operation::cholesky ? half + full
                    : O == Operation::solve    ? half + 2 * full
                    : O == Operation::solve_lu ? full + 2 * D
                    : O == Operation::lu       ? 2 * full + D * 4.0 / sizeof(T)
                                               : half + 2 * D);
      work.flops =
          static_cast<double>(items) * (O == Operation::product    ? 2 * cube
                                        : O == Operation::cholesky ? cube / 3
                                        : O == Operation::solve    ? cube
                                        : O == Operation::solve_lu ? 2 * cube / 3 + 2 * full
                                        : O == Operation::lu       ? 2 * cube / 3
                                                                   : cube / 3 + 2 * full);
      report<T>(state, work, measure(launch), error);
    }
  }
};

/// Registers `body(state, items)` as
/// operations/<implementation>/<operation>/<type>/<layout>/D:<D>/items:<n>, with about 1 GB in and
/// out on a device and 1 MB on a host. `how` is added to the name of the operation.
template <class T, int D, Operation O, class Body>
void register_operation(std::string const& implementation, Layout layout, Body const& body,
                        std::string const& how = "") {
  double const numbers = (on_device ? 1e9 : 1e6) / sizeof(T);
  auto const n =
      std::max<std::int64_t>(128, static_cast<std::int64_t>(numbers / (3 * D * D)) / 128 * 128);
  benchmark::RegisterBenchmark(
      ("operations/" + implementation + "/" + name_of(O) + how + "/" + type_name<T>() + "/" +
       name_of(layout) + "/D:" + std::to_string(D) + "/items:" + std::to_string(n))
          .c_str(),
      [=](benchmark::State& state) { body(state, n); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace BatchworkPerf

#endif
