// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The products through the public verb gemm.

#include "Problem.hpp"

namespace BatchworkPerf {

namespace {

template <class T, Layout L>
void register_layout(Form form) {
  int const largest = on_device ? 256 : 128;
  register_gemm<T, L>("batchwork", form, largest,
                      [form](benchmark::State& state, Sizes s, std::int64_t items) {
                        using namespace Batchwork;
                        GemmBatch<T, L> const batch(s, form, items);
                        Exec const exec;
                        auto const one = [](auto const& v) {
                          return Kokkos::subview(v, 0, Kokkos::ALL, Kokkos::ALL);
                        };
                        auto const a = one(batch.A), b = one(batch.B);
                        batch.run(state, [&] {
                          if (form == Form::shared_a)
                            gemm(exec, 1, common(a), in(batch.B), 0, out(batch.C));
                          else if (form == Form::shared_b)
                            gemm(exec, 1, in(batch.A), common(b), 0, out(batch.C));
                          else gemm(exec, 1, in(batch.A), in(batch.B), 0, out(batch.C));
                        });
                      });
}

template <class T>
void register_type() {
  for (Form form : {Form::shared_a, Form::shared_b, Form::per_item}) {
    register_layout<T, Layout::item_contiguous>(form);
    register_layout<T, Layout::interleaved>(form);
  }
}

}  // namespace

void register_batchwork() {
  register_type<float>();
  register_type<double>();
}

}  // namespace BatchworkPerf
