// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peers: loops over calls of the BLAS, and of BLASFEO by the same interface, items one after the
// other; hosts only, as many threads as the BLAS takes.

#include "../common/Blasfeo.hpp"
#include "../common/Lapack.hpp"
#include "Problem.hpp"

namespace BatchworkPerf {

namespace {

template <template <class> class Routines, class T>
[[maybe_unused]] void register_type(std::string const& implementation) {
  for (Form form : {Form::shared_a, Form::shared_b, Form::per_item})
    register_gemm<T, Layout::item_contiguous>(
        implementation, form, 128, [form](benchmark::State& state, Sizes s, std::int64_t items) {
          GemmBatch<T, Layout::item_contiguous> const batch(s, form, items);
          batch.run(state, [&] {
            T const *a = batch.A.data(), *b = batch.B.data();
            T* c = batch.C.data();
            T const one = 1, zero = 0;
            for (std::int64_t item = 0; item < items; ++item) {
              // Its matrices lie column by column: C' = B' A'.
              Routines<T>::gemm("N", "N", &s.n, &s.m, &s.k, &one, b, &s.n, a, &s.k, &zero, c, &s.n);
              if (form != Form::shared_a) a += s.m * s.k;
              if (form != Form::shared_b) b += s.k * s.n;
              c += s.m * s.n;
            }
          });
        });
}

}  // namespace

#if defined(BATCHWORK_HAVE_LAPACK)
void register_blas() {
  if constexpr (!on_device) {
    register_type<Lapack, float>("blas");
    register_type<Lapack, double>("blas");
  }
}
#endif
#if defined(BATCHWORK_HAVE_BLASFEO)
void register_blasfeo() {
  if constexpr (!on_device) {
    register_type<Blasfeo, float>("blasfeo");
    register_type<Blasfeo, double>("blasfeo");
  }
}
#endif

}  // namespace BatchworkPerf
