// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// SvdOfThreads: what svd does with the items of a host's thread.
#ifndef BATCHWORK_SVDOFTHREADS_HPP
#define BATCHWORK_SVDOFTHREADS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_ColumnBlocks.hpp"
#include "core/detail/Batchwork_EigenpairsInMemory.hpp"
#include "dense/decompositions/detail/Batchwork_SvdOfItems.hpp"

namespace Batchwork::Impl {

/// As SvdOfItems; rotations begin with the eigenvectors of a' a, see begins_svd_by_eigenvectors.
template <class T>
struct SvdOfThreads : SvdOfItems<T> {
  /// Values alone are found without the vectors where a buffer of so many bytes holds one matrix,
  /// but not two.
  SvdOfThreads(SvdOfItems<T> const& of, std::size_t buffer) : SvdOfItems<T>(of) {
    this->begins_with_vectors = true;
    this->leading = host_leading(this->m);
    if (!this->stores_vectors && memory().template bytes<T>(0) > buffer)
      this->begins_with_vectors = false;
  }
  /// The rest of SvdOfItems stands where iterations have worked.
  ItemMemory memory() const {
    return {
        (std::int64_t(this->matrices()) * this->leading + EigenpairsInMemory<T>::arrays) * this->n,
        std::int64_t(this->n)};
  }

  template <class Items>
  void operator()(Items const& of) const {
    this->decompose(of, [](auto const& a, auto const& right, auto const& largest, auto* rest) {
      using S = std::remove_cvref_t<decltype(largest)>;
      if (right.a == nullptr) return mask_t<S>(false);
      int const leading = a.leading;
      negative_gram(a.a, leading, a.rows, a.cols, right.a, leading);
      auto const open = EigenpairsInMemory(a.cols, leading, right.a, rest).find(is_finite(largest));
      multiply_in_place(a.a, leading, a.rows, a.cols, right.a, leading, rest);
      return open;
    });
  }
};

}  // namespace Batchwork::Impl

#endif
