// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Measures how many operations an execution space does, without matrix instructions.
#ifndef BATCHWORK_PERF_PEAK_HPP
#define BATCHWORK_PERF_PEAK_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "Timing.hpp"
#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_Lanes.hpp"

namespace BatchworkPerf {

/// Chains of fused multiplications and additions that do not wait for one another, in registers. S:
/// a number on devices, a pack on hosts.
template <class T, class S, int Chains, int Steps>
struct MultiplyAndAdd {
  T* to;
  T factor, term;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    S const f(factor), t(term);
    S x[Chains];
    for (int c = 0; c < Chains; ++c) x[c] = S(T(k % 7 + c));
    for (int s = 0; s < Steps; ++s)
      for (int c = 0; c < Chains; ++c) x[c] = x[c] * f + t;
    S sum(T(0));
    for (int c = 0; c < Chains; ++c) sum = sum + x[c];
    if constexpr (std::is_same_v<S, T>) to[k] = sum;
    else to[k] = sum.lane(0);
  }
};

/// Operations per second, two for a fused multiplication and addition.
template <class T, class Space>
double measured_peak() {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
  constexpr int chains = on_host ? 10 : 8, width = on_host ? Batchwork::Impl::native_width<T> : 1,
                steps = 4096;
  std::int64_t const threads = on_host ? 64 * std::int64_t(Space().concurrency()) : 1 << 20;
  Kokkos::View<T*, typename Space::memory_space> const to("sums", std::size_t(threads));
  using S = std::conditional_t<on_host, Batchwork::Pack<T, width>, T>;
  MultiplyAndAdd<T, S, chains, steps> const kernel{to.data(), T(0.999), T(0.001)};
  double const time =
      measure([&] {
        Kokkos::parallel_for(
            "peak", Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, threads),
            kernel);
      }).best;
  return 2.0 * chains * width * steps * double(threads) / time;
}

}  // namespace BatchworkPerf

#endif
