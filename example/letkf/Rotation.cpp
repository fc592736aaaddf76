// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rotation.hpp"

#include <Batchwork.hpp>

namespace Letkf {

using namespace Batchwork;

Rotation::Rotation(std::int64_t members, std::uint64_t seed)
    : seed_(seed),
      random_("random matrices", 2, members, members),
      q_("Q", 2, members, members),
      r_("R", 2, members, members),
      product_("rotation", 1, members, members),
      workspace_("workspace", workspace_numbers<Verb::qr>(Exec(), in(random_), out(q_), out(r_))) {}

/// The first columns of Q_0 and Q_1 are the same multiple of the vector of ones. So Q_0 Q_1' keeps
/// this vector, and turns the others at random.
Matrix Rotation::next(Exec const& exec) {
  fill_random(exec, random(seed_, count_++), normal(0, 1), random_);
  Kokkos::deep_copy(exec, Kokkos::subview(random_, Kokkos::ALL, Kokkos::ALL, 0), 1.0);
  qr(exec, in(random_), out(q_), out(r_), workspace(workspace_));
  auto const factor = [&](int n) {
    return Kokkos::subview(q_, Kokkos::pair(n, n + 1), Kokkos::ALL, Kokkos::ALL);
  };
  gemm(exec, 1, in(factor(0)), in(transposed(factor(1))), 0, out(product_));
  return Matrix(product_.data(), product_.extent(1), product_.extent(2));
}

}  // namespace Letkf
