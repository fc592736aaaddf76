// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Score.hpp"

namespace BatchworkPerf {

void register_score_4() { add_all<4>(2000); }

}  // namespace BatchworkPerf
