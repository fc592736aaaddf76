// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BlockSource: an operand of series as an operand of blocks of time, which are items of their own.
#ifndef BATCHWORK_BLOCK_SOURCE_HPP
#define BATCHWORK_BLOCK_SOURCE_HPP

#include <cstdint>

#include "view/Batchwork_Operand.hpp"
#include "view/detail/layout/Batchwork_BlockLocation.hpp"

namespace Batchwork::Impl {

/// How series are cut: series * blocks items of `length` steps each, which
/// a scan runs forwards or backwards.
struct TimeCut {
  std::int64_t series = 0, blocks = 1, length = 0;
  bool backward = false;

  std::int64_t items() const { return series * blocks; }
};

/// A Source with the items and steps of a cut. Its Views were checked before.
template <class Src>
struct BlockSource {
  using view_type = typename Src::view_type;
  using value_type = typename Src::value_type;
  using T = typename Src::T;
  using shape = typename Src::shape;
  using location = BlockLocation<value_type, shape>;
  static constexpr int tile_rank = Src::tile_rank;
  static_assert(!Src::is_compact,
                "Batchwork::Kalman::parallel_in_time: Views in compact storage cannot be cut into "
                "blocks of time; copy them to Views without compact(...)");

  Src source;
  TimeCut cut;

  Description describe() const {
    Description d;
    d.label = source.view.label();
    d.shape = shape::text();
    d.items = cut.items();
    return d;
  }
  location locate() const {
    Src first = source;
    first.steps = Steps(0, cut.length, cut.backward);
    auto const walk = first.walk();
    constexpr int t = Src::time_index, lead = Src::lead;
    std::int64_t const time = t < 0 ? 0 : walk.by * source.stride(t);
    auto* data = source.view.data();
    if constexpr (t >= 0) data += walk.begin * source.stride(t);
    return {data,
            std::uint32_t(cut.blocks),
            lead == (t < 0 ? 1 : 2) ? source.stride(0) : 0,
            (cut.backward ? -cut.length : cut.length) * time,
            time,
            source.stride(tile_rank > 0 ? lead : -1),
            source.stride(tile_rank > 1 ? lead + 1 : -1)};
  }
};

/// The same operand for the blocks. What is common to all items and times stays as it is.
template <class O>
auto of_blocks(O const& o, TimeCut const&) {
  static_assert(
      !requires { o.source.describe_index(); },
      "Batchwork::Kalman::parallel_in_time: gathered and scattered operands cannot be cut "
      "into blocks of time; copy the items to a View of their own");
  return o;
}
template <Kind K, class A, BatchIndices I>
  requires(I != BatchIndices::none)
auto of_blocks(Operand<K, Source<A, I>> const& o, TimeCut const& cut) {
  using Src = BlockSource<Source<A, I>>;
  return Operand<K == Kind::common_each ? Kind::each : K, Src>{Src{o.source, cut}};
}

}  // namespace Batchwork::Impl

#endif
