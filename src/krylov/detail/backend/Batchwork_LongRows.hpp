// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// LongRowsInRegisters: a row a lane, its first entries in registers, in an order in which lanes
/// read the vector from different banks; what longer rows have beyond them is cut into pieces that
/// all lanes of the system share.
#ifndef BATCHWORK_LONGROWS_HPP
#define BATCHWORK_LONGROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "krylov/detail/backend/Batchwork_RestOfRows.hpp"
#include "krylov/detail/backend/Batchwork_SystemTeam.hpp"
#include "krylov/formats/detail/Batchwork_ProductSums.hpp"

namespace Batchwork::Impl {

/// The most lanes of the systems for which there is a kernel of fewer registers.
template <class T>
inline constexpr int lanes_of_long_rows =
    sizeof(T) == 8 ? RestOfRows::lanes_of_two : largest_team_of_a_system;

/// The storage of a system that RestOfRows plans, in team scratch.
template <class T>
struct StorageOfRest {
  RestOfRows const* plan = nullptr;
  char* begin = nullptr;
  int lanes = 0;

  /// How many pieces there are. Rows may ask for more than were planned, if the pattern is not
  /// valid.
  BATCHWORK_INLINE int* wanted() const { return reinterpret_cast<int*>(begin); }
  BATCHWORK_INLINE int pieces() const {
    int const n = *wanted();
    return n < plan->pieces ? n : plan->pieces;
  }
  /// Of each lane: its row's first piece and, from bit 16 on, how many it has.
  BATCHWORK_INLINE unsigned* heads() const {
    return reinterpret_cast<unsigned*>(begin + RestOfRows::beside);
  }
  /// Of each slot of a lane, while it takes its row: which entry it gets.
  BATCHWORK_INLINE unsigned char* slots(int rank) const {
    return pieces_begin() + rank * RestOfRows::bytes_of_slots;
  }
  BATCHWORK_INLINE unsigned char* pieces_begin() const {
    return reinterpret_cast<unsigned char*>(heads() + lanes);
  }
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr int at_once = RestOfRows::shortest;
  /// The entries of pieces: lanes read neighbouring units of numbers, and their columns by eight.
  BATCHWORK_INLINE Unit<T>* numbers(int t, int p) const {
    return reinterpret_cast<Unit<T>*>(pieces_begin()) + t / wide * plan->kept + p;
  }
  BATCHWORK_INLINE unsigned char* columns(int t, int p) const {
    return pieces_begin() + plan->kept * plan->length * int(sizeof(T)) +
           (t / at_once * plan->kept + p) * at_once;
  }
  /// The sums of the pieces.
  template <class Sum>
  BATCHWORK_INLINE Sum* sums() const {
    static_assert(sizeof(Sum) <= RestOfRows::numbers_of_a_sum * sizeof(T));
    return reinterpret_cast<Sum*>(columns(plan->length, 0));
  }
  /// Of each piece: its row and, from bit 16 on, which of the row's pieces it is.
  BATCHWORK_INLINE unsigned* owners() const {
    return reinterpret_cast<unsigned*>(reinterpret_cast<T*>(columns(plan->length, 0)) +
                                       RestOfRows::numbers_of_a_sum * plan->pieces);
  }
};

/// A row of any length a lane, with K entries in registers: as many as leave room for two teams of
/// up to 160 lanes in double, since one alone waits for its own sums most of the time.
/// Lanes is the most that a system has.
///
/// Slot s of lane l is for entries with a column that equals s + l modulo the number of banks: so
/// lanes that read slot s of the vector at once do so from different
/// banks. Entries for which no such slot is left take any other.
///
/// The rest of a row is cut into pieces, which are in team scratch as far as there is room, else
/// where the matrix is. A product sums up the pieces, lane by lane, then what is in registers;
/// after a wait each row adds the sums of its pieces, in their order.
template <class T, int Lanes>
struct LongRowsInRegisters {
  static constexpr int K = RestOfRows::in_registers(int(sizeof(T)));
  static constexpr bool has_entries = true;
  static constexpr bool skips_rows = false;
  static constexpr int registers = K * int(sizeof(T)) / 4 + K / 2;
  static constexpr int largest_team = Lanes;
  static constexpr int directions = 0;
  static constexpr int banks = 128 / int(sizeof(T));  ///< for numbers that are read at once
  static_assert(K <= 64 && K % banks == 0, "the entries of a row are the bits of a word");
  static_assert(largest_team <= 256, "columns are kept as bytes");
  using Row = RowNumbers<T, 1>;
  T a[K];
  unsigned places[K / 2];  ///< of the columns in the exchange, in bytes, by pairs of 16 bits
  AnySystems<T> const* of = nullptr;
  StorageOfRest<T> storage;
  int slots = K;  ///< in use, of the warp's rows
  bool valid = true;

  static constexpr std::int64_t bytes_in_scratch(int, int lanes, RestOfRows const& rest) {
    return rest.bytes(lanes, int(sizeof(T)));
  }
  /// What a product reads the vector by.
  struct Published {
    T const* numbers;
    // Known anew in each product: places that are unpacked before would push the numbers out of the
    // registers.
    unsigned low = unsigned(Vendor::renewed(0xffff));
    int high = Vendor::renewed(16);
  };
  BATCHWORK_INLINE T read(Published const& published, int k) const {
    unsigned const two = places[k / 2];
    unsigned const place = k % 2 == 0 ? two & published.low : two >> published.high;
    return *reinterpret_cast<T const*>(reinterpret_cast<char const*>(published.numbers) + place);
  }

  /// Chooses the slots of the lane's row, which has `in_registers` entries here: the storage says
  /// which entry each has, or 255. Of each class of slots a few bits count those taken.
  template <class Row>
  BATCHWORK_INLINE void choose_slots(Row const& row, int in_registers, int rank) {
    constexpr int bits = 64 / banks;
    constexpr std::uint64_t one_each = ~std::uint64_t(0) / ((std::uint64_t(1) << bits) - 1);
    constexpr std::uint64_t highest_each = one_each << (bits - 1);
    static_assert(K / banks <= 1 << (bits - 1));
    unsigned char* const entry = storage.slots(rank);
    BATCHWORK_UNROLL
    for (int s = 0; s < K; s += 16)
      *reinterpret_cast<Unit<unsigned>*>(entry + s) = {~0u, ~0u, ~0u, ~0u};
    // Slots that any row of the warp needs, since all of its lanes go through them.
    slots = banks;
    BATCHWORK_UNROLL
    for (int n = banks; n < K; n += banks)
      slots += Vendor::any_of_warp(in_registers > n) ? banks : 0;
    std::uint64_t taken = 0, late = 0;
    BATCHWORK_KEEP_LOOP
    for (int k0 = 0; k0 < in_registers; k0 += 16) {
      int column[16];
      BATCHWORK_UNROLL
      for (int k = 0; k < 16; ++k) column[k] = k0 + k < in_registers ? row.column(k0 + k) : 0;
      unsigned left = 0;
      BATCHWORK_UNROLL
      for (int k = 0; k < 16; ++k) {
        int const c = (column[k] - rank) & (banks - 1);
        int const slot = c + banks * (int(taken >> (c * bits)) & ((1 << bits) - 1));
        bool const there = k0 + k < in_registers, fits = there && slot < slots;
        if (fits) entry[slot] = static_cast<unsigned char>(k0 + k);
        taken += std::uint64_t(fits ? 1 : 0) << (c * bits);
        left |= there && !fits ? 1u << k : 0u;
      }
      late |= std::uint64_t(left) << k0;
    }
    // The number of bits of a class is enough to see whether all of its slots are taken.
    std::uint64_t const add = one_each * std::uint64_t((1 << (bits - 1)) - slots / banks);
    BATCHWORK_KEEP_LOOP
    while (late != 0) {
      int const c = lowest_bit(~(taken + add) & highest_each) / bits;
      int const slot = c + banks * (int(taken >> (c * bits)) & ((1 << bits) - 1));
      entry[slot] = static_cast<unsigned char>(lowest_bit(late));
      taken += std::uint64_t(1) << (c * bits);
      late &= late - 1;
    }
  }
  static BATCHWORK_INLINE int lowest_bit(std::uint64_t x) {
    return Kokkos::Experimental::countr_zero_builtin(x);
  }

  /// Takes the rows of the item with these numbers, and the diagonal. Called by all lanes of the
  /// system, which wait for each other if rows may be longer than K.
  template <class At>
  BATCHWORK_INLINE void take(At& at, AnySystems<T> const& from, T const* of_item, Row& diagonal,
                             RestOfRows const& plan, char* begin) {
    of = &from;
    storage = {&plan, begin, at.lanes};
    int count = 0;
    from.visit(of_item, [&](auto const& rows) {
      auto const row = rows(at.rank);
      int const in_registers = row.count < K ? row.count : K;
      choose_slots(row, in_registers, at.rank);
      diagonal.data[0] = T(0);
      constexpr int chunk = 16;  // of all at once, addresses would not fit
      BATCHWORK_UNROLL
      for (int s0 = 0; s0 < K; s0 += chunk) {
        int entry[chunk], column[chunk];
        auto const chosen = *reinterpret_cast<Unit<unsigned> const*>(storage.slots(at.rank) + s0);
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s) entry[s] = int(chosen.v[s / 4] >> (s % 4 * 8) & 0xffu);
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s)
          // An empty slot is zero times a number of its bank.
          column[s] = entry[s] < K ? row.column(entry[s]) : (s0 + s + at.rank) & (banks - 1);
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s) a[s0 + s] = entry[s] < K ? row.number(entry[s]) : T(0);
        BATCHWORK_UNROLL
        for (int s = 0; s < chunk; ++s) {
          int const j = column[s];
          bool const inside = unsigned(j) < unsigned(at.lanes);
          valid = valid && (entry[s] >= K || unsigned(j) < unsigned(from.rows));
          if (entry[s] < K && j == at.rank) diagonal.data[0] += a[s0 + s];
          unsigned const place = inside ? unsigned(j) * unsigned(sizeof(T)) : 0u;
          if (s % 2 == 0) places[(s0 + s) / 2] = place;
          else places[(s0 + s) / 2] |= place << 16;
        }
        if (s0 + chunk < K) Vendor::compiler_barrier();
      }
      count = row.count;
    });
    if (plan.pieces > 0) take_rest(at, of_item, count, diagonal);
    else valid = valid && count <= K;
  }
  template <class At>
  BATCHWORK_INLINE void take_rest(At& at, T const* of_item, int count, Row& diagonal) {
    RestOfRows const& plan = *storage.plan;
    int* const wanted = storage.wanted();
    if (at.rank == 0) *wanted = 0;
    at.exchange[at.rank] = diagonal.data[0];
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
      unsigned* const owners = storage.owners();
      BATCHWORK_KEEP_LOOP
      for (int q = 0; q < n; ++q) owners[first + q] = unsigned(at.rank) | unsigned(q) << 16;
    }
    storage.heads()[at.rank] = unsigned(first) | unsigned(n) << 16;
    at.sync();
    int const pieces = storage.pieces();
    if (pieces == 0) return;
    BATCHWORK_KEEP_LOOP
    for (int p = at.rank; p < pieces; p += at.lanes) {
      unsigned const owner = storage.owners()[p];
      int const i = int(owner & 0xffffu), k0 = K + int(owner >> 16) * plan.length;
      auto const row = of->row(of_item, i);
      BATCHWORK_KEEP_LOOP
      for (int t0 = 0; t0 < plan.length; t0 += StorageOfRest<T>::at_once) {
        BATCHWORK_UNROLL
        for (int t = 0; t < StorageOfRest<T>::at_once; ++t) {
          int const k = k0 + t0 + t;
          bool const there = k < row.count;
          int const j = there ? row.column(k) : 0;
          bool const inside = unsigned(j) < unsigned(at.rows);
          T const x = there ? row.number(k) : T(0);
          valid = valid && inside;
          // A row may have its diagonal several times.
          if (there && j == i) Kokkos::atomic_add(at.exchange + i, x);
          if (p >= plan.kept) continue;
          storage.numbers(t0 + t, p)->v[t % StorageOfRest<T>::wide] = x;
          storage.columns(t0 + t, p)[t] = static_cast<unsigned char>(inside ? j : 0);
        }
      }
    }
    at.sync();
    diagonal.data[0] = at.exchange[at.rank];
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
    sum_row<CompensatedSum<T>>(at, x, [&](CompensatedSum<T>& sum, int sums) { put(0, sum, sums); });
  }
  /// \param put  put(sum, terms): the sum of the lane's row, and of how many products and sums it
  /// was made
  template <class Sum, class At, class Put>
  BATCHWORK_INLINE void sum_row(At& at, Row const& x, Put const& put) const {
    Published const published{at.publish(x)};
    bool const has_rest = storage.plan->pieces > 0 && storage.pieces() > 0;
    if (has_rest) sum_pieces<Sum>(at, published.numbers);
    // Several sums at once, so that additions do not wait for each other.
    constexpr int parts = 4;
    Sum sums[parts];
    BATCHWORK_UNROLL
    for (int s0 = 0; s0 < K; s0 += banks) {
      if (s0 > 0 && s0 >= slots) continue;
      BATCHWORK_UNROLL
      for (int s = s0; s < s0 + banks; ++s) sums[s % parts].add(a[s], read(published, s));
    }
    BATCHWORK_UNROLL
    for (int q = 1; q < parts; ++q) sums[0].add(sums[q]);
    int terms = K + parts;
    if (has_rest) {
      at.sync();
      unsigned const head = storage.heads()[at.rank];
      int const n = int(head >> 16);
      Sum const* const of_pieces = storage.template sums<Sum>() + (head & 0xffffu);
      BATCHWORK_KEEP_LOOP
      for (int q = 0; q < n; ++q) sums[0].add(of_pieces[q]);
      terms += n * (storage.plan->length + 1);
    }
    put(sums[0], terms);
  }
  template <class Sum, class At>
  BATCHWORK_INLINE void sum_pieces(At& at, T const* published) const {
    RestOfRows const& plan = *storage.plan;
    Sum* const sums = storage.template sums<Sum>();
    int const pieces = storage.pieces(), kept = pieces < plan.kept ? pieces : plan.kept;
    int p = at.rank;
    BATCHWORK_KEEP_LOOP
    for (; p < kept; p += at.lanes) {
      Sum sum;
      BATCHWORK_KEEP_LOOP
      for (int t0 = 0; t0 < plan.length; t0 += StorageOfRest<T>::at_once) {
        auto const* const columns = reinterpret_cast<unsigned const*>(storage.columns(t0, p));
        unsigned const four[2] = {columns[0], columns[1]};
        BATCHWORK_UNROLL
        for (int t = 0; t < StorageOfRest<T>::at_once; t += StorageOfRest<T>::wide) {
          auto const numbers = *storage.numbers(t0 + t, p);
          BATCHWORK_UNROLL
          for (int c = 0; c < StorageOfRest<T>::wide; ++c)
            sum.add(numbers.v[c], published[four[(t + c) / 4] >> ((t + c) % 4 * 8) & 0xffu]);
        }
      }
      sums[p] = sum;
    }
    if (p >= pieces) return;
    T const* const of_item = of->numbers(Vendor::renewed(at.item.number));
    BATCHWORK_KEEP_LOOP
    for (; p < pieces; p += at.lanes) {
      unsigned const owner = storage.owners()[p];
      auto const row = of->row(of_item, int(owner & 0xffffu));
      int const k0 = K + int(owner >> 16) * plan.length;
      int const end = k0 + plan.length < row.count ? k0 + plan.length : row.count;
      Sum sum;
      BATCHWORK_UNROLL_SOME
      for (int k = k0; k < end; ++k) sum.add(row.number(k), published[row.column(k)]);
      sums[p] = sum;
    }
  }
};

}  // namespace Batchwork::Impl

#endif
