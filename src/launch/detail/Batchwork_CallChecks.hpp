// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The checks of every call, and the text of their messages. The library compiles them once.
#ifndef BATCHWORK_CALLCHECKS_HPP
#define BATCHWORK_CALLCHECKS_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch/detail/Batchwork_Check.hpp"

namespace Batchwork::Impl {

template <class Unused>
std::string CallChecks<Unused>::view_name(std::string const& role, Description const& d,
                                          std::string const& shape) {
  return role + "(\"" + d.label + "\") [View " + d.extents +
         (d.begin == nullptr ? ", not allocated" : "") + (shape.empty() ? "" : ", tile " + shape) +
         "]";
}
template <class Unused>
std::string CallChecks<Unused>::name(Part const& part) {
  return "operand " + std::to_string(part.position) + ", " +
         view_name(part.role, part.d, part.d.shape);
}
template <class Unused>
void CallChecks<Unused>::refuse(std::string const& verb, std::string const& what) {
  throw std::invalid_argument("Batchwork::" + verb + ": " + what);
}

/// Certain aliasing: the same first element, or overlap of two Views without gaps.
inline bool surely_share(Description const& x, Description const& y) {
  if (x.begin == x.end || y.begin == y.end) return false;
  bool const overlap = x.begin < y.end && y.begin < x.end;
  return x.begin == y.begin || (overlap && x.contiguous && y.contiguous);
}

/// Whether no View over the items was ever allocated: then zero items are a mistake.
inline bool none_allocated(std::vector<Part> const& parts) {
  bool some = false;
  for (auto const& p : parts) {
    if (p.d.items >= 0 && !p.d.null) return false;
    some = some || p.d.items >= 0;
  }
  return some;
}

/// The checks of every call: problems of a single View, null Views, different numbers of items, and
/// overlaps that are certain.
/// \param verb       the name of the verb
/// \param parts      the Views of the call
/// \param may_share  whether the parts at places a < b may be the same numbers
/// \param remedy     the advice for an overlap
/// \param share      whether two descriptions certainly share numbers
/// \returns the number of items
template <class MayShare, class Share>
std::int64_t check_parts(std::string const& verb, std::vector<Part> const& parts,
                         MayShare const& may_share, std::string const& remedy, Share const& share) {
  Part const* first = nullptr;  // the operand that gives the number of items
  for (auto const& p : parts) {
    if (!p.d.problem.empty()) refuse_call(verb, p.name() + ": " + p.d.problem);
    if (p.d.items >= 0 && !first) first = &p;
  }
  if (!first)
    refuse_call(verb,
                "no operand has an item index, so the number of items is unknown; give at least "
                "one in, out, inout, each, "
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
      // Two scattered outputs may write different numbers of a View, and any may add to it.
      bool const placed = x.by_index && y.by_index && x.adds == y.adds;
      if ((!x.writes && !y.writes) || placed || may_share(a, b) || !share(x.d, y.d)) continue;
      refuse_call(verb, (x.writes ? x : y).name() + " is written and shares elements with " +
                            (x.writes ? y : x).name() + "; " + remedy);
    }
  return first->d.items;
}
template <class MayShare>
std::int64_t check_parts(std::string const& verb, std::vector<Part> const& parts,
                         MayShare const& may_share, std::string const& remedy) {
  return check_parts(verb, parts, may_share, remedy, surely_share);
}

// ---- time
// ---------------------------------------------------------------------------------------------

/// The steps of its View that an operand uses in a scan with at least one step.
inline StepsTouched touched(Description const& d, Steps const& steps) {
  std::int64_t const a = d.step_at(steps.first), b = d.step_at(steps.last - 1),
                     by = saturated(d.pace.stride);
  return {a < b ? a : b, a < b ? b : a, by == 0 ? 1 : by < 0 ? -by : by};
}
inline bool lies_in_view(StepsTouched const& t, Description const& d) {
  return t.lowest >= 0 && t.highest < d.steps;
}

/// surely_share for the elements that a scan over these steps touches. For the same View this is
/// known for each step; otherwise the memory ranges of the steps are compared.
class SurelyShareInTime {
 public:
  explicit SurelyShareInTime(Steps const& steps) : steps_(steps) {}

  bool operator()(Description const& x, Description const& y) const {
    if (steps_.count() > 0 && is_same_view(x, y)) {
      StepsTouched const a = touched(x, steps_), b = touched(y, steps_);
      if (lies_in_view(a, x) && lies_in_view(b, y)) return x.begin != x.end && meet(a, b);
    }
    return surely_share(narrowed(x), narrowed(y));
  }

 private:
  static bool is_same_view(Description const& x, Description const& y) {
    if (x.time_index < 0 || x.time_index != y.time_index || x.begin != y.begin || x.end != y.end ||
        x.extents != y.extents)
      return false;
    for (int k = 0; k < 8; ++k)
      if (x.strides[k] != y.strides[k]) return false;
    return true;
  }
  Description narrowed(Description d) const {
    if (d.time_index < 0 || d.begin == d.end || steps_.count() <= 0) return d;
    StepsTouched const t = touched(d, steps_);
    std::int64_t const stride = d.strides[d.time_index] * d.bytes_of_number;
    if (!lies_in_view(t, d) || stride < 0) return d;
    d.begin += t.lowest * stride;
    d.end -= (d.steps - 1 - t.highest) * stride;
    return d;
  }

  Steps steps_;
};

inline std::int64_t floor_of_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Refuses a scan if its steps are outside the View of an operand, or if several steps write the
/// same step of the View.
inline void check_steps_of_part(std::string const& verb, Part const& p, Steps const& steps) {
  Description const& d = p.d;
  if (p.writes && d.pace.stride == 0 && steps.count() > 1)
    refuse_call(verb, p.name() +
                          " is written with a stride of 0, so all steps write to the same place; "
                          "give another stride, or carry the value");
  StepsTouched const t = touched(d, steps);
  if (lies_in_view(t, d)) return;
  std::string const has = p.name() + " has " + std::to_string(d.steps) + " steps";
  if (d.pace.is_plain() && steps.first == 0)
    refuse_call(verb, has + ", but the call asks for " + std::to_string(steps.last) +
                          "; give a View with at least as many, or ask for fewer");
  bool const first_is_there = d.step_at(steps.first) >= 0 && d.step_at(steps.first) < d.steps;
  std::int64_t const step = first_is_there ? steps.last - 1 : steps.first;
  std::string const how =
      d.pace.text() + (d.reversed ? d.pace.is_plain() ? "reversed" : ", reversed" : "");
  std::string what = has + ", but step " + std::to_string(step) + " of the call has step " +
                     std::to_string(d.step_at(step)) + " of it" +
                     (how.empty() ? "" : " (" + how + ")") + "; ";
  // The steps of the call, from low on and before high, that are in the View: 0 <= stride t - lag <
  // steps.
  std::int64_t low = steps.first, high = steps.last;
  std::int64_t const s = saturated(d.pace.stride), from = saturated(d.pace.lag),
                     to = saturated(from + d.steps - 1);
  if (s != 0) {
    std::int64_t const least = s > 0 ? -floor_of_quotient(-from, s) : -floor_of_quotient(to, -s),
                       most = s > 0 ? floor_of_quotient(to, s) : floor_of_quotient(-from, -s);
    low = low > least ? low : least;
    high = high < most + 1 ? high : most + 1;
  }
  std::string const fitting = "range(" + std::to_string(low) + ", " + std::to_string(high) + ")";
  bool const takes_range = verb == "scan" || verb == "team_scan";
  if (s == 0 || low >= high || !takes_range)
    what += "give a View that has the steps of the call, or ask for steps that it has";
  else
    what +=
        (low > steps.first && high == steps.last ? "start the scan at step " + std::to_string(low)
         : low == steps.first ? "end the scan before step " + std::to_string(high)
                              : std::string("ask for the steps that it has")) +
        ": scan(" + (steps.backward ? "backward(" + fitting + ")" : fitting) +
        ", ...), or give a View with more steps";
  refuse_call(verb, what);
}

template <class Unused>
std::int64_t CallChecks<Unused>::operands(std::string const& verb, std::vector<Part> const& parts,
                                          Steps const& steps) {
  bool const ends = steps.first != 0;
  if (steps.first > no_step || steps.first < -no_step || steps.last > no_step ||
      steps.last < -no_step)
    refuse_call(verb, "the call asks for steps beyond 2^62; give smaller ones");
  if (steps.count() < 0)
    refuse_call(verb, ends ? "the call asks for range(" + std::to_string(steps.first) + ", " +
                                 std::to_string(steps.last) +
                                 "), which ends before it begins; give range(first, last) with "
                                 "first <= last"
                           : "the call asks for " + std::to_string(steps.last) +
                                 " steps; give zero or more");
  // A carry may end where it started, item by item; not shifted by some items, and not where all
  // items started.
  auto const ends_where_it_started = [&](std::size_t a, std::size_t b) {
    auto const &x = parts[a].d, &y = parts[b].d;
    return parts[a].position == parts[b].position && x.items >= 0 && y.items >= 0 &&
           x.begin == y.begin && x.end == y.end && x.extents == y.extents;
  };
  std::int64_t const items =
      check_parts(verb, parts, ends_where_it_started,
                  "update in place with inout(view), of a scan step by step with "
                  "inout(each(view)), or give a View of its own",
                  SurelyShareInTime(steps));
  if (steps.count() > 0)
    for (auto const& p : parts)
      if (p.d.time_index >= 0) check_steps_of_part(verb, p, steps);
  return items;
}

template <class Unused>
std::int64_t CallChecks<Unused>::parts(std::string const& verb, std::vector<Part> const& parts,
                                       InPlace const& in_place) {
  return check_parts(
      verb, parts,
      [&](std::size_t a, std::size_t b) {
        return in_place.is && a == in_place.from && b == in_place.to;
      },
      in_place.remedy);
}

}  // namespace Batchwork::Impl

#endif
