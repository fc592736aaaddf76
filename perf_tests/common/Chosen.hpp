// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The items of a large batch whose results are compared with a reference.
#ifndef BATCHWORK_PERF_CHOSEN_HPP
#define BATCHWORK_PERF_CHOSEN_HPP

#include <cstdint>

#include "Machine.hpp"

namespace BatchworkPerf {

/// Which items are compared with the reference: all of them on a host; on a device, where the
/// reference would take longer than all the rest, 20000 that are spread evenly, the last 1000 among
/// them.
struct Chosen {
  std::int64_t items;
  std::int64_t most = 20000;
  static constexpr std::int64_t at_end = 1000;

  KOKKOS_INLINE_FUNCTION std::int64_t count() const {
    return on_device && items > most ? most : items;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t operator[](std::int64_t c) const {
    std::int64_t const n = count();
    if (n == items) return c;
    return c < n - at_end ? c * ((items - at_end) / (n - at_end)) : items - n + c;
  }
};

template <class To, class From, int D, int C = D>
struct GatherChosen {
  To to;
  From from;
  Chosen chosen;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < C; ++j) to.at(c, i, j) = from.at(chosen[c], i, j);
  }
};

}  // namespace BatchworkPerf

#endif
