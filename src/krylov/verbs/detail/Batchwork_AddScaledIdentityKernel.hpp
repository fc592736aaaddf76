// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of add_scaled_identity.
#ifndef BATCHWORK_ADDSCALEDIDENTITYKERNEL_HPP
#define BATCHWORK_ADDSCALEDIDENTITYKERNEL_HPP

#include <cstdint>

#include "krylov/verbs/detail/Batchwork_SystemKernels.hpp"

namespace Batchwork::Impl {

/// The place of the number on the diagonal, or -1 where the pattern has none.
template <class Systems>
BATCHWORK_INLINE std::int64_t diagonal_place(Systems const& a, int row) {
  if constexpr (requires { a.layout.diagonal_place(a.values, row); }) {
    return a.layout.diagonal_place(a.values, row);
  } else {
    std::int64_t found = -1;
    a.for_each_place(row, [&](int column, std::int64_t place) {
      if (column == row) found = place;
    });
    return found;
  }
}

template <class T, class Systems>
struct AddScaledIdentity {
  using value_type = T;
  static constexpr int combined = 0;

  Systems a;
  Storage<T> numbers;
  ItemNumber<T> alpha;
  T beta;
  std::int64_t nonzeros;

  int lanes() const { return multiply_lanes(a, nonzeros); }
  bool in_packs(int width) const {
    return stands_in_packs(numbers, width) && alpha.in_packs(width);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes const& lanes, std::int64_t item, bool there) const {
    if (!there) return;
    T* const v = item_of(numbers, item);
    S const add = alpha.template at<S>(item);
    lanes.for_each(a.rows, [&](int i) {
      if (beta == T(1)) {
        // Nothing but the diagonal changes.
        std::int64_t const place = diagonal_place(a, i);
        if (place >= 0) put(v + place, get<S>(v + place) + add);
      } else {
        // To the first of several entries.
        S rest = add;
        a.for_each_place(i, [&](int column, std::int64_t place) {
          // With a beta of zero nothing is read: it may be anything.
          S x = beta == T(0) ? S(T(0)) : S(beta) * get<S>(v + place);
          if (column == i) x = x + rest, rest = S(T(0));
          put(v + place, x);
        });
      }
    });
  }
};

}  // namespace Batchwork::Impl

#endif
