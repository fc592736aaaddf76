// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kalman::score and its derivatives, for models of several sizes.

#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_score_2();
void register_score_4();
void register_score_6();
void register_score_13();

namespace {

void register_all() {
  register_score_2();
  register_score_4();
  register_score_6();
  register_score_13();
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
