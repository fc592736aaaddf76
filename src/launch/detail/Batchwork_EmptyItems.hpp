// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The results of verbs if an extent is 0, so that nothing is computed: numbers that are known
/// beforehand, and a status of 0.
#ifndef BATCHWORK_EMPTYITEMS_HPP
#define BATCHWORK_EMPTYITEMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_RangeLaunch.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"

namespace Batchwork::Impl {

/// A result of rows x cols numbers with the same number on the diagonal and zeros elsewhere; by
/// default without numbers.
template <class T>
struct KnownNumbers {
  Storage<T> to{};
  std::int64_t rows = 0, cols = 0;
  T on_diagonal = T(0);

  bool are_there() const { return rows > 0 && cols > 0; }
  BATCHWORK_INLINE void put(std::int64_t item) const {
    T* const first = item_of(to, item);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j)
        first[i * to.row + j * to.col] = i == j ? on_diagonal : T(0);
  }
};

template <class T>
struct EmptyItems {
  StatusTarget status;
  KnownNumbers<T> first, second;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    if (first.rows > 0) first.put(item);
    if (second.rows > 0) second.put(item);
    status.put(item, 0);
  }
};

/// One kernel, if there is anything to write.
template <class T, class Exec>
void launch_empty_items(Exec const& exec, Call const& call, StatusTarget const& status,
                        std::int64_t items, KnownNumbers<T> const& first = {},
                        KnownNumbers<T> const& second = {}) {
  if (items == 0 || !(status.wanted() || first.are_there() || second.are_there())) return;
  launch_range(exec, kernel_label(call.verb, call.label), items,
               EmptyItems<T>{status, first, second});
}

}  // namespace Batchwork::Impl

#endif
