// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A generated sequence with its operands: their storage and numbers, the run by the library, the
/// run by the interpreter (Bounded.hpp) for each item, and the comparison. The comparison is
/// repeated with failures planted in a few items.
#ifndef BATCHWORK_TEST_RANDOM_CASE_HPP
#define BATCHWORK_TEST_RANDOM_CASE_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "BoundedDual.hpp"
#include "BoundedRandom.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::RandomSequences {

using Space = Kokkos::DefaultExecutionSpace;

enum class Role {
  in,
  out,
  inout,
  common,
  each,
  common_each,
  each_inout,
  carry,
  emit,
  local,  ///< no View: a tile that one sequence passes to the next
  table,  ///< read at indices; contains numbers or vectors
  item,   ///< the number of the item
  step,   ///< the number of the step
  add,    ///< added to a View at indices
  random,
};

/// The initial values of an operand.
enum class Fill {
  general,            ///< between -1 and 1
  positive,           ///< between 1/2 and 2
  regular,            ///< of either sign, magnitude between 1/2 and 2
  positive_definite,  ///< symmetric, its eigenvalues between 1/2 and a few
  well_conditioned,   ///< lower triangular with a regular diagonal
  index,              ///< integers from 0 to 6
  places,             ///< indices of a View; some are equal
  distinct_places,    ///< in a random order
  mask,               ///< of items: zero and other integers
};

/// The memory of an operand. Parts are Views of some of the items, or rows, of a larger View.
enum class Arranged { left, right, left_part, right_part, strided, compact };

/// The View of an operand: its tile, its values, its memory.
struct Storage {
  Structure structure;
  int rank;  ///< 0 scalars, 1 vectors and diagonals, 2 matrices
  int rows, cols;
  bool items, times;  ///< whether it has an index for each
  Fill fill;
  Arranged arranged;
  int width = 1;        ///< of compact groups
  int offset = 0;       ///< of a part: the first item
  int steps = 0;        ///< number of steps, if the View has an index for them
  int count = 0;        ///< of a View that indices pick from: its number of items, else 0
  int extent = 0;       ///< of places: that of the View
  bool beyond = false;  ///< whether some places are out of range
};

template <class T>
using Mirror = decltype(Kokkos::create_mirror(Kokkos::HostSpace(),
                                              std::declval<Kokkos::View<T*, Space> const&>()));

/// The memory of one operand, with a mirror on the host.
template <class T>
class Buffer {
 public:
  /// \param items  of the call; a View that indices pick from has its own number
  Buffer(Storage const& s, int items, std::uint64_t seed);

  Storage const& storage() const { return storage_; }
  int items() const { return items_; }
  int times() const { return storage_.times ? storage_.steps : 1; }
  T& at(int item, int time, int i, int j);
  std::size_t offset_of(int item, int time, int i, int j) const;
  T& value(std::size_t offset) { return host_(offset); }
  /// What it was before the call.
  T sent(std::size_t offset) const { return sent_[offset]; }
  BoundedTile tile(int item, int time);
  /// Restores the initial numbers. All other memory is poisoned.
  void fill();
  void upload() {
    Kokkos::deep_copy(device_, host_);
    sent_.assign(host_.data(), host_.data() + host_.extent(0));
  }
  void download() const { Kokkos::deep_copy(host_, device_); }
  /// Whether all numbers but the written ones are bitwise what they were before the call.
  bool is_unchanged_outside(std::vector<bool> const& written) const;

  // ---- Views of it, as a call takes them; E are static extents ----
  /// LayoutLeft or LayoutRight, U being T or T const and Leading the number of run-time extents
  /// before E.
  template <class U, class Layout, int RuntimeExtents, int... E>
  auto typed() const {
    using V = Kokkos::View<typename Test::DataType<U, RuntimeExtents, E...>::type, Layout, Space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    static_assert(RuntimeExtents <= 2);
    if constexpr (RuntimeExtents == 0) return V(device_.data());
    else if constexpr (RuntimeExtents == 1) return V(device_.data(), extent(0));
    else return V(device_.data(), extent(0), extent(1));
  }
  /// With run-time extents only.
  template <class U, class Layout, int Rank>
  auto untyped() const {
    using V = Kokkos::View<typename Test::DataType<U, Rank>::type, Layout, Space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    if constexpr (Rank == 0) return V(device_.data());
    else if constexpr (Rank == 1) return V(device_.data(), extent(0));
    else if constexpr (Rank == 2) return V(device_.data(), extent(0), extent(1));
    else if constexpr (Rank == 3) return V(device_.data(), extent(0), extent(1), extent(2));
    else return V(device_.data(), extent(0), extent(1), extent(2), extent(3));
  }
  /// Some items of a larger one.
  template <class U, class Layout, int Rank>
  auto part() const {
    auto const all = untyped<U, Layout, Rank>();
    auto const some = Kokkos::pair<std::size_t, std::size_t>(std::size_t(storage_.offset),
                                                             std::size_t(storage_.offset + items_));
    auto const a = Kokkos::ALL;
    if constexpr (Rank == 1) return Kokkos::subview(all, some);
    else if constexpr (Rank == 2) return Kokkos::subview(all, some, a);
    else if constexpr (Rank == 3) return Kokkos::subview(all, some, a, a);
    else return Kokkos::subview(all, some, a, a, a);
  }
  /// With any strides.
  template <class U, int Rank>
  auto strided() const {
    using V = Kokkos::View<typename Test::DataType<U, Rank>::type, Kokkos::LayoutStride, Space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    static_assert(Rank >= 1 && Rank <= 4);
    auto const d = [&](int k) { return dims_[std::size_t(k)].used; };
    auto const s = [&](int k) { return dims_[std::size_t(k)].stride; };
    T* const p = device_.data() + begin_;
    if constexpr (Rank == 1) return V(p, Kokkos::LayoutStride(d(0), s(0)));
    else if constexpr (Rank == 2) return V(p, Kokkos::LayoutStride(d(0), s(0), d(1), s(1)));
    else if constexpr (Rank == 3)
      return V(p, Kokkos::LayoutStride(d(0), s(0), d(1), s(1), d(2), s(2)));
    else return V(p, Kokkos::LayoutStride(d(0), s(0), d(1), s(1), d(2), s(2), d(3), s(3)));
  }
  /// Groups of W items.
  template <class U, int W, bool Timed, int... E>
  auto groups() const {
    return compact(typed<U, Kokkos::LayoutRight, Timed ? 2 : 1, E..., W>(), items_);
  }
  /// A tile of the library with the same numbers.
  template <class X>
  X fixed_tile() {
    X x;
    for (int i = 0; i < X::rows; ++i)
      for (int j = 0; j < X::cols; ++j)
        if (!X::skips(i, j)) x.set(i, j, at(0, 0, i, storage_.rank == 2 ? j : 0));
    x.info = 0;
    return x;
  }
  T fixed_number() { return at(0, 0, 0, 0); }

 private:
  struct Dimension {
    std::size_t used, allocated, stride, first;
  };
  std::size_t extent(int k) const { return dims_[std::size_t(k)].allocated; }
  void fill_places(std::mt19937_64& random);

  Storage storage_;
  int items_;
  std::uint64_t seed_;
  std::vector<Dimension> dims_;  ///< in the View's order: items or groups, times, rows, columns
  std::size_t begin_ = 0;        ///< offset of the first number of the batch
  Kokkos::View<T*, Space> device_;
  Mirror<T> host_;
  std::vector<T> sent_;
};

/// The arguments with which the interpreter calls the sequence: one for each operand.
struct Arguments {
  std::vector<BoundedTile> tiles;
  std::vector<BoundedScalar> scalars;
  std::vector<BoundedLogSum> logs;
  std::vector<BoundedInteger> integers;
  std::vector<BoundedTable> tables;
  std::vector<BoundedTableOfVectors> tables_of_vectors;
  std::vector<BoundedNumbers> random;
  BoundedTile& tile(int k) { return tiles[std::size_t(k)]; }
  BoundedScalar& scalar(int k) { return scalars[std::size_t(k)]; }
  BoundedLogSum& log(int k) { return logs[std::size_t(k)]; }
  BoundedInteger& integer(int k) { return integers[std::size_t(k)]; }
  BoundedTable& table(int k) { return tables[std::size_t(k)]; }
  BoundedNumbers& numbers(int k) { return random[std::size_t(k)]; }
  BoundedTableOfVectors& vectors(int k) { return tables_of_vectors[std::size_t(k)]; }
};

/// The steps of a scan: first to last - 1, in this order or from the last to the first.
struct Steps {
  int first = 0, last = 0;
  bool backward = false;
};

/// An operand: a Buffer and its role. A carry can have a second Buffer for its end, the same one,
/// or none. At step t of a scan the operand has step stride * t - lag of its View, or the same
/// number of steps before the last one.
struct Operand {
  Role role;
  int buffer;
  int end = -1;
  bool is_log = false;
  double weight = 1;
  int stride = 1, lag = 0;
  bool reversed = false;
  bool is_integer = false;  ///< its Buffer is one of integers
  int index = -1;           ///< the Buffer of the indices that pick from its Buffer
};

/// The address of random numbers.
struct Address {
  std::uint64_t seed;
  std::int64_t stream, first_item;
};

/// Statistics of all comparisons of a program, which show that they tested something.
struct Tally {
  std::int64_t sequences = 0, entries = 0, unknown = 0, loose = 0, codes = 0, unsure = 0,
               failures = 0;
  double worst = 0;  ///< the largest error over its bound
};
Tally& tally();

template <class T>
class Case {
 public:
  Case(std::uint64_t seed, std::string const& text, int items, bool has_status);
  /// Whether this is a scan; otherwise it is a map.
  void scans(Steps const& s) { steps_ = s, is_scan_ = true; }
  int items() const { return items_; }
  Buffer<T>& add(Storage const& s);
  Buffer<std::int32_t>& add_integers(Storage const& s);
  void operand(Operand const& o) { operands_.push_back(o), addresses_.push_back({}); }
  void random(Address const& a) {
    operand({Role::random, -1});
    addresses_.back() = a;
  }
  /// Leaves out the items with zero in this Buffer of integers.
  void mask(int buffer) { mask_ = buffer; }
  Kokkos::View<int*, Space> codes() const { return codes_; }

  /// Runs the sequence by `launch` and, for each item, by `interpret`, and compares; twice, see
  /// above.
  void check(std::function<void()> const& launch, std::function<void(Arguments&)> const& interpret);

 private:
  struct Emitted {
    int operand, time;
    BoundedTile tile;
  };
  struct Result {
    std::vector<Emitted> tiles;
    Info code;
    bool left_out = false;
  };
  struct Written {
    int operand, buffer;
    std::vector<int> times;
  };
  Result interpret_item(int item, std::function<void(Arguments&)> const& interpret);
  void run(std::function<void()> const& launch);
  bool compare(int item, Result const& r, bool planted);
  void compare_sums(std::vector<Result> const& results, std::vector<bool> const& planted);
  bool plant(std::mt19937_64& random, int item);
  std::vector<Written> written() const;
  /// The number of steps that run, and the number of steps of an operand's View.
  std::vector<int> steps_run() const;
  int time_of(Operand const& o, int step) const;
  bool takes_part(int item) const;
  /// The number of indices that pick an item's tile: 0 (one for all), 1 (of rows), 2 (of entries).
  int rank_of_index(Operand const& o) const;
  /// The tile in a Buffer. Entries of diagonals and vectors are (i, 0).
  struct Extents {
    int rank, rows, cols;
  };
  Extents extents_of(Operand const& o, int buffer) const;
  /// Where its entry (i, j) is, or -1 for an index out of range.
  std::ptrdiff_t offset_of(Operand const& o, int buffer, int item, int time, int i, int j) const;
  BoundedTile tile_of(Operand const& o, int buffer, int item, int time) const;
  void fail(std::string const& what);

  std::uint64_t seed_;
  std::string text_;
  int items_;
  bool has_status_, is_scan_ = false;
  Steps steps_;
  std::vector<std::unique_ptr<Buffer<T>>> buffers_;
  std::vector<std::unique_ptr<Buffer<std::int32_t>>> integers_;
  std::vector<Operand> operands_;
  std::vector<Address> addresses_;  ///< of each operand
  int mask_ = -1;
  Kokkos::View<int*, Space> codes_;
  Mirror<int> host_codes_;
  int messages_ = 0;
};
extern template class Buffer<float>;
extern template class Buffer<double>;
extern template class Buffer<std::int32_t>;
extern template class Case<float>;
extern template class Case<double>;

/// Calls a group in a user's kernel. Each team has a few items.
template <class Group>
struct InKernel {
  Group group;
  int items, per_team;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const first = int(member.league_rank()) * per_team;
    group(member, first, first + per_team < items ? first + per_team : items);
  }
};
template <class Group>
void run_in_kernel(Group const& group, int items, int per_team) {
  constexpr bool device = Batchwork::Impl::runs_on_device<Space>;
  int const size = device ? 64 : 1, teams = (items + per_team - 1) / per_team;
  Kokkos::TeamPolicy<Space> policy(teams, size);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(Group::scratch_size(size))));
  Kokkos::parallel_for("random_sequences", policy, InKernel<Group>{group, items, per_team});
}

}  // namespace Batchwork::RandomSequences

#endif
