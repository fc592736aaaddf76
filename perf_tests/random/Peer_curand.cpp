// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: cuRAND with Philox4x32-10, in the order of numbers that it takes as fastest.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_CURAND) && defined(KOKKOS_ENABLE_CUDA)
#include <curand.h>

namespace BatchworkPerf {

namespace {

curandGenerator_t generator() {
  static curandGenerator_t const g = [] {
    curandGenerator_t made;
    if (curandCreateGenerator(&made, CURAND_RNG_PSEUDO_PHILOX4_32_10) != CURAND_STATUS_SUCCESS)
      Kokkos::abort("curandCreateGenerator failed");
    curandSetStream(made, Exec().cuda_stream());
    curandSetPseudoRandomGeneratorSeed(made, 1);
    return made;
  }();
  return g;
}
curandStatus_t fill(float* x, std::size_t n, bool normal) {
  return normal ? curandGenerateNormal(generator(), x, n, 0.0f, 1.0f)
                : curandGenerateUniform(generator(), x, n);
}
curandStatus_t fill(double* x, std::size_t n, bool normal) {
  return normal ? curandGenerateNormalDouble(generator(), x, n, 0.0, 1.0)
                : curandGenerateUniformDouble(generator(), x, n);
}

template <class T>
void register_type() {
  for (bool const normal : {false, true})
    register_filling<T>("curand_philox", normal, "vector", [=](auto& state, auto const& x) {
      measure_filling<T>(state, x, normal, [&] {
        if (fill(x.data(), x.size(), normal) != CURAND_STATUS_SUCCESS)
          Kokkos::abort("cuRAND failed");
      });
    });
}

}  // namespace

void register_curand() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
#endif
