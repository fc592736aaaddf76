// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// How a time is taken: as tune(...) takes it.
#ifndef BATCHWORK_PERF_TIMING_HPP
#define BATCHWORK_PERF_TIMING_HPP

#include "tune/detail/Batchwork_Timing.hpp"

namespace BatchworkPerf {

using Batchwork::Impl::measure;
using Batchwork::Impl::measure_prepared;
using Batchwork::Impl::Sample;

}  // namespace BatchworkPerf

#endif
