// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on whole matrices with extents known at run time: gemm and copies.
#include "Shared.hpp"

void products(Exec const& exec, Interleaved<float**> m, Interleaved<float***> n,
              Interleaved<float***> p, Interleaved<double***> q) {
  gemm(exec, 1, common(m), in(n), 0, out(p));
  gemm(exec, -1, in(transposed(q)), in(q), 0.5, inout(q));
}

void copies(Exec const& exec, ItemContiguous<double***> item_contiguous,
            Interleaved<double***> interleaved, ItemContiguous<double****> groups,
            std::int64_t items) {
  pack(exec, compact(groups, items), item_contiguous);
  unpack(exec, interleaved, compact(groups, items));
  copy(exec, interleaved, transposed(item_contiguous));
}
