// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Facts about the machine a benchmark runs on, for its context and for the floors.
#ifndef BATCHWORK_PERF_MACHINE_HPP
#define BATCHWORK_PERF_MACHINE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace BatchworkPerf {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// Whether the default execution space is a device. Peers that are plain host loops run only where
/// it is not.
inline constexpr bool on_device =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// Bytes per second read plus written by a copy between two buffers that together hold `footprint`
/// bytes, rounded up to a power of two; the better of a kernel of 16-byte moves and of
/// Kokkos::deep_copy. Measured once per size.
double copy_bandwidth(std::size_t footprint);

/// Operations per second that the arithmetic units can do in T: the flag --peak-float or
/// --peak-double, or what is known of the device; 0 where it is not known.
template <class T>
double peak();

/// What main() does for every benchmark: Kokkos, the flags, the context, the benchmarks that
/// `register_all` names.
int run(int argc, char** argv, void (*register_all)());

}  // namespace BatchworkPerf

#endif
