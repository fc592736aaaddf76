// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighOfLane: eigh of matrices so small that a lane has one in its registers, as eigh(tile).
#ifndef BATCHWORK_EIGHLANES_HPP
#define BATCHWORK_EIGHLANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"
#include "launch/detail/Batchwork_LaneLaunch.hpp"
#include "tile/Batchwork_Eigh.hpp"

namespace Batchwork::Impl {

template <class T, int N>
struct EighOfLane {
  using number = T;
  static constexpr int words = N * N * int(sizeof(T)) / 4;

  EighOfItems<T> p;

  BATCHWORK_INLINE std::int64_t items() const { return p.items; }
  std::size_t carried_bytes() const {
    std::size_t const most =
        std::max(Impl::carried_bytes<N, N>(p.a), Impl::carried_bytes<N, 1>(p.values));
    return p.stores_vectors ? std::max(most, Impl::carried_bytes<N, N>(p.vectors)) : most;
  }

  template <class Items>
  BATCHWORK_INLINE void operator()(Items const& of) const {
    using S = typename Items::value_type;
    constexpr KnownExtent<N> n;
    constexpr KnownExtent<1> one;
    Symmetric<S, N> a;
    a.info = info_t<S>(0);
    of.template load<N, N>(p.a, n, n, [&](int i, int j, S const& x) {
      if (i >= j) a.set(i, j, x);
    });
    Eigh<S, N> const f(a);
    S const nan(std::numeric_limits<T>::quiet_NaN());
    auto const failed = f.info != info_t<S>(0);
    {
      auto const values = f.values();
      of.template store<N, 1>(p.values, n, one,
                              [&](int i, int) { return S(select(failed, nan, values.entry(i))); });
    }
    if (p.stores_vectors) {
      auto const vectors = f.vectors();
      of.template store<N, N>(p.vectors, n, n, [&](int i, int j) {
        return S(select(failed, nan, vectors.entry(i, j)));
      });
    }
    of.put_status(p.status, f.info);
  }
};

}  // namespace Batchwork::Impl

#endif
