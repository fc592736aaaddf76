// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// FetchedByLane: while a lane computes an item, the operands of its next one are copied to its
/// part of team scratch.
#ifndef BATCHWORK_FETCHEDBYLANE_HPP
#define BATCHWORK_FETCHEDBYLANE_HPP

#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "fused/detail/loaders/Batchwork_Loader.hpp"
#include "view/detail/loaders/Batchwork_Fetch.hpp"

namespace Batchwork::Impl {

template <class LanesT, class... B>
struct FetchedByLane {
  using Ops = Operands<LanesT, B...>;
  using Next = std::int64_t;  ///< the item
  struct Place {
    char* buffer;  ///< the buffer of the team
    int lane, lanes;
  };

  template <std::size_t I>
  static constexpr std::size_t numbers_of() {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (Bnd::kind == Kind::in || Bnd::kind == Kind::inout)
      return Fetch<decltype(Bnd::loc)>::possible ? Fetch<decltype(Bnd::loc)>::numbers : 0;
    else return 0;
  }
  template <std::size_t I>
  static constexpr std::size_t bytes_of() {
    if constexpr (numbers_of<I>() > 0)
      return numbers_of<I>() * sizeof(typename Ops::template bound<I>::scalar);
    else return 0;
  }
  template <std::size_t... I>
  static constexpr std::size_t all_numbers(std::index_sequence<I...>) {
    return (std::size_t(0) + ... + numbers_of<I>());
  }
  template <std::size_t... I>
  static constexpr std::size_t all_bytes(std::index_sequence<I...>) {
    return (std::size_t(0) + ... + bytes_of<I>());
  }
  template <std::size_t I>
  static constexpr std::size_t offset = all_bytes(std::make_index_sequence<I>{});

  /// The bytes of a lane, at most 256; 0 where prefetching does not pay off. For small items enough
  /// loads are in flight without it; large ones leave too few lanes (measured on an H200: it pays
  /// off from 4x4 to 6x6).
  static constexpr std::size_t bytes = [] {
    constexpr std::size_t numbers = all_numbers(typename Ops::indices{}),
                          all = all_bytes(typename Ops::indices{});
    return on_device_lanes<LanesT> && LanesT::lanes_per_item == 1 && Ops::stage::bytes == 0 &&
                   Vendor::has_async_copies && numbers >= 10 && numbers <= 32 && all <= 256
               ? all
               : 0;
  }();
  static constexpr std::size_t bytes_of_lane = bytes;

  template <std::size_t I>
  static BATCHWORK_INLINE void start(Ops const& ops, Next const& item, Place const& place) {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (bytes_of<I>() > 0)
      Fetch<decltype(Bnd::loc)>::start(get<I>(ops.bounds).loc, item,
                                       place.buffer + offset<I> * place.lanes, place.lane,
                                       place.lanes);
  }
  template <std::size_t I>
  static BATCHWORK_INLINE auto finish(Ops const& ops, Items items, Place const& place) {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (bytes_of<I>() > 0) {
      typename Argument<Bnd, LanesT>::type x;
      Fetch<decltype(Bnd::loc)>::finish(x, place.buffer + offset<I> * place.lanes, place.lane,
                                        place.lanes);
      return x;
    } else {
      return ops.template load<I>(items, 0, nullptr);
    }
  }

  /// All lanes of a team, for n items from `first` on; `scratch` has the bytes of each lane.
  template <class Group, class Member, std::size_t... I>
  static BATCHWORK_INLINE void run(Group const& group, Member const& member, std::int64_t first,
                                   int n, char* scratch, std::index_sequence<I...> indices) {
    int const lane = Vendor::lane_rank(member), lanes = Vendor::lane_count(member);
    Place const place{scratch, lane, lanes};
    if (lane < n) (start<I>(group.operands, first + lane, place), ...);
    for (int k = lane; k < n; k += lanes) {
      Items const items{first + k, 1};
      Vendor::copy_async_wait();
      typename Ops::arguments args{{finish<I>(group.operands, items, place)}...};
      if (k + lanes < n) (start<I>(group.operands, first + k + lanes, place), ...);
      group.finish(items, args, indices);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
