// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Numbers that depend on a seed and their place only, so that kernels can write them and a
/// reference on the host can compute them again. Never zeros: devices run faster on those.
#ifndef BATCHWORK_RANDOMENTRIES_HPP
#define BATCHWORK_RANDOMENTRIES_HPP

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace Batchwork::Impl {

/// Uniform in [0, 1): the finaliser of splitmix64 (Steele, Lea and Flood 2014) over seed and place.
KOKKOS_INLINE_FUNCTION double uniform(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t x = place + seed * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

/// Entry (i, j) of matrix number k: symmetric, diagonally dominant, so positive definite with a
/// condition number below 5 whatever its size D.
KOKKOS_INLINE_FUNCTION double spd_entry(std::uint64_t seed, std::int64_t k, int i, int j, int D) {
  int const low = i > j ? j : i, high = i > j ? i : j;
  double const u = uniform(seed, static_cast<std::uint64_t>((k * D + high) * D + low));
  return i == j ? 1 + u : (u - 0.5) / D;
}

}  // namespace Batchwork::Impl

#endif
