// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Filters.hpp"

namespace BatchworkPerf {

void register_filters_float_13() { register_filters_per_item<float, 13, 1>(items_of_6); }

}  // namespace BatchworkPerf
