// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Items that a lane of a device, or of a pack, holds alone in registers: loads and stores for
/// constant extents and an arrangement known at run time.
#ifndef BATCHWORK_ITEMSOFLANES_HPP
#define BATCHWORK_ITEMSOFLANES_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/Batchwork_Value.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "view/detail/layout/Batchwork_Storage.hpp"
#include "view/detail/loaders/Batchwork_WarpTransfer.hpp"

namespace Batchwork::Impl {

/// A constant extent. The functions below take one or a number.
template <int N>
using KnownExtent = std::integral_constant<int, N>;

/// How a warp moves matrices of up to R x C numbers through its part of team scratch: number (i, j)
/// of an item is at i * C + j.
template <class U, int R, int C>
using CarriedByWarp =
    WarpTransfer<Location<U, Shape<R, C, Structure::general, 2>, Arrangement::item_contiguous, 0>>;
/// Bytes that a warp needs to carry these.
template <int R, int C, class U>
std::size_t carried_bytes(StoredItems<U> const& of) {
  return of.items_near ? 0 : CarriedByWarp<U, R, C>::bytes;
}

/// The items of a warp, one in each lane. If the same numbers of neighbouring items are adjacent in
/// memory, each lane reads and writes its own item; otherwise the warp moves its items together, in
/// the order of memory. All lanes of a team take part; lanes without an item repeat the last one
/// and store nothing.
template <class T, class Member>
struct ItemsOfWarp {
  using value_type = T;

  Member const& member;
  char* buffer;  ///< the buffer of the warp
  std::int64_t begin;
  int count, stored;  ///< the items that are read, and those that are written
  int lane;

  BATCHWORK_INLINE ItemsOfWarp(Member const& m, char* b, std::int64_t first, std::int64_t items)
      : member(m), buffer(b), lane(Vendor::lane_rank(m) % lanes_of_warp) {
    begin = first < items ? first : items - 1;
    count = items - begin < lanes_of_warp ? int(items - begin) : lanes_of_warp;
    stored = first < items ? count : 0;
  }
  BATCHWORK_INLINE int slot() const { return lane < count ? lane : count - 1; }

  /// Calls set(i, j, x) for all R x C entries: the numbers of a rows x cols operand, and zeros
  /// beyond them.
  template <int R, int C, class U, class Rows, class Cols, class Set>
  BATCHWORK_INLINE void load(StoredItems<U> const& from, Rows rows, Cols cols,
                             Set const& set) const {
    auto const put = [&](int i, int j, T const& x) { set(i, j, i < rows && j < cols ? x : T(0)); };
    if (from.items_near) {
      Storage<U> const& s = from.storage;
      U* const own = item_of(s, begin + slot());
      for_all<R, C>([&](int i, int j) {
        put(i, j, i < rows && j < cols ? own[i * s.row + j * s.col] : T(0));
      });
    } else {
      carry_in<R, C>(from, rows, cols);
      Entries<decltype(put)> to{put};
      CarriedByWarp<U, R, C>::take(to, slot(), buffer);
      Vendor::warp_sync(member);
    }
  }
  /// The R numbers of a vector, which are loaded while another operand is moved.
  template <int R>
  BATCHWORK_INLINE void read(StoredItems<T const> const& from, T (&x)[R]) const {
    T const* const own = item_of(from.storage, begin + slot());
    BATCHWORK_UNROLL
    for (int i = 0; i < R; ++i) x[i] = own[i * from.storage.row];
  }
  /// Stores get(i, j).
  template <int R, int C, class U, class Rows, class Cols, class Get>
  BATCHWORK_INLINE void store(StoredItems<U> const& to, Rows rows, Cols cols,
                              Get const& get) const {
    if (to.items_near) {
      if (lane >= stored) return;
      Storage<U> const& s = to.storage;
      U* const own = item_of(s, begin + lane);
      for_all<R, C>([&](int i, int j) {
        if (i < rows && j < cols) own[i * s.row + j * s.col] = U(get(i, j));
      });
    } else {
      auto const number = [&](int i, int j) { return U(get(i, j)); };
      CarriedByWarp<U, R, C>::put(Entries<decltype(number)>{number}, lane, buffer);
      carry_out<R, C>(to, rows, cols);
    }
  }
  /// Replaces each column x of R numbers by f(x). The first `rows` numbers are read, or taken as
  /// zeros if `read` is false, and `kept` of them are stored. Columns beyond the first R are
  /// processed in groups.
  template <int R, class F>
  BATCHWORK_INLINE void for_columns(StoredItems<T const> const& from, int rows,
                                    StoredItems<T> const& to, int kept, int columns,
                                    F const& f) const {
    using Carried = CarriedByWarp<T, R, R>;
    T* const carried = reinterpret_cast<T*>(buffer);
    // No other lane may read what a lane moves for the last item if it is changed in place.
    bool const reads = from.items_near || lane < count;
    for (int c0 = 0; c0 < columns; c0 += R) {
      int const some = columns - c0 < R ? columns - c0 : R;
      auto const source = columns_from(from, c0);
      auto const target = columns_from(to, c0);
      if (!from.items_near) carry_in<R, R>(source, rows, some);
      BATCHWORK_KEEP_LOOP
      for (int c = 0; c < some; ++c) {
        T x[R];
        Storage<T const> const& s = source.storage;
        T const* const own = from.items_near ? item_of(s, begin + slot()) + c * s.col
                                             : carried + slot() * Carried::stride + c;
        std::int64_t const step = from.items_near ? s.row : R;
        BATCHWORK_UNROLL
        for (int i = 0; i < R; ++i) x[i] = i < rows && reads ? own[i * step] : T(0);
        f(x);
        if (to.items_near) {
          Storage<T> const& t = target.storage;
          if (lane >= stored) continue;
          T* const result = item_of(t, begin + lane) + c * t.col;
          BATCHWORK_UNROLL
          for (int i = 0; i < R; ++i)
            if (i < kept) result[i * t.row] = x[i];
        } else {
          BATCHWORK_UNROLL
          for (int i = 0; i < R; ++i) carried[lane * Carried::stride + i * R + c] = x[i];
        }
      }
      if (!to.items_near) carry_out<R, R>(target, kept, some);
      else if (!from.items_near) Vendor::warp_sync(member);
    }
  }
  /// The same for columns of exactly R numbers, K at once in f: R x K numbers, row by row, with
  /// zeros for missing columns. A lane without an item reads nothing.
  template <int R, int K, class F>
  BATCHWORK_INLINE void for_some_columns(StoredItems<T const> const& from, StoredItems<T> const& to,
                                         int columns, F const& f) const {
    constexpr KnownExtent<R> rows;
    T* const carried = reinterpret_cast<T*>(buffer) + lane * CarriedByWarp<T, R, R>::stride;
    for (int c0 = 0; c0 < columns; c0 += R) {
      int const some = columns - c0 < R ? columns - c0 : R;
      auto const source = columns_from(from, c0);
      auto const target = columns_from(to, c0);
      if (!from.items_near) carry_in<R, R>(source, rows, some);
      BATCHWORK_KEEP_LOOP
      for (int c = 0; c < some; c += K) {
        T x[R * K];
        if (from.items_near) {
          Storage<T const> const& s = source.storage;
          T const* const own = item_of(s, begin + slot()) + c * s.col;
          for_all<R, K>([&](int i, int q) {
            x[i * K + q] = lane < stored && c + q < some ? own[i * s.row + q * s.col] : T(0);
          });
        } else {
          BATCHWORK_UNROLL
          for (int i = 0; i < R; ++i) {
            T line[K];
            if constexpr (line_is_aligned<R, K>) read_together(line, carried + i * R + c);
            BATCHWORK_UNROLL
            for (int q = 0; q < K; ++q) {
              bool const there = lane < count && c + q < some;
              if constexpr (!line_is_aligned<R, K>) line[q] = there ? carried[i * R + c + q] : T(0);
              x[i * K + q] = there ? line[q] : T(0);
            }
          }
        }
        f(x);
        if (to.items_near) {
          Storage<T> const& t = target.storage;
          T* const own = item_of(t, begin + slot()) + c * t.col;
          for_all<R, K>([&](int i, int q) {
            if (lane < stored && c + q < some) own[i * t.row + q * t.col] = x[i * K + q];
          });
        } else {
          BATCHWORK_UNROLL
          for (int i = 0; i < R; ++i) {
            T line[K];
            BATCHWORK_UNROLL
            for (int q = 0; q < K; ++q) line[q] = x[i * K + q];
            if constexpr (line_is_aligned<R, K>) {
              write_together(carried + i * R + c, line);
            } else {
              BATCHWORK_UNROLL
              for (int q = 0; q < K; ++q)
                if (c + q < some) carried[i * R + c + q] = line[q];
            }
          }
        }
      }
      if (!to.items_near) carry_out<R, R>(target, rows, some);
      else if (!from.items_near) Vendor::warp_sync(member);
    }
  }
  BATCHWORK_INLINE void put_status(StatusTarget const& to, std::int32_t code) const {
    if (to.wanted() && lane < stored) to.put(begin + lane, code);
  }

 private:
  /// The values that a WarpTransfer writes to a tile and reads from it.
  template <class F>
  struct Entries {
    F const& f;
    int info = 0;
    BATCHWORK_INLINE explicit Entries(F const& of) : f(of) {}
    template <class X>
    BATCHWORK_INLINE void set(int i, int j, X const& x) const {
      f(i, j, x);
    }
    BATCHWORK_INLINE auto entry(int i, int j) const { return f(i, j); }
  };
  template <int R, int C, class F>
  static BATCHWORK_INLINE void for_all(F const& f) {
    BATCHWORK_UNROLL
    for (int i = 0; i < R; ++i) {
      BATCHWORK_UNROLL
      for (int j = 0; j < C; ++j) f(i, j);
    }
  }

  /// Whether K adjacent numbers in a row of R in scratch are aligned, so that they may be read and
  /// written at once. Numbers beyond the end belong to the same row then.
  template <int R, int K>
  static constexpr bool line_is_aligned = R % K == 0 && (K == 2 || K == 4);

  template <int R, int C, class U, class Rows, class Cols>
  BATCHWORK_INLINE void carry_in(StoredItems<U> const& from, Rows rows, Cols cols) const {
    using Carried = CarriedByWarp<U, R, C>;
    if (is_run<R, C>(from.storage, rows, cols)) {
      Carried::start(run_of<R, C>(from.storage), begin, count, lane, buffer);
    } else {
      auto* const to = reinterpret_cast<std::remove_const_t<U>*>(buffer);
      for_numbers(from, rows, cols, count, [&](int g, int i, int j, U* p) {
        Vendor::copy_async<int(sizeof(U))>(to + g * Carried::stride + i * C + j, p);
      });
    }
    Vendor::copy_async_wait();
    Vendor::warp_sync(member);
  }
  template <int R, int C, class U, class Rows, class Cols>
  BATCHWORK_INLINE void carry_out(StoredItems<U> const& to, Rows rows, Cols cols) const {
    using Carried = CarriedByWarp<U, R, C>;
    Vendor::warp_sync(member);
    if (is_run<R, C>(to.storage, rows, cols)) {
      Carried::finish(run_of<R, C>(to.storage), begin, stored, lane, buffer);
    } else {
      auto const* const from = reinterpret_cast<U const*>(buffer);
      for_numbers(to, rows, cols, stored,
                  [&](int g, int i, int j, U* p) { *p = from[g * Carried::stride + i * C + j]; });
    }
    Vendor::warp_sync(member);
  }

  /// Whether the R * C numbers of an item are adjacent, row by row.
  template <int R, int C, class U, class Rows, class Cols>
  static BATCHWORK_INLINE bool is_run(Storage<U> const& s, Rows rows, Cols cols) {
    return rows == R && cols == C && s.width == 1 && (C == 1 || s.col == 1) &&
           (R == 1 || s.row == C);
  }
  template <int R, int C, class U>
  static BATCHWORK_INLINE auto run_of(Storage<U> const& s) {
    bool const wide = reinterpret_cast<std::uintptr_t>(s.data) % 16 == 0 &&
                      std::uintptr_t(s.group) * sizeof(U) % 16 == 0;
    return Location<U, Shape<R, C, Structure::general, 2>, Arrangement::item_contiguous, 0>{
        s.data, 0, s.group, wide};
  }
  /// body(place of the item, i, j, pointer) for the lane's part of the numbers of several items, in
  /// the order of memory.
  template <class U, class Body>
  BATCHWORK_INLINE void for_numbers(StoredItems<U> const& of, int rows, int cols, int some,
                                    Body const& body) const {
    bool const near = of.rows_near;
    int const inner = near ? rows : cols, outer = near ? cols : rows, size = inner * outer;
    int g = lane / size, o = (lane - g * size) / inner, n = lane - g * size - o * inner;
    // From one turn to the next.
    int const items = lanes_of_warp / size, lines = (lanes_of_warp - items * size) / inner,
              numbers = lanes_of_warp - items * size - lines * inner;
    BATCHWORK_UNROLL_SOME
    for (int q = lane; q < some * size; q += lanes_of_warp) {
      int const i = near ? n : o, j = near ? o : n;
      body(g, i, j, item_of(of.storage, begin + g) + i * of.storage.row + j * of.storage.col);
      n += numbers, o += lines, g += items;
      if (n >= inner) n -= inner, ++o;
      if (o >= outer) o -= outer, ++g;
    }
  }
};

/// The items of a host thread: a pack S. As ItemsOfWarp.
template <class S>
struct ItemsOfPack {
  using value_type = S;
  using T = scalar_t<S>;
  static constexpr int W = S::width;

  std::int64_t begin;
  int count;

  template <int R, int C, class U, class Set>
  void load(StoredItems<U> const& from, int rows, int cols, Set const& set) const {
    Places<U> const at(*this, from.storage);
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < C; ++j)
        set(i, j, i < rows && j < cols ? at.get(i * at.row + j * at.col) : S(T(0)));
  }
  template <int R, int C, class U, class Get>
  void store(StoredItems<U> const& to, int rows, int cols, Get const& get) const {
    Places<U> const at(*this, to.storage);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) at.put(i * at.row + j * at.col, get(i, j));
  }
  template <int R, class F>
  void for_columns(StoredItems<T const> const& from, int rows, StoredItems<T> const& to, int kept,
                   int columns, F const& f) const {
    Places<T const> const source(*this, from.storage);
    Places<T> const target(*this, to.storage);
    for (int c = 0; c < columns; ++c) {
      S x[R];
      for (int i = 0; i < R; ++i)
        x[i] = i < rows ? source.get(i * source.row + c * source.col) : S(T(0));
      f(x);
      for (int i = 0; i < kept; ++i) target.put(i * target.row + c * target.col, x[i]);
    }
  }
  void put_status(StatusTarget const& to, info_t<S> const& code) const {
    for (int w = 0; w < count && to.wanted(); ++w)
      to.put(begin + w, static_cast<std::int32_t>(code.lane(w)));
  }

 private:
  /// The start of each item of the pack; missing items repeat the last one.
  template <class U>
  struct Places {
    U* first[W] = {};
    bool adjacent = true;
    int count;
    std::int64_t row, col;

    Places(ItemsOfPack const& of, Storage<U> const& s) : count(of.count), row(s.row), col(s.col) {
      for (int w = 0; w < W; ++w) {
        first[w] = item_of(s, of.begin + (w < count ? w : count - 1));
        adjacent = adjacent && first[w] == first[0] + w;
      }
    }
    S get(std::int64_t at) const {
      if (adjacent) return S::load(first[0] + at);
      S x;
      for (int w = 0; w < W; ++w) x.set_lane(w, first[w][at]);
      return x;
    }
    template <class X>
    void put(std::int64_t at, X const& x) const {
      if constexpr (std::is_same_v<X, S> && std::is_same_v<U, T>)
        if (adjacent) return x.store(first[0] + at);
      for (int w = 0; w < count; ++w) first[w][at] = static_cast<U>(x.lane(w));
    }
  };
};

}  // namespace Batchwork::Impl

#endif
