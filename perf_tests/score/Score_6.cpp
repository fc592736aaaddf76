// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Score.hpp"

namespace BatchworkPerf {

void register_score_6() { add_all<6>(1000); }

}  // namespace BatchworkPerf
