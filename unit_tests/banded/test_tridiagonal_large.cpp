// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// solve_tridiagonal for more than half a million systems, and for batches with more than 2^31
// numbers.
#include "banded/TridiagonalCase.hpp"
#include "support/FarCopy.hpp"

namespace Batchwork::Test {
namespace {

using T = float;

void solve_and_expect(TridiagonalData<T> const& s, Random& random) {
  s.randomise(random);
  solve_tridiagonal(vectors(s.lower), vectors(s.diagonal), vectors(s.upper), vectors(s.b),
                    vectors(s.x), status(s.codes));
  s.x.download();
  s.expect_solved(s.x);
  for (int code : s.download_codes()) ASSERT_EQ(code, 0);
}

TEST(TridiagonalLarge, ManyItems) {
  Random random(1);
  for (auto how : {Arranged::item_contiguous, Arranged::interleaved}) {
    TridiagonalData<T> const s((std::int64_t(1) << 19) + 1, 3, all_of(how));
    solve_and_expect(s, random);
  }
}

/// Staged by large teams, of which a multiprocessor holds fewer than of small ones.
TEST(TridiagonalLarge, LargestStagedRows) {
  Random random(3);
  for (int rows : {2176, 2300, 2432}) {
    TridiagonalData<T> const s(301, rows, all_of(Arranged::item_contiguous));
    solve_and_expect(s, random);
  }
}

/// Systems held by lanes, staged, and divided into parts: 5, 40 and 150 rows.
TEST(TridiagonalLarge, FarNumbers) {
  if (auto const why = no_room_for_far<T>(5); !why.empty()) GTEST_SKIP() << why;
  Random random(2);
  for (auto apart : {Apart::items, Apart::numbers})
    for (int rows : {5, 40, 150}) {
      // Each number can need a large page of a host.
      if (apart == Apart::numbers && rows > 40) continue;
      SCOPED_TRACE(std::to_string(rows) + " rows, apart " + std::to_string(int(apart)));
      TridiagonalData<T> const s(37, rows, all_of(Arranged::item_contiguous));
      s.randomise(random);
      FarCopy<T> const lower(s.lower, apart), diagonal(s.diagonal, apart), upper(s.upper, apart),
          b(s.b, apart), x(s.x, apart);
      solve_tridiagonal(lower.vectors(), diagonal.vectors(), upper.vectors(), b.vectors(),
                        x.vectors(), status(s.codes));
      x.fetch();
      s.expect_solved(s.x);
      for (int code : s.download_codes()) ASSERT_EQ(code, 0);
    }
}

}  // namespace
}  // namespace Batchwork::Test
