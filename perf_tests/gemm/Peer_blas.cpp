// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: a loop over BLAS calls, items one after the other; hosts only, as many threads as the BLAS takes.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" {
void sgemm_(char const*, char const*, int const*, int const*, int const*, float const*,
            float const*, int const*, float const*, int const*, float const*, float*, int const*);
void dgemm_(char const*, char const*, int const*, int const*, int const*, double const*,
            double const*, int const*, double const*, int const*, double const*, double*,
            int const*);
}

namespace BatchworkPerf {

namespace {

void call(int m, int n, int k, float const* a, float const* b, float* c) {
  float const one = 1, zero = 0;
  sgemm_("N", "N", &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m);
}
void call(int m, int n, int k, double const* a, double const* b, double* c) {
  double const one = 1, zero = 0;
  dgemm_("N", "N", &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m);
}

template <class T>
void register_type() {
  for (Form form : {Form::shared_a, Form::shared_b, Form::per_item})
    register_gemm<T, Layout::rows>(
        "blas", form, 128, [form](benchmark::State& state, Sizes s, std::int64_t items) {
          GemmBatch<T, Layout::rows> const batch(s, form, items);
          batch.run(state, [&] {
            T const *a = batch.A.data(), *b = batch.B.data();
            T* c = batch.C.data();
            for (std::int64_t item = 0; item < items; ++item) {
              call(s.n, s.m, s.k, b, a, c);  // its matrices lie column by column: C' = B' A'
              if (form != Form::shared_a) a += s.m * s.k;
              if (form != Form::shared_b) b += s.k * s.n;
              c += s.m * s.n;
            }
          });
        });
}

}  // namespace

void register_blas() {
  if constexpr (!on_device) {
    register_type<float>();
    register_type<double>();
  }
}

}  // namespace BatchworkPerf
#endif
