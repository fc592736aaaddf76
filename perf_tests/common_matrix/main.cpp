// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One matrix and the right-hand sides of all items: solve_lu and solve_tridiagonal with common(A).
// The floor is a streaming copy of b to x, measured in the same run. Peers: the same verbs with a
// View that repeats the matrix, and on CUDA devices two calls of cuBLAS' trsm with all right-hand
// sides.

#include <Batchwork_Banded.hpp>
#include <Batchwork_Dense.hpp>
#include <exception>
#include <string>
#include <vector>

#include "../common/Chosen.hpp"
#include "../common/Cuda.hpp"
#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {
namespace {

enum class How { fastest, by_warps, by_lane, repeated, cublas };
char const* const names[] = {"common", "by_warps", "by_lane", "repeated", "cublas_trsm"};

using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// Entry (i, j): symmetric and positive definite, or with rows that must be exchanged.
KOKKOS_INLINE_FUNCTION double entry(bool exchanged, int i, int j, int n) {
  return spd_entry(3, 0, exchanged ? (i * 7 + 3) % n : i, j, n);
}

template <class T>
struct FillMatrix {
  T* to;
  bool exchanged;
  int n;
  KOKKOS_FUNCTION void operator()(int k) const {
    to[k] = static_cast<T>(entry(exchanged, k / n, k % n, n));
  }
};
template <class T>
struct FillSides {
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    to[k] = static_cast<T>(uniform(1, static_cast<std::uint64_t>(k)) - 0.5);
  }
};
/// The largest residual of the items that are looked at.
template <class T, class V>
struct Residual {
  T const* a;
  V b, x;
  Chosen chosen;
  int n;
  KOKKOS_FUNCTION void operator()(std::int64_t c, double& most) const {
    std::int64_t const q = chosen[c];
    for (int i = 0; i < n; ++i) {
      double r = -double(b(q, i));
      for (int j = 0; j < n; ++j) r += double(a[i * n + j]) * double(x(q, j));
      // NaN too.
      if (!(Kokkos::abs(r) <= most)) most = Kokkos::isnan(r) ? 1e30 : Kokkos::abs(r);
    }
  }
};

template <class V>
struct SplineResidual {
  V b, x;
  Chosen chosen;
  int n;
  KOKKOS_FUNCTION void operator()(std::int64_t c, double& most) const {
    std::int64_t const q = chosen[c];
    for (int i = 0; i < n; ++i) {
      double r = 4 * double(x(q, i)) - double(b(q, i));
      if (i > 0) r += double(x(q, i - 1));
      if (i + 1 < n) r += double(x(q, i + 1));
      // NaN too.
      if (!(Kokkos::abs(r) <= most)) most = Kokkos::isnan(r) ? 1e30 : Kokkos::abs(r);
    }
  }
};

template <class T, class Layout>
void solve(benchmark::State& state, How how, bool exchanged, int n, std::int64_t items) {
  using V = Kokkos::View<T**, Layout, Memory>;
  auto const no_value = [](char const* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  auto const N = static_cast<std::size_t>(n);
  V const b(no_value("b"), static_cast<std::size_t>(items), N),
      x(no_value("x"), static_cast<std::size_t>(items), N);
  Kokkos::View<T**, Kokkos::LayoutRight, Memory> const a("a", N, N);
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(0, n * n),
                       FillMatrix<T>{a.data(), exchanged, n});
  Kokkos::parallel_for("fill",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, items * n),
                       FillSides<T>{b.data()});
  Kokkos::deep_copy(x, T(-1));
  Exec const exec;
  Kokkos::View<T***, Kokkos::LayoutStride, Memory, Unmanaged> const repeated(
      a.data(), Kokkos::LayoutStride(static_cast<std::size_t>(items), 0, N, N, N, 1));
  auto const launch = [&] {
    using namespace Batchwork;
    if (how == How::fastest) solve_lu(exec, common(a), in(b), out(x));
    if (how == How::repeated) solve_lu(exec, in(repeated), in(b), out(x));
    if (how == How::by_warps)
      solve_lu(exec, Batchwork::launch("w", kernel::by_warps), common(a), in(b), out(x));
    if (how == How::by_lane)
      solve_lu(exec, Batchwork::launch("l", kernel::by_lane), common(a), in(b), out(x));
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
    if (how == How::cublas) {
      // x = b first, as in a program that keeps b. Only the time counts: a stands for its factors.
      Kokkos::deep_copy(exec, x, b);
      T const one = 1;
      auto const trsm = [&](auto const& f, auto uplo, auto diagonal) {
        f(handles().blas, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, diagonal, n, int(items), &one,
          a.data(), n, x.data(), n);
      };
      auto const both = [&](auto const& f) {
        trsm(f, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT);
        trsm(f, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT);
      };
      if constexpr (sizeof(T) == 4) both(cublasStrsm);
      else both(cublasDtrsm);
    }
#endif
  };
  try {
    launch();
  } catch (std::exception const& e) {
    state.SkipWithError(e.what());
    return;
  }
  double error = 0;
  if (how != How::cublas) {
    Chosen const chosen{items};
    Kokkos::parallel_reduce(
        "residual", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, chosen.count()),
        Residual<T, V>{a.data(), b, x, chosen, n}, Kokkos::Max<double>(error));
  }
  for (auto _ : state) {
    if (error > (sizeof(T) == 4 ? 1e-5 : 1e-13) * n) {
      state.SkipWithError(("wrong result: residual " + std::to_string(error)).c_str());
      return;
    }
    Work work;
    work.items = items;
    work.bytes = 2.0 * static_cast<double>(items) * sizeof(T) * n;
    work.flops = 2.0 * static_cast<double>(items) * n * n;
    report<T>(state, work, measure(launch, 1e-3), error);
  }
}

/// Splines: 1, 4, 1.
template <class T, class Layout>
void solve_splines(benchmark::State& state, How how, int n, std::int64_t items) {
  using V = Kokkos::View<T**, Layout, Memory>;
  auto const N = static_cast<std::size_t>(n), I = static_cast<std::size_t>(items);
  V const b(Kokkos::view_alloc("b", Kokkos::WithoutInitializing), I, N),
      x(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), I, N);
  Kokkos::View<T*, Memory> const off("off", N), diagonal("diagonal", N);
  Kokkos::deep_copy(off, T(1)), Kokkos::deep_copy(diagonal, T(4));
  Kokkos::parallel_for("fill",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, items * n),
                       FillSides<T>{b.data()});
  Exec const exec;
  auto const repeat = [&](auto const& v) {
    return Kokkos::View<T**, Kokkos::LayoutStride, Memory, Unmanaged>(
        v.data(), Kokkos::LayoutStride(I, 0, N, 1));
  };
  auto const launch = [&] {
    using namespace Batchwork;
    if (how == How::fastest)
      solve_tridiagonal(exec, common(off), common(diagonal), common(off), b, x);
    else solve_tridiagonal(exec, repeat(off), repeat(diagonal), repeat(off), b, x);
  };
  launch();
  double error = 0;
  Chosen const chosen{items, 2000};
  Kokkos::parallel_reduce(
      "residual", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, chosen.count()),
      SplineResidual<V>{b, x, chosen, n}, Kokkos::Max<double>(error));
  for (auto _ : state) {
    if (error > (sizeof(T) == 4 ? 1e-6 : 1e-14)) {
      state.SkipWithError(("wrong result: residual " + std::to_string(error)).c_str());
      return;
    }
    Work work;
    work.items = items;
    work.bytes = 2.0 * static_cast<double>(items) * sizeof(T) * n;
    work.flops = 5.0 * static_cast<double>(items) * n;
    report<T>(state, work, measure(launch, 1e-3), error);
  }
}
/// common/tridiagonal/<how>/<type>/<layout>/n:<n>/items:<items>
template <class T>
void register_splines() {
  std::int64_t const numbers = (on_device ? 536870912 : 33554432) / int(sizeof(T));
  for (How const how : {How::fastest, How::repeated})
    for (int const n : {4, 8, 16, 32, 64, 100, 256, 500, 1000, 2000, 4096}) {
      std::int64_t const items = numbers / n / 128 * 128;
      auto const add = [&](char const* layout, auto const& f) {
        std::string const name = std::string("common/tridiagonal/") + names[int(how)] + "/" +
                                 type_name<T>() + "/" + layout + "/n:" + std::to_string(n) +
                                 "/items:" + std::to_string(items);
        benchmark::RegisterBenchmark(name.c_str(), f)
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      };
      add("interleaved", [=](benchmark::State& state) {
        solve_splines<T, Kokkos::LayoutLeft>(state, how, n, items);
      });
      add("item-contiguous", [=](benchmark::State& state) {
        solve_splines<T, Kokkos::LayoutRight>(state, how, n, items);
      });
    }
}

/// common/<how>/<type>/<layout>[/exchanged]/n:<n>/items:<items>, in and out 1 GB on a device, 64 MB
/// on a host.
template <class T>
void register_solves() {
  std::int64_t const numbers = (on_device ? 536870912 : 33554432) / int(sizeof(T));
  std::vector<How> hows{How::fastest, How::repeated};
  if (on_device) hows.insert(hows.begin() + 1, {How::by_warps, How::by_lane});
  for (How const how : hows)
    for (bool const exchanged : {false, true})
      for (int const n : {2, 3, 4, 6, 8, 12, 16, 20, 24, 31, 32, 40, 48, 56, 64, 96, 128}) {
        if (exchanged && (how == How::repeated || n % 16 != 0)) continue;
        if (how == How::by_lane && n > 64) continue;
        std::int64_t const items = numbers / n / 128 * 128;
        auto const add = [&](How h, char const* layout, auto const& f) {
          std::string const name = std::string("common/") + names[int(h)] + "/" + type_name<T>() +
                                   "/" + layout + (exchanged ? "/exchanged" : "") +
                                   "/n:" + std::to_string(n) + "/items:" + std::to_string(items);
          benchmark::RegisterBenchmark(name.c_str(), f)
              ->Iterations(1)
              ->UseManualTime()
              ->Unit(benchmark::kMillisecond);
        };
        add(how, "interleaved", [=](benchmark::State& state) {
          solve<T, Kokkos::LayoutLeft>(state, how, exchanged, n, items);
        });
        add(how, "item-contiguous", [=](benchmark::State& state) {
          solve<T, Kokkos::LayoutRight>(state, how, exchanged, n, items);
        });
#if defined(BATCHWORK_HAVE_CUBLAS) && defined(BATCHWORK_HAVE_CUSOLVER) && \
    defined(KOKKOS_ENABLE_CUDA)
        if (how == How::repeated)
          add(How::cublas, "item-contiguous", [=](benchmark::State& state) {
            solve<T, Kokkos::LayoutRight>(state, How::cublas, exchanged, n, items);
          });
#endif
      }
}

void register_all() {
  register_solves<float>();
  register_solves<double>();
  register_splines<float>();
  register_splines<double>();
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
