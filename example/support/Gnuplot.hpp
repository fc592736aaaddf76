// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Pictures by gnuplot, through a pipe. A program also runs where gnuplot is missing.
#ifndef SUPPORT_GNUPLOT_HPP
#define SUPPORT_GNUPLOT_HPP

#include <cstdio>
#include <cstdlib>
#include <string>

namespace Support {

/// The text in single quotes, as gnuplot reads it.
inline std::string quoted(std::string const& text) {
  std::string r = "'";
  for (char const c : text) r += c == '\'' ? std::string("''") : std::string(1, c);
  return r + "'";
}

/// Runs a script. Returns an empty text, or the reason why there is no picture.
inline std::string run_gnuplot(std::string const& script) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
    return "gnuplot was not found (Debian: gnuplot-nox)";
  std::FILE* const gnuplot = popen("gnuplot >/dev/null 2>&1", "w");
  if (!gnuplot) return "gnuplot could not be started";
  bool const written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  int const status = pclose(gnuplot);
  return written && status == 0 ? "" : "gnuplot failed (it needs the terminal pngcairo)";
}

}  // namespace Support

#endif
