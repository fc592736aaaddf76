// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the verbs of SystemKernels.hpp share on the host: operands, checks, the launch.
#ifndef BATCHWORK_SYSTEMVERB_HPP
#define BATCHWORK_SYSTEMVERB_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "krylov/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/verbs/detail/Batchwork_SystemKernels.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork::Impl {

/// Matrices of which every number is stored.
template <class A>
concept StoredMatrices = SystemMatrices<A> && requires(A const& a) { stored(a.values); };

/// The type of their numbers. A struct, so that the compiler says this first.
template <class Exec, class A>
struct NumbersStored {
  static_assert(
      StoredMatrices<A>,
      "Batchwork: the matrices are csr(...), ell(...), dia(...) or dense(...), whose numbers are "
      "stored");
  static_assert(require_reachable<(A::template reachable<Exec>)>());
  using type = typename A::value_type;
};
/// Where the numbers of csr(...), ell(...), dia(...) or dense(...) are, to be written; their places are those of a.systems().
template <class A>
auto numbers_of(A const& a) {
  auto const s = stored(a.values);
  static_assert(!std::is_const_v<typename decltype(s)::value_type>,
                "Batchwork: a const View cannot be written");
  return s.storage;
}

/// A View of the call: its numbers are of type T, with so many indices of an item's own.
template <class Exec, class T, int Rank, class V>
auto operand_of(V const& view) {
  auto const s = stored(view);
  using Stored = std::remove_const_t<decltype(s)>;
  static_assert(Stored::tile_rank == Rank,
                "Batchwork: the View's rank does not fit: vectors are v(item, row), numbers of the "
                "items v(item)");
  static_assert(std::is_same_v<std::remove_const_t<typename Stored::value_type>, T>,
                "Batchwork: the operands of a call hold the same type of numbers");
  require_reachable<(reaches<Exec, typename Stored::memory_space>)>();
  return s;
}
template <class B>
constexpr void require_written() {
  static_assert(!std::is_const_v<typename B::value_type>,
                "Batchwork: a const View cannot be written");
}

/// A View of a call, for its checks.
struct SystemOperand {
  int position;
  SystemView view;
  bool written = false;
};
/// The Views of A. Of those of a pattern no number of items is asked; the numbers come last.
template <class A>
std::vector<SystemOperand> operands_of(int position, A const& a, bool written) {
  std::vector<SystemOperand> r;
  for (auto const& v : a.views()) r.push_back({position, v});
  r.back().view.d.items = a.items();
  r.back().written = written;
  return r;
}
/// Refuses null Views, numbers of items that differ from those of the first one that has any, and overlaps that are certain.
inline std::int64_t check_operands(SystemCall const& call,
                                   std::vector<SystemOperand> const& operands) {
  SystemOperand const* first = nullptr;
  for (auto const& o : operands) {
    auto const& d = o.view.d;
    if (!d.problem.empty()) call.fail(SystemCall::name(o.position, o.view) + ": " + d.problem);
    if (d.items < 0) continue;
    if (first == nullptr) first = &o;
    call.check_items(o.position, o.view, d.items, SystemCall::name(first->position, first->view),
                     first->view.d.items);
  }
  if (none_allocated(operands, [](auto const& o) -> Description const& { return o.view.d; }))
    call.fail(SystemCall::name(first->position, first->view) + ": " + null_problem);
  for (std::size_t a = 0; a < operands.size(); ++a)
    for (std::size_t b = 0; b < operands.size(); ++b)
      if (operands[a].written && a != b)
        call.check_written(operands[a].position, operands[a].view, operands[b].position,
                           operands[b].view);
  return first->view.d.items;
}

/// One kernel on the instance.
template <class Exec, class Work>
void launch_systems(Exec const& exec, SystemCall const& call, Work const& work, std::int64_t items,
                    std::int64_t rows, std::int64_t nonzeros) {
  if (items == 0) return;
  std::string const label = kernel_label(call.verb, call.label);
  if constexpr (runs_on_device<Exec>) {
    using Kernel = SystemTeams<Work>;
    Kernel const kernel{work, items, work.lanes()};
    launch_teams<Kernel::largest_team, 1>(
        exec, label, kernel,
        {kernel.teams(), Kernel::largest_team,
         Work::combined > 0 ? Kernel::scratch_size(Kernel::largest_team) : 0},
        [&] { return call.launch_words(rows); });
  } else {
    std::int64_t const per_chunk = items_of_a_chunk(items, rows + nonzeros, exec.concurrency());
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, (items + per_chunk - 1) / per_chunk),
                         SystemsOnHost<Work>(work, items, per_chunk));
  }
}

}  // namespace Batchwork::Impl

#endif
