// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// loader_of: the loader of a map's operands.
#ifndef BATCHWORK_CHOOSELOADER_HPP
#define BATCHWORK_CHOOSELOADER_HPP

#include <type_traits>

#include "fused/detail/loaders/Batchwork_CopiedByWarp.hpp"
#include "fused/detail/loaders/Batchwork_FetchedByCopyGroup.hpp"
#include "fused/detail/loaders/Batchwork_FetchedByLane.hpp"
#include "fused/detail/loaders/Batchwork_Loader.hpp"

namespace Batchwork::Impl {

/// The first loader that pays off. The verb's own kernels have scratch for all of them. In a user's
/// kernel, lanes that share items fetch ahead, and others load directly.
template <class LanesT, class... B>
constexpr auto choose_loader() {
  // What is copied together or ahead could belong to an item that is left out.
  if constexpr (Operands<LanesT, B...>::has_mask) {
    return std::type_identity<LoadedDirectly<LanesT, B...>>();
  } else if constexpr (LanesT::lanes_per_item > 1) {
    if constexpr (FetchedByCopyGroup<LanesT, B...>::bytes > 0)
      return std::type_identity<FetchedByCopyGroup<LanesT, B...>>();
    else return std::type_identity<LoadedDirectly<LanesT, B...>>();
  } else if constexpr (FetchedByLane<LanesT, B...>::bytes > 0) {
    return std::type_identity<FetchedByLane<LanesT, B...>>();
  } else if constexpr (CopiedByWarp<LanesT, B...>::bytes > 0) {
    return std::type_identity<CopiedByWarp<LanesT, B...>>();
  } else {
    return std::type_identity<LoadedDirectly<LanesT, B...>>();
  }
}
template <class LanesT, class... B>
using loader_of = typename decltype(choose_loader<LanesT, B...>())::type;

template <class L>
inline constexpr bool is_by_copy_group = false;
template <class LanesT, class... B>
inline constexpr bool is_by_copy_group<FetchedByCopyGroup<LanesT, B...>> = true;

}  // namespace Batchwork::Impl

#endif
