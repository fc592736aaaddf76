// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// TuneProblem: a batch of random matrices for a verb, its call, and the residual of the result.
#ifndef BATCHWORK_TUNEPROBLEM_HPP
#define BATCHWORK_TUNEPROBLEM_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dense/cholesky/Batchwork_CholeskyVerbs.hpp"
#include "dense/decompositions/Batchwork_EighVerb.hpp"
#include "dense/decompositions/Batchwork_QrVerbs.hpp"
#include "dense/decompositions/Batchwork_SvdVerb.hpp"
#include "dense/lu/Batchwork_LuVerbs.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "tune/Batchwork_TunableVerb.hpp"
#include "tune/detail/Batchwork_KernelsOf.hpp"
#include "tune/detail/Batchwork_RandomEntries.hpp"

namespace Batchwork::Impl {

/// Entry (i, j) of item k, between -1 and 1: positive definite for Cholesky factors, symmetric for
/// eigenvalues. For elimination the diagonal is larger, in an order of the rows that is the item's.
template <TunableVerb V, class T>
KOKKOS_INLINE_FUNCTION T tune_entry(std::int64_t k, int i, int j, int n) {
  constexpr bool spd = V == TunableVerb::cholesky || V == TunableVerb::solve_cholesky,
                 eliminates = V == TunableVerb::lu || V == TunableVerb::solve_lu ||
                              V == TunableVerb::inverse;
  if (spd) return T(spd_entry(3, k, i, j, n));
  bool const turned = V == TunableVerb::eigh && j > i;
  int const low = turned ? i : j, high = turned ? j : i;
  double const u = 2 * uniform(3, std::uint64_t((k * n + high) * n + low)) - 1;
  return T(eliminates && (i + k) % n == j ? u + 2 * std::sqrt(double(n)) : u);
}

/// Matrices of a batch in any arrangement.
template <class T, class Memory>
using TunedMatrices = Kokkos::View<T***, Kokkos::LayoutStride, Memory>;
template <class T, class Memory>
TunedMatrices<T, Memory> tuned_matrices(std::string const& label, std::int64_t items, int rows,
                                        int cols, bool interleaved) {
  auto const n = std::size_t(items), r = std::size_t(rows), c = std::size_t(cols);
  Kokkos::LayoutStride const layout = interleaved ? Kokkos::LayoutStride(n, 1, r, n, c, n * r)
                                                  : Kokkos::LayoutStride(n, r * c, r, c, c, 1);
  return TunedMatrices<T, Memory>(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), layout);
}

template <TunableVerb V, class T, class Memory>
struct FillTuned {
  TunedMatrices<T, Memory> a;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    int const n = int(a.extent(1));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a(k, i, j) = tune_entry<V, T>(k, i, j, n);
  }
};
template <class T, class Memory>
struct FillSides {
  TunedMatrices<T, Memory> b;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int i = 0; i < int(b.extent(1)); ++i)
      for (int j = 0; j < int(b.extent(2)); ++j)
        b(k, i, j) = T(2 * uniform(5, std::uint64_t((k * int(b.extent(1)) + i) * 64 + j)) - 1);
  }
};
/// The item at place k of `count` ones that are spread over all.
KOKKOS_INLINE_FUNCTION std::int64_t chosen_item(std::int64_t k, std::int64_t items,
                                                std::int64_t count) {
  return count > 1 ? k * (items - 1) / (count - 1) : 0;
}
/// Copies the chosen items.
template <class To, class From>
struct GatherTuned {
  To to;
  From from;
  std::int64_t items, count;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t const item = chosen_item(k, items, count);
    for (int i = 0; i < int(to.extent(1)); ++i)
      for (int j = 0; j < int(to.extent(2)); ++j) to(k, i, j) = from(item, i, j);
  }
};

template <TunableVerb V, class T, class Exec>
struct TuneProblem {
  using Memory = typename Exec::memory_space;
  using Matrices = TunedMatrices<T, Memory>;
  using Integers = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;
  using Vectors = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  static constexpr bool of_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

  int n, sides;
  std::int64_t items;
  Exec exec{};
  Matrices a, b, left, right;
  Vectors values;
  Integers order;

  /// As many items as make 256 MB of matrices on devices, so that they come from memory, and 1 MB
  /// on hosts.
  static std::int64_t usual_items(int rows) {
    double const bytes = of_host ? 1e6 : 256e6, of_item = 3.0 * rows * rows * sizeof(T);
    return std::clamp<std::int64_t>(std::int64_t(bytes / of_item) / 128 * 128,
                                    of_host || rows > 256 ? 128 : 1024, 1 << 22);
  }

  TuneProblem(int rows, int right_hand_sides, bool interleaved, std::int64_t wanted)
      : n(rows), sides(right_hand_sides), items(wanted > 0 ? wanted : usual_items(rows)) {
    constexpr bool has_right = V == TunableVerb::qr || V == TunableVerb::svd,
                   has_values = V == TunableVerb::eigh || V == TunableVerb::svd;
    a = tuned_matrices<T, Memory>("A", items, n, n, interleaved);
    left = tuned_matrices<T, Memory>("left", items, n, has_sides(V) ? sides : n, interleaved);
    if (has_sides(V)) b = tuned_matrices<T, Memory>("b", items, n, sides, interleaved);
    if (has_right) right = tuned_matrices<T, Memory>("right", items, n, n, interleaved);
    if (has_values) values = Vectors("values", std::size_t(items), std::size_t(n));
    if (V == TunableVerb::lu) order = Integers("rows", std::size_t(items), std::size_t(n));
    Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const all(exec, 0, items);
    Kokkos::parallel_for("fill", all, FillTuned<V, T, Memory>{a});
    if (has_sides(V)) Kokkos::parallel_for("fill", all, FillSides<T, Memory>{b});
  }

  /// Makes all outputs NaN.
  void poison() const {
    T const nan = std::numeric_limits<T>::quiet_NaN();
    for (auto const& x : {left, right})
      if (x.data() != nullptr)
        Kokkos::deep_copy(
            exec, Kokkos::View<T*, Memory, Kokkos::MemoryUnmanaged>(x.data(), x.size()), nan);
    Kokkos::deep_copy(exec, values, nan);
    Kokkos::deep_copy(exec, order, -1);
  }

  void call(KernelKind kind) const {
    auto const how = launch("tune", kind);
    if constexpr (V == TunableVerb::lu) Batchwork::lu(exec, how, in(a), out(left), out(order));
    else if constexpr (V == TunableVerb::inverse) Batchwork::inverse(exec, how, in(a), out(left));
    else if constexpr (V == TunableVerb::solve_lu)
      Batchwork::solve_lu(exec, how, in(a), in(b), out(left));
    else if constexpr (V == TunableVerb::cholesky) Batchwork::cholesky(exec, how, in(a), out(left));
    else if constexpr (V == TunableVerb::solve_cholesky)
      Batchwork::solve_cholesky(exec, how, in(a), in(b), out(left));
    else if constexpr (V == TunableVerb::qr) Batchwork::qr(exec, how, in(a), out(left), out(right));
    else if constexpr (V == TunableVerb::eigh)
      Batchwork::eigh(exec, how, in(a), out(values), out(left));
    else Batchwork::svd(exec, how, in(a), out(left), out(values), out(right));
  }

  /// The residual of some items over its tolerance 10 n epsilon: the largest of
  ///   ||P A - L U|| / ||A||, ||A x - b|| / (||A|| ||x||), ||A X - I|| / (||A|| ||X||),
  ///   ||A - L L'|| / ||A||, ||A - Q R|| / ||A||, ||A - V D V'|| / ||A||, ||A - U D V'|| / ||A||
  /// and of ||X' X - I|| for the orthogonal factors, in Frobenius norms; NaN counts as infinite.
  double error() const {
    std::int64_t const count = std::min<std::int64_t>(items, n > 32 ? 5 : 33);
    auto const gather = [&](auto const& from) {
      Kokkos::View<T***, Kokkos::LayoutRight, Memory> const to(
          "gathered", from.data() == nullptr ? 0 : std::size_t(count), from.extent(1),
          from.extent(2));
      if (to.size() > 0)
        Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec>(exec, 0, count),
                             GatherTuned<std::decay_t<decltype(to)>, std::decay_t<decltype(from)>>{
                                 to, from, items, count});
      exec.fence();
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
    };
    auto const x = gather(left), y = gather(right), right_sides = gather(b);
    auto const d = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order);
    double worst = 0;
    for (std::int64_t c = 0; c < count; ++c) {
      std::int64_t const item = chosen_item(c, items, count);
      double const e = error_of(c, item, x, y, right_sides, d, p);
      worst = e <= worst ? worst : e == e ? e : std::numeric_limits<double>::infinity();
    }
    return worst / (10.0 * n * double(std::numeric_limits<T>::epsilon()));
  }

 private:
  double error_of(std::int64_t c, std::int64_t item, auto const& x, auto const& y,
                  auto const& right_sides, auto const& d, auto const& p) const {
    std::vector<double> full(std::size_t(n) * std::size_t(n));
    double norm_a = 0, norm_x = 0, difference = 0;
    auto const entry = [&](int i, int j) -> double& {
      return full[std::size_t(i) * std::size_t(n) + std::size_t(j)];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        entry(i, j) = double(tune_entry<V, T>(item, i, j, n));
        norm_a += entry(i, j) * entry(i, j);
      }
    int const cols = int(x.extent(2));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < cols; ++j) {
        double const x_ij = double(x(c, i, j));
        norm_x += x_ij * x_ij;
        double s = 0;
        if constexpr (V == TunableVerb::lu) {
          for (int k = 0; k <= std::min(i, j); ++k)
            s += (k == i ? 1.0 : double(x(c, i, k))) * double(x(c, k, j));
          int const row = p(item, i);
          s -= row >= 0 && row < n ? entry(row, j) : std::numeric_limits<double>::quiet_NaN();
        } else if constexpr (V == TunableVerb::inverse || has_sides(V)) {
          for (int k = 0; k < n; ++k) s += entry(i, k) * double(x(c, k, j));
          if constexpr (has_sides(V)) s -= double(right_sides(c, i, j));
          else s -= i == j ? 1 : 0;
        } else if constexpr (V == TunableVerb::cholesky) {
          if (j > i) continue;  // may hold anything
          for (int k = 0; k <= j; ++k) s += double(x(c, i, k)) * double(x(c, j, k));
          s -= entry(i, j);
        } else {
          for (int k = 0; k < n; ++k) {
            if constexpr (V == TunableVerb::qr) s += double(x(c, i, k)) * double(y(c, k, j));
            if constexpr (V == TunableVerb::eigh)
              s += double(x(c, i, k)) * double(d(item, k)) * double(x(c, j, k));
            if constexpr (V == TunableVerb::svd)
              s += double(x(c, i, k)) * double(d(item, k)) * double(y(c, j, k));
          }
          s -= entry(i, j);
        }
        difference += s * s;
      }
    bool const by_x = V == TunableVerb::inverse || has_sides(V);
    double error = std::sqrt(difference / (by_x ? norm_a * norm_x : norm_a));
    auto const expect_orthogonal = [&](auto const& q) {
      double sum = 0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
          double s = i == j ? -1 : 0;
          for (int k = 0; k < n; ++k) s += double(q(c, k, i)) * double(q(c, k, j));
          sum += (i == j ? 1 : 2) * s * s;
        }
      double const e = std::sqrt(sum);
      error = error != error || e <= error ? error : e;  // NaN stays
    };
    if constexpr (V == TunableVerb::qr || V == TunableVerb::eigh || V == TunableVerb::svd)
      expect_orthogonal(x);
    if constexpr (V == TunableVerb::svd) expect_orthogonal(y);
    return error;
  }
};

}  // namespace Batchwork::Impl

#endif
