// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SolveInput: the systems of a call of solve, without the types of their Views.
#ifndef BATCHWORK_SOLVEINPUT_HPP
#define BATCHWORK_SOLVEINPUT_HPP

#include <cstdint>

#include "krylov/base/Batchwork_SolveLog.hpp"
#include "krylov/formats/detail/Batchwork_AnySystemsByItems.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"

namespace Batchwork::Impl {

/// Systems is AnySystemsByItems, or MatrixFreeSystems.
template <class T, class Systems = AnySystemsByItems<T>>
struct SolveInput {
  Systems a;
  std::int64_t rows = 0, nonzeros = 0;  ///< of a system
  std::int64_t items = 0;
  Storage<T const> b{};
  Storage<T> x{};
  LogPointers<T> log{};
};

}  // namespace Batchwork::Impl

#endif
