// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// An execution space instance, its Views, and the cases that run on it.
#ifndef BATCHWORK_TWO_DEVICES_PLACE_HPP
#define BATCHWORK_TWO_DEVICES_PLACE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

namespace TwoDevices {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, Memory>;
template <class Data>
using Interleaved = Kokkos::View<Data, Kokkos::LayoutLeft, Memory>;

using Numbers = std::vector<double>;

/// Uniform in [-1, 1): the same numbers on every device.
inline double noise(std::uint64_t k) {
  k = (k + 1) * 0x9e3779b97f4a7c15U;
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9U;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebU;
  return double((k ^ (k >> 31)) >> 11) * 0x1p-52 - 1;
}

/// Where a case runs.
struct Place {
  Exec exec;

  /// A View on the device of the instance, with numbers that no case computes.
  template <class V, class... N>
  V results(N... n) const {
    return filled<V>([](auto k) { return -12345.0 - double(k % 7); }, n...);
  }
  template <class V, class... N>
  V noisy(std::uint64_t seed, N... n) const {
    return filled<V>([=](auto k) { return noise(seed + k); }, n...);
  }
  /// Symmetric, with eigenvalues far from zero, of n rows.
  template <class V>
  V matrices(std::uint64_t seed, std::int64_t items, std::int64_t n) const {
    V const v(Kokkos::view_alloc("matrices", Kokkos::WithoutInitializing, exec), items, n, n);
    auto const h = Kokkos::create_mirror_view(v);
    for (std::int64_t k = 0; k < items; ++k)
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          auto const a = std::uint64_t(i < j ? i : j), b = std::uint64_t(i < j ? j : i);
          h(k, i, j) = noise(seed + (std::uint64_t(k) << 20 | a << 10 | b)) +
                       (i == j ? 2.0 * double(n) : 0.0);
        }
    return copied(v, h);
  }
  template <class V>
  V from(std::vector<typename V::non_const_value_type> const& numbers) const {
    return filled<V>([&](auto k) { return numbers[k]; }, numbers.size());
  }
  template <class V, class... N>
  V matrix(std::vector<double> const& numbers) const {
    return filled<V>([&](auto k) { return numbers[k]; });
  }

  /// Adds the numbers of a View to those of a case.
  template <class V>
  void read(Numbers& numbers, V const& v) const {
    auto const h = Kokkos::create_mirror_view(v);
    Kokkos::deep_copy(exec, h, v);
    exec.fence();
    for (std::size_t k = 0; k < h.span(); ++k) numbers.push_back(double(h.data()[k]));
  }
  template <class... V>
  Numbers all(V const&... views) const {
    Numbers numbers;
    (read(numbers, views), ...);
    return numbers;
  }

 private:
  template <class V, class H>
  V copied(V const& v, H const& h) const {
    Kokkos::deep_copy(exec, v, h);
    exec.fence();
    return v;
  }
  template <class V, class F, class... N>
  V filled(F const& f, N... n) const {
    V const v(Kokkos::view_alloc("numbers", Kokkos::WithoutInitializing, exec), std::size_t(n)...);
    auto const h = Kokkos::create_mirror_view(v);
    for (std::size_t k = 0; k < h.span(); ++k) h.data()[k] = typename V::non_const_value_type(f(k));
    return copied(v, h);
  }
};

/// Calls run(items, n) for small and large matrices.
template <class Run>
void for_sizes(Run const& run) {
  for (std::int64_t const n : {7, 32, 96}) run(200003 / (n * n), n);
}

/// Runs verbs on a place and returns everything they wrote. The sizes are such that teams of
/// devices ask for more scratch than a kernel has without asking.
Numbers map_of_tiles(Place const& on);
Numbers scan_of_tiles(Place const& on);
Numbers team_map_in_a_kernel(Place const& on);
Numbers kalman_filter(Place const& on);
Numbers gains(Place const& on);
Numbers products(Place const& on);
Numbers copies(Place const& on);
Numbers cholesky(Place const& on);
Numbers triangular(Place const& on);
Numbers lu(Place const& on);
Numbers inverses(Place const& on);
Numbers determinants(Place const& on);
Numbers qr(Place const& on);
Numbers least_squares(Place const& on);
Numbers eigenpairs(Place const& on);
Numbers singular_values(Place const& on);
Numbers qr_in_workspace(Place const& on);
Numbers tridiagonal(Place const& on);
Numbers bicgstab(Place const& on);
Numbers gmres(Place const& on);
Numbers block_jacobi(Place const& on);
Numbers beside_solve(Place const& on);
Numbers direct(Place const& on);
Numbers symbolic(Place const& on);
Numbers team_solve_in_a_kernel(Place const& on);

}  // namespace TwoDevices

#endif
