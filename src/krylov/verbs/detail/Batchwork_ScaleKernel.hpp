// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of scale.
#ifndef BATCHWORK_SCALEKERNEL_HPP
#define BATCHWORK_SCALEKERNEL_HPP

#include <cstdint>

#include "krylov/verbs/detail/Batchwork_SystemKernels.hpp"

namespace Batchwork::Impl {

template <class T, class Systems>
struct ScaleSystems {
  using value_type = T;
  static constexpr int combined = 0;

  Systems a;
  Storage<T> numbers;
  ItemVector<T> left, right;
  std::int64_t nonzeros;

  int lanes() const { return multiply_lanes(a, nonzeros); }
  bool in_packs(int width) const {
    return stands_in_packs(numbers, width) && left.in_packs(width) && right.in_packs(width);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes const& lanes, std::int64_t item, bool there) const {
    if (!there) return;
    T* const v = item_of(numbers, item);
    T const *const l = left.item(item), *const r = right.item(item);
    lanes.for_each(a.rows, [&](int i) {
      S const factor = left.template at<S>(l, i);
      a.for_each_place(i, [&](int column, std::int64_t place) {
        put(v + place, (factor * get<S>(v + place)) * right.template at<S>(r, column));
      });
    });
  }
};

}  // namespace Batchwork::Impl

#endif
