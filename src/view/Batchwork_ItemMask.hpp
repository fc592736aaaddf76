// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// item_mask: leaves items out of a call.
#ifndef BATCHWORK_ITEM_MASK_HPP
#define BATCHWORK_ITEM_MASK_HPP

#include <type_traits>

#include "view/Batchwork_Adaptors.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork {

/// Leaves out the items whose entry is false or zero. What an item that is left out has in other
/// operands is neither read nor written, its status included. It is no parameter of the sequence.
/// Several masks leave out what any of them does.
/// ```cpp
/// map(Update{}, inout(x), in(z), item_mask(active), status(codes));
/// ```
/// Hosts fill packs with the items that take part. On devices the lanes of items that are left out
/// wait for those of others in their warp.
/// \param view  a View with one index, the item, of bools or integers of any size
/// \returns the operand
template <Impl::Viewish V>
auto item_mask(V const& view) {
  using View = typename decltype(Impl::adapted(view))::view_type;
  auto const operand = Impl::make_operand<Impl::Kind::item_mask, Impl::BatchIndices::item>(view);
  static_assert(
      std::is_integral_v<typename View::value_type> && decltype(operand.source)::tile_rank == 0,
      "Batchwork::item_mask: the View must have one index, the item, and hold bools or "
      "integers");
  return operand;
}

}  // namespace Batchwork

#endif
