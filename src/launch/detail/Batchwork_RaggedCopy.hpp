// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kernels that copy items of a ragged batch to a batch of equal sizes, and back.
#ifndef BATCHWORK_RAGGED_COPY_HPP
#define BATCHWORK_RAGGED_COPY_HPP

#include <algorithm>
#include <cstdint>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "launch/Batchwork_RaggedPlan.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"

namespace Batchwork::Impl {

/// An item: entry (i, j) is at begin + i * row + j * col, and in equal sizes at
/// packed + i * all_cols + j.
struct RaggedItem {
  std::int64_t begin, packed, row, col;
  int rows, cols;
};

/// Where the items of a segment are.
struct RaggedPlaces {
  std::int64_t const *item_at, *begins, *sizes;
  int sizes_of_item;
  int rows_at, cols_at;  ///< the numbers of the sizes, or -1 for 1
  int all_rows, all_cols;
  bool by_columns;

  BATCHWORK_INLINE RaggedItem at(std::int64_t place) const {
    std::int64_t const* const size = sizes + item_at[place] * sizes_of_item;
    RaggedItem r{};
    r.rows = rows_at < 0 ? 1 : int(size[rows_at]);
    r.cols = cols_at < 0 ? 1 : int(size[cols_at]);
    r.begin = begins[place];
    r.packed = place * all_rows * all_cols;
    r.row = by_columns ? 1 : r.cols;
    r.col = by_columns ? r.rows : 1;
    return r;
  }
  /// Whether the numbers of an item are in the same order in both forms.
  BATCHWORK_INLINE bool is_whole(RaggedItem const& x) const {
    return x.col == 1 && x.rows == all_rows && x.cols == all_cols;
  }
};

/// The lanes that copy an item: on devices warps, for eight numbers a lane.
template <class Exec>
int lanes_of_ragged_copy(RaggedPlaces const& p) {
  constexpr std::int64_t warp = 32, numbers = 8 * warp;
  if (!runs_on_device<Exec>) return 1;
  return int(std::max<std::int64_t>(1, std::int64_t(p.all_rows) * p.all_cols / numbers) * warp);
}

/// The row of entry e of a matrix row by row. A division of 32 bits is several times as fast.
BATCHWORK_INLINE int row_of_entry(std::int64_t e, int cols) {
  return e >> 32 == 0 ? int(std::uint32_t(e) / std::uint32_t(cols)) : int(e / cols);
}

/// to[k] = from[k * step]. With a step of one, compilers use vectors.
template <class T>
BATCHWORK_INLINE void copy_line(T* to, T const* from, std::int64_t step, std::int64_t count) {
  if (step == 1)
    for (std::int64_t k = 0; k < count; ++k) to[k] = from[k];
  else
    for (std::int64_t k = 0; k < count; ++k) to[k] = from[k * step];
}

/// Copies items to equal sizes. Square matrices are padded by the identity, others by zeros.
template <class Exec, class T>
struct PackRagged {
  RaggedPlaces places;
  T const* values;
  T* packed;
  int lanes;  ///< of an item

  PackRagged(RaggedPlaces const& where, T const* from, T* to)
      : places(where), values(from), packed(to), lanes(lanes_of_ragged_copy<Exec>(where)) {}

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    RaggedItem const x = places.at(n / lanes);
    T const* const from = values + x.begin;
    T* const to = packed + x.packed;
    bool const square = places.rows_at == places.cols_at;
    if constexpr (!runs_on_device<Exec>) {
      if (places.is_whole(x)) return copy_line(to, from, 1, std::int64_t(x.rows) * x.cols);
      for (int i = 0; i < places.all_rows; ++i) {
        T* const row = to + std::int64_t(i) * places.all_cols;
        int const cols = i < x.rows ? x.cols : 0;
        copy_line(row, from + i * x.row, x.col, cols);
        for (int j = cols; j < places.all_cols; ++j) row[j] = T(0);
        if (square && i >= x.rows) row[i] = T(1);
      }
    } else {
      std::int64_t const all = std::int64_t(places.all_rows) * places.all_cols;
      for (std::int64_t e = n % lanes; e < all; e += lanes) {
        int const i = row_of_entry(e, places.all_cols),
                  j = int(e - std::int64_t(i) * places.all_cols);
        to[e] = i < x.rows && j < x.cols ? from[i * x.row + j * x.col]
                : square && i == j       ? T(1)
                                         : T(0);
      }
    }
  }
};

/// Copies items of equal sizes back.
template <class Exec, class T>
struct UnpackRagged {
  RaggedPlaces places;
  T const* packed;
  T* values;
  int lanes;  ///< of an item

  UnpackRagged(RaggedPlaces const& where, T const* from, T* to)
      : places(where), packed(from), values(to), lanes(lanes_of_ragged_copy<Exec>(where)) {}

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    RaggedItem const x = places.at(n / lanes);
    T const* const from = packed + x.packed;
    T* const to = values + x.begin;
    if constexpr (!runs_on_device<Exec>) {
      if (places.is_whole(x)) return copy_line(to, from, 1, std::int64_t(x.rows) * x.cols);
      for (int i = 0; i < x.rows; ++i) {
        T const* const row = from + std::int64_t(i) * places.all_cols;
        if (x.col == 1) copy_line(to + i * x.row, row, 1, x.cols);
        else
          for (int j = 0; j < x.cols; ++j) to[i * x.row + j * x.col] = row[j];
      }
    } else {
      std::int64_t const all = std::int64_t(x.rows) * x.cols;
      for (std::int64_t e = n % lanes; e < all; e += lanes) {
        int const i = row_of_entry(e, x.cols), j = int(e - std::int64_t(i) * x.cols);
        to[i * x.row + j * x.col] = from[std::int64_t(i) * places.all_cols + j];
      }
    }
  }
};

/// Brings the status codes of a chunk into the order of the items.
struct UnpackCodes {
  std::int64_t const* item_at;
  std::int32_t const* codes;
  StatusTarget target;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const { target.put(item_at[n], codes[n]); }
};

}  // namespace Batchwork::Impl

#endif
