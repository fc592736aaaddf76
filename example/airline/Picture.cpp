// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Picture.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "../support/Gnuplot.hpp"

namespace Airline {

namespace {

constexpr char const* style = R"(
set terminal pngcairo size 1900,860 enhanced font 'DejaVu Sans,15' background '#ffffff' linewidth 1.0
set encoding utf8; set minussign
ink = '#3b4252'; water = '#1f6f9f'; band = '#a9cfe4'; accent = '#c2410c'
set border 3 linecolor rgb ink linewidth 1.2
set tics nomirror out scale 0.6 textcolor rgb ink
set grid back linecolor rgb '#dfe4ea' linewidth 1 dashtype solid
set title offset 0,0.4 font ',18' textcolor rgb ink
set key top left Left reverse samplen 2 spacing 1.25 textcolor rgb ink noautotitle
set datafile missing 'nan'
set tmargin at screen 0.9; set bmargin at screen 0.09
set multiplot
set lmargin at screen 0.055; set rmargin at screen 0.60
plot $months using 1:6:7 with filledcurves fillcolor rgb band fillstyle solid 0.55 noborder title '90 % band of the forecast', \
     $months using 1:2 with linespoints pointtype 7 pointsize 0.5 linecolor rgb '#64748b' title 'Observed', \
     $months using 1:3 with lines linecolor rgb water linewidth 3 title 'Level', \
     $months using 1:5 with lines linecolor rgb accent linewidth 2 title 'Forecast'
set title 'Seasonal factor'
set lmargin at screen 0.66; set rmargin at screen 0.985
plot $months using 1:4 with linespoints pointtype 7 pointsize 0.5 linecolor rgb water linewidth 1.5
unset multiplot
set output
)";

}  // namespace

void write_components(std::string const& path, Series const& series, Components const& c) {
  std::ofstream file(path, std::ios::binary);
  file << "month,passengers,level,seasonal_factor,forecast,lower,upper\n"
       << std::fixed << std::setprecision(3);
  for (std::size_t t = 0; t < c.level.size(); ++t) {
    file << series.name(int(t)) << ',';
    if (t < series.value.size() && !std::isnan(series.value[t])) file << series.value[t];
    file << ',' << std::exp(c.level[t]) << ',' << std::exp(c.season[t]);
    if (int(t) < c.first) file << ",,,\n";
    else
      file << ',' << std::exp(c.forecast[t]) << ',' << lower_90(c, t) << ',' << upper_90(c, t)
           << '\n';
  }
  file.close();
  if (!file) throw InputError(path + ": cannot be written: " + std::strerror(errno));
}

std::string draw(std::string const& path, std::string const& title, Series const& series,
                 Components const& c) {
  std::ostringstream out;
  out << std::setprecision(9) << "$months << END\n";
  for (std::size_t t = 0; t < c.level.size(); ++t) {
    bool const ahead = t >= series.value.size();
    auto const cell = [&](bool there, double x) {
      if (there && std::isfinite(x)) out << ' ' << x;
      else out << " nan";
    };
    out << (series.first_month + int(t)) / 12.0;
    cell(!ahead, ahead ? 0 : series.value[t]);
    cell(true, std::exp(c.level[t]));
    cell(true, std::exp(c.season[t]));
    cell(ahead, std::exp(c.forecast[t]));
    cell(ahead, lower_90(c, t));
    cell(ahead, upper_90(c, t));
    out << '\n';
  }
  out << "END\nset output " << Support::quoted(path) << "\nset title " << Support::quoted(title)
      << style;
  return Support::run_gnuplot(out.str());
}

}  // namespace Airline
