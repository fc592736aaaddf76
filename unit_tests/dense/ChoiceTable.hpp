// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Tables of the kernels that verbs choose.
#ifndef BATCHWORK_TEST_CHOICETABLE_HPP
#define BATCHWORK_TEST_CHOICETABLE_HPP

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "launch/detail/Batchwork_KernelChoice.hpp"

namespace Batchwork::Test {

/// Matrices of n rows are for the kernel of this extent, whose lanes share an item.
struct ChoiceRow {
  int n;
  KernelKind kind;
  int extent = 0, lanes = 0;
};

/// choose(n) gives the candidates for n rows.
template <class Choose>
void expect_chosen(Choose const& choose, std::initializer_list<ChoiceRow> const& table) {
  for (ChoiceRow const& row : table) {
    SCOPED_TRACE(row.n);
    auto const first = *choose(row.n).begin();
    EXPECT_EQ(first.kind, row.kind);
    EXPECT_EQ(first.extent, row.extent);
    EXPECT_EQ(first.lanes, row.lanes);
  }
}

template <class Choices>
void expect_kinds(Choices const& there, std::vector<KernelKind> const& wanted) {
  std::vector<KernelKind> kinds;
  for (auto const& c : there) kinds.push_back(c.kind);
  EXPECT_EQ(kinds, wanted);
}

}  // namespace Batchwork::Test

#endif
