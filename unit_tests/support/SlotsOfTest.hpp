// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A workspace for kernels that run on threads of a host: of an exact size, poisoned, misaligned,
/// and between fences.
#ifndef BATCHWORK_TEST_SLOTS_OF_TEST_HPP
#define BATCHWORK_TEST_SLOTS_OF_TEST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "Batchwork_TestSupport.hpp"
#include "launch/detail/Batchwork_WorkspaceSlots.hpp"

namespace Batchwork::Test {

template <class T>
struct SlotsOfTest {
  using Slots = Impl::WorkspaceSlots<T>;
  static constexpr std::size_t fence = 65;

  std::vector<T> memory;
  Slots slots;

  SlotsOfTest(std::int64_t count, std::size_t bytes)
      : memory(std::size_t(Slots::numbers(count, bytes)) + 2 * fence,
               std::numeric_limits<T>::quiet_NaN()) {
    std::fill_n(memory.begin(), fence, poison<T>());
    std::fill_n(memory.rbegin(), fence, poison<T>());
    slots = Slots::of(memory.data() + fence, Slots::numbers(count, bytes), bytes, count + 1);
    EXPECT_EQ(slots.count, count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slots.slot(count - 1)) % 64, 0u);
  }
  bool fenced() const {
    auto const is_fence = [](T x) { return x == poison<T>(); };
    return std::all_of(memory.begin(), memory.begin() + fence, is_fence) &&
           std::all_of(memory.rbegin(), memory.rbegin() + fence, is_fence);
  }
};

}  // namespace Batchwork::Test

#endif
