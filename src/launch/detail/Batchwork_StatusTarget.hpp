// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// StatusTarget: where a verb on whole matrices writes its status codes.
#ifndef BATCHWORK_STATUSTARGET_HPP
#define BATCHWORK_STATUSTARGET_HPP

#include <cstdint>

#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Where the status codes go, if anywhere.
struct StatusTarget {
  std::int32_t* narrow = nullptr;
  std::int64_t* wide = nullptr;
  std::int64_t width = 1, group = 0, lane = 0;

  BATCHWORK_INLINE bool wanted() const { return narrow != nullptr || wide != nullptr; }
  BATCHWORK_INLINE void put(std::int64_t item, std::int32_t code) const {
    if (narrow != nullptr)
      *item_of(Storage<std::int32_t>{narrow, width, group, lane, 0, 0}, item) = code;
    if (wide != nullptr)
      *item_of(Storage<std::int64_t>{wide, width, group, lane, 0, 0}, item) = code;
  }
};

}  // namespace Batchwork::Impl

#endif
