// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A workspace with fences that find writes beyond its size.
#ifndef BATCHWORK_TEST_FENCED_WORKSPACE_HPP
#define BATCHWORK_TEST_FENCED_WORKSPACE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// A poisoned workspace of exactly the size that a call needs, with a fence after it.
template <class T>
struct FencedWorkspace {
  static constexpr std::size_t fence = 8;
  Kokkos::View<T*, Space::memory_space> view;
  std::size_t needed;

  explicit FencedWorkspace(std::int64_t numbers, T holds = std::numeric_limits<T>::quiet_NaN())
      : view("workspace", std::size_t(numbers) + fence), needed(std::size_t(numbers)) {
    Kokkos::deep_copy(view, holds);
    Kokkos::deep_copy(Kokkos::subview(view, std::pair(needed, needed + fence)), poison<T>());
  }
  auto operator()() const {
    return workspace(Kokkos::subview(view, std::pair(std::size_t(0), needed)));
  }
  bool fenced() const {
    Kokkos::fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    for (std::size_t k = needed; k < needed + fence; ++k)
      if (host(k) != poison<T>()) return false;
    return true;
  }
};

}  // namespace Batchwork::Test

#endif
