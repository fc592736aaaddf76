// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What a launch may ask for: the limits of the device of an instance, the bytes of arguments, and
/// launch bounds.
#ifndef BATCHWORK_LAUNCH_LIMITS_HPP
#define BATCHWORK_LAUNCH_LIMITS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

namespace Batchwork::Impl::Vendor {

/// The limits of the device of an instance. Kokkos reports those of a team. Those of a
/// multiprocessor come from CUDA and HIP through Kokkos' public queries. On other devices a
/// multiprocessor is assumed to hold any number of teams, so that only the limits of a team
/// restrict a launch.
template <class Exec>
DeviceLimits device_limits([[maybe_unused]] Exec const& exec) {
  constexpr int any_lanes = std::numeric_limits<int>::max();
  DeviceLimits r{std::size_t(Kokkos::TeamPolicy<Exec>::scratch_size_max(0)),
                 std::numeric_limits<std::size_t>::max(),
                 0,
                 0,
                 any_lanes,
                 any_lanes,
                 any_lanes};
  [[maybe_unused]] auto const ask = [&](auto const& p) {
    // Kokkos keeps a double for each lane and two more for the team's reductions, and 16 static
    // bytes.
    r.reserved_of_team = 4 * sizeof(double);
    r.reserved_of_lane = sizeof(double);
    r.lanes_of_team = p.maxThreadsPerBlock;
    r.lanes_of_multiprocessor = p.maxThreadsPerMultiProcessor;
    r.teams_of_launch = std::int64_t(p.maxGridSize[0]) - 1;
    r.multiprocessors = p.multiProcessorCount;
  };
  if constexpr (requires { exec.cuda_device_prop(); }) {
    auto const& p = exec.cuda_device_prop();
    ask(p);
    r.reserved_of_team += p.reservedSharedMemPerBlock;
    r.scratch_of_multiprocessor = p.sharedMemPerMultiprocessor;
  } else if constexpr (requires { exec.hip_device_prop(); }) {
    auto const& p = exec.hip_device_prop();
    ask(p);
    r.scratch_of_multiprocessor = p.maxSharedMemoryPerMultiProcessor;
  }
  return r;
}

/// The largest size of a kernel's arguments for launches with Kokkos' light-weight hint, which
/// verbs use; larger arguments wait for a copy first. 32 KB on CUDA with a newer Kokkos, 4 KB
/// elsewhere. Hosts, which copy a functor to their threads, use the limit of the largest device.
template <class Exec>
inline constexpr std::size_t argument_bytes = 32768;
#if defined(KOKKOS_ENABLE_CUDA)
template <>
inline constexpr std::size_t argument_bytes<Kokkos::Cuda> =
    Kokkos::Impl::CudaTraits::KernelArgumentLimit;
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <>
inline constexpr std::size_t argument_bytes<Kokkos::HIP> = 4096;
#endif
#if defined(KOKKOS_ENABLE_SYCL)
template <>
inline constexpr std::size_t argument_bytes<Kokkos::SYCL> = 4096;
#endif
/// The part of it for a kernel of the library; Kokkos adds its policy and pointers.
template <class Exec>
inline constexpr std::size_t kernel_bytes = argument_bytes<Exec> - 1024;
/// The part of these for the fixed operands of a call, besides its Views and its sequence.
template <class Exec>
inline constexpr std::size_t fixed_bytes = kernel_bytes<Exec> - 1024;

/// Fixed operands of a call up to so many bytes are read from the arguments: constant memory, as
/// fast as registers as long as its cache holds them, ten times as slow beyond. Larger ones are
/// staged in team scratch on devices. Measured by perf_fixed.
inline constexpr std::size_t fast_argument_bytes = 2048;

/// The second number of Kokkos' LaunchBounds for a multiprocessor (a compute unit) that should hold
/// so many teams of so many lanes. For CUDA it is the number of teams. Kokkos passes it to the
/// compiler; HIP takes it as the least number of wavefronts of 64 that each of the four SIMDs of a
/// compute unit should hold (HIP language extensions, __launch_bounds__).
template <class Exec>
constexpr unsigned launch_bound([[maybe_unused]] int lanes, int teams) {
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<Exec, Kokkos::HIP>)
    return unsigned((teams * ((lanes + 63) / 64) + 3) / 4);
#endif
  return unsigned(teams);
}
template <class Exec, int Lanes, int Teams>
using TeamBounds = Kokkos::LaunchBounds<unsigned(Lanes), launch_bound<Exec>(Lanes, Teams)>;

}  // namespace Batchwork::Impl::Vendor

#endif
