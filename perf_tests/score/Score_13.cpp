// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Score.hpp"

namespace BatchworkPerf {

void register_score_13() { add_all<13>(400); }

}  // namespace BatchworkPerf
