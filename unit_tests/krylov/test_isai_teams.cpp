// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device kernel of solve with isai and spd_isai, run on the host by teams of threads, without
// and with shuffles.
#include "krylov/DiaCase.hpp"
#include "krylov/IsaiCase.hpp"

namespace Batchwork::Test {
namespace {

/// Teams of one or several systems, which process one or several sets of systems, with scratch
/// memory or a workspace.
TEST(IsaiOnTeams, SolvesTheLocalSystems) {
  Random random(1);
  for (auto const& [rows, entries] : {std::pair{1, 1}, {13, 3}, {9, 9}, {21, 5}, {35, 17}}) {
    std::int64_t const items = 3;
    auto const how = mostly_rows(random);
    Matrices<double> const a(narrow_pattern(random, rows, entries), items, how);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, true);
    a.upload();
    DiaOf<double> const d(a, how);
    for (auto const& by : {ByTeams{8}, ByTeams{8, 1, 2}, ByTeams{32, 0, 1, 1}, ByTeams{64}}) {
      if (by.lanes > 8 && rows < 20) continue;
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(entries) + " entries, " +
                   std::to_string(by.lanes) + " lanes");
      expect_isai(by, a, a.csr(), a.pattern, true, how, random);
      if (by.at_once == 0 && d.offsets.size() <= 32)
        expect_isai(by, a, d.dia(), d.pattern, true, how, random);
    }
  }
}

TEST(IsaiOnTeams, SingularLocalSystems) {
  Random random(2);
  expect_singular_alone<double>(ByTeams{8, 0, 2}, random);
}

TEST(IsaiOnTeams, InvalidPatterns) {
  Random random(3);
  expect_isai_invalid<double>(ByTeams{32, 0, 1, 1}, random);
}

}  // namespace
}  // namespace Batchwork::Test
