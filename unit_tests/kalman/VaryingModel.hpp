// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A model whose F and Q are of every item and time, and H and R of every time: a wrong index gives
/// other numbers.
#ifndef BATCHWORK_KALMAN_VARYINGMODEL_HPP
#define BATCHWORK_KALMAN_VARYINGMODEL_HPP

#include "SmootherReference.hpp"

namespace Batchwork::Test {

template <int N, int M>
struct VaryingModel {
  std::vector<std::vector<Dense>> f, q;
  std::vector<Dense> h, r;
  Kokkos::View<double** [N][N], Space> F, Q;
  Kokkos::View<double* [M][N], Space> H;
  Kokkos::View<double* [M][M], Space> R;

  VaryingModel(Random& random, std::size_t items, std::size_t steps)
      : f(items),
        q(items),
        F("F", items, steps),
        Q("Q", items, steps),
        H("H", steps),
        R("R", steps) {
    for (std::size_t t = 0; t < steps; ++t) {
      RandomModel<double> const m(random, N, M);
      h.push_back(m.h);
      r.push_back(m.r);
      for (std::size_t k = 0; k < items; ++k) {
        RandomModel<double> const own(random, N, M);
        f[k].push_back(own.f);
        q[k].push_back(own.q);
      }
    }
    fill_items(F, f);
    fill_items(Q, q);
    fill_times(H, h);
    fill_times(R, r);
  }
  auto model() const { return Kalman::model(each(F), each(Q), common(each(H)), common(each(R))); }
  TrueModel truth(int item) const {
    auto const at = [](std::vector<Dense> const& x) {
      return [&x](int t) { return x[std::size_t(t)]; };
    };
    auto const k = std::size_t(item);
    return {at(f[k]), at(q[k]), at(h), at(r)};
  }

 private:
  template <class View>
  static void fill_times(View const& view, std::vector<Dense> const& x) {
    fill(view, [&](auto const& v) {
      for (std::size_t t = 0; t < x.size(); ++t)
        for (int i = 0; i < x[t].rows; ++i)
          for (int j = 0; j < x[t].cols; ++j) v(t, i, j) = double(x[t](i, j));
    });
  }
  template <class View>
  static void fill_items(View const& view, std::vector<std::vector<Dense>> const& x) {
    fill(view, [&](auto const& v) {
      for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t t = 0; t < x[k].size(); ++t)
          for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) v(k, t, i, j) = double(x[k][t](i, j));
    });
  }
};

}  // namespace Batchwork::Test

#endif
