// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verbs.hpp"

namespace BatchworkPerf {

void register_verb_inverse_float() { register_verb<float, Decomposition::inverse>(); }

}  // namespace BatchworkPerf
