// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Distributed<T, R, C, E, Whole>: the value type `S` of tiles where lanes share an item, and its
/// mask.
#ifndef BATCHWORK_DISTRIBUTED_HPP
#define BATCHWORK_DISTRIBUTED_HPP

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_LaneGrid.hpp"

namespace Batchwork {

/// A condition that all lanes of an item know. S is the Distributed from which it was computed.
template <class S>
struct DistributedMask {
  using of = S;

  bool v;
  Impl::LaneGrid grid{};

  DistributedMask() = default;
  BATCHWORK_INLINE DistributedMask(bool x) : v(x) {}
  BATCHWORK_INLINE DistributedMask(bool x, Impl::LaneGrid const& g) : v(x), grid(g) {}
  /// From a comparison of numbers of another type.
  template <class S2>
    requires(!std::is_same_v<S, S2>)
  BATCHWORK_INLINE DistributedMask(DistributedMask<S2> const& m) : v(m.v), grid(m.grid) {}
  /// Does not compile, as for PackMask; the message says what to write instead.
  template <std::same_as<bool> B>
  BATCHWORK_INLINE explicit operator B() const {
    return Impl::refuse_branch<B>();
  }
  /// Whether the condition holds for any item of the lanes that take the same branch.
  BATCHWORK_INLINE bool holds_for_any() const { return grid.lanes.any(v); }

  friend BATCHWORK_INLINE DistributedMask operator!(DistributedMask const& a) {
    return {!a.v, a.grid};
  }
  friend BATCHWORK_INLINE DistributedMask operator&&(DistributedMask const& a,
                                                     DistributedMask const& b) {
    return {a.v && b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  friend BATCHWORK_INLINE DistributedMask operator||(DistributedMask const& a,
                                                     DistributedMask const& b) {
    return {a.v || b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  /// With a bool for all items. Without these overloads the conversion above would be ambiguous.
  friend BATCHWORK_INLINE DistributedMask operator&&(DistributedMask const& a, bool b) {
    return a && DistributedMask(b);
  }
  friend BATCHWORK_INLINE DistributedMask operator&&(bool a, DistributedMask const& b) {
    return DistributedMask(a) && b;
  }
  friend BATCHWORK_INLINE DistributedMask operator||(DistributedMask const& a, bool b) {
    return a || DistributedMask(b);
  }
  friend BATCHWORK_INLINE DistributedMask operator||(bool a, DistributedMask const& b) {
    return DistributedMask(a) || b;
  }
};

/// For masks of comparisons of different number types.
template <class S, class S2>
  requires(!std::is_same_v<S, S2>)
BATCHWORK_INLINE DistributedMask<S> operator&&(DistributedMask<S> const& a,
                                               DistributedMask<S2> const& b) {
  return a && DistributedMask<S>(b);
}
/// For masks of comparisons of different number types.
template <class S, class S2>
  requires(!std::is_same_v<S, S2>)
BATCHWORK_INLINE DistributedMask<S> operator||(DistributedMask<S> const& a,
                                               DistributedMask<S2> const& b) {
  return a || DistributedMask<S>(b);
}

/// The value type of a tile if R x C lanes of a warp share an item. The rows of a tile (C = 1) or
/// its columns (R = 1) are distributed cyclically over the lanes, whole rows or columns each. A
/// Distributed itself is one number that all lanes of the item know. Users do not name this type;
/// sequences get it as `S`.
/// \tparam T      the type of the numbers
/// \tparam R      the lanes of an item if rows are distributed, else 1
/// \tparam C      the lanes of an item if columns are distributed, else 1
/// \tparam E      the largest extent of the tiles of a sequence, which sets the size of the
///   exchange
/// \tparam Whole  whether symmetric tiles are held with both triangles where that saves an exchange
template <class T, int R, int C, int E, bool Whole = false>
struct Distributed {
  static_assert(R == 1 || C == 1, "Batchwork::Distributed: lanes hold whole rows or whole columns");
  static_assert(32 % (R * C) == 0, "Batchwork: 1, 2, 4, 8, 16 or 32 lanes may share an item");
  static constexpr bool by_rows = C == 1;
  static constexpr int lanes = R * C;
  static constexpr int largest = E;
  using exchange = Impl::Exchange<T, R * C, E>;
  static constexpr bool whole = Whole;
  using turned = Distributed<T, C, R, E, Whole>;

  T v;
  Impl::LaneGrid grid{};

  Distributed() = default;
  BATCHWORK_INLINE Distributed(T x) : v(x) {}
  BATCHWORK_INLINE Distributed(T x, Impl::LaneGrid const& g) : v(x), grid(g) {}
  BATCHWORK_INLINE Distributed(turned const& x)
    requires(R != C)
      : v(x.v), grid(x.grid) {}
  /// From a number of another type.
  template <class U, int R2, int C2>
    requires(!std::is_same_v<U, T>)
  BATCHWORK_INLINE explicit Distributed(Distributed<U, R2, C2, E, Whole> const& x)
      : v(static_cast<T>(x.v)), grid(x.grid) {}

  friend BATCHWORK_INLINE Distributed operator-(Distributed const& a) { return {-a.v, a.grid}; }
  friend BATCHWORK_INLINE Distributed operator+(Distributed const& a, Distributed const& b) {
    return {a.v + b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  friend BATCHWORK_INLINE Distributed operator-(Distributed const& a, Distributed const& b) {
    return {a.v - b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  friend BATCHWORK_INLINE Distributed operator*(Distributed const& a, Distributed const& b) {
    return {a.v * b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  friend BATCHWORK_INLINE Distributed operator/(Distributed const& a, Distributed const& b) {
    return {a.v / b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  BATCHWORK_INLINE Distributed& operator+=(Distributed const& b) { return *this = *this + b; }
  BATCHWORK_INLINE Distributed& operator-=(Distributed const& b) { return *this = *this - b; }
  BATCHWORK_INLINE Distributed& operator*=(Distributed const& b) { return *this = *this * b; }
  BATCHWORK_INLINE Distributed& operator/=(Distributed const& b) { return *this = *this / b; }

  using mask = DistributedMask<Distributed<T, R * C, 1, E, Whole>>;
  friend BATCHWORK_INLINE mask operator<(Distributed const& a, Distributed const& b) {
    return {a.v < b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  friend BATCHWORK_INLINE mask operator<=(Distributed const& a, Distributed const& b) {
    return {a.v <= b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  friend BATCHWORK_INLINE mask operator>(Distributed const& a, Distributed const& b) {
    return b < a;
  }
  friend BATCHWORK_INLINE mask operator>=(Distributed const& a, Distributed const& b) {
    return b <= a;
  }
  friend BATCHWORK_INLINE mask operator==(Distributed const& a, Distributed const& b) {
    return {a.v == b.v, Impl::merge_grids(a.grid, b.grid)};
  }
  friend BATCHWORK_INLINE mask operator!=(Distributed const& a, Distributed const& b) {
    return !(a == b);
  }
};

namespace Impl {

template <class S>
inline constexpr bool is_distributed = false;
template <class T, int R, int C, int E, bool Whole>
inline constexpr bool is_distributed<Distributed<T, R, C, E, Whole>> = true;

template <class X>
inline constexpr bool is_distributed_mask = false;
template <class S>
inline constexpr bool is_distributed_mask<DistributedMask<S>> = true;

/// Whether X is the result type of a comparison.
template <class X>
inline constexpr bool is_mask = std::is_same_v<X, bool> || is_distributed_mask<X>;
template <class I, int W>
inline constexpr bool is_mask<PackMask<I, W>> = true;

template <class T, int R, int C, int E, bool Whole>
struct ValueTraits<Distributed<T, R, C, E, Whole>> {
  using scalar = T;
  using mask = typename Distributed<T, R, C, E, Whole>::mask;
  using info = std::int32_t;
  static constexpr int width = 1;
};
template <class T, int R, int C, int E, bool Whole, class U>
struct WithNumber<Distributed<T, R, C, E, Whole>, U> {
  using type = Distributed<U, R, C, E, Whole>;
};
template <class T, class S>
  requires std::is_arithmetic_v<T>
struct ValueForMask<T, DistributedMask<S>> {
  using type = with_number_t<S, T>;
};

template <class S>
  requires is_distributed<S>
BATCHWORK_INLINE S select(bool m, S const& a, std::type_identity_t<S> const& b) {
  return {m ? a.v : b.v, merge_grids(a.grid, b.grid)};
}
template <Number T, int R, int C, int E, bool Whole>
BATCHWORK_INLINE Distributed<T, R, C, E, Whole> select(bool m, T a,
                                                       Distributed<T, R, C, E, Whole> const& b) {
  return {m ? a : b.v, b.grid};
}
/// X may be an entry of a tile; two entries give a scalar.
template <class S, class X>
BATCHWORK_INLINE auto select(DistributedMask<S> const& m, X const& a,
                             std::type_identity_t<X> const& b) {
  return select(m.v, a, b);
}
template <Number T, class S>
  requires std::is_arithmetic_v<T>
BATCHWORK_INLINE auto select(DistributedMask<S> const& m, T a,
                             std::type_identity_t<with_number_t<S, T>> const& b) {
  return select(m.v, a, b);
}

template <class S, class X>
  requires is_distributed<S>
BATCHWORK_INLINE S with_lanes_of(S const& like, X const& x) {
  return {scalar_t<S>(x), like.grid};
}
template <class S>
  requires is_distributed<S>
BATCHWORK_INLINE S sqrt(S const& a) {
  return {sqrt(a.v), a.grid};
}
template <class S>
  requires is_distributed<S>
BATCHWORK_INLINE S log(S const& a) {
  return {log(a.v), a.grid};
}
template <class S>
  requires is_distributed<S>
BATCHWORK_INLINE S exp(S const& a) {
  return {exp(a.v), a.grid};
}
template <class S>
  requires is_distributed<S>
BATCHWORK_INLINE S abs(S const& a) {
  return {abs(a.v), a.grid};
}
template <class S>
  requires is_distributed<S>
BATCHWORK_INLINE auto bits(S const& a) {
  return bits(a.v);
}

}  // namespace Impl
}  // namespace Batchwork

#endif
