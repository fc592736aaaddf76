// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forms.hpp"

namespace BatchworkPerf {

void register_forms_double_6() { register_forms<double, 6, 3>(); }

}  // namespace BatchworkPerf
