// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// block_jacobi, and find_blocks, which finds blocks in a pattern. See BlockInverses.
#ifndef BATCHWORK_BLOCKJACOBI_HPP
#define BATCHWORK_BLOCKJACOBI_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/detail/backend/Batchwork_Backend.hpp"
#include "krylov/formats/Batchwork_CheckSystems.hpp"
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/preconditioners/Batchwork_Preconditioner.hpp"
#include "krylov/preconditioners/detail/Batchwork_BlockInverses.hpp"

namespace Batchwork {

namespace Impl {

/// Stands for a View of first rows: blocks of equal size.
struct EqualBlocks {};

}  // namespace Impl

/// Block Jacobi: z = D^-1 r, D being the diagonal blocks of A. Made by block_jacobi. For csr, ell,
/// dia, dense and scaled_identity.
/// \tparam Blocks  a View of first rows, or blocks of equal size
template <class Blocks>
struct BlockJacobi {
  using preconditioner_of_systems = void;
  static constexpr bool equal = std::is_same_v<Blocks, Impl::EqualBlocks>;
  Blocks first_rows;  ///< (block): the first row of each block; unused if blocks have equal size
  int largest;        ///< rows of the largest block, from 1 to 32

  template <class Exec>
  static constexpr bool reachable() {
    if constexpr (equal) return true;
    else return Impl::reaches<Exec, typename Blocks::memory_space>;
  }
  template <class Call, class A>
  void check(Call const& call, A const& a) const {
    if constexpr (std::is_void_v<typename A::value_type>)
      call.fail(
          "operand 2, block_jacobi: matrix_free has no entries; give no_preconditioner() or "
          "preconditioner(functor)");
    if (largest < 1 || largest > most_rows_of_a_block)
      call.fail("operand 2, block_jacobi: blocks of " + std::to_string(largest) +
                " rows; give from 1 to " + std::to_string(most_rows_of_a_block));
    if constexpr (!equal) {
      Impl::SystemView const v{"first rows of blocks", Impl::describe_view(first_rows)};
      if (!v.d.problem.empty()) call.fail("operand 2, " + v.name() + ": " + v.d.problem);
      if (first_rows.extent(0) > 1 && first_rows.stride(0) != 1)
        call.fail("operand 2, " + v.name() + " has gaps; give a contiguous View");
      auto const count = std::int64_t(first_rows.extent(0));
      if (count > a.rows() || (count == 0 && a.rows() > 0))
        call.fail("operand 2, " + v.name() + " has " + std::to_string(count) +
                  " blocks, but the matrices have " + std::to_string(a.rows()) +
                  " rows; give the first row of every block, from 0 on");
    }
  }
  template <class A>
  Impl::BlocksInKernel in_kernel(A const& a) const {
    int const most = int(std::min<std::int64_t>(largest, std::max<std::int64_t>(a.rows(), 1)));
    if constexpr (equal) {
      return {nullptr, 0, most};
    } else {
      return {reinterpret_cast<std::int32_t const*>(first_rows.data()), int(first_rows.extent(0)),
              most};
    }
  }
};

/// Block Jacobi with blocks of equal size, as an argument of solve.
///
/// ```cpp
/// solve(exec, bicgstab(relative(1e-8)), block_jacobi(3), A, b, x);
/// ```
///
/// \param rows  rows of a block, 1 to 32, from the first row on; the last block may be smaller
/// \throws std::invalid_argument  (by solve) other numbers of rows; matrix_free
///
/// A singular block (a column without a finite pivot that is not zero, or an inverse that is not
/// finite) becomes the identity, in every format. Entries of a row in one column are added up. For
/// conjugate_gradients the blocks must be symmetric positive definite.
///
/// Memory of a system: rows times the largest block in numbers, and 12 bytes a row. On devices in
/// team scratch (with the exchange to 40,928 bytes, fewer where a multiprocessor has no room for
/// four such teams: 143 rows with blocks of 32 in double, 896 with blocks of 2), else in the
/// workspace, see workspace_numbers. On hosts a thread allocates it, once for several items.
///
/// Inversion takes 2 n^3 operations for a block of n rows, once for an item; an application 2 n^2,
/// and on devices three waits. There 8 to 256 lanes share a system, at least as many as a block has
/// rows; it is read where it is.
inline BlockJacobi<Impl::EqualBlocks> block_jacobi(int rows) { return {{}, rows}; }

/// Block Jacobi with blocks that begin at given rows, as an argument of solve.
///
/// ```cpp
/// auto const first_rows = find_blocks(A, 8);
/// solve(exec, bicgstab(relative(1e-8)), block_jacobi(first_rows, 8), A, b, x);
/// ```
///
/// \param first_rows  View of 32-bit integers where the solver runs, beginning with 0 and rising
/// \param largest     most rows of a block, 1 to 32: the scratch is sized by it
/// \throws std::invalid_argument  (by solve) no blocks, more blocks than rows, `largest` out of
///                                range
///
/// If the View is not as described, all items end as Reason::invalid_pattern. Otherwise as with
/// block_jacobi(rows).
template <class Blocks>
  requires Kokkos::is_view_v<Blocks>
BlockJacobi<Blocks> block_jacobi(Blocks const& first_rows, int largest = most_rows_of_a_block) {
  static_assert(
      Blocks::rank() == 1 && std::is_integral_v<typename Blocks::value_type> &&
          sizeof(typename Blocks::value_type) == 4,
      "Batchwork::block_jacobi: the first rows of the blocks are 32-bit integers with one index");
  return {first_rows, largest};
}

namespace Impl {

template <class A>
struct MemoryOfPattern {
  using type = Kokkos::DefaultExecutionSpace::memory_space;
};
template <class A>
  requires requires { typename A::pattern_memory; }
struct MemoryOfPattern<A> {
  using type = typename A::pattern_memory;
};

}  // namespace Impl

/// Finds blocks for block_jacobi in a pattern: neighbouring rows with the same columns, as several
/// unknowns per point give. In a dense matrix all rows are alike; in a tridiagonal one of more than
/// two rows none are.
/// \param exec     execution space instance on whose device the View is; optional
/// \param a        csr, ell or dia with a sound pattern, see check; or dense
/// \param largest  most rows of a block, 1 to 32
/// \returns        a View of the first rows, in the memory space of the pattern
/// \throws std::invalid_argument  shapes that are not sound, `largest` out of range
///
/// Copies the pattern to the host if it is elsewhere, and waits for that. Once for a pattern is
/// enough.
template <class Exec, Impl::SystemMatrices A>
  requires Kokkos::is_execution_space_v<Exec>
auto find_blocks(Exec const& exec, A const& a, int largest = most_rows_of_a_block) {
  static_assert(!std::is_void_v<typename A::value_type>,
                "Batchwork::find_blocks: matrix_free has no pattern");
  if (auto const problem = a.problem(); !problem.empty())
    throw std::invalid_argument("Batchwork::find_blocks: " + problem);
  if (largest < 1 || largest > most_rows_of_a_block)
    throw std::invalid_argument("Batchwork::find_blocks: blocks of " + std::to_string(largest) +
                                " rows; give from 1 to " + std::to_string(most_rows_of_a_block));
  std::vector<std::int32_t> first;
  auto const find = [&](auto const& are_alike) {
    for (std::int64_t i = 0; i < a.rows(); ++i)
      if (first.empty() || i - first.back() == largest ||
          !are_alike(std::size_t(i - 1), std::size_t(i)))
        first.push_back(std::int32_t(i));
  };
  if constexpr (requires { a.columns_by_rows(); }) {
    auto const columns = a.columns_by_rows();
    find([&](std::size_t i, std::size_t j) { return columns[i] == columns[j]; });
  } else if constexpr (requires { a.values; }) {
    find([](std::size_t, std::size_t) { return true; });
  } else {
    find([](std::size_t, std::size_t) { return false; });
  }
  Kokkos::View<std::int32_t*, typename Impl::MemoryOfPattern<A>::type> const result(
      Kokkos::view_alloc("first rows of blocks", Kokkos::WithoutInitializing, exec), first.size());
  Kokkos::View<std::int32_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const from(
      first.data(), first.size());
  Kokkos::deep_copy(exec, result, from);
  exec.fence("Batchwork::find_blocks");
  return result;
}
template <Impl::SystemMatrices A>
auto find_blocks(A const& a, int largest = most_rows_of_a_block) {
  return find_blocks(typename Impl::MemoryOfPattern<A>::type::execution_space(), a, largest);
}

namespace Impl {

template <class Vector>
struct Prepared<Vector, BlocksInKernel> {
  static constexpr bool wants_diagonal = false, is_identity = false;
  static constexpr bool takes_item = true;
  using T = std::remove_cvref_t<decltype(Vector::data[0])>;
  BlockInverses<T> inverses;
  bool valid = true;
  /// Otherwise rows wait for each other at barriers, or one thread has them all.
  template <class At>
  static constexpr bool by_warps = Vendor::has_shuffles && requires(At& at) { at.member; };

  template <class At>
  BATCHWORK_INLINE Prepared(At& at, BlocksInKernel how, AnySystems<T> const& a, T* memory) {
    auto const lanes = lanes_at(at);
    int const rows = a.rows;
    inverses.place(how, rows, memory, works_alone<std::remove_const_t<decltype(lanes)>>);
    if (how.first_rows == nullptr) how.count = (rows + how.largest - 1) / how.largest;
    bool sound = true;
    lanes.for_each(how.count, [&](int b) { sound = inverses.take_block(how, rows, b) && sound; });
    // All lanes go the same way, and see the blocks of their rows.
    valid = !any_of_system(at, !sound);
    if (!valid) {
      lanes.for_each(rows, [&](int i) {
        inverses.size[i] = 0;
        inverses.order[i] = std::int16_t(i);
      });
      lanes.sync();
      return;
    }
    T const* const item = a.numbers(at.item.number);
    lanes.for_each(rows, [&](int i) { inverses.load(a, item, i); });
    lanes.sync();
    if constexpr (by_warps<At>) inverses.invert_by_warps(at, how);
    else invert(lanes, how, rows);
  }
  /// All blocks at once, column by column.
  template <class Lanes>
  BATCHWORK_INLINE void invert(Lanes const& lanes, BlocksInKernel const& how, int rows) const {
    for (int c = 0; c < how.largest; ++c) {
      // A row is written by its own lane, and one that has been a pivot is not read by others in
      // the next search.
      lanes.for_each(rows, [&](int i) { inverses.find_pivot(i, c); });
      lanes.sync();
      lanes.for_each(rows, [&](int i) { inverses.eliminate(i, c); });
      lanes.sync();
      lanes.for_each(rows, [&](int i) { inverses.divide(i, c); });
    }
    lanes.for_each(rows, [&](int i) { inverses.found[i] = inverses.row_is_finite(i) ? 1 : 0; });
    lanes.sync();
    lanes.for_each(rows, [&](int i) {
      if (!inverses.block_is_finite(i)) inverses.size[i] = 0;
    });
  }

  template <class At>
  BATCHWORK_INLINE void apply(At& at, Vector& z, Vector const& r) const {
    auto const lanes = lanes_at(at);
    if constexpr (works_alone<std::remove_const_t<decltype(lanes)>>) {
      for (int i = 0; i < at.rows; ++i) z.data[i] = inverses.product(i, r.data);
    } else if constexpr (by_warps<At>) {
      T *const w = at.second_exchange(), *const results = at.exchange;
      lanes.sync();
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        if (i < at.rows) w[inverses.order[i]] = r(k);
      });
      lanes.sync();
      lanes.for_each(at.rows,
                     [&](int i) { results[inverses.order[i]] = inverses.row_product(i, w); });
      lanes.sync();
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        z.set(k, i < at.rows ? results[i] : T(0));
      });
    } else {
      T* const w = at.second_exchange();
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        if (i < at.rows) w[i] = r(k);
      });
      lanes.sync();
      // Through the lane's places of the first exchange: a loop that is not unrolled needs fewer
      // registers.
      T* const mine = at.exchange;
      lanes.for_each(at.rows, [&](int i) { mine[i] = inverses.product(i, w); });
      at.for_each([&](int k) {
        int const i = at.row_of(k);
        z.set(k, i < at.rows ? mine[i] : T(0));
      });
    }
  }
};

}  // namespace Impl
}  // namespace Batchwork

#endif
