// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Benchmark data: numbers that depend on a seed and their place only, so that kernels can write
/// them and a reference on the host can compute them again. Never zeros: devices run faster on
/// those.
#ifndef BATCHWORK_PERF_DATA_HPP
#define BATCHWORK_PERF_DATA_HPP

#include <Batchwork.hpp>
#include <cstdint>
#include <string>

#include "Machine.hpp"
#include "tune/detail/Batchwork_RandomEntries.hpp"

namespace BatchworkPerf {

using Batchwork::Impl::spd_entry;
using Batchwork::Impl::uniform;

/// Entry (i, j) of a general matrix of M x N entries between 0 and 1/N.
KOKKOS_INLINE_FUNCTION double general_entry(std::uint64_t seed, int i, int j, int N) {
  return uniform(seed, static_cast<std::uint64_t>(i * N + j)) / N;
}

// ---- matrices common to all items ---------------------------------------------------------------

template <class T, int R, int C>
Kokkos::View<T[R][C], Memory> to_view(char const* label, T const (&m)[R][C]) {
  Kokkos::View<T[R][C], Memory> v{std::string(label)};
  auto const host = Kokkos::create_mirror_view(v);
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) host(i, j) = m[i][j];
  Kokkos::deep_copy(v, host);
  return v;
}

template <class T, int R, int C>
Batchwork::Matrix<T, R, C> to_tile(T const (&m)[R][C]) {
  Batchwork::Matrix<T, R, C> tile;
  tile.info = 0;
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) tile.set(i, j, m[i][j]);
  return tile;
}
template <class T, int N>
Batchwork::Vector<T, N> to_tile(T const (&v)[N]) {
  Batchwork::Vector<T, N> tile;
  tile.info = 0;
  for (int i = 0; i < N; ++i) tile.set(i, 0, v[i]);
  return tile;
}

// ---- the layouts of a batch of matrices
// ---------------------------------------------------------------------------------------------

enum class Layout { interleaved, item_contiguous, compact };

constexpr char const* name_of(Layout l) {
  return l == Layout::interleaved       ? "interleaved"
         : l == Layout::item_contiguous ? "item-contiguous"
                                        : "compact";
}
template <class T>
constexpr char const* type_name() {
  return sizeof(T) == 4 ? "float" : "double";
}

/// N matrices of R x C numbers in a layout: the View, the operand argument for it, and entry (k, i,
/// j).
template <class T, int R, int C, Layout L>
struct Batch {
  using View = Kokkos::View<
      T* [R][C],
      std::conditional_t<L == Layout::interleaved, Kokkos::LayoutLeft, Kokkos::LayoutRight>,
      Memory>;
  View view;
  Batch(std::string const& label, std::int64_t n)
      : view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), static_cast<std::size_t>(n)) {}
  View operand() const { return view; }
  KOKKOS_INLINE_FUNCTION T& at(std::int64_t k, int i, int j) const { return view(k, i, j); }
};

template <class T, int R, int C>
struct Batch<T, R, C, Layout::compact> {
  static constexpr int W = on_device ? 32 : Batchwork::Impl::native_width<T>;
  using View = Kokkos::View<T* [R][C][W], Kokkos::LayoutRight, Memory>;
  View view;
  std::int64_t items;
  Batch(std::string const& label, std::int64_t n)
      : view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
             static_cast<std::size_t>((n + W - 1) / W)),
        items(n) {}
  auto operand() const { return Batchwork::compact(view, items); }
  KOKKOS_INLINE_FUNCTION T& at(std::int64_t k, int i, int j) const {
    return view(k / W, i, j, static_cast<int>(k % W));
  }
};

}  // namespace BatchworkPerf

#endif
