// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forms.hpp"

namespace BatchworkPerf {

void register_forms_double_2() { register_forms<double, 2, 1>(); }

}  // namespace BatchworkPerf
