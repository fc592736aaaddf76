// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Numbers and vectors of the items of a batch, as kernels read and write them.
#ifndef BATCHWORK_ITEMVECTORS_HPP
#define BATCHWORK_ITEMVECTORS_HPP

#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Pack.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// One number, or the neighbouring numbers of the items of a pack.
template <class S, class T>
BATCHWORK_INLINE S get(T const* from) {
  if constexpr (std::is_same_v<S, T>) return *from;
  else return S::load(from);
}
template <class S, class T>
BATCHWORK_INLINE void put(T* to, S const& x) {
  if constexpr (std::is_same_v<S, T>) *to = x;
  else x.store(to);
}

/// Whether packs of `width` items from a multiple of it on are neighbours.
template <class T>
bool stands_in_packs(Storage<T> const& s, int width) {
  return s.width == 1 ? s.group == 1 : s.lane == 1 && s.width % width == 0;
}

/// A number of every item, or one for all of them.
template <class T>
struct ItemNumber {
  Storage<T const> of{};
  bool common = true;
  T value = T(0);

  template <class S>
  BATCHWORK_INLINE S at(std::int64_t item) const {
    return common ? S(value) : get<S>(item_of(of, item));
  }
  bool in_packs(int width) const { return common || stands_in_packs(of, width); }
};

/// A vector of every item, or one for all of them with strides of zero from item to item.
template <class T>
struct ItemVector {
  Storage<T const> of{};
  bool common = false;

  BATCHWORK_INLINE T const* item(std::int64_t n) const { return item_of(of, n); }
  template <class S>
  BATCHWORK_INLINE S at(T const* item, int i) const {
    T const* const p = item + i * of.row;
    return common ? S(*p) : get<S>(p);
  }
  bool in_packs(int width) const { return common || stands_in_packs(of, width); }
};

}  // namespace Batchwork::Impl

#endif
