// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The covariance update with other numbers of lanes an item, teams at once and ways than the
// default ones, on devices: what the defaults are chosen by.
#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_divisions_double_9();
void register_divisions_double_9_two();
void register_divisions_double_13();
void register_divisions_double_warp();
void register_divisions_double_warp_17();
void register_divisions_double_warp_25();
void register_divisions_double_scratch();
void register_divisions_float_11();
void register_divisions_float_13();
void register_divisions_float_20();

namespace {

void register_all() {
  register_divisions_double_9();
  register_divisions_double_9_two();
  register_divisions_double_13();
  register_divisions_double_warp();
  register_divisions_double_warp_17();
  register_divisions_double_warp_25();
  register_divisions_double_scratch();
  register_divisions_float_11();
  register_divisions_float_13();
  register_divisions_float_20();
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
