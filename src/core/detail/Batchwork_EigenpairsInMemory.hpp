// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EigenpairsInMemory: eigenvalues and eigenvectors of symmetric matrices on hosts, where a thread
/// holds one matrix or a pack of them.
#ifndef BATCHWORK_EIGENPAIRSINMEMORY_HPP
#define BATCHWORK_EIGENPAIRSINMEMORY_HPP

#include <cstdint>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_ColumnBlocks.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_ImplicitQl.hpp"

namespace Batchwork::Impl {

/// Replaces a matrix, with entries of the size of one to some thousands, by its eigenvectors and
/// computes the eigenvalues: reflections to tridiagonal form, their product, and implicit QL
/// iterations. (Golub and Van Loan, Matrix Computations, 4th edition, sections 8.3.1 to 8.3.5.)
///
/// S is a number or a pack. Extent is an int, with shared code for all sizes, or a type that stands
/// for a constant size. The items of a pack have sweeps together: each over all blocks of its own
/// tridiagonal matrix, with a shift for each block and an identity rotation elsewhere. The angles
/// of a sweep are computed first and then applied to a few rows of the vectors at a time, which
/// stay in the first-level cache.
template <class S, class Extent = int>
struct EigenpairsInMemory {
  using T = scalar_t<S>;
  using Mask = mask_t<S>;
  /// Arrays of n numbers that are worked with.
  static constexpr int arrays = 5;
  Extent n;
  int leading;
  S* a;       ///< column by column, both triangles
  S* values;  ///< unsorted; the vectors have the same order
  S* below;   ///< the numbers below the diagonal
  S *cosine, *sine, *shift;

  /// `memory` has `arrays` times n numbers; the first n are the eigenvalues.
  BATCHWORK_INLINE EigenpairsInMemory(Extent extent, int between, S* matrix, S* memory)
      : n(extent),
        leading(between),
        a(matrix),
        values(memory),
        below(memory + extent),
        cosine(memory + 2 * extent),
        sine(memory + 3 * extent),
        shift(memory + 4 * extent) {}

  /// Returns a mask of the items whose iterations did not end. Items that are not `finite` are not
  /// iterated. Without vectors the contents of the matrix are undefined afterwards.
  KOKKOS_FUNCTION Mask find(Mask const& finite, bool with_vectors = true) const {
    for (int k = 0; k + 2 < n; ++k) reflect(k);
    for (int k = n > 2 ? n - 2 : 0; k < n; ++k) {
      values[k] = column(k)[k];
      below[k] = k + 1 < n ? column(k)[k + 1] : S(T(0));
    }
    if (with_vectors) form_vectors();
    Mask const open = iterate(finite, with_vectors);
    // Identity rotations during the sweeps of other items may have changed the signs of zeros.
    for (int j = 0; j < n && with_vectors; ++j)
      for (int i = 0; i < n; ++i) column(j)[i] += S(T(0));
    return open;
  }

  /// places[k] becomes the place of the k-th smallest value, see find_order.
  KOKKOS_FUNCTION void order(S* places) const { find_order(values, n, places, sine); }
  /// Number i of the k-th vector, or the k-th value.
  BATCHWORK_INLINE S vector(S const* places, int k, int i) const {
    return gathered(places[k], [&](int place) { return column(place) + i; });
  }
  BATCHWORK_INLINE S value(S const* places, int k) const {
    return gathered(places[k], [&](int place) { return values + place; });
  }

 private:
  BATCHWORK_INLINE S* column(int j) const { return a + std::int64_t(j) * leading; }

  /// Step k maps column k below its diagonal number to alpha e_k+1 by H = I - u u', u' u = 2. With
  /// p = A u and w = p - (u' p / 2) u the rest becomes A - u w' - w u'. u stays in its column.
  KOKKOS_FUNCTION void reflect(int k) const {
    S* const u = column(k);
    S square(T(0));
    for (int i = k + 2; i < n; ++i) square += u[i] * u[i];
    Reflection<S> const h(u[k + 1], square);
    values[k] = u[k];
    below[k] = h.alpha;
    u[k + 1] = h.top;
    for (int i = k + 2; i < n; ++i) u[i] = u[i] * h.scale;
    S* const w = cosine;
    S product(T(0));
    for_blocks<4>(k + 1, n, [&]<int Count>(int j) {
      S sum[Count];
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c) sum[c] = S(T(0));
      for (int i = k + 1; i < n; ++i) {
        BATCHWORK_UNROLL
        for (int c = 0; c < Count; ++c) sum[c] += column(j + c)[i] * u[i];
      }
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c) {
        w[j + c] = sum[c];
        product += sum[c] * u[j + c];
      }
    });
    S const half = S(T(0.5)) * product;
    for (int j = k + 1; j < n; ++j) w[j] -= half * u[j];
    for_blocks<4>(k + 1, n, [&]<int Count>(int j) {
      S uj[Count], wj[Count];
      BATCHWORK_UNROLL
      for (int c = 0; c < Count; ++c) uj[c] = u[j + c], wj[c] = w[j + c];
      for (int i = k + 1; i < n; ++i) {
        S const ui = u[i], wi = w[i];
        BATCHWORK_UNROLL
        for (int c = 0; c < Count; ++c) {
          S& x = column(j + c)[i];
          x = x - uj[c] * wi - wj[c] * ui;
        }
      }
    });
  }
  /// The product of all reflections, stored over their vectors.
  KOKKOS_FUNCTION void form_vectors() const {
    for (int j = n > 2 ? n - 2 : 0; j < n; ++j) set_unit(j);
    for (int k = n - 3; k >= 0; --k) {
      S const* const u = column(k);
      if (k + 1 < n - 2) set_unit(k + 1);
      for_blocks<4>(k + 1, n, [&]<int Count>(int j) {
        S product[Count];
        BATCHWORK_UNROLL
        for (int c = 0; c < Count; ++c) product[c] = S(T(0));
        for (int i = k + 1; i < n; ++i) {
          BATCHWORK_UNROLL
          for (int c = 0; c < Count; ++c) product[c] += column(j + c)[i] * u[i];
        }
        for (int i = k + 1; i < n; ++i) {
          BATCHWORK_UNROLL
          for (int c = 0; c < Count; ++c) column(j + c)[i] -= product[c] * u[i];
        }
      });
    }
    if (n > 2) set_unit(0);
  }
  BATCHWORK_INLINE void set_unit(int j) const {
    S* const x = column(j);
    for (int i = 0; i < n; ++i) x[i] = S(T(i == j ? 1 : 0));
  }

  /// The rows of a tridiagonal matrix that are coupled to the next one in some item: from `first`
  /// to before `last`.
  struct Rows {
    int first, last;
  };

  KOKKOS_FUNCTION Mask iterate(Mask const& finite, bool with_vectors) const {
    int const most = most_ql_sweeps_a_row * n;
    for (int sweep = 0;; ++sweep) {
      Rows const rows = find_shifts(finite);
      if (rows.first >= rows.last) return Mask(false);
      if (sweep == most) {
        Mask open(false);
        for (int i = rows.first; i < rows.last; ++i) open = open || sine[i] != S(T(0));
        return open;
      }
      find_rotations(rows);
      if (with_vectors) for_blocks<4>(0, n, [&]<int Count>(int i) { rotate_rows<Count>(i, rows); });
    }
  }
  /// sine[i] becomes 1 if row i is coupled to the next one, else 0; shift[i] becomes the shift of
  /// the block.
  KOKKOS_FUNCTION Rows find_shifts(Mask const& finite) const {
    Rows rows{n, 0};
    Mask open(false);
    S own(T(0));
    for (int i = 0; i + 1 < n; ++i) {
      Mask const coupled = finite && !is_negligible(below[i], values[i], values[i + 1]);
      if (Batchwork::any(coupled && !open))
        own = select(coupled && !open, QlSweep<S>::shift(values[i], below[i], values[i + 1]), own);
      shift[i] = own;
      sine[i] = select(coupled, S(T(1)), S(T(0)));
      open = coupled;
      if (Batchwork::any(coupled)) {
        rows.last = i + 1;
        if (rows.first == n) rows.first = i;
      }
    }
    return rows;
  }
  /// The rotations of a sweep, and the tridiagonal matrix after it.
  KOKKOS_FUNCTION void find_rotations(Rows const& rows) const {
    S const one(T(1)), zero(T(0));
    QlSweep<S> ql(values[rows.last], shift[rows.last - 1]);
    Mask inside(false);
    for (int i = rows.last - 1; i >= rows.first; --i) {
      Mask const coupled = sine[i] != zero, begins = coupled && !inside;
      // The block whose first row is i + 1.
      finish_block(i + 1, inside && !coupled, ql);
      ql.take_where(begins, QlSweep<S>(values[i + 1], shift[i]));
      ql.rotate(values[i], below[i]);
      values[i + 1] = select(coupled, ql.diagonal, values[i + 1]);
      // The row after a block is no longer coupled to it.
      below[i + 1] = select(begins, zero, select(coupled, ql.below, below[i + 1]));
      cosine[i] = select(coupled, ql.c, one);
      sine[i] = select(coupled, ql.s, zero);
      inside = coupled;
    }
    finish_block(rows.first, inside, ql);
  }
  BATCHWORK_INLINE void finish_block(int i, Mask const& m, QlSweep<S>& ql) const {
    ql.finish();
    values[i] = select(m, ql.diagonal, values[i]);
    below[i] = select(m, ql.below, below[i]);
  }
  /// Rows i .. i + Count - 1 of the vectors.
  template <int Count>
  BATCHWORK_INLINE void rotate_rows(int i, Rows const& rows) const {
    S z[Count];
    BATCHWORK_UNROLL
    for (int r = 0; r < Count; ++r) z[r] = column(rows.last)[i + r];
    for (int j = rows.last - 1; j >= rows.first; --j) {
      S const c = cosine[j], s = sine[j];
      S *const x = column(j) + i, *const to = column(j + 1) + i;
      BATCHWORK_UNROLL
      for (int r = 0; r < Count; ++r) {
        S const own = x[r], upper = z[r];
        z[r] = c * own - s * upper;
        to[r] = s * own + c * upper;
      }
    }
    BATCHWORK_UNROLL
    for (int r = 0; r < Count; ++r) column(rows.first)[i + r] = z[r];
  }
};

}  // namespace Batchwork::Impl

#endif
