// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Picture.hpp"

#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "../support/Gnuplot.hpp"

namespace Letkf {

namespace {

using Numbers = std::vector<double>;

constexpr char const* style = R"(
set encoding utf8; set minussign
ink = '#3b4252'; band = '#a9cfe4'; water = '#1f6f9f'; accent = '#c2410c'; grey = '#94a3b8'
set border 3 linecolor rgb ink linewidth 1.2
set tics nomirror out scale 0.6 textcolor rgb ink
set grid back linecolor rgb '#dfe4ea' linewidth 1 dashtype solid
set xlabel textcolor rgb ink; set ylabel textcolor rgb ink; set title font ',17' textcolor rgb ink
set key top right reverse Left samplen 2 spacing 1.2 textcolor rgb ink noautotitle
)";

constexpr char const* histogram = R"(
set title 'Rank of the truth in the forecast'; set xlabel 'Members below the truth'; set ylabel 'Share times (members + 1)'
set yrange [0:*]; set xrange [-0.7:ranks + 0.7]; set style fill solid 0.75 noborder
plot $ranks using 1:2 with boxes linecolor rgb band, 1 with lines linewidth 2 linecolor rgb accent
)";

/// A row for each cycle.
void write_table(std::string const& path, std::string const& header,
                 std::vector<Numbers const*> const& columns) {
  std::ofstream out(path);
  out << std::setprecision(9) << header << '\n';
  for (std::size_t t = 0; t < columns[0]->size(); ++t) {
    out << t + 1;
    for (Numbers const* c : columns) out << ',' << (*c)[t];
    out << '\n';
  }
  if (!out.flush()) throw InputError(path + ": cannot be written");
}

void write_columns(std::ostream& out, char const* name,
                   std::vector<Numbers const*> const& columns) {
  out << name << " << END\n";
  for (std::size_t t = 0; t < columns[0]->size(); ++t) {
    out << t + 1;
    for (Numbers const* c : columns) out << ' ' << (*c)[t];
    out << '\n';
  }
  out << "END\n";
}

void write_ranks(std::ostream& out, std::vector<std::int64_t> const& ranks) {
  double sum = 0;
  for (auto r : ranks) sum += double(r);
  out << "$ranks << END\n";
  for (std::size_t k = 0; k < ranks.size(); ++k)
    out << k << ' ' << double(ranks[k]) * double(ranks.size()) / sum << '\n';
  out << "END\nranks = " << ranks.size() - 1 << '\n';
}

void write_field(std::ostream& out, char const* name, Numbers const& field) {
  std::size_t const n = std::size_t(std::lround(std::sqrt(double(field.size()))));
  out << name << " << END\n";
  for (std::size_t k = 0; k < field.size(); ++k) out << field[k] << (k % n == n - 1 ? '\n' : ' ');
  out << "END\n";
}

std::string begin(std::string const& path, int width, int height) {
  std::ostringstream out;
  out << "set terminal pngcairo size " << width << ',' << height
      << " enhanced font 'DejaVu Sans,14' background '#ffffff'\nset output " << quoted(path)
      << style;
  return out.str();
}

}  // namespace

std::string write(std::string const& folder, Lorenz96Result const& r) {
  write_table(folder + "/lorenz96.csv", "cycle,error,spread", {&r.error, &r.spread});
  std::ostringstream out;
  out << std::setprecision(9);
  write_columns(out, "$errors", {&r.error, &r.spread});
  write_ranks(out, r.ranks);
  out << begin(folder + "/lorenz96.png", 1700, 640) << R"(
set multiplot layout 1,2
set title 'Lorenz-96: error after each analysis'; set xlabel 'Cycle'; set ylabel 'Root mean square'
set yrange [0:*]; set xrange [1:*]
plot $errors using 1:2 with lines linewidth 2 linecolor rgb water title 'Error of the mean',      $errors using 1:3 with lines linewidth 2 linecolor rgb grey title 'Spread'
)" << histogram
      << "unset multiplot\nset output\n";
  return Support::run_gnuplot(out.str());
}

std::string write(std::string const& folder, GridResult const& r) {
  write_table(folder + "/shallow_water.csv", "cycle,before,after,spread",
              {&r.before, &r.after, &r.spread});
  Numbers difference(r.mean);
  for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= r.truth[k];
  std::ostringstream out;
  out << std::setprecision(6);
  write_columns(out, "$errors", {&r.before, &r.after, &r.spread});
  write_ranks(out, r.ranks);
  write_field(out, "$truth", r.truth);
  write_field(out, "$mean", r.mean);
  write_field(out, "$difference", difference);
  out << begin(folder + "/shallow_water.png", 1900, 1130) << R"(
set multiplot
set size 0.5,0.45; set origin 0,0.53
set title 'Shallow water: error of the height'; set xlabel 'Cycle'; set ylabel 'Root mean square, m'
set logscale y; set xrange [1:*]
plot $errors using 1:2 with lines linewidth 2 linecolor rgb accent title 'Forecast',      $errors using 1:3 with lines linewidth 2 linecolor rgb water title 'Analysis',      $errors using 1:4 with lines linewidth 2 linecolor rgb grey title 'Spread of the analysis'
unset logscale
set origin 0.5,0.53
)" << histogram
      << R"(
unset key; unset grid; unset xlabel; unset ylabel; set border 0; unset tics; set size ratio -1 0.33,0.5; set autoscale
set colorbox; set cbtics
set palette defined (0 '#7f2704', 1 '#f16913', 2 '#f7f7f7', 3 '#4292c6', 4 '#08306b')
set autoscale fix; set xrange [*:*]; set yrange [*:*]
stats $truth matrix using 3 nooutput name 'T'
set cbrange [T_min:T_max]
set origin 0,0.01; set title 'True height at the end, m'; plot $truth matrix with image
set origin 0.33,0.01; set title 'Mean of the analysis, m'; plot $mean matrix with image
set cbrange [*:*]
set origin 0.66,0.01; set title 'Difference, m'; plot $difference matrix with image
unset multiplot
set output
)";
  return Support::run_gnuplot(out.str());
}

}  // namespace Letkf
