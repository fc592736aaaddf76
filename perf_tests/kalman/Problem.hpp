// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The batch that every implementation of the covariance update works on, its reference and its
/// check.
#ifndef BATCHWORK_PERF_KALMAN_PROBLEM_HPP
#define BATCHWORK_PERF_KALMAN_PROBLEM_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "../common/Chosen.hpp"
#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {

/// The model that all items share.
template <class T, int D>
struct Model {
  T F[D][D], Q[D][D], H[D][D], R[D][D];

  Model() {
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) {
        F[i][j] = static_cast<T>(general_entry(1, i, j, D));
        Q[i][j] = static_cast<T>(spd_entry(2, 0, i, j, D));
        H[i][j] = static_cast<T>(general_entry(3, i, j, D));
        R[i][j] = static_cast<T>(spd_entry(4, 0, i, j, D));
      }
    }
  }
};

template <class T>
KOKKOS_INLINE_FUNCTION T prior_covariance(std::int64_t k, int i, int j, int D) {
  return static_cast<T>(spd_entry(5, k, i, j, D));
}

template <class T, int D, class P>
struct FillCovariances {
  P p;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) p.at(k, i, j) = prior_covariance<T>(k, i, j, D);
  }
};

/// The posterior covariance of item k in a type with more digits than T, by the textbook's
/// formulas.
template <class T, int D>
struct Reference {
  using X = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  Model<T, D> model;

  void operator()(std::int64_t k, X (&out)[D][D]) const {
    auto const& [F, Q, H, R] = model;
    X A[D][D], prior[D][D], g[D][D], l[D][D], y[D][D];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        A[i][j] = 0;
        for (int m = 0; m < D; ++m) A[i][j] += X(F[i][m]) * X(prior_covariance<T>(k, m, j, D));
      }
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        prior[i][j] = Q[i][j];
        for (int m = 0; m < D; ++m) prior[i][j] += A[i][m] * X(F[j][m]);
      }
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        g[i][j] = 0;
        for (int m = 0; m < D; ++m) g[i][j] += X(H[i][m]) * prior[m][j];
      }
    for (int j = 0; j < D; ++j)
      for (int i = j; i < D; ++i) {
        X s = R[i][j];
        for (int m = 0; m < D; ++m) s += g[i][m] * X(H[j][m]);
        for (int m = 0; m < j; ++m) s -= l[i][m] * l[j][m];
        l[i][j] = i == j ? std::sqrt(s) : s / l[j][j];
      }
    for (int c = 0; c < D; ++c)
      for (int i = 0; i < D; ++i) {
        X s = g[i][c];
        for (int m = 0; m < i; ++m) s -= l[i][m] * y[m][c];
        y[i][c] = s / l[i][i];
      }
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        out[i][j] = prior[i][j];
        for (int m = 0; m < D; ++m) out[i][j] -= y[m][i] * y[m][j];
      }
  }
};

/// ||out - reference|| / ||reference|| over the chosen items.
template <class T, int D, class Out>
double relative_error(Out const& out, std::int64_t items) {
  Chosen const chosen{items};
  using Gathered = Batch<T, D, D, Layout::item_contiguous>;
  Gathered const gathered("gathered", chosen.count());
  Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec>(0, chosen.count()),
                       GatherChosen<Gathered, Out, D>{gathered, out, chosen});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gathered.view);
  Reference<T, D> const reference{};
  long double difference = 0, norm = 0;
  for (std::int64_t c = 0; c < chosen.count(); ++c) {
    typename Reference<T, D>::X expected[D][D];
    reference(chosen[c], expected);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        long double const x = expected[i][j], e = host(c, i, j) - x;
        difference += e * e;
        norm += x * x;
      }
  }
  return static_cast<double>(std::sqrt(difference / norm));
}

/// A batch in a layout, its outputs poisoned.
template <class T, int D, Layout L>
struct Problem {
  using Matrices = Batch<T, D, D, L>;
  std::int64_t items;
  Matrices P, P_new;
  Model<T, D> model;

  explicit Problem(std::int64_t n) : items(n), P("P", n), P_new("P_new", n) {
    Kokkos::deep_copy(P.view, T(1));  // the unused slots of a last pack
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                         FillCovariances<T, D, Matrices>{P});
    Kokkos::deep_copy(P_new.view, std::numeric_limits<T>::quiet_NaN());
  }

  /// Checks what one call of `launch` computes, then times it. The tolerance: every entry is a sum
  /// of few sums of D products, and the matrices solved with are well conditioned.
  template <class Launch>
  void run(benchmark::State& state, Launch const& launch, bool one_triangle,
           double flops_per_D3) const {
    launch();
    Kokkos::fence();
    double const error = relative_error<T, D>(P_new, items);
    double const tolerance = 4.0 * D * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (auto _ : state) {
      if (!(error <= tolerance)) {
        state.SkipWithError(("wrong result: relative error " + std::to_string(error / tolerance) +
                             " times the tolerance")
                                .c_str());
        return;
      }
      int const read = one_triangle ? D * (D + 1) / 2 : D * D;
      Work work;
      work.items = items;
      work.bytes = static_cast<double>(items) * sizeof(T) * (read + D * D);
      work.flops = static_cast<double>(items) * flops_per_D3 * D * D * D;
      report<T>(state, work, measure(launch), error);
    }
  }
};

/// Registers `body(state, items)` under
/// kalman/<implementation>/<form>/<type>/<layout>/<source>/D:<D>/items:<n>, for the batch sizes of
/// this machine: about 1 GB in and out on a device; in cache, and once beyond it, on a host.
template <class T, int D, class Body>
void register_sizes(std::string const& implementation, std::string const& form, Layout layout,
                    std::string const& source, Body const& body) {
  std::string const name = "kalman/" + implementation + "/" + form + "/" + type_name<T>() + "/" +
                           name_of(layout) + "/" + source + "/D:" + std::to_string(D);
  auto const add = [&](double items) {
    auto const n = static_cast<std::int64_t>(items);
    benchmark::RegisterBenchmark((name + "/items:" + std::to_string(n)).c_str(),
                                 [=](benchmark::State& state) { body(state, n); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  if constexpr (on_device) {
    // A multiple of 128 items: the numbers of an entry then start on the lines of the device's
    // cache, which Kokkos::AllowPadding also brings about. Misaligned ones cost up to a fifth of
    // the bandwidth.
    add(std::floor(1e9 / (2.0 * sizeof(T) * D * D) / 128) * 128);
  } else {
    add(200000.0 / (D * D));
    if (D == 6) add(4e8 / (2.0 * sizeof(T) * D * D));
  }
}

}  // namespace BatchworkPerf

#endif
