// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What a checkpoint says about an earlier run.
#ifndef DISTRIBUTED_RESTART_HPP
#define DISTRIBUTED_RESTART_HPP

#include <string>
#include <vector>

#include "Checkpoint.hpp"

namespace Distributed {

struct Earlier {
  Outcome outcome;                 ///< of the chunks that are done
  std::vector<std::int64_t> todo;  ///< the others
  std::string text;                ///< who had done what, one line each; empty for a new file
};

/// On all ranks together, which share the check of the results.
Earlier look_at(Ranks const& ranks, Checkpoint const& checkpoint, Chunks const& chunks);

}  // namespace Distributed

#endif
