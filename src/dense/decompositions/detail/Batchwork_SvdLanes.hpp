// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdOfLane: svd of square matrices so small that a lane has one in its registers, as svd(tile).
#ifndef BATCHWORK_SVDLANES_HPP
#define BATCHWORK_SVDLANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "tile/Batchwork_Svd.hpp"

namespace Batchwork::Impl {

template <class T, int N, bool Vectors>
struct SvdOfLane {
  using number = T;
  static constexpr int words = (Vectors ? 2 : 1) * N * N * int(sizeof(T)) / 4;

  SvdOfItems<T> p;

  BATCHWORK_INLINE std::int64_t items() const { return p.items; }
  std::size_t carried_bytes() const {
    std::size_t most =
        std::max(Impl::carried_bytes<N, N>(p.a), Impl::carried_bytes<N, 1>(p.values));
    if (Vectors)
      most = std::max({most, Impl::carried_bytes<N, N>(p.u), Impl::carried_bytes<N, N>(p.v)});
    return most;
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    constexpr KnownExtent<N> n;
    constexpr KnownExtent<1> one;
    Matrix<S, N, N> a;
    a.info = info_t<S>(0);
    of.template load<N, N>(p.a, n, n, [&](int i, int j, S const& x) { a.set(i, j, x); });
    TallSvd<S, N, N, Vectors> f(a);
    S const nan(std::numeric_limits<T>::quiet_NaN());
    auto const failed = f.info != info_t<S>(0);
    of.template store<N, 1>(p.values, n, one,
                            [&](int i, int) { return S(select(failed, nan, f.value(i))); });
    if constexpr (Vectors) {
      auto const store = [&](StoredItems<T> const& to, auto const& x) {
        of.template store<N, N>(
            to, n, n, [&](int i, int j) { return S(select(failed, nan, x.entry(i, j))); });
      };
      store(p.v, f.right_vectors());
      f.put_left_vectors();
      store(p.u, f.left_vectors());
    }
    of.put_status(p.status, f.info);
  }
};

}  // namespace Batchwork::Impl

#endif
