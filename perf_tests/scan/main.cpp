// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters over time, the time loop inside one kernel: the table of `scan`, the Nile sweep,
// few long series, and smoothers.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_filters_float_4();
void register_filters_float_6();
void register_filters_float_13();
void register_filters_double_4();
void register_filters_double_6();
void register_nile();
void register_long_series();
void register_smoothers();

namespace {

void register_all() {
  register_filters_float_4();
  register_filters_float_6();
  register_filters_float_13();
  register_filters_double_4();
  register_filters_double_6();
  register_nile();
  register_long_series();
  register_smoothers();
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
