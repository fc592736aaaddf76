// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// a(i, j) and v(i): entries of tiles. They are read as scalars; entries of a named, non-const tile
/// can be assigned.
#ifndef BATCHWORK_ENTRY_HPP
#define BATCHWORK_ENTRY_HPP

#include <type_traits>

#include "tile/types/Batchwork_Tile.hpp"

namespace Batchwork {

/// a(i, j) of a named, non-const tile X: a Scalar with a copy of the entry and of the tile's
/// status. On the left of =, +=, -=, *= or /= it writes to the tile and merges the status of the
/// right side into the tile's status. For a Symmetric tile a(i, j) and a(j, i) are the same entry.
/// `auto x = a(i, j);` copies the number, so later assignments to x do not change the tile.
/// ```cpp
/// a(0, 1) = x;
/// a(1, 1) += 0.5 * y;
/// ```
/// Zeros of the structure (above the diagonal of a Lower, off the diagonal of a Diagonal) cannot be
/// assigned: with constant indices this does not compile, with other indices it aborts. Cost: no
/// operations; if lanes share an item, reading an entry broadcasts it from its lane.
/// \tparam X       the tile
/// \tparam IsZero  whether constant indices name a zero of the structure
template <class X, bool IsZero = false>
struct BATCHWORK_NODISCARD Entry : Scalar<typename X::value_type> {
  using Value = Scalar<typename X::value_type>;

  Entry() = default;
  Entry(Entry const&) = default;
  BATCHWORK_INLINE Entry(X& x, int i, int j)
      : Value(read(x, i, j), x.info), tile(&x), row(i), col(j) {}
  /// A number that belongs to no tile, so that `c ? v(i) : 0.0` compiles.
  template <Impl::Number U>
  BATCHWORK_INLINE Entry(U u) : Value(u), tile(nullptr), row(0), col(0) {}

  // ---- a name is a value of its own ----
  BATCHWORK_INLINE Entry& operator=(Entry const& y) & {
    own() = y;
    return *this;
  }
  /// Of a named Entry: changes the copy, not the tile. So do +=, -=, *= and /= of a name.
  template <class Y>
  BATCHWORK_INLINE Entry& operator=(Y const& y) & {
    own() = y;
    return *this;
  }
  template <class Y>
  BATCHWORK_INLINE Entry& operator+=(Y const& y) & {
    own() += y;
    return *this;
  }
  template <class Y>
  BATCHWORK_INLINE Entry& operator-=(Y const& y) & {
    own() -= y;
    return *this;
  }
  template <class Y>
  BATCHWORK_INLINE Entry& operator*=(Y const& y) & {
    own() *= y;
    return *this;
  }
  template <class Y>
  BATCHWORK_INLINE Entry& operator/=(Y const& y) & {
    own() /= y;
    return *this;
  }

  // ---- a(i, j) = y ----
  BATCHWORK_INLINE Value const& operator=(Entry const& y) && { return put(y); }
  /// a(i, j) = y: sets the entry in the tile, and merges the status of y.
  template <class Y>
  BATCHWORK_INLINE Value const& operator=(Y const& y) && {
    if constexpr (takes<Y>()) put(Value(y));
    return own();
  }
  /// a(i, j) += y: adds y in the tile, and merges its status.
  template <class Y>
  BATCHWORK_INLINE Value const& operator+=(Y const& y) && {
    if constexpr (Impl::require_room<Value, Y>()) put(own() + y);
    return own();
  }
  /// a(i, j) -= y: subtracts y in the tile, and merges its status.
  template <class Y>
  BATCHWORK_INLINE Value const& operator-=(Y const& y) && {
    if constexpr (Impl::require_room<Value, Y>()) put(own() - y);
    return own();
  }
  /// a(i, j) *= y: multiplies by y in the tile, and merges its status.
  template <class Y>
  BATCHWORK_INLINE Value const& operator*=(Y const& y) && {
    if constexpr (Impl::require_room<Value, Y>()) put(own() * y);
    return own();
  }
  /// a(i, j) /= y: divides by y in the tile, and merges its status.
  template <class Y>
  BATCHWORK_INLINE Value const& operator/=(Y const& y) && {
    if constexpr (Impl::require_room<Value, Y>()) put(own() / y);
    return own();
  }

  // ---- of integers ----
  /// a(i, j) %= y, for integers: the remainder of a division by y.
  template <class Y>
  BATCHWORK_INLINE Value const& operator%=(Y const& y) && {
    put(own() % y);
    return own();
  }
  /// a(i, j) &= y, for integers: the bits also set in y.
  template <class Y>
  BATCHWORK_INLINE Value const& operator&=(Y const& y) && {
    put(own() & y);
    return own();
  }
  /// a(i, j) |= y, for integers: with the bits of y as well.
  template <class Y>
  BATCHWORK_INLINE Value const& operator|=(Y const& y) && {
    put(own() | y);
    return own();
  }
  /// a(i, j) ^= y, for integers: with the bits of y flipped.
  template <class Y>
  BATCHWORK_INLINE Value const& operator^=(Y const& y) && {
    put(own() ^ y);
    return own();
  }
  /// a(i, j) <<= y, for integers: shifted left by y bits.
  template <class Y>
  BATCHWORK_INLINE Value const& operator<<=(Y const& y) && {
    put(own() << y);
    return own();
  }
  /// a(i, j) >>= y, for integers: shifted right by y bits.
  template <class Y>
  BATCHWORK_INLINE Value const& operator>>=(Y const& y) && {
    put(own() >> y);
    return own();
  }

 private:
  X* tile;
  int row, col;

  BATCHWORK_INLINE Value& own() { return *this; }

  static BATCHWORK_INLINE auto read(X const& x, int i, int j) {
    if constexpr (requires { x.grid.exchange; }) {
      if (x.grid.exchange == nullptr)
        Kokkos::abort(
            "Batchwork: lanes share the item, but this tile was made without an operand and does "
            "not know them; start it as zero<M, N>(x), with x a tile or scalar of the sequence");
    }
    return typename X::value_type(x.entry(i, j));
  }
  template <class Y>
  static constexpr bool takes() {
    constexpr bool good = std::is_constructible_v<Value, Y const&>;
    static_assert(
        good,
        "Batchwork: an entry can be assigned only a number or a scalar that its tile can hold. If "
        "the tile is common to all items and the number is not, start the tile as zero<M, N>(x), "
        "with x a scalar of the sequence; of a 1 x 1 tile assign the entry (0, 0)");
    return good;
  }
  BATCHWORK_INLINE Value const& put(Value const& y) {
    static_assert(!IsZero,
                  "Batchwork: an entry above the diagonal of a Lower tile, or off the diagonal of "
                  "a Diagonal one, is zero and cannot be assigned");
    constexpr Structure st = X::structure;
    if constexpr (st == Structure::lower) {
      if (col > row)
        Kokkos::abort("Batchwork: an entry above the diagonal of a Lower tile cannot be assigned");
    } else if constexpr (st == Structure::diagonal) {
      if (col != row)
        Kokkos::abort("Batchwork: an entry off the diagonal of a Diagonal tile cannot be assigned");
    }
    if constexpr (st == Structure::symmetric)
      tile->set(row < col ? col : row, row < col ? row : col, y.value);
    else tile->set(row, col, y.value);
    tile->info = Impl::first_failure(tile->info, y.info);
    own() = y;
    return own();
  }
};

namespace Impl {

template <class X, bool IsZero>
struct TileTraits<Entry<X, IsZero>> : NoSpecialTile {
  static constexpr bool is_scalar = true;
};

/// An index that is part of its type, such as a std::integral_constant.
template <class I>
concept ConstantIndex = std::is_class_v<I> && requires {
  typename std::integral_constant<int, static_cast<int>(I::value)>;
};
/// A number common to all items, such as step_index().
template <class I>
concept CommonIndex = is_scalar_tile<I> && std::is_integral_v<typename I::value_type>;

/// True; otherwise a compile-time error explains the indices of a tile.
template <class X, class... I>
constexpr bool require_indices() {
  constexpr bool integers =
      ((std::is_integral_v<I> || std::is_enum_v<I> || ConstantIndex<I> || CommonIndex<I>) && ...);
  static_assert(integers,
                "Batchwork: the indices of an entry must be integers common to all items; if they "
                "differ between items write select(k == 0, v(0), v(1)), or read table(view)(k)");
  constexpr bool count = sizeof...(I) == 2 || (sizeof...(I) == 1 && X::is_vector);
  static_assert(
      count,
      "Batchwork: an entry of a matrix has two indices, a(i, j), an entry of a vector has one, "
      "v(i); for larger parts write row(a, i), column(a, j) or block<M, N>(a, i, j)");
  if constexpr (integers && count && (ConstantIndex<I> && ...)) {
    constexpr int extents[] = {X::rows, X::cols}, at[] = {int(I::value)...};
    constexpr bool there = at[0] >= 0 && at[0] < extents[0] && at[sizeof...(I) - 1] >= 0 &&
                           (sizeof...(I) < 2 || at[sizeof...(I) - 1] < extents[1]);
    static_assert(there, "Batchwork: an index of an entry is beyond the tile");
  }
  return integers && count;
}
/// Whether constant indices name a zero of the structure.
template <class X, class... I>
constexpr bool is_zero_entry() {
  if constexpr (sizeof...(I) == 2 && (ConstantIndex<I> && ...)) {
    constexpr int at[] = {int(I::value)...};
    return structurally_zero(X::structure, at[0], at[1]);
  } else {
    return false;
  }
}
template <class I>
BATCHWORK_INLINE constexpr int index_of([[maybe_unused]] I i) {
  if constexpr (ConstantIndex<I>) return static_cast<int>(I::value);
  else if constexpr (CommonIndex<I>) return static_cast<int>(i.value);
  else return static_cast<int>(i);
}
/// Checked if Kokkos checks the indices of Views.
template <class X>
BATCHWORK_INLINE void check_index([[maybe_unused]] int i, [[maybe_unused]] int j) {
#if defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
  if (i < 0 || i >= X::rows || j < 0 || j >= X::cols)
    Kokkos::abort("Batchwork: an index of an entry is beyond the tile");
#endif
}

template <class X>
BATCHWORK_INLINE auto scalar_at(X const& x, int i, int j) {
  using S = typename X::value_type;
  check_index<X>(i, j);
  return Scalar<S>(S(x.entry(i, j)), x.info);
}
template <class X>
BATCHWORK_INLINE auto scalar_at(X const& x, int i) {
  return scalar_at(x, i, 0);
}

/// x(i, j), for reading.
template <class X, class... I>
BATCHWORK_INLINE auto read_entry(X const& x, I... i) {
  if constexpr (require_indices<X, I...>()) return scalar_at(x, index_of(i)...);
  else return Scalar<typename X::value_type>();
}
template <class X>
BATCHWORK_INLINE Place place_of_entry(int i, int j = 0) {
  check_index<X>(i, j);
  return {i, j};
}
/// x(i, j), for writing.
template <class X, class... I>
BATCHWORK_INLINE auto entry_to_write(X& x, I... i) {
  using E = Entry<X, is_zero_entry<X, I...>()>;
  if constexpr (require_indices<X, I...>()) {
    Place const p = place_of_entry<X>(index_of(i)...);
    return E(x, p.row, p.col);
  } else {
    return E();
  }
}

namespace ByAdl {

/// Base class of tiles: entries of a named, non-const tile can be written, others only read.
template <class X>
struct Indexed {
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) & {
    return entry_to_write(static_cast<X&>(*this), i...);
  }
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const& {
    return read_entry(static_cast<X const&>(*this), i...);
  }
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) && {
    return read_entry(static_cast<X const&>(*this), i...);
  }
};
/// Base class of tiles whose entries can only be read.
template <class X>
struct IndexedToRead {
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const {
    return read_entry(static_cast<X const&>(*this), i...);
  }
};

}  // namespace ByAdl
using ByAdl::Indexed, ByAdl::IndexedToRead;

}  // namespace Impl
}  // namespace Batchwork

#endif
