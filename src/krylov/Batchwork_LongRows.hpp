// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LongRowsHeld: a row a lane, its first entries in registers, in an order in which lanes read the vector from different banks;
/// what longer rows have beyond them is cut into pieces that all lanes of the system share.
#ifndef BATCHWORK_LONGROWS_HPP
#define BATCHWORK_LONGROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "krylov/Batchwork_ProductSums.hpp"
#include "krylov/Batchwork_RestOfRows.hpp"
#include "krylov/Batchwork_SystemTeam.hpp"

namespace Batchwork::Impl {

/// The room of a system that RestOfRows plans, in team scratch.
template <class T>
struct RoomOfRest {
  RestOfRows const* plan = nullptr;
  char* begin = nullptr;
  int lanes = 0;

  /// How many pieces there are. Rows may ask for more than were planned, if the pattern is not valid.
  BATCHWORK_INLINE int* wanted() const { return reinterpret_cast<int*>(begin); }
  BATCHWORK_INLINE int pieces() const {
    int const n = *wanted();
    return n < plan->pieces ? n : plan->pieces;
  }
  /// Of each lane: its row's first piece and, from bit 16 on, how many it has.
  BATCHWORK_INLINE unsigned* heads() const {
    return reinterpret_cast<unsigned*>(begin + RestOfRows::beside);
  }
  /// Of each slot of the lanes, while they take their rows: which entry it gets.
  BATCHWORK_INLINE unsigned char* slots() const {
    return reinterpret_cast<unsigned char*>(heads() + lanes);
  }
  /// The sums of the pieces.
  template <class Sum>
  BATCHWORK_INLINE Sum* sums() const {
    static_assert(sizeof(Sum) <= RestOfRows::numbers_of_a_sum * sizeof(T));
    return reinterpret_cast<Sum*>(heads() + lanes);
  }
  /// Entry t of piece p is number t * kept + p: lanes read neighbours.
  BATCHWORK_INLINE T* numbers() const {
    return reinterpret_cast<T*>(heads() + lanes) + RestOfRows::numbers_of_a_sum * plan->pieces;
  }
  /// Of each piece: its row and, from bit 16 on, which of the row's pieces it is.
  BATCHWORK_INLINE unsigned* owners() const {
    return reinterpret_cast<unsigned*>(numbers() + plan->kept * plan->length);
  }
  BATCHWORK_INLINE unsigned char* columns() const {
    return reinterpret_cast<unsigned char*>(owners() + plan->pieces);
  }
};

/// A row of any length a lane, of which K entries are in registers.
///
/// Slot s of lane l is for entries whose column and s + l leave the same rest when they are divided by the number of banks: so lanes
/// that read slot s of the vector at once do so from different banks. Entries for which no such slot is left take any other. With
/// entries by columns a product of random rows waited for scratch half of its time.
///
/// The rest of a row is cut into pieces, which are in team scratch as far as there is room, else where the matrix is. A product
/// sums up the pieces, lane by lane, then what is in registers; after a wait each row adds the sums of its pieces, in their order.
template <class T, int K>
struct LongRowsHeld {
  static constexpr bool has_entries = true;
  static constexpr bool skips_rows = false;
  static constexpr int registers = K * int(sizeof(T)) / 4 + K / 2;
  static constexpr int largest_team = largest_team_of_a_system;
  static constexpr int directions = 0;
  static constexpr int banks = 128 / int(sizeof(T));  ///< for numbers that are read at once
  static_assert(K == RestOfRows::held && K == 64 && K % banks == 0,
                "the slots of a row are the bits of a word");
  static_assert(largest_team <= 256, "columns are kept as bytes");
  using Row = RowNumbers<T, 1>;
  T a[K];
  unsigned places[K / 2];  ///< of the columns in the letter box, in bytes, by pairs of 16 bits
  AnySystems<T> const* of = nullptr;
  RoomOfRest<T> room;
  int slots = K;  ///< in use, of the warp's rows
  bool valid = true;

  static constexpr std::int64_t bytes_in_scratch(int, int lanes, RestOfRows const& rest) {
    return rest.bytes(lanes, int(sizeof(T)));
  }
  /// What a product reads the vector by.
  struct Box {
    T const* numbers;
    // Known anew in each product: places that are unpacked before would push the numbers out of the registers.
    unsigned low = unsigned(Vendor::renewed(0xffff));
    int high = Vendor::renewed(16);
  };
  BATCHWORK_INLINE T read(Box const& box, int k) const {
    unsigned const held = places[k / 2];
    unsigned const place = k % 2 == 0 ? held & box.low : held >> box.high;
    return *reinterpret_cast<T const*>(reinterpret_cast<char const*>(box.numbers) + place);
  }

  static BATCHWORK_INLINE int lowest_bit(std::uint64_t x) {
    return Kokkos::Experimental::countr_zero_builtin(x);
  }
  /// Chooses the slots of the lane's row, which has `held` entries here; gives those in use. The room says which entry each has.
  template <class Row>
  BATCHWORK_INLINE std::uint64_t choose_slots(Row const& row, int held, int rank) {
    unsigned char* const entry = room.slots() + rank;
    // Slots that any row of the warp needs, since all of its lanes go through them.
    slots = banks;
    BATCHWORK_UNROLL
    for (int n = banks; n < K; n += banks) slots += Vendor::any_in_warp(held > n) ? banks : 0;
    std::uint64_t const all = ~std::uint64_t(0) >> (K - slots);
    constexpr std::uint64_t of_class = banks == 16 ? 0x0001000100010001u : 0x0000000100000001u;
    std::uint64_t used = 0, late = 0;
    BATCHWORK_KEEP_LOOP
    for (int k0 = 0; k0 < held; k0 += 16) {
      int column[16];
      BATCHWORK_UNROLL
      for (int k = 0; k < 16; ++k) column[k] = k0 + k < held ? row.column(k0 + k) : 0;
      BATCHWORK_UNROLL
      for (int k = 0; k < 16; ++k) {
        if (k0 + k >= held) continue;
        std::uint64_t const free = ~used & all & (of_class << ((column[k] - rank) & (banks - 1)));
        if (free == 0) {
          late |= std::uint64_t(1) << (k0 + k);
        } else {
          used |= free & (~free + 1);
          entry[lowest_bit(free) * room.lanes] = static_cast<unsigned char>(k0 + k);
        }
      }
    }
    BATCHWORK_KEEP_LOOP
    while (late != 0) {
      std::uint64_t const free = ~used & all;
      used |= free & (~free + 1);
      entry[lowest_bit(free) * room.lanes] = static_cast<unsigned char>(lowest_bit(late));
      late &= late - 1;
    }
    return used;
  }

  /// Takes the rows of the item whose numbers these are, and the diagonal. Called by all lanes of the system, which meet where
  /// rows may be longer than K.
  template <class At>
  BATCHWORK_INLINE void take(At& at, AnySystems<T> const& from, T const* of_item, Row& diagonal,
                             RestOfRows const& plan, char* begin) {
    of = &from;
    room = {&plan, begin, at.lanes};
    from.visit(of_item, [&](auto const& rows) {
      auto const row = rows(at.rank);
      int const held = row.count < K ? row.count : K;
      std::uint64_t const used = choose_slots(row, held, at.rank);
      diagonal.data[0] = T(0);
      constexpr int chunk = 16;  // of all at once, addresses would not fit
      BATCHWORK_UNROLL
      for (int s0 = 0; s0 < K; s0 += chunk) {
        int entry[chunk], column[chunk];
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s)
          entry[s] = (used >> (s0 + s) & 1) != 0
                         ? room.slots()[(s0 + s) * room.lanes + at.rank]
                         : -1;
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s)
          // An empty slot is zero times a number of its bank.
          column[s] = entry[s] >= 0 ? row.column(entry[s]) : (s0 + s + at.rank) & (banks - 1);
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s) a[s0 + s] = entry[s] >= 0 ? row.number(entry[s]) : T(0);
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s) {
          int const j = column[s];
          bool const inside = unsigned(j) < unsigned(at.lanes);
          valid = valid && (entry[s] < 0 || unsigned(j) < unsigned(from.rows));
          if (entry[s] >= 0 && j == at.rank) diagonal.data[0] = a[s0 + s];
          unsigned const place = inside ? unsigned(j) * unsigned(sizeof(T)) : 0u;
          if (s % 2 == 0) places[(s0 + s) / 2] = place;
          else places[(s0 + s) / 2] |= place << 16;
        }
        if (s0 + chunk < K) Vendor::forget_loads();
      }
      if (plan.pieces > 0) take_rest(at, rows, row.count, diagonal);
      else valid = valid && row.count <= K;
    });
  }
  template <class At, class Rows>
  BATCHWORK_INLINE void take_rest(At& at, Rows const& rows, int count, Row& diagonal) {
    RestOfRows const& plan = *room.plan;
    int* const wanted = room.wanted();
    if (at.rank == 0) *wanted = 0;
    at.boxes[at.rank] = diagonal.data[0];
    at.sync();
    int n = count > K ? (count - K - 1) / plan.length + 1 : 0, first = 0;
    if (n > 0) {
      if (n > plan.pieces) n = plan.pieces + 1;
      first = Kokkos::atomic_fetch_add(wanted, n);
      if (first + n > plan.pieces) {
        // More columns than there are rows, or more entries than were said.
        valid = false;
        first = first < plan.pieces ? first : plan.pieces;
        n = plan.pieces - first;
      }
      unsigned* const owners = room.owners();
      BATCHWORK_KEEP_LOOP
      for (int q = 0; q < n; ++q) owners[first + q] = unsigned(at.rank) | unsigned(q) << 16;
    }
    room.heads()[at.rank] = unsigned(first) | unsigned(n) << 16;
    at.sync();
    int const pieces = room.pieces();
    if (pieces == 0) return;
    BATCHWORK_KEEP_LOOP
    for (int p = at.rank; p < pieces; p += at.lanes) {
      unsigned const owner = room.owners()[p];
      int const i = int(owner & 0xffffu), k0 = K + int(owner >> 16) * plan.length;
      auto const row = rows(i);
      BATCHWORK_UNROLL_SOME
      for (int t = 0; t < plan.length; ++t) {
        bool const there = k0 + t < row.count;
        int const j = there ? row.column(k0 + t) : 0;
        bool const inside = unsigned(j) < unsigned(at.rows);
        T const x = there ? row.number(k0 + t) : T(0);
        valid = valid && inside;
        if (there && j == i) at.boxes[i] = x;
        if (p >= plan.kept) continue;
        room.numbers()[t * plan.kept + p] = x;
        room.columns()[t * plan.kept + p] = static_cast<unsigned char>(inside ? j : 0);
      }
    }
    at.sync();
    diagonal.data[0] = at.boxes[at.rank];
  }

  template <class Sum, class At>
  BATCHWORK_INLINE T product(At& at, Row& y, Row const& x) const {
    T size = T(0);
    sum_row<Sum>(at, x, [&](Sum const& sum, int) {
      y.data[0] = sum.sum;
      size = sum.size_squared();
    });
    return size;
  }
  template <class At, class Put>
  BATCHWORK_INLINE void compensated_product(At& at, Row const& x, Put const& put) const {
    sum_row<CompensatedSum<T>>(
        at, x, [&](CompensatedSum<T>& sum, int sums) { put(0, sum, sums); });
  }
  /// \param put  put(sum, terms): the sum of the lane's row, and of how many products and sums it was made
  template <class Sum, class At, class Put>
  BATCHWORK_INLINE void sum_row(At& at, Row const& x, Put const& put) const {
    Box const box{at.publish(x)};
    bool const has_rest = room.plan->pieces > 0 && room.pieces() > 0;
    if (has_rest) sum_pieces<Sum>(at, box.numbers);
    // Several sums at once, so that additions do not wait for each other.
    constexpr int parts = 4;
    Sum sums[parts];
    BATCHWORK_UNROLL
    for (int s0 = 0; s0 < K; s0 += banks) {
      if (s0 > 0 && s0 >= slots) continue;
      BATCHWORK_UNROLL
      for (int s = s0; s < s0 + banks; ++s) sums[s % parts].add(a[s], read(box, s));
    }
    BATCHWORK_UNROLL
    for (int q = 1; q < parts; ++q) sums[0].add(sums[q]);
    int terms = K + parts;
    if (has_rest) {
      at.sync();
      unsigned const head = room.heads()[at.rank];
      int const n = int(head >> 16);
      Sum const* const of_pieces = room.template sums<Sum>() + (head & 0xffffu);
      BATCHWORK_KEEP_LOOP
      for (int q = 0; q < n; ++q) sums[0].add(of_pieces[q]);
      terms += n * (room.plan->length + 1);
    }
    put(sums[0], terms);
  }
  template <class Sum, class At>
  BATCHWORK_INLINE void sum_pieces(At& at, T const* box) const {
    RestOfRows const& plan = *room.plan;
    Sum* const sums = room.template sums<Sum>();
    int const pieces = room.pieces(), kept = pieces < plan.kept ? pieces : plan.kept;
    int p = at.rank;
    BATCHWORK_KEEP_LOOP
    for (; p < kept; p += at.lanes) {
      T const* const numbers = room.numbers() + p;
      unsigned char const* const columns = room.columns() + p;
      Sum sum;
      BATCHWORK_UNROLL_SOME
      for (int t = 0; t < plan.length; ++t)
        sum.add(numbers[t * plan.kept], box[columns[t * plan.kept]]);
      sums[p] = sum;
    }
    if (p >= pieces) return;
    of->visit(of->numbers(Vendor::renewed(at.item.number)), [&](auto const& rows) {
      BATCHWORK_KEEP_LOOP
      for (; p < pieces; p += at.lanes) {
        unsigned const owner = room.owners()[p];
        auto const row = rows(int(owner & 0xffffu));
        int const k0 = K + int(owner >> 16) * plan.length;
        int const end = k0 + plan.length < row.count ? k0 + plan.length : row.count;
        Sum sum;
        BATCHWORK_UNROLL_SOME
        for (int k = k0; k < end; ++k) sum.add(row.number(k), box[row.column(k)]);
        sums[p] = sum;
      }
    });
  }
};

}  // namespace Batchwork::Impl

#endif
