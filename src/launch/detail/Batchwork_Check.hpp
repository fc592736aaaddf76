// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Misuse is found on the host before anything is launched: std::invalid_argument names the verb,
/// the position and label of the operand, and both shapes, and says what to do.
#ifndef BATCHWORK_CHECK_HPP
#define BATCHWORK_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "view/Batchwork_Operand.hpp"

namespace Batchwork::Impl {

/// One View of a call, for messages: a carry has two.
struct Part {
  int position;  ///< the number of the operand, from 1
  std::string role;
  bool writes;
  Description d;
  bool by_index = false, adds = false;  ///< for a View whose numbers indices pick

  std::string name() const;
};

/// Two operands of a call that may be the same numbers: the result `to` may overwrite `from`.
struct InPlace {
  bool is = false;
  std::size_t from = 0, to = 0;
  char const* remedy = "to compute in place give inout(view), else a View of its own";
};

/// The checks of every call and their text, which are compiled once. (A class template, so that
/// headers may define it too.)
template <class Unused = void>
struct CallChecks {
  /// A View in messages, with the shape of its tile if it has one.
  static std::string view_name(std::string const& role, Description const& d,
                               std::string const& shape);
  /// A View of a call in messages.
  static std::string name(Part const& part);
  [[noreturn]] static void refuse(std::string const& verb, std::string const& what);
  /// Problems of a single View, null Views, different numbers of items, and overlaps that are
  /// certain. \returns the number of items
  static std::int64_t parts(std::string const& verb, std::vector<Part> const& parts,
                            InPlace const& in_place);
  /// The same for a call with steps of time. \returns the number of items
  static std::int64_t operands(std::string const& verb, std::vector<Part> const& parts,
                               Steps const& steps);
};
inline std::string view_name(std::string const& role, Description const& d,
                             std::string const& shape) {
  return CallChecks<>::view_name(role, d, shape);
}
inline std::string Part::name() const { return CallChecks<>::name(*this); }
[[noreturn]] inline void refuse_call(std::string const& verb, std::string const& what) {
  CallChecks<>::refuse(verb, what);
}

constexpr char const* role_of(Kind k) {
  switch (k) {
    case Kind::in: return "in";
    case Kind::out: return "out";
    case Kind::inout: return "inout";
    case Kind::common: return "common";
    case Kind::fixed: return "common(fixed)";
    case Kind::each: return "each";
    case Kind::each_inout: return "inout(each)";
    case Kind::common_each: return "common(each)";
    case Kind::carry: return "carry";
    case Kind::emit: return "emit";
    case Kind::status: return "status";
    case Kind::item_mask: return "item_mask";
    case Kind::local: return "local";
    case Kind::nothing: return "nothing";
    case Kind::table: return "table";
    case Kind::item_index: return "item_index";
    case Kind::step_index: return "step_index";
    case Kind::random: return "random";
  }
  return "";
}

constexpr bool writes(Kind k) {
  return k == Kind::out || k == Kind::inout || k == Kind::each_inout || k == Kind::emit ||
         k == Kind::status;
}

/// The View of one end of a carry, and the one that holds its indices.
template <class S>
void describe_end(std::vector<Part>& parts, int position, char const* role, bool writes,
                  S const& source) {
  parts.push_back({position, role, writes, source.describe()});
  if constexpr (requires { source.describe_index(); })
    parts.push_back({position, "index", false, source.describe_index()});
}

template <Kind K, class... P>
void describe(std::vector<Part>& parts, int position, Operand<K, P...> const& o) {
  if constexpr (K == Kind::carry) {
    using O = Operand<K, P...>;
    constexpr Kind start = decltype(O::start)::kind, end = decltype(O::end)::kind;
    if constexpr (start == Kind::in || start == Kind::common)
      describe_end(parts, position, "carry start", false, o.start.source);
    if constexpr (end == Kind::out) describe_end(parts, position, "carry end", true, o.end.source);
  } else if constexpr (requires { o.source.describe_index(); }) {
    constexpr bool adds = decltype(o.source)::location::adds;
    parts.push_back({position, adds ? "add" : role_of(K), writes(K), o.source.describe(),
                     K == Kind::out, adds});
    parts.push_back({position, "index", false, o.source.describe_index()});
  } else if constexpr (!has_no_view(K) && K != Kind::fixed && K != Kind::local) {
    parts.push_back({position, role_of(K), writes(K), o.source.describe()});
  }
}

/// The checks of a call with these operands. \returns the number of items
template <class... O>
std::int64_t check(std::string const& verb, Steps const& steps, O const&... operands) {
  std::vector<Part> parts;
  int position = 0;
  (describe(parts, ++position, operands), ...);
  return CallChecks<>::operands(verb, parts, steps);
}

/// Every View of the operands can be reached from the execution space.
template <class Exec, Kind K, class... P>
constexpr bool accessible(Operand<K, P...> const*) {
  if constexpr (K == Kind::carry) {
    using O = Operand<K, P...>;
    return accessible<Exec>(static_cast<decltype(O::start)*>(nullptr)) &&
           accessible<Exec>(static_cast<decltype(O::end)*>(nullptr));
  } else if constexpr (has_no_view(K) || K == Kind::fixed || K == Kind::local) {
    return true;
  } else {
    using V = typename decltype(Operand<K, P...>::source)::view_type;
    return Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible;
  }
}

/// True; otherwise a compile-time error says that a View's memory cannot be reached.
template <bool Reachable>
constexpr bool require_reachable() {
  static_assert(Reachable,
                "Batchwork: a View's memory cannot be reached from the execution space; deep_copy "
                "it there first");
  return Reachable;
}
template <class Exec, class... O>
constexpr void require_accessible() {
  require_reachable<((accessible<Exec>(static_cast<O*>(nullptr)) && ...))>();
}

}  // namespace Batchwork::Impl

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "launch/detail/Batchwork_CallChecks.hpp"
#endif

#endif
