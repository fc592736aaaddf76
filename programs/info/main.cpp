// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// batchwork-info: what this machine and this library are, which kernels run, and how long a call
// should take.
#include <Batchwork_Version.hpp>
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../perf_tests/common/Bandwidth.hpp"
#include "../../perf_tests/common/Peak.hpp"
#include "core/detail/Batchwork_KernelSets.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "core/detail/backend/Batchwork_MachineName.hpp"
#include "launch/Batchwork_Tuning.hpp"
#include "tune/detail/Batchwork_KernelsOf.hpp"

namespace BatchworkInfo {
namespace {

using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;
constexpr bool on_device = Impl::runs_on_device<Exec>;

struct Options {
  std::string verb, type = "double", arrangement = "item-contiguous";
  int rows = 0, cols = 0, sides = 1;
  std::int64_t items = 0;
  bool csv = false, quick = false;
};

/// A line of the output: "section,name,value" with --csv.
class Output {
 public:
  explicit Output(bool csv) : csv_(csv) {}
  void section(std::string const& name) {
    section_ = name;
    if (!csv_) std::printf("%s\n", name.c_str());
  }
  void line(std::string const& name, std::string const& value, std::string const& remark = "") {
    if (csv_) std::printf("\"%s\",\"%s\",\"%s\"\n", section_.c_str(), name.c_str(), value.c_str());
    else
      std::printf("  %-22s %s%s%s\n", name.c_str(), value.c_str(), remark.empty() ? "" : "   ",
                  remark.c_str());
  }

 private:
  bool csv_;
  std::string section_;
};

std::string number(double x, char const* unit = "") {
  char text[64];
  std::snprintf(text, sizeof text, "%.4g%s", x, unit);
  return text;
}
std::string time_text(double seconds) {
  return seconds < 1e-3 ? number(seconds * 1e6, " us")
         : seconds < 1  ? number(seconds * 1e3, " ms")
                        : number(seconds, " s");
}

TunableVerb verb_of(std::string const& name) {
  for (TunableVerb const v : Impl::tunable_verbs)
    if (name == Impl::name_of(v)) return v;
  throw std::runtime_error("no verb " + name);
}

/// The kernels for a size, on a device, and the one that runs.
struct Choice {
  std::vector<KernelKind> there;
  KernelKind runs = KernelKind::fastest;
  std::string why;
};
Choice choice_of(TunableVerb verb, bool in_float, int rows, int cols, int sides, bool interleaved) {
  Choice r;
  Impl::TunedCall call{in_float ? "float" : "double",
                       Exec::name(),
                       interleaved,
                       rows,
                       cols,
                       Impl::has_sides(verb) ? sides : std::min(rows, cols)};
  if (verb == TunableVerb::svd && rows < cols) std::swap(call.rows, call.cols);
  TuningLine const* const line = Impl::TunedKernels<>::find(tuning(), Impl::name_of(verb), call);
  if constexpr (on_device) {
    auto const kernels = in_float ? Impl::kernels_of<float>(verb, rows, cols, sides, interleaved,
                                                            Impl::Vendor::has_shuffles)
                                  : Impl::kernels_of<double>(verb, rows, cols, sides, interleaved,
                                                             Impl::Vendor::has_shuffles);
    for (Impl::KernelChoice const& c : kernels)
      if (r.there.empty() || r.there.back() != c.kind) r.there.push_back(c.kind);
    r.runs = r.there.front();
    r.why = "built-in choice";
    if (line != nullptr && line->kernel != KernelKind::fastest) {
      if (std::find(r.there.begin(), r.there.end(), line->kernel) != r.there.end()) {
        r.runs = line->kernel;
        r.why = "tuning";
      } else {
        r.why = std::string("built-in choice; the tuning has ") + Impl::word_of(line->kernel) +
                ", which cannot run this size";
      }
    }
  } else {
    r.why = rows <= Impl::extent_of_lane && verb != TunableVerb::cholesky &&
                    verb != TunableVerb::solve_cholesky
                ? "hosts: items side by side in SIMD registers"
                : "hosts: items in the stack of a thread, side by side where the verb does so";
  }
  return r;
}

/// Numbers that a call reads and writes for an item, and its operations: Golub and Van Loan, Matrix
/// Computations, 4th edition, sections 3.4, 4.2, 5.2.9, 8.3.3 and figure 8.6.1.
struct Cost {
  double numbers = 0, operations = 0;
};
Cost cost_of(TunableVerb verb, double m, double n, double sides) {
  double const least = std::min(m, n), cube = n * n * n;
  switch (verb) {
    case TunableVerb::lu: return {2 * n * n + n / 2, 2 * cube / 3};
    case TunableVerb::solve_lu: return {n * n + 2 * n * sides, 2 * cube / 3 + 2 * n * n * sides};
    case TunableVerb::inverse: return {2 * n * n, 2 * cube};
    case TunableVerb::cholesky: return {1.5 * n * n, cube / 3};
    case TunableVerb::solve_cholesky: return {n * n + 2 * n * sides, cube / 3 + 2 * n * n * sides};
    case TunableVerb::qr:
      return {m * n + m * least + least * n, 4 * (std::max(m, n) - least / 3) * least * least};
    case TunableVerb::eigh: return {2 * n * n + n, 9 * cube};
    case TunableVerb::svd:
      return {m * n + (m + n + 1) * least, 21 * std::max(m, n) * least * least};
  }
  return {};
}

/// Of the floor's speed, where nothing is measured.
constexpr double usual_fraction = 0.3;

/// The measured time of an item, interpolated between the measured sizes on logarithmic scales; 0
/// where none is within a factor of two.
double time_from_tuning(TunableVerb verb, std::string const& type, bool interleaved, int rows,
                        int sides, std::string& from) {
  TuningLine const *below = nullptr, *above = nullptr;
  for (TuningLine const& l : tuning().lines) {
    bool const fits = l.operation == Impl::name_of(verb) && l.type == type &&
                      l.space == Exec::name() && l.nanoseconds > 0 && l.first_col == 0 &&
                      l.last_col == 0 &&
                      (!Impl::has_sides(verb) || (l.first_side <= sides && sides <= l.last_side)) &&
                      (l.arrangement == "any" || (l.arrangement == "interleaved") == interleaved);
    if (!fits) continue;
    // A line was measured at its first size.
    if (l.first_row <= rows && (below == nullptr || l.first_row > below->first_row)) below = &l;
    if (l.first_row >= rows && (above == nullptr || l.first_row < above->first_row)) above = &l;
  }
  if (below != nullptr && 2 * below->first_row < rows) below = nullptr;
  if (above != nullptr && above->first_row > 2 * rows) above = nullptr;
  if (below == nullptr && above == nullptr) return 0;
  if (below == nullptr || above == nullptr || below->first_row == above->first_row) {
    TuningLine const& l = below != nullptr ? *below : *above;
    from = "measured at " + std::to_string(l.first_row) + " rows";
    return l.nanoseconds * 1e-9 * std::pow(double(rows) / l.first_row, 3);
  }
  from = "between those measured at " + std::to_string(below->first_row) + " and " +
         std::to_string(above->first_row) + " rows";
  double const part = std::log(double(rows) / below->first_row) /
                      std::log(double(above->first_row) / below->first_row);
  return 1e-9 *
         std::exp((1 - part) * std::log(below->nanoseconds) + part * std::log(above->nanoseconds));
}

double peak(bool in_float) {
  return in_float ? BatchworkPerf::measured_peak<float, Exec>()
                  : BatchworkPerf::measured_peak<double, Exec>();
}

void print_machine(Output& out, Options const& o) {
  out.section("library");
  out.line("version", std::string(version()) + " (" + std::string(git_hash()) + ")");
  out.line("Kokkos", std::to_string(KOKKOS_VERSION / 10000) + "." +
                         std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                         std::to_string(KOKKOS_VERSION % 100));
  std::string spaces;
#if defined(KOKKOS_ENABLE_SERIAL)
  spaces += " Serial";
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  spaces += " OpenMP";
#endif
#if defined(KOKKOS_ENABLE_THREADS)
  spaces += " Threads";
#endif
#if defined(KOKKOS_ENABLE_HPX)
  spaces += " HPX";
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  spaces += " Cuda";
#endif
#if defined(KOKKOS_ENABLE_HIP)
  spaces += " HIP";
#endif
#if defined(KOKKOS_ENABLE_SYCL)
  spaces += " SYCL";
#endif
  out.line("execution spaces", spaces.substr(1), std::string("default: ") + Exec::name());
  out.line("kernels", Impl::kernels_are_in_headers
                          ? "in headers"
                          : std::string("in libbatchwork:") +
                                (Impl::compiled_dense ? " dense" : "") +
                                (Impl::compiled_solvers ? " solvers" : "") +
                                (Impl::compiled_all ? " all" : ""));
  Tuning const& t = tuning();
  out.line("tuning",
           t.path.empty() ? "none"
                          : t.path + ", " + std::to_string(t.lines.size()) +
                                " decisions, machine " + t.machine + ", version " + t.version,
           t.path.empty() ? "set BATCHWORK_TUNING, or call load_tuning(path)" : "");
  out.section("machine");
  out.line("name", Impl::Vendor::machine_name(Exec()));
  out.line("concurrency", std::to_string(Exec().concurrency()));
  if constexpr (on_device) {
    Impl::DeviceLimits const l = Impl::Vendor::device_limits(Exec());
    out.line("multiprocessors", std::to_string(l.multiprocessors));
    out.line("scratch of a team", std::to_string(l.scratch_of_team), "bytes");
    out.line("lanes of a team", std::to_string(l.lanes_of_team));
    out.line("teams of a launch", std::to_string(l.teams_of_launch));
  } else {
    out.line("items in a pack", std::to_string(Impl::native_width<float>) + " float, " +
                                    std::to_string(Impl::native_width<double>) + " double");
  }
  if (o.quick) return;
  std::size_t const bytes = on_device ? 1 << 30 : 1 << 28;
  out.line("copy bandwidth", number(BatchworkPerf::measured_copy_bandwidth<Exec>(bytes) * 1e-9),
           "GB/s, measured");
  out.line("peak float", number(peak(true) * 1e-9), "Gflop/s, measured");
  out.line("peak double", number(peak(false) * 1e-9), "Gflop/s, measured");
}

/// Which kernel runs which size of square matrices.
void print_kernels(Output& out, Options const& o) {
  bool const interleaved = o.arrangement == "interleaved";
  out.section("kernels (square matrices, " + o.arrangement + ", one right-hand side)");
  for (TunableVerb const verb : Impl::tunable_verbs)
    for (char const* const type : {"float", "double"}) {
      constexpr int last = 256;
      std::string text;
      int first = 1;
      auto const named = [&](int rows) {
        Choice const c = choice_of(verb, std::string(type) == "float", rows, rows, 1, interleaved);
        return on_device
                   ? Impl::word_of(c.runs) +
                         std::string(c.why == "tuning" && c.runs != c.there.front() ? "*" : "")
                   : c.why.substr(std::string("hosts: ").size());
      };
      std::string name = named(1);
      for (int n = 2; n <= last + 1; ++n) {
        std::string const next = n <= last ? named(n) : "";
        if (next == name) continue;
        text += (text.empty() ? "" : ", ") + std::to_string(first) +
                (n > last        ? "-"
                 : n - 1 > first ? "-" + std::to_string(n - 1)
                                 : "") +
                " " + name;
        first = n;
        name = next;
      }
      out.line(std::string(Impl::name_of(verb)) + " " + type, text);
    }
  if (on_device && !o.csv) {
    std::printf(
        "  The first kernel of choose_...: what was measured to be fastest on H100 and "
        "H200; * by the tuning.\n  Where scratch is too small the next one runs: "
        "batchwork-info VERB TYPE ROWS lists them.\n");
    for (KernelKind const k :
         {KernelKind::by_lane, KernelKind::by_lanes, KernelKind::by_warps, KernelKind::by_panels,
          KernelKind::in_scratch, KernelKind::in_workspace})
      std::printf("  %-12s an item is %s\n", Impl::word_of(k),
                  k == KernelKind::by_lane      ? "in the registers of a lane"
                  : k == KernelKind::by_lanes   ? "in the registers of some lanes of a warp"
                  : k == KernelKind::by_warps   ? "with a warp or several, mostly in registers"
                  : k == KernelKind::by_panels  ? "in scratch, a few columns at a time in registers"
                  : k == KernelKind::in_scratch ? "in team scratch"
                                                : "in a slot of workspace(view)");
  }
}

void print_shape(Output& out, Options const& o) {
  TunableVerb const verb = verb_of(o.verb);
  bool const in_float = o.type == "float", interleaved = o.arrangement == "interleaved";
  int const cols = o.cols > 0 ? o.cols : o.rows;
  if (cols != o.rows && verb != TunableVerb::qr && verb != TunableVerb::svd)
    throw std::runtime_error(o.verb + " takes square matrices; give as many columns as rows");
  Choice const c = choice_of(verb, in_float, o.rows, cols, o.sides, interleaved);
  out.section(o.verb + " " + o.type + " " + std::to_string(o.rows) + " x " + std::to_string(cols) +
              ", " + o.arrangement);
  std::string others;
  for (KernelKind const k : c.there)
    if (k != c.runs) others += std::string(others.empty() ? "" : ", ") + Impl::word_of(k);
  out.line("kernel", on_device ? Impl::word_of(c.runs) : "the one for hosts",
           c.why + (others.empty() ? "" : "; others: " + others));
  if (o.items == 0) return;
  Cost const cost = cost_of(verb, o.rows, cols, o.sides);
  double const items = double(o.items), size = in_float ? 4 : 8,
               bytes = items * size * cost.numbers, operations = items * cost.operations;
  double const bandwidth =
                   BatchworkPerf::measured_copy_bandwidth<Exec>(on_device ? 1 << 30 : 1 << 28),
               by_bytes = bytes / bandwidth, by_operations = operations / peak(in_float),
               floor = std::max(by_bytes, by_operations);
  out.line("items", std::to_string(o.items));
  out.line("bytes", number(bytes), "floor " + time_text(by_bytes));
  out.line("operations", number(operations), "floor " + time_text(by_operations));
  out.line("floor, s", number(floor),
           by_bytes > by_operations ? "memory binds" : "arithmetic binds");
  std::string from;
  double const of_item =
      cols == o.rows ? time_from_tuning(verb, o.type, interleaved, o.rows, o.sides, from) : 0;
  double const expected = of_item > 0 ? items * of_item : floor / usual_fraction;
  if (of_item == 0)
    from = "not measured: the floor at " + number(usual_fraction * 100, " %") +
           " of its speed; load a tuning for a measured time";
  out.line("expected, s", number(expected),
           time_text(expected) + ", " + from + "; " + number(100 * floor / expected, " %") +
               " of the floor");
}

/// \returns false after --help
bool parse(int argc, char** argv, Options& o) {
  CLI::App app{
      "Says which library and machine this is, which kernel runs which size, and how\n"
      "long a call should take:\n"
      "  batchwork-info                          all about this machine\n"
      "  batchwork-info qr double 100 100 20000  qr of 20000 matrices of 100 x 100\n"
      "Options of Kokkos begin with --kokkos-.",
      "batchwork-info"};
  std::vector<std::string> verbs;
  for (TunableVerb const v : Impl::tunable_verbs) verbs.push_back(Impl::name_of(v));
  app.add_option("verb", o.verb, "a verb")->check(CLI::IsMember(verbs));
  app.add_option("type", o.type, "float or double")->check(CLI::IsMember({"float", "double"}));
  app.add_option("rows", o.rows, "rows of a matrix")->check(CLI::Range(1, 32767));
  app.add_option("columns", o.cols, "columns of a matrix")->check(CLI::Range(1, 32767));
  app.add_option("items", o.items, "matrices of the call")
      ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 40));
  app.add_option("--arrangement", o.arrangement, "of the items in memory")
      ->check(CLI::IsMember({"item-contiguous", "interleaved"}))
      ->capture_default_str();
  app.add_option("--sides", o.sides, "right-hand sides of solves")->check(CLI::Range(1, 1 << 20));
  app.add_flag("--csv", o.csv, "lines of section,name,value");
  app.add_flag("--quick", o.quick, "measure nothing");
  std::vector<std::string> arguments;  // the last one first, as CLI11 takes them
  for (int k = argc - 1; k > 0; --k)
    if (std::string(argv[k]).rfind("--kokkos-", 0) != 0) arguments.push_back(argv[k]);
  try {
    app.parse(arguments);
  } catch (CLI::Success const& e) {
    app.exit(e);
    return false;
  } catch (CLI::ParseError const& e) {
    throw std::runtime_error(std::string(e.what()) + " (batchwork-info --help lists the options)");
  }
  if (!o.verb.empty() && o.rows == 0)
    throw std::runtime_error("give the rows of the matrices after " + o.verb +
                             " and the type (batchwork-info --help)");
  return true;
}

}  // namespace
}  // namespace BatchworkInfo

int main(int argc, char** argv) {
  try {
    BatchworkInfo::Options options;
    if (!BatchworkInfo::parse(argc, argv, options)) return 0;
    Kokkos::ScopeGuard const kokkos(argc, argv);
    BatchworkInfo::Output out(options.csv);
    if (!options.verb.empty()) {
      BatchworkInfo::print_shape(out, options);
    } else {
      BatchworkInfo::print_machine(out, options);
      BatchworkInfo::print_kernels(out, options);
    }
  } catch (std::exception const& e) {
    std::fprintf(stderr, "batchwork-info: %s\n", e.what());
    return 2;
  }
  return 0;
}
