// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The items of a workload in chunks of equal length. A chunk is the unit that a rank takes,
/// launches, and writes to the checkpoint. Chunks do not depend on the number of ranks.
#ifndef DISTRIBUTED_CHUNKS_HPP
#define DISTRIBUTED_CHUNKS_HPP

#include <algorithm>
#include <cstdint>
#include <string>

namespace Distributed {

struct Chunk {
  std::int64_t index, first, count;

  std::string text() const {
    return "chunk " + std::to_string(index) + " (items " + std::to_string(first) + " to " +
           std::to_string(first + count - 1) + ")";
  }
};

struct Chunks {
  std::int64_t items, length;

  std::int64_t size() const { return (items + length - 1) / length; }
  Chunk operator[](std::int64_t index) const {
    std::int64_t const first = index * length;
    return {index, first, std::min(length, items - first)};
  }
};

}  // namespace Distributed

#endif
