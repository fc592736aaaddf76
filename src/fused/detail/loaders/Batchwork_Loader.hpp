// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loader: how the operands of a map come to the lanes of a device; and the one that needs nothing.
#ifndef BATCHWORK_LOADER_HPP
#define BATCHWORK_LOADER_HPP

#include <concepts>
#include <cstddef>

#include "fused/detail/Batchwork_Group.hpp"

namespace Batchwork::Impl {

/// Of the operands of a group, all of whose functions are static:
///   bytes                      of team scratch: of a lane, of a warp or of a copy group, as it
///   says; 0 where it is not to be used bytes_of_lane              of them that the verb's own
///   kernel has for each lane; where there are any, the loader has a
///                              run(group, member, first, n, scratch, indices), which runs the
///                              group on n items
///   Next                       which items are started
///   Place                      where in scratch they stand, and who calls
///   start<I>(ops, next, place) starts the copies of operand I, if there are any: they are on their
///   way while the lanes compute finish<I>(ops, items, place) the tile of operand I, once
///   Vendor::wait_for_copies and the wait that the loader wants are over
template <class L>
concept Loader = requires(typename L::Ops const& ops, typename L::Next const& next,
                          typename L::Place const& place) {
  { L::bytes } -> std::convertible_to<std::size_t>;
  { L::bytes_of_lane } -> std::convertible_to<std::size_t>;
  L::template start<0>(ops, next, place);
};

/// Every lane reads what it needs from memory, when it needs it.
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
