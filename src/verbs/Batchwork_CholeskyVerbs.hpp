// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// cholesky, solve_cholesky, solve_lower: single operations on matrices of extents known at run time, one kernel each.
#ifndef BATCHWORK_CHOLESKYVERBS_HPP
#define BATCHWORK_CHOLESKYVERBS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "operand/Batchwork_Check.hpp"
#include "verbs/Batchwork_Launch.hpp"
#include "verbs/Batchwork_TriangleHost.hpp"
#include "verbs/Batchwork_TriangleTeams.hpp"

namespace Batchwork {
namespace Impl {

/// status(codes), as an argument of these verbs.
template <class X>
inline constexpr bool is_status_operand = false;
template <class Src>
inline constexpr bool is_status_operand<Operand<Kind::status, Src>> = true;

/// In the place of a status operand that is not given.
struct NoStatus {};
/// True, or the compiler says how codes are given.
template <class X>
constexpr bool require_status() {
  static_assert(is_status_operand<X> || std::is_same_v<X, NoStatus>,
                "Batchwork: what stands behind the matrices and vectors of this call is "
                "status(codes), an operand; write status(...) around the View");
  return true;
}

/// What a call has said of its Views so far.
struct TriangleCall {
  std::string verb;
  std::vector<Part> parts;

  [[noreturn]] void fail(std::string const& what) const {
    throw std::invalid_argument("Batchwork::" + verb + ": " + what);
  }
  template <class Batch>
  Part const& add(char const* role, bool writes, Batch const& batch) {
    parts.push_back({int(parts.size()) + 1, role, writes, batch.description});
    return parts.back();
  }
};

/// Two descriptions of the same numbers in the same items: what may be computed in place.
template <class To, class From>
bool same_numbers(To const& to, From const& from) {
  // One by one: for nvcc declarations joined by commas must deduce the same type.
  auto const& x = to.storage;
  auto const& y = from.storage;
  Description const &d = to.description, &e = from.description;
  bool const straight = x.row == y.row && x.col == y.col,
             turned = x.row == y.col && x.col == y.row && to.rows == to.cols;
  return d.begin == e.begin && d.end == e.end && d.items == e.items && to.rows == from.rows &&
         to.cols == from.cols && x.width == y.width && x.group == y.group && x.lane == y.lane &&
         (straight || turned);
}

/// Refuses what is wrong with any of the Views, different numbers of items, and overlaps that are certain; the View at
/// `place` may be the one that operand 1, the result, is computed from.
inline void check_triangle_call(TriangleCall const& call, bool in_place, std::size_t place) {
  for (auto const& p : call.parts)
    if (!p.d.problem.empty()) call.fail(p.name() + ": " + p.d.problem);
  auto const& first = call.parts[0];
  if (none_allocated(call.parts)) call.fail(first.name() + ": " + null_problem);
  for (auto const& p : call.parts)
    if (p.d.items != first.d.items)
      call.fail(p.name() + " has " + std::to_string(p.d.items) + " items, but " + first.name() +
                " has " + std::to_string(first.d.items) +
                "; give all operands of a call the same number of items");
  for (std::size_t a = 0; a < call.parts.size(); ++a)
    for (std::size_t b = a + 1; b < call.parts.size(); ++b) {
      auto const &x = call.parts[a], &y = call.parts[b];
      if (!x.writes && !y.writes) continue;
      if (in_place && a == 0 && b == place) continue;
      if (surely_share(x.d, y.d))
        call.fail((x.writes ? x : y).name() + " is written and shares elements with " +
                  (x.writes ? y : x).name() +
                  "; to compute in place give the same View, else one of its own");
    }
}

inline void check_square(TriangleCall const& call, Part const& a, std::int64_t rows,
                         std::int64_t cols) {
  if (rows != cols) call.fail(a.name() + " does not hold square matrices; give one of N x N");
}

template <class Exec, class S>
StatusTarget status_target(TriangleCall& call, S const& operand) {
  StatusTarget t;
  if constexpr (is_status_operand<S>) {
    auto const& source = operand.source;
    auto const batch = [&] {
      using Source = std::remove_cvref_t<decltype(source)>;
      if constexpr (Source::packed_width > 0)
        return stored(packed(source.view, source.packed_items));
      else return stored(source.view);
    }();
    using Code = typename decltype(batch)::value_type;
    static_assert(!std::is_const_v<Code>, "Batchwork::status: the View is const");
    static_assert(
        Kokkos::SpaceAccessibility<Exec, typename decltype(batch)::memory_space>::accessible,
        "Batchwork: a View's memory cannot be reached from the execution space; deep_copy it there first");
    if constexpr (sizeof(Code) == 4) t.narrow = reinterpret_cast<std::int32_t*>(batch.storage.data);
    else t.wide = reinterpret_cast<std::int64_t*>(batch.storage.data);
    t.width = batch.storage.width;
    t.group = batch.storage.group;
    t.lane = batch.storage.lane;
    call.add("status", true, batch);
  }
  return t;
}

/// True, or the compiler says that the Views of a call hold several types of numbers, or where the execution space cannot
/// reach them.
template <class Exec, class Result, class... Others>
constexpr bool require_triangle_views() {
  using T = typename Result::value_type;
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: cholesky, solve_cholesky and solve_lower take float or double");
  static_assert((std::is_same_v<T, std::remove_const_t<typename Others::value_type>> && ...),
                "Batchwork: all Views of a call hold the same type of numbers; give x, a and b (of "
                "cholesky l and a) in float, or all in double");
  static_assert(
      Kokkos::SpaceAccessibility<Exec, typename Result::memory_space>::accessible &&
          (Kokkos::SpaceAccessibility<Exec, typename Others::memory_space>::accessible && ...),
      "Batchwork: a View's memory cannot be reached from the execution space; deep_copy it there first");
  return true;
}
template <class Matrix>
constexpr void require_matrix() {
  static_assert(Matrix::tile_rank == 2,
                "Batchwork: the matrices are in a View (item, row, column), or one with a lane "
                "index behind them in packed(view, n)");
}

/// Throws if an item of n rows is too large; `most` is how many there may be.
inline void check_triangle_size(TriangleCall const& call, Part const& a, int n, int most,
                                std::string const& of) {
  if (n > most)
    call.fail(a.name() + " has " + std::to_string(n) + " rows, more than the " +
              std::to_string(most) + " for which there is room in " + of +
              "; use blocks of at most that many");
}

template <class T, int Tiles, class Exec>
void launch_triangle_teams(Exec const& exec, TriangleCall const& call, TriangleProblem<T> const& p,
                           std::size_t scratch) {
  using namespace Kokkos::Experimental;
  using Kernel = TriangleTeams<T, Tiles>;
  Kernel const kernel(p, scratch);
  if (kernel.teams() > 2147483647) call.fail("too many items for one launch");
  Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::int64_t>,
                     Vendor::TeamBounds<Exec, Kernel::largest_team, Kernel::wanted_teams>>
  policy(exec, int(kernel.teams()), kernel.team(), 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(kernel.bytes())));
  Kokkos::parallel_for(kernel_label(call.verb, ""),
                       require(policy, WorkItemProperty::HintLightWeight), kernel);
}

/// Runs f.template operator()<Tiles>() for the tiles that a warp holds of n rows, or 0.
template <class F>
void with_held_tiles(int n, F const& f) {
  switch (held_tiles(n)) {
    case 2: f.template operator()<2>(); break;
    case 4: f.template operator()<4>(); break;
    case 5: f.template operator()<5>(); break;
    case 6: f.template operator()<6>(); break;
    case 7: f.template operator()<7>(); break;
    case 8: f.template operator()<8>(); break;
    default: f.template operator()<triangle_in_scratch>(); break;
  }
}

/// The most rows of an item that fits into so many bytes of scratch.
template <class T>
int most_triangle_rows(std::size_t scratch, bool with_sides) {
  int tiles = 1;
  auto const bytes = [&](int t) {
    return std::size_t(TriangleScratch{t}.item_numbers(with_sides ? 1 : 0)) * sizeof(T) + 32;
  };
  while (bytes(tiles + 1) <= scratch) ++tiles;
  return 8 * tiles;
}

template <class T, int Rows, class Exec>
void launch_triangle_host(Exec const& exec, TriangleCall const& call, TriangleProblem<T> const& p) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  std::int64_t const threads = exec.concurrency();
  // Chunks large enough to be worth starting, small enough to keep all threads busy.
  std::int64_t const some = std::max(1, 64 / p.n);
  std::int64_t const per_chunk = std::clamp(p.items / (16 * threads), std::int64_t(1), 16 * some);
  Kokkos::parallel_for(kernel_label(call.verb, ""),
                       Policy(exec, 0, (p.items + per_chunk - 1) / per_chunk),
                       TriangleHost<T, Rows>{p, per_chunk});
}

template <bool Factors, class Exec, class T>
void launch_triangle(Exec const& exec, TriangleCall const& call, std::size_t place, std::int64_t n,
                     std::int64_t columns, TriangleProblem<T> p) {
  auto const& a = call.parts[place];
  constexpr std::int64_t many = 1 << 20;
  if (columns > many)
    call.fail(call.parts[0].name() + " has " + std::to_string(columns) +
              " right-hand sides, more than the limit of " + std::to_string(many) +
              "; divide them");
  p.n = int(std::min(n, many));
  p.columns = int(columns);
  p.items = a.d.items;
  p.factors = Factors;
  bool const solves = p.forward || p.backward;
  if constexpr (runs_on_device<Exec>) {
    Kokkos::TeamPolicy<Exec> const any(exec, 1, 1);
    std::size_t const scratch = std::size_t(any.scratch_size_max(0));
    check_triangle_size(call, a, p.n, most_triangle_rows<T>(scratch, solves),
                        "the " + std::to_string(scratch) + " bytes of team scratch");
    if (p.items == 0 || p.n == 0 || (solves && columns == 0)) return;
    if constexpr (Factors) {
      with_held_tiles(
          p.n, [&]<int Tiles>() { launch_triangle_teams<T, Tiles>(exec, call, p, scratch); });
    } else {
      launch_triangle_teams<T, triangle_of_solve>(exec, call, p, scratch);
    }
  } else {
    check_triangle_size(call, a, p.n, triangle_rows_on_host, "a host's buffers");
    if (p.items == 0 || p.n == 0 || (solves && columns == 0)) return;
    if (p.n <= 32) launch_triangle_host<T, 32>(exec, call, p);
    else if (p.n <= 64) launch_triangle_host<T, 64>(exec, call, p);
    else if (p.n <= 128) launch_triangle_host<T, 128>(exec, call, p);
    else launch_triangle_host<T, triangle_rows_on_host>(exec, call, p);
  }
}

template <class Exec, class L, class A, class S>
void cholesky_batch(Exec const& exec, L const& l_arg, A const& a_arg, S const& codes) {
  static_assert(require_status<S>());
  auto const l = stored(l_arg);
  auto const a = stored(a_arg);
  static_assert(require_triangle_views<Exec, std::remove_const_t<decltype(l)>,
                                       std::remove_const_t<decltype(a)>>());
  require_matrix<decltype(l)>();
  require_matrix<decltype(a)>();
  using T = typename decltype(l)::value_type;

  TriangleCall call{"cholesky", {}};
  call.add("l", true, l);
  call.add("a", false, a);
  TriangleProblem<T> p;
  p.status = status_target<Exec>(call, codes);
  check_triangle_call(call, same_numbers(l, a), 1);
  check_square(call, call.parts[1], a.rows, a.cols);
  if (l.rows != a.rows || l.cols != a.cols)
    call.fail(call.parts[0].name() + " does not hold the factor of " + call.parts[1].name() +
              "; give one of " + call.parts[1].d.shape);
  p.a = a.storage.as_const();
  p.l = l.storage;
  p.stores_factor = true;
  launch_triangle<true>(exec, call, 1, a.rows, 0, p);
}

/// What is solved for: by the Cholesky factor of a, or by one triangle.
template <bool Factors, class Exec, class X, class A, class B, class S>
void solve_triangle_batch(Exec const& exec, std::string const& verb, X const& x_arg, A const& a_arg,
                          B const& b_arg, S const& codes) {
  static_assert(require_status<S>());
  auto const x = stored(x_arg);
  auto const a = [&] {
    if constexpr (is_transposed_view<A>) {
      return stored(a_arg.view);
    } else {
      return stored(a_arg);
    }
  }();
  bool const turned = is_transposed_view<A>;
  auto const b = stored(b_arg);
  static_assert(
      require_triangle_views<Exec, std::remove_const_t<decltype(x)>,
                             std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>>());
  require_matrix<decltype(a)>();
  static_assert(decltype(x)::tile_rank == decltype(b)::tile_rank && decltype(x)::tile_rank > 0,
                "Batchwork: b and x both hold vectors, (item, row), or both several right-hand "
                "sides, (item, row, column)");
  using T = typename decltype(x)::value_type;

  TriangleCall call{verb, {}};
  call.add("x", true, x);
  call.add(Factors ? "a" : "l", false, a);
  call.add("b", false, b);
  TriangleProblem<T> p;
  p.status = status_target<Exec>(call, codes);
  check_triangle_call(call, same_numbers(x, b) && x.storage.row == b.storage.row, 2);
  check_square(call, call.parts[1], a.rows, a.cols);
  if (b.rows != a.rows)
    call.fail(call.parts[2].name() + " has " + std::to_string(b.rows) + " rows, but " +
              call.parts[1].name() + " has " + std::to_string(a.rows) +
              "; give right-hand sides of as many rows as the matrices");
  if (x.rows != b.rows || x.cols != b.cols)
    call.fail(call.parts[0].name() + " does not hold the solutions for " + call.parts[2].name() +
              "; give one of " + call.parts[2].d.shape);
  p.a = a.storage.as_const();
  // The factor of A' = A read from the other triangle.
  if (Factors && turned) std::swap(p.a.row, p.a.col);
  p.b = b.storage.as_const();
  p.x = x.storage;
  p.forward = Factors || !turned;
  p.backward = Factors || turned;
  launch_triangle<Factors>(exec, call, 1, a.rows, b.cols, p);
}

}  // namespace Impl

/// The Cholesky factors of a batch: A_n = L_n L_n' for every item n, A_n being N x N, symmetric and positive definite. Of
/// `a` the lower triangle is read; L is stored with zeros above its diagonal. `l` may be the View `a` itself: the factors
/// then take the place of the matrices. float or double; N is known at run time, at most what team scratch of level 0
/// holds: 136 in float and 96 in double with 40,928 bytes (on hosts 256; beyond 128 rows a thread needs 0.6 MB of stack).
///
/// `a` and `l` are Views with the item first, v(item, i, j), in LayoutLeft, LayoutRight or LayoutStride, or
/// packed(view, n); transposed(...) around one of them stands for the transposes of its items, so that of transposed(a) the
/// upper triangle is read, and transposed(l) receives the upper factor.
///
/// status(codes), if it is given, receives for each item 0, or the reason and LAPACK's info, as cholesky(tile) gives them: a
/// pivot that is not positive (or not a normal number) is Reason::not_positive_definite, one that is NaN or infinite
/// Reason::not_finite, both with its 1-based index. Of such an item the columns of L before the pivot are as they should be,
/// those from it on are NaN. Other items come out bitwise as without it.
///
/// One kernel on the instance `exec`, labelled Batchwork::cholesky; asynchronous, allocates nothing, never fences. Zero
/// items, rows or right-hand sides are no launch, and write no status. N^3 / 3 operations an item. On devices a warp has an item of up to 64 rows, by the right-looking
/// algorithm (Golub and Van Loan, Matrix Computations, 4th edition, section 4.2; LAPACK's potrf); on hosts a thread has one.
/// For items that are part of a longer sequence, and for extents up to 32 known at compile time, see cholesky(tile) in map.
///
/// Throws std::invalid_argument before anything is launched: matrices that are not square, extents or numbers of items that
/// differ, items that are too large, null Views, too few groups, Views that overlap other than in place.
template <class Exec, Impl::Copyable L, Impl::Copyable A, class S = Impl::NoStatus>
  requires Kokkos::is_execution_space_v<Exec>
void cholesky(Exec const& exec, L const& l, A const& a, S const& codes = {}) {
  Impl::cholesky_batch(exec, l, a, codes);
}
template <Impl::Copyable L, Impl::Copyable A, class S = Impl::NoStatus>
void cholesky(L const& l, A const& a, S const& codes = {}) {
  cholesky(Kokkos::DefaultExecutionSpace(), l, a, codes);
}

/// The solutions of A_n x_n = b_n for every item n, A_n being N x N, symmetric and positive definite: factorisation and both
/// substitutions in one kernel, in which the factor does not leave the chip. Of `a` the lower triangle is read (the upper one
/// of transposed(a)). `b` and `x` hold vectors, v(item, i), or several right-hand sides, v(item, i, k); `x` may be the View
/// `b` itself. N^3 / 3 + 2 N^2 operations an item and right-hand side.
///
/// Everything else is as in cholesky: Views, status, errors. Of an item that fails all of x is NaN; where only a result is
/// not finite the status is Reason::not_finite with an info of 0. N is at most 136 in float and 88 in double with 40,928
/// bytes of scratch.
template <class Exec, Impl::Copyable X, Impl::Copyable A, Impl::Copyable B,
          class S = Impl::NoStatus>
  requires Kokkos::is_execution_space_v<Exec>
void solve_cholesky(Exec const& exec, X const& x, A const& a, B const& b, S const& codes = {}) {
  Impl::solve_triangle_batch<true>(exec, "solve_cholesky", x, a, b, codes);
}
template <Impl::Copyable X, Impl::Copyable A, Impl::Copyable B, class S = Impl::NoStatus>
void solve_cholesky(X const& x, A const& a, B const& b, S const& codes = {}) {
  solve_cholesky(Kokkos::DefaultExecutionSpace(), x, a, b, codes);
}

/// The solutions of L_n x_n = b_n, or with transposed(l) of L_n' x_n = b_n, for every item n, L_n being N x N and lower
/// triangular: what is above the diagonal is not used. With the factors of cholesky, the one after the other solves A_n x_n =
/// b_n for right-hand sides that come later. N^2 operations an item and right-hand side. (Golub and Van Loan, Matrix
/// Computations, 4th edition, section 3.1; LAPACK's trtrs.)
///
/// Views, right-hand sides and limits are as in solve_cholesky. A zero on the diagonal (or a number whose reciprocal may
/// overflow) gives Reason::breakdown, as in solve_triangular, one that is NaN or infinite Reason::not_finite, both with its
/// 1-based index, LAPACK's info of trtrs: of several the smallest. That number of x, and those computed from it, are NaN.
template <class Exec, Impl::Copyable X, Impl::Copyable L, Impl::Copyable B,
          class S = Impl::NoStatus>
  requires Kokkos::is_execution_space_v<Exec>
void solve_lower(Exec const& exec, X const& x, L const& l, B const& b, S const& codes = {}) {
  Impl::solve_triangle_batch<false>(exec, "solve_lower", x, l, b, codes);
}
template <Impl::Copyable X, Impl::Copyable L, Impl::Copyable B, class S = Impl::NoStatus>
void solve_lower(X const& x, L const& l, B const& b, S const& codes = {}) {
  solve_lower(Kokkos::DefaultExecutionSpace(), x, l, b, codes);
}

}  // namespace Batchwork

#endif
