// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Runs verbs on the first device of a process and on the second, and compares the bits of the
/// results. A program run by hand, because it needs two devices: ../README.md. With one device, and
/// on hosts, two instances of it are compared.

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "Place.hpp"

namespace TwoDevices {
namespace {

struct Case {
  char const* name;
  Numbers (*run)(Place const&);
};
constexpr Case cases[] = {
    {"map", map_of_tiles},
    {"scan", scan_of_tiles},
    {"team_map", team_map_in_a_kernel},
    {"Kalman::filter", kalman_filter},
    {"Kalman::filter, gains", gains},
    {"gemm", products},
    {"copy", copies},
    {"cholesky, solve_cholesky", cholesky},
    {"solve_lower, solve_upper", triangular},
    {"lu, solve_lu", lu},
    {"inverse", inverses},
    {"determinant", determinants},
    {"qr", qr},
    {"qr, workspace", qr_in_workspace},
    {"least_squares", least_squares},
    {"eigh", eigenpairs},
    {"svd", singular_values},
    {"solve_tridiagonal", tridiagonal},
    {"solve, bicgstab", bicgstab},
    {"solve, gmres", gmres},
    {"solve, block_jacobi", block_jacobi},
    {"solve, direct_lu", direct},
    {"solve, symbolic", symbolic},
    {"verbs on systems", beside_solve},
    {"team_solve", team_solve_in_a_kernel},
};

#if defined(KOKKOS_ENABLE_CUDA)
/// An instance of a device, with a stream of its own.
class Instance {
 public:
  explicit Instance(int device)
      : device_(device), stream_(stream_of(device)), place_{Exec(stream_)} {}
  ~Instance() {
    place_.exec = Exec();  // the instance ends before its stream
    cudaSetDevice(device_);
    cudaStreamDestroy(stream_);
  }
  Instance(Instance const&) = delete;
  Instance& operator=(Instance const&) = delete;
  Place const& place() const { return place_; }

 private:
  static cudaStream_t stream_of(int device) {
    cudaStream_t stream = nullptr;
    if (cudaSetDevice(device) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess)
      throw std::runtime_error("no stream of device " + std::to_string(device));
    return stream;
  }
  int device_;
  cudaStream_t stream_;
  Place place_;
};
int devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
int device_of(Place const& p) { return p.exec.cuda_device(); }
/// Another thread starts on device 0, as does a part of the program that knows of one device only.
void use_first_device() { cudaSetDevice(0); }
#else
class Instance {
 public:
  explicit Instance(int) {}
  Place const& place() const { return place_; }

 private:
  Place place_;
};
int devices() { return 1; }
int device_of(Place const&) { return 0; }
void use_first_device() {}
#endif

/// What is wrong with the numbers of the second place, or an empty text.
std::string difference(Numbers const& first, Numbers const& second) {
  if (first.size() != second.size()) return "other sizes";
  std::size_t differ = 0, unwritten = 0;
  for (std::size_t k = 0; k < first.size(); ++k) {
    differ += std::memcmp(&first[k], &second[k], sizeof(double)) != 0;
    unwritten += second[k] <= -12345 && second[k] >= -12351;
  }
  if (unwritten > 0) return std::to_string(unwritten) + " numbers were not written";
  if (differ > 0) return std::to_string(differ) + " numbers differ";
  return "";
}

/// The numbers of a case, or the message of its exception.
struct Outcome {
  Numbers numbers;
  std::string problem;
};
Outcome outcome(Case const& c, Place const& on) {
  try {
    use_first_device();
    return {c.run(on), ""};
  } catch (std::exception const& e) {
    return {{}, e.what()};
  }
}

int run() {
  Instance const one(0), other(devices() > 1 ? 1 : 0);
  Place const &first = one.place(), &second = other.place();
  std::printf("%s, devices %d and %d\n", Exec::name(), device_of(first), device_of(second));
  int failed = 0;
  std::printf("case,numbers,result\n");
  for (Case const& c : cases) {
    // The second device first: nothing that the first one set up can help it.
    Outcome const there = outcome(c, second), here = outcome(c, first);
    std::string problem = !there.problem.empty()  ? there.problem
                          : !here.problem.empty() ? "first device: " + here.problem
                                                  : difference(here.numbers, there.numbers);
    if (problem.empty()) {
      // Both at the same time, from two threads.
      Outcome again_here, again_there;
      if (Exec().concurrency() > 1 && device_of(first) != device_of(second)) {
        std::thread thread([&] { again_there = outcome(c, second); });
        again_here = outcome(c, first);
        thread.join();
        problem = again_there.problem + again_here.problem;
        if (problem.empty()) problem = difference(here.numbers, again_here.numbers);
        if (problem.empty()) problem = difference(here.numbers, again_there.numbers);
        if (!problem.empty()) problem = "at the same time: " + problem;
      }
    }
    failed += !problem.empty();
    std::printf("\"%s\",%zu,%s\n", c.name, here.numbers.size(),
                problem.empty() ? "same bits" : problem.c_str());
    std::fflush(stdout);
  }
  std::printf("%d of %zu cases failed\n", failed, std::size(cases));
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace TwoDevices

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return TwoDevices::run();
}
