// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A batch larger than the device: eigenvalues of matrices in host memory. Chunks take turns on two
/// execution space instances, so that one chunk is copied while another is computed. Exit status 1
/// if the result is wrong, 2 for arguments that cannot be used.
///
///     stream [items [items of a chunk]]

#include <Batchwork.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <utility>

namespace {

constexpr int N = 6;
using Exec = Kokkos::DefaultExecutionSpace;
// Pinned memory is copied without the processor. LayoutRight: the items of a chunk are contiguous.
using Pinned = Kokkos::SharedHostPinnedSpace;
using Matrices = Kokkos::View<double* [N][N], Kokkos::LayoutRight, Pinned>;
using Vectors = Kokkos::View<double* [N], Kokkos::LayoutRight, Pinned>;

/// Two instances that can work at the same time. A host uses the same one twice.
auto two_instances() {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible) {
    return std::pair{Exec(), Exec()};
  } else {
    auto const parts = Kokkos::Experimental::partition_space(Exec(), 1, 1);
    return std::pair{parts[0], parts[1]};
  }
}

// [slot]
/// An instance with the memory of one chunk on the device.
struct Slot {
  Exec exec;
  Kokkos::View<double* [N][N], Kokkos::LayoutRight, Exec> a;
  Kokkos::View<double* [N], Kokkos::LayoutRight, Exec> values;

  Slot(Exec const& e, std::size_t chunk) : exec(e), a("chunk", chunk), values("values", chunk) {}
};
// [slot]

// [chunks]
/// The eigenvalues of all matrices, chunk by chunk. Nothing waits before the last fences: work of
/// one instance runs in order, so a chunk begins when the one before it in its slot has left.
void eigenvalues(Slot (&slots)[2], Matrices const& a, Vectors const& values, bool copies,
                 bool computes) {
  std::size_t const items = a.extent(0), chunk = slots[0].a.extent(0);
  for (std::size_t first = 0, c = 0; first < items; first += chunk, ++c) {
    Slot const& s = slots[c % 2];
    std::pair const there(first, std::min(first + chunk, items)),
        here(std::size_t(0), there.second - first);
    auto const chunk_a = Kokkos::subview(s.a, here, Kokkos::ALL, Kokkos::ALL);
    auto const chunk_values = Kokkos::subview(s.values, here, Kokkos::ALL);
    if (copies)
      Kokkos::deep_copy(s.exec, chunk_a, Kokkos::subview(a, there, Kokkos::ALL, Kokkos::ALL));
    if (computes) Batchwork::eigh(s.exec, Batchwork::in(chunk_a), Batchwork::out(chunk_values));
    if (copies)
      Kokkos::deep_copy(s.exec, Kokkos::subview(values, there, Kokkos::ALL), chunk_values);
  }
  for (Slot const& s : slots) s.exec.fence();
}
// [chunks]

/// Symmetric matrices with entries from -1 to 1.
void fill(Matrices const& a) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> random(-1, 1);
  for (std::size_t n = 0; n < a.extent(0); ++n)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j) a(n, i, j) = a(n, j, i) = random(generator);
}

/// The largest error of the sums of eigenvalues and of their squares, which are the trace and the
/// sum of all squares of a matrix.
double largest_error(Matrices const& a, Vectors const& values) {
  double largest = 0;
  for (std::size_t n = 0; n < a.extent(0); ++n) {
    double trace = 0, squares = 0;
    for (int i = 0; i < N; ++i) {
      trace += a(n, i, i) - values(n, i);
      squares -= values(n, i) * values(n, i);
      for (int j = 0; j < N; ++j) squares += a(n, i, j) * a(n, i, j);
    }
    double const error = std::abs(trace) + std::abs(squares);
    largest = error <= largest ? largest : error;  // also if it is NaN
  }
  return largest;
}

int run(std::size_t items, std::size_t chunk) {
  Matrices const a(Kokkos::view_alloc(Kokkos::WithoutInitializing, "a"), items);
  Vectors const values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "values"), items);
  fill(a);
  Kokkos::deep_copy(values, std::numeric_limits<double>::quiet_NaN());
  auto const [first, second] = two_instances();
  Slot slots[2] = {{first, chunk}, {second, chunk}};
  auto const seconds = [&](bool copies, bool computes) {
    eigenvalues(slots, a, values, copies, computes);  // once before the clock
    Kokkos::Timer const timer;
    eigenvalues(slots, a, values, copies, computes);
    return timer.seconds();
  };
  double const copies = seconds(true, false), kernels = seconds(false, true),
               both = seconds(true, true);
  double const error = largest_error(a, values);
  bool const good = error < 1e-12;
  std::printf(
      "%zu matrices of %d x %d in chunks of %zu on %s\n"
      "  copies alone %.3g ms, kernels alone %.3g ms, both %.3g ms: %.2f times the longer one\n"
      "  largest error of traces %.1e, %s\n",
      items, N, N, chunk, Exec::name(), 1e3 * copies, 1e3 * kernels, 1e3 * both,
      both / std::max(copies, kernels), error, good ? "as expected" : "WRONG");
  return good ? 0 : 1;
}

/// A positive number, or 0 if the text is not one.
std::size_t number(char const* text) {
  char* end = nullptr;
  errno = 0;
  long long const n = std::strtoll(text, &end, 10);
  return *text == '\0' || *end != '\0' || errno != 0 || n < 1 ? 0 : std::size_t(n);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  std::size_t const items = argc > 1 ? number(argv[1]) : 1000000,
                    chunk = argc > 2 ? number(argv[2]) : 65536;
  if (items == 0 || chunk == 0 || argc > 3) {
    std::fprintf(stderr, "stream: the arguments are [items [items of a chunk]], both positive\n");
    return 2;
  }
  return run(items, chunk);
}
