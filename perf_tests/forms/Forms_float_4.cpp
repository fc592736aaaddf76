// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forms.hpp"

namespace BatchworkPerf {

void register_forms_float_4() { register_forms<float, 4, 2>(); }

}  // namespace BatchworkPerf
