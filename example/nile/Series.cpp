// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Series.hpp"

// gcc warns without reason about the reader's code when it is inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#endif
#include <csv.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>

namespace Nile {

namespace {

bool is_missing(std::string_view cell) {
  return cell.empty() || cell == "nan" || cell == "NaN" || cell == "NA";
}

template <class Number>
Number parse(std::string_view cell, char const* column, std::string const& path, unsigned line) {
  Number x{};
  auto const [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(double(x))) {
    throw InputError(path + ", line " + std::to_string(line) + ": the " + column + " \"" +
                     std::string(cell) + "\" is not " +
                     (std::is_integral_v<Number> ? "a whole number" : "a finite number"));
  }
  return x;
}

}  // namespace

Series read_series(std::string const& path) {
  // Opening a folder succeeds, and reading it would be reported as an empty file.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": is a folder, not a CSV file");
  Series series;
  try {
    io::CSVReader<2, io::trim_chars<' ', '\t', '\r'>> csv(path);
    csv.read_header(io::ignore_extra_column, "year", "flow");
    char *year_cell = nullptr, *flow_cell = nullptr;
    while (csv.read_row(year_cell, flow_cell)) {
      unsigned const line = unsigned(csv.get_file_line());
      int const year = parse<int>(year_cell, "year", path, line);
      if (line > 2 && year <= series.last_year) {
        throw InputError(path + ", line " + std::to_string(line) + ": the year " +
                         std::to_string(year) + " does not follow " +
                         std::to_string(series.last_year));
      }
      series.last_year = year;
      if (is_missing(flow_cell)) continue;
      series.year.push_back(year);
      series.flow.push_back(parse<double>(flow_cell, "flow", path, line));
    }
  } catch (io::error::base const& e) {
    throw InputError(e.what());
  }
  if (series.observations() < 2) {
    throw InputError(path + ": a series of " + std::to_string(series.observations()) +
                     " observations; at least two are needed");
  }
  return series;
}

}  // namespace Nile
