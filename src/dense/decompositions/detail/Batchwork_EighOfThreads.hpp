// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EighOfThreads: what eigh does with the items of a host's thread.
#ifndef BATCHWORK_EIGHOFTHREADS_HPP
#define BATCHWORK_EIGHOFTHREADS_HPP

#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_EigenpairsInMemory.hpp"
#include "dense/decompositions/detail/Batchwork_EighOfItems.hpp"

namespace Batchwork::Impl {

/// As EighOfItems, by reflections to tridiagonal form and iterations.
template <class T>
struct EighOfThreads : EighOfItems<T> {
  explicit EighOfThreads(EighOfItems<T> const& of) : EighOfItems<T>(of) {}

  /// The columns, what iterations work with, and the order of the values.
  ItemMemory memory() const {
    return {(std::int64_t(this->leading) + EigenpairsInMemory<T>::arrays + 1) * this->n,
            std::int64_t(this->n)};
  }

  template <class Items>
  void operator()(Items const& of) const {
    using S = typename Items::value_type;
    int const n = this->n, leading = this->leading;
    S *const matrix = of.numbers(0), *const memory = matrix + std::int64_t(leading) * n,
             *const places = memory + EigenpairsInMemory<S>::arrays * n;
    of.load(this->a, n, n, [&](int, int i, int j, S const& x) {
      if (i >= j) matrix[j * leading + i] = matrix[i * leading + j] = x;
    });
    auto const lanes = of.lanes();
    ColumnsInMemory<S, LoneColumnLanes> const c{lanes, n, n, leading, matrix, of.indices(0)};
    c.begin();
    S const size = c.largest_entry();
    UnitScale<S> const scale(size);
    c.scale(scale);
    EigenpairsInMemory<S> const pairs(n, leading, matrix, memory);
    auto const open = pairs.find(is_finite(size), this->stores_vectors);
    pairs.order(places);
    auto const value = [&](int k) {
      return S(pairs.value(places, k) * scale.second_back * scale.first_back);
    };
    // The smallest and the largest one are the extreme ones.
    info_t<S> const code =
        rotation_status(size, open, larger_size(S(abs(value(0))), S(abs(value(n - 1)))));
    S const nan(std::numeric_limits<T>::quiet_NaN());
    auto const failed = code != info_t<S>(0);
    of.store(this->values, n, 1, [&](int, int k, int) { return select(failed, nan, value(k)); });
    if (this->stores_vectors)
      of.store(this->vectors, n, n,
               [&](int, int i, int k) { return select(failed, nan, pairs.vector(places, k, i)); });
    of.put_status(this->status, code);
  }
};

}  // namespace Batchwork::Impl

#endif
