// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reduces what the ranks did, and prints it on rank 0.
#ifndef DISTRIBUTED_REPORT_HPP
#define DISTRIBUTED_REPORT_HPP

#include "Work.hpp"

namespace Distributed {

/// The outcomes of all ranks, on all ranks.
Outcome reduced(Outcome const& of_rank);

/// Shares, imbalance and times of this run. On all ranks together. Writes the file of costs if it
/// has a name.
void report_balance(Ranks const& ranks, Share const& share, Chunks const& chunks,
                    std::vector<std::int64_t> const& todo, std::string const& costs);

}  // namespace Distributed

#endif
