// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// batchwork-tune: measures the kernels of verbs and writes what is fastest.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "Measure.hpp"
#include "Options.hpp"

namespace BatchworkTune {

namespace {

struct Measurable {
  char const* name;
  Measured (*measure)(bool, TuneSizes const&);
};
template <TunableVerb V>
constexpr Measurable measurable_as{Impl::name_of(V), measure<V>};
constexpr Measurable measurable[] = {measurable_as<TunableVerb::lu>,
                                     measurable_as<TunableVerb::solve_lu>,
                                     measurable_as<TunableVerb::inverse>,
                                     measurable_as<TunableVerb::cholesky>,
                                     measurable_as<TunableVerb::solve_cholesky>,
                                     measurable_as<TunableVerb::qr>,
                                     measurable_as<TunableVerb::eigh>,
                                     measurable_as<TunableVerb::svd>};

/// Hosts have one kernel for a size.
char const* kernel_text(KernelKind kind) {
  return kind == KernelKind::fastest ? "the only" : Impl::word_of(kind);
}

void print_size(char const* verb, std::string const& type, TunedSize const& s) {
  std::string others;
  for (std::size_t k = 1; k < s.times.size(); ++k) {
    char text[64];
    std::snprintf(text, sizeof text, "  %s %.4g%s", kernel_text(s.times[k].kernel),
                  s.times[k].nanoseconds, s.times[k].error <= 1 ? "" : " WRONG");
    others += text;
  }
  std::printf("%-15s %-6s %5d %8lld  %-11s %10.4g  %-11s %10.4g %5.2f%s%s\n", verb, type.c_str(),
              s.rows, static_cast<long long>(s.items), kernel_text(s.times[0].kernel),
              s.times[0].nanoseconds, kernel_text(s.best().kernel), s.best().nanoseconds, s.gain(),
              s.times[0].error <= 1 ? "" : "  WRONG", others.c_str());
  std::fflush(stdout);
}

/// \returns whether all results were right
bool tune_all(Options const& o) {
  bool right = true;
  clear_tuning();
  TuneSizes sizes;
  sizes.rows = o.rows;
  sizes.interleaved = o.arrangement == "interleaved";
  sizes.sides = o.sides;
  sizes.items = o.items;
  sizes.seconds = o.milliseconds * 1e-3;
  std::printf("%-15s %-6s %5s %8s  %-11s %10s  %-11s %10s %5s  others, ns\n", "verb", "type",
              "rows", "items", "built-in", "ns", "fastest", "ns", "gain");
  std::vector<TuningLine> lines;
  for (Measurable const& m : measurable) {
    if (std::find(o.verbs.begin(), o.verbs.end(), m.name) == o.verbs.end()) continue;
    for (std::string const& type : o.types) {
      Measured const measured = m.measure(type == "float", sizes);
      for (TunedSize const& s : measured.sizes) {
        print_size(m.name, type, s);
        for (TuneTime const& t : s.times) right = right && t.error <= 1;
      }
      lines.insert(lines.end(), measured.lines.begin(), measured.lines.end());
    }
  }
  if constexpr (!Impl::runs_on_device<Kokkos::DefaultExecutionSpace>)
    std::puts("A host has one kernel for each size: the file only says how long it takes.");
  save_tuning(o.output, lines);
  std::printf("%zu decisions written to %s\n", lines.size(), o.output.c_str());
  return right;
}

}  // namespace
}  // namespace BatchworkTune

int main(int argc, char** argv) {
  try {
    std::vector<std::string> verbs;
    for (auto const& m : BatchworkTune::measurable) verbs.push_back(m.name);
    auto const options = BatchworkTune::parse_options(argc, argv, verbs);
    if (!options) return 0;
    Kokkos::ScopeGuard const kokkos(argc, argv);
    if (!BatchworkTune::tune_all(*options)) {
      std::fputs("batchwork-tune: the results marked WRONG have large residuals\n", stderr);
      return 1;
    }
  } catch (std::exception const& e) {
    std::fprintf(stderr, "batchwork-tune: %s\n", e.what());
    return 2;
  }
  return 0;
}
