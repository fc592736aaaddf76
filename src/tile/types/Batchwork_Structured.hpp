// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Symmetric, Lower, Diagonal and Identity: tiles whose structure saves storage and work.
#ifndef BATCHWORK_STRUCTURED_HPP
#define BATCHWORK_STRUCTURED_HPP

#include "tile/types/Batchwork_Matrix.hpp"

namespace Batchwork {

/// A symmetric N x N matrix. Only the lower triangle (j <= i) is computed and assigned. A lane that
/// holds a whole item stores just the triangle; packs store both triangles, so that rows can be
/// read in a loop.
/// \tparam S  the value type
/// \tparam N  the rows and columns
template <class S, int N>
struct BATCHWORK_NODISCARD Symmetric : Impl::Indexed<Symmetric<S, N>> {
  using value_type = S;           ///< the type of an entry
  static constexpr int rows = N;  ///< the number of rows
  static constexpr int cols = N;  ///< the number of columns
  static constexpr Structure structure = Structure::symmetric;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Symmetric<S2, N>;
  static constexpr bool mirrored = !Impl::one_item_per_lane<S>;
  static constexpr int pitch = Impl::pitch_of<S>(N);

  S a[mirrored ? N * pitch : N * (N + 1) / 2];
  info_t<S> info;  ///< the status of the item

  /// Not initialised.
  Symmetric() = default;
  /// Converts a square tile by its lower triangle.
  template <Tile X>
    requires(!std::is_same_v<X, Symmetric> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE explicit(Impl::structure_of<X> != Structure::symmetric &&
                            Impl::structure_of<X> != Structure::diagonal) Symmetric(X const& x) {
    Impl::assign(*this, x);
  }
  Symmetric(Symmetric const&) = default;
  Symmetric& operator=(Symmetric const&) & = default;
  /// Assigns the lower triangle of a square tile.
  template <Tile X>
    requires(!std::is_same_v<X, Symmetric> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Symmetric& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }

  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int i, int j) { return j > i; }
  /// Entry (i, j), without the status; a(i, j) has it.
  BATCHWORK_INLINE S const& entry(int i, int j) const {
    if constexpr (mirrored) {
      return a[i * pitch + j];
    } else {
      return j <= i ? a[Impl::triangle_index(i, j)] : a[Impl::triangle_index(j, i)];
    }
  }
  /// Sets an entry with j <= i.
  BATCHWORK_INLINE void set(int i, int j, S const& v) {
    if constexpr (mirrored) {
      a[i * pitch + j] = v;
      a[j * pitch + i] = v;
    } else {
      a[Impl::triangle_index(i, j)] = v;
    }
  }
  BATCHWORK_INLINE Impl::EntryPointer<S const, pitch, 1> pointer() const
    requires mirrored
  {
    return {a};
  }
  BATCHWORK_INLINE Impl::EntryPointer<S, pitch, 1> pointer()
    requires mirrored
  {
    return {a};
  }
};

/// A lower triangular N x N matrix, including its diagonal.
/// \tparam S  the value type
/// \tparam N  the rows and columns
template <class S, int N>
struct BATCHWORK_NODISCARD Lower : Impl::Indexed<Lower<S, N>> {
  using value_type = S;           ///< the type of an entry
  static constexpr int rows = N;  ///< the number of rows
  static constexpr int cols = N;  ///< the number of columns
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Lower<S2, N>;

  S a[N * (N + 1) / 2];
  info_t<S> info;  ///< the status of the item

  /// Not initialised.
  Lower() = default;
  /// Converts a square tile by its lower triangle; entries above it are dropped.
  template <Tile X>
    requires(!std::is_same_v<X, Lower> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE explicit(Impl::structure_of<X> != Structure::lower &&
                            Impl::structure_of<X> != Structure::diagonal) Lower(X const& x) {
    Impl::assign(*this, x);
  }
  Lower(Lower const&) = default;
  Lower& operator=(Lower const&) & = default;
  /// Assigns the lower triangle of a square tile.
  template <Tile X>
    requires(!std::is_same_v<X, Lower> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Lower& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }

  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int i, int j) { return j > i; }
  /// Entry (i, j), zero above the diagonal, without the status; a(i, j) has it.
  BATCHWORK_INLINE S entry(int i, int j) const {
    if (j > i) return S(scalar_t<S>(0));
    return a[Impl::triangle_index(i, j)];
  }
  /// Sets an entry with j <= i.
  BATCHWORK_INLINE void set(int i, int j, S const& v) { a[Impl::triangle_index(i, j)] = v; }
  /// Row i up to the diagonal.
  BATCHWORK_INLINE S const* row(int i) const { return a + Impl::triangle_index(i, 0); }
};

/// A diagonal N x N matrix.
/// \tparam S  the value type
/// \tparam N  the rows and columns
template <class S, int N>
struct BATCHWORK_NODISCARD Diagonal : Impl::Indexed<Diagonal<S, N>> {
  using value_type = S;           ///< the type of an entry
  static constexpr int rows = N;  ///< the number of rows
  static constexpr int cols = N;  ///< the number of columns
  static constexpr Structure structure = Structure::diagonal;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Diagonal<S2, N>;

  S a[N];
  info_t<S> info;  ///< the status of the item

  /// Not initialised.
  Diagonal() = default;
  /// Converts a square tile by its diagonal; other entries are dropped.
  template <Tile X>
    requires(!std::is_same_v<X, Diagonal> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE explicit(Impl::structure_of<X> != Structure::diagonal) Diagonal(X const& x) {
    Impl::assign(*this, x);
  }
  Diagonal(Diagonal const&) = default;
  Diagonal& operator=(Diagonal const&) & = default;
  /// Assigns the diagonal of a square tile.
  template <Tile X>
    requires(!std::is_same_v<X, Diagonal> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Diagonal& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }

  static constexpr KOKKOS_FORCEINLINE_FUNCTION bool skips(int i, int j) { return i != j; }
  /// Entry (i, j), zero off the diagonal, without the status; a(i, j) has it.
  BATCHWORK_INLINE S entry(int i, int j) const { return i == j ? a[i] : S(scalar_t<S>(0)); }
  /// Sets diagonal entry i.
  BATCHWORK_INLINE void set(int i, int, S const& v) { a[i] = v; }
};

/// Symmetric, distributed over lanes: each lane holds its rows up to the diagonal; the rest is
/// undefined.
template <class T, int R, int C, int E, bool Whole, int N>
struct BATCHWORK_NODISCARD Symmetric<Distributed<T, R, C, E, Whole>, N>
    : Impl::LocalLines<Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>, N, N>,
      Impl::Indexed<Symmetric<Distributed<T, R, C, E, Whole>, N>> {
  using S = Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>;
  static constexpr Structure structure = Structure::symmetric;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Symmetric<S2, N>;

  Symmetric() = default;
  template <Tile X>
    requires(!std::is_same_v<X, Symmetric> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE explicit(Impl::structure_of<X> != Structure::symmetric &&
                            Impl::structure_of<X> != Structure::diagonal) Symmetric(X const& x) {
    Impl::assign(*this, x);
  }
  Symmetric(Symmetric const&) = default;
  Symmetric& operator=(Symmetric const&) & = default;
  template <Tile X>
    requires(!std::is_same_v<X, Symmetric> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Symmetric& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }
  BATCHWORK_INLINE S entry(int i, int j) const {
    return Impl::LocalLines<S, N, N>::entry(i < j ? j : i, i < j ? i : j);
  }
  BATCHWORK_INLINE void set(int i, int j, S const& v) {
    Impl::LocalLines<S, N, N>::set(i < j ? j : i, i < j ? i : j, v);
  }
};

/// Symmetric, distributed over lanes, with both triangles: each lane holds whole rows, which are
/// its columns as well, so products with it on either side need no exchange. Only the lower
/// triangle of an assigned tile is read.
template <class DistributedT, int N>
struct BATCHWORK_NODISCARD WholeSymmetric
    : Impl::LocalLines<Impl::dealt_t<DistributedT, true>, N, N>,
      Impl::Indexed<WholeSymmetric<DistributedT, N>> {
  using S = Impl::dealt_t<DistributedT, true>;
  static constexpr Structure structure = Structure::symmetric;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Symmetric<S2, N>;

  WholeSymmetric() = default;
  template <Tile X>
    requires(!std::is_same_v<X, WholeSymmetric> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE explicit(Impl::structure_of<X> != Structure::symmetric &&
                            Impl::structure_of<X> != Structure::diagonal)
      WholeSymmetric(X const& x) {
    Impl::assign(*this, x);
  }
  WholeSymmetric(WholeSymmetric const&) = default;
  WholeSymmetric& operator=(WholeSymmetric const&) & = default;
  template <Tile X>
    requires(!std::is_same_v<X, WholeSymmetric> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE WholeSymmetric& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }
  BATCHWORK_INLINE S entry(int i, int j) const {
    return Impl::LocalLines<S, N, N>::entry(i < j ? j : i, i < j ? i : j);
  }
  BATCHWORK_INLINE void set(int i, int j, S const& v) {
    Impl::LocalLines<S, N, N>::set(i, j, v);
    Impl::LocalLines<S, N, N>::set(j, i, v);
  }
};
template <class DistributedT, int N>
struct Impl::TileTraits<WholeSymmetric<DistributedT, N>> : Impl::NoSpecialTile {
  static constexpr bool holds_whole = true;
};

/// Lower, distributed over lanes: each lane holds whole rows, including zeros.
template <class T, int R, int C, int E, bool Whole, int N>
struct BATCHWORK_NODISCARD Lower<Distributed<T, R, C, E, Whole>, N>
    : Impl::LocalLines<Distributed<T, R, C, E, Whole>, N, N>,
      Impl::Indexed<Lower<Distributed<T, R, C, E, Whole>, N>> {
  using S = Distributed<T, R, C, E, Whole>;
  static constexpr Structure structure = Structure::lower;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Lower<S2, N>;

  Lower() = default;
  template <Tile X>
    requires(!std::is_same_v<X, Lower> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE explicit(Impl::structure_of<X> != Structure::lower &&
                            Impl::structure_of<X> != Structure::diagonal) Lower(X const& x) {
    Impl::assign(*this, x);
  }
  Lower(Lower const&) = default;
  Lower& operator=(Lower const&) & = default;
  template <Tile X>
    requires(!std::is_same_v<X, Lower> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Lower& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }
};

/// Diagonal, distributed over lanes.
template <class T, int R, int C, int E, bool Whole, int N>
struct BATCHWORK_NODISCARD Diagonal<Distributed<T, R, C, E, Whole>, N>
    : Impl::LocalLines<Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>, N, 1>,
      Impl::Indexed<Diagonal<Distributed<T, R, C, E, Whole>, N>> {
  using S = Impl::dealt_t<Distributed<T, R, C, E, Whole>, true>;
  static constexpr Structure structure = Structure::diagonal;
  static constexpr bool is_vector = false;
  template <class S2>
  using rebind = Diagonal<S2, N>;
  static constexpr int cols = N;
  using Impl::LocalLines<S, N, 1>::grid;
  BATCHWORK_INLINE S entry(int i, int j) const {
    if (i != j) return S(T(0), grid);
    return Impl::LocalLines<S, N, 1>::entry(i, 0);
  }
  BATCHWORK_INLINE void set(int i, int, S const& v) { Impl::LocalLines<S, N, 1>::set(i, 0, v); }

  Diagonal() = default;
  template <Tile X>
    requires(!std::is_same_v<X, Diagonal> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE explicit(Impl::structure_of<X> != Structure::diagonal) Diagonal(X const& x) {
    Impl::assign(*this, x);
  }
  Diagonal(Diagonal const&) = default;
  Diagonal& operator=(Diagonal const&) & = default;
  template <Tile X>
    requires(!std::is_same_v<X, Diagonal> && Impl::ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Diagonal& operator=(X const& x) & {
    return Impl::assign_safely(*this, x);
  }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }
};

/// The N x N identity; it stores nothing.
/// \tparam T  float or double
/// \tparam N  the rows and columns
template <class T, int N>
struct BATCHWORK_NODISCARD Identity : Impl::IndexedToRead<Identity<T, N>> {
  using value_type = T;           ///< the type of an entry
  static constexpr int rows = N;  ///< the number of rows
  static constexpr int cols = N;  ///< the number of columns
  static constexpr Structure structure = Structure::diagonal;
  static constexpr bool is_vector = false;

  info_t<T> info = 0;  ///< the status: 0
  /// Entry (i, j): 1 on the diagonal, else 0.
  BATCHWORK_INLINE T entry(int i, int j) const { return i == j ? T(1) : T(0); }
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    Impl::refuse_lost_tile<X>();
  }
};

/// The N x N identity with the number type of the tile x: identity<N>(x).
template <int N, Tile X>
BATCHWORK_INLINE Identity<scalar_t<value_t<X>>, N> identity(X const&) {
  return {};
}
/// The N x N identity in float or double: identity<T, N>().
template <class T, int N>
BATCHWORK_INLINE Identity<T, N> identity() {
  return {};
}

namespace Impl {

/// The tile type for a structure; `upper` and `general` are stored as Matrix.
template <class S, int M, int N, Structure St, bool Vec = false>
struct TileOf {
  using type = general_t<S, M, N, Vec>;
};
template <class S, int N>
struct TileOf<S, N, N, Structure::symmetric, false> {
  using type = Symmetric<S, N>;
};
template <class S, int N>
struct TileOf<S, N, N, Structure::lower, false> {
  using type = Lower<S, N>;
};
template <class S, int N>
struct TileOf<S, N, N, Structure::diagonal, false> {
  using type = Diagonal<S, N>;
};
template <class S, int M, int N, Structure St, bool Vec = false>
using tile_of_t = typename TileOf<S, M, N, St, Vec>::type;

}  // namespace Impl

}  // namespace Batchwork

#endif
