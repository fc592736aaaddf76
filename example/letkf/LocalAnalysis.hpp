// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The whole analysis of a grid point as one sequence of a map.
#ifndef LETKF_LOCALANALYSIS_HPP
#define LETKF_LOCALANALYSIS_HPP

#include <Batchwork.hpp>

#include "Types.hpp"

namespace Letkf {

/// Hunt, Kostelich and Szunyogh, Physica D 230 (2007), section 2.3, by the eigenvalues L and the
/// eigenvectors V of C = (k - 1) / rho + S' S. A row of S is an observation: its weight times the
/// deviations of the k members from their mean. d are the weighted innovations. A row of A is a
/// variable of the point: the deviations of the members.
///
///     mean + (A V) L^-1 (V' S' d) + (A V) sqrt(k - 1) L^(-1/2) V' rotation
///
/// rho is the inflation of the covariance. The rotation is orthogonal and keeps the mean. The k x k
/// matrix of weights is not formed: A has fewer rows. Eigenvectors of C take less time than those
/// of S' S, which may lack rank.
///
/// Cost: 9 k^3 operations for the eigenvectors, and k^2 for each local observation.
// [analysis]
struct LocalAnalysis {
  static constexpr int rows = LocalObservations::group;  // of S, added at a time

  int groups;  // of local observations, so many rows each
  double rho;

  template <class A, class F, class R, class I, class E, class N, class W, class Y>
  KOKKOS_FUNCTION void operator()(A& analysis, F const& forecast, R const& rotation, I const& point,
                                  E const& ensemble, N const& near, W const& weight,
                                  Y const& observed) const {
    using namespace Batchwork;
    constexpr int k = F::cols, variables = F::rows;
    auto c = symmetric(zero<k, k>(forecast));  // S' S
    auto t = zero<k>(forecast);                // S' d
    repeat(groups, [&](auto const& group) {
      auto y = zero<rows, k>(forecast);
      auto w = zero<rows>(forecast), d = zero<rows>(forecast);
      loop<rows>([&](auto r) {
        auto const at = near(point, group * rows + r());
        assign_block(y, r(), 0, transpose(ensemble(at)));
        w(r()) = weight(point, group * rows + r());
        d(r()) = select(w(r()) > 0.0, observed(at), 0.0);
      });
      auto const mean = generate<rows>([&](int r) { return sum(row(y, r)) / k; });
      auto const s = generate<rows, k>([&](int r, int j) { return w(r) * (y(r, j) - mean(r)); });
      c = symmetric_product(transpose(s), s, c);
      t += transpose(s) * hadamard(w, d - mean);
    });
    auto const e = eigh(c + (k - 1) / rho * identity<k>(c));
    auto const v = e.vectors();
    auto const f = generate<k>([&](int j) { return 1 / e.values()(j); });
    auto const g = generate<k>([&](int j) { return sqrt((k - 1) * f(j)); });
    auto const mean = generate<variables>([&](int i) { return sum(row(forecast, i)) / k; });
    auto const a = generate<variables, k>([&](int i, int j) { return forecast(i, j) - mean(i); });
    auto const b = a * v;
    auto const m = mean + b * hadamard(f, transpose(v) * t);
    auto const deviations = b * as_diagonal(g) * transpose(v) * rotation;
    analysis = generate<variables, k>([&](int i, int j) { return m(i) + deviations(i, j); });
  }
};
// [analysis]

}  // namespace Letkf

#endif
