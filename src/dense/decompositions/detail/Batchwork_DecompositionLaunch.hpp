// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a decomposition of matrices whose extents are known at run time is divided among lanes, and
/// launched.
#ifndef BATCHWORK_DECOMPOSITIONLAUNCH_HPP
#define BATCHWORK_DECOMPOSITIONLAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/Batchwork_Pack.hpp"
#include "core/detail/Batchwork_ColumnBlocks.hpp"
#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/decompositions/detail/Batchwork_ColumnsChoice.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "launch/detail/Batchwork_ChunkLaunch.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Impl {

/// Words of the message for matrices (parts[0] of the call) that cannot be launched.
inline LaunchWords matrices_do_not_fit(Call const& call, char const* remedy) {
  return {call.verb, "the matrices of " + call.parts[0].name(), remedy};
}

/// Words about an item that needs so many bytes, more than there are.
inline std::string item_needs_more(Call const& call, std::size_t needed, std::size_t there,
                                   std::string const& of = "the device's team scratch") {
  return "an item of " + call.parts[0].name() + " needs " + std::to_string(needed) +
         " bytes, more than the " + std::to_string(there) + " of " + of;
}

/// What a kernel below runs: `number` is float or double, a column has `rows` numbers and stands
/// `leading` apart from the next one, and `cols` columns are worked on side by side. An item or
/// pack needs `memory`, which depends on `leading`.
template <class F>
concept DecompositionOfItems = requires(F f, F const c) {
  typename F::number;
  { c.rows() } -> std::convertible_to<int>;
  { c.cols() } -> std::convertible_to<int>;
  { f.leading } -> std::convertible_to<int>;
  { c.items } -> std::convertible_to<std::int64_t>;
  { c.memory() } -> std::convertible_to<ItemMemory>;
};

constexpr int power_of_two_from(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

/// On a device.
template <DecompositionOfItems F, bool Large>
struct DecompositionTeams {
  using T = typename F::number;
  static constexpr int largest_team = Large ? 256 : 128, wanted_teams = Large ? 1 : 4;

  F f;
  int count = 1, width = 1, per_team = 1;

  DecompositionTeams(F const& of, DeviceLimits const& limits) : f(of) {
    // A group for each pair of columns, and eight rows or more for each of its lanes.
    int const pairs = power_of_two_from(std::max(1, f.cols() / 2)),
              most = Large ? (f.cols() > 64    ? 256
                              : sizeof(T) == 4 ? 64
                                               : 128)
                           : lanes_of_warp;
    int const groups = std::min(pairs, most);
    if (Vendor::has_shuffles)
      width = std::clamp(power_of_two_from((f.rows() + 7) / 8), 1,
                         std::min(most / groups, lanes_of_warp));
    count = Large ? most : groups * width;
    if (Large) width = std::min(count / groups, Vendor::has_shuffles ? lanes_of_warp : 1);
    // Whole units of 16 bytes. Lanes of neighbouring pairs, which read at the same time, find
    // different banks.
    int const unit = 16 / int(sizeof(T));
    f.leading = (f.rows() + unit - 1) / unit * unit;
    int const smallest = f.leading;
    if (groups > 2)
      while (f.leading / unit % 4 != std::max(1, width / 2) % 4) f.leading += unit;
    if (!fits(limits)) f.leading = smallest;
    if (Large) return;
    // Whole warps; without shuffles lanes of different items do not wait for each other.
    per_team = Vendor::has_shuffles ? lanes_of_warp / count : 1;
    while (2 * per_team * count <= largest_team && Vendor::has_shuffles &&
           2 * bytes() <= std::min(scratch_of_a_team, limits.scratch_of_team))
      per_team *= 2;
  }
  bool fits(DeviceLimits const& limits) const { return bytes() <= limits.scratch_of_team; }
  BATCHWORK_INLINE std::size_t bytes_of_item() const {
    return f.memory().template bytes<T>(ColumnLanes<int>::found_numbers(count));
  }
  std::size_t bytes() const { return std::size_t(per_team) * bytes_of_item() + 16; }
  int team() const { return count * per_team; }
  std::int64_t teams() const { return (f.items + per_team - 1) / per_team; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    char* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t(per_team) * bytes_of_item(), 16));
    f(ItemsOfTeam<T, Member>{member, scratch, bytes_of_item(), f.memory(),
                             std::int64_t(member.league_rank()) * per_team, f.items, per_team,
                             count, width});
  }
};

/// On a host: a thread has S, an item or a pack of them, in a buffer of so many bytes on its stack.
template <DecompositionOfItems F, class S, std::size_t Bytes>
struct DecompositionHost {
  F f;
  std::int64_t per_chunk;

  void operator()(std::int64_t chunk) const {
    alignas(64) char buffer[Bytes];
    constexpr int W = ValueTraits<S>::width;
    std::int64_t const end = std::min(f.items, (chunk + 1) * per_chunk * W);
    for (std::int64_t begin = chunk * per_chunk * W; begin < end; begin += W)
      f(ItemsOfThread<S>{buffer, f.memory(), begin, f.items});
  }
};
/// The large one has 1 MB, and what distances of an odd number of columns add.
inline constexpr std::size_t small_host_buffer = 1 << 17, large_host_buffer = (1 << 20) + (1 << 14);

template <class S, std::size_t Bytes, class Exec, class F>
void launch_decomposition_host(Exec const& exec, Call const& call, F const& f) {
  constexpr int W = ValueTraits<S>::width;
  launch_chunks(
      exec, kernel_label(call.verb, call.label), (f.items + W - 1) / W, 16 / std::max(1, f.rows()),
      [&](std::int64_t per_chunk) { return DecompositionHost<F, S, Bytes>{f, per_chunk}; });
}

/// On a device a launch asks for more where that helps.
template <class Exec>
int leading_at_first(int rows) {
  return runs_on_device<Exec> ? rows : host_leading(rows);
}

/// Launches it, or throws where an item does not fit; parts[0] of the call are the matrices.
template <class Exec, class F>
void launch_decomposition(Exec const& exec, Call const& call, F f) {
  using T = typename F::number;
  auto const refuse = [&](std::size_t needed, std::size_t there, std::string const& of) {
    call.fail(item_needs_more(call, needed, there, of) + "; use smaller matrices");
  };
  f.leading = leading_at_first<Exec>(f.rows());
  auto const words = [&] { return matrices_do_not_fit(call, "use smaller matrices"); };
  if constexpr (runs_on_device<Exec>) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    auto const launch = [&]<bool Large>(std::bool_constant<Large>) {
      using Kernel = DecompositionTeams<F, Large>;
      Kernel const kernel(f, limits);
      if (!kernel.fits(limits))
        refuse(kernel.bytes(), limits.scratch_of_team, "the device's team scratch");
      launch_kernel_that_fits(exec, kernel_label(call.verb, call.label), kernel, words);
    };
    if (std::max(f.rows(), f.cols()) <= columns_of_warp) launch(std::false_type());
    else launch(std::true_type());
  } else {
    using S = Pack<T, native_width<T>>;
    std::size_t const of_pack = f.memory().template bytes<S>(0),
                      of_item = f.memory().template bytes<T>(0);
    if (of_item > large_host_buffer) refuse(of_item, large_host_buffer, "a host thread's buffer");
    if (of_pack <= small_host_buffer)
      launch_decomposition_host<S, small_host_buffer>(exec, call, f);
    else if (of_pack <= large_host_buffer)
      launch_decomposition_host<S, large_host_buffer>(exec, call, f);
    else launch_decomposition_host<T, large_host_buffer>(exec, call, f);
  }
}

/// The kernel that is chosen for the calls of a device, or the size of its workspace.
/// \param rest    launches items in scratch or in a workspace, or answers
/// \param launch  launch(c) launches another candidate and returns whether a device has room for it
/// \param tuned   what a tuning is asked for, unless the call asks for the size of its workspace
template <class F, class Rest, class Launch>
void launch_chosen_decomposition(Call const& call,
                                 GivenWorkspace<typename F::number> const& workspace,
                                 Candidates<> const& there, F const& f, Rest const& rest,
                                 Launch const& launch, TunedCall const& tuned = {}) {
  launch_chosen(
      call, there, [&] { return matrices_of(f.rows(), f.cols()); },
      [&](KernelChoice const& c) {
        if (c.kind >= KernelKind::by_panels) rest();
        else if (workspace.asks()) return call.kernel != KernelKind::fastest;
        else return launch(c);
        return true;
      },
      workspace.asks() ? TunedCall{} : tuned);
}

}  // namespace Batchwork::Impl

#endif
