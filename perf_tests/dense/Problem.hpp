// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Inverses, decompositions and functions of the square matrices of a batch. Each gives a matrix
/// `left`, and `right` and `middle` if it has them:
///   inverse  left = A^-1
///   qr       A = left right, orthogonal and upper triangular
///   eigh     A = left diag(middle) left'
///   svd      A = left diag(middle) right'
///   sqrt_spd A = left left, A symmetric and positive definite
///   expm     left = exp(A)
#ifndef BATCHWORK_PERF_DENSE_PROBLEM_HPP
#define BATCHWORK_PERF_DENSE_PROBLEM_HPP

#include <algorithm>
#include <cmath>
#include <limits>

#include "../common/Chosen.hpp"
#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

enum class Decomposition { inverse, qr, eigh, svd, sqrt_spd, expm };

constexpr char const* name_of(Decomposition o) {
  return o == Decomposition::inverse    ? "inverse"
         : o == Decomposition::qr       ? "qr"
         : o == Decomposition::eigh     ? "eigh"
         : o == Decomposition::svd      ? "svd"
         : o == Decomposition::sqrt_spd ? "sqrt_spd"
                                        : "expm";
}
constexpr bool has_right(Decomposition o) {
  return o == Decomposition::qr || o == Decomposition::svd;
}
constexpr bool has_middle(Decomposition o) {
  return o == Decomposition::eigh || o == Decomposition::svd;
}

/// Entry (i, j) of item k: between -1 and 1, symmetric for eigenvalues. Of an inverse the diagonal
/// is larger, in an order of the rows that is the item's.
template <class T, Decomposition O>
KOKKOS_INLINE_FUNCTION T dense_entry(std::int64_t k, int i, int j, int D) {
  if (O == Decomposition::sqrt_spd) return static_cast<T>(spd_entry(3, k, i, j, D));
  int const low = O == Decomposition::eigh && j > i ? i : j,
            high = O == Decomposition::eigh && j > i ? j : i;
  double const u = 2 * uniform(3, static_cast<std::uint64_t>((k * D + high) * D + low)) - 1;
  bool const large = O == Decomposition::inverse && (i + k) % D == j;
  return static_cast<T>(large ? u + 2 * std::sqrt(double(D)) : u);
}

/// x = exp(a), in place: a Taylor polynomial of a matrix that is halved until its norm is below
/// 1/2, and squared as often.
template <int D>
void exponential(long double (&x)[D][D]) {
  long double power[D][D], next[D][D], norm = 0;
  for (int j = 0; j < D; ++j) {
    long double column = 0;
    for (int i = 0; i < D; ++i) column += std::fabs(x[i][j]);
    norm = std::max(norm, column);
  }
  int const halvings = std::max(0, static_cast<int>(std::ceil(std::log2(norm))) + 1);
  long double a[D][D];
  auto const multiply = [&](auto const& p, auto const& q, long double by) {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        next[i][j] = 0;
        for (int m = 0; m < D; ++m) next[i][j] += p[i][m] * q[m][j];
        next[i][j] *= by;
      }
  };
  auto const copy = [](auto& to, auto const& from) {
    std::copy(&from[0][0], &from[0][0] + D * D, &to[0][0]);
  };
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      a[i][j] = power[i][j] = std::ldexp(x[i][j], -halvings);
      x[i][j] = a[i][j] + (i == j ? 1 : 0);
    }
  for (int n = 2; n < 18; ++n) {
    multiply(power, a, 1.0L / n);
    copy(power, next);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) x[i][j] += power[i][j];
  }
  for (int n = 0; n < halvings; ++n) {
    multiply(x, x, 1);
    copy(x, next);
  }
}

template <class T, int D, Decomposition O, class Matrices>
struct FillDense {
  Matrices a;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) a.at(k, i, j) = dense_entry<T, O>(k, i, j, D);
  }
};

template <class T, int D, Layout L, Decomposition O>
struct DenseProblem {
  using Matrices = Batch<T, D, D, L>;
  using Vectors = Kokkos::View<
      T* [D], std::conditional_t<L == Layout::interleaved, Kokkos::LayoutLeft, Kokkos::LayoutRight>,
      Memory>;
  std::int64_t items;
  Matrices a, left, right;
  Vectors middle;

  explicit DenseProblem(std::int64_t n)
      : items(n),
        a("A", n),
        left("left", n),
        right("right", has_right(O) ? n : 0),
        middle("middle", has_middle(O) ? static_cast<std::size_t>(n) : 0) {
    using Index = Kokkos::IndexType<std::int64_t>;
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec, Index>(0, n),
                         FillDense<T, D, O, Matrices>{a});
    Kokkos::deep_copy(left.view, std::numeric_limits<T>::quiet_NaN());
    Kokkos::deep_copy(right.view, std::numeric_limits<T>::quiet_NaN());
    Kokkos::deep_copy(middle, std::numeric_limits<T>::quiet_NaN());
  }

  /// ||what is made of the result - A|| / ||A|| over some items; of an inverse ||A left - I|| /
  /// (||A|| ||left||), of an exponential
  /// ||left - exp(A)|| / ||exp(A)||.
  double error() const {
    Chosen const chosen{items, D > 32 || O == Decomposition::expm ? 1100 : 2000};
    using Gathered = Batch<T, D, D, Layout::item_contiguous>;
    auto const gather = [&](Matrices const& from) {
      Gathered const to("gathered", from.view.size() > 0 ? chosen.count() : 0);
      if (from.view.size() > 0)
        Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec>(0, chosen.count()),
                             GatherChosen<Gathered, Matrices, D>{to, from, chosen});
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to.view);
    };
    auto const x = gather(left), y = gather(right);
    auto const m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), middle);
    if constexpr (O == Decomposition::expm) return error_of_exponential(x, chosen);
    long double difference = 0, norm_a = 0, norm_x = 0;
    for (std::int64_t c = 0; c < chosen.count(); ++c)
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) {
          std::int64_t const k = chosen[c];
          auto const entry = [&](int p, int q) {
            return static_cast<long double>(dense_entry<T, O>(k, p, q, D));
          };
          long double const a_ij = entry(i, j);
          long double s = O == Decomposition::inverse ? (i == j ? -1 : 0) : -a_ij;
          for (int p = 0; p < D; ++p) {
            if constexpr (O == Decomposition::inverse) s += entry(i, p) * x(c, p, j);
            if constexpr (O == Decomposition::sqrt_spd)
              s += static_cast<long double>(x(c, i, p)) * x(c, p, j);
            if constexpr (O == Decomposition::qr)
              s += static_cast<long double>(x(c, i, p)) * y(c, p, j);
            if constexpr (O == Decomposition::eigh)
              s += static_cast<long double>(x(c, i, p)) * m(k, p) * x(c, j, p);
            if constexpr (O == Decomposition::svd)
              s += static_cast<long double>(x(c, i, p)) * m(k, p) * y(c, j, p);
          }
          difference += s * s;
          norm_a += a_ij * a_ij;
          norm_x += static_cast<long double>(x(c, i, j)) * x(c, i, j);
        }
    long double const of_items = static_cast<long double>(chosen.count());
    long double const size = O == Decomposition::inverse ? norm_a * norm_x / of_items : norm_a;
    return static_cast<double>(std::sqrt(difference / size));
  }

  /// Over a few of the items that are chosen.
  template <class Results>
  double error_of_exponential(Results const& x, Chosen const& chosen) const {
    long double difference = 0, norm = 0;
    std::int64_t const step = chosen.count() / 100 + 1;
    for (std::int64_t c = chosen.count() - 1; c >= 0; c -= step) {
      long double e[D][D];
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j)
          e[i][j] = static_cast<long double>(dense_entry<T, O>(chosen[c], i, j, D));
      exponential(e);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) {
          difference += (x(c, i, j) - e[i][j]) * (x(c, i, j) - e[i][j]);
          norm += e[i][j] * e[i][j];
        }
    }
    return static_cast<double>(std::sqrt(difference / norm));
  }

  /// Times `launch`; `error` is the error of its result.
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
      double const full = D * D, cube = 1.0 * D * D * D;
      Work work;
      work.items = items;
      work.bytes = static_cast<double>(items) * sizeof(T) *
                   ((has_right(O) ? 3 : 2) * full + (has_middle(O) ? D : 0));
      // Golub and Van Loan, Matrix Computations, 4th edition, sections 5.2.9, 8.3.3, figure 8.6.1:
      // by tridiagonal and bidiagonal matrices. An exponential: the products of its Pade
      // approximant and a solve, no squaring. A root: eigenvectors, and a symmetric product.
      work.flops = static_cast<double>(items) * cube *
                   (O == Decomposition::inverse    ? 2
                    : O == Decomposition::qr       ? 8.0 / 3
                    : O == Decomposition::eigh     ? 9
                    : O == Decomposition::sqrt_spd ? 10
                    : O == Decomposition::expm     ? (sizeof(T) == 4 ? 8 : 12) + 8.0 / 3
                                                   : 21);
      report<T>(state, work, measure(launch), error);
    }
  }
};

/// Registers `body(state, items)` as
/// operations/<implementation>/<decomposition>/<type>/<layout>/D:<D>/items:<n>, with about 1 GB in
/// and out on a device and 1 MB on a host, and at most so many items. The name has
/// `how`, such as /XsyevBatched, before D.
template <class T, int D, Decomposition O, class Body>
void register_decomposition(std::string const& implementation, Layout layout, Body const& body,
                            std::int64_t most_items = 1 << 30, std::string const& how = "") {
  double const numbers = (on_device ? 1e9 : 1e6) / sizeof(T);
  auto const n = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(numbers / (3 * D * D)) / 128 * 128, 128, most_items);
  benchmark::RegisterBenchmark(
      ("operations/" + implementation + "/" + name_of(O) + "/" + type_name<T>() + "/" +
       name_of(layout) + how + "/D:" + std::to_string(D) + "/items:" + std::to_string(n))
          .c_str(),
      [=](benchmark::State& state) { body(state, n); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace BatchworkPerf

#endif
