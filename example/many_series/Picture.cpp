// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Picture.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "../support/Gnuplot.hpp"
#include "Options.hpp"

namespace ManySeries {

namespace {

constexpr double end = 4, width = 0.1;  // of the histograms, in standard deviations

constexpr char const* style = R"(
set terminal pngcairo size 1500,720 enhanced font 'DejaVu Sans,15' background '#ffffff'
set minussign
ink = '#3b4252'; water = '#1f6f9f'; accent = '#c2410c'
set border 3 linecolor rgb ink; set tics nomirror out scale 0.6 textcolor rgb ink
set grid back linecolor rgb '#dfe4ea' linewidth 1 dashtype solid
set key top right Left reverse samplen 2 textcolor rgb ink noautotitle
set title font ',17' textcolor rgb ink
set xlabel 'Error of the logarithm / its standard deviation' textcolor rgb ink
set xrange [-4:4]; set yrange [0:0.55]
set style fill solid 0.55 noborder
normal(x) = exp(-x * x / 2) / sqrt(2 * pi)
set multiplot layout 1,2
set title 'Variance of the level'
plot $errors using 1:2 with boxes linecolor rgb water title 'Series', \
     normal(x) linecolor rgb accent linewidth 3 title 'Normal distribution'
set title 'Variance of the noise'
plot $errors using 1:3 with boxes linecolor rgb water title 'Series', \
     normal(x) linecolor rgb accent linewidth 3 title 'Normal distribution'
unset multiplot
set output
)";

constexpr int bins = int(2 * end / width);
std::array<double, bins> density(std::vector<double> const& x) {
  std::array<double, bins> r{};
  for (double const v : x)
    if (std::abs(v) < end) r[std::size_t((v + end) / width)] += 1 / (width * double(x.size()));
  return r;
}

}  // namespace

void create_folder(std::string const& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw InputError(path + ": the folder cannot be made: " + error.message());
  if (!std::filesystem::is_directory(path)) throw InputError(path + ": is not a folder");
}

std::string draw(std::string const& folder, std::vector<double> const& level,
                 std::vector<double> const& noise) {
  std::ostringstream out;
  out << "$errors << END\n";
  auto const l = density(level), n = density(noise);
  for (std::size_t k = 0; k < l.size(); ++k)
    out << (double(k) + 0.5) * width - end << ' ' << l[k] << ' ' << n[k] << '\n';
  out << "END\nset output " << Support::quoted(folder + "/many_series.png") << style;
  return Support::run_gnuplot(out.str());
}

}  // namespace ManySeries
