// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verbs.hpp"

namespace BatchworkPerf {

void register_verbs_double() { register_verbs<double>(); }

}  // namespace BatchworkPerf
