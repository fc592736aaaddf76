// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Host misuse is found before anything is launched: std::invalid_argument names the verb, the operand's position and
/// label, and both shapes, and says what to do.
#ifndef BATCHWORK_CHECK_HPP
#define BATCHWORK_CHECK_HPP

#include <stdexcept>
#include <string>
#include <vector>

#include "view/Batchwork_Operand.hpp"

namespace Batchwork::Impl {

/// What messages say of a View: with the shape of its tile, where there is one.
inline std::string view_name(std::string const& role, Description const& d,
                             std::string const& shape) {
  return role + "(\"" + d.label + "\") [View " + d.extents +
         (d.begin == nullptr ? ", not allocated" : "") + (shape.empty() ? "" : ", tile " + shape) +
         "]";
}

/// One View of a call, for messages: a carry has two.
struct Part {
  int position;  ///< 1-based, among the operands
  std::string role;
  bool writes;
  Description d;

  std::string name() const {
    return "operand " + std::to_string(position) + ", " + view_name(role, d, d.shape);
  }
};

constexpr char const* role_of(Kind k) {
  switch (k) {
    case Kind::in: return "in";
    case Kind::out: return "out";
    case Kind::inout: return "inout";
    case Kind::common: return "common";
    case Kind::fixed: return "common(fixed)";
    case Kind::each: return "each";
    case Kind::common_each: return "common(each)";
    case Kind::carry: return "carry";
    case Kind::emit: return "emit";
    case Kind::status: return "status";
    case Kind::nothing: return "nothing";
    case Kind::table: return "table";
    case Kind::item_index: return "item_index";
    case Kind::step_index: return "step_index";
  }
  return "";
}

constexpr bool writes(Kind k) {
  return k == Kind::out || k == Kind::inout || k == Kind::emit || k == Kind::status;
}

template <Kind K, class... P>
void describe(std::vector<Part>& parts, int position, Operand<K, P...> const& o) {
  if constexpr (K == Kind::carry) {
    using O = Operand<K, P...>;
    constexpr Kind start = decltype(O::start)::kind, end = decltype(O::end)::kind;
    if constexpr (start == Kind::in || start == Kind::common)
      parts.push_back({position, "carry start", false, o.start.source.describe()});
    if constexpr (end == Kind::out)
      parts.push_back({position, "carry end", true, o.end.source.describe()});
  } else if constexpr (!has_no_view(K) && K != Kind::fixed) {
    parts.push_back({position, role_of(K), writes(K), o.source.describe()});
  }
}

/// Aliasing that is certain: the same first element, or overlap of two Views without gaps.
inline bool surely_share(Description const& x, Description const& y) {
  if (x.begin == x.end || y.begin == y.end) return false;
  bool const overlap = x.begin < y.end && y.begin < x.end;
  return x.begin == y.begin || (overlap && x.contiguous && y.contiguous);
}

/// Whether no View over the items was ever allocated: then zero items are not what was meant.
inline bool none_allocated(std::vector<Part> const& parts) {
  bool some = false;
  for (auto const& p : parts) {
    if (p.d.items >= 0 && !p.d.null) return false;
    some = some || p.d.items >= 0;
  }
  return some;
}

[[noreturn]] inline void refuse_call(std::string const& verb, std::string const& what) {
  throw std::invalid_argument("Batchwork::" + verb + ": " + what);
}

/// The checks of every call: a View that is wrong by itself, null Views, numbers of items that differ from those of the first
/// part that has any, and overlaps that are certain.
/// \param may_share  of the places a < b of two parts: whether they may be the same numbers
/// \param remedy     what to do about an overlap
/// \returns the number of items
template <class MayShare>
std::int64_t check_parts(std::string const& verb, std::vector<Part> const& parts,
                         MayShare const& may_share, std::string const& remedy) {
  Part const* first = nullptr;  // the operand that gives the number of items
  for (auto const& p : parts) {
    if (!p.d.problem.empty()) refuse_call(verb, p.name() + ": " + p.d.problem);
    if (p.d.items >= 0 && !first) first = &p;
  }
  if (!first)
    refuse_call(
        verb,
        "no operand has an item index, so the number of items is unknown; give at least one in, out, inout, each, "
        "emit, status, or a carry with a View");
  if (none_allocated(parts)) refuse_call(verb, first->name() + ": " + null_problem);
  for (auto const& p : parts)
    if (p.d.items >= 0 && p.d.items != first->d.items)
      refuse_call(verb, p.name() + " has " + std::to_string(p.d.items) + " items, but " +
                            first->name() + " has " + std::to_string(first->d.items) +
                            "; give all operands of a call the same number of items");
  for (std::size_t a = 0; a < parts.size(); ++a)
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      auto const &x = parts[a], &y = parts[b];
      if ((!x.writes && !y.writes) || may_share(a, b) || !surely_share(x.d, y.d)) continue;
      refuse_call(verb, (x.writes ? x : y).name() + " is written and shares elements with " +
                            (x.writes ? y : x).name() + "; " + remedy);
    }
  return first->d.items;
}

inline std::int64_t check_operands(std::string const& verb, std::vector<Part> const& parts,
                                   std::int64_t steps) {
  if (steps < 0)
    refuse_call(verb, "the call asks for " + std::to_string(steps) + " steps; give zero or more");
  // A carry may end where it started, item by item; not a few items further on, and not where all items started.
  auto const ends_where_it_started = [&](std::size_t a, std::size_t b) {
    auto const &x = parts[a].d, &y = parts[b].d;
    return parts[a].position == parts[b].position && x.items >= 0 && y.items >= 0 &&
           x.begin == y.begin && x.end == y.end && x.extents == y.extents;
  };
  std::int64_t const items =
      check_parts(verb, parts, ends_where_it_started,
                  "update in place with inout(view), or give a View of its own");
  for (auto const& p : parts)
    if (p.d.steps >= 0 && p.d.steps < steps)
      refuse_call(verb, p.name() + " has " + std::to_string(p.d.steps) +
                            " steps, but the call asks for " + std::to_string(steps) +
                            "; give a View with at least as many, or ask for fewer");
  return items;
}

/// The checks of a call with these operands. \returns the number of items
template <class... O>
std::int64_t check(std::string const& verb, std::int64_t steps, O const&... operands) {
  std::vector<Part> parts;
  int position = 0;
  (describe(parts, ++position, operands), ...);
  return check_operands(verb, parts, steps);
}

/// Every View of the operands can be reached from the execution space.
template <class Exec, Kind K, class... P>
constexpr bool accessible(Operand<K, P...> const*) {
  if constexpr (K == Kind::carry) {
    using O = Operand<K, P...>;
    return accessible<Exec>(static_cast<decltype(O::start)*>(nullptr)) &&
           accessible<Exec>(static_cast<decltype(O::end)*>(nullptr));
  } else if constexpr (has_no_view(K) || K == Kind::fixed) {
    return true;
  } else {
    using V = typename decltype(Operand<K, P...>::source)::view_type;
    return Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible;
  }
}

/// True, or the compiler says that the memory of a call's Views is not reached.
template <bool Reachable>
constexpr bool require_reachable() {
  static_assert(
      Reachable,
      "Batchwork: a View's memory cannot be reached from the execution space; deep_copy it there first");
  return Reachable;
}
template <class Exec, class... O>
constexpr void require_accessible() {
  require_reachable<((accessible<Exec>(static_cast<O*>(nullptr)) && ...))>();
}

}  // namespace Batchwork::Impl

#endif
