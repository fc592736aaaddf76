// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Random.hpp"

#include <cstdint>
#include <cstdlib>

namespace Batchwork::Test {

namespace {

/// Other numbers for each BATCHWORK_TEST_SEED in the environment, for soaks.
std::uint64_t seed_of_run(unsigned seed) {
  char const* const run = std::getenv("BATCHWORK_TEST_SEED");
  return run == nullptr ? seed : seed + (std::strtoull(run, nullptr, 10) << 32);
}

}  // namespace

Random::Random(unsigned seed) : engine_(seed_of_run(seed)) {}
double Random::operator()(double a, double b) {
  return std::uniform_real_distribution<double>(a, b)(engine_);
}
double Random::normal() { return std::normal_distribution<double>()(engine_); }
int Random::integer(int a, int b) { return std::uniform_int_distribution<int>(a, b)(engine_); }

}  // namespace Batchwork::Test
