// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// AnyMatrices: csr, ell, dia, dense or scaled_identity as one type, so that a format is chosen at
/// run time.
#ifndef BATCHWORK_ANYMATRICES_HPP
#define BATCHWORK_ANYMATRICES_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "krylov/formats/Batchwork_Formats.hpp"
#include "krylov/formats/detail/Batchwork_AnySystemsByItems.hpp"

namespace Batchwork {
/// Matrices in a format that is chosen at run time. solve, team_solve and multiply take them like
/// csr, ell, dia, dense or scaled_identity, from which they are made. The Views are held; no
/// numbers are copied.
///
/// ```cpp
/// AnyMatrices<double> A;
/// if (format == "csr") A = csr(row_offsets, columns, entries);
/// else A = dense(matrices);
/// ```
///
/// \tparam T       type of the numbers, float or double
/// \tparam Memory  memory space of the Views
///
/// multiply chooses the kernel of the format. The kernels of solve know the formats of all matrices
/// at run time.
template <class T = double, class Memory = typename Kokkos::DefaultExecutionSpace::memory_space>
class AnyMatrices {
 public:
  using systems_of_a_batch = void;
  using value_type = T;         ///< the type of the numbers: float or double
  using memory_space = Memory;  ///< the memory space of the Views
  template <class Exec>
  static constexpr bool reachable = Impl::reaches<Exec, Memory>;

  /// Matrices of no rows, to be replaced.
  AnyMatrices() = default;
  /// From csr, ell, dia, dense or scaled_identity of the same type of numbers.
  template <Impl::SystemMatrices A>
    requires(!std::same_as<A, AnyMatrices>)
  AnyMatrices(A const& a)
      : rows_(a.rows()),
        items_(a.items()),
        nonzeros_(a.nonzeros()),
        views_(a.views()),
        problem_(a.problem()) {
    static_assert(
        std::is_same_v<typename A::value_type, T>,
        "Batchwork::AnyMatrices takes csr, ell, dia, dense or scaled_identity of its own type of "
        "numbers; matrix_free has a type of its own");
    static_assert(A::template reachable<typename Memory::execution_space>,
                  "Batchwork::AnyMatrices: the Views are in another memory; deep_copy them first");
    if (problem_.empty()) systems_ = Impl::AnySystemsByItems<T>(Impl::AnySystems<T>(a.systems()));
    kept_ = std::make_shared<A const>(a);
  }

  /// Rows of a matrix.
  std::int64_t rows() const { return rows_; }
  /// Number of items; -1 for scaled_identity, which fits any number.
  std::int64_t items() const { return items_; }
  /// Stored places of a matrix: with ell and dia also the unused ones; 0 for scaled_identity.
  std::int64_t nonzeros() const { return nonzeros_; }
  std::vector<Impl::SystemView> views() const { return views_; }
  std::string problem() const { return problem_; }
  Impl::AnySystemsByItems<T> systems() const { return systems_; }

 private:
  std::int64_t rows_ = 0, items_ = -1, nonzeros_ = 0;
  std::vector<Impl::SystemView> views_;
  std::string problem_;
  Impl::AnySystemsByItems<T> systems_;
  std::shared_ptr<void const> kept_;  ///< the format with its Views, without its type
};

}  // namespace Batchwork

#endif
