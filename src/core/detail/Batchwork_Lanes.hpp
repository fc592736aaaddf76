// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Lane policies: the number of items in the smallest unit of execution. OneLane on devices,
/// PackLanes<W> on hosts.
#ifndef BATCHWORK_LANES_HPP
#define BATCHWORK_LANES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "core/Batchwork_Complex.hpp"
#include "core/Batchwork_Distributed.hpp"
#include "core/detail/Batchwork_CopyGroup.hpp"

namespace Batchwork {

/// A device lane holds a whole item in registers. Common operands are read in place through the
/// cache, because a map needs each of their numbers about once.
struct OneLane {
  static constexpr int width = 1;
  static constexpr int lanes_per_item = 1;
  static constexpr int copy_group_lanes = 1;
  static constexpr bool stages = false;
  static constexpr bool stages_fixed = false;
  /// The team scratch for which a kernel is laid out, in bytes.
  static constexpr std::size_t available = Impl::scratch_of_a_team;
  template <class T>
  using value = T;
};

/// The same for a scan, which reads common operands at every step: they are staged in team scratch.
struct OneLaneStaging : OneLane {
  static constexpr bool stages = true;
};

/// One of the types above if fixed operands are staged as well, because there are more of them than
/// the constant cache serves fast.
template <class Lanes>
struct StagingFixed : Lanes {
  static constexpr bool stages_fixed = true;
};

/// How lanes share items. Whole: symmetric operands and the results of congruence are held with
/// both triangles, which costs multiply-adds and registers and saves exchanges; products are
/// unrolled up to a larger size, so that fixed matrices are read from the kernel arguments.
/// Scratch: the bytes of team scratch for which a kernel is laid out; more than the default only if
/// the device has them.
template <bool Whole = false, std::size_t Scratch = Impl::scratch_of_a_team>
struct Division {
  static constexpr bool whole = Whole;
  static constexpr std::size_t scratch = Scratch;
  static constexpr int teams = 0;
};
/// Symmetric items in blocks over a warp, where matrix instructions for them exist. `Teams` teams
/// of 128 lanes are requested for a multiprocessor by default.
template <int Teams>
struct DivisionInBlocks : Division<true> {
  static constexpr int teams = Teams;
};

/// L lanes of a device share an item of extents up to E: see Distributed. CopyGroupLanes lanes copy
/// it. Common operands are staged in team scratch, unless they are too large for that.
template <int L, int E, bool Stages, int CopyGroupLanes, class How = Division<>>
struct GridLanes : OneLane {
  static constexpr int lanes_per_item = L;
  static constexpr int copy_group_lanes = CopyGroupLanes;
  static constexpr bool stages = Stages;
  static constexpr std::size_t available = How::scratch;
  static constexpr int teams = How::teams;
  template <class T>
  using value = Distributed<T, L, 1, E, How::whole>;
};

/// The same if team scratch holds only some of the common operands: bit I of Staged says whether
/// operand I is staged.
template <int L, int E, int CopyGroupLanes, class How, std::uint64_t Staged>
struct GridLanesStagingSome : GridLanes<L, E, true, CopyGroupLanes, How> {
  template <std::size_t I>
  using of_operand = GridLanes<L, E, (Staged >> I & 1) != 0, CopyGroupLanes, How>;
};

/// A host thread works on W items side by side; common operands are staged on its stack.
template <int W>
struct PackLanes {
  static constexpr int width = W;
  static constexpr int lanes_per_item = 1;
  static constexpr int copy_group_lanes = 1;
  static constexpr bool stages = true;
  static constexpr bool stages_fixed = false;
  static constexpr std::size_t available = 0;
  template <class T>
  using value = typename Impl::PackOf<T, W>::type;
};

namespace Impl {

/// The lanes as operand I of a call sees them.
template <class Lanes, std::size_t I>
struct LanesOfOperand {
  using type = Lanes;
};
template <class Lanes, std::size_t I>
  requires requires { typename Lanes::template of_operand<I>; }
struct LanesOfOperand<Lanes, I> {
  using type = typename Lanes::template of_operand<I>;
};
template <class Lanes, std::size_t I>
using lanes_of_operand = typename LanesOfOperand<Lanes, I>::type;

/// Bytes of a SIMD register, by the flags the user compiles with.
#if defined(__AVX512F__)
inline constexpr int simd_bytes = 64;
#elif defined(__AVX__)
inline constexpr int simd_bytes = 32;
#else
inline constexpr int simd_bytes = 16;
#endif

template <class T>
inline constexpr int native_width = simd_bytes / int(sizeof(T));

/// Whether kernels on this execution space run on device lanes rather than on packs of host
/// threads.
template <class Exec>
inline constexpr bool runs_on_device =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible ||
    !Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// The lanes for numbers of type T on an execution space; W > 0 overrides the width on hosts.
template <class Exec, class T, int W, class DeviceLanes = OneLane>
using lanes_for = std::conditional_t<runs_on_device<Exec>, DeviceLanes,
                                     PackLanes<(W > 0 ? W : native_width<scalar_t<T>>)>>;

/// The number of device lanes that share an item with largest extent n: one if its registers hold
/// the item, else so many that each lane has a few whole rows or columns. Measured on an H200 with
/// the covariance update of a Kalman filter.
template <class T>
constexpr int lanes_per_item(int n) {
  if (sizeof(T) == 4)
    return n <= 10 ? 1 : n <= 12 ? 2 : n <= 18 ? 4 : n <= 24 ? 8 : n <= 32 ? 16 : 32;
  return n <= 7 ? 1 : n <= 10 ? 2 : n <= 12 ? 4 : n <= 16 ? 8 : n <= 24 ? 16 : 32;
}

template <class Lanes>
inline constexpr bool on_device_lanes = std::is_base_of_v<OneLane, Lanes>;

}  // namespace Impl
}  // namespace Batchwork

#endif
