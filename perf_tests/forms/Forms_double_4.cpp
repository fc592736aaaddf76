// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forms.hpp"

namespace BatchworkPerf {

void register_forms_double_4() { register_forms<double, 4, 2>(); }

}  // namespace BatchworkPerf
