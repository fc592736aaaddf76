// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forms.hpp"

namespace BatchworkPerf {

void register_forms_float_6() { register_forms<float, 6, 3>(); }

}  // namespace BatchworkPerf
