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

/// One View of a call, for messages: a carry has two.
struct Part {
  int position;  ///< 1-based, among the operands
  char const* role;
  bool writes;
  Description d;

  std::string name() const {
    return "operand " + std::to_string(position) + ", " + role + "(\"" + d.label + "\") [View " +
           d.extents + (d.begin == nullptr ? ", not allocated" : "") + ", tile " + d.shape + "]";
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
  } else if constexpr (K != Kind::nothing && K != Kind::fixed) {
    parts.push_back({position, role_of(K), writes(K), o.source.describe()});
  }
}

/// Aliasing that is certain: the same first element, or overlap of two Views without gaps.
inline bool surely_share(Description const& x, Description const& y) {
  if (x.begin == x.end || y.begin == y.end) return false;
  bool const overlap = x.begin < y.end && y.begin < x.end;
  return x.begin == y.begin || (overlap && x.contiguous && y.contiguous);
}

/// What is said of an operand whose number of items is not that of another.
inline std::string differing_items(std::string const& name, std::int64_t items,
                                   std::string const& other, std::int64_t wanted) {
  return name + " has " + std::to_string(items) + " items, but " + other + " has " +
         std::to_string(wanted) + "; give all operands of a call the same number of items";
}
/// And of one that is written and surely shares elements with another.
inline std::string shared_elements(std::string const& written, std::string const& other,
                                   std::string const& remedy) {
  return written + " is written and shares elements with " + other + "; " + remedy;
}

/// Whether no View over the items was ever allocated: then zero items are not what was meant. `of(part)` gives a Description.
template <class Parts, class Of>
bool none_allocated(Parts const& parts, Of const& of) {
  bool some = false;
  for (auto const& p : parts) {
    Description const& d = of(p);
    if (d.items >= 0 && !d.null) return false;
    some = some || d.items >= 0;
  }
  return some;
}
inline bool none_allocated(std::vector<Part> const& parts) {
  return none_allocated(parts, [](Part const& p) -> Description const& { return p.d; });
}

/// What a call comes to: the number of items, after all checks.
struct Batch {
  std::int64_t items = 0;
};

inline Batch check_parts(std::string const& verb, std::vector<Part> const& parts,
                         std::int64_t steps) {
  auto const fail = [&](std::string const& what) {
    throw std::invalid_argument("Batchwork::" + verb + ": " + what);
  };

  if (steps < 0) fail("the call asks for " + std::to_string(steps) + " steps; give zero or more");
  Part const* first = nullptr;  // the operand that gives the number of items
  for (auto const& p : parts) {
    if (!p.d.problem.empty()) fail(p.name() + ": " + p.d.problem);
    if (p.d.items >= 0 && !first) first = &p;
  }
  if (!first)
    fail(
        "no operand has an item index, so the number of items is unknown; give at least one in, out, inout, each, "
        "emit, status, or a carry with a View");
  if (none_allocated(parts)) fail(first->name() + ": " + null_problem);
  for (auto const& p : parts) {
    if (p.d.items >= 0 && p.d.items != first->d.items)
      fail(differing_items(p.name(), p.d.items, first->name(), first->d.items));
    if (p.d.steps >= 0 && p.d.steps < steps)
      fail(p.name() + " has " + std::to_string(p.d.steps) + " steps, but the call asks for " +
           std::to_string(steps) + "; give a View with at least as many, or ask for fewer");
  }
  for (std::size_t a = 0; a < parts.size(); ++a) {
    if (!parts[a].writes) continue;
    for (std::size_t b = 0; b < parts.size(); ++b) {
      if (a == b || (parts[b].writes && b < a)) continue;
      auto const &x = parts[a].d, &y = parts[b].d;
      // A carry may end where it started, item by item; not a few items further on, and not where
      // all items started.
      if (parts[a].position == parts[b].position && y.items >= 0 && x.begin == y.begin &&
          x.end == y.end && x.extents == y.extents)
        continue;
      if (surely_share(x, y))
        fail(shared_elements(parts[a].name(), parts[b].name(),
                             "update in place with inout(view), or give a View of its own"));
    }
  }
  return {first->d.items};
}

template <class... O>
Batch check(std::string const& verb, std::int64_t steps, O const&... operands) {
  std::vector<Part> parts;
  int position = 0;
  (describe(parts, ++position, operands), ...);
  return check_parts(verb, parts, steps);
}

/// Every View of the operands can be reached from the execution space.
template <class Exec, Kind K, class... P>
constexpr bool accessible(Operand<K, P...> const*) {
  if constexpr (K == Kind::carry) {
    using O = Operand<K, P...>;
    return accessible<Exec>(static_cast<decltype(O::start)*>(nullptr)) &&
           accessible<Exec>(static_cast<decltype(O::end)*>(nullptr));
  } else if constexpr (K == Kind::nothing || K == Kind::fixed) {
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
