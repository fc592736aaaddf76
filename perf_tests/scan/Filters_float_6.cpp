// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Filters.hpp"

namespace BatchworkPerf {

void register_filters_float_6() { register_filters<float, 6, 2>(items_of_6); }

}  // namespace BatchworkPerf
