// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The inverses of blocks on the diagonal, by Gauss-Jordan elimination with implicit pivoting: H.
/// Anzt, J. Dongarra, G. Flegar, E. S. Quintana-Orti, "Variable-size batched Gauss-Jordan
/// elimination for block-Jacobi preconditioning on graphics processors", Parallel Computing 81
/// (2019).
#ifndef BATCHWORK_BLOCKINVERSES_HPP
#define BATCHWORK_BLOCKINVERSES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "core/detail/backend/Batchwork_Warp.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"

namespace Batchwork {

/// Rows of a block of block_jacobi at most.
inline constexpr int most_rows_of_a_block = 32;

namespace Impl {

/// Blocks as kernels see them.
struct BlocksInKernel {
  using preconditioner_of_systems = void;
  static constexpr bool needs_entries = true;
  std::int32_t const* first_rows = nullptr;  ///< null: blocks of as many rows
  int count = 0;
  int largest = 1;

  /// Lanes of a system; each has a row of a block.
  BATCHWORK_INLINE constexpr LanesWanted lanes_wanted() const {
    int lanes = 8;
    while (lanes < largest) lanes *= 2;
    return {lanes};
  }
  /// Five indices and a mask a row: see BlockInverses.
  template <class T>
  BATCHWORK_INLINE std::size_t bytes(int rows) const {
    return std::size_t(rows) *
           (sizeof(T) * std::size_t(largest) + sizeof(std::uint32_t) + 4 * sizeof(std::int16_t));
  }
};

/// The inverses of an item's blocks. Rows are not exchanged: the pivot of column c of a block is in
/// its row order(c), so the number of the inverse in row c and column order(d) is stored in
/// row order(c), place d.
template <class T>
struct BlockInverses {
  T* numbers = nullptr;  ///< (row, place within the block)
  int row_step = 1, place_step = 1;
  std::uint32_t* used =
      nullptr;  ///< (row): rows of its block that have been pivots; each row has a mask of its own
  std::int16_t *first = nullptr,  ///< (row): of its block
      *size = nullptr,            ///< (row): of its block; 0 where that has become the identity
          *order = nullptr,       ///< (row), as above, counted from the first row of the block
              *found = nullptr;   ///< (row): the pivot's row in its block, or -1; then whether its
                                  ///< numbers are finite

  BATCHWORK_INLINE void place(BlocksInKernel const& how, int rows, T* memory, bool alone) {
    numbers = memory;
    // Lanes have neighbouring rows, a thread has neighbouring places of one.
    row_step = alone ? how.largest : 1;
    place_step = alone ? 1 : rows;
    used = reinterpret_cast<std::uint32_t*>(numbers + std::int64_t(rows) * how.largest);
    first = reinterpret_cast<std::int16_t*>(used + rows);
    size = first + rows;
    order = size + rows;
    found = order + rows;
  }
  BATCHWORK_INLINE T& number(int i, int place) const {
    return numbers[i * row_step + place * place_step];
  }

  /// Which rows are a block's. Whether that is sound.
  BATCHWORK_INLINE bool take_block(BlocksInKernel const& how, int rows, int b) const {
    int const begin = how.first_rows == nullptr ? b * how.largest : how.first_rows[b];
    int end = rows;
    if (b + 1 < how.count)
      end = how.first_rows == nullptr ? begin + how.largest : how.first_rows[b + 1];
    if (begin < 0 || end <= begin || end > rows || end - begin > how.largest ||
        (b == 0 && begin != 0))
      return false;
    for (int i = begin; i < end; ++i) {
      first[i] = std::int16_t(begin);
      size[i] = std::int16_t(end - begin);
    }
    return true;
  }
  BATCHWORK_INLINE void load(AnySystems<T> const& a, T const* item, int i) const {
    int const begin = first[i], n = size[i];
    for (int c = 0; c < n; ++c) number(i, c) = T(0);
    auto const row = a.row(item, i);
    for (int k = 0; k < row.count; ++k) {
      int const c = row.column(k) - begin;
      if (c >= 0 && c < n) number(i, c) += row.number(k);
    }
    used[i] = 0;
  }

  /// The row of the pivot in column c of the block of row i, found by each of its rows alike.
  BATCHWORK_INLINE void find_pivot(int i, int c) const {
    int const begin = first[i], n = size[i];
    if (c >= n) return;
    T largest = T(0);
    int q = -1;
    for (int r = 0; r < n; ++r) {
      if ((used[i] >> r & 1u) != 0) continue;
      T const v = Kokkos::abs(number(begin + r, c));
      // Not so for NaN.
      if (v > largest) {
        largest = v;
        q = r;
      }
    }
    found[i] = std::int16_t(q);
  }
  /// Takes the pivot's row off row i.
  BATCHWORK_INLINE void eliminate(int i, int c) const {
    int const begin = first[i], n = size[i], q = found[i];
    if (c >= n) return;
    T const pivot = q < 0 ? T(0) : number(begin + q, c);
    if (q < 0 || !is_finite(pivot)) {
      size[i] = 0;
      return;
    }
    if (i == begin + c) order[i] = std::int16_t(q);
    used[i] |= 1u << q;
    if (i == begin + q) return;
    T const f = number(i, c) / pivot;
    for (int k = 0; k < n; ++k)
      if (k != c) number(i, k) -= f * number(begin + q, k);
    number(i, c) = -f;
  }
  /// Divides the pivot's row, once all others have read it.
  BATCHWORK_INLINE void divide(int i, int c) const {
    int const n = size[i];
    if (c >= n || i != first[i] + found[i]) return;
    T const pivot = number(i, c);
    for (int k = 0; k < n; ++k)
      if (k != c) number(i, k) /= pivot;
    number(i, c) = T(1) / pivot;
  }
  BATCHWORK_INLINE bool row_is_finite(int i) const {
    bool r = true;
    for (int k = 0; k < size[i]; ++k) r = r && is_finite(number(i, k));
    return r;
  }
  BATCHWORK_INLINE bool block_is_finite(int i) const {
    bool r = true;
    for (int k = 0; k < size[i]; ++k) r = r && found[first[i] + k] != 0;
    return r;
  }

  /// Row i of the inverses times the vector r.
  BATCHWORK_INLINE T product(int i, T const* r) const {
    int const begin = first[i], n = size[i];
    if (n == 0) return r[i];
    int const p = begin + order[i];
    T sum = T(0);
    for (int k = 0; k < n; ++k) sum += number(p, k) * r[begin + order[begin + k]];
    return sum;
  }

  // ---- by warps: order(i) is then the row of the item that row i replaces as a pivot ----

  /// Inverts the blocks. Neighbouring lanes of a warp, a power of two, have a row of a block each.
  template <class At>
  BATCHWORK_INLINE void invert_by_warps(At const& at, BlocksInKernel const& how) const {
    int window = 1;
    while (window < how.largest) window *= 2;
    int const mine = at.rank & (window - 1),
              before = (at.member.team_rank() % lanes_of_warp) & ~(window - 1);
    unsigned const of_window = (window < 32 ? (1u << window) - 1u : ~0u) << before;
    for (int b0 = 0; b0 < how.count; b0 += at.lanes / window) {
      int const b = b0 + at.rank / window;
      int const begin = b >= how.count              ? 0
                        : how.first_rows == nullptr ? b * how.largest
                                                    : how.first_rows[b];
      int const n = b < how.count ? size[begin] : 0, i = begin + mine;
      bool const there = mine < n;
      bool is_free = there, sound = true;
      BATCHWORK_KEEP_LOOP
      for (int c = 0; c < how.largest; ++c) {
        T const x = there && c < n ? number(i, c) : T(0);
        T largest_size = is_free ? Kokkos::abs(x) : T(0);
        // Not so for NaN.
        if (!(largest_size > T(0))) largest_size = T(0);
        int q = mine;
        BATCHWORK_KEEP_LOOP
        for (int step = 1; step < window; step *= 2) {
          T const other = Vendor::shuffle_xor(largest_size, step);
          int const row = Vendor::shuffle_xor(q, step);
          if (other > largest_size || (other == largest_size && row < q)) {
            largest_size = other;
            q = row;
          }
        }
        T const pivot = Vendor::shuffle<32>(x, before + q);
        bool const wants = sound && c<n, has = largest_size> T(0) && is_finite(pivot);
        sound = sound && (has || c >= n);
        // A quotient of two that are the same is one: a row like the pivot's leaves nothing.
        T const f = (mine == q ? T(1) : x) / pivot;
        if (wants && has && there && mine != q) {
          BATCHWORK_UNROLL_SOME
          for (int k = 0; k < n; ++k) number(i, k) -= f * number(begin + q, k);
          number(i, c) = -f;
        }
        // The others have read the pivot's row.
        Vendor::warp_sync(at.member);
        if (wants && has && mine == q) {
          BATCHWORK_UNROLL_SOME
          for (int k = 0; k < n; ++k) number(i, k) *= f;
          number(i, c) = f;
          order[i] = std::int16_t(begin + c);
          is_free = false;
        }
        Vendor::warp_sync(at.member);
      }
      bool const singular = there && !(sound && row_is_finite(i));
      if ((Vendor::ballot(singular) & of_window) != 0 && there) {
        size[i] = 0;
        order[i] = std::int16_t(i);
      }
    }
    at.sync();
  }
  /// Row i as it lies, times numbers in the order of the pivots.
  BATCHWORK_INLINE T row_product(int i, T const* w) const {
    int const n = size[i];
    if (n == 0) return w[i];
    T const* const from = w + first[i];
    T sum = T(0);
    BATCHWORK_UNROLL_SOME
    for (int k = 0; k < n; ++k) sum += number(i, k) * from[k];
    return sum;
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif
