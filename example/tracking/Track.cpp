// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Track.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "../support/Gnuplot.hpp"
#include "Options.hpp"

namespace Tracking {

namespace {

template <class V>
auto on_host(V const& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

void write_rows(std::ostream& out, Track const& track, char between) {
  out.precision(9);
  for (auto const& row : track)
    for (int k = 0; k < columns; ++k)
      out << row[std::size_t(k)] << (k + 1 < columns ? between : '\n');
}

/// Ellipses of two standard deviations, five times as large, at every third step, for gnuplot:
/// centre, diameters, angle in degrees.
void write_ellipses(std::ostream& out, Track const& track) {
  for (std::size_t t = 0; t < track.size(); t += 3) {
    auto const& p = track[t];
    double const middle = (p[variance_x] + p[variance_y]) / 2,
                 half = (p[variance_x] - p[variance_y]) / 2,
                 radius = std::hypot(half, p[covariance_xy]);
    out << p[x] << ' ' << p[y] << ' ' << 20 * std::sqrt(middle + radius) << ' '
        << 20 * std::sqrt(std::fmax(middle - radius, 0)) << ' '
        << 90 / pi * std::atan2(p[covariance_xy], half) << '\n';
  }
}

constexpr char const* style = R"(
set terminal pngcairo size 1900,860 enhanced font 'DejaVu Sans,15' background '#ffffff'
set encoding utf8; set datafile missing 'nan'
ink = '#3b4252'; truth = '#64748b'; water = '#1f6f9f'; band = '#a9cfe4'; accent = '#c2410c'
set border 3 linecolor rgb ink linewidth 1.2
set tics nomirror out scale 0.6 textcolor rgb ink
set grid back linecolor rgb '#dfe4ea' linewidth 1 dashtype solid
set key textcolor rgb ink samplen 2 spacing 1.25
set multiplot layout 1,2
set xlabel 'x, km'; set ylabel 'y, km'; set size ratio -1; set key outside bottom center horizontal
km(v) = v / 1000
)";
constexpr char const* left_half = R"(
plot $ellipses using (km($1)):(km($2)):(km($3)):(km($4)):5 with ellipses fillcolor rgb band fillstyle solid 0.5 border linecolor rgb water title '2-sigma ellipses, 5 times as large', \
     $track using (km($5)):(km($6)) with points pointtype 7 pointsize 0.6 linecolor rgb accent title 'Observed', \
     $track using (km($2)):(km($3)) with lines linewidth 2 linecolor rgb truth title 'Truth', \
     $track using (km($7)):(km($8)) with lines linewidth 2 linecolor rgb water title 'Estimate'
set size noratio; set title 'Probabilities of the modes'; set xlabel 'Time, s'; set ylabel 'Probability'
set yrange [0:1.02]; set autoscale xfix
)";

}  // namespace

Track typical_track(Targets const& targets, Tracks const& tracks) {
  auto const flag = on_host(targets.flag);
  std::size_t const steps = flag.extent(1);
  std::size_t best = 0;
  int longest = 0;
  for (std::size_t n = 0; n < flag.extent(0); ++n) {
    int part[3] = {}, parts = 0;  // steps straight, turning, straight
    for (std::size_t t = 0; t < steps && parts < 3; ++t) {
      parts += (flag(n, t, turning) != 0) != (parts == 1);
      if (parts < 3) ++part[parts];
    }
    int const shortest = parts < 3 ? std::min({part[0], part[1], part[2]}) : 0;
    if (shortest > longest) best = n, longest = shortest;
  }
  auto const truth = on_host(targets.truth), mean = on_host(tracks.mean);
  auto const seen = on_host(targets.seen);
  auto const covariance = on_host(tracks.covariance);
  auto const nis = on_host(tracks.nis);
  auto const probability = on_host(tracks.probability);
  Track track(steps);
  for (std::size_t t = 0; t < steps; ++t) {
    double const range = seen(best, t, 0), bearing = seen(best, t, 1);
    track[t] = {interval * double(t + 1),  truth(best, t, 0),         truth(best, t, 1),
                flag(best, t, turning),    range * std::cos(bearing), range * std::sin(bearing),
                mean(best, t, 0),          mean(best, t, 1),          covariance(best, t, 0, 0),
                covariance(best, t, 1, 1), covariance(best, t, 0, 1), nis(best, t)};
    for (std::size_t j = 0; j < 3; ++j)
      track[t][mode_0 + j] = j < probability.extent(2) ? probability(best, t, j) : std::nan("");
  }
  return track;
}

void write_csv(std::string const& path, Track const& track) {
  std::ofstream out(path);
  out << "time,true_x,true_y,turns,seen_x,seen_y,x,y,variance_x,variance_y,covariance_xy,nis,"
         "mode_0,mode_1,mode_2\n";
  write_rows(out, track, ',');
  out.close();
  if (!out) throw InputError("--csv: " + path + ": cannot be written: " + std::strerror(errno));
}

std::string draw(std::string const& path, std::string const& title, Track const& track) {
  std::ostringstream script;
  script << "$track << END\n";
  write_rows(script, track, ' ');
  script << "END\n$ellipses << END\n";
  write_ellipses(script, track);
  script << "END\nset output " << Support::quoted(path) << style << "set title "
         << Support::quoted(title) << '\n'
         << left_half
         << "plot $track using 1:4:(2) with boxes fillstyle solid noborder linecolor rgb '#dbe3ec' "
            "title "
            "'Truth: it turns'";
  char const* const names[] = {"Straight", "Turn", "Change"};
  char const* const colours[] = {"'#64748b'", "water", "accent"};
  for (int j = 0; j < 3 && !std::isnan(track[0][std::size_t(mode_0 + j)]); ++j)
    script << ", $track using 1:" << 1 + mode_0 + j << " with lines linewidth 3 linecolor rgb "
           << colours[j] << " title '" << names[j] << "'";
  script << "\nunset multiplot\nset output\n";
  return Support::run_gnuplot(script.str());
}

}  // namespace Tracking
