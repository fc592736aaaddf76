// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The covariance update of a Kalman filter at several extents: with one item for each lane, and
// with lanes that share items. The sources in ../cuda_objects call all verbs.
#include "../cuda_objects/Shared.hpp"

namespace {

struct CovarianceUpdate {
  template <class Out, class P, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(Out& p_new, P const& p, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    auto const prior = congruence(f, p, q);
    auto const g = h * prior;
    auto const s = symmetric_product(g, transpose(h), r);
    p_new = downdate(prior, solve(cholesky(s).lower(), g));
  }
};

template <class T, int N>
void update(Exec const& exec, std::int64_t items) {
  Interleaved<T* [N][N]> const p_new("p_new", std::size_t(items)), p("p", std::size_t(items));
  Interleaved<T[N][N]> const f("f"), q("q"), h("h"), r("r");
  map(exec, CovarianceUpdate{}, out(symmetric(p_new)), in(symmetric(p)), common(f),
      common(symmetric(q)), common(h), common(symmetric(r)));
}

}  // namespace

void updates(Exec const& exec, std::int64_t items) {
  update<float, 6>(exec, items);
  update<float, 8>(exec, items);
  update<float, 10>(exec, items);
  update<float, 16>(exec, items);
  update<float, 32>(exec, items);
  update<double, 4>(exec, items);
  update<double, 7>(exec, items);
  update<double, 12>(exec, items);
  update<double, 16>(exec, items);
  update<double, 32>(exec, items);
}
