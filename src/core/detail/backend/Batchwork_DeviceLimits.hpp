// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// DeviceLimits: the limits of a device that choices depend on. Choices made when a kernel is
/// launched ask for them (Vendor::device_limits); choices that are types of kernels use the
/// constants below, which hold for every device.
#ifndef BATCHWORK_DEVICELIMITS_HPP
#define BATCHWORK_DEVICELIMITS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Batchwork::Impl {

/// The team scratch, in bytes, for which kernels are laid out before the device is known, because
/// staging is part of their type. Every device has as much; CUDA devices with Kokkos 4 have the
/// least, 48 KB minus the 8 KB that Kokkos reserves for 1024 lanes.
inline constexpr std::size_t scratch_of_a_team = 40000;

/// The exact value with Kokkos 4 on CUDA devices. Choices that were measured with it are kept even
/// if there is more.
inline constexpr std::size_t scratch_with_kokkos_4 = 40928;

/// 32-bit registers of a multiprocessor. Launch bounds, which are types, divide them among lanes.
/// All CUDA devices have this number; on other devices the compiler interprets the bounds.
inline constexpr int registers_of_multiprocessor = 65536;

/// The lanes that execute together. Wavefronts of 64 hold two such warps.
inline constexpr int lanes_of_warp = 32;

/// The limits for a kernel. Bytes are level-0 team scratch.
struct DeviceLimits {
  std::size_t scratch_of_team = 0;            ///< the most that Kokkos gives to a team
  std::size_t scratch_of_multiprocessor = 0;  ///< shared by the teams on a multiprocessor
  std::size_t reserved_of_team = 0;           ///< the part reserved in addition to a team's scratch
  std::size_t reserved_of_lane = 0;           ///< and the part reserved for each of its lanes
  int lanes_of_team = 0;                      ///< the most lanes of a team
  int lanes_of_multiprocessor = 0;            ///< the most lanes of all teams on it
  std::int64_t teams_of_launch = 0;           ///< the most teams of a launch
  int multiprocessors = 1;                    ///< the multiprocessors of the device

  /// The bytes for each of so many teams of so many lanes, if a multiprocessor should hold all of
  /// them at once.
  constexpr std::size_t scratch(int teams, int lanes) const {
    std::size_t const share = scratch_of_multiprocessor / std::size_t(teams),
                      beside = reserved_of_team + reserved_of_lane * std::size_t(lanes);
    return share <= beside ? 0 : std::min(scratch_of_team, share - beside);
  }
  /// Whether a multiprocessor holds so many teams of so many lanes and bytes.
  constexpr bool holds(int teams, int lanes, std::size_t bytes) const {
    return lanes <= lanes_of_team && std::int64_t(teams) * lanes <= lanes_of_multiprocessor &&
           bytes <= scratch(teams, lanes);
  }
};

/// Doubles the items of a team as long as they stay within both limits and fits() is true.
template <class Fits>
constexpr void double_items(int& items, int most_of_team, std::int64_t most, Fits const& fits) {
  while (2 * items <= most_of_team && 2 * items <= most) {
    items *= 2;
    if (fits()) continue;
    items /= 2;
    break;
  }
}

/// Chooses which of N operands are staged, from their sizes and the available bytes: bit k stands
/// for operand k. First those that `must`, because they are read slowly from where they are; then
/// the others from the smallest on, the first one of equal sizes. Operands of 0 bytes are not
/// staged.
template <int N>
constexpr std::uint64_t staged_operands(std::size_t const (&bytes)[N], bool const (&must)[N],
                                        std::size_t available) {
  std::uint64_t staged = 0, seen = 0;
  for (int n = 0; n < N; ++n) {
    int next = -1;
    for (int k = 0; k < N; ++k) {
      if ((seen >> k & 1) != 0 || bytes[k] == 0) continue;
      if (next < 0 || (must[k] && !must[next]) || (must[k] == must[next] && bytes[k] < bytes[next]))
        next = k;
    }
    if (next < 0) break;
    seen |= std::uint64_t(1) << next;
    if (bytes[next] > available) continue;
    available -= bytes[next];
    staged |= std::uint64_t(1) << next;
  }
  return staged;
}

}  // namespace Batchwork::Impl

#endif
