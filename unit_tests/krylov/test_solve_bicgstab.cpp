// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with BiCGSTAB: every way to store a system, every format and arrangement, against the
// residual in long double.
#include "krylov/SolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct SolveByBicgstab : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveByBicgstab, Numbers);

TYPED_TEST(SolveByBicgstab, Converges) {
  solve_every_way<TypeParam>(bicgstab(relative(usual_tolerance<TypeParam>, 200)));
}

TYPED_TEST(SolveByBicgstab, ItemsDependOnNoOthers) {
  solve_alone_and_together<TypeParam>([](StoppingCriteria const& stop) { return bicgstab(stop); });
}

}  // namespace
}  // namespace Batchwork::Test
