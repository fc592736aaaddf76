// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// What the verbs of SystemKernels.hpp share on the host: operands and checks.
#ifndef BATCHWORK_SYSTEMVERB_HPP
#define BATCHWORK_SYSTEMVERB_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "krylov/base/detail/Batchwork_SystemCall.hpp"
#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/verbs/detail/Batchwork_ItemVectors.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork::Impl {

/// Matrices that store all their numbers.
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
  static_assert(require_kernels<KernelSet::solvers, Exec>());
  using type = typename A::value_type;
};
/// The numbers of csr(...), ell(...), dia(...) or dense(...), to be written. Their places are the
/// same as in a.systems().
template <class A>
auto numbers_of(A const& a) {
  auto const s = stored(a.values);
  static_assert(!std::is_const_v<typename decltype(s)::value_type>,
                "Batchwork: a const View cannot be written");
  return s.storage;
}

/// A View of the call, with numbers of type T and so many indices of an item.
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

}  // namespace Batchwork::Impl

#endif
