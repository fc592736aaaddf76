// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Benchmark data: numbers that depend on a seed and their place only, so that kernels can write them and a reference
/// on the host can compute them again. Never zeros: devices run faster on those.
#ifndef BATCHWORK_PERF_DATA_HPP
#define BATCHWORK_PERF_DATA_HPP

#include <Batchwork.hpp>
#include <cstdint>
#include <string>

#include "Machine.hpp"

namespace BatchworkPerf {

/// Uniform in [0, 1): the finaliser of splitmix64 (Steele, Lea and Flood 2014) over seed and place.
KOKKOS_INLINE_FUNCTION double uniform(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t x = place + seed * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

/// Entry (i, j) of matrix number k: symmetric, diagonally dominant, so positive definite with a condition number
/// below 5 whatever its size D.
KOKKOS_INLINE_FUNCTION double spd_entry(std::uint64_t seed, std::int64_t k, int i, int j, int D) {
  int const low = i > j ? j : i, high = i > j ? i : j;
  double const u = uniform(seed, static_cast<std::uint64_t>((k * D + high) * D + low));
  return i == j ? 1 + u : (u - 0.5) / D;
}

/// Entry (i, j) of a general matrix of M x N entries between 0 and 1/N.
KOKKOS_INLINE_FUNCTION double general_entry(std::uint64_t seed, int i, int j, int N) {
  return uniform(seed, static_cast<std::uint64_t>(i * N + j)) / N;
}

// ---- the layouts of a batch of matrices -----------------------------------------------------------------------------

enum class Layout { planes, rows, packed };

constexpr char const* name_of(Layout l) {
  return l == Layout::planes ? "planes" : l == Layout::rows ? "rows" : "packed";
}
template <class T>
constexpr char const* type_name() {
  return sizeof(T) == 4 ? "float" : "double";
}

/// N matrices of R x C numbers in a layout: the View, the operand argument for it, and entry (k, i, j).
template <class T, int R, int C, Layout L>
struct Batch {
  using View =
      Kokkos::View<T* [R][C],
                   std::conditional_t<L == Layout::planes, Kokkos::LayoutLeft, Kokkos::LayoutRight>,
                   Memory>;
  View view;
  Batch(std::string const& label, std::int64_t n)
      : view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), static_cast<std::size_t>(n)) {}
  View operand() const { return view; }
  KOKKOS_INLINE_FUNCTION T& at(std::int64_t k, int i, int j) const { return view(k, i, j); }
};

template <class T, int R, int C>
struct Batch<T, R, C, Layout::packed> {
  static constexpr int W = on_device ? 32 : Batchwork::Impl::native_width<T>;
  using View = Kokkos::View<T* [R][C][W], Kokkos::LayoutRight, Memory>;
  View view;
  std::int64_t items;
  Batch(std::string const& label, std::int64_t n)
      : view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
             static_cast<std::size_t>((n + W - 1) / W)),
        items(n) {}
  auto operand() const { return Batchwork::packed(view, items); }
  KOKKOS_INLINE_FUNCTION T& at(std::int64_t k, int i, int j) const {
    return view(k / W, i, j, static_cast<int>(k % W));
  }
};

}  // namespace BatchworkPerf

#endif
