// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Runs the device kernels of gemm for a case on teams of host threads.
#ifndef BATCHWORK_TEST_GEMM_ON_TEAMS_HPP
#define BATCHWORK_TEST_GEMM_ON_TEAMS_HPP

#include <cstdint>
#include <vector>

#include "dense/gemm/GemmCase.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {

template <class T>
Impl::GemmProblem<T> given_problem_of(GemmData<T> const& d) {
  auto const& g = d.what;
  auto const side = [](ArrangedBatch<T> const& m, bool turned) {
    Impl::GemmSide<T> const s{m.data(), m.item, m.row, m.col};
    return turned ? s.turned() : s;
  };
  auto const a = side(d.a, g.turn_a), b = side(d.b, g.turn_b);
  Impl::GemmProblem<T> p;
  p.shared_a = g.shared == Shared::a;
  p.shared_b = g.shared == Shared::b;
  p.a = {a.data, p.shared_a ? 0 : a.item, a.row, a.col};
  p.b = {b.data, p.shared_b ? 0 : b.item, b.row, b.col};
  p.c = side(d.c, g.turn_c);
  p.items = g.items;
  p.m = g.m;
  p.n = g.n;
  p.k = g.k;
  p.alpha = T(g.alpha);
  p.beta = T(g.beta);
  return p;
}
template <class T>
Impl::GemmProblem<T> problem_of(GemmData<T> const& d) {
  return Impl::arranged_for_device(given_problem_of(d));
}

/// The same items by where each of them begins, as in a ragged batch, or those of factors alone, as
/// of gathered ones. Nothing is at `item`.
template <class T>
struct ProblemOfItemsAnywhere {
  std::vector<std::int64_t> a, b, c;
  Impl::GemmProblem<T> p;

  ProblemOfItemsAnywhere(Impl::GemmProblem<T> const& given, bool factors_alone) : p(given) {
    if (!p.shared_a) place(p.a, a);
    if (!p.shared_b) place(p.b, b);
    if (!factors_alone) place(p.c, c);
    p = Impl::arranged_for_device(p);
  }

 private:
  template <class Side>
  void place(Side& side, std::vector<std::int64_t>& begins) {
    for (std::int64_t n = 0; n < p.items; ++n) begins.push_back(n * side.item);
    side.begins = begins.data();
    side.item = std::int64_t(1) << 40;
  }
};

/// run(problem) for the items of a case, and again by where each of them begins.
template <class T, class Run>
void check_problem(GemmData<T> const& d, Run const& run) {
  d.check([&] { run(problem_of(d)); });
  for (bool const factors_alone : {true, false}) {
    ProblemOfItemsAnywhere<T> const anywhere(given_problem_of(d), factors_alone);
    d.check([&] { run(anywhere.p); });
  }
}

template <class T>
void run_blocks(Impl::GemmProblem<T> const& p, Impl::GemmBlockKind kind, int stages) {
  Impl::with_gemm_blocks(p, kind, [&]<class Kernel>(Kernel kernel) {
    kernel.stages = stages;
    run_teams(kernel, int(kernel.teams()), Kernel::block_type::team, kernel.bytes());
  });
}
template <class T>
void run_warps(Impl::GemmProblem<T> const& p, int rounds) {
  ASSERT_TRUE(Impl::gemm_suits_warps(p));
  Impl::GemmWarps<T> kernel(p, 1000);
  kernel.rounds = rounds;
  EXPECT_LE(kernel.bytes(), Impl::scratch_of_a_team);
  run_teams(kernel, int(kernel.teams()), kernel.team(), kernel.bytes());
}

/// Sizes for which rows begin at any alignment, with every order of the numbers of each operand.
template <class T>
void test_warps(Random& random, int m, int n, int k, int most_items = 11) {
  for (auto shared : {Shared::none, Shared::a, Shared::b})
    for (int order = 0; order < 8; ++order) {
      GemmCase g;
      g.items = random.integer(1, most_items);
      g.m = m;
      g.n = n;
      g.k = k;
      g.shared = shared;
      for (int which = 0; which < 3; ++which)
        g.arranged[std::size_t(which)] =
            order >> which & 1 ? Arranged::by_columns : Arranged::item_contiguous;
      g.alpha = order % 3 ? 1 : -0.5;
      g.reads_c = random.integer(0, 1);
      g.beta = g.reads_c ? 0.75 : 0;
      GemmData<T> const d(g, random);
      check_problem(d, [&](auto const& p) { run_warps(p, random.integer(1, 3)); });
    }
}

}  // namespace Batchwork::Test

#endif
