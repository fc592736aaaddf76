// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Random numbers. Random.cpp is compiled once and optimised, because many tests spend most of
/// their time on random numbers.
#ifndef BATCHWORK_TEST_RANDOM_HPP
#define BATCHWORK_TEST_RANDOM_HPP

#include <random>

namespace Batchwork::Test {

class Random {
 public:
  explicit Random(unsigned seed = 1);
  /// Uniform in [a, b).
  double operator()(double a = -1, double b = 1);
  double normal();
  int integer(int a, int b);

 private:
  std::mt19937_64 engine_;
};

}  // namespace Batchwork::Test

#endif
