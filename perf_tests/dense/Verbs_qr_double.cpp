// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verbs.hpp"

namespace BatchworkPerf {

void register_verb_qr_double() { register_verb<double, Decomposition::qr>(); }

}  // namespace BatchworkPerf
