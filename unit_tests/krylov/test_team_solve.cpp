// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team_solve inside kernels, one item at a time: every format, and many rows. Compared with the
// residual in long double and, on hosts, with solve.
#include "krylov/TeamSolveCase.hpp"

namespace Batchwork::Test {
namespace {

template <class T>
struct TeamSolve : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TeamSolve, Numbers);

struct Size {
  int rows;
  double share;
};
inline constexpr Size sizes[] = {{1, 1},  {2, 1},     {12, 0.4}, {31, 0.2},
                                 {33, 1}, {64, 0.05}, {65, 0.3}, {150, 0.02}};

TYPED_TEST(TeamSolve, ItemsOfEveryFormat) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 200);
  for (auto const& size : sizes)
    for (auto how : all_arranged) {
      SCOPED_TRACE(std::to_string(size.rows) + " rows, arranged " + std::to_string(int(how)));
      TeamCase<T> const c(size.rows, size.share, how, true);
      c.template by_item<2>(bicgstab(stop), jacobi(), c.a.csr(), "csr");
      c.template by_item<2>(bicgstab(stop), no_preconditioner(), c.a.long_csr(), "csr of 64 bits");
      c.template by_item<1>(conjugate_gradients(stop), jacobi(), c.a.ell(), "ell");
      c.template by_item<4>(richardson(stop, 0.9), jacobi(), c.a.dense(), "dense");
      c.template by_item<2>(bicgstab(stop), jacobi(), AnyMatrices<T>(c.a.dense()), "any");
    }
}

TYPED_TEST(TeamSolve, ManyRows) {
  using T = TypeParam;
  auto const stop = relative(usual_tolerance<T>, 200);
  TeamCase<T> const c(512, 0.002, Arranged::item_contiguous, true, 3);
  c.template by_item<2>(bicgstab(stop), jacobi(), c.a.csr(), "512 rows");
  TeamCase<T> const large(1100, 0.0005, Arranged::item_contiguous, true, 2);
  large.template by_item<8>(bicgstab(stop), jacobi(), large.a.csr(), "1100 rows");
}

}  // namespace
}  // namespace Batchwork::Test
