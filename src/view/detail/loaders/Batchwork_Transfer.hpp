// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loads and stores of whole tiles: by a lane that holds its item, by packs, and by lanes that
/// share items.
#ifndef BATCHWORK_TRANSFER_HPP
#define BATCHWORK_TRANSFER_HPP

#include "core/detail/Batchwork_TransposedPacks.hpp"
#include "view/detail/loaders/Batchwork_GridTransfer.hpp"

namespace Batchwork::Impl {

/// Index into the numbers stored for one item in row order, and whether the tile has that entry.
template <class Sh>
BATCHWORK_INLINE constexpr int number_of(int i, int j) {
  return Sh::rank == 2 ? i * Sh::cols + j : i;
}

/// The columns of row i that are stored in the View: only those of the lower triangle for a
/// symmetric or lower tile.
template <class Sh>
BATCHWORK_INLINE constexpr int columns_read(int i) {
  return Sh::structure == Structure::symmetric || Sh::structure == Structure::lower ? i + 1
                                                                                    : Sh::cols;
}

/// Calls f(i, j) once for each entry of a tile that is stored in the View; for a diagonal tile only
/// the diagonal.
template <class Sh, class F>
BATCHWORK_INLINE void for_each_read(F const& f) {
  BATCHWORK_UNROLL_ON_DEVICE
  for (int i = 0; i < Sh::rows; ++i) {
    if constexpr (Sh::rank < 2) {
      f(i, Sh::structure == Structure::diagonal ? i : 0);
    } else {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int j = 0; j < columns_read<Sh>(i); ++j) f(i, j);
    }
  }
}
/// The same as a plain loop, for paths that hosts rarely take.
template <class Sh, class F>
BATCHWORK_INLINE void for_each_read_in_loop(F const& f) {
  BATCHWORK_LOOP_ON_HOST
  for (int i = 0; i < Sh::rows; ++i) {
    if constexpr (Sh::rank < 2) {
      f(i, Sh::structure == Structure::diagonal ? i : 0);
    } else {
      BATCHWORK_LOOP_ON_HOST
      for (int j = 0; j < columns_read<Sh>(i); ++j) f(i, j);
    }
  }
}

/// The number of numbers that a View holds for one item: one for a scalar; a diagonal matrix may be
/// stored as a vector.
template <class Sh>
inline constexpr int numbers_down = Sh::rank == 0 ? 1 : Sh::rows;
template <class Sh>
inline constexpr int numbers_across = Sh::rank < 2 ? 1 : Sh::cols;
template <class Sh, class R>
BATCHWORK_INLINE auto number_to_store(R const& r, int i, int j) {
  if constexpr (Sh::rank == 0) return r.value;
  else return r.entry(i, Sh::rank == 1 && Sh::structure == Structure::diagonal ? i : j);
}

/// Whether a host loads and stores W whole adjacent items, W numbers of each at once, and
/// transposes them in registers. For four doubles that takes 4 loads and 8 shuffles instead of 16
/// loads and 12 insertions.
template <class S, class Loc>
inline constexpr bool transposes_items = false;
template <class T, int W, class Loc>
  requires is_item_contiguous<Loc>
inline constexpr bool transposes_items<Pack<T, W>, Loc> =
    packs_are_shuffled<Pack<T, W>> &&
    std::is_same_v<std::remove_const_t<typename Loc::value_type>, T> && Loc::shape::size >= W;

/// Calls f(first number, index of the first number) for pieces of W numbers of an item; the last
/// piece may overlap with the previous one.
template <int Size, int W, class F>
BATCHWORK_INLINE void for_each_piece(F const& f) {
  BATCHWORK_UNROLL_ON_DEVICE
  for (int k = 0; k + W <= Size; k += W) f(k);
  if constexpr (Size % W != 0) f(Size - W);
}
/// Entry (i, j) of number k of an item.
template <class Sh>
BATCHWORK_INLINE constexpr int row_of_number(int k) {
  return Sh::rank == 2 ? k / Sh::cols : k;
}
template <class Sh>
BATCHWORK_INLINE constexpr int column_of_number(int k) {
  return Sh::rank == 2 ? k % Sh::cols : Sh::structure == Structure::diagonal ? k : 0;
}
template <class Sh, class S, class R, class C>
BATCHWORK_INLINE void load_items(R& r, C const& c) {
  constexpr int W = S::width;
  for_each_piece<Sh::size, W>([&](int k) {
    S piece[W];
    BATCHWORK_UNROLL
    for (int l = 0; l < W; ++l) piece[l] = S::load(c.p[l] + k);
    transpose_packs(piece);
    BATCHWORK_UNROLL
    for (int n = 0; n < W; ++n) {
      int const i = row_of_number<Sh>(k + n), j = column_of_number<Sh>(k + n);
      if (Sh::rank < 2 || j < columns_read<Sh>(i)) r.set(i, j, piece[n]);
    }
  });
}
template <class Sh, class S, class R, class C>
BATCHWORK_INLINE void store_items(C const& c, R const& r) {
  constexpr int W = S::width;
  for_each_piece<Sh::size, W>([&](int k) {
    S piece[W];
    BATCHWORK_UNROLL
    for (int n = 0; n < W; ++n)
      piece[n] = S(number_to_store<Sh>(r, row_of_number<Sh>(k + n), column_of_number<Sh>(k + n)));
    transpose_packs(piece);
    BATCHWORK_UNROLL
    for (int l = 0; l < W; ++l) piece[l].store(c.p[l] + k);
  });
}

/// A tile of the operand, as an R or as its shape's tile type.
template <class S, class R0 = void, class Loc>
BATCHWORK_INLINE auto load_tile(Loc const& loc, auto const& items, std::int64_t time) {
  using Sh = typename Loc::shape;
  using R = std::conditional_t<std::is_void_v<R0>, typename Sh::template tile<S>, R0>;
  using T [[maybe_unused]] = std::remove_const_t<typename Loc::value_type>;
  R r;
  r.info = info_t<S>(0);
  if constexpr (is_distributed<S> && Sh::rank == 0) {
    r.value = S(*loc.at(items.first, time), items.grid);
  } else if constexpr (is_distributed<S>) {
    load_lines(r, loc, items, time);
  } else if constexpr (Sh::rank == 0) {
    Cursor<S, Loc> const c(loc, items, time);
    if constexpr (!one_item_per_lane<S>) r.value = c.adjacent ? c.get_adjacent(0, 0) : c.get(0, 0);
    else r.value = c.get(0, 0);
  } else {
#if defined(BATCHWORK_DEVICE_PASS)
    if constexpr (one_item_per_lane<S> && is_item_contiguous<Loc> &&
                  Sh::size * sizeof(T) % 16 == 0) {
      if (loc.wide) {
        constexpr int per = 16 / int(sizeof(T));
        Unit<T> buffer[Sh::size / per];
        auto const* from = reinterpret_cast<Unit<T> const*>(loc.at(items.first, time));
        BATCHWORK_UNROLL
        for (int k = 0; k < Sh::size / per; ++k) buffer[k] = from[k];
        for_each_read<Sh>([&](int i, int j) {
          int const k = number_of<Sh>(i, j);
          r.set(i, j, buffer[k / per].v[k % per]);
        });
        return r;
      }
    }
#endif
    Cursor<S, Loc> const c(loc, items, time);
    auto const get = [&](int i, int j) { r.set(i, j, c.get(i, j)); };
    if constexpr (transposes_items<S, Loc>) {
      if (items.count == ValueTraits<S>::width) load_items<Sh, S>(r, c);
      else for_each_read_in_loop<Sh>(get);
    } else if constexpr (!one_item_per_lane<S>) {
      if (c.adjacent) for_each_read<Sh>([&](int i, int j) { r.set(i, j, c.get_adjacent(i, j)); });
      else for_each_read_in_loop<Sh>(get);
    } else {
      for_each_read<Sh>(get);
    }
  }
  return r;
}

/// By one lane or in packs.
template <class S, class Loc, class R>
BATCHWORK_INLINE void store_values(Loc const& loc, auto const& items, std::int64_t time,
                                   R const& r) {
  using Sh = typename Loc::shape;
  using T [[maybe_unused]] = typename Loc::value_type;
#if defined(BATCHWORK_DEVICE_PASS)
  if constexpr (Sh::rank == 2 && one_item_per_lane<S> && is_item_contiguous<Loc> &&
                Sh::size * sizeof(T) % 16 == 0) {
    if (loc.wide) {
      constexpr int per = 16 / int(sizeof(T));
      auto* to = reinterpret_cast<Unit<T>*>(loc.at(items.first, time));
      BATCHWORK_UNROLL
      for (int k = 0; k < Sh::size / per; ++k) {
        Unit<T> w;
        BATCHWORK_UNROLL
        for (int n = 0; n < per; ++n) {
          int const m = k * per + n;
          w.v[n] = r.entry(m / Sh::cols, m % Sh::cols);
        }
        to[k] = w;
      }
      return;
    }
  }
#endif
  Cursor<S, Loc> const c(loc, items, time);
  if constexpr (transposes_items<S, Loc>) {
    if (items.count == ValueTraits<S>::width) return store_items<Sh, S>(c, r);
  } else if constexpr (!one_item_per_lane<S>) {
    if (c.adjacent) {
      BATCHWORK_LOOP_ON_HOST
      for (int i = 0; i < numbers_down<Sh>; ++i) {
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = 0; j < numbers_across<Sh>; ++j)
          c.put_adjacent(i, j, number_to_store<Sh>(r, i, j));
      }
      return;
    }
  }
  BATCHWORK_LOOP_ON_HOST
  for (int i = 0; i < numbers_down<Sh>; ++i) {
    BATCHWORK_LOOP_ON_HOST
    for (int j = 0; j < numbers_across<Sh>; ++j) c.put(i, j, number_to_store<Sh>(r, i, j));
  }
}

/// Writes every number the View holds for the items: both triangles of a symmetric tile, the zeros
/// of a lower one.
template <class S, class Loc, class R>
BATCHWORK_INLINE void store_tile(Loc const& loc, auto const& items, std::int64_t time, R const& r) {
  using Sh = typename Loc::shape;
  using T [[maybe_unused]] = typename Loc::value_type;
  if constexpr (requires { items.template put<Loc>(r); }) {
    items.template put<Loc>(r);
  } else if constexpr (is_distributed<S>) {
    if constexpr (Sh::rank == 0) {
      if (items.count > 0 && items.grid.lane == 0) *loc.at(items.first, time) = r.value.v;
    } else {
      store_lines(loc, items, time, r);
    }
  } else {
    store_values<S>(loc, items, time, r);
  }
}

}  // namespace Batchwork::Impl

#endif
