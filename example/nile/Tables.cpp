// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tables.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace Nile {

namespace {

/// A CSV file that is written cell by cell. The text is buffered here, because a grid has a million
/// rows.
class Table {
 public:
  Table(std::string const& path, char const* header) : path_(path), file_(path, std::ios::binary) {
    text_ = header;
    text_ += '\n';
  }
  void number(double x, std::chars_format format, int digits) {
    char buffer[400];
    auto const r = std::to_chars(buffer, buffer + sizeof buffer, x, format, digits);
    text_.append(buffer, r.ptr);
    text_ += ',';
  }
  void number(int x) { text_ += std::to_string(x) + ','; }
  void empty() { text_ += ','; }
  void end_row() {
    text_.back() = '\n';
    if (text_.size() > (1u << 20)) flush();
  }
  void close() {
    flush();
    file_.close();
    if (!file_) throw InputError(path_ + ": cannot be written: " + std::strerror(errno));
  }

 private:
  void flush() {
    file_.write(text_.data(), std::streamsize(text_.size()));
    text_.clear();
  }
  std::string path_;
  std::ofstream file_;
  std::string text_;
};

}  // namespace

void write_level(std::string const& path, Series const& series, FilteredLevel const& filtered) {
  constexpr auto fixed = std::chars_format::fixed;
  Table table(path, "year,flow,level,lower,upper");
  std::size_t seen = 0;
  for (std::size_t t = 0; t < filtered.year.size(); ++t) {
    table.number(filtered.year[t]);
    if (seen < series.year.size() && series.year[seen] == filtered.year[t]) {
      table.number(series.flow[seen++], std::chars_format::general, 15);
    } else {
      table.empty();
    }
    table.number(filtered.level[t], fixed, 3);
    table.number(lower_90(filtered, t), fixed, 3);
    table.number(upper_90(filtered, t), fixed, 3);
    table.end_row();
  }
  table.close();
}

void write_surface(std::string const& path, Surface const& surface) {
  Table table(path, "observation_variance,level_variance,log_likelihood");
  for (std::size_t n = 0; n < surface.log_likelihood.size(); ++n) {
    table.number(surface.grid.observation_at(std::int64_t(n)), std::chars_format::general, 8);
    table.number(surface.grid.drift_at(std::int64_t(n)), std::chars_format::general, 8);
    table.number(surface.log_likelihood[n], std::chars_format::fixed, 5);
    table.end_row();
  }
  table.close();
}

}  // namespace Nile
