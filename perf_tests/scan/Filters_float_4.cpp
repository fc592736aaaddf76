// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Filters.hpp"

namespace BatchworkPerf {

void register_filters_float_4() { register_filters<float, 4, 2>(items_of_4); }

}  // namespace BatchworkPerf
