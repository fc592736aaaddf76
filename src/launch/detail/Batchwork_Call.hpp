// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Call: the Views of a call on matrices, bands or systems, and their checks before a launch.
#ifndef BATCHWORK_CALL_HPP
#define BATCHWORK_CALL_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_StatusTarget.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork::Impl {

/// status(codes), as an argument of these verbs.
template <class X>
inline constexpr bool is_status_operand = false;
template <class Src>
inline constexpr bool is_status_operand<Operand<Kind::status, Src>> = true;

/// Used if no status operand is given.
struct NoStatus {};
/// A status operand, or NoStatus.
template <class X>
concept StatusOrNone = is_status_operand<X> || std::is_same_v<X, NoStatus>;

/// The Views of a call so far, for checks and messages.
struct Call {
  std::string verb;
  std::vector<Part> parts;
  std::string label{};
  /// That the caller wants, or a tuning while its kernel is launched: a copy of a call would
  /// allocate.
  mutable KernelKind kernel = KernelKind::fastest;

  [[noreturn]] void fail(std::string const& what) const { refuse_call(verb, what); }
  template <class Batch>
  Part const& add(char const* role, bool writes, Batch const& batch) {
    parts.push_back({int(parts.size()) + 1, role, writes, batch.description});
    return parts.back();
  }

  /// check_parts of the Views so far. \returns the number of items
  std::int64_t check(InPlace const& in_place = {false, 0, 0, "give a View of its own"}) const {
    return CallChecks<>::parts(verb, parts, in_place);
  }
  void check_square(std::size_t place, std::int64_t rows, std::int64_t cols) const {
    if (rows != cols)
      fail(parts[place].name() + " does not hold square matrices; give a View of N x N matrices");
  }
  /// Refuses right-hand sides b, part 1, or solutions x, part 2 or b itself, that do not fit the
  /// matrices a, part 0.
  template <class A, class B, class X>
  void check_right_hand_sides(A const& a, B const& b, X const& x) const {
    if (b.rows != a.rows)
      fail(parts[1].name() + " has " + std::to_string(b.rows) + " rows, but " + parts[0].name() +
           " has " + std::to_string(a.rows) +
           "; give right-hand sides of as many rows as the matrix");
    if (x.rows != b.rows || x.cols != b.cols)
      fail(parts[2].name() + " does not hold the solutions for " + parts[1].name() +
           "; give a View with items of " + parts[1].d.shape);
  }
  /// Refuses items with more than `most` rows.
  void check_size(std::size_t place, std::int64_t rows, std::int64_t most,
                  std::string const& of) const {
    if (rows > most)
      fail(parts[place].name() + " has " + std::to_string(rows) + " rows, more than the " +
           std::to_string(most) + " for which there is room in " + of +
           "; use blocks of at most that many");
  }
  /// Refuses more than `most` right-hand sides an item.
  void check_columns(std::int64_t columns, std::int64_t most,
                     char const* remedy = "solve for them in several calls") const {
    if (columns > most)
      fail(parts[1].name() + " has " + std::to_string(columns) +
           " right-hand sides, more than the limit of " + std::to_string(most) + "; " + remedy);
  }
};

/// Two descriptions of the same numbers in the same items, so that the result may be computed in
/// place.
template <class To, class From>
bool same_numbers(To const& to, From const& from) {
  // One by one: for nvcc declarations joined by commas must deduce the same type.
  auto const& x = to.storage;
  auto const& y = from.storage;
  Description const &d = to.description, &e = from.description;
  bool const straight = x.row == y.row && x.col == y.col,
             turned = x.row == y.col && x.col == y.row && to.rows == to.cols;
  return d.begin == e.begin && d.end == e.end && d.items == e.items && to.rows == from.rows &&
         to.cols == from.cols && x.width == y.width && x.group == y.group && x.lane == y.lane &&
         (straight || turned);
}

template <class Matrix>
constexpr void require_matrix() {
  static_assert(Matrix::tile_rank == 2,
                "Batchwork: matrices must be in a View indexed (item, row, column), or in "
                "compact(view, n) with the lane as last index");
}

/// The destination of the status codes. The operand is added to the call at this position, or after
/// the others.
template <class Exec, class S>
StatusTarget status_target(Call& call, S const& operand, int position = 0) {
  StatusTarget t;
  if constexpr (is_status_operand<S>) {
    auto const batch = stored(operand);
    using Code = typename decltype(batch)::value_type;
    static_assert(!std::is_const_v<Code>,
                  "Batchwork::status: the View is const; pass a View of non-const integers");
    require_reachable<(
        Kokkos::SpaceAccessibility<Exec, typename decltype(batch)::memory_space>::accessible)>();
    if constexpr (sizeof(Code) == 4) t.narrow = reinterpret_cast<std::int32_t*>(batch.storage.data);
    else t.wide = reinterpret_cast<std::int64_t*>(batch.storage.data);
    t.width = batch.storage.width;
    t.group = batch.storage.group;
    t.lane = batch.storage.lane;
    call.parts.push_back(
        {position > 0 ? position : int(call.parts.size()) + 1, "status", true, batch.description});
  }
  return t;
}

}  // namespace Batchwork::Impl

#endif
