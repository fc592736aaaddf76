// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of solve_triangular.
#ifndef BATCHWORK_TRIANGULARKERNEL_HPP
#define BATCHWORK_TRIANGULARKERNEL_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/verbs/detail/Batchwork_SystemKernels.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"

namespace Batchwork::Impl {

template <class T>
struct TriangularSystems {
  using value_type = T;
  /// Sums of a row: the terms, and the number on its diagonal.
  static constexpr int combined = 2;

  AnySystems<T> a;
  Storage<T const> b;
  Storage<T> x;
  StatusTarget status;
  bool upper, unit;
  std::int64_t nonzeros;

  /// Lanes that share the entries of a row, at least four each: part of a warp, since they wait for
  /// each other in every row.
  int lanes() const {
    if (has_items_side_by_side(a.values)) return 1;
    int n = 1;
    while (n < lanes_of_warp && std::int64_t(4) * n * a.rows < nonzeros) n *= 2;
    return n;
  }
  bool in_packs(int width) const {
    return stands_in_packs(a.values, width) && stands_in_packs(b, width) &&
           stands_in_packs(x, width);
  }

  template <class S, class Lanes>
  BATCHWORK_INLINE void run(Lanes& lanes, std::int64_t item, bool there) const {
    T const* const numbers = a.numbers(item);
    T const* const right = item_of(b, item);
    T* const to = item_of(x, item);
    info_t<S> info(0);
    // What is added to it is zero, or NaN.
    S flaw(T(0));
    for (int step = 0; step < a.rows; ++step) {
      int const i = upper ? a.rows - 1 - step : step;
      S s[combined] = {S(T(0)), S(T(0))};
      if (there) {
        auto const row = a.row(numbers, i);
        for (int k = lanes.rank; k < row.count; k += lanes.count) {
          int const j = row.column(k);
          if (j == i) s[1] += get<S>(row.place(k));
          else if ((j > i) == upper) s[0] += get<S>(row.place(k)) * get<S>(to + j * x.row);
        }
      }
      lanes.sum(s);
      if (there && lanes.rank == 0) {
        S const d = unit ? S(T(1)) : s[1];
        S const y = (get<S>(right + i * b.row) - s[0]) / d;
        S const value = select(d == S(T(0)), S(std::numeric_limits<T>::quiet_NaN()), y);
        put(to + i * x.row, value);
        info_t<S> const none(0), zero = make_info<S>(Reason::breakdown, i + 1),
                                 wrong = make_info<S>(Reason::not_finite, i + 1);
        info_t<S> const now = select(d == S(T(0)), zero, select(is_finite(d), none, wrong));
        info = upper ? first_failure(now, info) : first_failure(info, now);
        flaw += value - value;
      }
      // The row is there for all before the next one.
      lanes.sync();
    }
    if (!there || lanes.rank != 0 || !status.wanted()) return;
    info = status_with_result(info, flaw != S(T(0)));
    if constexpr (std::is_same_v<S, T>) {
      status.put(item, info);
    } else {
      for (int l = 0; l < ValueTraits<S>::width; ++l)
        status.put(item + l, std::int32_t(info.lane(l)));
    }
  }
};

}  // namespace Batchwork::Impl

#endif
