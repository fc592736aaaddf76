// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The limits of several devices, so that choices for them are tested without a device.
#ifndef BATCHWORK_TEST_DEVICES_HPP
#define BATCHWORK_TEST_DEVICES_HPP

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

namespace Batchwork::Test {

struct Device {
  char const* name;
  Impl::DeviceLimits limits;
  /// On CUDA, Kokkos launches a kernel only if a multiprocessor can hold the number of teams in the
  /// launch bounds. On other devices one team must fit.
  bool counts_teams;
};

/// Scratch memory of a team. Kokkos 4 on CUDA provides 48 KB minus 8216 bytes. Kokkos 5.2 provides
/// the opt-in maximum of a block minus 24,600 bytes, and minus the 1 KB that the driver reserves
/// since the A100 (compute capabilities 7.0, 8.0, 8.9, 9.0 in the CUDA C++ Programming Guide, table
/// of technical specifications). CDNA has 64 KB for each compute unit, PVC 128 KB for each core.
inline std::vector<Device> const& devices() {
  auto const cuda = [](std::size_t scratch, std::size_t shared, int lanes) {
    std::size_t const driver = shared == 98304 ? 0 : 1024;  // the V100 has none
    return Impl::DeviceLimits{scratch, shared, 32 + driver, 8, 1024, lanes, 2147483646};
  };
  constexpr std::size_t kokkos_4 = 49152 - 8216;
  auto const kokkos_5 = [](std::size_t opted_in, std::size_t driver) {
    return opted_in - driver - 24600;
  };
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  constexpr int lanes = std::numeric_limits<int>::max();
  static std::vector<Device> const all{
      {"V100, Kokkos 4", cuda(kokkos_4, 98304, 2048), true},
      {"V100, Kokkos 5.2", cuda(kokkos_5(98304, 0), 98304, 2048), true},
      {"A100, Kokkos 4", cuda(kokkos_4, 167936, 2048), true},
      {"A100, Kokkos 5.2", cuda(kokkos_5(166912 + 1024, 1024), 167936, 2048), true},
      {"L40, Kokkos 4", cuda(kokkos_4, 102400, 1536), true},
      {"H200, Kokkos 4", cuda(kokkos_4, 233472, 2048), true},
      {"H200, Kokkos 5.2", cuda(206824, 233472, 2048), true},
      {"MI250", {65536 - 8216, 65536, 32, 8, 1024, 2048, 2147483646}, false},
      {"MI300", {65536 - 8216, 65536, 32, 8, 1024, 2048, 2147483646}, false},
      {"PVC", {131072 - 8208, any, 0, 0, lanes, lanes, lanes}, false},
      {"a host", {32768, any, 0, 0, lanes, lanes, lanes}, false},
  };
  return all;
}
inline Impl::DeviceLimits limits_of(std::string const& name) {
  for (auto const& d : devices())
    if (d.name == name) return d.limits;
  return {};
}
inline Impl::DeviceLimits h200_with_kokkos_4() { return limits_of("H200, Kokkos 4"); }
inline Impl::DeviceLimits h200_with_kokkos_5() { return limits_of("H200, Kokkos 5.2"); }

/// Whether Kokkos launches these teams on this device.
inline bool launches(Device const& d, int teams, int lanes, std::size_t bytes) {
  return d.limits.holds(d.counts_teams ? teams : 1, lanes, bytes);
}

}  // namespace Batchwork::Test

#endif
