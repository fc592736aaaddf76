// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer on hosts: a loop over LAPACK's gtsv, which pivots, items one after the other, each copied
// first, because LAPACK works in place.

#include <algorithm>
#include <vector>

#include "../common/Lapack.hpp"
#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_LAPACK)
namespace BatchworkPerf {

namespace {

template <class T>
void register_type() {
  register_tridiagonal<T, Layout::item_contiguous>("lapack", [](benchmark::State& state,
                                                                std::int64_t items, int rows) {
    TridiagonalBatch<T, Layout::item_contiguous> const s(items, rows);
    std::vector<T> lower(std::size_t(rows), 0), diagonal = lower, upper = lower;
    bool well = true;
    s.run(state, s.x, [&] {
      int const one = 1;
      for (std::int64_t n = 0; n < items; ++n) {
        T const *const l = s.lower.data() + n * rows, *const d = s.diagonal.data() + n * rows,
                       *const u = s.upper.data() + n * rows, *const b = s.b.data() + n * rows;
        T* const x = s.x.data() + n * rows;
        std::copy(l + 1, l + rows, lower.data());
        std::copy(d, d + rows, diagonal.data());
        std::copy(u, u + rows, upper.data());
        std::copy(b, b + rows, x);
        int info = 0;
        Lapack<T>::gtsv(&rows, &one, lower.data(), diagonal.data(), upper.data(), x, &rows, &info);
        well = well && info == 0;
      }
    });
    if (!well) state.SkipWithError("LAPACK reports an error");
  });
}

}  // namespace

void register_lapack() {
  if constexpr (!on_device) {
    register_type<float>();
    register_type<double>();
  }
}

}  // namespace BatchworkPerf
#endif
