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
#include "krylov/formats/detail/Batchwork_AnySystems.hpp"
#include "krylov/formats/detail/Batchwork_MultiplyHost.hpp"

namespace Batchwork {
namespace Impl {

/// One item of a format known at run time.
template <class T>
struct AnyItem {
  using value_type = T;
  static constexpr bool has_entries = true;
  AnySystems<T> const& of;
  T const* numbers;

  /// Runs f(item), the item in its own format.
  template <class F>
  BATCHWORK_INLINE void visit(F const& f) const {
    of.with_format([&]<class Layout>(Layout const& layout) {
      if constexpr (Layout::has_numbers) {
        PatternSystems<T, Layout> const a{layout, of.values, of.rows};
        f(PatternItem<PatternSystems<T, Layout>>{a, numbers});
      } else {
        f(layout.item(of.rows));
      }
    });
  }
  template <class F>
  BATCHWORK_INLINE void for_each_entry(int row, F const& f) const {
    visit([&](auto const& item) { item.for_each_entry(row, f); });
  }
};

/// AnySystems by items, as verbs take the systems of other formats.
template <class T>
struct AnySystemsByItems : AnySystems<T> {
  static constexpr bool has_pattern = false;  // none that packs of items know at compile time

  AnySystemsByItems() = default;
  explicit AnySystemsByItems(AnySystems<T> const& a) : AnySystems<T>(a) {}
  BATCHWORK_INLINE AnyItem<T> item(std::int64_t n) const { return {*this, this->numbers(n)}; }
};

/// On hosts as in the item's own format, so that packs are used as there.
template <template <class> class Sum, class T, class X, class Put>
void sum_rows_on_host(AnyItem<T> const& item, int rows, X const& x, Put const& put) {
  item.visit([&](auto const& own) { sum_rows_on_host<Sum>(own, rows, x, put); });
}

}  // namespace Impl

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
/// The choice costs multiply on devices one branch a row. solve makes its kernels this way for all
/// formats.
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
