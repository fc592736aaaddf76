// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Whether an index names something.
#ifndef BATCHWORK_INDEX_RANGE_HPP
#define BATCHWORK_INDEX_RANGE_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"

namespace Batchwork::Impl {

/// Whether k is one of 0 .. extent - 1. A negative index is a large unsigned one.
template <class I>
BATCHWORK_INLINE bool is_in_range(I const& k, std::int64_t extent) {
  return static_cast<std::uint64_t>(k) < static_cast<std::uint64_t>(extent);
}
/// k, or -1 if it is out of range.
template <class I>
BATCHWORK_INLINE std::int64_t index_or_none(I const& k, std::int64_t extent) {
  return is_in_range(k, extent) ? static_cast<std::int64_t>(k) : -1;
}

}  // namespace Batchwork::Impl

#endif
