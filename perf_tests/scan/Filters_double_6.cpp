// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Filters.hpp"

namespace BatchworkPerf {

void register_filters_double_6() { register_filters<double, 6, 2>(items_of_6); }

}  // namespace BatchworkPerf
