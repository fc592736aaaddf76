// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Random.hpp"

namespace Batchwork::Test {

Random::Random(unsigned seed) : engine_(seed) {}
double Random::operator()(double a, double b) {
  return std::uniform_real_distribution<double>(a, b)(engine_);
}
double Random::normal() { return std::normal_distribution<double>()(engine_); }
int Random::integer(int a, int b) { return std::uniform_int_distribution<int>(a, b)(engine_); }

}  // namespace Batchwork::Test
