// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: LIBXSMM's kernels, each generated for its size before the clock starts, in a loop over
// items; hosts only, one thread.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_LIBXSMM)
#include <libxsmm.h>

namespace BatchworkPerf {

namespace {

inline auto kernel_of(Sizes const& s, float) {
  float const one = 1, zero = 0;
  return libxsmm_smmdispatch(s.n, s.m, s.k, nullptr, nullptr, nullptr, &one, &zero, nullptr,
                             nullptr);
}
inline auto kernel_of(Sizes const& s, double) {
  double const one = 1, zero = 0;
  return libxsmm_dmmdispatch(s.n, s.m, s.k, nullptr, nullptr, nullptr, &one, &zero, nullptr,
                             nullptr);
}

template <class T>
void register_type() {
  for (Form form : {Form::shared_a, Form::shared_b, Form::per_item})
    register_gemm<T, Layout::item_contiguous>(
        "libxsmm", form, 128, [form](benchmark::State& state, Sizes s, std::int64_t items) {
          // Its matrices lie column by column: C' = B' A'.
          auto const kernel = kernel_of(s, T(0));
          if (kernel == nullptr) return state.SkipWithError("LIBXSMM has no kernel of this size");
          GemmBatch<T, Layout::item_contiguous> const batch(s, form, items);
          batch.run(state, [&] {
            T const *a = batch.A.data(), *b = batch.B.data();
            T* c = batch.C.data();
            for (std::int64_t item = 0; item < items; ++item) {
              kernel(b, a, c);
              if (form != Form::shared_a) a += s.m * s.k;
              if (form != Form::shared_b) b += s.k * s.n;
              c += s.m * s.n;
            }
          });
        });
}

}  // namespace

void register_libxsmm() {
  if constexpr (!on_device) {
    register_type<float>();
    register_type<double>();
  }
}

}  // namespace BatchworkPerf
#endif
