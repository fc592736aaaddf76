// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loads and stores of tiles whose items are picked from a View by indices. Numbers at an index out
/// of range are neither read nor written.
#ifndef BATCHWORK_INDEXED_TRANSFER_HPP
#define BATCHWORK_INDEXED_TRANSFER_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Status.hpp"
#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_ListedItems.hpp"
#include "tile/detail/shared/Batchwork_Fragments.hpp"
#include "view/detail/layout/Batchwork_IndexedLocation.hpp"
#include "view/detail/loaders/Batchwork_GridTransfer.hpp"
#include "view/detail/loaders/Batchwork_Transfer.hpp"
#include "view/detail/loaders/Batchwork_WarpTransfer.hpp"

namespace Batchwork::Impl {

inline constexpr std::int32_t out_of_range_code = Status::code(Reason::out_of_range, 0);

/// *to += x, also if other lanes add to the same number.
template <class T, class X>
BATCHWORK_INLINE void add_atomically(T* to, X const& x) {
  if constexpr (is_kokkos_complex<T>) {
    using R = typename T::value_type;
    T const y(x);
    R* const parts = reinterpret_cast<R*>(to);
    Kokkos::atomic_add(parts, y.real());
    Kokkos::atomic_add(parts + 1, y.imag());
  } else {
    Kokkos::atomic_add(to, T(x));
  }
}
/// Stores a number, or adds it.
template <bool Adds, class T, class X>
BATCHWORK_INLINE void put_number(T* to, X const& x) {
  if constexpr (Adds) add_atomically(to, x);
  else *to = x;
}

// ---- lanes and packs ----------------------------------------------------------------------------

/// Number l of the lanes of x. A pack may have one lane.
template <class S>
BATCHWORK_INLINE auto number_of_lane(S const& x, [[maybe_unused]] int l) {
  if constexpr (requires { x.lane(l); }) return x.lane(l);
  else return x;
}
template <class S, class T>
BATCHWORK_INLINE void set_number_of_lane(S& x, [[maybe_unused]] int l, T const& y) {
  if constexpr (requires { x.set_lane(l, y); }) x.set_lane(l, y);
  else x = y;
}

/// Where each lane finds a part of its item.
template <class S, class Loc>
struct PartOfLanes {
  static constexpr int W = ValueTraits<S>::width;
  std::int64_t place[W];  ///< 0 for an index out of range
  bool there[W];
  bool complete = true;

  BATCHWORK_INLINE PartOfLanes(Loc const& loc, auto const& items, int i, int j, info_t<S>& bad) {
    BATCHWORK_UNROLL
    for (int l = 0; l < W; ++l) {
      std::int64_t item = 0;
      // Lanes beyond the last item have none, and read the first index like others.
      if constexpr (W == 1) item = items.first;
      else item = items.item_of_lane(l);
      std::int64_t const p = loc.place(item, i, j);
      there[l] = p >= 0;
      place[l] = there[l] ? p : 0;
      if (there[l]) continue;
      complete = false;
      set_number_of_lane(bad, l, static_cast<scalar_t<info_t<S>>>(out_of_range_code));
    }
  }
  BATCHWORK_INLINE ListedItems<W> listed() const {
    ListedItems<W> r;
    r.count = W;
    r.first = place[0];
    for (int l = 0; l < W; ++l) r.item[l] = place[l];
    return r;
  }
};

/// x for the lanes that have found their item, else what stands for a missing number.
template <class T, class S>
BATCHWORK_INLINE void spoil_number(S& x, info_t<S> const& bad) {
  BATCHWORK_UNROLL
  for (int l = 0; l < ValueTraits<S>::width; ++l)
    if (number_of_lane(bad, l) != 0) set_number_of_lane(x, l, missing_number<T>());
}
/// The same for all numbers of a tile; their status says so.
template <class T, class Sh, class S, class R>
BATCHWORK_INLINE void spoil_tile(R& r, info_t<S> const& bad) {
  if constexpr (Sh::rank == 0) {
    spoil_number<T>(r.value, bad);
  } else {
    for_each_read_in_loop<Sh>([&](int i, int j) {
      S x = r.entry(i, j);
      spoil_number<T>(x, bad);
      r.set(i, j, x);
    });
  }
  r.info = bad;
}

template <class S, class R, class Loc>
BATCHWORK_INLINE R load_indexed_values(Loc const& loc, auto const& items) {
  using Sh = typename Loc::shape;
  using T = typename Loc::number;
  constexpr int W = ValueTraits<S>::width;
  info_t<S> bad(0);
  R r;
  r.info = bad;
  if (loc.extent == 0) {  // nothing may be read
    r = R{};
    spoil_tile<T, Sh, S>(r, info_t<S>(out_of_range_code));
    return r;
  }
  if constexpr (Loc::index_rank == 0) {
    PartOfLanes<S, Loc> const part(loc, items, 0, 0, bad);
    if constexpr (one_item_per_lane<S>) r = load_tile<S, R>(loc.view, Items{part.place[0], 1}, 0);
    else r = load_tile<S, R>(loc.view, part.listed(), 0);
    if (!part.complete) spoil_tile<T, Sh, S>(r, bad);
  } else {
    constexpr int across = Loc::index_rank == 1 ? 1 : Sh::cols;
    bool complete = true;
    BATCHWORK_UNROLL_ON_DEVICE
    for (int i = 0; i < Sh::rows; ++i) {
      BATCHWORK_UNROLL_ON_DEVICE
      for (int b = 0; b < across; ++b) {
        PartOfLanes<S, Loc> const part(loc, items, i, b, bad);
        complete = complete && part.complete;
        typename Loc::value_type* from[W];
        BATCHWORK_UNROLL
        for (int l = 0; l < W; ++l) from[l] = loc.view.at(part.place[l], 0);
        BATCHWORK_UNROLL_ON_DEVICE
        for (int j = b; j < (across == 1 ? Sh::cols : b + 1); ++j) {
          std::int64_t const o = loc.offset_in_view(i, j);
          S x;
          BATCHWORK_UNROLL
          for (int l = 0; l < W; ++l) set_number_of_lane(x, l, from[l][o]);
          r.set(i, j, x);
        }
      }
    }
    if (!complete) spoil_tile<T, Sh, S>(r, bad);
  }
  return r;
}

/// Returns the status of the items: a failure for an index out of range.
template <class S, class Loc, class R>
BATCHWORK_INLINE info_t<S> store_indexed_values(Loc const& loc, auto const& items, R const& r) {
  using Sh = typename Loc::shape;
  constexpr int W = ValueTraits<S>::width;
  info_t<S> bad(0);
  if (items.count == 0) return bad;
  constexpr int down = Loc::index_rank == 0 ? 1 : Sh::rows,
                across = Loc::index_rank == 2 ? Sh::cols : 1;
  BATCHWORK_LOOP_ON_HOST
  for (int a = 0; a < down; ++a) {
    BATCHWORK_LOOP_ON_HOST
    for (int b = 0; b < across; ++b) {
      PartOfLanes<S, Loc> const part(loc, items, a, b, bad);
      if constexpr (Loc::index_rank == 0 && !Loc::adds) {
        if (part.complete && items.count == W) {
          if constexpr (one_item_per_lane<S>)
            store_values<S>(loc.view, Items{part.place[0], 1}, 0, r);
          else store_values<S>(loc.view, part.listed(), 0, r);
          continue;
        }
      }
      typename Loc::value_type* to[W];
      BATCHWORK_UNROLL
      for (int l = 0; l < W; ++l) to[l] = loc.view.at(part.place[l], 0);
      BATCHWORK_LOOP_ON_HOST
      for (int i = a; i < (down == 1 ? numbers_down<Sh> : a + 1); ++i) {
        BATCHWORK_LOOP_ON_HOST
        for (int j = b; j < (across == 1 ? numbers_across<Sh> : b + 1); ++j) {
          S const x(number_to_store<Sh>(r, i, j));
          std::int64_t const o = loc.offset_in_view(i, j);
          BATCHWORK_UNROLL
          for (int l = 0; l < W; ++l) {
            if (l >= items.count || !part.there[l]) continue;
            if constexpr (Loc::adds) {
              if (loc.alone) {
                to[l][o] += typename Loc::number(number_of_lane(x, l));
                continue;
              }
            }
            put_number<Loc::adds>(to[l] + o, number_of_lane(x, l));
          }
        }
      }
    }
  }
  return bad;
}

// ---- a warp that copies the items of its lanes --------------------------------------------------

/// Item-contiguous items with one index each are loaded as those without indices. They are stored
/// by their lanes.
template <class V, class I, bool A>
struct WarpTransfer<IndexedLocation<V, I, A>> {
  using Loc = IndexedLocation<V, I, A>;
  using Plain = WarpTransfer<V>;
  using T = typename Plain::T;
  static constexpr bool possible = Loc::index_rank == 0 && Plain::possible;
  static constexpr std::size_t bytes = Plain::bytes;

  static BATCHWORK_INLINE void start(Loc const& loc, std::int64_t first, int count, int lane,
                                     char* buffer) {
    if constexpr (Plain::in_units) {
      if (loc.wide) return start_pieces<Plain::per_unit>(loc, first, count, lane, buffer);
    }
    start_pieces<1>(loc, first, count, lane, buffer);
  }
  /// A lane's own tile, once it is there.
  template <class R>
  static BATCHWORK_INLINE void take(R& r, Loc const& loc, std::int64_t item, int lane,
                                    char const* buffer) {
    Plain::take(r, lane, buffer);
    if (loc.place(item, 0, 0) < 0)
      spoil_tile<typename Loc::number, typename Loc::shape, value_t<R>>(
          r, std::int32_t(out_of_range_code));
  }

 private:
  template <int N>
  static BATCHWORK_INLINE void start_pieces(Loc const& loc, std::int64_t first, int count, int lane,
                                            char* buffer) {
    constexpr int pieces = Plain::size / N;
    T* const to = reinterpret_cast<T*>(buffer);
    BATCHWORK_UNROLL_SOME
    for (int q = lane; q < count * pieces; q += Plain::lanes) {
      int const g = q / pieces, k = (q - g * pieces) * N;
      if (auto const* const from = loc.address(first + g, 0, 0); from != nullptr)
        Vendor::copy_async<int(N * sizeof(T))>(to + g * Plain::stride + k, from + k);
    }
  }
};

// ---- lanes that share an item -------------------------------------------------------------------

/// The parts of a tile that pass through scratch, as GridTransfer calls them.
template <int N, class V, class I, bool A, class T>
BATCHWORK_INLINE void start_numbers(IndexedLocation<V, I, A> const& loc, std::int64_t item,
                                    std::int64_t, int i, int j, T* to) {
  if (auto const* const from = loc.address(item, i, j); from != nullptr)
    Vendor::copy_async<int(N * sizeof(T))>(to, from);
}
template <class V, class I, bool A, class T, int N>
BATCHWORK_INLINE void put_numbers(IndexedLocation<V, I, A> const& loc, std::int64_t item,
                                  std::int64_t, int i, int j, T const (&x)[N]) {
  T* const to = loc.address(item, i, j);
  if (to == nullptr) return;
  if constexpr (A) {
    BATCHWORK_UNROLL
    for (int n = 0; n < N; ++n) add_atomically(to + n, x[n]);
  } else {
    Vendor::store_vector(to, x);
  }
}

/// The status of the item that lanes share: a failure if any of its indices is out of range.
template <int L, class Loc>
BATCHWORK_INLINE std::int32_t shared_status(Loc const& loc, auto const& item) {
  if constexpr (Loc::index_rank == 0) {
    return loc.place(item.first, 0, 0) < 0 ? out_of_range_code : 0;
  } else {
    using Sh = typename Loc::shape;
    constexpr int across = Loc::index_rank == 2 ? Sh::cols : 1;
    unsigned bad = 0;
    BATCHWORK_KEEP_LOOP
    for (int i = item.grid.lane; i < Sh::rows; i += L) {
      BATCHWORK_UNROLL_SOME
      for (int j = 0; j < across; ++j) bad |= loc.place(item.first, i, j) < 0 ? 1u : 0u;
    }
    return item.grid.template reduce_or<L>(bad) != 0 ? out_of_range_code : 0;
  }
}

template <class S, class R, class Loc>
BATCHWORK_INLINE R load_indexed_lines(Loc const& loc, auto const& item) {
  using Sh = typename Loc::shape;
  using T = typename Loc::number;
  std::int32_t const bad = shared_status<S::lanes>(loc, item);
  R r;
  if constexpr (Sh::rank == 0) {
    auto const* const from = loc.address(item.first, 0, 0);
    r.value = S(from != nullptr ? *from : missing_number<T>(), item.grid);
  } else if constexpr (Sh::rank == 1) {
    r.grid = item.grid;
    BATCHWORK_UNROLL
    for (int m = 0; m < R::mine; ++m) {
      int i = r.line(m);
      if ((m + 1) * R::lanes > R::count) i = i < R::count ? i : R::count - 1;
      auto const* const from = loc.address(item.first, i, 0);
      r.set_local(m, 0, from != nullptr && bad == 0 ? *from : missing_number<T>());
    }
  } else {
    load_lines(r, loc, item, 0);
    if (bad != 0) {
      if constexpr (is_fragments<R>) {
        BATCHWORK_UNROLL
        for (int n = 0; n < R::down * R::across; ++n) {
          BATCHWORK_UNROLL
          for (int s = 0; s < 2; ++s) r.c[n][s] = missing_number<T>();
        }
      } else {
        BATCHWORK_UNROLL
        for (int m = 0; m < R::mine; ++m) {
          BATCHWORK_UNROLL
          for (int k = 0; k < R::length; ++k)
            if (Sh::structure == Structure::general || holds_whole<R> || k <= r.line(m))
              r.set_local(m, k, missing_number<T>());
        }
      }
    }
  }
  r.info = bad;
  return r;
}

template <class S, class Loc, class R>
BATCHWORK_INLINE std::int32_t store_indexed_lines(Loc const& loc, auto const& item, R const& r) {
  using Sh = typename Loc::shape;
  std::int32_t const bad = shared_status<S::lanes>(loc, item);
  if constexpr (Sh::rank == 2) {
    store_lines(loc, item, 0, r);
  } else if (item.count > 0) {
    auto const put = [&](int i, auto const& x) {
      if (auto* const to = loc.address(item.first, i, 0); to != nullptr)
        put_number<Loc::adds>(to, x);
    };
    if constexpr (Sh::rank == 0) {
      if (item.grid.lane == 0) put(0, r.value.v);
    } else {
      BATCHWORK_UNROLL
      for (int m = 0; m < R::mine; ++m) {
        int const i = r.line(m);
        if (i >= R::count) continue;
        if constexpr (Sh::structure == Structure::diagonal && R::structure != Structure::diagonal) {
          BATCHWORK_UNROLL
          for (int k = 0; k < R::length; ++k)
            if (k == i) put(i, r.local(m, k));
        } else {
          put(i, r.local(m, 0));
        }
      }
    }
  }
  return bad;
}

// ---- all ----------------------------------------------------------------------------------------

template <class S, class R, class Loc>
BATCHWORK_INLINE R load_indexed(Loc const& loc, auto const& items) {
  if constexpr (is_distributed<S>) return load_indexed_lines<S, R>(loc, items);
  else return load_indexed_values<S, R>(loc, items);
}
/// Returns the status of the items.
template <class S, class Loc, class R>
BATCHWORK_INLINE auto store_indexed(Loc const& loc, auto const& items, R const& r) {
  if constexpr (is_distributed<S>) return store_indexed_lines<S>(loc, items, r);
  else return store_indexed_values<S>(loc, items, r);
}

}  // namespace Batchwork::Impl

#endif
