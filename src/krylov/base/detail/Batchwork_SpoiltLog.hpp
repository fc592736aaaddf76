// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the log of a solve says of items whose right-hand side has an index out of range.
#ifndef BATCHWORK_SPOILTLOG_HPP
#define BATCHWORK_SPOILTLOG_HPP

#include <cstdint>
#include <tuple>

#include "core/detail/Batchwork_Macros.hpp"
#include "krylov/base/Batchwork_SolveLog.hpp"
#include "launch/detail/Batchwork_GatheredCall.hpp"
#include "view/Batchwork_Indexed.hpp"

namespace Batchwork::Impl {

template <class T>
struct SpoiltLog {
  LogPointers<T> log;

  BATCHWORK_INLINE void spoil(std::int64_t item) const {
    T const none = missing_number<T>();
    log.write(item, SolveResult<T>{0, none, none, out_of_range_code});
    log.write_scaled(item, none);
  }
};

template <class T, class Memory>
struct ResultOf<SolveLog<T, Memory>> {
  template <class Exec>
  static auto spoilt(SolveLog<T, Memory> const& log) {
    return std::make_tuple(SpoiltLog<T>{LogPointers<T>(log)});
  }
};

}  // namespace Batchwork::Impl

#endif
