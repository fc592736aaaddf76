// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What verbs on systems do on the host before they launch: checks, whose messages name the View; chunks of items.
#ifndef BATCHWORK_SYSTEMCALL_HPP
#define BATCHWORK_SYSTEMCALL_HPP

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork::Impl {

/// One View of a call on systems, for messages.
struct SystemView {
  std::string role;
  Description d;

  std::string name() const {
    return role + "(\"" + d.label + "\") [View " + d.extents +
           (d.begin == nullptr ? ", not allocated" : "") + "]";
  }
};

/// The checks of a call on systems: everything is known on the host, no pattern is read.
struct SystemCall {
  std::string verb;
  std::string label{};

  [[noreturn]] void fail(std::string const& what) const {
    throw std::invalid_argument("Batchwork::" + verb + ": " + what);
  }
  /// What a launch that is refused is of.
  LaunchWords launch_words(std::int64_t rows) const {
    return {verb, "systems of " + std::to_string(rows) + " rows", "give smaller systems"};
  }
  static std::string name(int position, SystemView const& v) {
    return "operand " + std::to_string(position) + ", " + v.name();
  }

  template <class A>
  void check_matrices(int position, A const& a) const {
    if (auto const problem = a.problem(); !problem.empty())
      fail("operand " + std::to_string(position) + ", " + problem);
  }
  /// A vector for every item, v(item, i).
  template <class V, class A>
  void check_vector(int position, SystemView const& v, V const& vector, A const& a) const {
    if (!v.d.problem.empty()) fail(name(position, v) + ": " + v.d.problem);
    if (vector.rows != a.rows())
      fail(name(position, v) + " holds " + std::to_string(vector.rows) +
           " numbers an item, but the matrices have " + std::to_string(a.rows()) +
           " rows; give vectors (item, row) of as many");
  }
  void check_items(int position, SystemView const& v, std::int64_t items, std::string const& of,
                   std::int64_t wanted) const {
    if (items >= 0 && items != wanted) fail(differing_items(name(position, v), items, of, wanted));
  }
  /// Refuses a call of which neither the vectors nor the numbers of A, the last of its Views, were ever allocated.
  void check_allocated(int position, SystemView const& x, SystemView const& y,
                       std::vector<SystemView> const& of_a) const {
    if (x.d.null && y.d.null && (of_a.empty() || of_a.back().d.null))
      fail(name(position, x) + ": " + null_problem);
  }
  void check_written(int position, SystemView const& written, int other_position,
                     SystemView const& other) const {
    if (surely_share(written.d, other.d))
      fail(shared_elements(name(position, written), name(other_position, other),
                           "give a View of its own"));
  }
};

/// Items of a chunk on hosts, for so many numbers an item: worth starting, and enough chunks for every thread; whole packs.
inline std::int64_t items_of_a_chunk(std::int64_t items, std::int64_t numbers,
                                     std::int64_t threads) {
  std::int64_t const least =
      16 * std::clamp<std::int64_t>(256 / std::max<std::int64_t>(numbers, 1), 1, 256);
  std::int64_t const share = items / (16 * threads) / 16 * 16;
  return std::clamp<std::int64_t>(share, least, 64 * least);
}

}  // namespace Batchwork::Impl

#endif
