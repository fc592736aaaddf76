// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Measures how fast an execution space copies memory.
#ifndef BATCHWORK_PERF_BANDWIDTH_HPP
#define BATCHWORK_PERF_BANDWIDTH_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "Timing.hpp"

namespace BatchworkPerf {

struct alignas(16) Word16 {
  std::uint32_t v[4];
};

struct FillWords {
  Word16* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < 4; ++i) to[k].v[i] = static_cast<std::uint32_t>(k * 2654435761 + i * 40503);
  }
};
struct CopyWords {
  Word16* to;
  Word16 const* from;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to[k] = from[k]; }
};

/// Bytes per second read plus written by a copy between two buffers that together hold so many
/// bytes; the better of a kernel of 16-byte moves and of Kokkos::deep_copy.
template <class Space>
double measured_copy_bandwidth(std::size_t bytes) {
  using There = typename Space::memory_space;
  std::size_t const words = bytes / 2 / sizeof(Word16);
  Kokkos::View<Word16*, There> from(Kokkos::view_alloc("from", Kokkos::WithoutInitializing), words);
  Kokkos::View<Word16*, There> to(Kokkos::view_alloc("to", Kokkos::WithoutInitializing), words);
  Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> const all(
      0, static_cast<std::int64_t>(words));
  Kokkos::parallel_for("fill", all, FillWords{from.data()});
  double const by_kernel =
      measure([&] { Kokkos::parallel_for("copy", all, CopyWords{to.data(), from.data()}); }).median;
  double const by_deep_copy = measure([&] { Kokkos::deep_copy(Space(), to, from); }).median;
  return 2.0 * static_cast<double>(words * sizeof(Word16)) / std::min(by_kernel, by_deep_copy);
}

}  // namespace BatchworkPerf

#endif
