// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loader: how the operands of a map reach the lanes of a device; and the loader without scratch.
#ifndef BATCHWORK_LOADER_HPP
#define BATCHWORK_LOADER_HPP

#include <concepts>
#include <cstddef>

#include "core/detail/Batchwork_Macros.hpp"
#include "fused/detail/Batchwork_Operands.hpp"

namespace Batchwork::Impl {

/// A loader of the operands of a group; all its functions are static.
/// - bytes: the team scratch of a lane, of a warp or of a copy group, as the loader defines; 0 if
///   the loader is not used
/// - bytes_of_lane: the part that the verb's own kernel has for each lane; if it is not 0, the
///   loader has a function run(group, member, first, n, scratch, indices), which runs the group on
///   n items
/// - Next: the items that are started
/// - Place: their position in scratch, and the caller
/// - start<I>(ops, next, place): starts the copies of operand I, if there are any; they proceed
///   while the lanes compute
/// - finish<I>(ops, items, place): the tile of operand I, after Vendor::copy_async_wait and the
///   wait that the loader requires
template <class L>
concept Loader = requires(typename L::Ops const& ops, typename L::Next const& next,
                          typename L::Place const& place) {
  { L::bytes } -> std::convertible_to<std::size_t>;
  { L::bytes_of_lane } -> std::convertible_to<std::size_t>;
  L::template start<0>(ops, next, place);
};

/// Every lane reads its numbers from memory when it needs them.
template <class LanesT, class... B>
struct LoadedDirectly {
  using Ops = Operands<LanesT, B...>;
  static constexpr std::size_t bytes = 0, bytes_of_lane = 0;
  struct Next {};
  struct Place {
    char const* stage;
  };
  template <std::size_t I>
  static BATCHWORK_INLINE void start(Ops const&, Next const&, Place const&) {}
  template <std::size_t I>
  static BATCHWORK_INLINE auto finish(Ops const& ops, auto const& items, Place const& place) {
    return ops.template load<I>(items, 0, place.stage);
  }
};

}  // namespace Batchwork::Impl

#endif
