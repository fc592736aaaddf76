// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve with direct_lu.
#include "krylov/DirectCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

/// The verb, with a workspace where it needs one.
struct Verb {
  template <class T, class Solver, class A>
  void operator()(Solver const& solver, A const& a, ArrangedBatch<T> const& b,
                  ArrangedBatch<T> const& x, SolveLog<T> const& log) const {
    FencedWorkspace<T> const memory(workspace_numbers(Space(), solver, a, x.items));
    if (b.cols == 1) solve(Space(), solver, a, vectors(b), vectors(x), log, memory());
    else solve(Space(), solver, a, b.batch(), x.batch(), log, memory());
    EXPECT_TRUE(memory.fenced());
  }
};

template <class T>
void check_all(std::initializer_list<int> sizes, std::int64_t items) {
  Random random(11);
  int k = 0;
  for (int rows : sizes)
    check_direct_formats<T>(rows, 1, items, all_arranged[k++ % 4], random, Verb());
}

TEST(DirectLu, SmallSystems) {
  check_all<double>({1, 2, 3, 4, 5, 6, 7, 8, 12}, 13);
  check_all<float>({1, 2, 3, 4, 5, 6, 7, 8, 12}, 13);
}
TEST(DirectLu, LargerSystems) {
  check_all<double>({22, 33, 54, 64}, 8);
  check_all<float>({64, 54, 33, 22}, 8);
}
TEST(DirectLu, LargeSystems) {
  check_all<double>({65, 100, 144}, 3);
  check_all<float>({144, 65, 100}, 3);
}

}  // namespace
}  // namespace Batchwork::Test
