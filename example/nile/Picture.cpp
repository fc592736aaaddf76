// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Picture.hpp"

#include <iomanip>
#include <sstream>

#include "../support/Gnuplot.hpp"
#include "Tables.hpp"

namespace Nile {

namespace {

constexpr char const* style = R"(
set terminal pngcairo size 1900,860 enhanced font 'DejaVu Sans,15' background '#ffffff' linewidth 1.0
set encoding utf8; set minussign
ink = '#3b4252'; faint = '#d8dee9'; water = '#1f6f9f'; band = '#a9cfe4'; accent = '#c2410c'
set border 3 linecolor rgb ink linewidth 1.2
set tics nomirror out scale 0.6 textcolor rgb ink
set grid back linecolor rgb '#dfe4ea' linewidth 1 dashtype solid
set title offset 0,0.4 font ',18' textcolor rgb ink
set xlabel textcolor rgb ink; set ylabel textcolor rgb ink
set multiplot
)";

constexpr char const* left_half = R"(
set lmargin at screen 0.065; set rmargin at screen 0.485; set tmargin at screen 0.885; set bmargin at screen 0.125
set key top right Left reverse samplen 2 spacing 1.25 textcolor rgb ink noautotitle
set xlabel 'Year' offset 0,0.2
set autoscale y; set offsets 0, 0, graph 0.03, graph 0.05
plot $level using 1:4:5 with filledcurves fillcolor rgb band fillstyle solid 0.55 noborder title '90 % band of the level', \
     $series using 1:2 with lines linecolor rgb '#9aa5b4' linewidth 1, \
     $series using 1:2 with points pointtype 7 pointsize 0.75 linecolor rgb '#64748b' title 'Observed', \
     $level using 1:3 with lines linecolor rgb water linewidth 3 title 'Filtered level'
)";

/// Contours bound the confidence regions of the pair of variances. On a contour the log-likelihood
/// is -log(1 - confidence) below its maximum, which is half the quantile of chi-squared with two
/// degrees of freedom.
constexpr char const* right_half = R"(
unset key; unset offsets
set contour base; unset surface; set cntrparam cubicspline; set cntrparam levels discrete -0.6931,-2.3026,-4.6052,-6.9078
set table $contours
splot $surface using 1:2:3 with lines
unset table
set surface; unset contour
set lmargin at screen 0.57; set rmargin at screen 0.925; set tmargin at screen 0.885; set bmargin at screen 0.125
set title "Log-likelihood below its maximum\n{/*0.72 Contours: confidence regions of 50, 90, 99 and 99.9 %}" offset 0,0
set cbrange [-12:0]; set cbtics 2 scale 0.4 textcolor rgb ink; set colorbox user origin screen 0.94,0.125 size screen 0.012,0.76 noborder
set palette defined (-12 '#f6f8fa', -7 '#dcebf3', -4.6 '#b7d7e8', -2.3 '#7fb6d3', -0.7 '#3f8fbb', 0 '#155e8a')
set grid noxtics noytics
set format x '%.0f'; set format y '%.0f'
)";

void write_data(std::ostream& out, Series const& series, FilteredLevel const& filtered) {
  out << "$series << END\n";
  for (std::size_t t = 0; t < series.year.size(); ++t) {
    if (t > 0 && series.year[t] != series.year[t - 1] + 1) out << '\n';  // a gap in the line
    out << series.year[t] << ' ' << series.flow[t] << '\n';
  }
  out << "END\n$level << END\n";
  for (std::size_t t = 0; t < filtered.year.size(); ++t)
    out << filtered.year[t] << " 0 " << filtered.level[t] << ' ' << lower_90(filtered, t) << ' '
        << upper_90(filtered, t) << '\n';
  out << "END\n";
}

/// Writes the surface, relative to its maximum.
void write_data(std::ostream& out, Surface const& surface, double maximum) {
  int const n = surface.grid.points;
  out << "$surface << END\n";
  for (std::int64_t at = 0; at < surface.grid.size(); ++at) {
    out << surface.grid.observation_at(at) << ' ' << surface.grid.drift_at(at) << ' '
        << surface.log_likelihood[std::size_t(at)] - maximum << '\n';
    if (at % n == n - 1) out << '\n';
  }
  out << "END\n";
}

std::string script(std::string const& path, Captions const& captions, Series const& series,
                   FilteredLevel const& filtered, Surface const& surface, Estimate const& e) {
  std::ostringstream out;
  out << std::setprecision(9);
  write_data(out, series, filtered);
  write_data(out, surface, e.log_likelihood);
  out << "$best << END\n" << e.observation << ' ' << e.drift << "\nEND\n";
  out << "set output " << quoted(path) << style;
  out << "set title " << quoted(captions.series) << "\nset ylabel " << quoted(captions.quantity)
      << " offset 0.6,0\n"
      << "set xrange [" << filtered.year.front() << ':' << filtered.year.back() << "]\n";
  out << left_half;
  auto const range = [&](char const* axis, Range r) {
    out << "set " << axis << "range [" << r.low << ':' << r.high << "]\n";
  };
  range("x", surface.grid.observation);
  range("y", surface.grid.drift);
  out << right_half;
  out << "set xlabel " << quoted("Variance of an observation" + captions.unit) << "\nset ylabel "
      << quoted("Variance of the level’s yearly change" + captions.unit) << " offset -0.6,0\n";
  std::ostringstream best;
  best << std::fixed << std::setprecision(0) << e.observation << ", " << std::setprecision(1)
       << e.drift;
  out << "set label 1 " << quoted(best.str()) << " at " << e.observation << ',' << e.drift
      << " center offset 0,0.9 front textcolor rgb '#ffffff' font ',12'\n"
      << "plot $surface using 1:2:3 with image, "
         "$contours using 1:2 with lines linecolor rgb '#1e293b' linewidth 1.1, "
         "$best with points pointtype 1 pointsize 1.6 linewidth 2.2 linecolor rgb '#ffffff'\n"
      << "unset multiplot\nset output\n";
  return out.str();
}

}  // namespace

std::string draw(std::string const& path, Captions const& captions, Series const& series,
                 FilteredLevel const& filtered, Surface const& surface, Estimate const& estimate) {
  return Support::run_gnuplot(script(path, captions, series, filtered, surface, estimate));
}

}  // namespace Nile
