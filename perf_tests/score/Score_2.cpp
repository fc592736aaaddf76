// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Score.hpp"

namespace BatchworkPerf {

void register_score_2() { add_all<2>(4000); }

}  // namespace BatchworkPerf
