// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Matrix<S, M, N> and Vector<S, N>: the general tiles.
#ifndef BATCHWORK_MATRIX_HPP
#define BATCHWORK_MATRIX_HPP

#include "tile/types/detail/Batchwork_LocalLines.hpp"

namespace Batchwork {

namespace Impl {

/// Writes every entry of `from` into `to` by to.set(i, j, value), and merges the status.
template <class To, class From>
BATCHWORK_INLINE void assign(To& to, From const& from) {
  static_assert(rows_of<To> == rows_of<From> && cols_of<To> == cols_of<From>,
                "Batchwork: a tile is assigned from one with different extents");
  using S = typename To::value_type;
  if constexpr (is_distributed<S>) {
    distributed_assign(to, from);
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < rows_of<To>; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < cols_of<To>; ++j) {
        if (!To::skips(i, j)) to.set(i, j, S(from.entry(i, j)));
      }
    }
  }
  to.info = info_in_lanes_of<S>(from.info);
}

/// Assignment to a tile that `from` may refer to, as in a = transpose(a): through a copy.
template <class To, class From>
BATCHWORK_INLINE To& assign_safely(To& to, From const& from) {
  // Rows or columns of a transpose that are in other lanes are copied anyway.
  if constexpr (is_transposed<From> && !is_distributed_tile<To>) {
    To const copy(from);
    to = copy;
  } else {
    assign(to, from);
  }
  return to;
}

/// Whether a tile with values of type From can be stored in one with values of type To: the same
/// type, or a number common to the lanes.
template <class To, class From>
concept ValueConvertible = takes_value<To, From>();

}  // namespace Impl

/// An M x N matrix, stored row by row. Entries are read and written as a(i, j).
/// \tparam S  the value type: float, double, an integer, or a type that the library passes to
/// sequences
/// \tparam M  the rows
/// \tparam N  the columns
template <class S, int M, int N>
struct BATCHWORK_NODISCARD Matrix : Impl::Indexed<Matrix<S, M, N>> {
  /// The type of an entry.
  using value_type = S;
  static constexpr int rows = M;  ///< the number of rows
  static constexpr int cols = N;  ///< the number of columns
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Matrix<S2, M, N>;

  static constexpr int pitch = Impl::pitch_of<S>(N);

  S a[M * pitch];
  info_t<S> info;  ///< the status of the item

  /// Not initialised.
  Matrix() = default;
  /// Copies a tile of the same extents, including zeros of its structure.
  template <Tile X>
    requires(!std::is_same_v<X, Matrix> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Matrix(X const& x) {
    Impl::assign(*this, x);
  }
  Matrix(Matrix const&) = default;
  Matrix& operator=(Matrix const&) & = default;
  /// Assigns a tile of the same extents.
  template <Tile X>
    requires(!std::is_same_v<X, Matrix> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Matrix& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }

  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int, int) { return false; }
  /// Entry (i, j), without the status; a(i, j) has it.
  BATCHWORK_INLINE S const& entry(int i, int j) const { return a[i * pitch + j]; }
  /// Sets entry (i, j), without a status; a(i, j) = x merges it.
  BATCHWORK_INLINE void set(int i, int j, S const& v) { a[i * pitch + j] = v; }
  BATCHWORK_INLINE Impl::EntryPointer<S const, pitch, 1> pointer() const { return {a}; }
  BATCHWORK_INLINE Impl::EntryPointer<S, pitch, 1> pointer() { return {a}; }
};

/// A column of N numbers. Entries are read and written as v(i).
/// \tparam S  the value type: float, double, an integer, or a type that the library passes to
/// sequences
/// \tparam N  the number of entries
template <class S, int N>
struct BATCHWORK_NODISCARD Vector : Impl::Indexed<Vector<S, N>> {
  /// The type of an entry.
  using value_type = S;
  static constexpr int rows = N;  ///< the number of rows
  static constexpr int cols = 1;  ///< the number of columns
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = true;
  template <class S2>
  using rebind = Vector<S2, N>;

  S a[N];
  info_t<S> info;  ///< the status of the item

  /// Not initialised.
  Vector() = default;
  /// Copies a column of the same length.
  template <Tile X>
    requires(!std::is_same_v<X, Vector> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Vector(X const& x) {
    Impl::assign(*this, x);
  }
  Vector(Vector const&) = default;
  Vector& operator=(Vector const&) & = default;
  /// Assigns a column of the same length.
  template <Tile X>
    requires(!std::is_same_v<X, Vector> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Vector& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }

  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int, int) { return false; }
  /// Entry i, without the status; the second index is ignored.
  BATCHWORK_INLINE S const& entry(int i, int) const { return a[i]; }
  /// Entry i, without the status; v(i) has it.
  BATCHWORK_INLINE S const& entry(int i) const { return a[i]; }
  /// Sets entry i; the second index is ignored. Without a status; v(i) = x merges it.
  BATCHWORK_INLINE void set(int i, int, S const& v) { a[i] = v; }
  BATCHWORK_INLINE Impl::EntryPointer<S const, 1, 1> pointer() const { return {a}; }
  BATCHWORK_INLINE Impl::EntryPointer<S, 1, 1> pointer() { return {a}; }
};

/// A matrix distributed over the lanes of an item: each lane holds whole rows, or whole columns.
template <class T, int R, int C, int E, bool Whole, int M, int N>
struct BATCHWORK_NODISCARD Matrix<Distributed<T, R, C, E, Whole>, M, N>
    : Impl::LocalLines<Distributed<T, R, C, E, Whole>, M, N>,
      Impl::Indexed<Matrix<Distributed<T, R, C, E, Whole>, M, N>> {
  using S = Distributed<T, R, C, E, Whole>;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Matrix<S2, M, N>;

  Matrix() = default;
  template <Tile X>
    requires(!std::is_same_v<X, Matrix> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Matrix(X const& x) {
    Impl::assign(*this, x);
  }
  Matrix(Matrix const&) = default;
  Matrix& operator=(Matrix const&) & = default;
  template <Tile X>
    requires(!std::is_same_v<X, Matrix> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Matrix& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }
};

/// A column whose entries are distributed over the lanes of an item.
template <class T, int R, int C, int E, bool Whole, int N>
struct BATCHWORK_NODISCARD Vector<Distributed<T, R, C, E, Whole>, N>
    : Impl::LocalLines<Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>, N, 1>,
      Impl::Indexed<Vector<Distributed<T, R, C, E, Whole>, N>> {
  using S = Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>;
  static constexpr Structure structure = Structure::general;
  static constexpr bool is_vector = true;
  template <class S2>
  using rebind = Vector<S2, N>;

  Vector() = default;
  template <Tile X>
    requires(!std::is_same_v<X, Vector> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Vector(X const& x) {
    Impl::assign(*this, x);
  }
  Vector(Vector const&) = default;
  Vector& operator=(Vector const&) & = default;
  template <Tile X>
    requires(!std::is_same_v<X, Vector> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Vector& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }
  using Impl::LocalLines<S, N, 1>::entry;
  BATCHWORK_INLINE S entry(int i) const { return entry(i, 0); }
};

namespace Impl {

/// The general tile of a result: a Vector if the right-hand factor is one.
template <class S, int M, int N, bool Vec>
struct GeneralTile {
  using type = Matrix<S, M, N>;
};
template <class S, int M>
struct GeneralTile<S, M, 1, true> {
  using type = Vector<S, M>;
};
template <class S, int M, int N, bool Vec>
using general_t = typename GeneralTile<S, M, N, Vec>::type;

}  // namespace Impl

}  // namespace Batchwork

#endif
