// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

namespace BatchworkTune {

std::optional<Options> parse_options(int argc, char** argv, std::vector<std::string> const& verbs) {
  Options o;
  CLI::App app{
      "Measures the kernels of Batchwork's verbs on this machine, and writes a tuning for\n"
      "load_tuning(path) or the environment variable BATCHWORK_TUNING. Options of Kokkos\n"
      "begin with --kokkos-.",
      "batchwork-tune"};
  app.add_option("verbs", o.verbs, "what to measure [all]")->check(CLI::IsMember(verbs));
  app.add_option("--rows", o.rows, "rows of the square matrices")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--types", o.types, "float, double")
      ->delimiter(',')
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  app.add_option("--arrangement", o.arrangement, "of the items in memory")
      ->check(CLI::IsMember({"item-contiguous", "interleaved"}))
      ->capture_default_str();
  app.add_option("--sides", o.sides, "right-hand sides of solves")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--items", o.items, "matrices of a call [256 MB on devices, 1 MB on hosts]")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 26));
  app.add_option("--sample", o.milliseconds, "milliseconds of a sample; the median of 15 counts")
      ->check(CLI::Range(0.01, 1000.0))
      ->capture_default_str();
  app.add_option("-o,--output", o.output, "the file to write")->capture_default_str();

  std::vector<std::string> arguments;  // the last one first, as CLI11 takes them
  for (int k = argc - 1; k > 0; --k)
    if (std::string(argv[k]).rfind("--kokkos-", 0) != 0) arguments.push_back(argv[k]);
  try {
    app.parse(arguments);
  } catch (CLI::Success const& e) {
    app.exit(e);
    return std::nullopt;
  } catch (CLI::ParseError const& e) {
    throw std::runtime_error(std::string(e.what()) + " (batchwork-tune --help lists the options)");
  }
  if (o.verbs.empty()) o.verbs = verbs;
  std::sort(o.rows.begin(), o.rows.end());
  o.rows.erase(std::unique(o.rows.begin(), o.rows.end()), o.rows.end());
  return o;
}

}  // namespace BatchworkTune
