// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The host part of verbs on systems before a launch: checks, with messages that name the View;
/// chunks of items.
#ifndef BATCHWORK_SYSTEMCALL_HPP
#define BATCHWORK_SYSTEMCALL_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_GatheredCall.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "view/detail/Batchwork_Source.hpp"

namespace Batchwork::Impl {

/// A View of matrices or vectors, for messages. Its indices say enough: the shape of a tile is left
/// out.
struct SystemView {
  std::string role;
  Description d;

  std::string name() const { return view_name(role, d, ""); }
};

/// The checks of a call on systems: everything is known on the host, no pattern is read.
struct SystemCall : Call {
  SystemCall(std::string verb_given, std::string label_given = {})
      : Call{std::move(verb_given), {}, std::move(label_given)} {}

  /// Words for a launch that is refused.
  LaunchWords launch_words(std::int64_t rows) const {
    return {verb, "systems of " + std::to_string(rows) + " rows", "give smaller systems"};
  }

  void add(int position, std::string const& role, Description const& d, bool writes = false) {
    parts.push_back({position, role, writes, d});
    parts.back().d.shape.clear();
  }
  template <class A>
  void check_matrices(int position, A const& a) const {
    if (auto const problem = a.problem(); !problem.empty())
      fail("operand " + std::to_string(position) + ", " + problem);
  }
  /// Adds the Views of A. Views of the pattern have no number of items; the numbers come last.
  template <class A>
  void add_matrices(int position, A const& a, bool writes = false) {
    check_matrices(position, a);
    auto const views = a.views();
    for (auto const& v : views) add(position, v.role, v.d);
    if (views.empty()) return;
    parts.back().d.items = a.items();
    parts.back().writes = writes;
  }
  /// Adds a View of a SolveLog, if it is allocated.
  template <class View>
  void add_log(int position, View const& view, char const* what) {
    if (view.data() == nullptr && view.size() == 0) return;
    add(position, "log " + std::string(what), describe_view(view), true);
    parts.back().d.items = std::int64_t(view.extent(0));
  }
  /// A vector for every item, v(item, i), or one for all of them.
  template <class V, class A>
  void add_vector(int position, std::string const& role, V const& vector, A const& a,
                  bool writes = false) {
    add(position, role, vector.description, writes);
    auto const& v = parts.back();
    if (!v.d.problem.empty()) fail(v.name() + ": " + v.d.problem);
    if (vector.rows != a.rows())
      fail(v.name() + " holds " + std::to_string(vector.rows) +
           " numbers an item, but the matrices have " + std::to_string(a.rows()) +
           " rows; give vectors (item, row) of as many");
  }
};

/// Items of a chunk on hosts, for so many numbers an item: worth starting, and enough chunks for
/// every thread; whole packs.
inline std::int64_t items_of_a_chunk(std::int64_t items, std::int64_t numbers,
                                     std::int64_t threads) {
  std::int64_t const least =
      16 * std::clamp<std::int64_t>(256 / std::max<std::int64_t>(numbers, 1), 1, 256);
  std::int64_t const share = items / (16 * threads) / 16 * 16;
  return std::clamp<std::int64_t>(share, least, 64 * least);
}

}  // namespace Batchwork::Impl

#endif
