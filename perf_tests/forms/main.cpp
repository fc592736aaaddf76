// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The forms of Kalman::filter and Kalman::smooth, 2 to 13 states.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_forms_float_2();
void register_forms_float_4();
void register_forms_float_6();
void register_forms_float_9();
void register_forms_float_13();
void register_forms_double_2();
void register_forms_double_4();
void register_forms_double_6();
void register_forms_double_9();
void register_forms_double_13();

namespace {

void register_all() {
  register_forms_float_2();
  register_forms_float_4();
  register_forms_float_6();
  register_forms_float_9();
  register_forms_float_13();
  register_forms_double_2();
  register_forms_double_4();
  register_forms_double_6();
  register_forms_double_9();
  register_forms_double_13();
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
