// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Seven programs as users write them: sequences beside plain loops and Eigen. On hosts, by one
// thread (OMP_NUM_THREADS=1).
#include "../common/Machine.hpp"

namespace BatchworkPerf {

void register_ekf();
void register_ukf();
void register_hexahedron();
void register_moving_least_squares();
void register_kabsch();
void register_return_mapping();
void register_rts();

namespace {
void register_all() {
  if constexpr (!on_device) {
    register_ekf();
    register_ukf();
    register_hexahedron();
    register_moving_least_squares();
    register_kabsch();
    register_return_mapping();
    register_rts();
  }
}
}  // namespace

}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
