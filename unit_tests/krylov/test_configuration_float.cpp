// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solver and preconditioner chosen at run time, in float.
#include "krylov/ConfigurationCase.hpp"

namespace Batchwork::Test {
namespace {

TEST(ConfigurationFloat, EveryPair) { expect_every_pair<float>(); }
TEST(ConfigurationFloat, SameBitsOfFormats) { expect_same_bits_of_formats<float>(); }
TEST(ConfigurationFloat, Parameters) { expect_what_parameters_say<float>(); }
TEST(ConfigurationFloat, Basis) { expect_the_basis<float>(); }

}  // namespace
}  // namespace Batchwork::Test
