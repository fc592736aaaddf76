// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.hpp"

#include <benchmark/benchmark.h>

#include <Batchwork_Version.hpp>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "Bandwidth.hpp"
#include "Timing.hpp"
#include "core/detail/backend/Batchwork_MachineName.hpp"

namespace BatchworkPerf {

namespace {

double peak_float = 0;
double peak_double = 0;

std::string compiler() {
  std::string name;
#if defined(__NVCC__)
  name = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
         std::to_string(__CUDACC_VER_MINOR__) + ", ";
#endif
#if defined(__clang__)
  return name + "clang " + __clang_version__;
#elif defined(__GNUC__)
  return name + "g++ " + __VERSION__;
#else
  return name + "unknown";
#endif
}

/// Peaks of devices we know, without matrix instructions.
void know_peaks(std::string const& name) {
  if (name.find("H200") != std::string::npos || name.find("H100") != std::string::npos) {
    if (peak_float == 0) peak_float = 67e12;
    if (peak_double == 0) peak_double = 33.5e12;
  }
}

/// Takes --name=value out of the arguments.
void take_flag(int& argc, char** argv, char const* name, double& value) {
  std::string const prefix = std::string("--") + name + "=";
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) != 0) continue;
    value = std::atof(argv[i] + prefix.size());
    std::rotate(argv + i, argv + i + 1, argv + argc);
    --argc;
    --i;
  }
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

}  // namespace

double copy_bandwidth(std::size_t footprint) {
  static std::map<std::size_t, double> known;
  std::size_t const bytes = std::bit_ceil(footprint);
  if (auto const found = known.find(bytes); found != known.end()) return found->second;
  return known.emplace(bytes, measured_copy_bandwidth<Exec>(bytes)).first->second;
}

template <>
double peak<float>() {
  return peak_float;
}
template <>
double peak<double>() {
  return peak_double;
}

int run(int argc, char** argv, void (*register_all)()) {
  take_flag(argc, argv, "peak-float", peak_float);
  take_flag(argc, argv, "peak-double", peak_double);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  std::string const device = Batchwork::Impl::Vendor::machine_name(Exec());
  know_peaks(device);
  benchmark::AddCustomContext("batchwork_version", std::string(Batchwork::version()));
  benchmark::AddCustomContext("batchwork_git_hash", std::string(Batchwork::git_hash()));
  benchmark::AddCustomContext("kokkos_version", std::to_string(KOKKOS_VERSION / 10000) + "." +
                                                    std::to_string(KOKKOS_VERSION / 100 % 100) +
                                                    "." + std::to_string(KOKKOS_VERSION % 100));
  benchmark::AddCustomContext("backend", Exec::name());
  benchmark::AddCustomContext("concurrency", std::to_string(Exec().concurrency()));
  benchmark::AddCustomContext("device", device);
  benchmark::AddCustomContext("compiler", compiler());
  // On a host larger than the caches.
  std::size_t const footprint = on_device ? 1000000000 : 400000000;
  benchmark::AddCustomContext("copy_bandwidth_GB_per_s", number(copy_bandwidth(footprint) * 1e-9));
  benchmark::AddCustomContext("peak_float_flop_per_s", number(peak_float));
  benchmark::AddCustomContext("peak_double_flop_per_s", number(peak_double));

  register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace BatchworkPerf
