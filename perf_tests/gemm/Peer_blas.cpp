// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: a loop over BLAS calls, items one after the other; hosts only, as many threads as the BLAS takes.

#include "../common/Lapack.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
namespace BatchworkPerf {

namespace {

template <class T>
void call(int m, int n, int k, T const* a, T const* b, T* c) {
  T const one = 1, zero = 0;
  Lapack<T>::gemm("N", "N", &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m);
}

template <class T>
void register_type() {
  for (Form form : {Form::shared_a, Form::shared_b, Form::per_item})
    register_gemm<T, Layout::item_contiguous>(
        "blas", form, 128, [form](benchmark::State& state, Sizes s, std::int64_t items) {
          GemmBatch<T, Layout::item_contiguous> const batch(s, form, items);
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
