// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Picture.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "../support/Gnuplot.hpp"
#include "Options.hpp"

namespace LeastSquares {

namespace {

constexpr char const* style = R"(
set terminal pngcairo size 1500,1200 enhanced font 'DejaVu Sans,15' background '#ffffff'
set minussign
ink = '#3b4252'
set border linecolor rgb ink; set tics nomirror out scale 0.6 textcolor rgb ink
unset key
set title font ',17' textcolor rgb ink
set xlabel 'x' textcolor rgb ink; set ylabel 'y' textcolor rgb ink
set xrange [0:1]; set yrange [0:1]; set size ratio 1
set palette viridis
set multiplot layout 2,2
set title 'Reconstruction'
plot $slice using 1:2:3 with image
set title 'log_{10} |error|'
plot $slice using 1:2:4 with image
set title 'Neighbours'
set cbrange [8:60]
plot $slice using 1:2:5 with image
set title 'Rank of the fit'
set cbrange [6:10]
plot $slice using 1:2:6 with image
unset multiplot
set output
)";

}  // namespace

void create_folder(std::string const& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw InputError(path + ": the folder cannot be made: " + error.message());
  if (!std::filesystem::is_directory(path)) throw InputError(path + ": is not a folder");
}

std::string draw(std::string const& folder, int side, Points const& slice,
                 Neighbours const& neighbours, Fits const& fits) {
  auto const host = [](auto const& v) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  };
  auto const truth = host(slice.value), value = host(fits.value), rank = host(fits.rank);
  auto const count = host(neighbours.count);
  std::ostringstream out;
  out << "$slice << END\n";
  for (int n = 0; n < side * side; ++n) {
    double const error = std::max(std::abs(value(n) - truth(n)), 1e-12);
    out << double(n % side) / (side - 1) << ' ' << double(n / side) / (side - 1) << ' ' << value(n)
        << ' ' << std::log10(error) << ' ' << count(n) << ' ' << rank(n) << '\n';
  }
  out << "END\nset output " << Support::quoted(folder + "/least_squares.png") << style;
  return Support::run_gnuplot(out.str());
}

}  // namespace LeastSquares
