// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// FetchedByCopyGroup: if lanes share items, the lanes of a copy group copy the operands of their
/// next items to team scratch while they compute.
#ifndef BATCHWORK_FETCHEDBYCOPYGROUP_HPP
#define BATCHWORK_FETCHEDBYCOPYGROUP_HPP

#include "fused/detail/Batchwork_GroupDivision.hpp"
#include "fused/detail/loaders/Batchwork_Loader.hpp"
#include "view/detail/loaders/Batchwork_GridTransfer.hpp"

namespace Batchwork::Impl {

template <class LanesT, class... B>
struct FetchedByCopyGroup {
  using Ops = Operands<LanesT, B...>;
  using indices = typename Ops::indices;
  using Next = CopyGroup;
  struct Place {
    char* buffer;                 ///< the buffer of the copy group
    char const* stage = nullptr;  ///< the stage of the team, for operands that are not fetched
  };
  static constexpr int lanes = LanesT::lanes_per_item;

  template <std::size_t I>
  static constexpr std::size_t bytes_of() {
    return ahead_bytes_of<lanes, LanesT::copy_group_lanes, typename Ops::template bound<I>>();
  }
  template <std::size_t... I>
  static constexpr std::size_t all_bytes(std::index_sequence<I...>) {
    return (std::size_t(0) + ... + bytes_of<I>());
  }
  template <std::size_t I>
  static BATCHWORK_INLINE char* buffer_of(Place const& place) {
    return place.buffer + all_bytes(std::make_index_sequence<I>{});
  }
  template <class Bnd>
  using Transfer = GridTransfer<decltype(Bnd::loc), lanes, LanesT::copy_group_lanes>;

  /// The bytes of a copy group, if they are few relative to the exchanges and there is room for
  /// both.
  static constexpr std::size_t bytes = [] {
    constexpr std::size_t all = all_bytes(indices{}),
                          exchanges = exchange_bytes_of_item<LanesT, B...> *
                                      (LanesT::copy_group_lanes / lanes);
    return all <= exchanges && Ops::stage::bytes + exchanges + all <= LanesT::available ? all : 0;
  }();
  static constexpr std::size_t bytes_of_lane = 0;

  template <std::size_t I>
  static BATCHWORK_INLINE void start(Ops const& ops, Next const& items, Place const& place) {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (bytes_of<I>() > 0)
      Transfer<Bnd>::start(get<I>(ops.bounds).loc, 0, items, buffer_of<I>(place));
  }
  template <std::size_t I>
  static BATCHWORK_INLINE auto finish(Ops const& ops, auto const& item, Place const& place) {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (bytes_of<I>() > 0) {
      typename Argument<Bnd, LanesT>::type x;
      Transfer<Bnd>::finish(x, item.grid, item.place, buffer_of<I>(place));
      return x;
    } else {
      return ops.template load<I>(item, 0, place.stage);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
