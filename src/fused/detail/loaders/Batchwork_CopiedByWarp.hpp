// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CopiedByWarp: a warp copies the item-contiguous operands of its lanes together, in and out,
/// through team scratch.
#ifndef BATCHWORK_COPIEDBYWARP_HPP
#define BATCHWORK_COPIEDBYWARP_HPP

#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "fused/detail/loaders/Batchwork_Loader.hpp"
#include "view/detail/layout/Batchwork_IndexedLocation.hpp"
#include "view/detail/loaders/Batchwork_WarpTransfer.hpp"

namespace Batchwork::Impl {

template <class LanesT, class... B>
struct CopiedByWarp {
  using Ops = Operands<LanesT, B...>;
  using indices = typename Ops::indices;
  struct Next {
    std::int64_t first;
    int count;
  };
  struct Place {
    char* buffer;  ///< the buffer of the warp
    int lane;      ///< the rank in the warp of the lane that copies, or that has the item
  };

  /// Bytes of a warp's buffer for operand I, if it is read, or written.
  template <std::size_t I>
  static constexpr std::size_t bytes_of(bool reads) {
    using Bnd = typename Ops::template bound<I>;
    constexpr Kind k = Bnd::kind;
    if constexpr (k == Kind::in || k == Kind::inout || k == Kind::out) {
      using Loc = decltype(Bnd::loc);
      // What indices place is stored directly.
      if (reads ? k == Kind::out : k == Kind::in || is_indexed<Loc>) return 0;
      if constexpr (WarpTransfer<Loc>::possible) return WarpTransfer<Loc>::bytes;
    }
    return 0;
  }
  template <std::size_t... I>
  static constexpr std::size_t all_bytes([[maybe_unused]] bool reads, std::index_sequence<I...>) {
    return (std::size_t(0) + ... + bytes_of<I>(reads));
  }
  template <std::size_t I>
  static constexpr std::size_t offset(bool reads) {
    return all_bytes(reads, std::make_index_sequence<I>{});
  }
  static constexpr std::size_t bytes_in = all_bytes(true, indices{}),
                               bytes_out = all_bytes(false, indices{});
  static constexpr bool pays = on_device_lanes<LanesT> && LanesT::lanes_per_item == 1 &&
                               Ops::stage::bytes == 0 && Vendor::has_async_copies &&
                               bytes_in + bytes_out > 0 &&
                               bytes_in <= scratch_of_a_team&& bytes_out <= scratch_of_a_team;
  /// The next items are copied while these are computed, if a team of 128 lanes has room for both.
  static constexpr bool ahead =
      pays && bytes_in > 0 && 4 * (bytes_in + bytes_out) <= scratch_of_a_team;
  /// The bytes of a warp.
  static constexpr std::size_t bytes = !pays                  ? 0
                                       : ahead                ? bytes_in + bytes_out
                                       : bytes_in > bytes_out ? bytes_in
                                                              : bytes_out;
  static constexpr std::size_t bytes_of_lane = bytes / lanes_of_warp;

  template <std::size_t I>
  static BATCHWORK_INLINE void start(Ops const& ops, Next const& next, Place const& place) {
    if constexpr (bytes_of<I>(true) > 0) {
      auto const& loc = get<I>(ops.bounds).loc;
      WarpTransfer<std::remove_cvref_t<decltype(loc)>>::start(
          loc, next.first, next.count, place.lane, place.buffer + offset<I>(true));
    }
  }
  template <std::size_t I>
  static BATCHWORK_INLINE auto finish(Ops const& ops, Items const& items, Place const& place) {
    using Bnd = typename Ops::template bound<I>;
    if constexpr (bytes_of<I>(true) > 0) {
      typename Argument<Bnd, LanesT>::type x;
      using Transfer = WarpTransfer<decltype(Bnd::loc)>;
      char const* const buffer = place.buffer + offset<I>(true);
      if constexpr (is_indexed<decltype(Bnd::loc)>)
        Transfer::take(x, get<I>(ops.bounds).loc, items.first, place.lane, buffer);
      else Transfer::take(x, place.lane, buffer);
      return x;
    } else {
      return ops.template load<I>(items, 0, nullptr);
    }
  }
  /// Stores the tile of operand I to the buffer, or directly to memory.
  template <std::size_t I, class Group, class Code>
  static BATCHWORK_INLINE void store(Group const& group, Items const& items, Place const& place,
                                     typename Ops::arguments& args, Code& code, Code& bad) {
    if constexpr (bytes_of<I>(false) > 0)
      group.operands.template store_one<I>(
          WarpItem{items.first, place.lane, place.buffer + offset<I>(false)}, 0, get<I>(args), code,
          bad);
    else if (items.count > 0) group.template store<I>(items, args, code, bad);
  }
  /// From the buffer to memory.
  template <std::size_t I>
  static BATCHWORK_INLINE void copy_out(Ops const& ops, Next const& items, Place const& place) {
    if constexpr (bytes_of<I>(false) > 0) {
      auto const& loc = get<I>(ops.bounds).loc;
      WarpTransfer<std::remove_cvref_t<decltype(loc)>>::finish(
          loc, items.first, items.count, place.lane, place.buffer + offset<I>(false));
    }
  }

  /// All lanes of a team call it, for n items from `first` on; `scratch` has the bytes of each
  /// warp. The lanes of a warp stay together; those beyond the last item repeat it.
  template <class Group, class Member, std::size_t... I>
  static BATCHWORK_INLINE void run(Group const& group, Member const& member, std::int64_t first,
                                   int n, char* scratch, std::index_sequence<I...>) {
    using Code = typename Ops::status_code;
    constexpr int warp = lanes_of_warp;
    Ops const& ops = group.operands;
    int const rank = Vendor::lane_rank(member), lanes = Vendor::lane_count(member);
    int const lane = rank % warp;
    char* const in = scratch + bytes * std::size_t(rank / warp);
    char* const out = in + (ahead ? bytes_in : 0);
    auto const count_at = [&](int k) { return n - k < warp ? n - k : warp; };
    auto const begin = [&](int k) {
      (start<I>(ops, Next{first + k, count_at(k)}, Place{in, lane}), ...);
    };
    if (ahead && rank - lane < n) begin(rank - lane);
    for (int k = rank - lane; k < n; k += lanes) {
      int const count = count_at(k);
      Items const items{first + k + (lane < count ? lane : count - 1), lane < count ? 1 : 0};
      if (!ahead) begin(k);
      Vendor::copy_async_wait();
      Vendor::warp_sync(member);
      typename Ops::arguments args{
          {finish<I>(ops, items, Place{in, lane < count ? lane : count - 1})}...};
      // All lanes have read their items before the buffer is written again.
      Vendor::warp_sync(member);
      if (ahead && k + lanes < n) begin(k + lanes);
      group.call(group.sequence, args);
      Code code(0), bad(0);
      (store<I>(group, items, Place{out, lane}, args, code, bad), ...);
      if constexpr (Ops::has_status)
        if (items.count > 0) (ops.template store_status<I>(items, first_failure(code, bad)), ...);
      Vendor::warp_sync(member);
      (copy_out<I>(ops, Next{first + k, count}, Place{out, lane}), ...);
      if (!ahead) Vendor::warp_sync(member);
    }
  }
};

}  // namespace Batchwork::Impl

#endif
