// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The arguments of batchwork-tune.
#ifndef BATCHWORK_TUNE_OPTIONS_HPP
#define BATCHWORK_TUNE_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace BatchworkTune {

struct Options {
  std::vector<std::string> verbs;
  std::vector<int> rows{4, 8, 12, 16, 24, 32, 48, 64, 96, 128};
  std::vector<std::string> types{"double"};
  std::string arrangement = "item-contiguous";
  int sides = 1;
  std::int64_t items = 0;
  double milliseconds = 2;
  std::string output = "batchwork.tuning";
};

/// \param verbs  all verbs, for which no verb stands
/// \returns nothing after --help
/// \throws std::runtime_error for wrong arguments
std::optional<Options> parse_options(int argc, char** argv, std::vector<std::string> const& verbs);

}  // namespace BatchworkTune

#endif
