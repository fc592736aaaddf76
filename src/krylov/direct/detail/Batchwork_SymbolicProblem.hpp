// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SymbolicProblem: what a direct solve by a pattern has to compute.
#ifndef BATCHWORK_SYMBOLICPROBLEM_HPP
#define BATCHWORK_SYMBOLICPROBLEM_HPP

#include <cstdint>

#include "core/detail/Batchwork_Macros.hpp"
#include "krylov/direct/detail/Batchwork_DirectProblem.hpp"
#include "krylov/direct/detail/Batchwork_SymbolicLists.hpp"

namespace Batchwork::Impl {

/// A direct solve by a pattern.
template <class T>
struct SymbolicProblem {
  DirectProblem<T> of{};
  SymbolicLists lists{};
  T limit = T(0);             ///< of an entry of L
  bool leaves_items = false;  ///< with pivots that are too small, for a kernel that exchanges rows
  int* dense_form = nullptr;  ///< whether an item is left so, if wanted

  BATCHWORK_INLINE void note(std::int64_t item, bool is_left) const {
    if (dense_form != nullptr) dense_form[item] = is_left ? 1 : 0;
    if (is_left) of.mark(item);
  }
};

}  // namespace Batchwork::Impl

#endif
