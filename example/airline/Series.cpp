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

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>

namespace Airline {

namespace {

template <class Number>
bool parse(std::string_view text, Number& x) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  return error == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(std::string const& path, unsigned line, std::string const& what) {
  throw InputError(path + ", line " + std::to_string(line) + ": " + what);
}

int parse_month(std::string_view cell, std::string const& path, unsigned line) {
  int year = 0, month = 0;
  if (cell.size() != 7 || cell[4] != '-' || !parse(cell.substr(0, 4), year) ||
      !parse(cell.substr(5), month) || month < 1 || month > 12)
    refuse(path, line, "the month \"" + std::string(cell) + "\" is not of the form 1949-01");
  return 12 * year + month - 1;
}

double parse_value(std::string_view cell, std::string const& path, unsigned line) {
  if (cell.empty() || cell == "nan" || cell == "NaN" || cell == "NA")
    return std::numeric_limits<double>::quiet_NaN();
  double x = 0;
  if (!parse(cell, x) || !std::isfinite(x) || x <= 0)
    refuse(path, line,
           "the number of passengers \"" + std::string(cell) + "\" is not a positive number");
  return x;
}

}  // namespace

int Series::observations() const {
  return int(std::count_if(value.begin(), value.end(), [](double x) { return !std::isnan(x); }));
}

std::string Series::name(int t) const {
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02d", (first_month + t) / 12, (first_month + t) % 12 + 1);
  return text;
}

Series read_series(std::string const& path) {
  // Opening a folder succeeds, and reading it would be reported as an empty file.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": is a folder, not a CSV file");
  Series series;
  try {
    io::CSVReader<2, io::trim_chars<' ', '\t', '\r'>> csv(path);
    csv.read_header(io::ignore_extra_column, "month", "passengers");
    char *month_cell = nullptr, *value_cell = nullptr;
    while (csv.read_row(month_cell, value_cell)) {
      unsigned const line = unsigned(csv.get_file_line());
      int const month = parse_month(month_cell, path, line);
      if (series.value.empty()) series.first_month = month;
      else if (month != series.first_month + series.months())
        refuse(path, line,
               "the month " + std::string(month_cell) + " does not follow " +
                   series.name(series.months() - 1) +
                   "; give every month, with an empty cell if it was not observed");
      series.value.push_back(parse_value(value_cell, path, line));
    }
  } catch (io::error::base const& e) {
    throw InputError(e.what());
  }
  constexpr int least = 26;  // twice the number of states
  if (series.observations() < least)
    throw InputError(path + ": a series of " + std::to_string(series.observations()) +
                     " observations; at least " + std::to_string(least) + " are needed");
  return series;
}

}  // namespace Airline
