// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: Eigen's products of matrices of fixed size, items one after the other; hosts only, one
// thread.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_EIGEN)
#include <Eigen/Core>

namespace BatchworkPerf {

namespace {

template <class T, int D>
void products(Form form, std::int64_t items, T const* a, T const* b, T* c) {
  using Item = Eigen::Matrix<T, D, D, Eigen::RowMajor>;
  for (std::int64_t item = 0; item < items; ++item) {
    Eigen::Map<Item>(c).noalias() = Eigen::Map<Item const>(a) * Eigen::Map<Item const>(b);
    if (form != Form::shared_a) a += D * D;
    if (form != Form::shared_b) b += D * D;
    c += D * D;
  }
}

template <class T, int... D>
void register_sizes() {
  for (Form form : {Form::shared_a, Form::shared_b, Form::per_item})
    register_gemm<T, Layout::item_contiguous>(
        "eigen", form,
        [](Sizes const& s) { return s.m == s.n && s.m == s.k && ((s.m == D) || ...); },
        [form](benchmark::State& state, Sizes s, std::int64_t items) {
          GemmBatch<T, Layout::item_contiguous> const batch(s, form, items);
          batch.run(state, [&] {
            ((s.m == D ? products<T, D>(form, items, batch.A.data(), batch.B.data(), batch.C.data())
                       : void()),
             ...);
          });
        });
}

}  // namespace

void register_eigen() {
  if constexpr (!on_device) {
    register_sizes<float, 4, 8, 16, 32, 64>();
    register_sizes<double, 4, 8, 16, 32, 64>();
  }
}

}  // namespace BatchworkPerf
#endif
