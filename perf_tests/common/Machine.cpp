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
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "Timing.hpp"

namespace BatchworkPerf {

namespace {

struct alignas(16) Word16 {
  std::uint32_t v[4];
};

struct FillWords {
  Word16* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < 4; ++i) to[k].v[i] = static_cast<std::uint32_t>(k * 2654435761 + i * 40503);
  }
};
struct CopyWords {
  Word16* to;
  Word16 const* from;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to[k] = from[k]; }
};

double peak_float = 0;
double peak_double = 0;

std::string device_name() {
#if defined(KOKKOS_ENABLE_CUDA)
  return Kokkos::Cuda().cuda_device_prop().name;
#elif defined(KOKKOS_ENABLE_HIP)
  return Kokkos::HIP().hip_device_prop().name;
#else
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
#endif
}

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
  std::size_t const words = std::bit_ceil(footprint) / 2 / sizeof(Word16);
  if (auto const found = known.find(words); found != known.end()) return found->second;
  Kokkos::View<Word16*, Memory> from(Kokkos::view_alloc("from", Kokkos::WithoutInitializing),
                                     words);
  Kokkos::View<Word16*, Memory> to(Kokkos::view_alloc("to", Kokkos::WithoutInitializing), words);
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const all(
      0, static_cast<std::int64_t>(words));
  Kokkos::parallel_for("fill", all, FillWords{from.data()});
  double const by_kernel =
      measure([&] { Kokkos::parallel_for("copy", all, CopyWords{to.data(), from.data()}); }).median;
  double const by_deep_copy = measure([&] { Kokkos::deep_copy(Exec(), to, from); }).median;
  double const bandwidth =
      2.0 * static_cast<double>(words * sizeof(Word16)) / std::min(by_kernel, by_deep_copy);
  known.emplace(words, bandwidth);
  return bandwidth;
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

  std::string const device = device_name();
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
