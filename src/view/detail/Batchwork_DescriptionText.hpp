// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Text about Views. The library compiles it once.
#ifndef BATCHWORK_DESCRIPTIONTEXT_HPP
#define BATCHWORK_DESCRIPTIONTEXT_HPP

#include <cstdint>
#include <string>

#include "view/detail/Batchwork_Source.hpp"

namespace Batchwork::Impl {

template <class Unused>
std::string DescriptionText<Unused>::of_extents(std::int64_t const* extents, int rank) {
  std::string text = "(";
  for (int r = 0; r < rank; ++r) text += (r ? ", " : "") + std::to_string(extents[r]);
  return text + ")";
}

template <class Unused>
std::string DescriptionText<Unused>::compact_problem(std::int64_t n, std::int64_t groups,
                                                     std::int64_t width) {
  std::int64_t const needed = width > 0 ? (n + width - 1) / width : n;
  if (n >= 0 && needed <= groups) return "";
  return "it has " + std::to_string(groups) + " groups, but compact(view, " + std::to_string(n) +
         ") needs " +
         (n < 0 ? std::string("a number of items that is not negative")
                : std::to_string(needed) + " of " + std::to_string(width) + " items") +
         "; give a View with ceil(n / " + std::to_string(width) + ") groups";
}

}  // namespace Batchwork::Impl

#endif
